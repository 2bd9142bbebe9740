//! Writes and forgets lessons.

use super::{Scope, Store, StoreError, TaskOf};
use crate::distilled::Distilled;
use crate::lesson::Lesson;
use crate::vocabulary::Vocabulary;
use ledger::{Digest, LessonRule};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use std::collections::BTreeSet;

/// The number of digits in a lesson's id.
const DIGITS: usize = 16;

/// What is written about a task.
struct Written {
    id: String,
    rule: i64,
    subject: Option<String>,
    /// The subject that it contradicts.
    against: Option<String>,
    body: String,
    words: String,
    tags: String,
}

impl Store {
    /// Writes what a task showed, all of it or nothing; the data is durable once this returns. Returns the number of lessons.
    ///
    /// What was written about the task before is not written again: a resumed run ends a task once.
    ///
    /// # Errors
    ///
    /// [`StoreError`]: nothing was written.
    pub fn learn(
        &self,
        of: TaskOf,
        distilled: &Distilled,
        vocabulary: &Vocabulary,
        at: i64,
    ) -> Result<usize, StoreError> {
        let lessons: Vec<Lesson> = match self.scope {
            Scope::Case => distilled.lessons.iter().map(|learned| learned.lesson.clone()).collect(),
            Scope::General => {
                let for_others = distilled.lessons.iter().filter(|learned| learned.for_others);
                for_others.filter_map(|learned| learned.lesson.generalised(vocabulary)).collect()
            }
        };
        let written = self.written(&lessons)?;
        let worked = distilled.worked.iter().map(|worked| worked.subject(self.scope == Scope::Case));
        let worked: BTreeSet<String> = worked.collect();
        let mut connection = self.connection();
        let mut learn = || -> rusqlite::Result<usize> {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if !note_task(&transaction, of, at, (written.len(), distilled.has_end))? {
                return transaction.commit().map(|()| 0);
            }
            for one in &written {
                put(&transaction, one, Origin::Task(of), at, (1, 0))?;
            }
            contradict(&transaction, &written, &worked)?;
            transaction.commit().map(|()| written.len())
        };
        learn().map_err(|source| self.fault(source))
    }

    /// Imports lessons from another memory; known lessons are counted together. Returns how many were new.
    pub(crate) fn take_over(&self, lessons: &[(Lesson, i64, u32, u32)]) -> Result<usize, StoreError> {
        let all = lessons
            .iter()
            .map(|(lesson, at, seen, contradicted)| Ok((self.of_lesson(lesson)?, *at, *seen, *contradicted)));
        let all = all.collect::<Result<Vec<_>, StoreError>>()?;
        let mut connection = self.connection();
        let mut take = || -> rusqlite::Result<usize> {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut new = 0;
            for (one, at, seen, contradicted) in &all {
                new += usize::from(put(&transaction, one, Origin::Import, *at, (*seen, *contradicted))?);
            }
            transaction.commit().map(|()| new)
        };
        take().map_err(|source| self.fault(source))
    }

    /// Forgets a lesson and overwrites its bytes. Returns whether it existed.
    ///
    /// # Errors
    ///
    /// [`StoreError`]: nothing was forgotten.
    pub fn forget(&self, id: &str) -> Result<bool, StoreError> {
        let mut connection = self.connection();
        let mut forget = || -> rusqlite::Result<bool> {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let number: Option<i64> = transaction
                .query_row("SELECT n FROM lessons WHERE id = ?1", [id], |row| row.get(0))
                .optional()?;
            if let Some(number) = number {
                transaction.execute("DELETE FROM word_index WHERE rowid = ?1", [number])?;
                transaction.execute("DELETE FROM lessons WHERE n = ?1", [number])?;
            }
            transaction.commit()?;
            empty_log(&connection)?;
            Ok(number.is_some())
        };
        forget().map_err(|source| self.fault(source))
    }

    /// Forgets everything; returns how many lessons there were.
    ///
    /// # Errors
    ///
    /// [`StoreError`]: nothing was forgotten.
    pub fn forget_all(&self) -> Result<usize, StoreError> {
        let mut connection = self.connection();
        let mut forget = || -> rusqlite::Result<usize> {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let lessons = transaction.execute("DELETE FROM lessons", [])?;
            transaction.execute("DELETE FROM word_index", [])?;
            transaction.execute("DELETE FROM tasks", [])?;
            transaction.commit()?;
            empty_log(&connection)?;
            Ok(lessons)
        };
        forget().map_err(|source| self.fault(source))
    }

    fn written(&self, lessons: &[Lesson]) -> Result<Vec<Written>, StoreError> {
        let mut known = BTreeSet::new();
        let mut all = Vec::new();
        for lesson in lessons {
            let one = self.of_lesson(lesson)?;
            // For other cases, several calls of one form are one lesson.
            if known.insert(one.id.clone()) {
                all.push(one);
            }
        }
        Ok(all)
    }

