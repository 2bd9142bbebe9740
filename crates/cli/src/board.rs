//! What is at work, for a person who waits: what is told of it, and the lines that show it.

use app::Progress;
use ledger::event::TaskStatus;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// The size of a terminal, in columns and lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) columns: usize,
    pub(crate) lines: usize,
}

/// The cases of one command: those at work, and counts of those that ended.
///
/// Times are measured from the start of the command.
#[derive(Debug, Default)]
pub(crate) struct Board {
    asked: usize,
    ended: usize,
    failed: usize,
    facts: u64,
    at_work: BTreeMap<usize, Work>,
}

/// A case at work.
#[derive(Debug)]
struct Work {
    name: String,
    since: Duration,
    agents: BTreeMap<String, Agent>,
    last: Option<String>,
}

/// An agent of such a case.
#[derive(Debug, Default)]
struct Agent {
    turn: u32,
    tool: String,
    facts: u64,
    ended: Option<TaskStatus>,
}

impl Board {
    /// A board for so many cases.
    pub(crate) fn new(asked: usize) -> Board {
        Board { asked, ..Board::default() }
    }

    pub(crate) fn begin(&mut self, case: usize, name: &str, now: Duration) {
        let work = Work { name: name.to_owned(), since: now, agents: BTreeMap::new(), last: None };
        self.at_work.insert(case, work);
    }

    pub(crate) fn hear(&mut self, case: usize, event: &Progress) {
        let Some(work) = self.at_work.get_mut(&case) else { return };
        let name = match event {
            Progress::Note(_) => return,
            Progress::Turn { agent: name, .. }
            | Progress::Tool { agent: name, .. }
            | Progress::Recorded { agent: name, .. }
            | Progress::Ended { agent: name, .. } => name,
        };
        work.last = Some(name.clone());
        let agent = work.agents.entry(name.clone()).or_default();
        match event {
            Progress::Note(_) => {}
            Progress::Turn { turn, .. } => {
                agent.turn = *turn;
                agent.tool.clear();
            }
            Progress::Tool { tool, .. } => agent.tool.clone_from(tool),
            Progress::Recorded { facts, .. } => {
                agent.facts += u64::from(*facts);
                self.facts += u64::from(*facts);
            }
            Progress::Ended { ended, .. } => agent.ended = Some(ended.status),
        }
    }

    pub(crate) fn end(&mut self, case: usize, sealed: bool) {
        self.at_work.remove(&case);
        self.ended += 1;
        self.failed += usize::from(!sealed);
    }

    /// The lines that show it: one for each agent of a single case; of several, one for each case at work and one for all.
    ///
    /// No line is as wide as the terminal, and there are fewer of them than it has: it never wraps or scrolls.
    pub(crate) fn render(&self, now: Duration, size: Size) -> Vec<String> {
        let mut lines: Vec<String> = match self.asked {
            1 => self.at_work.values().flat_map(|work| work.by_agent(now)).collect(),
            _ => self.at_work.values().map(|work| work.in_one(now)).collect(),
        };
        let total = (self.asked > 1).then(|| self.total(now));
        lines.truncate(size.lines.saturating_sub(1 + usize::from(total.is_some())));
        lines.extend(total);
        lines.truncate(size.lines.saturating_sub(1));
        lines.iter().map(|line| cut(&report::terminal(line), size.columns.saturating_sub(1))).collect()
    }

    fn total(&self, now: Duration) -> String {
        let mut line = format!("{} of {} cases ended", self.ended, self.asked);
        if self.failed > 0 {
            let _ = write!(line, ", {} not sealed", self.failed);
        }
        let _ = write!(line, ", {} at work, {} facts, {}", self.at_work.len(), self.facts, elapsed(now));
        line
    }
}

impl Work {
    fn by_agent(&self, now: Duration) -> Vec<String> {
        let time = elapsed(now.saturating_sub(self.since));
        let line = |(name, agent): (&String, &Agent)| {
            format!("{name}: {} facts, {time}, {}", agent.facts, agent.doing())
        };
        let mut lines: Vec<String> = self.agents.iter().map(line).collect();
        match self.agents.is_empty() {
            true => lines.push(format!("{}: {time}", self.name)),
            false if self.all_ended() => lines.push(format!("{}: {time}, {CLOSING}", self.name)),
            false => {}
        }
        lines
    }

    /// What the agent does that was heard last, and the facts of all of them.
    fn in_one(&self, now: Duration) -> String {
        let time = elapsed(now.saturating_sub(self.since));
        let facts: u64 = self.agents.values().map(|agent| agent.facts).sum();
        let last = self.last.as_ref().and_then(|last| Some((last, self.agents.get(last)?)));
        match last {
            None => format!("{}: {time}", self.name),
            Some(_) if self.all_ended() => format!("{}: {facts} facts, {time}, {CLOSING}", self.name),
            Some((name, agent)) => format!("{}: {facts} facts, {time}, {name} {}", self.name, agent.doing()),
        }
    }

