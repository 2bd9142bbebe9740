//! `locard hunt`.

use crate::arguments::{HuntArguments, SqlFormat};
use crate::commands::borrowed::{counts, fieldless, rules_in_words, unmatched, unusable, wrong};
use crate::commands::run::cache;
use crate::commands::worker;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::scratch::Scratch;
use app::{Case, CsvCell, Naming, RulePaths, TablesRequest, ToolReturn, WorkerRequest, case_tables};
use detect::Level;
use ledger::{Gap, Record};
use report::hunt::{Fit, Several, Sighting, Whose, by_rule, hashes, order, shortened, sightings, together};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use tools::{Matched, SequencesReply};

/// Most records that one call gives.
const MOST: usize = 10_000;

/// Most rules of others that are shown with a record.
const SHOWN: usize = 4;

/// Most lines of what is wrong with rules.
const COMPLAINTS: usize = 20;

/// The columns of a table for programs.
const COLUMNS: [&str; 14] = [
    "level",
    "time",
    "computer",
    "rule",
    "note",
    "techniques",
    "record",
    "file",
    "details",
    "whose",
    "matched",
    "rule_file",
    "all_rules",
    "known_good",
];

/// What was found by the rules of others.
#[derive(Default)]
struct Others {
    records: Vec<(Record, Vec<Fit>)>,
    /// How many records fit each rule.
    counts: BTreeMap<String, u64>,
    matched: Matched,
}

