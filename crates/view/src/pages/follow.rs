//! Follows a run while it is being recorded.

use crate::house::House;
use crate::lines::{Line, lines};
use crate::page::{Answer, Page};
use crate::routes::Asked;
use crate::text::{query, segment};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use report::terminal as inert;
use serde_json::json;

/// The number of events that a page starts with, and that are sent at once.
const EVENTS: usize = 400;

pub(crate) fn page(house: &House, name: &str, asked: &Asked) -> Answer {
    let folder = house.shelf.folder(name)?;
    let length = app::recorded_length(&folder)?;
    let last = length.saturating_sub(EVENTS as u64);
    let from = asked.text("from").map_or(last, |_| asked.number("from") as u64);
    let followed = app::follow(&folder, from, EVENTS)?;
    let base = format!("/run/{}", segment(name));
    // A page about the past does not change.
    let lives = !followed.sealed && !followed.more;
    let earlier = (from > 0).then(|| address(&base, from.saturating_sub(EVENTS as u64)));
    let later = followed.more.then(|| address(&base, followed.next));
    let body = html! {
        h1 { "Log" }
        p #state role="status" aria-live="polite" {
            @if followed.sealed { "The run is sealed: nothing will be added." }
            @else if lives { "The run is not sealed. This page shows new events as they are added." }
            @else { "The run continues on the next page." }
        }
        p.note { "These are the rows of the log; only the other pages of the run also check the chain. Answered turns and pages shown are left out." }
        (crate::page::paging(earlier.as_deref(), later.as_deref(), &format!("events {from} to {}, of {length}", followed.next)))
        ol.log #log role="log" aria-label="Log" data-news=[lives.then(|| format!("{base}/news"))] data-next=(followed.next) {
            @for line in lines(&followed) { (shown(&line, &base)) }
        }
    };
    Ok(Page::of(name, "Log", body).living(lives))
}

fn address(base: &str, from: u64) -> String {
    format!("{base}/follow?{}", query(&[("from", &from.to_string())]))
}

fn shown(line: &Line, base: &str) -> Markup {
    html! {
        li.(line.kind.name()) {
            time { (line.at) } " "
            span.who { (line.who) } " "
            span.kind { (line.kind.name()) } " "
            @match &line.link {
                Some(link) => a.item href={ (base) "/" (link) } { (line.text) },
                None => span { (line.text) },
            }
        }
    }
}

/// Returns the events since a position, for the script of the page.
pub(crate) fn news(house: &House, name: &str, asked: &Asked) -> Answer<Response> {
    let folder = house.shelf.folder(name)?;
    let followed = app::follow(&folder, asked.number("from") as u64, EVENTS)?;
    let base = format!("/run/{}", segment(name));
    let value = json!({
        "lines": lines(&followed).iter().map(|line| line.json(&base)).collect::<Vec<_>>(),
        "next": followed.next,
        "more": followed.more,
        "sealed": followed.sealed && !followed.more,
        "run": inert(name),
    });
    Ok(([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response())
}
