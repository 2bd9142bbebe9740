//! The encodings of a value in raw bytes.
//!
//! This code is independent of the parsers that read the value and of the gateway that accepted it.
//! Each needle has a weight in bits, because a short one appears by chance in any long run of bytes.

use super::times;
use ledger::FieldValue;
use ledger::value::read_whole_number;

/// One encoding of a value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Needle {
    /// The name of the encoding.
    pub(super) encoding: &'static str,
    /// The bytes to look for.
    pub(super) bytes: Bytes,
    /// Its weight: how unlikely a chance match is.
    pub(super) bits: u32,
    /// Whether an adjacent letter or digit makes the match part of something else, as for digits.
    pub(super) alone: bool,
}

/// The bytes to look for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Bytes {
    /// Exactly these bytes.
    Exact(Vec<u8>),
    /// These bytes, with ASCII letters in either case.
    AnyCase(Vec<u8>),
    /// These little-endian UTF-16 units, with ASCII letters in either case.
    AnyCaseUtf16(Vec<u8>),
    /// A little-endian double close to a value.
    Double {
        /// The value.
        value: f64,
        /// The largest difference that still matches.
        within: f64,
    },
}

/// Returns the encodings of a value; empty for a value without bytes, such as an empty text.
pub(super) fn of(value: &FieldValue) -> Vec<Needle> {
    match value {
        FieldValue::Text(text) => {
            let mut needles = texts(text, Case::Kept);
            needles.extend(times::of_local(text));
            needles
        }
        FieldValue::Name(text) => {
            let mut needles = texts(text, Case::Any);
            needles.extend(mac(text).map(|bytes| exact("binary MAC address", bytes)));
            needles
        }
        FieldValue::Path(text) | FieldValue::RegistryPath(text) => texts(text, Case::Any),
        FieldValue::Time(time) => times::of(time),
        FieldValue::Integer(number) => numbers(*number),
        FieldValue::Size(number) => numbers(i128::from(*number)),
        FieldValue::Sid(text) => with_binary(text, "binary SID", sid(text)),
        FieldValue::Guid(text) => {
            let mut needles = texts(text.trim_matches(['{', '}']), Case::Any);
            let bytes = guid(text);
            needles.extend(bytes.iter().map(|bytes| exact("binary GUID", mixed_endian(bytes))));
            needles.extend(bytes.iter().map(|bytes| exact("binary GUID, big-endian", bytes.to_vec())));
            needles
        }
        FieldValue::Hash(text) => with_binary(text, "binary hash", unhex(text)),
        FieldValue::Bytes(text) => with_binary(text, "bytes", unhex(text)),
        // A flag is a single bit, and the items of a list are looked for one by one.
        FieldValue::Flag(_) | FieldValue::List(_) => Vec::new(),
    }
}

/// Whether case is significant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Kept,
    Any,
}

/// Returns the encodings of a text.
pub(super) fn texts(text: &str, case: Case) -> Vec<Needle> {
    let mut needles = Vec::new();
    if text.is_empty() {
        return needles;
    }
    plain(text, case, ["UTF-8", "UTF-16LE"], &mut needles);
    if !text.is_ascii() && text.chars().all(|c| u32::from(c) <= 0xFF) {
        let bytes = text.chars().filter_map(|c| u8::try_from(u32::from(c)).ok()).collect();
        push("Latin-1", bytes, case, bits(text), &mut needles);
    }
    if text.contains('\\') {
        plain(&text.replace('\\', "\\\\"), case, ["UTF-8, escaped", "UTF-16LE, escaped"], &mut needles);
    }
    if text.contains('/') {
        plain(&text.replace('/', "\\"), case, ["UTF-8, backslashes", "UTF-16LE, backslashes"], &mut needles);
    }
    if text.contains(['&', '<', '>', '"', '\'']) {
        plain(&xml(text), case, ["UTF-8, XML", "UTF-16LE, XML"], &mut needles);
    }
    if text.chars().any(|c| c.is_ascii_alphabetic()) {
        plain(&rot13(text), case, ["ROT13", "ROT13 in UTF-16LE"], &mut needles);
    }
    needles
}

