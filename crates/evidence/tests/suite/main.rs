//! The external tests of `evidence`, as one binary, so that there is only one to link.
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
