//! Integration tests of `report`, in one binary because each binary is linked separately.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod arranged;
mod comments;
mod diff;
mod hostile_text;
mod lead;
mod markdown;
mod navigator;
mod page;
mod schema;
mod synthesis;
