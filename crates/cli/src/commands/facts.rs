//! `locard facts`.

use crate::arguments::LevelArgument;
use crate::commands::{conditions, run_folder};
use crate::failure::Failure;
use crate::printer::Printer;
use crate::unknown;
use clap::ValueEnum;
use graph::Run;
use ledger::Utc;
use report::Selection;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct FactsArguments {
    /// A run folder, the beginning of its name, latest, or latest:CASE
    pub(crate) run: String,
    /// Folder that holds the run folders
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// Only the fact with this id; can be repeated
    #[arg(long = "id", value_name = "FACT")]
    pub(crate) ids: Vec<String>,
    /// Only facts with this predicate; can be repeated
    #[arg(long = "predicate", value_name = "PREDICATE")]
    pub(crate) predicates: Vec<String>,
    /// Only facts with this text in their subject or a value, in whichever case
    #[arg(long)]
    pub(crate) text: Option<String>,
    /// Only facts of the evidence of this label, or of the host of this name
    #[arg(long = "host", value_name = "LABEL")]
    pub(crate) hosts: Vec<String>,
    /// Only facts that may be of this instant (RFC 3339) or day (UTC), or later
    ///
    /// What counts is the time that dates a fact; one that no time dates is left out.
    /// A local time may be any instant that its zone allows.
    #[arg(long, value_name = "TIME", value_parser = since)]
    pub(crate) since: Option<Utc>,
    /// Only facts that may be of this instant (RFC 3339) or day (UTC), or earlier
    #[arg(long, value_name = "TIME", value_parser = until)]
    pub(crate) until: Option<Utc>,
    /// Only facts that stand out at least this much
    #[arg(long, value_enum)]
    pub(crate) level: Option<LevelArgument>,
    /// How it is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: LinesFormat,
}

/// The forms of a list for people and for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LinesFormat {
    /// For people
    Text,
    /// For programs
    Json,
    /// An object for each of them, a line each
    Jsonl,
}

/// An instant, or the beginning of a day.
pub(crate) fn since(text: &str) -> Result<Utc, String> {
    instant(text, "T00:00:00Z")
}

/// An instant, or the end of a day.
pub(crate) fn until(text: &str) -> Result<Utc, String> {
    instant(text, "T23:59:59.999999999Z")
}

fn instant(text: &str, of_day: &str) -> Result<Utc, String> {
    let read = format!("{text}{of_day}").parse().or_else(|_| text.parse::<Utc>());
    read.map_err(|error| format!("failed to {error}; a day is 2025-09-16, an instant 2025-09-16T09:40:00Z"))
}

pub(super) fn execute(arguments: &FactsArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let folder = run_folder(&arguments.run, &arguments.runs)?;
    let run = app::load_run(&folder).map_err(Failure::Open)?;
    let selection = selection(arguments, &run)?;
    match arguments.format {
        LinesFormat::Text => {
            let facts = match selection.is_everything() {
                true => report::facts(&run),
                false => report::facts_of(&run, &selection),
            };
            printer.result(&format!("{facts}{}", conditions(&run)))?;
        }
        LinesFormat::Json => printer.result(&report::json_text(&value(&run, &selection)))?,
        LinesFormat::Jsonl => printer.lines(&report::facts_json(&run, &selection))?,
    }
    Ok(0)
}

/// The requested selection. Fails if the run does not know one of its predicates, facts or hosts.
fn selection(arguments: &FactsArguments, run: &Run) -> Result<Selection, Failure> {
    let stated = run.facts().map(|(_, accepted)| accepted.fact.predicate.0.as_str());
    let known: BTreeSet<&str> =
        run.opened.vocabulary.entries().map(|(predicate, _)| predicate.0.as_str()).chain(stated).collect();
    for predicate in &arguments.predicates {
        unknown::check("predicate", predicate, known.iter().copied())?;
    }
    let all: BTreeSet<String> = run.facts().map(|(_, accepted)| accepted.fact.id.to_string()).collect();
    for id in &arguments.ids {
        unknown::check("fact", id, all.iter().map(String::as_str))?;
    }
    let mut hosts = Vec::new();
    let known = graph::hosts(run);
    for host in &arguments.hosts {
        let of_name = known.iter().filter(|(label, name)| *label == host || name.eq_ignore_ascii_case(host));
        let labels: Vec<String> = of_name.map(|(label, _)| (*label).to_owned()).collect();
        if labels.is_empty() {
            let names = known.values().map(AsRef::as_ref);
            // If the name differs from a label only in case, the label is proposed.
            let others = names.filter(|name: &&str| !known.keys().any(|it| it.eq_ignore_ascii_case(name)));
            unknown::check("host", host, others.chain(known.keys().copied()))?;
        }
        hosts.extend(labels);
    }
    Ok(Selection {
        ids: arguments.ids.clone(),
        predicates: arguments.predicates.clone(),
        text: arguments.text.clone(),
        hosts,
        since: arguments.since,
        until: arguments.until,
        level: arguments.level.map(Into::into),
    })
}

fn value(run: &Run, selection: &Selection) -> Value {
    json!({
        "locard_facts": 1,
        "sealed": run.sealed.is_some(),
        "confined": run.opened.confined,
        "of": run.facts().count(),
        "facts": report::facts_json(run, selection),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_all_of_it_and_a_time_without_a_zone_is_refused() {
        let text = |read: Result<Utc, String>| read.map(|utc| utc.to_string());
        assert_eq!(text(since("2025-09-16")).as_deref(), Ok("2025-09-16T00:00:00Z"));
        assert_eq!(text(until("2025-09-16")).as_deref(), Ok("2025-09-16T23:59:59.999999999Z"));
        for read in [since, until] {
            assert_eq!(text(read("2025-09-16T11:40:00+02:00")).as_deref(), Ok("2025-09-16T09:40:00Z"));
            assert!(read("2025-09-16T11:40:00").unwrap_err().contains("has no zone"));
            assert!(read("2025-02-30").is_err());
        }
    }
}
