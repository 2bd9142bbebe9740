//! `locard replay --step`: an agent's turns, one after another.

mod page;
mod told;

use crate::failure::Failure;
use app::{WalkedTask, WalkedTurn};
use page::page;
use report::terminal;
use std::io::BufRead;

/// The most lines to show of one answer.
pub(super) const LINES: usize = 8;

/// The prompt between two turns on a terminal.
const PROMPT: &str = "[Enter: next, p: previous, NUMBER: that turn, q: quit]";

/// All turns of all tasks.
pub(super) fn text(tasks: &[WalkedTask]) -> String {
    match pages(tasks).as_slice() {
        [] => "there is no such turn\n".to_owned(),
        pages => pages.iter().map(|(task, turn)| page(task, turn)).collect(),
    }
}

/// Shows one turn after another, as the lines of `input` request.
pub(super) fn walk(
    tasks: &[WalkedTask],
    first: Option<u32>,
    input: &mut dyn BufRead,
    show: &mut dyn FnMut(&str) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let pages = pages(tasks);
    if pages.is_empty() {
        return show(&text(tasks));
    }
    let mut at = first.and_then(|turn| pages.iter().position(|(_, it)| it.turn == turn)).unwrap_or(0);
    while let Some((task, turn)) = pages.get(at) {
        show(&page(task, turn))?;
        at = loop {
            show(PROMPT)?;
            let mut line = String::new();
            if input.read_line(&mut line).map_err(Failure::Input)? == 0 {
                return Ok(());
            }
            match line.trim() {
                "" => break at + 1,
                "p" => break at.saturating_sub(1),
                "q" => return Ok(()),
                wanted => {
                    let number = wanted.parse::<u32>().ok();
                    let of_task = |(of, it): &(&WalkedTask, &WalkedTurn)| {
                        of.task == task.task && Some(it.turn) == number
                    };
                    match pages.iter().position(of_task) {
                        Some(found) => break found,
                        None => show(&format!("{} has no turn {}", terminal(&task.task), terminal(wanted)))?,
                    }
                }
            }
        };
    }
    Ok(())
}

fn pages(tasks: &[WalkedTask]) -> Vec<(&WalkedTask, &WalkedTurn)> {
    tasks.iter().flat_map(|task| task.turns.iter().map(move |turn| (task, turn))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use app::Shown;
    use ledger::event::Phase;

    fn task(name: &str, turns: u32) -> WalkedTask {
        let turn = |turn| WalkedTurn {
            turn,
            phase: Phase::Investigate,
            turns_left: 60 - turn,
            rejected_claims_left: 60,
            accepted_facts_left: 400,
            saw: Vec::new(),
            did: None,
            told: Vec::new(),
        };
        WalkedTask {
            task: name.to_owned(),
            agent: "a".to_owned(),
            model: "m".to_owned(),
            system: Shown::default(),
            turns: (1..=turns).map(turn).collect(),
            otherwise_from: None,
        }
    }

    /// The turns that are shown for this input.
    fn walked(first: Option<u32>, input: &str) -> Vec<String> {
        let mut shown = Vec::new();
        let tasks = [task("task-1", 3), task("task-2", 2)];
        walk(&tasks, first, &mut input.as_bytes(), &mut |text| {
            let head = text.lines().next().unwrap_or_default();
            let place = head.strip_prefix("=== ").and_then(|rest| rest.split(", phase").next());
            shown.extend(place.map(|place| place.replace(" a (m), turn ", ":")));
            shown.extend(head.contains("has no turn").then(|| head.to_owned()));
            Ok(())
        })
        .unwrap();
        shown
    }

    #[test]
    fn each_line_goes_to_a_turn_or_ends_the_walk() {
        assert_eq!(walked(None, "\n\n\n\n\n"), ["task-1:1", "task-1:2", "task-1:3", "task-2:1", "task-2:2"]);
        assert_eq!(walked(Some(2), "p\np\n3\nq\n\n"), ["task-1:2", "task-1:1", "task-1:1", "task-1:3"]);
        assert_eq!(walked(None, "7\n2\nq\n"), ["task-1:1", "task-1 has no turn 7", "task-1:2"]);
        assert_eq!(walked(None, ""), ["task-1:1"]);
    }
}
