//! Folds the events of a run into views that can be queried: its tasks, invocations, claims and the evidence graph.
//!
//! **Invariant:** everything here follows from the log. Folding the same events gives the same views,
//! however the tasks' streams are interleaved.

mod attack;
pub mod audit;
mod brought;
mod columns;
mod confidence;
pub mod connections;
mod dating;
mod diff;
mod disclosure;
mod evidence;
mod fold;
mod in_words;
mod narrative;
mod point;
mod printable;
mod questions;
mod ranking;
mod rejections;
mod remembered;
mod run;
mod standing;
mod story;
mod tally;
mod title;
mod unexamined;
mod weight;

pub use attack::{Fit, attack_fits, techniques_of};
pub use brought::{Brought, brought_in_words, rules_of_facts};
pub use columns::{account, hosts};
pub use confidence::{
    Confidence, Level, SourceKind, answer_confidences, confidence, corroborated, objective_confidences,
};
pub use dating::{best_time, dated, dated_field};
pub use diff::{ChangedObjective, ChangedPhenomenon, ChangedTask, Changes, Diff, Effort, Setup, Told, diff};
pub use disclosure::{Disclosure, Redaction, WITHHELD};
pub use evidence::EvidenceGraph;
pub use fold::{FoldError, fold, fold_redacted};
pub use in_words::{InWords, questions_in_words};
pub use narrative::{Placed, narrative};
pub use printable::{is_printable, printable, sentence_text, value_text};
pub use questions::{Asker, Question, Stands, questions, questions_before_sweep};
pub use ranking::{Answered, FIRST, Foremost, Raised, Rank, Ranked, foremost, levels, ranked};
pub use rejections::{Fate, RefusedClaim, refused_claims};
pub use remembered::{ToldLesson, told_lessons};
pub use run::{ClaimView, HypothesisView, InvocationView, Judged, PhenomenonView, Run, TaskView};
pub use standing::{LookedFor, Sources, Standing, is_telling, looked_for, standing};
pub use story::{Comment, Statement, phrase, story};
pub use tally::{Tallies, Tally, tallies};
pub use title::{
    answer_title, derivation_title, fact_title, fact_title_as_told, fact_title_of_words, phenomenon_title,
    phenomenon_title_as_told, values,
};
pub use unexamined::{NO_FILE, Unexamined, damage, empty_evidence, unexamined};
pub use weight::{Weighed, weight_of};
