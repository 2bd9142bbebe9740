//! Rules in the language Sigma, matched over records.
//!
//! What rules mean by a log source and by a field is data (`data/sources.toml`); what Windows calls the data of events comes from whoever decodes them ([`Names`]).
//! Reading and matching are those of the crates `rsigma-parser` and `rsigma-eval`, whose regular expressions take time in proportion to the text.
//!
//! **Invariant:** pure; a rule that cannot be used is told, and so is one that no record can fit.
//! A hit says that a record fits somebody's rule, and no more: it proves nothing.

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
