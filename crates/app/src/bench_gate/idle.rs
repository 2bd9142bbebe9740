//! Entries that do not start by themselves, or not permanently, but are claimed to persist: disabled, on demand, once, or until an end.
//!
//! The meaning of the states is written here from the behaviour of Windows, independently of the data that the gateway reads.

use super::cite::somewhere;
use super::seed::{Maker, Seeded};
use super::values::ALL;
use super::world::Beside;
use ledger::{Field, FieldValue, Placement, Record};

/// The predicate that is false of them.
const PERSISTS: &str = "persists";

/// Why an entry does not start by itself again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    /// It is disabled.
    Disabled,
    /// Someone or something else has to start it.
    OnDemand,
    /// It starts once.
    Once,
    /// It starts until a stated end.
    UntilEnd,
}

/// Returns the record as it would be in this state; `None` if such an entry has
/// no such state, or if its file's location makes it prove nothing.
pub(super) fn idle(record: &Record, state: State) -> Option<Record> {
    if record.placement == Some(Placement::Elsewhere) {
        return None;
    }
    let mut record = record.clone();
    match (record.kind.as_str(), state) {
        ("scheduled_task" | "scheduled_job", _) => {
            put(&mut record, "starts", FieldValue::Name(of_task(state).into()))?;
            if state == State::Disabled {
                put(&mut record, "enabled", FieldValue::Flag(false));
            }
        }
        // SERVICE_DEMAND_START and SERVICE_DISABLED (winnt.h).
        ("service", State::OnDemand) => service(&mut record, 3, "manual")?,
        ("service", State::Disabled) => service(&mut record, 4, "disabled")?,
        ("autostart", State::Disabled) => {
            record.kind = "disabled_autostart".into();
            record.fields.remove("approved");
            switch_off(&mut record);
        }
        ("startup_item", State::Disabled) => {
            record.kind = "disabled_startup_item".into();
            switch_off(&mut record);
        }
        ("disabled_autostart" | "disabled_startup_item", State::Disabled)
        | ("once_autostart", State::Once) => {}
        _ => return None,
    }
    Some(record)
}

fn switch_off(record: &mut Record) {
    let by = Field { at: None, value: FieldValue::Name("StartupApproved".into()) };
    record.fields.insert("disabled_by".into(), by);
}

const fn of_task(state: State) -> &'static str {
    match state {
        State::Disabled => "disabled",
        State::OnDemand => "on_demand",
        State::Once => "once",
        State::UntilEnd => "until_end",
    }
}

fn service(record: &mut Record, start: i128, name: &str) -> Option<()> {
    put(record, "start", FieldValue::Integer(start))?;
    put(record, "start_name", FieldValue::Name(name.into()));
    Some(())
}

/// Replaces the value of a field that the record has.
fn put(record: &mut Record, name: &str, value: FieldValue) -> Option<()> {
    record.fields.get_mut(name)?.value = value;
    Some(())
}

/// Returns the field that shows the state, and its value for an entry that persists.
fn telling(kind: &str) -> Option<(&'static str, &'static str)> {
    match kind {
        "scheduled_task" | "scheduled_job" => Some(("starts", "by_trigger")),
        "service" => Some(("start", "2")),
        "disabled_autostart" | "once_autostart" => Some(("command", "")),
        "disabled_startup_item" => Some(("path", "")),
        _ => None,
    }
}

pub(super) fn disabled(maker: &mut Maker<'_>) -> Option<Seeded> {
    persists(maker, State::Disabled)
}

pub(super) fn on_demand(maker: &mut Maker<'_>) -> Option<Seeded> {
    persists(maker, State::OnDemand)
}

pub(super) fn once(maker: &mut Maker<'_>) -> Option<Seeded> {
    persists(maker, State::Once)
}

pub(super) fn until_end(maker: &mut Maker<'_>) -> Option<Seeded> {
    persists(maker, State::UntilEnd)
}

/// Makes a claim that an entry in this state persists: mostly with the state
/// itself, otherwise without it or with that of an active entry.
fn persists(maker: &mut Maker<'_>, state: State) -> Option<Seeded> {
    let (task, place, field) = maker.slot_beside(Beside::Idle(state), ALL)?;
    let seen = maker.scans.get(task)?.get(place)?;
    let (tells, in_force) = telling(&seen.record.kind)?;
    let how = maker.draw.below(4);
    let states = (how > 0).then(|| tells.to_owned());
    let mut base = maker.reading_with(task, place, &field, PERSISTS.to_owned(), states)?;
    if how == 3 && !in_force.is_empty() {
        let stated = base.reading.values.iter_mut().find(|value| value.field.as_deref() == Some(tells))?;
        stated.value = in_force.to_owned();
    }
    Some(somewhere(maker, base))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::{Locator, RecordId};

    fn record(kind: &str, fields: &[(&str, FieldValue)]) -> Record {
        let field = |(name, value): &(&str, FieldValue)| {
            ((*name).to_owned(), Field { at: None, value: value.clone() })
        };
        Record {
            placement: None,
            defects: Vec::new(),
            fields: fields.iter().map(field).collect(),
            id: RecordId(0),
            kind: kind.into(),
            locator: Locator { evidence: "e".into(), path: "f".into(), stream: None, span: None },
        }
    }

    #[test]
    fn each_thing_gets_the_states_that_it_can_have() {
        let name = |text: &str| FieldValue::Name(text.into());
        let value = |record: &Record, field: &str| record.fields[field].value.to_text().into_owned();
        let task =
            record("scheduled_task", &[("starts", name("by_trigger")), ("enabled", FieldValue::Flag(true))]);
        for (state, starts, enabled) in [
            (State::Disabled, "disabled", "false"),
            (State::OnDemand, "on_demand", "true"),
            (State::Once, "once", "true"),
            (State::UntilEnd, "until_end", "true"),
        ] {
            let idle = idle(&task, state).unwrap();
            assert_eq!(
                (value(&idle, "starts").as_str(), value(&idle, "enabled").as_str()),
                (starts, enabled)
            );
        }
        let service =
            record("service", &[("start", FieldValue::Integer(2)), ("start_name", name("automatic"))]);
        assert_eq!(value(&idle(&service, State::Disabled).unwrap(), "start"), "4");
        assert_eq!(value(&idle(&service, State::OnDemand).unwrap(), "start_name"), "manual");
        assert!(idle(&service, State::Once).is_none());
        let run = record("autostart", &[("command", name("a.exe")), ("approved", name("enabled"))]);
        let off = idle(&run, State::Disabled).unwrap();
        assert_eq!(
            (off.kind.as_str(), value(&off, "disabled_by").as_str()),
            ("disabled_autostart", "StartupApproved")
        );
        assert!(!off.fields.contains_key("approved"));
        let item = record("startup_item", &[("name", name("a.lnk"))]);
        assert_eq!(idle(&item, State::Disabled).unwrap().kind, "disabled_startup_item");
        let elsewhere = Record { placement: Some(Placement::Elsewhere), ..task };
        assert!(idle(&elsewhere, State::Once).is_none());
    }
}
