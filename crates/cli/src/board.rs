//! The progress of running cases: the events it receives, and the lines that show it to a waiting person.

mod line;

use app::Progress;
use ledger::TaskId;
use ledger::event::TaskStatus;
pub(crate) use line::{cut, width};
use line::{elapsed, middle};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::time::Duration;

/// The size of a terminal, in columns and lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) columns: usize,
    pub(crate) lines: usize,
}

/// The cases of one command: the running ones, and counts of the ended ones.
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

/// A running case.
#[derive(Debug)]
struct Work {
    name: String,
    since: Duration,
    /// Several tasks may have the same agent.
    tasks: BTreeMap<TaskId, Line>,
    last: Option<TaskId>,
}

/// A task of a running case.
#[derive(Debug, Default)]
struct Line {
    agent: String,
    sequence: Option<u32>,
    turn: u32,
    tool: String,
    /// The objective that the current call works towards.
    towards: Option<String>,
    facts: u64,
    objectives: u32,
    met: u32,
    /// Objectives that have a fact, including those that are only watched for.
    answered: u32,
    /// The last refusal or recovery, and the last turn in which it is shown.
    remark: Option<(String, u32)>,
    /// Tasks that this one assigned and that have not reported back yet.
    waits_for: BTreeSet<TaskId>,
    ended: Option<TaskStatus>,
}

impl Board {
    /// A board for this many cases.
    pub(crate) fn new(asked: usize) -> Board {
        Board { asked, ..Board::default() }
    }

    pub(crate) fn begin(&mut self, case: usize, name: &str, now: Duration) {
        let work = Work { name: name.to_owned(), since: now, tasks: BTreeMap::new(), last: None };
        self.at_work.insert(case, work);
    }

    pub(crate) fn hear(&mut self, case: usize, event: &Progress) {
        let Some(work) = self.at_work.get_mut(&case) else { return };
        work.hear(event);
        if let Progress::Recorded { facts, .. } = event {
            self.facts += u64::from(*facts);
        }
    }

    pub(crate) fn end(&mut self, case: usize, sealed: bool) {
        self.at_work.remove(&case);
        self.ended += 1;
        self.failed += usize::from(!sealed);
    }

