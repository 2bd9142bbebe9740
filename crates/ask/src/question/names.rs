//! The names that narrow a question: what is left of it without the words of speech and of its topic.

use crate::lexicon::{Lexicon, Pattern, Signed};
use crate::tokens::Token;
use crate::topic::{Source, Topic};
use std::collections::BTreeSet;

/// A name that narrows a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// As it was typed.
    pub text: String,
    /// How records may spell it.
    pub(crate) spellings: Vec<String>,
    /// Whether its form or a list of the grammar shows that it is a name. Any other word may be one that was not understood.
    pub(crate) is_certain: bool,
    /// How the SID ends, if it may be an account that every Windows has.
    pub(crate) ending: Option<String>,
    /// Its single words, if it has several.
    pub(crate) parts: Vec<String>,
    /// Whether it is a word of questions that nothing shows to be a name, too.
    pub(crate) is_word: bool,
    /// Whether it did what is asked, and is not what something was done to.
    pub(crate) is_doer: bool,
}

/// Returns a name as it was typed, when nothing else is known about it.
pub(crate) fn plain_name(text: &str) -> Name {
    Name {
        text: text.to_owned(),
        spellings: vec![text.to_lowercase()],
        is_certain: false,
        ending: None,
        parts: Vec::new(),
        is_word: false,
        is_doer: false,
    }
}

/// The words of a question, and the places that are read already.
pub(super) struct Frame<'q> {
    pub(super) lexicon: &'static Lexicon,
    pub(super) words: &'q [Token],
    pub(super) used: &'q BTreeSet<usize>,
}

/// Returns the names, the names that are left out, and the words of the topic, letters and digits only.
///
/// `source` are the places of the names of sources.
pub(super) fn named(
    frame: &Frame<'_>,
    signed: &'static Signed,
    sign: &[Pattern],
    source: &BTreeSet<usize>,
) -> (Vec<Name>, Vec<Name>, BTreeSet<String>) {
    let topic = &signed.topic;
    let mut names = Names::new(frame.lexicon, topic);
    let mut of_topic = BTreeSet::new();
    let mut skip = 0;
    for (at, word) in frame.words.iter().enumerate() {
        if at < skip {
            continue;
        }
        let known = named_by_topic(frame.words, at, topic).or_else(|| format(frame.lexicon, word, topic));
        if let Some((length, spellings)) = known {
            names.close();
            names.add(frame.words, at, length, spellings);
            skip = at + length;
            continue;
        }
        if frame.lexicon.except.fits(word) {
            names.close();
            names.excludes = true;
            continue;
        }
        let is_of_topic = sign.iter().any(|pattern| !pattern.is_name && pattern.takes(word))
            || signed.also.iter().any(|pattern| pattern.fits(word));
        if is_of_topic || says_nothing(frame, at, word) || source.contains(&at) {
            if is_of_topic {
                of_topic.insert(word.low.chars().filter(|it| it.is_alphanumeric()).collect());
            }
            names.close();
            continue;
        }
        if names.run.is_empty() {
            names.is_doer = is_doer(frame, at, topic);
        }
        names.run.push(word.clone());
        if word.ends || word.is_like_file() {
            names.close();
        }
    }
    names.close();
    (names.names, names.excluded, of_topic)
}

/// Whether a word is read already, or is a word of speech.
fn says_nothing(frame: &Frame<'_>, at: usize, word: &Token) -> bool {
    let lexicon = frame.lexicon;
    frame.used.contains(&at) || lexicon.first.fits(word) || lexicon.last.fits(word) || lexicon.is_filler(word)
}

/// Whether the name that begins at this place did what is asked: "which files did X open".
fn is_doer(frame: &Frame<'_>, at: usize, topic: &Topic) -> bool {
    let before = at.checked_sub(1).and_then(|before| frame.words.get(before));
    let helps = |it: &Token| matches!(it.low.as_str(), "did" | "has" | "have" | "hat" | "haben");
    let asked = super::wants::class(frame.lexicon, frame.words)
        .or_else(|| asks_accounts(frame.words).then_some("account"));
    before.is_some_and(helps) && asked.is_some_and(|class| acts(topic, class))
}

/// Whether a topic records what was done to things of a class.
fn acts(topic: &Topic, class: &str) -> bool {
    let tells_of_it = topic.tells.iter().any(|told| told == class);
    let says = |source: &Source| !source.by.is_empty() || class == "account" && !source.who.is_empty();
    tells_of_it && (topic.named || topic.sources.iter().any(says))
}

