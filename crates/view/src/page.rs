//! What all pages have in common.

use crate::error::Trouble;
use crate::text::segment;
use axum::http::header;
use axum::response::{Html, IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};
use report::terminal as inert;

/// A page, or the reason why there is none.
pub(crate) type Answer<A = Page> = Result<A, Trouble>;

/// A page under construction.
pub(crate) struct Page {
    title: String,
    body: Markup,
    /// The run that it belongs to.
    run: Option<String>,
    /// The text in the search field.
    sought: String,
    /// Whether a browser without scripts reloads it.
    lives: bool,
}

impl Page {
    /// Creates a page with this title; `body` must begin with a heading.
    pub(crate) fn new(title: &str, body: Markup) -> Page {
        Page { title: inert(title), body, run: None, sought: String::new(), lives: false }
    }

    /// Creates a page of this run.
    pub(crate) fn of(run: &str, title: &str, body: Markup) -> Page {
        Page { run: Some(run.to_owned()), ..Page::new(&format!("{title} · {run}"), body) }
    }

    /// Sets the text in the search field.
    pub(crate) fn seeking(self, sought: &str) -> Page {
        Page { sought: sought.to_owned(), ..self }
    }

    /// Sets whether it is reloaded every few seconds, if no script does better.
    pub(crate) fn living(self, lives: bool) -> Page {
        Page { lives, ..self }
    }

    fn markup(&self) -> Markup {
        html! {
            (DOCTYPE)
            html lang="en" {
                (head(&self.title, self.lives))
                body {
                    a.skip href="#main" { "Skip to the content" }
                    header.top {
                        nav aria-label="Runs" {
                            a.brand href="/" { "Locard" }
                            @if let Some(run) = &self.run { (of_run(run)) }
                        }
                        (search(self.run.as_deref(), &self.sought))
                    }
                    main #main tabindex="-1" { (self.body) }
                    footer {
                        p {
                            "Text from the evidence is shown unchanged; characters that would move or hide it are written as "
                            code { "\\u{…}" } "."
                        }
                        p #keys hidden {
                            label { input #keys-on type="checkbox"; " Keys: " }
                            kbd { "/" } " search, " kbd { "n" } " and " kbd { "p" } " next and previous page, "
                            kbd { "j" } " and " kbd { "k" } " next and previous link of a list"
                        }
                    }
                }
            }
        }
    }
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        Html(self.markup().into_string()).into_response()
    }
}

/// Returns a page outside the application; with `onward`, it redirects to the list of runs.
pub(crate) fn plain(title: &str, body: &Markup, onward: bool) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · Locard" }
                @if onward { meta http-equiv="refresh" content="0;url=/"; }
            }
            body { main { (body) } }
        }
    };
    Html(page.into_string()).into_response()
}

/// Returns text that no browser interprets as anything else.
pub(crate) fn text(body: Vec<u8>) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], body).into_response()
}

fn head(title: &str, lives: bool) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) " · Locard" }
            link rel="icon" href="/icon.svg";
            link rel="stylesheet" href="/style.css";
            script src="/view.js" defer {}
            @if lives { noscript { meta http-equiv="refresh" content="5"; } }
        }
    }
}

/// Renders the links to the pages of a run.
fn of_run(run: &str) -> Markup {
    let base = format!("/run/{}", segment(run));
    html! {
        span.separator aria-hidden="true" { "/" }
        a.run href=(base) { (inert(run)) }
        ul.parts {
            @for (part, name) in PARTS {
                li { a href={ (base) "/" (part) } { (name) } }
            }
        }
    }
}

const PARTS: [(&str, &str); 6] = [
    ("facts", "Facts"),
    ("graph", "Graph"),
    ("calls", "Calls"),
    ("refused", "Refused"),
    ("follow", "Log"),
    ("report", "Report"),
];

fn search(run: Option<&str>, sought: &str) -> Markup {
    html! {
        search {
            form.search action="/search" method="get" {
                label for="q" { @if run.is_some() { "Search this run’s outputs" } @else { "Search all outputs" } }
                input #q type="search" name="q" value=(sought) maxlength="200" autocomplete="off" spellcheck="false";
                @if let Some(run) = run { input type="hidden" name="run" value=(run); }
                button type="submit" { "Search" }
            }
        }
    }
}

/// Renders the links to the previous and the next page; empty if there is only one page.
pub(crate) fn paging(before: Option<&str>, after: Option<&str>, said: &str) -> Markup {
    html! {
        @if before.is_some() || after.is_some() {
            nav.paging aria-label="Pages" {
                @if let Some(before) = before { a rel="prev" href=(before) { "← Previous" } }
                span { (said) }
                @if let Some(after) = after { a rel="next" href=(after) { "Next →" } }
            }
        }
    }
}

/// One page's part of a list, and the links around it.
pub(crate) struct Stretch {
    pub(crate) first: usize,
    pub(crate) end: usize,
    pub(crate) links: Markup,
}

/// Returns the part of a list of `all` items that starts at `from`; `address` returns the address of a part by its start.
pub(crate) fn stretch(from: usize, all: usize, size: usize, address: impl Fn(usize) -> String) -> Stretch {
    let first = if from < all { from } else { 0 };
    let end = first.saturating_add(size).min(all);
    let before = (first > 0).then(|| address(first.saturating_sub(size)));
    let after = (end < all).then(|| address(end));
    let links = paging(before.as_deref(), after.as_deref(), &format!("{} to {end} of {all}", first + 1));
    Stretch { first, end, links }
}
