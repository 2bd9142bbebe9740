//! The external tests of `phrases`, in one binary.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod anything;
mod derived;
mod golden;
mod properties;
