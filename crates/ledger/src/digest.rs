//! SHA-256 digests: the names of stored bytes.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The SHA-256 digest of some bytes; written as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

/// [`Digest::of_parts`] for parts that arrive one after another.
#[derive(Default)]
pub struct PartsDigest(Sha256);

impl PartsDigest {
    /// Adds one more part.
    pub fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// Returns the digest of all parts.
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

/// Why a text is not a digest.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("read a SHA-256 digest: expected 64 hex digits, found {found:?}")]
pub struct DigestError {
    /// The text that was given.
    pub found: String,
}

impl Digest {
    /// Returns the digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(Sha256::digest(bytes).into())
    }

    /// Returns the digest of `parts`, each preceded by its length as eight little-endian bytes,
    /// so that no two different lists of parts share one input.
    pub fn of_parts(parts: &[&[u8]]) -> Digest {
        let mut digest = PartsDigest::default();
        parts.iter().for_each(|part| digest.add(part));
        digest.finish()
    }

    /// Takes the 32 bytes of a digest computed elsewhere.
    pub const fn from_bytes(bytes: [u8; 32]) -> Digest {
        Digest(bytes)
    }

    /// Returns the 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the first twelve hex digits, for people.
    pub fn short(&self) -> String {
        hex(&self.0).chars().take(12).collect()
    }
}

/// Returns `bytes` as lower-case hex digits.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Digest, DigestError> {
        let error = || DigestError { found: text.to_owned() };
        if text.len() != 64 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(error());
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| error())?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| error())?;
        }
        Ok(Digest(bytes))
    }
}

impl TryFrom<String> for Digest {
    type Error = DigestError;
    fn try_from(text: String) -> Result<Digest, DigestError> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        digest.to_string()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({})", self.short())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_of_abc_is_the_published_one() {
        // FIPS 180-4, example B.1.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Digest::of(b"abc").to_string(), expected);
        assert_eq!(expected.parse(), Ok(Digest::of(b"abc")));
    }

    #[test]
    fn moving_a_boundary_between_parts_changes_the_digest() {
        assert_ne!(Digest::of_parts(&[b"ab", b"c"]), Digest::of_parts(&[b"a", b"bc"]));
    }

    #[test]
    fn a_text_that_is_not_64_hex_digits_is_refused() {
        assert!("ab".parse::<Digest>().is_err());
        assert!("zz".repeat(32).parse::<Digest>().is_err());
    }
}
