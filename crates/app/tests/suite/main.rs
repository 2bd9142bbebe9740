//! The tests of `app` from outside, as one binary: a binary is linked once, whatever it tests.

mod attack;
mod redaction;
