//! Known bad and known good: indicators and lists of known files, and where records name them.
//!
//! Indicators are read from STIX 2.1 bundles, MISP events, OpenIOC, CSV and plain lists;
//! a file that cannot be read is reported with the place of the error.
//! They are matched by kind and as whole words: `evil.com` is in `http://www.evil.com/a` and not in `notevil.com`.
//!
//! **Invariant:** pure; no part of a file is left out silently. A hit proves nothing.

mod kind;
mod known;
mod matcher;
mod misp;
mod openioc;
mod read;
mod stix;
mod table;
#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;

pub use kind::Kind;
pub use known::{KnownError, KnownGood};
pub use matcher::{Hit, Matcher};
pub use read::{Indicator, IndicatorFile, LONGEST, Read, ReadError, Skipped, Unreadable, read};
