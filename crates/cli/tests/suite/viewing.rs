//! `locard view`: started and ended as a person does it, over a run of the demo.

use crate::support::{Place, str, text};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

/// The running program; it is killed if the test fails.
struct Viewed {
    child: Child,
    address: String,
}

impl Viewed {
    fn started(place: &Place, arguments: &[&str]) -> Viewed {
        Viewed::with_path(place, arguments, "")
    }

    /// The same, with a folder of programs that it can start.
    fn with_path(place: &Place, arguments: &[&str], path: &str) -> Viewed {
        let mut command = place.command(&[&["view"], arguments].concat());
        command.env("PATH", path).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Viewed { child, address: line.trim_end().to_owned() }
    }

    fn host(&self) -> &str {
        self.address.strip_prefix("http://").unwrap().split('/').next().unwrap()
    }

    /// Requests a page; returns the status and the whole response.
    fn get(&self, path: &str) -> (u16, String) {
        let (host, token) = (self.host(), self.address.split("token=").nth(1).unwrap());
        let port = host.split(':').nth(1).unwrap();
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: locard-view-{port}={token}\r\nConnection: close\r\n\r\n"
        );
        let mut stream = TcpStream::connect(host).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).unwrap();
        let reply = text(&reply);
        (reply.split(' ').nth(1).unwrap().parse().unwrap(), reply)
    }

    /// Sends a signal and returns the exit code.
    #[expect(clippy::disallowed_methods, reason = "the tests send signals as a person does")]
    fn end(mut self, signal: &str) -> Option<i32> {
        let id = self.child.id().to_string();
        drop(std::process::Command::new("kill").args([&format!("-{signal}"), &id]).output().unwrap());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Viewed {
    fn drop(&mut self) {
        drop((self.child.kill(), self.child.wait()));
    }
}

fn investigated(place: &Place) -> String {
    place.has_demo_run(&[]);
    place.only_run().file_name().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn a_run_of_the_demo_is_shown_and_every_link_leads_somewhere() {
    let place = Place::new();
    let run = investigated(&place);
    let viewed = Viewed::started(&place, &[]);
    let (_, page) = viewed.get(&format!("/run/{run}"));
    assert!(
        page.contains(">sealed<") && page.contains("What happened") && page.contains(">answered<"),
        "{page}"
    );
    let (mut seen, mut waiting) = (BTreeSet::new(), vec!["/".to_owned()]);
    while let Some(path) = waiting.pop() {
        // The demo has many hundreds of pages of one kind, so only some of each kind are visited.
        let kind = path.rsplit_once('/').map_or("", |(kind, _)| kind).to_owned();
        let of_kind = seen.iter().filter(|(_, other)| *other == kind).count();
        if of_kind < 25 && seen.insert((path.clone(), kind)) {
            let (status, reply) = viewed.get(&path);
            assert_eq!(status, 200, "{path}");
            let addresses = reply.split("href=\"").skip(1).filter_map(|rest| rest.split(['"', '#']).next());
            // The report also has links to other sites.
            waiting.extend(addresses.filter(|it| it.starts_with('/')).map(|it| it.replace("&amp;", "&")));
        }
    }
    assert!(seen.len() > 40, "{seen:?}");
    let (_, found) = viewed.get("/search?q=SYSTEM32%5cconfig");
    assert!(found.contains("<mark>") && found.contains(&format!("/run/{run}/inv/")), "{found}");
    assert_eq!(viewed.end("INT"), Some(0));
    assert_eq!(place.locard(&["verify", &run]).status.code(), Some(0), "looking changes nothing");
}

#[test]
fn a_signal_ends_it_in_order_even_where_somebody_holds_a_connection() {
    let place = Place::new();
    place.folder("runs");
    for signal in ["INT", "TERM"] {
        let viewed = Viewed::started(&place, &[]);
        let silent = TcpStream::connect(viewed.host()).unwrap();
        assert_eq!(viewed.get("/").0, 200);
        assert_eq!(viewed.end(signal), Some(0), "{signal}");
        drop(silent);
    }
}

#[test]
fn runs_are_named_as_everywhere_and_what_cannot_be_shown_ends_it_at_once() {
    let place = Place::new();
    for arguments in [&["view"][..], &["view", "latest"], &["view", "--runs", "nowhere"]] {
        let output = place.locard(arguments);
        assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(2), ""), "{arguments:?}");
    }
    place.folder("runs");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = place.locard(&["view", "--port", &port]);
    let said = text(&output.stderr);
    assert!(
        output.status.code() == Some(2) && said.contains(&format!("listen on 127.0.0.1:{port}")),
        "{said}"
    );
    let run = investigated(&place);
    let viewed = Viewed::started(&place, &["latest"]);
    assert_eq!(viewed.get(&format!("/run/{run}")).0, 200);
    assert_eq!(viewed.end("TERM"), Some(0));
}

#[test]
fn open_hands_the_browser_a_page_and_tells_no_other_user_the_token() {
    let place = Place::new();
    place.folder("runs");
    let browser = place.file("programs/xdg-open", "#!/bin/sh\nexec /bin/cp -p \"$1\" opened.html\n");
    let runnable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&browser, runnable).unwrap();
    let viewed = Viewed::with_path(&place, &["--open"], str(&place.path("programs")));
    let opened = place.path("opened.html");
    let page = (0..3000).find_map(|_| match std::fs::read_to_string(&opened) {
        Ok(page) if page.contains("</a>") => Some(page),
        _ => {
            std::thread::sleep(std::time::Duration::from_millis(10));
            None
        }
    });
    assert!(page.unwrap().contains(&viewed.address));
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&opened).unwrap().permissions());
    assert_eq!(mode & 0o077, 0, "only this user can read it");
    assert_eq!(viewed.end("INT"), Some(0));
    let left = std::fs::read_dir(place.path("")).unwrap().flatten();
    assert!(!left.into_iter().any(|it| it.file_name().to_string_lossy().starts_with("locard-view-")));
}