    /// The lines to show. For a single case: one per running task, and one for the case. For several: one per running case, and one total.
    ///
    /// Lines are narrower than the terminal and fewer than its rows, so that it never wraps or scrolls.
    pub(crate) fn render(&self, now: Duration, size: Size) -> Vec<String> {
        let columns = size.columns.saturating_sub(1);
        let most = size.lines.saturating_sub(1);
        let (mut lines, last): (Vec<String>, Option<String>) = match self.asked {
            1 => match self.at_work.values().next() {
                None => return Vec::new(),
                Some(work) => (work.by_task(columns), Some(work.whole(now))),
            },
            _ => (self.at_work.values().map(|work| work.in_one(now)).collect(), Some(self.total(now))),
        };
        let room = most.saturating_sub(usize::from(last.is_some()));
        if lines.len() > room {
            let hidden = lines.len() - room.saturating_sub(1);
            lines.truncate(room.saturating_sub(1));
            lines.push(format!("and {hidden} more at work"));
            lines.truncate(room);
        }
        lines.extend(last);
        lines.truncate(most);
        lines.iter().map(|line| cut(&report::terminal(line), columns)).collect()
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
    fn hear(&mut self, event: &Progress) {
        match event {
            Progress::Note(_)
            | Progress::Opened { .. }
            | Progress::GoesOn { .. }
            | Progress::Learned { .. } => {}
            Progress::Assigned { task, agent, sequence, by, objectives, met } => {
                let line = self.line(*task, agent);
                (line.sequence, line.objectives, line.met) = (*sequence, *objectives, *met);
                if let Some(lead) = by.and_then(|by| self.tasks.get_mut(&by)) {
                    lead.waits_for.insert(*task);
                }
            }
            Progress::Turn { task, agent, turn } => self.line(*task, agent).begin(*turn),
            Progress::Tool { task, agent, tool, objective, .. } => {
                let line = self.line(*task, agent);
                (line.tool, line.towards) = (tool.clone(), objective.clone());
            }
            Progress::Recorded { task, agent, facts } => self.line(*task, agent).facts += u64::from(*facts),
            Progress::Answered { task, agent, met, .. } => {
                let line = self.line(*task, agent);
                (line.met, line.answered) = (*met, line.answered + 1);
            }
            Progress::Refused { task, agent, code, objective } => {
                let missed = objective.as_ref().map_or(String::new(), |id| format!(" ({id})"));
                self.line(*task, agent).remark(format!("refused {code}{missed}"));
            }
            Progress::Recovering { task, agent, attempt, strategy, objective } => {
                self.line(*task, agent).remark(format!("recovery {attempt} {strategy} ({objective})"));
            }
            Progress::Reported { task, .. } => {
                for line in self.tasks.values_mut() {
                    line.waits_for.remove(task);
                }
            }
            Progress::Ended { task, agent, ended } => self.line(*task, agent).ended = Some(ended.status),
        }
    }

    fn line(&mut self, task: TaskId, agent: &str) -> &mut Line {
        self.last = Some(task);
        let line = self.tasks.entry(task).or_default();
        if line.agent.is_empty() {
            agent.clone_into(&mut line.agent);
        }
        line
    }

    /// One line per running task.
    fn by_task(&self, columns: usize) -> Vec<String> {
        let at_work: Vec<_> = self.tasks.iter().filter(|(_, line)| line.ended.is_none()).collect();
        let columns = Columns {
            all: columns,
            agent: at_work.iter().map(|(_, line)| width(&line.agent)).max().unwrap_or(0).min(AGENT),
            has_rounds: at_work.iter().any(|(_, line)| line.sequence.is_some()),
        };
        at_work.iter().map(|(task, line)| line.show(**task, self.waiting(line), columns)).collect()
    }

    /// The tasks that a task waits for, if any.
    fn waiting(&self, line: &Line) -> Option<String> {
        let name = |task: &TaskId| {
            let agent = self.tasks.get(task).map_or("", |line| line.agent.as_str());
            format!("{} {agent}", task.0)
        };
        let all: Vec<String> = line.waits_for.iter().map(name).collect();
        (!all.is_empty()).then(|| format!("waits for {}", all.join(", ")))
    }

    /// One line for the whole case, the only place that mentions ended tasks.
    fn whole(&self, now: Duration) -> String {
        let mut line = format!("{}: {}", self.name, elapsed(now.saturating_sub(self.since)));
        if self.tasks.is_empty() {
            return line;
        }
        let facts: u64 = self.tasks.values().map(|line| line.facts).sum();
        let ended: Vec<TaskStatus> = self.tasks.values().filter_map(|line| line.ended).collect();
        let _ = write!(line, ", {facts} facts, ");
        match self.all_ended() {
            true => line.push_str(CLOSING),
            false => drop(write!(line, "{} of {} tasks ended", ended.len(), self.tasks.len())),
        }
        let unlike = ended.iter().filter(|status| **status != TaskStatus::Completed).count();
        if unlike > 0 {
            let _ = write!(line, " ({unlike} not completed)");
        }
        line
    }

    /// One line with the case's facts and what its most recently heard task is doing.
    fn in_one(&self, now: Duration) -> String {
        let time = elapsed(now.saturating_sub(self.since));
        let facts: u64 = self.tasks.values().map(|line| line.facts).sum();
        let last = self.last.and_then(|last| self.tasks.get(&last));
        match last {
            None => format!("{}: {time}", self.name),
            Some(_) if self.all_ended() => format!("{}: {facts} facts, {time}, {CLOSING}", self.name),
            Some(line) => format!("{}: {facts} facts, {time}, {} {}", self.name, line.agent, line.doing()),
        }
    }

    /// Whether all known tasks have ended.
    fn all_ended(&self) -> bool {
        self.tasks.values().all(|line| line.ended.is_some())
    }
}

/// What the run does once all tasks have ended.
const CLOSING: &str = "hashing the evidence";

/// A refusal or recovery stays visible for this many turns after its own.
const REMARKED: u32 = 2;

impl Line {
    fn begin(&mut self, turn: u32) {
        self.turn = turn;
        self.tool.clear();
        self.towards = None;
        self.remark = self.remark.take().filter(|(_, until)| turn <= *until);
    }

