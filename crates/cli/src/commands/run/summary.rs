//! The summary at the end: one case in full, or several briefly and in total.

use super::account::{Account, Asked, Numbers, Outcome};
use crate::arguments::FailOn;
use crate::failure::describe;
use report::terminal;
use serde_json::{Value, json};
use std::fmt::Write;

/// How a command ended.
pub(super) struct Ended<'a> {
    /// The cases, in the order given on the command line.
    pub(super) cases: &'a [Asked],
    /// The exit code of the signal that interrupted the command, if one did.
    pub(super) stopped: Option<u8>,
    pub(super) fail_on: &'a [FailOn],
}

/// How many cases ended in each way.
#[derive(Default)]
struct Count {
    sealed: usize,
    failed: usize,
    interrupted: usize,
    not_begun: usize,
}

impl Ended<'_> {
    /// The highest of the cases' exit codes.
    pub(super) fn code(&self) -> u8 {
        self.cases.iter().map(|asked| asked.outcome.code(self.stopped, self.fail_on)).max().unwrap_or(0)
    }

    /// The summary for people: a single case in full, or `None` if it was not sealed, which was already reported.
    pub(super) fn text(&self) -> Option<String> {
        match self.cases {
            [Asked { outcome: Outcome::Sealed(account), .. }] => Some(in_full(account)),
            [_] => None,
            cases => {
                let mut out: String = cases.iter().map(|asked| self.in_short(asked)).collect();
                out.push_str(&self.in_all());
                Some(out)
            }
        }
    }

    fn in_short(&self, asked: &Asked) -> String {
        let mut out = String::new();
        let case = terminal(&asked.case.display().to_string());
        match &asked.outcome {
            Outcome::Sealed(account) => {
                let folder = terminal(&account.folder.display().to_string());
                let _ = writeln!(out, "{case}: sealed {folder}, head {}", account.manifest.head.short());
                let _ = writeln!(out, "  {}", numbers(account.numbers));
                for line in account.conditions.lines() {
                    let _ = writeln!(out, "  {line}");
                }
                for label in &account.mismatches {
                    let _ = writeln!(out, "  {} does not have the hash that the case gives", terminal(label));
                }
            }
            Outcome::Failed(failure) => {
                // The causes were reported when it failed.
                let _ = writeln!(out, "{case}: {}", terminal(&failure.to_string()));
                if let Some(folder) = failure.folder() {
                    let _ = writeln!(out, "  {} is not sealed", terminal(&folder.display().to_string()));
                }
            }
            Outcome::Interrupted(folder) => {
                let folder = terminal(&folder.display().to_string());
                let _ = writeln!(out, "{case}: interrupted, {folder} is not sealed");
            }
            Outcome::NotBegun => {
                let _ = writeln!(out, "{case}: not started");
            }
        }
        match asked.outcome.code(self.stopped, self.fail_on) {
            0 => {}
            code => drop(writeln!(out, "  exit code {code}")),
        }
        out
    }

    fn in_all(&self) -> String {
        let (count, total) = self.total();
        let mut out = format!("\n{} cases: {} sealed", self.cases.len(), count.sealed);
        let others =
            [(count.failed, "failed"), (count.interrupted, "interrupted"), (count.not_begun, "not started")];
        for (number, what) in others.iter().filter(|(number, _)| *number > 0) {
            let _ = write!(out, ", {number} {what}");
        }
        let _ = writeln!(out, "\n{}", numbers(total));
        match self.code() {
            0 => {}
            code => drop(writeln!(out, "exit code {code}")),
        }
        out.push_str("next: locard runs · report <run> · facts <run>\n");
        out
    }

    fn total(&self) -> (Count, Numbers) {
        let (mut count, mut total) = (Count::default(), Numbers::default());
        for asked in self.cases {
            match &asked.outcome {
                Outcome::Sealed(account) => {
                    count.sealed += 1;
                    total += account.numbers;
                }
                Outcome::Failed(_) => count.failed += 1,
                Outcome::Interrupted(_) => count.interrupted += 1,
                Outcome::NotBegun => count.not_begun += 1,
            }
        }
        (count, total)
    }

    /// The summary for programs, which has the same shape for any number of cases.
    pub(super) fn value(&self) -> Value {
        let (count, total) = self.total();
        json!({
            "locard_run": 2,
            "exit_code": self.code(),
            "cases": self.cases.iter().map(|asked| self.case(asked)).collect::<Vec<_>>(),
            "totals": {
                "cases": self.cases.len(),
                "sealed": count.sealed,
                "failed": count.failed,
                "interrupted": count.interrupted,
                "not_begun": count.not_begun,
                "facts": total.facts,
                "refused": total.refused,
                "unmet": total.unmet,
                "open": total.open,
                "unexamined": total.unexamined,
                "damaged": total.damaged,
            },
        })
    }

    fn case(&self, asked: &Asked) -> Value {
        let (outcome, folder, error, result) = match &asked.outcome {
            Outcome::Sealed(account) => ("sealed", Some(&*account.folder), None, Some(result(account))),
            Outcome::Failed(failure) => ("failed", failure.folder(), Some(describe(failure)), None),
            Outcome::Interrupted(folder) => ("interrupted", Some(&**folder), None, None),
            Outcome::NotBegun => ("not_begun", None, None, None),
        };
        json!({
            "case": asked.case.display().to_string(),
            "outcome": outcome,
            "exit_code": asked.outcome.code(self.stopped, self.fail_on),
            "folder": folder.map(|folder| folder.display().to_string()),
            "error": error,
            "result": result,
        })
    }
}

