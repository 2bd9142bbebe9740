//! LZNT1 ([MS-XCA] 2.5): chunks of 4096 bytes, greedy matches.

const CHUNK: usize = 4096;

/// The minimum length of a back reference.
const SHORTEST: usize = 3;

/// Compresses bytes; every chunk starts anew.
pub(crate) fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in bytes.chunks(CHUNK) {
        let packed = compress_chunk(chunk);
        // Only a complete chunk can be stored uncompressed: readers expect 4096 bytes of it.
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
    let mut last = Places([0; PLACES]);
    let mut at = 0;
    while at < chunk.len() {
        let group = out.len();
        out.push(0);
        for bit in 0..8 {
            if at >= chunk.len() {
                break;
            }
            let length = match last.found(chunk, at) {
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
                last.note(chunk, position);
            }
            at += length;
        }
    }
    out
}

const PLACES: usize = 4096;

/// The last position, counted from 1, of three bytes with the same key; 0 for none.
struct Places([u16; PLACES]);

impl Places {
    fn key(chunk: &[u8], at: usize) -> Option<usize> {
        let [a, b, c] = *chunk.get(at..)?.first_chunk::<SHORTEST>()?;
        Some((usize::from(a) << 6 ^ usize::from(b) << 3 ^ usize::from(c)) % PLACES)
    }

    fn note(&mut self, chunk: &[u8], at: usize) {
        if let (Some(key), Ok(place)) = (Self::key(chunk, at), u16::try_from(at + 1)) {
            self.0[key] = place;
        }
    }

    /// Returns the distance to an earlier occurrence of the next bytes, and the length of the match.
    fn found(&self, chunk: &[u8], at: usize) -> Option<(usize, usize)> {
        let from = usize::from(self.0[Self::key(chunk, at)?]).checked_sub(1)?;
        let limit = (1 << length_bits(at)) - 1 + SHORTEST;
        let alike = chunk[at..].iter().zip(&chunk[from..]).take(limit).take_while(|(a, b)| a == b).count();
        (alike >= SHORTEST).then_some((at - from, alike))
    }
}

/// Returns the number of length bits in a back reference: fewer, the more bytes precede it.
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
