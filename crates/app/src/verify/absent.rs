//! Absences against the searches that they rest on, with nothing of the gateway.
//!
//! What is asked here is necessary, not sufficient: that each search may show such an absence at all, was whole, found nothing, and looked at the place. That its words cover what is said to be absent is judged again besides.

use super::log::{Found, Log};
use ledger::event::{AbsenceAccepted, InvocationEnded, InvocationStarted};
use ledger::{Absence, Completeness, Event, InvocationId, Outcome, TaskId};
use serde_json::Value;
use std::collections::BTreeMap;

/// The absences of which a search does not show what they say.
pub(super) fn uncovered(log: Log<'_>) -> Vec<Found> {
    let mut started: BTreeMap<InvocationId, (TaskId, &InvocationStarted)> = BTreeMap::new();
    let mut ended: BTreeMap<InvocationId, &InvocationEnded> = BTreeMap::new();
    let mut found = Vec::new();
    for (_, task, event) in log.of_tasks() {
        match event {
            Event::InvocationStarted(start) => drop(started.insert(start.invocation, (task, start))),
            Event::InvocationEnded(end) => drop(ended.insert(end.invocation, end)),
            Event::AbsenceAccepted(accepted) => {
                let searches = accepted.absence.searches.iter();
                let wrong = searches.filter_map(|id| {
                    let start = started.get(id).filter(|(of, _)| *of == task).map(|(_, start)| *start);
                    let what = match start.zip(ended.get(id).copied()) {
                        None => Some("is no search of its task that had ended"),
                        Some((start, end)) => lacks(log, accepted, start, end),
                    };
                    Some((accepted.absence.id.to_string(), format!("its search {id} {}", what?)))
                });
                found.extend(wrong);
            }
            _ => {}
        }
    }
    found
}

/// What a search lacks for the absence.
fn lacks(
    log: Log<'_>,
    accepted: &AbsenceAccepted,
    start: &InvocationStarted,
    end: &InvocationEnded,
) -> Option<&'static str> {
    let absence = &accepted.absence.absence;
    let tool = log.opened.tools.iter().find(|tool| tool.name == start.tool);
    let rules = tool.map(|tool| tool.covers.as_slice()).unwrap_or_default();
    let rule = rules.iter().find(|rule| rule.form == absence.form());
    let arguments = end.normalised.as_ref();
    let (Some(rule), Some(Value::Object(arguments))) = (rule, arguments) else {
        return Some("is of a tool that shows no such absence");
    };
    let whole = end.gaps.is_empty() && end.defects.is_empty() && end.records == 0;
    if (end.outcome, end.completeness, whole) != (Outcome::Empty, Completeness::Complete, true) {
        return Some("did not search everything, or found something");
    }
    let told = |name: &String| rule.members.values().any(|known| known == name) || rule.free.contains(name);
    let less = arguments.iter().any(|(name, value)| match rule.required.get(name) {
        Some(required) => value != required,
        None => !value.is_null() && !told(name),
    });
    if less {
        return Some("searched less");
    }
    let member = |name: &str| rule.members.get(name).and_then(|of| arguments.get(of)).and_then(Value::as_str);
    match place_is_searched(absence, &member) {
        true => None,
        false => Some("looked elsewhere"),
    }
}

/// Whether the place and the evidence that the absence names are those that were looked at, as the search wrote them.
fn place_is_searched<'a>(absence: &Absence, member: &impl Fn(&str) -> Option<&'a str>) -> bool {
    let evidence = match (absence.evidence(), member("evidence")) {
        (Some(said), Some(searched)) => said == searched,
        (None, Some(_)) => false,
        (_, None) => true,
    };
    let place = match absence {
        Absence::File { under, .. } | Absence::Text { under, .. } => {
            under == member("under").unwrap_or_default()
        }
        Absence::RegistryKey { hive, .. } => member("hive") == Some(hive),
    };
    evidence && place
}
