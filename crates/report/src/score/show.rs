//! Scores for people and for programs.

use super::several::figures;
use super::{Answer, Nearness, Reliability, Score, Spoken, Standing, Truth, over_runs};
use crate::inert::terminal;
use graph::FIRST;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Scores of runs of one case, as tables; the misses of each run with what stands nearest.
pub fn text(truth: &Truth, scores: &[Score]) -> String {
    let mut out = String::new();
    summary(&mut out, scores);
    for score in scores {
        let _ = writeln!(out, "\n{} ({})", terminal(&score.run), terminal(&models(score)));
        agents(&mut out, score);
        groups(&mut out, "question", &counted(score, |answer| &answer.question));
        findings(&mut out, score);
        for violation in &score.violations {
            let _ = writeln!(out, "  must not be claimed: {}", terminal(&violation.claim));
            let _ = writeln!(out, "    {} {}", violation.fact, terminal(&violation.title));
        }
        misses(&mut out, score);
        reliability(&mut out, &score.reliability);
    }
    if scores.len() > 1 {
        let _ = writeln!(out, "\nall runs");
        reliability(&mut out, &Reliability::pooled(scores.iter().map(|score| &score.reliability)));
    }
    beside(&mut out, truth);
    out
}

fn models(score: &Score) -> String {
    score.models.iter().cloned().collect::<Vec<_>>().join(", ")
}

fn summary(out: &mut String, scores: &[Score]) {
    let width = scores.iter().map(|score| terminal(&score.run).chars().count()).max().unwrap_or(0).max(4);
    let columns = ["recorded", "found", "found %", "spread", "recorded/found", "findings", "violated"];
    let _ = write!(out, "{:<width$}", "run");
    for column in columns {
        let _ = write!(out, "  {column:>0$}", column.len().max(8));
    }
    let _ = writeln!(out);
    let mut row = |name: &str, cells: &[Option<f64>], tenths: bool| {
        let _ = write!(out, "{name:<width$}");
        for ((index, column), cell) in columns.iter().enumerate().zip(cells) {
            let tenths = tenths || matches!(index, 2 | 4);
            let cell = cell.map_or("-".to_owned(), |number| format!("{number:.*}", usize::from(tenths)));
            let _ = write!(out, "  {cell:>0$}", column.len().max(8));
        }
        let _ = writeln!(out);
    };
    for score in scores {
        row(&terminal(&score.run), &figures(score).map(|(_, value)| value), false);
    }
    if scores.len() > 1 {
        let over = over_runs(scores);
        let names = scores.first().map(figures).into_iter().flatten().map(|(name, _)| name);
        let of: Vec<_> = names.map(|name| over.iter().find(|figure| figure.name == name)).collect();
        row("mean", &of.iter().map(|it| it.map(|it| it.mean)).collect::<Vec<_>>(), true);
        row("min", &of.iter().map(|it| it.map(|it| it.min)).collect::<Vec<_>>(), false);
        row("max", &of.iter().map(|it| it.map(|it| it.max)).collect::<Vec<_>>(), false);
    }
    if let Some(score) = scores.first() {
        let _ = writeln!(out, "of {} facts and {} findings", score.answers.len(), score.findings.len());
    }
}

/// How many facts of the truth there are of something, how many were found, how many are spread.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    of: usize,
    found: usize,
    spread: usize,
}

fn counted(score: &Score, by: impl Fn(&Answer) -> &String) -> BTreeMap<String, Counts> {
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    for answer in &score.answers {
        let count = counts.entry(by(answer).clone()).or_default();
        count.of += 1;
        count.found += usize::from(answer.is_found());
        count.spread += usize::from(answer.is_spread());
    }
    counts
}

fn agents(out: &mut String, score: &Score) {
    let _ = writeln!(out, "  {:<24} {:>8} {:>8}", "agent of the run", "recorded", "found");
    for (agent, (recorded, found)) in &score.run_agents {
        let _ = writeln!(out, "  {:<24} {recorded:>8} {found:>8}", terminal(agent));
    }
    if let Some((recorded, found)) = score.without_sweep {
        let _ = writeln!(out, "  {:<24} {recorded:>8} {found:>8}", "all without the sweep");
    }
    groups(out, "agent of the truth", &counted(score, |answer| &answer.agent));
}

/// The longest question that is shown whole in a table.
const LONGEST_NAME: usize = 76;

fn groups(out: &mut String, title: &str, counts: &BTreeMap<String, Counts>) {
    let cut = |text: &str| match text.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", terminal(text.get(..end).unwrap_or_default())),
        None => terminal(text),
    };
    let width = counts.keys().map(|name| cut(name).chars().count()).max().unwrap_or(0).max(24);
    let _ = writeln!(out, "  {title:<width$} {:>8} {:>8} {:>8}", "facts", "found", "spread");
    for (name, count) in counts {
        let Counts { of, found, spread } = count;
        let _ = writeln!(out, "  {:<width$} {of:>8} {found:>8} {spread:>8}", cut(name));
    }
}

