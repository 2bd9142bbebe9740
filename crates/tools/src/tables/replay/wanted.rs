//! Turns what an intake accepts into conditions on rows: they may let too much through, but never too little.

use super::super::cells::restore;
use super::super::error::TableError;
use super::super::read::{Cells, columns_of};
use super::super::schema::{BEFORE, Column, Table, quoted};
use crate::intake::Taken;
use crate::sink::{Condition, Literal, Sign, Test};
use ledger::pattern::{fits, fold, like, same};
use ledger::{FieldType, Utc};
use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;

/// What an intake accepts, as conditions on rows; it can still refuse rows that pass them.
pub(super) struct Wanted<'a> {
    taken: Taken<'a>,
    /// The first and the last time, in the form that columns use.
    span: Option<(String, String)>,
}

/// The SQL functions of a connection that compare texts as filters do, with their implementations.
const FUNCTIONS: [(&str, Compare); 3] = [(FITS, fits), (LIKE, like), (SAME, same)];
const FITS: &str = "locard_fits";
const LIKE: &str = "locard_like";
const SAME: &str = "locard_same";

/// A comparison: whether a text is as wanted.
type Compare = fn(&str, &str) -> bool;

/// The types whose values are texts in their columns.
const TEXTS: [FieldType; 8] = [
    FieldType::Text,
    FieldType::Name,
    FieldType::Path,
    FieldType::RegistryPath,
    FieldType::Sid,
    FieldType::Guid,
    FieldType::Hash,
    FieldType::Bytes,
];

/// The types whose values are numbers in their columns.
const NUMBERS: [FieldType; 2] = [FieldType::Integer, FieldType::Size];

/// A text that sorts after the texts of all times.
const LAST: &str = "~";

/// Lets statements of this connection compare texts as filters do.
pub(super) fn add_functions(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    for (name, holds) in FUNCTIONS {
        connection.create_scalar_function(name, 2, flags, move |context| {
            let text = |index| context.get_raw(index).as_str();
            Ok(text(0).is_ok_and(|wanted| text(1).is_ok_and(|text| holds(wanted, text))))
        })?;
    }
    Ok(())
}

