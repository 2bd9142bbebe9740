//! What is typed: on a terminal by a line editor, elsewhere line by line.
//!
//! It is read on a thread of its own: a signal is heard at an idle prompt, too.

use super::ConsoleArguments;
use super::editor::{Editor, Known};
use super::history;
use crate::platform::{Signals, Terminal};
use std::io::{self, BufRead};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use tokio::runtime::Runtime;

/// The longest line that is read where nobody edits it; what is behind is cut.
const LONGEST: u64 = 1 << 16;

/// What came of waiting for a line.
#[derive(Debug)]
pub(super) enum Typed {
    Line(String),
    /// Ctrl-C at the prompt.
    Interrupted,
    /// The end of the input, or Ctrl-D.
    End,
    Failed(io::Error),
    /// A signal, with the exit code that says so.
    Signal(u8),
}

/// Where lines come from.
pub(super) struct Input {
    /// The terminal as it was, where lines are edited on one.
    terminal: Option<Terminal>,
    prompts: mpsc::Sender<String>,
    typed: tokio::sync::mpsc::UnboundedReceiver<Typed>,
    known: Arc<Mutex<Known>>,
}

impl Input {
    pub(super) fn begin(
        arguments: &ConsoleArguments,
        evidence: &[PathBuf],
        terminal: Option<Terminal>,
    ) -> Input {
        let (prompts, asked) = mpsc::channel::<String>();
        let (hear, typed) = tokio::sync::mpsc::unbounded_channel();
        let known = Arc::new(Mutex::new(Known::default()));
        let history = if arguments.no_history { None } else { history::file(evidence) };
        let (knows, is_edited) = (Arc::clone(&known), terminal.is_some());
        std::thread::spawn(move || match is_edited {
            true => edited(&asked, &hear, history, knows),
            false => plain(&asked, &hear),
        });
        Input { terminal, prompts, typed, known }
    }

    /// Whether somebody sits at it.
    pub(super) const fn is_edited(&self) -> bool {
        self.terminal.is_some()
    }

    /// Waits for the next line.
    pub(super) fn next(&mut self, prompt: &str, runtime: &Runtime, signals: &mut Signals) -> Typed {
        if self.prompts.send(prompt.to_owned()).is_err() {
            return Typed::End;
        }
        runtime.block_on(async {
            tokio::select! {
                typed = self.typed.recv() => typed.unwrap_or(Typed::End),
                code = signals.next() => Typed::Signal(code),
            }
        })
    }

    /// Nothing that is typed from here on is shown, until the next line is waited for.
    pub(super) fn hush(&self) {
        if let Some(terminal) = &self.terminal {
            terminal.hush();
        }
    }

    /// The terminal is as it was.
    pub(super) fn restore(&self) {
        if let Some(terminal) = &self.terminal {
            terminal.restore();
        }
    }

    /// Drops what was typed before it was asked for.
    pub(super) fn forget(&self) {
        if let Some(terminal) = &self.terminal {
            terminal.forget();
        }
    }

    /// What can be completed.
    pub(super) fn know(&self, know: impl FnOnce(&mut Known)) {
        know(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

fn edited(
    asked: &mpsc::Receiver<String>,
    hear: &tokio::sync::mpsc::UnboundedSender<Typed>,
    history: Option<PathBuf>,
    known: Arc<Mutex<Known>>,
) {
    let mut editor = match Editor::new(history, known) {
        Ok(editor) => editor,
        Err(error) => {
            // Whoever waits is told; where nobody does, there is nobody to tell.
            drop(hear.send(Typed::Failed(error)));
            return;
        }
    };
    while let Ok(prompt) = asked.recv() {
        if hear.send(editor.line(&prompt)).is_err() {
            return;
        }
    }
}

fn plain(asked: &mpsc::Receiver<String>, hear: &tokio::sync::mpsc::UnboundedSender<Typed>) {
    let mut lines = io::stdin().lock();
    while let Ok(_prompt) = asked.recv() {
        if hear.send(read(&mut lines)).is_err() {
            return;
        }
    }
}

/// The next line, however it is encoded; of one that is too long only its beginning.
fn read(lines: &mut impl BufRead) -> Typed {
    let mut bytes = Vec::new();
    match io::Read::take(&mut *lines, LONGEST).read_until(b'\n', &mut bytes) {
        Ok(0) => return Typed::End,
        Ok(_) => {}
        Err(error) => return Typed::Failed(error),
    }
    if bytes.len() as u64 == LONGEST
        && !bytes.ends_with(b"\n")
        && let Err(error) = lines.skip_until(b'\n')
    {
        return Typed::Failed(error);
    }
    Typed::Line(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned())
}

#[cfg(test)]
#[allow(clippy::panic, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_however_they_are_encoded_and_long_ones_are_cut() {
        let long = "x".repeat(100_000);
        let text = [b"a \xff b\r\n" as &[u8], long.as_bytes(), "\n谁\n".as_bytes(), b"last"].concat();
        let mut lines = text.as_slice();
        let mut next = || match read(&mut lines) {
            Typed::Line(line) => line,
            other => panic!("{other:?}"),
        };
        assert_eq!(next(), "a \u{fffd} b");
        assert_eq!(next().len() as u64, LONGEST);
        assert_eq!((next(), next()), ("谁".to_owned(), "last".to_owned()));
        assert!(matches!(read(&mut lines), Typed::End));
    }
}
