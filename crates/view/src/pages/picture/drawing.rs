//! Draws a picture as SVG: lines first, then nodes, each linking to the picture that it opens.

use super::super::sight::{Sight, Way, ends, many, number, one, said, seen_from};
use super::layout::{BOX, Layout, SHAPE, Spot};
use super::plan::{Plan, Row, What};
use super::shapes::{family, outline};
use super::state::{FIRST, MORE, MOST, State};
use crate::text::query;
use graph::connections::{EntityKind, EntityRef, RelationKind, RelationRef};
use maud::{Markup, html};
use report::terminal as inert;
use std::collections::BTreeSet;

pub(super) fn svg(sight: &Sight<'_>, plan: &Plan, layout: &Layout, state: &State) -> Markup {
    let title = sight.of.title(plan.root);
    let (x, y, width) = layout.root;
    let kind = sight.of.kind(plan.root);
    let relations = sight.of.relations_of(plan.root).len();
    html! {
        svg.picture.(layout.form.name()) role="group" aria-label={ "Picture of " (one(kind)) " " (inert(title)) }
            viewBox={ "0 0 " (layout.width) " " (layout.height) } width=(layout.width) height=(layout.height) {
            g aria-hidden="true" {
                @for (row, spot) in plan.rows.iter().zip(&layout.spots) { (edge(row, spot, layout)) }
            }
            a.node.root href=(sight.address(plan.root)) data-node=(sight.id(plan.root)) aria-label={ (one(kind)) " " (inert(title)) ": its page" } {
                title { (inert(title)) }
                rect.box x=(x) y=(y) width=(width) height=(BOX) rx="8" {}
                (shape(kind, x + 24, y + BOX / 2))
                text.name x=(x + 44) y=(y + 23) { (shortened(title, layout.root_name)) }
                text.words x=(x + 44) y=(y + 42) { (one(kind)) ", " (number(relations)) @if relations == 1 { " relation" } @else { " relations" } }
            }
            @for (row, spot) in plan.rows.iter().zip(&layout.spots) { (node(sight, row, spot, state)) }
        }
    }
}

/// Draws the outline of a kind of entity at a position.
pub(super) fn shape(kind: EntityKind, x: i32, y: i32) -> Markup {
    html! { path.shape.(family(kind)) d=(outline(kind)) transform={ "translate(" (x) " " (y) ")" } fill-rule="evenodd" {} }
}

/// Draws the line from a row's parent, and the direction of a group's relations.
fn edge(row: &Row, spot: &Spot, layout: &Layout) -> Markup {
    let sign = if spot.is_mirrored { -1 } else { 1 };
    let (from_x, from_y) = spot.trunk;
    let end = spot.x - sign * (SHAPE / 2 + 1);
    let (left, _, width) = layout.root;
    let (begin, corner) = match row.parent {
        Some(_) => (format!("M{from_x} {from_y}"), from_x),
        // From the side of the first entity's box, or from below it.
        None if from_x > left + width => (format!("M{} {from_y}H{from_x}", left + width), from_x),
        None if from_x < left => (format!("M{left} {from_y}H{from_x}"), from_x),
        None => (format!("M{from_x} {from_y}"), from_x),
    };
    let line = format!("{begin}V{}H{end}", spot.y);
    let is_reading = matches!(row.what, What::Readings { .. } | What::Reading { .. });
    let arrow = match &row.what {
        What::Group { group, .. } if group.kind != RelationKind::SameContentAs => {
            let tip = if group.way == Way::Out { sign * 5 } else { -sign * 5 };
            let middle = (corner + end) / 2 + sign * 2;
            Some(format!(
                "M{} {}L{} {}L{} {}Z",
                middle - tip,
                spot.y - 5,
                middle + tip,
                spot.y,
                middle - tip,
                spot.y + 5
            ))
        }
        _ => None,
    };
    html! {
        path.edge.reading[is_reading] d=(line) {}
        @if let Some(arrow) = arrow { path.arrow d=(arrow) {} }
    }
}

