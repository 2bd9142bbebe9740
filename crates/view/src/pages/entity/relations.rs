//! The relations of an entity, by kind and direction, and the facts that show one of them.

use super::{ROWS, part};
use crate::error::Trouble;
use crate::page::Answer;
use crate::pages::sight::{Sight, Way, number, seen_from, when};
use crate::routes::Asked;
use crate::text::count;
use graph::connections::{EntityId, EntityKind, EntityRef, RelationKind, RelationRef};
use maud::{Markup, html};
use report::terminal as inert;
use std::collections::BTreeMap;

/// The number of relations of each kind on the first page.
const FIRST: usize = 10;

/// Groups the relations of an entity by kind and direction, each group in chronological order.
pub(in crate::pages) fn grouped(
    sight: &Sight<'_>,
    entity: EntityRef,
) -> BTreeMap<(RelationKind, Way), Vec<RelationRef>> {
    let mut groups: BTreeMap<(RelationKind, Way), Vec<RelationRef>> = BTreeMap::new();
    for relation in sight.of.relations_of(entity) {
        if let Some((from, kind, _)) = sight.of.relation(relation) {
            let is_out = from == entity || kind == RelationKind::SameContentAs;
            let way = if is_out { Way::Out } else { Way::In };
            groups.entry((kind, way)).or_default().push(relation);
        }
    }
    groups.values_mut().for_each(|relations| in_time(sight, relations));
    groups
}

/// Sorts relations by the first time that a fact states; undated ones come last.
pub(in crate::pages) fn in_time(sight: &Sight<'_>, relations: &mut [RelationRef]) {
    relations.sort_by_cached_key(|relation| {
        let begun = sight.of.shown_by(*relation).filter_map(|told| told.when).min();
        (begun.is_none(), begun, *relation)
    });
}

pub(super) fn groups(sight: &Sight<'_>, entity: EntityRef) -> Markup {
    let groups = grouped(sight, entity);
    let all: usize = groups.values().map(Vec::len).sum();
    html! {
        section aria-labelledby="relations" {
            h2 #relations { (count(all, "relation", "relations")) }
            @for ((kind, way), relations) in &groups {
                h3 { (seen_from(*kind, *way)) " (" (number(relations.len())) ")" }
                (table(sight, entity, relations.get(..FIRST.min(relations.len())).unwrap_or_default(), &seen_from(*kind, *way)))
                @if relations.len() > FIRST {
                    @let pairs = [("part", "relations"), ("relation", kind.name()), ("way", way.name())];
                    p { a href=(part(sight, entity, &pairs)) { "All " (number(relations.len())) } }
                }
            }
        }
    }
}

/// Lists all relations of one kind and direction, optionally only those to one kind of entity.
pub(super) fn of_group(sight: &Sight<'_>, run: &str, entity: EntityRef, asked: &Asked) -> Answer<Markup> {
    let word = asked.text("relation").unwrap_or_default();
    let kind = RelationKind::of_name(word).ok_or_else(|| Trouble::no_such("relation", word, Some(run)))?;
    let way = asked.text("way").and_then(Way::of_name).unwrap_or(Way::Out);
    let only = asked.text("other").unwrap_or_default();
    let other = EntityKind::ALL.into_iter().find(|it| it.name() == only);
    let mut relations = grouped(sight, entity).remove(&(kind, way)).unwrap_or_default();
    let is_of = |relation: &RelationRef| {
        let end = sight.of.other_end(*relation, entity);
        other.is_none_or(|other| end.is_some_and(|end| sight.of.kind(end) == other))
    };
    relations.retain(is_of);
    let mut pairs = vec![("part", "relations"), ("relation", kind.name()), ("way", way.name())];
    pairs.extend(other.map(|other| ("other", other.name())));
    let part = sight.stretch(asked.number("from"), relations.len(), ROWS, &sight.address(entity), &pairs);
    Ok(html! {
        h2 { (seen_from(kind, way)) " (" (number(relations.len())) ")" }
        (part.links)
        (table(sight, entity, relations.get(part.first..part.end).unwrap_or_default(), &seen_from(kind, way)))
        (part.links)
    })
}

fn table(sight: &Sight<'_>, entity: EntityRef, relations: &[RelationRef], said: &str) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label=(said) {
            table.relations {
                thead { tr {
                    th scope="col" { "Entity" } th scope="col" { "Time" } th scope="col" { "Confidence" } th scope="col" { "Facts" }
                } }
                tbody {
                    @for relation in relations {
                        tr {
                            td { @if let Some(other) = sight.of.other_end(*relation, entity) { (sight.link(other)) } }
                            td { (sight.span(*relation)) }
                            td.nowrap { (sight.confidence(*relation)) }
                            td { (sight.citing(*relation)) }
                        }
                    }
                }
            }
        }
    }
}

/// Lists every fact that shows one relation, those with the best support first.
pub(super) fn facts(sight: &Sight<'_>, run: &str, entity: EntityRef, asked: &Asked) -> Answer<Markup> {
    let (word, to) = (asked.text("relation").unwrap_or_default(), asked.text("to").unwrap_or_default());
    let end = to.parse::<EntityId>().ok().and_then(|id| sight.of.with_id(id));
    let end = end.ok_or_else(|| Trouble::no_such("entity", to, Some(run)))?;
    let is_meant = |relation: &RelationRef| {
        sight
            .of
            .relation(*relation)
            .is_some_and(|(from, kind, to)| from == entity && kind.name() == word && to == end)
    };
    let relation = sight.of.relations_of(entity).into_iter().find(is_meant);
    let relation = relation.ok_or_else(|| Trouble::no_such("relation", word, Some(run)))?;
    let shown = sight.told(|told| told.shown_by(relation));
    let pairs = [("part", "facts"), ("relation", word), ("to", to)];
    let part = sight.stretch(asked.number("from"), shown.len(), ROWS, &sight.address(entity), &pairs);
    Ok(html! {
        h2 { (count(shown.len(), "fact shows", "facts show")) " this relation" }
        p { (sight.sentence(relation)) ": " (sight.confidence(relation)) " confidence" }
        (part.links)
        ul.rows {
            @for told in shown.iter().skip(part.first).take(part.end - part.first) {
                li {
                    @if let Some(at) = told.when { (when(at)) " " }
                    (inert(&sight.told(|words| words.sentence(told.fact)))) " " (sight.fact_link(told.fact.fact))
                }
            }
        }
        (part.links)
    })
}
