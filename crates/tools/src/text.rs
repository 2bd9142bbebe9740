//! Splits bytes into lines of text, and detects the encoding.

use ledger::ByteSpan;

/// The longest piece of a line in one record, in bytes.
pub(crate) const PIECE: usize = 4096;

/// How bytes are read as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Utf16Le,
    Latin1,
    /// Not as text.
    Hex,
}

impl Encoding {
    /// The encodings that an argument may name, besides `auto`.
    pub(crate) const ALL: [Encoding; 4] =
        [Encoding::Utf8, Encoding::Utf16Le, Encoding::Latin1, Encoding::Hex];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf16Le => "utf-16le",
            Encoding::Latin1 => "latin-1",
            Encoding::Hex => "hex",
        }
    }

    /// Returns the bytes of one code unit.
    pub(crate) const fn unit(self) -> usize {
        match self {
            Encoding::Utf16Le => 2,
            Encoding::Utf8 | Encoding::Latin1 | Encoding::Hex => 1,
        }
    }

    /// Returns the byte order mark; empty if there is none.
    pub(crate) const fn mark(self) -> &'static [u8] {
        match self {
            Encoding::Utf8 => b"\xEF\xBB\xBF",
            Encoding::Utf16Le => b"\xFF\xFE",
            Encoding::Latin1 | Encoding::Hex => b"",
        }
    }
}

/// Detects the encoding of a file that begins with `head` and has `window` somewhere in it.
///
/// A byte order mark decides. Without one, these rules apply in order:
/// text in which every other byte is NUL is UTF-16LE; valid UTF-8 with hardly a control character is UTF-8;
/// bytes with many control characters or a NUL are not text; the rest is Latin-1.
pub(crate) fn detect(head: &[u8], window: &[u8]) -> Encoding {
    if let Some(marked) = [Encoding::Utf8, Encoding::Utf16Le].into_iter().find(|e| head.starts_with(e.mark()))
    {
        return marked;
    }
    let (pairs, _) = window.as_chunks::<2>();
    let nul = |which: fn(&[u8; 2]) -> u8| pairs.iter().filter(|pair| which(pair) == 0).count();
    let (low, high) = (nul(|[low, _]| *low), nul(|[_, high]| *high));
    if high > 0 && high * 10 >= pairs.len() * 4 && low * 20 <= pairs.len() {
        return Encoding::Utf16Le;
    }
    let control =
        |byte: &&u8| (**byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r' | 0x0C)) || **byte == 0x7F;
    let controls = window.iter().filter(control).count();
    if window.contains(&0) || controls * 20 > window.len() {
        Encoding::Hex
    } else if is_utf8_window(window) {
        Encoding::Utf8
    } else {
        Encoding::Latin1
    }
}

/// Checks whether the bytes are UTF-8, except for characters cut at either end.
fn is_utf8_window(window: &[u8]) -> bool {
    let cut = window.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
    match std::str::from_utf8(window.get(cut..).unwrap_or_default()) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    }
}

/// One line, or a piece of a long one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Its number among the lines of the window, from 0.
    pub(crate) number: usize,
    /// Its number within a line of more than [`PIECE`] bytes, from 1; `None` for a line in one piece.
    pub(crate) part: Option<usize>,
    /// Its bytes in the file, without byte order mark and line end.
    pub(crate) span: ByteSpan,
    /// The decoded text.
    pub(crate) text: String,
    /// Whether some bytes were not text and became U+FFFD.
    pub(crate) damaged: bool,
}

/// The lines of a window, and the offset of the first byte that is in none of them.
pub(crate) struct Lines {
    pub(crate) lines: Vec<Line>,
    pub(crate) next: u64,
}

