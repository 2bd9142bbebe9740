//! A store of lessons: one SQLite file with a word index.
//!
//! The lessons of a task are written in one transaction, which is durable once the call returns.
//! Several processes can write at the same time.
//! A file may be damaged, or made by somebody else: columns are read by type, texts within bounds, and anything unreadable is skipped.

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

/// Which lessons a store holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Lessons for all cases: closed fields and shipped words.
    General,
    /// Lessons of one piece of evidence.
    Case,
}

impl Scope {
    /// Returns the first letter of its lesson ids.
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
        /// The system's error.
        #[source]
        source: std::io::Error,
    },
    /// An SQLite operation failed.
    #[error("use the memory {}", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// The SQLite error.
        #[source]
        source: rusqlite::Error,
    },
    /// It is some other database.
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

/// The task that lessons come from; the run is only a digest, because its name contains words of its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskOf {
    /// A digest of the run's name and start time.
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

/// A lesson as kept in a store.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kept {
    /// Its id.
    pub id: String,
    /// The store.
    pub scope: Scope,
    /// The lesson.
    pub lesson: Lesson,
    /// When it was first learned, in seconds since 1970.
    pub first: i64,
    /// When it was last learned.
    pub last: i64,
    /// The number of tasks in which it was learned.
    pub seen: u32,
    /// The number of tasks in which the opposite was learned.
    pub contradicted: u32,
    /// The task in which it was first learned.
    pub origin: Origin,
}

impl Kept {
    /// Returns the share of tasks that support it, from 0 to 1: a task against it counts twice.
    pub fn weight(&self) -> f64 {
        let (pro, con) = (f64::from(self.seen), f64::from(self.contradicted));
        if pro + con == 0.0 { 0.0 } else { pro / (pro + 2.0 * con) }
    }
}

/// A lesson that matches searched words.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The lesson.
    pub kept: Kept,
    /// How well the words match (BM25); higher is better.
    pub fit: f64,
}

impl Store {
    /// Returns its file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns which lessons it holds.
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
