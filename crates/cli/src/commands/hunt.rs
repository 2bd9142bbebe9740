//! `locard hunt`.

mod shown;

use crate::arguments::{HuntArguments, HuntFormat};
use crate::commands::borrowed::{counts, fieldless, rules_in_words, unmatched, unusable, wrong};
use crate::commands::{tables, worker};
use crate::failure::Failure;
use crate::printer::Printer;
use crate::scratch::Scratch;
use app::{Case, Naming, RulePaths, ToolReturn, WorkerRequest};
use detect::Level;
use ledger::{Gap, Record};
use report::hunt::{Between, Fit, Several, Sighting, Total, Whose, hashes, order, sightings, together};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use tools::{Matched, SequencesReply};

/// The most records that one call returns.
const MOST: usize = 10_000;

/// The most lines of complaints about rules to print.
const COMPLAINTS: usize = 20;

/// Records found by the rules and indicators of others.
#[derive(Default)]
struct Others {
    records: Vec<(Record, Vec<Fit>)>,
    /// How many records match each rule.
    counts: BTreeMap<String, u64>,
    /// A sentence that says how much was compared.
    compared: Option<String>,
    matched: Matched,
}

/// The result of a hunt.
struct Hunted<'h> {
    sightings: Vec<Sighting<'h>>,
    others: &'h Others,
    returned: ToolReturn,
    between: Between,
    /// Whether more records match our rules than the call returned.
    is_cut: bool,
    /// Whether all findings that come from several records together are included.
    are_all: bool,
}

impl Hunted<'_> {
    const fn is_truncated(&self) -> bool {
        self.is_cut || self.others.matched.more || !self.are_all
    }

    /// How many records match a rule. For a rule of others, this includes records that are not listed,
    /// unless the hunt is limited to some range of time.
    fn counted(&self, total: &Total<'_>) -> u64 {
        let (fit, shown) = (total.fit, total.records as u64);
        match fit.whose {
            _ if !self.between.is_open() => shown,
            Whose::Ours => shown,
            Whose::Sigma => self.others.counts.get(&fit.rule).copied().unwrap_or(shown),
            Whose::Indicator => {
                let mut named = self.others.matched.indicators.iter();
                named.find(|it| it.indicator.value == fit.rule).map_or(shown, |it| it.records)
            }
        }
    }

    /// What a reader must know about the result as a whole, one line each.
    fn remarks(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.is_cut {
            lines.push(format!("more than {MOST} records fit: of each level these are the first {MOST}"));
        }
        if self.others.matched.more {
            let totals = if self.between.is_open() { ": the totals count all of them" } else { "" };
            lines.push(format!("more than {MOST} records fit rules of others{totals}"));
        }
        if !self.are_all {
            lines.push("there is more that several records tell together than is given".to_owned());
        }
        let gaps = &self.returned.gaps;
        let exported = gaps.iter().filter(|gap| gap.reason == tools::CHOSEN).count();
        match exported {
            0 => {}
            1 => lines.push("1 log is exported: which events it leaves out is not known".to_owned()),
            more => lines.push(format!("{more} logs are exported: which events they leave out is not known")),
        }
        let unread = gaps.len() - exported;
        if unread > 0 {
            let things = if unread == 1 { "thing was" } else { "things were" };
            lines.push(format!("{unread} {things} not examined (--format json names them)"));
        }
        lines
    }
}

