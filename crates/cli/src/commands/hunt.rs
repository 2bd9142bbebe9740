//! `locard hunt`.

use crate::arguments::{HuntArguments, SqlFormat};
use crate::commands::worker;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::scratch::Scratch;
use app::{Case, CsvCell, ToolReturn, WorkerRequest};
use detect::Level;
use ledger::{Gap, Record};
use report::hunt::{Several, Sighting, by_rule, order, sightings, together};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;
use tools::SequencesReply;

/// Most records that one call gives.
const MOST: usize = 10_000;

/// The columns of a table for programs.
const COLUMNS: [&str; 9] =
    ["level", "time", "computer", "rule", "note", "techniques", "record", "file", "details"];

pub(super) fn execute(arguments: &HuntArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let least: Level = arguments.level.into();
    let case = app::load_case(&arguments.case).map_err(Failure::Case)?;
    let (request, scratch) = worker(arguments.unconfined, &case.paths)?;
    let mut returned = called(&request, &case, &scratch, least)?;
    let mut records = of(&returned);
    // The tool gives what it meets first: what stands out most is asked for by itself.
    let is_cut = records.len() >= MOST;
    for level in Level::ALL.into_iter().rev().filter(|level| is_cut && *level > least) {
        let more = called(&request, &case, &scratch, level)?;
        let known: BTreeSet<String> =
            records.iter().map(|it| format!("{} {}", it.kind, it.locator)).collect();
        let new = of(&more).into_iter().filter(|it| !known.contains(&format!("{} {}", it.kind, it.locator)));
        records.extend(new);
        returned.gaps.extend(more.gaps);
    }
    let (several, are_all) = sequences(&request, &case, &mut returned)?;
    returned.gaps.sort();
    returned.gaps.dedup();
    let mut all = sightings(&records, least);
    all.extend(together(&several, least));
    order(&mut all);
    match arguments.format {
        SqlFormat::Text => printer.result(&text(&all))?,
        SqlFormat::Csv => csv(&all, printer)?,
        SqlFormat::Json => printer.result(&report::json_text(&json!({
            "locard_hunt": 1,
            "sightings": all.iter().map(value).collect::<Vec<_>>(),
            "truncated": is_cut || !are_all,
            "gaps": returned.gaps,
            "defects": returned.defects,
        })))?,
        SqlFormat::Jsonl => {
            for sighting in &all {
                printer.result(&report::json_text(&value(sighting)))?;
            }
        }
    }
    if returned.outcome.is_failure() {
        let why = returned.notes.first().map_or("", String::as_str);
        printer.complain(&report::terminal(&format!("error: {why}")));
        return Ok(Failure::USAGE);
    }
    if is_cut {
        printer.complain(&format!("more than {MOST} records fit: of each level these are the first {MOST}"));
    }
    if !are_all {
        printer.complain("there is more that several records tell together than is given");
    }
    let exported = returned.gaps.iter().filter(|gap| gap.reason == tools::CHOSEN).count();
    if exported > 0 {
        let told = if exported == 1 {
            "log is exported: which events it leaves"
        } else {
            "logs are exported: which events they leave"
        };
        printer.complain(&format!("{exported} {told} out is not known"));
    }
    let unread = returned.gaps.len() - exported;
    if unread > 0 {
        let things = if unread == 1 { "thing was" } else { "things were" };
        printer.complain(&format!("{unread} {things} not examined (--format json names them)"));
    }
    Ok(0)
}

/// What the tool gives of this level and above.
fn called(
    request: &WorkerRequest,
    case: &Case,
    scratch: &Scratch,
    least: Level,
) -> Result<ToolReturn, Failure> {
    let asked = json!({ "level": least.name(), "limit": MOST });
    app::call_tool(request, case, scratch.indexes(), "records", &asked).map_err(Failure::Tool)
}

