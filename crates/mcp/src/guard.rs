//! The access check over HTTP: a request must be for this host, from no other site, and have the token.

use app::{Loopback, Token};
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// The token and the host that a request must match.
pub(crate) struct Gate {
    pub(crate) token: Token,
    pub(crate) loopback: Loopback,
}

impl Gate {
    fn decide(&self, headers: &HeaderMap) -> Result<(), (StatusCode, &'static str)> {
        if !self.loopback.is_host(only(headers, header::HOST)) {
            return Err((StatusCode::FORBIDDEN, "the request is for another host"));
        }
        if headers.contains_key(header::ORIGIN) && !self.loopback.is_origin(only(headers, header::ORIGIN)) {
            return Err((StatusCode::FORBIDDEN, "the request comes from another site"));
        }
        let given = only(headers, header::AUTHORIZATION).and_then(|it| it.split_once(' '));
        let bears = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        match bears.is_some_and(|(_, token)| self.token.is(token.trim())) {
            true => Ok(()),
            false => Err((StatusCode::UNAUTHORIZED, "the request lacks the token that locard mcp printed")),
        }
    }
}

/// Admits or refuses a request.
pub(crate) async fn guard(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let mut response = match gate.decide(request.headers()) {
        Ok(()) => {
            app::admit(&request);
            next.run(request).await
        }
        Err((StatusCode::UNAUTHORIZED, why)) => {
            (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")], why).into_response()
        }
        Err(refused) => refused.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Returns the only value of a header; `None` if it occurs twice or is not text.
fn only(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}
