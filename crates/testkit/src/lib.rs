//! Development only: builders and scripted parts.

pub mod demo;
pub mod disk;
pub mod ese;
pub mod ewf;
pub mod history;
pub mod hive;
mod medium;
pub mod mutate;
pub mod ntfs;
pub mod recycle_bin;
pub mod samples;
pub mod scripted;
pub mod zip;