    fn remark(&mut self, remark: String) {
        self.remark = Some((remark, self.turn.saturating_add(REMARKED)));
    }

    fn doing(&self) -> String {
        match self.ended {
            Some(status) => report::status(status).to_owned(),
            None if self.tool.is_empty() => format!("turn {}", self.turn),
            None => format!("turn {}, {}", self.turn, self.tool),
        }
    }

    /// The line of a task: agent, facts and turn; the call with its objective, or the tasks it waits for; the last remark; objectives met.
    ///
    /// If it does not fit, the middle is cut, so that every line keeps its beginning and its end.
    fn show(&self, task: TaskId, waiting: Option<String>, columns: Columns) -> String {
        let round = match self.sequence {
            Some(sequence) => format!("  {:<3}", format!("r{sequence}")),
            None if columns.has_rounds => " ".repeat(5),
            None => String::new(),
        };
        let agent = cut(&report::terminal(&self.agent), columns.agent);
        let pad = " ".repeat(columns.agent.saturating_sub(width(&agent)));
        let Line { facts, turn, .. } = self;
        let begin = format!("{:>2} {agent}{pad}{round}  {facts:>3} facts  turn {turn}", task.0);
        let end = match self.objectives {
            // Objectives that are only watched for are never unmet.
            0 => format!("  {} answered", self.answered),
            of => format!("  {}/{of} met", self.met),
        };
        let room = columns.all.saturating_sub(width(&begin) + width(&end));
        let call = match (&waiting, &self.towards) {
            (Some(waiting), _) => waiting.clone(),
            (None, Some(objective)) => format!("{} -> {objective}", self.tool),
            (None, None) => self.tool.clone(),
        };
        let remark = self.remark.as_ref().map_or("", |(remark, _)| remark.as_str());
        format!("{begin}{}{end}", middle(&report::terminal(&call), &report::terminal(remark), room))
    }
}

/// Column widths for the lines of tasks.
#[derive(Debug, Clone, Copy)]
struct Columns {
    all: usize,
    /// Width of the agent's name.
    agent: usize,
    has_rounds: bool,
}

/// The greatest width of an agent's name.
const AGENT: usize = 13;

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::event::TaskEnded;

    const TERMINAL: Size = Size { columns: 80, lines: 24 };

    fn assigned(task: u16, agent: &str, objectives: u32) -> Progress {
        let (sequence, by, met) = (None, None, 0);
        Progress::Assigned { task: TaskId(task), agent: agent.to_owned(), sequence, by, objectives, met }
    }

    fn handed_out(task: u16, agent: &str, by: u16) -> Progress {
        let (sequence, by) = (Some(1), Some(TaskId(by)));
        Progress::Assigned {
            task: TaskId(task),
            agent: agent.to_owned(),
            sequence,
            by,
            objectives: 4,
            met: 0,
        }
    }

    fn turn(task: u16, agent: &str, turn: u32) -> Progress {
        Progress::Turn { task: TaskId(task), agent: agent.to_owned(), turn }
    }

    fn tool(task: u16, agent: &str, tool: &str, objective: Option<&str>) -> Progress {
        Progress::Tool {
            task: TaskId(task),
            agent: agent.to_owned(),
            invocation: "inv-00000001".parse().unwrap(),
            tool: tool.to_owned(),
            objective: objective.map(str::to_owned),
        }
    }

    fn recorded(task: u16, agent: &str, facts: u32) -> Progress {
        Progress::Recorded { task: TaskId(task), agent: agent.to_owned(), facts }
    }

