//! The report of a run.

use crate::house::House;
use crate::page::{Answer, Page};
use crate::shelf::Book;
use axum::response::{IntoResponse, Response};
use maud::html;

pub(crate) fn page(house: &House, name: &str) -> Answer<Response> {
    let book = house.shelf.open(name)?;
    Ok(report(&book))
}

/// The report as it is shown: for now the Markdown, as text.
///
/// A report that is an HTML file of its own, with its styles and scripts inside, needs a policy of its own beside its bytes: one that allows them by their hashes (`guard::POLICY` allows none; `guard` keeps a policy that an answer has).
fn report(book: &Book) -> Response {
    let text = report::markdown(&book.run);
    let body = html! {
        h1 { "Report" }
        p.note { "In Markdown, as " code { "locard report" } " writes it." }
        pre.report tabindex="0" { code { (text) } }
    };
    Page::of(&book.name, "Report", body).into_response()
}