pub(super) fn execute(arguments: &HuntArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let least: Level = arguments.level.into();
    let case = app::load_case(&arguments.case).map_err(Failure::Case)?;
    let (request, scratch) = worker(arguments.unconfined, &case.paths)?;
    let others = others(arguments, &case, &request, &scratch, printer)?;
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
    returned.gaps.extend(others.matched.gaps.iter().cloned());
    let (several, are_all) = sequences(&request, &case, &mut returned)?;
    returned.gaps.sort();
    returned.gaps.dedup();
    let wanted =
        records.iter().chain(others.records.iter().map(|(record, _)| record)).flat_map(hashes).collect();
    let known = app::known_good(&arguments.brought.known_good, &wanted).map_err(Failure::Brought)?;
    let list = |hash: &str| known.list_of(hash).map(str::to_owned);
    let mut all = sightings(&records, &others.records, &list, least);
    all.extend(together(&several, least));
    order(&mut all);
    match arguments.format {
        SqlFormat::Text => printer.result(&text(&all, &others))?,
        SqlFormat::Csv => csv(&all, printer)?,
        SqlFormat::Json => printer.result(&report::json_text(&json!({
            "locard_hunt": 1,
            "sightings": all.iter().map(value).collect::<Vec<_>>(),
            "truncated": is_cut || others.matched.more || !are_all,
            "gaps": returned.gaps,
            "defects": returned.defects,
            "totals": totals(&all, &others),
            "broken_rules": others.matched.sigma.broken,
            "unmatched_rules": unmatched(&others.matched.sigma),
            "unusable_indicators": unusable(&others.matched),
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
    if others.matched.more {
        printer
            .complain(&format!("more than {MOST} records fit rules of others: the totals count all of them"));
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

/// What rules of others find, where some were given; what cannot be used of them is told at once.
fn others(
    arguments: &HuntArguments,
    case: &Case,
    worker: &WorkerRequest,
    scratch: &Scratch,
    printer: &mut Printer,
) -> Result<Others, Failure> {
    if arguments.brought.rules_sigma.is_empty() && arguments.brought.ioc.is_empty() {
        return Ok(Others::default());
    }
    // Only what is looked up in them is read of lists of known files, and later.
    let paths = RulePaths { known_good: Vec::new(), ..arguments.brought.paths() };
    let brought = app::brought(&paths, Naming::Typed).map_err(Failure::Brought)?;
    let request = TablesRequest {
        case,
        only: None,
        worker,
        folder: scratch.indexes().join("tables"),
        cache: cache(&arguments.kept, &case.paths, printer)?,
    };
    let tables = case_tables(&request).map_err(Failure::Tables)?;
    let mut matched = tables.matched(&brought.rules, arguments.level.into()).map_err(Failure::Tables)?;
    matched.sigma.broken.splice(0..0, brought.broken);
    matched.unreadable.splice(0..0, brought.unreadable);
    complain(&matched, printer);
    for note in tables.notes().iter().chain(&matched.notes) {
        printer.complain(&format!("note: {}", report::terminal(note)));
    }
    let found = std::mem::take(&mut matched.found);
    let records = found.into_iter().map(|found| {
        let fits = app::fits(&found, &matched);
        (found.record, fits)
    });
    Ok(Others { records: records.collect(), counts: counts(&matched.sigma, &matched.counts), matched })
}

/// Tells what of the rules cannot be used: silence is no sign of absence.
fn complain(matched: &Matched, printer: &mut Printer) {
    let check = &matched.sigma;
    let broken = check.broken.iter().map(|broken| format!("skipped: {}", wrong(broken)));
    let lines: Vec<String> = unusable(matched).into_iter().chain(broken).chain(unmatched(check)).collect();
    for line in lines.iter().take(COMPLAINTS) {
        printer.complain(&report::terminal(line));
    }
    let more = lines.len().saturating_sub(COMPLAINTS);
    let fields = fieldless(check).len();
    if more > 0 || fields > 0 {
        printer.complain(&format!(
            "{more} more lines of the kind, and {fields} fields that no record has: locard rules check names them"
        ));
    }
    let (rules, records) = (rules_in_words(check.rules.len()), matched.looked_at);
    let and = match matched.indicators_read {
        0 => String::new(),
        1 => " and 1 indicator".to_owned(),
        number => format!(" and {number} indicators"),
    };
    printer.complain(&format!("{rules} of others{and} were compared with {records} records"));
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

/// Each sighting in two lines, a further one for each rule of others, then how many fit each rule.
fn text(all: &[Sighting<'_>], others: &Others) -> String {
    let mut out = String::new();
    for it in all {
        let (time, note) = (when(it), it.fits.first().map_or("", |fit| fit.note.as_str()));
        let (computer, note) = (report::terminal(&it.computer()), report::terminal(note));
        let _ = writeln!(out, "{:<8}  {time:<28}  {computer:<16}  {note}", it.level().name());
        let file = graph::value_text(&it.record.locator.to_string());
        let _ = writeln!(out, "          {}  [{}: {file}]", graph::value_text(&it.details()), it.record.kind);
        if let Some(list) = &it.known_good {
            let _ = writeln!(out, "          known good: {}", report::terminal(list));
        }
        for fit in it.fits.iter().filter(|fit| fit.whose != Whose::Ours).take(SHOWN) {
            let _ = writeln!(out, "          {}", graph::value_text(&theirs(fit)));
        }
    }
    if !all.is_empty() {
        out.push('\n');
    }
    for total in by_rule(all) {
        let fit = total.fit;
        let number = counted(fit, total.records as u64, others);
        let whose = if fit.whose == Whose::Ours { String::new() } else { format!("{} ", fit.whose.name()) };
        let line = format!("{whose}{}: {}", fit.rule, fit.note);
        let _ = writeln!(out, "{number:>6}  {:<8}  {}", fit.level.name(), report::terminal(&line));
    }
    let several = all.iter().filter(|it| it.together.is_some()).count();
    let _ = writeln!(out, "{} records stand out", all.len() - several);
    if several > 0 {
        let things = if several == 1 { "finding comes" } else { "findings come" };
        let _ = writeln!(out, "{several} {things} from several records together");
    }
    out
}

/// How many records fit a rule: of one of others those that are not given, too.
fn counted(fit: &Fit, shown: u64, others: &Others) -> u64 {
    match fit.whose {
        Whose::Ours => shown,
        Whose::Sigma => others.counts.get(&fit.rule).copied().unwrap_or(shown),
        Whose::Indicator => {
            let mut named = others.matched.indicators.iter();
            named.find(|it| it.indicator.value == fit.rule).map_or(shown, |it| it.records)
        }
    }
}

/// A rule of others that a record fits, in a line.
fn theirs(fit: &Fit) -> String {
    let mut line = format!("{} {} {}", fit.whose.name(), fit.level.name(), fit.note);
    if !fit.fields.is_empty() {
        let _ = write!(line, ": {}", matched(fit));
    }
    for remark in &fit.remarks {
        let _ = write!(line, " ({remark})");
    }
    line
}

fn matched(fit: &Fit) -> String {
    let each = fit.fields.iter().map(|(field, value)| format!("{field}={}", shortened(value)));
    each.collect::<Vec<_>>().join("; ")
}

fn when(it: &Sighting<'_>) -> String {
    it.time.map(|time| time.to_text()).unwrap_or_default()
}

fn fit_value(fit: &Fit) -> Value {
    let mut value = json!({
        "whose": fit.whose.name(), "rule": fit.rule, "level": fit.level, "note": fit.note,
        "techniques": fit.techniques,
    });
    if let (Some(members), Some(file)) = (value.as_object_mut(), &fit.file) {
        members.insert("file".to_owned(), json!(file));
        members.insert("digest".to_owned(), json!(fit.digest));
        members.insert("tags".to_owned(), json!(fit.tags));
        let fields = fit.fields.iter().map(|(field, value)| json!({"field": field, "value": value}));
        members.insert("matched".to_owned(), fields.collect());
        members.insert("remarks".to_owned(), json!(fit.remarks));
    }
    value
}

fn value(it: &Sighting<'_>) -> Value {
    let mut value = json!({
        "level": it.level(),
        "time": it.time.map(|time| time.to_text()),
        "computer": it.computer(),
        "rules": it.fits.iter().map(fit_value).collect::<Vec<_>>(),
        "techniques": it.techniques(),
        "details": it.details(),
        "known_good": it.known_good,
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

fn totals(all: &[Sighting<'_>], others: &Others) -> Vec<Value> {
    let total = by_rule(all).into_iter().map(|total| {
        let fit = total.fit;
        json!({
            "whose": fit.whose.name(), "rule": fit.rule, "level": fit.level, "note": fit.note,
            "records": counted(fit, total.records as u64, others),
        })
    });
    total.collect()
}

fn csv(all: &[Sighting<'_>], printer: &mut Printer) -> Result<(), Failure> {
    let rows: Vec<[String; 14]> = all.iter().map(row).collect();
    let header = COLUMNS.map(str::to_owned);
    let cells = rows.iter().map(|row| row.iter().map(|cell| CsvCell::Text(cell)).collect());
    app::rows_csv(&header, cells, &mut printer.stream()).map_err(Failure::Output)
}

fn row(it: &Sighting<'_>) -> [String; 14] {
    let first = it.fits.first();
    let text = |of: fn(&Fit) -> String| first.map(of).unwrap_or_default();
    let all = it.fits.iter().map(|fit| format!("{}:{}", fit.whose.name(), fit.rule));
    [
        it.level().name().to_owned(),
        when(it),
        it.computer(),
        text(|fit| fit.rule.clone()),
        text(|fit| fit.note.clone()),
        it.techniques().join(" "),
        it.record.kind.clone(),
        it.record.locator.to_string(),
        it.details(),
        text(|fit| fit.whose.name().to_owned()),
        text(matched),
        text(|fit| fit.file.clone().unwrap_or_default()),
        all.collect::<Vec<_>>().join(" "),
        it.known_good.clone().unwrap_or_default(),
    ]
}
