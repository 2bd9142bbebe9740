//! Use case: rows of case tables that name an entity of a run, for whoever asks beyond what was recorded.
//!
//! They are rows and no facts: no claim was made of them, and nobody judged one.

use crate::tables::{CaseTables, TablesError};
use graph::connections::{Connections, EntityKind, EntityRef};
use ledger::FieldType;
use std::collections::BTreeSet;
use tools::{Cell, Column, Table};

/// The most names of one entity that are looked for.
const NAMES: usize = 8;

/// The shortest text that is looked for within others; a shorter one has to be the whole value.
const WITHIN: usize = 5;

/// The most tables that one statement counts.
const AT_ONCE: usize = 40;

/// A row that names an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamingRow {
    /// The table, which is the type of the record.
    pub table: String,
    /// The row's number in it.
    pub row: i64,
    /// The piece of evidence.
    pub evidence: String,
    /// The file.
    pub path: String,
    /// What the row is about.
    pub subject: String,
}

/// The rows of case tables that name an entity.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamingRows {
    /// The patterns that were looked for, as SQL's LIKE has them.
    pub patterns: Vec<String>,
    /// Each table with such rows, and how many it has.
    pub counts: Vec<(String, u64)>,
    /// The first of them, in the order of tables and rows.
    pub rows: Vec<NamingRow>,
}

/// Looks for an entity by its names in every column of text of every table; gives at most `most` rows.
///
/// # Errors
///
/// Where tables cannot be made, or the worker does not answer.
pub fn rows_naming(
    tables: &CaseTables,
    of: &Connections,
    entity: EntityRef,
    most: usize,
) -> Result<NamingRows, TablesError> {
    let patterns = patterns(of, entity);
    let mut found = NamingRows { patterns, ..NamingRows::default() };
    if found.patterns.is_empty() {
        return Ok(found);
    }
    let looked: Vec<(&Table, String)> = tools::tables()
        .iter()
        .filter_map(|table| Some((table, condition(table, &found.patterns)?)))
        .collect();
    for some in looked.chunks(AT_ONCE) {
        let counts: Vec<String> = some
            .iter()
            .map(|(table, fits)| format!("SELECT '{0}', count(*) FROM \"{0}\" WHERE {fits}", table.name))
            .collect();
        for row in tables.ask(&counts.join(" UNION ALL "), usize::MAX)?.rows {
            if let [Cell::Text(table), Cell::Integer(number)] = row.as_slice()
                && let Some(number) = u64::try_from(*number).ok().filter(|number| *number > 0)
            {
                found.counts.push((table.clone(), number));
            }
        }
    }
    for (name, _) in found.counts.clone() {
        let left = most.saturating_sub(found.rows.len());
        let Some((table, fits)) = looked.iter().find(|(table, _)| table.name == name).filter(|_| left > 0)
        else {
            continue;
        };
        let sql = format!(
            "SELECT _row, _evidence, _path, \"{}\" FROM \"{name}\" WHERE {fits} ORDER BY _evidence, _row LIMIT {left}",
            table.subject
        );
        found.rows.extend(tables.ask(&sql, left)?.rows.iter().filter_map(|row| naming(&name, row)));
    }
    Ok(found)
}

fn naming(table: &str, row: &[Cell]) -> Option<NamingRow> {
    let [Cell::Integer(number), Cell::Text(evidence), Cell::Text(path), subject] = row else { return None };
    let subject = match subject {
        Cell::Text(text) => text.clone(),
        Cell::Integer(number) => number.to_string(),
        Cell::Real(number) => number.to_string(),
        Cell::Null => String::new(),
    };
    Some(NamingRow {
        table: table.to_owned(),
        row: *number,
        evidence: evidence.clone(),
        path: path.clone(),
        subject,
    })
}

/// What the names of an entity look like in a column.
fn patterns(of: &Connections, entity: EntityRef) -> Vec<String> {
    let (_, key, is_strong) = of.key(entity);
    let names: BTreeSet<&str> = of.names(entity).map(|(name, _)| name).chain([of.title(entity)]).collect();
    let mut patterns = BTreeSet::new();
    match of.kind(entity) {
        EntityKind::Program | EntityKind::File | EntityKind::Process => {
            patterns.extend(names.into_iter().take(NAMES).flat_map(of_path));
        }
        EntityKind::Account => {
            let sid = Some(key).filter(|key| is_strong && key.starts_with("S-1-"));
            patterns.extend(sid.map(|sid| format!("%{}%", literal(sid))));
            let last = |name: &str| name.rsplit('\\').next().unwrap_or(name).to_owned();
            let short = names.into_iter().take(NAMES).map(last).filter(|name| !name.is_empty());
            for name in short.filter(|name| !name.starts_with("S-1-")) {
                patterns.extend([literal(&name), format!("%\\{}", literal(&name))]);
            }
        }
        _ => {
            let long = names.into_iter().take(NAMES).filter(|name| !name.trim().is_empty());
            patterns.extend(long.map(|name| match name.len() >= WITHIN {
                true => format!("%{}%", literal(name)),
                false => literal(name),
            }));
        }
    }
    patterns.into_iter().take(NAMES).collect()
}

/// The end of a path, in whichever way its parts are separated: a name with its folder, where it has one.
fn of_path(path: &str) -> Vec<String> {
    let parts: Vec<&str> = path.split(['\\', '/']).filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        [] => Vec::new(),
        [name] => vec![literal(name), format!("%\\{}", literal(name)), format!("%/{}", literal(name))],
        [.., folder, name] => vec![format!("%{}_{}", literal(folder), literal(name))],
    }
}

/// A text as a pattern that fits it alone; `!` escapes.
fn literal(text: &str) -> String {
    text.replace('!', "!!").replace('%', "!%").replace('_', "!_")
}

/// The condition that a column of text of a table fits a pattern; `None` where it has no such column.
fn condition(table: &Table, patterns: &[String]) -> Option<String> {
    let is_text = |column: &&Column| {
        column.types.iter().any(|kind| {
            matches!(
                kind,
                FieldType::Text
                    | FieldType::Name
                    | FieldType::Path
                    | FieldType::RegistryPath
                    | FieldType::Sid
                    | FieldType::Guid
                    | FieldType::Hash
                    | FieldType::List
            )
        })
    };
    let fits: Vec<String> = table
        .columns
        .iter()
        .filter(is_text)
        .flat_map(|column| {
            let fits = |pattern: &String| {
                format!("\"{}\" LIKE '{}' ESCAPE '!'", column.name, pattern.replace('\'', "''"))
            };
            patterns.iter().map(fits)
        })
        .collect();
    (!fits.is_empty()).then(|| fits.join(" OR "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_looked_for_by_its_folder_and_name_however_its_parts_are_separated() {
        assert_eq!(of_path(r"C:\ProgramData\Scan_1\svchost.exe"), ["%Scan!_1_svchost.exe"]);
        assert_eq!(of_path("p1/ProgramData/x.exe"), ["%ProgramData_x.exe"]);
        assert_eq!(of_path("100%.exe"), ["100!%.exe", r"%\100!%.exe", "%/100!%.exe"]);
    }

    #[test]
    fn what_a_name_holds_ends_no_text_of_a_statement() {
        let table = tools::tables().iter().find(|table| table.name == "service").unwrap();
        let condition = condition(table, &["x' OR 1=1 --".to_owned()]).unwrap();
        assert!(condition.contains("'x'' OR 1=1 --'"), "{condition}");
    }
}
