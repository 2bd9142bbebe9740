//! What follows the end of a tar: zeros up to the end of a record, or bytes that belong to no entry.

use super::{BLOCK, Bytes};
use crate::archive::decode::Part;
use crate::archive::index::Index;

/// Bytes of zeros after the end that are skipped: records are padded, and hardly any tape has larger ones.
pub(super) const PADDING: u64 = 64 << 20;

/// What follows the end of a tar.
pub(super) enum Rest {
    /// Only zeros.
    Nothing,
    /// Other bytes than zeros; the first are in the block at this offset.
    Bytes(u64),
    /// Only zeros up to this offset, where reading stopped.
    Zeros(u64),
    /// It cannot be read.
    Wrong(String),
}

/// Reports bytes that belong to no entry.
pub(super) fn tell(bytes: &Bytes, rest: Rest, index: &mut Index) {
    match rest {
        Rest::Nothing => behind_the_stream(bytes, index),
        Rest::Bytes(at) => index.gap(format!(
            "bytes behind the end of the tar: from byte {at} of the tar on{} no entry covers them: they are not read",
            length(bytes, at)
        )),
        Rest::Zeros(at) => index.gap(format!(
            "bytes behind the end of the tar: from byte {at} of the tar on{}, behind {PADDING} zeros, they were not looked at",
            length(bytes, at)
        )),
        Rest::Wrong(what) => index.cut(what),
    }
}

/// Says how many bytes there are from `at` on, if that is known without expanding them.
fn length(bytes: &Bytes, at: u64) -> String {
    match bytes {
        Bytes::Plain(part) => format!(" ({} bytes)", part.length().saturating_sub(at)),
        Bytes::Packed(_) => String::new(),
    }
}

/// Reports bytes after the last member of a gzip that do not begin another one; zeros there are padding.
fn behind_the_stream(bytes: &Bytes, index: &mut Index) {
    let Bytes::Packed(stream) = bytes else { return };
    let Some((begin, rest)) = stream.behind() else { return };
    let length = rest.length();
    if !is_zeros(rest) {
        index.gap(format!(
            "bytes behind the compressed data: {length} bytes from byte {begin} of the archive on are not expanded"
        ));
    }
}

/// Checks whether a range of bytes holds only zeros, and is short enough to check.
fn is_zeros(rest: Part) -> bool {
    if rest.length() > PADDING {
        return false;
    }
    let mut buffer = vec![0; BLOCK * 128];
    let mut at = 0;
    loop {
        match rest.read_at(at, &mut buffer) {
            Ok(0) => return true,
            Ok(read) if buffer.iter().take(read).all(|byte| *byte == 0) => {
                at = at.saturating_add(read as u64);
            }
            Ok(_) | Err(_) => return false,
        }
    }
}
