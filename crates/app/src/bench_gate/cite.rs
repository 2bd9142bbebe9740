//! Wrong citations: of true readings, which should be healed, and of false ones, which must not be.

use super::draw::Draw;
use super::posed::Posed;
use super::seed::{Base, Maker, Seeded, is_telling};
use super::values::ALL;
use ledger::Reading;

/// The prefix of an invocation id.
const PREFIX: &str = "inv-";

pub(super) fn cited_right(maker: &mut Maker<'_>) -> Option<Seeded> {
    Some(maker.base(ALL)?.truth())
}

/// Returns a reading that became a fact of the run.
pub(super) fn recorded_again(maker: &mut Maker<'_>) -> Option<Seeded> {
    let task = maker.draw.below(maker.material.tasks.len());
    let (reading, fact) = maker.draw.pick(&maker.material.tasks.get(task)?.recorded)?;
    let scan = maker.scans.get(task)?;
    let is_it = |place: &u32| {
        scan.get(*place)
            .is_some_and(|seen| seen.invocation == fact.invocation && seen.record.id == fact.record)
    };
    let place = (0..scan.len() as u32).find(is_it)?;
    Some(Seeded { read_from: Some(place), ..Seeded::of(task, Posed::Reading(reading.clone())) })
}

pub(super) fn digit_changed(maker: &mut Maker<'_>) -> Option<Seeded> {
    miscited(maker, |id, draw| {
        let mut digits: Vec<char> = id.strip_prefix(PREFIX)?.chars().collect();
        let place = draw.below(digits.len());
        let other = char::from_digit(draw.below(16) as u32, 16)?;
        *digits.get_mut(place)? = other;
        Some(format!("{PREFIX}{}", digits.into_iter().collect::<String>()))
    })
}

pub(super) fn transposed(maker: &mut Maker<'_>) -> Option<Seeded> {
    miscited(maker, |id, draw| {
        let mut digits: Vec<char> = id.strip_prefix(PREFIX)?.chars().collect();
        let place = draw.below(digits.len().saturating_sub(1));
        (place + 1 < digits.len()).then(|| digits.swap(place, place + 1))?;
        Some(format!("{PREFIX}{}", digits.into_iter().collect::<String>()))
    })
}

pub(super) fn truncated(maker: &mut Maker<'_>) -> Option<Seeded> {
    miscited(maker, |id, draw| id.get(..id.len().checked_sub(1 + draw.below(4))?).map(str::to_owned))
}

pub(super) fn without_prefix(maker: &mut Maker<'_>) -> Option<Seeded> {
    miscited(maker, |id, _| id.strip_prefix(PREFIX).map(str::to_owned))
}

pub(super) fn upper_case(maker: &mut Maker<'_>) -> Option<Seeded> {
    miscited(maker, |id, draw| match draw.once_in(1, 2) {
        true => Some(id.to_ascii_uppercase()),
        false => Some(format!("{PREFIX}{}", id.strip_prefix(PREFIX)?.to_ascii_uppercase())),
    })
}

/// Cites another call of the same task, whose output does not contain the reading.
pub(super) fn other_call(maker: &mut Maker<'_>) -> Option<Seeded> {
    let base = telling(maker)?;
    let other = other_own(maker, base.task, &base.reading)?;
    let holds = maker.scans.get(base.task)?.places(&base.reading).into_iter().any(|place| {
        let seen = maker.scans.get(base.task).and_then(|scan| scan.get(place));
        seen.is_some_and(|seen| seen.invocation.to_string() == other)
    });
    (!holds).then(|| citing(base, other).truth())
}

/// Cites a call of another task; the task's own outputs contain the reading.
pub(super) fn other_task(maker: &mut Maker<'_>) -> Option<Seeded> {
    let base = telling(maker)?;
    let other = of_other_task(maker, base.task)?;
    Some(citing(base, other).truth())
}

/// Returns a reading of another task's record, with that task's id.
pub(super) fn of_other_task_as_cited(maker: &mut Maker<'_>) -> Option<Seeded> {
    let base = maker.base(ALL)?;
    let task = another(maker, base.task)?;
    Some(Seeded::of(task, Posed::Reading(base.reading)))
}

/// Returns a reading of another task's record, with an id of the task itself.
pub(super) fn of_other_task_under_own_id(maker: &mut Maker<'_>) -> Option<Seeded> {
    let base = maker.base(ALL)?;
    let task = another(maker, base.task)?;
    let own = maker.draw.pick(maker.task(task)?.shelf.held())?.invocation.to_string();
    let mut reading = citing(base, own).reading;
    reading.record = None;
    Some(Seeded::of(task, Posed::Reading(reading)))
}

/// Returns a false claim with a citation: mostly the right one, otherwise one that makes the gateway look elsewhere.
pub(super) fn somewhere(maker: &mut Maker<'_>, base: Base<'_>) -> Seeded {
    let id = match maker.draw.below(4) {
        0 => other_own(maker, base.task, &base.reading),
        1 => Some(format!("{PREFIX}{:08x}", maker.draw.next() as u32)),
        _ => None,
    };
    match id {
        Some(id) => citing(base, id).falsehood(),
        None => base.falsehood(),
    }
}

/// Returns a true reading with a distinctive value, so that a wrong citation of it can be healed.
fn telling<'m>(maker: &mut Maker<'m>) -> Option<Base<'m>> {
    maker.base(ALL).filter(|base| base.reading.values.iter().any(|value| is_telling(&value.value)))
}

/// Returns a true reading with a corrupted citation that names no call of its task.
fn miscited(maker: &mut Maker<'_>, spoil: fn(&str, &mut Draw) -> Option<String>) -> Option<Seeded> {
    let base = telling(maker)?;
    let spoilt = spoil(&base.reading.invocation, &mut maker.draw)?;
    let known = spoilt
        .parse()
        .ok()
        .is_some_and(|id| maker.task(base.task).is_some_and(|task| task.shelf.get(id).is_some()));
    (!known && spoilt != base.reading.invocation).then(|| citing(base, spoilt).truth())
}

fn citing<'m>(mut base: Base<'m>, id: String) -> Base<'m> {
    base.reading.invocation = id;
    base
}

/// Returns another call of the task than the one that a reading cites.
fn other_own(maker: &mut Maker<'_>, task: usize, reading: &Reading) -> Option<String> {
    let held = maker.draw.pick(maker.task(task)?.shelf.held())?;
    Some(held.invocation.to_string()).filter(|id| *id != reading.invocation)
}

fn of_other_task(maker: &mut Maker<'_>, own: usize) -> Option<String> {
    let other = another(maker, own)?;
    Some(maker.draw.pick(maker.task(other)?.shelf.held())?.invocation.to_string())
}

/// Draws another task that has made a call.
fn another(maker: &mut Maker<'_>, own: usize) -> Option<usize> {
    let task = maker.draw.below(maker.material.tasks.len());
    (task != own && !maker.task(task)?.shelf.held().is_empty()).then_some(task)
}
