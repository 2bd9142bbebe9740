//! Text of the evidence as text that changes nothing but itself, and reads as nothing else.

use unicode_normalization::UnicodeNormalization;
use unicode_script::{Script, UnicodeScript};
use unicode_security::confusable_detection::skeleton;

/// `text` on one line: control characters, line and paragraph separators, direction controls and invisible blanks are written as `\u{…}`, and so are letters that only look like those beside them.
///
/// Zero-width joiners stay: scripts and emoji need them.
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let has_latin = text.bytes().any(|byte| byte.is_ascii_alphabetic());
    for piece in pieces(text) {
        let is_disguised = has_latin && !piece.is_ascii() && is_disguised(piece);
        for c in piece.chars() {
            match is_disguised && looks_ascii(c) {
                true => out.extend(c.escape_unicode()),
                false => push_printable(&mut out, c),
            }
        }
    }
    out
}

/// The same of a value, in which every blank counts: one behind another, and one that is none of the keyboard, is written as `\u{…}`.
pub fn value_text(text: &str) -> String {
    let text = printable(text);
    let is_plain = |text: &str| !text.contains("  ") && !text.contains(|c: char| c != ' ' && is_blank(c));
    if is_plain(&text) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match is_blank(c) && (c != ' ' || out.ends_with(' ') || out.ends_with("\\u{20}")) {
            true => out.extend(c.escape_unicode()),
            false => out.push(c),
        }
    }
    out
}

/// The words of a text, and what stands between them.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let is_word = rest.chars().next()?.is_alphanumeric();
        let end = rest.find(|c: char| c.is_alphanumeric() != is_word).unwrap_or(rest.len());
        let (piece, behind) = rest.split_at_checked(end)?;
        rest = behind;
        Some(piece)
    })
}

/// Whether a word mixes letters that look like those of ASCII with such letters, or has nothing else, among words of ASCII.
fn is_disguised(word: &str) -> bool {
    let has_ascii = word.bytes().any(|byte| byte.is_ascii_alphabetic());
    let mut letters = word.chars().filter(|c| c.is_alphabetic());
    match has_ascii {
        true => letters.any(looks_ascii),
        false => letters.clone().count() > 1 && letters.all(looks_ascii),
    }
}

/// Whether a letter that is none of ASCII looks like one (Unicode Technical Standard #39, section 4): of another script, or the same letter in another form.
fn looks_ascii(c: char) -> bool {
    if c.is_ascii() || !c.is_alphabetic() {
        return false;
    }
    match c.script() {
        // Languages of Latin letters have their own, which are no disguise; full-width and mathematical ones are.
        Script::Latin | Script::Common | Script::Inherited => {
            std::iter::once(c).nfkc().all(|c| c.is_ascii_alphanumeric())
        }
        _ => skeleton(c.encode_utf8(&mut [0; 4])).all(|c| c.is_ascii_alphanumeric()),
    }
}

const fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// Appends one character as [`printable`] shows it where nothing stands beside it.
pub fn push_printable(out: &mut String, c: char) {
    match is_printable(c) {
        true => out.push(c),
        false => out.extend(c.escape_unicode()),
    }
}

/// Whether a character changes nothing but itself.
///
/// Unicode Standard Annex #9 for the direction controls (`Bidi_Control`).
pub const fn is_printable(c: char) -> bool {
    let control = matches!(c, '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}');
    let separator = matches!(c, '\u{2028}' | '\u{2029}');
    let direction =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let invisible = matches!(c, '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
    !(control || separator || direction || invisible)
}

#[cfg(test)]
mod tests {
    use super::{printable, value_text};

    #[test]
    fn what_moves_hides_or_breaks_text_is_escaped_and_joiners_are_not() {
        for c in
            "\u{0}\n\u{1b}\u{7f}\u{9b}\u{61c}\u{200b}\u{200e}\u{202e}\u{2028}\u{2029}\u{2060}\u{2069}\u{feff}\u{e0001}\u{e0041}"
                .chars()
        {
            assert_eq!(printable(&c.to_string()), format!("\\u{{{:x}}}", u32::from(c)));
        }
        let joined = "a b\u{200c}\u{200d}é漢";
        assert_eq!(printable(joined), joined);
    }
    #[test]
    fn letters_that_only_look_like_those_beside_them_are_escaped() {
        for (text, expected) in [
            ("Sc\u{430}nToPdf-Setup.exe", r"Sc\u{430}nToPdf-Setup.exe"),
            ("\u{405}etup.exe", r"\u{405}etup.exe"),
            ("\u{ff53}vchost.exe", r"\u{ff53}vchost.exe"),
            // The whole name looks like ASCII, and its extension is ASCII.
            ("\u{441}\u{43e}\u{440}\u{443}.exe", r"\u{441}\u{43e}\u{440}\u{443}.exe"),
            ("договор.docx", "договор.docx"),
            ("Договор 2025 (copy).docx", "Договор 2025 (copy).docx"),
            ("kapı.txt", "kapı.txt"),
            ("Übersicht.xlsx", "Übersicht.xlsx"),
            ("C:\\Users\\Зоя\\a.txt", "C:\\Users\\Зоя\\a.txt"),
            ("漢字abc.txt", "漢字abc.txt"),
            ("αβγ and x", "αβγ and x"),
        ] {
            assert_eq!(printable(text), expected);
        }
    }

    #[test]
    fn in_a_value_every_blank_counts() {
        for (text, expected) in [
            ("Ledgerline Backup", "Ledgerline Backup"),
            ("Ledgerline  Backup", r"Ledgerline \u{20}Backup"),
            ("Ledgerline   Backup", r"Ledgerline \u{20}\u{20}Backup"),
            ("a\u{a0}b", r"a\u{a0}b"),
        ] {
            assert_eq!(value_text(text), expected);
        }
    }
}
