//! Reads questions as people type them, names the records that can answer, and decides what those records say.
//!
//! The crate is pure: it does no IO and reads no clock. Grammar and synonyms are data (`data/*.toml`) and know no case.
//! If a question cannot be read with certainty, it is not answered: a wrong answer is worse than none.

mod answer;
mod decide;
mod edit;
mod follow;
mod lexicon;
mod looks;
mod matching;
mod picked;
mod question;
mod spans;
mod tokens;
mod topic;
mod world;

pub use answer::{Answer, Cited, Reason, Verdict};
pub use decide::decide;
pub use follow::{EXCHANGES, Exchange, Follow, completed, first_reading, follow};
pub use lexicon::LexiconError;
pub use looks::{Look, MOST, looks};
pub use question::{Name, Order, Question, Wants, question};
pub use spans::Span;
pub use topic::{Source, Topic};
pub use world::{Account, Host, LogSpan, Row, World};

/// The version of plans. Raise it when the same question can choose other records.
pub const VERSION: u32 = 3;

/// The number of bytes of a question that are read; the rest is ignored.
pub const LONGEST: usize = 4000;
