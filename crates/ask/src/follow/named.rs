//! The names of questions: of which kind each is, and what "she", "it" and "there" mean.

use super::Follow;
use super::change::Going;
use crate::edit::{bare, replaced};
use crate::matching::sought;
use crate::question::{Question, plain_name};
use crate::tokens::Token;
use std::ops::Range;

/// The kind of a thing that is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Account,
    Host,
    Thing,
}

/// A name of a question, in its place.
pub(super) struct Named {
    pub(super) kind: Kind,
    text: String,
    is_quoted: bool,
    bytes: Range<usize>,
}

impl Named {
    pub(super) fn low(&self) -> String {
        self.text.to_lowercase()
    }
}

impl Going<'_> {
    /// Puts the names that pronouns stand for in their places.
    pub(super) fn pronoun(&self) -> Follow {
        let named: Vec<Vec<Named>> = self.before.iter().rev().map(|it| self.names_of(&it.question)).collect();
        let own: Vec<Kind> = self.read.names(0).iter().map(|name| self.kind_of(&name.text)).collect();
        let leads = self.leads();
        let mut changes: Vec<(Range<usize>, String)> = Vec::new();
        for (at, word) in self.read.typed.iter().enumerate().skip(leads) {
            let Some(kind) = self.stands_for(at, word).filter(|kind| !own.contains(kind)) else { continue };
            let Some(name) = only_one(&named, kind) else { continue };
            let text = if name.is_quoted { format!("\"{}\"", name.text) } else { name.text.clone() };
            let text = if kind == Kind::Host { format!("on {text}") } else { text };
            changes.push((word.bytes.clone(), text));
        }
        if changes.is_empty() {
            return Follow::Whole;
        }
        let begin = self.read.typed.get(leads).map_or(0, |word| word.bytes.start);
        let text = replaced(self.read.text(), &changes);
        Follow::Filled(text.get(begin..).unwrap_or(&text).trim().to_owned())
    }

    /// Returns the kind of thing that a word stands for, if it is a pronoun.
    fn stands_for(&self, at: usize, word: &Token) -> Option<Kind> {
        let words = self.words;
        let kinds = [(&words.he, Kind::Account), (&words.it, Kind::Thing), (&words.there, Kind::Host)];
        let kind = kinds.into_iter().find(|it| it.0.fits(word)).map(|it| it.1)?;
        (!self.is_idle(at, word)).then_some(kind)
    }

    /// Whether "it" or "there" at this place stands for nothing, as in "are there any".
    fn is_idle(&self, at: usize, word: &Token) -> bool {
        let places = [at.checked_sub(1), Some(at + 1)];
        let beside: Vec<&Token> =
            places.into_iter().flatten().filter_map(|at| self.read.typed.get(at)).collect();
        let words = self.words;
        let is_idle_it = words.it.fits(word) && beside.iter().any(|other| words.idle_it.fits(other));
        is_idle_it || words.there.fits(word) && beside.iter().any(|other| words.idle_there.fits(other))
    }

    /// Replaces the last name of a kind in a question. If there is none, adds `tail` at the end.
    pub(super) fn with(&self, before: &Question, kind: Kind, name: &str, tail: &str) -> String {
        let named = self.names_of(before);
        let text = before.text();
        match named.iter().rfind(|it| it.kind == kind) {
            Some(it) if it.is_quoted => {
                replaced(text, &[(it.bytes.clone(), name.trim_matches('"').to_owned())])
            }
            Some(it) => replaced(text, &[(it.bytes.clone(), name.to_owned())]),
            None if kind == Kind::Host => format!("{} on {name}", bare(text)),
            None => format!("{} {tail}", bare(text)),
        }
    }

    /// Returns the names of a question in their places.
    pub(super) fn names_of(&self, question: &Question) -> Vec<Named> {
        question.names(0).iter().flat_map(|name| self.places_of(question, &name.text)).collect()
    }

    /// Finds a name among the words of a question. Names of accounts and hosts side by side were read as one name.
    fn places_of(&self, question: &Question, name: &str) -> Vec<Named> {
        let words = &question.typed;
        let length = name.split(' ').count();
        let is_it = |at: &usize| {
            let run = words.get(*at..at + length).unwrap_or_default();
            run.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ") == name
                || words.get(*at).is_some_and(|word| word.quoted && word.text == name)
        };
        let Some(at) = (0..words.len()).find(is_it) else { return Vec::new() };
        let run = words.get(at..at + length).unwrap_or_default();
        let one = |word: &Token| Named {
            kind: self.kind_of(&word.text),
            text: word.text.clone(),
            is_quoted: word.quoted,
            bytes: word.bytes.clone(),
        };
        let is_known = |word: &Token| self.kind_of(&word.text) != Kind::Thing;
        if length > 1 && run.iter().any(is_known) && !run.iter().any(|word| word.quoted) {
            return run.iter().filter(|word| is_known(word) || word.is_like_name()).map(one).collect();
        }
        let Some(first) = words.get(at) else { return Vec::new() };
        let last = if first.quoted { first } else { words.get(at + length - 1).unwrap_or(first) };
        vec![Named {
            kind: self.kind_of(name),
            text: name.to_owned(),
            is_quoted: first.quoted,
            bytes: first.bytes.start..last.bytes.end,
        }]
    }

    /// Returns what a name is in the case.
    pub(super) fn kind_of(&self, text: &str) -> Kind {
        let name = plain_name(text);
        let it = sought(&name, self.world);
        match (it.accounts.is_empty(), it.hosts.is_empty()) {
            (_, false) => Kind::Host,
            (false, true) => Kind::Account,
            (true, true) => Kind::Thing,
        }
    }
}

/// Returns the name of a kind in the newest question that has one; `None` if that question has two.
fn only_one(named: &[Vec<Named>], kind: Kind) -> Option<&Named> {
    let has = |all: &&Vec<Named>| all.iter().any(|it| it.kind == kind);
    let mut of_kind = named.iter().find(has)?.iter().filter(|it| it.kind == kind);
    of_kind.next().filter(|_| of_kind.next().is_none())
}
