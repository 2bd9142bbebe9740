//! What `docs/run-format.md` says that it does not check: the script need not find what `locard verify` finds there.
//!
//! Whether a finding is outside the page depends on the kind of check behind it: its level, its place and its first words.
//! The page covers everything that is not listed here, and a script that accepts it is wrong.

use super::kinds::Page;
use super::programs::{Finding, Verified};

/// The reason why a finding is outside the page.
pub(super) type Rule = &'static str;

const TYPES: Rule = "names, members and words that the page does not use are of no known form (the page: covered by the chains alone)";
const MANIFEST: Rule = "members of the manifest that repeat digests of what stands in run_opened";
const TABLES: Rule = "what the tables of the run say of a fact: subject, qualifiers, writer, place, predicate, words of a quotation";
const VERDICTS: Rule = "verdicts judged again by the rules of the run, refusals among them";
const COURSE: Rule = "the course of the tasks: replies lead to calls, calls to events, ids and totals follow";
const OTHERS: Rule = "derivations, absences and sentences; the graph of facts";
const SCHEMA: Rule = "triggers and views, from which nothing follows";
const SHOWN: Rule = "what the end of a call says of the records that it showed";
const REPLIES: Rule = "the form of replies and of what the log says of them";

/// Returns the rules by which all findings are outside the page, or the first finding that is not.
pub(super) fn beyond(page: Page, verified: &Verified) -> Result<Vec<Rule>, String> {
    let Some(first) = verified.findings.first() else { return Err(verified.to_string()) };
    if page == Page::Whole {
        return Err(first.to_string());
    }
    let mut rules: Vec<Rule> = Vec::new();
    // After an event of unknown form, `locard verify` stops reading and misses the seal.
    let stops = verified.findings.iter().any(|finding| rule(finding) == Some(TYPES));
    let follows =
        |finding: &&Finding| stops && finding.place == "the log" && finding.what.ends_with("is not a seal");
    for finding in verified.findings.iter().filter(|finding| !follows(finding)) {
        rules.push(rule(finding).ok_or_else(|| finding.to_string())?);
    }
    rules.sort_unstable();
    rules.dedup();
    Ok(rules)
}

fn rule(finding: &Finding) -> Option<Rule> {
    match finding.level.as_str() {
        "log_consistent" => of_the_log(finding),
        "facts_stand" => of_facts(finding),
        _ => None,
    }
}

/// What `locard verify` says about events, circumstances or records that have an unknown form or are not canonical.
/// Changes that break the canonical form are fully covered by the page.
const NO_KNOWN_FORM: [&str; 3] = [
    "expected an event in canonical form",
    "expected a circumstance in canonical form",
    "or not in canonical form",
];

fn of_the_log(finding: &Finding) -> Option<Rule> {
    let Finding { place, what, .. } = finding;
    match place.as_str() {
        "manifest.json" if !what.contains("the head") => Some(MANIFEST),
        "run.db" if what.contains("sqlite_schema") => Some(SCHEMA),
        // An event's form is checked first. The script has already read the members that the page uses, so what is left is outside the page.
        _ if NO_KNOWN_FORM.iter().any(|words| what.contains(words)) => Some(TYPES),
        _ if place.starts_with("inv-") && what.contains("another size") => Some(SHOWN),
        _ if place.starts_with("payload") && what.contains("calls than its event says") => Some(REPLIES),
        _ if place.starts_with("payload") && place.contains("turn_replied") => Some(REPLIES),
        _ => None,
    }
}

/// The first words of `ground::RecheckError` for checks that the page's table of facts does not require.
const RECHECKED_BY_TABLES: [&str; 8] = [
    "is no subject of",
    "is not stated",
    "expected writer",
    "no values, or two of one field",
    "does not prove",
    "kept by the machine that holds a copy",
    "the quotation does not hold",
    "and not of",
];

fn of_facts(finding: &Finding) -> Option<Rule> {
    let Finding { place, what, .. } = finding;
    match place.split(['-', ' ']).next().unwrap_or_default() {
        "fact" if what.starts_with("recheck a fact") => {
            RECHECKED_BY_TABLES.iter().any(|words| what.contains(words)).then_some(TABLES)
        }
        "claim" => Some(VERDICTS),
        "position" | "task" | "inv" => Some(COURSE),
        "the" => Some(COURSE),
        _ => Some(OTHERS),
    }
}
