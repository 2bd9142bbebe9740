//! The tests of `llm` from outside, as one binary: a binary is linked once, whatever it tests.

mod desk;
mod playbook;
mod remote;
mod window;
