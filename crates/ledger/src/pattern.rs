//! Text patterns of objectives and playbooks: `*` for any run of characters, `?` for one; letter case is ignored.

use serde::{Deserialize, Serialize};

/// One pattern, or several of which any may match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Patterns {
    /// This pattern.
    One(String),
    /// Any of these patterns.
    Any(Vec<String>),
}

impl Patterns {
    /// Checks whether the text matches one of them.
    pub fn fit(&self, text: &str) -> bool {
        match self {
            Patterns::One(pattern) => fits(pattern, text),
            Patterns::Any(patterns) => patterns.iter().any(|pattern| fits(pattern, text)),
        }
    }
}

impl From<&str> for Patterns {
    fn from(pattern: &str) -> Patterns {
        Patterns::One(pattern.to_owned())
    }
}

/// Checks whether the whole of `text` matches `pattern`.
///
/// Letters are compared one by one ([`same_letter`]):
/// a `?` matches one character of the text as written, and whether two letters are equal does not depend on their neighbours.
pub fn fits(pattern: &str, text: &str) -> bool {
    matches(pattern, text, Signs { many: '*', one: '?' })
}

/// Does the same for a pattern of SQL's LIKE, in which `%` matches any run of characters and `_` one.
pub fn like(pattern: &str, text: &str) -> bool {
    matches(pattern, text, Signs { many: '%', one: '_' })
}

/// The wildcards of a pattern.
#[derive(Clone, Copy)]
struct Signs<L> {
    /// Matches any run of characters.
    many: L,
    /// Matches one character.
    one: L,
}

fn matches(pattern: &str, text: &str, Signs { many, one }: Signs<char>) -> bool {
    // Nearly all texts are ASCII, and comparing bytes is several times as fast as comparing characters.
    if pattern.is_ascii() && text.is_ascii() {
        let signs = Signs { many: many as u8, one: one as u8 };
        return fit(pattern.bytes(), text.bytes(), signs, |a, b| a.eq_ignore_ascii_case(&b));
    }
    fit(pattern.chars(), text.chars(), Signs { many, one }, same_letter)
}

/// Checks whether a sequence of letters matches a pattern of letters.
fn fit<L, I>(mut pattern: I, mut text: I, Signs { many, one }: Signs<L>, same: fn(L, L) -> bool) -> bool
where
    L: Copy + PartialEq,
    I: DoubleEndedIterator<Item = L> + Clone,
{
    // Most texts have a different ending, which is checked quickly.
    let mut end = text.clone().rev();
    let mut behind = pattern.clone().rev().take_while(|c| *c != many);
    if !behind.all(|c| end.next().is_some_and(|letter| c == one || same(c, letter))) {
        return false;
    }
    // The pattern after the last `many`, and the text from the first letter that `many` need not match.
    let mut last: Option<(I, I)> = None;
    loop {
        let Some(letter) = text.clone().next() else { return pattern.all(|c| c == many) };
        match pattern.next() {
            Some(c) if c == many => last = Some((pattern.clone(), text.clone())),
            Some(c) if c == one || same(c, letter) => {
                text.next();
            }
            _ => {
                let Some((behind, from)) = &mut last else { return false };
                from.next();
                (pattern, text) = (behind.clone(), from.clone());
            }
        }
    }
}

/// Checks whether two patterns are equal, ignoring letter case: then they match the same texts.
pub fn same(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.chars(), other.chars());
    loop {
        match (one.next(), other.next()) {
            (Some(a), Some(b)) if same_letter(a, b) => {}
            (None, None) => return true,
            (Some(_), _) | (None, _) => return false,
        }
    }
}

/// Returns the text in lower case, letter by letter: texts that are equal by [`same_letter`] fold to the same text.
///
/// The result is that of [`str::to_lowercase`], except for letters whose lower case depends on their neighbours.
pub fn fold(text: &str) -> String {
    match text.is_ascii() {
        true => text.to_ascii_lowercase(),
        false => text.chars().flat_map(char::to_lowercase).collect(),
    }
}

/// Checks whether two characters are equal in lower case.
pub fn same_letter(one: char, other: char) -> bool {
    one == other
        || if one.is_ascii() && other.is_ascii() {
            one.eq_ignore_ascii_case(&other)
        } else {
            one.to_lowercase().eq(other.to_lowercase())
        }
}

#[cfg(test)]
mod tests {
    use super::{fits, same};

    #[test]
    fn stars_and_question_marks_fit_what_they_say() {
        for (pattern, text, expected) in [
            ("SYSTEM", "system", true),
            ("SYSTEM", "system32", false),
            ("*\\Run", "Software\\Microsoft\\Run", true),
            ("*\\Run", "Software\\RunOnce", false),
            ("?*", "", false),
            ("?*", "x", true),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b", "ab a", false),
            ("*.exe", "a.EXE", true),
            ("*ab", "b", false),
            ("a*?", "a", false),
            ("a*a", "a", false),
            ("", "", true),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} on {text}");
        }
    }

    #[test]
    fn letters_are_compared_one_by_one() {
        // A sigma at the end of a word and a capital i with a dot have special lower-case forms within texts.
        for (pattern, text, expected) in [
            ("\u{391}\u{3a3}*", "\u{391}\u{3a3}\u{392}.txt", true),
            ("\u{3bf}\u{3c3}", "\u{39f}\u{3a3}", true),
            ("?.txt", "\u{130}.txt", true),
            ("e\u{301}", "\u{e9}", false),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} on {text}");
        }
        assert!(same("*.EXE", "*.exe") && same("", ""));
        assert_eq!(super::fold("\u{391}\u{3a3}.\u{130}X"), "\u{3b1}\u{3c3}.i\u{307}x");
        assert!(!same("a", "ab") && !same("ab", "a") && !same("e\u{301}", "\u{e9}"));
    }
}
