//! The phrase book: what code says about facts, derivations and absences, in several languages.
//!
//! Words are data (`data/en.toml`, `data/de.toml`, `docs/phrases.md`): templates with places for fields of one record.
//! Action, subject, values and times are the fact's; nobody chooses an actor, a number, an order or a negation.
//! The caller chooses fields to say; the fields that limit what the fact says are always included ([`obligatory`]).
//!
//! **Invariant:** pure. Every value in a phrase comes from the fact,
//! or was computed by code and is marked as such ([`Piece::Computed`]).

mod absence;
mod book;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod checks;
mod derivation;
mod fact;
mod language;
mod obligatory;
mod phrase;
mod several;
mod template;
mod value;

pub use absence::absence;
pub use book::{Book, BookError};
pub use derivation::derivation;
pub use fact::{Choice, fact, usual};
pub use language::{Language, UnknownLanguage};
pub use obligatory::obligatory;
pub use phrase::{Phrase, Piece};
pub use several::{Alike, FEWEST, alike, apart, episode, several};
pub use template::TemplateError;
