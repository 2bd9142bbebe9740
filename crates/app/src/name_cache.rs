//! A cache of indexes that outlive their run, keyed by what they were built from.
//!
//! An entry consists of two files: the index, `names-<key>` or `tables-<key>`, and its description, the same name with `.json`.
//! The description is written last and gives the digest of the index; if they disagree, the entry cannot be used.

use crate::platform::make_private;
use crate::publish::{copy, publish, publish_file};
use ledger::Digest;
use ledger::canonical::{self, CanonicalError};
use ledger::event::TableDigest;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The longest index that is loaded from a cache, in bytes.
const LONGEST: u64 = 4 << 30;

/// The longest description of an index, in bytes: some hundred for each table.
const LONGEST_ABOUT: u64 = 4 << 20;

/// A folder with indexes of earlier runs.
#[derive(Debug, Clone)]
pub(crate) struct NameCache {
    folder: PathBuf,
    /// The prefix of its file names.
    what: &'static str,
}

/// The description of an index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Known {
    /// The digest of the index file.
    pub(crate) index: Digest,
    /// The length of the index file in bytes, set when the file is written; a file of another length need not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) length: Option<u64>,
    /// The number of entries or rows.
    pub(crate) entries: u64,
    /// For case tables, the number of sources that were decoded for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sources: Option<u64>,
    /// For case tables, the digest of each table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tables: Vec<TableDigest>,
    /// The key of the entry, set when it is written, so that a file moved from another entry is detected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<Digest>,
    /// The hash of the evidence that the index was built from, once every byte was hashed.
    pub(crate) evidence: Option<Digest>,
    /// The digest of all other members, set when it is written, so that a flipped bit is detected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) check: Option<Digest>,
}

impl Known {
    /// Returns the digest of everything except `check`.
    fn own_check(&self) -> Result<Digest, CanonicalError> {
        let unchecked = Known { check: None, ..self.clone() };
        canonical::to_vec(&unchecked).map(|bytes| Digest::of(&bytes))
    }
}

/// Why an entry cannot be used.
#[derive(Debug, Error)]
pub(crate) enum CacheError {
    #[error("read {}", path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("read {}", path.display())]
    Malformed {
        path: PathBuf,
        #[source]
        source: serde_json::Error,
    },
    #[error("read {}: it is not as it was written", path.display())]
    Changed { path: PathBuf },
    #[error("read {}: it is kept under another name than it was written", path.display())]
    OfAnother { path: PathBuf },
    #[error("read {}: expected the digest {expected}, found {found}", path.display())]
    Damaged { path: PathBuf, expected: Digest, found: Digest },
    #[error("read {}: expected {expected} bytes, found {found}", path.display())]
    Length { path: PathBuf, expected: u64, found: u64 },
}

impl NameCache {
    pub(crate) fn new(folder: PathBuf) -> NameCache {
        NameCache { folder, what: "names" }
    }

    /// The same folder, for case tables.
    pub(crate) fn of_tables(folder: PathBuf) -> NameCache {
        NameCache { folder, what: "tables" }
    }

    fn name(&self, key: Digest) -> String {
        format!("{}-{key}", self.what)
    }

    fn about(&self, key: Digest) -> String {
        format!("{}-{key}.json", self.what)
    }

