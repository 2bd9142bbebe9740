//! Text that bytes hold compressed, within bounds.

use flate2::read::{GzDecoder, ZlibDecoder};
use std::io::Read;

/// The most bytes that are taken out of one stream: names stand at the beginning of what is packed for a command line.
const MOST: u64 = 64 * 1024;
/// The most bytes that are taken out of all streams of one text.
pub(crate) const BUDGET: u64 = 1024 * 1024;

/// What a stream of gzip or zlib holds, as text; `None` where the bytes are none.
pub(crate) fn inflated(bytes: &[u8], budget: &mut u64) -> Option<String> {
    let most = MOST.min(*budget);
    let mut out = Vec::new();
    // What a damaged stream holds before the damage counts.
    let _ = match bytes {
        [0x1f, 0x8b, 8, ..] => GzDecoder::new(bytes).take(most).read_to_end(&mut out),
        [0x78, 0x01 | 0x5e | 0x9c | 0xda, ..] => ZlibDecoder::new(bytes).take(most).read_to_end(&mut out),
        _ => return None,
    };
    *budget = budget.saturating_sub(out.len() as u64);
    // Without NUL this is UTF-16 of ASCII, too.
    out.retain(|byte| *byte != 0);
    (!out.is_empty()).then(|| String::from_utf8_lossy(&out).into_owned())
}
