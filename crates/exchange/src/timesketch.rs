//! Timesketch JSON lines: `message`, `datetime`, `timestamp_desc`, and further flat fields.
//!
//! Only instants by the examined host's clock are included: the format has one notion of time,
//! so a local time or a copy's time would be misread.

use crate::inert::write_json;
use crate::times::{Standing, bound, precision_name, standing, times};
use crate::view::{View, healed_from, tier_name, value_text, weakest, writer_name};
use crate::{LeftOut, Written};
use detect::Attack;
use graph::{Run, fact_title};
use ledger::event::ClaimAccepted;
use ledger::{BoundValue, FieldValue, Precision, TaskId, Time, Utc, is_of_container};
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// Writes one line for each instant that a fact states, in chronological order; returns how many times were left out, and why.
pub fn timesketch(run: &Run, attack: &Attack, out: &mut impl Write) -> io::Result<Written> {
    let view = View::new(run, attack);
    let mut left_out = LeftOut::default();
    let mut rows: Vec<(Utc, TaskId, &ClaimAccepted, &BoundValue, &Time)> = Vec::new();
    for (task, accepted) in run.facts() {
        for (value, time) in times(&accepted.fact) {
            match standing(time) {
                Standing::Instant(utc) => rows.push((utc, task, accepted, value, time)),
                other => left_out.count(other),
            }
        }
    }
    rows.sort_by_key(|(utc, ..)| *utc);
    for (utc, task, accepted, value, time) in &rows {
        write_json(out, &line(&view, *utc, *task, accepted, value, time))?;
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(Written { items: rows.len() as u64, left_out })
}

fn line(
    view: &View<'_>,
    utc: Utc,
    task: TaskId,
    accepted: &ClaimAccepted,
    value: &BoundValue,
    time: &Time,
) -> Value {
    let fact = &accepted.fact;
    let microseconds = utc.unix_nanoseconds().div_euclid(1_000);
    let mut line = json!({
        "message": message(accepted, value),
        "datetime": datetime(microseconds),
        "timestamp": i64::try_from(microseconds).unwrap_or_default(),
        "timestamp_desc": view.meaning(&fact.kind, &value.field),
        "data_type": format!("locard:{}", fact.kind),
        "tag": tags(view, accepted),
        "time_field": value.field,
        "time_precision": precision_name(time.precision),
        "time_raw": time.raw,
        "fact": fact.id,
        "task": task.to_string(),
        "agent": view.agent(task),
        "predicate": fact.predicate,
        "subject": value_text(&fact.subject),
        "answers": view.answered(fact.id).join("; "),
        "techniques": view.technique_ids(fact),
        "host": view.host(fact),
        "account": view.account(fact),
        "evidence": fact.locator.evidence,
        "path": fact.locator.path,
        "tier": tier_name(weakest(fact)),
        "writer": writer_name(fact),
        "tool": view.tool(fact),
        "invocation": fact.invocation,
        "record": fact.record.to_string(),
        "output_sha256": view.output(fact),
        "run": view.run.name(),
    });
    if let Some(members) = line.as_object_mut() {
        place(members, accepted);
        values(members, view, accepted);
    }
    line
}

/// Describes the line. A key's last write time is not the time of an event for each of the values that it contains.
fn message(accepted: &ClaimAccepted, value: &BoundValue) -> String {
    let title = fact_title(&accepted.fact);
    match is_of_container(&value.field) {
        true => format!("{HELD}: {title}"),
        false => title,
    }
}

/// The text for a time that belongs to a key or list rather than to its contents.
const HELD: &str = "what holds this was last written, this then or before";

/// Formats ISO 8601 with six decimal places and the offset.
fn datetime(microseconds: i128) -> String {
    let utc = Utc::from_unix_nanoseconds(microseconds * 1_000);
    let text = utc.map(|utc| utc.to_text(Precision::Microsecond)).unwrap_or_default();
    format!("{}+00:00", text.trim_end_matches('Z'))
}

fn tags(view: &View<'_>, accepted: &ClaimAccepted) -> Vec<String> {
    let predicate = accepted.fact.predicate.0.as_str();
    let techniques = view.techniques(&accepted.fact).into_iter().map(|it| it.id.to_string());
    let healed = accepted.healing.as_ref().map(|_| "healed");
    let unseen = (!accepted.fact.shown).then_some("not shown to the agent");
    let own = [Some(predicate), healed, unseen].into_iter().flatten().map(str::to_owned);
    own.chain(techniques).collect()
}

fn place(members: &mut Map<String, Value>, accepted: &ClaimAccepted) {
    let locator = &accepted.fact.locator;
    if let Some(stream) = &locator.stream {
        members.insert("stream".to_owned(), json!(stream));
    }
    if let Some(span) = locator.span {
        members.insert("offset".to_owned(), json!(span.offset));
        members.insert("length".to_owned(), json!(span.length));
    }
    if accepted.healing.is_some() {
        members.insert("healed_from".to_owned(), json!(healed_from(accepted)));
    }
}

/// Returns a value as text, or a list as an array.
fn told(value: &BoundValue) -> Value {
    match (&value.value, &value.quotation) {
        (FieldValue::List(items), None) => json!(items),
        _ => json!(value_text(value)),
    }
}

/// Adds each value as text in its own field. Values whose field names come from the evidence (columns of a table) share one field,
/// because Timesketch indexes every field name that it meets.
fn values(members: &mut Map<String, Value>, view: &View<'_>, accepted: &ClaimAccepted) {
    let fact = &accepted.fact;
    let mut others = Vec::new();
    for value in bound(fact) {
        let text = value_text(value);
        let name = format!("value_{}", value.field);
        match (view.is_declared(&fact.kind, &value.field), members.get_mut(&name)) {
            (false, _) => others.push(format!("{}={text}", value.field)),
            // Several quotations may come from one text.
            (true, Some(Value::String(before))) => {
                before.push_str("; ");
                before.push_str(&text);
            }
            (true, _) => drop(members.insert(name, told(value))),
        }
    }
    if !others.is_empty() {
        members.insert("other_values".to_owned(), json!(others.join("; ")));
    }
}
