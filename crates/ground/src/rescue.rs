//! Rescue: searches the task's other outputs for a reading that its cited output does not ground.

use crate::bind::{Bound, Fit, Unclear, stands, subject};
use crate::choose::{is_all_weak, objection, search};
use crate::claim::{Claim, Wanted};
use crate::fact::Found;
use crate::fold;
use crate::index::{self, Query};
use crate::judge::Setting;
use crate::matching::{Manner, match_field};
use crate::near::Nearest;
use crate::needle::Needle;
use crate::refusal::{candidate, fit_candidate, refuse};
use crate::shelf::{Held, Shelf};
use crate::weak::is_weak;
use ledger::{Candidate, FieldValue, Output, Record, Rejection, RejectionCode, Tier};
use serde_json::Value;

/// Why the cited invocation does not ground a reading; another invocation still may.
#[derive(Debug)]
pub(crate) struct Miss<'s> {
    pub(crate) code: RejectionCode,
    pub(crate) reason: String,
    /// The cited invocation, if the task has it.
    pub(crate) cited: Option<&'s Held>,
}

/// Finds the one place in the task's own outputs that grounds the whole reading, or explains why there is none.
pub(crate) fn rescue<'s>(
    claim: &Claim<'_>,
    miss: Miss<'s>,
    shelf: &'s Shelf,
    setting: &Setting<'_>,
) -> Result<Found<'s>, Rejection> {
    let places = if setting.rules.rescue { find(claim, &miss, shelf, setting) } else { Places::default() };
    match places.found.as_slice() {
        [] => Err(refuse_miss(claim, &miss, shelf, setting)),
        [only] if !places.cut && discriminates(only, shelf, setting) && !is_namesake(&miss, only) => {
            Ok(only.clone())
        }
        _ => Err(refuse_several(&miss, &places, setting)),
    }
}

/// The distinct places that ground a reading, each at its earliest invocation.
#[derive(Default)]
struct Places<'s> {
    found: Vec<Found<'s>>,
    /// Whether the search stopped early because there were too many places to tell apart.
    cut: bool,
}

/// The most distinct places that are kept apart; an agent is shown a few of them.
const MOST_PLACES: usize = 20;

/// The most records with the whole reading that are examined, whether they prove it or not.
const MOST_FITS: usize = 1_000;

fn find<'s>(claim: &Claim<'_>, miss: &Miss<'s>, shelf: &'s Shelf, setting: &Setting<'_>) -> Places<'s> {
    let cited = miss.cited.map(|held| held.invocation);
    let mut places = Places::default();
    let mut fits = 0;
    let index = shelf.index();
    let wanted = index::of_claim(claim);
    for hit in index.hits(&wanted, shelf.held()) {
        let Some((held, stored)) = hit.besides(cited).and_then(|held| Some((held, held.grounds()?))) else {
            continue;
        };
        let hits = search(claim, hit.records, setting);
        // A record that holds the reading in several ways is a candidate too: it must not be skipped silently.
        if let Some(Unclear::SeveralFields { .. }) = hits.unclear {
            return Places::default();
        }
        fits += hits.fits.len();
        for fit in hits.fits {
            let heals = objection(claim, &fit, setting).is_none() && !is_all_weak(&fit, setting);
            if heals && !places.found.iter().any(|known| joins(known, stored, &fit)) {
                places.found.push(Found { held, stored, fit });
            }
        }
        places.cut = places.found.len() > MOST_PLACES || fits > MOST_FITS;
        if places.cut {
            break;
        }
    }
    places
}

/// Checks whether the reading can mean no other place.
/// Either it states its subject, or its distinctive values occur together nowhere else among the task's records.
///
/// A value that says little (a flag, a small number) does not tell one record from another here:
/// the claim may have it wrong for the record that it means.
/// A quotation of a word or two occurs in many texts, so it needs its subject.
fn discriminates(only: &Found<'_>, shelf: &Shelf, setting: &Setting<'_>) -> bool {
    let quotes =
        |bound: &Bound<'_>| bound.quotation.as_ref().is_some_and(|q| q.chars().count() < SHORT_QUOTATION);
    let telling = |bound: &&Bound<'_>| !is_weak(bound, setting.rules) && !quotes(bound);
    let values: Vec<_> = only.fit.values.iter().filter(telling).collect();
    if only.fit.cites_subject || values.is_empty() {
        return only.fit.cites_subject;
    }
    let other = |record: &&&Record| record.locator != only.fit.record.locator;
    let same = |record: &&Record| {
        let holds = |bound: &&Bound<'_>| {
            record.fields.get(bound.field).is_some_and(|field| match &bound.quotation {
                Some(words) => quotes_too(words, &field.value),
                None => field.value == bound.held.value,
            })
        };
        values.iter().all(holds)
    };
    let index = shelf.index();
    let query = |bound: &&Bound<'_>| match &bound.quotation {
        Some(words) => index::of_quotation(words),
        None => index::of_value(&bound.held.value),
    };
    let wanted = Query::All(values.iter().map(query).collect());
    index.hits(&wanted, shelf.held()).all(|hit| !hit.records.iter().filter(other).any(same))
}

