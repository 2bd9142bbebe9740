//! Changes of the last question: another account or host, another time, something else that is wanted.

use super::words::FollowWords;
use super::{Exchange, Follow};
use crate::edit::{bare, cut, quoted};
use crate::follow::named::Kind;
use crate::lexicon::Pattern;
use crate::question::{Question, read};
use crate::spans;
use crate::tokens::Token;
use crate::world::{Account, Host, World};
use std::collections::BTreeSet;

/// The most names that a question back lists.
const LISTED: usize = 8;

/// The side of a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    After,
}

/// A line that refers to the last exchange.
pub(super) struct Going<'a> {
    pub(super) read: &'a Question,
    pub(super) words: &'static FollowWords,
    pub(super) before: &'a [Exchange],
    pub(super) last: &'a Exchange,
    pub(super) world: &'a World,
}

impl Going<'_> {
    /// Returns the kind if the words say "another account" or "another host", without a name.
    pub(super) fn other(&self, rest: &[Token]) -> Option<Kind> {
        let words = self.words;
        let has = |pattern: &Pattern| rest.iter().any(|word| pattern.fits(word));
        let is_said = |word: &Token| {
            [&words.other, &words.account, &words.host].iter().any(|pattern| pattern.fits(word))
                || words.is_weak(self.read.lexicon, word)
        };
        let is_all = has(&words.other) && rest.iter().all(is_said);
        match (has(&words.account), has(&words.host)) {
            (true, false) if is_all => Some(Kind::Account),
            (false, true) if is_all => Some(Kind::Host),
            _ => None,
        }
    }

    /// Puts another account or host into the last question; asks which one if there are several.
    pub(super) fn another(&self, kind: Kind) -> Follow {
        let named = self.names_of(&self.last.question);
        let taken: Vec<String> = named.iter().filter(|it| it.kind == kind).map(|it| it.low()).collect();
        let (what, names) = match kind {
            Kind::Host => ("host", self.other_hosts(&taken)),
            Kind::Account | Kind::Thing => ("account", self.other_accounts(&taken)),
        };
        let with = |name: String| (name.clone(), self.with(&self.last.question, kind, &name, &name));
        let mut choices: Vec<(String, String)> = names.into_iter().map(with).collect();
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
        let is_taken = |host: &Host| {
            let names = host.names.iter().chain([&host.label]);
            let is_named = names.into_iter().any(|name| taken.contains(&name.to_lowercase()));
            is_named || taken.is_empty() && self.last.evidence.contains(&host.label)
        };
        self.world.hosts.iter().filter(|host| !is_taken(host)).map(|host| host.label.clone()).collect()
    }

    /// Returns the accounts of people on the hosts that the question is about.
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

    /// Asks the newest question whose answer has times for what lies before or after them.
    pub(super) fn beyond(&self, side: Side) -> Follow {
        let time_of = |it: &Exchange| match side {
            Side::Before => it.first.as_deref().and_then(spans::second),
            Side::After => it.last.as_deref().and_then(spans::second),
        };
        let timed = self.before.iter().rev().find_map(|it| Some((&it.question, time_of(it)?)));
        let Some((question, time)) = timed else {
            return Follow::Lacks("no answer has a time that this could refer to".to_owned());
        };
        let (word, order) = match side {
            Side::Before => ("before", &self.read.lexicon.first),
            Side::After => ("after", &self.read.lexicon.last),
        };
        let mut gone = self.time_of(question);
        gone.extend(self.order_of(question, order));
        let base = cut(question.text(), &question.typed, &gone);
        Follow::Filled(format!("{} {word} {time}", bare(&base)))
    }

    /// Whether the words name a time and nothing else.
    pub(super) fn is_only_time(&self, rest: &[Token]) -> bool {
        let used = spans::span(rest).used;
        let is_weak = |word: &Token| self.words.is_weak(self.read.lexicon, word);
        !used.is_empty() && rest.iter().enumerate().all(|(at, word)| used.contains(&at) || is_weak(word))
    }

    /// Asks the last question at another time.
    pub(super) fn at(&self, rest: &[Token]) -> Follow {
        let last = &self.last.question;
        let base = cut(last.text(), &last.typed, &self.time_of(last));
        Follow::Filled(format!("{} {}", bare(&base), self.tail(rest)))
    }

    /// Whether the words only say what is wanted, or which of several.
    pub(super) fn is_wanting(&self, rest: &[Token]) -> bool {
        let lexicon = self.read.lexicon;
        let is_said =
            |word: &Token| self.words.want.fits(word) || lexicon.first.fits(word) || lexicon.last.fits(word);
        let is_all = rest.iter().all(|word| is_said(word) || lexicon.is_filler(word));
        is_all && rest.iter().any(is_said)
    }

    /// Asks the last question for something else.
    pub(super) fn wanting(&self, rest: &[Token]) -> Follow {
        let last = &self.last.question;
        let orders = [&self.read.lexicon.first, &self.read.lexicon.last];
        let has_order = rest.iter().any(|word| orders.iter().any(|order| order.fits(word)));
        let of_order = orders.iter().flat_map(|order| self.order_of(last, order));
        let gone: Vec<usize> = of_order.filter(|_| has_order).collect();
        let base = cut(last.text(), &last.typed, &gone);
        Follow::Filled(format!("{}: {base}", self.tail(rest)))
    }

    /// Asks the last question with these names in place of its own of the same kinds.
    pub(super) fn named(&self, meant: &[&Token], rest: &[Token]) -> Follow {
        let kinds: Vec<Kind> = meant.iter().map(|word| self.kind_of(&word.text)).collect();
        let things = kinds.iter().filter(|kind| **kind == Kind::Thing).count();
        let is_thing_named = self.names_of(&self.last.question).iter().any(|it| it.kind == Kind::Thing);
        // A word that the case does not know is a name if it looks like one, or if there was one in its place.
        let is_name = |word: &Token| word.is_like_name() || self.leads() > 0 && is_thing_named;
        let is_one = |(word, kind): (&&Token, &Kind)| *kind != Kind::Thing || is_name(word);
        if meant.is_empty() || things > 1 || !meant.iter().zip(&kinds).all(is_one) {
            return Follow::Whole;
        }
        let tail = self.tail(rest);
        let mut filled: Option<String> = None;
        for (word, kind) in meant.iter().zip(kinds) {
            let name = quoted(word, &word.text);
            let tail = if meant.len() == 1 { &tail } else { &name };
            let before = filled.as_ref().map(|text| read(self.read.lexicon, text));
            filled = Some(self.with(before.as_ref().unwrap_or(&self.last.question), kind, &name, tail));
        }
        filled.map_or(Follow::Whole, Follow::Filled)
    }

    /// How many words at the beginning only say that the line goes on.
    pub(super) fn leads(&self) -> usize {
        self.read.typed.iter().take_while(|word| self.words.lead.fits(word)).count()
    }

    /// Returns the places of words such as "first", with what belongs to them: "for the first time".
    fn order_of(&self, question: &Question, order: &Pattern) -> Vec<usize> {
        let words = &question.typed;
        let fits = |at: &usize, pattern: &Pattern| words.get(*at).is_some_and(|word| pattern.fits(word));
        let is_beside = |at: &usize| fits(at, &self.words.beside_order);
        let mut gone = Vec::new();
        for at in (0..words.len()).filter(|at| fits(at, order)) {
            gone.extend((0..at).rev().take_while(is_beside));
            gone.extend((at..words.len()).skip(1).take_while(is_beside));
            gone.push(at);
        }
        gone
    }

    /// Returns the places of a question's time, and of the word in front of it.
    fn time_of(&self, question: &Question) -> Vec<usize> {
        let used = &question.time_places;
        let mut gone = used.clone();
        let before = used.iter().filter_map(|at| at.checked_sub(1)).filter(|at| !used.contains(at));
        let is_of_time =
            |at: &usize| question.typed.get(*at).is_some_and(|word| self.words.of_time.fits(word));
        gone.extend(before.filter(is_of_time));
        gone
    }

    /// Returns what was typed after the words that lead to it, without a mark at its end.
    fn tail(&self, rest: &[Token]) -> String {
        let begin =
            rest.first().map_or(0, |word| if word.quoted { word.bytes.start - 1 } else { word.bytes.start });
        bare(self.read.text().get(begin..).unwrap_or_default()).to_owned()
    }
}

/// Whether somebody made an account, so that it does not come with the system.
fn is_of_a_person(account: &Account) -> bool {
    let number = |sid: &String| sid.rsplit('-').next().and_then(|it| it.parse::<u64>().ok());
    let sid = account.sid.as_ref().filter(|sid| sid.starts_with("s-1-5-21-"));
    sid.and_then(number).is_some_and(|number| number >= 1000)
}

/// Returns a name of one word for an account if it has one.
fn short_name(account: &Account) -> Option<String> {
    let one = account.names.iter().find(|name| !name.contains(char::is_whitespace));
    one.or(account.names.first()).cloned()
}
