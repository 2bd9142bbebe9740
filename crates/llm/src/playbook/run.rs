//! A playbook at work: which calls are due, which are awaited.

use super::plan::{RecordRule, Step};
use ledger::event::Refusal;
use ledger::pattern;
use ledger::turn::{Answer, Message, Page, Reply, ReplyBlock, ToolCall, TurnRequest, UserBlock};
use ledger::{CallId, FieldValue, InvocationId, Record};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, VecDeque};

/// Calls of one turn; an engine that allows fewer refuses the rest, and they are made again.
const CALLS_A_TURN: usize = 16;
/// Readings of one record call.
const READINGS_A_CALL: usize = 32;

/// The records that a call was made for, by the step that returned them.
type Context = BTreeMap<String, Record>;

#[derive(Debug)]
pub(crate) struct Run {
    steps: Vec<Step>,
    due: VecDeque<Call>,
    awaited: BTreeMap<CallId, Call>,
    calls: u32,
}

#[derive(Debug, Clone)]
struct Call {
    tool: String,
    arguments: Map<String, Value>,
    /// The step whose result it asks for; none: nothing follows from the answer.
    result_of: Option<(usize, Context)>,
}

impl Run {
    pub(crate) fn new(steps: Vec<Step>) -> Run {
        let mut run = Run { steps, due: VecDeque::new(), awaited: BTreeMap::new(), calls: 0 };
        let first: Vec<_> = run
            .steps
            .iter()
            .enumerate()
            .filter(|(_, step)| step.for_each.is_none())
            .map(|(i, _)| i)
            .collect();
        for index in first {
            run.plan(index, Context::new());
        }
        run
    }

    pub(crate) fn reply(&mut self, request: &TurnRequest) -> Reply {
        if let Some(Message::User(blocks)) = request.messages.last().map(AsRef::as_ref) {
            for block in blocks {
                if let UserBlock::Answer { call, answer } = block {
                    self.take(call, answer);
                }
            }
        }
        let offered = |tool: &str| request.tools.iter().any(|spec| spec.name == tool);
        self.due.retain(|call| offered(&call.tool));
        let number = self.due.len().min(CALLS_A_TURN);
        let mut blocks: Vec<_> = Vec::with_capacity(number);
        for call in self.due.drain(..number).collect::<Vec<_>>() {
            blocks.push(ReplyBlock::Call(self.make(call)));
        }
        if blocks.is_empty() {
            blocks = self.nothing_left(offered("list_hives") || offered("list_directory"));
        }
        Reply { blocks }
    }

    /// Stops; on the record-only surface by the honest way out.
    fn nothing_left(&mut self, can_investigate: bool) -> Vec<ReplyBlock> {
        let text = "The playbook has made all its calls and recorded what they returned.".to_owned();
        match can_investigate {
            true => vec![ReplyBlock::Text { text }],
            false => {
                let arguments = Map::from_iter([("reason".to_owned(), Value::String(text))]);
                let call = Call { tool: "nothing_to_record".into(), arguments, result_of: None };
                vec![ReplyBlock::Call(self.make(call))]
            }
        }
    }

    fn make(&mut self, call: Call) -> ToolCall {
        self.calls += 1;
        let id = CallId(format!("call-{}", self.calls));
        let made = ToolCall {
            call: id.clone(),
            tool: call.tool.clone(),
            arguments: Value::Object(call.arguments.clone()),
        };
        self.awaited.insert(id, call);
        made
    }

    fn take(&mut self, id: &CallId, answer: &Answer) {
        let Some(call) = self.awaited.remove(id) else { return };
        match (answer, call.result_of.clone()) {
            (Answer::Refused { refusal: Refusal::TooManyCalls, .. }, _) => self.due.push_back(call),
            (Answer::Returned(returned), Some((step, context))) => {
                if let Some(page) = &returned.page {
                    self.result(step, &context, page, page.first_hidden().map(|record| record.0));
                }
            }
            (Answer::Page(page), Some((step, context))) => {
                let next = page.shown.iter().map(|range| range.end.0).max();
                let next = next.filter(|end| (*end as usize) < page.output.records().len());
                self.result(step, &context, page, next);
            }
            (
                Answer::Returned(_)
                | Answer::Page(_)
                | Answer::Recorded(_)
                | Answer::Noted { .. }
                | Answer::Refused { .. },
                _,
            ) => {}
        }
    }

