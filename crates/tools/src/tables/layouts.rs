//! Layouts: where in a record the bytes of its fields are. Most records of a type share a few layouts.

use super::error::{TableError, sqlite};
use rusqlite::types::{ToSqlOutput, Value};
use rusqlite::{Connection, params};
use std::collections::HashMap;

/// The most numbered layouts: a hostile file must not fill the memory.
const MOST: usize = 50_000;

/// The layouts of tables being made, with their numbers.
#[derive(Default)]
pub(super) struct Layouts(HashMap<String, i64>);

impl Layouts {
    /// Returns the content of `_places`: the number of the layout, or the layout itself if there are too many.
    pub(super) fn cell(&mut self, layout: String) -> ToSqlOutput<'static> {
        let next = i64::try_from(self.0.len() + 1).unwrap_or(i64::MAX);
        ToSqlOutput::Owned(match self.0.get(&layout) {
            Some(number) => Value::Integer(*number),
            None if self.0.len() >= MOST => Value::Text(layout),
            None => {
                self.0.insert(layout, next);
                Value::Integer(next)
            }
        })
    }

    /// Writes the numbered layouts, in the order of their numbers.
    pub(super) fn write(&self, connection: &Connection) -> Result<(), TableError> {
        let wrote = sqlite("write the layouts of records");
        let mut all: Vec<_> = self.0.iter().map(|(layout, number)| (*number, layout)).collect();
        all.sort_unstable();
        let mut insert = connection.prepare("INSERT INTO layouts VALUES (?, ?)").map_err(&wrote)?;
        for (number, layout) in all {
            insert.execute(params![number, layout]).map_err(&wrote)?;
        }
        Ok(())
    }
}