/// Checks whether the words can be quoted from a value.
fn quotes_too(words: &str, value: &FieldValue) -> bool {
    let found = match_field(&Needle::new(words), value, "", Manner::Quoting, &[Tier::Exact, Tier::Quoted]);
    found.is_some()
}

/// Checks whether the cited call examined other evidence, or another file of the same name, such as another user's hive.
///
/// A claim about one must not become a fact about the other, unless the reading names the file's own path.
fn is_namesake(miss: &Miss<'_>, found: &Found<'_>) -> bool {
    let Some(cited) = miss.cited else { return false };
    let locator = &found.fit.record.locator;
    let subject = &found.fit.subject.held.value;
    let arguments = cited.search.arguments.as_ref().and_then(Value::as_object);
    let argument = |name| arguments.and_then(|all| all.get(name)).and_then(Value::as_str);
    let evidence = argument("evidence").unwrap_or(&locator.evidence);
    let asked = ["hive", "path"].into_iter().filter_map(argument).map(|path| (evidence, path));
    let records = cited.grounds().map(Output::records).unwrap_or_default();
    let read = records.iter().map(|record| (record.locator.evidence.as_str(), record.locator.path.as_str()));
    let own = (locator.evidence.as_str(), locator.path.as_str());
    let name = |path: &str| fold::name(path.rsplit('/').next().unwrap_or_default());
    let looked: Vec<_> = asked.chain(read).collect();
    let labels = argument("evidence").into_iter().chain(looked.iter().map(|(label, _)| *label));
    let elsewhere = looked_elsewhere(labels, &locator.evidence);
    // Within one piece of evidence, a path identifies one file; across images, every image has a `p1/Windows`.
    let fit = &found.fit;
    let names = fit.cites_subject || fit.values.iter().any(|bound| bound.field == fit.subject.field);
    if !elsewhere && names && matches!(subject, FieldValue::Path(path) if *path == locator.path) {
        return false;
    }
    let profiles = argument("under").and_then(profile).zip(profile(&locator.path));
    let of_other = profiles.is_some_and(|(asked, own)| fold::path(asked) != fold::path(own));
    elsewhere
        || of_other
        || !looked.contains(&own) && looked.iter().any(|(_, path)| name(path) == name(own.1))
}

/// Returns the user-profile folder that contains a path, with what precedes it.
fn profile(path: &str) -> Option<&str> {
    ["Users", "Documents and Settings"].into_iter().find_map(|folder| {
        let mut end = 0;
        let mut parts = path.split_inclusive('/').map(|part| {
            end += part.len();
            (end, part.trim_end_matches('/'))
        });
        parts.find(|(_, part)| part.eq_ignore_ascii_case(folder))?;
        let (end, _) = parts.next().filter(|(_, user)| !user.is_empty())?;
        Some(path.get(..end)?.trim_end_matches('/'))
    })
}

/// Checks whether there are labels and all of them are of other evidence than `own`.
fn looked_elsewhere<'l>(labels: impl Iterator<Item = &'l str>, own: &str) -> bool {
    let mut labels = labels.peekable();
    labels.peek().is_some() && labels.all(|label| label != own)
}

/// The length in characters from which a quotation tells one text from others.
const SHORT_QUOTATION: usize = 12;

/// Checks whether a place is the same evidence as a known one, or the same record of an equal output.
fn joins(known: &Found<'_>, stored: &Output, fit: &Fit<'_>) -> bool {
    let same_output = known.stored.digest() == stored.digest() && known.fit.record.id == fit.record.id;
    same_output || known.fit.same_evidence(fit)
}

fn refuse_several(miss: &Miss<'_>, places: &Places<'_>, setting: &Setting<'_>) -> Rejection {
    let most = setting.rules.candidates as usize;
    refuse(
        RejectionCode::Ambiguous,
        match (places.found.len(), places.cut) {
            (1, false) => format!(
                "{}; another result of yours holds this reading, but so little tells it from others",
                miss.reason
            ),
            (number, false) => {
                format!("{}; {number} places in your other results hold this reading", miss.reason)
            }
            (_, true) => {
                format!("{}; very many records of your other results hold this reading", miss.reason)
            }
        },
        "Cite the invocation and record you mean.".to_owned(),
        places.found.iter().take(most).map(|found| fit_candidate(found.held, &found.fit)).collect(),
    )
}

