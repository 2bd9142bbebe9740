//! Use case: find rows of case tables that name an entity of a run, beyond what the run recorded.
//!
//! They are rows, not facts: no claim was made about them, and none was judged.

use crate::tables::{CaseTables, TablesError};
use graph::connections::{Connections, EntityKind, EntityRef};
use ledger::FieldType;
use std::collections::BTreeSet;
use tools::{Cell, Column, Table};

/// The most patterns that are searched for one entity.
const PATTERNS: usize = 64;

/// The length in bytes from which a name is also searched within longer texts; a shorter name must be the whole value.
const WITHIN: usize = 5;

/// The most tables that one statement counts.
const AT_ONCE: usize = 40;

/// The longest GLOB pattern that is used, in bytes.
const LONGEST_PATTERN: usize = 1000;

/// The most bytes of the conditions of one statement, well below the limit of a statement.
const LONGEST: usize = 32 * 1024;

/// A row that names an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamingRow {
    /// The name of the table, which is the record type.
    pub table: String,
    /// The number of the row in the table.
    pub row: i64,
    /// The label of the evidence.
    pub evidence: String,
    /// The path of the file.
    pub path: String,
    /// The subject of the row.
    pub subject: String,
}

/// The rows of case tables that name an entity.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamingRows {
    /// The patterns that were searched, in SQL GLOB syntax.
    pub patterns: Vec<String>,
    /// The tables with such rows, each with its number of rows.
    pub counts: Vec<(String, u64)>,
    /// The first rows, in the order of tables and rows.
    pub rows: Vec<NamingRow>,
}

