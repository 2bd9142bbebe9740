//! The line, or the run of printable characters, around a hit.

use crate::text::{Encoding, PIECE, whole_characters};
use memchr::{memchr, memrchr};
use std::ops::Range;

/// Returns the line of a text file around `hit`, without byte order mark and line end.
/// Of a longer line it returns at most [`PIECE`] bytes around the hit.
///
/// `bytes` begin at `base` in the file; for UTF-16, `base` and the hit must be even.
/// They must extend [`PIECE`] bytes to either side of the hit, or to the ends of the file.
pub(crate) fn line(bytes: &[u8], base: u64, hit: &Range<usize>, encoding: Encoding) -> Range<usize> {
    let reach = PIECE.saturating_sub(hit.len());
    let (low, high) = (hit.start.saturating_sub(reach), (hit.end + reach).min(bytes.len()));
    let (before, after) = (slice(bytes, low..hit.start), slice(bytes, hit.end..high));
    let (start, end) = match encoding {
        Encoding::Utf16Le => {
            let is = |pair: &[u8], letter: u8| pair == [letter, 0];
            let feed = before.rchunks_exact(2).position(|pair| is(pair, b'\n'));
            let start = feed.map_or(low, |pairs| hit.start - pairs * 2);
            let feed = after.chunks_exact(2).position(|pair| is(pair, b'\n'));
            let end = feed.map(|pairs| hit.end + pairs * 2);
            (start, without_return(end, high, |at| is(slice(bytes, at.saturating_sub(2)..at), b'\r'), 2, hit))
        }
        Encoding::Utf8 | Encoding::Latin1 | Encoding::Hex => {
            let start = memrchr(b'\n', before).map_or(low, |at| low + at + 1);
            let end = memchr(b'\n', after).map(|at| hit.end + at);
            (start, without_return(end, high, |at| slice(bytes, at.saturating_sub(1)..at) == b"\r", 1, hit))
        }
    };
    let mark = encoding.mark().len();
    let marked = base == 0 && start == 0 && bytes.starts_with(encoding.mark()) && mark <= hit.start;
    fit(bytes, if marked { mark } else { start }..end, hit, encoding)
}

/// Returns the end of the line, without a carriage return before its line feed.
fn without_return(
    feed: Option<usize>,
    high: usize,
    is_return: impl Fn(usize) -> bool,
    unit: usize,
    hit: &Range<usize>,
) -> usize {
    match feed {
        Some(at) if at >= hit.end + unit && is_return(at) => at - unit,
        Some(at) => at,
        None => high,
    }
}

/// Returns the printable characters around `hit` in a file that is not text; at most [`PIECE`] bytes.
pub(crate) fn run(bytes: &[u8], hit: &Range<usize>, encoding: Encoding) -> Range<usize> {
    let reach = PIECE.saturating_sub(hit.len());
    let (low, high) = (hit.start.saturating_sub(reach), (hit.end + reach).min(bytes.len()));
    let (mut start, mut end) = (hit.start, hit.end);
    match encoding {
        Encoding::Utf16Le => {
            // Any two bytes are some UTF-16 character: outside the blocks of common alphabets, only the blocks of the hit continue a run.
            let (units, _) = slice(bytes, hit.clone()).as_chunks::<2>();
            let blocks: Vec<u8> = units.iter().map(|[_, high]| *high).filter(|high| *high != 0).collect();
            let goes_on = |pair: &[u8]| match pair {
                [low, high] => is_printable_unit(u16::from_le_bytes([*low, *high])) || blocks.contains(high),
                _ => false,
            };
            let before = slice(bytes, low..start).rchunks_exact(2).take_while(|pair| goes_on(pair)).count();
            let after = slice(bytes, end..high).chunks_exact(2).take_while(|pair| goes_on(pair)).count();
            (start, end) = (start - before * 2, end + after * 2);
        }
        Encoding::Utf8 | Encoding::Latin1 | Encoding::Hex => {
            while let Some(length) = last_printable(slice(bytes, low..start)) {
                start -= length;
            }
            while let Some(length) = first_printable(slice(bytes, end..high)) {
                end += length;
            }
        }
    }
    fit(bytes, start..end, hit, encoding)
}

/// Checks for tab and Latin, Greek, Cyrillic, Armenian, Hebrew and Arabic characters.
fn is_printable_unit(unit: u16) -> bool {
    matches!(unit, 0x09 | 0x20..=0x7E | 0xA0..=0x06FF)
}

/// Returns the length of the printable UTF-8 character at the beginning of `bytes`.
fn first_printable(bytes: &[u8]) -> Option<usize> {
    let head = bytes.get(..bytes.len().min(4))?;
    let letter = head.utf8_chunks().next()?.valid().chars().next()?;
    (letter == '\t' || !letter.is_control()).then(|| letter.len_utf8())
}

