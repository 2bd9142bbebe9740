//! Whether facts stand where they say they do, by the bytes of the stored outputs alone: nothing of the gateway is used.

use ledger::{Digest, Event, FactEntry, InvocationId};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

/// Every fact that does not stand where it says: in an output of its own task, in one record, under the field it names.
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
    let mut records = Vec::new();
    for value in fact.values.iter().chain([&fact.subject]) {
        let start = usize::try_from(value.span.offset).map_err(|error| error.to_string())?;
        let length = usize::try_from(value.span.length).map_err(|error| error.to_string())?;
        let bytes = start.checked_add(length).and_then(|end| output.get(start..end));
        let bytes = bytes.ok_or_else(|| format!("{} lies outside of the output", value.field))?;
        let found: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let expected = serde_json::to_value(&value.value).map_err(|error| error.to_string())?;
        if found != expected {
            return Err(format!("{} is {found} in the output, not {expected}", value.field));
        }
        let before = output.get(..start).unwrap_or_default();
        if !before.ends_with(format!("{}:", Value::from(value.field.as_str())).as_bytes()) {
            return Err(format!("what stands there is not {}", value.field));
        }
        if let Some(words) = &value.quotation
            && !found.to_string().contains(Value::from(words.as_str()).to_string().trim_matches('"'))
        {
            return Err(format!("{} does not hold {words:?}", value.field));
        }
        // A record is a line.
        records.push(before.iter().filter(|byte| **byte == b'\n').count());
    }
    match records.windows(2).all(|pair| pair.first() == pair.last()) {
        true => Ok(()),
        false => Err("its values stand in several records".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::Reader;

    /// The facts of a recorded run stand, and no longer once anything of one is another.
    #[test]
    fn facts_of_a_recorded_run_stand_and_changed_ones_do_not() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runs/sample");
        let reader = Reader::open(&folder).unwrap();
        let events: Vec<Event> = reader.events().map(|event| event.unwrap().1).collect();
        let mut payload = |digest: &Digest| reader.payload(digest).unwrap();
        assert_eq!(ungrounded(&events, &mut payload), Vec::<String>::new());
        type Change = fn(&mut FactEntry);
        let changes: [(Change, &str); 4] = [
            (|fact| fact.values[0].span.offset += 1, "not grounded"),
            (|fact| fact.values[0].field.push('x'), "what stands there is not"),
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
