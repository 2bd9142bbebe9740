//! What the first bytes of an `$MFT` tell: how long its records are, and which is the first.

use super::STRIDE;
use super::bytes::{u16_at, u32_at};

/// Sizes of a record that are looked for where the first one does not tell its own.
const SIZES: [u64; 3] = [1024, 4096, 512];

/// Bytes of a record, where `head` is the start of an `$MFT`; `None` where it is none.
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
    // A first record that was overwritten hides nothing of the others.
    sound(head).or_else(|| SIZES.into_iter().filter(|_| starts_cleared(head)).find(further))
}

/// Whether the first record is one, or holds nothing.
fn starts_cleared(head: &[u8]) -> bool {
    head.starts_with(b"FILE") || head.starts_with(b"BAAD") || head.starts_with(&[0; 8])
}

/// The number that the first record tells of itself, where the next one follows it; NTFS 3.1 writes it at byte 0x2c.
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