/// What several records tell together, and whether that is all of it; gaps and damage are added to those of the call.
fn sequences(
    request: &WorkerRequest,
    case: &Case,
    returned: &mut ToolReturn,
) -> Result<(Vec<Several>, bool), Failure> {
    match app::sequences(request, case).map_err(Failure::Tool)? {
        SequencesReply::Looked { found, truncated, gaps, defects } => {
            returned.gaps.extend(gaps);
            let new = defects.into_iter().filter(|defect| !returned.defects.contains(defect));
            let new: Vec<_> = new.collect();
            returned.defects.extend(new);
            let several = found.into_iter().map(|one| Several {
                sequence: one.sequence,
                shared: one.shared,
                records: one.records,
                first: one.first,
                last: one.last,
            });
            Ok((several.collect(), !truncated))
        }
        SequencesReply::Failed { reason } => {
            returned.gaps.push(Gap { path: String::new(), reason });
            Ok((Vec::new(), true))
        }
    }
}

fn of(returned: &ToolReturn) -> Vec<Record> {
    returned.output.as_ref().map_or_else(Vec::new, |output| output.records().to_vec())
}

/// Each sighting in two lines, then how many fit each rule.
fn text(all: &[Sighting<'_>]) -> String {
    let mut out = String::new();
    for it in all {
        let (time, note) = (when(it), it.hits.first().map_or("", |hit| hit.note));
        let computer = report::terminal(&it.computer());
        let _ = writeln!(out, "{:<8}  {time:<28}  {computer:<16}  {note}", it.level().name());
        let file = graph::value_text(&it.record.locator.to_string());
        let _ = writeln!(out, "          {}  [{}: {file}]", graph::value_text(&it.details()), it.record.kind);
    }
    if !all.is_empty() {
        out.push('\n');
    }
    for (rule, level, note, number) in by_rule(all) {
        let _ = writeln!(out, "{number:>6}  {:<8}  {rule}: {note}", level.name());
    }
    let several = all.iter().filter(|it| it.together.is_some()).count();
    let _ = writeln!(out, "{} records stand out", all.len() - several);
    if several > 0 {
        let things = if several == 1 { "thing is" } else { "things are" };
        let _ = writeln!(out, "{several} {things} told by several records together");
    }
    out
}

fn when(it: &Sighting<'_>) -> String {
    it.time.map(|time| time.to_text()).unwrap_or_default()
}

fn techniques(it: &Sighting<'_>) -> Vec<String> {
    let mut all: Vec<String> =
        it.hits.iter().flat_map(|hit| &hit.techniques).map(|technique| technique.id.to_string()).collect();
    all.sort();
    all.dedup();
    all
}

fn value(it: &Sighting<'_>) -> Value {
    let rules: Vec<Value> =
        it.hits.iter().map(|hit| json!({"rule": hit.rule, "level": hit.level, "note": hit.note})).collect();
    let mut value = json!({
        "level": it.level(),
        "time": it.time.map(|time| time.to_text()),
        "computer": it.computer(),
        "rules": rules,
        "techniques": techniques(it),
        "details": it.details(),
        "record": it.record,
    });
    if let (Some(several), Some(value)) = (it.together, value.as_object_mut()) {
        let shared: Map<String, Value> =
            several.shared.iter().map(|(field, text)| (field.clone(), json!(text))).collect();
        let together = json!({ "records": several.records, "shared": shared, "first": several.first });
        value.insert("together".to_owned(), together);
    }
    value
}

fn csv(all: &[Sighting<'_>], printer: &mut Printer) -> Result<(), Failure> {
    let rows: Vec<[String; 9]> = all
        .iter()
        .map(|it| {
            let (rule, note) = it.hits.first().map_or(("", ""), |hit| (hit.rule, hit.note));
            [
                it.level().name().to_owned(),
                when(it),
                it.computer(),
                rule.to_owned(),
                note.to_owned(),
                techniques(it).join(" "),
                it.record.kind.clone(),
                it.record.locator.to_string(),
                it.details(),
            ]
        })
        .collect();
    let header = COLUMNS.map(str::to_owned);
    let cells = rows.iter().map(|row| row.iter().map(|cell| CsvCell::Text(cell)).collect());
    app::rows_csv(&header, cells, &mut printer.stream()).map_err(Failure::Output)
}
