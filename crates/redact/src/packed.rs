//! Bytes written in a text as base64, base32 or hex digits, decoded as text: each character keeps its place in
//! the text.

use crate::inflate::{BUDGET, inflated};
use crate::unescape::Letter;

/// The fewest letters of a value that is searched for in base64: shorter ones match by chance.
pub(crate) const IN_BASE64: usize = 5;
/// The same in hex digits.
pub(crate) const IN_HEX: usize = 4;
/// The shortest line of base64 that may continue in the next one.
const LINE: usize = 60;

/// Separates two texts: no value contains it.
const BETWEEN: char = '\u{ffff}';

/// Digits that encode bytes: the value of each, and its place.
type Run = Vec<(u8, usize)>;

/// Decoded bytes, and the digits that encoded each.
#[derive(Debug)]
struct Decoded {
    bytes: Vec<u8>,
    digits: Vec<(usize, usize)>,
    /// How much may still be expanded.
    budget: u64,
}

impl Default for Decoded {
    fn default() -> Decoded {
        Decoded { bytes: Vec::new(), digits: Vec::new(), budget: BUDGET }
    }
}

/// Decodes every run of base64, in either alphabet, from each possible start of a group.
pub(crate) fn base64(text: &str) -> Vec<Letter> {
    let bytes = text.as_bytes();
    let (mut out, mut decoded, mut run) = (Vec::new(), Decoded::default(), Run::new());
    let mut at = 0;
    while let Some(start) = position(bytes, at, |byte| sextet(byte).is_some()) {
        let end = position(bytes, start, |byte| sextet(byte).is_none()).unwrap_or(bytes.len());
        let line = bytes.get(start..end).unwrap_or_default();
        // Words and hashes in lower case are not base64 of a text, which contains capitals.
        if !run.is_empty() || line.iter().any(u8::is_ascii_uppercase) {
            run.extend(line.iter().zip(start..).filter_map(|(byte, place)| Some((sextet(*byte)?, place))));
        }
        at = position(bytes, end, |byte| !matches!(byte, b'\r' | b'\n')).unwrap_or(bytes.len());
        if line.len() < LINE || at == end {
            read_base64(&run, &mut decoded, &mut out);
            run.clear();
        }
    }
    read_base64(&run, &mut decoded, &mut out);
    out
}

/// Returns the first place, from this one on, of a byte with this property.
fn position(bytes: &[u8], from: usize, is: impl Fn(u8) -> bool) -> Option<usize> {
    bytes.get(from..)?.iter().position(|byte| is(*byte)).map(|at| from + at)
}

const fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

fn read_base64(run: &Run, decoded: &mut Decoded, out: &mut Vec<Letter>) {
    if run.len() * 6 < IN_BASE64 * 8 {
        return;
    }
    for shift in 0..4 {
        decoded.clear();
        for group in run.get(shift..).unwrap_or_default().chunks(4) {
            for (pair, at) in group.windows(2).zip(1u8..) {
                let [(high, from), (low, to)] = pair else { continue };
                decoded.push(high << (2 * at) | low >> (6 - 2 * at), *from, *to);
            }
        }
        decoded.read(IN_BASE64, out);
    }
}

/// Decodes every run of upper-case base32 (RFC 4648, section 6), from each possible start of a group.
pub(crate) fn base32(text: &str) -> Vec<Letter> {
    let (mut out, mut decoded) = (Vec::new(), Decoded::default());
    let mut at = 0;
    let bytes = text.as_bytes();
    while let Some(start) = position(bytes, at, |byte| quintet(byte).is_some()) {
        at = position(bytes, start, |byte| quintet(byte).is_none()).unwrap_or(bytes.len());
        let digits = bytes.get(start..at).unwrap_or_default().iter().filter_map(|byte| quintet(*byte));
        let run: Run = digits.zip(start..).collect();
        for shift in (0..8).filter(|shift| (run.len() - shift.min(&run.len())) * 5 >= IN_BASE64 * 8) {
            decoded.clear();
            run.get(shift..).unwrap_or_default().chunks(8).for_each(|group| decoded.push_base32(group));
            decoded.read(IN_BASE64, &mut out);
        }
    }
    out
}

const fn quintet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'2'..=b'7' => Some(byte - b'2' + 26),
        _ => None,
    }
}

