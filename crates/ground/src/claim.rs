//! The form of a reading, checked before any evidence is examined.

use crate::matching::Manner;
use crate::needle::Needle;
use crate::refusal::{self, quote};
use ledger::{Predicate, Reading, RecordId, Rejection, RejectionCode, Vocabulary};

/// The most values of one reading.
const MOST_VALUES: usize = 64;

/// The longest text of a reading, in bytes.
const LONGEST_TEXT: usize = 64 * 1024;

/// A reading whose form is valid.
#[derive(Debug)]
pub(crate) struct Claim<'r> {
    pub(crate) predicate: Predicate,
    /// The cited invocation, as the agent wrote it.
    pub(crate) cited: &'r str,
    pub(crate) record: Option<RecordId>,
    pub(crate) subject: Option<Needle<'r>>,
    pub(crate) values: Vec<Wanted<'r>>,
}

/// A claimed value and the field for which it is claimed.
#[derive(Debug)]
pub(crate) struct Wanted<'r> {
    pub(crate) field: Option<&'r str>,
    pub(crate) needle: Needle<'r>,
}

impl<'r> Claim<'r> {
    /// Checks the form of a reading.
    pub(crate) fn read(reading: &'r Reading, vocabulary: &Vocabulary) -> Result<Claim<'r>, Rejection> {
        check_lengths(reading)?;
        let predicate = Predicate(reading.predicate.clone());
        if vocabulary.meaning(&predicate).is_none() {
            let reason = format!("the vocabulary has no predicate {}", quote(&reading.predicate));
            return Err(malformed(
                reason,
                refusal::choose_predicate(vocabulary.entries().map(|entry| entry.0)),
            ));
        }
        Ok(Claim {
            predicate,
            cited: &reading.invocation,
            record: given(reading.record.as_deref()).map(record_id).transpose()?,
            subject: given(Some(&reading.subject)).map(Needle::new),
            values: reading
                .values
                .iter()
                .map(|value| Wanted {
                    field: given(value.field.as_deref()),
                    needle: Needle::new(&value.value),
                })
                .collect(),
        })
    }

    /// Returns how its values are matched.
    pub(crate) fn manner(&self) -> Manner {
        if self.predicate.is_quoted() { Manner::Quoting } else { Manner::Whole }
    }

    /// Returns the most distinctive value: the longest.
    pub(crate) fn anchor(&self) -> Option<&Wanted<'r>> {
        self.values.iter().max_by_key(|wanted| wanted.needle.raw().len())
    }
}

/// Treats a blank text as not given.
fn given(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}

fn check_lengths(reading: &Reading) -> Result<(), Rejection> {
    let count = reading.values.len();
    if count == 0 || count > MOST_VALUES {
        let reason = format!("the reading has {count} values; it needs 1 to {MOST_VALUES}");
        return Err(malformed(reason, "State what the record holds, each value with its field.".to_owned()));
    }
    if reading.values.iter().any(|value| value.value.trim().is_empty()) {
        let hint = "Leave the value out, or state what the field holds.".to_owned();
        return Err(malformed("a value is empty".to_owned(), hint));
    }
    let values = reading.values.iter().flat_map(|value| [Some(&value.value), value.field.as_ref()]);
    let others = [Some(&reading.subject), Some(&reading.invocation), reading.record.as_ref()];
    match values.chain(others).flatten().map(String::len).max() {
        Some(longest) if longest > LONGEST_TEXT => {
            let reason = format!("a text of the reading has {longest} bytes; {LONGEST_TEXT} are allowed");
            Err(malformed(reason, "Quote the part that matters with predicate `quoted`.".to_owned()))
        }
        _ => Ok(()),
    }
}

fn record_id(text: &str) -> Result<RecordId, Rejection> {
    // Only the form that we write is accepted: `r007` and `r+7` are not our ids.
    text.parse().ok().filter(|id: &RecordId| id.to_string() == text).ok_or_else(|| {
        let hint = "Cite a record as it was shown, such as `r0`, or leave the record out.".to_owned();
        malformed(format!("{} is not the id of a record", quote(text)), hint)
    })
}

fn malformed(reason: String, hint: String) -> Rejection {
    refusal::refuse(RejectionCode::Malformed, reason, hint, Vec::new())
}
