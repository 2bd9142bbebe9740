//! Renders the confusion table as text.

use super::kinds::Side;
use super::result::{GateBench, KindResult, RuleSetResult, Totals, WrongAnswer, percent};
use super::rulesets::OWN;
use super::verdict::Ending;
use ledger::{Claim, Derivation};
use report::terminal;
use std::fmt::Write;

/// Returns the headings of the gateway's own columns.
const fn heads(side: Side) -> &'static [&'static str] {
    match side {
        Side::Truth | Side::Falsehood => {
            &["kind", "claims", "accepted", "healed right", "wrong place", "ambiguous", "refused"]
        }
        Side::Omission => &["kind", "claims", "accepted", "told", "refused"],
    }
}

/// Returns the table of one run, its totals, and its undesired answers.
pub fn gate_table(bench: &GateBench) -> String {
    let mut out = format!("{}: {} claims\n", terminal(&bench.run), bench.claims);
    let sides = [(Side::Truth, "truths"), (Side::Falsehood, "falsehoods"), (Side::Omission, "omissions")];
    for (side, title) in sides {
        let of_side: Vec<&KindResult> = bench.kinds.iter().filter(|kind| kind.expected == side).collect();
        let rows: Vec<Vec<String>> =
            of_side.iter().filter(|kind| kind.claims > 0).map(|kind| row(kind, bench)).collect();
        let sets = others(bench).map(|set| terminal(&set.name));
        let heads: Vec<String> = heads(side).iter().map(|head| (*head).to_owned()).chain(sets).collect();
        let _ = writeln!(out, "\n{title}");
        columns(&mut out, &heads, &rows);
        for kind in of_side.iter().filter(|kind| kind.claims == 0) {
            let lacks = kind.lacks.unwrap_or_default();
            let _ = writeln!(out, "  {}: 0, the run has no {lacks}", kind.kind);
        }
    }
    totals(&mut out, bench);
    wrong(&mut out, &bench.wrong);
    out
}

fn row(kind: &KindResult, bench: &GateBench) -> Vec<String> {
    let ambiguous = match kind.ambiguous {
        0 => "0".to_owned(),
        number => format!("{number} ({} agreed)", kind.ambiguous_agreed),
    };
    let mut cells = vec![kind.kind.to_owned(), kind.claims.to_string(), kind.accepted.to_string()];
    match kind.expected {
        Side::Truth | Side::Falsehood => {
            cells.extend([kind.healed_right.to_string(), kind.healed_wrong.to_string(), ambiguous]);
        }
        Side::Omission => cells.push(kind.told.to_string()),
    }
    cells.push(kind.refused.to_string());
    let passed = |name: &String| kind.passed.get(name).copied().unwrap_or_default().to_string();
    cells.extend(others(bench).map(|set| passed(&set.name)));
    cells
}

/// Returns the rule sets except the gateway's own, whose column is `accepted`.
fn others(bench: &GateBench) -> impl Iterator<Item = &RuleSetResult> {
    bench.rulesets.iter().filter(|set| set.name != OWN)
}

