//! Tests of the access check and of the headers.

use crate::client::{Opened, Reply};
use crate::made::{Made, name};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

fn opened() -> (tempfile::TempDir, Opened) {
    let runs = tempfile::tempdir().unwrap();
    let mut made = Made::by("registry");
    let output = made.called(0, &["one", "two"]);
    made.found(0, &output, 0);
    made.write(runs.path(), &name(1));
    let opened = Opened::over(runs.path());
    (runs, opened)
}

/// Returns addresses of every kind, including some that do not exist.
fn addresses() -> Vec<String> {
    let run = format!("/run/{}", name(1));
    let id = testkit::history::invocation(1, 0);
    let mut all: Vec<String> =
        ["/", "/search?q=one", "/compare", "/style.css", "/view.js", "/icon.svg", "/nowhere", "/run/other"]
            .map(str::to_owned)
            .into();
    for part in [
        "",
        "/facts",
        "/calls",
        "/refused",
        "/report",
        "/follow",
        "/news?from=0",
        "/graph",
        "/graph?q=x",
        "/path",
        "/picture",
    ] {
        all.push(format!("{run}{part}"));
    }
    all.extend([format!("{run}/inv/{id}"), format!("{run}/inv/{id}/output"), format!("{run}/inv/x")]);
    all.push(format!("{run}/entity/file-000000000000"));
    all
}

#[test]
fn without_the_token_nothing_is_answered() {
    let (_runs, opened) = opened();
    let host = opened.host();
    let other = format!("locard-view-{}={}", opened.port, "0".repeat(32));
    for address in addresses() {
        for headers in [vec![("Host", host.as_str())], vec![("Host", &host), ("Cookie", &other)]] {
            let reply = opened.ask("GET", &address, &headers);
            assert_eq!(reply.status, 403, "{address}");
            assert!(!reply.body.contains("case") && !reply.body.contains(&opened.token), "{}", reply.body);
        }
    }
}

#[test]
fn the_token_is_exchanged_for_a_cookie_that_no_script_and_no_other_site_can_use() {
    let (_runs, opened) = opened();
    let (host, with_token) = (opened.host(), format!("/?token={}", opened.token));
    let reply = opened.ask("GET", &with_token, &[("Host", &host)]);
    assert_eq!((reply.status, reply.header("location")), (303, Some("/")));
    let cookie = reply.header("set-cookie").unwrap();
    let (pair, rules) = cookie.split_once("; ").unwrap();
    assert_eq!((pair, rules), (opened.cookie().as_str(), "HttpOnly; SameSite=Strict; Path=/"));
    assert_eq!(opened.ask("GET", "/", &[("Host", &host), ("Cookie", pair)]).status, 200);
    let wrong = format!("/?token={}", "0".repeat(32));
    assert_eq!(opened.ask("GET", &wrong, &[("Host", &host)]).status, 403);
}

#[test]
fn another_host_another_origin_and_other_methods_are_refused() {
    let (_runs, opened) = opened();
    let (host, cookie) = (opened.host(), opened.cookie());
    let local = format!("localhost:{}", opened.port);
    for (host, status) in [(host.as_str(), 200), (&local, 200), ("evil.example", 403), ("127.0.0.1", 403)] {
        assert_eq!(opened.ask("GET", "/", &[("Host", host), ("Cookie", &cookie)]).status, status, "{host}");
    }
    let own = format!("http://{host}");
    for (origin, status) in [(own.as_str(), 200), ("https://evil.example", 403), ("null", 403)] {
        let headers = [("Host", host.as_str()), ("Cookie", &cookie), ("Origin", origin)];
        assert_eq!(opened.ask("GET", "/", &headers).status, status, "{origin}");
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"] {
        let reply = opened.ask(method, "/", &[("Host", &host), ("Cookie", &cookie)]);
        assert_eq!((reply.status, reply.header("allow")), (405, Some("GET, HEAD")), "{method}");
    }
    let head = opened.ask("HEAD", "/", &[("Host", &host), ("Cookie", &cookie)]);
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    let long = format!("/search?q={}", "a".repeat(5000));
    assert_eq!(opened.get(&long).status, 414);
}

