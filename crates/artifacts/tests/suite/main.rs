//! The tests of `artifacts` from outside, as one binary: a binary is linked once, whatever it tests.

mod ese;
mod event_logs;
mod registry;
