//! One entity of a run's graph: what it is, its relations, and what the facts say about it.

mod elsewhere;
mod relations;
mod telling;

pub(super) use relations::in_time;

use super::graph::link as reading;
use super::sight::{Sight, ends, name, number, one, span, when};
use crate::error::Trouble;
use crate::house::House;
use crate::page::{Answer, Page};
use crate::routes::Asked;
use crate::text::query;
use graph::connections::{EntityId, EntityRef, Namesake, Told, namesakes};
use maud::{Markup, html};
use report::terminal as inert;
use std::collections::BTreeMap;

/// The number of rows in a list on its own page.
const ROWS: usize = 100;

/// The number of names, entities and interpretations that the first page shows in each list.
const SHOWN: usize = 10;

pub(crate) fn page(house: &House, run: &str, id: &str, asked: &Asked) -> Answer {
    let book = house.shelf.open(run)?;
    let sight = Sight::of(&book);
    let found = id.parse::<EntityId>().ok().and_then(|id| sight.of.with_id(id));
    let entity = found.ok_or_else(|| Trouble::no_such("entity", id, Some(run)))?;
    let body = match asked.text("part") {
        None => html! { (whole(&sight, entity)) (elsewhere::other_runs(house, run, &sight, entity)) },
        Some("names") => names(&sight, entity, asked),
        Some("same") => same(&sight, entity, asked),
        Some("relations") => relations::of_group(&sight, run, entity, asked)?,
        Some("facts") => relations::facts(&sight, run, entity, asked)?,
        Some("timeline") => telling::timeline(&sight, entity, asked),
        Some("story") => telling::story(&sight, entity, asked),
        Some("seen") => elsewhere::seen(&sight, entity, asked),
        Some(other) => return Err(Trouble::no_such("part", other, Some(run))),
    };
    let title = format!("{} {}", one(sight.of.kind(entity)), sight.of.title(entity));
    let head = html! {
        h1 { span.what { (one(sight.of.kind(entity))) } " " (name(sight.of.title(entity))) }
        (parts(&sight, entity, asked.text("part")))
        (body)
    };
    Ok(Page::of(run, &title, head))
}

/// Returns the address of a part of an entity's page.
fn part(sight: &Sight<'_>, entity: EntityRef, pairs: &[(&str, &str)]) -> String {
    format!("{}?{}", sight.address(entity), query(pairs))
}

/// Renders the links to the parts of the page.
pub(super) fn parts(sight: &Sight<'_>, entity: EntityRef, current: Option<&str>) -> Markup {
    let at = sight.address(entity);
    let all = [
        (None, "What it is"),
        (Some("picture"), "Picture"),
        (Some("timeline"), "Timeline"),
        (Some("story"), "Story"),
        (Some("seen"), "Where else"),
    ];
    html! {
        nav aria-label="Parts" {
            ul.parts.tabs {
                @for (word, title) in all {
                    @let address = match word {
                        None => at.clone(),
                        Some("picture") => sight.picture(entity),
                        Some(word) => format!("{at}?part={word}"),
                    };
                    li { a href=(address) aria-current=[(word == current).then_some("page")] { (title) } }
                }
            }
        }
    }
}

fn whole(sight: &Sight<'_>, entity: EntityRef) -> Markup {
    html! {
        (told(sight, entity))
        form.find action={ (sight.base) "/path" } method="get" {
            input type="hidden" name="from" value=(sight.id(entity));
            label for="to" { "Path to" }
            input #to type="search" name="to" maxlength="300" autocomplete="off" spellcheck="false";
            button type="submit" { "Find the path" }
        }
        (first_names(sight, entity))
        (relations::groups(sight, entity))
        (readings(sight, entity))
        (elsewhere::hosts(sight, entity))
        (first_same(sight, entity))
    }
}

fn told(sight: &Sight<'_>, entity: EntityRef) -> Markup {
    let (told_by, key, is_strong) = sight.of.key(entity);
    let relations = sight.of.relations_of(entity);
    let shown = relations.iter().flat_map(|relation| sight.of.shown_by(*relation));
    let (first, last) = ends(shown.chain(sight.of.names(entity).map(|(_, told)| told)));
    html! {
        dl.facts {
            dt { "Entity" } dd { code { (sight.id(entity)) } }
            dt { "Identified by" }
            dd {
                "its " (told_by) ", " code { (inert(key)) }
                @if is_strong { " " span.tag.good { "identifies it" } }
                @else { " " span.tag.warn { "a name only" } " others may have the same name" }
            }
            @if let Some(host) = sight.of.host(entity) { dt { "Host" } dd { code { (inert(host)) } } }
            dt { "First seen" } dd { @match first { Some(first) => (when(first)), None => "no fact dates it" } }
            @if let Some(last) = last { dt { "Last seen" } dd { (when(last)) } }
        }
    }
}

