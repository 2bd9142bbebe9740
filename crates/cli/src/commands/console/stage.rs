//! What stands on the terminal while a question is worked on: one line, which is taken away before anything is printed.

use crate::board::Size;
use crate::screen::Screen;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::time::Instant;

/// The most columns of the line.
const COLUMNS: usize = 54;

/// The line, and what it says.
#[derive(Clone)]
pub(super) struct Stage {
    screen: Arc<Screen>,
    does: Arc<Mutex<(String, Instant)>>,
}

impl Stage {
    pub(super) fn new(is_live: bool) -> Stage {
        let does = Arc::new(Mutex::new((String::new(), Instant::now())));
        Stage { screen: Arc::new(Screen::new(!is_live)), does }
    }

    /// Something begins that takes its time.
    pub(super) fn begin(&self, does: &str) {
        *self.does.lock().unwrap_or_else(PoisonError::into_inner) = (does.to_owned(), Instant::now());
    }

    /// It has come so far.
    pub(super) fn goes_on(&self, does: String) {
        self.does.lock().unwrap_or_else(PoisonError::into_inner).0 = does;
    }

    /// Draws the line, on a terminal.
    pub(super) fn paint(&self) {
        if self.screen.is_live() {
            let does = self.does.lock().unwrap_or_else(PoisonError::into_inner);
            let size = Screen::size();
            let line = line(&does.0, does.1.elapsed().as_secs(), size);
            drop(does);
            self.screen.paint(&[line], size);
        }
    }

    /// Takes the line away.
    pub(super) fn clear(&self) {
        self.screen.clear();
    }

    /// Writes a text that stays, on standard error.
    pub(super) fn say(&self, text: &str) {
        self.screen.say(text);
    }
}

fn line(does: &str, seconds: u64, size: Size) -> String {
    let time = format!(" {seconds} s");
    let most = COLUMNS.min(size.columns.saturating_sub(1)).saturating_sub(time.chars().count());
    let does: String = does.chars().filter(|it| it.is_ascii_graphic() || *it == ' ').take(most).collect();
    format!("{does}{time}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_never_wider_than_it_may_be() {
        let size = |columns| Size { columns, lines: 24 };
        assert_eq!(line("looking", 3, size(80)), "looking 3 s");
        let long = "recording 在 ".repeat(20);
        assert_eq!(line(&long, 100, size(80)).chars().count(), 54);
        assert_eq!(line(&long, 100, size(30)).chars().count(), 29);
        assert!(line(&long, 1, size(200)).is_ascii());
    }
}
