//! Tar header blocks, and the records of pax.

use super::Bytes;
use crate::archive::stamp::Stamp;

/// Bytes of a block.
pub(super) const BLOCK: usize = 512;

/// The fields of a header block.
pub(super) struct Header {
    pub(super) name: Vec<u8>,
    pub(super) target: Vec<u8>,
    pub(super) size: u64,
    /// Seconds since 1970.
    pub(super) modified: Option<i64>,
    /// The type flag.
    pub(super) kind: u8,
    /// For a sparse file (GNU): its expanded size.
    pub(super) real_size: u64,
}

impl Header {
    /// Reads a block; `None` if its checksum is wrong.
    pub(super) fn read(block: &[u8]) -> Option<Header> {
        if !is_header(block) {
            return None;
        }
        let field = |from: usize, bytes: usize| block.get(from..from + bytes).unwrap_or_default();
        let text = |from, bytes| field(from, bytes).split(|byte| *byte == 0).next().unwrap_or_default();
        let (mut name, prefix) = (text(0, 100).to_vec(), text(345, 155));
        // GNU tar stores times where ustar has the prefix.
        if field(257, 6) == b"ustar\0" && !prefix.is_empty() {
            name = [prefix, name.as_slice()].join(&b'/');
        }
        let modified = number(field(136, 12)).and_then(|number| i64::try_from(number).ok());
        Some(Header {
            name,
            target: text(157, 100).to_vec(),
            size: number(field(124, 12))?,
            modified,
            kind: block.get(156).copied().unwrap_or_default(),
            real_size: number(field(483, 12)).unwrap_or_default(),
        })
    }

    /// Checks whether data follows the header: links, devices and folders may have a size but no data.
    pub(super) fn has_data(&self) -> bool {
        !matches!(self.kind, b'1'..=b'6')
    }
}

/// Checks whether a block is a header: its checksum is the sum of its bytes, with the checksum field counted as
/// blanks.
pub(crate) fn is_header(block: &[u8]) -> bool {
    let Some(block) = block.get(..BLOCK) else { return false };
    let blank = |at: usize| (148..156).contains(&at);
    let bytes = || block.iter().enumerate().map(|(at, byte)| if blank(at) { b' ' } else { *byte });
    let unsigned: u64 = bytes().map(u64::from).sum();
    // Some systems sum the bytes as signed numbers.
    let signed: i64 = bytes().map(|byte| i64::from(i8::from_le_bytes([byte]))).sum();
    let told = number(block.get(148..156).unwrap_or_default());
    let named = block.first().is_some_and(|first| *first != 0) || block.get(257..262) == Some(b"ustar");
    named && told.is_some_and(|told| told == unsigned || i64::try_from(told).is_ok_and(|told| told == signed))
}

/// Reads a number: octal digits, or big-endian if the first bit is set (GNU); `None` for anything else.
fn number(field: &[u8]) -> Option<u64> {
    if let Some(first @ 0x80..) = field.first().copied() {
        // A negative number begins with 0xff.
        let mut bytes = field.get(1..)?.iter();
        let start = u64::from(first & 0x7f);
        return bytes.try_fold(start, |number, byte| Some(number.checked_mul(256)? | u64::from(*byte)));
    }
    let blank = |byte: &u8| matches!(byte, b' ' | 0);
    let digits = field.split(blank).find(|digits| !digits.is_empty()).unwrap_or_default();
    let octal = |number: u64, digit: &u8| match digit {
        b'0'..=b'7' => number.checked_mul(8)?.checked_add(u64::from(digit - b'0')),
        _ => None,
    };
    digits.iter().try_fold(0, octal)
}

/// Skips an extension of a sparse header (GNU), if the block before `data` says that one follows.
///
/// At most 4,096 are skipped: no collected file has more than 80,000 holes.
pub(super) fn more(bytes: &mut Bytes, data: &mut u64, start: u64) -> bool {
    let block = BLOCK as u64;
    let flag = if *data == start.saturating_add(block) { 482 } else { 504 };
    let at = data.saturating_sub(block).saturating_add(flag);
    let (extended, _) = bytes.take(at, 1);
    let goes_on =
        extended.first().is_some_and(|flag| *flag != 0) && *data < start.saturating_add(block * 4096);
    if goes_on {
        *data = data.saturating_add(block);
    }
    goes_on
}

/// Reads the records of an extended header (`length key=value` and a line feed), up to the first malformed one.
pub(super) fn records(text: &[u8], visit: &mut dyn FnMut(&[u8], &[u8])) {
    let mut rest = text;
    while let Some(blank) = rest.iter().position(|byte| *byte == b' ') {
        let length = rest.get(..blank).and_then(|digits| std::str::from_utf8(digits).ok());
        let Some(length) = length.and_then(|digits| digits.parse::<usize>().ok()) else { return };
        let Some((record, next)) = rest.split_at_checked(length) else { return };
        let Some(record) = record.get(blank + 1..).and_then(|record| record.strip_suffix(b"\n")) else {
            return;
        };
        if let Some(equals) = record.iter().position(|byte| *byte == b'=') {
            visit(record.get(..equals).unwrap_or_default(), record.get(equals + 1..).unwrap_or_default());
        }
        rest = next;
    }
}

/// Reads a pax time: seconds with decimal places, of which at most nine are kept.
pub(super) fn stamp(value: &[u8]) -> Stamp {
    let Ok(text) = std::str::from_utf8(value) else { return Stamp::None };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let Ok(seconds) = whole.parse::<i64>() else { return Stamp::None };
    let digits: String = fraction.chars().chain("000000000".chars()).take(9).collect();
    match (digits.parse::<u32>(), whole.starts_with('-')) {
        (Ok(0), _) => Stamp::Seconds(seconds),
        (Ok(nanoseconds), false) => Stamp::Nanoseconds(seconds, nanoseconds),
        // Before 1970 the fraction counts backwards.
        (Ok(nanoseconds), true) => {
            Stamp::Nanoseconds(seconds.saturating_sub(1), 1_000_000_000_u32.saturating_sub(nanoseconds))
        }
        (Err(_), _) => Stamp::Seconds(seconds),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_octal_or_binary() {
        assert_eq!(number(b"0000644\0"), Some(0o644));
        assert_eq!(number(b"  644 \0\0"), Some(0o644));
        assert_eq!(number(&[0x80, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]), Some(1 << 32));
        assert_eq!(number(&[0xff; 12]), None);
        assert_eq!(number(b"12x"), None);
    }

    #[test]
    fn records_end_at_what_is_none() {
        let mut seen = Vec::new();
        records(b"12 path=a/b\n30 mtime=1333504720.000000005\n99 x=y\n", &mut |key, value| {
            seen.push((key.to_vec(), value.to_vec()));
        });
        assert_eq!(seen.len(), 2);
        assert_eq!(stamp(&seen[1].1), Stamp::Nanoseconds(1_333_504_720, 5));
        assert_eq!(stamp(b"-1.5"), Stamp::Nanoseconds(-2, 500_000_000));
    }
}
