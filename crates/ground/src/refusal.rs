//! The texts of a rejection: bounded, and with quoted evidence that cannot pass for our own words.

use crate::bind::Fit;
use crate::shelf::Held;
use ledger::{Candidate, Predicate, Record, Rejection, RejectionCode};

/// The most characters in a reason or hint.
const LONGEST_SENTENCE: usize = 300;

/// The most characters in a candidate's summary or text.
const LONGEST_TEXT: usize = 200;

/// The most characters of a text quoted inside a sentence.
const LONGEST_QUOTE: usize = 80;

/// Makes a rejection of bounded size.
pub(crate) fn refuse(
    code: RejectionCode,
    reason: String,
    hint: String,
    candidates: Vec<Candidate>,
) -> Rejection {
    Rejection { code, reason: cut(&reason, LONGEST_SENTENCE), hint: cut(&hint, LONGEST_SENTENCE), candidates }
}

/// The most characters in a repeated hint that writes a record out.
const LONGEST_REPEATED: usize = 600;

/// Replaces the hint of a rejection.
pub(crate) fn repeated(rejection: Rejection, hint: &str) -> Rejection {
    Rejection { hint: cut(hint, LONGEST_REPEATED), ..rejection }
}

/// The most characters in a hint that writes calls out; the calls must work as written.
const LONGEST_CALLS: usize = 2_000;

/// Replaces the hint of a rejection with one that contains calls to make.
pub(crate) fn with_calls(rejection: Rejection, hint: &str) -> Rejection {
    Rejection { hint: cut(hint, LONGEST_CALLS), ..rejection }
}

/// Describes a place that the agent may have meant; `text` is the text there, unquoted.
pub(crate) fn candidate(
    held: &Held,
    record: Option<&Record>,
    field: Option<&str>,
    text: Option<&str>,
) -> Candidate {
    Candidate {
        invocation: held.invocation,
        summary: one_line(&held.summary, LONGEST_TEXT),
        record: record.map(|record| record.id),
        field: field.map(|field| cut(field, LONGEST_TEXT)),
        text: text.map(|text| quote_within(text, LONGEST_TEXT)),
    }
}

/// Describes the place of a record that fits, with its first value.
pub(crate) fn fit_candidate(held: &Held, fit: &Fit<'_>) -> Candidate {
    let first = fit.values.first();
    let text = first.map(|bound| bound.held.value.to_text());
    candidate(held, Some(fit.record), first.map(|bound| bound.field), text.as_deref())
}

/// Asks for one of the predicates.
pub(crate) fn choose_predicate<'v>(predicates: impl Iterator<Item = &'v Predicate>) -> String {
    let names: Vec<_> = predicates.map(|predicate| format!("`{predicate}`")).collect();
    if names.is_empty() {
        return "No predicate can be proved by such a record; cite another source.".to_owned();
    }
    format!("Use one of {}.", names.join(", "))
}

/// Joins at most `most` names for a sentence.
pub(crate) fn list<'f>(names: impl IntoIterator<Item = &'f str>, most: usize) -> String {
    let names: Vec<_> =
        names.into_iter().map(|name| format!("`{}`", one_line(name, LONGEST_QUOTE))).collect();
    let shown = names.iter().take(most).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > most { format!("{shown}, …") } else { shown }
}

/// Quotes `text` with its escapes, short enough for a sentence.
pub(crate) fn quote(text: &str) -> String {
    quote_within(text, LONGEST_QUOTE)
}

/// Quotes `text` and escapes everything that is not a visible character on one line.
fn quote_within(text: &str, most: usize) -> String {
    format!("\"{}\"", one_line_with(text, most.saturating_sub(2), |c| c.escape_debug().collect()))
}

/// Escapes control and invisible characters in `text`.
fn one_line(text: &str, most: usize) -> String {
    one_line_with(text, most, |c| match c {
        '\\' | '"' | '\'' => c.to_string(),
        _ => c.escape_debug().collect(),
    })
}

/// Returns at most `most` characters of `text`; no escape is cut in two.
fn one_line_with(text: &str, most: usize, escape: impl Fn(char) -> String) -> String {
    let mut out = String::new();
    let mut length = 0;
    let mut chars = text.chars().map(escape).peekable();
    while let Some(piece) = chars.next() {
        length += piece.chars().count();
        if length + usize::from(chars.peek().is_some()) > most {
            out.push('…');
            break;
        }
        out.push_str(&piece);
    }
    out
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_text_stays_on_one_line_and_within_its_length() {
        assert_eq!(quote("a\nb\u{202e}\"c"), r#""a\nb\u{202e}\"c""#);
        let long = quote_within(&"\n".repeat(500), 20);
        assert!(long.chars().count() <= 20 && long.ends_with("\\n…\""), "{long}");
    }

    #[test]
    fn a_text_that_fits_exactly_is_not_cut() {
        assert_eq!(quote_within("abcd", 6), "\"abcd\"");
        assert_eq!(quote_within("abcde", 6), "\"abc…\"");
        assert_eq!(cut("éééé", 3), "éé…");
    }
}
