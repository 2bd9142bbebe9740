//! True values in combinations that no record has, and texts that no record contains.

use super::cite::somewhere;
use super::mutate::SAID;
use super::seed::{Base, Maker, Seeded, denies};
use super::values::ALL;
use super::world::Beside;
use ledger::{ClaimedValue, InvocationId, Predicate};

/// Takes the value of the same field from the next record of the output in which it differs.
pub(super) fn neighbour(maker: &mut Maker<'_>) -> Option<Seeded> {
    let base = maker.base(ALL)?;
    let records = base.seen.output.records();
    let own = base.value()?;
    let next = records.iter().skip(base.seen.record.id.0 as usize + 1).take(64).find_map(|record| {
        let field = record.fields.get(base.field()).filter(|_| record.kind == base.seen.record.kind)?;
        (field.value != *own).then_some(&field.value)
    })?;
    let text = maker.claimable(next)?;
    Some(somewhere(maker, base.with(text)))
}

/// Combines values of two records of the same type.
pub(super) fn recombined(maker: &mut Maker<'_>) -> Option<Seeded> {
    let mut base = maker.base(ALL)?;
    let fields: Vec<&String> = base.seen.record.fields.keys().collect();
    let field = (*maker.draw.pick(&fields)?).clone();
    if field != base.field() && !base.reading.values.iter().any(|value| value.field.as_ref() == Some(&field))
    {
        let value = maker.claimable(&base.seen.record.fields.get(&field)?.value)?;
        base.reading.values.push(ClaimedValue { field: Some(field), value });
    }
    let text = of_another(maker, &base)?;
    base.reading.record = None;
    if base.reading.values.len() > 1 && maker.draw.once_in(1, 2) {
        base.reading.subject.clear();
    }
    Some(somewhere(maker, base.with(text)))
}

/// Takes the subject of another record of the same type.
pub(super) fn other_subject(maker: &mut Maker<'_>) -> Option<Seeded> {
    let mut base = maker.base(ALL)?;
    let places = maker.alike(&base);
    let place = *maker.draw.pick(places)?;
    let subject = maker.scans.get(base.task)?.get(place)?.subject?;
    base.reading.subject = maker.claimable(subject)?;
    Some(somewhere(maker, base))
}

/// States a true value under the name of another field, mostly one of the same type.
pub(super) fn wrong_field(maker: &mut Maker<'_>) -> Option<Seeded> {
    let mut base = maker.base(ALL)?;
    let of_type = base.value()?.field_type();
    let fields = &maker.material.bench.types().get(&base.seen.record.kind)?.fields;
    let used = |name: &String| base.reading.values.iter().any(|value| value.field.as_ref() == Some(name));
    let free: Vec<&String> = fields.keys().filter(|name| !used(name)).collect();
    let same: Vec<&String> = free
        .iter()
        .filter(|name| fields.get(**name).is_some_and(|meaning| meaning.types.contains(&of_type)))
        .copied()
        .collect();
    let from = if same.is_empty() || maker.draw.once_in(1, 3) { &free } else { &same };
    let name = (*maker.draw.pick(from)?).clone();
    base.reading.values.get_mut(base.main)?.field = Some(name);
    Some(somewhere(maker, base))
}

/// States right values with a predicate that records of this type do not prove.
pub(super) fn wrong_predicate(maker: &mut Maker<'_>) -> Option<Seeded> {
    let mut base = maker.base(ALL)?;
    let kind = &base.seen.record.kind;
    let proves = |meaning: &ledger::vocabulary::Meaning| meaning.proved_by.contains(kind);
    let entries = maker.material.bench.vocabulary().entries();
    let others: Vec<&Predicate> = entries
        .filter(|(name, meaning)| !name.is_quoted() && !proves(meaning))
        .map(|(name, _)| name)
        .collect();
    base.reading.predicate = maker.draw.pick(&others)?.0.clone();
    Some(somewhere(maker, base))
}

/// States what a file says about the host, although anyone may have put the file where it is.
pub(super) fn misplaced(maker: &mut Maker<'_>) -> Option<Seeded> {
    Some(maker.of_other_files(Beside::Moved, ALL)?.falsehood())
}

/// States what a log says about the host, although another computer wrote the log.
pub(super) fn foreign(maker: &mut Maker<'_>) -> Option<Seeded> {
    Some(maker.of_other_files(Beside::Foreign, ALL)?.falsehood())
}

/// States a predicate whose opposite the record says.
pub(super) fn denied(maker: &mut Maker<'_>) -> Option<Seeded> {
    let mut base = maker.base(ALL)?;
    let kind = &base.seen.record.kind;
    let vocabulary = maker.material.bench.vocabulary();
    let mut denied = Vec::new();
    for (name, meaning) in vocabulary.entries() {
        let Some(field) = meaning.states.get(kind).filter(|_| denies(meaning, base.seen.record)) else {
            continue;
        };
        denied.push((name.0.clone(), field.clone()));
    }
    let (predicate, field) = maker.draw.pick(&denied)?.clone();
    if !base.reading.values.iter().any(|value| value.field.as_ref() == Some(&field)) {
        let value = base.seen.record.fields.get(&field)?.value.to_text().into_owned();
        base.reading.values.push(ClaimedValue { field: Some(field), value });
    }
    base.reading.predicate = predicate;
    Some(base.falsehood())
}

/// States a text that is in the arguments of a call, but in no output.
pub(super) fn argument(maker: &mut Maker<'_>) -> Option<Seeded> {
    let base = maker.base(SAID)?;
    let said = maker.draw.pick(&maker.task(base.task)?.arguments)?;
    only_said(maker, base, said)
}

/// States a text that is in a note, a gap or a defect, but in no output.
pub(super) fn remark(maker: &mut Maker<'_>) -> Option<Seeded> {
    let base = maker.base(SAID)?;
    let said = maker.draw.pick(&maker.task(base.task)?.remarks)?;
    only_said(maker, base, said)
}

fn only_said(maker: &mut Maker<'_>, base: Base<'_>, said: &(InvocationId, String)) -> Option<Seeded> {
    let (invocation, text) = said;
    let known = maker.scans.get(base.task)?.knows(text);
    if known || text.trim().chars().count() < 4 || text.len() > 512 {
        return None;
    }
    let mut base = base;
    base.reading.invocation = invocation.to_string();
    base.reading.record = None;
    if base.reading.subject == base.text() || maker.draw.once_in(1, 2) {
        base.reading.subject.clear();
    }
    Some(base.with(text.clone()).falsehood())
}

/// Returns the value of the main field in another record of the same type.
fn of_another(maker: &mut Maker<'_>, base: &Base<'_>) -> Option<String> {
    let places = maker.alike(base);
    let place = *maker.draw.pick(places)?;
    let other = maker.scans.get(base.task)?.get(place)?;
    let value = &other.record.fields.get(base.field())?.value;
    (Some(value) != base.value()).then(|| maker.claimable(value)).flatten()
}
