//! Tests of the strict servers: every rule is broken once, and the token count is compared with its description.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

mod count;
mod rules;
mod wire;
