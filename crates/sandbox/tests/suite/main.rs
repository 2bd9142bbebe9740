//! The tests of `sandbox` from outside, as one binary: a binary is linked once, whatever it tests.

mod calls;
mod common;
mod confinement;
