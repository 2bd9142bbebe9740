//! Counts that can be relied on: `SELECT count(*)` of one table whose conditions say which records are counted and nothing else.
//!
//! What is counted is told by the records themselves (`record_count`): the values that they share, their first time and their last.
//! So a condition is either that a column equals a value, or a bound of the time that dates the records.

use super::group::TableGroup;
use super::schema::{Table, quoted};
use super::words::{Word, Words};
use crate::units::Origin;
use ledger::FieldType;
use std::fmt::Write;

/// The time that dates a record which has several.
const TIME: &str = "time";

/// What is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) table: String,
    /// Columns whose values the counted records share.
    pub(crate) by: Vec<String>,
    /// Whether their times are bounded.
    pub(crate) is_bounded: bool,
    /// The conditions, in SQL.
    conditions: String,
}

impl Count {
    /// What a statement counts; `None` where it is another statement, or counts what no record can tell.
    pub(crate) fn read(sql: &str, tables: &[Table]) -> Option<Count> {
        let mut words = Words::of(sql);
        for word in ["select", "count", "(", "*", ")"] {
            words.exactly(word)?;
        }
        if words.peek()?.is("as") {
            words.next()?;
            words.name()?;
        }
        words.exactly("from")?;
        let name = words.name()?.to_lowercase();
        let table = tables.iter().find(|table| table.name == name)?;
        // An entry of a folder stands in no file whose records could be counted.
        if TableGroup::of_table(&name) == TableGroup::of(Origin::Entries) {
            return None;
        }
        let mut count = Count { table: name, by: Vec::new(), is_bounded: false, conditions: "1".to_owned() };
        let mut joined = "where";
        while let Some(word) = words.next() {
            if word.is(";") && words.next().is_none() {
                break;
            }
            word.is(joined).then_some(())?;
            count.condition(table, &mut words)?;
            joined = "and";
        }
        Some(count)
    }

    /// The rows that are counted, by the columns that name them.
    pub(crate) fn rows(&self) -> String {
        format!("SELECT _evidence, _table, _row FROM {} WHERE {}", quoted(&self.table), self.conditions)
    }

    fn condition(&mut self, table: &Table, words: &mut Words<'_>) -> Option<()> {
        let name = words.name()?;
        let column = table.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))?;
        let operator = words.next()?;
        let value = words.literal()?;
        match operator {
            Word::Sign("=" | "==") => {
                let [kind] = column.types.as_slice() else { return None };
                if matches!(kind, FieldType::Time | FieldType::List) {
                    return None;
                }
                self.by.push(column.name.clone());
                self.and(&column.name, "=", value);
            }
            Word::Sign(sign @ ("<" | "<=" | ">" | ">=")) if dates(table) == Some(&column.name) => {
                self.is_bounded = true;
                self.and(&column.name, sign, value);
            }
            operator if operator.is("between") && dates(table) == Some(&column.name) => {
                words.exactly("and")?;
                self.is_bounded = true;
                self.and(&column.name, ">=", value);
                self.and(&column.name, "<=", words.literal()?);
            }
            _ => return None,
        }
        Some(())
    }

    fn and(&mut self, column: &str, sign: &str, value: &str) {
        // Writing to a text cannot fail.
        let _ = write!(self.conditions, " AND {} {sign} {value}", quoted(column));
    }
}

/// The column with the time that dates the records of a table: the one called `time`, or the only one.
fn dates(table: &Table) -> Option<&str> {
    let times: Vec<_> = table.times().map(|column| column.name.as_str()).collect();
    match times.as_slice() {
        [only] => Some(only),
        times => times.iter().find(|name| **name == TIME).copied(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::super::schema::tables;
    use super::*;

    #[test]
    fn a_count_says_what_it_counts_or_is_none() {
        let read = |sql| Count::read(sql, tables());
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
}
