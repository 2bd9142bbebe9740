//! Development only: builders and scripted parts.

pub mod hive;
