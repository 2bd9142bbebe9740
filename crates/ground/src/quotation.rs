//! Quotations: one contiguous span of a text, at word boundaries on both sides.

use unicode_normalization::char::is_combining_mark;

/// The fewest characters of a quotation.
const SHORTEST: usize = 4;

/// Checks whether `words` occur in `text` as a quotation.
pub(crate) fn stands(words: &str, text: &str) -> bool {
    // The length is checked first, so a claim longer than the text is not searched.
    words.len() <= text.len()
        && words.trim().chars().take(SHORTEST).count() == SHORTEST
        && text.match_indices(words).any(|(at, _)| {
            let (before, rest) = text.split_at(at);
            let after = rest.strip_prefix(words).unwrap_or_default();
            parts(before.chars().rev(), words.chars(), &BEFORE)
                && parts(after.chars(), words.chars().rev(), &AFTER)
                && !(after.starts_with(TAILS) && words.ends_with(is_word))
                && !is_turned(before)
        })
}

/// Marks that join words into one name: of a file, a domain, an account.
///
/// The text after the last separator of a path is a name of its own; the text before a separator is another place.
const BEFORE: [char; 3] = ['.', '-', '@'];
const AFTER: [char; 4] = ['.', '-', '@', '\\'];

/// Marks at the end of a name: of a hidden share or account, of a short file name.
const TAILS: [char; 2] = ['$', '~'];

/// Words that negate what follows them.
const TURNING: [&str; 19] = [
    "not", "no", "non", "never", "cannot", "without", "neither", "nor", "nicht", "kein", "keine", "keinen",
    "keinem", "keiner", "keines", "nie", "niemals", "ohne", "weder",
];

/// Words that negate what follows them after a `to`, as in "failed to".
const FAILING: [&str; 6] = ["failed", "fails", "fail", "failing", "unable", "refused"];

/// How many words before a quotation may negate it.
const REACH: usize = 3;

/// The most characters that are searched for one word before a quotation.
const LONGEST_WORD: usize = 300;

/// Checks whether the words right before a quotation, in the same clause, reverse its meaning.
///
/// They are read from the last one back, and no further than they can have effect: a long text may contain the quotation very often.
fn is_turned(before: &str) -> bool {
    let (mut rest, mut next) = (before, String::new());
    for _ in 0..REACH {
        let trimmed = rest.trim_end();
        let gap = rest.get(trimmed.len()..).unwrap_or_default();
        // A point inside a word ends no clause: it belongs to a name or a number.
        if gap.contains(['\n', '\r']) || !gap.is_empty() && trimmed.ends_with('.') {
            return false;
        }
        let mut letters = trimmed.char_indices().rev().take(LONGEST_WORD);
        let space = letters.find(|(_, c)| c.is_whitespace() || matches!(c, ';' | '!' | '?'));
        let start = space.map(|(at, c)| at + c.len_utf8());
        let from = start.or_else(|| (trimmed.len() <= LONGEST_WORD).then_some(0));
        let Some(word) = from.and_then(|from| trimmed.get(from..)) else { return false };
        let bare = word.trim_matches(|c: char| !is_word(c)).to_lowercase();
        let contracted = bare.ends_with("n't") || bare.ends_with("n’t");
        let failing = next == "to" && FAILING.contains(&bare.as_str());
        if contracted || failing || TURNING.contains(&bare.as_str()) {
            return true;
        }
        let Some(start) = start.filter(|_| space.is_some_and(|(_, c)| c.is_whitespace())) else {
            return false;
        };
        rest = trimmed.get(..start).unwrap_or_default();
        next = bare;
    }
    false
}

/// Checks whether there is a word boundary between outside and inside, both read away from it; a word continues across `marks`.
fn parts(outside: impl Iterator<Item = char>, inside: impl Iterator<Item = char>, marks: &[char]) -> bool {
    let (mut outside, mut inside) = (outside, inside);
    let (Some(neighbour), Some(edge)) = (outside.next(), inside.next()) else { return true };
    // A combining mark belongs to the letter before it, whichever side that is on.
    if is_joiner(neighbour) || is_joiner(edge) {
        return false;
    }
    let beyond = outside.next();
    let number = edge.is_numeric() && goes_on(neighbour, beyond)
        || neighbour.is_numeric() && goes_on(edge, inside.next());
    let joined = marks.contains(&neighbour) && is_word(edge) && beyond.is_some_and(is_word);
    !(number || joined || is_word(neighbour) && is_word(edge))
}

/// Checks whether a number continues across `mark`: the point in `1.5`, the sign in `-5`, the dash of a date.
fn goes_on(mark: char, beyond: Option<char>) -> bool {
    match mark {
        '.' | ',' | ':' | '/' => beyond.is_some_and(char::is_numeric),
        '-' | '+' => !beyond.is_some_and(char::is_alphabetic),
        _ => false,
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_joiner(c: char) -> bool {
    is_combining_mark(c) || matches!(c, '\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{2060}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotation_ends_where_words_end() {
        let text = "net user admin2 /add (not executed)";
        for words in ["user admin2", "net user", "(not executed)", text] {
            assert!(stands(words, text), "{words}");
        }
        for words in ["user admin", "et user", "add (not exec", "net", "executed"] {
            assert!(!stands(words, text), "{words}");
        }
    }

    #[test]
    fn a_later_place_counts_where_the_first_is_inside_a_word() {
        assert!(stands("port", "support of port 80"));
    }

    #[test]
    fn part_of_a_number_is_no_quotation() {
        assert!(!stands("5 MiB free", "1.5 MiB free"));
        assert!(!stands("size 1", "size 1.5"));
        assert!(!stands("5 degrees", "-5 degrees"));
        assert!(!stands("04-04 login", "2012-04-04 login"));
        assert!(stands("8080", "port:8080."));
    }

    #[test]
    fn part_of_a_name_is_no_quotation() {
        assert!(!stands("evil.example", "https://evil.example.com/a"));
        assert!(!stands("admin logged", "it-admin logged on"));
        assert!(!stands("see C:\\Policies", "see C:\\Policies\\remote.pdf"));
        assert!(stands("remote.pdf", "see C:\\Policies\\remote.pdf."));
        assert!(stands("example.com", "https://example.com/a"));
    }

    #[test]
    fn words_after_a_no_are_quoted_with_it() {
        assert!(!stands("allowed", "Remote desktop is not yet allowed here"));
        assert!(!stands("completed", "The download wasn't completed"));
        assert!(stands("not yet allowed", "Remote desktop is not yet allowed here"));
        assert!(stands("allowed", "It did not run. Later it was allowed"));
        assert!(stands("notes", "the notes of mara"));
    }

    #[test]
    fn a_letter_without_its_mark_is_no_quotation() {
        assert!(!stands("cafe", "cafe\u{301} noir"));
    }
}
