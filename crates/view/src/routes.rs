//! The addresses and their handlers.

use crate::error::Trouble;
use crate::guard::guard;
use crate::house::{House, answer};
use crate::pages;
use axum::Router;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::request::Parts;
use axum::http::{Uri, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

const STYLE: &str = include_str!("../assets/style.css");
const SCRIPT: &str = include_str!("../assets/view.js");
const ICON: &str = include_str!("../assets/icon.svg");

/// The query of an address; if a name occurs twice, the first value counts.
pub(crate) struct Asked(BTreeMap<String, String>);

impl Asked {
    fn of(query: Option<&str>) -> Asked {
        let mut asked = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
            asked.entry(name.into_owned()).or_insert_with(|| value.into_owned());
        }
        Asked(asked)
    }

    /// Returns the text with this name.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Returns the number with this name; 0 if there is none.
    pub(crate) fn number(&self, name: &str) -> usize {
        self.text(name).and_then(|text| text.parse().ok()).unwrap_or(0)
    }
}

impl<S: Sync> FromRequestParts<S> for Asked {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Asked, Infallible> {
        Ok(Asked::of(parts.uri.query()))
    }
}

/// Returns all routes, behind the guard.
pub(crate) fn router(house: Arc<House>) -> Router {
    Router::new()
        .route("/", get(runs))
        .route("/search", get(search))
        .route("/compare", get(compare))
        .route("/run/{run}", get(run))
        .route("/run/{run}/facts", get(facts))
        .route("/run/{run}/fact/{id}", get(fact))
        .route("/run/{run}/calls", get(calls))
        .route("/run/{run}/inv/{id}", get(invocation))
        .route("/run/{run}/inv/{id}/output", get(output))
        .route("/run/{run}/refused", get(refused))
        .route("/run/{run}/graph", get(graph))
        .route("/run/{run}/entity/{id}", get(entity))
        .route("/run/{run}/path", get(path))
        .route("/run/{run}/picture", get(picture))
        .route("/run/{run}/report", get(report))
        .route("/run/{run}/follow", get(follow))
        .route("/run/{run}/news", get(news))
        .route("/style.css", get(|| asset("text/css; charset=utf-8", STYLE)))
        .route("/view.js", get(|| asset("text/javascript; charset=utf-8", SCRIPT)))
        .route("/icon.svg", get(|| asset("image/svg+xml", ICON)))
        .fallback(no_page)
        .layer(middleware::from_fn_with_state(Arc::clone(&house), guard))
        .with_state(house)
}

type Shared = State<Arc<House>>;
type Name = Path<String>;
/// A run, and an id within it.
type Names = Path<(String, String)>;

async fn runs(State(house): Shared) -> Response {
    answer(house, pages::runs::page).await
}

async fn search(State(house): Shared, asked: Asked) -> Response {
    answer(house, move |house| pages::search::page(house, &asked)).await
}

async fn compare(State(house): Shared, asked: Asked) -> Response {
    answer(house, move |house| pages::compare::page(house, &asked)).await
}

async fn run(State(house): Shared, Path(run): Name) -> Response {
    answer(house, move |house| pages::run::page(house, &run)).await
}

async fn facts(State(house): Shared, Path(run): Name, asked: Asked) -> Response {
    answer(house, move |house| pages::lists::facts(house, &run, &asked)).await
}

async fn fact(State(house): Shared, Path((run, id)): Names) -> Response {
    answer(house, move |house| pages::fact::page(house, &run, &id)).await
}

async fn calls(State(house): Shared, Path(run): Name, asked: Asked) -> Response {
    answer(house, move |house| pages::lists::calls(house, &run, &asked)).await
}

async fn invocation(State(house): Shared, Path((run, id)): Names, asked: Asked) -> Response {
    answer(house, move |house| pages::invocation::page(house, &run, &id, &asked)).await
}

async fn output(State(house): Shared, Path((run, id)): Names) -> Response {
    answer(house, move |house| pages::invocation::raw(house, &run, &id)).await
}

async fn refused(State(house): Shared, Path(run): Name, asked: Asked) -> Response {
    answer(house, move |house| pages::lists::refused(house, &run, &asked)).await
}

async fn graph(State(house): Shared, Path(run): Name, asked: Asked) -> Response {
    answer(house, move |house| pages::graph::page(house, &run, &asked)).await
}

async fn entity(State(house): Shared, Path((run, id)): Names, asked: Asked) -> Response {
    answer(house, move |house| pages::entity::page(house, &run, &id, &asked)).await
}

async fn path(State(house): Shared, Path(run): Name, asked: Asked) -> Response {
    answer(house, move |house| pages::path::page(house, &run, &asked)).await
}

async fn picture(State(house): Shared, Path(run): Name, asked: Asked) -> Response {
    answer(house, move |house| pages::picture::page(house, &run, &asked)).await
}

async fn report(State(house): Shared, Path(run): Name) -> Response {
    answer(house, move |house| pages::report::page(house, &run)).await
}

async fn follow(State(house): Shared, Path(run): Name, asked: Asked) -> Response {
    answer(house, move |house| pages::follow::page(house, &run, &asked)).await
}

async fn news(State(house): Shared, Path(run): Name, asked: Asked) -> Response {
    answer(house, move |house| pages::follow::news(house, &run, &asked)).await
}

async fn no_page(uri: Uri) -> Response {
    Trouble::no_such("page", uri.path(), None).into_response()
}

/// Serves one of our own files: the only responses that a browser accepts as styles, scripts or pictures.
async fn asset(kind: &'static str, body: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind)], body).into_response()
}
