//! The shipped grammar: words, groups of synonyms, and topics with their signs.

use crate::follow::FollowWords;
use crate::tokens::Token;
use crate::topic::{Source, Topic, TopicFile};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use thiserror::Error;

/// The files of topics. Of topics that fit equally well, the one that stands earlier here is tried first.
const TOPICS: [(&str, &str); 6] = [
    ("programs.toml", include_str!("../data/topics/programs.toml")),
    ("accounts.toml", include_str!("../data/topics/accounts.toml")),
    ("system.toml", include_str!("../data/topics/system.toml")),
    ("files.toml", include_str!("../data/topics/files.toml")),
    ("events.toml", include_str!("../data/topics/events.toml")),
    ("sources.toml", include_str!("../data/topics/sources.toml")),
];

const WORDS: &str = include_str!("../data/words.toml");

const FOLLOW: &str = include_str!("../data/follow.toml");

/// The shortest word, in characters, in which a slip is corrected.
const SLIP: usize = 5;

/// The least digits of a number that a wildcard takes.
const LONG_NUMBER: usize = 6;

/// Endings that `*` stands for: those of inflected words, English and German. So "page*" takes "pages", and not "pagefile".
const FORMS: &str = "s es e er ers ern en em n nn d ed r rs t te ten ter tes tet st et ing ings ion ions ation ations ational ional ionally al als ally ly y ies ied ying ity ities or ors ment ments able ables ability \
    ance ances ence ences ate ated ates ating ator ators ive ives ively ely ung ungen nen in ins innen up ups off out on ons age ages ication ications ification name names namen namens ged ging ped ping ned ning ted ting red ring led ling ner ners ger ht me men iert ierte ierten ierter iertes sion sions ded ding de des mal mals malig lich liche lichen ig ige igen ent ents ency";

/// Why the shipped grammar cannot be used.
#[derive(Debug, Error)]
pub enum LexiconError {
    /// A file cannot be read.
    #[error("read the grammar of questions: {file}: {reason}")]
    File {
        /// The name of the file.
        file: &'static str,
        /// Why.
        reason: String,
    },
}

/// Words and topics, with the words of questions that refer to an earlier one.
#[derive(Debug)]
pub(crate) struct Lexicon {
    filler: BTreeSet<String>,
    pub(crate) first: Pattern,
    pub(crate) last: Pattern,
    pub(crate) except: Pattern,
    pub(crate) either: Pattern,
    pub(crate) only: Pattern,
    pub(crate) than: Pattern,
    pub(crate) beyond: Pattern,
    /// Names of programs in speech, with the names of their files.
    pub(crate) programs: BTreeMap<String, Vec<String>>,
    /// Accounts that every Windows has, with the last number of their SIDs.
    pub(crate) rids: BTreeMap<String, u32>,
    /// Kinds of things, with the words for them.
    pub(crate) classes: BTreeMap<String, Pattern>,
    /// Words for kinds of things that stand beside a name and are not part of it.
    kinds: Pattern,
    /// Kinds of files, with the endings of their names.
    pub(crate) formats: BTreeMap<String, Vec<String>>,
    /// Names of sources, with the types of their records.
    pub(crate) hints: BTreeMap<String, Vec<String>>,
    pub(crate) topics: Vec<Signed>,
    /// The words of questions that refer to an earlier one.
    pub(crate) follow: FollowWords,
    /// Every word that is written out in the grammar.
    known: BTreeSet<String>,
    /// The words of topics among them.
    spoken: BTreeSet<String>,
}

/// A topic with its signs and its other words.
#[derive(Debug)]
pub(crate) struct Signed {
    pub(crate) topic: Topic,
    pub(crate) signs: Vec<Vec<Pattern>>,
    pub(crate) also: Vec<Pattern>,
}

/// Alternatives for a word, and what must follow it.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "String")]
pub(crate) struct Pattern {
    words: Vec<String>,
    /// Whether the word also counts as a name.
    pub(crate) is_name: bool,
    /// What must follow at once.
    pub(crate) next: Option<Box<Pattern>>,
}

impl From<String> for Pattern {
    fn from(text: String) -> Pattern {
        Pattern::any(&text)
    }
}

impl Pattern {
    /// Reads `+a|b*|@group~next`; the documentation of a topic's signs explains the marks.
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

    /// Reads alternatives that are separated by spaces.
    pub(crate) fn any(text: &str) -> Pattern {
        Pattern { words: text.split_whitespace().map(str::to_owned).collect(), is_name: false, next: None }
    }

    /// Whether a word fits here or in what must follow.
    pub(crate) fn takes(&self, token: &Token) -> bool {
        self.fits(token) || self.next.as_ref().is_some_and(|next| next.takes(token))
    }

    /// Returns all its words, with those of what must follow.
    fn all(&self) -> Vec<&String> {
        self.words.iter().chain(self.next.iter().flat_map(|next| next.all())).collect()
    }

    /// Whether a word fits. A word that looks like a file never does.
    pub(crate) fn fits(&self, token: &Token) -> bool {
        !token.is_like_file() && self.fits_word(&token.low)
    }

