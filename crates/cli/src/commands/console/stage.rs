//! What a terminal shows while a question is worked on: a few lines, which are removed before anything is printed.

use crate::board::{Board, Size, cut};
use crate::screen::Screen;
use app::Progress;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::time::Instant;

/// The maximum width of a line, in columns.
const COLUMNS: usize = 54;

/// The maximum width of a question in the lines of its task, in columns.
const QUESTION: usize = 24;

/// The lines, and what they show.
#[derive(Clone)]
pub(super) struct Stage {
    screen: Arc<Screen>,
    shown: Arc<Mutex<Shown>>,
}

struct Shown {
    does: String,
    since: Instant,
    /// The task of a model, which takes many turns; code shows only what it does.
    board: Option<Board>,
}

impl Stage {
    pub(super) fn new(is_live: bool) -> Stage {
        let shown = Shown { does: String::new(), since: Instant::now(), board: None };
        Stage { screen: Arc::new(Screen::new(!is_live)), shown: Arc::new(Mutex::new(shown)) }
    }

    /// Starts showing something that takes a while.
    pub(super) fn begin(&self, does: &str) {
        *self.shown() = Shown { does: does.to_owned(), since: Instant::now(), board: None };
    }

    /// Starts showing the task in which a model answers a question.
    pub(super) fn begin_task(&self, question: &str) {
        self.begin("");
        let mut board = Board::new(1);
        board.begin(0, &cut(question, QUESTION), std::time::Duration::ZERO);
        self.shown().board = Some(board);
    }

    /// Takes in what happens; nothing is drawn before the next [`Stage::paint`], however much happens.
    pub(super) fn hear(&self, event: &Progress) {
        let mut shown = self.shown();
        match (&mut shown.board, event) {
            (Some(board), event) => board.hear(0, event),
            (None, Progress::Tool { tool, .. }) => shown.does = format!("recording: {tool}"),
            (None, _) => {}
        }
    }

    /// Draws the lines, on a terminal.
    pub(super) fn paint(&self) {
        if self.screen.is_live() {
            let size = Screen::size();
            let lines = lines(&self.shown(), size);
            self.screen.paint(&lines, size);
        }
    }

    /// Removes the lines.
    pub(super) fn clear(&self) {
        self.screen.clear();
    }

    /// Writes a text that stays, on standard error.
    pub(super) fn say(&self, text: &str) {
        self.screen.say(text);
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lines(shown: &Shown, size: Size) -> Vec<String> {
    let elapsed = shown.since.elapsed();
    match &shown.board {
        // A board leaves the last column free.
        Some(board) => board.render(elapsed, Size { columns: size.columns.min(COLUMNS + 1), ..size }),
        None => vec![line(&shown.does, elapsed.as_secs(), size)],
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
    use crate::board::width;

    #[test]
    fn the_line_is_never_wider_than_it_may_be() {
        let size = |columns| Size { columns, lines: 24 };
        assert_eq!(line("looking", 3, size(80)), "looking 3 s");
        let long = "recording 在 ".repeat(20);
        assert_eq!(line(&long, 100, size(80)).chars().count(), 54);
        assert_eq!(line(&long, 100, size(30)).chars().count(), 29);
        assert!(line(&long, 1, size(200)).is_ascii());
    }

    #[test]
    fn ten_thousand_events_are_shown_in_two_short_lines_at_any_size() {
        let stage = Stage::new(false);
        stage.begin_task("Which accounts were used on 在文件夹中 between the first and the last logon?");
        for number in 0..10_000_u32 {
            let (task, agent) = (ledger::TaskId(1), "asker".to_owned());
            stage.hear(&match number % 4 {
                0 => Progress::Turn { task, agent, turn: number },
                1 => Progress::Tool {
                    task,
                    agent,
                    invocation: "inv-00000001".parse().unwrap(),
                    tool: "records".repeat(9),
                    objective: Some("question".to_owned()),
                },
                2 => Progress::Refused { task, agent, code: "too_weak", objective: None },
                _ => Progress::Recorded { task, agent, facts: 1 },
            });
        }
        for columns in [20, 54, 55, 80, 400] {
            let lines = lines(&stage.shown(), Size { columns, lines: 24 });
            assert_eq!(lines.len(), 2, "{lines:?}");
            assert!(lines.iter().all(|line| width(line) <= COLUMNS.min(columns - 1)), "{lines:?}");
        }
        let wide = lines(&stage.shown(), Size { columns: 80, lines: 24 }).join("\n");
        assert!(wide.contains("2500 facts") && wide.contains("Which accounts"), "{wide}");
        assert!(lines(&stage.shown(), Size { columns: 80, lines: 1 }).is_empty());
    }
}
