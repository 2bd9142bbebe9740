//! Damage to a piece of data in a value.

/// One damaged place in a piece of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Offset from the start of the data.
    pub offset: usize,
    /// What is wrong there.
    pub what: DamageKind,
}

impl Damage {
    pub(crate) fn at(offset: usize, what: DamageKind) -> Damage {
        Damage { offset, what }
    }
}

/// What is wrong; sizes are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DamageKind {
    /// The data has a length that its format does not allow.
    #[error("data should have {expected} bytes but has {actual}")]
    Length {
        /// Length according to the format.
        expected: usize,
        /// Length of the data.
        actual: usize,
    },
    /// A field, or what a field points to, lies wholly or partly outside the data.
    #[error("{what} of {length} bytes reaches beyond the {available} bytes of data")]
    Outside {
        /// The field, as the format names it.
        what: &'static str,
        /// Length of the field.
        length: usize,
        /// Length of the data.
        available: usize,
    },
    /// A field has a value that its format does not allow.
    #[error("{what} should be {expected} but is {actual}")]
    Field {
        /// The field, as the format names it.
        what: &'static str,
        /// The value according to the format.
        expected: u64,
        /// The value found.
        actual: u64,
    },
    /// A list or text ends with the data, without its end mark.
    #[error("{what} has no end mark")]
    Unended {
        /// What should have ended.
        what: &'static str,
    },
    /// A text holds units that are not characters in its encoding; each is replaced by U+FFFD.
    #[error("{what} holds {count} units that are no characters")]
    Text {
        /// The text.
        what: &'static str,
        /// Number of such units.
        count: usize,
    },
    /// Something occurs again that must occur only once.
    #[error("{what} stands there twice")]
    Twice {
        /// What occurs again.
        what: &'static str,
    },
    /// There are more pieces than are read.
    #[error("more than {limit} {what}")]
    TooMany {
        /// The pieces.
        what: &'static str,
        /// How many are read.
        limit: usize,
    },
}
