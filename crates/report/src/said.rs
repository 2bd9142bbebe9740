//! Describes a fact with the fields that were requested.

use crate::inert::terminal;
use ledger::FactEntry;
use phrases::{Choice, Language};

/// Returns the phrase book's sentence for a fact with these fields, on one line.
pub fn fact_in_words(fact: &FactEntry, fields: &[String], language: Language) -> String {
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    terminal(&phrases::fact(language, fact, Choice::Fields(&fields)).text())
}
