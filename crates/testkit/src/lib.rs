//! Development only: builders and scripted parts.

pub mod demo;
pub mod disk;
pub mod ewf;
pub mod history;
pub mod hive;
pub mod jump_list;
pub mod lnk;
mod medium;
pub mod mutate;
pub mod ntfs;
pub mod pe;
pub mod prefetch;
pub mod recycle_bin;
pub mod samples;
pub mod scripted;
pub mod zip;
