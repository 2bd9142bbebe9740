//! The external tests of `artifacts`, as one binary, so that there is only one to link.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod ese;
mod event_logs;
mod registry;
