//! The external tests of `ground`, in one binary, because each binary costs a link.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod absence;
mod absent_events;
mod adversary;
mod adversary2;
mod clocks;
mod derivation;
mod judged;
mod naive;
mod narrative;
mod oracle;
mod references;
mod second_opinion;
mod strange;
mod table;
mod world;
