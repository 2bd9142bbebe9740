//! Formats the result of a hunt.

use super::{Hunted, complaints};
use crate::commands::borrowed::{unmatched, unusable};
use crate::failure::Failure;
use crate::printer::Printer;
use app::CsvCell;
use report::HuntPage;
use report::hunt::{Fit, Sighting, Whose, by_rule, shortened};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The most rules of others to show for a record.
const SHOWN: usize = 4;

/// The columns of the CSV format.
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

/// Two lines for each sighting, one more for each rule of others, and then how many records match each rule.
pub(super) fn text(hunted: &Hunted<'_>) -> String {
    let all = &hunted.sightings;
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
        let number = hunted.counted(&total);
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

/// One line for a rule of others that a record matches.
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

pub(super) fn value(it: &Sighting<'_>) -> Value {
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

/// Everything in one object, for programs.
pub(super) fn json(hunted: &Hunted<'_>) -> Value {
    let matched = &hunted.others.matched;
    json!({
        "locard_hunt": 1,
        "sightings": hunted.sightings.iter().map(value).collect::<Vec<_>>(),
        "truncated": hunted.is_truncated(),
        "gaps": hunted.returned.gaps,
        "defects": hunted.returned.defects,
        "totals": totals(hunted),
        "broken_rules": matched.sigma.broken,
        "unmatched_rules": unmatched(&matched.sigma),
        "unusable_indicators": unusable(matched),
    })
}

/// A page for a browser.
pub(super) fn html(hunted: &Hunted<'_>, title: &str) -> String {
    let matched = &hunted.others.matched;
    let mut rules = hunted.others.compared.clone().map(|line| vec![line]).unwrap_or_default();
    rules.extend(complaints(matched));
    report::hunt_page(&HuntPage {
        title,
        between: hunted.between.told(),
        sightings: &hunted.sightings,
        counted: &|total| hunted.counted(total),
        rules: &rules,
        remarks: &hunted.remarks(),
        gaps: &hunted.returned.gaps,
        defects: &hunted.returned.defects,
    })
}

fn totals(hunted: &Hunted<'_>) -> Vec<Value> {
    let total = by_rule(&hunted.sightings).into_iter().map(|total| {
        let fit = total.fit;
        json!({
            "whose": fit.whose.name(), "rule": fit.rule, "level": fit.level, "note": fit.note,
            "records": hunted.counted(&total),
        })
    });
    total.collect()
}

pub(super) fn csv(all: &[Sighting<'_>], printer: &mut Printer) -> Result<(), Failure> {
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
