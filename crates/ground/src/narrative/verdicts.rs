//! What no sentence says, whatever it cites: that something is harmless.
//!
//! A fact tells what stands in the evidence, and nothing in the evidence tells that it is innocent but words that somebody put there, perhaps for whoever reads them.
//! A verdict is a hypothesis, which facts are weighed for and against.

use super::deeds::{is_turned, overclaim};
use super::values::Word;
use super::vocabulary::{EXONERATING, INCRIMINATING};
use crate::refusal::quote;
use ledger::Rejection;

/// Refuses a sentence that exonerates, by a word of its own or by denying one that incriminates.
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
