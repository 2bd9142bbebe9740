//! The tests of `engine` from outside, as one binary: a binary is linked once, whatever it tests.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod dispatch;
mod graph;
mod life;
mod narrative;
mod notes;
mod questions;
mod recovery;
mod task;
mod window;