/// Decodes every run of hex digits, with a space, a colon, a hyphen, a comma or nothing between bytes.
pub(crate) fn hex(text: &str) -> Vec<Letter> {
    let (mut out, mut decoded, mut run) = (Vec::new(), Decoded::default(), Run::new());
    let mut apart = false;
    for (place, byte) in text.bytes().enumerate() {
        match digit(byte) {
            Some(digit) => {
                apart = false;
                run.push((digit, place));
            }
            None if matches!(byte, b' ' | b':' | b'-' | b',') && !apart && !run.is_empty() => apart = true,
            None => {
                read_hex(&run, &mut decoded, &mut out);
                run.clear();
                apart = false;
            }
        }
    }
    read_hex(&run, &mut decoded, &mut out);
    out
}

const fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

fn read_hex(run: &Run, decoded: &mut Decoded, out: &mut Vec<Letter>) {
    if run.len() < IN_HEX * 2 {
        return;
    }
    for shift in 0..2 {
        decoded.clear();
        for pair in run.get(shift..).unwrap_or_default().chunks_exact(2) {
            let [(high, from), (low, to)] = pair else { continue };
            decoded.push(high << 4 | low, *from, *to);
        }
        decoded.read(IN_HEX, out);
    }
}

impl Decoded {
    fn clear(&mut self) {
        self.bytes.clear();
        self.digits.clear();
    }

    fn push(&mut self, byte: u8, first: usize, last: usize) {
        self.bytes.push(byte);
        self.digits.push((first, last + 1));
    }

    /// Appends the complete bytes in a group of eight digits.
    fn push_base32(&mut self, group: &[(u8, usize)]) {
        let (mut bits, mut held, mut first) = (0u16, 0, None);
        for (digit, place) in group {
            let from = *first.get_or_insert(*place);
            bits = bits << 5 | u16::from(*digit);
            held += 5;
            if held >= 8 {
                held -= 8;
                self.push((bits >> held) as u8, from, *place);
                // The digit that ends one byte also begins the next.
                first = (held > 0).then_some(*place);
                bits &= (1 << held) - 1;
            }
        }
    }

    /// Appends those bytes that may be text of at least `least` letters, as UTF-8 and as UTF-16.
    fn read(&mut self, least: usize, out: &mut Vec<Letter>) {
        // NULs are skipped, so this also covers UTF-16 of ASCII, in either byte order.
        let (first, mut kept) = (out.len(), out.len());
        let (mut letters, mut at) = (0, 0);
        while let Some(rest) = self.bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let (c, length) = character(rest).unwrap_or((BETWEEN, 1));
            if c != BETWEEN && c != '\0' {
                self.push_letter(c, at, length, out);
                letters += 1;
            }
            at += length;
            if c == BETWEEN || at == self.bytes.len() {
                // Most bytes are not text, and are not searched.
                match letters >= least {
                    true => self.push_letter(BETWEEN, 0, 1, out),
                    false => out.truncate(kept),
                }
                (letters, kept) = (0, out.len());
            }
        }
        if let Some(high) = high_byte(&self.bytes) {
            self.read_utf16(high, out);
        }
        self.read_inflated(out);
        if out.len() > first {
            self.push_letter(BETWEEN, 0, 1, out);
        }
    }

    /// Appends the expanded content of compressed bytes: each letter has the place of all the bytes.
    fn read_inflated(&mut self, out: &mut Vec<Letter>) {
        let Some(text) = inflated(&self.bytes, &mut self.budget) else { return };
        self.push_letter(BETWEEN, 0, 1, out);
        let (from, to) = (self.digits.first().map_or(0, |it| it.0), self.digits.last().map_or(0, |it| it.1));
        out.extend(text.chars().map(|c| Letter { c, from, to }));
    }

    fn read_utf16(&self, high: usize, out: &mut Vec<Letter>) {
        self.push_letter(BETWEEN, 0, 1, out);
        for (pair, at) in self.bytes.chunks_exact(2).zip((0..).step_by(2)) {
            let [first, second] = pair else { continue };
            let unit = if high == 1 { [*second, *first] } else { [*first, *second] };
            let c = char::from_u32(u16::from_be_bytes(unit).into()).unwrap_or(BETWEEN);
            if c != '\0' {
                self.push_letter(c, at, 2, out);
            }
        }
    }

    /// Appends a letter that was encoded in these bytes.
    fn push_letter(&self, c: char, at: usize, length: usize, out: &mut Vec<Letter>) {
        let from = self.digits.get(at).map_or(0, |it| it.0);
        let to = self.digits.get(at + length - 1).map_or(from, |it| it.1);
        out.push(Letter { c, from, to });
    }
}

/// Returns the character at the start of bytes, and its length in bytes; `None` if they are not text.
fn character(bytes: &[u8]) -> Option<(char, usize)> {
    let first = *bytes.first()?;
    let length = match first {
        0 | b'\t' | b'\n' | b'\r' | b' '..=b'~' => return Some((char::from(first), 1)),
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return None,
    };
    let c = std::str::from_utf8(bytes.get(..length)?).ok()?.chars().next()?;
    Some((c, length))
}

