//! `locard mcp` over its standard input and output, used by a client of the protocol version with a handshake.

use crate::program;
use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// A running server; it ends when its input is closed.
pub(super) struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    number: u64,
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing uses it any more; a run that is not closed stays on disk as it is.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// Starts a server over `case` and performs the handshake.
    pub(super) fn start(locard: &Path, case: &Path, runs: &Path) -> io::Result<Server> {
        let mut command = program::locard(locard);
        command.arg("mcp").arg("--case").arg(case).arg("--runs").arg(runs).arg("--no-cache");
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("the server has no pipes"));
        };
        let mut server = Server { child, input, output: BufReader::new(output), number: 0 };
        let client = json!({"name": "surface", "version": env!("CARGO_PKG_VERSION")});
        server.ask(
            "initialize",
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}),
        )?;
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(server)
    }

    /// Calls a tool and returns its result.
    pub(super) fn call(&mut self, tool: &str, arguments: Value) -> io::Result<Value> {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Sends a request and returns its result; a protocol error is an error here.
    pub(super) fn ask(&mut self, method: &str, parameters: Value) -> io::Result<Value> {
        self.number += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters}))?;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err(io::Error::other(format!("the server ended before it answered {method}")));
            }
            let mut message: Value = serde_json::from_str(&line)?;
            if message["id"] != self.number {
                continue;
            }
            return match message["error"].is_null() {
                true => Ok(message["result"].take()),
                false => Err(io::Error::other(format!("{method}: {}", message["error"]))),
            };
        }
    }

    fn send(&mut self, message: &Value) -> io::Result<()> {
        writeln!(self.input, "{message}")
    }
}