impl<'a> Wanted<'a> {
    pub(super) fn of(taken: Taken<'a>) -> Wanted<'a> {
        let span = (taken.from.is_some() || taken.to.is_some()).then(|| around(taken.from, taken.to));
        Wanted { taken, span }
    }

    /// Checks whether a table can have a wanted row.
    pub(super) fn may_hold(&self, table: &Table) -> bool {
        let has = |condition: &Condition| column(table, condition).is_some() || condition.is_met_without();
        self.taken.kinds.is_none_or(|kinds| kinds.contains(&table.name))
            && self.taken.conditions.iter().all(has)
    }

    /// Returns the texts of which a row must contain at least one; none if only some fields of a row are used.
    pub(super) fn texts(&self) -> Vec<String> {
        if self.taken.fields.is_none() { self.taken.texts.to_vec() } else { Vec::new() }
    }

    pub(super) fn select(&self, table: &Table) -> String {
        let mut sql = format!(
            "SELECT {} FROM e0.{} WHERE _row BETWEEN ? AND ?",
            columns_of(table, self.taken.fields.as_deref()),
            quoted(&table.name)
        );
        if let Some(span) = &self.span {
            sql.push_str(&format!(" AND {}", in_span(table, span)));
        }
        if let Some(subject) = subject(table).filter(|_| !self.taken.names.is_empty()) {
            sql.extend(any(FITS, &subject.name, self.taken.names).map(|any| format!(" AND {any}")));
        }
        for condition in self.taken.conditions {
            let one = column(table, condition).and_then(|column| of_condition(condition, column));
            sql.extend(one.map(|one| format!(" AND {one}")));
        }
        sql.push_str(" ORDER BY _row");
        sql
    }
}

/// Checks whether a row from [`Wanted::select`] can contain one of these case-folded texts; any row if there are none.
pub(super) fn says(cells: &Cells<'_>, texts: &[String]) -> Result<bool, TableError> {
    let columns = &cells.table.columns;
    let exact = BEFORE.len() + columns.len() + 1;
    if texts.is_empty() || cells.cell(exact)? != ValueRef::Null {
        return Ok(true);
    }
    for (index, column) in columns.iter().enumerate() {
        let cell = cells.cell(BEFORE.len() + index)?;
        if cell != ValueRef::Null && can_say(cell, column, texts) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Checks whether a cell that `_exact` does not list can contain one of these case-folded texts.
pub(in super::super) fn can_say(cell: ValueRef<'_>, column: &Column, texts: &[String]) -> bool {
    let can = |signs: &str| texts.iter().any(|text| text.chars().all(|sign| signs.contains(sign)));
    let holds = |held: &str| {
        let held = fold(held);
        texts.iter().any(|text| held.contains(text.as_str()))
    };
    match column.usual() {
        FieldType::Time => can("0123456789-:.tz"),
        FieldType::Integer | FieldType::Size => can("0123456789-"),
        FieldType::Flag | FieldType::List => {
            restore(cell, column).is_none_or(|value| holds(&value.to_text()))
        }
        FieldType::Text
        | FieldType::Name
        | FieldType::Path
        | FieldType::RegistryPath
        | FieldType::Sid
        | FieldType::Guid
        | FieldType::Hash
        | FieldType::Bytes => cell.as_str().map_or(true, holds),
    }
}

/// Widens a span by some days on either side: a time of unknown zone can be hours off, and a text has no more digits than its source.
pub(in super::super) fn around(from: Option<Utc>, to: Option<Utc>) -> (String, String) {
    let day =
        |time: Utc, by: i128| Utc::from_unix_nanoseconds(time.unix_nanoseconds() + by * 86_400_000_000_000);
    let text =
        |time: Utc, by| day(time, by).map(|time| time.to_string()).filter(|text| !text.starts_with('-'));
    let from = from.and_then(|from| text(from, -2)).unwrap_or_default();
    let to = to.and_then(|to| text(to, 2)).unwrap_or_else(|| LAST.to_owned());
    (from, to)
}

/// Returns the condition for rows with a time in the span. Records without any host time are counted, so they must be read, too.
fn in_span(table: &Table, (from, to): &(String, String)) -> String {
    let times = table.columns.iter().filter(|column| column.types.contains(&FieldType::Time));
    let names: Vec<_> = times.map(|column| quoted(&column.name)).collect();
    let none = names.iter().map(|name| format!("({name} IS NULL OR {name} LIKE '% copy')"));
    let none = none.collect::<Vec<_>>().join(" AND ");
    let none = if none.is_empty() { "1".to_owned() } else { none };
    let within: String = names.iter().map(|name| format!("{name} BETWEEN '{from}' AND '{to}' OR ")).collect();
    format!("({within}({none}))")
}

/// Returns the column of the field that a condition is about.
fn column<'t>(table: &'t Table, condition: &Condition) -> Option<&'t Column> {
    table.columns.iter().find(|column| column.name == condition.field)
}

/// Returns a condition in SQL, if its column can decide it; `None` if only the record can.
fn of_condition(condition: &Condition, column: &Column) -> Option<String> {
    let is_of = |types: &[FieldType]| column.types.iter().all(|kind| types.contains(kind));
    let name = quoted(&column.name);
    let sql = match &condition.test {
        // A time without an instant is also NULL.
        Test::There => (is_of(&TEXTS) || is_of(&NUMBERS)).then(|| format!("{name} IS NOT NULL"))?,
        Test::OneOf(values) if is_of(&NUMBERS) => {
            let numbers =
                values.iter().map(|value| value.number.and_then(|number| i64::try_from(number).ok()));
            let numbers: Option<Vec<_>> = numbers.map(|number| Some(number?.to_string())).collect();
            format!("{name} IN ({})", numbers?.join(", "))
        }
        Test::OneOf(values) if is_of(&TEXTS) => {
            let texts: Option<Vec<_>> = values.iter().map(|value| value.text.clone()).collect();
            any(SAME, &column.name, &texts?)?
        }
        Test::Like(pattern) if is_of(&TEXTS) => any(LIKE, &column.name, std::slice::from_ref(pattern))?,
        Test::Compared(sign, literal) if is_of(&NUMBERS) => of_number(*sign, literal, &name)?,
        Test::Compared(sign, literal) if is_of(&[FieldType::Time]) => of_time(*sign, literal, &name)?,
        Test::OneOf(_) | Test::Like(_) | Test::Compared(..) => return None,
    };
    Some(match (condition.is_not, &condition.test) {
        (false, _) => format!("({sql})"),
        (true, Test::There) => format!("NOT ({sql})"),
        (true, _) => format!("({name} IS NOT NULL AND NOT ({sql}))"),
    })
}

/// Returns a numeric comparison in SQL; a number that SQLite cannot represent is stored as its digits, which sort as a text.
fn of_number(sign: Sign, literal: &Literal, name: &str) -> Option<String> {
    let number = i64::try_from(literal.number?).ok()?;
    let sign = match sign {
        Sign::Less => "<",
        Sign::AtMost => "<=",
        Sign::AtLeast => ">=",
        Sign::More => ">",
    };
    Some(format!("{name} {sign} {number} OR typeof({name}) = 'text'"))
}

fn of_time(sign: Sign, literal: &Literal, name: &str) -> Option<String> {
    let instant = literal.instant?;
    let (from, to) = match sign {
        Sign::Less | Sign::AtMost => around(None, Some(instant)),
        Sign::AtLeast | Sign::More => around(Some(instant), None),
    };
    Some(format!("{name} BETWEEN '{from}' AND '{to}'"))
}

/// Returns a call of the function on a column for each of these texts; `None` if SQL cannot express it, because it ends at the first NUL.
fn any(function: &str, column: &str, texts: &[String]) -> Option<String> {
    if texts.iter().any(|text| text.contains('\0')) {
        return None;
    }
    let one = |wanted: &String| format!("{function}({}, {})", text(wanted), quoted(column));
    Some(format!("({})", texts.iter().map(one).collect::<Vec<_>>().join(" OR ")))
}

/// Returns the column of the subject, if it has the text that patterns are compared with.
fn subject(table: &Table) -> Option<&Column> {
    let column = table.columns.iter().find(|column| column.name == table.subject)?;
    column.types.iter().all(|kind| TEXTS.contains(kind)).then_some(column)
}

fn text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
