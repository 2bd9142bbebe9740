//! The grounding gateway.
//!
//! [`judge`] takes a reading and what its task has seen, and returns a [`Fact`] or a rejection.
//! It is pure: no IO, no clock, no randomness, the same answer for the same arguments.
//!
//! **Invariant:** a [`Fact`] is the only proof that something was grounded, and [`judge`] is the only maker of facts:
//!
//! ```compile_fail,E0423
//! # fn forge(entry: ledger::FactEntry) -> ground::Fact {
//! ground::Fact(Box::new(entry))
//! # }
//! ```
//!
//! A claim takes these steps:
//!
//! - `claim` reads its form;
//! - the citation is looked up on the [`Shelf`];
//! - `bind` binds the values to one record;
//! - `choose` decides among the records that fit;
//! - `explain` says what is wrong if none fits;
//! - `rescue` searches the task's other outputs for the reading, and `index` says which records may hold it.
//!
//! [`judge_absence`] decides in the same way whether searches cover a claimed absence.
//! [`judge_derivation`] decides whether facts support what is said about them together.
//! [`judge_sentence`] decides whether the nodes that a sentence of the narrative cites support it.
//! [`recheck`] examines a finished fact again and shares no code with these steps.

mod absence;
mod again;
mod bind;
mod choose;
mod claim;
mod derivation;
mod explain;
mod fact;
mod fold;
mod index;
mod judge;
mod matching;
mod mention;
mod narrative;
mod near;
mod needle;
mod quotation;
mod recheck;
mod reference;
mod refusal;
mod rescue;
mod shelf;
mod statement;
mod typed;
mod weak;

pub use absence::{AbsenceVerdict, Covered, Searchable, judge_absence};
pub use derivation::{Adding, Basis, DerivationVerdict, Derived, judge_derivation};
pub use fact::Fact;
pub use judge::{Setting, Verdict, judge, read_invocation};
pub use mention::mentions;
pub use narrative::{
    Citable, Dating, GroundedSentence, Known, Marked, SentenceVerdict, Telling, is_contradicted,
    judge_sentence, marked,
};
pub use recheck::{RecheckError, recheck};
pub use reference::MOST_TELLING;
pub use shelf::{Held, Search, Shelf};
pub use statement::{GroundedStatement, StatementVerdict, judge_statement};
