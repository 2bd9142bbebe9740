//! The list of runs.

use crate::house::House;
use crate::page::{Answer, Page};
use crate::text::{count, segment, to_the_second};
use app::{Listed, State};
use maud::{Markup, html};
use report::terminal as inert;

pub(crate) fn page(house: &House) -> Answer {
    let runs = house.shelf.list()?;
    let readable = runs.iter().filter(|(_, listed)| listed.state != State::Unreadable).count();
    let body = html! {
        h1 { "Runs" }
        p {
            (count(runs.len(), "run", "runs"))
            @if let Some(place) = house.shelf.place() { " in " code { (inert(&place.to_string_lossy())) } }
            ", newest first."
        }
        @if runs.is_empty() {
            p { "There are none yet. " code { "locard run" } " makes one; then reload this page." }
        } @else {
            (table(&runs))
        }
        @if readable > 1 { (compare(&runs)) }
    };
    Ok(Page::new("Runs", body))
}

fn table(runs: &[(String, Listed)]) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label="Runs" {
            table {
                thead { tr {
                    th scope="col" { "Run" } th scope="col" { "Case" } th scope="col" { "Begun (UTC)" }
                    th scope="col" { "State" } th.number scope="col" { "Facts" } th.number scope="col" { "Refused" }
                    th.number scope="col" { "Unmet" } th scope="col" { "Agents" }
                } }
                tbody {
                    @for (name, listed) in runs { (row(name, listed)) }
                }
            }
        }
    }
}

fn row(name: &str, listed: &Listed) -> Markup {
    let number = |number: Option<u64>| number.map_or("–".to_owned(), |number| number.to_string());
    let href = format!("/run/{}", segment(name));
    html! {
        tr {
            th.nowrap scope="row" { a.item href=(href) { (inert(name)) } }
            td { (inert(listed.case.as_deref().unwrap_or("–"))) }
            td.nowrap { (to_the_second(listed.begun.as_deref().unwrap_or("–"))) }
            td { (state(listed.state)) @if listed.state == State::Unsealed { " " a href={ (href) "/follow" } { "follow" } } }
            td.number { (number(listed.facts)) }
            td.number { (number(listed.refused)) }
            td.number { (number(listed.unmet)) }
            td { (inert(&listed.agents.join(", "))) }
        }
        @if let Some(because) = &listed.because {
            tr { td colspan="8" { p.trouble { "failed to " (inert(because)) } } }
        }
    }
}

/// Renders the state of a run as a coloured word.
pub(crate) fn state(state: State) -> Markup {
    let (class, word) = match state {
        State::Sealed => ("good", "sealed"),
        State::Unsealed => ("warn", "not sealed"),
        State::Unreadable => ("bad", "unreadable"),
    };
    html! { span.tag.(class) { (word) } }
}

/// Renders the form that asks for two runs side by side.
fn compare(runs: &[(String, Listed)]) -> Markup {
    let readable = || runs.iter().filter(|(_, listed)| listed.state != State::Unreadable);
    // The two latest runs, the older one first.
    let chosen = [readable().nth(1), readable().next()].map(|run| run.map(|(name, _)| name.as_str()));
    let names: Vec<&str> = readable().map(|(name, _)| name.as_str()).collect();
    html! {
        section aria-labelledby="compare" {
            h2 #compare { "Compare two" }
            (form(&names, chosen))
        }
    }
}

/// Renders the form with two runs selected.
pub(crate) fn form(names: &[&str], chosen: [Option<&str>; 2]) -> Markup {
    html! {
        form.compare action="/compare" method="get" {
            @for ((field, label), chosen) in [("before", "Before"), ("after", "After")].into_iter().zip(chosen) {
                label for=(field) { (label) }
                select id=(field) name=(field) {
                    @for name in names {
                        option value=(name) selected[chosen == Some(*name)] { (inert(name)) }
                    }
                }
            }
            button type="submit" { "Compare" }
        }
    }
}
