//! Pairs of facts that contradict each other, for every format. Code finds them, from a closed list of kinds (`docs/graph.md`).

use crate::inert::{code, prose, terminal};
use graph::connections::{Contradiction, ContradictionKind};
use graph::{Run, fact_title};
use ledger::FactId;
use serde_json::{Value, json};
use std::fmt::Write;

/// The heading.
pub(crate) const TITLE: &str = "Facts that do not fit together";

/// The text about all of them.
pub(crate) const MEANING: &str = "Code compared the facts with each other. Each pair below is in the evidence as it is shown. Where at most one of the two can be right about the host, answers that are based on either are less sure; where there is an ordinary reason as well, such as a file that was replaced, they are not.";

/// Groups the pairs by kind.
pub(crate) fn by_kind(run: &Run) -> Vec<(ContradictionKind, Vec<&Contradiction>)> {
    let of =
        |kind| -> Vec<&Contradiction> { run.contradictions().iter().filter(|it| it.kind == kind).collect() };
    let all = ContradictionKind::ALL.into_iter().map(|kind| (kind, of(kind)));
    all.filter(|(_, pairs)| !pairs.is_empty()).collect()
}

/// Returns the two facts of a pair.
pub(crate) fn facts(pair: &Contradiction) -> [FactId; 2] {
    [pair.one.fact, pair.other.fact]
}

pub(crate) fn markdown(out: &mut String, run: &Run) {
    let kinds = by_kind(run);
    if kinds.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n## {TITLE}\n\n{MEANING}\n");
    for (kind, pairs) in kinds {
        let _ = writeln!(out, "- {}:", sentence(kind));
        for pair in pairs {
            let [one, other] = facts(pair).map(|id| titled(run, id));
            let _ = writeln!(out, "  - {one} – {other}");
        }
    }
}

fn titled(run: &Run, id: FactId) -> String {
    let title = run.fact(id).map(fact_title).unwrap_or_default();
    format!("{} ({})", prose(&title), code(&id.to_string()))
}

/// Returns the description of the kind, with a capital letter.
pub(crate) fn sentence(kind: ContradictionKind) -> String {
    let words = kind.words();
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Returns a line for the terminal; `None` if there are none.
pub fn contradictions_line(run: &Run) -> Option<String> {
    let pairs = run.contradictions();
    let first = by_kind(run).first().map(|(kind, _)| terminal(kind.words()))?;
    Some(match pairs {
        [_] => format!("2 facts do not fit together ({first})"),
        _ => format!("{} pairs of facts do not fit together, such as: {first}", pairs.len()),
    })
}

pub(crate) fn json(run: &Run) -> Vec<Value> {
    let pair =
        |it: &Contradiction| json!({"kind": it.kind.name(), "meaning": it.kind.words(), "facts": facts(it)});
    run.contradictions().iter().map(pair).collect()
}
