//! Clauses that put a question before, after or beside something that is not a time.

use crate::lexicon::Lexicon;
use crate::tokens::Token;
use std::collections::BTreeSet;

/// Returns the place of the word that begins such a clause. `times` are the places of the words of times.
pub(super) fn begins(lexicon: &Lexicon, words: &[Token], times: &BTreeSet<usize>) -> Option<usize> {
    (0..words.len()).find(|at| {
        let Some(word) = words.get(*at) else { return false };
        let has_more = words.len() > at + 1 && *at > 2;
        let is_of_time = (1..=3).any(|more| times.contains(&(at + more)));
        let is_clause = matches!(
            word.low.as_str(),
            "after" | "before" | "while" | "nachdem" | "bevor" | "während" | "once"
        );
        (is_clause || is_when_clause(lexicon, words, *at)) && has_more && !is_of_time && !word.quoted
    })
}

/// Whether "when" at this place begins a clause. "What was running when it was collected" leaves nothing out.
fn is_when_clause(lexicon: &Lexicon, words: &[Token], at: usize) -> bool {
    let is_when = words.get(at).is_some_and(|word| word.low == "when");
    let asks = |word: &Token| matches!(word.low.as_str(), "which" | "what" | "who" | "how" | "where");
    let joins = |word: &Token| matches!(word.low.as_str(), "and" | "or");
    let is_habit = |word: &Token| {
        matches!(word.low.as_str(), "logs" | "signs" | "starts" | "boots" | "anmeldet" | "startet")
    };
    let rest = || words.iter().skip(at);
    is_when
        && words.iter().take(at).any(asks)
        && !words.get(at.saturating_sub(1)).is_some_and(joins)
        && !rest().all(|word| lexicon.is_filler(word))
        && !rest().any(is_habit)
}
