//! Questions that leave out what an earlier question said. They are filled in, so that the result can be asked by itself.

mod back;
mod change;
mod named;
mod words;

use crate::answer::Answer;
use crate::question::Question;
use crate::spans;
use crate::tokens::Token;
use crate::world::{Row, World};
use change::{Going, Side};
use std::collections::BTreeSet;

pub use back::{completed, first_reading};
pub(crate) use words::FollowWords;

/// How many exchanges a question may refer to.
pub const EXCHANGES: usize = 5;

/// A question that was asked, and what its answer says.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// The question, as one that can be asked by itself.
    pub question: Question,
    /// What it was taken to be about; `None` if it was not understood.
    pub topic: Option<&'static str>,
    /// The pieces of evidence of the cited rows.
    pub evidence: BTreeSet<String>,
    /// The earliest cited time, RFC 3339.
    pub first: Option<String>,
    /// The latest one.
    pub last: Option<String>,
}

impl Exchange {
    /// Keeps what later questions may refer to.
    pub fn of(question: &Question, answer: &Answer, rows: &[Row]) -> Exchange {
        let cited = || answer.cited.iter().filter_map(|it| Some((rows.get(it.row)?, &it.fields)));
        let values = cited().flat_map(|(row, fields)| fields.iter().filter_map(|field| row.get(field)));
        let times: BTreeSet<&str> = values.filter(|value| spans::is_instant(value)).collect();
        Exchange {
            question: question.clone(),
            topic: answer.topic,
            evidence: cited().map(|(row, _)| row.evidence.clone()).collect(),
            first: times.first().map(|time| (*time).to_owned()),
            last: times.last().map(|time| (*time).to_owned()),
        }
    }
}

/// What a line is after earlier exchanges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Follow {
    /// A question that can be asked as it was typed.
    Whole,
    /// A question that was filled in; this is its text.
    Filled(String),
    /// No question, but a reaction to the last answer.
    Reaction,
    /// A reaction which says that the last answer was wrong.
    Wrong,
    /// It may mean one of several things.
    Either {
        /// What to ask back.
        question: String,
        /// The names to choose from, each with the text of its question; the first one is the default.
        choices: Vec<(String, String)>,
    },
    /// It refers to something that is missing; says what.
    Lacks(String),
}

/// Decides what a line is after these exchanges, the oldest first.
pub fn follow(read: &Question, before: &[Exchange], world: &World) -> Follow {
    let words = &read.lexicon.follow;
    let typed = read.typed.as_slice();
    let is_weak = |word: &Token| words.is_weak(read.lexicon, word);
    let is_reaction = |word: &Token| words.reaction.fits(word);
    let is_beside = |word: &Token| words.lead.fits(word) || is_weak(word);
    if typed.iter().any(is_reaction) && typed.iter().all(|word| is_reaction(word) || is_beside(word)) {
        let is_wrong = typed.iter().any(|word| words.wrong.fits(word)) && !before.is_empty();
        return if is_wrong { Follow::Wrong } else { Follow::Reaction };
    }
    let before = before.get(before.len().saturating_sub(EXCHANGES)..).unwrap_or_default();
    let Some(last) = before.last() else { return Follow::Whole };
    let behind = typed.iter().take_while(|word| words.lead.fits(word) || words.about.fits(word)).count();
    let rest = typed.get(behind..).unwrap_or_default();
    let meant: Vec<&Token> = rest.iter().filter(|word| !is_weak(word)).collect();
    let going = Going { read, words, before, last, world };
    if let Some(kind) = going.other(rest) {
        return going.another(kind);
    }
    let is_all =
        |pattern: &crate::lexicon::Pattern| !meant.is_empty() && meant.iter().all(|word| pattern.fits(word));
    if is_all(&words.before) {
        return going.beyond(Side::Before);
    }
    if is_all(&words.after) {
        return going.beyond(Side::After);
    }
    let has_topic = read.topics().next().is_some();
    if !has_topic && going.is_wanting(rest) {
        return going.wanting(rest);
    }
    if going.is_only_time(rest) {
        return going.at(rest);
    }
    match has_topic {
        true => going.pronoun(),
        false => going.named(&meant, rest),
    }
}
