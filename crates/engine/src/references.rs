//! Readings that cite several records at once: finds the records that they name.

use crate::arguments::{Arguments, Malformed};
use ground::{Shelf, read_invocation};
use ledger::{FieldValue, Reading, Record, pattern};
use serde_json::Value;

/// The most records that the readings of one call may cite.
pub(crate) const MOST_RECORDS: usize = 200;

/// A reading as a call states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stated {
    /// The reading, about the one record that it cites, if any.
    pub(crate) reading: Reading,
    /// The records that it cites instead, if it cites several.
    pub(crate) several: Option<Several>,
}

/// Records of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Several {
    /// Their numbers, the first and last of each range; `None` for all records.
    spans: Option<Vec<(u32, u32)>>,
    /// Only records whose fields match these patterns.
    fitting: Vec<(String, String)>,
    /// The place in the arguments.
    place: String,
}

impl Several {
    fn is_backwards(&self) -> bool {
        self.spans.as_ref().is_some_and(|spans| spans.iter().any(|(first, last)| first > last))
    }
}

/// What a reading cites with its members `record` and `where`.
pub(crate) struct Cited {
    /// The invocation, if it is given with the record.
    pub(crate) invocation: Option<String>,
    /// The single record.
    pub(crate) record: Option<String>,
    /// Several records instead.
    pub(crate) several: Option<Several>,
}

/// Reads what a reading cites.
pub(crate) fn cited(members: &Arguments<'_>) -> Result<Cited, Malformed> {
    let text = match members.get("record") {
        Some(Value::Array(_)) => members.texts("record")?.join(","),
        _ => members.optional_text("record")?.unwrap_or_default().trim().to_owned(),
    };
    let (invocation, records) = match text.split_once(char::is_whitespace) {
        Some((first, rest)) if read_invocation(first).is_some() => (Some(first.to_owned()), rest.trim()),
        _ if text.starts_with("inv-") => (Some(text.clone()), ""),
        _ => (None, text.as_str()),
    };
    let fitting = fitting(members)?;
    let spans = spans(records);
    let is_one =
        matches!(&spans, Some(spans) if matches!(spans.as_slice(), [(first, last)] if first == last));
    let is_all = records.eq_ignore_ascii_case("all") || (records.is_empty() && !fitting.is_empty());
    let several = match spans {
        _ if is_all => Some(None),
        Some(spans) if !is_one || !fitting.is_empty() => Some(Some(spans)),
        // One record, or text that is not a record: the gateway will say so.
        Some(_) | None => None,
    };
    let several = several.map(|spans| Several { spans, fitting, place: members.place("record") });
    let record = (several.is_none() && !records.is_empty()).then(|| records.to_owned());
    Ok(Cited { invocation, record, several })
}

/// Reads the ranges that a text names: `r3`, `r3-r9`, `r1,r4`.
fn spans(text: &str) -> Option<Vec<(u32, u32)>> {
    let number = |text: &str| -> Option<u32> {
        let text = text.trim();
        text.strip_prefix(['r', 'R']).unwrap_or(text).parse().ok()
    };
    let stretch = |part: &str| match part.split_once('-') {
        Some((first, last)) => Some((number(first)?, number(last)?)),
        None => part.trim().starts_with(['r', 'R']).then(|| number(part))?.map(|one| (one, one)),
    };
    text.split(',').map(stretch).collect()
}

fn fitting(members: &Arguments<'_>) -> Result<Vec<(String, String)>, Malformed> {
    let wrong = || members.malformed("where", "an object of field and pattern");
    match members.get("where") {
        None => Ok(Vec::new()),
        Some(Value::Object(fields)) => fields
            .iter()
            .map(|(field, value)| match value {
                Value::String(text) => Ok((field.clone(), text.clone())),
                Value::Number(_) | Value::Bool(_) => Ok((field.clone(), value.to_string())),
                Value::Null | Value::Array(_) | Value::Object(_) => Err(wrong()),
            })
            .collect(),
        Some(_) => Err(wrong()),
    }
}

/// Returns the readings that it stands for: one for each record.
/// If there is no such output, it returns one reading without a record, so that the gateway says what is wrong.
pub(crate) fn readings(stated: Stated, shelf: &Shelf) -> Result<Vec<Reading>, Malformed> {
    let Stated { reading, several } = stated;
    let Some(several) = several else { return Ok(vec![reading]) };
    let held = read_invocation(&reading.invocation).and_then(|id| shelf.get(id));
    let Some(output) = held.and_then(|held| held.output.as_deref()) else { return Ok(vec![reading]) };
    let is_meant = |record: &&Record| {
        let number = record.id.0;
        several
            .spans
            .as_ref()
            .is_none_or(|spans| spans.iter().any(|(first, last)| (*first..=*last).contains(&number)))
            && several.fitting.iter().all(|(field, pattern)| fits(record, field, pattern))
    };
    let records: Vec<&Record> = output.records().iter().filter(is_meant).collect();
    match records.len() {
        0 if several.is_backwards() => {
            Err(Malformed::new(&several.place, "a range from its lower number to its higher, such as r3-r9"))
        }
        0 => Err(Malformed::new(
            &several.place,
            format!("records of {}: none fits; it has {}", reading.invocation, output.count()),
        )),
        1..=MOST_RECORDS => Ok(records
            .iter()
            .map(|record| Reading { record: Some(record.id.to_string()), ..reading.clone() })
            .collect()),
        found => Err(Malformed::new(
            &several.place,
            format!("at most {MOST_RECORDS} records, found {found}: narrow it by `where`"),
        )),
    }
}

fn fits(record: &Record, field: &str, sought: &str) -> bool {
    record.fields.get(field).is_some_and(|field| match &field.value {
        FieldValue::List(items) => items.iter().any(|item| pattern::fits(sought, item)),
        single => pattern::fits(sought, &single.to_text()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_named_one_by_one_and_in_stretches() {
        assert_eq!(spans("r3"), Some(vec![(3, 3)]));
        assert_eq!(spans("r3-r9, r12"), Some(vec![(3, 9), (12, 12)]));
        assert_eq!(spans("r3-9"), Some(vec![(3, 9)]));
        for none in ["", "3", "r", "r3-", "rx", "r3 r4"] {
            assert_eq!(spans(none), None, "{none}");
        }
    }
}
