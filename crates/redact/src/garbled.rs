//! Decodes letters that went through the wrong encoding; each keeps its place in the text.

use crate::unescape::{Letter, hex};

/// The Windows-1252 characters in place of Latin-1's control characters; undefined ones are unchanged.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The replacement for a letter that an encoding cannot represent: the replacement character, or a question mark.
const LOST: [char; 2] = ['\u{fffd}', '?'];
/// The fewest letters of a value that must survive.
const LEFT: usize = 3;

/// Returns the letter for a byte in Windows-1252.
fn letter(byte: u8) -> char {
    let windows = byte.checked_sub(0x80).and_then(|at| WINDOWS.get(usize::from(at)));
    windows.copied().unwrap_or(char::from(byte))
}

/// Returns the byte for a letter in Latin-1 or Windows-1252.
fn byte(c: char) -> Option<u8> {
    let windows = || (0x80..).zip(WINDOWS).find(|(_, known)| *known == c).map(|(byte, _)| byte);
    u8::try_from(u32::from(c)).ok().or_else(windows)
}

/// Returns the first character of UTF-8 bytes, if one is complete.
fn utf8(bytes: &[u8]) -> Option<char> {
    std::str::from_utf8(bytes).ok()?.chars().next()
}

/// Decodes bytes written as a sign and two hex digits, as UTF-8; invalid ones as Windows-1252 if `windows` is set.
pub(crate) fn octets(letters: &[Letter], sign: char, windows: bool) -> Vec<Letter> {
    replaced(letters, |rest| {
        if rest.first()?.c != sign {
            return None;
        }
        let mut bytes = Vec::new();
        while bytes.len() < 4 && rest.get(bytes.len() * 3).is_some_and(|it| it.c == sign) {
            let Some(byte) = hex(rest, bytes.len() * 3 + 1, 2) else { break };
            bytes.push(byte as u8);
            if let Some(c) = utf8(&bytes) {
                return Some((c, bytes.len() * 3));
            }
        }
        bytes.first().filter(|_| windows).map(|byte| (letter(*byte), 3))
    })
}

/// Checks whether a text has a non-ASCII byte written as `%` and two hex digits.
pub(crate) fn has_high_octet(text: &str) -> bool {
    text.match_indices('%').any(|(at, _)| octet(text, at).is_some_and(|byte| byte >= 0x80))
}

/// Checks whether a text may be quoted-printable, which does not encode ASCII letters or digits.
pub(crate) fn is_quoted(text: &str) -> bool {
    let ends_line = |at: usize| matches!(text.as_bytes().get(at + 1), Some(b'\r' | b'\n'));
    let is_sign = |byte: u8| byte >= 0x80 || byte.is_ascii_punctuation() || matches!(byte, b' ' | b'\t');
    text.match_indices('=').any(|(at, _)| ends_line(at) || octet(text, at).is_some_and(is_sign))
}

/// Returns the byte in the two hex digits after this place.
fn octet(text: &str, at: usize) -> Option<u8> {
    let digits = text.get(at + 1..at + 3)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u8::from_str_radix(digits, 16).ok())?
}

/// Decodes quoted-printable (RFC 2045, section 6.7), of UTF-8 or of Windows-1252.
pub(crate) fn quoted(letters: &[Letter]) -> Vec<Letter> {
    let mut kept = Vec::with_capacity(letters.len());
    let mut at = 0;
    let c = |at: usize| letters.get(at).map(|letter| letter.c);
    while let Some(letter) = letters.get(at) {
        // A line that continues in the next one.
        at += match (letter.c, c(at + 1), c(at + 2)) {
            ('=', Some('\r'), Some('\n')) => 3,
            ('=', Some('\n'), _) => 2,
            _ => {
                kept.push(*letter);
                1
            }
        };
    }
    octets(&kept, '=', true)
}

/// Checks whether a text may contain UTF-8 read as Windows-1252: `Â` to `ô`, followed by a letter that stands
/// for a non-ASCII byte.
pub(crate) fn is_misread(text: &str) -> bool {
    let is_one = |rest: &[u8]| matches!(rest, [0xc3, 0x82..=0xb4, 0xc2 | 0xc5 | 0xc6 | 0xcb | 0xe2]);
    text.as_bytes().windows(3).any(is_one)
}

