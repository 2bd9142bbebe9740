//! The external tests of `engine`, in one binary, because each binary costs a link.
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