/// Returns the original reason, with the nearest text and the latest real ids.
fn refuse_miss(claim: &Claim<'_>, miss: &Miss<'_>, shelf: &Shelf, setting: &Setting<'_>) -> Rejection {
    let most = setting.rules.candidates as usize;
    let mut places: Vec<Candidate> = Vec::new();
    let mut hint = "Cite an invocation of yours whose records hold the values as you state them.";
    if let Some(part) = quotable(claim, miss, setting) {
        hint = "That is only a part of a text: state it with predicate `quoted`, or state the whole text.";
        places.push(part);
    } else if let Some(near) = nearest(claim, miss, shelf, setting) {
        hint = "The first candidate holds the nearest text; state exactly what stands there, if you mean it.";
        places.push(near);
    }
    let recent = shelf.held().iter().rev().filter(|held| held.grounds().is_some());
    places.extend(recent.map(|held| candidate(held, None, None, None)).take(most));
    places.truncate(most);
    if places.is_empty() {
        hint = "No call of yours has returned records yet: search first.";
    }
    refuse(miss.code, miss.reason.clone(), hint.to_owned(), places)
}

/// Returns the cited record if a claimed value is a part of its text that could be quoted.
fn quotable(claim: &Claim<'_>, miss: &Miss<'_>, setting: &Setting<'_>) -> Option<Candidate> {
    let held = miss.cited.filter(|_| claim.manner() == Manner::Whole)?;
    let tiers = &setting.rules.tiers;
    let wanted = absent(claim, held, setting)?;
    let records = held.grounds()?.records();
    let record = records.iter().find(|record| stands(wanted, record, Manner::Quoting, tiers))?;
    Some(candidate(held, Some(record), wanted.field, None))
}

/// Returns the text nearest to the missing value: in the cited output, else in the others (see [`crate::near`]).
fn nearest(claim: &Claim<'_>, miss: &Miss<'_>, shelf: &Shelf, setting: &Setting<'_>) -> Option<Candidate> {
    let cited = miss.cited.and_then(|held| Some((held, held.grounds()?)));
    let (text, field) = match cited {
        Some((held, _)) => missing(claim, held, setting)?,
        None => claim.anchor().map(|wanted| (wanted.needle.raw(), wanted.field))?,
    };
    let known = |field: &&str| cited.is_none_or(|(held, _)| holds_field(held, field));
    let mut nearest = Nearest::new(text, field.filter(known));
    if let Some((held, stored)) = cited {
        nearest.look(held, stored.records());
    }
    if !nearest.is_found() {
        nearest.look_elsewhere(shelf);
    }
    nearest.into_candidate()
}

fn holds_field(held: &Held, field: &str) -> bool {
    held.grounds().is_some_and(|stored| stored.records().iter().any(|r| r.fields.contains_key(field)))
}

/// Returns the text that is missing from the cited output, with the field it was claimed for.
fn missing<'r>(claim: &Claim<'r>, held: &Held, setting: &Setting<'_>) -> Option<(&'r str, Option<&'r str>)> {
    let value = absent(claim, held, setting).map(|wanted| (wanted.needle.raw(), wanted.field));
    let subject = || claim.subject.as_ref().map(|needle| (needle.raw(), None));
    value.or_else(subject)
}

/// Returns the first value that is in no record of the output.
fn absent<'c, 'r>(claim: &'c Claim<'r>, held: &Held, setting: &Setting<'_>) -> Option<&'c Wanted<'r>> {
    let records = held.grounds()?.records();
    let tiers = &setting.rules.tiers;
    claim.values.iter().find(|wanted| !records.iter().any(|r| stands(wanted, r, claim.manner(), tiers)))
}

/// Checks whether every value and the subject are somewhere among `records`.
pub(crate) fn all_stand(claim: &Claim<'_>, records: &[Record], setting: &Setting<'_>) -> bool {
    let tiers = &setting.rules.tiers;
    let has_subject = |needle: &Needle<'_>, record: &Record| {
        let own = setting.types.get(&record.kind).map(|kind| kind.subject.as_str());
        subject(needle, record, own, tiers).is_some()
    };
    claim.values.iter().all(|wanted| records.iter().any(|r| stands(wanted, r, claim.manner(), tiers)))
        && claim.subject.as_ref().is_none_or(|needle| records.iter().any(|r| has_subject(needle, r)))
}
