//! The times of a piece of evidence in one file, in their order: what the super-timeline looks into.
//!
//! An index is built by decoding every source of the evidence once: files of decoders, hives (their keys, and each artifact of the registry), entries of folders.
//! It holds for each time that the host kept where its record stands: which source, which record of that source, which field, and the record's subject.
//! Records are never made from it: those of a page are decoded from the evidence again, and one that does not have the time that the index says fails the call.
//!
//! The file is made from hostile bytes, and by a process that has read them: [`TimeIndex`] checks whatever it reads and never goes beyond its end.

mod build;
mod collect;
mod content;
mod error;
mod layout;
mod read;
mod unit;

pub(crate) use build::assemble;
pub use build::{BuiltTimeline, build};
pub(crate) use content::Contents;
pub use error::{TimelineBuildError, TimelineIndexError};
pub(crate) use layout::{LOCAL, Row, SEVERAL, ticks, utc};
pub(crate) use read::{Texts, TimeIndex};
pub(crate) use unit::Unit;

/// What changes whenever another index could come of the same evidence: the format, and the sources of readers and decoders.
pub const TIMELINE_MAKER: &str = concat!("1 ", env!("LOCARD_TIMELINE_SOURCES"));