fn node(sight: &Sight<'_>, row: &Row, spot: &Spot, state: &State) -> Markup {
    match &row.what {
        What::Group { of, group, count, is_open, now: _ } => {
            let said = format!("{}: {}", seen_from(group.kind, group.way), many(*count, group.other));
            let label = format!("{}: {}", if *is_open { "Close" } else { "Open" }, said);
            html! {
                a.node.group href=(turn(sight, row, *of, state)) data-node=(row.key) aria-expanded=(is_open) aria-label=(label) {
                    (hit(spot))
                    (sign(spot, *is_open))
                    (text("head", spot, spot.y + 5, &shortened(&said, spot.words)))
                }
            }
        }
        What::Thing { entity, by, is_again, is_open, others } => {
            let thing =
                Thing { entity: *entity, by: *by, is_again: *is_again, is_open: *is_open, others: *others };
            member(sight, row, spot, state, &thing)
        }
        What::More { of, group, shown, left, .. } => {
            let label = format!("{} more of {}", number(*left), many(*shown + *left, group.other));
            html! {
                a.node.more href=(turn(sight, row, *of, state)) data-node=(row.key) aria-label=(label) {
                    (hit(spot))
                    (text("head", spot, spot.y + 5, &more_words(*shown, *left)))
                }
            }
        }
        What::Readings { of, count, .. } => html! {
            a.node.group.reading href={ (sight.address(*of)) "#readings" } data-node=(row.key) {
                (hit(spot))
                circle.dot cx=(spot.x) cy=(spot.y) r="5" {}
                (text("head", spot, spot.y + 5, &shortened(&format!("agents’ readings ({count})"), spot.words)))
            }
        },
        What::Reading { of, place } => reading(sight, row, spot, *of, *place),
    }
}

/// Returns the label of a row for more members: the next ones, or the list of all.
pub(super) fn more_words(shown: usize, left: usize) -> String {
    match shown {
        MOST.. => format!("{} more in the list", number(left)),
        _ => format!("{} more", number(left)),
    }
}

/// Returns the address for a group's row: the picture with the group opened, closed or extended, or the list if the picture has no room.
pub(super) fn turn(sight: &Sight<'_>, row: &Row, of: EntityRef, state: &State) -> String {
    let next = sight.of.id(of).and_then(|id| match &row.what {
        What::Group { group, is_open, now, .. } => {
            Some(state.with(id, now, *group, (!is_open).then_some(FIRST)))
        }
        What::More { group, shown, now, .. } if *shown < MOST => {
            Some(state.with(id, now, *group, Some(shown + MORE)))
        }
        _ => None,
    });
    match (next.and_then(|state| state.query()), &row.what) {
        (Some(query), _) => format!("{}/picture?{query}", sight.base),
        (None, What::Group { group, .. } | What::More { group, .. }) => {
            let pairs = [
                ("part", "relations"),
                ("relation", group.kind.name()),
                ("way", group.way.name()),
                ("other", group.other.name()),
            ];
            format!("{}?{}", sight.address(of), query(&pairs))
        }
        (None, _) => sight.address(of),
    }
}

struct Thing {
    entity: EntityRef,
    by: RelationRef,
    is_again: bool,
    is_open: bool,
    others: usize,
}

fn member(sight: &Sight<'_>, row: &Row, spot: &Spot, state: &State, thing: &Thing) -> Markup {
    let (kind, title) = (sight.of.kind(thing.entity), sight.of.title(thing.entity));
    let grows = !thing.is_again && thing.others > 0;
    let grown = sight.of.id(thing.entity).filter(|_| grows).map(|id| match state.turned(id).query() {
        Some(query) => format!("{}/picture?{query}", sight.base),
        None => sight.picture(thing.entity),
    });
    let does = match (&grown, thing.is_open) {
        (Some(_), true) => "close its relations".to_owned(),
        (Some(_), false) => format!("open its {} other relations", number(thing.others)),
        (None, _) => "its page".to_owned(),
    };
    let expanded = grows.then_some(thing.is_open);
    html! {
        g.member.again[thing.is_again] {
            a.node href=(grown.unwrap_or_else(|| sight.address(thing.entity))) data-node=(row.key) aria-expanded=[expanded] aria-label={ (one(kind)) " " (inert(title)) ": " (does) } {
                title { (inert(title)) }
                (hit(spot))
                (shape(kind, spot.x, spot.y))
                (text("name", spot, spot.y + 2, &shortened(title, spot.name)))
            }
            (line(sight, spot, thing))
        }
    }
}

/// Draws the second line of an entity: its page, the facts that show the relation, the first time, and its other relations.
fn line(sight: &Sight<'_>, spot: &Spot, thing: &Thing) -> Markup {
    let (facts, cited) = facts(sight, thing.by);
    let first = ends(sight.of.shown_by(thing.by)).0.map(said);
    let others = match (thing.is_again, thing.is_open, thing.others) {
        (true, _, _) => Some("drawn elsewhere".to_owned()),
        (_, false, 1..) => Some(format!("+{}", number(thing.others))),
        _ => None,
    };
    // What does not fit is left out; the table has it.
    let mut room = spot.words.saturating_sub("page · ".len() + cited.len());
    let mut fits = |text: &Option<String>| {
        let needs = text.as_ref().map_or(0, |text| text.chars().count() + 3);
        let fits = needs > 0 && needs <= room;
        room = room.saturating_sub(if fits { needs } else { 0 });
        fits
    };
    // That an entity is drawn elsewhere comes first: otherwise its pale name would be unexplained.
    let early = thing.is_again && fits(&others);
    let has_first = fits(&first);
    let has_others = early || fits(&others);
    html! {
        text.words x=(spot.text) y=(spot.y + 19) text-anchor=(anchor(spot)) {
            a href=(sight.address(thing.entity)) aria-label={ "Page of " (inert(sight.of.title(thing.entity))) } { "page" }
            " · " a href=(facts) { (cited) }
            @if let Some(first) = first.filter(|_| has_first) { " · " (first) }
            @if let Some(others) = others.filter(|_| has_others) { " · " (others) }
        }
    }
}

