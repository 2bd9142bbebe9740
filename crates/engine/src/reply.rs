//! Taking a model's reply into the record.

use ledger::turn::{Reply, ReplyBlock};
use serde_json::Value;

/// The reply with every number that is no integer as text: the record has no floating point numbers (see `ledger::canonical`).
///
/// A tool that is given `"1.5"` for a number says so; a model that wrote `1.5` for a text has lost nothing.
pub(crate) fn recordable(mut reply: Reply) -> Reply {
    for block in &mut reply.blocks {
        if let ReplyBlock::Call(call) = block {
            without_floats(&mut call.arguments);
        }
    }
    reply
}

fn without_floats(value: &mut Value) {
    match value {
        Value::Number(number) if !number.is_i64() && !number.is_u64() => {
            *value = Value::String(number.to_string());
        }
        Value::Array(items) => items.iter_mut().for_each(without_floats),
        Value::Object(members) => members.values_mut().for_each(without_floats),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
