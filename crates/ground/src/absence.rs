//! Judges a claim that something is absent: whether complete, empty searches cover it.
//!
//! A search shows an absence only if it ended empty and complete, left nothing out as damaged or unread, and looked for no less than what is said to be absent.
//! Which arguments mean what is told by the tool's own [`Coverage`]; an argument that it does not name narrows the search, and then it covers nothing.

use crate::fold;
use crate::refusal::{quote, refuse};
use crate::shelf::{Held, Shelf};
use ledger::{
    Absence, AbsenceClaim, AbsenceEntry, AbsenceId, Completeness, Coverage, InvocationId, Outcome, Rejection,
    RejectionCode, pattern,
};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The most searches of one claim.
const MOST_SEARCHES: usize = 16;

/// The longest text of a claim, in bytes.
const LONGEST: usize = 4096;

/// An absence that was covered; [`judge_absence`] is its only maker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Covered(AbsenceEntry);

impl Covered {
    /// Its persisted form.
    pub fn entry(&self) -> &AbsenceEntry {
        &self.0
    }

    /// Its persisted form.
    pub fn into_entry(self) -> AbsenceEntry {
        self.0
    }
}

/// The answer to a claim that something is absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AbsenceVerdict {
    /// Its searches cover it.
    Covered(Covered),
    /// They do not.
    Refused(Rejection),
}

/// Judges an absence against what its task has searched; `coverage` is what empty calls of each tool show.
///
/// Every cited search must cover all of the absence by itself.
/// An absence that names no evidence speaks of the evidence that its searches looked at.
pub fn judge_absence(
    claim: &AbsenceClaim,
    id: AbsenceId,
    shelf: &Shelf,
    coverage: &BTreeMap<String, Vec<Coverage>>,
) -> AbsenceVerdict {
    match cover(claim, shelf, coverage) {
        Ok((absence, searches)) => AbsenceVerdict::Covered(Covered(AbsenceEntry { id, absence, searches })),
        Err(rejection) => AbsenceVerdict::Refused(rejection),
    }
}

fn cover(
    claim: &AbsenceClaim,
    shelf: &Shelf,
    coverage: &BTreeMap<String, Vec<Coverage>>,
) -> Result<(Absence, Vec<InvocationId>), Rejection> {
    check_form(claim)?;
    let mut covered: Option<Absence> = None;
    let mut searches = Vec::new();
    for cited in &claim.searches {
        let held = cited_search(cited, shelf)?;
        let shown = shows(&claim.absence, held, coverage)?;
        match &covered {
            Some(before) if *before != shown => {
                let reason = "the searches looked at different evidence".to_owned();
                return Err(missing(reason, "Claim the absence for each piece of evidence.".to_owned()));
            }
            Some(_) | None => covered = Some(shown),
        }
        searches.push(held.invocation);
    }
    let absence = covered.ok_or_else(|| missing("no search is cited".to_owned(), String::new()))?;
    Ok((absence, searches))
}

fn check_form(claim: &AbsenceClaim) -> Result<(), Rejection> {
    let malformed = |reason: &str, hint: &str| {
        refuse(RejectionCode::Malformed, reason.to_owned(), hint.to_owned(), Vec::new())
    };
    if !(1..=MOST_SEARCHES).contains(&claim.searches.len()) {
        let hint = "Cite the searches that came back empty, 1 to 16 of them.";
        return Err(malformed("an absence rests on searches", hint));
    }
    let (what, others) = match &claim.absence {
        Absence::File { name, under, .. } => (name, [under.as_str(), ""]),
        Absence::RegistryKey { hive, key, .. } => (key, [hive.as_str(), ""]),
        Absence::Text { text, under, .. } => (text, [under.as_str(), ""]),
    };
    if what.trim().is_empty() {
        return Err(malformed("it does not say what is absent", "Name the file, the key or the text."));
    }
    let longest = others.iter().map(|text| text.len()).chain([what.len()]).max();
    match longest {
        Some(length) if length > LONGEST => {
            Err(malformed("a text of the claim is too long", "Name what is absent in at most 4096 bytes."))
        }
        _ => Ok(()),
    }
}

fn cited_search<'s>(cited: &str, shelf: &'s Shelf) -> Result<&'s Held, Rejection> {
    let parsed: Option<InvocationId> = cited.trim().parse().ok();
    if let Some(held) = parsed.and_then(|id| shelf.get(id)) {
        return Ok(held);
    }
    let hint = "Cite your own searches that came back empty.".to_owned();
    let (code, reason) = match parsed.filter(|id| shelf.is_foreign(*id)) {
        Some(id) => (RejectionCode::ForeignInvocation, format!("{id} belongs to another task")),
        None => {
            let reason = format!("no invocation of this task has the id {}", quote(cited));
            (RejectionCode::UnknownInvocation, reason)
        }
    };
    Err(refuse(code, reason, hint, Vec::new()))
}