/// Splits `window`, which is at `offset` of its file, into at most `limit` pieces of lines.
///
/// If the file continues after the window (`cut`), an incomplete last line is left to the next window, unless it is the only one.
pub(crate) fn lines(window: &[u8], offset: u64, encoding: Encoding, cut: bool, limit: usize) -> Lines {
    let mark = if offset == 0 && window.starts_with(encoding.mark()) { encoding.mark().len() } else { 0 };
    let mut lines = Vec::new();
    let (mut at, mut number) = (mark, 0);
    while let Some(rest) = window.get(at..).filter(|rest| !rest.is_empty()) {
        if lines.len() >= limit {
            break;
        }
        let (length, end, closed) = line_end(rest, encoding);
        if !closed && cut && number > 0 {
            break;
        }
        let whole = if closed || !cut { length } else { whole_characters(rest, encoding) };
        let content = rest.get(..whole).unwrap_or_default();
        pieces(content, offset + at as u64, number, encoding, &mut lines);
        at += if closed { end } else { whole };
        number += 1;
        if !closed {
            break;
        }
    }
    Lines { lines, next: offset + at as u64 }
}

/// Returns the length of the first line without its end (LF or CR LF), its length with it, and whether it has one.
fn line_end(rest: &[u8], encoding: Encoding) -> (usize, usize, bool) {
    let unit = encoding.unit();
    let is = |chunk: &[u8], character: u8| match encoding {
        Encoding::Utf16Le => chunk == [character, 0],
        Encoding::Utf8 | Encoding::Latin1 | Encoding::Hex => chunk == [character],
    };
    let Some(index) = rest.chunks_exact(unit).position(|chunk| is(chunk, b'\n')) else {
        return (rest.len(), rest.len(), false);
    };
    let (feed, end) = (index * unit, (index + 1) * unit);
    let before = feed.checked_sub(unit).and_then(|start| rest.get(start..feed));
    let length = if before.is_some_and(|chunk| is(chunk, b'\r')) { feed - unit } else { feed };
    (length, end, true)
}

/// Returns the length of `content` up to its last complete character; its whole length if there is no complete one.
pub(crate) fn whole_characters(content: &[u8], encoding: Encoding) -> usize {
    let length = match encoding {
        Encoding::Latin1 | Encoding::Hex => content.len(),
        Encoding::Utf8 => {
            let tail = content.iter().rev().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
            let lead = content.len().saturating_sub(tail + 1);
            let needed = match content.get(lead).copied().unwrap_or_default() {
                0xC2..=0xDF => 2,
                0xE0..=0xEF => 3,
                0xF0..=0xF4 => 4,
                _ => 1,
            };
            if needed > tail + 1 { lead } else { content.len() }
        }
        Encoding::Utf16Le => {
            let even = content.len() & !1;
            let high = even.checked_sub(1).and_then(|last| content.get(last));
            if high.is_some_and(|byte| (0xD8..0xDC).contains(byte)) { even - 2 } else { even }
        }
    };
    if length == 0 { content.len() } else { length }
}

fn pieces(content: &[u8], offset: u64, number: usize, encoding: Encoding, lines: &mut Vec<Line>) {
    let mut at = 0;
    for part in 1.. {
        let rest = content.get(at..).unwrap_or_default();
        let length = match rest.get(..PIECE) {
            Some(piece) if rest.len() > PIECE => whole_characters(piece, encoding),
            _ => rest.len(),
        };
        let (text, damaged) = decode(rest.get(..length).unwrap_or_default(), encoding);
        let last = length == rest.len();
        lines.push(Line {
            number,
            part: (part > 1 || !last).then_some(part),
            span: ByteSpan::new(offset + at as u64, length as u64),
            text,
            damaged,
        });
        at += length;
        if last {
            break;
        }
    }
}