fn result(account: &Account) -> Value {
    let task = |(agent, ended): &(String, _)| json!({"agent": agent, "ended": ended, "cost": account.cost_of.get(agent)});
    json!({
        "manifest": account.manifest,
        "confined": account.confined,
        "facts": account.numbers.facts,
        "refused": account.numbers.refused,
        "unmet": account.numbers.unmet,
        "open": account.numbers.open,
        "unexamined": account.numbers.unexamined,
        "damaged": account.numbers.damaged,
        "mismatches": account.mismatches,
        "remembered": account.remembered,
        "tasks": account.tasks.iter().map(task).collect::<Vec<_>>(),
    })
}

fn numbers(numbers: Numbers) -> String {
    let Numbers { facts, refused, unmet, open, unexamined, damaged } = numbers;
    let untold = match unmet.saturating_sub(open) {
        0 => String::new(),
        untold => format!(" {untold} that cannot be answered,"),
    };
    let damaged = if damaged > 0 { format!(", {damaged} damaged") } else { String::new() };
    format!(
        "{facts} facts, {refused} claims refused, {open} questions open,{untold} {unexamined} items not examined{damaged}"
    )
}

fn in_full(account: &Account) -> String {
    let mut out = account.summary.clone();
    let folder = terminal(&account.folder.display().to_string());
    let Numbers { facts, refused, unexamined, damaged, .. } = account.numbers;
    let healed = account.healed;
    let _ = writeln!(out, "{facts} facts ({healed} with a healed citation), {refused} claims refused");
    let limits = match (unexamined, damaged) {
        (0, 0) => None,
        (_, 0) => Some(format!("{unexamined} items were not examined")),
        (0, _) => Some(format!("{damaged} items were damaged")),
        (..) => Some(format!("{unexamined} items were not examined, {damaged} were damaged")),
    };
    if let Some(limits) = limits {
        let _ = writeln!(out, "{limits}: the report lists them, with the reasons");
    }
    if account.remembered > 0 {
        let _ = writeln!(
            out,
            "the agents were told {} lessons of earlier runs: locard memory",
            account.remembered
        );
    }
    out.push_str(&account.costs);
    out.push_str(&account.conditions);
    let _ = writeln!(out, "sealed {folder}, head {}", account.manifest.head.short());
    let _ =
        writeln!(out, "next: locard answers {folder} · report -o report.html · facts · rejections · verify");
    out
}
