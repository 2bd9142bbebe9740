//! The tests of `engine` from outside, as one binary: a binary is linked once, whatever it tests.

mod dispatch;
mod graph;
mod life;
mod narrative;
mod recovery;
mod task;
mod window;
