//! The tests of `exchange` from outside, as one binary: a binary is linked once, whatever it tests.

mod formats;