/// Writes the first column left-aligned and the others right-aligned.
fn columns(out: &mut String, heads: &[String], rows: &[Vec<String>]) {
    let width = |place: usize| {
        let cells = rows.iter().filter_map(|row| row.get(place)).chain(heads.get(place));
        cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    for row in std::iter::once(heads).chain(rows.iter().map(Vec::as_slice)) {
        let mut line = String::from(" ");
        for (place, cell) in row.iter().enumerate() {
            let _ = match place {
                0 => write!(line, " {cell:<width$}", width = width(place)),
                _ => write!(line, "  {cell:>width$}", width = width(place)),
            };
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

fn totals(out: &mut String, bench: &GateBench) {
    let totals = &bench.totals;
    let _ = writeln!(
        out,
        "\n{} truths: {} accepted{}, {} ambiguous, {} at a wrong place\n{} falsehoods: {} accepted\n{} omissions: {} accepted untold",
        totals.truths,
        totals.true_accepts,
        accepted(totals),
        totals.ambiguous,
        totals.wrong_places,
        totals.falsehoods,
        totals.false_accepts,
        totals.omissions,
        totals.untold,
    );
    for set in &bench.rulesets {
        let part = |part: usize, whole: usize| {
            percent(part, whole).map_or_else(|| "-".to_owned(), |percent| format!("{percent:.2}%"))
        };
        let _ = writeln!(
            out,
            "  {} lets pass {} of the truths, {} of the falsehoods, {} of the omissions",
            terminal(&set.name),
            part(set.truths, totals.truths),
            part(set.falsehoods, totals.falsehoods),
            part(set.omissions, totals.omissions),
        );
    }
}

/// Returns the percentages of accepted claims among the true claims with one place: of all, and separately for right and wrong citations.
fn accepted(totals: &Totals) -> String {
    let part = |percent: Option<f64>, of: &str| percent.map(|percent| format!("{percent:.2}% {of}"));
    let parts = [
        part(totals.true_accept_percent, "of the unambiguous"),
        part(totals.cited_accept_percent, "of those that cite their call"),
        part(totals.miscited_accept_percent, "of the miscited"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

fn wrong(out: &mut String, answers: &[WrongAnswer]) {
    if !answers.is_empty() {
        let _ = writeln!(out, "\nwrong answers");
    }
    for answer in answers {
        let code = answer.code.map_or_else(String::new, |code| format!(" ({code})"));
        let _ = writeln!(out, "  {}: {} {}{code}", answer.kind, answer.claims, words(answer.ending));
        for example in &answer.examples {
            let claim = format!("{} {}", example.task, claimed(&example.claim));
            let _ = writeln!(out, "    claim:    {}", terminal(claim.trim_end()));
            for over in &example.over {
                let _ = writeln!(out, "    over:     {}", terminal(over));
            }
            let _ = writeln!(out, "    expected: {}", terminal(&example.expected));
            let _ = writeln!(out, "    verdict:  {}", terminal(&example.verdict));
        }
    }
}

/// Returns a claim on one line.
fn claimed(claim: &Claim) -> String {
    let cites = |ids: &[String]| ids.iter().map(|id| format!("{id:?}")).collect::<Vec<_>>().join(", ");
    match claim {
        Claim::Reading(reading) => {
            let value = |value: &ledger::ClaimedValue| {
                format!("{}={:?}", value.field.as_deref().unwrap_or("?"), value.value)
            };
            let values: Vec<String> = reading.values.iter().map(value).collect();
            format!(
                "{} {:?} {} cites {:?} {}",
                reading.predicate,
                reading.subject,
                values.join(" "),
                reading.invocation,
                reading.record.as_deref().unwrap_or(""),
            )
        }
        Claim::Statement(statement) => format!("told {statement}"),
        Claim::Absence(absence) => format!("{} cites {}", absence.absence, cites(&absence.searches)),
        Claim::Derivation(derivation) => {
            let terms: Vec<String> = derivation.terms().iter().map(ToString::to_string).collect();
            let more = match derivation {
                Derivation::Within { seconds, .. } => format!(" {seconds} s"),
                Derivation::Sum { total, .. } => format!(" {total}"),
                Derivation::Same { .. }
                | Derivation::Different { .. }
                | Derivation::Order { .. }
                | Derivation::Below { .. } => String::new(),
            };
            format!("{}{more}: {}", derivation.form().name(), terms.join(", "))
        }
        Claim::Sentence(sentence) => sentence.text.clone(),
    }
}

fn words(ending: Ending) -> &'static str {
    match ending {
        Ending::Accepted => "accepted",
        Ending::Healed => "healed",
        Ending::WrongPlace => "accepted at a wrong place",
        Ending::Ambiguous => "ambiguous",
        Ending::NotAmbiguous => "refused as ambiguous where the scan finds one place",
        Ending::TruthRefused => "refused though true",
        Ending::FalsehoodRefused => "refused",
        Ending::Told => "accepted with what was left out",
        Ending::Untold => "accepted without what turns it",
        Ending::FalseAccept => "accepted though false",
    }
}
