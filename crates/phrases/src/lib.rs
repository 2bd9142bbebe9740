//! The phrase book: what code says of facts, derivations and absences, in the words of a language.
//!
//! Words are data (`data/en.toml`, `data/de.toml`, `docs/phrases.md`): templates with places for fields of one record.
//! Deed, subject, values and times are those of the fact; nobody chooses an actor, a number, an order or a negation.
//! Whoever asks for a phrase chooses fields to say; those that bound what the fact tells are said in any case ([`obligatory`]).
//!
//! **Invariant:** pure. Every value in a phrase is one of the fact, or worked out by code and marked as that ([`Piece::Computed`]).

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
