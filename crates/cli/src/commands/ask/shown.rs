//! An answer, for people and for programs.

use crate::failure::Failure;
use ::graph::Run;
use app::{Asked, CaseTables, Reason, Verdict};
use ledger::{FactEntry, Record, TaskId};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::PathBuf;

/// A row of an answer.
pub(super) struct Line {
    /// The fact that says it; `None` where no fact does.
    pub(super) fact: Option<String>,
    /// What it says.
    text: String,
    evidence: String,
    path: String,
    record: String,
    /// The row of the case table; `None` for what a model recorded.
    row: Option<i64>,
    values: Vec<(String, String)>,
}

impl Line {
    /// A fact that a model recorded as an answer.
    pub(super) fn of_fact(fact: &FactEntry, language: report::Language) -> Line {
        let fields: Vec<String> = fact.values.iter().map(|bound| bound.field.clone()).collect();
        let value = |bound: &ledger::BoundValue| (bound.field.clone(), bound.value.to_text().into_owned());
        Line {
            fact: Some(fact.id.to_string()),
            text: report::fact_in_words(fact, &fields, language),
            evidence: fact.locator.evidence.clone(),
            path: fact.locator.path.to_string(),
            record: fact.kind.clone(),
            row: None,
            values: fact.values.iter().chain([&fact.subject]).map(value).collect(),
        }
    }

    /// An absence that a model recorded as an answer.
    pub(super) fn of_absence(absence: &ledger::AbsenceEntry, language: report::Language) -> Line {
        Line {
            fact: Some(absence.id.to_string()),
            text: report::absence_in_words(absence, language),
            evidence: String::new(),
            path: String::new(),
            record: String::new(),
            row: None,
            values: Vec::new(),
        }
    }
}

/// What is shown.
pub(super) struct Shown<'a> {
    pub(super) asked: &'a Asked,
    pub(super) verdict: Verdict,
    pub(super) lines: &'a [Line],
    /// The model that looked for the answer, if one did.
    pub(super) model: Option<&'a str>,
    /// What the answer does not say, besides the notes of code.
    pub(super) notes: &'a [String],
    /// The run that was made for the question, and how many tools it called.
    pub(super) made: Option<&'a (PathBuf, usize)>,
}

/// Whether every row is a fact already.
pub(super) fn all_are_facts(lines: &[Line]) -> bool {
    lines.iter().all(|line| line.fact.is_some())
}

/// The rows that an answer cites, each with the fact of the run, or of the one task of it, that says it.
pub(super) fn cited(
    asked: &Asked,
    tables: &CaseTables,
    run: Option<(&Run, Option<TaskId>)>,
    language: report::Language,
) -> Result<Vec<Line>, Failure> {
    let mut lines = Vec::new();
    for cited in &asked.answer.cited {
        let Some(row) = asked.rows.get(cited.row) else { continue };
        let kind = asked.record_of(row);
        let values: Vec<(String, String)> = cited
            .fields
            .iter()
            .filter_map(|field| Some((field.clone(), row.fields.get(field)?.clone())))
            .collect();
        let fact = match run {
            Some((run, task)) => {
                let record = asked.record(tables, row).map_err(Failure::Tables)?;
                fact(run, task, &record, &cited.fields)
            }
            None => None,
        };
        let text = match fact {
            Some(fact) => report::fact_in_words(fact, &cited.fields, language),
            None => plain(kind, &values),
        };
        lines.push(Line {
            fact: fact.map(|fact| fact.id.to_string()),
            text,
            evidence: row.evidence.clone(),
            path: row.path.clone(),
            record: kind.to_owned(),
            row: Some(row.number),
            values,
        });
    }
    Ok(lines)
}

