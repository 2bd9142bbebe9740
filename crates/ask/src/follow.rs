//! Questions that go on from those before: what they leave out is filled in, and what comes of it is a question that stands alone.

use crate::LONGEST;
use crate::answer::Answer;
use crate::lexicon::{Lexicon, LexiconError, Pattern, shipped};
use crate::matching::sought;
use crate::question::{Question, clause, question};
use crate::spans;
use crate::tokens::{Token, tokens};
use crate::world::{Account, Row, World};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

/// How many exchanges a question may go on from.
pub const EXCHANGES: usize = 5;

/// The most names that are listed in a question back.
const LISTED: usize = 8;

const FOLLOW: &str = include_str!("../data/follow.toml");

/// A question that was asked, and what its answer told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exchange {
    /// The question, as one that stands alone.
    pub question: String,
    /// The pieces of evidence of the rows that it cites.
    pub evidence: BTreeSet<String>,
    /// The first time that it tells, RFC 3339.
    pub first: Option<String>,
    /// The last one.
    pub last: Option<String>,
}

impl Exchange {
    /// What is kept of an answer for the questions behind it.
    pub fn of(question: &str, answer: &Answer, rows: &[Row]) -> Exchange {
        let cited = || answer.cited.iter().filter_map(|it| Some((rows.get(it.row)?, &it.fields)));
        let values = cited().flat_map(|(row, fields)| fields.iter().filter_map(|field| row.get(field)));
        let times: BTreeSet<&str> = values.filter(|value| spans::is_instant(value)).collect();
        Exchange {
            question: question.to_owned(),
            evidence: cited().map(|(row, _)| row.evidence.clone()).collect(),
            first: times.first().map(|time| (*time).to_owned()),
            last: times.last().map(|time| (*time).to_owned()),
        }
    }
}

/// What a line is, behind others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Follow {
    /// A question that stands alone, as it was typed.
    Whole,
    /// One that was filled in; this is what it asks.
    Filled(String),
    /// No question, but how somebody takes the last answer.
    Reaction,
    /// It may mean one of several: what to ask back, and the questions that it may be, the first one first.
    Either {
        /// What to ask back.
        question: String,
        /// The names that can be chosen, each with the question that follows.
        choices: Vec<(String, String)>,
    },
    /// What it needs is not there; says what.
    Lacks(String),
}

/// What a line is behind these exchanges, the oldest first.
///
/// # Errors
///
/// Where the shipped grammar is none.
pub fn follow(text: &str, before: &[Exchange], world: &World) -> Result<Follow, &'static LexiconError> {
    let (words, read) = (words()?, question(text)?);
    let typed = tokens(limited(text));
    let lexicon = shipped()?;
    let is_reaction = |word: &Token| words.reaction.fits(word);
    let is_beside = |word: &Token| words.lead.fits(word) || is_weak(lexicon, words, word);
    if typed.iter().any(is_reaction) && typed.iter().all(|word| is_reaction(word) || is_beside(word)) {
        return Ok(Follow::Reaction);
    }
    let before = before.get(before.len().saturating_sub(EXCHANGES)..).unwrap_or_default();
    let Some(last) = before.last() else { return Ok(Follow::Whole) };
    let leads = typed.iter().take_while(|word| words.lead.fits(word)).count();
    let behind = typed.iter().take_while(|word| words.lead.fits(word) || words.about.fits(word)).count();
    let rest = typed.get(behind..).unwrap_or_default();
    let meant: Vec<&Token> = rest.iter().filter(|word| !is_weak(lexicon, words, word)).collect();
    let going = Going { text, words, before, last, world, typed: &typed, leads };
    if let Some(kind) = going.other(rest) {
        return Ok(going.another(kind));
    }
    let all = |pattern: &Pattern| !meant.is_empty() && meant.iter().all(|word| pattern.fits(word));
    if all(&words.before) {
        return Ok(going.beyond(Side::Before));
    }
    if all(&words.after) {
        return Ok(going.beyond(Side::After));
    }
    let has_topic = read.topics().next().is_some();
    if !has_topic && going.is_wanting(rest) {
        return Ok(going.wanting(rest));
    }
    let span = spans::span(rest);
    let is_of_time = |at: &usize| span.used.contains(at);
    let is_span = !span.used.is_empty()
        && (0..rest.len())
            .all(|at| is_of_time(&at) || rest.get(at).is_some_and(|it| is_weak(lexicon, words, it)));
    if is_span {
        return Ok(going.at(rest));
    }
    if !has_topic {
        return Ok(going.named(&meant, rest));
    }
    Ok(going.pronoun(&read))
}

