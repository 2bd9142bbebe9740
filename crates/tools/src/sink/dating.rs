//! Decides which time dates the records of a type.

use ledger::{Clock, Dates, Field, FieldType, FieldValue, Record, RecordType, Time, dates};
use std::collections::BTreeMap;

/// The field that dates a record with several times.
const TIME: &str = "time";

/// The time of the key that contains a value: it dates a record without a time of its own.
const OF_KEY: &str = "key_last_written";

/// Returns the field with the time that dates the records of a type: the one named `time`, or the only one that dates something on the host.
pub(crate) fn dating_field<'n>(kind: &str, times: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let dating: Vec<_> = times.filter(|field| is_of_host(kind, field)).collect();
    if let Some(time) = dating.iter().find(|field| **field == TIME) {
        return Some(time);
    }
    let own: Vec<_> = dating.iter().copied().filter(|field| *field != OF_KEY).collect();
    match (own.as_slice(), dating.as_slice()) {
        ([only], _) | ([], [only]) => Some(only),
        (_, _) => None,
    }
}

/// Checks whether a time dates something on the host: a linker's does not.
pub(crate) fn is_of_host(kind: &str, field: &str) -> bool {
    // The time of a deletion dates only the predicate `deleted`, so that is tried, too.
    ["", "deleted"].iter().any(|predicate| dates(predicate, kind, field) != Dates::Nothing)
}

/// The dating field of each type that has one.
pub(crate) struct Dating(BTreeMap<String, String>);

impl Dating {
    pub(crate) fn of(records: &[RecordType]) -> Dating {
        let of_type = |record: &RecordType| {
            let is_time = |types: &[FieldType]| types.contains(&FieldType::Time);
            let times = record.fields.iter().filter(|(_, field)| is_time(&field.types));
            let field = dating_field(&record.name, times.map(|(name, _)| name.as_str()))?;
            Some((record.name.clone(), field.to_owned()))
        };
        Dating(records.iter().filter_map(of_type).collect())
    }

    /// Makes the dating of one type.
    pub(crate) fn of_one(kind: &str, field: Option<&str>) -> Dating {
        Dating(field.map(|field| (kind.to_owned(), field.to_owned())).into_iter().collect())
    }

    /// Checks whether records of this type have a field that dates them.
    pub(crate) fn has(&self, kind: &str) -> bool {
        self.0.contains_key(kind)
    }

    /// Returns all of these fields.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> {
        self.0.values().map(String::as_str)
    }

    /// Returns the time that dates a record; `None` if its type, or the record itself, has none.
    pub(crate) fn time<'r>(&self, record: &'r Record) -> Option<&'r Time> {
        let Field { value, .. } = record.fields.get(self.0.get(&record.kind)?)?;
        let FieldValue::Time(time) = value else { return None };
        Some(time).filter(|time| time.clock == Clock::Host && time.utc.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_dated_by_their_only_time_of_the_host() {
        let field = |kind: &str, times: &[&'static str]| dating_field(kind, times.iter().copied());
        assert_eq!(field("logon", &["time"]), Some("time"));
        assert_eq!(field("x", &["opened", "time"]), Some("time"));
        assert_eq!(field("user_assist", &["key_last_written", "last_run", "preset_time"]), Some("last_run"));
        assert_eq!(field("service", &["key_last_written"]), Some("key_last_written"));
        assert_eq!(field("recycled_file", &["deleted"]), Some("deleted"));
        assert_eq!(field("prefetch", &["last_run", "last_run_2"]), None);
        assert_eq!(field("x", &[]), None);
    }
}
