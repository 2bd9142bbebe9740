//! Forensic formats: files in, located records out.
//!
//! Every reader takes bytes, never writes, never panics on damage, and says where in the file each record lies.
//! What is damaged comes back as [`Defect`](registry::Defect)s beside the records, never as a silent gap.

#![deny(clippy::indexing_slicing)]

pub mod mounted_device;
pub mod registry;
pub mod system_time;
