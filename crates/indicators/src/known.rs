//! Lists of known good files, by hash: plain lists, and the NSRL tables.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, Read};
use thiserror::Error;

/// The longest line that is read.
const LONGEST_LINE: u64 = 64 << 10;

/// The beginning of an SQLite database.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// Why a list cannot be read.
#[derive(Debug, Error)]
pub enum KnownError {
    /// The file cannot be read.
    #[error("read the list")]
    Read(#[source] io::Error),
    /// It is a database.
    #[error(
        "read the list: it is a database of SQLite, such as the newer sets of NSRL are; export its hashes as text"
    )]
    Sqlite,
    /// It contains no hash.
    #[error("read the list: there is no hash in it")]
    None,
}

/// Which of the hashes in records are known good, and by which list.
#[derive(Debug, Clone, Default)]
pub struct KnownGood {
    by_hash: HashMap<String, String>,
}

impl KnownGood {
    /// Returns the list that contains this hash, ignoring letter case.
    pub fn list_of(&self, hash: &str) -> Option<&str> {
        self.by_hash.get(&hash.to_ascii_lowercase()).map(String::as_str)
    }

    /// Adds the list's entries for these lower-case hashes; only they are kept, so that a list can have any size.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or is not a list of hashes.
    pub fn add(
        &mut self,
        name: &str,
        list: &mut dyn BufRead,
        wanted: &HashSet<String>,
    ) -> Result<(), KnownError> {
        if list.fill_buf().map_err(KnownError::Read)?.starts_with(SQLITE) {
            return Err(KnownError::Sqlite);
        }
        let (mut line, mut hashes) = (Vec::new(), 0_u64);
        loop {
            line.clear();
            let read = list.take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(KnownError::Read)?;
            if read == 0 {
                break;
            }
            if line.first() == Some(&b'#') {
                continue;
            }
            for word in line.split(|byte| !byte.is_ascii_alphanumeric()) {
                let is_hash = matches!(word.len(), 32 | 40 | 64) && word.iter().all(u8::is_ascii_hexdigit);
                let Some(word) = std::str::from_utf8(word).ok().filter(|_| is_hash) else { continue };
                hashes += 1;
                let word = word.to_ascii_lowercase();
                if wanted.contains(&word) {
                    self.by_hash.entry(word).or_insert_with(|| name.to_owned());
                }
            }
        }
        if hashes == 0 { Err(KnownError::None) } else { Ok(()) }
    }
}
