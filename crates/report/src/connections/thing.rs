//! Answers about one entity: what it is, what is next to it, and where else it was found.

use super::Answer;
use super::context::{Context, distinct, time};
use graph::connections::{
    EntityRef, Namesake, RelationKind, RelationRef, Told, When, between, namesakes, neighbours as next_to,
    timeline, where_else as seen_at,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

pub(super) fn node(context: &Context<'_>, entity: EntityRef) -> Answer {
    let (told_by, key, is_strong) = context.of.key(entity);
    let mut text = format!("{}\n", context.shown(entity));
    let key = crate::inert::terminal(key);
    let by_name = if is_strong { "" } else { ": a name, which others may bear" };
    let _ = writeln!(text, "told apart by its {told_by}, {key}{by_name}");
    let names = names(context, entity);
    for (name, facts) in &names {
        let (first, last) =
            (facts.iter().filter_map(|it| it.when).min(), facts.iter().filter_map(|it| it.when).max());
        let first_fact = facts.first().map(|told| context.cited(told.fact)).unwrap_or_default();
        let span = first.zip(last).map(|(first, last)| span(first, last) + ", ").unwrap_or_default();
        let facts = count(facts.len(), "fact");
        let _ = writeln!(text, "  called {}: {span}{facts}, {first_fact}", crate::inert::terminal(name));
    }
    let alike = namesakes(context.of, entity);
    for other in alike.iter().take(10) {
        let _ = writeln!(text, "  {}: {}", other.words(), context.shown(other.entity));
    }
    let relations = counting(context, entity);
    let mut last = None;
    for (kind, relation) in &relations {
        if last.replace(*kind) != Some(*kind) {
            let _ = writeln!(text, "{}:", kind.words());
        }
        line(&mut text, context, entity, *relation);
    }
    let _ = writeln!(
        text,
        "{}, {}",
        count(relations.len(), "relation"),
        count(distinct(timeline(context.of, entity, context.filter).into_iter().map(|it| it.told)), "fact")
    );
    let value = json!({
        "entity": context.entity_json(entity),
        "names": names.iter().map(|(name, facts)| name_json(context, name, facts)).collect::<Vec<_>>(),
        "possibly_same": bearing(context, &alike, false),
        "others_of_the_name": bearing(context, &alike, true),
        "relations": relations.iter().map(|(_, relation)| with_ends(context, *relation)).collect::<Vec<_>>(),
    });
    Answer::new(text, value).drawing(
        context.of,
        [entity],
        relations.into_iter().map(|(_, relation)| relation),
    )
}

/// Formats a time span; a time that is only an upper bound cannot start a span.
fn span(first: When, last: When) -> String {
    match (first == last || (first.is_latest && last.is_latest), first.is_latest) {
        (true, _) => last.to_string(),
        (false, true) => format!("{first}, then {last}"),
        (false, false) => format!("{first} to {last}"),
    }
}

/// Returns its relations that pass the filter, by kind.
fn counting(context: &Context<'_>, entity: EntityRef) -> Vec<(RelationKind, RelationRef)> {
    let relations = context.of.relations_of(entity).into_iter();
    let mut relations: Vec<(RelationKind, RelationRef)> = relations
        .filter(|relation| context.filter.admits(context.of, *relation))
        .filter_map(|relation| Some((context.of.relation(relation)?.1, relation)))
        .collect();
    let begun = |relation: RelationRef| context.of.shown_by(relation).filter_map(|told| told.when).min();
    relations.sort_by_key(|(kind, relation)| {
        let begun = begun(*relation);
        (*kind, begun.is_none(), begun, *relation)
    });
    relations
}

fn names<'c>(context: &Context<'c>, entity: EntityRef) -> BTreeMap<&'c str, Vec<Told>> {
    let mut names: BTreeMap<&str, Vec<Told>> = BTreeMap::new();
    for (name, told) in context.of.names(entity).filter(|(_, told)| context.filter.takes(context.of, *told)) {
        names.entry(name).or_default().push(told);
    }
    names
}

fn name_json(context: &Context<'_>, name: &str, facts: &[Told]) -> Value {
    json!({
        "name": name,
        "first": facts.iter().filter_map(|told| told.when).min().map(|when| when.to_string()),
        "last": facts.iter().filter_map(|told| told.when).max().map(|when| when.to_string()),
        "facts": facts.iter().map(|told| context.cited(told.fact)).collect::<Vec<_>>(),
    })
}

fn with_ends(context: &Context<'_>, relation: RelationRef) -> Value {
    let mut value = context.relation_json(relation);
    if let (Some(members), Some((from, _, to))) = (value.as_object_mut(), context.of.relation(relation)) {
        members.insert("from".to_owned(), context.entity_json(from));
        members.insert("to".to_owned(), context.entity_json(to));
    }
    value
}

/// Formats a relation as seen from one of its ends.
fn line(out: &mut String, context: &Context<'_>, at: EntityRef, relation: RelationRef) {
    let Some((from, kind, to)) = context.of.relation(relation) else { return };
    let said = match from == at {
        true => format!("── {} ─▶ {}", kind.words(), context.shown(to)),
        false => format!("◀─ {} ── {}", kind.words(), context.shown(from)),
    };
    let shown = context.shown_by(relation);
    let when = shown.iter().filter_map(|told| told.when).min();
    let cited = shown.first().map(|told| context.cited(told.fact)).unwrap_or_default();
    let more = match distinct(shown.iter().copied()) {
        0 | 1 => String::new(),
        facts => format!(" and {} more", facts - 1),
    };
    let _ = writeln!(out, "  {} {said}  {cited}{more}", time(when));
}

