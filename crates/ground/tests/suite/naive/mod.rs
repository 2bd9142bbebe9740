//! A second judge of readings: slow, obvious, and written from the description of the rules alone.
//!
//! It shares no code with the gateway, and its author had not read the gateway.
//! It scans every record of every call and gives every answer that the contract permits, not only one.
//! If the contract leaves a choice open, a comment there says `Open:`, and both answers are permitted.

#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    reason = "a test fails by panicking; nothing here came from outside"
)]

mod codes;
mod matching;
mod texts;
mod times;

use ledger::{
    BoundValue, FieldValue, GateRules, InvocationId, Outcome, Output, Predicate, Reading, Record, RecordId,
    RecordType, RejectionCode, Vocabulary,
};
pub use matching::{Held, Holding, held};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// One call of the task.
pub struct Own {
    pub id: InvocationId,
    pub outcome: Outcome,
    pub output: Option<Arc<Output>>,
}

/// What a reading is judged by.
pub struct Case<'a> {
    pub reading: &'a Reading,
    pub own: &'a [Own],
    pub foreign: &'a BTreeSet<InvocationId>,
    pub rules: &'a GateRules,
    pub vocabulary: &'a Vocabulary,
    pub types: &'a BTreeMap<String, RecordType>,
}

/// A place that may ground the reading.
#[derive(Debug, Clone)]
pub struct Place {
    pub invocation: InvocationId,
    pub record: RecordId,
    /// For each value of the reading, the fields to which it may be bound.
    pub values: Vec<Vec<Holding>>,
}

/// All correct answers.
#[derive(Debug)]
pub struct Opinion {
    /// Where it may be accepted; empty if it must be refused.
    pub places: Vec<Place>,
    /// The codes with which it may be refused; empty if it must be accepted.
    pub codes: BTreeSet<RejectionCode>,
    /// Whether an acceptance must carry a healing; `None` if that is open.
    pub healed: Option<bool>,
}

impl Opinion {
    /// Checks whether a fact with these bindings is one of the correct answers.
    pub fn permits(
        &self,
        invocation: InvocationId,
        record: RecordId,
        values: &[BoundValue],
        may_be_added: impl Fn(&BoundValue) -> bool,
    ) -> bool {
        self.places.iter().any(|place| {
            (place.invocation, place.record) == (invocation, record)
                && place.values.len() <= values.len()
                && values.iter().skip(place.values.len()).all(&may_be_added)
                && place.values.iter().zip(values).all(|(may, bound)| {
                    may.iter()
                        .any(|holding| holding.field == bound.field && holding.tiers.contains(&bound.tier))
                })
        })
    }
}

/// How certainly something holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sure {
    No,
    /// Not as the reading says it, but close enough that it may be meant: the agent must say which field.
    Doubt,
    /// The contract permits both answers.
    Open,
    Yes,
}

/// Judges by searching everything.
pub fn opinion(case: &Case<'_>) -> Opinion {
    if malformed(case) {
        return refused([RejectionCode::Malformed, RejectionCode::Overclaim]);
    }
    let cited = case.own.iter().find(|own| own.id.to_string() == written(&case.reading.invocation));
    if let Some(own) = cited {
        let hits: Vec<_> = hits(case, own).into_iter().filter(|hit| is_cited(case, hit)).collect();
        if hits.iter().any(|hit| hit.sure > Sure::No) {
            let opinion = among(case, &hits);
            let exact = own.id.to_string() == case.reading.invocation.trim();
            // A corrected id is a healing, too.
            return Opinion {
                healed: if exact { opinion.healed } else { opinion.healed.map(|_| true) },
                ..opinion
            };
        }
    }
    rescued(case)
}

/// Reads an id as agents write it: in capitals, in quotation marks, without the prefix of all ids. It still identifies its call.
pub fn written(id: &str) -> String {
    let plain = id.trim().trim_matches(['`', '"', '\'']).to_ascii_lowercase();
    format!("inv-{}", plain.strip_prefix("inv-").unwrap_or(&plain))
}

