//! Audits many runs together: which claims were refused, how that ended, what it cost, and which figures change over time.
//!
//! A run is reduced to an [`AuditedRun`]: the names of agents, models, tools and codes, plus digests and whole numbers.
//! It contains nothing from the evidence, so it can be stored together with others. Everything else here is a fold over such runs.

mod counts;
mod drift;
mod figure;
mod groups;
mod kendall;
mod run;
mod trend;
mod unlike;

pub use counts::Counts;
pub use drift::{Drift, Version, Versioned, drift};
pub use figure::{Better, Figure, Millionths, Unit};
pub use groups::{By, Group, grouped, total};
pub use kendall::{EXACT, Tested, mann_kendall};
pub use run::{AuditedRun, AuditedTask, Made, NO_TOOL, UNKNOWN_TOOL, audited};
pub use trend::{ALPHA, FEWEST, Trend, Verdict, trends};
pub use unlike::{FEWEST_LIKE, Kind, Unlike, unlike, usual};
