//! Lines on standard error that are redrawn in place.
//!
//! Only the text below the cursor ever changes. However the program ends, there is nothing to restore.

use crate::board::Size;
use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

/// The progress display on the terminal, if there is a terminal to show it on.
pub(crate) struct Screen {
    /// The lines on screen; `None` if nothing is ever drawn.
    drawn: Option<Mutex<Vec<String>>>,
}

impl Screen {
    /// A screen on standard error. It draws nothing if that is not a terminal, or one that cannot move its cursor.
    pub(crate) fn new(quiet: bool) -> Screen {
        #[expect(clippy::disallowed_methods, reason = "this crate alone reads the environment")]
        let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        let live = !quiet && !dumb && io::stderr().is_terminal();
        Screen { drawn: live.then(|| Mutex::new(Vec::new())) }
    }

    /// Whether this screen draws at all.
    pub(crate) fn is_live(&self) -> bool {
        self.drawn.is_some()
    }

    /// The terminal's size, or 80 by 24 if it is unknown.
    pub(crate) fn size() -> Size {
        match terminal_size::terminal_size_of(io::stderr()) {
            Some((columns, lines)) => Size { columns: columns.0.into(), lines: lines.0.into() },
            None => Size { columns: 80, lines: 24 },
        }
    }

    /// Replaces the drawn lines.
    pub(crate) fn paint(&self, lines: &[String], size: Size) {
        self.redraw("", lines, size);
    }

    /// Removes the drawn lines.
    pub(crate) fn clear(&self) {
        self.redraw("", &[], Screen::size());
    }

    /// Writes a text that stays on screen, in place of the drawn lines.
    pub(crate) fn say(&self, text: &str) {
        match self.is_live() {
            true => self.redraw(&format!("{text}\n"), &[], Screen::size()),
            // If standard error is closed, there is no point in failing.
            false => drop(writeln!(io::stderr(), "{text}")),
        }
    }

    fn redraw(&self, text: &str, lines: &[String], size: Size) {
        let Some(drawn) = &self.drawn else { return };
        let mut drawn = drawn.lock().unwrap_or_else(PoisonError::into_inner);
        if text.is_empty() && *drawn == lines {
            return;
        }
        let widths: Vec<usize> = drawn.iter().map(|line| line.chars().count()).collect();
        let out = over(&widths, text, lines, size);
        drawn.clear();
        drawn.extend_from_slice(lines);
        // One write, so that the terminal never shows half an update.
        let _ = io::stderr().write_all(out.as_bytes());
    }
}

/// The output that replaces drawn lines of these widths with a permanent text and new lines.
fn over(drawn: &[usize], text: &str, lines: &[String], size: Size) -> String {
    // A terminal that has become narrower has wrapped the drawn lines.
    let columns = size.columns.max(1);
    let up: usize = drawn.iter().map(|width| width.div_ceil(columns).max(1)).sum();
    let mut out = match up {
        0 => String::new(),
        up => format!("\x1b[{up}A\r"),
    };
    if !text.is_empty() {
        out.push_str(&text.replace('\n', "\x1b[K\n"));
    }
    for line in lines {
        out.push_str(line);
        out.push_str("\x1b[K\n");
    }
    if up > 0 && lines.is_empty() && text.is_empty() {
        // If a screen is cleared from its first cell, tmux considers it worth keeping and scrolls it into its history.
        out.push_str("\x1b[K\x1b[B\x1b[J\x1b[A");
    } else if up > lines.len() || !text.is_empty() {
        out.push_str("\x1b[J");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { columns: 20, lines: 10 };

    fn lines(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn lines_replace_lines_without_an_empty_screen_in_between() {
        assert_eq!(over(&[], "", &lines(&["a", "b"]), SIZE), "a\x1b[K\nb\x1b[K\n");
        assert_eq!(over(&[1, 1], "", &lines(&["c", "d"]), SIZE), "\x1b[2A\rc\x1b[K\nd\x1b[K\n");
        assert_eq!(over(&[1, 1], "", &lines(&["e"]), SIZE), "\x1b[2A\re\x1b[K\n\x1b[J");
        assert_eq!(over(&[1], "", &[], SIZE), "\x1b[1A\r\x1b[K\x1b[B\x1b[J\x1b[A");
        assert_eq!(over(&[], "", &[], SIZE), "");
    }

    #[test]
    fn a_text_that_stays_takes_the_place_of_the_lines() {
        assert_eq!(over(&[5, 5], "note\n", &[], SIZE), "\x1b[2A\rnote\x1b[K\n\x1b[J");
    }

    #[test]
    fn lines_that_a_narrower_terminal_has_wrapped_are_counted_as_they_stand() {
        assert_eq!(over(&[19, 41], "", &[], SIZE), "\x1b[4A\r\x1b[K\x1b[B\x1b[J\x1b[A");
    }
}
