//! A question, read: what is wanted of which topic, and by what it is narrowed.

use crate::LONGEST;
use crate::lexicon::{Lexicon, LexiconError, Pattern, Signed, shipped};
use crate::spans::{self, Span};
use crate::tokens::{Token, tokens};
use crate::topic::{Source, Topic};
use std::collections::BTreeSet;

/// The most topics that one question is tried as.
const MOST_TOPICS: usize = 6;

/// A question as it was read.
#[derive(Debug)]
pub struct Question {
    /// What is wanted.
    pub wants: Wants,
    /// Which of several.
    pub order: Option<Order>,
    /// The topics that it may be about, the likeliest first, each with the names that are left then.
    pub(crate) readings: Vec<Reading>,
    /// When.
    pub span: Option<Span>,
    /// Whether its times can be read in two ways.
    pub(crate) is_time_ambiguous: bool,
    /// Whether a clause that is not read narrows it.
    pub(crate) has_condition: bool,
    /// The kind of things that is asked for, where one is named.
    pub(crate) class: Option<&'static str>,
    /// What is counted, where that is asked.
    pub(crate) counted: Option<String>,
    /// Whether no evidence can answer it.
    pub(crate) is_beyond: bool,
}

/// A question as one about a topic.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) topic: &'static Topic,
    pub(crate) names: Vec<Name>,
    pub(crate) excluded: Vec<Name>,
    /// Words of it that are the topic's, squeezed.
    pub(crate) used: BTreeSet<String>,
    /// Whether it counts only where another one tells nothing.
    pub(crate) is_other: bool,
    /// The records that the question says shall tell it; empty: all.
    pub(crate) records: BTreeSet<&'static str>,
    /// Whether it asks for the opposite of what a setting's `on` says.
    pub(crate) is_negated: bool,
}

impl Reading {
    /// Whether records of a source count: those that the question calls by their name, or all.
    pub(crate) fn asks(&self, source: &Source) -> bool {
        let is_named = self.records.is_empty() || self.records.contains(source.record.as_str());
        is_named && (!source.of_named || !self.names.is_empty())
    }
}

/// What is wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wants {
    /// Yes or no.
    pub yes_or_no: bool,
    /// A time.
    pub time: bool,
    /// Who did it.
    pub who: bool,
    /// Where from.
    pub from: bool,
    /// By what.
    pub by: bool,
    /// How often, or how many.
    pub count: bool,
    /// How many things there are, and not how often something was done.
    pub number: bool,
    /// What was done most often.
    pub most: bool,
}

/// Which of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The first.
    First,
    /// The last.
    Last,
}

/// A name that a question is narrowed by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// As it was typed.
    pub text: String,
    /// How it may be spelled in records.
    pub(crate) spellings: Vec<String>,
    /// Whether its form, or a list of ours, says that it is a name: a mere word may be one that is not understood.
    pub(crate) is_certain: bool,
    /// How the SID of an account that it may be ends.
    pub(crate) ending: Option<String>,
    /// Its single words, where it is made of several.
    pub(crate) parts: Vec<String>,
    /// Whether it is a word of questions, of which nothing shows that it is a name, too.
    pub(crate) is_word: bool,
    /// Whether it did what is asked, and is not what it was done to.
    pub(crate) is_doer: bool,
}

