//! Letters written as character codes: `90,97,99`, `[char]90+[char]0x61`, `Chr(90) & Chr(97)`.

use crate::packed::IN_HEX;
use crate::unescape::Letter;
use std::ops::Range;

/// The most bytes between two numbers of one text: `)+[char](`.
const APART: usize = 12;
/// The most digits in a code.
const DIGITS: usize = 7;

/// Returns the letters of every sequence of numbers that are character codes.
pub(crate) fn codes(text: &str) -> Vec<Letter> {
    let (mut out, mut row): (Vec<Letter>, Vec<Letter>) = (Vec::new(), Vec::new());
    let mut end = 0;
    for number in numbers(text) {
        let letter = code(text.get(number.clone()).unwrap_or_default());
        let apart = letter.is_none() || number.start - end > APART;
        if apart {
            flush(&mut row, &mut out);
        }
        row.extend(letter.map(|c| Letter { c, from: number.start, to: number.end }));
        end = number.end;
    }
    flush(&mut row, &mut out);
    out
}

fn flush(row: &mut Vec<Letter>, out: &mut Vec<Letter>) {
    if row.len() >= IN_HEX {
        // Sequences are separated by a character that no value contains.
        let between = row.last().map(|last| Letter { c: '\u{ffff}', ..*last });
        out.append(row);
        out.extend(between);
    }
    row.clear();
}

/// Finds numbers: digits, or `0x` and hex digits.
fn numbers(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + bytes.get(at..)?.iter().position(u8::is_ascii_digit)?;
        let rest = bytes.get(start..)?;
        let is_hex = matches!(rest, [b'0', b'x' | b'X', digit, ..] if digit.is_ascii_hexdigit());
        let goes_on = |byte: &u8| if is_hex { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() };
        let skipped = if is_hex { 2 } else { 0 };
        let digits = rest.get(skipped..)?.iter().position(|byte| !goes_on(byte));
        at = digits.map_or(bytes.len(), |digits| start + skipped + digits);
        Some(start..at)
    })
}

/// Returns the letter with this code; control characters do not count.
fn code(number: &str) -> Option<char> {
    if number.len() > DIGITS {
        return None;
    }
    let code = match number.strip_prefix("0x").or_else(|| number.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    char::from_u32(code).filter(|c| !c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_the_codes_of_letters() {
        for text in [
            "77,97,114,97",
            "[char]77+[char]97+[char]114+[char]97",
            "[char](77)+[char](97)+[char](114)+[char](97)",
            "Chr(77) & Chr(97) & Chr(114) & Chr(97)",
            "0x4d, 0x61, 0x72, 0x61",
            "String.fromCharCode(077 97\n114 97)",
        ] {
            let read: String = codes(text).iter().map(|letter| letter.c).collect();
            assert!(read.contains("Mara"), "{text}: {read}");
        }
        let letters = codes("é 77,97,114,97");
        assert_eq!((letters[0].from, letters[3].to), (3, 15));
        for text in ["10.20.4.37", "77 and then nothing else 97, 114 97", "99999999999,1"] {
            assert!(codes(text).is_empty(), "{text}");
        }
    }
}
