//! A run in the formats of other tools. Pure: no clock, no randomness, no IO but the writer that is handed in.
//!
//! What each format holds, and what it cannot hold, stands in `docs/exchange.md`.
//!
//! **Invariant:** the same run gives the same bytes.
//! Text of the evidence is data in every format: JSON escapes what moves, hides or breaks text, and a cell of a table is never a formula.

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

/// What was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Written {
    /// Rows of a table without its header, lines, or objects.
    pub items: u64,
    /// Times of facts that the format cannot hold.
    pub left_out: LeftOut,
}

/// Times that a format cannot hold, by the reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Local times whose zone is not known: they are no instants.
    pub local: u64,
    /// Raw values that name no instant ("not set", "never"), or one outside the years 1 to 9999.
    pub no_instant: u64,
    /// Times that the machine kept which holds a copy: they are not of the examined host.
    pub of_copy: u64,
}

impl LeftOut {
    /// All of them.
    pub const fn total(self) -> u64 {
        self.local + self.no_instant + self.of_copy
    }
}