/// Returns the length of the printable UTF-8 character at the end of `bytes`.
fn last_printable(bytes: &[u8]) -> Option<usize> {
    let lead = bytes.iter().rev().take(4).position(|byte| byte & 0xC0 != 0x80)? + 1;
    first_printable(bytes.get(bytes.len() - lead..)?).filter(|length| *length == lead)
}

/// Returns at most [`PIECE`] bytes of `whole` around `hit`, cut between characters.
fn fit(bytes: &[u8], whole: Range<usize>, hit: &Range<usize>, encoding: Encoding) -> Range<usize> {
    let room = PIECE.saturating_sub(hit.len());
    let (before, after) = (hit.start - whole.start, whole.end - hit.end);
    let ahead = after.min(room - before.min(room / 2));
    let mut start = hit.start - before.min(room - ahead);
    let mut end = hit.end + ahead;
    // A line that continues past the bytes examined is cut, too.
    let cut = (before >= room || start > whole.start, after >= room || end < whole.end);
    match encoding {
        Encoding::Utf8 if cut.0 => {
            let part = |byte: &&u8| **byte & 0xC0 == 0x80;
            start += slice(bytes, start..hit.start).iter().take(3).take_while(part).count();
        }
        Encoding::Utf16Le if cut.0 => {
            start += (hit.start - start) % 2;
            if slice(bytes, start..hit.start).get(1).is_some_and(|high| (0xDC..0xE0).contains(high)) {
                start += 2;
            }
        }
        Encoding::Utf8 | Encoding::Utf16Le | Encoding::Latin1 | Encoding::Hex => {}
    }
    if cut.1 {
        end = end.min(start + whole_characters(slice(bytes, start..end), encoding)).max(hit.end);
    }
    start..end
}

pub(crate) fn slice(bytes: &[u8], range: Range<usize>) -> &[u8] {
    bytes.get(range).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wide(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    fn at(bytes: &[u8], wanted: &[u8]) -> Range<usize> {
        let start = memchr::memmem::find(bytes, wanted).unwrap();
        start..start + wanted.len()
    }

    #[test]
    fn a_line_ends_where_its_ends_stand() {
        for text in
            ["one\r\ntwo hit here\r\nthree", "two hit here", "\ntwo hit here\n", "\u{feff}two hit here\r\n"]
        {
            let bytes = text.as_bytes();
            let found = line(bytes, 0, &at(bytes, b"hit"), Encoding::Utf8);
            assert_eq!(slice(bytes, found), b"two hit here", "{text:?}");
            let bytes = &wide(text);
            let found = line(bytes, 0, &at(bytes, &wide("hit")), Encoding::Utf16Le);
            assert_eq!(slice(bytes, found), wide("two hit here"), "{text:?}");
        }
    }

    #[test]
    fn a_run_ends_where_bytes_are_no_text() {
        let bytes = b"\x00\xFFC:\\evil.exe\tgr\xC3\xBCn\x01more";
        assert_eq!(run(bytes, &at(bytes, b"evil"), Encoding::Utf8), 2..bytes.len() - 5);
        let bytes = [&b"\xFF\x01\x90"[..], &wide("C:\\evil.exe"), b"\0\0\x12\x90"].concat();
        assert_eq!(run(&bytes, &at(&bytes, &wide("evil")), Encoding::Utf16Le), 3..bytes.len() - 4);
    }

    proptest! {
        #[test]
        fn a_long_line_is_cut_between_characters(before in "[aä€😀]{0,3000}", after in "[aä€😀]{0,3000}", broad: bool) {
            let (bytes, hit, encoding) = if broad {
                (wide(&format!("{before}hit{after}")), wide(&before).len(), Encoding::Utf16Le)
            } else {
                (format!("{before}hit{after}").into_bytes(), before.len(), Encoding::Utf8)
            };
            let hit = hit..hit + 3 * encoding.unit();
            for found in [line(&bytes, 0, &hit, encoding), run(&bytes, &hit, encoding)] {
                prop_assert!(found.start <= hit.start && hit.end <= found.end && found.len() <= PIECE);
                prop_assert!(!crate::text::decode(slice(&bytes, found), encoding).1);
            }
            let found = line(&bytes, 0, &hit, encoding);
            prop_assert!(found.len() == bytes.len() || found.len() > PIECE - 8);
        }

        #[test]
        fn any_bytes_around_a_hit_are_survived(bytes in prop::collection::vec(any::<u8>(), 8..64), start in 0usize..4) {
            for encoding in [Encoding::Utf8, Encoding::Utf16Le, Encoding::Latin1] {
                let hit = start * 2..start * 2 + 2;
                for found in [line(&bytes, 0, &hit, encoding), run(&bytes, &hit, encoding)] {
                    prop_assert!(found.start <= hit.start && hit.end <= found.end && found.end <= bytes.len());
                }
            }
        }
    }
}
