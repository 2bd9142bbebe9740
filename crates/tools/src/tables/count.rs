//! Counts that can be recorded: `SELECT count(*)` of one table, whose conditions only say which records are counted.
//!
//! The record of a count (`record_count`) says what was counted by the records' own values:
//! the values that they share, their first and their last time.
//! So each condition must either compare a column with a value, or bound the time that dates the records.

use super::group::TableGroup;
use super::schema::{Column, Table, quoted};
use crate::sink::dating_field;
use crate::units::Origin;
use crate::words::{Word, Words};
use ledger::FieldType;
use std::fmt::Write;

/// What is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) table: String,
    /// Columns whose values the counted records share.
    pub(crate) by: Vec<String>,
    /// The column that dates them.
    pub(crate) dated_by: Option<String>,
    /// Whether their times are bounded.
    pub(crate) is_bounded: bool,
    /// The conditions, in SQL.
    conditions: String,
}

/// What a statement counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Counting {
    /// It is not a count.
    Nothing,
    /// It counts records in a way that a record can state.
    Records(Count),
    /// It counts what no record can state, or compares a column with a value that it cannot have: the reason.
    Refused(String),
}

impl Counting {
    /// Reads what a statement counts.
    pub(crate) fn read(sql: &str, tables: &[Table]) -> Counting {
        let mut words = Words::of(sql);
        if ["select", "count", "("].iter().any(|word| words.exactly(word).is_none()) {
            return Counting::Nothing;
        }
        match counted(&mut words, tables) {
            Ok(count) => Counting::Records(count),
            Err(reason) => Counting::Refused(reason),
        }
    }
}

/// Why a statement of another form cannot be counted.
const FORM: &str = "expected SELECT count(*) FROM one table WHERE column = value AND bounds of its time";

fn counted(words: &mut Words<'_>, tables: &[Table]) -> Result<Count, String> {
    let form = || FORM.to_owned();
    for word in ["*", ")"] {
        words.exactly(word).ok_or_else(form)?;
    }
    if words.peek().is_some_and(|word| word.is("as")) {
        words.next();
        words.name().ok_or_else(form)?;
    }
    words.exactly("from").ok_or_else(form)?;
    let name = words.name().ok_or_else(form)?.to_lowercase();
    let table = tables.iter().find(|table| table.name == name);
    let table = table.ok_or_else(|| format!("{name} is no table of records: {FORM}"))?;
    // Folder entries are not in a file whose records could be counted.
    if TableGroup::of_table(&name) == TableGroup::of(Origin::Entries) {
        return Err(format!("a row of {name} stands in no file whose records could be counted"));
    }
    let dated_by = dates(table).map(str::to_owned);
    let conditions = "1".to_owned();
    let mut count = Count { table: name, by: Vec::new(), dated_by, is_bounded: false, conditions };
    let mut joined = "where";
    while let Some(word) = words.next() {
        if word.is(";") && words.next().is_none() {
            return Ok(count);
        }
        if !word.is(joined) {
            return Err(form());
        }
        count.condition(table, words)?;
        joined = "and";
    }
    // A text without an end is not a word.
    if words.rest.trim().is_empty() { Ok(count) } else { Err(form()) }
}

impl Count {
    /// Returns a SELECT for the counted rows, with the columns that name them.
    pub(crate) fn rows(&self) -> String {
        format!("SELECT _evidence, _table, _row FROM {} WHERE {}", quoted(&self.table), self.conditions)
    }

    fn condition(&mut self, table: &Table, words: &mut Words<'_>) -> Result<(), String> {
        let form = || FORM.to_owned();
        let name = words.name().ok_or_else(form)?;
        let column = table.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name));
        let column = column.ok_or_else(|| format!("{name} is no column of {}: {FORM}", table.name))?;
        let operator = words.next().ok_or_else(form)?;
        let value = words.literal().ok_or_else(form)?;
        let is_bound = dates(table) == Some(&column.name);
        match operator {
            Word::Sign("=" | "==") => {
                holds(column, value)?;
                self.by.push(column.name.clone());
                self.and(&column.name, "=", value);
            }
            Word::Sign(sign @ ("<" | "<=" | ">" | ">=")) if is_bound => {
                self.bound(&column.name, sign, value)?;
            }
            operator if operator.is("between") && is_bound => {
                words.exactly("and").ok_or_else(form)?;
                self.bound(&column.name, ">=", value)?;
                self.bound(&column.name, "<=", words.literal().ok_or_else(form)?)?;
            }
            _ => return Err(form()),
        }
        Ok(())
    }

    fn bound(&mut self, column: &str, sign: &str, value: &str) -> Result<(), String> {
        if !is_instant(value) {
            return Err(format!("{value} is no time as {column} holds them, such as '2025-09-16T09:44:12'"));
        }
        self.is_bounded = true;
        self.and(column, sign, value);
        Ok(())
    }

    fn and(&mut self, column: &str, sign: &str, value: &str) {
        // Writing to a string cannot fail.
        let _ = write!(self.conditions, " AND {} {sign} {value}", quoted(column));
    }
}

