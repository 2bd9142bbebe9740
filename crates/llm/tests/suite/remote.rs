//! Language models over HTTP, against servers that are stricter than the real ones.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

mod conversations;
mod faults;
mod transcripts;
mod world;
