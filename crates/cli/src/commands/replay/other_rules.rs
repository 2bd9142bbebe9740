//! `locard replay --rules`: how a run would have differed under other rules.

use app::{
    Became, ClaimChange, Counted, LogEnds, Otherwise, Rejudged, RejudgedTask, RejudgedTotals, TaskSide,
    Unjudged,
};
use ledger::event::{Phase, Spent};
use ledger::{Claim, Rejection};
use report::terminal;
use serde_json::Value;
use std::fmt::Write;

/// The most changes of one kind to list for a task; the JSON format has all of them.
const LISTED: usize = 20;
/// The most characters of a claim, or of a reply to it.
const LONGEST: usize = 160;

/// The text format: the rules that differ, each task, the changes, the estimated changes, and the totals.
pub(super) fn text(rejudged: &Rejudged) -> String {
    let mut out = String::new();
    let _ = match rejudged.rules.is_empty() {
        true => writeln!(out, "rules: those of the run"),
        false => writeln!(out, "rules that differ from the run's:"),
    };
    for rule in &rejudged.rules {
        let _ = writeln!(out, "  {}: {} -> {}", rule.rule, value(&rule.then), value(&rule.now));
    }
    let _ = writeln!(out);
    for task in &rejudged.tasks {
        line(&mut out, task);
    }
    changes(&mut out, rejudged, false);
    changes(&mut out, rejudged, true);
    let _ = writeln!(out);
    sums(&mut out, rejudged);
    out
}

fn value(value: &Value) -> String {
    match value {
        Value::Null => "each agent's own".to_owned(),
        value => terminal(&value.to_string()),
    }
}

/// A task under the run's rules, and under the other ones.
fn line(out: &mut String, task: &RejudgedTask) {
    let name = format!("{} {}", terminal(&task.task), terminal(&task.agent));
    if task.is_same() {
        let _ = writeln!(out, "{name}: the same ({})", side(&task.then));
    } else {
        let _ = writeln!(out, "{name}:\n    then {}\n    now  {}", side(&task.then), side(&task.now));
    }
    let ends_after = task.log_ends.map(|end| end.turn.saturating_sub(1));
    if let Some(turn) = task.told_same_until.filter(|turn| ends_after != Some(*turn)) {
        let _ = writeln!(out, "    after turn {turn} it is told something else");
    }
    if task.unused_replies > 0 {
        let _ = writeln!(out, "    it ends earlier: {} recorded replies are not used", task.unused_replies);
    }
    if let Some(end) = &task.log_ends {
        let _ = writeln!(out, "    {}", log_ends(end));
    }
    if task.unanswered_calls > 0 {
        let _ = writeln!(
            out,
            "    {} calls that were not made then: the recording has no answer to them",
            task.unanswered_calls
        );
    }
    for objective in &task.objectives {
        let met = |facts: u32| if facts > 0 { "met" } else { "unmet" };
        let (then, now) = (met(objective.then), met(objective.now));
        let _ = writeln!(out, "    {then} -> {now}: {}", terminal(&objective.question));
    }
    if task.otherwise_under_own_rules > 0 {
        let _ = writeln!(
            out,
            "    this version judges {} claims differently even under the run's own rules",
            task.otherwise_under_own_rules
        );
    }
    if let Some(why) = &task.stuck {
        let _ = writeln!(out, "    it could not be judged to its end: {}", terminal(why));
    }
}

fn side(side: &TaskSide) -> String {
    let mut said = format!("{} facts", side.facts);
    for (number, what) in [(side.absences, "absences"), (side.derivations, "derivations")] {
        if number > 0 {
            let _ = write!(said, ", {number} {what}");
        }
    }
    let _ = write!(said, ", {} refused, {} healed, {} turns", side.refused, side.healed, side.turns);
    if side.refused_calls > 0 {
        let _ = write!(said, ", {} calls refused", side.refused_calls);
    }
    match side.status {
        Some(status) => {
            let _ = write!(said, "; {}", report::status(status));
        }
        None => said.push_str("; its end is not known"),
    }
    match side.spent {
        Some(Spent::Turns) => said.push_str(", turns spent"),
        Some(Spent::RejectedClaims) => said.push_str(", refused claims spent"),
        Some(Spent::WallTime) => said.push_str(", time spent"),
        Some(Spent::Tokens) => said.push_str(", tokens spent"),
        Some(Spent::Cost) => said.push_str(", money spent"),
        None => {}
    }
    said
}

fn log_ends(end: &LogEnds) -> String {
    let phase = match end.phase {
        Phase::Investigate => "investigate",
        Phase::Recover => "recover",
        Phase::Record => "record",
    };
    match end.breaks_off {
        true => format!("the log breaks off in turn {}", end.turn),
        false => format!(
            "the log ends where turn {} would be asked for ({phase}, {} turns left): what it would bring is not known",
            end.turn, end.turns_left
        ),
    }
}

