//! Undoes the ways in which a text may be written inside another one: each character keeps its place in the text.

use crate::{garbled, punycode, split};

/// A character, and the bytes of the text that it was written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Letter {
    pub(crate) c: char,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// Returns the text as it is.
pub(crate) fn plain(text: &str) -> Vec<Letter> {
    text.char_indices().map(|(from, c)| Letter { c, from, to: from + c.len_utf8() }).collect()
}

/// Returns every reading of a text that differs from the text itself: without the escapes of JSON and of our own
/// output (once, twice), of addresses, of HTML, of mail, of host names; without NULs between letters, brackets
/// around dots, and separators between the pieces of a word; and decoded from a wrong encoding.
pub(crate) fn readings(text: &str) -> Vec<Vec<Letter>> {
    let mut all = Vec::new();
    let signs = signs(text);
    let garbled = ungarbled(text, signs);
    if signs & ESCAPES == 0 && garbled.is_empty() {
        return all;
    }
    let plain = plain(text);
    if escapes(text) {
        let once = backslashes(&plain);
        let twice = if text.contains("\\\\") { backslashes(&once) } else { Vec::new() };
        if twice.len() < once.len() && !twice.is_empty() {
            all.push(twice);
        }
        all.push(once);
    }
    if text.contains(['%', '+']) {
        again(percents(&plain), |read| garbled::octets(read, '%', false), &mut all);
    }
    if text.contains('&') {
        again(entities(&plain), entities, &mut all);
    }
    if text.contains('\0') {
        all.push(plain.iter().copied().filter(|letter| letter.c != '\0').collect());
    }
    all.extend(garbled.into_iter().map(|read| read(&plain)).filter(|read| read.len() < plain.len()));
    all
}

/// The most layers of one encoding that are undone.
const TIMES: usize = 3;

/// Adds a reading, and its further readings if it is encoded more than once: `%252E`, `&amp;#46;`.
fn again(once: Vec<Letter>, read: impl Fn(&[Letter]) -> Vec<Letter>, all: &mut Vec<Vec<Letter>>) {
    all.push(once);
    for _ in 1..TIMES {
        let Some(last) = all.last() else { return };
        let next = read(last);
        if next.len() == last.len() {
            return;
        }
        all.push(next);
    }
}

/// A way to read letters.
type Read = fn(&[Letter]) -> Vec<Letter>;
/// A check whether a text can be read in this way.
type Fits = fn(&str) -> bool;

/// Signs of escapes that many texts have.
const ESCAPES: u8 = 1;
/// Signs that few texts have in relevant places.
const EQUALS: u8 = 2;
const OPENS: u8 = 4;
const HYPHEN: u8 = 8;
const LATIN: u8 = 16;
const PERCENT: u8 = 32;
const SPLITS: u8 = 64;

/// The escapes that each byte may be a sign of.
static SIGNS: [u8; 256] = {
    let mut all = [0; 256];
    let signs: [(&[u8], u8); 7] = [
        (b"\\+&\0", ESCAPES),
        (b"%", ESCAPES | PERCENT),
        (b"=", EQUALS),
        (b"[({", OPENS),
        (b"-", HYPHEN),
        (b"\xc3", LATIN),
        (b"^`'\"", SPLITS),
    ];
    let mut at = 0;
    while at < signs.len() {
        let (mut bytes, sign) = signs[at];
        while let [first, rest @ ..] = bytes {
            all[*first as usize] = sign;
            bytes = rest;
        }
        at += 1;
    }
    all
};

/// Returns the signs in a text: one look at each byte shows that most texts have no escapes.
fn signs(text: &str) -> u8 {
    text.bytes().fold(0, |all, byte| all | SIGNS.get(usize::from(byte)).copied().unwrap_or_default())
}

/// Returns the readings that apply to few texts.
fn ungarbled(text: &str, signs: u8) -> Vec<Read> {
    let readings: [(u8, Fits, Read); 6] = [
        (EQUALS, garbled::is_quoted, garbled::quoted),
        (LATIN, garbled::is_misread, garbled::misread),
        (HYPHEN, punycode::has_label, punycode::labels),
        (OPENS, is_defanged, fanged),
        (SPLITS, split::is_split, split::together),
        (PERCENT, garbled::has_high_octet, |letters| garbled::octets(letters, '%', true)),
    ];
    let fit = readings.into_iter().filter(|(sign, fits, _)| signs & sign != 0 && fits(text));
    fit.map(|(_, _, read)| read).collect()
}