/// Checks the form. Open: whether a predicate outside the vocabulary is malformed or an overclaim.
fn malformed(case: &Case<'_>) -> bool {
    let predicate = Predicate(case.reading.predicate.clone());
    case.reading.values.is_empty() || case.vocabulary.meaning(&predicate).is_none()
}

fn refused<const N: usize>(codes: [RejectionCode; N]) -> Opinion {
    Opinion { places: Vec::new(), codes: codes.into(), healed: None }
}

/// One record, and how well it grounds the reading.
struct Hit<'a> {
    place: Place,
    record: &'a Record,
    sure: Sure,
}

/// Returns every record of a successful call.
fn hits<'a>(case: &Case<'_>, own: &'a Own) -> Vec<Hit<'a>> {
    let Some(output) = own.output.as_deref().filter(|_| own.outcome == Outcome::Ok) else {
        return Vec::new();
    };
    let hit = |record: &'a Record| {
        let (sure, values) = grounds(case, record);
        let place = Place { invocation: own.id, record: record.id, values };
        Hit { place, record, sure }
    };
    output.records().iter().map(hit).filter(|hit| hit.sure > Sure::No).collect()
}

fn is_cited(case: &Case<'_>, hit: &Hit<'_>) -> bool {
    case.reading.record.as_ref().is_none_or(|cited| *cited == hit.place.record.to_string())
}

/// Judges a reading that the cited call holds: in one record, or in several of which the agent must choose one.
///
/// Open: whether records that are the same evidence count as one here, as they do in a rescue.
fn among(case: &Case<'_>, hits: &[Hit<'_>]) -> Opinion {
    let sure: Vec<_> = hits.iter().filter(|hit| hit.sure == Sure::Yes).collect();
    let enough = enough(case, case.reading.record.is_some());
    let one_evidence = sure.iter().all(|hit| same_evidence(hit.record, sure[0].record));
    let places = places(hits);
    if enough == Sure::No || (sure.len() > 1 && !one_evidence && alike(&sure)) {
        let mut opinion = refused([RejectionCode::TooWeak, RejectionCode::Ambiguous]);
        // A judge that does not consider it grounded at all has another reason.
        if sure.len() < hits.len() {
            opinion.codes = codes::every();
        }
        return opinion;
    }
    if sure.len() == 1 && hits.len() == 1 && enough == Sure::Yes {
        return Opinion { places, codes: BTreeSet::new(), healed: Some(false) };
    }
    // A judge that does not consider it grounded searches elsewhere, so every answer of the rescue is right, too.
    let mut opinion = rescued(case);
    opinion.codes = codes::every();
    opinion.places.extend(places);
    opinion.healed = None;
    opinion
}

