//! An index of texts in memory: full text search (SQLite's FTS5, ranked by BM25), and search for an exact text.
//!
//! It is not part of a run: it is built from a run's outputs when somebody searches them.

use rusqlite::{Connection, params};
use thiserror::Error;

/// An index of texts; each text has its own number.
#[derive(Debug)]
pub struct TextIndex {
    connection: Connection,
}

/// Why texts cannot be indexed or searched.
#[derive(Debug, Error)]
#[error("search texts in memory")]
pub struct TextIndexError(#[from] rusqlite::Error);

impl TextIndex {
    /// Creates an empty index.
    pub fn new() -> Result<TextIndex, TextIndexError> {
        let connection = Connection::open_in_memory()?;
        // Diacritics are significant here: words that differ in one are different words.
        connection.execute_batch(
            "CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'unicode61 remove_diacritics 0')",
        )?;
        Ok(TextIndex { connection })
    }

    /// Adds texts with their numbers.
    pub fn add(&mut self, texts: impl IntoIterator<Item = (i64, String)>) -> Result<(), TextIndexError> {
        let adding = self.connection.transaction()?;
        {
            let mut insert = adding.prepare_cached("INSERT INTO texts(rowid, text) VALUES (?1, ?2)")?;
            for (number, text) in texts {
                insert.execute(params![number, text])?;
            }
        }
        Ok(adding.commit()?)
    }

    /// Returns the texts that contain some of the words of `sought`, best first according to BM25; at most `most`.
    pub fn by_words(&self, sought: &str, most: u32) -> Result<Vec<i64>, TextIndexError> {
        let words = words(sought);
        if words.is_empty() {
            return Ok(Vec::new());
        }
        self.numbers(
            "SELECT rowid FROM texts WHERE texts MATCH ?1 ORDER BY bm25(texts), rowid LIMIT ?2",
            &words,
            most,
        )
    }

    /// Returns the latest texts that contain `sought` exactly, except for the case of ASCII letters, latest
    /// first; at most `most`.
    pub fn by_text(&self, sought: &str, most: u32) -> Result<Vec<i64>, TextIndexError> {
        if sought.is_empty() {
            return Ok(Vec::new());
        }
        self.numbers(
            "SELECT rowid FROM texts WHERE instr(lower(text), lower(?1)) > 0 ORDER BY rowid DESC LIMIT ?2",
            sought,
            most,
        )
    }

    fn numbers(&self, query: &str, sought: &str, most: u32) -> Result<Vec<i64>, TextIndexError> {
        let mut select = self.connection.prepare_cached(query)?;
        let numbers = select.query_map(params![sought, most], |row| row.get(0))?;
        Ok(numbers.collect::<Result<_, _>>()?)
    }
}

/// Returns an FTS5 query for any of the words; each is in quotation marks, so that none is taken for an operator.
fn words(sought: &str) -> String {
    let has_letter = |word: &&str| word.chars().any(char::is_alphanumeric);
    let quoted = |word: &str| format!("\"{}\"", word.replace('"', "\"\"").replace('\0', " "));
    sought.split_whitespace().filter(has_letter).map(quoted).collect::<Vec<_>>().join(" OR ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(texts: &[&str]) -> TextIndex {
        let mut index = TextIndex::new().unwrap();
        index.add((0..).zip(texts.iter().map(|text| (*text).to_owned()))).unwrap();
        index
    }

    #[test]
    fn texts_with_rarer_words_and_more_of_them_come_first() {
        let index =
            index(&[r"C:\Users\bob\notes.txt", r"C:\Users\bob\mimikatz.exe", r"C:\Users\alice\notes.txt"]);
        assert_eq!(index.by_words("mimikatz bob", 10).unwrap(), [1, 0]);
        assert_eq!(index.by_words(r"C:\Users\bob\mimikatz.exe", 10).unwrap(), [1]);
        assert_eq!(index.by_words("notes", 1).unwrap().len(), 1);
        assert_eq!(index.by_words("nowhere", 10).unwrap(), [] as [i64; 0]);
    }

    #[test]
    fn a_text_is_found_as_it_stands_the_latest_first() {
        let index = index(&["a 100% sure_thing", "another", "A 100% SURE_thing", "r\u{e9}sum\u{e9}"]);
        assert_eq!(index.by_text("100% sure_", 10).unwrap(), [2, 0]);
        assert_eq!(index.by_text("", 10).unwrap(), [] as [i64; 0]);
        assert_eq!(index.by_words("resume", 10).unwrap(), [] as [i64; 0]);
    }

    #[test]
    fn no_words_are_operators_or_break_the_query() {
        let index = index(&["near the end", "AND or NOT", "\"quoted\" text* ^first"]);
        for sought in [
            "NOT",
            "\"",
            "AND OR",
            "text*",
            "a:b",
            "NEAR(the end)",
            "(",
            "-- ;",
            "\0 end \0",
            "^first {text}",
        ] {
            assert!(index.by_words(sought, 10).is_ok(), "{sought}");
            assert!(index.by_text(sought, 10).is_ok(), "{sought}");
        }
        assert_eq!(index.by_words("\"quoted", 10).unwrap(), [2]);
    }
}
