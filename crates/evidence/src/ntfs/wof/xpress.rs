//! XPRESS Huffman ([MS-XCA] 2.1, 2.2: "LZ77+Huffman"), for chunks of at most 64 KiB, which have one code each.

use super::bits::{Bits, copy_back};
use super::code::Code;

/// Size of the code's length table in bytes: four bits for each of 512 symbols.
const TABLE: usize = 256;

/// The fewest bytes that a match copies.
const SHORTEST: usize = 3;

/// Bytes after which a stream begins a new code.
const BLOCK: usize = 64 << 10;

/// Expands data compressed with XPRESS Huffman ([MS-XCA] 2.2) to its `size` bytes; `None` if it is damaged.
///
/// Each 64 KiB have their own code. Work and memory are bounded by `size`.
pub fn expand_xpress_huffman(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let (mut out, mut rest) = (Vec::new(), packed);
    while out.len() < size {
        let end = out.len().saturating_add(BLOCK).min(size);
        let used = block(rest, &mut out, end, size)?;
        rest = rest.get(used..).unwrap_or_default();
    }
    Some(out)
}

/// Expands a chunk with one code to its `size` bytes; `None` if it is damaged.
pub(super) fn expand(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(size);
    block(packed, &mut out, size, size)?;
    Some(out)
}

/// Expands up to `end`, where the last match may go on up to `limit`; returns the number of bytes used.
fn block(packed: &[u8], out: &mut Vec<u8>, end: usize, limit: usize) -> Option<usize> {
    let (table, rest) = packed.split_at_checked(TABLE)?;
    let lengths: Vec<u8> = table.iter().flat_map(|pair| [pair & 0x0f, pair >> 4]).collect();
    let code = Code::new(&lengths)?;
    let mut bits = Bits::new(rest);
    while out.len() < end {
        let symbol = code.next(&mut bits)?;
        match u8::try_from(symbol) {
            Ok(literal) => out.push(literal),
            // A match: four bits give the number of bits of its distance, four its length.
            Err(_) => {
                let width = usize::from(symbol >> 4 & 0x0f);
                let distance = (1 << width) + bits.take(width);
                let length = length(&mut bits, usize::from(symbol & 0x0f))?;
                copy_back(out, distance, length, limit)?;
            }
        }
    }
    bits.is_sound().then(|| TABLE + bits.position())
}

/// Reads a length: a long one continues in one byte, a longer one in two more, which hold the whole length.
fn length(bits: &mut Bits<'_>, short: usize) -> Option<usize> {
    if short < 15 {
        return Some(short + SHORTEST);
    }
    let long = match bits.byte()? {
        0xff => usize::from(u16::from_le_bytes([bits.byte()?, bits.byte()?])),
        more => 15 + usize::from(more),
    };
    (long >= 15).then_some(long + SHORTEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the example of [MS-XCA] 3.2 that repeats `abc` a hundred times: words of three bits for `a` and
    /// `b`, of two for `c`, the end and the match.
    fn example() -> Vec<u8> {
        let mut packed = vec![0; TABLE];
        packed[48] = 0x30;
        packed[49] = 0x23;
        packed[128] = 0x02;
        packed[143] = 0x20;
        packed.extend([0xa8, 0xdc, 0, 0, 0xff, 0x26, 0x01]);
        packed
    }

    #[test]
    fn the_example_of_the_specification_is_read() {
        assert_eq!(expand(&example(), 300), Some(b"abc".repeat(100)));
    }

    #[test]
    fn a_stream_begins_a_new_code_after_each_block() {
        // Two blocks with one word each for `a` and for a match that continues: 64 KiB of `a`, then 9 more.
        let block = |length: u16| {
            let mut packed = vec![0; TABLE];
            packed[48] = 0x10;
            packed[(256 + 15) / 2] = 0x10;
            packed.extend([0, 0x40, 0, 0, 0xff]);
            packed.extend((length - 4).to_le_bytes());
            packed
        };
        let mut packed = block(u16::MAX);
        let first = packed.len();
        assert_eq!(expand_xpress_huffman(&packed, 1 << 16), Some(vec![b'a'; 1 << 16]));
        packed.extend(block(24));
        assert_eq!(expand_xpress_huffman(&packed, (1 << 16) + 24), Some(vec![b'a'; (1 << 16) + 24]));
        assert_eq!(
            expand_xpress_huffman(&packed[..first], (1 << 16) + 24),
            None,
            "the second block is missing"
        );
        assert_eq!(expand_xpress_huffman(&[], 0), Some(Vec::new()));
    }

    #[test]
    fn what_ends_early_or_leads_out_is_damaged() {
        let packed = example();
        assert_eq!(expand(&packed[..TABLE + 6], 300), None, "the length is cut");
        assert_eq!(expand(&packed[..TABLE], 300), None);
        assert_eq!(expand(&packed[..9], 300), None);
        assert_eq!(expand(&packed, 299), None, "a match of more than is left");
        assert_eq!(expand(&packed, 400), None, "more than was compressed");
    }
}
