//! `locard replay --step`: the turns of an agent, one after another.

use super::other_rules::claimed;
use crate::failure::Failure;
use app::{Seen, Shown, WalkedTask, WalkedTurn};
use ledger::event::Phase;
use ledger::turn::ReplyBlock;
use ledger::{Candidate, Event, Outcome, Rejection, canonical};
use report::terminal;
use std::fmt::Write;
use std::io::BufRead;

/// The most lines that are shown of one answer.
pub(super) const LINES: usize = 8;
/// The most characters of a line.
const WIDTH: usize = 200;

/// What is asked between two turns on a terminal.
const PROMPT: &str = "[Enter: next, p: previous, NUMBER: that turn, q: quit]";

/// All turns of all tasks.
pub(super) fn text(tasks: &[WalkedTask]) -> String {
    match pages(tasks).as_slice() {
        [] => "there is no such turn\n".to_owned(),
        pages => pages.iter().map(|(task, turn)| page(task, turn)).collect(),
    }
}

/// Shows turn after turn as the lines of `input` ask.
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

fn page(task: &WalkedTask, turn: &WalkedTurn) -> String {
    let mut out = String::new();
    let phase = match turn.phase {
        Phase::Investigate => "investigate",
        Phase::Record => "record",
    };
    let _ = writeln!(
        out,
        "=== {} {} ({}), turn {}, phase {phase}",
        terminal(&task.task),
        terminal(&task.agent),
        terminal(&task.model),
        turn.turn
    );
    let _ = writeln!(
        out,
        "left: {} more turns of the phase, {} refused claims, {} facts",
        turn.turns_left, turn.rejected_claims_left, turn.accepted_facts_left
    );
    if task.otherwise_from.is_some_and(|from| turn.turn >= from) {
        let _ = writeln!(
            out,
            "this version would have told the agent something else by now: what it saw is this version's"
        );
    }
    let _ = writeln!(out, "\nsaw");
    if turn.turn == 1 {
        let _ = writeln!(out, "  its role");
        shown(&mut out, &task.system);
    }
    for seen in &turn.saw {
        saw(&mut out, seen);
    }
    let _ = writeln!(out, "\ndid");
    match &turn.did {
        None => drop(writeln!(out, "  nothing that the log knows of")),
        Some(blocks) => blocks.iter().for_each(|block| did(&mut out, block)),
    }
    let _ = writeln!(out, "\nwas told");
    if turn.told.is_empty() {
        let _ = writeln!(out, "  nothing");
    }
    for event in &turn.told {
        told(&mut out, event);
    }
    let _ = writeln!(out);
    out
}

fn saw(out: &mut String, seen: &Seen) {
    let _ = match &seen.answers {
        Some(call) => writeln!(out, "  the answer to {} {}", terminal(&call.call.0), terminal(&call.tool)),
        None => writeln!(out, "  an instruction"),
    };
    shown(out, &seen.text);
}

fn shown(out: &mut String, shown: &Shown) {
    for line in shown.text.lines() {
        let _ = writeln!(out, "    {}", cut(line));
    }
    let kept = shown.text.lines().count();
    if kept < shown.lines {
        let _ = writeln!(out, "    … {} more lines ({} bytes in all)", shown.lines - kept, shown.bytes);
    }
}

fn did(out: &mut String, block: &ReplyBlock) {
    match block {
        ReplyBlock::Text { text } => {
            for line in text.lines() {
                let _ = writeln!(out, "  said: {}", cut(line));
            }
        }
        ReplyBlock::Call(call) => {
            let arguments = canonical::to_string(&call.arguments).unwrap_or_default();
            let _ =
                writeln!(out, "  {} {} {}", terminal(&call.call.0), terminal(&call.tool), cut(&arguments));
        }
    }
}

