//! What connections are like as a whole.

use super::Answer;
use super::context::Context;
use super::thing::count;
use graph::Run;
use graph::connections::{
    ContradictionKind, EntityKind, RULES, RelationKind, contradictions as found_by_code, hubs as busiest,
    islands as hanging_together,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

pub(super) fn summary(context: &Context<'_>) -> Answer {
    let mut entities: BTreeMap<EntityKind, (usize, usize)> = BTreeMap::new();
    for entity in context.of.entities() {
        let number = entities.entry(context.of.kind(entity)).or_default();
        number.0 += 1;
        number.1 += usize::from(!context.of.key(entity).2);
    }
    let mut relations: BTreeMap<RelationKind, usize> = BTreeMap::new();
    for relation in context.of.relations().filter(|relation| context.filter.admits(context.of, *relation)) {
        if let Some((_, kind, _)) = context.of.relation(relation) {
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
    let things: usize = entities.values().map(|it| it.0).sum();
    let drawn = relations.values().sum();
    let entities_of = if things == 1 { "1 entity".to_owned() } else { format!("{things} entities") };
    let _ = writeln!(
        text,
        "{entities_of} and {} by code, on {}",
        count(drawn, "relation"),
        count(context.of.facts(), "fact")
    );
    let value = json!({
        "entities": entities.iter().map(|(kind, it)| (kind.name(), it.0)).collect::<BTreeMap<_, _>>(),
        "relations": relations.iter().map(|(kind, it)| (kind.name(), it)).collect::<BTreeMap<_, _>>(),
        "facts": context.of.facts(),
        "rules": RULES,
        "sealed": context.runs().iter().map(|run| sealed(run)).collect::<Vec<_>>(),
    });
    for run in context.runs() {
        let _ = writeln!(text, "{}", seal_line(run, context.runs().len() > 1));
    }
    let counting = context.of.relations().filter(|relation| context.filter.admits(context.of, *relation));
    Answer::new(text, value).drawing(context.of, context.of.entities(), counting)
}

/// What the seal of a run says of its entities and relations; null where it says nothing.
fn sealed(run: &Run) -> Value {
    json!(run.sealed.as_ref().and_then(|sealed| sealed.connections))
}

fn seal_line(run: &Run, is_named: bool) -> String {
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
            "the seal{of} is older and holds no digest of them: made by the rules {RULES} of this version"
        ),
        None => {
            let run = if is_named { format!("the run {name}") } else { "the run".to_owned() };
            format!("{run} is not sealed: made of the facts so far, by the rules {RULES}")
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
    let entities = hubs.into_iter().map(|(entity, _)| entity);
    Answer::new(text, json!({ "hubs": rows })).drawing(context.of, entities, [])
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
    let found = found_by_code(context.of, context.facts());
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
                "facts": [context.cited(it.one), context.cited(it.other)],
                "sentences": [context.sentence(it.one), context.sentence(it.other)],
            })
        })
        .collect();
    let looked_for: Vec<&str> = ContradictionKind::ALL.iter().map(|kind| kind.name()).collect();
    Answer::new(text, json!({ "contradictions": rows, "looked_for": looked_for }))
}
