//! Compressed text in bytes, expanded within limits.

use flate2::read::{GzDecoder, ZlibDecoder};
use std::io::Read;

/// The most bytes expanded from one stream: in data packed for a command line, names are at the beginning.
const MOST: u64 = 64 * 1024;
/// The most bytes expanded from all streams of one text.
pub(crate) const BUDGET: u64 = 1024 * 1024;

/// Expands a gzip or zlib stream to text; `None` if the bytes are not one.
pub(crate) fn inflated(bytes: &[u8], budget: &mut u64) -> Option<String> {
    let most = MOST.min(*budget);
    let mut out = Vec::new();
    // The part of a damaged stream before the damage counts.
    let _ = match bytes {
        [0x1f, 0x8b, 8, ..] => GzDecoder::new(bytes).take(most).read_to_end(&mut out),
        [0x78, 0x01 | 0x5e | 0x9c | 0xda, ..] => ZlibDecoder::new(bytes).take(most).read_to_end(&mut out),
        _ => return None,
    };
    *budget = budget.saturating_sub(out.len() as u64);
    // Without NULs, this also covers UTF-16 of ASCII.
    out.retain(|byte| *byte != 0);
    (!out.is_empty()).then(|| String::from_utf8_lossy(&out).into_owned())
}