/// Characters written in brackets, so that nobody follows an address or a name by mistake.
const DEFANGED: [(&str, char); 5] = [(".", '.'), ("dot", '.'), (":", ':'), ("@", '@'), ("at", '@')];
const BRACKETS: [(char, char); 3] = [('[', ']'), ('(', ')'), ('{', '}')];

fn is_defanged(text: &str) -> bool {
    let closes = |byte: u8| matches!(byte, b']' | b')' | b'}');
    let is_one = |(at, _): (usize, &str)| match text.as_bytes().get(at + 1..) {
        Some([b'.' | b':' | b'@', last, ..]) => closes(*last),
        Some([b'a' | b'A', b't' | b'T', last, ..]) => closes(*last),
        Some([b'd' | b'D', b'o' | b'O', b't' | b'T', last, ..]) => closes(*last),
        _ => false,
    };
    text.match_indices(['[', '(', '{']).any(is_one)
}

/// Removes the brackets around dots, colons and `@`: `192[.]0[.]2[.]7`, `ann[at]example[dot]org`.
fn fanged(letters: &[Letter]) -> Vec<Letter> {
    garbled::replaced(letters, bracketed)
}

fn bracketed(rest: &[Letter]) -> Option<(char, usize)> {
    let (first, rest) = rest.split_first()?;
    let (_, close) = BRACKETS.into_iter().find(|(open, _)| *open == first.c)?;
    let inside = rest.get(..rest.iter().take(4).position(|letter| letter.c == close)?)?;
    let is = |text: &str| {
        text.len() == inside.len() && text.chars().zip(inside).all(|(c, it)| it.c.eq_ignore_ascii_case(&c))
    };
    let (text, c) = DEFANGED.into_iter().find(|(text, _)| is(text))?;
    Some((c, text.len() + 2))
}

/// Checks whether a backslash can begin an escape: folding makes one of two, and before other letters it is a
/// separator.
fn escapes(text: &str) -> bool {
    let next = |at: usize| text.as_bytes().get(at + 1);
    text.match_indices('\\')
        .any(|(at, _)| matches!(next(at), Some(b'"' | b'/' | b'\'' | b'n' | b'r' | b't' | b'x' | b'u')))
}

/// Undoes escapes that begin with a backslash: RFC 8259, section 7, and `\u{…}`, `\x..`.
fn backslashes(letters: &[Letter]) -> Vec<Letter> {
    let mut out = Vec::with_capacity(letters.len());
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        let escape = if letter.c == '\\' { escape(letters.get(at + 1..).unwrap_or_default()) } else { None };
        let (c, taken) = escape.map_or((letter.c, 0), |(c, taken)| (c, taken));
        let to = letters.get(at + taken).map_or(letter.to, |last| last.to);
        out.push(Letter { c, from: letter.from, to });
        at += taken + 1;
    }
    out
}

/// Returns the character that an escape means, and its number of characters after the backslash.
fn escape(rest: &[Letter]) -> Option<(char, usize)> {
    let at = |index: usize| rest.get(index).map(|letter| letter.c);
    match at(0)? {
        c @ ('"' | '\\' | '/' | '\'') => Some((c, 1)),
        'n' | 'r' | 't' => Some(('\n', 1)),
        'x' => Some((char::from_u32(hex(rest, 1, 2)?)?, 3)),
        'u' if at(1) == Some('{') => {
            let end = rest.iter().take(9).position(|letter| letter.c == '}')?;
            Some((char::from_u32(hex(rest, 2, end.checked_sub(2)?)?)?, end + 1))
        }
        'u' => match hex(rest, 1, 4)? {
            high @ 0xD800..=0xDBFF if at(5) == Some('\\') && at(6) == Some('u') => {
                let low = hex(rest, 7, 4).filter(|low| (0xDC00..0xE000).contains(low))?;
                Some((char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00))?, 11))
            }
            code => Some((char::from_u32(code)?, 5)),
        },
        _ => None,
    }
}

/// Returns the number in hex digits.
pub(crate) fn hex(letters: &[Letter], from: usize, digits: usize) -> Option<u32> {
    let letters = letters.get(from..from.checked_add(digits)?).filter(|letters| !letters.is_empty())?;
    letters.iter().try_fold(0u32, |number, letter| Some(number.checked_mul(16)? + letter.c.to_digit(16)?))
}

