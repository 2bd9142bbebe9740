//! The name of a predicate.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The name of a predicate, such as `configured`; the gateway checks whether the vocabulary has it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Predicate(pub String);

impl Predicate {
    /// Returns the only predicate that a quotation proves.
    pub fn quoted() -> Predicate {
        Predicate("quoted".to_owned())
    }

    /// Checks whether this is [`Predicate::quoted`].
    pub fn is_quoted(&self) -> bool {
        self.0 == "quoted"
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
