//! The tests of `llm` from outside, as one binary: a binary is linked once, however many tests it has.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod desk;
mod lessons;
mod playbook;
mod remote;
mod window;
