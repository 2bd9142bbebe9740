//! Exports a run to the formats of other tools. It is pure: no clock, no randomness, no IO except through the given writer.
//!
//! `docs/exchange.md` describes what each format contains and what it cannot contain.
//!
//! **Invariant:** the same run gives the same bytes.
//! In every format, text from the evidence is data: JSON escapes characters that move, hide or break text, and a table cell is never a formula.

mod case_uco;
mod ids;
mod in_toto;
mod inert;
mod related;
mod stix;
mod tables;
mod times;
mod timesketch;
mod view;

pub use case_uco::case_uco;
pub use in_toto::{
    PAYLOAD_TYPE, PREDICATE_TYPE, STATEMENT_TYPE, Sealed, Subject, envelope, pre_authentication, statement,
};
pub use inert::write_json;
pub use stix::stix;
pub use tables::{CsvCell, facts_csv, rows_csv, timeline_csv};
pub use timesketch::timesketch;

use serde::Serialize;

/// The counts of what an export wrote and left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Written {
    /// The number of rows without the header, of lines, or of objects.
    pub items: u64,
    /// The times of facts that the format cannot represent.
    pub left_out: LeftOut,
}

/// Counts of times that a format cannot represent, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Local times of unknown zone: they are not instants.
    pub local: u64,
    /// Raw values that name no instant ("not set", "never"), or an instant outside the years 1 to 9999.
    pub no_instant: u64,
    /// Times kept by the computer that holds a copy: they are not of the examined host.
    pub of_copy: u64,
}

impl LeftOut {
    /// Returns the sum.
    pub const fn total(self) -> u64 {
        self.local + self.no_instant + self.of_copy
    }
}
