//! Decides whether raw bytes contain a value.

use super::needles::{self, Bytes, Case, Needle};
use ledger::FieldValue;
use memchr::memmem;
use std::cell::OnceCell;

/// The weight that a needle needs in addition to the length of the bytes in
/// bits, so that a chance match happens only once in thousands of cases.
const MARGIN: u32 = 12;

/// Raw bytes that were read again.
#[derive(Debug)]
pub(super) struct Hay {
    bytes: Vec<u8>,
    folded: OnceCell<Vec<u8>>,
}

impl Hay {
    pub(super) fn new(bytes: Vec<u8>) -> Hay {
        Hay { bytes, folded: OnceCell::new() }
    }

    fn folded(&self) -> &[u8] {
        self.folded.get_or_init(|| self.bytes.to_ascii_lowercase())
    }
}

/// Returns the encoding of a value in `hay`; `None` if it is not there, or too short to exclude a coincidence.
///
/// With `own`, the bytes belong to the value itself; a needle that fills them matches however short it is.
pub(super) fn stands(value: &FieldValue, hay: &Hay, own: bool) -> Option<&'static str> {
    match value {
        FieldValue::Flag(flag) => own.then(|| set(*flag, hay)).flatten(),
        FieldValue::List(items) => {
            let found: Vec<_> = items.iter().map(|item| text(item, hay)).collect::<Option<_>>()?;
            found.first().copied()
        }
        FieldValue::Text(_)
        | FieldValue::Name(_)
        | FieldValue::Path(_)
        | FieldValue::RegistryPath(_)
        | FieldValue::Time(_)
        | FieldValue::Integer(_)
        | FieldValue::Size(_)
        | FieldValue::Sid(_)
        | FieldValue::Guid(_)
        | FieldValue::Hash(_)
        | FieldValue::Bytes(_) => one_of(&needles::of(value), hay, own),
    }
}

/// Returns the encoding of a text in `hay`, for example of a quotation.
pub(super) fn text(text: &str, hay: &Hay) -> Option<&'static str> {
    one_of(&needles::texts(text, Case::Kept), hay, false)
}

fn one_of(needles: &[Needle], hay: &Hay, own: bool) -> Option<&'static str> {
    let length = u32::try_from(hay.bytes.len()).unwrap_or(u32::MAX);
    let needed = MARGIN + (u32::BITS - length.leading_zeros());
    let holds = |needle: &&Needle| {
        (own && fills(needle, &hay.bytes)) || (needle.bits >= needed && contains(needle, hay))
    };
    needles.iter().find(holds).map(|needle| needle.encoding)
}

/// Matches a flag against its own bytes: the number 0 or 1, or the word.
///
/// A single bit of a number, or the equality of two numbers, has to be decoded and does not match.
fn set(flag: bool, own: &Hay) -> Option<&'static str> {
    let word = if flag { "true" } else { "false" };
    let mut needles = needles::of(&FieldValue::Integer(i128::from(flag)));
    needles.extend(needles::texts(word, Case::Any));
    needles.iter().find(|needle| fills(needle, &own.bytes)).map(|needle| needle.encoding)
}

/// Whether the bytes are the needle, followed only by zeros.
fn fills(needle: &Needle, bytes: &[u8]) -> bool {
    let whole = |expected: &[u8], same: &dyn Fn(&[u8], &[u8]) -> bool| {
        bytes.split_at_checked(expected.len()).is_some_and(|(head, tail)| {
            !expected.is_empty() && same(head, expected) && tail.iter().all(|byte| *byte == 0)
        })
    };
    match &needle.bytes {
        // A shorter number followed by zeros is the same number only in little-endian order, which has its own needle.
        Bytes::Exact(expected) => {
            bytes == expected.as_slice() || whole(expected, &|a, b| a == b && is_text(needle))
        }
        Bytes::AnyCase(expected) => whole(expected, &|a, b| a.eq_ignore_ascii_case(b)),
        Bytes::AnyCaseUtf16(expected) => whole(expected, &same_utf16),
        Bytes::Double { value, within } => double(bytes).is_some_and(|found| (found - value).abs() < *within),
    }
}

/// Whether zeros after the needle are a terminator, not a part of the value.
fn is_text(needle: &Needle) -> bool {
    needle.encoding.contains("UTF") || needle.encoding.contains("digits")
}

fn contains(needle: &Needle, hay: &Hay) -> bool {
    let at = |at: usize, length: usize| hay.bytes.get(at..at + length);
    let whole = |at: usize, length: usize| !needle.alone || stands_alone(&hay.bytes, at, length);
    match &needle.bytes {
        Bytes::Exact(expected) => {
            memmem::find_iter(&hay.bytes, expected).any(|found| whole(found, expected.len()))
        }
        Bytes::AnyCase(expected) => {
            let lower = expected.to_ascii_lowercase();
            memmem::find_iter(hay.folded(), &lower).any(|found| whole(found, expected.len()))
        }
        Bytes::AnyCaseUtf16(expected) => {
            let lower = expected.to_ascii_lowercase();
            let same = |found| at(found, expected.len()).is_some_and(|found| same_utf16(found, expected));
            memmem::find_iter(hay.folded(), &lower).any(|found| same(found) && whole(found, expected.len()))
        }
        Bytes::Double { value, within } => {
            let mut windows = hay.bytes.windows(8);
            windows.any(|window| double(window).is_some_and(|found| (found - value).abs() < *within))
        }
    }
}

/// Whether there is no letter or digit on either side, in one-byte or two-byte characters.
fn stands_alone(bytes: &[u8], at: usize, length: usize) -> bool {
    let unit = if bytes.get(at + 1) == Some(&0) { 2 } else { 1 };
    let part = |found: Option<&[u8]>| match found {
        Some([letter] | [letter, 0]) => letter.is_ascii_alphanumeric(),
        Some(_) | None => false,
    };
    let before = at.checked_sub(unit).and_then(|before| bytes.get(before..at));
    let end = at + length;
    !part(before) && !part(bytes.get(end..end + unit))
}

/// Whether two runs of UTF-16LE are equal, ignoring the case of ASCII letters.
fn same_utf16(a: &[u8], b: &[u8]) -> bool {
    let same = |(a, b): (&[u8], &[u8])| match (a, b) {
        ([a, 0], [b, 0]) => a.eq_ignore_ascii_case(b),
        _ => a == b,
    };
    a.len() == b.len() && a.chunks(2).zip(b.chunks(2)).all(same)
}

fn double(bytes: &[u8]) -> Option<f64> {
    bytes.try_into().ok().map(f64::from_le_bytes)
}
