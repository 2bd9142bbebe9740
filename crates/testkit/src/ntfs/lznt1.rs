//! LZNT1 ([MS-XCA] 2.5): chunks of 4096 bytes, greedy matches.

use std::collections::HashMap;

const CHUNK: usize = 4096;

/// Fewest bytes that a back reference copies.
const SHORTEST: usize = 3;

/// Compresses; every chunk begins anew.
pub(crate) fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in bytes.chunks(CHUNK) {
        let packed = compress_chunk(chunk);
        // A chunk stored as it is must be whole: readers expect 4096 bytes of it.
        let (flag, body) = if packed.len() < CHUNK {
            (0xb000, packed)
        } else {
            let mut whole = chunk.to_vec();
            whole.resize(CHUNK, 0);
            (0x3000, whole)
        };
        let header = flag | u16::try_from(body.len() - 1).unwrap_or(0x0fff);
        out.extend(header.to_le_bytes());
        out.extend(body);
    }
    out
}

fn compress_chunk(chunk: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut last: HashMap<[u8; SHORTEST], usize> = HashMap::new();
    let mut at = 0;
    while at < chunk.len() {
        let group = out.len();
        out.push(0);
        for bit in 0..8 {
            if at >= chunk.len() {
                break;
            }
            let length = match found(chunk, at, &last) {
                Some((distance, length)) => {
                    let shift = length_bits(at);
                    let token = (distance - 1) << shift | (length - SHORTEST);
                    out[group] |= 1 << bit;
                    out.extend(u16::try_from(token).unwrap_or(0).to_le_bytes());
                    length
                }
                None => {
                    out.push(chunk[at]);
                    1
                }
            };
            for position in at..at + length {
                if let Some(key) = chunk[position..].first_chunk() {
                    last.insert(*key, position);
                }
            }
            at += length;
        }
    }
    out
}

/// The last place where the next three bytes stood, and how far both go on alike.
fn found(chunk: &[u8], at: usize, last: &HashMap<[u8; SHORTEST], usize>) -> Option<(usize, usize)> {
    let from = *last.get(chunk[at..].first_chunk()?)?;
    let limit = (1 << length_bits(at)) - 1 + SHORTEST;
    let alike = chunk[at..].iter().zip(&chunk[from..]).take(limit).take_while(|(a, b)| a == b).count();
    Some((at - from, alike))
}

/// Bits of a back reference that tell its length: fewer, the more bytes lie before.
fn length_bits(at: usize) -> u32 {
    let mut bits = 12;
    let mut reach = 0x10;
    while at > reach {
        bits -= 1;
        reach <<= 1;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compressed_is_read_again() {
        let text: Vec<u8> = (0..30_000u32).flat_map(|n| format!("line {}\n", n % 700).into_bytes()).collect();
        for bytes in [&text[..], &text[..4097], &text[..17], &[0; 9000], b"a"] {
            let packed = compress(bytes);
            let mut out = Vec::new();
            ntfs_core::decompress(&packed, &mut out).unwrap();
            assert!(out == bytes, "{} bytes", bytes.len());
        }
        assert!(compress(&text).len() < text.len() / 2);
    }
}