/// A question without what could be read in two ways, as it is read where nobody says which: `None` where there is no such reading.
///
/// # Errors
///
/// Where the shipped grammar is none.
pub fn first_reading(text: &str) -> Result<Option<String>, &'static LexiconError> {
    let lexicon = shipped()?;
    let read = question(text)?;
    let words = tokens(limited(text));
    if read.is_time_ambiguous {
        let dates = words.iter().filter_map(|word| Some((word.bytes.clone(), spans::either(&word.low)?)));
        let dates: Vec<_> = dates.collect();
        return Ok((!dates.is_empty()).then(|| replaced(text, &dates)));
    }
    Ok(read.has_condition.then(|| without_clause(lexicon, text, &words)).flatten())
}

/// A question with what was answered when it was asked back.
///
/// # Errors
///
/// Where the shipped grammar is none.
pub fn completed(text: &str, reply: &str) -> Result<String, &'static LexiconError> {
    if question(reply)?.topics().next().is_some() {
        return Ok(reply.trim().to_owned());
    }
    let lexicon = shipped()?;
    let read = question(text)?;
    let words = tokens(limited(text));
    let base = match (read.is_time_ambiguous, read.has_condition) {
        (true, _) => cut(text, &words, &spans::span(&words).used),
        (false, true) => without_clause(lexicon, text, &words).unwrap_or_else(|| text.to_owned()),
        (false, false) => text.to_owned(),
    };
    Ok(format!("{} {}", bare(&base), reply.trim()))
}

fn without_clause(lexicon: &Lexicon, text: &str, words: &[Token]) -> Option<String> {
    let used: BTreeSet<usize> = spans::span(words).used.into_iter().collect();
    let begin = words.get(clause(lexicon, words, &used)?)?.bytes.start;
    text.get(..begin).map(|kept| bare(kept).to_owned())
}

/// The kind of a thing that is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Account,
    Host,
    Thing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

/// A line that goes on from the last exchange.
struct Going<'a> {
    text: &'a str,
    words: &'static Words,
    before: &'a [Exchange],
    last: &'a Exchange,
    world: &'a World,
    typed: &'a [Token],
    /// How many words at its beginning say no more than that it goes on.
    leads: usize,
}

