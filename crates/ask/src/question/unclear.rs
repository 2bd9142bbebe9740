//! Words that change what is asked in ways that are not worked out. Ignoring them would answer another question.

use super::Question;
use crate::tokens::Token;

/// Returns what is not worked out in a question, in words; `None` if nothing is.
pub(super) fn unclear(question: &Question, words: &[Token]) -> Option<&'static str> {
    let lexicon = question.lexicon;
    let has = |fits: &dyn Fn(&Token) -> bool| words.iter().any(|word| !word.quoted && fits(word));
    let names = question.readings.iter().map(|reading| reading.names.len()).max().unwrap_or(0);
    let is_or = |word: &Token| lexicon.either.fits(word);
    if has(&|word| word.text.contains(['*', '%'])) {
        return Some("patterns are not understood: name the thing, or ask which things there are");
    }
    let beside = |at: usize, low: &[&str]| words.get(at).is_some_and(|word| low.contains(&word.low.as_str()));
    let is_either_side = (1..words.len()).any(|at| {
        words.get(at).is_some_and(&is_or)
            && beside(at - 1, &["before", "after", "vor", "nach"])
            && beside(at + 1, &["before", "after", "vor", "nach"])
    });
    if is_either_side || (names > 1 && has(&is_or)) {
        return Some("\"or\" is not understood: ask one question at a time");
    }
    let is_than = (1..words.len()).any(|at| {
        words.get(at).is_some_and(|word| lexicon.than.fits(word))
            && beside(
                at - 1,
                &["other", "else", "anders", "anderes", "andere", "anderem", "anderen", "rather"],
            )
    });
    if is_than {
        return Some("\"other than\" is not understood: ask which things there are");
    }
    let is_only = question.wants.yes_or_no && names > 0 && has(&|word| lexicon.only.fits(word));
    is_only.then_some("\"only\" is not understood: ask who or what there is")
}
