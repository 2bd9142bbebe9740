//! Checks whether facts are where they say they are, using only the bytes of the stored outputs and none of the gateway's code.

use ledger::{BoundValue, Digest, Event, FactEntry, InvocationId};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

/// Returns every fact that is not where it says: in an output of its own task, in one record, under the field that it names.
pub(crate) fn ungrounded(
    events: &[Event],
    payload: &mut dyn FnMut(&Digest) -> Option<Vec<u8>>,
) -> Vec<String> {
    let mut outputs: BTreeMap<InvocationId, Digest> = BTreeMap::new();
    let mut broken = Vec::new();
    for event in events {
        match event {
            Event::InvocationEnded(ended) => outputs.extend(ended.output.map(|out| (ended.invocation, out))),
            Event::ClaimAccepted(accepted) => {
                let fact = &accepted.fact;
                let stands = match outputs.get(&fact.invocation) {
                    Some(output) if *output == fact.output => stands(fact, payload(&fact.output)),
                    Some(_) | None => Err("its invocation has no such output".to_owned()),
                };
                broken.extend(stands.err().map(|why| format!("{} is not grounded: {why}", fact.id)));
            }
            _ => {}
        }
    }
    broken
}

fn stands(fact: &FactEntry, output: Option<Vec<u8>>) -> Result<(), String> {
    let output = output.ok_or("its output is not stored")?;
    let digest: String = Sha256::digest(&output).iter().map(|byte| format!("{byte:02x}")).collect();
    if digest != fact.output.to_string() {
        return Err("its output has another digest".to_owned());
    }
    // The first line is a header; each further line is a record.
    let line = usize::try_from(fact.record.0).map_err(|error| error.to_string())?.saturating_add(1);
    let lines: Vec<&[u8]> = output.split(|byte| *byte == b'\n').collect();
    let record = lines.get(line).ok_or("its output has no such record")?;
    let start: usize = lines.iter().take(line).map(|line| line.len() + 1).sum();
    let fields: Value = serde_json::from_slice(record).map_err(|error| error.to_string())?;
    for value in fact.values.iter().chain([&fact.subject]) {
        stands_in(value, &fields, record, start)?;
    }
    Ok(())
}

/// Checks whether a value is in a record, whose line starts at `start` in the output: both under its field and at its span.
fn stands_in(value: &BoundValue, fields: &Value, record: &[u8], start: usize) -> Result<(), String> {
    let expected = serde_json::to_value(&value.value).map_err(|error| error.to_string())?;
    let under = fields.get("fields").and_then(|fields| fields.get(&value.field)?.get("value"));
    if under != Some(&expected) {
        return Err(format!("the record's {} is {under:?}, not {expected}", value.field));
    }
    let offset = usize::try_from(value.span.offset).ok().and_then(|offset| offset.checked_sub(start));
    let length = usize::try_from(value.span.length).map_err(|error| error.to_string())?;
    let bytes = offset.and_then(|offset| record.get(offset..offset.checked_add(length)?));
    let bytes = bytes.ok_or_else(|| format!("{} lies outside of the record", value.field))?;
    let found: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if found != expected {
        return Err(format!("{found} stands where {} is said to be", value.field));
    }
    match &value.quotation {
        Some(words)
            if !found.to_string().contains(Value::from(words.as_str()).to_string().trim_matches('"')) =>
        {
            Err(format!("{} does not hold {words:?}", value.field))
        }
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::Reader;

    /// Checks that the facts of a recorded run hold, and no longer hold once anything in one is changed.
    #[test]
    fn facts_of_a_recorded_run_stand_and_changed_ones_do_not() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runs/sample");
        let reader = Reader::open(&folder).unwrap();
        let events: Vec<Event> = reader.events().map(|event| event.unwrap().1).collect();
        let mut payload = |digest: &Digest| reader.payload(digest).unwrap();
        assert_eq!(ungrounded(&events, &mut payload), Vec::<String>::new());
        type Change = fn(&mut FactEntry);
        let changes: [(Change, &str); 5] = [
            (|fact| fact.values[0].span.offset += 1, "not grounded"),
            (|fact| fact.values[0].field.push('x'), "the record's"),
            (|fact| fact.record.0 += 1, "not grounded"),
            (|fact| fact.output = Digest::of(b"another"), "no such output"),
            (|fact| fact.values[0].quotation = Some("never said".into()), "does not hold"),
        ];
        for (change, expected) in changes {
            let mut events = events.clone();
            let fact = events.iter_mut().find_map(|event| match event {
                Event::ClaimAccepted(accepted) => Some(&mut accepted.fact),
                _ => None,
            });
            change(fact.unwrap());
            let found = ungrounded(&events, &mut payload);
            assert!(found.len() == 1 && found[0].contains(expected), "{found:?}");
        }
    }
}
