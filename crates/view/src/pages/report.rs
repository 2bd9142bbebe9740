//! The report of a run.

use crate::error::Trouble;
use crate::house::House;
use crate::page::Answer;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::response::{Html, IntoResponse, Response};

/// Returns the page that `locard report` writes, unchanged: it is self-contained, with its style and script embedded.
///
/// Therefore it has its own policy, which allows these two by their hashes and fetches nothing, not even from this server.
pub(crate) fn page(house: &House, name: &str) -> Answer<Response> {
    let page = app::report_page(&house.shelf.folder(name)?, None, None, app::Wording::default())?;
    let policy = format!("{}; frame-ancestors 'none'", report::html::policy());
    let policy = HeaderValue::from_str(&policy).map_err(|_| Trouble::Defect)?;
    Ok(([(CONTENT_SECURITY_POLICY, policy)], Html(page)).into_response())
}
