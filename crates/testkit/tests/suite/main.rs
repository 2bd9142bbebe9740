//! The strict servers: every rule that they know is broken once, and their count is held against what they say of it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

mod count;
mod rules;
mod wire;
