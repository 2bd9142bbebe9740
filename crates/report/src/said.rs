//! Describes a fact, with the fields that were requested, or an absence.

use crate::inert::terminal;
use ledger::{AbsenceEntry, FactEntry};
use phrases::{Choice, Language};

/// Returns the phrase book's sentence for an absence, on one line.
pub fn absence_in_words(absence: &AbsenceEntry, language: Language) -> String {
    terminal(&phrases::absence(language, absence).text())
}

/// Returns the phrase book's sentence for a fact with these fields, on one line.
pub fn fact_in_words(fact: &FactEntry, fields: &[String], language: Language) -> String {
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    terminal(&phrases::fact(language, fact, Choice::Fields(&fields)).text())
}
