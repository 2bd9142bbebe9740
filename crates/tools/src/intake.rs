//! Where decoders put what they read: records, damage, gaps.
//!
//! Decoders know nothing of pages, filters and counts; a call and the builder of the super-timeline each bring their own [`Intake`].

use ledger::{Defect, Gap, Record, Utc};
use std::ops::ControlFlow;

/// Whether to go on: a decoder stops as soon as its intake takes no more.
pub(crate) type Flow = ControlFlow<()>;

/// What is known of a record before it is made.
pub(crate) struct Brief<'a> {
    /// Its type.
    pub(crate) kind: &'a str,
    /// Its subject as text.
    pub(crate) subject: &'a str,
    /// All its times of the host.
    pub(crate) times: &'a [Utc],
}

/// Takes what a decoder reads, in the order of the source.
pub(crate) trait Intake {
    /// Notes the file that is read next: its path, its evidence and what it is.
    fn begin(&mut self, source: String);

    /// Whether the next record need not be made: it is not wanted, or stands before the page and is counted by that.
    ///
    /// A decoder of very many records asks first; one that never asks is as right.
    fn passes_over(&mut self, brief: &Brief<'_>) -> bool {
        let _ = brief;
        false
    }

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
