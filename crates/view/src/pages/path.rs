//! How two entities are connected: each hop with code's sentence for its fact.

use super::sight::{Sight, name, number, when};
use crate::connected::EVERYTHING;
use crate::error::Trouble;
use crate::house::House;
use crate::page::{Answer, Page};
use crate::routes::Asked;
use crate::text::query;
use graph::connections::{EntityRef, Found, Hop, find, namesakes, paths};
use maud::{Markup, html};
use report::connections::{doubt, weakest};
use report::terminal as inert;

/// The number of paths that are searched for if more than the shortest is requested.
const WAYS: usize = 3;

/// The number of candidates that are listed.
const CANDIDATES: usize = 50;

/// The maximum length of a name, in characters.
const LONGEST: usize = 300;

pub(crate) fn page(house: &House, run: &str, asked: &Asked) -> Answer {
    let book = house.shelf.open(run)?;
    let sight = Sight::of(&book);
    let [from, to] = ["from", "to"].map(|end| asked.text(end).unwrap_or_default());
    if [from, to].iter().any(|text| text.chars().count() > LONGEST) {
        return Err(Trouble::Asked { because: "a name has more than 300 characters" });
    }
    let ways = if asked.number("ways") > 1 { WAYS } else { 1 };
    let found = [from, to].map(|text| find(sight.of, text));
    let body = match &found {
        [Found::One(one), Found::One(other)] => connected(&sight, (*one, *other), ways),
        _ => html! {
            @for (at, text) in [("from", from), ("to", to)].iter().enumerate() {
                @if let Some(found) = found.get(at) { (unclear(&sight, text.0, text.1, found, [from, to])) }
            }
        },
    };
    let shown = |found: &Found, text: &str| match found {
        Found::One(entity) => sight.id(*entity),
        Found::Several(_) | Found::Nothing => text.to_owned(),
    };
    let [one, other] = &found;
    let body = html! { h1 { "Path" } (form(&sight, &shown(one, from), &shown(other, to))) (body) };
    Ok(Page::of(run, "Path", body))
}

/// Renders the form that asks for the path between two entities.
pub(super) fn form(sight: &Sight<'_>, from: &str, to: &str) -> Markup {
    html! {
        form.find action={ (sight.base) "/path" } method="get" {
            label for="from" { "Path from" }
            input #from type="search" name="from" value=(from) maxlength=(LONGEST) autocomplete="off" spellcheck="false";
            label for="to" { "to" }
            input #to type="search" name="to" value=(to) maxlength=(LONGEST) autocomplete="off" spellcheck="false";
            button type="submit" { "Find the path" }
        }
    }
}

/// Renders a message for an end that does not match exactly one entity.
fn unclear(sight: &Sight<'_>, end: &str, text: &str, found: &Found, asked: [&str; 2]) -> Markup {
    match found {
        Found::One(entity) => html! { p { (end) ": " (sight.link(*entity)) } },
        Found::Nothing if text.is_empty() => html! {},
        Found::Nothing => html! { p.trouble role="alert" { "No fact names " (name(text)) "." } },
        Found::Several(several) => {
            let address = |entity: EntityRef| {
                let id = sight.id(entity);
                let [from, to] = asked;
                let pairs = if end == "from" {
                    [("from", id.as_str()), ("to", to)]
                } else {
                    [("from", from), ("to", id.as_str())]
                };
                format!("{}/path?{}", sight.base, query(&pairs))
            };
            html! {
                h2 { (number(several.len())) " entities fit " (name(text)) }
                ul.rows {
                    @for entity in several.iter().take(CANDIDATES) {
                        li { a href=(address(*entity)) { "Take" } " " (sight.link(*entity)) " " span.note { code { (sight.id(*entity)) } } }
                    }
                    @if several.len() > CANDIDATES { li.note { "and " (number(several.len() - CANDIDATES)) " more: enter more of the name" } }
                }
            }
        }
    }
}

fn connected(sight: &Sight<'_>, ends: (EntityRef, EntityRef), most: usize) -> Markup {
    let found = sight.told(|told| paths(sight.of, ends, most, &EVERYTHING, |relation| doubt(told, relation)));
    let (from, to) = (sight.id(ends.0), sight.id(ends.1));
    let address = |ways: &str| {
        format!(
            "{}/path?{}",
            sight.base,
            query(&[("from", from.as_str()), ("to", to.as_str()), ("ways", ways)])
        )
    };
    html! {
        @if found.is_empty() {
            p { "No recorded relation connects " (sight.link(ends.0)) " and " (sight.link(ends.1)) "." }
            @for end in [ends.0, ends.1] {
                @for other in namesakes(sight.of, end).into_iter().take(5) {
                    p.note { (other.words()) ": " (sight.link(other.entity)) }
                }
            }
        } @else if most == 1 {
            p { "The shortest path. " a href=(address("3")) { "The " (WAYS) " paths with the best evidence" } }
        } @else {
            p { (found.len()) " paths, the one with the best evidence first. " a href=(address("1")) { "The shortest path" } }
        }
        @for (at, way) in (1..).zip(&found) {
            section {
                @if found.len() > 1 { h2 { "Path " (at) " of " (found.len()) } }
                (told(sight, ends.0, way))
            }
        }
    }
}

fn told(sight: &Sight<'_>, start: EntityRef, way: &[Hop]) -> Markup {
    let weakest = sight.told(|told| weakest(told, way).copied());
    html! {
        ol.way {
            li { (sight.link(start)) }
            @for hop in way {
                li.weak[weakest == Some(*hop)] { (hop_of(sight, hop, weakest == Some(*hop))) }
            }
        }
    }
}

/// Renders one relation of a path, the fact with the best support, and the others.
fn hop_of(sight: &Sight<'_>, hop: &Hop, is_weakest: bool) -> Markup {
    let Some((from, kind, _)) = sight.of.relation(hop.by) else { return html! {} };
    let (shown, weakness) = sight.told(|told| (told.shown_by(hop.by), told.weakness(hop.by)));
    html! {
        p.step {
            @if from == hop.from { b { (kind.words()) } " ▶ " } @else { "◀ " b { (kind.words()) } " " }
            (sight.link(hop.to))
        }
        @if let Some(best) = shown.first() {
            p { (inert(&sight.told(|told| told.sentence(best.fact)))) }
            p.note {
                @if let Some(at) = best.when { (when(at)) " · " }
                (sight.citing(hop.by)) " · " (sight.confidence(hop.by)) " confidence"
            }
        }
        @if is_weakest {
            p { span.tag.warn { "weakest link" } @if let Some(weakness) = weakness { " " (inert(&weakness)) } }
        }
    }
}
