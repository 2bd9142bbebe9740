//! Results and complaints; what is drawn in place is the screen's.

use crate::colour::painted;
use crate::failure::Failure;
use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

/// Results to standard output, the rest to standard error.
///
/// It keeps no lock: whoever serves over standard output writes there from other threads.
pub(crate) struct Printer {
    results: io::Stdout,
    /// Whether levels are coloured in it.
    coloured: bool,
}

/// A complaint on standard error; a closed one is not worth failing for.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

impl Printer {
    pub(crate) fn new() -> Printer {
        Printer::coloured(false)
    }

    /// The same with levels in colour, or not.
    pub(crate) fn coloured(coloured: bool) -> Printer {
        Printer { results: io::stdout(), coloured }
    }

    /// A result; ends with a line feed.
    pub(crate) fn result(&mut self, text: &str) -> Result<(), Failure> {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        let text = if self.coloured { Cow::Owned(painted(text)) } else { Cow::Borrowed(text) };
        write!(self.results, "{text}{end}").and_then(|()| self.results.flush()).map_err(Failure::Output)
    }

    /// Objects, a line each.
    pub(crate) fn lines(&mut self, values: &[serde_json::Value]) -> Result<(), Failure> {
        let mut write = |value: &serde_json::Value| writeln!(self.results, "{}", report::json_text(value));
        values.iter().try_for_each(&mut write).and_then(|()| self.results.flush()).map_err(Failure::Output)
    }

    /// Where a result that is no text goes: never to a terminal.
    pub(crate) fn bytes(&mut self) -> Result<&mut dyn Write, Failure> {
        match self.results.is_terminal() {
            true => Err(Failure::BytesToTerminal),
            false => Ok(&mut self.results),
        }
    }

    /// Where a result of any length goes that is text, and inert.
    pub(crate) fn stream(&mut self) -> &mut dyn Write {
        &mut self.results
    }

    /// A complaint on standard error; a closed one is not worth failing for.
    pub(crate) fn complain(&self, text: &str) {
        complain(text);
    }
}
