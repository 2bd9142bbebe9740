//! What the facts say about an entity in chronological order: on its own, and with its origin and its effects.

use super::ROWS;
use crate::connected::EVERYTHING;
use crate::pages::sight::{Sight, number, when};
use crate::routes::Asked;
use crate::text::count;
use graph::connections::{EntityRef, Part, RelationRef, StoryStep, Told, timeline as moments, told_of};
use maud::{Markup, html};
use report::terminal as inert;

/// The number of relations that a story follows; the default of `locard graph`.
const DEPTH: u32 = 8;

/// The maximum number of relations for an entity to have a story: beyond that, it would be the story of a whole host.
const STORY: usize = 20_000;

pub(super) fn timeline(sight: &Sight<'_>, entity: EntityRef, asked: &Asked) -> Markup {
    let moments = moments(sight.of, entity, &EVERYTHING);
    let part = sight.stretch(
        asked.number("from"),
        moments.len(),
        ROWS,
        &sight.address(entity),
        &[("part", "timeline")],
    );
    let shown = moments.iter().skip(part.first).take(part.end - part.first);
    html! {
        h2 { "Timeline" }
        p { (number(moments.len())) " entries, in the order of time; facts without a time come last." }
        (part.links)
        (rows(sight, shown.map(|it| (it.told, it.relation))))
        (part.links)
    }
}

pub(super) fn story(sight: &Sight<'_>, entity: EntityRef, asked: &Asked) -> Markup {
    let relations = sight.of.relations_of(entity).len();
    if relations > STORY {
        return html! { h2 { "Story" } p { "This entity has " (number(relations)) " relations: too many to be one story. The timeline lists them." } };
    }
    // In story order: first what came before and after, then what only happened nearby.
    let mut steps = told_of(sight.of, entity, DEPTH, &EVERYTHING);
    steps.sort_by_key(|step| chapter(step.part));
    let part =
        sight.stretch(asked.number("from"), steps.len(), ROWS, &sight.address(entity), &[("part", "story")]);
    let shown: Vec<&StoryStep> = steps.iter().skip(part.first).take(part.end - part.first).collect();
    html! {
        h2 { "Story" }
        p { (count(steps.len(), "entry", "entries")) "." }
        (part.links)
        @for chapter_of in shown.chunk_by(|one, other| chapter(one.part) == chapter(other.part)) {
            @if let Some(first) = chapter_of.first() { h3 { (title(first.part)) } }
            (rows(sight, chapter_of.iter().map(|it| (it.told, it.relation))))
        }
        (part.links)
    }
}

/// Returns the position of a part among the chapters of a story.
const fn chapter(part: Part) -> u8 {
    match part {
        Part::Before | Part::Itself | Part::After => 0,
        Part::SameAccount => 1,
        Part::SameHost => 2,
    }
}

const fn title(part: Part) -> &'static str {
    match part {
        Part::Before | Part::Itself | Part::After => "Where it came from, and what became of it",
        Part::SameAccount => {
            "What the accounts that ran or wrote it did afterwards (not shown to be its doing)"
        }
        Part::SameHost => {
            "What was set up, cleared, deleted or connected on its host afterwards (not shown by whom)"
        }
    }
}

/// Renders facts in order: the time of each, what it relates, and once what it says.
fn rows(sight: &Sight<'_>, rows: impl Iterator<Item = (Told, Option<RelationRef>)>) -> Markup {
    let rows: Vec<_> = rows.collect();
    html! {
        ul.rows {
            @for of_fact in rows.chunk_by(|one, other| one.0 == other.0) {
                @if let Some((told, _)) = of_fact.first() {
                    li {
                        @match told.when { Some(at) => (when(at)), None => span.note { "no time" } }
                        " " (inert(&sight.told(|words| words.sentence(told.fact)))) " " (sight.fact_link(told.fact.fact))
                        @for relation in of_fact.iter().filter_map(|(_, relation)| *relation) {
                            br; span.note { (sight.sentence(relation)) }
                        }
                    }
                }
            }
        }
    }
}
