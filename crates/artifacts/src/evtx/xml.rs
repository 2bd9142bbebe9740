//! A reader for the XML that the library renders: no comments, no prefixes, no document types; text as written,
//! with escapes resolved on demand.

use std::borrow::Cow;

/// A piece of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// `<name attributes>`; `empty` for `<name attributes/>`, which has no end of its own.
    Start { name: &'a str, attributes: &'a str, empty: bool },
    /// `</name>`.
    End,
    /// Text between tags, including escapes.
    Text(&'a str),
    /// Text without escapes, which only writers other than the library produce.
    Literal(&'a str),
}

/// The rest of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tokens<'a> {
    pub(crate) rest: &'a str,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let Some(tag) = self.rest.strip_prefix('<') else {
                let end = memchr::memchr(b'<', self.rest.as_bytes()).unwrap_or(self.rest.len());
                let (text, rest) = self.rest.split_at_checked(end)?;
                self.rest = rest;
                return (!text.is_empty()).then_some(Token::Text(text));
            };
            // The renderer escapes `>` in texts and attribute values.
            let (inner, rest) = tag.split_at_checked(memchr::memchr(b'>', tag.as_bytes())?)?;
            self.rest = rest.get(1..)?;
            match inner.as_bytes().first() {
                Some(b'?' | b'!') => {}
                Some(b'/') => return Some(Token::End),
                _ => return Some(start(inner)),
            }
        }
    }
}

/// Parses a tag without its angle brackets.
pub(crate) fn start(inner: &str) -> Token<'_> {
    let (inner, empty) = inner.strip_suffix('/').map_or((inner, false), |inner| (inner, true));
    let (name, attributes) = inner.split_once([' ', '\t', '\r', '\n']).unwrap_or((inner, ""));
    Token::Start { name, attributes, empty }
}

/// Splits at the first such ASCII character; a plain loop, because these texts are short.
fn cut(text: &str, at: u8) -> Option<(&str, &str)> {
    let place = text.bytes().position(|byte| byte == at)?;
    Some((text.get(..place)?, text.get(place + 1..)?))
}

/// Returns the attributes of a tag, including escapes.
pub(crate) fn attributes(mut text: &str) -> impl Iterator<Item = (&str, &str)> {
    std::iter::from_fn(move || {
        let (name, rest) = cut(text, b'=')?;
        // The library writes quotation marks, Windows itself apostrophes.
        let quote = *rest.as_bytes().first().filter(|quote| matches!(quote, b'"' | b'\''))?;
        let (value, rest) = cut(rest.get(1..)?, quote)?;
        text = rest;
        Some((name.trim_ascii(), value))
    })
}

/// Returns the value of an attribute if it exists and is not empty.
pub(crate) fn attribute<'a>(text: &'a str, wanted: &str) -> Option<Cow<'a, str>> {
    let found = attributes(text).find(|(name, _)| *name == wanted);
    found.map(|(_, value)| plain(value)).filter(|value| !value.is_empty())
}

/// Returns the text without escapes; anything that is not an escape stays.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'&', text.as_bytes()) else { return Cow::Borrowed(text) };
    let (before, mut rest) = text.split_at_checked(first).unwrap_or((text, ""));
    let mut plain = String::with_capacity(text.len());
    plain.push_str(before);
    while let Some(escape) = rest.strip_prefix('&') {
        let known = escape.split_once(';').and_then(|(name, after)| Some((letter(name)?, after)));
        rest = match known {
            Some((letter, after)) => {
                plain.push(letter);
                after
            }
            None => {
                plain.push('&');
                escape
            }
        };
        let next = memchr::memchr(b'&', rest.as_bytes()).unwrap_or(rest.len());
        let (text, after) = rest.split_at_checked(next).unwrap_or((rest, ""));
        plain.push_str(text);
        rest = after;
    }
    Cow::Owned(plain)
}

/// Returns the character of an escape (XML 1.0, 4.1 and 4.6).
fn letter(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escapes_are_undone_once_and_what_is_none_stays() {
        assert_eq!(plain("a &amp;lt; b &#x41;&#66; &none; & &lt;c&gt;"), "a &lt; b AB &none; & <c>");
        assert!(matches!(plain("plain"), Cow::Borrowed("plain")));
    }

    #[test]
    fn tags_texts_and_attributes_come_in_order() {
        let tokens: Vec<_> = Tokens { rest: "<?xml?>\n<a b=\"1\" c=\"x y\"><d/>t</a>" }.collect();
        let start = |name, attributes, empty| Token::Start { name, attributes, empty };
        assert_eq!(
            tokens,
            [
                Token::Text("\n"),
                start("a", "b=\"1\" c=\"x y\"", false),
                start("d", "", true),
                Token::Text("t"),
                Token::End
            ]
        );
        assert_eq!(attribute("b=\"1\" c=\"x y\"", "c").unwrap(), "x y");
        assert_eq!(attribute("b=\"\"", "b"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "[<>&;/a \"=#x0-9é]{0,60}") {
            let tokens = Tokens { rest: &text }.count();
            prop_assert!(tokens <= text.len());
            let _ = plain(&text);
            let _ = attributes(&text).count();
        }
    }
}
