//! Little-endian numbers in a structure; anything outside of it reads as 0.

/// Reads the byte at `at`.
pub(super) fn u8_at(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

/// Reads the 16-bit number at `at`.
pub(super) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    array(bytes, at).map_or(0, u16::from_le_bytes)
}

/// Reads the 32-bit number at `at`.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    array(bytes, at).map_or(0, u32::from_le_bytes)
}

/// Combines the two halves of a number.
pub(super) fn wide(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}
