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
pub fn fits(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.to_lowercase().chars().collect();
    let text: Vec<char> = text.to_lowercase().chars().collect();
    let (mut at, mut of) = (0, 0);
    // Where the last star stands and how much of the text it has taken so far.
    let mut star: Option<(usize, usize)> = None;
    while at < text.len() {
        match pattern.get(of) {
            Some('*') => {
                star = Some((of, at));
                of += 1;
            }
            Some(c) if *c == '?' || Some(c) == text.get(at) => {
                at += 1;
                of += 1;
            }
            _ => match star {
                Some((place, taken)) => {
                    star = Some((place, taken + 1));
                    at = taken + 1;
                    of = place + 1;
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(of).all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::fits;

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
            ("", "", true),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} on {text}");
        }
    }
}