    fn of_lesson(&self, lesson: &Lesson) -> Result<Written, StoreError> {
        let joined =
            |words: &BTreeSet<String>| words.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
        let rule = match lesson.outcome.rule() {
            None => 0,
            Some(LessonRule::MustNot) => 1,
            Some(LessonRule::ShouldPrefer) => 2,
        };
        Ok(Written {
            id: id(self.scope, lesson.key()),
            rule,
            subject: lesson.subject(),
            against: lesson.against(),
            body: serde_json::to_string(lesson).map_err(StoreError::Lesson)?,
            words: joined(&lesson.words),
            tags: joined(&lesson.tags()),
        })
    }
}

enum Origin {
    Task(TaskOf),
    Import,
}

fn id(scope: Scope, key: Digest) -> String {
    let digits: String = key.to_string().chars().filter(char::is_ascii_hexdigit).take(DIGITS).collect();
    format!("{}-{digits}", scope.letter())
}

/// Notes that a task's lessons are written; returns `false` if they were already.
/// An interrupted task can end later, and is then written again.
fn note_task(
    transaction: &Transaction<'_>,
    of: TaskOf,
    at: i64,
    (lessons, has_end): (usize, bool),
) -> rusqlite::Result<bool> {
    let lessons = i64::try_from(lessons).unwrap_or(i64::MAX);
    let noted = transaction.execute(
        "INSERT INTO tasks (run, task, at, lessons, has_end) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET at = ?3, lessons = ?4, has_end = ?5 WHERE has_end < ?5",
        params![of.run.as_bytes(), of.task.0, at, lessons, has_end],
    )?;
    Ok(noted > 0)
}

/// Writes a lesson, or counts it again with its present content; returns whether it is new.
fn put(
    transaction: &Transaction<'_>,
    one: &Written,
    origin: Origin,
    at: i64,
    (seen, contradicted): (u32, u32),
) -> rusqlite::Result<bool> {
    let known: Option<i64> = transaction
        .query_row("SELECT n FROM lessons WHERE id = ?1", [&one.id], |row| row.get(0))
        .optional()?;
    if let Some(number) = known {
        transaction.execute(
            "UPDATE lessons SET body = ?2, last = max(last, ?3), seen = seen + ?4, contradicted = contradicted + ?5 WHERE n = ?1",
            params![number, one.body, at, seen, contradicted],
        )?;
        transaction.execute("DELETE FROM word_index WHERE rowid = ?1", [number])?;
        transaction.execute(
            "INSERT INTO word_index (rowid, words, tags) VALUES (?1, ?2, ?3)",
            params![number, one.words, one.tags],
        )?;
        return Ok(false);
    }
    let (run, task): (&[u8], u16) = match &origin {
        Origin::Task(of) => (of.run.as_bytes(), of.task.0),
        Origin::Import => (&[], 0),
    };
    transaction.execute(
        "INSERT INTO lessons (id, rule, subject, body, first, last, seen, contradicted, run, task)
         VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?9)",
        params![one.id, one.rule, one.subject, one.body, at, seen, contradicted, run, task],
    )?;
    transaction.execute(
        "INSERT INTO word_index (rowid, words, tags) VALUES (?1, ?2, ?3)",
        params![transaction.last_insert_rowid(), one.words, one.tags],
    )?;
    Ok(true)
}

/// Reduces the weight of earlier lessons whose opposite this task shows.
///
/// A working call contradicts a lesson that says it fails; a failed call contradicts a lesson that says it works.
fn contradict(
    transaction: &Transaction<'_>,
    written: &[Written],
    worked: &BTreeSet<String>,
) -> rusqlite::Result<()> {
    let own: BTreeSet<&str> = written.iter().map(|one| one.id.as_str()).collect();
    let failed = written.iter().filter(|one| one.rule == 1).filter_map(|one| one.against.as_ref());
    let against = worked.iter().map(|subject| (subject, 1)).chain(failed.map(|subject| (subject, 2)));
    let against: BTreeSet<(&String, i64)> = against.collect();
    for (subject, rule) in against {
        let mut known =
            transaction.prepare_cached("SELECT n, id FROM lessons WHERE subject = ?1 AND rule = ?2")?;
        let rows = known
            .query_map(params![subject, rule], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
        let rows = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        for (number, _) in rows.into_iter().filter(|(_, id)| !own.contains(id.as_str())) {
            transaction
                .execute("UPDATE lessons SET contradicted = contradicted + 1 WHERE n = ?1", [number])?;
        }
    }
    Ok(())
}

/// Folds the log into the file: the log must not keep forgotten data.
fn empty_log(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}
