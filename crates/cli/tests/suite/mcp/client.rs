//! A client written from the protocol's specification: JSON-RPC lines over a program's standard input and output,
//! and requests over HTTP.

use crate::support::{Place, text};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// The protocol version with a handshake, and the one without.
pub(super) const OLD: &str = "2025-11-25";
pub(super) const NEW: &str = "2026-07-28";

/// The program as a server on standard input and output; it is killed if the test fails.
pub(super) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    version: &'static str,
    number: u64,
    /// Notifications received while waiting for answers.
    pub(super) heard: Vec<Value>,
}

impl Client {
    /// A client of the older version, after the handshake.
    pub(super) fn old(place: &Place, arguments: &[&str]) -> Client {
        let mut client = Client::silent(place, arguments, OLD);
        client.greet();
        client
    }

    /// Performs the handshake of the older version.
    fn greet(&mut self) {
        let hello = self.ask(
            "initialize",
            json!({"protocolVersion": OLD, "capabilities": {}, "clientInfo": {"name": "test client", "version": "1"}}),
        );
        assert_eq!(hello["result"]["protocolVersion"], OLD, "{hello}");
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    }

    /// A client of the newer version, which states its version and capabilities in each request.
    pub(super) fn new(place: &Place, arguments: &[&str]) -> Client {
        let mut client = Client::silent(place, arguments, NEW);
        let found = client.ask("server/discover", json!({}));
        let versions = found["result"]["supportedVersions"].as_array().unwrap().clone();
        assert!(versions.contains(&json!(NEW)) && versions.contains(&json!(OLD)), "{found}");
        client
    }

    /// A client that has said nothing yet. Its runs are sealed without a final sweep.
    pub(super) fn silent(place: &Place, arguments: &[&str], version: &'static str) -> Client {
        Client::started(place, &[&["--no-sweep", "--structured"], arguments].concat(), version)
    }

    /// A client that reads text answers, like one that passes them to a language model; after the handshake.
    pub(super) fn reading(place: &Place, arguments: &[&str]) -> Client {
        let mut client = Client::started(place, &[&["--no-sweep"], arguments].concat(), OLD);
        client.greet();
        client
    }

    /// A client of the newer version whose open questions go to the final sweep.
    pub(super) fn swept(place: &Place, arguments: &[&str]) -> Client {
        Client::started(place, &[&["--structured"], arguments].concat(), NEW)
    }

    fn started(place: &Place, arguments: &[&str], version: &'static str) -> Client {
        let mut command = place.command(&[&["mcp", "--no-cache"], arguments].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Client { child, input, output, version, number: 0, heard: Vec::new() }
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub(super) fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    /// Sends a request without waiting, and returns its number.
    pub(super) fn begin(&mut self, method: &str, parameters: Value) -> u64 {
        self.number += 1;
        let number = self.number;
        let mut parameters = parameters;
        if self.version == NEW {
            let meta = &mut parameters["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = json!(NEW);
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
            meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "test client", "version": "2"});
        }
        self.send(&json!({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}));
        number
    }

    /// The next message; every line of standard output must be one.
    pub(super) fn next(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "the server has ended");
        let message: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        message
    }

    /// Waits for the answer to a request.
    pub(super) fn answer(&mut self, number: u64) -> Value {
        loop {
            let message = self.next();
            match message["id"].as_u64() {
                Some(id) if id == number => return message,
                Some(other) => panic!("the answer to {other} came before that to {number}: {message}"),
                None => self.heard.push(message),
            }
        }
    }

    /// Waits for the first notification with this method.
    pub(super) fn notified(&mut self, method: &str) -> Value {
        loop {
            let message = self.next();
            assert!(message["id"].is_null(), "{message}");
            if message["method"] == method {
                return message;
            }
        }
    }

    pub(super) fn ask(&mut self, method: &str, parameters: Value) -> Value {
        let number = self.begin(method, parameters);
        self.answer(number)
    }

    /// Calls a tool and returns its result; a protocol error fails the test.
    pub(super) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(answer["error"].is_null(), "{tool}: {answer}");
        answer["result"].clone()
    }

    /// Opens a run with a task for each agent, and returns the handles.
    pub(super) fn open(&mut self, agents: &[&str]) -> Opened {
        Opened::of(&self.call("open_run", json!({ "agents": agents })))
    }

    /// Disconnects cleanly; returns the exit code and the output on standard error.
    pub(super) fn leave(mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        for line in rest.lines() {
            serde_json::from_str::<Value>(line).unwrap();
        }
        let mut said = Vec::new();
        self.child.stderr.take().unwrap().read_to_end(&mut said).unwrap();
        (self.child.wait().unwrap().code(), text(&said))
    }

    /// Kills the server.
    pub(super) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop((self.child.kill(), self.child.wait()));
    }
}

