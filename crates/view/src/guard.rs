//! The access check, and the headers of every response.
//!
//! A page of any site can make a browser send requests to 127.0.0.1. It cannot know the token, and the cookie's rules keep it from using the
//! browser's stored one.
//! The `Host` header is compared with ours, because an attacker's host name can be made to resolve to 127.0.0.1 (DNS rebinding).

use crate::error::refusal;
use crate::house::House;
use app::{Loopback, Token};
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// The maximum length of a path with its query, in bytes.
const LONGEST: usize = 4096;

/// What a page may do: show what this application serves, and send requests to it.
///
/// The fetch directives are those of Content Security Policy Level 3.
pub(crate) const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; \
    img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The token, and the names under which the application can be reached.
pub(crate) struct Gate {
    token: Token,
    loopback: Loopback,
    /// The name of its cookie: browsers send the cookies of a host to all of its ports.
    cookie: String,
}

/// The decision about a request.
#[derive(Debug, PartialEq, Eq)]
enum Entry {
    /// It is admitted.
    Admitted,
    /// It has the token, which is exchanged for the cookie.
    Exchange,
    /// It is refused, for this reason.
    Refused(StatusCode, &'static str),
}

impl Gate {
    pub(crate) fn new(token: Token, loopback: Loopback) -> Gate {
        let cookie = format!("locard-view-{}", loopback.port());
        Gate { token, loopback, cookie }
    }

    /// Returns the address that opens it.
    pub(crate) fn address(&self) -> String {
        self.loopback.address(&format!("/?token={}", self.token.as_str()))
    }