    /// Records of a step's result are there: record what the rules say, plan what they lead to, page on.
    fn result(&mut self, index: usize, context: &Context, page: &Page, next: Option<u32>) {
        let Some(step) = self.steps.get(index).cloned() else { return };
        for rule in &step.record {
            let fitting: Vec<_> = page.records().filter(|record| all_fit(&rule.when, record)).collect();
            for records in fitting.chunks(READINGS_A_CALL) {
                self.due.push_back(record_call(rule, page.invocation, records, context));
            }
        }
        for (later, plan) in self.steps.clone().iter().enumerate() {
            if plan.for_each.as_deref() != Some(step.id.as_str()) {
                continue;
            }
            for record in page.records().filter(|record| all_fit(&plan.when, record)) {
                let mut context = context.clone();
                context.insert(step.id.clone(), record.clone());
                self.plan(later, context);
            }
        }
        if let Some(first) = next {
            let arguments = Map::from_iter([
                ("invocation".to_owned(), json!(page.invocation.to_string())),
                ("first".to_owned(), json!(format!("r{first}"))),
            ]);
            let call =
                Call { tool: "read_output".into(), arguments, result_of: Some((index, context.clone())) };
            self.due.push_front(call);
        }
    }

    fn plan(&mut self, index: usize, context: Context) {
        let Some(step) = self.steps.get(index) else { return };
        let arguments =
            step.arguments.iter().map(|(name, value)| (name.clone(), fill_value(value, &context))).collect();
        self.due.push_back(Call { tool: step.tool.clone(), arguments, result_of: Some((index, context)) });
    }
}

fn all_fit(when: &BTreeMap<String, String>, record: &Record) -> bool {
    when.iter().all(|(field, wanted)| match field.as_str() {
        "kind" => pattern::fits(wanted, &record.kind),
        field => record.fields.get(field).is_some_and(|field| pattern::fits(wanted, &field.value.to_text())),
    })
}

fn record_call(rule: &RecordRule, invocation: InvocationId, records: &[&Record], context: &Context) -> Call {
    let readings: Vec<_> = records.iter().map(|record| reading(rule, invocation, record)).collect();
    let arguments = Map::from_iter([
        ("readings".to_owned(), Value::Array(readings)),
        ("interpretation".to_owned(), Value::String(fill(&rule.note, context))),
    ]);
    Call { tool: "record_phenomenon".into(), arguments, result_of: None }
}

fn reading(rule: &RecordRule, invocation: InvocationId, record: &Record) -> Value {
    let mut values = Vec::new();
    for name in &rule.values {
        match record.fields.get(name).map(|field| &field.value) {
            // Each item of a list is a value of its own.
            Some(FieldValue::List(items)) => {
                values.extend(items.iter().map(|item| json!({"field": name, "value": item})));
            }
            Some(value) => values.push(json!({"field": name, "value": value.to_text()})),
            None => {}
        }
    }
    json!({
        "predicate": rule.predicate,
        "values": values,
        "invocation": invocation.to_string(),
        "record": record.id.to_string(),
    })
}

fn fill_value(value: &Value, context: &Context) -> Value {
    match value {
        Value::String(text) => Value::String(fill(text, context)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.clone(),
    }
}

/// Fills `{step.field}` and `{step.field:0N}`; what names nothing stays as it is, so that the tool's error shows it.
fn fill(text: &str, context: &Context) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            filled.push('{');
            rest = after;
            continue;
        };
        match placeholder(name, context) {
            Some(value) => filled.push_str(&value),
            None => filled.push_str(&format!("{{{name}}}")),
        }
        rest = behind;
    }
    filled.push_str(rest);
    filled
}

fn placeholder(name: &str, context: &Context) -> Option<String> {
    let (place, width) = name.split_once(':').unwrap_or((name, "0"));
    let (step, field) = place.split_once('.')?;
    let value = context.get(step)?.fields.get(field)?.value.to_text().into_owned();
    let width: usize = width.parse().ok()?;
    Some(format!("{value:0>width$}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::{Field, Locator, RecordId};

    fn context() -> Context {
        let field = Field { at: None, value: FieldValue::Integer(1) };
        let record = Record {
            defects: vec![],
            fields: [("data".to_owned(), field)].into(),
            id: RecordId(0),
            kind: "registry_value".into(),
            locator: Locator { evidence: "e".into(), path: "p".into(), stream: None, span: None },
        };
        [("select".to_owned(), record)].into()
    }

    #[test]
    fn placeholders_are_filled_and_padded() {
        assert_eq!(fill("ControlSet{select.data:03}\\Control", &context()), "ControlSet001\\Control");
        assert_eq!(fill("{select.data}/{select.other}/{", &context()), "1/{select.other}/{");
    }
}