fn places(hits: &[Hit<'_>]) -> Vec<Place> {
    hits.iter().filter(|hit| hit.sure > Sure::Doubt).map(|hit| hit.place.clone()).collect()
}

/// Checks whether no hit holds the values at a better tier than another.
///
/// Open: whether the strongest tier decides if several records hold a reading; the contract orders the tiers.
fn alike(hits: &[&Hit<'_>]) -> bool {
    let best = |hit: &Hit<'_>| -> Vec<_> {
        let best =
            |may: &Vec<Holding>| may.iter().flat_map(|holding| holding.tiers.iter().min()).min().copied();
        hit.place.values.iter().map(best).collect()
    };
    hits.iter().all(|hit| best(hit) == best(hits[0]))
}

/// Judges a reading that the cited call does not hold: is there exactly one other place?
///
/// Open: whether the cited record counts in the rescue: a record's id means nothing in another output.
fn rescued(case: &Case<'_>) -> Opinion {
    let hits: Vec<_> = case.own.iter().flat_map(|own| hits(case, own)).collect();
    let reasons = codes::of(case);
    if !case.rules.rescue || hits.is_empty() {
        return Opinion { places: Vec::new(), codes: reasons, healed: None };
    }
    let evidence = |hits: &[&Hit<'_>]| {
        let mut seen: Vec<&Record> = Vec::new();
        for hit in hits {
            if !seen.iter().any(|known| same_evidence(known, hit.record)) {
                seen.push(hit.record);
            }
        }
        seen.len()
    };
    let found = evidence(&hits.iter().collect::<Vec<_>>());
    let sure = evidence(&hits.iter().filter(|hit| hit.sure == Sure::Yes).collect::<Vec<_>>());
    let discriminates = enough(case, false);
    let mut codes = reasons;
    codes.extend([RejectionCode::Ambiguous, RejectionCode::TooWeak]);
    let alike = alike(&hits.iter().filter(|hit| hit.sure == Sure::Yes).collect::<Vec<_>>());
    if discriminates == Sure::No || (sure > 1 && alike) {
        return Opinion { places: Vec::new(), codes, healed: None };
    }
    let places = places(&hits);
    // Open: a reading that cited the wrong record may be healed or refused with a hint.
    let outright = sure == 1 && found == 1 && hits.iter().all(|hit| hit.sure == Sure::Yes);
    if outright
        && discriminates == Sure::Yes
        && tells_apart(case, hits[0].record)
        && case.reading.record.is_none()
    {
        return Opinion { places, codes: BTreeSet::new(), healed: Some(true) };
    }
    let healed = case.reading.record.is_none().then_some(true);
    Opinion { places, codes, healed }
}

/// Checks whether a strong value of the reading is in no other evidence of the task, in whatever field.
///
/// Open: what a discriminating value is: one that is long enough, or one that nothing else holds; how long a quotation must be.
fn tells_apart(case: &Case<'_>, record: &Record) -> bool {
    let outputs =
        case.own.iter().filter(|own| own.outcome == Outcome::Ok).filter_map(|own| own.output.as_deref());
    let others: Vec<_> =
        outputs.flat_map(Output::records).filter(|other| !same_evidence(other, record)).collect();
    let alone = |text: &str| {
        let holds =
            |other: &&Record| other.fields.values().any(|field| held(text, &field.value, true) != Held::No);
        !others.iter().any(holds)
    };
    let long = |text: &str| {
        case.reading.predicate != "quoted" || text.chars().filter(|c| c.is_alphanumeric()).count() > 16
    };
    let enough = |text: &str| strength(case, text) == Sure::Yes && long(text) && alone(text);
    case.reading.values.iter().any(|value| enough(&value.value))
}

/// Checks whether two records are the same bytes of evidence, read in the same way.
fn same_evidence(one: &Record, other: &Record) -> bool {
    one.locator == other.locator && one.kind == other.kind
}

/// Returns whether one record grounds the reading, and the fields to which each value may be bound.
fn grounds(case: &Case<'_>, record: &Record) -> (Sure, Vec<Vec<Holding>>) {
    let (mut sure, values) = stands(case, record);
    sure = sure.min(proves(case, record, &values)).min(qualified(case, record, &values));
    (sure, values)
}

/// Returns whether the record has the subject and values, whatever the predicate says about them.
pub fn stands(case: &Case<'_>, record: &Record) -> (Sure, Vec<Vec<Holding>>) {
    let quotes = case.reading.predicate == "quoted";
    let mut sure = subject(case, record);
    let mut values = Vec::new();
    for value in &case.reading.values {
        let (one, holdings) = bound(record, value.field.as_deref(), &value.value, quotes);
        sure = sure.min(one);
        values.push(holdings);
    }
    // Open: two values of the same field, such as two items of a list.
    let fields: Vec<_> = values.iter().filter_map(|may| may.first()).map(|holding| &holding.field).collect();
    if fields.iter().collect::<BTreeSet<_>>().len() < fields.len() {
        sure = sure.min(Sure::Open);
    }
    (sure, values)
}

/// Judges the subject: a stated subject must be the value of the record's subject field.
///
/// Open: what happens to a record without that field; whether a subject may be a quotation.
fn subject(case: &Case<'_>, record: &Record) -> Sure {
    let field = case.types.get(&record.kind).and_then(|kind| record.fields.get(&kind.subject));
    match field {
        _ if case.reading.subject.is_empty() => field.map_or(Sure::Open, |_| Sure::Yes),
        None => Sure::No,
        Some(field) => held(&case.reading.subject, &field.value, false).sure(),
    }
}

/// Binds a value: a named value to the field of that name, another value to exactly one field of the record.
fn bound(record: &Record, name: Option<&str>, value: &str, quotes: bool) -> (Sure, Vec<Holding>) {
    let holding = |field: &String| {
        let held = held(value, &record.fields[field].value, quotes);
        (held.sure(), Holding { field: field.clone(), tiers: held.tiers() })
    };
    if let Some(name) = name {
        let found: Vec<_> = record.fields.keys().filter(|field| *field == name).map(holding).collect();
        let sure = found.first().map_or(Sure::No, |(sure, _)| *sure);
        return (sure, found.into_iter().map(|(_, holding)| holding).collect());
    }
    let found: Vec<_> = record.fields.keys().map(holding).filter(|(sure, _)| *sure > Sure::No).collect();
    let certain = found.iter().filter(|(sure, _)| *sure == Sure::Yes).count();
    let text = |holding: &Holding| matches!(record.fields[&holding.field].value, FieldValue::Text(_));
    // Open: whether, in a quotation, a value without a field may be anything but words of a free text.
    // Open: whether the strongest tier decides where several fields hold a value.
    let tiers = |(_, holding): &(Sure, Holding)| holding.tiers.clone();
    if quotes && !found.is_empty() && found.iter().any(|(_, one)| !text(one) || tiers(&found[0]) != one.tiers)
    {
        return (Sure::Open, found.into_iter().map(|(_, holding)| holding).collect());
    }
    let spans = !quotes
        && record.fields.values().any(|field| {
            held(value, &field.value, false) == Held::No && held(value, &field.value, true) != Held::No
        });
    let sure = match (certain, found.len()) {
        (_, 0) => Sure::No,
        // Open: whether a text that only contains the value holds it, if the claim is not a quotation.
        (1, 1) if !spans => Sure::Yes,
        (0 | 1, _) => Sure::Open,
        (_, _) => Sure::Doubt,
    };
    (sure, found.into_iter().map(|(_, holding)| holding).collect())
}

/// Returns whether a record of this type proves the predicate with what the reading states.
fn proves(case: &Case<'_>, record: &Record, values: &[Vec<Holding>]) -> Sure {
    let meaning = case.vocabulary.meaning(&Predicate(case.reading.predicate.clone())).unwrap();
    if !meaning.proved_by.contains(&record.kind) {
        return Sure::No;
    }
    let denying = meaning.denied_by.get(&record.kind).into_iter().flatten();
    for (field, patterns) in denying {
        let text = record.fields.get(field).map(|held| held.value.to_text().to_lowercase());
        let fits = |pattern: &String| match pattern.strip_suffix('*') {
            Some(start) => text.as_ref().is_some_and(|text| text.starts_with(&start.to_lowercase())),
            None => text.as_ref().is_some_and(|text| *text == pattern.to_lowercase()),
        };
        if patterns.iter().any(fits) {
            return Sure::No;
        }
    }
    let mut sure = Sure::Yes;
    if case.reading.predicate == "quoted" {
        // Open: a quotation with no value in a free text.
        let text = |holding: &Holding| matches!(record.fields[&holding.field].value, FieldValue::Text(_));
        if !values.iter().flatten().any(text) {
            sure = Sure::Open;
        }
    }
    let Some(field) = meaning.states.get(&record.kind) else { return sure };
    if !states(values, field) && !completed(case, record, field) {
        let is_subject = case.types[&record.kind].subject == *field && !case.reading.subject.is_empty();
        // Open: a required field that is stated as the subject.
        return if is_subject { Sure::Open } else { Sure::No };
    }
    if matches!(&record.fields[field].value, FieldValue::Time(time) if time.utc.is_none()) {
        // Open: whether a time that names no instant says anything.
        sure = sure.min(Sure::Open);
    }
    let text = record.fields[field].value.to_text();
    let opposite = meaning.unless.get(&record.kind);
    let denies = opposite.is_some_and(|opposite| opposite.iter().any(|o| o.eq_ignore_ascii_case(&text)));
    if denies { Sure::No } else { sure }
}

/// Checks whether a value is bound to the field and to no other.
fn states(values: &[Vec<Holding>], field: &str) -> bool {
    values.iter().any(|may| may.iter().any(|holding| holding.field == field))
}

/// Checks whether the field is stated with the record that the reading cites; it must be a single, meaningful value.
fn completed(case: &Case<'_>, record: &Record, field: &str) -> bool {
    let says = |value: &FieldValue| match value {
        FieldValue::List(_) => false,
        FieldValue::Time(time) => time.utc.is_some(),
        other => !other.to_text().trim().is_empty(),
    };
    case.reading.record.as_deref() == Some(record.id.to_string().as_str())
        && record.fields.get(field).is_some_and(|held| says(&held.value))
}

/// Checks that the reading states each qualifier of the record type that the record has.
fn qualified(case: &Case<'_>, record: &Record, values: &[Vec<Holding>]) -> Sure {
    let qualifiers = &case.types[&record.kind].qualifiers;
    let left_out = qualifiers.iter().any(|field| {
        record.fields.contains_key(field) && !states(values, field) && !completed(case, record, field)
    });
    if left_out { Sure::No } else { Sure::Yes }
}

/// Returns whether the reading says enough to tell one record from another.
///
/// Open: whether a weak value is enough next to a strong one without a cited record; literally it is not.
/// Open: whether several weak values are enough together.
/// Open: whether the subject counts among the values.
fn enough(case: &Case<'_>, record_cited: bool) -> Sure {
    let strengths: Vec<_> = case.reading.values.iter().map(|value| strength(case, &value.value)).collect();
    let weak_are_named = case
        .reading
        .values
        .iter()
        .zip(&strengths)
        .all(|(value, strength)| *strength == Sure::Yes || value.field.is_some());
    let subject = (!case.reading.subject.is_empty()).then(|| strength(case, &case.reading.subject));
    let strongest = strengths.iter().copied().chain(subject).max().unwrap_or(Sure::No);
    let weakest = strengths.iter().copied().min().unwrap_or(Sure::No);
    match (weakest, strongest) {
        (Sure::Yes, _) => Sure::Yes,
        _ if record_cited && weak_are_named => Sure::Yes,
        (_, Sure::No) if strengths.len() == 1 && case.reading.subject.is_empty() => Sure::No,
        _ => Sure::Open,
    }
}

/// Rates a value. Open: a value that is short only in another spelling (`0x10`) or without its marks (`.exe`),
/// one repeated character, yes and no.
fn strength(case: &Case<'_>, value: &str) -> Sure {
    let least = case.rules.weak_below as usize;
    let bare = value.trim().trim_matches(['`', '"', '\'', '.']);
    let number = texts::number(bare).map(|number| number.to_string());
    if value.trim().chars().count() < least {
        return Sure::No;
    }
    let short = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count() < least;
    let flag = ["true", "false"].contains(&bare.to_ascii_lowercase().as_str());
    let few = bare.chars().collect::<BTreeSet<_>>().len() < 2;
    if flag || few || short(bare) || number.is_some_and(|number| short(&number)) {
        Sure::Open
    } else {
        Sure::Yes
    }
}
