//! Steps by which clocks were set back: there, times do not show the order.

use crate::event::{InvocationEnded, InvocationStarted};
use crate::id::InvocationId;
use crate::output::Output;
use crate::placement::tells_of_host;
use crate::record::Record;
use crate::time::Utc;
use crate::tool::{Completeness, Outcome};
use crate::value::FieldValue;
use serde_json::Value;

/// The tool that lists such steps, and its record type.
pub const STEPS_BY: (&str, &str) = ("timeline_anomalies", "clock_step");

/// The channel of events from other hosts, whose clocks are unrelated.
const OF_OTHER_HOSTS: &str = "ForwardedEvents";

/// A step that set a clock back, as two records of a log show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockStep {
    /// The label of the evidence.
    pub evidence: String,
    /// The log that shows it: its channel, because several files of one channel may have been kept one after another.
    /// If the log names no channel, its path.
    pub log: String,
    /// The time of the record before the step.
    pub before: Utc,
    /// The earlier time of the record after the step.
    pub after: Utc,
}

/// A complete listing of such steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockListing {
    /// The call.
    pub listed: InvocationId,
    /// The label of the evidence whose steps it lists; `None` for all evidence.
    pub evidence: Option<String>,
    /// The steps.
    pub steps: Vec<ClockStep>,
}

impl ClockListing {
    /// Returns the listing that a call makes; `None` if the call is not a listing or did not finish.
    pub fn of(
        started: &InvocationStarted,
        ended: &InvocationEnded,
        output: Option<&Output>,
    ) -> Option<ClockListing> {
        let is_whole = ended.completeness == Completeness::Complete && ended.gaps.is_empty();
        let is_ended = matches!(ended.outcome, Outcome::Ok | Outcome::Empty);
        let used = ended.normalised.as_ref()?.as_object()?;
        let evidence = used.get("evidence").and_then(Value::as_str);
        let leaves_nothing_out = |(name, value): (&String, &Value)| match name.as_str() {
            "limit" | "evidence" => true,
            "offset" => *value == 0,
            "under" => *value == "",
            "record" => *value == STEPS_BY.1,
            _ => value.is_null(),
        };
        let lists = started.tool == STEPS_BY.0 && is_whole && is_ended && used.iter().all(leaves_nothing_out);
        lists.then(|| ClockListing {
            listed: ended.invocation,
            evidence: evidence.map(str::to_owned),
            steps: output.map(Output::records).unwrap_or_default().iter().filter_map(step).collect(),
        })
    }

    /// Checks whether it lists the steps of this piece of evidence.
    pub fn is_of(&self, label: &str) -> bool {
        self.evidence.as_deref().is_none_or(|own| own == label)
    }
}

/// Reads a step; a log in an unusual place belongs to some other clock.
fn step(record: &Record) -> Option<ClockStep> {
    let value = |field: &str| record.fields.get(field).map(|field| &field.value);
    let time = |field: &str| match value(field) {
        Some(FieldValue::Time(time)) => time.utc,
        Some(_) | None => None,
    };
    let channel = value("channel").map(|channel| channel.to_text().into_owned());
    let is_of_others = channel.as_deref() == Some(OF_OTHER_HOSTS);
    let is_of_host = tells_of_host(record.placement);
    let is_step = record.kind == STEPS_BY.1 && !is_of_others && is_of_host;
    let (before, after) = time("before").zip(time("after")).filter(|_| is_step)?;
    let evidence = record.locator.evidence.clone();
    let log = channel.unwrap_or_else(|| record.locator.path.clone());
    Some(ClockStep { evidence, log, before, after })
}
