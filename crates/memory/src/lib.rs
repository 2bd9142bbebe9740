//! Memory across runs: what tasks showed about how to investigate, kept by code for the agents of later runs.
//!
//! There are two kinds of store. The general store holds only closed fields and shipped words,
//! so that nothing of one case reaches another.
//! A store for one piece of evidence may hold values of it, and is opened only for that evidence.

mod advice;
mod distilled;
mod exchange;
mod lesson;
mod store;
mod vocabulary;
mod words;

pub use advice::{Query, advice, known, told};
pub use distilled::{Distilled, TaskSeen, distilled};
pub use exchange::{Imported, export, import};
pub use lesson::{Conditions, Detail, KindOfEvidence, Lesson, Outcome, Trouble};
pub use store::{Found, Kept, Origin, Scope, Store, StoreError, TaskOf};
pub use vocabulary::Vocabulary;
pub use words::words;
