//! Development only: builders and scripted parts.

pub mod artifact_hives;
pub mod demo;
pub mod detection_history;
pub mod disk;
pub mod ese;
pub mod evtx;
pub mod ewf;
pub mod history;
pub mod hive;
pub mod info2;
pub mod job_file;
pub mod jump_list;
pub mod lnk;
mod medium;
pub mod mutate;
pub mod ntfs;
pub mod pe;
pub mod prefetch;
pub mod recycle_bin;
pub mod samples;
pub mod scheduled_task;
pub mod scripted;
pub mod usn;
pub mod windows_logs;
pub mod wmi_repository;
pub mod zip;
