//! Chooses among the records of one output that fit a claim: at most one of them becomes its fact.

use crate::bind::{Bound, Fit, Misfit, Unclear, bind};
use crate::claim::{Claim, Wanted};
use crate::judge::Setting;
use crate::reference::proved;
use crate::refusal::{candidate, choose_predicate, fit_candidate, list, quote, refuse};
use crate::shelf::Held;
use crate::weak::is_weak;
use ledger::vocabulary::Meaning;
use ledger::{Clock, FieldValue, Placement, Record, Rejection, RejectionCode};
use std::cmp::Reverse;

/// The result of binding a claim to some records.
#[derive(Debug, Default)]
pub(crate) struct Search<'o> {
    /// The records that fit; the same evidence counts once.
    pub(crate) fits: Vec<Fit<'o>>,
    /// The first ambiguous record that could prove the predicate.
    pub(crate) unclear: Option<Unclear<'o>>,
    /// The first ambiguous record that could not prove it.
    pub(crate) besides: Option<Unclear<'o>>,
}

/// Binds a claim to each of `records`.
pub(crate) fn search<'o>(
    claim: &Claim<'_>,
    records: impl IntoIterator<Item = &'o Record>,
    setting: &Setting<'_>,
) -> Search<'o> {
    let mut found = Search::default();
    for record in records {
        match bind(claim, record, setting) {
            Ok(fit) => add(&mut found.fits, fit),
            Err(Misfit::Absent) => {}
            Err(Misfit::Unclear(unclear)) => {
                let place =
                    if proves(claim, record, setting) { &mut found.unclear } else { &mut found.besides };
                place.get_or_insert(unclear);
            }
        }
    }
    found
}

fn add<'o>(fits: &mut Vec<Fit<'o>>, fit: Fit<'o>) {
    if !fits.iter().any(|known| known.same_evidence(&fit)) {
        fits.push(fit);
    }
}

/// Why a record that holds a whole reading does not prove it, most serious first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Objection {
    /// Its type does not prove the predicate.
    Predicate,
    /// Its file is in a place where Windows does not keep such files.
    Misplaced,
    /// A value that the reading states says the opposite of the predicate.
    Denied,
    /// The reading leaves out a field that the predicate needs for such a record.
    Unstated,
    /// The reading leaves out a field that says what the record is really about.
    /// Examples are an alternate data stream, or clusters that now belong to another file.
    Unqualified,
    /// It contains a time that the machine holding a copy wrote.
    CopiedTime,
    /// Its values do not tell the record apart.
    Weak,
}

/// Returns the objection to taking `fit` as the proof of `claim`, if there is one.
pub(crate) fn objection(claim: &Claim<'_>, fit: &Fit<'_>, setting: &Setting<'_>) -> Option<Objection> {
    if !proves(claim, fit.record, setting) {
        return Some(Objection::Predicate);
    }
    let meaning = setting.vocabulary.meaning(&claim.predicate);
    if meaning.is_some_and(|meaning| !meaning.is_proved_at(fit.record.placement)) {
        return Some(Objection::Misplaced);
    }
    if meaning.is_some_and(|meaning| meaning.denied_by(fit.record).is_some()) {
        return Some(Objection::Denied);
    }
    if let Some((meaning, field)) = meaning.and_then(|m| Some((m, m.states.get(&fit.record.kind)?))) {
        if !states(fit, field) {
            return Some(Objection::Unstated);
        }
        let denies = meaning.unless.get(&fit.record.kind);
        let denied = |bound: &Bound<'_>| {
            denies.is_some_and(|values| values.contains(bound.held.value.to_text().as_ref()))
                || is_the_same(fit.record, meaning, &bound.held.value)
        };
        if fit.values.iter().any(|bound| bound.field == field && denied(bound)) {
            return Some(Objection::Denied);
        }
    }
    if unstated_qualifier(fit, setting).is_some() {
        return Some(Objection::Unqualified);
    }
    if fit.values.iter().any(is_copied_time) {
        return Some(Objection::CopiedTime);
    }
    // A weak value matches too many fields by chance for the gateway to choose its field, whatever other values there are.
    let unplaced =
        |(wanted, bound): (&Wanted<'_>, &Bound<'_>)| wanted.field.is_none() && is_weak(bound, setting.rules);
    let unplaced = claim.values.iter().zip(&fit.values).any(unplaced);
    (unplaced || is_all_weak(fit, setting) && !fit.cites_record).then_some(Objection::Weak)
}

