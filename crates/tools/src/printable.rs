//! Runs of printable characters in bytes of any kind, as ASCII and as UTF-16LE.
//!
//! Bytes arrive in windows of any size. Only the runs that are still open are kept.
//! Where a run is cut depends only on the bytes, not on where a reader began.
//! It is cut at a multiple of [`CUT`] if at least [`CUT`] bytes of it precede that place.
//! A reader that begins [`LOOK_BACK`] bytes early therefore finds the same pieces as one that began at the start.

use std::collections::BTreeMap;

/// A long run is cut at multiples of this many bytes.
pub(crate) const CUT: u64 = 4096;

/// The most bytes of one piece of a run, including a UTF-16 unit that straddles the cut.
pub(crate) const LONGEST: u64 = 2 * CUT;

/// How far before its first byte a reader must begin, to know which runs continue there, even in UTF-16.
pub(crate) const LOOK_BACK: u64 = CUT + 2;

/// The encoding of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Writing {
    Ascii,
    Utf16Le,
}

impl Writing {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Writing::Ascii => "ascii",
            Writing::Utf16Le => "utf-16le",
        }
    }

    const fn unit(self) -> u64 {
        match self {
            Writing::Ascii => 1,
            Writing::Utf16Le => 2,
        }
    }
}

/// A run of printable characters, or a piece of a long one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Printable {
    /// Its offset.
    pub(crate) offset: u64,
    /// Its length in bytes.
    pub(crate) length: u64,
    pub(crate) writing: Writing,
    pub(crate) text: String,
}

/// A scanner for the runs in a stream of bytes.
pub(crate) struct Scanner {
    /// ASCII, UTF-16LE at even and at odd offsets; encodings that are not sought are left out.
    lanes: Vec<Lane>,
    /// The least number of characters of a run.
    least: usize,
    /// The offset of the next byte.
    at: u64,
    /// Runs that have ended, by offset; a run that began earlier may still be open.
    ended: BTreeMap<(u64, Writing), Printable>,
}

/// One way to read the bytes.
struct Lane {
    writing: Writing,
    /// The low byte of a unit whose high byte has not arrived yet.
    low: Option<u8>,
    /// Whether units begin at odd offsets.
    odd: bool,
    /// The offset of the whole run; `text` is its last piece.
    since: u64,
    /// The offset of the piece.
    start: u64,
    text: String,
}

impl Scanner {
    /// Starts a scan of bytes that begin at `at`.
    pub(crate) fn new(writings: &[Writing], least: usize, at: u64) -> Scanner {
        let lane = |writing, odd| Lane { writing, low: None, odd, since: 0, start: 0, text: String::new() };
        let lanes = writings.iter().flat_map(|writing| match writing {
            Writing::Ascii => vec![lane(Writing::Ascii, false)],
            Writing::Utf16Le => vec![lane(Writing::Utf16Le, false), lane(Writing::Utf16Le, true)],
        });
        Scanner { lanes: lanes.collect(), least, at, ended: BTreeMap::new() }
    }

    /// Processes the next bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for lane in &mut self.lanes {
            for (at, byte) in (self.at..).zip(bytes) {
                if let Some(piece) = lane.take(at, *byte) {
                    keep(&mut self.ended, piece, self.least);
                }
            }
        }
        self.at = self.at.saturating_add(bytes.len() as u64);
    }

    /// Ends the scan: there are no more bytes.
    pub(crate) fn finish(&mut self) {
        for lane in &mut self.lanes {
            keep(&mut self.ended, lane.end(), self.least);
        }
    }

    /// Returns the next run in order of offset, once no earlier one can come.
    pub(crate) fn next(&mut self) -> Option<Printable> {
        let open = self.lanes.iter().filter(|lane| !lane.text.is_empty()).map(|lane| lane.start);
        let first_open = open.min().unwrap_or(u64::MAX);
        let (key, _) = self.ended.first_key_value().filter(|((offset, _), _)| *offset < first_open)?;
        let key = *key;
        self.ended.remove(&key)
    }
}

fn keep(ended: &mut BTreeMap<(u64, Writing), Printable>, piece: Printable, least: usize) {
    if piece.text.chars().count() >= least {
        ended.insert((piece.offset, piece.writing), piece);
    }
}