    fn fits_word(&self, word: &str) -> bool {
        self.words.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(begin) => word.strip_prefix(begin).is_some_and(is_form),
            None => pattern == word,
        })
    }
}

/// Whether a word may end like this after its stem. A part after a hyphen may be anything, and so may a long number, as in KB5001330.
fn is_form(ending: &str) -> bool {
    let is_long_number = ending.len() >= LONG_NUMBER && ending.bytes().all(|it| it.is_ascii_digit());
    ending.is_empty()
        || is_long_number
        || ending.starts_with('-')
        || FORMS.split_whitespace().any(|form| form == ending)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WordFile {
    filler: String,
    first: String,
    last: String,
    except: String,
    either: String,
    only: String,
    than: String,
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

/// Returns the shipped grammar, which is read once.
pub(crate) fn shipped() -> Result<&'static Lexicon, &'static LexiconError> {
    SHIPPED.as_ref()
}

fn read() -> Result<Lexicon, LexiconError> {
    let refused = |file| move |error: toml::de::Error| LexiconError::File { file, reason: error.to_string() };
    let words: WordFile = toml::from_str(WORDS).map_err(refused("words.toml"))?;
    let mut topics: Vec<Topic> = Vec::new();
    for (file, text) in TOPICS {
        let read: TopicFile = toml::from_str(text).map_err(refused(file))?;
        topics.extend(read.topics);
    }
    share_sources(&mut topics);
    let topics: Vec<Signed> = topics.into_iter().map(|topic| signed(topic, &words.groups)).collect();
    let follow: FollowWords = toml::from_str(FOLLOW).map_err(refused("follow.toml"))?;
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
        either: Pattern::any(&words.either),
        only: Pattern::any(&words.only),
        than: Pattern::any(&words.than),
        beyond: Pattern::any(&words.beyond),
        programs: words.programs,
        rids: words.rids,
        classes: words.classes.iter().map(|(name, words)| (name.clone(), Pattern::any(words))).collect(),
        kinds: Pattern::any(&words.kinds),
        hints: words.hints,
        formats: words.formats,
        topics,
        follow,
        known,
        spoken,
    })
}

/// Gives topics the sources of those that they are like.
fn share_sources(topics: &mut [Topic]) {
    let all: BTreeMap<String, Vec<Source>> =
        topics.iter().map(|topic| (topic.id.clone(), topic.sources.clone())).collect();
    for topic in topics {
        if let Some(sources) = topic.like.as_ref().and_then(|like| all.get(like)) {
            topic.sources.clone_from(sources);
        }
    }
}

fn signed(topic: Topic, groups: &BTreeMap<String, String>) -> Signed {
    let pattern = |text: &str| Pattern::of(text, groups);
    let signs = topic.signs.iter().map(|sign| sign.split_whitespace().map(pattern).collect()).collect();
    let also = topic.also.iter().map(|word| pattern(word)).collect();
    Signed { topic, signs, also }
}

impl Lexicon {
    /// Whether a word is passed over.
    pub(crate) fn is_filler(&self, token: &Token) -> bool {
        !token.is_like_file() && self.filler.contains(&token.low)
    }

    /// Whether a word only says what kind of thing the name beside it is.
    pub(crate) fn is_kind(&self, token: &Token) -> bool {
        self.kinds.fits(token)
    }

    /// Whether a word belongs to a topic, where it is not marked as a name, or to a kind of things.
    pub(crate) fn is_of_speech(&self, token: &Token) -> bool {
        let of_topics = self.topics.iter().flat_map(|it| it.signs.iter().flatten().chain(&it.also));
        self.is_kind(token) || of_topics.into_iter().any(|pattern| !pattern.is_name && pattern.fits(token))
    }

    /// Whether a part of a word only says what kind of thing something is.
    pub(crate) fn is_kind_word(&self, word: &str) -> bool {
        self.kinds.fits_word(word)
    }

    /// Returns the known word that an unknown one misspells by one letter; `None` if there are several or none.
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
        // A word of a topic is more likely meant than one that is passed over.
        let of_topics: Vec<&String> = self.spoken.iter().filter(is_near).collect();
        let all = if of_topics.is_empty() { self.known.iter().filter(is_near).collect() } else { of_topics };
        // If two words are equally near, neither is chosen, unless one begins the other.
        let (first, rest) = all.split_first()?;
        rest.iter().all(|other| other.starts_with(first.as_str())).then(|| (*first).clone())
    }

    fn knows(&self, word: &str) -> bool {
        let fits = |pattern: &Pattern| pattern.fits_word(word);
        let of_topics = self.topics.iter().flat_map(|it| it.signs.iter().flatten().chain(&it.also));
        crate::spans::is_month(word)
            || self.filler.contains(word)
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
        let named = lexicon.topics.iter().flat_map(|it| it.topic.others.iter().chain(&it.topic.like));
        assert!(named.into_iter().all(|id| ids.contains(id.as_str())));
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
