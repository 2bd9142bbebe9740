//! Derivations: what facts say together, in closed forms.
//!
//! A derivation adds no value of its own: it names values of facts and a relation between them, so that code can check the relation.

use crate::id::{DerivationId, FactId, InvocationId};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The most values that one derivation compares.
pub const MOST_TERMS: usize = 64;

/// A value of a fact.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Term {
    /// The fact.
    pub fact: FactId,
    /// The field of its record: the field of the subject, or of one of the values.
    pub field: String,
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.fact, self.field)
    }
}

/// A relation between values of facts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "form", rename_all = "snake_case", deny_unknown_fields)]
pub enum Derivation {
    /// All of them are the same: texts by the equivalences of their type, times at the precision of the coarsest.
    Same {
        /// The values, two or more.
        terms: Vec<Term>,
    },
    /// No two of them are the same; times that may be one instant do not count as different.
    Different {
        /// The values, two or more.
        terms: Vec<Term>,
    },
    /// Each time is later than the one before it, whatever their precision hides.
    Order {
        /// The times, two or more.
        terms: Vec<Term>,
    },
    /// All times are within so many seconds, whatever their precision hides.
    Within {
        /// The times, two or more.
        terms: Vec<Term>,
        /// The span in seconds.
        seconds: u64,
    },
    /// Each path or registry key is below the one before it, as written, in one piece of evidence.
    Below {
        /// The paths or keys, two or more.
        terms: Vec<Term>,
    },
    /// The numbers add up to a total.
    Sum {
        /// The numbers, each a whole number or a size, two or more.
        terms: Vec<Term>,
        /// Their sum.
        total: i64,
    },
}

/// The form of a [`Derivation`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each variant is documented at the variant of `Derivation` of the same name")]
pub enum DerivationForm {
    Same,
    Different,
    Order,
    Within,
    Below,
    Sum,
}

impl DerivationForm {
    /// Every form.
    pub const ALL: [DerivationForm; 6] = [
        DerivationForm::Same,
        DerivationForm::Different,
        DerivationForm::Order,
        DerivationForm::Within,
        DerivationForm::Below,
        DerivationForm::Sum,
    ];

    /// Returns the name used in claims.
    pub const fn name(self) -> &'static str {
        match self {
            DerivationForm::Same => "same",
            DerivationForm::Different => "different",
            DerivationForm::Order => "order",
            DerivationForm::Within => "within",
            DerivationForm::Below => "below",
            DerivationForm::Sum => "sum",
        }
    }
}

impl Derivation {
    /// Returns the form.
    pub const fn form(&self) -> DerivationForm {
        match self {
            Derivation::Same { .. } => DerivationForm::Same,
            Derivation::Different { .. } => DerivationForm::Different,
            Derivation::Order { .. } => DerivationForm::Order,
            Derivation::Within { .. } => DerivationForm::Within,
            Derivation::Below { .. } => DerivationForm::Below,
            Derivation::Sum { .. } => DerivationForm::Sum,
        }
    }

    /// Returns the values that it compares, in order.
    pub fn terms(&self) -> &[Term] {
        match self {
            Derivation::Same { terms }
            | Derivation::Different { terms }
            | Derivation::Order { terms }
            | Derivation::Within { terms, .. }
            | Derivation::Below { terms }
            | Derivation::Sum { terms, .. } => terms,
        }
    }

    /// Returns the facts that it is based on, each once, in order.
    pub fn facts(&self) -> Vec<FactId> {
        let mut facts = Vec::new();
        for term in self.terms() {
            if !facts.contains(&term.fact) {
                facts.push(term.fact);
            }
        }
        facts
    }
}

impl fmt::Display for Derivation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms: Vec<_> = self.terms().iter().map(Term::to_string).collect();
        match self {
            Derivation::Same { .. } => write!(f, "the same: {}", terms.join(" = ")),
            Derivation::Different { .. } => write!(f, "different: {}", terms.join(" ≠ ")),
            Derivation::Order { .. } => write!(f, "in this order: {}", terms.join(" < ")),
            Derivation::Within { seconds, .. } => {
                write!(f, "within {seconds} seconds: {}", terms.join(", "))
            }
            Derivation::Below { .. } => write!(f, "each below the one before: {}", terms.join(" > ")),
            Derivation::Sum { total, .. } => write!(f, "{} = {total}", terms.join(" + ")),
        }
    }
}

/// A derivation that its facts support.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DerivationEntry {
    /// Its id.
    pub id: DerivationId,
    /// What it says.
    pub derivation: Derivation,
    /// The listings of clock steps that were used to compare its times. Empty before format 2.17, and if it compares no times.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clocks: Vec<InvocationId>,
}