impl Going<'_> {
    /// Whether nothing but another account or host is named, and no name.
    fn other(&self, rest: &[Token]) -> Option<Kind> {
        let words = self.words;
        let lexicon = shipped().ok()?;
        let has = |pattern: &Pattern| rest.iter().any(|word| pattern.fits(word));
        let is_said = |word: &Token| {
            [&words.other, &words.account, &words.host].iter().any(|pattern| pattern.fits(word))
                || is_weak(lexicon, words, word)
        };
        let is_all = has(&words.other) && rest.iter().all(is_said);
        match (has(&words.account), has(&words.host)) {
            (true, false) if is_all => Some(Kind::Account),
            (false, true) if is_all => Some(Kind::Host),
            _ => None,
        }
    }

    /// The question with another account or host than it names.
    fn another(&self, kind: Kind) -> Follow {
        let named = self.named_before(&self.last.question);
        let taken: Vec<String> = named.iter().filter(|it| it.1 == kind).map(|it| it.0.low.clone()).collect();
        let names: Vec<String> = match kind {
            Kind::Host => self.other_hosts(&taken),
            Kind::Account | Kind::Thing => self.other_accounts(&taken),
        };
        let what = if kind == Kind::Host { "host" } else { "account" };
        let mut choices: Vec<(String, String)> = names
            .into_iter()
            .map(|name| (name.clone(), self.with(&self.last.question, kind, &name, &name)))
            .collect();
        match choices.len() {
            0 => Follow::Lacks(format!("the case names no other {what}")),
            1 => choices.pop().map_or(Follow::Whole, |(_, filled)| Follow::Filled(filled)),
            more => {
                choices.truncate(LISTED);
                let listed: Vec<&str> = choices.iter().map(|it| it.0.as_str()).collect();
                let rest = if more > LISTED { ", …" } else { "" };
                let question = format!("Which {what}: {}{rest}?", listed.join(", "));
                Follow::Either { question, choices }
            }
        }
    }

    fn other_hosts(&self, taken: &[String]) -> Vec<String> {
        let is_taken = |host: &crate::world::Host| {
            let names = host.names.iter().chain([&host.label]);
            let is_named = names.into_iter().any(|name| taken.contains(&name.to_lowercase()));
            is_named || taken.is_empty() && self.last.evidence.contains(&host.label)
        };
        self.world.hosts.iter().filter(|host| !is_taken(host)).map(|host| host.label.clone()).collect()
    }

    /// Accounts of people on the hosts that the question is about.
    fn other_accounts(&self, taken: &[String]) -> Vec<String> {
        let is_taken = |account: &&Account| {
            account.names.iter().any(|name| taken.contains(name))
                || account.sid.as_ref().is_some_and(|sid| taken.contains(sid))
        };
        let mut hosts: BTreeSet<&String> =
            self.world.accounts.iter().filter(is_taken).flat_map(|it| &it.hosts).collect();
        if hosts.is_empty() {
            hosts = self.last.evidence.iter().collect();
        }
        let is_there =
            |account: &&Account| hosts.is_empty() || account.hosts.iter().any(|host| hosts.contains(host));
        let others = self.world.accounts.iter().filter(|it| is_of_a_person(it) && !is_taken(it));
        let names: BTreeSet<String> = others.filter(is_there).filter_map(short_name).collect();
        names.into_iter().collect()
    }

    /// The question before or after the times that were told last.
    fn beyond(&self, side: Side) -> Follow {
        let time_of = |it: &Exchange| match side {
            Side::Before => it.first.as_deref().and_then(spans::second_before),
            Side::After => it.last.as_deref().and_then(spans::second_after),
        };
        let timed = self.before.iter().rev().find_map(|it| Some((&it.question, time_of(it)?)));
        let Some((question, time)) = timed else {
            return Follow::Lacks("no answer tells a time that this could go on from".to_owned());
        };
        let words = tokens(limited(question));
        let mut gone: Vec<usize> = self.time_of(&words);
        if let Ok(lexicon) = shipped() {
            let order = match side {
                Side::Before => &lexicon.first,
                Side::After => &lexicon.last,
            };
            gone.extend(self.order_of(&words, order));
        }
        let base = cut(question, &words, &gone);
        let word = if side == Side::Before { "before" } else { "after" };
        Follow::Filled(format!("{} {word} {time}", bare(&base)))
    }

    /// The question at another time.
    fn at(&self, rest: &[Token]) -> Follow {
        let words = tokens(limited(&self.last.question));
        let base = cut(&self.last.question, &words, &self.time_of(&words));
        Follow::Filled(format!("{} {}", bare(&base), self.tail(rest)))
    }

    /// Whether nothing but what is wanted is said, or which of several.
    fn is_wanting(&self, rest: &[Token]) -> bool {
        let Ok(lexicon) = shipped() else { return false };
        let is_said =
            |word: &Token| self.words.want.fits(word) || lexicon.first.fits(word) || lexicon.last.fits(word);
        let is_all = rest.iter().all(|word| is_said(word) || lexicon.is_filler(word));
        is_all && rest.iter().any(is_said)
    }

    fn wanting(&self, rest: &[Token]) -> Follow {
        let Ok(lexicon) = shipped() else { return Follow::Whole };
        let words = tokens(limited(&self.last.question));
        let orders = [&lexicon.first, &lexicon.last];
        let has_order = rest.iter().any(|word| orders.iter().any(|order| order.fits(word)));
        let of_order = orders.iter().flat_map(|order| self.order_of(&words, order));
        let gone: Vec<usize> = of_order.filter(|_| has_order).collect();
        let base = cut(&self.last.question, &words, &gone);
        Follow::Filled(format!("{}: {base}", self.tail(rest)))
    }

    /// The question with names in place of those of the same kinds.
    fn named(&self, meant: &[&Token], rest: &[Token]) -> Follow {
        let kinds: Vec<Kind> = meant.iter().map(|word| self.kind_of(&word.text)).collect();
        let things = kinds.iter().filter(|kind| **kind == Kind::Thing).count();
        let is_thing_named = self.named_before(&self.last.question).iter().any(|it| it.1 == Kind::Thing);
        // A word that the case does not know is taken for a name where it looks like one, or where one stood before.
        let is_name = |word: &Token| word.is_like_name() || self.leads > 0 && is_thing_named;
        let is_one = |(word, kind): (&&Token, &Kind)| *kind != Kind::Thing || is_name(word);
        if meant.is_empty() || things > 1 || !meant.iter().zip(&kinds).all(is_one) {
            return Follow::Whole;
        }
        let tail = self.tail(rest);
        let fill = |before: String, (word, kind): (&&Token, &Kind)| {
            let name = quoted(word, &word.text);
            let tail = if meant.len() == 1 { &tail } else { &name };
            self.with(&before, *kind, &name, tail)
        };
        Follow::Filled(meant.iter().zip(&kinds).fold(self.last.question.clone(), fill))
    }

    /// The question with a pronoun's name in its place.
    fn pronoun(&self, read: &Question) -> Follow {
        let named: Vec<_> = self.before.iter().rev().map(|it| self.named_before(&it.question)).collect();
        // The newest question that names one of the kind says which; one that names two does not.
        let one = |kind: Kind| {
            let of_kind = |all: &&Vec<(Token, Kind)>| all.iter().any(|it| it.1 == kind);
            let mut of_kind = named.iter().find(of_kind)?.iter().filter(|it| it.1 == kind);
            of_kind.next().filter(|_| of_kind.next().is_none()).map(|it| &it.0)
        };
        let has = |kind: Kind| {
            let names = read.names(0).iter().map(|name| self.kind_of(&name.text));
            names.into_iter().any(|it| it == kind)
        };
        let mut changes: Vec<(Range<usize>, String)> = Vec::new();
        for (at, word) in self.typed.iter().enumerate().skip(self.leads) {
            if self.is_idle(at) {
                continue;
            }
            let kinds = [
                (&self.words.he, Kind::Account),
                (&self.words.it, Kind::Thing),
                (&self.words.there, Kind::Host),
            ];
            let kind = kinds.into_iter().find(|it| it.0.fits(word)).map(|it| it.1);
            let Some(kind) = kind.filter(|kind| !has(*kind)) else { continue };
            if let Some(name) = one(kind) {
                let text = quoted(name, &name.text);
                let text = if kind == Kind::Host { format!("on {text}") } else { text };
                changes.push((word.bytes.clone(), text));
            }
        }
        match changes.is_empty() {
            true => Follow::Whole,
            false => {
                let begin = self.typed.get(self.leads).map_or(0, |word| word.bytes.start);
                let text = replaced(self.text, &changes);
                Follow::Filled(text.get(begin..).unwrap_or(&text).trim().to_owned())
            }
        }
    }

    /// Whether "it" or "there" at this place stands for nothing, as in "are there any".
    fn is_idle(&self, at: usize) -> bool {
        let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
        let mut beside = beside.filter_map(|at| self.typed.get(at));
        let Some(word) = self.typed.get(at) else { return false };
        let words = self.words;
        (words.it.fits(word) && beside.clone().any(|other| words.idle_it.fits(other)))
            || (words.there.fits(word) && beside.any(|other| words.idle_there.fits(other)))
    }

    /// A question with this name in place of the last one of its kind; where it names none, `tail` is put behind it.
    fn with(&self, before: &str, kind: Kind, name: &str, tail: &str) -> String {
        let named = self.named_before(before);
        match named.iter().rfind(|it| it.1 == kind) {
            Some((word, _)) if word.quoted => {
                replaced(before, &[(word.bytes.clone(), name.trim_matches('"').to_owned())])
            }
            Some((word, _)) => replaced(before, &[(word.bytes.clone(), name.to_owned())]),
            None if kind == Kind::Host => format!("{} on {name}", bare(before)),
            None => format!("{} {tail}", bare(before)),
        }
    }

    /// The names of a question, each with its kind.
    fn named_before(&self, before: &str) -> Vec<(Token, Kind)> {
        let Ok(read) = question(before) else { return Vec::new() };
        let words = tokens(limited(before));
        let mut named = Vec::new();
        for name in read.names(0) {
            let length = name.text.split(' ').count();
            let is_it = |at: &usize| {
                let run = words.get(*at..at + length).unwrap_or_default();
                run.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ") == name.text
                    || words.get(*at).is_some_and(|word| word.quoted && word.text == name.text)
            };
            let Some(at) = (0..words.len()).find(is_it) else { continue };
            let run = words.get(at..at + length).unwrap_or_default();
            // Names that stand side by side were read as one.
            let is_known = |word: &Token| self.kind_of(&word.text) != Kind::Thing;
            if length > 1 && run.iter().any(is_known) && !run.iter().any(|word| word.quoted) {
                let each = run.iter().filter(|word| is_known(word) || word.is_like_name());
                named.extend(each.map(|word| (word.clone(), self.kind_of(&word.text))));
                continue;
            }
            let (Some(first), kind) = (words.get(at), self.kind_of(&name.text)) else { continue };
            let last = if first.quoted { first } else { words.get(at + length - 1).unwrap_or(first) };
            let bytes = first.bytes.start..last.bytes.end;
            named.push((
                Token { text: name.text.clone(), low: name.text.to_lowercase(), bytes, ..first.clone() },
                kind,
            ));
        }
        named
    }

    fn kind_of(&self, text: &str) -> Kind {
        let name = crate::question::plain_name(text);
        let it = sought(&name, self.world);
        match (it.accounts.is_empty(), it.hosts.is_empty()) {
            (_, false) => Kind::Host,
            (false, true) => Kind::Account,
            (true, true) => Kind::Thing,
        }
    }

    /// The places of words such as first, with those that belong to them: for the first time.
    fn order_of(&self, words: &[Token], order: &Pattern) -> Vec<usize> {
        let fits = |at: &usize, pattern: &Pattern| words.get(*at).is_some_and(|word| pattern.fits(word));
        let mut gone = Vec::new();
        for at in (0..words.len()).filter(|at| fits(at, order)) {
            gone.extend((0..at).rev().take_while(|at| fits(at, &self.words.beside_order)));
            gone.extend((at..words.len()).skip(1).take_while(|at| fits(at, &self.words.beside_order)));
            gone.push(at);
        }
        gone
    }

    /// The places of a time, and of the word in front of it.
    fn time_of(&self, words: &[Token]) -> Vec<usize> {
        let used = spans::span(words).used;
        let mut gone = used.clone();
        let before = used.iter().filter_map(|at| at.checked_sub(1)).filter(|at| !used.contains(at));
        gone.extend(before.filter(|at| words.get(*at).is_some_and(|word| self.words.of_time.fits(word))));
        gone
    }

    /// What was typed behind the words that lead to it, without a mark at its end.
    fn tail(&self, rest: &[Token]) -> String {
        let begin =
            rest.first().map_or(0, |word| if word.quoted { word.bytes.start - 1 } else { word.bytes.start });
        bare(self.text.get(begin..).unwrap_or_default()).to_owned()
    }
}

