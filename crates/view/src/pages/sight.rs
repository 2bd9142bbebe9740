//! How pages show entities, relations, facts and times of a run's graph.

use crate::connected::{Connected, EVERYTHING};
use crate::page::{Stretch, stretch};
use crate::shelf::Book;
use crate::text::{clipped, query, segment};
use graph::connections::{Connections, EntityKind, EntityRef, RelationKind, RelationRef, Told, When};
use graph::{Confidence, Run};
use ledger::FactId;
use maud::{Markup, html};
use report::connections::Context;
use report::terminal as inert;
use std::collections::BTreeSet;

/// The number of characters of a name in a list; the entity's page shows all of it.
const NAME: usize = 120;

/// The number of facts shown with a relation; its own page lists all of them.
const CITED: usize = 3;

/// A run and its graph, in the form that pages need.
pub(super) struct Sight<'b> {
    pub(super) base: String,
    pub(super) run: &'b Run,
    pub(super) connected: &'b Connected,
    pub(super) of: &'b Connections,
}

/// The direction of a relation as seen from an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    /// The relation leads to it.
    In,
    /// The relation leads from it.
    Out,
}

impl Way {
    pub(super) const ALL: [Way; 2] = [Way::In, Way::Out];

    /// Returns the word used in addresses.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Way::In => "in",
            Way::Out => "out",
        }
    }

    pub(super) fn of_name(name: &str) -> Option<Way> {
        Way::ALL.into_iter().find(|way| way.name() == name)
    }
}

impl<'b> Sight<'b> {
    pub(super) fn of(book: &'b Book) -> Sight<'b> {
        let connected = book.connected();
        Sight { base: format!("/run/{}", segment(&book.name)), run: &book.run, connected, of: &connected.of }
    }

    /// Calls a function with code's words for entities and facts.
    pub(super) fn told<A>(&self, tell: impl FnOnce(&Context<'_>) -> A) -> A {
        tell(&Context::new(&[self.run], self.of, &EVERYTHING))
    }

    /// Returns the address of an entity's page.
    pub(super) fn address(&self, entity: EntityRef) -> String {
        format!("{}/entity/{}", self.base, self.id(entity))
    }

    /// Returns the address of the picture that starts with an entity.
    pub(super) fn picture(&self, entity: EntityRef) -> String {
        format!("{}/picture?of={}", self.base, self.id(entity))
    }

    /// Returns the address of a fact.
    pub(super) fn fact_address(&self, fact: FactId) -> String {
        format!("{}/fact/{fact}", self.base)
    }

    /// Returns the address of the list of facts that show a relation.
    pub(super) fn facts_address(&self, relation: RelationRef) -> String {
        let Some((from, kind, to)) = self.of.relation(relation) else { return self.base.clone() };
        let pairs = [("part", "facts"), ("relation", kind.name()), ("to", &self.id(to))];
        format!("{}?{}", self.address(from), query(&pairs))
    }

    /// Returns the id of an entity, as text.
    pub(super) fn id(&self, entity: EntityRef) -> String {
        self.of.id(entity).map(|id| id.to_string()).unwrap_or_default()
    }

    /// Renders an entity with its kind, its name as a link to its page, and its host.
    pub(super) fn link(&self, entity: EntityRef) -> Markup {
        html! {
            span.what { (one(self.of.kind(entity))) } " "
            a.item href=(self.address(entity)) { (name(self.of.title(entity))) }
            @if let Some(host) = self.of.host(entity) { " " span.note { "on " (inert(host)) } }
        }
    }

    /// Renders a relation as a sentence, with each end linked.
    pub(super) fn sentence(&self, relation: RelationRef) -> Markup {
        let Some((from, kind, to)) = self.of.relation(relation) else { return html! {} };
        html! { (self.link(from)) " " b { (kind.words()) } " " (self.link(to)) }
    }

    /// Renders a link to a fact, by its id.
    pub(super) fn fact_link(&self, fact: FactId) -> Markup {
        html! { a.nowrap href=(self.fact_address(fact)) { code { (fact) } } }
    }

    /// Renders the facts that show a relation: the best of them, and a link to all.
    pub(super) fn citing(&self, relation: RelationRef) -> Markup {
        // A fact that states several times shows the relation once.
        let mut met = BTreeSet::new();
        let mut shown = self.told(|told| told.shown_by(relation));
        shown.retain(|told| met.insert(told.fact));
        html! {
            @for (place, told) in shown.iter().take(CITED).enumerate() {
                @if place > 0 { ", " }
                (self.fact_link(told.fact.fact))
            }
            @if shown.len() > CITED {
                ", " a href=(self.facts_address(relation)) { "all " (number(shown.len())) }
            }
        }
    }

    /// Returns the confidence in a relation.
    pub(super) fn confidence(&self, relation: RelationRef) -> Confidence {
        self.told(|told| told.confidence(relation))
    }

    /// Renders the first and the last time that facts state for a relation.
    pub(super) fn span(&self, relation: RelationRef) -> Markup {
        span(self.of.shown_by(relation))
    }

    /// Returns the part of a list that a page of the run shows.
    pub(super) fn stretch(
        &self,
        from: usize,
        all: usize,
        size: usize,
        at: &str,
        pairs: &[(&str, &str)],
    ) -> Stretch {
        stretch(from, all, size, |from| {
            let from = from.to_string();
            let mut pairs = pairs.to_vec();
            pairs.push(("from", &from));
            format!("{at}?{}", query(&pairs))
        })
    }
}

/// Renders a name from the evidence, shortened.
pub(super) fn name(text: &str) -> Markup {
    let (shown, whole) = clipped(text, NAME);
    html! { @if text.is_empty() { "(no name)" } @else { code { (inert(shown)) @if !whole { "…" } } } }
}

/// Renders the first and the last of the facts' times.
pub(super) fn span(told: impl Iterator<Item = Told>) -> Markup {
    let (first, last) = ends(told);
    html! {
        @match (first, last) {
            (Some(first), Some(last)) if first != last => { (when(first)) " to " (when(last)) },
            (Some(first), _) => (when(first)),
            _ => "–",
        }
    }
}

/// Returns the earliest and the latest of the facts' times.
pub(super) fn ends(told: impl Iterator<Item = Told>) -> (Option<When>, Option<When>) {
    told.filter_map(|told| told.when).fold((None, None), |(first, last), when| {
        (Some(first.map_or(when, |it: When| it.min(when))), Some(last.map_or(when, |it: When| it.max(when))))
    })
}

/// Renders a time to the second; the fact has the full precision.
pub(super) fn when(when: When) -> Markup {
    let full = when.utc.to_string();
    html! { time.nowrap datetime=(full) { (said(when)) } }
}

/// Formats a time to the second as text.
pub(super) fn said(when: When) -> String {
    let full = when.utc.to_string();
    let second = full.get(..19).unwrap_or(&full).replace('T', " ");
    let until = if when.is_latest { "≤ " } else { "" };
    format!("{until}{second}{}", if when.is_local { " local" } else { "Z" })
}

/// Returns the singular noun for a kind of entity.
pub(super) const fn one(kind: EntityKind) -> &'static str {
    words(kind).0
}

/// Formats a number of entities of a kind.
pub(super) fn many(number_of: usize, kind: EntityKind) -> String {
    let (one, many) = words(kind);
    format!("{} {}", number(number_of), if number_of == 1 { one } else { many })
}

/// Returns the plural noun for a kind of entity.
pub(super) const fn all(kind: EntityKind) -> &'static str {
    words(kind).1
}

