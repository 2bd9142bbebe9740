//! Characters that a reader does not see, written so that they are seen: `\u{202e}`.
//!
//! Names of the evidence can hold them, and a sentence may name such a thing only with them written out.

use std::borrow::Cow;

/// Whether a character is not seen, or moves others.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{180e}'
                | '\u{3164}'
                | '\u{feff}'
                | '\u{ffa0}'
        )
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// The text with every hidden character written out.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match is_hidden(c) {
            true => out.extend(c.escape_unicode()),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// The text with every character that is written out as itself, as far as it is hidden, a blank, a backslash or none of ASCII: what else is written so says what it says.
pub fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains(OPENING) {
        return Cow::Borrowed(text);
    }
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once(OPENING) {
        out.push_str(before);
        rest = match character(after) {
            Some((c, behind)) => {
                out.push(c);
                behind
            }
            None => {
                out.push_str(OPENING);
                after
            }
        };
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// What stands before the number of a character.
const OPENING: &str = "\\u{";

/// The character whose number stands before a closing brace, and what is behind that.
fn character(text: &str) -> Option<(char, &str)> {
    let (number, behind) = text.split_once('}')?;
    let c = char::from_u32(u32::from_str_radix(number, 16).ok()?)?;
    (matches!(c, ' ' | '\\') || !c.is_ascii() || is_hidden(c)).then_some((c, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_out_reads_back_and_nothing_else_does() {
        for (text, expected) in [
            (r"a\u{202e}b", "a\u{202e}b"),
            (r"a \u{20}b", "a  b"),
            (r"Sc\u{430}n", "Sc\u{430}n"),
            (r"a\u{6e}b", r"a\u{6e}b"),
            (r"a\u{zz}b\u{", r"a\u{zz}b\u{"),
            (r"\u{20", r"\u{20"),
            (r"C:\users\u", r"C:\users\u"),
        ] {
            assert_eq!(unescaped(text), expected);
        }
        assert_eq!(escaped("a\u{202e}b é\n"), r"a\u{202e}b é\u{a}");
        assert_eq!(unescaped(&escaped("a\u{202e}b\u{200b}\n")), "a\u{202e}b\u{200b}\n");
    }
}
