//! `cargo xtask sigma-regression FOLDER`: checks whether published rules fire on the logs that were published with them.
//!
//! FOLDER is a checkout of SigmaHQ's rule repository, whose `regression_data` has logs for many rules, on which they must match;
//! some state how often.
//! It prints a line for each rule to standard output: its id, the expected and the actual number of matches, and its file.
//! It lists the differences at the end. The rules and logs are not part of this project; the commit and a digest of what was read are printed.

use crate::compare_typed_events::records;
use ledger::Record;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use tools::{RuleFile, RuleSet};

/// The folders with rules.
const RULES: [&str; 3] = ["rules", "rules-emerging-threats", "rules-threat-hunting"];

/// A log on which a rule must match.
struct Case {
    rule: String,
    log: PathBuf,
    /// The expected number of matches, if stated.
    matches: Option<usize>,
}

/// Runs all cases; returns the number of rules with a different result.
pub(crate) fn run(folder: &Path, say: &mut dyn FnMut(String)) -> io::Result<usize> {
    let mut rules = BTreeMap::new();
    for name in RULES {
        read_rules(&folder.join(name), &mut rules)?;
    }
    let mut cases = Vec::new();
    read_cases(folder, &folder.join("regression_data"), &mut cases)?;
    cases.sort_by(|a, b| a.log.cmp(&b.log));
    let mut hasher = Sha256::new();
    let mut different = Vec::new();
    for case in &cases {
        hasher.update(std::fs::read(&case.log)?);
        let file = case.log.strip_prefix(folder).unwrap_or(&case.log).display().to_string();
        let Some(rule) = rules.get(&case.rule) else {
            different.push(format!("{}: no such rule ({file})", case.rule));
            continue;
        };
        hasher.update(rule.text.as_bytes());
        let found = matches(rule, &records(&case.log)?);
        let expected = case.matches.map_or_else(|| "some".to_owned(), |matches| matches.to_string());
        say(format!("{}\t{expected}\t{found}\t{file}", case.rule));
        let fits = case.matches.map_or(found > 0, |matches| matches == found);
        if !fits {
            different.push(format!("{}: expected {expected}, found {found} ({file})", case.rule));
        }
    }
    for line in &different {
        say(format!("different: {line}"));
    }
    let read: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    say(format!(
        "{} rules on their logs, {} different; SHA-256 of both {read}",
        cases.len(),
        different.len()
    ));
    Ok(different.len())
}

fn matches(rule: &RuleFile, records: &[Record]) -> usize {
    let set: RuleSet = tools::rule_set(std::slice::from_ref(rule));
    records.iter().filter(|record| !set.hits(record).is_empty()).count()
}

/// Collects rules by id.
fn read_rules(folder: &Path, rules: &mut BTreeMap<String, RuleFile>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read_rules(&path, rules)?;
        } else if path.extension().is_some_and(|ending| ending == "yml") {
            let text = std::fs::read_to_string(&path)?;
            if let Some(id) = member(&text, "id") {
                rules.insert(id, RuleFile { name: path.display().to_string(), text });
            }
        }
    }
    Ok(())
}

/// Returns the value of the first member with this name.
fn member(text: &str, name: &str) -> Option<String> {
    let value = |line: &str| {
        let line = line.trim_start().trim_start_matches("- ");
        let (own, value) = line.split_once(':')?;
        (own == name).then(|| value.trim().trim_matches(['\'', '"']).to_owned())
    };
    text.lines().find_map(value)
}

fn read_cases(root: &Path, folder: &Path, cases: &mut Vec<Case>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read_cases(root, &path, cases)?;
        } else if path.file_name().is_some_and(|name| name == "info.yml") {
            let text = std::fs::read_to_string(&path)?;
            cases.extend(case(root, &text));
        }
    }
    Ok(())
}

/// Parses an `info.yml`; `None` if its log is not from Windows.
fn case(root: &Path, text: &str) -> Option<Case> {
    let (_, metadata) = text.split_once("rule_metadata:")?;
    let log = root.join(member(text, "path")?);
    log.extension().is_some_and(|ending| ending == "evtx").then_some(())?;
    let matches = member(text, "match_count").and_then(|matches| matches.parse().ok());
    Some(Case { rule: member(metadata, "id")?, log, matches })
}