/// Reads a question.
///
/// # Errors
///
/// Where the shipped grammar is none.
pub fn question(text: &str) -> Result<Question, &'static LexiconError> {
    let lexicon = shipped()?;
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut words = tokens(text.get(..end).unwrap_or_default());
    for word in &mut words {
        if let Some(meant) = lexicon.meant(word) {
            word.low = meant;
        }
    }
    let read = spans::span(&words);
    let mut used: BTreeSet<usize> = read.used.iter().copied().collect();
    let condition = condition(lexicon, &words, &used);
    let has_condition = condition.is_some();
    used.extend(condition.unwrap_or(words.len())..words.len());
    let (wants, of_wants) = wants(&words, &used);
    used.extend(of_wants);
    let order = order(lexicon, &words, &used);
    let is_beyond =
        words.iter().enumerate().any(|(at, word)| !used.contains(&at) && lexicon.beyond.fits(word));
    let readings = readings(lexicon, &words, &used);
    let class = class(lexicon, &words).filter(|_| !wants.by);
    let is_many = |word: &Token| matches!(word.low.as_str(), "many" | "viele");
    let counted = words.windows(2).find_map(|pair| match pair {
        [many, what] if is_many(many) => Some(what.low.clone()),
        _ => None,
    });
    Ok(Question {
        class,
        counted,
        wants,
        order,
        readings,
        span: read.span,
        is_time_ambiguous: read.is_ambiguous,
        has_condition,
        is_beyond,
    })
}

/// Where a clause begins that puts it before, after or beside something else than a time.
fn condition(lexicon: &Lexicon, words: &[Token], used: &BTreeSet<usize>) -> Option<usize> {
    let begins = |at: &usize| {
        let Some(word) = words.get(*at) else { return false };
        let has_more = words.len() > at + 1 && *at > 2;
        let is_of_time = (1..=3).any(|more| used.contains(&(at + more)));
        let is_clause = matches!(
            word.low.as_str(),
            "after" | "before" | "while" | "nachdem" | "bevor" | "während" | "once"
        );
        // "when it was collected" leaves nothing out.
        let asks = |word: &Token| matches!(word.low.as_str(), "which" | "what" | "who" | "how" | "where");
        let is_when = word.low == "when"
            && words.iter().take(*at).any(asks)
            && !words
                .get(at.saturating_sub(1))
                .is_some_and(|before| matches!(before.low.as_str(), "and" | "or"))
            && !words.iter().skip(*at).all(|word| lexicon.is_filler(word))
            && !words.iter().skip(*at).any(|word| {
                matches!(word.low.as_str(), "logs" | "signs" | "starts" | "boots" | "anmeldet" | "startet")
            });
        (is_clause || is_when) && has_more && !is_of_time && !word.quoted
    };
    (0..words.len()).find(begins)
}

