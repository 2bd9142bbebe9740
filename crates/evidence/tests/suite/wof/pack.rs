//! Compressors for the output of `text`: small, and written from the formats, not from the reader.

use testkit::ntfs::sample::noise;

/// The bytes for which both compressors have code words; the other four of their sixteen words are matches.
pub(crate) const LETTERS: &[u8; 12] = b"abcdefghijkl";

/// Returns text of these letters with runs, and with repeats from 3, 5, 7, and 14 to 21 bytes back.
pub(crate) fn text(seed: u64, length: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for pair in noise(seed, length + 2).chunks_exact(2) {
        match pair[0] {
            0..200 => out.push(LETTERS[usize::from(pair[0]) % LETTERS.len()]),
            200..210 => out.extend([LETTERS[usize::from(pair[0]) % LETTERS.len()]].repeat(300)),
            _ => {
                let back = [3, 5, 7, 14, 15, 16, 17, 18, 19, 20, 21][usize::from(pair[0]) % 11];
                for _ in 0..20 + u32::from(pair[1]) {
                    out.push(out.len().checked_sub(back).map_or(b'a', |from| out[from]));
                }
            }
        }
    }
    out.truncate(length);
    out
}

/// Returns how many bytes at `at` equal those from `distance` back, up to a limit.
fn alike(bytes: &[u8], at: usize, distance: usize, limit: usize) -> usize {
    let Some(from) = at.checked_sub(distance) else { return 0 };
    bytes[at..].iter().zip(&bytes[from..]).take(limit).take_while(|(a, b)| a == b).count()
}

/// Compresses with XPRESS Huffman: [MS-XCA] 2.1.4.
pub(crate) fn xpress(chunk: &[u8]) -> Vec<u8> {
    // Matches with a long length, by the number of bits of their distance: from 1, 2, 4 and 8 bytes back on.
    let matches = (0..4).map(|width| 256 + 16 * width + 15);
    let symbols: Vec<usize> = LETTERS.iter().map(|letter| usize::from(*letter)).chain(matches).collect();
    let mut out = vec![0; 256];
    symbols.iter().for_each(|symbol| out[symbol / 2] |= 4 << (4 * (symbol % 2)));
    let word = |symbol| symbols.iter().position(|found| *found == symbol).unwrap();
    let mut bits = Interleaved::new(out);
    let mut at = 0;
    while at < chunk.len() {
        let found = (1..16).map(|distance: usize| (distance, alike(chunk, at, distance, 60_000)));
        let (distance, length) = found.max_by_key(|(_, length)| *length).unwrap();
        if length < 18 {
            bits.put(word(chunk[at].into()), 4);
            at += 1;
            continue;
        }
        let width = usize::try_from(distance.ilog2()).unwrap();
        bits.put(word(256 + 16 * width + 15), 4);
        match u8::try_from(length - 18) {
            Ok(long @ 0..=254) => bits.out.push(long),
            _ => {
                bits.out.push(255);
                bits.out.extend(u16::try_from(length - 3).unwrap().to_le_bytes());
            }
        }
        bits.put(distance - (1 << width), width);
        at += length;
    }
    bits.out
}

/// Bit words whose places are reserved two ahead, as the reader takes them, with bytes between them.
struct Interleaved {
    out: Vec<u8>,
    places: [usize; 2],
    buffer: usize,
    free: usize,
}

impl Interleaved {
    fn new(mut out: Vec<u8>) -> Self {
        let at = out.len();
        out.extend([0; 4]);
        Self { out, places: [at, at + 2], buffer: 0, free: 16 }
    }

    fn put(&mut self, value: usize, count: usize) {
        for bit in (0..count).rev() {
            if self.free == 0 {
                self.places = [self.places[1], self.out.len()];
                self.out.extend([0; 2]);
                (self.free, self.buffer) = (16, 0);
            }
            self.free -= 1;
            self.buffer |= (value >> bit & 1) << self.free;
            let word = u16::try_from(self.buffer).unwrap().to_le_bytes();
            self.out[self.places[0]..][..2].copy_from_slice(&word);
        }
    }
}

/// Compresses with the LZX of WIM files: `stored` bytes in an uncompressed block, a verbatim block, an aligned one.
pub(crate) fn lzx(chunk: &[u8], stored: usize) -> Vec<u8> {
    let bytes = absolute_calls(chunk);
    let mut lzx = Lzx { bits: Vec::new(), old: vec![0; 496 + 249] };
    let mut at = 0;
    if stored > 0 {
        lzx.header(3, stored);
        lzx.align();
        let mut block: Vec<u8> = [7u32, 5, 3].into_iter().flat_map(u32::to_le_bytes).collect();
        block.extend(&bytes[..stored]);
        block.resize(block.len().next_multiple_of(2), 0);
        block.chunks(2).for_each(|word| lzx.put(usize::from(word[0]) | usize::from(word[1]) << 8, 16));
        at = stored;
    }
    let mut recent = if stored > 0 { [7, 5, 3] } else { [1, 1, 1] };
    let middle = at + (bytes.len() - at) / 2;
    for (kind, end) in [(1, middle), (2, bytes.len())] {
        if at < end {
            lzx.header(kind, end - at);
            lzx.matches(&bytes[..end], at, kind == 2, &mut recent);
            at = end;
        }
    }
    lzx.finish()
}

