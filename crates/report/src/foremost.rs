//! The facts that stand out most, in every format: what a reader looks at first.

use crate::inert::{cell, code, terminal};
use crate::sources::{Corroborated, ONE};
use detect::Level;
use graph::{Foremost, Raised, Run, dated, foremost};
use ledger::FactEntry;
use phrases::Choice;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The number of facts that are shown.
const SHOWN: usize = 12;

/// The text if no fact stands out.
pub(crate) const NOTHING: &str = "No recorded fact stands out from what is usual on any computer.";

/// Returns the first facts of level medium and above, and how many of these are not shown.
pub(crate) fn shown(run: &Run) -> (Vec<Foremost<'_>>, usize) {
    let mut all = foremost(run);
    all.retain(|it| it.rank.level >= Level::Medium);
    let more = all.len().saturating_sub(SHOWN);
    all.truncate(SHOWN);
    (all, more)
}

/// Returns the time that best dates a fact, as its source keeps it.
pub(crate) fn when(fact: &FactEntry) -> Option<String> {
    dated(fact).map(|time| time.to_text())
}

/// Describes a fact with a sentence of the phrase book.
pub(crate) fn says(run: &Run, fact: &FactEntry) -> String {
    phrases::fact(run.language(), fact, Choice::Usual).text()
}

/// The data that a reader asks for next about each fact: its host, its account, and how many sources say so.
pub(crate) struct Beside<'r> {
    hosts: BTreeMap<&'r str, Cow<'r, str>>,
    corroborated: &'r Corroborated,
}

impl<'r> Beside<'r> {
    pub(crate) fn of(run: &'r Run, corroborated: &'r Corroborated) -> Beside<'r> {
        Beside { hosts: graph::hosts(run), corroborated }
    }

    pub(crate) fn line(&self, run: &Run, fact: &FactEntry) -> String {
        let label = fact.locator.evidence.as_str();
        let host = self.hosts.get(label).map_or(label, |host| host);
        let account = graph::account(fact).map_or_else(String::new, |account| format!(", account {account}"));
        let is_single = self.corroborated.is_single_of(run, &[fact.id]);
        let sources = if is_single { format!("; {ONE}") } else { String::new() };
        format!("host {host}{account}{sources}")
    }
}

/// Explains why a fact stands out: its first rule, what it shares with a finding, and the facts grouped with it.
pub(crate) fn why(run: &Run, it: &Foremost<'_>) -> String {
    let mut note = crate::weight::first(run, &it.rank.weighed);
    if let Some(raised) = it.rank.raised {
        let _ = write!(note, "; {}", shares(raised));
    }
    let said: BTreeSet<&str> =
        it.more.iter().filter_map(|id| run.fact(*id)).map(|fact| fact.predicate.0.as_str()).collect();
    let said = said.into_iter().collect::<Vec<_>>().join(", ");
    let _ = match it.more.len() {
        0 => Ok(()),
        1 => write!(note, "; another fact tells of the same ({said})"),
        more => write!(note, "; {more} other facts tell of the same ({said})"),
    };
    note
}

/// Describes what an item of level medium shares with a finding of level high.
pub(crate) const fn shares(raised: Raised) -> &'static str {
    match raised {
        Raised::SameThing => "it names what a finding of level high names",
        Raised::SameFolder => "it lies in the folder of a finding of level high",
        Raised::Said => "what it names was deleted, another fact says",
        Raised::SameTime => "it happened within half an hour of a finding of level high",
    }
}

/// Formats the facts that stand out most for the command line.
pub(crate) fn foremost_text(run: &Run) -> String {
    let (shown, more) = shown(run);
    let mut out = String::new();
    if shown.is_empty() {
        let _ = writeln!(out, "{NOTHING}");
        return out;
    }
    let _ = writeln!(out, "what stands out");
    let corroborated = Corroborated::of(run);
    let beside = Beside::of(run, &corroborated);
    for it in &shown {
        let time = when(it.fact).unwrap_or_default();
        let title = crate::text::clipped(&says(run, it.fact));
        let _ = writeln!(out, "  {:<8}  {:<30} {}", it.rank.level.name(), terminal(&time), terminal(&title));
        let (why, beside) = (why(run, it), beside.line(run, it.fact));
        let _ = writeln!(out, "  {:<8}  {:<30} {} ({})", "", "", terminal(&why), terminal(&beside));
    }
    if more > 0 {
        let _ = writeln!(out, "  and {more} more");
    }
    out
}

/// Writes them as a section of the Markdown report.
pub(crate) fn markdown(out: &mut String, run: &Run, corroborated: &Corroborated) {
    let (shown, more) = shown(run);
    let _ = writeln!(out, "\n## What stands out\n");
    if shown.is_empty() {
        let _ = writeln!(out, "{NOTHING}");
        return;
    }
    let beside = Beside::of(run, corroborated);
    let _ = writeln!(out, "| level | when | where | fact | says | why |\n|---|---|---|---|---|---|");
    for it in &shown {
        let time = when(it.fact).map_or(String::new(), |time| code(&time));
        let title = code(&says(run, it.fact));
        let (level, place) = (it.rank.level.name(), cell(&beside.line(run, it.fact)));
        let _ = writeln!(
            out,
            "| {level} | {time} | {place} | {} | {title} | {} |",
            it.fact.id,
            cell(&why(run, it))
        );
    }
    if more > 0 {
        let _ = writeln!(out, "\n{more} more are among the phenomena.");
    }
}
