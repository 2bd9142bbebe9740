//! Scores as text and as JSON.

use super::several::figures;
use super::{Answer, Figure, Nearness, Reliability, Score, Spoken, Standing, Truth, over_runs};
use crate::inert::terminal;
use graph::FIRST;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The label of the figures of agents alone.
const WITHOUT_SWEEP: &str = "  without the sweep";

/// Formats the scores of runs of one case as tables, with each run's misses and the nearest facts.
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
        reliability(&mut out, "confidence (thousandths)", &score.reliability);
        if let Some(own) = &score.without_sweep {
            reliability(&mut out, "without the sweep", &own.reliability);
        }
    }
    if scores.len() > 1 {
        let _ = writeln!(out, "\nall runs");
        let pooled = Reliability::pooled(scores.iter().map(|score| &score.reliability));
        reliability(&mut out, "confidence (thousandths)", &pooled);
        if scores.iter().any(|score| score.without_sweep.is_some()) {
            let own = Reliability::pooled(by_agents(scores).into_iter().map(|score| &score.reliability));
            reliability(&mut out, "without the sweep", &own);
        }
    }
    beside(&mut out, truth);
    out
}

/// Returns the scores of what agents recorded, without the sweep.
fn by_agents(scores: &[Score]) -> Vec<&Score> {
    scores.iter().map(|score| score.without_sweep.as_deref().unwrap_or(score)).collect()
}

fn models(score: &Score) -> String {
    score.models.iter().cloned().collect::<Vec<_>>().join(", ")
}

/// The columns of the summary: the first figures.
const COLUMNS: [&str; 7] =
    ["recorded", "found", "found %", "spread", "recorded/found", "findings", "violated"];

fn summary(out: &mut String, scores: &[Score]) {
    let is_swept = scores.iter().any(|score| score.without_sweep.is_some());
    let least = if is_swept { WITHOUT_SWEEP.len() } else { 4 };
    let width = scores.iter().map(|score| terminal(&score.run).chars().count()).max().unwrap_or(0).max(least);
    let _ = write!(out, "{:<width$}", "run");
    for column in COLUMNS {
        let _ = write!(out, "  {column:>0$}", column.len().max(8));
    }
    let _ = writeln!(out);
    for score in scores {
        row(out, width, &terminal(&score.run), &figures(score).map(|(_, value)| value), false);
        if let Some(own) = &score.without_sweep {
            row(out, width, WITHOUT_SWEEP, &figures(own).map(|(_, value)| value), false);
        }
    }
    if scores.len() > 1 {
        over(out, width, &scores.iter().collect::<Vec<_>>());
    }
    if scores.len() > 1 && is_swept {
        let _ = writeln!(out, "all runs without the sweep");
        over(out, width, &by_agents(scores));
    }
    if let Some(score) = scores.first() {
        let _ = writeln!(out, "of {} facts and {} findings", score.answers.len(), score.findings.len());
    }
}

/// Formats the figures over several runs.
fn over(out: &mut String, width: usize, scores: &[&Score]) {
    let over = over_runs(scores);
    let names = scores.first().map(|score| figures(score)).into_iter().flatten().map(|(name, _)| name);
    let of: Vec<_> = names.map(|name| over.iter().find(|figure| figure.name == name)).collect();
    let mut one = |name, value: fn(&Figure) -> f64, tenths| {
        let cells: Vec<_> = of.iter().map(|figure| figure.map(value)).collect();
        row(out, width, name, &cells, tenths);
    };
    one("mean", |figure| figure.mean, true);
    one("min", |figure| figure.min, false);
    one("max", |figure| figure.max, false);
}

fn row(out: &mut String, width: usize, name: &str, cells: &[Option<f64>], tenths: bool) {
    let _ = write!(out, "{name:<width$}");
    for ((index, column), cell) in COLUMNS.iter().enumerate().zip(cells) {
        let tenths = tenths || matches!(index, 2 | 4);
        let cell = cell.map_or("-".to_owned(), |number| format!("{number:.*}", usize::from(tenths)));
        let _ = write!(out, "  {cell:>0$}", column.len().max(8));
    }
    let _ = writeln!(out);
}

/// The number of facts of the truth in a group, and how many were found or spread.
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
    groups(out, "agent of the truth", &counted(score, |answer| &answer.agent));
}

/// The maximum length of a question in a table, in characters.
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

/// Formats the confidence of the answers next to how many are known to be true.
fn reliability(out: &mut String, title: &str, of: &Reliability) {
    if of.forecasts.is_empty() {
        return;
    }
    let figure = |figure: Option<f64>| figure.map_or("-".to_owned(), |figure| format!("{figure:.3}"));
    let columns = ["answers", "mean", "confirmed", "share", "forbidden"];
    let _ = writeln!(out, "  {title:<24} {}", columns.map(|it| format!("{it:>9}")).join(" "));
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
        writeln!(out, "  {left_out} answers come from files that the truth does not name, and are left out");
}

/// Formats what code cannot score.
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

/// Returns the scores of runs of one case as members of one JSON object.
pub fn json(truth: &Truth, scores: &[Score]) -> Map<String, Value> {
    let judge: Vec<_> =
        truth.must_not_claim.iter().filter(|it| it.condition.is_none()).map(|it| &it.claim).collect();
    let unscored = truth.facts.iter().filter_map(|fact| {
        Some(json!({"id": fact.id, "question": fact.question, "because": fact.unscored()?}))
    });
    let over = |scores: &[&Score]| -> Map<String, Value> {
        let figure = |it: Figure| json!({"mean": it.mean, "min": it.min, "max": it.max, "runs": it.runs});
        over_runs(scores).into_iter().map(|it| (it.name.to_owned(), figure(it))).collect()
    };
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
        "over_runs": over(&scores.iter().collect::<Vec<_>>()),
        "over_runs_without_sweep": over(&by_agents(scores)),
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
        "figures": figures_json(score),
        "run_agents": agents,
        "without_sweep": score.without_sweep.as_ref().map(|own| {
            json!({"figures": figures_json(own), "reliability": reliability_json(&own.reliability)})
        }),
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

fn figures_json(score: &Score) -> Value {
    json!({
        "recorded": score.recorded,
        "found": score.found(),
        "found_percent": score.recall(),
        "spread": score.spread(),
        "recorded_per_found": score.recorded_per_found(),
        "findings_found": score.findings_found(),
        "findings_anywhere": score.findings_anywhere(),
        "must_not_claim_violated": score.violated(),
        "brier": score.reliability.brier(),
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

/// The number of missing values that are listed.
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
    /// Describes it in one line.
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
