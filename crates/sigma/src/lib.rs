//! Rules in the Sigma language, matched against records.
//!
//! What rules mean by a log source and by a field is data (`data/sources.toml`);
//! the caller supplies the names that Windows gives to event data ([`Names`]).
//! The crates `rsigma-parser` and `rsigma-eval` read and match rules; their regular expressions take time proportional to the text.
//!
//! **Invariant:** pure; a rule that cannot be used, or that no record can match, is reported.
//! A hit only says that a record matches somebody's rule: it proves nothing.

mod correlate;
mod guard;
mod load;
mod mapping;
mod set;
mod template;
#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]
mod tests;
mod view;

pub use correlate::Correlated;
pub use load::{Broken, LONGEST, Rule, RuleFile};
pub use mapping::MappingError;
pub use set::{Check, Hit, Noted, RuleSet};
pub use view::{Names, hive_key};
