//! The times that facts state, and which of them are instants by the clock of the examined host.

use crate::LeftOut;
use ledger::{BoundValue, Clock, FactEntry, FieldValue, Precision, Time, Utc};

/// Returns the values of a fact without repeats, subject first: a value may repeat the subject,
/// and each stated item of a list carries the whole list.
pub(crate) fn bound(fact: &FactEntry) -> impl Iterator<Item = &BoundValue> {
    let subject = &fact.subject;
    let again = move |value: &&BoundValue| value.field == subject.field && value.value == subject.value;
    std::iter::once(subject).chain(graph::values(fact).filter(move |value| !again(value)))
}

/// Returns the value of a field.
pub(crate) fn field<'f>(fact: &'f FactEntry, name: &str) -> Option<&'f FieldValue> {
    bound(fact).find(|value| value.field == name).map(|value| &value.value)
}

/// Returns the times of a fact with their fields.
pub(crate) fn times(fact: &FactEntry) -> impl Iterator<Item = (&BoundValue, &Time)> {
    bound(fact).filter_map(|value| match &value.value {
        FieldValue::Time(time) => Some((value, time)),
        _ => None,
    })
}

/// Returns the instant of a time, if it is by the examined host's clock and every format can represent it.
pub(crate) fn instant(time: &Time) -> Option<Utc> {
    match standing(time) {
        Standing::Instant(utc) => Some(utc),
        Standing::Local | Standing::NoInstant | Standing::OfCopy => None,
    }
}

/// Returns the instant in a fact's field.
pub(crate) fn instant_of(fact: &FactEntry, name: &str) -> Option<(Utc, Precision)> {
    match field(fact, name)? {
        FieldValue::Time(time) => Some((instant(time)?, time.precision)),
        _ => None,
    }
}

/// A time, classified for a format that knows only instants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    Instant(Utc),
    Local,
    NoInstant,
    OfCopy,
}

/// Classifies a time.
pub(crate) fn standing(time: &Time) -> Standing {
    // Years have four digits in ISO 8601 and RFC 3339; ISO 8601 permits more digits only by agreement.
    let written = time.utc.filter(|utc| utc.to_string().split('-').next().is_some_and(is_year));
    match (written, time.zone, time.clock) {
        (None, _, _) => Standing::NoInstant,
        (Some(_), Some(_), _) => Standing::Local,
        (Some(_), None, Clock::CollectionCopy) => Standing::OfCopy,
        (Some(utc), None, Clock::Host) => Standing::Instant(utc),
    }
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && text != "0000" && text.bytes().all(|byte| byte.is_ascii_digit())
}

impl LeftOut {
    /// Counts a time that is not an instant of the host.
    pub(crate) fn count(&mut self, standing: Standing) {
        match standing {
            Standing::Instant(_) => {}
            Standing::Local => self.local += 1,
            Standing::NoInstant => self.no_instant += 1,
            Standing::OfCopy => self.of_copy += 1,
        }
    }
}

/// Returns the word for a precision.
pub(crate) const fn precision_name(precision: Precision) -> &'static str {
    match precision {
        Precision::Nanosecond => "1 ns",
        Precision::Filetime => "100 ns",
        Precision::Microsecond => "1 us",
        Precision::Millisecond => "1 ms",
        Precision::Centisecond => "10 ms",
        Precision::Second => "1 s",
        Precision::TwoSeconds => "2 s",
        Precision::Day => "1 day",
    }
}