fn findings(out: &mut String, score: &Score) {
    for finding in &score.findings {
        let found = match (finding.missing.is_empty(), finding.buried.is_empty()) {
            (true, true) => "found",
            (true, false) => "buried",
            (false, _) => "missed",
        };
        let _ = writeln!(out, "  finding {found:<6} {}", terminal(&finding.finding));
        if !finding.buried.is_empty() {
            let buried = terminal(&finding.buried.join(", "));
            let _ = writeln!(out, "    not among the first {FIRST} phenomena: {buried}");
        }
        if !finding.missing.is_empty() {
            let _ = writeln!(
                out,
                "    {} of {} facts missed: {}",
                finding.missing.len(),
                finding.of,
                terminal(&finding.missing.join(", "))
            );
        }
    }
}

fn misses(out: &mut String, score: &Score) {
    for answer in &score.answers {
        let (id, question) = (terminal(&answer.id), terminal(&answer.question));
        match &answer.standing {
            Standing::Found { .. } => {}
            Standing::Spread { over } => {
                let _ = writeln!(out, "  spread over one {} {id}: {question}", over.name());
            }
            Standing::Missed { nearest } => {
                let _ = writeln!(out, "  missed {id}: {question}");
                if let Some(nearest) = nearest {
                    let how = terminal(&nearest.how.describe());
                    let _ = writeln!(out, "    nearest {}: {how}", nearest.fact);
                    let _ = writeln!(out, "      {}", terminal(&nearest.title));
                }
            }
        }
    }
}

/// How sure the answers are beside how many of them are known to be true.
fn reliability(out: &mut String, of: &Reliability) {
    if of.forecasts.is_empty() {
        return;
    }
    let figure = |figure: Option<f64>| figure.map_or("-".to_owned(), |figure| format!("{figure:.3}"));
    let columns = ["answers", "mean", "confirmed", "share", "forbidden"];
    let _ = writeln!(
        out,
        "  {:<24} {}",
        "confidence (thousandths)",
        columns.map(|it| format!("{it:>9}")).join(" ")
    );
    for bin in of.bins() {
        let range = format!("{} to {}", bin.from, bin.to - 1);
        let share = super::ratio(bin.confirmed, bin.forecasts);
        let cells = [
            bin.forecasts.to_string(),
            figure(bin.mean),
            bin.confirmed.to_string(),
            figure(share),
            bin.forbidden.to_string(),
        ];
        let _ = writeln!(out, "  {range:<24} {}", cells.map(|it| format!("{it:>9}")).join(" "));
    }
    let (brier, share) = (figure(of.brier()), figure(of.brier_of_share()));
    let _ = writeln!(out, "  Brier score {brier}; {share} if each were forecast by the share alone");
    let left_out = of.count(Spoken::OutOfReach);
    let _ =
        writeln!(out, "  {left_out} answers stand in files that the truth does not name, and are left out");
    let (stopped, all) = (of.stopped(), of.forecasts.len());
    let percent = of.stopped_percent().unwrap_or(0.0);
    let _ = writeln!(out, "  less sure than {}: {stopped} of {all} answers ({percent:.1} %)", of.gate);
}

/// What no code can score.
fn beside(out: &mut String, truth: &Truth) {
    let judge: Vec<_> = truth.must_not_claim.iter().filter(|it| it.condition.is_none()).collect();
    if truth.benign || !judge.is_empty() {
        let _ = writeln!(out, "\nfor a person to judge");
    }
    if truth.benign {
        let _ = writeln!(out, "  nothing happened in this case: a finding of compromise is wrong");
    }
    for forbidden in judge {
        let _ = writeln!(out, "  must not be claimed: {}", terminal(&forbidden.claim));
    }
    for fact in &truth.facts {
        if let Some(because) = fact.unscored() {
            let _ = writeln!(out, "not scored {}: {because}", terminal(&fact.id));
        }
    }
    for absent in &truth.not_present {
        let _ = writeln!(out, "not in the evidence: {}", terminal(absent));
    }
}