    /// Whether every agent that was heard has ended.
    fn all_ended(&self) -> bool {
        self.agents.values().all(|agent| agent.ended.is_some())
    }
}

/// What goes on when the agents have ended.
const CLOSING: &str = "hashing the evidence";

impl Agent {
    fn doing(&self) -> String {
        match self.ended {
            Some(status) => report::status(status).to_owned(),
            None if self.tool.is_empty() => format!("turn {}", self.turn),
            None => format!("turn {}, {}", self.turn, self.tool),
        }
    }
}

fn elapsed(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds:02} s"),
        (hours, minutes, _) => format!("{hours} h {minutes:02} min"),
    }
}

/// The line in at most so many columns; what is no ASCII is taken for two columns wide, which is the widest it can be.
fn cut(line: &str, columns: usize) -> String {
    let wide = |c: char| if c.is_ascii() { 1 } else { 2 };
    if line.chars().map(wide).sum::<usize>() <= columns {
        return line.to_owned();
    }
    let mut left = columns.saturating_sub(3);
    let fits = line.chars().take_while(|c| {
        let width = wide(*c);
        let fits = width <= left;
        left = left.saturating_sub(width);
        fits
    });
    let mut short: String = fits.collect();
    short.push_str(&"..."[..columns.min(3)]);
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::event::TaskEnded;

    const WIDE: Size = Size { columns: 100, lines: 24 };

    fn turn(agent: &str, turn: u32) -> Progress {
        Progress::Turn { agent: agent.to_owned(), turn }
    }

    fn recorded(agent: &str, facts: u32) -> Progress {
        Progress::Recorded { agent: agent.to_owned(), facts }
    }

    fn ended(agent: &str) -> Progress {
        let (status, spent, objectives) = (TaskStatus::Completed, None, Vec::new());
        let ended = TaskEnded { status, spent, objectives, turns: 1, facts: 0, rejections: 0 };
        Progress::Ended { agent: agent.to_owned(), ended }
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_single_case_has_a_line_for_each_agent() {
        let mut board = Board::new(1);
        assert!(board.render(seconds(0), WIDE).is_empty());
        board.begin(0, "demo", seconds(0));
        assert_eq!(board.render(seconds(1), WIDE), ["demo: 1 s"]);
        board.hear(0, &turn("registry", 3));
        board.hear(0, &recorded("registry", 12));
        board.hear(0, &turn("filesystem", 1));
        assert_eq!(
            board.render(seconds(75), WIDE),
            ["filesystem: 0 facts, 1 min 15 s, turn 1", "registry: 12 facts, 1 min 15 s, turn 3"]
        );
        for agent in ["filesystem", "registry"] {
            board.hear(0, &ended(agent));
        }
        assert_eq!(board.render(seconds(75), WIDE)[2], "demo: 1 min 15 s, hashing the evidence");
        board.end(0, true);
        assert!(board.render(seconds(80), WIDE).is_empty());
    }

    #[test]
    fn a_batch_has_a_line_for_each_case_at_work_and_one_for_all() {
        let mut board = Board::new(3);
        board.begin(0, "a", seconds(0));
        board.begin(1, "b", seconds(0));
        board.end(0, false);
        board.begin(2, "c", seconds(10));
        board.hear(2, &turn("registry", 2));
        board.hear(2, &recorded("registry", 4));
        assert_eq!(
            board.render(seconds(13), WIDE),
            [
                "b: 13 s",
                "c: 4 facts, 3 s, registry turn 2",
                "1 of 3 cases ended, 1 not sealed, 2 at work, 4 facts, 13 s",
            ]
        );
        board.hear(2, &ended("registry"));
        assert_eq!(board.render(seconds(13), WIDE)[1], "c: 4 facts, 3 s, hashing the evidence");
    }

    #[test]
    fn whatever_the_terminal_no_line_wraps_and_none_is_too_many() {
        let mut board = Board::new(40);
        for case in 0..40 {
            board.begin(case, "ein Fall mit \u{e4}\u{8a9e} und \u{1b}[2J im Namen", seconds(0));
        }
        for (columns, lines) in [(0, 0), (1, 1), (2, 2), (20, 5), (33, 10), (80, 24), (500, 100)] {
            let shown = board.render(seconds(4000), Size { columns, lines });
            assert!(shown.len() <= lines.saturating_sub(1), "{columns} {lines}: {shown:?}");
            for line in &shown {
                let width: usize = line.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
                assert!(width <= columns.saturating_sub(1), "{columns}: {line:?}");
                assert!(!line.contains('\u{1b}'), "{line:?}");
            }
            if lines > 1 && columns > 30 {
                assert!(shown.last().is_some_and(|line| line.starts_with("0 of 40")), "{shown:?}");
            }
        }
    }
}
