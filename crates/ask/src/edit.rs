//! Edits a question as text: replaces words, cuts words out, trims marks.

use crate::LONGEST;
use crate::tokens::Token;
use std::collections::BTreeSet;
use std::ops::Range;

/// Returns the part of a text that is read.
pub(crate) fn limited(text: &str) -> &str {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// Replaces byte ranges of a text. The ranges must be sorted and must not overlap.
pub(crate) fn replaced(text: &str, changes: &[(Range<usize>, String)]) -> String {
    let mut out = String::new();
    let mut at = 0;
    for (bytes, word) in changes {
        out.push_str(text.get(at..bytes.start).unwrap_or_default());
        out.push_str(word);
        at = bytes.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// Removes the words at these places, and marks that are left alone.
pub(crate) fn cut(text: &str, words: &[Token], places: &[usize]) -> String {
    let places: BTreeSet<usize> = places.iter().copied().collect();
    let gone = places.iter().filter_map(|at| words.get(*at));
    let changes: Vec<_> = gone.map(|word| (word.bytes.clone(), String::new())).collect();
    let out = replaced(text, &changes);
    let kept: Vec<&str> = out.split_whitespace().filter(|it| it.chars().any(char::is_alphanumeric)).collect();
    kept.join(" ")
}

/// Removes marks at the end of a text.
pub(crate) fn bare(text: &str) -> &str {
    text.trim().trim_end_matches(['?', '!', '.', ',', ';', ' '])
}

/// Returns a name as it is put into a question: in quotation marks if the word was quoted.
pub(crate) fn quoted(token: &Token, name: &str) -> String {
    if token.quoted { format!("\"{name}\"") } else { name.to_owned() }
}
