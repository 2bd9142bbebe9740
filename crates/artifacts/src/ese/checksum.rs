//! Checksums of pages (specification, section 3.2.1).
//!
//! The XOR-32 part is checked, which any change to a single word breaks. The ECC next to it could repair one bit
//! and is not computed.

use crate::fields::{bytes, u32_at};

/// Seed of the checksum of the header, and of pages without ECC.
const SEED: u32 = 0x89AB_CDEF;
/// Flag of pages with an ECC.
const WITH_ECC: u32 = 0x2000;

/// Returns the exclusive or of little-endian words.
pub(super) fn xor(seed: u32, data: &[u8]) -> u32 {
    let (pairs, rest) = data.as_chunks::<8>();
    let folded = pairs.iter().fold(0, |sum, pair| sum ^ u64::from_le_bytes(*pair));
    let rest = rest.as_chunks::<4>().0.iter().fold(0, |sum, word| sum ^ u32::from_le_bytes(*word));
    seed ^ (folded as u32) ^ ((folded >> 32) as u32) ^ rest
}

/// Returns the stored and the computed checksum of a page with the short header; `None` for the long one.
pub(super) fn of_page(page: &[u8], number: u32, flags: u32, large: bool) -> Option<(u32, u32)> {
    if large {
        return None;
    }
    let (seed, from) = if flags & WITH_ECC == 0 { (SEED, 4) } else { (number, 8) };
    let data = bytes(page, from, page.len().checked_sub(from)?)?;
    Some((u32_at(page, 0)?, xor(seed, data)))
}
