//! Forensic formats: files in, located records out.
//!
//! Every reader takes bytes, never writes, never panics on damage, and says where in the file each record lies.
//! What is damaged comes back as [`Defect`](registry::Defect)s beside the records, never as a silent gap.

#![deny(clippy::indexing_slicing)]

mod damage;
mod fields;
pub mod hosts;
pub mod info2;
pub mod known_folder;
pub mod mounted_device;
pub mod mru;
pub mod office_mru;
pub mod recycle_bin;
pub mod registry;
pub mod sam;
pub mod shell_item;
pub mod sid;
pub mod system_time;
pub mod user_assist;
pub mod usn;

pub use damage::{Damage, DamageKind};
pub use fields::Located;