/// What of `absence` a search shows: all of it, with the evidence that was looked at.
fn shows(
    absence: &Absence,
    held: &Held,
    coverage: &BTreeMap<String, Vec<Coverage>>,
) -> Result<Absence, Rejection> {
    let id = held.invocation;
    let whole = match (held.outcome, held.search.completeness) {
        (Outcome::Empty, Completeness::Complete) if held.search.whole => Ok(()),
        (Outcome::Empty, Completeness::Complete) => Err("could not read everything in its way"),
        (Outcome::Empty, Completeness::Truncated) => Err("stopped before the end"),
        (Outcome::Ok, _) => Err("found something"),
        (Outcome::Failed | Outcome::Timeout | Outcome::Denied, _) => Err("did not run to its end"),
    };
    whole.map_err(|why| {
        let hint = "An absence needs a search that is complete and found nothing.".to_owned();
        missing(format!("{id} {why}, so it shows no absence"), hint)
    })?;
    let rules = coverage.get(&held.search.tool).map(Vec::as_slice).unwrap_or_default();
    let rule = rules.iter().find(|rule| rule.form == absence.form());
    let arguments = held.search.arguments.as_ref().and_then(Value::as_object);
    let (Some(rule), Some(arguments)) = (rule, arguments) else {
        let reason = format!("{id} is no search for a {}", absence.form().name().replace('_', " "));
        return Err(missing(reason, "Cite a search of the right kind, or make one.".to_owned()));
    };
    if let Some(narrow) = narrowing(rule, arguments) {
        let reason = format!("{id} searched less, because of its argument {}", quote(&narrow));
        return Err(missing(reason, "Search without it.".to_owned()));
    }
    let member = |name: &str| {
        let argument = rule.members.get(name)?;
        arguments.get(argument).and_then(Value::as_str)
    };
    if !looked_for(absence, &member) {
        let reason = format!("{id} looked for something else or elsewhere");
        return Err(missing(reason, "Search for just this, or say what was searched for.".to_owned()));
    }
    with_evidence(absence, member("evidence")).ok_or_else(|| {
        let reason = format!("{id} looked at other evidence");
        missing(reason, "Name the evidence that was searched.".to_owned())
    })
}

/// An argument that makes the search look at less than the form says.
fn narrowing(rule: &Coverage, arguments: &Map<String, Value>) -> Option<String> {
    let is_known =
        |name: &String| rule.members.values().any(|known| known == name) || rule.free.contains(name);
    let narrows = |(name, value): &(&String, &Value)| match rule.required.get(*name) {
        Some(required) => required != *value,
        None => !value.is_null() && !is_known(name),
    };
    arguments.iter().find(narrows).map(|(name, _)| name.clone())
}

/// Whether a search for what `member` gives looked for no less than `absence` says.
fn looked_for<'a>(absence: &Absence, member: &impl Fn(&str) -> Option<&'a str>) -> bool {
    match absence {
        Absence::File { name, under, .. } => {
            member("name").is_none_or(|searched| names(searched, name)) && within(under, member("under"))
        }
        Absence::RegistryKey { hive, key, .. } => {
            let (searched, of) = (member("key"), member("hive"));
            of.is_some_and(|of| fold::path(of) == fold::path(hive))
                && searched.is_some_and(|searched| !searched.is_empty() && below(key, searched))
        }
        Absence::Text { text, under, .. } => {
            let found = |searched: &str| text.to_lowercase().contains(&searched.to_lowercase());
            member("text").is_some_and(found) && within(under, member("under"))
        }
    }
}

/// Whether a search by the pattern `searched` would have found every file that `claimed` names.
fn names(searched: &str, claimed: &str) -> bool {
    let plain = |text: &str| !text.contains(['*', '?', '/', '\\', '[', ']', '{', '}']);
    let simple = !searched.contains(['/', '\\', '[', ']', '{', '}']);
    fold::name(searched) == fold::name(claimed)
        || (simple && plain(claimed) && pattern::fits(searched, claimed))
}

/// Whether the folder `claimed` lies within the one that was searched.
fn within(claimed: &str, searched: Option<&str>) -> bool {
    let searched = components(searched.unwrap_or_default());
    components(claimed).starts_with(&searched)
}

fn below(claimed: &str, searched: &str) -> bool {
    components(claimed).starts_with(&components(searched))
}

/// The folded parts of a path; a drive letter is one with and without its colon.
fn components(path: &str) -> Vec<String> {
    let folded = fold::path(path);
    let parts = folded.split('\\').filter(|part| !part.is_empty());
    parts.map(|part| part.trim_end_matches(':').trim_end_matches("%3a").to_owned()).collect()
}

/// The absence, speaking of the evidence that was searched; `None` where it speaks of more or of other evidence.
fn with_evidence(absence: &Absence, searched: Option<&str>) -> Option<Absence> {
    let mut shown = absence.clone();
    let (Absence::File { evidence, .. }
    | Absence::RegistryKey { evidence, .. }
    | Absence::Text { evidence, .. }) = &mut shown;
    match (evidence.as_deref(), searched) {
        (None, searched) => *evidence = searched.map(str::to_owned),
        (Some(claimed), Some(searched)) if claimed != searched => return None,
        (Some(_), _) => {}
    }
    Some(shown)
}

fn missing(reason: String, hint: String) -> Rejection {
    refuse(RejectionCode::CoverageMissing, reason, hint, Vec::new())
}
