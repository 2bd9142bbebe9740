//! Escapes for characters that a reader cannot see: `\u{202e}`.
//!
//! Names in the evidence can contain them, and a sentence may name such a thing only with these characters escaped.

use std::borrow::Cow;

/// Checks whether a character is invisible or moves others.
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

/// Checks whether a character is invisible in a line of text, or has no known appearance.
/// These are all of `Default_Ignorable_Code_Point`, formats, controls and line separators (Unicode 16, `DerivedCoreProperties.txt`,
/// general categories Cc, Cf, Zl and Zp), the Braille blank, private use, and noncharacters.
///
/// Spaces are not among them. [`is_hidden`] is narrower, because its set decides about sentences of recorded runs.
pub const fn is_unseen(c: char) -> bool {
    let format = matches!(c,
        '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}' | '\u{8e2}' | '\u{fff9}'..='\u{fffb}'
        | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}');
    let breaks = matches!(c, '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}');
    let private = matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}');
    let none = c as u32 & 0xfffe == 0xfffe || matches!(c, '\u{fdd0}'..='\u{fdef}' | '\u{fffc}' | '\u{2800}');
    is_ignorable(c) || format || breaks || private || none
}

/// Checks for `Default_Ignorable_Code_Point` of Unicode: soft hyphens, joiners, directions, selectors, tags.
pub const fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Returns the capital of a small Cherokee letter, because only the capital's appearance is known;
/// returns any other character unchanged.
pub fn without_small_cherokee(c: char) -> char {
    match c {
        '\u{ab70}'..='\u{abbf}' => c.to_uppercase().next().unwrap_or(c),
        c => c,
    }
}

/// Returns the text with every hidden character escaped.
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

/// Returns the text with its escapes undone, but only for characters that are hidden, a space, a backslash or not ASCII.
/// Any other escape stays as it is.
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

/// What precedes the number of a character.
const OPENING: &str = "\\u{";

/// Returns the character whose number comes before a closing brace, and the rest.
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
