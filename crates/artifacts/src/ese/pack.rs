//! Packed values: 7-bit characters, and plain LZ77.
//!
//! The first byte of a value is the packing, shifted by 3; for 7-bit characters, the low bits are the number of
//! bits in the last byte, minus one.
//! Sources: libesedb's specification, section 4.3 "Compression"; [MS-XCA] 2.4 "LZ77 decompression".

use super::budget::Budget;
use crate::fields::{u16_at, u32_at};

/// The result of unpacking a value.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unpacked {
    /// The unpacked bytes.
    Bytes(Vec<u8>),
    /// The packing is unknown, or the bytes are not valid in it.
    Unread { scheme: u8 },
}

/// Unpacks a value according to its first byte.
pub(super) fn unpack(packed: &[u8], budget: &Budget) -> Unpacked {
    let Some((head, rest)) = packed.split_first() else { return Unpacked::Bytes(Vec::new()) };
    let scheme = head >> 3;
    let affordable = |size: usize| budget.take(size as u64);
    let bytes = match scheme {
        1 | 2 if affordable(rest.len() * 4) => Some(seven_bits(rest, head & 7, scheme == 2)),
        3 => u16_at(rest, 0)
            .map(usize::from)
            .filter(|size| affordable(*size))
            .and_then(|size| lz77(rest.get(2..)?, size)),
        _ => None,
    };
    bytes.map_or(Unpacked::Unread { scheme }, Unpacked::Bytes)
}

/// Unpacks 7-bit characters, lowest bits first; into UTF-16LE if `wide`.
fn seven_bits(bytes: &[u8], last: u8, wide: bool) -> Vec<u8> {
    let Some(full) = bytes.len().checked_sub(1) else { return Vec::new() };
    let count = (full * 8 + usize::from(last) + 1) / 7;
    let mut letters = Vec::with_capacity(if wide { count * 2 } else { count });
    let (mut held, mut bits) = (0u32, 0);
    for byte in bytes {
        held |= u32::from(*byte) << bits;
        bits += 8;
        while bits >= 7 && letters.len() < letters.capacity() {
            letters.push((held & 0x7F) as u8);
            if wide {
                letters.push(0);
            }
            held >>= 7;
            bits -= 7;
        }
        // Any bits left after the last character are padding.
        bits = bits.min(7);
    }
    letters.truncate(if wide { count * 2 } else { count });
    letters
}

/// Expands plain LZ77 to `size` bytes; `None` if the bytes are not valid.
fn lz77(input: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut output: Vec<u8> = Vec::with_capacity(size.min(1 << 16));
    let (mut at, mut flags, mut left) = (0, 0, 0u32);
    // Offset of a byte whose upper half still holds an unused length.
    let mut half = None;
    while output.len() < size {
        if left == 0 {
            flags = u32_at(input, at)?;
            at += 4;
            left = 32;
        }
        left -= 1;
        if flags >> left & 1 == 0 {
            output.push(*input.get(at)?);
            at += 1;
            continue;
        }
        let token = usize::from(u16_at(input, at)?);
        at += 2;
        let length = match token % 8 {
            7 => long_length(input, &mut at, &mut half)?,
            short => short,
        };
        copy(&mut output, token / 8 + 1, length.checked_add(3)?, size)?;
    }
    Some(output)
}

/// Reads a length of 7 or more: from half a byte, one byte, two or four.
fn long_length(input: &[u8], at: &mut usize, half: &mut Option<usize>) -> Option<usize> {
    let nibble = match half.take() {
        Some(place) => input.get(place)? >> 4,
        None => {
            *half = Some(*at);
            *at += 1;
            input.get(*at - 1)? & 15
        }
    };
    if nibble < 15 {
        return Some(usize::from(nibble) + 7);
    }
    let byte = *input.get(*at)?;
    *at += 1;
    if byte < 255 {
        return Some(usize::from(byte) + 15 + 7);
    }
    let mut length = usize::from(u16_at(input, *at)?);
    *at += 2;
    if length == 0 {
        length = u32_at(input, *at)? as usize;
        *at += 4;
    }
    // This form gives the whole length. A length that a shorter form can hold is invalid.
    (length >= 15 + 7).then_some(length)
}

/// Repeats `length` bytes from `distance` back, up to `size` bytes in total.
fn copy(output: &mut Vec<u8>, distance: usize, length: usize, size: usize) -> Option<()> {
    let from = output.len().checked_sub(distance)?;
    let length = length.min(size - output.len());
    for index in from..from + length {
        output.push(*output.get(index)?);
    }
    Some(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn unpacked(packed: &[u8]) -> Unpacked {
        unpack(packed, &Budget::new(1 << 20))
    }

    #[test]
    fn letters_of_seven_bits_stand_one_behind_the_other() {
        // "abc": 1100001, 1100010, 1100011, from the lowest bit on, are 21 bits.
        let bits = 0x61u32 | 0x62 << 7 | 0x63 << 14;
        let [first, second, third, _] = bits.to_le_bytes();
        assert_eq!(unpacked(&[1 << 3 | 4, first, second, third]), Unpacked::Bytes(b"abc".to_vec()));
        assert_eq!(unpacked(&[2 << 3 | 4, first, second, third]), Unpacked::Bytes(b"a\0b\0c\0".to_vec()));
    }

    #[test]
    fn plain_lz77_repeats_what_was_before() {
        // The example of [MS-XCA] 3.1: "abc" a hundred times.
        let packed = [0xFF, 0xFF, 0xFF, 0x1F, 0x61, 0x62, 0x63, 0x17, 0x00, 0x0F, 0xFF, 0x26, 0x01];
        assert_eq!(lz77(&packed, 300).unwrap(), b"abc".repeat(100));
        assert_eq!(lz77(&packed[..9], 300), None);
    }

    #[test]
    fn a_packing_that_is_not_known_is_named() {
        assert_eq!(unpacked(&[5 << 3, 1, 2]), Unpacked::Unread { scheme: 5 });
    }
}
