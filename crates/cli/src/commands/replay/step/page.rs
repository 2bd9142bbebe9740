//! One turn, as shown on the screen.

use super::told::told;
use app::{Seen, Shown, WalkedTask, WalkedTurn};
use ledger::canonical;
use ledger::event::Phase;
use ledger::turn::ReplyBlock;
use report::terminal;
use std::fmt::Write;

/// The most characters of a line.
const WIDTH: usize = 200;

/// One turn, as shown on the screen.
pub(super) fn page(task: &WalkedTask, turn: &WalkedTurn) -> String {
    let mut out = String::new();
    head(&mut out, task, turn);
    if task.otherwise_from.is_some_and(|from| turn.turn >= from) {
        let _ = writeln!(
            out,
            "this version would by now have told the agent something else; what it saw is shown in this version's words"
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
        None => drop(writeln!(out, "  nothing in the log")),
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

/// Whose turn it is, and what is left of the budgets.
fn head(out: &mut String, task: &WalkedTask, turn: &WalkedTurn) {
    let _ = writeln!(
        out,
        "=== {} {} ({}), turn {}, phase {}",
        terminal(&task.task),
        terminal(&task.agent),
        terminal(&task.model),
        turn.turn,
        phase_name(turn.phase)
    );
    let _ = writeln!(
        out,
        "left: {} more turns of the phase, {} refused claims, {} facts",
        turn.turns_left, turn.rejected_claims_left, turn.accepted_facts_left
    );
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
        // The text and calls it contains follow in blocks of their own.
        ReplyBlock::Verbatim { .. } => {}
    }
}

/// The name of a phase.
pub(super) const fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Investigate => "investigate",
        Phase::Recover => "recover",
        Phase::Record => "record",
    }
}

/// A text on one line, cut if it is too long.
pub(super) fn cut(text: &str) -> String {
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

    #[test]
    fn text_of_the_evidence_neither_moves_the_cursor_nor_fills_the_screen() {
        let line = cut(&format!("\u{1b}[2J{}", "x".repeat(1000)));
        assert!(line.starts_with("\\u{1b}[2Jxxx") && line.ends_with("… (804 more characters)"), "{line}");
    }
}