/// Checks whether bytes are non-ASCII UTF-16; returns which of two is the high byte.
fn high_byte(bytes: &[u8]) -> Option<usize> {
    let small = |at: usize| bytes.iter().skip(at).step_by(2).filter(|byte| **byte < 0x10).count();
    let high = usize::from(small(1) >= small(0));
    let is_wide = bytes.len() >= 6 && small(high) * 8 >= bytes.len() * 3;
    let is_beyond =
        || bytes.iter().any(|byte| *byte >= 0x80) || bytes.iter().skip(high).step_by(2).any(|byte| *byte > 0);
    (is_wide && is_beyond()).then_some(high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

    fn text(letters: &[Letter]) -> String {
        letters.iter().map(|letter| letter.c).collect()
    }

    fn units(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(order).collect()
    }

    #[test]
    fn base64_is_read_wherever_a_group_begins() {
        let value = "Jörg Ельцин";
        for bytes in
            [value.as_bytes().to_vec(), units(value, u16::to_le_bytes), units(value, u16::to_be_bytes)]
        {
            for before in ["", " ", "x", "xy", "xyz"] {
                let written = format!("{before}{}", STANDARD.encode(&bytes));
                let letters = base64(&written);
                assert!(text(&letters).contains(value), "{written}: {}", text(&letters));
            }
            assert!(text(&base64(&URL_SAFE_NO_PAD.encode(&bytes))).contains(value));
        }
        let long = STANDARD.encode(format!("{}Mara Ellingsen", "x".repeat(50)));
        let (first, second) = long.split_at(64);
        assert!(text(&base64(&format!("{first}\r\n{second}"))).contains("Mara Ellingsen"));
        assert!(base64("administrator, 0a1b2c3d4e5f60718293").is_empty());
    }

    #[test]
    fn hex_digits_are_read_with_and_without_anything_between() {
        for written in [
            "4d617261",
            "x4D617261",
            "a4d617261",
            "4d 61 72 61",
            "4D:61:72:61",
            "4d-61-72-61",
            "4d00610072006100",
        ] {
            assert!(text(&hex(written)).contains("Mara"), "{written}");
        }
        assert!(text(&hex("15043b044c0446043804")).contains("Ельци"));
        assert!(hex("12 3g 45").is_empty());
    }

    #[test]
    fn base32_and_what_is_compressed_are_read() {
        for written in ["JVQXEYJAIVWGY2LOM5ZWK3Q=", "AJVQXEYJAIVWGY2LOM5ZWK3Q", "CDEJVQXEYJAIVWGY2LOM5ZWK3Q"]
        {
            assert!(text(&base32(written)).contains("Mara Ellingsen"), "{written}");
        }
        let letters = base32("é JVQXEYJAIVWGY2LOM5ZWK3Q=");
        assert_eq!((letters[0].c, letters[0].from, letters[13].to), ('M', 3, 26));
        assert!(base32("administrator ADMIN 2024").is_empty());
        for (pack, name) in [(true, "gzip"), (false, "zlib")] {
            let packed = compressed("x Mara Ellingsen", pack);
            for written in [STANDARD.encode(&packed), format!("ab {}", STANDARD.encode(&packed))] {
                assert!(text(&base64(&written)).contains("Mara Ellingsen"), "{name}");
            }
        }
        // A stream that expands enormously costs no more than its limit.
        let bomb = STANDARD.encode(compressed(&"a".repeat(10_000_000), true));
        assert!(base64(&bomb).len() < 1_000_000);
    }

    fn compressed(text: &str, gzip: bool) -> Vec<u8> {
        use flate2::{Compression, write::GzEncoder, write::ZlibEncoder};
        use std::io::Write;
        if gzip {
            let mut out = GzEncoder::new(Vec::new(), Compression::default());
            out.write_all(text.as_bytes()).unwrap();
            return out.finish().unwrap();
        }
        let mut out = ZlibEncoder::new(Vec::new(), Compression::default());
        out.write_all(text.as_bytes()).unwrap();
        out.finish().unwrap()
    }

    #[test]
    fn every_letter_has_a_place_in_the_text() {
        let written = "é TWFyYSBFbGxpbmdzZW4= 4d6172612045 é";
        for letters in [base64(written), hex(written)] {
            assert!(letters.iter().all(|it| it.from <= it.to && written.get(it.from..it.to).is_some()));
        }
        let letters = base64(written);
        let at = letters.iter().position(|it| it.c == 'M').unwrap();
        assert_eq!((letters[at].from, letters[at + 3].to), (3, 9));
    }
}