/// The fact that says all these fields of a record.
fn fact<'r>(run: &'r Run, task: Option<TaskId>, record: &Record, fields: &[String]) -> Option<&'r FactEntry> {
    let says = |fact: &FactEntry| {
        let holds = |field: &String| {
            fact.subject.field == *field || fact.values.iter().any(|bound| bound.field == *field)
        };
        fact.kind == record.kind
            && fact.locator == record.locator
            && record.fields.get(&fact.subject.field).is_some_and(|field| field.value == fact.subject.value)
            && fields.iter().filter(|field| record.fields.contains_key(*field)).all(holds)
    };
    let of_task = run.facts().filter(|(of, _)| task.is_none_or(|task| task == *of));
    of_task.map(|(_, accepted)| &accepted.fact).find(|fact| says(fact))
}

fn plain(kind: &str, values: &[(String, String)]) -> String {
    let value = |(field, value): &(String, String)| {
        format!("{}: {}", field.replace('_', " "), graph::value_text(value))
    };
    let values: Vec<String> = values.iter().map(value).collect();
    format!("{}: {}", kind.replace('_', " "), values.join("; "))
}

/// The answer for people.
pub(super) fn text(shown: &Shown<'_>) -> String {
    let answer = &shown.asked.answer;
    let mut out = String::new();
    let head = match shown.verdict {
        Verdict::Values => {
            answer.count.map(|count| format!("{count}{}", if answer.more { " or more" } else { "" }))
        }
        Verdict::Yes => Some("yes".to_owned()),
        Verdict::No => Some("no".to_owned()),
        Verdict::NotDeterminable(reason) => Some(format!("not determinable: {reason}")),
    };
    // Writing to a text cannot fail.
    if let Some(head) = head {
        let _ = writeln!(out, "{head}");
    }
    for line in shown.lines {
        let of = match &line.fact {
            Some(fact) => format!("[{fact}]"),
            None => format!("[{}#{} of {}]", line.record, line.row.unwrap_or_default(), line.evidence),
        };
        let _ = writeln!(out, "  {} {}", line.text, report::terminal(&of));
    }
    if answer.more {
        let _ = writeln!(out, "  there is more than is shown: narrow the question by a name or a time");
    }
    for note in notes(shown) {
        let _ = writeln!(out, "  {}", report::terminal(note));
    }
    if shown.model.is_none() {
        for question in &answer.questions {
            let _ = writeln!(out, "{}", report::terminal(question));
        }
    }
    if let Some((folder, _)) = shown.made {
        let _ = writeln!(out, "recorded in {}", report::terminal(&folder.display().to_string()));
    }
    out
}

/// What a reader must know beside the lines. What code noted holds only if no model answered.
fn notes<'a>(shown: &Shown<'a>) -> impl Iterator<Item = &'a String> {
    let of_code = shown.asked.answer.notes.iter().filter(|_| shown.model.is_none());
    of_code.chain(shown.notes)
}

/// The answer for programs.
pub(super) fn value(shown: &Shown<'_>, question: &str) -> Value {
    let answer = &shown.asked.answer;
    let (verdict, reason) = match shown.verdict {
        Verdict::Values => ("values", None),
        Verdict::Yes => ("yes", None),
        Verdict::No => ("no", None),
        Verdict::NotDeterminable(reason) => ("not_determinable", Some(reason)),
    };
    let line = |line: &Line| {
        let values: Map<String, Value> =
            line.values.iter().map(|(field, value)| (field.clone(), json!(value))).collect();
        json!({
            "fact": line.fact, "text": line.text, "evidence": line.evidence, "path": line.path,
            "record": line.record, "row": line.row, "values": values,
        })
    };
    json!({
        "locard_ask": 1,
        "question": question,
        "answer": verdict,
        "reason": reason.map(Reason::name),
        "because": reason.map(|reason| reason.to_string()),
        "topic": answer.topic,
        "count": answer.count,
        "more": answer.more,
        "cited": shown.lines.iter().map(line).collect::<Vec<_>>(),
        "notes": notes(shown).collect::<Vec<_>>(),
        "model": shown.model,
        "questions": answer.questions,
        "calls": shown.made.map_or(0, |(_, calls)| *calls),
        "run": shown.made.map(|(folder, _)| folder.display().to_string()),
    })
}