/// The changes that are estimates, or the ones that are not.
fn changes(out: &mut String, rejudged: &Rejudged, estimate: bool) {
    let heading = match estimate {
        false => "differences",
        true => "estimated: claimed after the agent would have been told something else",
    };
    let mut begun = false;
    for task in &rejudged.tasks {
        let of_task: Vec<_> = task.changes.iter().filter(|change| change.estimate == estimate).collect();
        if of_task.is_empty() {
            continue;
        }
        if !std::mem::replace(&mut begun, true) {
            let _ = writeln!(out, "\n{heading}");
        }
        let _ = writeln!(out, "  {} {}", terminal(&task.task), terminal(&task.agent));
        for kind in KINDS {
            let of_kind: Vec<_> = of_task.iter().filter(|change| change.change == kind).collect();
            for change in of_kind.iter().take(LISTED) {
                self::change(out, change);
            }
            if let Some(more) = of_kind.len().checked_sub(LISTED).filter(|more| *more > 0) {
                let _ = writeln!(out, "    and {more} more: {}", kind_name(kind));
            }
        }
    }
}

const KINDS: [Otherwise; 8] = [
    Otherwise::Falls,
    Otherwise::Heals,
    Otherwise::Accepted,
    Otherwise::New,
    Otherwise::NewlyRefused,
    Otherwise::RefusedOtherwise,
    Otherwise::Lapses,
    Otherwise::StandsOtherwise,
];

const fn kind_name(kind: Otherwise) -> &'static str {
    match kind {
        Otherwise::Falls => "would fall",
        Otherwise::Heals => "would be healed",
        Otherwise::Accepted => "would be accepted",
        Otherwise::New => "would be new",
        Otherwise::NewlyRefused => "would be refused anew",
        Otherwise::RefusedOtherwise => "would be refused for another reason",
        Otherwise::Lapses => "was refused, would not be judged",
        Otherwise::StandsOtherwise => "would be recorded differently",
    }
}

fn change(out: &mut String, change: &ClaimChange) {
    let said = match (&change.then, &change.now) {
        (_, Became::Accepted { title, .. }) | (Became::Accepted { title, .. }, _) => title.clone(),
        _ => claimed(&change.stated),
    };
    let _ = writeln!(
        out,
        "    turn {} {} [{}] {}: {}",
        change.turn,
        terminal(&change.call),
        change.index,
        kind_name(change.change),
        cut(&said)
    );
    let why = match (&change.then, &change.now) {
        (Became::Accepted { .. }, Became::Accepted { .. }) => {
            format!("not the same: {}", change.differs.join(", "))
        }
        (then, now) => format!("{} -> {}", became(then), became(now)),
    };
    let _ = writeln!(out, "        {why}");
}

fn became(became: &Became) -> String {
    match became {
        Became::Accepted { healing: None, .. } => "accepted".to_owned(),
        Became::Accepted { healing: Some(healing), .. } => {
            format!("healed: cited as {}, stands in {}", cut(&healing.cited), healing.healed)
        }
        Became::Refused { rejection: Rejection { code, reason, .. } } => format!("{code} ({})", cut(reason)),
        Became::NotJudged { because, told } => {
            let because = match because {
                Unjudged::TurnNotReached => "turn not reached",
                Unjudged::CallRefused => "call refused",
                Unjudged::BudgetSpent => "not judged, a budget ran out",
                Unjudged::LogEnds => "the log ends before it",
            };
            match told {
                Some(told) => format!("{because} ({})", cut(told)),
                None => because.to_owned(),
            }
        }
    }
}

/// A claim on one line.
pub(super) fn claimed(stated: &Claim) -> String {
    match stated {
        Claim::Reading(reading) => {
            let value = |value: &ledger::ClaimedValue| match &value.field {
                Some(field) => format!("{field} = {}", value.value),
                None => value.value.clone(),
            };
            let values: Vec<_> = reading.values.iter().map(value).collect();
            let subject = if reading.subject.is_empty() { "" } else { " " };
            format!("{}{subject}{}: {}", reading.predicate, reading.subject, values.join(", "))
        }
        Claim::Absence(absence) => absence.absence.to_string(),
        Claim::Derivation(derivation) => derivation.to_string(),
        Claim::Sentence(sentence) => sentence.text.clone(),
        Claim::Statement(statement) => statement.to_string(),
    }
}

/// A text on one line, cut if it is too long.
fn cut(text: &str) -> String {
    let head: String = text.chars().take(LONGEST).collect();
    let more = if text.chars().nth(LONGEST).is_some() { "…" } else { "" };
    format!("{}{more}", terminal(&head))
}

fn sums(out: &mut String, rejudged: &Rejudged) {
    let totals: &RejudgedTotals = &rejudged.totals;
    if rejudged.is_same() {
        let _ =
            writeln!(out, "nothing changes: {} facts, {} refused", totals.facts_then, totals.refused_then);
        return;
    }
    let _ = writeln!(
        out,
        "facts {} -> {}, refused claims {} -> {}",
        totals.facts_then, totals.facts_now, totals.refused_then, totals.refused_now
    );
    for (kind, Counted { all, estimated }) in &totals.changes {
        let _ = match estimated {
            0 => writeln!(out, "  {all} claims: {}", kind_name(*kind)),
            _ => writeln!(out, "  {all} claims: {} ({estimated} of them estimated)", kind_name(*kind)),
        };
    }
    if rejudged.rules.iter().any(|rule| rule.rule == "budgets.wall_seconds") {
        let _ = writeln!(out, "  a log cannot show what budgets.wall_seconds would have changed");
    }
}
