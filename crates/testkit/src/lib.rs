//! Development only: builders and scripted parts.

pub mod demo;
pub mod disk;
pub mod ewf;
pub mod history;
pub mod hive;
pub mod info2;
mod medium;
pub mod mutate;
pub mod ntfs;
pub mod recycle_bin;
pub mod samples;
pub mod scripted;
pub mod usn;
pub mod zip;