    /// Loads the index under this key completely; `None` if there is none.
    pub(crate) fn load(&self, key: Digest) -> Result<Option<(Known, Vec<u8>)>, CacheError> {
        let (path, about) = (self.folder.join(self.name(key)), self.folder.join(self.about(key)));
        let Some(known) = read_about(&about, key)? else { return Ok(None) };
        let Some(mut file) = open_as_long(&path, &known)? else { return Ok(None) };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|source| CacheError::Read { path: path.clone(), source })?;
        let found = Digest::of(&bytes);
        match found == known.index {
            true => Ok(Some((known, bytes))),
            false => Err(CacheError::Damaged { path, expected: known.index, found }),
        }
    }

    /// Stores an index under this key.
    pub(crate) fn store(&self, key: Digest, known: &Known, bytes: &[u8]) -> io::Result<()> {
        make_private(&self.folder)?;
        publish(&self.folder, &self.name(key), bytes)?;
        self.remember(key, known)
    }

    /// Copies the whole file under this key into another file; returns its description, or `None` if there is no entry.
    pub(crate) fn copy_to(&self, key: Digest, to: &mut File) -> Result<Option<Known>, CacheError> {
        let (path, about) = (self.folder.join(self.name(key)), self.folder.join(self.about(key)));
        let Some(known) = read_about(&about, key)? else { return Ok(None) };
        let Some(mut file) = open_as_long(&path, &known)? else { return Ok(None) };
        let found = copy(&mut file, to).map_err(|source| CacheError::Read { path: path.clone(), source })?;
        match found == known.index {
            true => Ok(Some(known)),
            false => Err(CacheError::Damaged { path, expected: known.index, found }),
        }
    }

    /// Stores the bytes of a file under this key; their digest and length are filled into `known`.
    pub(crate) fn store_file(&self, key: Digest, known: Known, from: &mut File) -> io::Result<()> {
        make_private(&self.folder)?;
        let index = publish_file(&self.folder, &self.name(key), from)?;
        let length = Some(from.metadata()?.len());
        self.remember(key, &Known { index, length, ..known })
    }

    /// Writes the description of an index.
    pub(crate) fn remember(&self, key: Digest, known: &Known) -> io::Result<()> {
        let known = Known { key: Some(key), ..known.clone() };
        let check = known.own_check().map_err(io::Error::other)?;
        let known = Known { check: Some(check), ..known };
        publish(&self.folder, &self.about(key), &serde_json::to_vec(&known)?)
    }

    /// Removes the entry.
    pub(crate) fn remove(&self, key: Digest) -> io::Result<()> {
        // The description first: without it there is no entry.
        for name in [self.about(key), self.name(key)] {
            match std::fs::remove_file(self.folder.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }
}

/// Reads the description under this key; `None` if there is none.
fn read_about(about: &Path, key: Digest) -> Result<Option<Known>, CacheError> {
    let text = read(about).map_err(|source| CacheError::Read { path: about.to_owned(), source })?;
    let Some(text) = text else { return Ok(None) };
    let known: Known = serde_json::from_slice(&text)
        .map_err(|source| CacheError::Malformed { path: about.to_owned(), source })?;
    // An entry of an older version lacks necessary members.
    let Some(check) = known.check else { return Ok(None) };
    if known.own_check().ok() != Some(check) {
        return Err(CacheError::Changed { path: about.to_owned() });
    }
    if known.key != Some(key) {
        return Err(CacheError::OfAnother { path: about.to_owned() });
    }
    Ok(Some(Known { key: None, check: None, ..known }))
}

/// Opens the index file of an entry, limited to its declared length; `None` if there is none.
fn open_as_long(path: &Path, known: &Known) -> Result<Option<io::Take<File>>, CacheError> {
    let failed = |source| CacheError::Read { path: path.to_owned(), source };
    let Some(file) = open(path).map_err(failed)? else { return Ok(None) };
    let (expected, found) = (known.length.unwrap_or(LONGEST), file.metadata().map_err(failed)?.len());
    if known.length.is_some_and(|length| length != found) {
        return Err(CacheError::Length { path: path.to_owned(), expected, found });
    }
    Ok(Some(file.take(expected.min(LONGEST))))
}

/// Reads a file; `None` if it does not exist.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let Some(file) = open(path)? else { return Ok(None) };
    let mut bytes = Vec::new();
    // A longer file is cut, and then cannot be parsed.
    file.take(LONGEST_ABOUT).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Opens a file; `None` if it does not exist.
fn open(path: &Path) -> io::Result<Option<File>> {
    // Opening anything else, such as a pipe, could block.
    match path.metadata() {
        Ok(metadata) if !metadata.is_file() => {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "expected a file"));
        }
        Ok(_) | Err(_) => {}
    }
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_what_was_stored_or_an_error_that_says_what_is_wrong() {
        let home = tempfile::tempdir().unwrap();
        let cache = NameCache::new(home.path().join("cache"));
        let (key, bytes) = (Digest::of(b"key"), b"an index".to_vec());
        assert!(cache.load(key).unwrap().is_none());
        let known = Known {
            index: Digest::of(&bytes),
            length: Some(8),
            entries: 3,
            sources: None,
            tables: Vec::new(),
            key: None,
            evidence: None,
            check: None,
        };
        cache.store(key, &known, &bytes).unwrap();
        assert_eq!(cache.load(key).unwrap(), Some((known.clone(), bytes.clone())));
        let hashed = Known { evidence: Some(Digest::of(b"disk")), ..known.clone() };
        cache.remember(key, &hashed).unwrap();
        assert_eq!(cache.load(key).unwrap(), Some((hashed, bytes.clone())));
        assert!(cache.load(Digest::of(b"other")).unwrap().is_none());

        let folder = home.path().join("cache");
        publish(&folder, &cache.name(key), b"an indeX").unwrap();
        assert!(matches!(cache.load(key), Err(CacheError::Damaged { .. })));
        publish(&folder, &cache.name(key), b"an index, and more").unwrap();
        assert!(matches!(cache.load(key), Err(CacheError::Length { expected: 8, found: 18, .. })));
        std::fs::remove_file(folder.join(cache.name(key))).unwrap();
        assert!(cache.load(key).unwrap().is_none());
        publish(&folder, &cache.about(key), b"{}").unwrap();
        assert!(matches!(cache.load(key), Err(CacheError::Malformed { .. })));
        // One bit of the description is changed.
        cache.store(key, &known, &bytes).unwrap();
        let about = String::from_utf8(std::fs::read(folder.join(cache.about(key))).unwrap()).unwrap();
        publish(&folder, &cache.about(key), about.replace("\"entries\":3", "\"entries\":2").as_bytes())
            .unwrap();
        assert!(matches!(cache.load(key), Err(CacheError::Changed { .. })));
        // The entry of another key is put in the place of this one.
        let other = Digest::of(b"other");
        cache.store(other, &known, &bytes).unwrap();
        let about = std::fs::read(folder.join(cache.about(other))).unwrap();
        publish(&folder, &cache.name(key), &bytes).unwrap();
        publish(&folder, &cache.about(key), &about).unwrap();
        assert!(matches!(cache.load(key), Err(CacheError::OfAnother { .. })));
        cache.remove(other).unwrap();
        cache.store(key, &known, &bytes).unwrap();
        cache.remove(key).unwrap();
        cache.remove(key).unwrap();
        assert!(cache.load(key).unwrap().is_none());
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0);
    }
}