/// Returns the text, and whether some of it was not text.
pub(crate) fn decode(bytes: &[u8], encoding: Encoding) -> (String, bool) {
    match encoding {
        Encoding::Latin1 | Encoding::Hex => (bytes.iter().map(|byte| char::from(*byte)).collect(), false),
        Encoding::Utf8 => match std::str::from_utf8(bytes) {
            Ok(text) => (text.to_owned(), false),
            Err(_) => (String::from_utf8_lossy(bytes).into_owned(), true),
        },
        Encoding::Utf16Le => {
            let (pairs, odd) = bytes.as_chunks::<2>();
            let mut damaged = !odd.is_empty();
            let decoded = char::decode_utf16(pairs.iter().map(|pair| u16::from_le_bytes(*pair)));
            let text = decoded
                .map(|unit| {
                    unit.unwrap_or_else(|_| {
                        damaged = true;
                        char::REPLACEMENT_CHARACTER
                    })
                })
                .collect();
            (text, damaged)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wide(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn each_kind_of_content_is_told() {
        let detect = |bytes: &[u8]| detect(bytes, bytes);
        assert_eq!(detect("plain, grün\r\n".as_bytes()), Encoding::Utf8);
        assert_eq!(detect(b"\xEF\xBB\xBFx"), Encoding::Utf8);
        assert_eq!(detect(b"\xFF\xFEx\0"), Encoding::Utf16Le);
        assert_eq!(detect(&wide("HKEY_LOCAL_MACHINE")), Encoding::Utf16Le);
        assert_eq!(detect(b"gr\xFCn und blau"), Encoding::Latin1);
        assert_eq!(detect(b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xFF\xFF"), Encoding::Hex);
        assert_eq!(detect(b"\x01\x02\x03abc"), Encoding::Hex);
    }

    #[test]
    fn lines_know_their_bytes() {
        let found = lines(b"\xEF\xBB\xBFab\r\n\nc", 0, Encoding::Utf8, false, 10);
        let spans: Vec<_> =
            found.lines.iter().map(|l| (l.text.as_str(), l.span.offset, l.span.length)).collect();
        assert_eq!(spans, [("ab", 3, 2), ("", 7, 0), ("c", 8, 1)]);
        assert_eq!(found.next, 9);
        let found = lines(&wide("ä\r\nb\n"), 10, Encoding::Utf16Le, false, 10);
        let spans: Vec<_> = found.lines.iter().map(|l| (l.text.as_str(), l.span.offset)).collect();
        assert_eq!(spans, [("ä", 10), ("b", 16)]);
    }

    #[test]
    fn a_line_cut_by_the_window_is_left_to_the_next_one() {
        let found = lines(b"one\ntw", 0, Encoding::Utf8, true, 10);
        assert_eq!((found.lines.len(), found.next), (1, 4));
        let found = lines("äö".as_bytes().get(..3).unwrap(), 0, Encoding::Utf8, true, 10);
        assert_eq!((found.lines[0].text.as_str(), found.lines[0].damaged, found.next), ("ä", false, 2));
    }

    #[test]
    fn bytes_that_are_no_text_are_marked() {
        assert!(lines(b"a\xFFb", 0, Encoding::Utf8, false, 10).lines[0].damaged);
        assert!(lines(b"a\0\x00\xD8b\0", 0, Encoding::Utf16Le, false, 10).lines[0].damaged);
        assert!(lines(b"a\0b", 0, Encoding::Utf16Le, false, 10).lines[0].damaged);
    }

    proptest! {
        #[test]
        fn the_pieces_of_a_line_join_to_the_line(text in "[a-zä€😀]{2000,6000}", wide_text: bool) {
            let (bytes, encoding) =
                if wide_text { (wide(&text), Encoding::Utf16Le) } else { (text.clone().into_bytes(), Encoding::Utf8) };
            let found = lines(&bytes, 0, encoding, false, 100);
            let joined: String = found.lines.iter().map(|line| line.text.as_str()).collect();
            prop_assert_eq!(joined, text);
            prop_assert!(found.lines.iter().all(|line| line.span.length <= PIECE as u64 && !line.damaged));
        }

        #[test]
        fn windows_of_any_length_pass_over_every_byte(bytes in prop::collection::vec(prop::sample::select(b"a\n\r\xC3\xA4\x00\xD8\xFF".to_vec()), 1..60), window in 1usize..20, pick in 0usize..3) {
            let encoding = [Encoding::Utf8, Encoding::Utf16Le, Encoding::Latin1][pick];
            let window = window.max(encoding.unit());
            let mut at = 0usize;
            while at < bytes.len() {
                let end = (at + window).min(bytes.len());
                let found = lines(&bytes[at..end], at as u64, encoding, end < bytes.len(), 100);
                prop_assert!(found.next > at as u64 && found.next <= end as u64);
                at = found.next as usize;
            }
        }
    }
}
