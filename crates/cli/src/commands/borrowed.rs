//! Rules that others wrote: read from files, and told.

use crate::failure::Failure;
use detect::Level;
use indicators::{KnownError, KnownGood};
use report::hunt::{Fit, Whose};
use std::collections::{BTreeMap, HashSet};
use std::fs::{File, Metadata};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use tools::{
    Borrowed, Broken, Check, Found, Indicator, IndicatorFile, LONGEST_INDICATORS, LONGEST_RULES, Matched,
    RuleFile, SigmaHit, Unreadable,
};

/// Most bytes of all rules together: what one request to a worker carries.
const MOST_BYTES: usize = 48 << 20;

/// How deep folders are looked into.
const DEEPEST: usize = 32;

/// Rules as they were read, and what of them could not be.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) rules: Borrowed,
    pub(super) broken: Vec<Broken>,
    pub(super) unreadable: Vec<Unreadable>,
    bytes: usize,
}

/// Reads files of Sigma rules, and those in folders.
pub(super) fn sigma(paths: &[PathBuf]) -> Result<Gathered, Failure> {
    let mut gathered = Gathered::default();
    for path in paths {
        let unread = |source| Failure::RulesFile { path: path.clone(), source };
        let metadata = std::fs::metadata(path).map_err(unread)?;
        match metadata.is_dir() {
            true => gathered.folder(path, 0).map_err(unread)?,
            false => gathered.file(path, &metadata),
        }
    }
    Ok(gathered)
}

