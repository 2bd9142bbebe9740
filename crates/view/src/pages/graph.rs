//! The graph of a run as a whole: counts, a search, the entities with the most neighbours, contradictions.

use super::sight::{Sight, all, many, name, number};
use crate::error::Trouble;
use crate::house::House;
use crate::page::{Answer, Page};
use crate::routes::Asked;
use crate::text::{clipped, count};
use axum::response::{IntoResponse, Redirect, Response};
use graph::connections::readings::{End, Link};
use graph::connections::{
    Contradiction, ContradictionKind, EntityKind, EntityRef, Found, RelationKind, find,
};
use ledger::NodeId;
use maud::{Markup, html};
use report::terminal as inert;
use std::collections::BTreeMap;

/// The number of rows in a list of entities.
const ROWS: usize = 100;

/// The number of hubs and contradictions on the first page.
const SHOWN: usize = 20;

/// The maximum length of a search text, in characters.
const LONGEST: usize = 300;

pub(crate) fn page(house: &House, run: &str, asked: &Asked) -> Answer<Response> {
    let book = house.shelf.open(run)?;
    let sight = Sight::of(&book);
    if let Some(text) = asked.text("q").filter(|text| !text.trim().is_empty()) {
        return search(&sight, run, text, asked);
    }
    let body = match (asked.text("kind"), asked.text("part")) {
        (Some(word), _) => of_kind(&sight, run, word, asked)?,
        (None, Some("contradictions")) => all_contradictions(&sight, asked),
        (None, Some("readings")) => all_readings(&sight, asked),
        (None, Some("hubs")) => {
            html! { h1 { "Entities with the most neighbours" } (hubs(&sight, usize::MAX)) }
        }
        (None, Some(other)) => return Err(Trouble::no_such("part", other, Some(run))),
        (None, None) => whole(&sight),
    };
    Ok(Page::of(run, "Graph", body).into_response())
}

fn whole(sight: &Sight<'_>) -> Markup {
    let relations = relations(sight);
    let found = sight.run.contradictions();
    html! {
        h1 { "Graph" }
        p {
            "Code made these entities and relations from the facts of the run: what no agent recorded is not in the graph. "
            (number(sight.of.entities().count())) " entities and " (number(sight.of.relations().count()))
            " relations, based on " (count(sight.of.facts(), "fact", "facts")) "."
        }
        (search_form(sight, ""))
        (super::path::form(sight, "", ""))
        section aria-labelledby="kinds" {
            h2 #kinds { "Entities" }
            (kinds(sight))
        }
        section aria-labelledby="hubs" {
            h2 #hubs { "Entities with the most neighbours" }
            (hubs(sight, SHOWN))
            @if sight.connected.hubs().len() > SHOWN {
                p { a href={ (sight.base) "/graph?part=hubs" } { "The first " (sight.connected.hubs().len()) } }
            }
        }
        section aria-labelledby="relations" {
            h2 #relations { "Relations" }
            ul.kinds { @for (kind, number_of) in &relations { li { (kind.words()) " " b { (number(*number_of)) } } } }
        }
        section aria-labelledby="contradictions" {
            h2 #contradictions { "Contradictions" }
            p.note { "Facts that cannot both be correct. Code looks for " (ContradictionKind::ALL.len()) " kinds." }
            @if found.is_empty() { p { "0 contradictions were found." } }
            (contradictions(sight, found.iter().take(SHOWN)))
            @if found.len() > SHOWN { p { a href={ (sight.base) "/graph?part=contradictions" } { "All " (number(found.len())) " contradictions" } } }
        }
        (readings(sight))
    }
}

fn relations(sight: &Sight<'_>) -> BTreeMap<RelationKind, usize> {
    let mut relations = BTreeMap::new();
    for (_, kind, _) in sight.of.relations().filter_map(|relation| sight.of.relation(relation)) {
        *relations.entry(kind).or_default() += 1;
    }
    relations
}

/// Renders the search field for entities.
pub(super) fn search_form(sight: &Sight<'_>, text: &str) -> Markup {
    html! {
        search {
            form.find action={ (sight.base) "/graph" } method="get" {
                label for="entity" { "Find an entity by its id, its name or a part of its name" }
                input #entity type="search" name="q" value=(text) maxlength=(LONGEST) autocomplete="off" spellcheck="false";
                button type="submit" { "Find" }
            }
        }
    }
}

fn kinds(sight: &Sight<'_>) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label="Entities by kind" {
            table.short {
                thead { tr { th scope="col" { "Kind" } th.number scope="col" { "Entities" } th.number scope="col" { "By name or path only" } } }
                tbody {
                    @for (kind, entities) in sight.connected.kinds() {
                        tr {
                            th scope="row" { a.item href={ (sight.base) "/graph?kind=" (kind.name()) } { (all(*kind)) } }
                            td.number { (number(entities.len())) }
                            td.number { (number(entities.iter().filter(|it| !sight.of.key(**it).2).count())) }
                        }
                    }
                }
            }
        }
    }
}

fn hubs(sight: &Sight<'_>, most: usize) -> Markup {
    html! {
        ol.plain.ranks {
            @for (entity, neighbours) in sight.connected.hubs().iter().take(most) {
                li {
                    (sight.link(*entity)) ", "
                    a href=(sight.picture(*entity)) { (number(*neighbours)) @if *neighbours == 1 { " neighbour" } @else { " neighbours" } }
                }
            }
        }
    }
}

