//! A picture as a table: one row for each node that is drawn, in the same order.

use super::super::graph::link as reading;
use super::super::sight::{Sight, many, name, number, seen_from};
use super::drawing::{more_words, turn};
use super::plan::{Plan, Row, What};
use super::state::State;
use maud::{Markup, html};

pub(super) fn table(sight: &Sight<'_>, plan: &Plan, state: &State) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-labelledby="twin" {
            table.twin {
                thead { tr {
                    th scope="col" { "Entity" } th scope="col" { "Time" } th scope="col" { "Confidence" } th scope="col" { "Facts" }
                } }
                tbody {
                    tr data-node=(sight.id(plan.root)) { th colspan="4" scope="rowgroup" { (sight.link(plan.root)) } }
                    @for row in &plan.rows { (line(sight, row, state)) }
                }
            }
        }
    }
}

fn line(sight: &Sight<'_>, row: &Row, state: &State) -> Markup {
    let deep = format!("d{}", row.depth.min(6));
    match &row.what {
        What::Group { of, group, count, is_open, .. } => html! {
            tr data-node=(row.key) {
                th.(deep) colspan="4" scope="rowgroup" {
                    (name(sight.of.title(*of))) " · " (seen_from(group.kind, group.way)) ": "
                    a href=(turn(sight, row, *of, state)) aria-expanded=(is_open) { (many(*count, group.other)) }
                    @if !is_open { span.note { " (not drawn)" } }
                }
            }
        },
        What::Thing { entity, by, is_again, .. } => html! {
            tr data-node=(row.key) {
                td.(deep) { (sight.link(*entity)) @if *is_again { " " span.note { "(drawn elsewhere)" } } }
                td { (sight.span(*by)) }
                td.nowrap { (sight.confidence(*by)) }
                td { (sight.citing(*by)) }
            }
        },
        What::More { of, shown, left, .. } => html! {
            tr data-node=(row.key) {
                td.(deep) colspan="4" { a href=(turn(sight, row, *of, state)) { (more_words(*shown, *left)) } span.note { " (not drawn)" } }
            }
        },
        What::Readings { of, count, shown } => html! {
            tr data-node=(row.key) {
                th.(deep) colspan="4" scope="rowgroup" {
                    (name(sight.of.title(*of))) " · agents’ readings: " (number(*count))
                    @if shown < count { span.note { " (" (shown) " drawn)" } }
                }
            }
        },
        What::Reading { place, .. } => html! {
            tr.reading data-node=(row.key) {
                td.(deep) colspan="4" {
                    @if let Some(link) = sight.connected.readings(sight.run).links.get(*place) { (reading(sight, link)) }
                }
            }
        },
    }
}
