//! What the first bytes of an `$MFT` show: the record size, and the number of the first record.

use super::STRIDE;
use super::bytes::{u16_at, u32_at};

/// Record sizes that are tried if the first record does not give its own.
const SIZES: [u64; 3] = [1024, 4096, 512];

/// Returns the record size in bytes if `head` is the start of an `$MFT`; `None` if it is not.
pub fn mft_record_size(head: &[u8]) -> Option<u64> {
    let sound = |head: &[u8]| {
        let size = u64::from(u32_at(head, 0x1c)?);
        let (offset, count) = (u16_at(head, 4)?, u64::from(u16_at(head, 6)?));
        let right =
            SIZES.contains(&size) && count == size / STRIDE as u64 + 1 && matches!(offset, 0x2a | 0x30);
        (right && (head.starts_with(b"FILE") || head.starts_with(b"BAAD"))).then_some(size)
    };
    let further =
        |size: &u64| usize::try_from(*size).ok().and_then(|at| sound(head.get(at..)?)) == Some(*size);
    // An overwritten first record hides nothing of the others.
    sound(head).or_else(|| SIZES.into_iter().filter(|_| starts_cleared(head)).find(further))
}

/// Checks whether the bytes begin with a record, or with zeros.
fn starts_cleared(head: &[u8]) -> bool {
    head.starts_with(b"FILE") || head.starts_with(b"BAAD") || head.starts_with(&[0; 8])
}

/// Returns the number that the first record gives itself, if the next record continues it; NTFS 3.1 writes it at
/// byte 0x2c.
pub(super) fn first_number(head: &[u8], record: u64) -> u64 {
    let told = |at: u64| {
        let bytes = head.get(usize::try_from(at).ok()?..)?;
        (bytes.starts_with(b"FILE") && u16_at(bytes, 4) == Some(0x30)).then(|| u32_at(bytes, 0x2c)).flatten()
    };
    match (told(0), told(record)) {
        (Some(first), Some(second)) if first.checked_add(1) == Some(second) => first.into(),
        _ => 0,
    }
}
