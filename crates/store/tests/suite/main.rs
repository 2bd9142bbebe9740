//! The guarantees of a run's file, tested from outside.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper of a test or measurement may stop it")]

mod common;
mod exporting;
mod recording;
mod sealing;
mod tampering;
