//! Questions as people type them: what is asked, which records can answer, and what follows from those that do.
//!
//! Pure: no IO, no clock. Grammar and synonyms are data (`data/*.toml`), and know no case.
//! What cannot be read with certainty is not answered: a wrong answer is worse than none.

mod answer;
mod decide;
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

/// The version of plans: to be counted up when the same question comes to ask other records.
pub const VERSION: u32 = 2;

/// The most bytes of a question that are read; more is no question.
pub const LONGEST: usize = 4000;