/// What came of a reply, event by event.
fn told(out: &mut String, event: &Event) {
    let _ = match event {
        Event::InvocationStarted(it) => {
            writeln!(out, "  {} {} runs as {}", terminal(&it.call.0), terminal(&it.tool), it.invocation)
        }
        Event::InvocationEnded(it) => {
            let outcome = match it.outcome {
                Outcome::Ok => "ok",
                Outcome::Empty => "empty",
                Outcome::Failed => "failed",
                Outcome::Timeout => "timeout",
                Outcome::Denied => "denied",
            };
            let notes: String = it.notes.iter().map(|note| format!("; {}", cut(note))).collect();
            writeln!(
                out,
                "    {}: {outcome}, {} records, {} bytes, {} gaps, {} defects{notes}",
                it.invocation,
                it.records,
                it.bytes,
                it.gaps.len(),
                it.defects.len()
            )
        }
        Event::CallRefused(it) => {
            let refusal = canonical::to_string(&it.refusal).unwrap_or_default();
            let (call, tool) = (terminal(&it.call.0), terminal(&it.tool));
            writeln!(out, "  {call} {tool} refused: {}: {}", refusal.trim_matches('"'), cut(&it.told))
        }
        Event::CallServed(it) => {
            writeln!(out, "  {} {} answered from {}", terminal(&it.call.0), terminal(&it.tool), it.invocation)
        }
        Event::OutputPaged(it) => {
            let range = format!("{} up to {}", it.shown.first, it.shown.end);
            writeln!(out, "  {} a page of {}: {range}", terminal(&it.call.0), it.invocation)
        }
        Event::ClaimSubmitted(it) => {
            let cited = match &it.stated {
                ledger::Claim::Reading(reading) => {
                    let record = reading.record.as_deref().map_or(String::new(), |id| format!(" {id}"));
                    format!(" citing {}{record}", reading.invocation)
                }
                ledger::Claim::Absence(absence) => format!(" citing {}", absence.searches.join(", ")),
                ledger::Claim::Derivation(_) => String::new(),
            };
            writeln!(out, "  {} claimed {}", it.claim, cut(&format!("{}{cited}", claimed(&it.stated))))
        }
        Event::ClaimAccepted(it) => {
            let healed = it.healing.as_ref().map_or(String::new(), |healing| {
                format!(", the citation {} healed ({})", cut(&healing.cited), healing.because)
            });
            writeln!(
                out,
                "    accepted: {} in {} of {}{healed}",
                it.fact.id, it.fact.record, it.fact.invocation
            )
        }
        Event::AbsenceAccepted(it) => writeln!(out, "    accepted: {}", it.absence.id),
        Event::DerivationAccepted(it) => writeln!(out, "    accepted: {}", it.derivation.id),
        Event::ClaimRejected(it) => {
            rejected(out, &it.rejection);
            Ok(())
        }
        Event::PhenomenonRecorded(it) => {
            writeln!(out, "  {} recorded with {} facts", it.phenomenon, it.facts.len())
        }
        Event::NothingToRecord(it) => writeln!(out, "  nothing to record: {}", cut(&it.reason)),
        Event::EntityAdded(it) => {
            writeln!(out, "  {} {}: {}", it.entity, it.kind.name(), cut(&it.name))
        }
        Event::RelationAdded(it) => {
            writeln!(out, "  {} {} {} {}", it.relation, it.from, it.kind.name(), it.to)
        }
        Event::HypothesisProposed(it) => {
            writeln!(out, "  {} proposed: {}", it.hypothesis, cut(&it.statement))
        }
        Event::HypothesisAssessed(it) => {
            writeln!(out, "  {} {}: {}", it.hypothesis, it.assessment.name(), cut(&it.reason))
        }
        Event::GraphRead(it) => {
            let (call, tool) = (terminal(&it.call.0), terminal(&it.tool));
            writeln!(out, "  {call} {tool}: {} nodes, {} more", it.shown, it.left_out)
        }
        Event::PhaseEntered(it) => {
            let phase = match it.phase {
                Phase::Investigate => "investigate",
                Phase::Record => "record",
            };
            writeln!(out, "  the phase {phase} begins: {}", cut(&it.reason))
        }
        Event::TurnFailed(it) => writeln!(out, "  the model could not be had: {}", cut(&it.reason)),
        Event::TimeSpent => writeln!(out, "  its time is spent"),
        Event::TaskEnded(it) => writeln!(
            out,
            "  the task ended: {}; {} facts, {} claims refused",
            report::status(it.status),
            it.facts,
            it.rejections
        ),
        Event::RunOpened(_)
        | Event::NamesIndexed(_)
        | Event::TimelineIndexed(_)
        | Event::TaskAssigned(_)
        | Event::EvidenceHashed(_)
        | Event::RunSealed(_)
        | Event::TurnRequested(_)
        | Event::TurnReplied(_) => Ok(()),
    };
}

fn rejected(out: &mut String, rejection: &Rejection) {
    let _ = writeln!(out, "    refused: {}: {}", rejection.code, cut(&rejection.reason));
    if !rejection.hint.is_empty() {
        let _ = writeln!(out, "      {}", cut(&rejection.hint));
    }
    for Candidate { invocation, summary, record, field, text } in &rejection.candidates {
        let record = record.map_or(String::new(), |record| format!(" {record}"));
        let field = field.as_ref().map_or(String::new(), |field| format!(" {field}"));
        let what = text.as_ref().unwrap_or(summary);
        let _ = writeln!(out, "      {}", cut(&format!("{invocation}{record}{field}: {what}")));
    }
}

/// A text on one line, cut.
fn cut(text: &str) -> String {
    let head: String = text.chars().take(WIDTH).collect();
    let more = text.chars().count().saturating_sub(WIDTH);
    match more {
        0 => terminal(&head),
        more => format!("{}… ({more} more characters)", terminal(&head)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// The turns that are shown for some lines of input.
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

    #[test]
    fn text_of_the_evidence_neither_moves_the_cursor_nor_fills_the_screen() {
        let line = cut(&format!("\u{1b}[2J{}", "x".repeat(1000)));
        assert!(line.starts_with("\\u{1b}[2Jxxx") && line.ends_with("… (804 more characters)"), "{line}");
    }
}
