//! Times on either side of a step that set a clock back.
//!
//! Two real times get a history of the clock that showed them: how it ran, when it was set back, and what logs report about that.
//! The history determines which time really came first, and how much time really passed between them.

use super::draw::Draw;
use super::posed::Posed;
use super::seed::{Maker, Seeded};
use ledger::clock_steps::STEPS_BY;
use ledger::event::{InvocationEnded, InvocationStarted};
use ledger::{
    CallId, Clock, ClockListing, Completeness, Derivation, FactEntry, Field, FieldType, FieldValue,
    InvocationId, Locator, Outcome, Output, Precision, Record, RecordId, Term, Time, Utc,
};
use serde_json::json;

const SECOND: i128 = 1_000_000_000;

/// The number of the first made-up listing of a task.
const FIRST_LISTING: u32 = 12_000;

/// The channels whose logs may report a step.
const CHANNELS: [&str; 3] = ["System", "Security", "Application"];

/// A fact with a time, and what the clock showed then.
struct Shown {
    fact: FactEntry,
    field: String,
    at: i128,
    /// The resolution of the source in nanoseconds.
    coarse: i128,
}

/// A step of a clock: what it showed before and after.
#[derive(Clone, Copy)]
struct Step {
    before: i128,
    after: i128,
}

/// What happened between two times that a clock showed: the time that really passed, and every step.
struct History {
    took: i128,
    steps: Vec<Step>,
}

/// Makes a claim that the later of two times is before the earlier one.
pub(super) fn order(maker: &mut Maker<'_>) -> Option<Seeded> {
    let (task, [first, second]) = pair(maker)?;
    // The history makes the smaller time the later one.
    let (first, second) = if first.at >= second.at { (first, second) } else { (second, first) };
    if has_numbers(&first, &second) {
        return None;
    }
    let history = History::of(&mut maker.draw, first.at, second.at)?;
    let clocks = listings(maker, task, &first, &history.steps)?;
    let terms = vec![second.term(), first.term()];
    posed(task, Derivation::Order { terms }, [first, second], clocks)
}

/// Makes a claim that two times are closer together than they really are.
pub(super) fn span(maker: &mut Maker<'_>) -> Option<Seeded> {
    let (task, [first, second]) = pair(maker)?;
    let history = History::of(&mut maker.draw, first.at, second.at)?;
    let clocks = listings(maker, task, &first, &history.steps)?;
    let shown = (first.at - second.at).abs().div_euclid(SECOND) + 1;
    let longest = (history.took - 1).div_euclid(SECOND);
    let room = longest - shown;
    if room < 0 {
        return None;
    }
    let seconds = match maker.draw.once_in(1, 2) {
        true => longest,
        false => shown + some(&mut maker.draw, room),
    };
    let terms = vec![first.term(), second.term()];
    let derivation = Derivation::Within { terms, seconds: u64::try_from(seconds).ok()? };
    posed(task, derivation, [first, second], clocks)
}

/// Makes a claim of the right order of two times that are far from a step between them.
pub(super) fn order_across(maker: &mut Maker<'_>) -> Option<Seeded> {
    let (task, [one, other]) = pair(maker)?;
    let (first, second) = if one.at <= other.at { (one, other) } else { (other, one) };
    let apart = second.at - first.at;
    if apart < 100 * (SECOND + first.coarse + second.coarse) {
        return None;
    }
    let length = 2 * SECOND + some(&mut maker.draw, apart / 8);
    let before = first.at + apart / 2;
    let clocks = listings(maker, task, &first, &[Step { before, after: before - length }])?;
    if !clocks.iter().any(|listing| listing.is_of(&first.fact.locator.evidence)) {
        return None;
    }
    let terms = vec![first.term(), second.term()];
    posed(task, Derivation::Order { terms }, [first, second], clocks)
}

fn posed(
    task: usize,
    derivation: Derivation,
    shown: [Shown; 2],
    clocks: Vec<ClockListing>,
) -> Option<Seeded> {
    let facts = shown.map(|shown| shown.fact).into();
    Some(Seeded::of(task, Posed::Derivation { derivation, facts, clocks }))
}

impl Shown {
    fn term(&self) -> Term {
        Term { fact: self.fact.id, field: self.field.clone() }
    }

    /// Returns the number of its record in the log.
    fn number(&self) -> Option<i128> {
        self.fact.values.iter().find_map(|bound| match bound.value {
            FieldValue::Integer(number) if bound.field == "record_id" => Some(number),
            _ => None,
        })
    }
}

