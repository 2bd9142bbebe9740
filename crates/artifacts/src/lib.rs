//! Forensic formats: files in, located records out.
//!
//! Every reader takes bytes, never writes, never panics on damage, and gives the location of each record in the file.
//! Damage is returned as [`Defect`](registry::Defect)s next to the records, never as a silent gap.

#![deny(clippy::indexing_slicing)]

pub mod account_policy;
pub mod civil_time;
pub mod csv_rows;
mod damage;
pub mod defender_log;
pub mod detection_history;
pub mod due;
pub mod error_report;
pub mod ese;
pub mod event_text;
pub mod evt;
pub mod evtx;
mod fields;
pub mod hosts;
pub mod index_dat;
pub mod info2;
pub mod job_file;
pub mod jump_list;
pub mod known_folder;
pub mod lnk;
pub mod mounted_device;
pub mod mru;
pub mod office_mru;
pub mod pe;
pub mod powershell_log;
pub mod prefetch;
pub mod recycle_bin;
pub mod registry;
pub mod sam;
pub mod scheduled_task;
pub mod setup_log;
pub mod shell_item;
pub mod shim_cache;
pub mod sid;
pub mod system_time;
pub mod task_cache;
pub mod text_lines;
pub mod us_date;
pub mod user_assist;
pub mod usn;
pub mod w3c_log;
pub mod wmi_repository;
pub mod zone_identifier;

pub use damage::{Damage, DamageKind};
pub use fields::Located;
