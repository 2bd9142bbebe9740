//! A task's context window against the providers' rules and counts.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

mod evidence;
mod examiner;
mod life;
mod long;
mod mind;
mod random_lives;
