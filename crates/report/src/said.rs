//! A fact in words, with the fields that somebody asked for.

use crate::inert::terminal;
use ledger::FactEntry;
use phrases::{Choice, Language};

/// What the phrase book says of a fact and these fields, as one line.
pub fn fact_in_words(fact: &FactEntry, fields: &[String], language: Language) -> String {
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    terminal(&phrases::fact(language, fact, Choice::Fields(&fields)).text())
}