/// Returns the names of an entity, each with the facts that use it.
fn named<'c>(sight: &Sight<'c>, entity: EntityRef) -> Vec<(&'c str, Vec<Told>)> {
    let mut names: BTreeMap<&str, Vec<Told>> = BTreeMap::new();
    for (name, told) in sight.of.names(entity) {
        names.entry(name).or_default().push(told);
    }
    names.into_iter().collect()
}

fn first_names(sight: &Sight<'_>, entity: EntityRef) -> Markup {
    let all = named(sight, entity);
    html! {
        section aria-labelledby="names" {
            h2 #names { "Names" }
            (name_rows(sight, all.iter().take(SHOWN)))
            @if all.len() > SHOWN { p { a href=(part(sight, entity, &[("part", "names")])) { "All " (number(all.len())) " names" } } }
        }
    }
}

fn names(sight: &Sight<'_>, entity: EntityRef, asked: &Asked) -> Markup {
    let all = named(sight, entity);
    let part =
        sight.stretch(asked.number("from"), all.len(), ROWS, &sight.address(entity), &[("part", "names")]);
    html! {
        h2 { "Names" }
        (part.links)
        (name_rows(sight, all.iter().skip(part.first).take(part.end - part.first)))
        (part.links)
    }
}

fn name_rows<'n>(sight: &Sight<'_>, rows: impl Iterator<Item = &'n (&'n str, Vec<Told>)>) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label="Names" {
            table.met {
                thead { tr { th scope="col" { "Name" } th scope="col" { "Times" } th scope="col" { "Facts" } } }
                tbody {
                    @for (text, told) in rows {
                        tr {
                            td { (name(text)) }
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
    }
}

fn first_same(sight: &Sight<'_>, entity: EntityRef) -> Markup {
    let all = namesakes(sight.of, entity);
    html! {
        @if !all.is_empty() {
            section aria-labelledby="same" {
                h2 #same { "The same name" }
                p.note { "They have a name in common. Nothing shows that they are one, and no path uses it. What has a SID, serial number or file table entry of its own is another thing." }
                (same_rows(sight, all.get(..SHOWN.min(all.len())).unwrap_or_default()))
                @if all.len() > SHOWN { p { a href=(part(sight, entity, &[("part", "same")])) { "All " (number(all.len())) } } }
            }
        }
    }
}

fn same(sight: &Sight<'_>, entity: EntityRef, asked: &Asked) -> Markup {
    let all = namesakes(sight.of, entity);
    let part =
        sight.stretch(asked.number("from"), all.len(), ROWS, &sight.address(entity), &[("part", "same")]);
    html! {
        h2 { "The same name" }
        (part.links)
        (same_rows(sight, all.get(part.first..part.end).unwrap_or_default()))
        (part.links)
    }
}

fn same_rows(sight: &Sight<'_>, all: &[Namesake]) -> Markup {
    html! {
        ul.rows { @for other in all { li { (sight.link(other.entity)) " " span.note { (other.words()) ", " code { (sight.id(other.entity)) } } } } }
    }
}

/// Renders the relations that agents added, separate from those of code.
fn readings(sight: &Sight<'_>, entity: EntityRef) -> Markup {
    let readings = sight.connected.readings(sight.run);
    let about: Vec<_> = readings.about(entity).iter().filter_map(|at| readings.links.get(*at)).collect();
    html! {
        @if !about.is_empty() {
            section aria-labelledby="readings" {
                h2 #readings { "Agents’ readings" }
                p.note { "Agents added these relations. They are interpretations; code assigned them to this entity by its name." }
                ul.rows { @for link in about.iter().take(ROWS) { li.drawn-reading { (reading(sight, link)) } } }
                @if about.len() > ROWS { p { a href={ (sight.base) "/graph?part=readings" } { "All agents’ readings of the run" } } }
            }
        }
    }
}
