//! Runs the application in a thread, with a client that can send arbitrary requests.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use view::Which;

/// The application over the runs of a folder; it stops when this is dropped.
pub(crate) struct Opened {
    pub(crate) port: u16,
    pub(crate) token: String,
    runtime: Option<Runtime>,
    end: Option<oneshot::Sender<()>>,
}

impl Opened {
    pub(crate) fn over(runs: &Path) -> Opened {
        Opened::of(Which::All(runs.to_owned()))
    }

    pub(crate) fn of(which: Which) -> Opened {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let view = runtime.block_on(view::open(which, 0)).unwrap();
        let address = view.address();
        let rest = address.strip_prefix("http://127.0.0.1:").unwrap();
        let (port, token) = rest.split_once("/?token=").unwrap();
        let (port, token) = (port.parse().unwrap(), token.to_owned());
        let (end, ended) = oneshot::channel();
        runtime.spawn(view.serve(async {
            let _ = ended.await;
        }));
        Opened { port, token, runtime: Some(runtime), end: Some(end) }
    }

    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn cookie(&self) -> String {
        format!("locard-view-{}={}", self.port, self.token)
    }

    /// Sends a request like a browser that has the cookie.
    pub(crate) fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, &[("Host", &self.host()), ("Cookie", &self.cookie())])
    }

    /// Returns the body of a page that must exist.
    pub(crate) fn page(&self, path: &str) -> String {
        let reply = self.get(path);
        assert_eq!(reply.status, 200, "{path}\n{}", reply.body);
        reply.body
    }

    pub(crate) fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Reply {
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let request = format!("{method} {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n");
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).unwrap();
        Reply::of(&String::from_utf8(reply).unwrap())
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        drop(self.end.take());
        self.runtime.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

/// A response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Reply {
    fn of(text: &str) -> Reply {
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let header = |line: &str| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_ascii_lowercase(), value.to_owned())
        };
        Reply { status, headers: lines.map(header).collect(), body: body.to_owned() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }
}

/// Returns the addresses of this application that a page links to.
pub(crate) fn links(body: &str) -> Vec<String> {
    let addresses = body.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let plain = addresses.map(|address| address.split('#').next().unwrap().replace("&amp;", "&"));
    plain.filter(|address| !address.is_empty()).collect()
}