/// Whether one log numbers both records, which proves their order whatever the clock showed.
fn has_numbers(one: &Shown, other: &Shown) -> bool {
    let is_one_log = one.fact.locator.path == other.fact.locator.path;
    is_one_log && one.number().is_some() && other.number().is_some()
}

/// Draws two facts of one host with an instant each.
fn pair(maker: &mut Maker<'_>) -> Option<(usize, [Shown; 2])> {
    let (task, place, one) = shown(maker, 0, None)?;
    // Half of the time, take a nearby record of the output: its time is likely to be close.
    let near = maker.draw.once_in(1, 2).then(|| place.saturating_add(1 + maker.draw.below(20) as u32));
    let (_, _, other) = shown(maker, 1, Some((task, near, one.field.clone())))?;
    let is_one_host = one.fact.locator.evidence == other.fact.locator.evidence;
    (is_one_host && one.at != other.at).then_some((task, [one, other]))
}

/// Draws a fact with an instant, of this task and this record if they are given.
fn shown(
    maker: &mut Maker<'_>,
    number: u32,
    near: Option<(usize, Option<u32>, String)>,
) -> Option<(usize, u32, Shown)> {
    let mut base = match &near {
        Some((task, Some(place), field)) => maker.base_at(*task, *place, field)?,
        _ => maker.base(&[FieldType::Time])?,
    };
    if near.is_some_and(|(task, ..)| task != base.task) {
        return None;
    }
    let Some(FieldValue::Time(time)) = base.value() else { return None };
    let (field, utc) = (base.field().to_owned(), time.utc.filter(|_| time.zone.is_none())?);
    base.reading.record = Some(base.seen.record.id.to_string());
    let fact = maker.fact(base.task, number, &base.reading)?;
    let shown = Shown { fact, field, at: utc.unix_nanoseconds(), coarse: time.precision.nanoseconds() };
    Some((base.task, base.place, shown))
}

impl History {
    /// Returns a history in which a clock showed `from`, was set back one to three times,
    /// and then showed `to`; sometimes with further steps before and after.
    fn of(draw: &mut Draw, from: i128, to: i128) -> Option<History> {
        let scale = (from - to).abs().max(60 * SECOND);
        let mut steps = Vec::new();
        if draw.once_in(1, 4) {
            let after = from - some(draw, scale);
            steps.push(Step { before: after + 2 * SECOND + some(draw, scale), after });
        }
        let (mut clock, mut took) = (from, 0);
        let number = 1 + draw.below(3);
        for left in (0..number).rev() {
            let before = clock + some(draw, scale);
            let after = match left {
                0 => to - some(draw, scale),
                _ => before - 2 * SECOND - some(draw, 2 * scale),
            };
            if before - after < 2 * SECOND {
                return None;
            }
            took += before - clock;
            clock = after;
            steps.push(Step { before, after });
        }
        took += to - clock;
        if draw.once_in(1, 4) {
            let before = to + some(draw, scale);
            steps.push(Step { before, after: before - 2 * SECOND - some(draw, scale) });
        }
        Some(History { took, steps })
    }
}

/// Returns listings of the steps as logs report them; the silence of a log around a step is never longer than the step that it reports.
///
/// Sometimes there is no listing, or only one of another host.
fn listings(maker: &mut Maker<'_>, task: usize, of: &Shown, steps: &[Step]) -> Option<Vec<ClockListing>> {
    let label = of.fact.locator.evidence.clone();
    let mut told = Vec::new();
    // A full log may be archived under another name and a new one started; each file then reports only the steps of its own time.
    let is_kept = maker.draw.once_in(1, 4);
    for channel in CHANNELS.iter().take(1 + maker.draw.below(CHANNELS.len())) {
        let steps = telling(&mut maker.draw, steps)?;
        told.extend((0..).zip(steps).map(|(number, step)| {
            let kept =
                if is_kept { format!("Archive-{channel}-{number}.evtx") } else { format!("{channel}.evtx") };
            (*channel, kept, step)
        }));
    }
    let own = maker.task(task)?.task;
    let id = |number| InvocationId::assign(&maker.material.setting.ids, own, FIRST_LISTING + number).ok();
    let (first, second) = (id(0)?, id(1)?);
    let of_label = maker.draw.once_in(1, 2).then_some(label.as_str());
    Some(match maker.draw.below(16) {
        0 => Vec::new(),
        1 => vec![listing(first, Some(&format!("not {label}")), &label, &[])?],
        // A second call lists the same as the first.
        2..=5 => vec![listing(first, None, &label, &told)?, listing(second, of_label, &label, &told)?],
        _ => vec![listing(first, of_label, &label, &told)?],
    })
}

