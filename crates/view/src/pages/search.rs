//! Searches what the calls of one run, or of all runs, returned.

use crate::error::{Trouble, causes};
use crate::house::House;
use crate::page::{Answer, Page, paging};
use crate::pages::invocation::link;
use crate::routes::Asked;
use crate::text::{count, query, segment};
use app::{FoundRecord, Hit, SearchFrom, SearchLimits, Sought};
use maud::{Markup, html};
use report::terminal as inert;

/// The number of records on a page.
const RESULTS: usize = 50;

/// The number of bytes of outputs that one page reads, which bounds its time.
const BYTES: u64 = 512 << 20;

/// The maximum length of a search text, in characters.
const LONGEST: usize = 200;

/// The results over all runs.
#[derive(Default)]
struct Results {
    /// The records of each run with results, or the reason why it could not be searched.
    runs: Vec<(String, Result<app::Found, Trouble>)>,
    records: usize,
    bytes: u64,
    /// The position where the remaining results start.
    next: Option<String>,
}

pub(crate) fn page(house: &House, asked: &Asked) -> Answer {
    let text = asked.text("q").unwrap_or_default();
    let only = asked.text("run").filter(|run| !run.is_empty());
    if text.chars().count() > LONGEST {
        return Err(Trouble::Asked { because: "the search text has more than 200 characters" });
    }
    let Some(sought) = Sought::new(text) else { return Ok(nothing_asked(only)) };
    let results = search(house, &sought, only, asked.text("after"))?;
    let body = html! {
        h1 { "Search" }
        p {
            @if results.records == 0 && results.next.is_none() { "No record contains " code { (inert(text)) } }
            @else { (count(results.records, "record", "records")) @if results.next.is_some() { " so far" } " with " code { (inert(text)) } }
            @match only {
                Some(run) => { " in the outputs of " a href={ "/run/" (segment(run)) } { (inert(run)) } ". "
                    a href={ "/search?" (query(&[("q", text)])) } { "Search all runs" } },
                None => " in the outputs of all runs.",
            }
        }
        p.note { "Searches every value of every record and the records’ places, ignoring case. Each record is listed once, with the first five fields that contain the text." }
        @for (run, found) in &results.runs { (of_run(run, found)) }
        (rest(&results, text, only))
    };
    let title = format!("Search: {text}");
    let page = match only {
        Some(run) => Page::of(run, &title, body),
        None => Page::new(&title, body),
    };
    Ok(page.seeking(text))
}

fn nothing_asked(only: Option<&str>) -> Page {
    let body = html! { h1 { "Search" } p { "Enter a search text in the field above." } };
    match only {
        Some(run) => Page::of(run, "Search", body),
        None => Page::new("Search", body),
    }
}

fn search(house: &House, sought: &Sought, only: Option<&str>, after: Option<&str>) -> Answer<Results> {
    let names = match only {
        Some(run) => {
            house.shelf.folder(run)?;
            vec![run.to_owned()]
        }
        None => house.shelf.names()?.into_iter().map(|(name, _)| name).collect(),
    };
    let (first, mut from) = match after {
        Some(after) => {
            place(after).ok_or(Trouble::Asked { because: "`after` is not a place to continue from" })?
        }
        None => (names.first().cloned().unwrap_or_default(), SearchFrom::default()),
    };
    if !names.contains(&first) && after.is_some() {
        return Err(Trouble::no_such("run", &first, None));
    }
    let mut results = Results::default();
    for name in names.into_iter().skip_while(|name| *name != first) {
        if results.records >= RESULTS || results.bytes >= BYTES {
            results.next = Some(cursor(&name, from));
            break;
        }
        let limits =
            SearchLimits { records: RESULTS - results.records, bytes: BYTES.saturating_sub(results.bytes) };
        let found = house
            .shelf
            .open(&name)
            .and_then(|book| Ok(app::search_outputs(&book.folder, &book.run, sought, from, limits)?));
        from = SearchFrom::default();
        if let Ok(found) = &found {
            results.records += found.records.len();
            results.bytes = results.bytes.saturating_add(found.bytes);
            results.next = found.next.map(|next| cursor(&name, next));
        }
        results.runs.push((name, found));
        if results.next.is_some() {
            break;
        }
    }
    Ok(results)
}

/// Formats a position to continue from, for an address.
fn cursor(run: &str, from: SearchFrom) -> String {
    format!("{}.{}.{}.{run}", from.task, from.place, from.record)
}

fn place(text: &str) -> Option<(String, SearchFrom)> {
    let mut parts = text.splitn(4, '.');
    let from = SearchFrom {
        task: parts.next()?.parse().ok()?,
        place: parts.next()?.parse().ok()?,
        record: parts.next()?.parse().ok()?,
    };
    Some((parts.next()?.to_owned(), from))
}

fn of_run(name: &str, found: &Result<app::Found, Trouble>) -> Markup {
    let base = format!("/run/{}", segment(name));
    match found {
        Err(trouble) => html! { section { h2 { (inert(name)) } (causes(trouble)) } },
        Ok(found) if found.records.is_empty() && found.unread.is_empty() => html! {},
        Ok(found) => html! {
            section {
                h2 { a href=(base) { (inert(name)) } }
                @for error in &found.unread { (causes(error)) }
                ul.rows { @for record in &found.records { (result(record, &base)) } }
            }
        },
    }
}

fn result(found: &FoundRecord, base: &str) -> Markup {
    html! {
        li {
            a.item href=(link(base, found.invocation, found.record)) { (inert(&found.tool)) " " code { (found.invocation) } " " (found.record) }
            " " span.note { (inert(&found.kind)) " · " code { (inert(&found.locator.to_string())) } }
            dl.hits { @for hit in &found.hits { (excerpt(hit)) } }
        }
    }
}

fn excerpt(hit: &Hit) -> Markup {
    html! {
        dt { (inert(hit.field.as_deref().unwrap_or("its place"))) }
        dd { code.value { (inert(&hit.before)) mark { (inert(&hit.text)) } (inert(&hit.after)) } }
    }
}

fn rest(results: &Results, text: &str, only: Option<&str>) -> Markup {
    let address = |after: &String| {
        let mut pairs = vec![("q", text), ("after", after.as_str())];
        pairs.extend(only.map(|run| ("run", run)));
        format!("/search?{}", query(&pairs))
    };
    let said = match results.records {
        RESULTS.. => "There may be more.",
        _ => "The search stopped here; it can continue from this place.",
    };
    let after = results.next.as_ref().map(address);
    paging(None, after.as_deref(), said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_to_go_on_from_survives_the_address() {
        let from = SearchFrom { task: 2, place: 17, record: 400 };
        assert_eq!(place(&cursor("2026.a b", from)), Some(("2026.a b".to_owned(), from)));
        for text in ["", "1.2.3", "x.1.2.run", "-1.0.0.run"] {
            assert_eq!(place(text), None, "{text}");
        }
    }
}
