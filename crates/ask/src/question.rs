//! A question that was read: what it wants of which topic, and what narrows it.

mod clause;
mod names;
mod readings;
mod unclear;
mod wants;

use crate::edit::limited;
use crate::lexicon::{Lexicon, LexiconError, shipped};
use crate::spans::{self, Span};
use crate::tokens::{Token, tokens};
use crate::topic::{Source, Topic};
use std::collections::BTreeSet;

pub use names::Name;
pub(crate) use names::plain_name;

/// A question that was read.
#[derive(Debug, Clone)]
pub struct Question {
    /// What it wants.
    pub wants: Wants,
    /// Which of several occasions it wants.
    pub order: Option<Order>,
    /// When.
    pub span: Option<Span>,
    /// The topics that it may be about, the most likely first, each with the names that are left for that topic.
    pub(crate) readings: Vec<Reading>,
    /// Whether its times can be read in two ways.
    pub(crate) is_time_ambiguous: bool,
    /// The place of the word that begins a clause which is not resolved, such as "after the log was cleared".
    pub(crate) condition: Option<usize>,
    /// The kind of things that it asks for, if it names one.
    pub(crate) class: Option<&'static str>,
    /// The word after "how many".
    pub(crate) counted: Option<String>,
    /// Whether no evidence can answer it.
    pub(crate) is_beyond: bool,
    /// What changes the question in a way that is not worked out, in words.
    pub(crate) unclear: Option<&'static str>,
    /// The text as it was typed.
    text: String,
    /// Its words as they were typed.
    pub(crate) typed: Vec<Token>,
    /// The places of the words of its times.
    pub(crate) time_places: Vec<usize>,
    /// The grammar that it was read with.
    pub(crate) lexicon: &'static Lexicon,
}

/// A question as one about a topic.
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    pub(crate) topic: &'static Topic,
    pub(crate) names: Vec<Name>,
    pub(crate) excluded: Vec<Name>,
    /// The words of the question that belong to the topic, letters and digits only.
    pub(crate) used: BTreeSet<String>,
    /// Whether it counts only if another reading finds nothing.
    pub(crate) is_other: bool,
    /// The record types that the question names as its source; empty means all.
    pub(crate) records: BTreeSet<&'static str>,
    /// Whether it asks for the opposite of `on` in a setting.
    pub(crate) is_negated: bool,
}

impl Reading {
    /// Whether the records of a source may answer: all may, unless the question names its source.
    pub(crate) fn asks(&self, source: &Source) -> bool {
        let is_named = self.records.is_empty() || self.records.contains(source.record.as_str());
        is_named && (!source.of_named || !self.names.is_empty())
    }
}

/// What a question wants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wants {
    /// Yes or no.
    pub yes_or_no: bool,
    /// A time.
    pub time: bool,
    /// Who did it.
    pub who: bool,
    /// Where it came from.
    pub from: bool,
    /// What it was done with.
    pub by: bool,
    /// How often, or how many.
    pub count: bool,
    /// How many things there are, not how often something was done.
    pub number: bool,
    /// What was done most often.
    pub most: bool,
}

impl Wants {
    /// Whether it asks for a value of the thing that it names, not for a list of what there is.
    pub(crate) const fn is_of_one(self) -> bool {
        self.time || self.who || self.from || self.by
    }
}

/// Which of several occasions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The first.
    First,
    /// The last.
    Last,
}

/// Reads a question. At most [`LONGEST`](crate::LONGEST) bytes are read.
///
/// # Errors
///
/// Fails if the shipped grammar cannot be read.
pub fn question(text: &str) -> Result<Question, &'static LexiconError> {
    shipped().map(|lexicon| read(lexicon, text))
}

/// Reads a question with a grammar that was loaded before.
pub(crate) fn read(lexicon: &'static Lexicon, text: &str) -> Question {
    let typed = tokens(limited(text));
    let words = corrected(lexicon, &typed);
    let times = spans::span(&words);
    let mut used: BTreeSet<usize> = times.used.iter().copied().collect();
    let condition = clause::begins(lexicon, &words, &used);
    used.extend(condition.unwrap_or(words.len())..words.len());
    let (wants, of_wants) = wants::wants(&words, &used);
    used.extend(of_wants);
    let is_free = |at: usize| !used.contains(&at);
    let is_beyond = words.iter().enumerate().any(|(at, word)| is_free(at) && lexicon.beyond.fits(word));
    let question = Question {
        wants,
        order: wants::order(lexicon, &words, &used),
        span: times.span,
        readings: readings::readings(lexicon, &words, &used),
        is_time_ambiguous: times.is_ambiguous,
        condition,
        class: wants::class(lexicon, &words).filter(|_| !wants.by),
        counted: wants::counted(&words),
        is_beyond,
        unclear: None,
        text: text.to_owned(),
        time_places: times.used,
        typed,
        lexicon,
    };
    Question { unclear: unclear::unclear(&question, &words), ..question }
}

/// The words with slips of a letter corrected.
fn corrected(lexicon: &Lexicon, typed: &[Token]) -> Vec<Token> {
    let mut words = typed.to_vec();
    for word in &mut words {
        if let Some(meant) = lexicon.meant(word) {
            word.low = meant;
        }
    }
    words
}

impl Question {
    /// The text as it was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The topics that it may be about, the most likely first.
    pub fn topics(&self) -> impl Iterator<Item = &'static Topic> {
        self.readings.iter().map(|reading| reading.topic)
    }

    /// The question without its readings as one about these topics, because a person said that they are wrong.
    #[must_use]
    pub fn without(&self, topics: &BTreeSet<&str>) -> Question {
        let mut question = self.clone();
        question.readings.retain(|reading| !topics.contains(reading.topic.id.as_str()));
        question
    }

    /// The names that narrow it, if it is about the topic at this place.
    pub fn names(&self, place: usize) -> &[Name] {
        self.readings.get(place).map_or(&[], |reading| reading.names.as_slice())
    }

    /// The question without its unresolved clause, if it has one.
    pub(crate) fn without_clause(&self) -> Option<&str> {
        let begin = self.typed.get(self.condition?)?.bytes.start;
        self.text.get(..begin).map(crate::edit::bare)
    }
}
