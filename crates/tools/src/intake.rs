//! Where decoders put what they read: records, damage, gaps.
//!
//! Decoders know nothing of pages, filters and counts; a call and the pass that fills case tables each bring their own [`Intake`].

use crate::sink::Condition;
use ledger::{ByteSpan, Defect, Gap, Record, Utc};
use std::collections::BTreeSet;
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

/// What an intake takes at most, for whoever has records that need not be handed over one by one.
#[derive(Default)]
pub(crate) struct Taken<'a> {
    /// The only types of records; `None`: any.
    pub(crate) kinds: Option<&'a BTreeSet<String>>,
    /// Patterns of which the subject must fit one; empty: any subject.
    pub(crate) names: &'a [String],
    /// Texts, folded, of which a field must contain one; empty: any record.
    pub(crate) texts: &'a [String],
    /// What fields of the record must be like.
    pub(crate) conditions: &'a [Condition],
    /// The first instant in which a time of the host must lie; records without any such time are taken, too.
    pub(crate) from: Option<Utc>,
    /// The last one.
    pub(crate) to: Option<Utc>,
    /// The only fields that are looked at, their bytes aside.
    pub(crate) fields: Option<Vec<&'a str>>,
}

/// Takes what a decoder reads, in the order of the source.
pub(crate) trait Intake {
    /// What it takes at most; it can still refuse what is handed over.
    fn takes(&self) -> Taken<'_> {
        Taken::default()
    }

    /// Notes the file that is read next: its path, its evidence and what it is.
    fn begin(&mut self, source: String);

    /// Whether the next record need not be made: it is not wanted, or stands before the page and is counted by that.
    ///
    /// A decoder of very many records asks first; one that never asks is as right.
    fn passes_over(&mut self, brief: &Brief<'_>) -> bool {
        let _ = brief;
        false
    }

    /// Takes the time of the next record, a FILETIME, in place of the record, which stands at `span`; `None` where the record itself is wanted.
    ///
    /// A decoder of very many records asks first; one that never asks is as right.
    fn date(&mut self, ticks: u64, span: ByteSpan) -> Option<Flow> {
        let _ = (ticks, span);
        None
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

/// The methods of an [`Intake`] that hands all but records on to another: `self.$to`.
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

/// Tells what a search met beside what it was for.
pub(crate) fn tell_met(defects: &[Defect], gaps: &[Gap], out: &mut dyn Intake) {
    defects.iter().for_each(|defect| out.defect(defect.clone()));
    gaps.iter().for_each(|gap| out.gap(gap.clone()));
}
