//! Text of the evidence as text that changes nothing but itself.

/// `text` on one line: control characters, line and paragraph separators, direction controls and invisible blanks are written as `\u{…}`.
///
/// Zero-width joiners stay: scripts and emoji need them.
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| push_printable(&mut out, c));
    out
}

/// Appends one character as [`printable`] shows it.
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
    use super::printable;

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
}
