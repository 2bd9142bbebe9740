//! The external tests of `app`, as one binary, so that they are linked only once.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod attack;
mod connections;
mod redaction;