fn of_kind(sight: &Sight<'_>, run: &str, word: &str, asked: &Asked) -> Answer<Markup> {
    let kind = EntityKind::ALL.into_iter().find(|kind| kind.name() == word);
    let kind = kind.ok_or_else(|| Trouble::no_such("kind of entity", word, Some(run)))?;
    let entities = sight.connected.kinds().get(&kind).map_or(&[][..], Vec::as_slice);
    let at = format!("{}/graph", sight.base);
    let part = sight.stretch(asked.number("from"), entities.len(), ROWS, &at, &[("kind", word)]);
    Ok(html! {
        h1 { (many(entities.len(), kind)) }
        (search_form(sight, ""))
        (part.links)
        (list(sight, entities.get(part.first..part.end).unwrap_or_default()))
        (part.links)
    })
}

/// Renders entities, one per line.
fn list(sight: &Sight<'_>, entities: &[EntityRef]) -> Markup {
    html! {
        ul.rows {
            @for entity in entities {
                @let (told_by, key, is_strong) = sight.of.key(*entity);
                li {
                    (sight.link(*entity))
                    br;
                    span.note {
                        code { (sight.id(*entity)) } " · " (told_by) ": " (name(key))
                        @if !is_strong { " (a name, which others may have)" }
                    }
                }
            }
        }
    }
}

fn search(sight: &Sight<'_>, run: &str, text: &str, asked: &Asked) -> Answer<Response> {
    if text.chars().count() > LONGEST {
        return Err(Trouble::Asked { because: "the name has more than 300 characters" });
    }
    let body = match find(sight.of, text) {
        Found::One(entity) => return Ok(Redirect::to(&sight.address(entity)).into_response()),
        Found::Several(several) => {
            let at = format!("{}/graph", sight.base);
            let part = sight.stretch(asked.number("from"), several.len(), ROWS, &at, &[("q", text)]);
            html! {
                h1 { (number(several.len())) " entities fit " (name(text)) }
                (search_form(sight, text))
                (part.links)
                (list(sight, several.get(part.first..part.end).unwrap_or_default()))
                (part.links)
            }
        }
        Found::Nothing => html! {
            h1 { "No fact names " (name(text)) }
            p { "Enter an id, a name or a part of a name. The search ignores case." }
            (search_form(sight, text))
        },
    };
    Ok(Page::of(run, "Graph", body).into_response())
}

fn contradictions<'c>(sight: &Sight<'_>, found: impl Iterator<Item = &'c Contradiction>) -> Markup {
    html! {
        ul.rows {
            @for it in found {
                li {
                    (name(&it.about)) ": " (it.kind.words())
                    ul.plain {
                        @for fact in [it.one, it.other] {
                            li { (inert(&sight.told(|told| told.sentence(fact)))) " " (sight.fact_link(fact.fact)) }
                        }
                    }
                }
            }
        }
    }
}

fn all_contradictions(sight: &Sight<'_>, asked: &Asked) -> Markup {
    let found = sight.run.contradictions();
    let at = format!("{}/graph", sight.base);
    let part = sight.stretch(asked.number("from"), found.len(), ROWS, &at, &[("part", "contradictions")]);
    html! {
        h1 { (count(found.len(), "contradiction", "contradictions")) }
        (part.links)
        (contradictions(sight, found.iter().skip(part.first).take(part.end - part.first)))
        (part.links)
    }
}

/// Renders what agents added, separate from what code derived.
fn readings(sight: &Sight<'_>) -> Markup {
    let readings = sight.connected.readings(sight.run);
    let (things, links) = (readings.things.len(), readings.links.len());
    html! {
        @if things + links > 0 {
            section aria-labelledby="readings" {
                h2 #readings { "Agents’ readings" }
                p.note { "Agents added these entities and relations. They are interpretations, and no part of the graph that code made." }
                p { a href={ (sight.base) "/graph?part=readings" } { (count(links, "relation", "relations")) " and " (count(things, "entity", "entities")) } }
            }
        }
    }
}

fn all_readings(sight: &Sight<'_>, asked: &Asked) -> Markup {
    let readings = sight.connected.readings(sight.run);
    let all = readings.links.len() + readings.things.len();
    let at = format!("{}/graph", sight.base);
    let part = sight.stretch(asked.number("from"), all, ROWS, &at, &[("part", "readings")]);
    let links = readings.links.iter().map(|it| link(sight, it));
    let things = readings.things.iter().map(|it| {
        html! {
            span.what { "entity of " (inert(&it.agent)) } " " (inert(&it.said))
            @if let Some(entity) = it.entity { ": by its name " (sight.link(entity)) }
            (facts(sight, &it.facts))
        }
    });
    html! {
        h1 { "Agents’ readings" }
        p.note { "Interpretations: code checked only that the named facts exist." }
        (part.links)
        ul.rows { @for item in links.chain(things).skip(part.first).take(part.end - part.first) { li.drawn-reading { (item) } } }
        (part.links)
    }
}

/// Renders a relation that an agent added.
pub(super) fn link(sight: &Sight<'_>, link: &Link) -> Markup {
    html! {
        span.what { "reading of " (inert(&link.agent)) } " "
        (end(sight, &link.from)) " " b { (link.words) } " " (end(sight, &link.to))
        (facts(sight, &link.facts))
    }
}

fn end(sight: &Sight<'_>, end: &End) -> Markup {
    html! {
        @match (end.entity, end.node) {
            (Some(entity), _) => (sight.link(entity)),
            (None, NodeId::Fact(id)) => (sight.fact_link(id)),
            (None, _) => {
                @let (shown, whole) = clipped(&end.said, 120);
                (inert(shown)) @if !whole { "…" }
            },
        }
    }
}

/// Renders the facts that an agent cited.
fn facts(sight: &Sight<'_>, facts: &[ledger::FactId]) -> Markup {
    html! {
        " " span.note {
            @for (place, fact) in facts.iter().take(10).enumerate() { @if place > 0 { ", " } (sight.fact_link(*fact)) }
            @if facts.len() > 10 { " and " (facts.len() - 10) " more" }
        }
    }
}