/// What is wanted, and the places of words that say no more than that.
fn wants(words: &[Token], used: &BTreeSet<usize>) -> (Wants, Vec<usize>) {
    let mut wants = Wants::default();
    let mut places = Vec::new();
    let low = |at: usize| words.get(at).filter(|word| !word.quoted).map_or("", |word| word.low.as_str());
    let joined =
        |at: usize| at.checked_sub(1).is_some_and(|before| matches!(low(before), "and" | "or" | "und"));
    let mut is_open = false;
    for at in (0..words.len()).filter(|at| !used.contains(at)) {
        let next = low(at + 1);
        match low(at) {
            // Behind another question word, and no "and", it begins a clause.
            "when" if (is_open || wants != Wants::default()) && !joined(at) => {}
            "when" | "wann" => wants.time = true,
            "who" | "whom" | "whose" | "wer" | "wem" | "wen" | "wessen" => wants.who = true,
            "where" => {
                wants.from |= at.checked_sub(1).is_some_and(|before| low(before) == "from")
                    || words.iter().any(|it| it.low == "from")
            }
            "woher" => wants.from = true,
            "which" | "what" if is_doer(next) && is_deed(low(at + 2)) => wants.by = true,
            "which" | "what" | "welcher" | "welche" | "welches" | "welchem" | "welchen" => {
                let asked = if matches!(next, "local" | "exact" | "other" | "remote" | "source") {
                    low(at + 2)
                } else {
                    next
                };
                let before = at.checked_sub(1).map_or("", low);
                match asked {
                    // A time zone is no time.
                    "time" if matches!(low(at + 2), "zone" | "server" | "source" | "setting") => {
                        is_open = true
                    }
                    "time" | "date" | "day" | "uhrzeit" | "zeit" | "datum" | "tag" => wants.time = true,
                    "account" | "user" | "person" | "benutzer" | "konto" => {
                        wants.who = true;
                        places.push(at + 1);
                    }
                    "ip" | "ip-address" | "address" | "workstation" | "host" | "computer" | "machine"
                    | "ip-adresse"
                        if matches!(before, "from" | "von") =>
                    {
                        wants.from = true;
                        places.extend((at + 1..words.len()).take(3).take_while(|at| {
                            matches!(
                                low(*at),
                                "ip" | "address"
                                    | "remote"
                                    | "source"
                                    | "ip-address"
                                    | "ip-adresse"
                                    | "workstation"
                                    | "host"
                                    | "computer"
                                    | "machine"
                            )
                        }));
                    }
                    "url" | "website" | "site" | "address" if words.iter().any(|it| it.low == "from") => {
                        wants.from = true
                    }
                    "program" | "process" | "tool" | "application" if matches!(before, "by" | "with") => {
                        wants.by = true
                    }
                    _ => is_open = true,
                }
            }
            "how" if matches!(next, "many" | "often") => {
                wants.count = true;
                wants.number = next == "many" && !matches!(low(at + 2), "times" | "runs");
            }
            "wie" if matches!(next, "oft" | "viele") => {
                wants.count = true;
                wants.number = next == "viele";
            }
            "most"
                if matches!(
                    next,
                    "often"
                        | "frequently"
                        | "used"
                        | "visited"
                        | "run"
                        | "executed"
                        | "launched"
                        | "started"
                        | "opened"
                ) =>
            {
                wants.most = true;
                places.extend(
                    [at, at + 1].into_iter().filter(|at| matches!(low(*at), "most" | "often" | "frequently")),
                );
            }
            "most" if matches!(next, "recent" | "recently") => places.push(at),
            "häufigsten" | "öftesten" | "meistbesuchte" | "meistgenutzte" => {
                wants.most = true;
                places.push(at);
            }
            "count" if at == 0 => wants.count = true,
            _ => {}
        }
    }
    wants.count |= wants.most;
    let is_asked = wants != Wants::default() || is_open;
    let begins = matches!(
        low(0),
        "is" | "are"
            | "was"
            | "were"
            | "did"
            | "does"
            | "do"
            | "has"
            | "have"
            | "had"
            | "can"
            | "could"
            | "ist"
            | "sind"
            | "war"
            | "waren"
            | "wurde"
            | "wurden"
            | "hat"
            | "haben"
            | "hatte"
            | "gibt"
            | "gab"
    );
    // In German `was` is what.
    let is_german_what = low(0) == "was"
        && words.iter().any(|it| {
            matches!(it.low.as_str(), "ist" | "wurde" | "hat" | "der" | "die" | "das" | "im" | "liegt")
        });
    wants.yes_or_no = begins && !is_asked && !is_german_what;
    (wants, places)
}

fn is_doer(word: &str) -> bool {
    matches!(word, "program" | "process" | "tool" | "application" | "script")
}

fn is_deed(word: &str) -> bool {
    matches!(
        word,
        "started"
            | "launched"
            | "executed"
            | "spawned"
            | "created"
            | "wrote"
            | "dropped"
            | "downloaded"
            | "deleted"
            | "opened"
            | "contacted"
    )
}

