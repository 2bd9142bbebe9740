//! The tests of `sandbox` from outside, as one binary: a binary is linked once, however many tests it has.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod calls;
mod campaign;
mod common;
mod confinement;
