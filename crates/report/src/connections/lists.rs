//! Answers about the connections as a whole.

use super::Answer;
use super::context::{Context, distinct};
use super::thing::count;
use graph::Run;
use graph::connections::{
    ContradictionKind, EntityKind, EntityRef, RelationKind, RelationRef, Told, between, hubs as busiest,
    islands as hanging_together,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

pub(super) fn summary(context: &Context<'_>) -> Answer {
    let mut entities: BTreeMap<EntityKind, (usize, usize)> = BTreeMap::new();
    let counting: Vec<RelationRef> =
        context.of.relations().filter(|relation| context.filter.admits(context.of, *relation)).collect();
    let shown_entities = counted(context, &counting);
    for entity in shown_entities.iter().copied() {
        let number = entities.entry(context.of.kind(entity)).or_default();
        number.0 += 1;
        number.1 += usize::from(!context.of.key(entity).2);
    }
    let mut relations: BTreeMap<RelationKind, usize> = BTreeMap::new();
    for relation in &counting {
        if let Some((_, kind, _)) = context.of.relation(*relation) {
            *relations.entry(kind).or_default() += 1;
        }
    }
    let mut text = String::from("entities\n");
    for (kind, (number, by_name)) in &entities {
        let by_name =
            if *by_name > 0 { format!(", {by_name} of them by a name or path") } else { String::new() };
        let _ = writeln!(text, "  {:<17} {number}{by_name}", kind.words());
    }
    text.push_str("relations\n");
    for (kind, number) in &relations {
        let _ = writeln!(text, "  {:<17} {number}", kind.name().replace('_', " "));
    }
    let facts = match context.filter.takes_everything() {
        true => context.of.facts(),
        false => distinct(counting.iter().flat_map(|relation| context.shown_by(*relation))),
    };
    let things: usize = entities.values().map(|it| it.0).sum();
    let drawn = relations.values().sum();
    let entities_of = if things == 1 { "1 entity".to_owned() } else { format!("{things} entities") };
    let _ =
        writeln!(text, "{entities_of} and {} by code, on {}", count(drawn, "relation"), count(facts, "fact"));
    let value = json!({
        "entities": entities.iter().map(|(kind, it)| (kind.name(), it.0)).collect::<BTreeMap<_, _>>(),
        "relations": relations.iter().map(|(kind, it)| (kind.name(), it)).collect::<BTreeMap<_, _>>(),
        "facts": facts,
        "rules": context.of.rules(),
        "sealed": context.runs().iter().map(|run| sealed(run)).collect::<Vec<_>>(),
    });
    for run in context.runs() {
        let _ = writeln!(text, "{}", seal_line(run, context.of.rules(), context.runs().len() > 1));
    }
    Answer::new(text, value).drawing(context.of, shown_entities, counting)
}

/// Returns the entities that count: all of them, or with a filter those that still have a relation.
fn counted(context: &Context<'_>, counting: &[RelationRef]) -> BTreeSet<EntityRef> {
    match context.filter.takes_everything() {
        true => context.of.entities().collect(),
        false => {
            let ends = counting.iter().filter_map(|relation| context.of.relation(*relation));
            ends.flat_map(|(from, _, to)| [from, to]).collect()
        }
    }
}

/// Returns what the seal of a run says about its entities and relations; null if it says nothing.
fn sealed(run: &Run) -> Value {
    json!(run.sealed.as_ref().and_then(|sealed| sealed.connections))
}

fn seal_line(run: &Run, rules: u16, is_named: bool) -> String {
    let name = crate::inert::terminal(run.name());
    let of = if is_named { format!(" of {name}") } else { String::new() };
    match run.sealed.as_ref().map(|sealed| sealed.connections) {
        Some(Some(made)) => {
            format!(
                "the seal{of} holds a digest of them, by the rules {}; `locard verify` makes them again",
                made.rules
            )
        }
        Some(None) => format!(
            "the seal{of} is older and holds no digest of them: made by the rules {rules} of this version"
        ),
        None => {
            let run = if is_named { format!("the run {name}") } else { "the run".to_owned() };
            format!("{run} is not sealed: made of the facts so far, by the rules {rules}")
        }
    }
}

pub(super) fn hubs(context: &Context<'_>, most: usize) -> Answer {
    let hubs = busiest(context.of, most, context.filter);
    let mut text = String::new();
    for (entity, number) in &hubs {
        let _ = writeln!(text, "{number:>6}  {}", context.shown(*entity));
    }
    let _ = writeln!(text, "{} with the most neighbours", count(hubs.len(), "hub"));
    let rows: Vec<Value> = hubs
        .iter()
        .map(|(entity, number)| json!({ "entity": context.entity_json(*entity), "neighbours": number }))
        .collect();
    let entities = hubs.into_iter().map(|(entity, _)| entity).collect();
    let relations = between(context.of, &entities, context.filter);
    Answer::new(text, json!({ "hubs": rows })).drawing(context.of, entities, relations)
}

pub(super) fn islands(context: &Context<'_>, most: usize) -> Answer {
    let islands = hanging_together(context.of, context.filter);
    let mut text = String::new();
    let mut rows = Vec::new();
    for island in islands.iter().take(most) {
        let entities = if island.len() == 1 { "entity" } else { "entities" };
        let _ = writeln!(text, "{} {entities}", island.len());
        for entity in island.iter().take(5) {
            let _ = writeln!(text, "  {}", context.shown(*entity));
        }
        if island.len() > 5 {
            let _ = writeln!(text, "  and {} more", island.len() - 5);
        }
        let entities: Vec<Value> = island.iter().map(|entity| context.entity_json(*entity)).collect();
        rows.push(json!({ "entities": entities }));
    }
    let _ = writeln!(text, "{}", count(islands.len(), "island"));
    let value = json!({ "islands": islands.len(), "largest": rows });
    let entities = islands.into_iter().take(most).flatten();
    let counting = context.of.relations().filter(|relation| context.filter.admits(context.of, *relation));
    Answer::new(text, value).drawing(context.of, entities, counting)
}

pub(super) fn contradictions(context: &Context<'_>) -> Answer {
    let counts = |fact| {
        let told = Told { fact, when: context.of.when_of(fact) };
        context.filter.takes(context.of, told)
    };
    let mut found = context.contradictions();
    // One of the two is enough: the other may have a different time or host, which is the contradiction.
    found.retain(|it| counts(it.one) || counts(it.other));
    let mut text = String::new();
    let mut last = None;
    for it in &found {
        if last.replace(it.kind) != Some(it.kind) {
            let _ = writeln!(text, "{}", it.kind.words());
        }
        let _ = writeln!(text, "  {}", crate::inert::terminal(&it.about));
        for fact in [it.one, it.other] {
            let _ = writeln!(text, "    {}  {}", context.short_sentence(fact), context.cited(fact));
        }
    }
    let _ = writeln!(
        text,
        "{}; {} kinds are looked for",
        count(found.len(), "contradiction"),
        ContradictionKind::ALL.len()
    );
    let rows: Vec<Value> = found
        .iter()
        .map(|it| {
            json!({
                "kind": it.kind.name(),
                "meaning": it.kind.words(),
                "about": it.about,
                "excludes": it.kind.excludes(),
                "facts": [context.cited(it.one), context.cited(it.other)],
                "sentences": [context.sentence(it.one), context.sentence(it.other)],
            })
        })
        .collect();
    let looked_for: Vec<&str> = ContradictionKind::ALL.iter().map(|kind| kind.name()).collect();
    Answer::new(text, json!({ "contradictions": rows, "looked_for": looked_for }))
}
