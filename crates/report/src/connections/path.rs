//! Answers how two entities are connected.

use super::Answer;
use super::context::{Context, distinct, time};
use graph::connections::{EntityRef, Hop, RelationRef, namesakes, paths};
use serde_json::{Value, json};
use std::fmt::Write;

pub(super) fn answer(context: &Context<'_>, ends: (EntityRef, EntityRef), ways: usize) -> Answer {
    let found = paths(context.of, ends, ways, context.filter, |relation| doubt(context, relation));
    let mut text = String::new();
    for (at, way) in (1..).zip(&found) {
        if found.len() > 1 {
            let _ = writeln!(text, "way {at} of {}", found.len());
        }
        told(&mut text, context, ends.0, way);
    }
    if found.is_empty() {
        nothing(&mut text, context, ends);
    }
    let value = json!({
        "from": context.entity_json(ends.0),
        "to": context.entity_json(ends.1),
        "ways": found.iter().map(|way| way_json(context, way)).collect::<Vec<_>>(),
    });
    let relations: Vec<_> = found.iter().flatten().map(|hop| hop.by).collect();
    Answer::new(text, value).drawing(context.of, [ends.0, ends.1], relations)
}

fn told(out: &mut String, context: &Context<'_>, start: EntityRef, way: &[Hop]) {
    let _ = writeln!(out, "{}", context.shown(start));
    for hop in way {
        let Some((from, kind, _)) = context.of.relation(hop.by) else { continue };
        let shown = context.shown_by(hop.by);
        let words = kind.words();
        let arrow = if from == hop.from {
            format!("── {words} ─▶")
        } else {
            format!("◀─ {words} ──")
        };
        let _ = writeln!(out, "  {arrow} {}", context.shown(hop.to));
        if let Some(best) = shown.first() {
            let _ = writeln!(out, "      {}", context.short_sentence(best.fact));
            let more = match distinct(shown.iter().copied()) {
                1 => String::new(),
                more => format!(", and {} more", more - 1),
            };
            let when = time(best.when);
            let sure = context.confidence(hop.by);
            let _ = writeln!(out, "      {}  {}{more}; {sure}", when.trim(), context.cited(best.fact));
        }
    }
    if let Some(hop) = weakest(context, way) {
        let (from, kind, to) = match context.of.relation(hop.by) {
            Some(relation) => relation,
            None => return,
        };
        let why = context.weakness(hop.by).map(|why| format!("; {why}")).unwrap_or_default();
        let _ = writeln!(
            out,
            "weakest: {} {} {}: {}{why}",
            context.called(from),
            kind.words(),
            context.called(to),
            context.confidence(hop.by)
        );
    }
}

/// Returns the doubt about a relation, in thousandths; the best paths minimise its sum.
pub fn doubt(context: &Context<'_>, relation: RelationRef) -> u32 {
    1000_u32.saturating_sub(context.confidence(relation).thousandths().into())
}

/// Returns the relation of a path with the weakest support; the first of several.
pub fn weakest<'w>(context: &Context<'_>, way: &'w [Hop]) -> Option<&'w Hop> {
    way.iter().min_by_key(|hop| context.confidence(hop.by).thousandths())
}

fn way_json(context: &Context<'_>, way: &[Hop]) -> Value {
    let hops: Vec<Value> = way
        .iter()
        .map(|hop| {
            json!({
                "from": context.entity_json(hop.from),
                "relation": context.relation_json(hop.by),
                "to": context.entity_json(hop.to),
            })
        })
        .collect();
    let weakest = weakest(context, way).and_then(|weakest| way.iter().position(|hop| hop == weakest));
    json!({ "hops": hops, "weakest": weakest })
}

fn nothing(out: &mut String, context: &Context<'_>, (from, to): (EntityRef, EntityRef)) {
    let _ = writeln!(
        out,
        "no relation that was recorded connects {} and {}",
        context.shown(from),
        context.shown(to)
    );
    for end in [from, to] {
        for other in namesakes(context.of, end).into_iter().take(5) {
            let _ = writeln!(out, "{}: {}", other.words(), context.shown(other.entity));
        }
    }
}
