//! Tests of the application as a browser sees it: over HTTP, on the loopback address.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod client;
mod comparing;
mod connected;
mod door;
mod following;
mod hostile;
mod made;
mod searching;
mod troubles;
