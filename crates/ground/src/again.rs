//! What the hint says if a reading is refused again for the same reason: something more useful than the first time.

use crate::refusal::{quote, repeated};
use crate::shelf::Shelf;
use ledger::{Candidate, Record, Rejection, RejectionCode};

/// The most fields of a record that are written out.
const MOST_FIELDS: usize = 8;

/// Returns `rejection` with the hint for its `times`th repetition.
pub(crate) fn again(rejection: Rejection, times: u32, shelf: &Shelf, by_reference: bool) -> Rejection {
    if times == 0 {
        return rejection;
    }
    let advice = advice(&rejection, shelf, by_reference);
    let hint = match times {
        1 => format!("Refused before for the same reason. {advice}"),
        _ => format!(
            "Refused {} times for the same reason: record what your results do hold, or leave it out. {advice}",
            times + 1
        ),
    };
    repeated(rejection, &hint)
}

fn advice(rejection: &Rejection, shelf: &Shelf, by_reference: bool) -> String {
    let first = rejection.candidates.iter().find(|candidate| candidate.record.is_some());
    match rejection.code {
        RejectionCode::UnknownInvocation
        | RejectionCode::ForeignInvocation
        | RejectionCode::FailedInvocation if by_reference => {
            "Ids are never made up: each answer begins with the one of its call; cite the one whose records hold the values.".to_owned()
        }
        RejectionCode::UnknownInvocation
        | RejectionCode::ForeignInvocation
        | RejectionCode::FailedInvocation => {
            "Ids are never made up: `list_invocations` shows all of yours; cite the one whose records hold the values.".to_owned()
        }
        RejectionCode::Malformed if by_reference => {
            r#"A reading looks like {"record": "inv-… r0", "predicate": "present", "fields": ["path"]}."#.to_owned()
        }
        RejectionCode::Malformed => {
            r#"A reading looks like {"predicate": "present", "values": {"path": "…"}, "invocation": "inv-…", "record": "r0"}."#.to_owned()
        }
        RejectionCode::CoverageMissing => {
            "Search for just that, with no argument that narrows the search, until it ends complete and empty.".to_owned()
        }
        RejectionCode::UnknownFact | RejectionCode::NotDerived => {
            "`get_node` shows what a fact states; derive only from that.".to_owned()
        }
        RejectionCode::Ambiguous => match first {
            Some(Candidate { invocation, record: Some(record), .. }) => {
                format!(r#"Add "invocation": "{invocation}" and "record": "{record}", or those of another candidate."#)
            }
            _ => "Name the field of each value, and the record.".to_owned(),
        },
        RejectionCode::WrongField
        | RejectionCode::ValueAbsent
        | RejectionCode::SplitAcrossRecords
        | RejectionCode::TooWeak
        | RejectionCode::NaiveTime
        | RejectionCode::Overclaim => first
            .and_then(|candidate| written_out(candidate, shelf))
            .unwrap_or_else(|| "Look at the records again with `read_output` and copy what stands there.".to_owned()),
    }
}

/// Writes out the candidate's record, field by field.
fn written_out(candidate: &Candidate, shelf: &Shelf) -> Option<String> {
    let id = candidate.record?;
    let record = shelf.get(candidate.invocation)?.grounds()?.record(id)?;
    Some(format!("{id} of {} holds {}. State that, or drop the claim.", candidate.invocation, fields(record)))
}

fn fields(record: &Record) -> String {
    let written =
        |(name, field): (&String, &ledger::Field)| format!("{name} = {}", quote(&field.value.to_text()));
    let all: Vec<_> = record.fields.iter().take(MOST_FIELDS).map(written).collect();
    let more = record.fields.len().saturating_sub(MOST_FIELDS);
    if more == 0 { all.join(", ") } else { format!("{} and {more} more", all.join(", ")) }
}