#[test]
fn every_answer_has_the_headers_and_a_type_that_runs_nothing() {
    let (_runs, opened) = opened();
    let host = opened.host();
    let exchange = format!("/?token={}", opened.token);
    let refused = opened.ask("POST", "/", &[("Host", &host), ("Cookie", &opened.cookie())]);
    let mut replies = vec![opened.ask("GET", &exchange, &[("Host", &host)]), refused];
    replies.extend(addresses().iter().map(|address| opened.get(address)));
    replies.extend(addresses().iter().map(|address| opened.ask("GET", address, &[("Host", &host)])));
    for reply in &replies {
        is_hardened(reply);
    }
    let kind = |address: String| opened.get(&address).header("content-type").unwrap().to_owned();
    let run = format!("/run/{}", name(1));
    let id = testkit::history::invocation(1, 0);
    assert_eq!(kind(format!("{run}/inv/{id}/output")), "text/plain; charset=utf-8");
    assert_eq!(kind(format!("{run}/news?from=0")), "application/json");
}

fn is_hardened(reply: &Reply) {
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-store"),
        ("x-frame-options", "DENY"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(reply.header(name), Some(value), "{reply:?}");
    }
    let policy = reply.header("content-security-policy").unwrap();
    for rule in ["default-src 'none'", "script-src '", "frame-ancestors 'none'", "base-uri 'none'"] {
        assert!(policy.contains(rule) && !policy.contains("unsafe"), "{policy}");
    }
}

#[test]
fn it_listens_on_one_address_alone() {
    let (_runs, opened) = opened();
    TcpStream::connect(("127.0.0.1", opened.port)).unwrap();
    // All of 127.0.0.0/8 is this machine: a server listening on every address would respond here.
    assert!(TcpStream::connect(("127.0.0.2", opened.port)).is_err());
}

/// Any local program can do this without the token: connect, and send nothing or half a request.
#[test]
fn three_hundred_connections_that_ask_for_nothing_hold_nobody_up() {
    let (_runs, opened) = opened();
    let connect = |number: usize| {
        let mut stream = TcpStream::connect(("127.0.0.1", opened.port)).unwrap();
        let halves: [&[u8]; 3] = [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A"];
        stream.write_all(halves[number % halves.len()]).unwrap();
        stream
    };
    let mut idle: Vec<_> = (0..300).map(connect).collect();
    assert_eq!(opened.get("/").status, 200);
    // Most of them are closed at once, oldest first.
    let mut first = idle.remove(0);
    first.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    assert!(matches!(first.read(&mut [0]), Ok(0)) || first.write_all(b"x").is_err());
    assert_eq!(opened.get("/").status, 200);
}

/// A browser keeps its connections open and reuses them.
#[test]
fn a_connection_that_has_shown_the_token_stays_whoever_else_comes() {
    let (_runs, opened) = opened();
    let mut kept = TcpStream::connect(("127.0.0.1", opened.port)).unwrap();
    let request =
        format!("HEAD / HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n\r\n", opened.host(), opened.cookie());
    let mut idle = Vec::new();
    for _ in 0..2 {
        kept.write_all(request.as_bytes()).unwrap();
        let mut reply = [0; 12];
        kept.read_exact(&mut reply).unwrap();
        assert_eq!(&reply, b"HTTP/1.1 200");
        let mut rest = vec![0; 1 << 16];
        assert!(kept.read(&mut rest).unwrap() > 0);
        idle.extend((0..200).map(|_| TcpStream::connect(("127.0.0.1", opened.port)).unwrap()));
        assert_eq!(opened.get("/").status, 200);
    }
}
