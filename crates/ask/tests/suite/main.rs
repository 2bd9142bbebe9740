//! Tables of questions, answers by rows, and hostile questions.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod follow;
mod plans;
