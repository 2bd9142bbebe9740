//! What the facts say about an entity, in chronological order.

use super::Answer;
use super::context::{Context, time};
use super::thing::count;
use graph::connections::{EntityRef, Part, RelationRef, Told, timeline as moments, told_of};
use serde_json::json;
use std::fmt::Write;

pub(super) fn timeline(context: &Context<'_>, entity: EntityRef) -> Answer {
    let moments = moments(context.of, entity, context.filter);
    let mut text = format!("{}\n", context.shown(entity));
    rows_of(&mut text, context, moments.iter().map(|moment| (moment.told, moment.relation)));
    let _ = writeln!(text, "{}", count(moments.len(), "fact"));
    let rows: Vec<_> = moments
        .iter()
        .map(|moment| {
            json!({
                "relation": moment.relation.map(|relation| relation_name(context, relation)),
                "fact": context.fact_json(moment.told),
            })
        })
        .collect();
    let value = json!({ "entity": context.entity_json(entity), "rows": rows });
    let relations = moments.iter().filter_map(|moment| moment.relation);
    Answer::new(text, value).drawing(context.of, [entity], relations)
}

pub(super) fn answer(context: &Context<'_>, entity: EntityRef, depth: u32) -> Answer {
    let steps = told_of(context.of, entity, depth, context.filter);
    let mut text = format!("{}\n", context.shown(entity));
    for (parts, head) in [
        (&[Part::Before, Part::Itself, Part::After][..], "what it came from, and what became of it:"),
        (
            &[Part::SameAccount],
            "what the accounts that ran or wrote it did afterwards (not shown to be its doing):",
        ),
        (
            &[Part::SameHost],
            "what was set up, cleared, deleted or connected on its host afterwards (by whom is not shown):",
        ),
    ] {
        let of_part: Vec<_> = steps.iter().filter(|step| parts.contains(&step.part)).collect();
        if of_part.is_empty() {
            continue;
        }
        let _ = writeln!(text, "{head}");
        rows_of(&mut text, context, of_part.into_iter().map(|step| (step.told, step.relation)));
    }
    let rows: Vec<_> = steps
        .iter()
        .map(|step| {
            json!({
                "part": step.part.name(),
                "relation": step.relation.map(|relation| relation_name(context, relation)),
                "fact": context.fact_json(step.told),
            })
        })
        .collect();
    let value = json!({ "entity": context.entity_json(entity), "rows": rows });
    let relations = steps.iter().filter_map(|step| step.relation);
    Answer::new(text, value).drawing(context.of, [entity], relations)
}

/// Writes facts in order: the time of each, what it relates, and once what it says.
fn rows_of(out: &mut String, context: &Context<'_>, rows: impl Iterator<Item = (Told, Option<RelationRef>)>) {
    let rows: Vec<_> = rows.collect();
    for of_fact in rows.chunk_by(|one, other| one.0 == other.0) {
        let mut when = of_fact.first().map_or_else(String::new, |(told, _)| time(told.when));
        for relation in of_fact.iter().filter_map(|(_, relation)| *relation) {
            let _ = writeln!(out, "  {when} {}", relation_name(context, relation));
            when = format!("{:25}", "");
        }
        if let Some((told, _)) = of_fact.first() {
            let _ = writeln!(
                out,
                "  {when}   {}  {}",
                context.short_sentence(told.fact),
                context.cited(told.fact)
            );
        }
    }
}

/// Describes a relation.
fn relation_name(context: &Context<'_>, relation: RelationRef) -> String {
    context.of.relation(relation).map_or_else(String::new, |(from, kind, to)| {
        format!("{} {} {}", context.called(from), kind.words(), context.called(to))
    })
}
