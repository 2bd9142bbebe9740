//! `overview`: what a case contains, in a single call for the start.
//!
//! It calls other tools and returns some of their records unchanged; summaries are in notes.

use crate::arguments::Arguments;
use crate::catalogue::{Call, spec_of};
use crate::decode::DECODERS;
use crate::error::CallError;
use crate::hive_file::type_name;
use crate::place::{self, Scope};
use crate::registry_artifact::artifacts;
use crate::returned::Return;
use crate::source_files;
use crate::tables::TableGroup;
use crate::timeline::{self, Asked, Lines, Sources};
use crate::{list_event_channels, list_hives, records, sink, spec, timeline_anomalies};
use ledger::{Defect, FieldValue, Gap, Record, ToolSpec};
use serde_json::{Map, Value, json};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The tool's name.
pub(crate) const NAME: &str = "overview";

/// The most records of each part, at most 46 in total: a longer answer is cut where models read it.
const COMPUTERS: usize = 4;
const SYSTEMS: usize = 3;
const USERS: usize = 8;
const LOUDEST: usize = 8;
const RAREST: usize = 10;
const PROGRAMS: usize = 6;
const STEPS: usize = 3;
const LOGS: usize = 4;

/// The most logs and computers that a note names.
const NAMED: usize = 40;

/// The most kinds of events among which the rarest are sought.
const KINDS: usize = 10_000;

/// Sources that show when programs ran, and the only types of their records that count.
const OF_PROGRAMS: &str = "bam, event_log, pca, prefetch, user_assist";
const RAN: &[&str] = &["bam_entry", "pca_launch", "prefetch", "process_created", "user_assist"];

pub(crate) fn spec() -> ToolSpec {
    spec::tool(
        NAME,
        "Call this first: computers, users, the most and the least frequent kinds of events, programs that came up last, clock steps, the span of each log, and which sources there are. Gives at most 46 records of other tools, each as that tool gives it, and shows no absence.",
        vec![("evidence", spec::text("label of the evidence to look at; all when left out"))],
        &[],
        // In addition to those of tables: see `tables::gives_any_record`.
        sink::count_types().to_vec(),
    )
}

/// Returns the table groups that a call reads.
pub(crate) fn groups() -> Vec<TableGroup> {
    let mut groups: BTreeSet<_> =
        Sources::read(OF_PROGRAMS).map(|sources| sources.groups()).into_iter().flatten().collect();
    groups.extend(TableGroup::named(crate::logs::NAME));
    groups.into_iter().collect()
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let label = call.arguments.optional_text("evidence");
    let scope = place::under(call.trees, label, "")?;
    let mut seen = Seen {
        call,
        label,
        records: Vec::new(),
        notes: Vec::new(),
        gaps: BTreeSet::new(),
        defects: BTreeSet::new(),
    };
    seen.sources(&scope)?;
    seen.of_registry("computer_name", "computers", COMPUTERS)?;
    seen.of_registry("os_version", "versions of Windows", SYSTEMS)?;
    seen.of_registry("user_profiles", "users", USERS)?;
    seen.kinds_of_events()?;
    seen.programs(scope)?;
    seen.clock_steps()?;
    seen.logs()?;
    let Seen { records, notes, gaps, defects, .. } = seen;
    let mut returned = Return::found(records, call.arguments.normalised(&[]));
    returned.gaps.extend(gaps);
    returned.defects.extend(defects);
    returned.notes = notes;
    returned.truncate("a look around: it leaves out most of what there is, and shows no absence".to_owned());
    Ok(returned)
}

/// What was found so far.
struct Seen<'c> {
    call: &'c Call<'c>,
    label: Option<&'c str>,
    records: Vec<Record>,
    notes: Vec<String>,
    gaps: BTreeSet<Gap>,
    defects: BTreeSet<Defect>,
}

