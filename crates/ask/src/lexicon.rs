//! Grammar and synonyms as they are shipped.

use crate::tokens::Token;
use crate::topic::{Topic, TopicFile};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use thiserror::Error;

/// The files of topics, in the order in which topics come first among equals.
const TOPICS: [(&str, &str); 6] = [
    ("programs.toml", include_str!("../data/topics/programs.toml")),
    ("accounts.toml", include_str!("../data/topics/accounts.toml")),
    ("system.toml", include_str!("../data/topics/system.toml")),
    ("files.toml", include_str!("../data/topics/files.toml")),
    ("events.toml", include_str!("../data/topics/events.toml")),
    ("sources.toml", include_str!("../data/topics/sources.toml")),
];

const WORDS: &str = include_str!("../data/words.toml");

/// The shortest word of which another spelling is taken for a slip.
const SLIP: usize = 5;

/// Why the shipped grammar is none.
#[derive(Debug, Error)]
pub enum LexiconError {
    /// A file is no grammar.
    #[error("read the grammar of questions: {file}: {reason}")]
    File {
        /// The file.
        file: &'static str,
        /// Why.
        reason: String,
    },
}

/// Words and topics.
#[derive(Debug)]
pub(crate) struct Lexicon {
    filler: BTreeSet<String>,
    pub(crate) first: Pattern,
    pub(crate) last: Pattern,
    pub(crate) except: Pattern,
    pub(crate) beyond: Pattern,
    /// What programs are called, and the names of their files.
    pub(crate) programs: BTreeMap<String, Vec<String>>,
    /// Accounts that every Windows has, and the last number of their SIDs.
    pub(crate) rids: BTreeMap<String, u32>,
    /// Kinds of things, and the words for them.
    pub(crate) classes: BTreeMap<String, Pattern>,
    /// Words for kinds of things, which stand beside a name and are no part of it.
    kinds: Pattern,
    /// What kinds of files are called, and how their names end.
    pub(crate) formats: BTreeMap<String, Vec<String>>,
    /// What sources are called, and the records that they give.
    pub(crate) hints: BTreeMap<String, Vec<String>>,
    pub(crate) topics: Vec<Signed>,
    /// Every word that is written out somewhere.
    known: BTreeSet<String>,
    /// Those of topics.
    spoken: BTreeSet<String>,
}

/// A topic with what it is known by.
#[derive(Debug)]
pub(crate) struct Signed {
    pub(crate) topic: Topic,
    pub(crate) signs: Vec<Vec<Pattern>>,
    pub(crate) also: Vec<Pattern>,
}

/// Words of which one is enough.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    words: Vec<String>,
    /// Whether the word is a name, too.
    pub(crate) is_name: bool,
    /// What has to stand right behind it.
    pub(crate) next: Option<Box<Pattern>>,
}

impl Pattern {
    /// `a|b*|@group`.
    fn of(text: &str, groups: &BTreeMap<String, String>) -> Pattern {
        let is_name = text.starts_with('+');
        let (text, next) = text.split_once('~').map_or((text, None), |(text, next)| (text, Some(next)));
        let mut words = Vec::new();
        for word in text.trim_start_matches('+').split('|') {
            match word.strip_prefix('@').and_then(|group| groups.get(group)) {
                Some(group) => words.extend(group.split_whitespace().map(str::to_owned)),
                None => words.push(word.to_owned()),
            }
        }
        Pattern { words, is_name, next: next.map(|next| Box::new(Pattern::of(next, groups))) }
    }

    fn any(text: &str) -> Pattern {
        Pattern { words: text.split_whitespace().map(str::to_owned).collect(), is_name: false, next: None }
    }

    /// Whether a word is one of it, or of what has to stand behind it.
    pub(crate) fn takes(&self, token: &Token) -> bool {
        self.fits(token) || self.next.as_ref().is_some_and(|next| next.takes(token))
    }

    /// Every word that is written out in it.
    fn all(&self) -> Vec<&String> {
        self.words.iter().chain(self.next.iter().flat_map(|next| next.all())).collect()
    }

    /// Whether a word fits; one that looks like a file fits nothing.
    pub(crate) fn fits(&self, token: &Token) -> bool {
        !token.is_like_file() && self.fits_word(&token.low)
    }

