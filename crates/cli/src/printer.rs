//! Prints results and complaints; `screen` draws what is redrawn in place.

use crate::colour::painted;
use crate::failure::Failure;
use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

/// Prints results to standard output and everything else to standard error.
///
/// It holds no lock on standard output, because a server on standard output writes there from other threads.
pub(crate) struct Printer {
    results: io::Stdout,
    /// Whether levels in results are coloured.
    coloured: bool,
}

/// Prints a complaint on standard error; if that is closed, there is no point in failing.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

impl Printer {
    pub(crate) fn new() -> Printer {
        Printer::coloured(false)
    }

    /// A printer that colours levels, or does not.
    pub(crate) fn coloured(coloured: bool) -> Printer {
        Printer { results: io::stdout(), coloured }
    }

    /// Prints a result, and makes sure that it ends with a line feed.
    pub(crate) fn result(&mut self, text: &str) -> Result<(), Failure> {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        let text = if self.coloured { Cow::Owned(painted(text)) } else { Cow::Borrowed(text) };
        write!(self.results, "{text}{end}").and_then(|()| self.results.flush()).map_err(Failure::Output)
    }

    /// Prints JSON objects, one per line.
    pub(crate) fn lines(&mut self, values: &[serde_json::Value]) -> Result<(), Failure> {
        let mut write = |value: &serde_json::Value| writeln!(self.results, "{}", report::json_text(value));
        values.iter().try_for_each(&mut write).and_then(|()| self.results.flush()).map_err(Failure::Output)
    }

    /// The writer for results that are not text. Fails if standard output is a terminal.
    pub(crate) fn bytes(&mut self) -> Result<&mut dyn Write, Failure> {
        match self.results.is_terminal() {
            true => Err(Failure::BytesToTerminal),
            false => Ok(&mut self.results),
        }
    }

    /// The writer for long results that are text, and safe for a terminal.
    pub(crate) fn stream(&mut self) -> &mut dyn Write {
        &mut self.results
    }

    /// Prints a complaint on standard error; if that is closed, there is no point in failing.
    pub(crate) fn complain(&self, text: &str) {
        complain(text);
    }
}
