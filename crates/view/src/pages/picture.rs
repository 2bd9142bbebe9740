//! A picture of a run's graph that starts with one entity and grows by links, and the same as a table.

mod drawing;
mod layout;
mod plan;
mod shapes;
mod state;
mod twin;

use super::entity::parts;
use super::sight::{Sight, name, one};
use crate::error::Trouble;
use crate::house::House;
use crate::page::{Answer, Page};
use crate::routes::Asked;
use graph::connections::{EntityId, EntityKind};
use layout::{Form, layout};
use maud::{Markup, html};
use plan::{Plan, What, plan};
use state::State;
use std::collections::BTreeSet;

pub(crate) fn page(house: &House, run: &str, asked: &Asked) -> Answer {
    let book = house.shelf.open(run)?;
    let sight = Sight::of(&book);
    let text = asked.text("of").unwrap_or_default();
    let found = text.parse::<EntityId>().ok().and_then(|id| Some((id, sight.of.with_id(id)?)));
    let (id, entity) = found.ok_or_else(|| Trouble::no_such("entity", text, Some(run)))?;
    let state = State::read(id, asked.text("open").unwrap_or_default());
    let plan = plan(&sight, entity, &state);
    let title = format!("Picture of {} {}", one(sight.of.kind(entity)), sight.of.title(entity));
    let body = html! {
        h1 { span.what { "picture of " (one(sight.of.kind(entity))) } " " (name(sight.of.title(entity))) }
        (parts(&sight, entity, Some("picture")))
        (drawn(&sight, &plan, &state))
        section aria-labelledby="twin" {
            h2 #twin { "The same as a table" }
            (twin::table(&sight, &plan, &state))
        }
    };
    Ok(Page::of(run, &title, body))
}

fn drawn(sight: &Sight<'_>, plan: &Plan, state: &State) -> Markup {
    html! {
        section #picture aria-label="Picture" {
            p.note {
                "A group opens and closes with a click. An entity opens with its own relations. "
                "Arrow keys go from node to node, Enter opens."
                @if state.open.len() > 1 || state.open.values().any(Option::is_some) { " " a href=(sight.picture(plan.root)) { "Begin again" } }
            }
            (legend(sight, plan))
            @for form in Form::ALL { (drawing::svg(sight, plan, &layout(plan, form), state)) }
            @if plan.rows.is_empty() { p { "No recorded fact relates it to anything." } }
            @if plan.is_cut { p.trouble { "The picture is full. Close some groups to see the others." } }
        }
    }
}

/// Renders the legend for the shapes and lines that are drawn.
fn legend(sight: &Sight<'_>, plan: &Plan) -> Markup {
    let mut kinds: BTreeSet<EntityKind> = BTreeSet::from([sight.of.kind(plan.root)]);
    kinds.extend(plan.rows.iter().filter_map(|row| match &row.what {
        What::Thing { entity, .. } => Some(sight.of.kind(*entity)),
        What::Group { .. } | What::More { .. } | What::Readings { .. } | What::Reading { .. } => None,
    }));
    let has_readings = plan.rows.iter().any(|row| matches!(row.what, What::Readings { .. }));
    html! {
        ul.legend aria-label="Legend" {
            @for kind in &kinds {
                li { svg.mark aria-hidden="true" viewBox="-11 -11 22 22" { (drawing::shape(*kind, 0, 0)) } " " (one(*kind)) }
            }
            li { svg.mark aria-hidden="true" viewBox="-11 -11 22 22" { path.arrow d="M-7-6L7 0L-7 6Z" {} } " direction of the relation" }
            @if has_readings {
                li { svg.mark aria-hidden="true" viewBox="-11 -11 22 22" { path.edge.reading d="M-10 0H10" {} } " agent’s reading, not made by code" }
            }
        }
    }
}
