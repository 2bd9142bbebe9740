//! Quotations: one contiguous span of a text, at word boundaries on both sides.

use unicode_normalization::char::is_combining_mark;

/// The fewest characters that a quotation has.
const SHORTEST: usize = 4;

/// Whether `words` stand in `text` as a quotation.
pub(crate) fn stands(words: &str, text: &str) -> bool {
    words.trim().chars().count() >= SHORTEST
        && text.match_indices(words).any(|(at, _)| {
            let (before, rest) = text.split_at(at);
            let after = rest.strip_prefix(words).unwrap_or_default();
            parts(before.chars().rev(), words.chars()) && parts(after.chars(), words.chars().rev())
        })
}

/// Whether a boundary lies between what is outside and what is inside, both read away from it.
fn parts(outside: impl Iterator<Item = char>, inside: impl Iterator<Item = char>) -> bool {
    let (mut outside, mut inside) = (outside, inside);
    let (Some(neighbour), Some(edge)) = (outside.next(), inside.next()) else { return true };
    // A mark belongs to the letter before it, whichever side that is on.
    if is_joiner(neighbour) || is_joiner(edge) {
        return false;
    }
    let beyond = outside.next();
    let number = edge.is_numeric() && goes_on(neighbour, beyond)
        || neighbour.is_numeric() && goes_on(edge, inside.next());
    !(number || is_word(neighbour) && is_word(edge))
}

/// Whether a number goes on over `mark`: the point in `1.5`, the sign in `-5`, the dash of a date.
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
        for words in ["user admin2", "net user", "(not executed)", "executed", text] {
            assert!(stands(words, text), "{words}");
        }
        for words in ["user admin", "et user", "add (not exec", "net"] {
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
    fn a_letter_without_its_mark_is_no_quotation() {
        assert!(!stands("cafe", "cafe\u{301} noir"));
    }
}
