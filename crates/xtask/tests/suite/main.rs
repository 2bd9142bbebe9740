//! The tests of `xtask` from outside, as one binary: a binary is linked once, whatever it tests.

mod plain;
mod tidy;