/// Checks whether a record of a change says that nothing changed: its other field has the stated value, too.
fn is_the_same(record: &Record, meaning: &Meaning, stated: &FieldValue) -> bool {
    let other = meaning.unlike.get(&record.kind).and_then(|field| record.fields.get(field));
    other.is_some_and(|other| other.value.to_text() == stated.to_text())
}

/// Checks whether records of this type can prove the predicate at all.
fn proves(claim: &Claim<'_>, record: &Record, setting: &Setting<'_>) -> bool {
    let meaning = setting.vocabulary.meaning(&claim.predicate);
    meaning.is_some_and(|meaning| meaning.proved_by.contains(&record.kind))
}

/// Checks whether every value of the reading is weak.
pub(crate) fn is_all_weak(fit: &Fit<'_>, setting: &Setting<'_>) -> bool {
    fit.values.iter().all(|bound| is_weak(bound, setting.rules))
}

/// Checks whether the reading states the field with a meaningful value: a time that names no instant says nothing.
fn states(fit: &Fit<'_>, field: &str) -> bool {
    fit.values.iter().any(|bound| {
        let instant = !matches!(&bound.held.value, FieldValue::Time(time) if time.utc.is_none());
        bound.field == field && instant
    })
}

/// Returns the first field that says what the record is really about and that the reading does not state.
fn unstated_qualifier<'s>(fit: &Fit<'_>, setting: &Setting<'s>) -> Option<&'s str> {
    let mut needed = setting.types.get(&fit.record.kind)?.qualifiers.iter().map(String::as_str);
    needed.find(|field| {
        fit.record.fields.contains_key(*field) && !fit.values.iter().any(|bound| bound.field == *field)
    })
}

fn is_copied_time(bound: &Bound<'_>) -> bool {
    matches!(&bound.held.value, FieldValue::Time(time) if time.clock == Clock::CollectionCopy)
}

/// Names the field by which the record denies the predicate, in brackets; empty if the reading states that field itself.
fn denying(claim: &Claim<'_>, fit: &Fit<'_>, setting: &Setting<'_>) -> String {
    let meaning = setting.vocabulary.meaning(&claim.predicate);
    let field = meaning.and_then(|meaning| meaning.denied_by(fit.record));
    field.map(|field| format!(" (`{field}`)")).unwrap_or_default()
}

/// Chooses the one record that proves the claim; `None` if nothing fits.
pub(crate) fn choose<'o>(
    claim: &Claim<'_>,
    held: &Held,
    found: Search<'o>,
    setting: &Setting<'_>,
) -> Result<Option<Fit<'o>>, Rejection> {
    let (mut proofs, mut objected) = (Vec::new(), Vec::new());
    for fit in found.fits {
        match objection(claim, &fit, setting) {
            None => proofs.push(fit),
            Some(objection) => objected.push((objection, fit)),
        }
    }
    if proofs.is_empty() {
        // If there are several, the one that is closest to a proof makes the most useful hint.
        let closest = objected.into_iter().min_by_key(|(objection, _)| Reverse(*objection));
        return match (closest, found.unclear.or(found.besides)) {
            (Some((objection, fit)), _) => Err(refuse_objection(claim, held, &fit, objection, setting)),
            (None, Some(unclear)) => Err(refuse_unclear(held, &unclear)),
            (None, None) => Ok(None),
        };
    }
    if let Some(unclear @ Unclear::SeveralFields { .. }) = &found.unclear {
        return Err(refuse_unclear(held, unclear));
    }
    if proofs.len() > 1 && proofs.iter().filter(|fit| fit.is_exact()).count() == 1 {
        // An exact match is what the agent was shown; other matches are only equivalent.
        proofs.retain(Fit::is_exact);
    }
    match proofs.as_slice() {
        [fit] => Ok(Some(fit.clone())),
        _ => Err(refuse_several(held, &proofs, setting)),
    }
}

