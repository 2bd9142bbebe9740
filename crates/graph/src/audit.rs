//! What many runs add up to: who was refused what, how that ended, what it cost, and what of it changes.
//!
//! A run is reduced to an [`AuditedRun`]: names of agents, models, tools and codes, digests and whole numbers.
//! Nothing of the evidence is in one, so that it can be kept beside others, and everything else here is a fold over such runs.

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
