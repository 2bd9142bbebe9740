//! Places in the evidence.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A run of bytes in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByteSpan {
    /// Bytes from the start of the file or stream.
    pub offset: u64,
    /// Number of bytes.
    pub length: u64,
}

impl ByteSpan {
    /// Makes the span of `length` bytes at `offset`.
    pub const fn new(offset: u64, length: u64) -> ByteSpan {
        ByteSpan { offset, length }
    }

    /// Returns the first byte after the span; saturates.
    pub const fn end(self) -> u64 {
        self.offset.saturating_add(self.length)
    }
}

impl fmt::Display for ByteSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}+{}", self.offset, self.length)
    }
}

/// The place of a record in the evidence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Locator {
    /// The label of the evidence in the case.
    pub evidence: String,
    /// The path in the evidence, separated by `/`; empty for an imaged medium itself, where a span counts the medium's bytes.
    pub path: String,
    /// The named (alternate) stream, if it is not the file's main stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<String>,
    /// The record's own bytes in that file; `None` if it has no bytes in a file, such as a directory entry of a copied folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<ByteSpan>,
}

impl fmt::Display for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.evidence, self.path)?;
        if let Some(stream) = &self.stream {
            write!(f, ":{stream}")?;
        }
        match self.span {
            Some(span) => write!(f, " @ {span}"),
            None => Ok(()),
        }
    }
}
