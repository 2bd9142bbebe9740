//! The tests of `graph` from outside, as one binary: a binary is linked once, whatever it tests.

mod attack;
mod corrections;
mod diff;
mod fold;
mod nodes;
mod ranking;
mod tally;
