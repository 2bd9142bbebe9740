//! What no sentence may say, whatever it cites: that something is harmless.
//!
//! A fact says what is in the evidence.
//! Nothing in the evidence shows that it is innocent, except words that somebody put there, perhaps for the people who will read them.
//! A verdict is a hypothesis, for and against which facts are weighed.

use super::deeds::{is_turned, overclaim};
use super::values::Word;
use super::vocabulary::{EXONERATING, INCRIMINATING};
use crate::refusal::quote;
use ledger::Rejection;

/// Refuses a sentence that exonerates, by an exonerating word or by denying an incriminating one.
pub(super) fn check(words: &[Word]) -> Result<(), Rejection> {
    let exonerates = |at: usize, word: &Word| {
        let text = word.text.as_str();
        EXONERATING.contains(&text) || (INCRIMINATING.contains(&text) && is_turned(words, at))
    };
    match words.iter().enumerate().find(|(at, word)| exonerates(*at, word)) {
        None => Ok(()),
        Some((_, word)) => Err(overclaim(
            format!("{} is a verdict, and no fact gives one", quote(&word.text)),
            "Say what is there. What it means is a hypothesis, which propose_hypothesis puts up for test; the words of a value stand between quotation marks."
                .to_owned(),
        )),
    }
}
