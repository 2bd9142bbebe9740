//! The head of a chain, kept outside the run's folder.

use super::signature::{Checker, SignatureError};
use ledger::Digest;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The most bytes of a file that contains a head.
const LARGEST: u64 = 16 << 20;

/// A head that is kept elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptHead {
    /// The head.
    pub head: Digest,
    /// Whether a signature over its file was checked.
    pub signed: bool,
}

/// Why there is no head to compare with.
#[derive(Debug, Error)]
pub enum HeadError {
    /// The file cannot be read.
    #[error("read the head {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// The file is too large.
    #[error("read the head {}: expected at most {LARGEST} bytes, found {found}", path.display())]
    Large {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        found: u64,
    },
    /// The file contains no head, or several.
    #[error("read the head {}: expected a manifest, a certificate, or a text with one head of 64 hex digits; found {found} heads", path.display())]
    None {
        /// The file.
        path: PathBuf,
        /// The number of heads in it.
        found: usize,
    },
    /// The signature over the file cannot be read, or does not verify.
    #[error(transparent)]
    Signature(#[from] SignatureError),
}

impl KeptHead {
    /// Reads the head from an argument: its 64 hex digits, or a file.
    ///
    /// With a key, the file's signature (`<file>.sig`) is checked before its contents are used.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, does not contain exactly one head, or its signature does not verify.
    pub fn of_argument(argument: &Path, key: Option<&Checker>) -> Result<KeptHead, HeadError> {
        let literal = argument.to_str().and_then(|text| text.parse::<Digest>().ok());
        if let (Some(head), None, false) = (literal, key, argument.exists()) {
            return Ok(KeptHead { head, signed: false });
        }
        let file = |source| HeadError::File { path: argument.to_owned(), source };
        let found = std::fs::metadata(argument).map_err(file)?.len();
        if found > LARGEST {
            return Err(HeadError::Large { path: argument.to_owned(), found });
        }
        let bytes = std::fs::read(argument).map_err(file)?;
        if let Some(key) = key {
            key.check(argument, &bytes)?;
        }
        match told(&bytes).as_slice() {
            [head] => Ok(KeptHead { head: *head, signed: key.is_some() }),
            heads => Err(HeadError::None { path: argument.to_owned(), found: heads.len() }),
        }
    }
}

/// Returns the heads in a file: the member `head` of a JSON object; otherwise the digests after the word `head`, as in the output of
/// `locard verify`; otherwise every text of 64 hex digits.
fn told(bytes: &[u8]) -> Vec<Digest> {
    if let Ok(Value::Object(members)) = serde_json::from_slice(bytes) {
        let head = members.get("head").and_then(Value::as_str);
        return head.and_then(|head| head.parse().ok()).into_iter().collect();
    }
    let text = String::from_utf8_lossy(bytes);
    let (mut named, mut all) = (BTreeSet::new(), BTreeSet::new());
    let mut before = "";
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        if let Ok(digest) = word.to_ascii_lowercase().parse::<Digest>() {
            all.insert(digest);
            if before == "head" {
                named.insert(digest);
            }
        }
        before = word;
    }
    match named.is_empty() {
        true => all.into_iter().collect(),
        false => named.into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_told_by_json_or_by_the_only_digest_of_a_text() {
        let (one, other) = (Digest::of(b"1"), Digest::of(b"2"));
        assert_eq!(told(format!("{{\"tools\": \"{other}\", \"head\": \"{one}\"}}").as_bytes()), [one]);
        assert_eq!(told(format!("  {}\r\n", one.to_string().to_uppercase()).as_bytes()), [one]);
        assert_eq!(told(format!("22 events\nhead {one}\nverified").as_bytes()), [one]);
        assert_eq!(told(format!("head {one}\nroot of the facts {other}").as_bytes()), [one]);
        assert_eq!(told(format!("head {one}\nhead {other}").as_bytes()).len(), 2);
        for none in [format!("{{\"tools\": \"{other}\"}}"), format!("x{one}"), "[]".into(), String::new()] {
            assert_eq!(told(none.as_bytes()), [], "{none}");
        }
        assert_eq!(told(format!("{one} {other}").as_bytes()).len(), 2);
        assert_eq!(told(&[0xFF, 0xFE, 0]), []);
    }
}
