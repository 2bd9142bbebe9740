//! The tests of `evidence` from outside, as one binary: a binary is linked once, whatever it tests.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod archive;
mod containers;
mod directory;
mod ext;
mod fat;
mod image;
mod ntfs;
mod ntfs_built;
mod wof;
