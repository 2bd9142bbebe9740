//! Whether a value stands in raw bytes.

use super::needles::{self, Bytes, Case, Needle};
use ledger::FieldValue;
use memchr::memmem;
use std::cell::OnceCell;

/// How much more than the length of the bytes asks for a needle must say: a chance hit is one in some thousands.
const MARGIN: u32 = 12;

/// Raw bytes, read again.
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

/// How a value stands in `hay`: the name of its encoding; `None` where it does not, or says too little to tell.
///
/// `own`: the bytes are the value's own, and what fills them is the value however little it says.
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

/// How a text stands in `hay`; of a quotation, for instance.
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

/// A flag's own bytes are the number 0 or 1, or the word.
///
/// One bit of a number, or two numbers that are the same, have to be decoded.
fn set(flag: bool, own: &Hay) -> Option<&'static str> {
    let word = if flag { "true" } else { "false" };
    let mut needles = needles::of(&FieldValue::Integer(i128::from(flag)));
    needles.extend(needles::texts(word, Case::Any));
    needles.iter().find(|needle| fills(needle, &own.bytes)).map(|needle| needle.encoding)
}

/// Whether the bytes are the needle, with nothing but zeros behind it.
fn fills(needle: &Needle, bytes: &[u8]) -> bool {
    let whole = |expected: &[u8], same: &dyn Fn(&[u8], &[u8]) -> bool| {
        bytes.split_at_checked(expected.len()).is_some_and(|(head, tail)| {
            !expected.is_empty() && same(head, expected) && tail.iter().all(|byte| *byte == 0)
        })
    };
    match &needle.bytes {
        // A number of fewer bytes with zeros behind it is the same number only in little-endian order, where that is a needle of its own.
        Bytes::Exact(expected) => {
            bytes == expected.as_slice() || whole(expected, &|a, b| a == b && is_text(needle))
        }
        Bytes::AnyCase(expected) => whole(expected, &|a, b| a.eq_ignore_ascii_case(b)),
        Bytes::AnyCaseUtf16(expected) => whole(expected, &same_utf16),
        Bytes::Double { value, within } => double(bytes).is_some_and(|found| (found - value).abs() < *within),
    }
}

/// Whether zeros behind the needle are its terminator and no part of it.
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

/// Whether no letter or digit, in one byte or in two, stands on either side.
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

/// Whether two runs of UTF-16LE are the same but for the case of ASCII letters.
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
