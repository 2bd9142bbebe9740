//! `locard ask`.

use crate::arguments::CacheArguments;
use crate::commands::{run_folder, tables, worker};
use crate::failure::Failure;
use crate::printer::Printer;
use ::graph::Run;
use app::{Asked, CaseTables, Reason, Verdict};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct AskArguments {
    /// A case, evidence, or a run (its folder, the beginning of its name, latest)
    #[arg(value_name = "CASE|RUN")]
    pub(crate) of: PathBuf,
    /// The question, in English or German
    pub(crate) question: String,
    /// Folder that holds the run folders
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// Where the evidence of the run is now: a case, evidence, or LABEL=PATH
    ///
    /// By default, where the run found it.
    #[arg(long, value_name = "EVIDENCE")]
    pub(crate) evidence: Vec<PathBuf>,
    /// Print the answer for programs
    #[arg(long)]
    pub(crate) json: bool,
    /// The language of the sentences about facts: en or de
    #[arg(long, value_name = "LANGUAGE", default_value_t, hide_short_help = true)]
    pub(crate) lang: report::Language,
    #[command(flatten)]
    pub(crate) kept: CacheArguments,
    /// Decode the evidence even where that cannot be confined
    #[arg(long, hide_short_help = true)]
    pub(crate) unconfined: bool,
}

/// The name of the file that makes a folder a run.
const RUN_FILE: &str = "run.db";

pub(super) fn execute(arguments: &AskArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let (case, run) = opened(arguments)?;
    let (worker, scratch) = worker(arguments.unconfined, &case.paths)?;
    let tables = tables(&case, None, (&worker, &scratch), &arguments.kept, printer)?;
    let asked = app::asked(&tables, &arguments.question).map_err(Failure::Ask)?;
    for note in tables.notes() {
        printer.complain(&report::terminal(&format!("note: {note}")));
    }
    let shown = shown(&asked, &tables, run.as_ref(), arguments)?;
    match arguments.json {
        true => printer.result(&report::json_text(&value(&asked, &shown, arguments)))?,
        false => printer.result(&text(&asked, &shown))?,
    }
    Ok(match asked.answer.verdict {
        Verdict::Values | Verdict::Yes | Verdict::No => 0,
        Verdict::NotDeterminable(_) => Failure::NOT_DETERMINABLE,
    })
}

/// The case that is asked, and the run, where one is named.
fn opened(arguments: &AskArguments) -> Result<(app::Case, Option<Run>), Failure> {
    let of = &arguments.of;
    let is_case = of.exists() && !of.join(RUN_FILE).exists();
    if is_case {
        return Ok((app::load_case(of).map_err(Failure::Case)?, None));
    }
    let folder = match of.join(RUN_FILE).exists() {
        true => of.clone(),
        false => run_folder(&of.to_string_lossy(), &arguments.runs)?,
    };
    let run = app::load_run(&folder).map_err(Failure::Open)?;
    let case = app::evidence_of(&folder, &arguments.evidence).map_err(Failure::Given)?;
    Ok((case, Some(run)))
}

/// A row of an answer as it is shown.
struct Shown {
    /// The fact that says it; `None` where no fact does.
    fact: Option<String>,
    /// What it says.
    text: String,
    evidence: String,
    path: String,
    record: String,
    row: i64,
    values: Vec<(String, String)>,
}

fn shown(
    asked: &Asked,
    tables: &CaseTables,
    run: Option<&Run>,
    arguments: &AskArguments,
) -> Result<Vec<Shown>, Failure> {
    let mut all = Vec::new();
    for cited in &asked.answer.cited {
        let Some(row) = asked.rows.get(cited.row) else { continue };
        let kind = asked.record_of(row);
        let values: Vec<(String, String)> = cited
            .fields
            .iter()
            .filter_map(|field| Some((field.clone(), row.fields.get(field)?.clone())))
            .collect();
        let fact = match run {
            Some(run) => fact(run, &asked.record(tables, row).map_err(Failure::Tables)?, &cited.fields),
            None => None,
        };
        let text = match fact {
            Some(fact) => phrase(fact, &cited.fields, arguments.lang),
            None => plain(kind, &values),
        };
        all.push(Shown {
            fact: fact.map(|fact| fact.id.to_string()),
            text,
            evidence: row.evidence.clone(),
            path: row.path.clone(),
            record: kind.to_owned(),
            row: row.number,
            values,
        });
    }
    Ok(all)
}

