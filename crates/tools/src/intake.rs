//! Where decoders put what they read: records, damage, gaps.
//!
//! Decoders know nothing of pages, filters and counts; a call and the builder of the super-timeline each bring their own [`Intake`].

use ledger::{Defect, Gap, Record};
use std::ops::ControlFlow;

/// Whether to go on: a decoder stops as soon as its intake takes no more.
pub(crate) type Flow = ControlFlow<()>;

/// Takes what a decoder reads, in the order of the source.
pub(crate) trait Intake {
    /// Notes the file that is read next: its path, its evidence and what it is.
    fn begin(&mut self, source: String);

    /// Takes the next record.
    fn push(&mut self, record: Record) -> Flow;

    /// Damage that hides no record; the same damage met twice is told once.
    fn defect(&mut self, defect: Defect);

    /// Damage that may hide records.
    fn hidden(&mut self, defect: Defect);

    /// Something that was not examined.
    fn gap(&mut self, gap: Gap);

    /// Words for the agent; the same words are said once.
    fn note(&mut self, note: String);
}
