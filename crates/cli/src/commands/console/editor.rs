//! The line editor on a terminal: history, and completion of commands, ids, names and paths.

use super::input::Typed;
use super::slash::COMMANDS;
use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::config::Configurer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{ColorMode, Config, Context, Helper};
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The most candidates of one word.
const MOST: usize = 100;

/// What can be completed.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Ids of facts.
    pub(super) facts: BTreeSet<String>,
    /// Names of hosts and accounts.
    pub(super) names: BTreeSet<String>,
}

impl Known {
    /// Where a word begins that ends the line, and what it may be.
    fn candidates(&self, line: &str) -> (usize, Vec<String>) {
        let begin = line.rfind(char::is_whitespace).map_or(0, |at| {
            at + line.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
        });
        let word = line.get(begin..).unwrap_or_default();
        let low = word.to_lowercase();
        let fits = |it: &&String| !low.is_empty() && it.to_lowercase().starts_with(&low);
        let all: Vec<String> = match begin {
            0 if word.starts_with('/') => {
                COMMANDS.iter().map(|it| it.name.to_owned()).filter(|it| it.starts_with(word)).collect()
            }
            _ => self.facts.iter().chain(&self.names).filter(fits).take(MOST).cloned().collect(),
        };
        (begin, all)
    }
}

/// The editor, with its history.
pub(super) struct Editor {
    editor: rustyline::Editor<Completing, FileHistory>,
    history: Option<PathBuf>,
}

impl Editor {
    pub(super) fn new(history: Option<PathBuf>, known: Arc<Mutex<Known>>) -> io::Result<Editor> {
        let config = Config::builder().max_history_size(super::history::MOST).map_err(failed)?;
        let config = config.color_mode(ColorMode::Disabled).build();
        let mut editor = rustyline::Editor::with_config(config).map_err(failed)?;
        editor.set_helper(Some(Completing { known, paths: FilenameCompleter::new() }));
        editor.set_auto_add_history(false);
        if let Some(path) = &history {
            // A history that cannot be read is none.
            let _ = editor.load_history(path);
        }
        Ok(Editor { editor, history })
    }

    /// Lets a line be edited.
    pub(super) fn line(&mut self, prompt: &str) -> Typed {
        match self.editor.readline(prompt) {
            Ok(line) => {
                self.keep(&line);
                Typed::Line(line)
            }
            Err(ReadlineError::Interrupted) => Typed::Interrupted,
            Err(ReadlineError::Eof) => Typed::End,
            Err(error) => Typed::Failed(failed(error)),
        }
    }

    /// Keeps a line at once: the program may end in any way.
    fn keep(&mut self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        let is_new = self.editor.add_history_entry(line).unwrap_or(false);
        if let Some(path) = self.history.as_ref().filter(|_| is_new) {
            // What cannot be kept is still known until the program ends.
            let _ = self.editor.append_history(path);
        }
    }
}

fn failed(error: ReadlineError) -> io::Error {
    match error {
        ReadlineError::Io(error) => error,
        other => io::Error::other(other),
    }
}

/// What completes words.
struct Completing {
    known: Arc<Mutex<Known>>,
    paths: FilenameCompleter,
}

impl Completer for Completing {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let before = line.get(..at).unwrap_or_default();
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (begin, all) = known.candidates(before);
        if all.is_empty() && before.starts_with('/') {
            return self.paths.complete_path(line, at);
        }
        // Names come from evidence: what would steer the terminal is never shown.
        let shown = |it: String| Pair { display: report::terminal(&it), replacement: report::terminal(&it) };
        Ok((begin, all.into_iter().map(shown).collect()))
    }
}

impl Hinter for Completing {
    type Hint = String;
}
impl Highlighter for Completing {}
impl Validator for Completing {}
impl Helper for Completing {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_completed_by_what_they_may_be() {
        let known = Known { facts: set(&["fact-01", "fact-02"]), names: set(&["mara", "Márk", "ALDER-07"]) };
        for (line, begin, expected) in [
            ("/wh", 0, vec!["/why"]),
            ("/why fact-0", 5, vec!["fact-01", "fact-02"]),
            ("when did MA", 9, vec!["mara"]),
            ("谁 al", 4, vec!["ALDER-07"]),
            ("when did ", 9, vec![]),
            ("", 0, vec![]),
        ] {
            let expected: Vec<String> = set(&expected).into_iter().collect();
            assert_eq!(known.candidates(line), (begin, expected), "{line}");
        }
        // An ideographic space parts words, too.
        assert_eq!(known.candidates("谁\u{3000}al"), (6, vec!["ALDER-07".to_owned()]));
    }

    fn set(all: &[&str]) -> BTreeSet<String> {
        all.iter().map(|it| (*it).to_owned()).collect()
    }

    #[test]
    fn every_command_is_completed_from_its_slash() {
        let known = Known { facts: set(&[]), names: set(&[]) };
        assert_eq!(known.candidates("/").1.len(), COMMANDS.len());
    }
}