/// The kind of things that is asked for.
fn class(lexicon: &'static Lexicon, words: &[Token]) -> Option<&'static str> {
    let asks = |word: &Token| {
        let is_which = matches!(word.low.as_str(), "which" | "what" | "many" | "viele" | "other" | "any");
        is_which || word.low.starts_with("welche")
    };
    let mut asked = words.windows(3).filter_map(|run| match run {
        [which, noun, _] if asks(which) => Some(noun),
        _ => None,
    });
    asked.find_map(|noun| {
        lexicon.classes.iter().find(|(_, pattern)| pattern.fits(noun)).map(|(name, _)| name.as_str())
    })
}

fn order(lexicon: &Lexicon, words: &[Token], used: &BTreeSet<usize>) -> Option<Order> {
    let free = || words.iter().enumerate().filter(|(at, _)| !used.contains(at)).map(|(_, word)| word);
    let recent = words.windows(2).any(
        |pair| matches!(pair, [a, b] if a.low == "most" && matches!(b.low.as_str(), "recent" | "recently")),
    );
    match (free().any(|word| lexicon.first.fits(word)), recent || free().any(|word| lexicon.last.fits(word)))
    {
        (true, false) => Some(Order::First),
        (false, true) => Some(Order::Last),
        (true, true) | (false, false) => None,
    }
}

/// The topics that the words speak of most, and what is left of them then.
fn readings(lexicon: &'static Lexicon, words: &[Token], used: &BTreeSet<usize>) -> Vec<Reading> {
    let free: Vec<(usize, &Token)> = words.iter().enumerate().filter(|(at, _)| !used.contains(at)).collect();
    let hint = hint(lexicon, words, used);
    let mut scored: Vec<(usize, &'static Signed, &'static [Pattern])> = Vec::new();
    for signed in &lexicon.topics {
        let best = signed
            .signs
            .iter()
            .filter_map(|sign| Some((score(sign, &free)?, sign.as_slice())))
            .max_by_key(|it| it.0);
        // A source that is called by its name weighs as much as a word of the topic.
        let bonus = usize::from(hint.as_ref().is_some_and(|hint| hint.is_of(&signed.topic)));
        scored.extend(best.map(|(score, sign)| (score + bonus, signed, sign)));
    }
    let most = scored.iter().map(|it| it.0).max().unwrap_or(0);
    let mut best: Vec<(&'static Signed, &'static [Pattern])> =
        scored.into_iter().filter(|it| it.0 == most).map(|it| (it.1, it.2)).collect();
    let certain = best.len();
    let others: Vec<_> = best.iter().flat_map(|(signed, sign)| others(lexicon, signed, sign)).collect();
    for other in others {
        if !best.iter().any(|known| known.0.topic.id == other.0.topic.id) {
            best.push(other);
        }
    }
    best.truncate(MOST_TOPICS);
    let read = |(place, (signed, sign)): (usize, (&'static Signed, &'static [Pattern]))| {
        let is_other = place >= certain;
        Reading { is_other, ..reading(lexicon, words, used, signed, sign, hint.as_ref()) }
    };
    best.into_iter().enumerate().map(read).collect()
}

/// The topics that are asked where one tells nothing.
fn others<'s>(
    lexicon: &'static Lexicon,
    signed: &'static Signed,
    sign: &'s [Pattern],
) -> impl Iterator<Item = (&'static Signed, &'s [Pattern])> {
    let ids = signed.topic.others.iter();
    ids.filter_map(|id| lexicon.topics.iter().find(|it| it.topic.id == *id)).map(move |other| (other, sign))
}

/// A source that a question calls by its name.
struct Hint {
    records: &'static [String],
    places: std::ops::Range<usize>,
}

impl Hint {
    fn is_of(&self, topic: &Topic) -> bool {
        topic.sources.iter().any(|source| self.records.contains(&source.record))
    }
}

/// The first source that the words name; of several that begin at a place the longest.
fn hint(lexicon: &'static Lexicon, words: &[Token], used: &BTreeSet<usize>) -> Option<Hint> {
    (0..words.len()).find_map(|at| {
        (1..=3).rev().find_map(|length| {
            let run: Vec<&Token> = words.iter().skip(at).take(length).collect();
            let is_free = run.len() == length
                && !run.iter().any(|word| word.quoted)
                && !(at..at + length).any(|at| used.contains(&at));
            let text = run.iter().map(|word| word.low.as_str()).collect::<Vec<_>>().join(" ");
            let records = lexicon.hints.get(&text).filter(|_| is_free)?;
            Some(Hint { records, places: at..at + length })
        })
    })
}

