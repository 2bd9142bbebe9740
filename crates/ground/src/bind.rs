//! Binds the values of a claim to the fields of one record.

use crate::claim::{Claim, Wanted};
use crate::judge::Setting;
use crate::matching::{Manner, match_field};
use crate::needle::Needle;
use crate::reference::completed;
use ledger::{Field, FieldValue, Record, Tier};

/// A claimed value and the field that holds it.
#[derive(Debug, Clone)]
pub(crate) struct Bound<'o> {
    pub(crate) field: &'o str,
    pub(crate) held: &'o Field,
    pub(crate) tier: Tier,
    pub(crate) quotation: Option<String>,
    pub(crate) item: Option<&'o str>,
}

/// A record that holds a whole claim: its subject and all its values.
#[derive(Debug, Clone)]
pub(crate) struct Fit<'o> {
    pub(crate) record: &'o Record,
    pub(crate) subject: Bound<'o>,
    pub(crate) values: Vec<Bound<'o>>,
    /// Fields that limit what the record says, by its type ([`ledger::RecordType::scope`]), and that the agent did not state.
    pub(crate) scope: Vec<Bound<'o>>,
    /// Whether the agent stated the subject of the reading.
    pub(crate) cites_subject: bool,
    /// Whether the agent identified the record, by its id or by its subject.
    pub(crate) cites_record: bool,
}

/// Why a claim does not fit a record.
#[derive(Debug, Clone)]
pub(crate) enum Misfit<'o> {
    /// The subject or a value is not in the record.
    Absent,
    /// Everything is in the record, but it is ambiguous how it binds.
    Unclear(Unclear<'o>),
}

/// What is ambiguous about a record that holds every value.
#[derive(Debug, Clone)]
pub(crate) enum Unclear<'o> {
    /// A value without a field name matches several fields.
    SeveralFields { record: &'o Record, text: String, fields: Vec<&'o str> },
    /// Two values match one field that is not a list.
    SameField { field: &'o str },
    /// All values are in the record, but the record has no subject.
    NoSubject { record: &'o Record },
}

impl Fit<'_> {
    /// Checks whether both fits are one place in the evidence with the same values: the same record, read twice.
    pub(crate) fn same_evidence(&self, other: &Fit<'_>) -> bool {
        let same = |(a, b): (&Bound<'_>, &Bound<'_>)| a.field == b.field && a.held.value == b.held.value;
        self.record.locator == other.record.locator
            && self.values.len() == other.values.len()
            && self.scope.len() == other.scope.len()
            && same((&self.subject, &other.subject))
            && self.values.iter().zip(&other.values).all(same)
            && self.scope.iter().zip(&other.scope).all(same)
    }

    /// Whether the subject and every value match byte for byte.
    pub(crate) fn is_exact(&self) -> bool {
        self.values.iter().chain([&self.subject]).all(|bound| bound.tier == Tier::Exact)
    }
}

/// Binds a claim to `record`.
pub(crate) fn bind<'o>(
    claim: &Claim<'_>,
    record: &'o Record,
    setting: &Setting<'_>,
) -> Result<Fit<'o>, Misfit<'o>> {
    let tiers = &setting.rules.tiers;
    // This value is checked first because it rules out most records, whose other values then need no check.
    if !claim.anchor().is_some_and(|wanted| stands(wanted, record, claim.manner(), tiers)) {
        return Err(Misfit::Absent);
    }
    // A record that lacks another value is not meant either, however many of its fields hold this one.
    if !claim.values.iter().all(|wanted| stands(wanted, record, claim.manner(), tiers)) {
        return Err(Misfit::Absent);
    }
    let own = setting.types.get(&record.kind).map(|kind| kind.subject.as_str());
    let claimed = match &claim.subject {
        Some(needle) => Some(subject(needle, record, own, tiers).ok_or(Misfit::Absent)?),
        None => None,
    };
    let values = claim.values.iter().map(|wanted| place(wanted, record, claim.manner(), tiers));
    let values = values.collect::<Result<Vec<_>, _>>()?;
    if claim.manner() == Manner::Quoting && !values.iter().any(|bound| is_text(&bound.held.value)) {
        return Err(Misfit::Absent);
    }
    if let Some(field) = field_bound_twice(&values) {
        return Err(Misfit::Unclear(Unclear::SameField { field }));
    }
    let named = claimed.is_some();
    let subject = claimed
        .or_else(|| own_subject(record, own?))
        .ok_or(Misfit::Unclear(Unclear::NoSubject { record }))?;
    let mut values = values;
    if setting.by_reference && claim.record.is_some() {
        values.extend(completed(&claim.predicate, record, &values, setting));
    }
    let scope = unstated(record, &values, setting);
    let cites_record = named || claim.record.is_some();
    Ok(Fit { record, subject, values, scope, cites_subject: named, cites_record })
}

