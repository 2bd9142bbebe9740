//! Checks whether a segment is complete: its chain of sections leads to one that ends it.

use super::super::missing::Missing;
use super::super::store::{Store, le_u64};
use super::{DESCRIPTOR, MAX_SECTIONS};
use crate::image::segments::{absent_segment, next_segment};
use ewf::EwfReader;
use std::path::{Path, PathBuf};

/// The chain of sections in a segment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chain {
    /// The byte after the last complete section.
    pub(super) whole: u64,
    pub(super) end: End,
}

/// How a chain ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// With the section `done`: the image has no further segment.
    Done,
    /// With the section `next`: there is a further segment.
    Next,
    /// With another section that names no next one.
    Other,
    /// The file ends, or a section points outside it.
    Cut,
}

/// Follows the chain of sections.
pub(super) fn walk(store: &Store) -> Chain {
    let mut at = 13;
    for _ in 0..MAX_SECTIONS {
        let Ok(bytes) = store.array::<76>(at, "a section") else { break };
        let (next, kind) = (le_u64(&bytes, 16), bytes.split(|byte| *byte == 0).next().unwrap_or_default());
        let whole = at + DESCRIPTOR;
        match kind {
            b"done" => return Chain { whole, end: End::Done },
            b"next" => return Chain { whole, end: End::Next },
            _ if next <= at => return Chain { whole: store.length(), end: End::Other },
            _ if next > store.length() => break,
            _ => at = next,
        }
    }
    Chain { whole: at.min(store.length()), end: End::Cut }
}

/// Returns the parts of the medium that the segments do not hold. `last` is the chain of the last segment that
/// is read, `read` the number of segments read.
pub(super) fn missing(
    reader: &EwfReader,
    files: &[PathBuf],
    read: &[&Path],
    last: Option<Chain>,
) -> Vec<Missing> {
    let chunks = reader.chunk_count() as u64;
    let needed = reader
        .total_size()
        .checked_div(reader.chunk_size())
        .map_or(0, |whole| whole + u64::from(!reader.total_size().is_multiple_of(reader.chunk_size())));
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let cut = last.filter(|chain| chain.end == End::Cut);
    let reason = if let (Some(chain), Some(path)) = (cut, read.last()) {
        let behind = match read.len() < files.len() {
            true => ", so that the place of what the segments behind it hold is not known",
            false => "",
        };
        format!("segment {} is cut: its sections break off at byte {}{behind}", name(path), chain.whole)
    } else if let Some((absent, beside)) = absent_segment(files) {
        format!("segment {} is missing, {} lies beside it", name(&absent), name(&beside))
    } else if last.is_some_and(|chain| chain.end == End::Next) || chunks < needed {
        match next_segment(files).filter(|_| last.is_none_or(|chain| chain.end != End::Done)) {
            Some(next) => format!("segment {} is missing", name(&next)),
            None => format!("the tables tell of {chunks} chunks, and the medium has {needed}"),
        }
    } else {
        return Vec::new();
    };
    let start = chunks.saturating_mul(reader.chunk_size()).min(reader.total_size());
    vec![Missing { start, end: Some(reader.total_size()), reason }]
}
