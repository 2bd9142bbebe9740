//! The truth about a volume: what was planted, and where.

use super::runs::Run;
use super::spec::{Content, Kind, NtfsTimes};
use ledger::Digest;
use sha2::{Digest as _, Sha256};

/// A planted entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planted {
    /// Its paths: the one in its description, then its hard links.
    pub paths: Vec<String>,
    /// What it is.
    pub kind: Kind,
    /// The number of its base record.
    pub record: u64,
    /// The current sequence number of its record; after deletion, it is one higher than during use.
    pub sequence: u16,
    /// The record and sequence number of its folder, according to its name.
    pub parent: (u64, u16),
    /// Whether it is in use.
    pub in_use: bool,
    /// Whether all of its streams are still readable: false if another file has its clusters.
    pub recoverable: bool,
    /// Whether its name was left in the slack of an index.
    pub stale_index: bool,
    /// All eight times.
    pub times: NtfsTimes,
    /// The DOS attributes, including those that the builder added.
    pub attributes: u32,
    /// Its short name, if that is a separate name.
    pub dos_name: Option<String>,
    /// Extension records.
    pub extensions: Vec<u64>,
    /// Its last update sequence number in the journal; 0 for none.
    pub usn: u64,
    /// The main stream, with an empty name, and the named streams.
    pub streams: Vec<PlantedStream>,
}

/// A planted stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlantedStream {
    /// Its name; empty for the main one.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// The SHA-256 of the bytes that a reader must return (or would have, before they were overwritten).
    pub sha256: Digest,
    /// Whether it is in the record.
    pub resident: bool,
    /// Its clusters; for a compressed stream, the runs as stored.
    pub runs: Vec<Run>,
}

/// Returns the size and SHA-256 of what a reader must return.
pub(crate) fn truth(content: &Content) -> (u64, Digest) {
    let mut hasher = Sha256::new();
    let size = match content {
        Content::Bytes(bytes) | Content::Clusters(bytes) | Content::Compressed(bytes) => {
            hasher.update(bytes);
            bytes.len() as u64
        }
        Content::Sparse { size, parts } => {
            let mut at = 0;
            for (offset, bytes) in parts {
                zeros(&mut hasher, offset.saturating_sub(at));
                hasher.update(bytes);
                at = offset + bytes.len() as u64;
            }
            zeros(&mut hasher, size.saturating_sub(at));
            *size
        }
        Content::Uninitialised { bytes, size, .. } => {
            hasher.update(bytes);
            zeros(&mut hasher, size.saturating_sub(bytes.len() as u64));
            *size
        }
    };
    (size, Digest::from_bytes(hasher.finalize().into()))
}

fn zeros(hasher: &mut Sha256, mut count: u64) {
    let block = [0; 1 << 16];
    while count > 0 {
        let now = count.min(block.len() as u64);
        hasher.update(&block[..usize::try_from(now).unwrap_or(0)]);
        count -= now;
    }
}