impl Seen<'_> {
    /// Makes a call of another tool over the same evidence.
    fn ask(
        &mut self,
        tool: &str,
        run: fn(&Call<'_>) -> Result<Return, CallError>,
        more: &[(&str, Value)],
    ) -> Result<Vec<Record>, CallError> {
        let own = self.label.map(|label| ("evidence".to_owned(), json!(label)));
        let more = more.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        let given: Map<String, Value> = own.into_iter().chain(more).collect();
        let arguments = Arguments::check(spec_of(tool)?, &Value::Object(given))?;
        let returned = run(&Call { arguments: &arguments, ..*self.call })?;
        self.gaps.extend(returned.gaps);
        self.defects.extend(returned.defects);
        Ok(returned.records)
    }

    /// Keeps the first records of a part, and says if there are more.
    fn keep(&mut self, what: &str, mut records: Vec<Record>, most: usize) {
        if records.len() > most {
            self.notes.push(format!("{most} of {} {what} are given", records.len()));
        }
        records.truncate(most);
        self.records.extend(records);
    }

    /// Says which sources have files or hives in the evidence, and which have none.
    fn sources(&mut self, scope: &Scope<'_>) -> Result<(), CallError> {
        // Some files can be found only by their content, and are not looked for.
        let decoders: Vec<_> = DECODERS.iter().filter(|decoder| !decoder.names.is_empty()).collect();
        let files = source_files::find(scope, self.call.indexes, &decoders)?;
        self.defects.extend(files.defects.iter().cloned());
        // Here each gap would name all sources; calls that read one source report its own.
        let unread = files.gaps.len();
        let told = format!(
            "{unread} files or folders that may hold a source were not read, or are named as one and hold something else"
        );
        self.notes.extend((unread > 0).then_some(told));
        let mut there: BTreeMap<&str, usize> = BTreeMap::new();
        for file in &files.files {
            *there.entry(file.decoder.name).or_default() += 1;
        }
        let missing: Vec<_> =
            decoders.iter().map(|decoder| decoder.name).filter(|name| !there.contains_key(name)).collect();
        let there: Vec<_> = there.into_iter().map(|(name, number)| format!("{name} ({number})")).collect();
        self.notes.push(format!("sources with files: {}", or_none(&there)));
        self.notes.push(format!("sources of which no file was found: {}", or_none(&missing)));
        let listed = self.ask("list_hives", list_hives::run, &[])?;
        let mut hives: BTreeMap<String, usize> = BTreeMap::new();
        for kind in listed.iter().filter_map(|record| text(record, "hive_type")) {
            *hives.entry(kind).or_default() += 1;
        }
        let has = |types: &[artifacts::registry::HiveType]| {
            types.iter().any(|kind| hives.contains_key(type_name(*kind)))
        };
        let without: Vec<_> = artifacts()
            .iter()
            .filter(|artifact| !has(artifact.hives))
            .map(|artifact| artifact.name)
            .collect();
        let told: Vec<_> = hives.iter().map(|(kind, number)| format!("{kind} ({number})")).collect();
        self.notes.push(format!("hives: {}", or_none(&told)));
        self.notes.push(format!(
            "sources of the registry without a hive that could hold them: {}",
            or_none(&without)
        ));
        Ok(())
    }

    fn of_registry(&mut self, source: &str, what: &str, most: usize) -> Result<(), CallError> {
        let records = self.ask(records::NAME, records::run, &[("source", json!(source))])?;
        self.keep(what, records, most);
        Ok(())
    }

    /// Returns the largest logs, and notes the spans of all.
    fn logs(&mut self) -> Result<(), CallError> {
        let of_logs = [("record", json!("event_log")), ("limit", json!(KINDS))];
        let mut logs = self.ask("list_event_channels", list_event_channels::run, &of_logs)?;
        logs.sort_by_key(|log| Reverse(number(log, "records")));
        let mut computers: BTreeMap<String, usize> = BTreeMap::new();
        let mut spans = Vec::new();
        for log in &logs {
            if let Some(FieldValue::List(names)) = log.fields.get("computers").map(|field| &field.value) {
                names.iter().for_each(|name| *computers.entry(name.clone()).or_default() += 1);
            }
            let of = |name| text(log, name);
            if let (Some(first), Some(last)) = (of("first"), of("last")) {
                let (name, records) = (of("channel").or(of("path")), number(log, "records"));
                let (name, first, last) = (name.unwrap_or_default(), to_second(&first), to_second(&last));
                spans.push(format!("{name}: {records}, {first} to {last}"));
            }
        }
        let computers: Vec<_> =
            computers.into_iter().map(|(name, logs)| format!("{name} (in {logs} logs)")).collect();
        self.notes.push(format!("computers that logs name: {}", named(&computers, ", ")));
        self.notes.push(format!("logs with records, and their spans: {}", named(&spans, "; ")));
        self.keep("logs", logs, LOGS);
        Ok(())
    }

    fn clock_steps(&mut self) -> Result<(), CallError> {
        let steps =
            self.ask("timeline_anomalies", timeline_anomalies::of_logs, &[("record", json!("clock_step"))])?;
        self.keep("clock steps", steps, STEPS);
        Ok(())
    }

    /// Returns the most frequent kinds of events and the rarest: one per provider; among equally rare ones, the latest.
    fn kinds_of_events(&mut self) -> Result<(), CallError> {
        let by = [
            ("source", json!("event_log")),
            ("count_by", json!("channel, provider, event_id")),
            ("limit", json!(KINDS)),
        ];
        let mut rest = self.ask(records::NAME, records::run, &by)?;
        self.notes.push(format!("{} kinds of events, by file, channel, provider and id", rest.len()));
        let mut loudest: Vec<_> = rest.drain(..LOUDEST.min(rest.len())).collect();
        self.records.append(&mut loudest);
        rest.sort_by_cached_key(|kind| (number(kind, "count"), Reverse(text(kind, "first"))));
        let (mut providers, mut rarest) = (BTreeSet::new(), Vec::new());
        for kind in rest {
            if rarest.len() < RAREST && providers.insert(provider(&kind)) {
                rarest.push(kind);
            }
        }
        self.records.append(&mut rarest);
        Ok(())
    }

    /// Returns the first record of each of the programs that appeared most recently.
    fn programs(&mut self, scope: Scope<'_>) -> Result<(), CallError> {
        let asked = Asked::of_types(scope, Sources::read(OF_PROGRAMS)?, RAN);
        let lines = Lines::open(self.call, &asked)?;
        match timeline::latest(&asked, &lines, PROGRAMS)? {
            Some(records) => self.records.extend(records),
            None => self.notes.push("too many programs to tell which came up last".to_owned()),
        }
        Ok(())
    }
}

/// Returns the provider of a kind of events; kinds are counted by channel, provider and id.
fn provider(kind: &Record) -> Option<String> {
    match kind.fields.get("values").map(|field| &field.value) {
        Some(FieldValue::List(values)) => values.get(1).cloned(),
        _ => None,
    }
}

fn text(record: &Record, field: &str) -> Option<String> {
    record.fields.get(field).map(|field| field.value.to_text().into_owned())
}

/// Returns a whole number of a record; 0 if it has none.
fn number(record: &Record, field: &str) -> i128 {
    match record.fields.get(field).map(|field| &field.value) {
        Some(FieldValue::Integer(number)) => *number,
        _ => 0,
    }
}

/// Removes the fraction of a second from a time.
fn to_second(time: &str) -> &str {
    time.split_once('.').map_or(time.trim_end_matches('Z'), |(time, _)| time)
}

fn or_none<T: AsRef<str>>(names: &[T]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// Lists the first of these, and how many more there are.
fn named(all: &[String], between: &str) -> String {
    let told = all.get(..NAMED).unwrap_or(all).join(between);
    match all.len().saturating_sub(NAMED) {
        0 if all.is_empty() => "none".to_owned(),
        0 => told,
        more => format!("{told}{between}and {more} more"),
    }
}
