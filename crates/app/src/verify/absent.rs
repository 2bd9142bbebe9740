//! Checks absences against the searches behind them, without code of the gateway.
//!
//! The conditions here are necessary, not sufficient: each search must be able to prove such an absence, be complete, find nothing, and
//! cover the place. A separate check judges again whether its arguments cover what is said to be absent.

use super::log::{Found, Log};
use ledger::absence::{MOST_NEAR, more_near, near_in};
use ledger::event::{AbsenceAccepted, InvocationEnded, InvocationStarted};
use ledger::placement::tells_of_host;
use ledger::{Absence, Completeness, Event, FieldValue, Gap, InvocationId, Outcome, Record, TaskId};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the absences with a search that does not prove them.
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
                let told = wrong_reach(log, accepted, |id| {
                    started.get(&id).filter(|(of, _)| *of == task).and_then(|_| ended.get(&id).copied())
                });
                found.extend(told.map(|what| (accepted.absence.id.to_string(), what.to_owned())));
                let ends = accepted.absence.searches.iter().filter_map(|id| ended.get(id).copied());
                if !names_what_is_near(&accepted.absence.absence, ends) {
                    let what = "it does not name what its searches say to be near it".to_owned();
                    found.push((accepted.absence.id.to_string(), what));
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether an absence names exactly the similar names that its searches list, up to the maximum number.
fn names_what_is_near<'l>(absence: &Absence, searches: impl Iterator<Item = &'l InvocationEnded>) -> bool {
    let has_near = matches!(absence, Absence::File { .. } | Absence::RegistryKey { .. });
    let told: BTreeSet<&str> = searches.filter(|_| has_near).flat_map(|end| near_in(&end.notes)).collect();
    let named: BTreeSet<&str> = absence.near().iter().map(String::as_str).collect();
    let others = told.difference(&named).count();
    let own: Vec<&str> = named.difference(&told).copied().collect();
    let is_whole = match others {
        0 => own.is_empty(),
        // The names beyond the maximum are only counted.
        others => own == [more_near(others)] && named.len() == MOST_NEAR,
    };
    is_whole && named.len() == absence.near().len()
}

/// Returns what is wrong with the stated reach of the logs, compared with the listing that an absence of events names.
fn wrong_reach<'l>(
    log: Log<'l>,
    accepted: &AbsenceAccepted,
    ended: impl Fn(InvocationId) -> Option<&'l InvocationEnded>,
) -> Option<&'static str> {
    let Absence::Events { channel, evidence, reach, .. } = &accepted.absence.absence else { return None };
    let Some(reach) = reach else { return Some("does not say how far the logs reach") };
    let listed = ended(reach.listed).filter(|end| {
        let is_whole = end.gaps.is_empty() && end.defects.is_empty();
        (end.outcome, end.completeness, is_whole) == (Outcome::Ok, Completeness::Complete, true)
    });
    let output = listed.and_then(|end| log.outputs.get(end.output.as_ref()?));
    let Some(output) = output else {
        return Some("says how far the logs reach by no whole listing of its task");
    };
    let says = |value: &FieldValue| match value {
        FieldValue::List(names) => names.iter().any(|name| name.eq_ignore_ascii_case(channel)),
        value => value.to_text().eq_ignore_ascii_case(channel),
    };
    let is_of = |record: &&Record| {
        let mut named = ["channel", "channels"].into_iter().filter_map(|field| record.fields.get(field));
        named.any(|field| says(&field.value))
            && evidence.as_ref().is_none_or(|label| record.locator.evidence == *label)
            && tells_of_host(record.placement)
    };
    let logs: Vec<&Record> = output.records().iter().filter(is_of).collect();
    let is_doubtful = |record: &&Record| {
        let missing = record.fields.get("missing").map(|field| field.value.to_text());
        record.fields.contains_key("channels") || missing.is_some_and(|missing| missing != "0")
    };
    if logs.iter().any(is_doubtful) {
        return Some("rests on a log that holds several channels, or lacks records");
    }
    let text = |record: &Record, field: &str| Some(record.fields.get(field)?.value.to_text().into_owned());
    let stands = |evidence: &str, field: &str, time: &str| {
        let of = |log: &&&Record| log.locator.evidence == evidence;
        logs.iter().filter(of).any(|log| text(log, field).as_deref() == Some(time))
    };
    // Every stretch begins and ends like one of the logs, and each piece of evidence whose logs have times has a stretch.
    let holds = reach
        .stretches
        .iter()
        .all(|it| stands(&it.evidence, "first", &it.first) && stands(&it.evidence, "last", &it.last));
    let dated = logs.iter().filter(|log| log.fields.contains_key("first"));
    let labels: BTreeSet<&str> = dated.map(|log| log.locator.evidence.as_str()).collect();
    let told: BTreeSet<&str> = reach.stretches.iter().map(|it| it.evidence.as_str()).collect();
    (!holds || told != labels || told.is_empty())
        .then_some("says that the logs reach to other times than its listing does")
}

/// Returns what a search lacks to prove the absence.
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
    let whole = match absence {
        Absence::RegistryKey { hive, as_it_stands: true, .. } => left_logs_unread(end, hive),
        _ => end.gaps.is_empty() && end.completeness == Completeness::Complete,
    };
    if end.outcome != Outcome::Empty || end.records != 0 || !end.defects.is_empty() || !whole {
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

/// Whether the only gap of a search is that the hive is dirty and its transaction logs were not applied.
fn left_logs_unread(end: &InvocationEnded, hive: &str) -> bool {
    let says = |gap: &Gap| {
        let words =
            ["the hive is dirty, and no transaction logs", "transaction logs present and not applied"];
        gap.path == hive && words.iter().any(|begin| gap.reason.starts_with(begin))
    };
    let is_cut_short = end.completeness != Completeness::Complete
        && end.notes.first().is_none_or(|note| note != ledger::tool::LEFT_UNREAD);
    end.gaps.len() == 1 && end.gaps.iter().all(says) && !is_cut_short
}

/// Whether the search looked at the place and the evidence that the absence names, by the arguments as the search recorded them.
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
        // This is not restricted to a place; the condition itself is judged again elsewhere.
        Absence::Events { channel, .. } => {
            member("where").is_some_and(|condition| condition.contains(channel.as_str()))
        }
    };
    evidence && place
}