/// Undoes percent-encoding (RFC 3986, section 2.1) of UTF-8, and `+` for a space.
fn percents(letters: &[Letter]) -> Vec<Letter> {
    let mut out = garbled::octets(letters, '%', false);
    // An encoded `+` stays a `+`.
    let written = |letter: &&mut Letter| letter.c == '+' && letter.to - letter.from == 1;
    out.iter_mut().filter(written).for_each(|letter| letter.c = ' ');
    out
}

/// Undoes HTML and XML character references.
fn entities(letters: &[Letter]) -> Vec<Letter> {
    let mut out = Vec::with_capacity(letters.len());
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        let rest = letters.get(at + 1..).unwrap_or_default();
        let end = rest.iter().take(10).position(|it| it.c == ';').filter(|_| letter.c == '&');
        let name: Option<String> =
            end.and_then(|end| rest.get(..end)).map(|it| it.iter().map(|it| it.c).collect());
        let meant = name.and_then(|name| match name.as_str() {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            "nbsp" => Some(' '),
            "shy" | "zwj" | "zwnj" => Some('\u{ad}'),
            "oslash" | "Oslash" => Some('ø'),
            "szlig" => Some('ß'),
            "aelig" | "AElig" => Some('æ'),
            other => match other.strip_prefix('#') {
                Some(number) => numbered(number),
                None => marked(other),
            },
        });
        let (c, taken) = meant.zip(end).map_or((letter.c, 0), |(c, end)| (c, end + 1));
        let to = letters.get(at + taken).map_or(letter.to, |last| last.to);
        out.push(Letter { c, from: letter.from, to });
        at += taken + 1;
    }
    out
}

fn numbered(number: &str) -> Option<char> {
    let number = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    number.ok().and_then(char::from_u32)
}

/// Returns a letter by the name of its mark (`&ouml;`): marks are ignored in searching.
fn marked(name: &str) -> Option<char> {
    const MARKS: [&str; 9] = ["uml", "acute", "grave", "circ", "tilde", "cedil", "ring", "caron", "macr"];
    let letter = name.chars().next().filter(char::is_ascii_alphabetic)?;
    name.get(1..).filter(|mark| MARKS.contains(mark)).map(|_| letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, reading: fn(&[Letter]) -> Vec<Letter>) -> String {
        reading(&plain(text)).iter().map(|letter| letter.c).collect()
    }

    #[test]
    fn escapes_are_undone_and_what_is_none_stays() {
        for (text, expected) in [
            (r#"a\\b\"c\u00e9\ud83d\ude00\u{1f600}\x41"#, "a\\b\"cé😀😀A"),
            (r"C:\Users\ud83d", r"C:\Users\ud83d"),
            (r"\u{} \u{zz} \u12 \", r"\u{} \u{zz} \u12 \"),
        ] {
            assert_eq!(read(text, backslashes), expected);
        }
        assert_eq!(read("J%C3%B6rg+M%C3 %4a%4", percents), "Jörg M%C3 J%4");
        assert_eq!(read("%25%41%", percents), "%A%");
        let twice = |text: &str| -> Vec<String> {
            readings(text).iter().map(|read| read.iter().map(|letter| letter.c).collect()).collect()
        };
        assert!(twice("a%252Eb%25252Ec").contains(&"a.b.c".to_owned()));
        assert!(twice("a&amp;#46;b").contains(&"a.b".to_owned()));
        assert_eq!(read("a&amp;b&#x4a;&#74;&lt;&nope;&", entities), "a&bJJ<&nope;&");
    }

    #[test]
    fn brackets_around_points_are_left_out() {
        for (text, expected) in [
            ("172[.]23(.)45{.}67", "172.23.45.67"),
            ("ann[at]example[DOT]org, 2001[:]db8", "ann@example.org, 2001:db8"),
            ("[.) (dat) [dot [:", "[.) (dat) [dot [:"),
        ] {
            assert_eq!(read(text, fanged), expected);
        }
        for (text, is) in [("1[.]2", true), ("a (at) b", true), ("[a] (do)", false), ("x[d]", false)] {
            assert_eq!(is_defanged(text), is, "{text}");
        }
    }

    #[test]
    fn every_letter_keeps_its_place() {
        for text in [
            r"x\u00e9y\\z",
            "x%C3%A9y",
            "x&amp;y",
            "%%41+%",
            "x%E9y",
            "x=E9=",
            "JÃ¶rg",
            "x[.]y (at) [",
            "1{:}2",
        ] {
            for letters in readings(text) {
                let mut at = 0;
                for letter in letters {
                    assert_eq!(letter.from, at, "{text}");
                    at = letter.to;
                }
                assert_eq!(at, text.len(), "{text}");
            }
        }
    }
}