    fn decide(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Entry {
        let refused = |why| Entry::Refused(StatusCode::FORBIDDEN, why);
        if !self.loopback.is_host(text(headers, header::HOST)) {
            return refused("the request is for another host");
        }
        if method != Method::GET && method != Method::HEAD {
            return Entry::Refused(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD are answered");
        }
        if uri.path_and_query().is_some_and(|it| it.as_str().len() > LONGEST) {
            return Entry::Refused(StatusCode::URI_TOO_LONG, "the address is too long");
        }
        if headers.contains_key(header::ORIGIN) && !self.loopback.is_origin(text(headers, header::ORIGIN)) {
            return refused("the request comes from another site");
        }
        if is_embedded_elsewhere(headers) {
            return refused("the request comes from a page of another site");
        }
        if uri.path() == "/" && token_of(uri).is_some_and(|token| self.token.is(&token)) {
            return Entry::Exchange;
        }
        match cookie(headers, &self.cookie).any(|value| self.token.is(value)) {
            true => Entry::Admitted,
            false => refused("the address that locard view printed opens this page"),
        }
    }

    /// Redirects the browser with the cookie, so that the token is no longer in the address.
    fn exchange(&self) -> Response {
        let cookie = format!("{}={}; HttpOnly; SameSite=Strict; Path=/", self.cookie, self.token.as_str());
        match HeaderValue::from_str(&cookie) {
            Ok(cookie) => {
                let to = [(header::LOCATION, HeaderValue::from_static("/")), (header::SET_COOKIE, cookie)];
                (StatusCode::SEE_OTHER, to).into_response()
            }
            Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    }
}

/// Admits or refuses a request; every response, including refusals, has the same headers.
pub(crate) async fn guard(State(house): State<Arc<House>>, request: Request, next: Next) -> Response {
    let mut response = match house.gate.decide(request.method(), request.uri(), request.headers()) {
        Entry::Admitted => {
            app::admit(&request);
            next.run(request).await
        }
        Entry::Exchange => house.gate.exchange(),
        // A browser coming from another site withholds the cookie once; one of our own pages may then redirect it.
        Entry::Refused(status, why) => refusal(status, why, is_visit(request.headers())),
    };
    harden(response.headers_mut());
    response
}

/// Sets the headers of every response; a response's own policy is kept.
fn harden(headers: &mut HeaderMap) {
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
}

/// Returns the only value of a header; `None` if it occurs twice or is not text.
fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

/// Checks whether a page of another site or port sent the request without the user navigating (Fetch Metadata Request Headers).
fn is_embedded_elsewhere(headers: &HeaderMap) -> bool {
    let of = |name: &'static str| headers.get(name).map(|value| value.as_bytes());
    let elsewhere = of("sec-fetch-site").is_some_and(|site| !matches!(site, b"same-origin" | b"none"));
    elsewhere && of("sec-fetch-mode") != Some(b"navigate")
}

/// Checks whether a user navigated here from another site.
fn is_visit(headers: &HeaderMap) -> bool {
    let is = |name: &'static str, value: &str| headers.get(name).is_some_and(|it| it == value);
    is("sec-fetch-site", "cross-site") && is("sec-fetch-mode", "navigate")
}

fn token_of(uri: &Uri) -> Option<String> {
    let pairs = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    pairs.into_iter().find(|(name, _)| name == "token").map(|(_, value)| value.into_owned())
}

/// Returns the values of the cookies with this name (RFC 6265, section 4.2).
fn cookie<'h>(headers: &'h HeaderMap, name: &'h str) -> impl Iterator<Item = &'h str> {
    let pairs = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    pairs.flat_map(|pairs| pairs.split(';')).filter_map(move |pair| {
        let (found, value) = pair.trim().split_once('=')?;
        (found == name).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(method: &str, uri: &str, headers: &[(&'static str, String)], token: Token) -> Entry {
        let gate = Gate::new(token, Loopback::at(([127, 0, 0, 1], 4000).into()));
        let headers = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()));
        gate.decide(&method.parse().unwrap(), &uri.parse().unwrap(), &headers.collect())
    }

    #[test]
    fn only_the_token_under_our_own_names_comes_in() {
        let host = || ("host", "127.0.0.1:4000".to_owned());
        let named = |name: &str| ("host", name.to_owned());
        type Headers = fn(&str) -> Vec<(&'static str, String)>;
        let cases: [(&str, &str, Headers, Option<u16>); 12] = [
            ("GET", "/", |cookie| vec![("cookie", cookie.to_owned())], None),
            ("HEAD", "/x", |cookie| vec![("cookie", format!("a=b; {cookie}"))], None),
            ("GET", "/", |_| vec![], Some(403)),
            ("GET", "/?token=00", |_| vec![], Some(403)),
            ("GET", "/", |_| vec![("cookie", "locard-view-4001=x".to_owned())], Some(403)),
            ("POST", "/", |cookie| vec![("cookie", cookie.to_owned())], Some(405)),
            ("GET", "/", |cookie| from("https://example.com", cookie), Some(403)),
            ("GET", "/", |cookie| from("null", cookie), Some(403)),
            ("GET", "/", |cookie| from("http://127.0.0.1:4001", cookie), Some(403)),
            ("GET", "/", |cookie| from("http://localhost:4000", cookie), None),
            ("GET", "/", |cookie| fetched("same-site", "no-cors", cookie), Some(403)),
            ("GET", "/", |cookie| fetched("cross-site", "navigate", cookie), None),
        ];
        for (method, uri, headers, refused) in cases {
            let token = Token::new().unwrap();
            let mut headers = headers(&format!("locard-view-4000={}", token.as_str()));
            headers.push(host());
            match (decided(method, uri, &headers, token), refused) {
                (Entry::Admitted, None) => {}
                (Entry::Refused(status, _), Some(code)) => assert_eq!(status.as_u16(), code, "{headers:?}"),
                (other, _) => panic!("{method} {uri} {headers:?}: {other:?}"),
            }
        }
        for name in ["evil.example:4000", "127.0.0.1:4001", "127.0.0.1", "127.0.0.1:4000.evil.example", ""] {
            let token = Token::new().unwrap();
            let cookie = ("cookie", format!("locard-view-4000={}", token.as_str()));
            let decided = decided("GET", "/", &[named(name), cookie], token);
            assert!(matches!(decided, Entry::Refused(StatusCode::FORBIDDEN, _)), "{name}");
        }
    }

    fn from(origin: &str, cookie: &str) -> Vec<(&'static str, String)> {
        vec![("cookie", cookie.to_owned()), ("origin", origin.to_owned())]
    }

    fn fetched(site: &str, mode: &str, cookie: &str) -> Vec<(&'static str, String)> {
        let of = |name, value: &str| (name, value.to_owned());
        vec![of("cookie", cookie), of("sec-fetch-site", site), of("sec-fetch-mode", mode)]
    }

    #[test]
    fn the_token_is_exchanged_at_the_root_alone() {
        for (path, expected) in [("/", true), ("/search", false)] {
            let token = Token::new().unwrap();
            let uri = format!("{path}?token={}", token.as_str());
            let host = ("host", "localhost:4000".to_owned());
            assert_eq!(decided("GET", &uri, &[host], token) == Entry::Exchange, expected, "{path}");
        }
    }
}