fn refuse_several(held: &Held, fits: &[Fit<'_>], setting: &Setting<'_>) -> Rejection {
    refuse(
        RejectionCode::Ambiguous,
        format!("{} records of {} hold this reading", fits.len(), held.invocation),
        "Cite the record you mean.".to_owned(),
        fits.iter().take(setting.rules.candidates as usize).map(|fit| fit_candidate(held, fit)).collect(),
    )
}

fn refuse_unclear(held: &Held, unclear: &Unclear<'_>) -> Rejection {
    match unclear {
        Unclear::SeveralFields { record, text, fields } => refuse(
            RejectionCode::Ambiguous,
            format!(
                "{} stands in several fields of {}: {}",
                quote(text),
                record.id,
                list(fields.iter().copied(), 5)
            ),
            "Name the field you mean.".to_owned(),
            vec![candidate(held, Some(record), None, None)],
        ),
        Unclear::SameField { field } => refuse(
            RejectionCode::Malformed,
            format!("two values of the reading are bound to the field {}", list([*field], 1)),
            "Give each field one value.".to_owned(),
            Vec::new(),
        ),
        Unclear::NoSubject { record } => refuse(
            RejectionCode::ValueAbsent,
            format!("{} holds the values, but not what it is about", record.id),
            "Give as subject a path or name that stands in the record.".to_owned(),
            vec![candidate(held, Some(record), None, None)],
        ),
    }
}

fn refuse_objection(
    claim: &Claim<'_>,
    held: &Held,
    fit: &Fit<'_>,
    objection: Objection,
    setting: &Setting<'_>,
) -> Rejection {
    let kind = list([fit.record.kind.as_str()], 1);
    let offered = |before: String| if setting.by_reference { proved(fit, setting) } else { before };
    let (code, reason, hint) = match objection {
        Objection::Predicate => (
            RejectionCode::Overclaim,
            format!("{} holds the values, but a {kind} does not prove `{}`", fit.record.id, claim.predicate),
            offered(choose_predicate(setting.vocabulary.proved_by(&fit.record.kind))),
        ),
        Objection::Misplaced => {
            let (path, predicate) = (quote(&fit.record.locator.path), &claim.predicate);
            let why = match fit.record.placement {
                Some(Placement::Foreign) => {
                    "and names another computer as the one that wrote it: of this one"
                }
                _ => &format!("which is not where Windows keeps a {kind}: there"),
            };
            (
                RejectionCode::Overclaim,
                format!("{} is of {path}, {why} it does not prove `{predicate}`", fit.record.id),
                offered(choose_predicate(setting.vocabulary.proved_by(&fit.record.kind).filter(|other| {
                    setting.vocabulary.meaning(other).is_some_and(|meaning| meaning.anywhere)
                }))),
            )
        }
        Objection::Unstated => (
            RejectionCode::Overclaim,
            format!("`{}` of a {kind} says nothing without the field that states it", claim.predicate),
            match setting.vocabulary.meaning(&claim.predicate).and_then(|m| m.states.get(&fit.record.kind)) {
                Some(field) if setting.by_reference => match fit.record.fields.get(field) {
                    Some(held) => format!(
                        "State `{field}`, which is {}, or cite the record.",
                        quote(&held.value.to_text())
                    ),
                    None => proved(fit, setting),
                },
                Some(field) => format!("State `{field}` as the record has it; a time must name an instant."),
                None => String::new(),
            },
        ),
        Objection::Denied => (
            RejectionCode::Overclaim,
            format!(
                "what {} holds{} says the opposite of `{}`",
                fit.record.id,
                denying(claim, fit, setting),
                claim.predicate
            ),
            offered(choose_predicate(
                setting.vocabulary.proved_by(&fit.record.kind).filter(|other| **other != claim.predicate),
            )),
        ),
        Objection::Unqualified => (
            RejectionCode::Overclaim,
            format!(
                "{} does not tell of the whole of {}, and the reading does not say so",
                fit.record.id,
                quote(&fit.subject.held.value.to_text())
            ),
            unstated_qualifier(fit, setting)
                .map_or_else(String::new, |field| format!("State `{field}` as the record has it.")),
        ),
        Objection::CopiedTime => (
            RejectionCode::Overclaim,
            format!("the time in {} belongs to the collected copy, not to the examined host", fit.record.id),
            "Leave the time out, or cite a source that the host itself wrote.".to_owned(),
        ),
        Objection::Weak => (
            RejectionCode::TooWeak,
            "values as short as these stand in many records by chance".to_owned(),
            "Cite the record, and name the field of each value.".to_owned(),
        ),
    };
    refuse(code, reason, hint, vec![fit_candidate(held, fit)])
}
