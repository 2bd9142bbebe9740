//! What can be asked about: the records that tell of it, and which of their fields are what.

use serde::Deserialize;
use std::collections::BTreeMap;

/// A subject of questions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topic {
    /// Its name.
    pub id: String,
    /// What it is, in words.
    pub about: String,
    /// Groups of words by which it is known: of a group all must stand in the question; `|` parts words of which one is enough, `*` stands for any ending, `~` stands between words of which one follows the other at once, `+` marks one that is also a name.
    pub(crate) signs: Vec<String>,
    /// Other words that say nothing more once it is known.
    #[serde(default)]
    pub(crate) also: Vec<String>,
    /// Kinds of things that it tells of, where it is not known by them alone.
    #[serde(default)]
    pub(crate) tells: Vec<String>,
    /// Whether it tells what something is like: that there is such a record answers no question with yes.
    #[serde(default)]
    pub(crate) attribute: bool,
    /// Whether its records stand in an order that no time tells, so that none is known to be the first or the last.
    #[serde(default)]
    pub(crate) undated: bool,
    /// What its records count, as a question calls it.
    #[serde(default)]
    pub(crate) units: Vec<String>,
    /// Whether it can be told only of something that is named.
    #[serde(default)]
    pub(crate) named: bool,
    /// Topics that are asked where this one tells nothing, by their names.
    #[serde(default, rename = "else")]
    pub(crate) others: Vec<String>,
    /// Words, at most three in a row, that are names here, and how these are spelled in records.
    #[serde(default)]
    pub(crate) words: BTreeMap<String, Vec<String>>,
    /// The records that tell of it; none: nothing that is read does.
    #[serde(default, rename = "source")]
    pub sources: Vec<Source>,
}

/// Records of one type that tell of a topic.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Their type.
    pub record: String,
    /// Which of them count, as a condition in SQL.
    #[serde(default)]
    pub(crate) only: Option<String>,
    /// Fields that say what it is.
    pub(crate) name: Vec<String>,
    /// Fields in which names of a question are looked for, besides.
    #[serde(default, rename = "match")]
    pub(crate) matched: Vec<String>,
    /// Fields with the path of a program, the best first.
    #[serde(default)]
    pub(crate) program: Vec<String>,
    /// Times of what is told, the best first.
    #[serde(default)]
    pub(crate) time: Vec<String>,
    /// The time of the first one, where that has a field of its own.
    #[serde(default)]
    pub(crate) first: Vec<String>,
    /// Who did it; `@owner` is whose folder the file lies in.
    #[serde(default)]
    pub(crate) who: Vec<String>,
    /// What it was done with.
    #[serde(default)]
    pub(crate) by: Vec<String>,
    /// Where it came from.
    #[serde(default)]
    pub(crate) from: Vec<String>,
    /// How often.
    #[serde(default)]
    pub(crate) count: Vec<String>,
    /// What else is told of it.
    #[serde(default)]
    pub(crate) value: Vec<String>,
    /// Fields by which records of a topic belong together.
    #[serde(default)]
    pub(crate) keys: Vec<String>,
    /// The channel of its event log.
    #[serde(default)]
    pub(crate) log: Option<String>,
    /// The field that orders them, the most recent first.
    #[serde(default)]
    pub(crate) order: Option<String>,
    /// A number that says, where it is 0, that it never happened.
    #[serde(default)]
    pub(crate) never: Option<String>,
    /// Whether none of them, where their source is there, shows that there was nothing.
    #[serde(default)]
    pub(crate) full: bool,
    /// Whether each occurrence has a record of its own, so that the earliest is the first.
    #[serde(default)]
    pub(crate) every: bool,
    /// Endings of the names of which none being there shows something; none: all.
    #[serde(default)]
    pub(crate) endings: Vec<String>,
    /// A word that, where it stands in the field `flags`, says that it is not in force.
    #[serde(default)]
    pub(crate) off_flag: Option<String>,
    /// Whether there may be very many of them.
    #[serde(default)]
    pub(crate) large: bool,
    /// Whether they count only where no other source of the topic tells anything.
    #[serde(default)]
    pub(crate) fallback: bool,
    /// Whether they tell something only beside others that they share a key with.
    #[serde(default)]
    pub(crate) linked: bool,
    /// Whether they count only where the question names a thing.
    #[serde(default)]
    pub(crate) of_named: bool,
    /// Whether a field `state` says whether it is so.
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

/// Whose folder a file lies in, as `who` of a source names it.
pub(crate) const OWNER: &str = "@owner";

impl Source {
    /// The fields in which a name may stand.
    pub(crate) fn searched(&self) -> impl Iterator<Item = &String> {
        let all = [&self.name, &self.matched, &self.who, &self.program];
        all.into_iter().flatten().filter(|field| *field != OWNER)
    }

    /// Whether they are events of a log.
    pub fn is_of_log(&self) -> bool {
        self.log.is_some()
    }

    /// Whether records of it lie in files that belong to users.
    pub(crate) fn is_owned(&self) -> bool {
        self.who.iter().any(|field| field == OWNER)
    }
}
