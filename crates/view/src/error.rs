//! Errors, and the answers for them.

use crate::page::{Page, plain};
use app::{ListError, OpenRunError, OutputError, ReportPageError};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use report::terminal as inert;
use std::error::Error;
use thiserror::Error;

/// The reason why a page cannot be shown.
#[derive(Debug, Error)]
pub(crate) enum Trouble {
    /// There is no such thing.
    #[error("there is no {what} {name:?}{}", of.as_ref().map_or(String::new(), |run| format!(" in the run {run}")))]
    NoSuch {
        /// The kind of thing that was requested: a run, an invocation, a fact, a page.
        what: &'static str,
        /// The requested name.
        name: String,
        /// The run that was searched for it.
        of: Option<String>,
    },
    /// A run cannot be read.
    #[error(transparent)]
    Run(#[from] OpenRunError),
    /// An output cannot be read.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A run has no report.
    #[error(transparent)]
    Report(#[from] ReportPageError),
    /// The runs cannot be listed.
    #[error(transparent)]
    List(#[from] ListError),
    /// The request cannot be understood.
    #[error("{because}")]
    Asked {
        /// What is wrong with it.
        because: &'static str,
    },
    /// The output is larger than what is sent at once.
    #[error(
        "the output has {bytes} bytes, and at most {most} can be shown at once; its records are shown page by page"
    )]
    TooLong {
        /// Its size in bytes.
        bytes: usize,
        /// The maximum that is sent.
        most: usize,
    },
    /// A thread panicked.
    #[error("this is a bug in the program: it reached an unknown state")]
    Defect,
}

impl Trouble {
    pub(crate) fn no_such(what: &'static str, name: &str, of: Option<&str>) -> Trouble {
        Trouble::NoSuch { what, name: name.to_owned(), of: of.map(str::to_owned) }
    }

    fn status(&self) -> StatusCode {
        match self {
            Trouble::NoSuch { .. } => StatusCode::NOT_FOUND,
            Trouble::Asked { .. } => StatusCode::BAD_REQUEST,
            Trouble::TooLong { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Trouble::Run(_)
            | Trouble::Output(_)
            | Trouble::Report(_)
            | Trouble::List(_)
            | Trouble::Defect => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn title(&self) -> &'static str {
        match self {
            Trouble::NoSuch { .. } => "Not found",
            Trouble::Asked { .. } => "Not understood",
            Trouble::TooLong { .. } => "Too long",
            Trouble::Run(_) | Trouble::Output(_) | Trouble::Report(_) => "The run cannot be read",
            Trouble::List(_) => "The runs cannot be listed",
            Trouble::Defect => "A defect",
        }
    }
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        let body = html! {
            h1 { (self.title()) }
            (causes(&self))
            @if matches!(self, Trouble::Run(_) | Trouble::Output(_) | Trouble::Report(_)) {
                p { code { "locard verify" } " shows which part of a run does not hold." }
            }
            p { a href="/" { "All runs" } }
        };
        let page = Page::new(self.title(), body);
        (self.status(), page).into_response()
    }
}

/// Renders an error and its causes, which name files and rows.
pub(crate) fn causes(error: &dyn Error) -> Markup {
    html! {
        p.trouble role="alert" {
            (inert(&error.to_string()))
            @for cause in app::causes(error) { br; "because: " (inert(&cause)) }
        }
    }
}

/// Returns the response for a refused request; it says nothing about the runs.
pub(crate) fn refusal(status: StatusCode, why: &str, visit: bool) -> Response {
    let body = html! {
        h1 { "Refused" }
        p { (why) "." }
        @if visit {
            p { "If you have just opened that address, " a href="/" { "go on to the runs" } "." }
        }
    };
    let refused = (status, plain("Refused", &body, visit)).into_response();
    match status {
        StatusCode::METHOD_NOT_ALLOWED => ([(header::ALLOW, "GET, HEAD")], refused).into_response(),
        _ => refused,
    }
}