/// Whether an account is one that somebody made, and not one that comes with the system.
fn is_of_a_person(account: &Account) -> bool {
    let number = |sid: &String| sid.rsplit('-').next().and_then(|it| it.parse::<u64>().ok());
    let sid = account.sid.as_ref().filter(|sid| sid.starts_with("s-1-5-21-"));
    sid.and_then(number).is_some_and(|number| number >= 1000)
}

/// What an account is called in one word, if it is.
fn short_name(account: &Account) -> Option<String> {
    let one = account.names.iter().find(|name| !name.contains(char::is_whitespace));
    one.or(account.names.first()).cloned()
}

/// Whether a word says nothing that could be a name, or what is wanted.
fn is_weak(lexicon: &Lexicon, words: &Words, word: &Token) -> bool {
    let says = [&words.other, &words.before, &words.after, &words.want].iter().any(|it| it.fits(word));
    !says && (lexicon.is_filler(word) || words.of_time.fits(word))
}

/// A name as it is put into a question.
fn quoted(token: &Token, name: &str) -> String {
    if token.quoted { format!("\"{name}\"") } else { name.to_owned() }
}

/// A text with other words in places, which do not overlap.
fn replaced(text: &str, changes: &[(Range<usize>, String)]) -> String {
    let mut out = String::new();
    let mut at = 0;
    for (bytes, word) in changes {
        out.push_str(text.get(at..bytes.start).unwrap_or_default());
        out.push_str(word);
        at = bytes.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// A text without the words of these places.
fn cut(text: &str, words: &[Token], places: &[usize]) -> String {
    let places: BTreeSet<usize> = places.iter().copied().collect();
    let gone: Vec<_> = places.iter().filter_map(|at| words.get(*at)).collect();
    let changes: Vec<_> = gone.into_iter().map(|word| (word.bytes.clone(), String::new())).collect();
    let out = replaced(text, &changes);
    let kept: Vec<&str> = out.split_whitespace().filter(|it| it.chars().any(char::is_alphanumeric)).collect();
    kept.join(" ")
}

/// Without marks at its end.
fn bare(text: &str) -> &str {
    text.trim().trim_end_matches(['?', '!', '.', ',', ';', ' '])
}

fn limited(text: &str) -> &str {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// The words of `data/follow.toml`.
#[derive(Debug)]
struct Words {
    lead: Pattern,
    about: Pattern,
    reaction: Pattern,
    other: Pattern,
    account: Pattern,
    host: Pattern,
    before: Pattern,
    after: Pattern,
    want: Pattern,
    he: Pattern,
    it: Pattern,
    there: Pattern,
    idle_it: Pattern,
    idle_there: Pattern,
    of_time: Pattern,
    beside_order: Pattern,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FollowFile {
    lead: String,
    about: String,
    reaction: String,
    other: String,
    account: String,
    host: String,
    before: String,
    after: String,
    want: String,
    he: String,
    it: String,
    there: String,
    idle_it: String,
    idle_there: String,
    of_time: String,
    beside_order: String,
}

static WORDS: LazyLock<Result<Words, LexiconError>> = LazyLock::new(|| {
    let file: FollowFile = toml::from_str(FOLLOW)
        .map_err(|error| LexiconError::File { file: "follow.toml", reason: error.to_string() })?;
    let any = |words: &str| Pattern::any(words);
    Ok(Words {
        lead: any(&file.lead),
        about: any(&file.about),
        reaction: any(&file.reaction),
        other: any(&file.other),
        account: any(&file.account),
        host: any(&file.host),
        before: any(&file.before),
        after: any(&file.after),
        want: any(&file.want),
        he: any(&file.he),
        it: any(&file.it),
        there: any(&file.there),
        idle_it: any(&file.idle_it),
        idle_there: any(&file.idle_there),
        of_time: any(&file.of_time),
        beside_order: any(&file.beside_order),
    })
});

fn words() -> Result<&'static Words, &'static LexiconError> {
    WORDS.as_ref()
}