/// Searches for an entity by its names in every text column of every table; returns at most `most` rows.
///
/// # Errors
///
/// Fails if the tables cannot be made, or the worker does not answer.
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
    let condition = condition(&found.patterns);
    let looked: Vec<(&Table, String)> =
        tools::tables().iter().filter_map(|table| Some((table, texts(table)?))).collect();
    let at_once = (LONGEST / condition.len().max(1)).clamp(1, AT_ONCE);
    for some in looked.chunks(at_once) {
        let counts: Vec<String> = some
            .iter()
            .map(|(table, texts)| {
                let name = &table.name;
                format!("SELECT '{name}', count(*) FROM (SELECT {texts} AS texts FROM \"{name}\") WHERE {condition}")
            })
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
        let Some((table, texts)) = looked.iter().find(|(table, _)| table.name == name).filter(|_| left > 0)
        else {
            continue;
        };
        let sql = format!(
            "SELECT _row, _evidence, _path, subject FROM (SELECT _row, _evidence, _path, \"{}\" AS subject, {texts} AS texts FROM \"{name}\") \
             WHERE {condition} ORDER BY _evidence, _row LIMIT {left}",
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

/// Returns GLOB patterns, in lower case, that match the names of an entity in
/// the joined texts of a row, in which a line break ends each text.
fn patterns(of: &Connections, entity: EntityRef) -> Vec<String> {
    let (_, key, is_strong) = of.key(entity);
    let names: BTreeSet<&str> = of.names(entity).map(|(name, _)| name).chain([of.title(entity)]).collect();
    let mut patterns = BTreeSet::new();
    match of.kind(entity) {
        EntityKind::Program | EntityKind::File | EntityKind::Process => {
            patterns.extend(names.into_iter().filter_map(of_path));
        }
        EntityKind::Account => {
            let sid = Some(key).filter(|key| is_strong && key.starts_with("S-1-"));
            patterns.extend(sid.map(word));
            let last = |name: &str| name.rsplit('\\').next().unwrap_or(name).to_owned();
            let short = names.into_iter().map(last).filter(|name| !name.is_empty());
            for name in short.filter(|name| !name.starts_with("S-1-")) {
                patterns.extend([whole(&name), format!("*\\{}\n*", literal(&name))]);
            }
        }
        _ => {
            let named = names.into_iter().filter(|name| !name.trim().is_empty());
            patterns.extend(named.map(|name| if name.len() >= WITHIN { word(name) } else { whole(name) }));
        }
    }
    // A NUL would end the statement, and SQLite limits the length of a pattern.
    let is_taken = |pattern: &String| !pattern.contains('\0') && pattern.len() <= LONGEST_PATTERN;
    patterns.into_iter().filter(is_taken).take(PATTERNS).collect()
}

/// Matches a character next to a name; any other character would make it part of a longer name.
const OF_NAMES: &str = "[^a-z0-9._\u{80}-\u{10ffff}-]";

/// Matches a text that is a whole value.
fn whole(text: &str) -> String {
    format!("*\n{}\n*", literal(text))
}

/// Matches a text within others, but not within a longer word.
fn word(text: &str) -> String {
    format!("*{OF_NAMES}{}{OF_NAMES}*", literal(text))
}

/// Matches a path below its volume, with any separators and any text before and
/// after it, such as the rest of a command line; a bare name also matches.
fn of_path(path: &str) -> Option<String> {
    let path = path.trim().trim_matches('"');
    // The drive or the root of the evidence may have another name elsewhere.
    let below = path.split_once(':').filter(|(drive, _)| drive.len() == 1).map_or(path, |(_, below)| below);
    let parts: Vec<String> = below.split(['\\', '/']).filter(|part| !part.is_empty()).map(literal).collect();
    let parts = match parts.as_slice() {
        [root, rest @ ..] if path.contains('/') && !rest.is_empty() && is_root(root) => rest,
        all => all,
    };
    (!parts.is_empty()).then(|| format!("*{OF_NAMES}{}{OF_NAMES}*", parts.join("[\\/]")))
}

/// Whether a part of a path is the root of a drive, as it appears in evidence.
fn is_root(part: &str) -> bool {
    let letter = |text: &str| text.len() == 1 && text.bytes().all(|byte| byte.is_ascii_lowercase());
    let partition = part
        .strip_prefix('p')
        .is_some_and(|rest| rest.len() <= 2 && rest.bytes().all(|c| c.is_ascii_digit()));
    partition || letter(part.trim_end_matches("%3a").trim_end_matches(':'))
}

/// Escapes a text so that the pattern matches it literally; in lower case as far as SQLite's `lower` goes, that is ASCII.
fn literal(text: &str) -> String {
    let mut pattern = String::new();
    for letter in text.chars() {
        match letter {
            '*' | '?' | '[' => pattern.extend(['[', letter, ']']),
            _ => pattern.push(letter.to_ascii_lowercase()),
        }
    }
    pattern
}

/// Returns an SQL expression for all texts of a row, in lower case, with a line
/// break before and after each; `None` if the table has no text column.
fn texts(table: &Table) -> Option<String> {
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
    let columns: Vec<String> =
        table.columns.iter().filter(is_text).map(|column| format!("\"{}\"", column.name)).collect();
    (!columns.is_empty()).then(|| format!("lower(concat_ws(char(10), '', {}, ''))", columns.join(", ")))
}

/// Returns an SQL condition: the texts of a row match one of the patterns.
fn condition(patterns: &[String]) -> String {
    let fits = patterns.iter().map(|pattern| format!("texts GLOB '{}'", pattern.replace('\'', "''")));
    fits.collect::<Vec<_>>().join(" OR ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_looked_for_below_its_volume_however_its_parts_are_separated() {
        let pattern = |rest: &str| Some(format!("*{OF_NAMES}{rest}{OF_NAMES}*"));
        assert_eq!(
            of_path(r"C:\ProgramData\Scan_1\svchost.exe"),
            pattern(r"programdata[\/]scan_1[\/]svchost.exe")
        );
        assert_eq!(of_path("p1/ProgramData/x.exe"), pattern(r"programdata[\/]x.exe"));
        assert_eq!(of_path("C%3A/ProgramData/x.exe"), pattern(r"programdata[\/]x.exe"));
        assert_eq!(of_path("a[1]*.exe"), pattern("a[[]1][*].exe"));
        assert_eq!(of_path(r"\"), None);
    }

    #[test]
    fn what_a_name_holds_ends_no_text_of_a_statement() {
        assert_eq!(condition(&["x' OR 1=1 --".to_owned()]), "texts GLOB 'x'' OR 1=1 --'");
    }
}
