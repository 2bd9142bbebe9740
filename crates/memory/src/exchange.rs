//! Lessons as lines of JSON, for transfer to another memory.
//!
//! Only general lessons are transferred: lessons from one case stay with it.
//! Anyone could have made an imported file: each line is read by the same schema, within bounds, and names that are not shipped are dropped.

use crate::lesson::Lesson;
use crate::store::{Kept, Scope, Store, StoreError};
use crate::vocabulary::Vocabulary;
use serde::{Deserialize, Serialize};

/// The most bytes of a line.
const LONGEST: usize = 64 << 10;
/// The most lines of a file.
const MOST: usize = 100_000;
/// The most tasks that a line may claim to stand for: one file must not outweigh all local runs.
const MOST_SEEN: u32 = 100;

/// A line of an exported file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// The format.
    locard_lesson: u32,
    lesson: Lesson,
    last: i64,
    seen: u32,
    contradicted: u32,
}

/// The result of importing a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Imported {
    /// Lessons that were not known.
    pub new: usize,
    /// Lessons that were already known, and now count for more.
    pub known: usize,
    /// The line numbers, from 1, of lines that are not lessons; only the first ones.
    pub refused: Vec<usize>,
    /// How many lines are not lessons.
    pub refusals: usize,
}

/// The most line numbers of refused lessons that are reported.
const TOLD: usize = 20;

/// Writes the general lessons of a store, one a line; the same lessons give the same bytes.
///
/// # Errors
///
/// [`StoreError`]: the store cannot be read.
pub fn export(store: &Store) -> Result<String, StoreError> {
    let mut kept: Vec<Kept> = if store.scope() == Scope::General { store.all()? } else { Vec::new() };
    kept.sort_by(|one, other| one.id.cmp(&other.id));
    let mut out = String::new();
    for Kept { lesson, last, seen, contradicted, .. } in kept {
        let line = Line { locard_lesson: 1, lesson, last, seen, contradicted };
        out.push_str(&serde_json::to_string(&line).map_err(StoreError::Lesson)?);
        out.push('\n');
    }
    Ok(out)
}

/// Imports lessons from exported lines into a general store, in one transaction.
///
/// # Errors
///
/// [`StoreError`]: nothing was taken over.
pub fn import(store: &Store, text: &[u8], vocabulary: &Vocabulary, now: i64) -> Result<Imported, StoreError> {
    let (mut imported, mut lessons) = (Imported::default(), Vec::new());
    let lines = text.split(|byte| *byte == b'\n').enumerate();
    for (number, line) in lines.filter(|(_, line)| !line.trim_ascii().is_empty()) {
        let lesson = if lessons.len() < MOST { read(line, vocabulary, now) } else { None };
        match lesson {
            Some(lesson) => lessons.push(lesson),
            None => {
                imported.refusals += 1;
                if imported.refused.len() < TOLD {
                    imported.refused.push(number + 1);
                }
            }
        }
    }
    imported.new = store.take_over(&lessons)?;
    imported.known = lessons.len() - imported.new;
    Ok(imported)
}

fn read(line: &[u8], vocabulary: &Vocabulary, now: i64) -> Option<(Lesson, i64, u32, u32)> {
    let line: Line = serde_json::from_slice(line.get(..line.len().min(LONGEST + 1))?)
        .ok()
        .filter(|_| line.len() <= LONGEST)?;
    let lesson = line.lesson.generalised(vocabulary).filter(|_| line.locard_lesson == 1)?;
    // Nothing can have been learned in the future.
    Some((lesson, line.last.clamp(0, now), line.seen.clamp(1, MOST_SEEN), line.contradicted.min(MOST_SEEN)))
}
