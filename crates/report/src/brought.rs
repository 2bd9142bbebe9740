//! The matches of rules that a team supplied, for every format: a separate list, because a match proves nothing.

use crate::inert::{cell, terminal};
use graph::{Run, brought_in_words, rules_of_facts};
use ledger::brought::{RuleFit, Unusable};
use ledger::{BroughtKind, FactId, RulesMatched};
use maud::{Markup, html};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The maximum number of rules that a terminal shows.
const SHOWN: usize = 12;

/// The text about all of them.
const MEANING: &str = "A hit says that a record fits somebody's rule. It proves nothing; facts are made of at most 20 records for each rule and host.";

/// A rule that records match, with the facts about such records.
struct Told<'r> {
    fit: &'r RuleFit,
    facts: Vec<FactId>,
}

/// The supplied rules of a run and their matches.
struct Brought<'r> {
    /// `None` if the run broke off before they were compared.
    matched: Option<&'r RulesMatched>,
    rules: Vec<Told<'r>>,
}

fn brought(run: &Run) -> Option<Brought<'_>> {
    if run.opened.brought.is_empty() {
        return None;
    }
    let mut facts: BTreeMap<u32, Vec<FactId>> = BTreeMap::new();
    for (fact, rules) in rules_of_facts(run) {
        for rule in rules {
            facts.entry(rule).or_default().push(fact);
        }
    }
    let matched = run.brought.as_ref().map(|it| &it.matched);
    let fits = matched.map(|it| it.fits.as_slice()).unwrap_or_default();
    let told = |(place, fit)| Told { fit, facts: facts.remove(&place).unwrap_or_default() };
    Some(Brought { matched, rules: (0..).zip(fits).map(told).collect() })
}

impl Brought<'_> {
    /// Describes how much was compared, in a sentence.
    fn line(&self, run: &Run) -> String {
        let of = |kind| run.opened.brought.iter().filter(|file| file.kind == kind).count();
        let kinds = [
            (of(BroughtKind::Sigma), "file of rules", "files of rules"),
            (of(BroughtKind::Ioc), "file of indicators", "files of indicators"),
            (of(BroughtKind::KnownGood), "list of known files", "lists of known files"),
        ];
        let files = kinds.into_iter().filter(|(number, ..)| *number > 0);
        let files = files.map(|(number, one, more)| counted(number as u64, one, more));
        let files = files.collect::<Vec<_>>().join(", ");
        let Some(matched) = self.matched else {
            return format!("{files}: the run broke off before they were compared with its records.");
        };
        if let Some(why) = &matched.failed {
            return format!("{files}: they were not compared with the records ({why}).");
        }
        let compared = format!(
            "{} and {} were compared with {}",
            counted(matched.rules, "rule", "rules"),
            counted(matched.indicators, "indicator", "indicators"),
            counted(matched.records, "record", "records")
        );
        let idle = match matched.unmatched {
            0 => String::new(),
            number => format!("; no record here can fit {}", counted(number, "rule", "rules")),
        };
        format!("{files}. {compared}; records fit {} of them{idle}.", self.rules.len())
    }

    /// Returns what could not be used and what was not examined, one line each.
    fn lacking(&self) -> Vec<String> {
        let Some(matched) = self.matched else { return Vec::new() };
        let mut lines: Vec<String> = matched.unusable.iter().map(unusable).collect();
        if matched.more_unusable > 0 {
            lines.push(format!("{} more lines of files could not be used", matched.more_unusable));
        }
        if matched.gaps > 0 {
            let items = counted(matched.gaps, "item was", "items were");
            lines.push(format!("{items} not examined of what was compared"));
        }
        lines
    }
}

fn counted(number: u64, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}

fn unusable(it: &Unusable) -> String {
    let line = it.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("not used: {}{line}: {}", it.file, it.reason)
}

/// Describes the supplied rules that match the record of a fact.
pub(crate) fn rules_of(run: &Run, rules: &[u32]) -> Vec<String> {
    let fit = |rule: &u32| run.brought.as_ref()?.fit(*rule);
    rules.iter().filter_map(fit).map(brought_in_words).collect()
}

