//! Looks: the SQL statements that search for the rows that can answer.

use crate::question::{Name, Question};
use crate::topic::Source;
use crate::world::World;
use std::fmt::Write;

/// The most rows that one look returns.
pub const MOST: usize = 20_000;

/// A statement over one table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// The place of the reading that it is for.
    pub reading: usize,
    /// The place of the source in its topic.
    pub source: usize,
    /// The table.
    pub record: String,
    /// The statement.
    pub sql: String,
}

/// Returns the statements for all readings of a question.
pub fn looks(question: &Question, world: &World) -> Vec<Look> {
    let mut looks = Vec::new();
    for (reading, of) in question.readings.iter().enumerate() {
        for (source, from) in of.topic.sources.iter().enumerate() {
            if !of.asks(from) {
                continue;
            }
            let sql = statement(from, &of.names, question, world);
            looks.push(Look { reading, source, record: from.record.clone(), sql });
        }
    }
    looks
}

fn statement(source: &Source, names: &[Name], question: &Question, world: &World) -> String {
    let mut conditions: Vec<String> = source.only.iter().map(|only| format!("({only})")).collect();
    if source.large {
        conditions.extend(narrowed(source, names, world));
        conditions.extend(spanned(source, question));
    }
    let mut sql = format!("SELECT * FROM \"{}\"", source.record);
    if !conditions.is_empty() {
        // Writing to a text cannot fail.
        let _ = write!(sql, " WHERE {}", conditions.join(" AND "));
    }
    sql
}

/// Narrows a statement to rows that may hold one of the names. Accounts and hosts are left to the decision, which sees the whole row.
fn narrowed(source: &Source, names: &[Name], world: &World) -> Option<String> {
    let is_known = |name: &&Name| !crate::matching::is_of_world(name, world);
    let words: Vec<String> = names.iter().filter(is_known).flat_map(longest).collect();
    if words.is_empty() {
        return None;
    }
    let mut arms = Vec::new();
    let mut fields: Vec<&String> = source.searched().collect();
    fields.sort();
    fields.dedup();
    for word in &words {
        arms.extend(fields.iter().map(|field| format!("\"{field}\" LIKE '%{word}%'")));
    }
    Some(format!("({})", arms.join(" OR ")))
}

/// Returns the longest run of letters and digits of each spelling. A field must hold it, however the rest is written.
fn longest(name: &Name) -> Vec<String> {
    let all = name.spellings.iter().chain(&name.parts);
    let runs = all.filter_map(|text| {
        let last = text.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(text);
        last.split(|it: char| !it.is_ascii_alphanumeric()).max_by_key(|run| run.len()).map(str::to_owned)
    });
    runs.filter(|run| run.len() > 1).collect()
}

/// Narrows a statement to rows with a time in the span.
fn spanned(source: &Source, question: &Question) -> Option<String> {
    let span = question.span.as_ref()?;
    let arms = source.time.iter().map(|field| {
        let mut bounds = vec![format!("\"{field}\" IS NOT NULL")];
        bounds.extend(span.from.iter().map(|from| format!("\"{field}\" >= '{from}'")));
        // `~` sorts after every character of a time.
        bounds.extend(span.to.iter().map(|to| format!("\"{field}\" <= '{to}~'")));
        format!("({})", bounds.join(" AND "))
    });
    let arms: Vec<String> = arms.collect();
    (!arms.is_empty()).then(|| format!("({})", arms.join(" OR ")))
}