/// Returns all steps as one log reports them: the times of its last record before each step and of its first record after it.
fn telling(draw: &mut Draw, steps: &[Step]) -> Option<Vec<Step>> {
    let (mut told, mut written) = (Vec::new(), None);
    for step in steps {
        let third = (step.before - step.after) / 3;
        let room = written.map_or(third, |written| third.min(step.before - written));
        if room < 0 {
            return None;
        }
        let before = step.before - some(draw, room);
        let after = step.after + some(draw, third);
        if before - after <= SECOND {
            return None;
        }
        written = Some(after);
        told.push(Step { before, after });
    }
    Some(told)
}

/// Returns a complete listing of steps as the task reads it from a call, of all evidence or of the requested piece.
fn listing(
    invocation: InvocationId,
    asked: Option<&str>,
    label: &str,
    told: &[(&str, String, Step)],
) -> Option<ClockListing> {
    let record = |(number, (channel, file, step)): (u32, &(&str, String, Step))| {
        let time = |at| {
            let utc = Utc::from_unix_nanoseconds(at)?;
            let (raw, clock, precision) = (utc.to_string(), Clock::Host, Precision::Nanosecond);
            Some(FieldValue::Time(Time { utc: Some(utc), raw, clock, precision, zone: None }))
        };
        let fields = [
            ("before", time(step.before)?),
            ("after", time(step.after)?),
            ("channel", FieldValue::Name((*channel).to_owned())),
        ];
        let path = format!("Windows/System32/winevt/Logs/{file}");
        Some(Record {
            placement: None,
            id: RecordId(number),
            kind: STEPS_BY.1.to_owned(),
            locator: Locator { evidence: label.to_owned(), path, stream: None, span: None },
            fields: fields.map(|(name, value)| (name.to_owned(), Field { at: None, value })).into(),
            defects: Vec::new(),
        })
    };
    let records = (0..).zip(told).map(record).collect::<Option<Vec<_>>>()?;
    let output = (!records.is_empty()).then(|| Output::new(records).ok()).flatten();
    let arguments = json!({ "record": STEPS_BY.1, "evidence": asked });
    let started = InvocationStarted {
        invocation,
        turn: 0,
        call: CallId("made up".into()),
        tool: STEPS_BY.0.to_owned(),
        arguments: arguments.clone(),
        insists: None,
    };
    let ended = InvocationEnded {
        invocation,
        outcome: if output.is_some() { Outcome::Ok } else { Outcome::Empty },
        completeness: Completeness::Complete,
        normalised: Some(arguments),
        output: output.as_ref().map(Output::digest),
        records: 0,
        bytes: 0,
        shown: Vec::new(),
        defects: Vec::new(),
        gaps: Vec::new(),
        notes: Vec::new(),
    };
    ClockListing::of(&started, &ended, output.as_ref())
}

/// Returns a number from 0 to `most`, on different scales; sometimes 0.
fn some(draw: &mut Draw, most: i128) -> i128 {
    let most = match draw.below(4) {
        0 => return 0,
        1 => most / 100,
        _ => most,
    };
    i128::from(draw.next() >> 1).checked_rem(most + 1).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_shows_both_times_and_takes_as_long_as_its_pieces() {
        let mut draw = Draw::new(1, "histories");
        let mut made = 0;
        for _ in 0..1000 {
            let (from, to) = (some(&mut draw, 1_000 * SECOND), some(&mut draw, 1_000 * SECOND));
            let Some(history) = History::of(&mut draw, from, to) else { continue };
            made += 1;
            // The clock ran from one time to the other, and additionally through every step between them.
            let back: i128 = history.steps.iter().map(|step| step.before - step.after).sum();
            assert!(history.steps.iter().all(|step| step.before - step.after >= 2 * SECOND));
            assert!(history.took >= 0 && history.took <= to - from + back, "{from} {to}");
        }
        assert!(made > 500, "{made}");
    }

    #[test]
    fn a_log_tells_of_steps_in_the_order_in_which_it_was_written() {
        let mut draw = Draw::new(1, "logs");
        let step = |before: i128, after: i128| Step { before: before * SECOND, after: after * SECOND };
        let steps = [step(3600, 0), step(1800, 900)];
        let told: Vec<_> = (0..100).filter_map(|_| telling(&mut draw, &steps)).collect();
        assert!(told.len() > 50);
        assert!(told.iter().all(|told| told[0].after <= told[1].before && told[0].before > told[0].after));
    }
}
