//! Where decoders put what they read: records, damage, gaps.
//!
//! Decoders know nothing of pages, filters and counts. A call and the pass that fills case tables each have their own [`Intake`].

use crate::sink::Condition;
use ledger::{ByteSpan, Defect, Gap, Record, Utc};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Whether to continue: a decoder stops as soon as its intake accepts no more.
pub(crate) type Flow = ControlFlow<()>;

/// What is known of a record before it is made.
pub(crate) struct Brief<'a> {
    /// Its type.
    pub(crate) kind: &'a str,
    /// Its subject as text.
    pub(crate) subject: &'a str,
    /// All its host times.
    pub(crate) times: &'a [Utc],
}

/// An upper bound on what an intake accepts, for sources that can leave out other records.
#[derive(Default)]
pub(crate) struct Taken<'a> {
    /// The only accepted types of records; `None`: any.
    pub(crate) kinds: Option<&'a BTreeSet<String>>,
    /// Patterns, one of which the subject must match; empty: any subject.
    pub(crate) names: &'a [String],
    /// Case-folded texts, one of which a field must contain; empty: any record.
    pub(crate) texts: &'a [String],
    /// Conditions on the record's fields.
    pub(crate) conditions: &'a [Condition],
    /// The earliest instant for a host time; records without a host time are accepted, too.
    pub(crate) from: Option<Utc>,
    /// The latest one.
    pub(crate) to: Option<Utc>,
    /// The only fields that are used, apart from their places in the file.
    pub(crate) fields: Option<Vec<&'a str>>,
}

/// The receiver of what a decoder reads, in the order of the source.
pub(crate) trait Intake {
    /// Returns an upper bound on what it accepts; it can still refuse what is handed over.
    fn takes(&self) -> Taken<'_> {
        Taken::default()
    }

    /// Announces the file that is read next: its path, its evidence and what it is.
    fn begin(&mut self, source: String);

    /// Returns whether the next record need not be made: it is not wanted, or comes before the page and is hereby counted.
    ///
    /// A decoder with very many records should ask first; one that never asks is also correct.
    fn passes_over(&mut self, brief: &Brief<'_>) -> bool {
        let _ = brief;
        false
    }

    /// Accepts the time of the next record, a FILETIME, instead of the record, which is located at `span`.
    /// Returns `None` if the record itself is wanted.
    ///
    /// A decoder with very many records should ask first; one that never asks is also correct.
    fn date(&mut self, ticks: u64, span: ByteSpan) -> Option<Flow> {
        let _ = (ticks, span);
        None
    }

    /// Accepts the next record.
    fn push(&mut self, record: Record) -> Flow;

    /// Accepts damage that hides no record; repeated damage is reported once.
    fn defect(&mut self, defect: Defect);

    /// Accepts damage that may hide records.
    fn hidden(&mut self, defect: Defect);

    /// Accepts something that was not examined.
    fn gap(&mut self, gap: Gap);

    /// Accepts a note for the agent; a repeated note is kept once.
    fn note(&mut self, note: String);
}

/// Defines the methods of an [`Intake`] that passes everything but records to another one: `self.$to`.
macro_rules! hands_on_remarks {
    ($to:ident) => {
        fn begin(&mut self, source: String) {
            self.$to.begin(source);
        }

        fn defect(&mut self, defect: ::ledger::Defect) {
            self.$to.defect(defect);
        }

        fn hidden(&mut self, defect: ::ledger::Defect) {
            self.$to.hidden(defect);
        }

        fn gap(&mut self, gap: ::ledger::Gap) {
            self.$to.gap(gap);
        }

        fn note(&mut self, note: String) {
            self.$to.note(note);
        }
    };
}
pub(crate) use hands_on_remarks;

/// Hands over the damage and gaps that a search met.
pub(crate) fn tell_met(defects: &[Defect], gaps: &[Gap], out: &mut dyn Intake) {
    defects.iter().for_each(|defect| out.defect(defect.clone()));
    gaps.iter().for_each(|gap| out.gap(gap.clone()));
}
