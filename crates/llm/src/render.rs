//! Renders answers of tools as the text that a language model reads.
//!
//! **Invariant:** text of the evidence cannot leave the fence.
//! Between its lines there are JSON values, one per line, each an object or an array.
//! No character of a value can end a line, be invisible, or change the reading direction; and the fence's word does not occur in them.

mod head;
mod rows;

use ledger::turn::{Advice, Answer, Distilled, Page, RecalledHit, RecalledPages};
use ledger::{Fence, Record};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Renders the answer to one call, fenced: its result, and the records of its page as rows.
pub fn answer(answer: &Answer, fence: &Fence) -> Result<String, serde_json::Error> {
    if let Answer::Recalled(recalled) = answer {
        return self::recalled(recalled, fence);
    }
    let mut text = fence.begin();
    head::lines(answer)?.iter().for_each(|value| line(&mut text, value, fence));
    for page in answer.pages().into_iter().take(1) {
        rows::lines(page, fence).iter().for_each(|value| line(&mut text, value, fence));
    }
    text.push('\n');
    text.push_str(&fence.end());
    Ok(text)
}

/// Renders the answer to one call as a program reads it: the answer, and the records of its pages with the invocation to cite.
///
/// Values are unchanged here: their places show what is data and what is not.
pub fn structured(answer: &Answer, fence: &Fence) -> Result<(Value, Vec<Value>), serde_json::Error> {
    let mut records = Vec::new();
    for page in answer.pages() {
        for record in page.records() {
            let mut record = self::record(record, fence);
            record["invocation"] = json!(page.invocation);
            records.push(record);
        }
    }
    let mut told = told(answer)?;
    let page = match answer {
        Answer::Recalled(_) => None,
        _ => answer.pages().into_iter().next(),
    };
    if let Some(hidden) = page.and_then(Page::first_hidden) {
        told["first_record_not_shown"] = json!(hidden.to_string());
    }
    Ok((told, records))
}

/// Returns the answer as JSON, with records named as claims name them: `r0`, where the log has a number.
fn told(answer: &Answer) -> Result<Value, serde_json::Error> {
    let mut told = serde_json::to_value(answer)?;
    name_records(&mut told);
    Ok(told)
}

fn name_records(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(name_records),
        Value::Object(members) => {
            for (name, value) in members {
                match value.as_u64() {
                    Some(number) if name == "record" => *value = json!(format!("r{number}")),
                    // Arguments stay as they were given.
                    _ if name != "normalised" => name_records(value),
                    _ => {}
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Renders records of several outputs, each after the line that names its output.
fn recalled(recalled: &RecalledPages, fence: &Fence) -> Result<String, serde_json::Error> {
    let mut text = fence.begin();
    let (hits, left_out) = (recalled.hits.len(), recalled.left_out);
    line(&mut text, &json!({"type": "recalled", "hits": hits, "left_out": left_out}), fence);
    for hit in &recalled.hits {
        let RecalledHit { page, records, lost } = hit;
        let said = json!({"invocation": page.invocation, "records": records, "lost": lost});
        line(&mut text, &said, fence);
        rows::lines(page, fence).iter().for_each(|value| line(&mut text, value, fence));
    }
    text.push('\n');
    text.push_str(&fence.end());
    Ok(text)
}

/// Renders what replaces the beginning of the conversation.
pub fn distilled(distilled: &Distilled, fence: &Fence) -> Result<String, serde_json::Error> {
    let Distilled { turns, met, open, recorded, invocations, rejections } = distilled;
    let mut text = format!(
        "The first {turns} turns of this conversation are no longer shown. \
         What you came to in them follows, as the record has it; each list ends with the latest. \
         Your earlier results can be searched by recall and read again by read_output.\n"
    );
    text.push_str(&fence.begin());
    line(&mut text, &json!({"objectives_met": met, "objectives_open": open}), fence);
    let lists = [("recorded", recorded), ("invocation", invocations)];
    for (name, list) in lists {
        if list.left_out > 0 {
            line(&mut text, &json!({"earlier": name, "left_out": list.left_out}), fence);
        }
        for node in &list.shown {
            line(&mut text, &json!({ name: serde_json::to_value(node)? }), fence);
        }
    }
    if rejections.left_out > 0 {
        line(&mut text, &json!({"earlier": "refused", "left_out": rejections.left_out}), fence);
    }
    for refused in &rejections.shown {
        line(&mut text, &json!({ "refused": refused }), fence);
    }
    text.push('\n');
    text.push_str(&fence.end());
    Ok(text)
}

/// Renders another way to try.
pub fn advice(advice: &Advice, fence: &Fence) -> Result<String, serde_json::Error> {
    let Advice { attempt, strategy, objective, told, calls } = advice;
    let mut text = format!(
        "Recovery, attempt {attempt} ({strategy}), for the objective {}: {}\n{told}\n",
        objective.id, objective.question
    );
    if !calls.is_empty() {
        text.push_str("Calls that do it:\n");
        text.push_str(&fence.begin());
        for call in calls {
            line(&mut text, &serde_json::to_value(call)?, fence);
        }
        text.push('\n');
        text.push_str(&fence.end());
    }
    Ok(text)
}

/// Returns a record with its values as a claim would state them, and which of them any user could have written.
fn record(record: &Record, fence: &Fence) -> Value {
    let fields: Map<_, _> =
        record.fields.iter().map(|(name, field)| (name.clone(), rows::value(&field.value))).collect();
    let mut said = json!({
        "record": record.id.to_string(),
        "kind": record.kind,
        "place": record.locator.to_string(),
        "fields": fields,
    });
    let anybody = fence.of_any_user(record);
    if !anybody.is_empty() {
        said["any_user"] = json!(anybody);
    }
    if let Some(placement) = record.placement {
        said["placement"] = json!(placement.name());
    }
    if !record.defects.is_empty() {
        said["defects"] = json!(record.defects);
    }
    said
}

/// Appends a line with the value.
fn line(text: &mut String, value: &Value, fence: &Fence) {
    text.push('\n');
    // JSON writes none of the word's characters differently, so the word occurs unchanged or not at all.
    let broken = fence.word().replacen('-', "\\u002d", 1);
    for c in value.to_string().replace(fence.word(), &broken).chars() {
        if is_plain(c) {
            text.push(c);
        } else {
            // JSON has none of these characters outside of strings.
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
}

/// Checks that a character is visible, ends no line, hides nothing and does not change the direction.
const fn is_plain(c: char) -> bool {
    !matches!(c,
        '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests;