impl Gathered {
    fn folder(&mut self, folder: &Path, depth: usize) -> std::io::Result<()> {
        let mut entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let (path, name) = (entry.path(), entry.file_name());
            // No link is followed, so that nothing is read twice.
            let kind = entry.file_type()?;
            if kind.is_dir() && !name.to_string_lossy().starts_with('.') {
                match depth < DEEPEST {
                    true => self.folder(&path, depth + 1)?,
                    false => self.broke(&path, format!("folders are looked into {DEEPEST} deep")),
                }
            } else if kind.is_file() && is_of_rules(&path) {
                self.file(&path, &entry.metadata()?);
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, metadata: &Metadata) {
        match text(path, metadata.len(), LONGEST_RULES, MOST_BYTES.saturating_sub(self.bytes)) {
            Ok(text) => {
                self.bytes += text.len();
                self.rules.sigma.push(RuleFile { name: path.display().to_string(), text });
            }
            Err(reason) => self.broke(path, reason),
        }
    }

    fn broke(&mut self, path: &Path, reason: String) {
        self.broken.push(Broken { file: path.display().to_string(), line: None, reason });
    }
}

fn is_of_rules(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    ending.eq_ignore_ascii_case("yml") || ending.eq_ignore_ascii_case("yaml")
}

/// The text of a file that is no longer than it may be.
fn text(path: &Path, length: u64, longest: usize, room: usize) -> Result<String, String> {
    let most = longest.min(room);
    let too_long = || match room < longest {
        true => format!("all files together have more than {MOST_BYTES} bytes"),
        false => format!("a file of the kind has {longest} bytes at most"),
    };
    if length > most as u64 {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    file.take(most as u64 + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() > most {
        return Err(too_long());
    }
    String::from_utf8(bytes).map_err(|error| format!("it is not UTF-8: {error}"))
}

/// What is wrong with a rule, in a line.
pub(super) fn wrong(broken: &Broken) -> String {
    let line = broken.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{}{line}: {}", broken.file, broken.reason)
}

/// Which rules no record can fit, by the log source that they name, in a line each.
pub(super) fn unmatched(check: &Check) -> Vec<String> {
    let line = |(source, rules): (&String, &Vec<usize>)| {
        format!("cannot match here: log source {source} ({})", rules_in_words(rules.len()))
    };
    check.no_records.iter().map(line).collect()
}

/// Which fields no record has, in a line each.
pub(super) fn fieldless(check: &Check) -> Vec<String> {
    let line = |(field, rules): (&String, &Vec<usize>)| {
        format!("no record has this field: {field} ({})", rules_in_words(rules.len()))
    };
    check.no_field.iter().map(line).collect()
}

pub(super) fn rules_in_words(number: usize) -> String {
    format!("{number} {}", if number == 1 { "rule" } else { "rules" })
}

/// The rules that a record fits and the indicators that it names, as a hunter reads them.
pub(super) fn fits(found: &Found, matched: &Matched) -> Vec<Fit> {
    let rules = found.sigma.iter().filter_map(|hit| fit(hit, &matched.sigma));
    let named = found.indicators.iter().filter_map(|hit| {
        let place = matched.indicators.binary_search_by_key(&hit.indicator, |named| named.number).ok()?;
        Some(indicated(&matched.indicators.get(place)?.indicator, &hit.field, &hit.value))
    });
    rules.chain(named).collect()
}

fn indicated(indicator: &Indicator, field: &str, value: &str) -> Fit {
    let line = indicator.line.map(|line| format!(":{line}")).unwrap_or_default();
    let label = indicator.label.as_ref().map(|label| format!(" ({label})")).unwrap_or_default();
    Fit {
        whose: Whose::Indicator,
        rule: indicator.value.clone(),
        level: Level::High,
        note: format!("the record names the {} {}{label}", indicator.kind.name(), indicator.value),
        techniques: Vec::new(),
        tags: Vec::new(),
        file: Some(format!("{}{line}", indicator.file)),
        digest: None,
        fields: vec![(field.to_owned(), value.to_owned())],
        remarks: Vec::new(),
    }
}

/// What cannot be used of files of indicators, in a line each.
pub(super) fn unusable(matched: &Matched) -> Vec<String> {
    let at = |line: Option<u64>| line.map(|line| format!(":{line}")).unwrap_or_default();
    let unreadable = matched.unreadable.iter();
    let unreadable =
        unreadable.map(|it| format!("cannot be read: {}{}: {}", it.file, at(it.line), it.reason));
    let skipped = matched.skipped.iter();
    let skipped =
        skipped.map(|it| format!("left out: {}{}: {} ({} times)", it.file, at(it.line), it.what, it.times));
    unreadable.chain(skipped).collect()
}

/// Which of these hashes lists know to be good; only they are kept, whatever the size of the lists.
pub(super) fn known_good(paths: &[PathBuf], wanted: &HashSet<String>) -> Result<KnownGood, Failure> {
    let mut known = KnownGood::default();
    for path in paths {
        let wrong = |source| Failure::KnownGood { path: path.clone(), source };
        let file = File::open(path).map_err(|source| wrong(KnownError::Read(source)))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        known.add(&name, &mut BufReader::new(file), wanted).map_err(wrong)?;
    }
    Ok(known)
}

/// Reads files of indicators.
pub(super) fn indicators(gathered: &mut Gathered, paths: &[PathBuf]) -> Result<(), Failure> {
    for path in paths {
        let metadata =
            std::fs::metadata(path).map_err(|source| Failure::RulesFile { path: path.clone(), source })?;
        let name = path.display().to_string();
        let room = MOST_BYTES.saturating_sub(gathered.bytes);
        match text(path, metadata.len(), LONGEST_INDICATORS, room) {
            Ok(text) => {
                gathered.bytes += text.len();
                gathered.rules.indicators.push(IndicatorFile { name, text });
            }
            Err(reason) => gathered.unreadable.push(Unreadable { file: name, line: None, reason }),
        }
    }
    Ok(())
}

fn fit(hit: &SigmaHit, check: &Check) -> Option<Fit> {
    let rule = check.rules.get(hit.rule)?;
    let (techniques, tags) = tags(&rule.tags);
    let mut remarks = Vec::new();
    if hit.state {
        let level = rule.sigma_level.as_deref().unwrap_or("none");
        remarks.push(format!(
            "the record says what is there, not that somebody did it: less than the rule's level {level}"
        ));
    }
    if !hit.lacks.is_empty() {
        remarks.push(format!("the rule looks at what such records do not say: {}", hit.lacks.join(", ")));
    }
    Some(Fit {
        whose: Whose::Sigma,
        rule: rule.id.clone().unwrap_or_else(|| rule.title.clone()),
        level: hit.level,
        note: rule.title.clone(),
        techniques,
        tags,
        file: Some(rule.file.clone()),
        digest: Some(rule.digest.to_string()),
        fields: hit.fields.clone(),
        remarks,
    })
}

/// The techniques among tags, in the order of their ids, and the other tags.
fn tags(tags: &[String]) -> (Vec<String>, Vec<String>) {
    let technique = |tag: &String| {
        let id = tag.to_ascii_lowercase();
        let id = id.strip_prefix("attack.t")?;
        id.starts_with(|it: char| it.is_ascii_digit()).then(|| format!("T{id}"))
    };
    let mut techniques: Vec<String> = tags.iter().filter_map(technique).collect();
    techniques.sort();
    techniques.dedup();
    (techniques, tags.iter().filter(|tag| technique(tag).is_none()).cloned().collect())
}

/// How many records fit each rule, by the names that hits have.
pub(super) fn counts(check: &Check, counts: &[u64]) -> BTreeMap<String, u64> {
    let mut all: BTreeMap<String, u64> = BTreeMap::new();
    for (rule, count) in check.rules.iter().zip(counts).filter(|(_, count)| **count > 0) {
        *all.entry(rule.id.clone().unwrap_or_else(|| rule.title.clone())).or_default() += count;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn techniques_are_told_from_other_tags() {
        let given = ["attack.t1003.001", "attack.credential-access", "cve.2020-1", "attack.T1547"];
        let (techniques, others) = tags(&given.map(str::to_owned));
        assert_eq!(techniques, ["T1003.001", "T1547"]);
        assert_eq!(others, ["attack.credential-access", "cve.2020-1"]);
    }
}