/// Formats the matches of supplied rules for the command line; empty if none were supplied.
pub fn brought_text(run: &Run) -> String {
    let Some(brought) = brought(run) else { return String::new() };
    let mut out = String::new();
    let _ = writeln!(out, "rules that you brought");
    let _ = writeln!(out, "  {}", terminal(&brought.line(run)));
    for told in brought.rules.iter().take(SHOWN) {
        let RuleFit { level, records, title, kind, file, .. } = told.fit;
        let line = format!("{title} ({}, {file})", kind.name());
        let facts = told.facts.len();
        let records = counted(*records, "record", "records");
        let facts = counted(facts as u64, "fact", "facts");
        let _ = writeln!(out, "  {level:<8}  {records:>15}  {facts:>9}  {}", terminal(&line));
    }
    if brought.rules.len() > SHOWN {
        let _ = writeln!(out, "  and {} more rules", brought.rules.len() - SHOWN);
    }
    let lacking = brought.lacking();
    for line in lacking.iter().take(SHOWN) {
        let _ = writeln!(out, "  {}", terminal(line));
    }
    if lacking.len() > SHOWN {
        let _ = writeln!(out, "  and {} more (the reports name them)", lacking.len() - SHOWN);
    }
    out
}

/// Writes them as a section of the Markdown report.
pub(crate) fn markdown(out: &mut String, run: &Run) {
    let Some(brought) = brought(run) else { return };
    let _ = writeln!(out, "\n## Rules that you brought\n\n{} {MEANING}\n", cell(&brought.line(run)));
    if !brought.rules.is_empty() {
        let _ =
            writeln!(out, "| level | rule | records | facts | ATT&CK | file |\n|---|---|---|---|---|---|");
    }
    for told in &brought.rules {
        let RuleFit { level, records, title, techniques, file, .. } = told.fit;
        let _ = writeln!(
            out,
            "| {} | {} | {records} | {} | {} | {} |",
            cell(level),
            cell(title),
            told.facts.len(),
            cell(&techniques.join(", ")),
            cell(file)
        );
    }
    let lacking = brought.lacking();
    if !lacking.is_empty() {
        let _ = writeln!(out);
    }
    for line in lacking {
        let _ = writeln!(out, "- {}", cell(&line));
    }
}

/// Renders them as a section of the page.
pub(crate) fn section(run: &Run) -> Markup {
    let Some(brought) = brought(run) else { return html! {} };
    let say = graph::printable;
    let lacking = brought.lacking();
    html! {
        section #brought aria-labelledby="brought-title" {
            h2 #brought-title { "Rules that you brought" }
            p { (say(&brought.line(run))) }
            p.note { (MEANING) }
            @if !brought.rules.is_empty() {
                div.scroll {
                    table {
                        thead { tr { th { "level" } th { "rule" } th.number { "records" } th.number { "facts" } th { "ATT&CK" } th { "file" } } }
                        tbody {
                            @for told in &brought.rules {
                                tr {
                                    td { (say(&told.fit.level)) }
                                    th scope="row" { (say(&told.fit.title)) }
                                    td.number { (told.fit.records) }
                                    td.number {
                                        @match told.facts.first() {
                                            Some(fact) => a href=(format!("#proof-{fact}")) { (told.facts.len()) },
                                            None => "0",
                                        }
                                    }
                                    td { (say(&told.fit.techniques.join(", "))) }
                                    td { code { (say(&told.fit.file)) } }
                                }
                            }
                        }
                    }
                }
            }
            @if !lacking.is_empty() { ul { @for line in &lacking { li { (say(line)) } } } }
        }
    }
}

/// Returns them as JSON, with every match in the log; `None` if no rules were supplied.
pub(crate) fn json(run: &Run) -> Option<Value> {
    let brought = brought(run)?;
    let rule = |told: &Told<'_>| {
        let mut value = json!(told.fit);
        if let Some(members) = value.as_object_mut() {
            members.insert("facts".to_owned(), json!(told.facts));
        }
        value
    };
    Some(json!({
        "files": run.opened.brought,
        "compared": brought.matched.is_some_and(|it| it.failed.is_none()),
        "failed": brought.matched.and_then(|it| it.failed.as_ref()),
        "rules_read": brought.matched.map(|it| it.rules),
        "rules_that_cannot_match": brought.matched.map(|it| it.unmatched),
        "indicators_read": brought.matched.map(|it| it.indicators),
        "records": brought.matched.map(|it| it.records),
        "unusable": brought.matched.map(|it| &it.unusable),
        "more_unusable": brought.matched.map(|it| it.more_unusable),
        "gaps": brought.matched.map(|it| it.gaps),
        "rules": brought.rules.iter().map(rule).collect::<Vec<_>>(),
        "hits": brought.matched.map(|it| &it.hits),
    }))
}