fn plain(text: &str, case: Case, [utf8, utf16]: [&'static str; 2], needles: &mut Vec<Needle>) {
    let bits = bits(text);
    push(utf8, text.as_bytes().to_vec(), case, bits, needles);
    let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let bytes = if case == Case::Any { Bytes::AnyCaseUtf16(units) } else { Bytes::Exact(units) };
    needles.push(Needle { encoding: utf16, bytes, bits, alone: false });
}

fn push(encoding: &'static str, bytes: Vec<u8>, case: Case, bits: u32, needles: &mut Vec<Needle>) {
    let bytes = if case == Case::Any { Bytes::AnyCase(bytes) } else { Bytes::Exact(bytes) };
    needles.push(Needle { encoding, bytes, bits, alone: false });
}

/// Returns the weight of a text: three bits for a digit, five for another ASCII character, eight for any other.
fn bits(text: &str) -> u32 {
    let of = |c: char| match c {
        '0'..='9' => 3,
        c if c.is_ascii() => 5,
        _ => 8,
    };
    text.chars().map(of).fold(0, u32::saturating_add)
}

/// Returns a number in all widths and both byte orders, and as digits.
pub(super) fn numbers(number: i128) -> Vec<Needle> {
    let mut needles = widths(number);
    let decimal = ["decimal digits", "decimal digits in UTF-16LE"];
    digits(&number.to_string(), decimal, &mut needles);
    if number >= 0 {
        digits(&format!("0x{number:x}"), ["hex digits", "hex digits in UTF-16LE"], &mut needles);
    }
    needles
}

/// Adds digits that must not be part of a longer number.
pub(super) fn digits(text: &str, encodings: [&'static str; 2], needles: &mut Vec<Needle>) {
    let first = needles.len();
    plain(text, Case::Any, encodings, needles);
    needles.iter_mut().skip(first).for_each(|needle| needle.alone = true);
}

/// Returns a number in eight, six, four, three, two and one bytes of either order, if it fits.
pub(super) fn widths(number: i128) -> Vec<Needle> {
    let mut needles = Vec::new();
    let told = number.unsigned_abs().to_le_bytes().iter().filter(|byte| **byte != 0).count();
    let told = u32::try_from(told).unwrap_or(0) * 8;
    for width in [8usize, 6, 4, 3, 2, 1] {
        let size = i128::try_from(width * 8).unwrap_or(0);
        let fits = number >= -(1i128 << (size - 1)) && number < (1i128 << size);
        let all = number.to_le_bytes();
        let Some(little) = all.get(..width).filter(|_| fits) else { continue };
        let big: Vec<u8> = little.iter().rev().copied().collect();
        let needle =
            |encoding, bytes| Needle { encoding, bytes: Bytes::Exact(bytes), bits: told, alone: false };
        needles.push(needle(little_endian(width), little.to_vec()));
        if width > 1 {
            needles.push(needle("big-endian", big));
        }
    }
    needles
}

fn little_endian(width: usize) -> &'static str {
    if width == 1 { "one byte" } else { "little-endian" }
}

fn with_binary(text: &str, encoding: &'static str, binary: Option<Vec<u8>>) -> Vec<Needle> {
    let mut needles = texts(text, Case::Any);
    needles.extend(binary.filter(|bytes| !bytes.is_empty()).map(|bytes| exact(encoding, bytes)));
    needles
}

pub(super) fn exact(encoding: &'static str, bytes: Vec<u8>) -> Needle {
    let told = bytes.iter().filter(|byte| **byte != 0).count();
    let bits = u32::try_from(told).unwrap_or(u32::MAX / 8).saturating_mul(8);
    Needle { encoding, bytes: Bytes::Exact(bytes), bits, alone: false }
}

/// Encodes `S-1-5-21-…`: revision, number of sub-authorities, authority in six
/// bytes big-endian, sub-authorities little-endian ([MS-DTYP] 2.4.2.2).
fn sid(text: &str) -> Option<Vec<u8>> {
    let mut parts = text.strip_prefix("S-").or_else(|| text.strip_prefix("s-"))?.split('-');
    let revision: u8 = parts.next()?.parse().ok()?;
    let authority = u64::try_from(read_whole_number(parts.next()?)?).ok()?;
    let subs: Vec<u32> = parts.map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let mut bytes = vec![revision, u8::try_from(subs.len()).ok()?];
    bytes.extend(authority.to_be_bytes().get(2..)?);
    bytes.extend(subs.iter().flat_map(|sub| sub.to_le_bytes()));
    Some(bytes)
}

/// Returns the sixteen bytes of a GUID in the order of its digits.
fn guid(text: &str) -> Option<[u8; 16]> {
    let digits: String = text.trim_matches(['{', '}']).chars().filter(|c| *c != '-').collect();
    unhex(&digits)?.try_into().ok()
}

/// Returns a GUID with its first three groups little-endian and the rest as written ([MS-DTYP] 2.3.4.2).
fn mixed_endian(bytes: &[u8; 16]) -> Vec<u8> {
    let order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
    order.iter().filter_map(|place: &usize| bytes.get(*place).copied()).collect()
}

/// Parses six pairs of hex digits with separators.
fn mac(text: &str) -> Option<Vec<u8>> {
    let pairs: Vec<&str> = text.split(['-', ':']).collect();
    let plain = pairs.len() == 6 && pairs.iter().all(|pair| pair.len() == 2);
    plain.then(|| unhex(&pairs.concat())).flatten()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> =
        text.chars().map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok())).collect::<Option<_>>()?;
    let pairs = digits.chunks_exact(2);
    let even = pairs.remainder().is_empty();
    even.then(|| pairs.filter_map(|pair| Some(pair.first()? << 4 | pair.last()?)).collect())
}

fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            c => out.push(c),
        }
    }
    out
}

/// Shifts letters by thirteen places, as UserAssist encodes names.
fn rot13(text: &str) -> String {
    let turn = |c: char| match c {
        'a'..='m' | 'A'..='M' => char::from_u32(u32::from(c) + 13).unwrap_or(c),
        'n'..='z' | 'N'..='Z' => char::from_u32(u32::from(c) - 13).unwrap_or(c),
        c => c,
    };
    text.chars().map(turn).collect()
}