/// Returns the fields of the record's scope that the record has and the claim does not state.
fn unstated<'o>(record: &'o Record, values: &[Bound<'_>], setting: &Setting<'_>) -> Vec<Bound<'o>> {
    let scope = setting.types.get(&record.kind).map(|kind| kind.scope.as_slice()).unwrap_or_default();
    let held = scope.iter().filter_map(|field| record.fields.get_key_value(field));
    let held = held.filter(|(field, _)| !values.iter().any(|bound| bound.field == *field));
    held.map(|(field, held)| Bound { field, held, tier: Tier::Exact, quotation: None, item: None }).collect()
}

/// Finds the field that holds the value: the named field, or the only one that matches.
fn place<'o>(
    wanted: &Wanted<'_>,
    record: &'o Record,
    manner: Manner,
    tiers: &[Tier],
) -> Result<Bound<'o>, Misfit<'o>> {
    let mut places = places(wanted, record, manner, tiers);
    let first = places.next().ok_or(Misfit::Absent)?;
    let others: Vec<_> = places.map(|bound| bound.field).collect();
    if others.is_empty() {
        return Ok(first);
    }
    let fields = std::iter::once(first.field).chain(others).collect();
    Err(Misfit::Unclear(Unclear::SeveralFields { record, text: wanted.needle.raw().to_owned(), fields }))
}

/// Checks whether the record holds the value, in the named field if the value has one.
pub(crate) fn stands(wanted: &Wanted<'_>, record: &Record, manner: Manner, tiers: &[Tier]) -> bool {
    places(wanted, record, manner, tiers).next().is_some()
}

fn places<'o>(
    wanted: &Wanted<'_>,
    record: &'o Record,
    manner: Manner,
    tiers: &[Tier],
) -> impl Iterator<Item = Bound<'o>> {
    let named = wanted.field.map(|name| record.fields.get_key_value(name));
    let all = named.is_none().then(|| record.fields.iter()).into_iter().flatten();
    named.flatten().into_iter().chain(all).filter_map(move |(field, held)| {
        // Besides its quotation, a reading may name the line or the file of the quoted text.
        let beside = wanted.field.is_some() && !is_text(&held.value);
        bound(&wanted.needle, field, held, record, if beside { Manner::Whole } else { manner }, tiers)
    })
}

/// Checks whether words can be quoted from the value.
fn is_text(value: &FieldValue) -> bool {
    matches!(value, FieldValue::Text(_) | FieldValue::List(_))
}

/// Returns all fields of the record that hold the text, whichever field it was claimed for.
pub(crate) fn fields_with<'o>(
    needle: &Needle<'_>,
    record: &'o Record,
    manner: Manner,
    tiers: &[Tier],
) -> Vec<Bound<'o>> {
    record
        .fields
        .iter()
        .filter_map(|(field, held)| bound(needle, field, held, record, manner, tiers))
        .collect()
}

/// Returns the field that holds the claimed subject: only the subject field of the record's type counts.
///
/// The values are about that subject; a match in a neighbouring field would make the claim say something else.
pub(crate) fn subject<'o>(
    needle: &Needle<'_>,
    record: &'o Record,
    own: Option<&str>,
    tiers: &[Tier],
) -> Option<Bound<'o>> {
    let (field, held) = record.fields.get_key_value(own?)?;
    bound(needle, field, held, record, Manner::Whole, tiers)
}

fn own_subject<'o>(record: &'o Record, own: &str) -> Option<Bound<'o>> {
    let (field, held) = record.fields.get_key_value(own)?;
    Some(Bound { field, held, tier: Tier::Exact, quotation: None, item: None })
}

fn bound<'o>(
    needle: &Needle<'_>,
    field: &'o str,
    held: &'o Field,
    record: &Record,
    manner: Manner,
    tiers: &[Tier],
) -> Option<Bound<'o>> {
    let found = match_field(needle, &held.value, &record.locator.path, manner, tiers)?;
    Some(Bound { field, held, tier: found.tier, quotation: found.quotation, item: found.item })
}

/// Finds a field to which two values are bound. A list can hold several values; any other field holds one.
fn field_bound_twice<'o>(values: &[Bound<'o>]) -> Option<&'o str> {
    let twice = |(place, bound): (usize, &Bound<'o>)| {
        let list = matches!(bound.held.value, FieldValue::List(_));
        (!list && values.iter().take(place).any(|other| other.field == bound.field)).then_some(bound.field)
    };
    values.iter().enumerate().find_map(twice)
}
