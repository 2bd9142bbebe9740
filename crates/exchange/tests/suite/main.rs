//! Integration tests of `exchange`, in one binary because each binary is linked separately.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod columns;
mod formats;
