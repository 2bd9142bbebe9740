//! The vocabulary of the record.
//!
//! Every other crate uses these types: ids and digests, times with their clock, locators into the evidence, records, claims, facts,
//! the closed set of persisted events and the hash chain over them.
//!
//! **Invariant:** nothing here reads a file, a clock or a source of randomness.
//! Types with `serde` derives are the persisted form.
//! A runtime type that must not be forged (a grounded fact, an open run) is in the crate that guards it.

pub mod absence;
pub mod agent;
mod asked;
mod asked_events;
pub mod behaviour;
pub mod bounds;
mod brief;
pub mod brought;
pub mod call_form;
pub mod canonical;
pub mod case;
pub mod cause;
pub mod chain;
pub mod claim;
pub mod clock_steps;
pub mod commitment;
pub mod dating;
pub mod derivation;
pub mod digest;
pub mod dispatch;
pub mod escapes;
pub mod event;
pub mod exchange;
pub mod fact;
pub mod fence;
pub mod handed;
pub mod id;
pub mod lessons;
pub mod locator;
pub mod node;
pub mod output;
pub mod pattern;
pub mod placement;
pub mod record;
mod record_data;
pub mod rejection;
mod remembered;
pub mod rules;
pub mod searched;
pub mod sentence;
pub mod statement;
pub mod time;
pub mod tool;
pub mod turn;
pub mod value;
pub mod vocabulary;
pub mod writer;

pub use absence::{Absence, AbsenceClaim, AbsenceEntry, AbsenceForm, Coverage, Listing, Reach, Stretch};
pub use agent::{AgentSpec, Alternative, Condition, Objective, SWEEP, Way, Weight, is_earlier};
pub use asked::{ASK, AskedQuestion, AskedRows};
pub use asked_events::{AskedEvents, asked_events};
pub use behaviour::{Behaviour, UnknownBehaviour};
pub use brought::{BroughtFile, BroughtFrom, BroughtKind, HUNT, RulesMatched};
pub use call_form::{CallForm, KnownTool, ValueKind, same_call};
pub use case::{CaseEntry, EvidenceEntry, EvidenceKind, Integrity, IntegrityLevel};
pub use cause::Cause;
pub use chain::{ChainError, Circumstance, Link, Stream};
pub use claim::{Claim, ClaimedValue, Reading};
pub use clock_steps::{ClockListing, ClockStep};
pub use commitment::{FactKey, KeyMaker, Opening, OpeningError, RunKey};
pub use dating::{Dates, dates, is_of_container};
pub use derivation::{Derivation, DerivationEntry, DerivationForm, Term};
pub use digest::{Digest, PartsDigest};
pub use dispatch::{ArtifactHead, ArtifactKind, Dispatch, Reference, ReferenceShown};
pub use event::{Event, FORMAT};
pub use exchange::{Exchange, MicroDollars, Prices, Usage, Window};
pub use fact::{BoundValue, FactEntry, Healing, Tier};
pub use fence::Fence;
pub use handed::{Artifact, CallMade, FactView, Handed, ReportedObjective, TaskReport};
pub use id::{
    AbsenceId, ArtifactId, CallId, ClaimId, DerivationId, EntityId, FactId, HypothesisId, IdError, IdSpace,
    InvocationId, PhenomenonId, RecordId, RelationId, RunId, Seed, SentenceId, StatementId, TaskId,
};
pub use lessons::Lessons;
pub use locator::{ByteSpan, Locator};
pub use node::{Assessment, EntityKind, NodeId, RelationKind};
pub use output::{Output, OutputError};
pub use placement::Placement;
pub use record::{Defect, Field, Gap, Record};
pub use record_data::{
    RecordDataError, StateField, as_formerly_told, denies, source_kind, source_kinds, state_field,
};
pub use rejection::{Candidate, Rejection, RejectionCode};
pub use remembered::{Insisted, LessonRule, Refuses, Remembered, RememberedLesson};
pub use rules::{Budgets, DispatchRules, GateRules, Profile, RecoveryRules, Rules, Surfaces, ViewRules};
pub use searched::{EachSource, SearchedBy, Sources, written};
pub use sentence::{SentenceClaim, SentenceEntry};
pub use statement::{Chapter, StatementClaim, StatementEntry};
pub use time::{AssumedZone, Clock, Precision, Time, Utc};
pub use tool::{Completeness, Outcome, RecordType, Surface, ToolClass, ToolSpec};
pub use value::{FieldType, FieldValue};
pub use vocabulary::{Predicate, Vocabulary};
pub use writer::{Writer, Writers};
