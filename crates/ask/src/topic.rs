//! Topics: what can be asked about, which records answer, and what each of their fields means.

use serde::Deserialize;
use std::collections::BTreeMap;

/// A subject of questions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topic {
    /// Its name.
    pub id: String,
    /// What it is about, in words.
    pub about: String,
    /// Its signs: the topic is recognised by any of them. A sign is a list of words that must all occur; `|` separates alternatives, `*` stands for the ending of an inflected word, `@` names a group, `~` joins words that must follow each other, `+` marks a word that is also a name.
    pub(crate) signs: Vec<String>,
    /// Other words that say nothing more once the topic is recognised.
    #[serde(default)]
    pub(crate) also: Vec<String>,
    /// The kinds of things that its records are about.
    #[serde(default)]
    pub(crate) tells: Vec<String>,
    /// Whether it describes things. Then the existence of a record answers no question with yes.
    #[serde(default)]
    pub(crate) attribute: bool,
    /// Whether its records have an order but no times, so that none is known to be the first or the last.
    #[serde(default)]
    pub(crate) undated: bool,
    /// What its records count, as questions call it.
    #[serde(default)]
    pub(crate) units: Vec<String>,
    /// Words by which questions call a field, if they differ from its name.
    #[serde(default)]
    pub(crate) called: BTreeMap<String, Vec<String>>,
    /// Whether a question must name something.
    #[serde(default)]
    pub(crate) named: bool,
    /// Whether a question must name a thing, and an account is not enough.
    #[serde(default)]
    pub(crate) of_things: bool,
    /// The name of the topic whose sources it shares.
    #[serde(default)]
    pub(crate) like: Option<String>,
    /// The names of topics to ask if this one finds nothing.
    #[serde(default, rename = "else")]
    pub(crate) others: Vec<String>,
    /// Words, at most three in a row, that are names in this topic, with their spellings in records.
    #[serde(default)]
    pub(crate) words: BTreeMap<String, Vec<String>>,
    /// The records that answer. A topic without any is one that no source answers.
    #[serde(default, rename = "source")]
    pub sources: Vec<Source>,
}

/// Records of one type that answer questions about a topic, and the roles of their fields.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The type of the records.
    pub record: String,
    /// Which of them count, as a condition in SQL.
    #[serde(default)]
    pub(crate) only: Option<String>,
    /// Fields that name the thing.
    pub(crate) name: Vec<String>,
    /// Further fields in which the names of a question are searched.
    #[serde(default, rename = "match")]
    pub(crate) matched: Vec<String>,
    /// Fields with the path of a program, the best first.
    #[serde(default)]
    pub(crate) program: Vec<String>,
    /// Fields with the time, the best first.
    #[serde(default)]
    pub(crate) time: Vec<String>,
    /// Fields with the time of the first occasion, if that has a field of its own.
    #[serde(default)]
    pub(crate) first: Vec<String>,
    /// Fields with the person; `@owner` is the user whose folder holds the file.
    #[serde(default)]
    pub(crate) who: Vec<String>,
    /// Fields with the means.
    #[serde(default)]
    pub(crate) by: Vec<String>,
    /// Fields with the origin.
    #[serde(default)]
    pub(crate) from: Vec<String>,
    /// Fields with a count.
    #[serde(default)]
    pub(crate) count: Vec<String>,
    /// Fields with anything else that answers.
    #[serde(default)]
    pub(crate) value: Vec<String>,
    /// Fields by which records of a topic belong together.
    #[serde(default)]
    pub(crate) keys: Vec<String>,
    /// The channel, if the records are events of a log.
    #[serde(default)]
    pub(crate) log: Option<String>,
    /// A field that orders the records, 0 for the most recent.
    #[serde(default)]
    pub(crate) order: Option<String>,
    /// A field with a number; 0 means that it never happened.
    #[serde(default)]
    pub(crate) never: Option<String>,
    /// Whether the source is complete: if it is there and has no such record, there was nothing.
    #[serde(default)]
    pub(crate) full: bool,
    /// Whether each occasion has its own record, so that the earliest one is the first.
    #[serde(default)]
    pub(crate) every: bool,
    /// The endings of names for which the source is complete; empty means all.
    #[serde(default)]
    pub(crate) endings: Vec<String>,
    /// A word that means, in the field `flags`, that the thing is not in force.
    #[serde(default)]
    pub(crate) off_flag: Option<String>,
    /// Whether there may be very many records, so that the statement narrows them.
    #[serde(default)]
    pub(crate) large: bool,
    /// Whether the records count only if no other source of the topic answers.
    #[serde(default)]
    pub(crate) fallback: bool,
    /// Whether the records only suggest what the topic is about. They count on evidence whose other sources do not know the thing.
    #[serde(default)]
    pub(crate) suggests: bool,
    /// Whether the records count only beside others with the same key.
    #[serde(default)]
    pub(crate) linked: bool,
    /// Whether the records count only if the question names something.
    #[serde(default)]
    pub(crate) of_named: bool,
    /// Whether a field `state` says `on` or `off`.
    #[serde(default)]
    pub(crate) state: bool,
}

/// A file of topics.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TopicFile {
    #[serde(rename = "topic")]
    pub(crate) topics: Vec<Topic>,
}

/// The user whose folder holds the file, as a role of `who`.
pub(crate) const OWNER: &str = "@owner";

impl Source {
    /// The fields in which names of a question are searched.
    pub(crate) fn searched(&self) -> impl Iterator<Item = &String> {
        let all = [&self.name, &self.matched, &self.who, &self.program];
        all.into_iter().flatten().filter(|field| *field != OWNER)
    }

    /// Whether the records are events of a log.
    pub fn is_of_log(&self) -> bool {
        self.log.is_some()
    }

    /// Whether the records come from files that belong to users.
    pub(crate) fn is_owned(&self) -> bool {
        self.who.iter().any(|field| field == OWNER)
    }
}