/// Whether "which accounts" is asked.
fn asks_accounts(words: &[Token]) -> bool {
    let is_account = |word: &Token| {
        matches!(word.low.as_str(), "account" | "accounts" | "user" | "users" | "konto" | "konten" | "groups")
    };
    let asks = |word: &Token| word.low == "what" || word.low == "which" || word.low.starts_with("welche");
    words.windows(2).any(|pair| matches!(pair, [which, noun] if asks(which) && is_account(noun)))
}

/// Finds the longest run of words at a place that is a name of the topic, such as "security log": how many words, and how records spell it.
fn named_by_topic<'t>(words: &[Token], at: usize, topic: &'t Topic) -> Option<(usize, &'t [String])> {
    (1..=3).rev().find_map(|length| {
        let run: Vec<&str> = words.iter().skip(at).take(length).map(|word| word.low.as_str()).collect();
        let spellings = topic.words.get(&run.join(" ")).filter(|_| run.len() == length)?;
        Some((length, spellings.as_slice()))
    })
}

/// Returns how names of a kind of files end, if the topic has files.
fn format(lexicon: &'static Lexicon, word: &Token, topic: &Topic) -> Option<(usize, &'static [String])> {
    let tells_of_files = topic.tells.iter().any(|told| told == "file");
    let endings = lexicon.formats.get(&word.low).filter(|_| tells_of_files && !word.quoted)?;
    Some((1, endings.as_slice()))
}

/// Collects words into names.
struct Names {
    lexicon: &'static Lexicon,
    topic: &'static Topic,
    /// The words of the name that is not finished.
    run: Vec<Token>,
    /// Whether the next name is left out.
    excludes: bool,
    /// Whether the name that is not finished did what is asked.
    is_doer: bool,
    names: Vec<Name>,
    excluded: Vec<Name>,
}

impl Names {
    fn new(lexicon: &'static Lexicon, topic: &'static Topic) -> Names {
        let (names, excluded) = (Vec::new(), Vec::new());
        Names { lexicon, topic, run: Vec::new(), excludes: false, is_doer: false, names, excluded }
    }

    /// Finishes a name.
    fn close(&mut self) {
        let run = std::mem::take(&mut self.run);
        let run = self.without_kinds(&run);
        if run.is_empty() {
            return;
        }
        let mut name = name(self.lexicon, self.topic, run);
        name.is_doer = self.is_doer;
        match self.excludes {
            true => self.excluded.push(name),
            false => self.names.push(name),
        }
        self.excludes = false;
    }

    /// Drops words around a name that only say what kind of thing it is. If there are only such words, one stays.
    fn without_kinds<'r>(&self, run: &'r [Token]) -> &'r [Token] {
        let mut rest = run;
        while let [first, more @ ..] = rest
            && !more.is_empty()
            && self.lexicon.is_kind(first)
        {
            rest = more;
        }
        while let [more @ .., last] = rest
            && !more.is_empty()
            && self.lexicon.is_kind(last)
        {
            rest = more;
        }
        rest
    }

    /// Adds words that are a name of the topic.
    fn add(&mut self, words: &[Token], at: usize, length: usize, spellings: &[String]) {
        let typed: Vec<&str> = words.iter().skip(at).take(length).map(|word| word.text.as_str()).collect();
        let name = plain_name(&typed.join(" "));
        self.names.push(Name { spellings: spellings.to_vec(), is_certain: true, ..name });
    }
}

/// Makes a name of words that stand side by side.
fn name(lexicon: &Lexicon, topic: &Topic, run: &[Token]) -> Name {
    let text = run.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    let low = text.to_lowercase();
    let program = lexicon.programs.get(&low);
    let listed = topic.words.get(&low).or(program);
    let ending = lexicon.rids.get(&low).map(|rid| format!("-{rid}"));
    let is_certain = listed.is_some() || ending.is_some() || run.iter().any(Token::is_like_name);
    let mut spellings = listed.cloned().unwrap_or_else(|| vec![low.clone()]);
    // What is installed, or opens a document, is not known by the name of its file alone.
    let has_programs = topic.sources.iter().any(|source| !source.program.is_empty());
    if program.is_some() && !has_programs && !spellings.contains(&low) {
        spellings.push(low.clone());
    }
    if let Some((head, kind)) = low.rsplit_once('-') {
        // „Kingston-Stick“ is the Kingston.
        let is_kind = lexicon.is_kind_word(kind) && head.chars().count() > 2;
        spellings.extend(is_kind.then(|| head.to_owned()));
    }
    let parts = match run {
        [_] => Vec::new(),
        more => more.iter().map(|word| word.low.clone()).collect(),
    };
    let is_word = !is_certain && matches!(run, [word] if word.text == word.low && lexicon.is_of_speech(word));
    Name { text, spellings, is_certain, ending, parts, is_word, is_doer: false }
}
