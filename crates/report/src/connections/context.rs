//! How entities, relations and facts of connections are shown.

use crate::inert::terminal;
use graph::connections::{
    Connections, Contradiction, EntityRef, FactRef, Filter, RelationRef, Told, When, contradictions,
};
use graph::{Confidence, Run, confidence, corroborated};
use ledger::placement::tells_of_host;
use ledger::{FactEntry, Utc};
use phrases::Choice;
use serde_json::{Value, json};
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Runs, their connections and a filter, with methods that describe entities, relations and facts.
pub struct Context<'c> {
    runs: &'c [&'c Run],
    /// The number of facts that exclude each fact.
    contradicted: OnceCell<BTreeMap<FactRef, usize>>,
    pub(super) of: &'c Connections,
    pub(super) filter: &'c Filter,
}

/// The maximum number of facts of one relation that are weighed; more would change no answer.
const WEIGHED: usize = 64;

/// The maximum length of a sentence in a table, in characters.
const SENTENCE: usize = 200;

impl<'c> Context<'c> {
    /// Creates a context from runs, their connections and a filter.
    pub const fn new(runs: &'c [&'c Run], of: &'c Connections, filter: &'c Filter) -> Context<'c> {
        Context { runs, of, filter, contradicted: OnceCell::new() }
    }

    pub(super) const fn runs(&self) -> &'c [&'c Run] {
        self.runs
    }

    pub(super) fn facts(&self) -> impl Iterator<Item = (u16, &'c FactEntry)> + use<'c> {
        let runs = (0..).zip(self.runs);
        runs.flat_map(|(at, run)| run.facts().map(move |(_, accepted)| (at, &accepted.fact)))
    }

    /// Returns the fact for a reference.
    pub fn fact(&self, at: FactRef) -> Option<&'c FactEntry> {
        self.runs.get(usize::from(at.run))?.fact(at.fact)
    }

    /// Formats the id of a fact; with several runs, the name of its run is added.
    pub(super) fn cited(&self, at: FactRef) -> String {
        match self.runs {
            [_] => at.fact.to_string(),
            runs => {
                let name = runs.get(usize::from(at.run)).map_or("", |run| run.name());
                format!("{} of {}", at.fact, terminal(name))
            }
        }
    }

    pub(super) fn fact_json(&self, told: Told) -> Value {
        let run = self.runs.get(usize::from(told.fact.run)).map_or("", |run| run.name());
        let fact = self.fact(told.fact);
        json!({
            "fact": told.fact.fact,
            "run": run,
            "host": self.of.host_of(told.fact),
            "evidence": fact.map(|fact| &fact.locator.evidence),
            "path": fact.map(|fact| &fact.locator.path),
            "time": told.when.map(|when| when.to_string()),
            "sentence": self.sentence(told.fact),
            "placement": fact.and_then(|fact| fact.placement),
        })
    }

    /// Returns code's sentence for a fact.
    pub fn sentence(&self, at: FactRef) -> String {
        let run = self.runs.get(usize::from(at.run));
        let said =
            run.zip(self.fact(at)).map(|(run, fact)| phrases::fact(run.language(), fact, Choice::Usual));
        said.map(|phrase| phrase.text()).unwrap_or_default()
    }

    /// Returns code's sentence for a fact, shortened for a table.
    pub fn short_sentence(&self, at: FactRef) -> String {
        shortened(&terminal(&self.sentence(at)), SENTENCE)
    }

    /// Formats an entity on one line: kind, name, host and id.
    pub(super) fn shown(&self, entity: EntityRef) -> String {
        let id = self.of.id(entity).map(|id| id.to_string()).unwrap_or_default();
        format!("{} [{id}]", self.called(entity))
    }

    /// Names an entity by kind and title, and by its host if it is specific to one.
    pub fn called(&self, entity: EntityRef) -> String {
        let kind = self.of.kind(entity).words();
        let title = shortened(&terminal(self.of.title(entity)), 100);
        match self.of.host(entity).map(terminal) {
            Some(host) => format!("{kind} {title} ({host})"),
            None => format!("{kind} {title}"),
        }
    }

    pub(super) fn entity_json(&self, entity: EntityRef) -> Value {
        let (told_by, key, is_strong) = self.of.key(entity);
        json!({
            "id": self.of.id(entity).map(|id| id.to_string()),
            "kind": self.of.kind(entity).name(),
            "name": self.of.title(entity),
            "host": self.of.host(entity),
            "told_by": told_by,
            "key": key,
            "by_name_alone": !is_strong,
        })
    }

    /// Returns the facts that show a relation and pass the filter, those with the best support first.
    pub fn shown_by(&self, relation: RelationRef) -> Vec<Told> {
        let mut shown: Vec<Told> =
            self.of.shown_by(relation).filter(|told| self.filter.takes(self.of, *told)).collect();
        shown.sort_by_cached_key(|told| {
            let sure = self.fact(told.fact).map(|fact| confidence([fact], 0).thousandths());
            (Reverse(sure), told.when.is_none(), told.when, told.fact)
        });
        shown
    }

    /// Returns the confidence in a relation, from the facts that show it and what contradicts them.
    pub fn confidence(&self, relation: RelationRef) -> Confidence {
        let facts = self.of.shown_by(relation).filter(|told| self.filter.takes(self.of, *told));
        let facts: Vec<(FactRef, &FactEntry)> =
            facts.take(WEIGHED).filter_map(|told| Some((told.fact, self.fact(told.fact)?))).collect();
        let shown: Vec<&FactEntry> = facts.iter().map(|(_, fact)| *fact).collect();
        let against = |fact: &FactEntry| {
            let known = facts.iter().find(|(_, it)| std::ptr::eq(*it, fact));
            known.and_then(|(at, _)| self.contradicted().get(at)).copied().unwrap_or(0)
        };
        corroborated(&shown, shown.iter().copied(), against)
    }

    /// Returns the facts that have at least this confidence on their own.
    pub(super) fn facts_of_confidence(&self, least: u16) -> BTreeSet<FactRef> {
        let is_sure = |fact: &FactEntry| confidence([fact], 0).thousandths() >= least;
        let sure = self.facts().filter(|(_, fact)| is_sure(fact));
        sure.map(|(run, fact)| FactRef { run, fact: fact.id }).collect()
    }

    fn contradicted(&self) -> &BTreeMap<FactRef, usize> {
        self.contradicted.get_or_init(|| {
            let mut counts = BTreeMap::new();
            let excluding = self.contradictions().into_iter().filter(|it| it.kind.excludes());
            for fact in excluding.flat_map(|it| [it.one, it.other]) {
                *counts.entry(fact).or_default() += 1;
            }
            counts
        })
    }

    /// Returns the pairs of facts that contradict each other, over all runs.
    pub(super) fn contradictions(&self) -> Vec<Contradiction> {
        match self.runs {
            [run] => run.contradictions().to_vec(),
            _ => contradictions(self.of, self.facts()),
        }
    }

    /// Describes what weakens a relation: the places of its files, and who could have written their contents.
    pub fn weakness(&self, relation: RelationRef) -> Option<String> {
        let facts: Vec<&FactEntry> =
            self.of.shown_by(relation).filter_map(|told| self.fact(told.fact)).collect();
        let elsewhere = facts.iter().all(|fact| !tells_of_host(fact.placement));
        let placement = facts.first().and_then(|fact| fact.placement).filter(|_| elsewhere);
        let writer = facts.iter().filter_map(|fact| fact.writer()).max();
        let writer = writer.map(|writer| format!("who could have written it: {}", writer.name()));
        placement.map(|placement| placement.name().to_owned()).or(writer)
    }

    pub(super) fn relation_json(&self, relation: RelationRef) -> Value {
        let ends = self.of.relation(relation);
        let id = |entity| self.of.id(entity).map(|id| id.to_string());
        json!({
            "from": ends.and_then(|(from, ..)| id(from)),
            "relation": ends.map(|(_, kind, _)| kind.name()),
            "to": ends.and_then(|(.., to)| id(to)),
            "confidence": self.confidence(relation).thousandths(),
            "facts": self.shown_by(relation).into_iter().map(|told| self.fact_json(told)).collect::<Vec<_>>(),
        })
    }
}

/// Counts the distinct facts: one fact may state several times.
pub(super) fn distinct(told: impl IntoIterator<Item = Told>) -> usize {
    told.into_iter().map(|told| told.fact).collect::<BTreeSet<_>>().len()
}

/// Shortens a text to this many characters.
pub(super) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
    }
}

/// Formats a time for a table, with a fixed width.
pub(super) fn time(when: Option<When>) -> String {
    let second = |utc: Utc| {
        let text = utc.to_string();
        text.get(..19).unwrap_or(&text).to_owned()
    };
    let text = when.map(|when| {
        let until = if when.is_latest { "≤" } else { "" };
        format!("{until}{}{}", second(when.utc), if when.is_local { " local" } else { "Z" })
    });
    format!("{:<25}", text.unwrap_or_else(|| "-".to_owned()))
}