    fn answered(task: u16, agent: &str, met: u32) -> Progress {
        Progress::Answered { task: TaskId(task), agent: agent.to_owned(), objective: "o".into(), met }
    }

    fn refused(task: u16, agent: &str, objective: Option<&str>) -> Progress {
        let objective = objective.map(str::to_owned);
        Progress::Refused { task: TaskId(task), agent: agent.to_owned(), code: "too_weak", objective }
    }

    fn ended(task: u16, agent: &str, status: TaskStatus) -> Progress {
        let (spent, objectives) = (None, Vec::new());
        let ended = TaskEnded { status, spent, objectives, own: vec![], turns: 1, facts: 0, rejections: 0 };
        Progress::Ended { task: TaskId(task), agent: agent.to_owned(), ended }
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// A board with a single case that has received these events.
    fn heard(events: &[Progress]) -> Board {
        let mut board = Board::new(1);
        board.begin(0, "demo", seconds(0));
        events.iter().for_each(|event| board.hear(0, event));
        board
    }

    #[test]
    fn a_single_case_has_a_line_for_each_task_at_work_and_one_for_itself() {
        let mut board = Board::new(1);
        assert!(board.render(seconds(0), TERMINAL).is_empty());
        board.begin(0, "demo", seconds(0));
        assert_eq!(board.render(seconds(1), TERMINAL), ["demo: 1 s"]);
        for event in [
            assigned(1, "filesystem", 3),
            assigned(2, "registry", 4),
            turn(1, "filesystem", 1),
            turn(2, "registry", 3),
            tool(2, "registry", "registry_artifact", Some("programs")),
            recorded(2, "registry", 12),
            answered(2, "registry", 1),
        ] {
            board.hear(0, &event);
        }
        assert_eq!(
            board.render(seconds(75), TERMINAL),
            [
                " 1 filesystem    0 facts  turn 1  0/3 met",
                " 2 registry     12 facts  turn 3  registry_artifact -> programs  1/4 met",
                "demo: 1 min 15 s, 12 facts, 0 of 2 tasks ended",
            ]
        );
        board.hear(0, &ended(1, "filesystem", TaskStatus::Incomplete));
        let told = board.render(seconds(75), TERMINAL);
        assert_eq!(told.len(), 2);
        assert_eq!(told[1], "demo: 1 min 15 s, 12 facts, 1 of 2 tasks ended (1 not completed)");
        board.hear(0, &ended(2, "registry", TaskStatus::Completed));
        assert_eq!(
            board.render(seconds(75), TERMINAL),
            ["demo: 1 min 15 s, 12 facts, hashing the evidence (1 not completed)"]
        );
        board.end(0, true);
        assert!(board.render(seconds(80), TERMINAL).is_empty());
    }

    #[test]
    fn a_lead_shows_what_it_waits_for_and_tasks_of_one_agent_have_lines_of_their_own() {
        let mut board = heard(&[
            assigned(1, "lead", 2),
            turn(1, "lead", 2),
            handed_out(3, "registry", 1),
            handed_out(4, "registry", 1),
            turn(3, "registry", 1),
        ]);
        assert_eq!(
            board.render(seconds(1), TERMINAL),
            [
                " 1 lead             0 facts  turn 2  waits for 3 registry, 4 registry  0/2 met",
                " 3 registry  r1     0 facts  turn 1  0/4 met",
                " 4 registry  r1     0 facts  turn 0  0/4 met",
                "demo: 1 s, 0 facts, 0 of 3 tasks ended",
            ]
        );
        board.hear(0, &ended(3, "registry", TaskStatus::Completed));
        board.hear(0, &Progress::Reported { task: TaskId(3), accepted: true });
        assert!(board.render(seconds(1), TERMINAL)[0].contains("waits for 4 registry  0/2 met"));
        board.hear(0, &Progress::Reported { task: TaskId(4), accepted: false });
        assert!(!board.render(seconds(1), TERMINAL)[0].contains("waits"));
    }

    #[test]
    fn the_last_refusal_or_recovery_stands_in_its_line_until_two_turns_later() {
        let mut board = heard(&[
            assigned(2, "registry", 4),
            turn(2, "registry", 3),
            refused(2, "registry", Some("programs")),
        ]);
        let line = |board: &Board| board.render(seconds(1), TERMINAL).remove(0);
        assert!(line(&board).contains("  refused too_weak (programs)  0/4 met"));
        board.hear(0, &turn(2, "registry", 5));
        board.hear(0, &tool(2, "registry", "registry_artifact", Some("programs")));
        assert!(line(&board).contains("refused too_w"), "{}", line(&board));
        assert!(line(&board).ends_with("  0/4 met"), "{}", line(&board));
        board.hear(0, &turn(2, "registry", 6));
        assert!(!line(&board).contains("refused"));
        let (attempt, strategy) = (1, "find_by_name".to_owned());
        let (agent, objective) = ("registry".to_owned(), "programs".to_owned());
        board.hear(0, &Progress::Recovering { task: TaskId(2), agent, attempt, strategy, objective });
        assert!(line(&board).contains("recovery 1 find_by_name (progr"), "{}", line(&board));
    }

    #[test]
    fn twenty_tasks_with_hostile_names_neither_wrap_nor_flood_a_terminal_of_80_columns() {
        let hostile =
            "regi\u{1b}[2Jstry\n\u{202e}\u{8a9e}\u{8a9e}\u{8a9e}\u{8a9e}\u{8a9e}\u{8a9e}\u{8a9e}\u{8a9e}";
        let mut board = heard(&[assigned(1, "lead", 1)]);
        for task in 2..=40 {
            board.hear(0, &handed_out(task, hostile, 1));
            board.hear(0, &turn(task, hostile, 4_000_000_000));
            board.hear(0, &tool(task, hostile, &hostile.repeat(9), Some(hostile)));
            board.hear(0, &recorded(task, hostile, u32::MAX));
            board.hear(0, &refused(task, hostile, Some(&hostile.repeat(9))));
        }
        let checked = |board: &Board| {
            let shown = board.render(seconds(4000), TERMINAL);
            assert!(shown.len() <= 23, "{shown:?}");
            for line in &shown {
                assert!(line::width(line) <= 79, "{} {line:?}", line::width(line));
                assert!(!line.chars().any(char::is_control) && !line.contains('\u{202e}'), "{line:?}");
            }
            shown
        };
        let shown = checked(&board);
        assert_eq!(shown[21], "and 19 more at work");
        for task in 2..=38 {
            board.hear(0, &ended(task, hostile, TaskStatus::Completed));
        }
        assert_eq!(checked(&board).len(), 4, "what has ended has no line");
    }

    #[test]
    fn a_task_that_only_watches_has_nothing_to_meet() {
        let board =
            heard(&[assigned(4, "persistence", 0), turn(4, "persistence", 2), answered(4, "persistence", 0)]);
        assert_eq!(board.render(seconds(1), TERMINAL)[0], " 4 persistence    0 facts  turn 2  1 answered");
    }

    #[test]
    fn a_batch_has_a_line_for_each_case_at_work_and_one_for_all() {
        let mut board = Board::new(3);
        board.begin(0, "a", seconds(0));
        board.begin(1, "b", seconds(0));
        board.end(0, false);
        board.begin(2, "c", seconds(10));
        board.hear(2, &turn(1, "registry", 2));
        board.hear(2, &recorded(1, "registry", 4));
        assert_eq!(
            board.render(seconds(13), TERMINAL),
            [
                "b: 13 s",
                "c: 4 facts, 3 s, registry turn 2",
                "1 of 3 cases ended, 1 not sealed, 2 at work, 4 facts, 13 s",
            ]
        );
        board.hear(2, &ended(1, "registry", TaskStatus::Completed));
        assert_eq!(board.render(seconds(13), TERMINAL)[1], "c: 4 facts, 3 s, hashing the evidence");
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
