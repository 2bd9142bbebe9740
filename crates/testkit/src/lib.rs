//! Development only: builders and scripted parts.

pub mod demo;
pub mod history;
pub mod hive;
pub mod scripted;