/// Scores of runs of one case as members of one JSON object.
pub fn json(truth: &Truth, scores: &[Score]) -> Map<String, Value> {
    let judge: Vec<_> =
        truth.must_not_claim.iter().filter(|it| it.condition.is_none()).map(|it| &it.claim).collect();
    let unscored = truth.facts.iter().filter_map(|fact| {
        Some(json!({"id": fact.id, "question": fact.question, "because": fact.unscored()?}))
    });
    let over = over_runs(scores).into_iter().map(|it| {
        (it.name.to_owned(), json!({"mean": it.mean, "min": it.min, "max": it.max, "runs": it.runs}))
    });
    let members = json!({
        "truth": {
            "case": truth.case,
            "facts": truth.facts.len(),
            "findings": truth.findings.len(),
            "benign": truth.benign,
            "not_present": truth.not_present,
            "not_scored": unscored.collect::<Vec<_>>(),
            "for_a_person": judge,
        },
        "runs": scores.iter().map(run).collect::<Vec<_>>(),
        "over_runs": over.collect::<Map<_, _>>(),
    });
    match members {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

fn run(score: &Score) -> Value {
    let agents: Map<String, Value> = score
        .run_agents
        .iter()
        .map(|(agent, (recorded, found))| (agent.clone(), json!({"recorded": recorded, "found": found})))
        .collect();
    json!({
        "run": score.run,
        "case": score.case,
        "models": score.models,
        "figures": {
            "recorded": score.recorded,
            "found": score.found(),
            "found_percent": score.recall(),
            "spread": score.spread(),
            "recorded_per_found": score.recorded_per_found(),
            "findings_found": score.findings_found(),
            "findings_anywhere": score.findings_anywhere(),
            "must_not_claim_violated": score.violated(),
            "brier": score.reliability.brier(),
            "low_confidence_percent": score.reliability.stopped_percent(),
        },
        "run_agents": agents,
        "without_sweep": score.without_sweep.map(|(recorded, found)| json!({"recorded": recorded, "found": found})),
        "truth_agents": grouped(&counted(score, |answer| &answer.agent)),
        "questions": grouped(&counted(score, |answer| &answer.question)),
        "facts": score.answers.iter().map(answer).collect::<Vec<_>>(),
        "findings": score.findings.iter().map(|it| json!({
            "finding": it.finding, "facts": it.of, "found": it.is_found(), "missing": it.missing, "buried": it.buried,
        })).collect::<Vec<_>>(),
        "violations": score.violations.iter().map(|it| json!({
            "claim": it.claim, "fact": it.fact, "title": it.title,
        })).collect::<Vec<_>>(),
        "reliability": reliability_json(&score.reliability),
    })
}

fn reliability_json(of: &Reliability) -> Value {
    json!({
        "brier": of.brier(),
        "brier_of_share": of.brier_of_share(),
        "bins": of.bins().iter().map(|it| json!({
            "from": it.from, "to": it.to - 1, "answers": it.forecasts, "mean": it.mean,
            "confirmed": it.confirmed, "forbidden": it.forbidden,
        })).collect::<Vec<_>>(),
        "gate": of.gate,
        "below_gate": of.stopped(),
        "below_gate_percent": of.stopped_percent(),
        "answers": of.forecasts.iter().map(|it| json!({
            "agent": it.agent, "objective": it.objective, "confidence": it.confidence.thousandths(),
            "level": it.confidence.level().name(), "truth": it.truth.name(),
        })).collect::<Vec<_>>(),
    })
}

fn grouped(counts: &BTreeMap<String, Counts>) -> Map<String, Value> {
    let entry = |(name, it): (&String, &Counts)| {
        (name.clone(), json!({"facts": it.of, "found": it.found, "spread": it.spread}))
    };
    counts.iter().map(entry).collect()
}

fn answer(answer: &Answer) -> Value {
    let (standing, by, over, nearest) = match &answer.standing {
        Standing::Found { by } => ("found", by.as_slice(), None, None),
        Standing::Spread { over } => ("spread", &[][..], Some(over.name()), None),
        Standing::Missed { nearest } => ("missed", &[][..], None, nearest.as_ref()),
    };
    let nearest = nearest.map(|it| json!({"fact": it.fact, "title": it.title, "how": it.how.describe()}));
    json!({
        "id": answer.id, "agent": answer.agent, "question": answer.question,
        "standing": standing, "by": by, "over": over, "nearest": nearest,
    })
}

/// How many lacking values are named.
const SHOWN_VALUES: usize = 4;

impl super::Over {
    const fn name(self) -> &'static str {
        match self {
            super::Over::Phenomenon => "phenomenon",
            super::Over::Agent => "agent",
        }
    }
}

impl Nearness {
    /// In one line.
    fn describe(&self) -> String {
        match self {
            Nearness::Carries { values, of, lacks } => {
                let more = if lacks.len() > SHOWN_VALUES { ", …" } else { "" };
                let shown: Vec<_> =
                    lacks.iter().take(SHOWN_VALUES).map(|value| format!("\"{value}\"")).collect();
                format!("carries {values} of {of} values, not {}{more}", shown.join(", "))
            }
            Nearness::Elsewhere => {
                "carries the values, which are too common to count elsewhere than the truth says".to_owned()
            }
            Nearness::Alike { wanted, field, stands } => format!("wanted {wanted}, {field} is {stands}"),
        }
    }
}