/// Checks whether a column can have the value that it is compared with.
fn holds(column: &Column, value: &str) -> Result<(), String> {
    let is_text = value.starts_with('\'');
    let (expected, fits) = match column.types.as_slice() {
        [FieldType::Time | FieldType::List] => ("no equality, for it holds times or lists", false),
        [FieldType::Integer | FieldType::Size] => {
            ("a whole number", value.trim_matches('\'').trim().parse::<i128>().is_ok())
        }
        [FieldType::Flag] => ("0 or 1", matches!(value.trim_matches('\''), "0" | "1")),
        [_] => ("a text in single quotes", is_text),
        _ => ("no equality, for its values are of several types", false),
    };
    if fits {
        return Ok(());
    }
    Err(format!("{} = {value}: expected {expected}", column.name))
}

/// Checks whether a literal is a time as tables write it, or the beginning of one: a date, with hours and minutes, seconds, and fractions.
pub(super) fn is_instant(literal: &str) -> bool {
    const SHAPE: &str = "0000-00-00T00:00:00.000000000";
    let Some(text) = literal.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) else {
        return false;
    };
    let whole = matches!(text.len(), 4 | 7 | 10 | 13 | 16 | 19 | 21..);
    let fits = |(found, shape): (u8, u8)| if shape == b'0' { found.is_ascii_digit() } else { found == shape };
    whole && text.len() <= SHAPE.len() && text.bytes().zip(SHAPE.bytes()).all(fits)
}

/// Returns the column with the time that dates the records of a table.
pub(crate) fn dates(table: &Table) -> Option<&str> {
    dating_field(&table.name, table.times().map(|column| column.name.as_str()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::super::schema::tables;
    use super::*;

    #[test]
    fn a_count_says_what_it_counts_or_is_none() {
        let read = |sql| match Counting::read(sql, tables()) {
            Counting::Records(count) => Some(count),
            Counting::Nothing | Counting::Refused(_) => None,
        };
        let all = read("select Count(*) from logon;").unwrap();
        assert_eq!((all.by.len(), all.is_bounded), (0, false));
        let some = read(
            "SELECT count( * ) AS n FROM \"logon\" WHERE account = 'O''Brien' AND logon_type=10 AND time BETWEEN '2025' AND '2026'",
        )
        .unwrap();
        assert_eq!((some.by.join(","), some.is_bounded), ("account,logon_type".to_owned(), true));
        assert_eq!(
            some.rows(),
            "SELECT _evidence, _table, _row FROM \"logon\" WHERE 1 AND \"account\" = 'O''Brien' AND \"logon_type\" = 10 AND \"time\" >= '2025' AND \"time\" <= '2026'"
        );
        for other in [
            "SELECT count(*) FROM logons",
            "SELECT count(*) FROM dir_entry",
            "SELECT count(account) FROM logon",
            "SELECT count(*), 1 FROM logon",
            "SELECT count(*) FROM logon, prefetch",
            "SELECT count(*) FROM logon WHERE account = 'a' OR 1",
            "SELECT count(*) FROM logon WHERE account LIKE 'a'",
            "SELECT count(*) FROM logon WHERE account <> 'a'",
            "SELECT count(*) FROM logon WHERE account > 'a'",
            "SELECT count(*) FROM logon WHERE NOT account = 'a'",
            "SELECT count(*) FROM logon WHERE account = workstation",
            "SELECT count(*) FROM logon WHERE account = 'a' LIMIT 1",
            "SELECT count(*) FROM logon WHERE account = 'a' COLLATE NOCASE",
            "SELECT count(*) FROM logon WHERE account = 'a' || 'b'",
            "SELECT count(*) FROM logon WHERE account = -- x\n'a'",
            "SELECT count(*) FROM logon WHERE account = 'a",
            "SELECT count(*) FROM logon WHERE logon_type = 'ten'",
            "SELECT count(*) FROM logon WHERE account = 10",
            "SELECT count(*) FROM logon WHERE time > '2025-09-16 09:44:12'",
            "SELECT count(*) FROM logon WHERE time > '2025-09-16T09:44:12Z'",
            "SELECT count(*) FROM logon WHERE time > '16.9.2025'",
            "SELECT count(*) FROM logon WHERE time > '2025-09-1'",
            "SELECT count(*) FROM logon WHERE time > 2025",
            "SELECT count(*) FROM logon GROUP BY account",
            "SELECT count(*) FROM logon UNION SELECT 1",
            "SELECT count(*) FROM logon WHERE logon_type = 10.5",
            "SELECT count(*) FROM logon WHERE logon_type = 1e3",
            "SELECT count(*) FROM logon WHERE",
            "SELECT count(*) FROM logon WHERE account",
            "SELECT count(*) FROM (SELECT 1)",
            "SELECT DISTINCT count(*) FROM logon",
            "",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn why_a_count_is_none_is_said() {
        let why = |sql| match Counting::read(sql, tables()) {
            Counting::Refused(reason) => reason,
            other => format!("{other:?}"),
        };
        assert_eq!(
            why("SELECT count(*) FROM logon WHERE logon_type = 'ten'"),
            "logon_type = 'ten': expected a whole number"
        );
        assert!(why("SELECT count(*) FROM logons").starts_with("logons is no table of records"));
        assert!(why("SELECT count(*) FROM logon WHERE time > '2025-09-16 09:44'").contains("is no time"));
        assert_eq!(Counting::read("SELECT account FROM logon", tables()), Counting::Nothing);
    }
}
