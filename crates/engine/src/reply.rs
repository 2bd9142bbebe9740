//! Prepares a model's reply for the record: bounded, without fractions, and with an id for every call.

use ledger::turn::{Reply, ReplyBlock, ToolCall};
use ledger::{CallId, canonical};
use serde_json::Value;
use std::collections::BTreeSet;

/// How deep arguments may be nested; the log nests them deeper still, and its reader has a limit, too.
const DEEPEST: usize = 32;
/// The most bytes of the texts and names in one call's arguments.
const LARGEST: usize = 256 * 1024;

/// Returns the reply as it is recorded and answered; `seen` are the ids of the task's earlier calls.
///
/// - A number that is not an integer becomes text, because the record has no fractions (`ledger::canonical`).
/// - Arguments that are nested too deeply or too long become a text that says so; such a call is refused.
/// - Members are in the order of the record, not the model's: what a task does must follow from what is recorded.
/// - A call id that is empty, too long, already used, or has characters that APIs do not allow is replaced by one of ours.
/// - An empty reply becomes a reply without words, because an empty message is not valid.
pub(crate) fn recordable(mut reply: Reply, turn: u32, seen: &mut BTreeSet<CallId>) -> Reply {
    for (index, block) in reply.blocks.iter_mut().enumerate() {
        if let ReplyBlock::Call(call) = block {
            own_id(call, turn, index, seen);
            let mut left = LARGEST;
            if !fits(&call.arguments, DEEPEST, &mut left) {
                let told = format!("left out: more than {DEEPEST} levels deep or {LARGEST} bytes long");
                call.arguments = Value::String(told);
            }
            without_fractions(&mut call.arguments);
            call.arguments = in_order_of_record(std::mem::take(&mut call.arguments));
        }
    }
    if reply.blocks.is_empty() {
        reply.blocks.push(ReplyBlock::Text { text: "(no words)".to_owned() });
    }
    reply
}

fn own_id(call: &mut ToolCall, turn: u32, index: usize, seen: &mut BTreeSet<CallId>) {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let id = &call.call.0;
    let good = (1..=64).contains(&id.len()) && id.bytes().all(plain);
    if !good || seen.contains(&call.call) {
        let ours = (0u32..).map(|number| CallId(format!("locard-{turn}-{index}-{number}")));
        if let Some(free) = ours.into_iter().find(|id| !seen.contains(id)) {
            call.call = free;
        }
    }
    seen.insert(call.call.clone());
}

fn fits(value: &Value, depth: usize, left: &mut usize) -> bool {
    let mut take = |bytes: usize| {
        let enough = *left >= bytes;
        *left = left.saturating_sub(bytes);
        enough
    };
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => take(8),
        Value::String(text) => take(text.len() + 8),
        Value::Array(items) => depth > 0 && take(8) && items.iter().all(|item| fits(item, depth - 1, left)),
        Value::Object(members) => {
            depth > 0
                && take(8 + members.keys().map(String::len).sum::<usize>())
                && members.values().all(|member| fits(member, depth - 1, left))
        }
    }
}

fn without_fractions(value: &mut Value) {
    match value {
        Value::Number(number) if !number.is_i64() && !number.is_u64() => {
            *value = Value::String(number.to_string());
        }
        Value::Array(items) => items.iter_mut().for_each(without_fractions),
        Value::Object(members) => members.values_mut().for_each(without_fractions),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn in_order_of_record(value: Value) -> Value {
    let recorded = canonical::to_vec(&value).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    recorded.unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(id: &str, arguments: Value) -> ReplyBlock {
        ReplyBlock::Call(ToolCall { call: CallId(id.into()), tool: "t".into(), arguments })
    }

    fn taken(blocks: Vec<ReplyBlock>) -> Vec<ToolCall> {
        recordable(Reply { blocks }, 3, &mut BTreeSet::new()).calls().cloned().collect()
    }

    #[test]
    fn every_call_gets_an_id_of_its_own() {
        let long = "x".repeat(65);
        let ids = ["a", "a", "", "b c", &long, "a"];
        let calls = taken(ids.map(|id| call(id, json!({}))).into());
        let taken: BTreeSet<_> = calls.iter().map(|call| call.call.clone()).collect();
        assert_eq!(taken.len(), ids.len());
        assert_eq!(calls[0].call.0, "a");
    }

    #[test]
    fn arguments_past_the_bounds_are_left_out() {
        let deep = (0..40).fold(json!(1), |inner, _| json!([inner]));
        let long = json!({"x": "y".repeat(300 * 1024)});
        for arguments in [deep, long] {
            assert!(taken(vec![call("a", arguments)])[0].arguments.is_string());
        }
        let allowed = json!({"x": [[["y"]], 7, null, true]});
        assert_eq!(taken(vec![call("a", allowed.clone())])[0].arguments, allowed);
    }

    #[test]
    fn members_are_taken_in_the_order_of_the_record() {
        let calls = taken(vec![call("a", json!({"b": {"d": 1, "c": 2}, "a": 3}))]);
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(
            (keys(&calls[0].arguments), keys(&calls[0].arguments["b"])),
            (vec!["a".into(), "b".into()], vec!["c".into(), "d".into()])
        );
    }

    #[test]
    fn a_fraction_becomes_text() {
        assert_eq!(taken(vec![call("a", json!({"n": [1.5, 2]}))])[0].arguments, json!({"n": ["1.5", 2]}));
    }

    #[test]
    fn a_reply_of_nothing_still_says_something() {
        assert_eq!(recordable(Reply { blocks: vec![] }, 1, &mut BTreeSet::new()).blocks.len(), 1);
    }
}