/// Decodes UTF-8 that was read as Windows-1252 (`JÃ¶rg`).
pub(crate) fn misread(letters: &[Letter]) -> Vec<Letter> {
    replaced(letters, |rest| {
        if rest.first()?.c.is_ascii() {
            return None;
        }
        let mut bytes = Vec::new();
        for letter in rest.iter().take(4) {
            bytes.push(byte(letter.c).filter(|byte| *byte >= 0x80)?);
            if let Some(c) = utf8(&bytes) {
                return Some((c, bytes.len()));
            }
        }
        None
    })
}

/// Decodes letters of which some are written as several. The function returns the meaning of the letters at the
/// start of the rest, and their number.
pub(crate) fn replaced(
    letters: &[Letter],
    meant: impl Fn(&[Letter]) -> Option<(char, usize)>,
) -> Vec<Letter> {
    let mut out = Vec::with_capacity(letters.len());
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        let (c, taken) = letters.get(at..).and_then(&meant).unwrap_or((letter.c, 1));
        let to = letters.get(at + taken - 1).map_or(letter.to, |last| last.to);
        out.push(Letter { c, from: letter.from, to });
        at += taken;
    }
    out
}

/// Returns a value as it looks after its non-ASCII letters were lost: one replacement for each letter, or for
/// each of its bytes.
pub(crate) fn lost(value: &str) -> Vec<String> {
    let left = value.chars().filter(char::is_ascii_alphanumeric).count();
    if value.is_ascii() || left < LEFT {
        return Vec::new();
    }
    let with = |sign: char, bytes: bool| -> String {
        let signs = |c: char| match c.is_ascii() {
            true => c.to_string(),
            false => sign.to_string().repeat(if bytes { c.len_utf8() } else { 1 }),
        };
        value.chars().map(signs).collect()
    };
    LOST.into_iter().flat_map(|sign| [with(sign, false), with(sign, true)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unescape::plain;

    fn read(text: &str, reading: impl Fn(&[Letter]) -> Vec<Letter>) -> String {
        reading(&plain(text)).iter().map(|letter| letter.c).collect()
    }

    #[test]
    fn bytes_are_read_as_what_they_were_written_in() {
        for (text, expected) in
            [("J%F6rg %c3%b6 %4a%e2%82", "Jörg ö Jâ‚"), ("%f6%df%", "öß%"), ("%80%81", "€\u{81}")]
        {
            assert_eq!(read(text, |it| octets(it, '%', true)), expected);
        }
        for (text, expected) in [
            ("J=C3=B6rg=20M", "Jörg M"),
            ("J=F6rg", "Jörg"),
            ("Marga=\r\nrethe =\nx", "Margarethe x"),
            ("a=b, =zz, =", "a=b, =zz, ="),
        ] {
            assert_eq!(read(text, quoted), expected);
        }
        for (text, expected) in
            [("JÃ¶rg GroÃŸ GroÃ\u{9f}", "Jörg Groß Groß"), ("Åsa Ã, Ö", "Åsa Ã, Ö"), ("â‚¬", "€")]
        {
            assert_eq!(read(text, misread), expected);
        }
    }

    #[test]
    fn what_was_read_again_is_known_by_its_signs() {
        assert!(has_high_octet("J%F6rg") && !has_high_octet("a%20b%f"));
        assert!(is_quoted("J=C3=B6rg") && is_quoted("a=\r\nb") && is_quoted("a=20b"));
        assert!(!is_quoted("a=x&b=41&c=") && !is_quoted("a=é=+1"));
        assert!(is_misread("JÃ¶rg GroÃŸ") && is_misread("â‚¬") && !is_misread("Jörg „x“ Zoë Ämter"));
    }

    #[test]
    fn a_value_is_known_where_its_letters_were_lost() {
        assert_eq!(lost("Jörg"), ["J\u{fffd}rg", "J\u{fffd}\u{fffd}rg", "J?rg", "J??rg"]);
        assert!(lost("Jorg").is_empty() && lost("Öl").is_empty() && lost("Вера").is_empty());
    }
}