impl Lane {
    /// Processes the byte at `at`; returns the piece that it ends, if any.
    fn take(&mut self, at: u64, byte: u8) -> Option<Printable> {
        let (letter, place) = match self.writing {
            Writing::Ascii => (printable(u16::from(byte)).filter(char::is_ascii), at),
            Writing::Utf16Le => match self.low.take() {
                None if at.is_multiple_of(2) == self.odd => return None,
                None => {
                    self.low = Some(byte);
                    return None;
                }
                Some(low) => (printable(u16::from_le_bytes([low, byte])), at - 1),
            },
        };
        let Some(letter) = letter else { return (!self.text.is_empty()).then(|| self.end()) };
        // A unit may begin one byte before the cut: the last cut at or before it counts.
        let cut = place / CUT * CUT;
        let cuts = self.start < cut && self.since.saturating_add(CUT) <= cut;
        let ended = (!self.text.is_empty() && cuts).then(|| self.end());
        if self.text.is_empty() {
            self.start = place;
            if ended.is_none() {
                self.since = place;
            }
        }
        self.text.push(letter);
        ended
    }

    fn end(&mut self) -> Printable {
        let text = std::mem::take(&mut self.text);
        let length = text.chars().count() as u64 * self.writing.unit();
        Printable { offset: self.start, length, writing: self.writing, text }
    }
}

/// Accepts tab and the characters of ASCII, Latin, Greek, Cyrillic, Armenian, Hebrew and Arabic: other units are probably not text.
fn printable(unit: u16) -> Option<char> {
    let is_one = matches!(unit, 0x09 | 0x20..=0x7E | 0xA1..=0x06FF) && unit != 0xAD;
    char::from_u32(unit.into()).filter(|letter| is_one && !letter.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BOTH: [Writing; 2] = [Writing::Ascii, Writing::Utf16Le];

    fn scan(bytes: &[u8], from: u64, windows: usize) -> Vec<Printable> {
        let begin = from.saturating_sub(LOOK_BACK);
        let mut scanner = Scanner::new(&BOTH, 4, begin);
        let mut found = Vec::new();
        for window in bytes[begin as usize..].chunks(windows) {
            scanner.feed(window);
            found.extend(std::iter::from_fn(|| scanner.next()));
        }
        scanner.finish();
        found.extend(std::iter::from_fn(|| scanner.next()));
        found.retain(|piece| piece.offset >= from);
        found
    }

    fn wide(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn runs_are_found_in_both_writings_at_even_and_odd_places() {
        let bytes = [
            &b"\x00\x01cmd.exe\xFF"[..],
            &wide("grün.txt"),
            b"\x00\x00\x00",
            &wide("whoami"),
            b"\x00\x00abc",
        ]
        .concat();
        let found: Vec<_> = scan(&bytes, 0, 3)
            .into_iter()
            .map(|piece| (piece.offset, piece.length, piece.writing.name(), piece.text))
            .collect();
        let expected = [
            (2, 7, "ascii", "cmd.exe".to_owned()),
            (10, 16, "utf-16le", "grün.txt".to_owned()),
            (29, 12, "utf-16le", "whoami".to_owned()),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_long_run_is_cut_and_nothing_of_it_lost() {
        let bytes = [b"\0\0\0".to_vec(), vec![b'x'; 20_000], vec![0]].concat();
        let found = scan(&bytes, 0, 700);
        assert_eq!(found.iter().map(|piece| piece.length).sum::<u64>(), 20_000);
        assert!(found.iter().all(|piece| piece.length < LONGEST), "{:?}", found.len());
        assert!(found.iter().skip(1).all(|piece| piece.offset % CUT == 0));
    }

    fn material() -> impl Strategy<Value = Vec<u8>> {
        let part = prop_oneof![
            prop::collection::vec(any::<u8>(), 0..40),
            "[a-z ]{3,30}".prop_map(String::into_bytes),
            "[a-zäλ]{3,30}".prop_map(|text| wide(&text)),
            (3000usize..9000).prop_map(|length| vec![b'q'; length]),
            (3000usize..9000).prop_map(|length| wide(&"w".repeat(length))),
        ];
        prop::collection::vec(part, 1..8).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn a_later_start_finds_what_an_earlier_one_found_behind_it(
            bytes in material(), start in any::<prop::sample::Index>(), windows in 1usize..3000,
        ) {
            let whole = scan(&bytes, 0, 4096);
            prop_assert_eq!(&scan(&bytes, 0, windows), &whole);
            let from = start.index(bytes.len().max(1)) as u64;
            let behind: Vec<_> = whole.into_iter().filter(|piece| piece.offset >= from).collect();
            prop_assert_eq!(scan(&bytes, from, windows), behind);
        }

        #[test]
        fn a_piece_is_the_text_that_stands_there(bytes in material()) {
            for piece in scan(&bytes, 0, 4096) {
                let span = &bytes[piece.offset as usize..(piece.offset + piece.length) as usize];
                let written = match piece.writing {
                    Writing::Ascii => piece.text.clone().into_bytes(),
                    Writing::Utf16Le => wide(&piece.text),
                };
                prop_assert_eq!(span, &written[..]);
            }
        }
    }
}
