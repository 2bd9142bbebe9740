//! The external tests of `detect`, in one binary, because each binary costs a link.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod attack;
mod baseline;
mod examples;
mod pages;
mod sequences;
