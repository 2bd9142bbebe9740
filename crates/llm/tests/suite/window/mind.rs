//! A model that does anything at random.

use ledger::turn::{Answer, Message, Reply, ReplyBlock, ToolCall, TurnRequest, UserBlock};
use ledger::{CallId, InvocationId};
use serde_json::{Value, json};
use testkit::api::Speaks;
use testkit::random::Random;

/// What it remembers of a record.
struct Known {
    invocation: InvocationId,
    record: String,
    text: String,
}

/// A model with random behaviour.
pub(crate) struct Mind {
    random: Random,
    speaks: Speaks,
    /// Whether each reply begins with thinking, which must go back as it came; then its ids and names are valid.
    thinks: bool,
    known: Vec<Known>,
    calls: usize,
}

impl Mind {
    pub(crate) fn new(seed: u64, speaks: Speaks, thinks: bool) -> Mind {
        Mind { random: Random::new(seed ^ 0x6d69_6e64), speaks, thinks, known: Vec::new(), calls: 0 }
    }

    /// Notes what the last message shows.
    pub(crate) fn see(&mut self, request: &TurnRequest) {
        for answer in newest(request) {
            let page = match answer {
                Answer::Returned(returned) => returned.page.as_ref(),
                Answer::Page(page) => Some(page),
                _ => None,
            };
            let Some(page) = page else { continue };
            for record in page.records().take(2) {
                let text = record.fields["text"].value.to_text();
                let text = text.chars().take(30).collect::<String>();
                let (invocation, record) = (page.invocation, record.id.to_string());
                self.known.push(Known { invocation, record, text });
            }
        }
    }

    /// Returns the next reply: calls, and words around them.
    pub(crate) fn reply(&mut self) -> Reply {
        let calls = if self.random.below(3) == 0 { 1 + self.random.below(8) } else { 1 };
        let calls: Vec<ToolCall> = (0..calls).map(|_| self.call()).collect();
        let words = match self.random.below(4) {
            0 => "word ".repeat(self.random.below(300)),
            1 => " \n".to_owned(),
            _ => "I look further.".to_owned(),
        };
        self.said(words, calls)
    }

    /// Makes a reply of these parts, as the client gets it from its provider.
    pub(crate) fn said(&mut self, words: String, calls: Vec<ToolCall>) -> Reply {
        let verbatim = (self.thinks || self.random.below(4) == 0).then(|| self.verbatim(&words, &calls));
        let text = (!words.trim().is_empty()).then_some(ReplyBlock::Text { text: words });
        let calls = calls.into_iter().map(ReplyBlock::Call);
        Reply { blocks: text.into_iter().chain(calls).chain(verbatim).collect() }
    }

    fn verbatim(&mut self, words: &str, calls: &[ToolCall]) -> ReplyBlock {
        let thought = "hm, ".repeat(self.random.below(200));
        let text = (!words.trim().is_empty()).then_some(words);
        let name = |call: &ToolCall| call.tool.replace([' ', '/'], "_");
        let object =
            |call: &ToolCall| if call.arguments.is_object() { call.arguments.clone() } else { json!({}) };
        let (provider, message) = match self.speaks {
            Speaks::Anthropic => {
                let thinking = json!({"type": "thinking", "thinking": thought, "signature": "c2lnbmF0dXJl"});
                let text = text.map(|text| json!({"type": "text", "text": text}));
                let calls = calls.iter().map(|call| json!({"type": "tool_use", "id": call.call.0, "name": name(call), "input": object(call)}));
                let blocks: Vec<_> = std::iter::once(thinking).chain(text).chain(calls).collect();
                ("anthropic", Value::Array(blocks))
            }
            Speaks::OpenAi => {
                let call = |call: &ToolCall| {
                    let function = json!({"name": name(call), "arguments": object(call).to_string()});
                    json!({"type": "function", "id": call.call.0, "function": function})
                };
                let mut message = json!({"role": "assistant", "content": text, "reasoning_content": thought});
                if !calls.is_empty() {
                    message["tool_calls"] = calls.iter().map(call).collect();
                }
                ("openai", message)
            }
        };
        ReplyBlock::Verbatim { provider: provider.to_owned(), message: message.to_string() }
    }

    fn call(&mut self) -> ToolCall {
        let (tool, arguments) = match self.random.below(20) {
            0..9 => ("read", json!({"n": self.calls})),
            9 => ("read", json!({"n": self.random.below(5)})),
            10..12 => self.page(),
            12..14 => {
                ("recall", json!({"text": self.some().map_or("mark".to_owned(), |known| known.text.clone())}))
            }
            14..16 => self.reading(),
            16 => (
                "record_phenomenon",
                json!({"readings": [{"predicate": "quoted", "values": {"text": "never written"}, "invocation": "inv-00000000"}]}),
            ),
            17 => ("list_invocations", json!({"offset": self.random.below(30), "limit": 200})),
            18 if self.thinks => ("no_such_tool", json!({})),
            18 => ("no such/tool", json!({"a": 1})),
            _ => ("read", json!("arguments that could not be read")),
        };
        let id = match self.random.below(6) {
            0 if !self.thinks => ["x", "", "a b", "call_0"][self.random.below(4)].to_owned(),
            _ => format!("toolu_{}", self.calls),
        };
        self.calls += 1;
        ToolCall { call: CallId(id), tool: tool.to_owned(), arguments }
    }

    fn some(&mut self) -> Option<&Known> {
        let at = self.random.below(self.known.len());
        self.known.get(at)
    }

    fn page(&mut self) -> (&'static str, Value) {
        let first = format!("r{}", self.random.below(60));
        let invocation = self.some().map(|known| known.invocation.to_string()).unwrap_or_default();
        ("read_output", json!({"invocation": invocation, "first": first}))
    }

    /// Makes a true reading, whether or not its record is still shown.
    fn reading(&mut self) -> (&'static str, Value) {
        let Some(known) = self.some() else { return ("list_phenomena", json!({})) };
        let text = known.text.split(' ').take(3).collect::<Vec<_>>().join(" ");
        let reading = json!({"predicate": "quoted", "values": {"text": text}, "invocation": known.invocation.to_string(), "record": known.record});
        ("record_phenomenon", json!({"readings": [reading]}))
    }
}

/// Returns the answers in the newest message.
pub(crate) fn newest(request: &TurnRequest) -> impl Iterator<Item = &Answer> {
    let blocks = match request.messages.last().map(AsRef::as_ref) {
        Some(Message::User(blocks)) => blocks.as_slice(),
        Some(Message::Assistant(_)) | None => &[],
    };
    blocks.iter().filter_map(|block| match block {
        UserBlock::Answer { answer, .. } => Some(answer),
        UserBlock::Text { .. } | UserBlock::Distilled(_) | UserBlock::Recovery(_) => None,
    })
}