struct Lzx {
    bits: Vec<bool>,
    /// Word lengths of both codes.
    old: Vec<usize>,
}

impl Lzx {
    fn put(&mut self, value: usize, count: usize) {
        self.bits.extend((0..count).rev().map(|bit| value >> bit & 1 == 1));
    }

    fn header(&mut self, kind: usize, size: usize) {
        self.put(kind, 3);
        if size == 32_768 {
            self.put(1, 1);
        } else {
            self.put(size, 17);
        }
    }

    /// Moves to the next word; a word that was not begun is skipped.
    fn align(&mut self) {
        let end = (self.bits.len() / 16 + 1) * 16;
        self.bits.resize(end, false);
    }

    fn matches(&mut self, bytes: &[u8], mut at: usize, aligned: bool, recent: &mut [usize; 3]) {
        // Slots 0 to 2 are the last distances, slot 8 has those from 14 to 21; all with a long length.
        const MATCHES: [usize; 4] = [256 + 7, 256 + 15, 256 + 23, 256 + 71];
        if aligned {
            [1, 2, 3, 4, 5, 6, 7, 7].into_iter().for_each(|length| self.put(length, 3));
        }
        let mut symbols: Vec<usize> = LETTERS.iter().map(|letter| usize::from(*letter)).collect();
        symbols.extend(MATCHES);
        let main = |range: std::ops::Range<usize>| -> Vec<usize> {
            range.map(|symbol| if symbols.contains(&symbol) { 4 } else { 0 }).collect()
        };
        self.lengths(0, &main(0..256));
        self.lengths(256, &main(256..496));
        self.lengths(496, &(0..249).map(|symbol| if symbol < 16 { 4 } else { 0 }).collect::<Vec<_>>());
        let word = |symbol| symbols.iter().position(|found| *found == symbol).unwrap();
        while at < bytes.len() {
            let last = recent.map(|distance| alike(bytes, at, distance, 24));
            let (slot, last) = last.into_iter().enumerate().max_by_key(|(_, length)| *length).unwrap();
            let far = (14..22).map(|distance| (distance, alike(bytes, at, distance, 24)));
            let (distance, length) = far.max_by_key(|(_, length)| *length).unwrap();
            let length = if last >= 9 {
                self.put(word(MATCHES[slot]), 4);
                self.put(last - 9, 4);
                recent.swap(0, slot);
                last
            } else if length >= 9 {
                self.put(word(MATCHES[3]), 4);
                self.put(length - 9, 4);
                match (aligned, distance - 14) {
                    (false, low) => self.put(low, 3),
                    (true, 7) => self.put(0x7f, 7),
                    (true, low) => self.put((1 << (low + 1)) - 2, low + 1),
                }
                *recent = [distance, recent[0], recent[1]];
                length
            } else {
                self.put(word(bytes[at].into()), 4);
                1
            };
            at += length;
        }
    }

    /// Writes word lengths of 0 or 4, encoded by the words of 0, 13 (from 0 to 4), 17 and 18 (runs of zeros),
    /// two bits each.
    fn lengths(&mut self, base: usize, lengths: &[usize]) {
        (0..20).for_each(|symbol| self.put(if [0, 13, 17, 18].contains(&symbol) { 2 } else { 0 }, 4));
        let mut at = 0;
        while at < lengths.len() {
            let zeros = lengths[at..].iter().take_while(|length| **length == 0).count();
            let run = match zeros {
                20.. => {
                    self.put(0b11, 2);
                    self.put(zeros.min(51) - 20, 5);
                    zeros.min(51)
                }
                4..20 => {
                    self.put(0b10, 2);
                    self.put(zeros - 4, 4);
                    zeros
                }
                _ => {
                    let changed = lengths[at] != self.old[base + at];
                    self.put(usize::from(changed), 2);
                    1
                }
            };
            at += run;
        }
        self.old[base..base + lengths.len()].copy_from_slice(lengths);
    }

    fn finish(self) -> Vec<u8> {
        let words = self.bits.chunks(16).map(|bits| {
            bits.iter().enumerate().fold(0u16, |word, (at, bit)| word | u16::from(*bit) << (15 - at))
        });
        words.flat_map(u16::to_le_bytes).collect()
    }
}

/// Applies what LZX does to calls before it compresses.
fn absolute_calls(chunk: &[u8]) -> Vec<u8> {
    const FILE: i32 = 12_000_000;
    let mut bytes = chunk.to_vec();
    let mut at = 0;
    while at + 10 < bytes.len() {
        if bytes[at] != 0xe8 {
            at += 1;
            continue;
        }
        let place = i32::try_from(at).unwrap();
        let target = &mut bytes[at + 1..at + 5];
        let relative = i32::from_le_bytes(target.try_into().unwrap());
        if (-place..FILE).contains(&relative) {
            let absolute = if relative < FILE - place { relative + place } else { relative - FILE };
            target.copy_from_slice(&absolute.to_le_bytes());
        }
        at += 5;
    }
    bytes
}
