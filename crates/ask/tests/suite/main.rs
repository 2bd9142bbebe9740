//! Tables of questions, and hostile ones.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod follow;
mod plans;
