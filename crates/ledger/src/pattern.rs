//! Text patterns of objectives and playbooks: `*` for any run of characters, `?` for one; letter case aside.

use serde::{Deserialize, Serialize};

/// One pattern, or several of which any may fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Patterns {
    /// This one.
    One(String),
    /// Any of these.
    Any(Vec<String>),
}

impl Patterns {
    /// Whether the text fits one of them.
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

/// Whether the whole of `text` fits `pattern`.
///
/// Letters are compared one by one ([`same_letter`]): a `?` stands for one character of the text as it is written, and whether two letters are the same does not depend on what stands around them.
pub fn fits(pattern: &str, text: &str) -> bool {
    matches(pattern, text, Signs { many: '*', one: '?' })
}

/// The same for a pattern of SQL's LIKE, in which `%` stands for any run of characters and `_` for one.
pub fn like(pattern: &str, text: &str) -> bool {
    matches(pattern, text, Signs { many: '%', one: '_' })
}

/// The signs of a pattern.
#[derive(Clone, Copy)]
struct Signs<L> {
    /// For any run of characters.
    many: L,
    /// For one character.
    one: L,
}

fn matches(pattern: &str, text: &str, Signs { many, one }: Signs<char>) -> bool {
    // Nearly all texts are ASCII, and bytes are compared several times as fast as characters.
    if pattern.is_ascii() && text.is_ascii() {
        let signs = Signs { many: many as u8, one: one as u8 };
        return fit(pattern.bytes(), text.bytes(), signs, |a, b| a.eq_ignore_ascii_case(&b));
    }
    fit(pattern.chars(), text.chars(), Signs { many, one }, same_letter)
}

/// Whether letters fit a pattern of letters.
fn fit<L, I>(mut pattern: I, mut text: I, Signs { many, one }: Signs<L>, same: fn(L, L) -> bool) -> bool
where
    L: Copy + PartialEq,
    I: DoubleEndedIterator<Item = L> + Clone,
{
    // Most texts end otherwise, which is soon seen.
    let mut end = text.clone().rev();
    let mut behind = pattern.clone().rev().take_while(|c| *c != many);
    if !behind.all(|c| end.next().is_some_and(|letter| c == one || same(c, letter))) {
        return false;
    }
    // What follows the last sign for many, and the text from the first letter that it need not take.
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

/// Whether two patterns are the same, letter case aside: then the same texts fit them.
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

/// The text in lower case, letter by letter: texts that are the same by [`same_letter`] fold to one.
///
/// It is what [`str::to_lowercase`] gives, but for letters whose lower case depends on what stands around them.
pub fn fold(text: &str) -> String {
    match text.is_ascii() {
        true => text.to_ascii_lowercase(),
        false => text.chars().flat_map(char::to_lowercase).collect(),
    }
}

/// Whether two characters are equal in lower case.
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
        // A sigma at the end of a word and a capital i with a dot have a lower case of their own in texts.
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