/// Returns the address and the words for what shows a relation; for a single fact, the fact itself.
fn facts(sight: &Sight<'_>, relation: RelationRef) -> (String, String) {
    let shown: BTreeSet<_> = sight.of.shown_by(relation).map(|told| told.fact).collect();
    match (shown.first(), shown.len()) {
        (Some(only), 1) => (sight.fact_address(only.fact), "1 fact".to_owned()),
        (_, all) => (sight.facts_address(relation), format!("{} facts", number(all))),
    }
}

fn reading(sight: &Sight<'_>, row: &Row, spot: &Spot, of: EntityRef, place: usize) -> Markup {
    let Some(link) = sight.connected.readings(sight.run).links.get(place) else { return html! {} };
    let is_from = link.from.entity == Some(of);
    let (other, said) = match is_from {
        true => (&link.to, format!("{} {}", link.words, link.to.said)),
        false => (&link.from, format!("{} {} this", link.from.said, link.words)),
    };
    let address =
        other.entity.map_or_else(|| format!("{}#readings", sight.address(of)), |it| sight.picture(it));
    html! {
        g.member.reading {
            a.node href=(address) data-node=(row.key) aria-label={ "Agent’s reading: " (inert(&said)) } {
                title { (inert(&said)) }
                (hit(spot))
                @match other.entity {
                    Some(entity) => (shape(sight.of.kind(entity), spot.x, spot.y)),
                    None => circle.dot cx=(spot.x) cy=(spot.y) r="5" {},
                }
                (text("name", spot, spot.y + 2, &shortened(&said, spot.name)))
            }
            text.words x=(spot.text) y=(spot.y + 19) text-anchor=(anchor(spot)) {
                (shortened(&format!("agent’s reading ({})", link.agent), spot.words))
                @if let Some(fact) = link.facts.first().filter(|_| spot.words > 40) { " · " a href=(sight.fact_address(*fact)) { "a fact" } }
            }
        }
    }
}

/// Draws the clickable area, which also shows the focus.
fn hit(spot: &Spot) -> Markup {
    let (x, y, width, height) = spot.area;
    html! { rect.hit x=(x) y=(y) width=(width) height=(height) rx="4" {} }
}

/// Draws a plus or a minus in a box.
fn sign(spot: &Spot, is_open: bool) -> Markup {
    let (x, y) = (spot.x, spot.y);
    let cross = if is_open { "" } else { "M0-4V4" };
    html! {
        rect.sign x=(x - 8) y=(y - 8) width="16" height="16" rx="3" {}
        path.stroke d={ "M-4 0H4" (cross) } transform={ "translate(" (x) " " (y) ")" } {}
    }
}

fn text(class: &str, spot: &Spot, y: i32, said: &str) -> Markup {
    html! { text.(class) x=(spot.text) y=(y) text-anchor=(anchor(spot)) { (said) } }
}

const fn anchor(spot: &Spot) -> &'static str {
    if spot.is_mirrored { "end" } else { "start" }
}

/// Shortens a text to a maximum length by removing its middle: the end of a path says more than its beginning.
fn shortened(text: &str, most: usize) -> String {
    let text = inert(text);
    let wide = |c: char| if c >= '\u{1100}' { 2 } else { 1 };
    if text.chars().map(wide).sum::<usize>() <= most {
        return text;
    }
    let before = most / 3;
    let after = most.saturating_sub(before + 1);
    let mut used = 0;
    let head: String = text
        .chars()
        .take_while(|c| {
            used += wide(*c);
            used <= before
        })
        .collect();
    used = 0;
    let tail: Vec<char> = text
        .chars()
        .rev()
        .take_while(|c| {
            used += wide(*c);
            used <= after
        })
        .collect();
    format!("{head}…{}", tail.into_iter().rev().collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_its_end() {
        assert_eq!(shortened(r"C:\Users\mara\Downloads\tool.exe", 16), r"C:\Us…s\tool.exe");
        assert_eq!(shortened("short", 16), "short");
        assert_eq!(shortened("\u{202e}exe", 30), r"\u{202e}exe");
        assert_eq!(shortened("日本語日本語", 8), "日…本語");
    }
}
