//! Integration tests of `graph`, in one binary because each binary is linked separately.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod attack;
mod audit;
mod connection_rules;
mod connections;
mod corrections;
mod diff;
mod fold;
mod nodes;
mod ranking;
mod tally;
mod trends;