/// What `open_run` returned.
pub(super) struct Opened {
    pub(super) run: String,
    pub(super) name: String,
    pub(super) tasks: Vec<String>,
    pub(super) instructions: Vec<String>,
}

impl Opened {
    pub(super) fn of(result: &Value) -> Opened {
        assert_eq!(result["isError"], false, "{result}");
        let told = &result["structuredContent"];
        let of = |member: &str| -> Vec<String> {
            let tasks = told["tasks"].as_array().unwrap();
            tasks.iter().map(|task| task[member].as_str().unwrap().to_owned()).collect()
        };
        Opened {
            run: told["run"].as_str().unwrap().to_owned(),
            name: told["name"].as_str().unwrap().to_owned(),
            tasks: of("task"),
            instructions: of("instructions"),
        }
    }

    pub(super) fn task(&self) -> &str {
        &self.tasks[0]
    }
}

/// The program as a server over HTTP.
pub(super) struct HttpServer {
    child: Child,
    pub(super) address: String,
    pub(super) bearer: String,
}

impl HttpServer {
    pub(super) fn started(place: &Place, arguments: &[&str]) -> HttpServer {
        let mut command = place
            .command(&[&["mcp", "--no-cache", "--no-sweep", "--structured", "--http"], arguments].concat());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines.next().unwrap().unwrap();
        let bearer = lines.next().unwrap().unwrap();
        HttpServer { child, address, bearer: bearer.strip_prefix("Authorization: ").unwrap().to_owned() }
    }

    pub(super) fn host(&self) -> &str {
        self.address.strip_prefix("http://").unwrap().split('/').next().unwrap()
    }

    /// Posts a body with these headers; returns the status and the body of the reply.
    pub(super) fn post(&self, headers: &[(&str, &str)], body: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(self.host()).unwrap();
        let mut head = "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\n\
                        Accept: application/json, text/event-stream\r\nConnection: close\r\n"
            .to_owned();
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        stream.write_all(head.as_bytes()).unwrap();
        // A server may reply before it has read everything.
        let _ = stream.write_all(body);
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        let reply = text(&reply);
        let status = reply.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        (status, reply.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default())
    }

    /// Sends a request of the newer version, in which each request is self-contained.
    pub(super) fn ask(&self, name: &str, method: &str, parameters: Value) -> Value {
        let mut parameters = parameters;
        parameters["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": NEW,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"},
        });
        let tool = parameters["name"].as_str().unwrap_or_default().to_owned();
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}).to_string();
        let mut headers = vec![
            ("Host", self.host()),
            ("Authorization", self.bearer.as_str()),
            ("MCP-Protocol-Version", NEW),
            ("Mcp-Method", method),
        ];
        if !tool.is_empty() {
            headers.push(("Mcp-Name", &tool));
        }
        let (status, body) = self.post(&headers, body.as_bytes());
        assert_eq!(status, 200, "{method}: {body}");
        let found = body.find('{').map(|at| &body[at..]).unwrap();
        let mut values = serde_json::Deserializer::from_str(found).into_iter::<Value>();
        values.next().unwrap().unwrap()
    }

    pub(super) fn call(&self, name: &str, tool: &str, arguments: Value) -> Value {
        let answer = self.ask(name, "tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(answer["error"].is_null(), "{tool}: {answer}");
        answer["result"].clone()
    }

    /// Requests a call, waits until the server reports its progress, and drops the connection.
    pub(super) fn drop_call(&self, tool: &str, arguments: Value) {
        let meta = json!({
            "progressToken": 1,
            "io.modelcontextprotocol/protocolVersion": NEW,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let parameters = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let body =
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters}).to_string();
        let (host, bearer, length) = (self.host(), &self.bearer, body.len());
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nAuthorization: {bearer}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {NEW}\r\nMcp-Method: tools/call\r\n\
             Mcp-Name: {tool}\r\nContent-Length: {length}\r\n\r\n"
        );
        let mut stream = TcpStream::connect(host).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        let mut lines = BufReader::new(stream).lines();
        assert!(lines.any(|line| line.unwrap().contains("notifications/progress")));
    }

    /// Ends the server with a signal and returns its exit code.
    #[expect(clippy::disallowed_methods, reason = "the tests send signals as a person does")]
    pub(super) fn end(mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        drop(std::process::Command::new("kill").args(["-TERM", &id]).output().unwrap());
        self.child.wait().unwrap().code()
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        drop((self.child.kill(), self.child.wait()));
    }
}