pub(super) fn execute(arguments: &HuntArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let least: Level = arguments.level.into();
    let between = Between { from: arguments.since, to: arguments.until };
    let case = app::load_case(&arguments.case).map_err(Failure::Case)?;
    let (request, scratch) = worker(arguments.unconfined, &case.paths)?;
    let others = others(arguments, &case, &request, &scratch, printer)?;
    let call = Call { request: &request, case: &case, scratch: &scratch, between };
    let mut returned = call.made(least)?;
    let mut records = of(&returned);
    // The tool returns the records that it finds first. If there are too many, the higher levels are asked for separately.
    let is_cut = records.len() >= MOST;
    for level in Level::ALL.into_iter().rev().filter(|level| is_cut && *level > least) {
        let more = call.made(level)?;
        let known: BTreeSet<String> = records.iter().map(place).collect();
        records.extend(of(&more).into_iter().filter(|it| !known.contains(&place(it))));
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
    let mut sightings = sightings(&records, &others.records, &list, least);
    sightings.extend(together(&several, least));
    sightings.retain(|it| between.holds(it));
    order(&mut sightings);
    let hunted = Hunted { sightings, others: &others, returned, between, is_cut, are_all };
    match arguments.format {
        HuntFormat::Text => printer.result(&shown::text(&hunted))?,
        HuntFormat::Html => printer.result(&shown::html(&hunted, &case.entry.title))?,
        HuntFormat::Csv => shown::csv(&hunted.sightings, printer)?,
        HuntFormat::Json => printer.result(&report::json_text(&shown::json(&hunted)))?,
        HuntFormat::Jsonl => {
            for sighting in &hunted.sightings {
                printer.result(&report::json_text(&shown::value(sighting)))?;
            }
        }
    }
    if hunted.returned.outcome.is_failure() {
        let why = hunted.returned.notes.first().map_or("", String::as_str);
        printer.complain(&report::terminal(&format!("error: {why}")));
        return Ok(Failure::USAGE);
    }
    hunted.remarks().iter().for_each(|line| printer.complain(line));
    Ok(0)
}

/// A key that identifies a record.
fn place(record: &Record) -> String {
    format!("{} {}", record.kind, record.locator)
}

/// The records found by the rules and indicators of others, if any were given.
/// What cannot be used of them is reported immediately.
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
    // The lists of known files are left out here: only hashes that occur are looked up in them, later on.
    let paths = RulePaths { known_good: Vec::new(), ..arguments.brought.paths() };
    let brought = app::brought(&paths, Naming::Typed).map_err(Failure::Brought)?;
    let tables = tables(case, None, (worker, scratch), &arguments.kept, printer)?;
    let mut matched = tables.matched(&brought.rules, arguments.level.into()).map_err(Failure::Tables)?;
    matched.sigma.broken.splice(0..0, brought.broken);
    matched.unreadable.splice(0..0, brought.unreadable);
    let compared = compared(&matched);
    complain(&matched, &compared, printer);
    for note in tables.notes().iter().chain(&matched.notes) {
        printer.complain(&format!("note: {}", report::terminal(note)));
    }
    let found = std::mem::take(&mut matched.found);
    let records = found.into_iter().map(|found| {
        let fits = app::fits(&found, &matched);
        (found.record, fits)
    });
    Ok(Others {
        records: records.collect(),
        counts: counts(&matched.sigma, &matched.counts),
        compared: Some(compared),
        matched,
    })
}

/// What cannot be used of the rules, one line each, because finding nothing would otherwise look like absence.
fn complaints(matched: &Matched) -> Vec<String> {
    let check = &matched.sigma;
    let broken = check.broken.iter().map(|broken| format!("skipped: {}", wrong(broken)));
    unusable(matched).into_iter().chain(broken).chain(unmatched(check)).collect()
}

/// Prints the first of the complaints, and how much was compared.
fn complain(matched: &Matched, compared: &str, printer: &mut Printer) {
    let lines = complaints(matched);
    for line in lines.iter().take(COMPLAINTS) {
        printer.complain(&report::terminal(line));
    }
    let more = lines.len().saturating_sub(COMPLAINTS);
    let fields = fieldless(&matched.sigma).len();
    if more > 0 || fields > 0 {
        printer.complain(&format!(
            "{more} more lines of the kind, and {fields} fields that no record has: locard rules check names them"
        ));
    }
    printer.complain(compared);
}

fn compared(matched: &Matched) -> String {
    let (rules, records) = (rules_in_words(matched.sigma.rules.len()), matched.looked_at);
    let and = match matched.indicators_read {
        0 => String::new(),
        1 => " and 1 indicator".to_owned(),
        number => format!(" and {number} indicators"),
    };
    format!("{rules} of others{and} were compared with {records} records")
}

/// A call of the tool that returns records that stand out.
struct Call<'c> {
    request: &'c WorkerRequest,
    case: &'c Case,
    scratch: &'c Scratch,
    between: Between,
}

impl Call<'_> {
    /// Returns the tool's records at this level and above.
    fn made(&self, least: Level) -> Result<ToolReturn, Failure> {
        let mut asked = json!({ "level": least.name(), "limit": MOST });
        let ends = [("from", self.between.from), ("to", self.between.to)];
        if let Some(members) = asked.as_object_mut() {
            let given =
                ends.into_iter().filter_map(|(name, at)| Some((name.to_owned(), json!(at?.to_string()))));
            members.extend(given);
        }
        app::call_tool(self.request, self.case, self.scratch.indexes(), "records", &asked)
            .map_err(Failure::Tool)
    }
}

/// Findings that come from several records together, and whether they are complete.
/// Gaps and damage are added to those of the call.
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
