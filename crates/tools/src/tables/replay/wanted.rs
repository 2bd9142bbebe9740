//! What an intake takes, as conditions on rows: they may let too much through, and never too little.

use super::super::read::columns_of;
use super::super::schema::{Column, Table, quoted};
use crate::intake::Taken;
use ledger::{FieldType, Utc};

/// What an intake takes, as conditions on rows; what these let through it can still refuse.
pub(super) struct Wanted {
    kind: Option<String>,
    names: Vec<String>,
    /// The first and the last time, as columns hold times.
    span: Option<(String, String)>,
    fields: Option<Vec<String>>,
}

/// The function of a connection that tells whether a text fits a pattern ([`ledger::pattern::fits`]).
pub(super) const FITS: &str = "locard_fits";

/// Behind the texts of all times.
const LAST: &str = "~";

impl Wanted {
    /// For an intake, and a test of rows that reads these columns.
    pub(super) fn of(taken: Taken<'_>, reads: &[&str]) -> Wanted {
        // A time of an unknown zone can be some hours away, and a text holds no more digits than its source.
        let day = |time: Utc, by: i128| {
            Utc::from_unix_nanoseconds(time.unix_nanoseconds() + by * 86_400_000_000_000)
        };
        let text =
            |time: Option<Utc>| time.map(|time| time.to_string()).filter(|text| !text.starts_with('-'));
        let from = taken.from.map(|from| text(day(from, -2)));
        let to = taken.to.map(|to| text(day(to, 2)));
        let span = match (from, to) {
            (None, None) => None,
            (from, to) => {
                Some((from.flatten().unwrap_or_default(), to.flatten().unwrap_or_else(|| LAST.to_owned())))
            }
        };
        Wanted {
            kind: taken.kind.map(str::to_owned),
            // SQL ends at the first NUL: such a pattern is left to the intake.
            names: if taken.names.iter().any(|name| name.contains('\0')) {
                Vec::new()
            } else {
                taken.names.to_vec()
            },
            span,
            fields: taken.fields.map(|fields| fields.iter().chain(reads).map(ToString::to_string).collect()),
        }
    }

    pub(super) fn may_hold(&self, table: &Table) -> bool {
        self.kind.as_ref().is_none_or(|kind| *kind == table.name)
    }

    pub(super) fn select(&self, table: &Table) -> String {
        let mut sql = format!(
            "SELECT {} FROM e0.{} WHERE _row BETWEEN ? AND ?",
            columns_of(table, self.fields.as_deref()),
            quoted(&table.name)
        );
        if let Some((from, to)) = &self.span {
            let times = table.columns.iter().filter(|column| column.types.contains(&FieldType::Time));
            let names: Vec<_> = times.map(|column| quoted(&column.name)).collect();
            let within = names.iter().map(|name| format!("{name} BETWEEN '{from}' AND '{to}'"));
            // Records without any time of the host are counted, and so must be seen.
            let none = names.iter().map(|name| format!("({name} IS NULL OR {name} LIKE '% copy')"));
            let none = none.collect::<Vec<_>>().join(" AND ");
            let none = if none.is_empty() { "1".to_owned() } else { none };
            let within: String = within.map(|within| format!("{within} OR ")).collect();
            sql.push_str(&format!(" AND ({within}({none}))"));
        }
        if let Some(subject) = subject(table).filter(|_| !self.names.is_empty()) {
            let fits =
                self.names.iter().map(|name| format!("{FITS}({}, {})", text(name), quoted(&subject.name)));
            sql.push_str(&format!(" AND ({})", fits.collect::<Vec<_>>().join(" OR ")));
        }
        sql.push_str(" ORDER BY _row");
        sql
    }
}

/// The column of the subject, where it holds the text that patterns are held against.
fn subject(table: &Table) -> Option<&Column> {
    let is_text = |kind: &FieldType| match kind {
        FieldType::Text
        | FieldType::Name
        | FieldType::Path
        | FieldType::RegistryPath
        | FieldType::Sid
        | FieldType::Guid
        | FieldType::Hash
        | FieldType::Bytes => true,
        FieldType::Time | FieldType::Integer | FieldType::Size | FieldType::Flag | FieldType::List => false,
    };
    let column = table.columns.iter().find(|column| column.name == table.subject)?;
    column.types.iter().all(is_text).then_some(column)
}

fn text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
