//! Reads lessons: all of them, one, or those that match words.

use super::{Found, Kept, Origin, Store, StoreError};
use crate::lesson::Lesson;
use ledger::Digest;
use rusqlite::{OptionalExtension, Row};
use std::collections::BTreeSet;

/// The most bytes of a lesson that are read: this version writes at most a tenth of that.
const LONGEST: usize = 64 << 10;
/// The most lessons in one search result.
const MOST_FOUND: usize = 200;

const COLUMNS: &str = "id, body, first, last, seen, contradicted, run, task";

impl Store {
    /// Returns all lessons, latest first.
    ///
    /// # Errors
    ///
    /// [`StoreError`]: the file cannot be read.
    pub fn all(&self) -> Result<Vec<Kept>, StoreError> {
        let connection = self.connection();
        let read = || -> rusqlite::Result<Vec<Kept>> {
            let mut statement =
                connection.prepare(&format!("SELECT {COLUMNS} FROM lessons ORDER BY last DESC, id"))?;
            let rows = statement.query_map([], |row| Ok(self.kept(row)))?;
            Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?.into_iter().flatten().collect())
        };
        read().map_err(|source| self.fault(source))
    }

    /// Returns the lesson with this id.
    ///
    /// # Errors
    ///
    /// As for [`Store::all`].
    pub fn one(&self, id: &str) -> Result<Option<Kept>, StoreError> {
        let connection = self.connection();
        let found =
            connection
                .query_row(&format!("SELECT {COLUMNS} FROM lessons WHERE id = ?1"), [id], |row| {
                    Ok(self.kept(row))
                })
                .optional();
        found.map(Option::flatten).map_err(|source| self.fault(source))
    }

    /// Returns lessons whose questions contain one of these words, best first; with `tags`, the other words count, too.
    ///
    /// # Errors
    ///
    /// As for [`Store::all`].
    pub fn find(&self, words: &BTreeSet<String>, tags: bool) -> Result<Vec<Found>, StoreError> {
        // Words contain only letters and digits, so none can end the quotation.
        let quoted: Vec<String> = words.iter().map(|word| format!("\"{}\"", word.replace('"', ""))).collect();
        if quoted.is_empty() {
            return Ok(Vec::new());
        }
        let any = quoted.join(" OR ");
        let asked = if tags { any } else { format!("words : ({any})") };
        let connection = self.connection();
        let read = || -> rusqlite::Result<Vec<Found>> {
            let sql = format!(
                "SELECT {COLUMNS}, bm25(word_index) FROM word_index JOIN lessons ON lessons.n = word_index.rowid
                 WHERE word_index MATCH ?1 ORDER BY bm25(word_index), last DESC, id LIMIT {MOST_FOUND}"
            );
            let mut statement = connection.prepare(&sql)?;
            let rows = statement.query_map([asked], |row| {
                // SQLite gives lower numbers for better matches.
                let fit = row.get::<_, f64>(8).map_or(0.0, |rank| -rank);
                Ok(self.kept(row).map(|kept| Found { kept, fit }))
            })?;
            Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?.into_iter().flatten().collect())
        };
        read().map_err(|source| self.fault(source))
    }

    /// Returns the tasks that have written here, each with the number of lessons it wrote.
    ///
    /// # Errors
    ///
    /// As for [`Store::all`].
    pub fn tasks(&self) -> Result<Vec<(String, u16, u32)>, StoreError> {
        let connection = self.connection();
        let read = || -> rusqlite::Result<Vec<(String, u16, u32)>> {
            let mut statement =
                connection.prepare("SELECT run, task, lessons FROM tasks ORDER BY at, run, task")?;
            let rows = statement.query_map([], |row| {
                Ok((short(&row.get::<_, Vec<u8>>(0)?), row.get::<_, u16>(1)?, row.get::<_, u32>(2)?))
            })?;
            rows.collect()
        };
        read().map_err(|source| self.fault(source))
    }

    /// Reads a row as a lesson; `None` if it is not one, because somebody else may have written the file.
    fn kept(&self, row: &Row<'_>) -> Option<Kept> {
        let body: String = row.get(1).ok().filter(|body: &String| body.len() <= LONGEST)?;
        let lesson: Lesson = serde_json::from_str(&body).ok()?;
        let id: String = row.get(0).ok().filter(|id: &String| is_id(id))?;
        let run: Vec<u8> = row.get(6).ok()?;
        Some(Kept {
            id,
            scope: self.scope,
            lesson,
            first: row.get(2).ok()?,
            last: row.get(3).ok()?,
            seen: row.get(4).ok()?,
            contradicted: row.get(5).ok()?,
            origin: Origin { run: short(&run), task: row.get(7).ok()? },
        })
    }
}

fn is_id(id: &str) -> bool {
    id.len() <= 24 && id.chars().all(|letter| letter.is_ascii_hexdigit() || matches!(letter, 'g' | '-'))
}

fn short(run: &[u8]) -> String {
    let digest: Option<[u8; 32]> = run.try_into().ok();
    digest.map(|bytes| Digest::from_bytes(bytes).short()).unwrap_or_default()
}
