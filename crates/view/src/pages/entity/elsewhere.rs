//! Where else an entity was found: on which hosts, in which files, and in which other runs.

use super::{ROWS, SHOWN, part};
use crate::connected::EVERYTHING;
use crate::house::House;
use crate::pages::sight::{Sight, name, number, span};
use crate::routes::Asked;
use crate::shelf::Book;
use crate::text::{count, segment};
use graph::Run;
use graph::connections::{EntityKind, EntityRef, RelationKind, Told, where_else};
use ledger::IntegrityLevel;
use maud::{Markup, html};
use report::terminal as inert;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The number of other runs that are searched: as many as are kept in memory in addition to this one.
const OTHERS: usize = 3;

/// Lists the hosts whose facts name an entity, briefly.
pub(super) fn hosts(sight: &Sight<'_>, entity: EntityRef) -> Markup {
    let seen = where_else(sight.of, entity, &EVERYTHING);
    html! {
        section aria-labelledby="where" {
            h2 #where { "Where else" }
            p { "Facts about " (count(seen.len(), "host", "hosts")) " name it, among those recorded." }
            ul.plain {
                @for host in seen.iter().take(SHOWN) {
                    li { code { (inert(host.host)) } ", " (number(host.facts.len())) @if host.facts.len() == 1 { " fact, " } @else { " facts, " } (span(host.facts.iter().copied())) }
                }
            }
            p { a href=(part(sight, entity, &[("part", "seen")])) { "Hosts and files of the evidence" } }
        }
    }
}

/// Lists the hosts and files whose facts name an entity, and what has the same content.
pub(super) fn seen(sight: &Sight<'_>, entity: EntityRef, asked: &Asked) -> Markup {
    let seen = where_else(sight.of, entity, &EVERYTHING);
    let mut files: BTreeMap<(&str, &str, &str), Vec<Told>> = BTreeMap::new();
    for host in &seen {
        for told in &host.facts {
            if let Some(fact) = sight.run.fact(told.fact.fact) {
                let file = (host.host, fact.locator.evidence.as_str(), fact.locator.path.as_str());
                files.entry(file).or_default().push(*told);
            }
        }
    }
    let part =
        sight.stretch(asked.number("from"), files.len(), ROWS, &sight.address(entity), &[("part", "seen")]);
    let relations = sight.of.relations_of(entity).into_iter();
    let alike: Vec<_> = relations
        .filter(|relation| sight.of.relation(*relation).is_some_and(|it| it.1 == RelationKind::SameContentAs))
        .collect();
    html! {
        h2 { "Where else" }
        p { (count(seen.len(), "host", "hosts")) ", " (count(files.len(), "file", "files")) " of the evidence, among what was recorded." }
        (part.links)
        div.wide tabindex="0" role="region" aria-label="Hosts and files" {
            table.met {
                thead { tr { th scope="col" { "Host" } th scope="col" { "File of the evidence" } th scope="col" { "Times" } th scope="col" { "Facts" } } }
                tbody {
                    @for ((host, evidence, path), told) in files.iter().skip(part.first).take(part.end - part.first) {
                        tr {
                            td { code { (inert(host)) } }
                            td { (name(&format!("{evidence}: {path}"))) }
                            td { (span(told.iter().copied())) }
                            td {
                                @for (place, told) in told.iter().take(3).enumerate() { @if place > 0 { ", " } (sight.fact_link(told.fact.fact)) }
                                @if told.len() > 3 { " and " (number(told.len() - 3)) " more" }
                            }
                        }
                    }
                }
            }
        }
        (part.links)
        @if !alike.is_empty() {
            h3 { "The same content" }
            ul.rows {
                @for relation in alike.iter().take(ROWS) {
                    li { @if let Some(other) = sight.of.other_end(*relation, entity) { (sight.link(other)) } " " (sight.citing(*relation)) }
                }
            }
        }
    }
}

/// Checks whether the same id means the same entity in another run. A host-specific id does so only if the evidence is the same,
/// whatever its label.
fn is_comparable(sight: &Sight<'_>, other: &Run, entity: EntityRef) -> bool {
    if sight.of.host(entity).is_none() && sight.of.kind(entity) != EntityKind::Host {
        return true;
    }
    let facts = sight.of.names(entity).filter_map(|(_, told)| sight.run.fact(told.fact.fact));
    let labels: BTreeSet<&str> = facts.map(|fact| fact.locator.evidence.as_str()).collect();
    labels.into_iter().all(|label| {
        let digest = |run: &Run| {
            let hashed = run.integrity.iter().find(|hashed| hashed.evidence == label)?;
            let integrity = &hashed.integrity;
            (integrity.level == IntegrityLevel::Full && integrity.files > 0).then_some(integrity.sha256)
        };
        digest(sight.run).is_some_and(|own| digest(other) == Some(own))
    })
}

/// Lists the other runs that contain an entity with the same id; empty if there are too many runs to search.
pub(super) fn other_runs(house: &House, run: &str, sight: &Sight<'_>, entity: EntityRef) -> Markup {
    let Some(id) = sight.of.id(entity) else { return html! {} };
    let Ok(names) = house.shelf.names() else { return html! {} };
    let others: Vec<String> = names.into_iter().map(|(name, _)| name).filter(|name| name != run).collect();
    if others.is_empty() || others.len() > OTHERS {
        return html! {};
    }
    let books: Vec<_> = others.iter().filter_map(|name| house.shelf.open(name).ok()).collect();
    let knows = |book: &&Arc<Book>| {
        book.connected().of.with_id(id).is_some() && is_comparable(sight, &book.run, entity)
    };
    let known = books.iter().filter(knows);
    let known: Vec<&str> = known.map(|book| book.name.as_str()).collect();
    let (.., is_strong) = sight.of.key(entity);
    html! {
        section aria-labelledby="runs" {
            h2 #runs { "Other runs" }
            @if known.is_empty() {
                p { "0 of the " (count(others.len(), "other run", "other runs")) " shown know it." }
            } @else {
                p { (count(known.len(), "other run knows", "other runs know")) " it:" }
                ul.plain { @for name in &known { li { a href={ "/run/" (segment(name)) "/entity/" (id) } { (inert(name)) } } } }
                @if !is_strong { p.note { "The id is made from a name or path: the entities may still be different things." } }
            }
        }
    }
}