/// The fact of a run that says all these fields of a record.
fn fact<'r>(run: &'r Run, record: &ledger::Record, fields: &[String]) -> Option<&'r ledger::FactEntry> {
    let says = |fact: &ledger::FactEntry| {
        let holds = |field: &String| {
            fact.subject.field == *field || fact.values.iter().any(|bound| bound.field == *field)
        };
        fact.kind == record.kind
            && fact.locator == record.locator
            && fields.iter().filter(|field| record.fields.contains_key(*field)).all(holds)
    };
    run.facts().map(|(_, accepted)| &accepted.fact).find(|fact| says(fact))
}

fn phrase(fact: &ledger::FactEntry, fields: &[String], language: report::Language) -> String {
    report::fact_in_words(fact, fields, language)
}

fn plain(kind: &str, values: &[(String, String)]) -> String {
    let values: Vec<String> =
        values.iter().map(|(field, value)| format!("{}: {}", field.replace('_', " "), graph::value_text(value))).collect();
    format!("{}: {}", kind.replace('_', " "), values.join("; "))
}

fn text(asked: &Asked, shown: &[Shown]) -> String {
    let answer = &asked.answer;
    let mut out = String::new();
    let head = match answer.verdict {
        Verdict::Values => match answer.count {
            Some(count) => format!("{count}{}", if answer.more { " or more" } else { "" }),
            None => String::new(),
        },
        Verdict::Yes => "yes".to_owned(),
        Verdict::No => "no".to_owned(),
        Verdict::NotDeterminable(reason) => format!("not determinable: {reason}"),
    };
    // Writing to a text cannot fail.
    if !head.is_empty() {
        let _ = writeln!(out, "{head}");
    }
    for line in shown {
        let of = match &line.fact {
            Some(fact) => format!("[{fact}]"),
            None => format!("[{}#{} of {}]", line.record, line.row, line.evidence),
        };
        let _ = writeln!(out, "  {} {of}", line.text);
    }
    if answer.more {
        let _ = writeln!(out, "  there is more than is shown: narrow the question by a name or a time");
    }
    for note in &answer.notes {
        let _ = writeln!(out, "  {}", report::terminal(note));
    }
    for question in &answer.questions {
        let _ = writeln!(out, "{}", report::terminal(question));
    }
    out
}

fn value(asked: &Asked, shown: &[Shown], arguments: &AskArguments) -> Value {
    let answer = &asked.answer;
    let (verdict, reason) = match answer.verdict {
        Verdict::Values => ("values", None),
        Verdict::Yes => ("yes", None),
        Verdict::No => ("no", None),
        Verdict::NotDeterminable(reason) => ("not_determinable", Some(reason)),
    };
    let cited: Vec<Value> = shown
        .iter()
        .map(|line| {
            let values: serde_json::Map<String, Value> =
                line.values.iter().map(|(field, value)| (field.clone(), json!(value))).collect();
            json!({
                "fact": line.fact, "text": line.text, "evidence": line.evidence, "path": line.path,
                "record": line.record, "row": line.row, "values": values,
            })
        })
        .collect();
    json!({
        "locard_ask": 1,
        "question": arguments.question,
        "answer": verdict,
        "reason": reason.map(Reason::name),
        "because": reason.map(|reason| reason.to_string()),
        "topic": answer.topic,
        "count": answer.count,
        "more": answer.more,
        "cited": cited,
        "notes": answer.notes,
        "questions": answer.questions,
        "calls": 0,
        "run": Value::Null,
    })
}

/// Whether a path leads to a run folder.
#[allow(dead_code, reason = "the next step begins runs")]
fn is_run(path: &Path) -> bool {
    path.join(RUN_FILE).exists()
}