const fn words(kind: EntityKind) -> (&'static str, &'static str) {
    match kind {
        EntityKind::Host => ("host", "hosts"),
        EntityKind::Account => ("account", "accounts"),
        EntityKind::Program => ("program", "programs"),
        EntityKind::File => ("file", "files"),
        EntityKind::Process => ("process", "processes"),
        EntityKind::Service => ("service", "services"),
        EntityKind::ScheduledTask => ("scheduled task", "scheduled tasks"),
        EntityKind::RunEntry => ("run entry", "run entries"),
        EntityKind::RegistryKey => ("registry key", "registry keys"),
        EntityKind::Address => ("address", "addresses"),
        EntityKind::Domain => ("domain", "domains"),
        EntityKind::Url => ("URL", "URLs"),
        EntityKind::Share => ("share", "shares"),
        EntityKind::Device => ("device", "devices"),
        EntityKind::LogonSession => ("logon session", "logon sessions"),
        EntityKind::Email => ("e-mail address", "e-mail addresses"),
    }
}

/// Describes a relation as seen from one of its ends.
pub(super) fn seen_from(kind: RelationKind, way: Way) -> String {
    match (way, kind) {
        (Way::Out, _) | (Way::In, RelationKind::SameContentAs) => kind.words(),
        (Way::In, RelationKind::FailedLogon) => "failed to log on here".to_owned(),
        (Way::In, RelationKind::Names) => "has this in a list".to_owned(),
        (Way::In, _) => format!("{} this", kind.words()),
    }
}

/// Formats a number with a separator between thousands.
pub(super) fn number(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        assert_eq!([0, 999, 1000, 1_234_567].map(number), ["0", "999", "1,000", "1,234,567"]);
    }
}
