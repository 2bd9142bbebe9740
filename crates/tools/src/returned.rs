//! What a tool returns.

use crate::error::CallError;
use ledger::tool::LEFT_UNREAD;
use ledger::{Completeness, Defect, Gap, Outcome, Record};
use serde_json::Value;
use std::error::Error;

/// The result of one call.
///
/// Only `records` come purely from the evidence; `normalised` and `notes` may repeat what the agent said, and prove nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Return {
    /// How it ended: `Ok` with records, `Empty` without any, `Failed` if it could not be done.
    pub outcome: Outcome,
    /// Whether everything that was asked for was covered.
    pub completeness: Completeness,
    /// The arguments as they were used: defaults filled in, paths in the evidence's spelling. A call with them gives the same records.
    pub normalised: Option<Value>,
    /// The rows of evidence; empty unless the outcome is `Ok`.
    pub records: Vec<Record>,
    /// Damage that belongs to no single record.
    pub defects: Vec<Defect>,
    /// What was not examined.
    pub gaps: Vec<Gap>,
    /// Notes for the agent: how to continue, why a call failed.
    pub notes: Vec<String>,
}

impl Return {
    /// Makes the return of a call that found these records; `Empty` if there are none.
    pub(crate) fn found(records: Vec<Record>, normalised: Value) -> Return {
        Return {
            outcome: if records.is_empty() { Outcome::Empty } else { Outcome::Ok },
            completeness: Completeness::Complete,
            normalised: Some(normalised),
            records,
            defects: Vec::new(),
            gaps: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Makes the return of a call that failed for this reason.
    pub(crate) fn failed(error: &dyn Error) -> Return {
        Return {
            outcome: Outcome::Failed,
            completeness: Completeness::Truncated,
            normalised: None,
            records: Vec::new(),
            defects: Vec::new(),
            gaps: Vec::new(),
            notes: vec![chain(error)],
        }
    }

    /// Sets the records, and the matching outcome.
    pub(crate) fn set_records(&mut self, records: Vec<Record>) {
        self.outcome = if records.is_empty() { Outcome::Empty } else { Outcome::Ok };
        self.records = records;
    }

    /// Marks a return with gaps or damage as not covering everything that was asked for.
    pub(crate) fn incomplete_for_gaps(&mut self) {
        let unread = !self.gaps.is_empty() || !self.defects.is_empty();
        if unread && self.completeness == Completeness::Complete {
            self.completeness = Completeness::Truncated;
            self.notes.insert(0, LEFT_UNREAD.to_owned());
        }
    }

    /// Adds as the first note that the tool stopped before the end, and how to continue.
    pub(crate) fn truncate(&mut self, note: String) {
        self.completeness = Completeness::Truncated;
        self.notes.insert(0, note);
    }
}

impl From<Result<Return, CallError>> for Return {
    fn from(result: Result<Return, CallError>) -> Return {
        result.unwrap_or_else(|error| {
            let defects = error.defects();
            Return { defects, ..Return::failed(&error) }
        })
    }
}

/// Writes an error with its causes; a cause that the error's own text repeats is left out.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text
}
