//! A store of lessons: one SQLite file with an index of words.
//!
//! What a task showed is written in one transaction, and is durable once that returned. Several processes can write at once.
//! A file may have been damaged or made by somebody else: columns are read by their type, texts within bounds, and what does not read is passed over.

mod open;
mod read;
#[cfg(test)]
mod tests;
mod write;

use crate::lesson::Lesson;
use ledger::{Digest, TaskId};
use rusqlite::Connection;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use thiserror::Error;

/// Whose lessons a store holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Of all cases: closed fields and shipped words.
    General,
    /// Of one piece of evidence.
    Case,
}

impl Scope {
    /// What ids of its lessons begin with.
    const fn letter(self) -> char {
        match self {
            Scope::General => 'g',
            Scope::Case => 'c',
        }
    }
}

/// Why a store cannot be used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Its file or folder cannot be made or opened.
    #[error("open the memory {}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// SQLite cannot do what is asked of it.
    #[error("use the memory {}", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        #[source]
        source: rusqlite::Error,
    },
    /// It is a database of something else.
    #[error("open the memory {}: expected a memory of Locard, found another database", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A newer version made it.
    #[error("open the memory {}: expected version {known} or older, found {found}: a newer Locard made it", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest that this version reads.
        known: i64,
    },
    /// A lesson cannot be written as JSON.
    #[error("write a lesson")]
    Lesson(#[source] serde_json::Error),
}

/// A store of lessons.
#[derive(Debug)]
pub struct Store {
    scope: Scope,
    file: PathBuf,
    connection: Mutex<Connection>,
}

/// The task that lessons come from: the run by a digest alone, for its name holds words of its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskOf {
    /// A digest of the run's name and of when it began.
    pub run: Digest,
    /// The task.
    pub task: TaskId,
}

/// Where a lesson comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// The digest of the run, shortened; empty for an imported lesson.
    pub run: String,
    /// The number of the task.
    pub task: u16,
}

/// A lesson as it stands in a store.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kept {
    /// Its id.
    pub id: String,
    /// The store.
    pub scope: Scope,
    /// The lesson.
    pub lesson: Lesson,
    /// When it was learned first, in seconds since 1970.
    pub first: i64,
    /// When it was learned last.
    pub last: i64,
    /// In how many tasks.
    pub seen: u32,
    /// In how many tasks the opposite was.
    pub contradicted: u32,
    /// The task that it was learned in first.
    pub origin: Origin,
}

impl Kept {
    /// What share of what is known speaks for it, from 0 to 1: a task against it counts twice.
    pub fn weight(&self) -> f64 {
        let (pro, con) = (f64::from(self.seen), f64::from(self.contradicted));
        if pro + con == 0.0 { 0.0 } else { pro / (pro + 2.0 * con) }
    }
}

/// A lesson that words were found in.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The lesson.
    pub kept: Kept,
    /// How well the words fit (BM25); more is better.
    pub fit: f64,
}

impl Store {
    /// Its file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Whose lessons it holds.
    pub const fn scope(&self) -> Scope {
        self.scope
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fault(&self, source: rusqlite::Error) -> StoreError {
        StoreError::Sqlite { path: self.file.clone(), source }
    }
}
