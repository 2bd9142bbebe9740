//! Lessons as lines of JSON, to be carried to another memory.
//!
//! Only general lessons are carried: what is of one case stays with it.
//! A file that is imported may be anybody's: each line is read by the same schema, within bounds, and what is not shipped is dropped.

use crate::lesson::Lesson;
use crate::store::{Kept, Scope, Store, StoreError};
use crate::vocabulary::Vocabulary;
use serde::{Deserialize, Serialize};

/// The most bytes of a line.
const LONGEST: usize = 64 << 10;
/// The most lines of a file.
const MOST: usize = 100_000;
/// The most tasks that a line can say to stand for: one file must not outweigh all runs here.
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

/// What came of importing a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Imported {
    /// Lessons that were not known.
    pub new: usize,
    /// Lessons that were known, and count for more now.
    pub known: usize,
    /// The numbers of lines that are no lessons, from 1, the first of them.
    pub refused: Vec<usize>,
    /// How many lines are no lessons.
    pub refusals: usize,
}

/// The lines of refused lessons that are told.
const TOLD: usize = 20;

/// The general lessons of a store, a line each; the same lessons give the same bytes.
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

/// Takes the lessons of exported lines into a general store, all that are lessons or nothing.
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
    // Of the future nothing was learned.
    Some((lesson, line.last.clamp(0, now), line.seen.clamp(1, MOST_SEEN), line.contradicted.min(MOST_SEEN)))
}