/// How many words of a sign stand there, each at another place; `None` where one does not.
fn score(sign: &[Pattern], free: &[(usize, &Token)]) -> Option<usize> {
    let mut taken = BTreeSet::new();
    for pattern in sign {
        let place = (0..free.len()).find(|place| stands(pattern, *place, free, &taken))?;
        let mut next = Some(pattern);
        for (at, _) in free.iter().skip(place) {
            let Some(pattern) = next else { break };
            taken.insert(*at);
            next = pattern.next.as_deref();
        }
    }
    Some(taken.len())
}

/// Whether a pattern, and what has to follow, stands at a place of the words.
fn stands(pattern: &Pattern, place: usize, free: &[(usize, &Token)], taken: &BTreeSet<usize>) -> bool {
    let Some((at, word)) = free.get(place) else { return false };
    let follows = |next: &Pattern| stands(next, place + 1, free, taken);
    !taken.contains(at) && pattern.fits(word) && pattern.next.as_deref().is_none_or(follows)
}

fn reading(
    lexicon: &'static Lexicon,
    words: &[Token],
    used: &BTreeSet<usize>,
    signed: &'static Signed,
    sign: &'static [Pattern],
    hint: Option<&Hint>,
) -> Reading {
    let topic = &signed.topic;
    let hint = hint.filter(|hint| hint.is_of(topic));
    let mut names = Names {
        lexicon,
        topic,
        run: Vec::new(),
        excludes: false,
        is_doer: false,
        names: Vec::new(),
        excluded: Vec::new(),
    };
    let mut of_topic = BTreeSet::new();
    let mut skip = 0;
    for (at, word) in words.iter().enumerate() {
        if at < skip {
            continue;
        }
        let of_topic_or_format = named_by_topic(words, at, topic).or_else(|| format(lexicon, word, topic));
        if let Some((length, spellings)) = of_topic_or_format {
            names.close();
            names.add(words, at, length, spellings);
            skip = at + length;
            continue;
        }
        let is_sign = sign.iter().any(|pattern| !pattern.is_name && pattern.takes(word));
        let is_also = signed.also.iter().any(|pattern| pattern.fits(word));
        if lexicon.except.fits(word) {
            names.close();
            names.excludes = true;
            continue;
        }
        let is_plain = [&lexicon.first, &lexicon.last].into_iter().any(|pattern| pattern.fits(word));
        let is_hint = hint.is_some_and(|hint| hint.places.contains(&at));
        if used.contains(&at) || is_sign || is_also || is_plain || is_hint || lexicon.is_filler(word) {
            if is_sign || is_also {
                of_topic.insert(word.low.chars().filter(|it| it.is_alphanumeric()).collect());
            }
            names.close();
            continue;
        }
        if names.run.is_empty() {
            let before = at.checked_sub(1).and_then(|before| words.get(before));
            let does =
                before.is_some_and(|it| matches!(it.low.as_str(), "did" | "has" | "have" | "hat" | "haben"));
            let asked = class(lexicon, words).or_else(|| asks_accounts(words).then_some("account"));
            names.is_doer = does && asked.is_some_and(|class| acts(topic, class));
        }
        names.run.push(word.clone());
        if word.ends || word.is_like_file() {
            names.close();
        }
    }
    names.close();
    let negated = |word: &Token| {
        ["disabl", "deactivat", "block", "deaktiviert", "abgeschaltet", "ausgeschaltet"]
            .iter()
            .any(|it| word.low.starts_with(it))
            || word.low == "off"
    };
    let is_negated = words.iter().any(negated);
    let asked = |record: &&str| hint.is_some_and(|hint| hint.records.iter().any(|it| it == record));
    let records = topic.sources.iter().map(|source| source.record.as_str()).filter(asked).collect();
    Reading {
        topic,
        names: names.names,
        excluded: names.excluded,
        used: of_topic,
        is_other: false,
        records,
        is_negated,
    }
}