pub(super) fn neighbours(context: &Context<'_>, entity: EntityRef, depth: u32) -> Answer {
    let found = next_to(context.of, entity, depth, context.filter);
    let mut text = format!("{}\n", context.shown(entity));
    for neighbour in &found {
        let _ = write!(text, "{}", neighbour.depth);
        let nearer = context.of.other_end(neighbour.by, neighbour.entity).unwrap_or(entity);
        line(&mut text, context, nearer, neighbour.by);
    }
    let among: BTreeSet<EntityRef> =
        std::iter::once(entity).chain(found.iter().map(|neighbour| neighbour.entity)).collect();
    let led: BTreeSet<RelationRef> = found.iter().map(|neighbour| neighbour.by).collect();
    let mut others = between(context.of, &among, context.filter);
    others.retain(|relation| !led.contains(relation));
    if !others.is_empty() {
        text.push_str("related to each other:\n");
    }
    let mut headed = None;
    for relation in &others {
        if let Some((from, _, _)) = context.of.relation(*relation) {
            if headed.replace(from) != Some(from) {
                let _ = writeln!(text, " {}", context.shown(from));
            }
            text.push(' ');
            line(&mut text, context, from, *relation);
        }
    }
    let _ = writeln!(text, "{}", count(led.len() + others.len(), "relation"));
    let rows: Vec<Value> = found
        .iter()
        .map(|neighbour| {
            json!({
                "depth": neighbour.depth,
                "entity": context.entity_json(neighbour.entity),
                "relation": context.relation_json(neighbour.by),
            })
        })
        .collect();
    let rest: Vec<Value> = others.iter().map(|relation| with_ends(context, *relation)).collect();
    let value = json!({ "entity": context.entity_json(entity), "neighbours": rows, "between": rest });
    Answer::new(text, value).drawing(context.of, [entity], led.into_iter().chain(others))
}

/// Lists the hosts and files whose facts name an entity, what has the same content, and what has the same name.
pub(super) fn where_else(context: &Context<'_>, entity: EntityRef) -> Answer {
    let mut text = format!("{}\n", context.shown(entity));
    let seen = seen_at(context.of, entity, context.filter);
    let mut hosts = Vec::new();
    for seen in &seen {
        let span = seen.span().map_or_else(|| "undated".to_owned(), |(first, last)| span(first, last));
        let _ = writeln!(
            text,
            "host {}: {}, {span}",
            crate::inert::terminal(seen.host),
            count(seen.facts.len(), "fact")
        );
        let files = files(context, &seen.facts);
        for ((evidence, path), facts) in &files {
            let first = facts.first().map(|told| context.cited(told.fact)).unwrap_or_default();
            let file = crate::inert::terminal(&format!("{evidence}: {path}"));
            let _ = writeln!(text, "  {file}  {}, {first}", count(facts.len(), "fact"));
        }
        let span = seen.span();
        hosts.push(json!({
            "host": seen.host,
            "first": span.map(|(first, _)| first.to_string()),
            "last": span.map(|(_, last)| last.to_string()),
            "facts": seen.facts.iter().map(|told| context.fact_json(*told)).collect::<Vec<_>>(),
        }));
    }
    let alike: Vec<(EntityRef, RelationRef)> = context
        .of
        .relations_of(entity)
        .into_iter()
        .filter(|relation| {
            context.of.relation(*relation).is_some_and(|it| it.1 == RelationKind::SameContentAs)
        })
        .filter_map(|relation| Some((context.of.other_end(relation, entity)?, relation)))
        .collect();
    for (other, relation) in &alike {
        let by = context.shown_by(*relation).first().map(|told| context.cited(told.fact)).unwrap_or_default();
        let _ = writeln!(text, "the same content: {}  {by}", context.shown(*other));
    }
    let namesakes = namesakes(context.of, entity);
    for other in namesakes.iter().take(20) {
        let _ = writeln!(text, "{}: {}", other.words(), context.shown(other.entity));
    }
    let _ = writeln!(text, "on {}, among what was recorded", count(seen.len(), "host"));
    let value = json!({
        "entity": context.entity_json(entity),
        "hosts": hosts,
        "same_content": alike.iter().map(|(other, _)| context.entity_json(*other)).collect::<Vec<_>>(),
        "possibly_same": bearing(context, &namesakes, false),
        "others_of_the_name": bearing(context, &namesakes, true),
    });
    Answer::new(text, value).drawing(context.of, [entity], alike.into_iter().map(|(_, relation)| relation))
}

/// Returns the namesakes that are known to be different, or those that are not.
fn bearing(context: &Context<'_>, namesakes: &[Namesake], is_another: bool) -> Vec<Value> {
    let those = namesakes.iter().filter(|it| it.is_another == is_another);
    those.map(|it| context.entity_json(it.entity)).collect()
}

/// Groups facts by the file that they were read from.
fn files<'c>(context: &Context<'c>, facts: &[Told]) -> BTreeMap<(&'c str, &'c str), Vec<Told>> {
    let mut files: BTreeMap<(&str, &str), Vec<Told>> = BTreeMap::new();
    for told in facts {
        if let Some(fact) = context.fact(told.fact) {
            files.entry((&fact.locator.evidence, &fact.locator.path)).or_default().push(*told);
        }
    }
    files
}

/// Formats a number with its noun.
pub(super) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