    fn fits_word(&self, word: &str) -> bool {
        self.words.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(begin) => word.starts_with(begin),
            None => pattern == word,
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WordFile {
    filler: String,
    first: String,
    last: String,
    except: String,
    beyond: String,
    programs: BTreeMap<String, Vec<String>>,
    rids: BTreeMap<String, u32>,
    classes: BTreeMap<String, String>,
    kinds: String,
    groups: BTreeMap<String, String>,
    hints: BTreeMap<String, Vec<String>>,
    formats: BTreeMap<String, Vec<String>>,
}

static SHIPPED: LazyLock<Result<Lexicon, LexiconError>> = LazyLock::new(read);

/// The shipped grammar.
pub(crate) fn shipped() -> Result<&'static Lexicon, &'static LexiconError> {
    SHIPPED.as_ref()
}

fn read() -> Result<Lexicon, LexiconError> {
    let refused = |file| move |error: toml::de::Error| LexiconError::File { file, reason: error.to_string() };
    let words: WordFile = toml::from_str(WORDS).map_err(refused("words.toml"))?;
    let mut topics = Vec::new();
    for (file, text) in TOPICS {
        let read: TopicFile = toml::from_str(text).map_err(refused(file))?;
        topics.extend(read.topics.into_iter().map(|topic| signed(topic, &words.groups)));
    }
    let filler: BTreeSet<String> = words.filler.split_whitespace().map(str::to_owned).collect();
    let patterns = topics.iter().flat_map(|it| it.signs.iter().flatten().chain(&it.also));
    let written = patterns.flat_map(Pattern::all).map(|word| word.trim_end_matches('*').to_owned());
    let spoken: BTreeSet<String> = written.collect();
    let known = spoken.iter().chain(&filler).cloned().collect();
    Ok(Lexicon {
        filler,
        first: Pattern::any(&words.first),
        last: Pattern::any(&words.last),
        except: Pattern::any(&words.except),
        beyond: Pattern::any(&words.beyond),
        programs: words.programs,
        rids: words.rids,
        classes: words.classes.iter().map(|(name, words)| (name.clone(), Pattern::any(words))).collect(),
        kinds: Pattern::any(&words.kinds),
        hints: words.hints,
        formats: words.formats,
        topics,
        known,
        spoken,
    })
}

fn signed(topic: Topic, groups: &BTreeMap<String, String>) -> Signed {
    let pattern = |text: &str| Pattern::of(text, groups);
    let signs = topic.signs.iter().map(|sign| sign.split_whitespace().map(pattern).collect()).collect();
    let also = topic.also.iter().map(|word| pattern(word)).collect();
    Signed { topic, signs, also }
}

impl Lexicon {
    pub(crate) fn is_filler(&self, token: &Token) -> bool {
        !token.is_like_file() && self.filler.contains(&token.low)
    }

    /// Whether a word only says what kind of thing stands beside it.
    pub(crate) fn is_kind(&self, token: &Token) -> bool {
        self.kinds.fits(token)
    }

    /// Whether a word is one of topics, or one for a kind of things, and not marked as a name there.
    pub(crate) fn is_of_speech(&self, token: &Token) -> bool {
        let of_topics = self.topics.iter().flat_map(|it| it.signs.iter().flatten().chain(&it.also));
        self.is_kind(token) || of_topics.into_iter().any(|pattern| !pattern.is_name && pattern.fits(token))
    }

    /// The same of a part of a word.
    pub(crate) fn is_kind_word(&self, word: &str) -> bool {
        self.kinds.fits_word(word)
    }

    /// The one known word of which this is a slip of a letter: a word of speech that nothing knows.
    pub(crate) fn meant(&self, token: &Token) -> Option<String> {
        let word = &token.low;
        let is_speech = word.chars().count() >= SLIP && word.chars().all(char::is_alphabetic);
        if !is_speech || token.is_like_name() || self.knows(word) {
            return None;
        }
        let is_near = |known: &&String| {
            known.chars().count() >= SLIP
                && known.chars().next() == word.chars().next()
                && strsim::osa_distance(known, word) == 1
        };
        // What topics are known by is meant rather than a word that is passed over.
        let of_topics: Vec<&String> = self.spoken.iter().filter(is_near).collect();
        let all = if of_topics.is_empty() { self.known.iter().filter(is_near).collect() } else { of_topics };
        // Of two words that are as near, neither is known to be meant, but where one begins the other.
        let (first, rest) = all.split_first()?;
        rest.iter().all(|other| other.starts_with(first.as_str())).then(|| (*first).clone())
    }

    fn knows(&self, word: &str) -> bool {
        let fits = |pattern: &Pattern| pattern.fits_word(word);
        let of_topics = self.topics.iter().flat_map(|it| it.signs.iter().flatten().chain(&it.also));
        self.filler.contains(word)
            || self.programs.contains_key(word)
            || self.rids.contains_key(word)
            || self.hints.contains_key(word)
            || self.formats.contains_key(word)
            || fits(&self.kinds)
            || [&self.first, &self.last, &self.except, &self.beyond].into_iter().any(fits)
            || of_topics.into_iter().any(fits)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::tokens::tokens;

    #[test]
    fn the_shipped_grammar_can_be_read_and_its_topics_have_names_of_their_own() {
        let lexicon = shipped().unwrap();
        let ids: BTreeSet<&str> = lexicon.topics.iter().map(|it| it.topic.id.as_str()).collect();
        assert_eq!(ids.len(), lexicon.topics.len());
        assert!(lexicon.topics.iter().all(|it| !it.signs.is_empty()));
    }

    #[test]
    fn a_slip_of_a_letter_is_read_as_the_word_that_is_meant() {
        let lexicon = shipped().unwrap();
        let meant = |word: &str| lexicon.meant(tokens(word).first().unwrap());
        assert_eq!(meant("recyle").as_deref(), Some("recycle"));
        assert_eq!(meant("acount").as_deref(), Some("account"));
        assert_eq!((meant("Ab1cd"), meant("mara"), meant("account")), (None, None, None));
    }
}