/// The longest run of words here that is a name of the topic, such as that of a log in front of the word log: how many, and how records spell it.
fn named_by_topic<'t>(words: &[Token], at: usize, topic: &'t Topic) -> Option<(usize, &'t [String])> {
    (1..=3).rev().find_map(|length| {
        let run: Vec<&str> = words.iter().skip(at).take(length).map(|word| word.low.as_str()).collect();
        let spellings = topic.words.get(&run.join(" ")).filter(|_| run.len() == length)?;
        Some((length, spellings.as_slice()))
    })
}

/// Whether a topic tells what was done to things of a class, so that "which files did X" names who did it.
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

/// How names of a kind of files end, where the topic tells of files.
fn format(lexicon: &'static Lexicon, word: &Token, topic: &Topic) -> Option<(usize, &'static [String])> {
    let tells_of_files = topic.tells.iter().any(|told| told == "file");
    let endings = lexicon.formats.get(&word.low).filter(|_| tells_of_files && !word.quoted)?;
    Some((1, endings.as_slice()))
}

/// Names in the making.
struct Names {
    lexicon: &'static Lexicon,
    topic: &'static Topic,
    run: Vec<Token>,
    excludes: bool,
    /// Whether the name in the making stands where somebody or something does what is asked of files.
    is_doer: bool,
    names: Vec<Name>,
    excluded: Vec<Name>,
}

impl Names {
    /// Ends a name where its last word stood.
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

    /// A name without the words beside it that only say what it is a name of; such words alone stay.
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

    /// Words that are a name of this topic.
    fn add(&mut self, words: &[Token], at: usize, length: usize, spellings: &[String]) {
        let typed: Vec<&str> = words.iter().skip(at).take(length).map(|word| word.text.as_str()).collect();
        self.names.push(Name {
            text: typed.join(" "),
            spellings: spellings.to_vec(),
            is_certain: true,
            ending: None,
            parts: Vec::new(),
            is_word: false,
            is_doer: false,
        });
    }
}

fn name(lexicon: &Lexicon, topic: &Topic, run: &[Token]) -> Name {
    let text = run.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    let low = text.to_lowercase();
    let program = lexicon.programs.get(&low);
    let listed = topic.words.get(&low).or(program);
    let is_certain = listed.is_some() || run.iter().any(Token::is_like_name);
    let mut spellings = listed.cloned().unwrap_or_else(|| vec![low.clone()]);
    // What is installed, or opens a document, is not known by the name of its file alone.
    let has_programs = topic.sources.iter().any(|source| !source.program.is_empty());
    if program.is_some() && !has_programs && !spellings.contains(&low) {
        spellings.push(low);
    }
    let parts = match run {
        [_] => Vec::new(),
        more => more.iter().map(|word| word.low.clone()).collect(),
    };
    let ending = lexicon.rids.get(&text.to_lowercase()).map(|rid| format!("-{rid}"));
    let is_certain = is_certain || ending.is_some();
    if let Some((head, kind)) = text.to_lowercase().rsplit_once('-') {
        // „Kingston-Stick“ is the Kingston.
        let is_kind = lexicon.is_kind_word(kind) && head.chars().count() > 2;
        spellings.extend(is_kind.then(|| head.to_owned()));
    }
    let is_word = !is_certain && matches!(run, [word] if word.text == word.low && lexicon.is_of_speech(word));
    Name { text, spellings, is_certain, ending, parts, is_word, is_doer: false }
}

impl Question {
    /// The topics that it may be about, the likeliest first.
    pub fn topics(&self) -> impl Iterator<Item = &'static Topic> {
        self.readings.iter().map(|reading| reading.topic)
    }

    /// The names that narrow it, as one about the topic of this place.
    pub fn names(&self, place: usize) -> &[Name] {
        self.readings.get(place).map_or(&[], |reading| reading.names.as_slice())
    }
}
