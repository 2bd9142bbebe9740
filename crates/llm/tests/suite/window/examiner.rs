//! Checks every request of a simulated task (a "life"), in the form that a provider gets.

use super::life::Scene;
use super::mind::newest;
use ledger::event::RecordRange;
use ledger::turn::{Answer, Message, TurnRequest, UserBlock};
use ledger::{Digest, Event, InvocationId, Window};
use llm::api::{ApiKey, Provider, Settings};
use llm::render;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use testkit::api::{KEY, Speaks, check, text_tokens, tokens};

pub(crate) const BOTH: [Speaks; 2] = [Speaks::Anthropic, Speaks::OpenAi];

/// Totals over many requests.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) lives: u64,
    /// How many lives ended because not even the newest turn fitted.
    pub(crate) too_small: u64,
    /// The most tokens that one of those lives had left besides instructions, tools and task.
    pub(crate) most_room: u64,
    pub(crate) requests: u64,
    /// How many requests did not continue the one before.
    pub(crate) moved: u64,
    /// How many requests were longer than the model accepts.
    pub(crate) over: u64,
    /// The most such requests in a row.
    pub(crate) over_in_a_row: u64,
    /// How many requests had an incomplete newest turn.
    pub(crate) squeezed: u64,
    /// In how many of those it would have fitted, by the provider's count.
    pub(crate) needless: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Tally) {
        self.lives += 1;
        self.too_small += other.too_small;
        self.most_room = self.most_room.max(other.most_room);
        self.requests += other.requests;
        self.moved += other.moved;
        self.over += other.over;
        self.over_in_a_row = self.over_in_a_row.max(other.over_in_a_row);
        self.squeezed += other.squeezed;
        self.needless += other.needless;
    }
}

/// A provider for each API; nothing is ever sent.
#[derive(Clone)]
pub(crate) struct Ways {
    ways: [Provider; 2],
}

impl Ways {
    pub(crate) fn new(reply: u32, thinks: bool) -> Ways {
        let thinking = thinks.then(|| json!({"type": "enabled", "budget_tokens": 1024}));
        let settings = Settings { reply_tokens: reply, thinking, ..Settings::default() };
        let way = |speaks: Speaks| {
            let dialect = if speaks == Speaks::Anthropic { "anthropic" } else { "openai" };
            let address = format!("{dialect}:m@http://127.0.0.1:9/v1").parse().unwrap();
            Provider::new(&address, Some(ApiKey::new(KEY).unwrap()), settings.clone()).unwrap()
        };
        Ways { ways: BOTH.map(way) }
    }

    fn body(&self, speaks: Speaks, request: &TurnRequest) -> String {
        let [anthropic, openai] = &self.ways;
        let way = if speaks == Speaks::Anthropic { anthropic } else { openai };
        String::from_utf8(way.body(request).unwrap()).unwrap()
    }
}

/// The checks for the requests of one life.
pub(crate) struct Examiner {
    speaks: Speaks,
    window: Window,
    ways: Ways,
    /// The previous request, and its body without marks up to the end of its last message.
    before: Option<(TurnRequest, String)>,
    first: Option<UserBlock>,
    seen: usize,
    shown: BTreeMap<InvocationId, Vec<RecordRange>>,
    in_a_row: u64,
    /// The tokens of the first request: system prompt, tools, task.
    pub(crate) fixed: u64,
    pub(crate) tally: Tally,
    pub(crate) bodies: Vec<Digest>,
}

impl Examiner {
    pub(crate) fn new(speaks: Speaks, window: Window, ways: Ways) -> Examiner {
        Examiner {
            speaks,
            window,
            ways,
            before: None,
            first: None,
            seen: 0,
            shown: BTreeMap::new(),
            in_a_row: 0,
            fixed: 0,
            tally: Tally::default(),
            bodies: Vec::new(),
        }
    }

    /// Returns the tokens of the request, by the provider's count, and whether they are more than the model accepts.
    pub(crate) fn look(&mut self, scene: &Scene<'_>) -> (u64, bool) {
        let request = scene.request;
        self.tally.requests += 1;
        self.learn(scene.events);
        let mut count = 0;
        let mut body = String::new();
        for speaks in BOTH {
            let text = self.ways.body(speaks, request);
            let value: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(check(speaks, &value), Ok(()), "turn {}", request.turn);
            if speaks == self.speaks {
                count = tokens(speaks, &value);
                body = text;
            }
        }
        self.bodies.push(Digest::of(body.as_bytes()));
        self.instructions(request, count);
        self.newest(scene, count);
        self.prefix(request, body);
        let over = count + u64::from(self.window.reply) > u64::from(self.window.context);
        self.in_a_row = if over { self.in_a_row + 1 } else { 0 };
        self.tally.over += u64::from(over);
        self.tally.over_in_a_row = self.tally.over_in_a_row.max(self.in_a_row);
        (count, over)
    }

    fn learn(&mut self, events: &[Event]) {
        for event in &events[self.seen..] {
            if let Event::InvocationEnded(ended) = event {
                self.shown.insert(ended.invocation, ended.shown.clone());
            }
        }
        self.seen = events.len();
    }

    /// Checks that the system prompt and the task are there, and that tools are in order.
    fn instructions(&mut self, request: &TurnRequest, count: u64) {
        let Message::User(blocks) = &*request.messages[0] else { panic!("the model begins") };
        assert!(request.tools.is_sorted_by(|a, b| a.name < b.name));
        match (&self.first, &self.before) {
            (Some(first), Some((before, _))) => {
                assert_eq!(blocks.first(), Some(first), "turn {}", request.turn);
                assert_eq!(request.system, before.system);
            }
            _ => (self.first, self.fixed) = (blocks.first().cloned(), count),
        }
    }

    /// Checks that the newest turn is complete, unless it does not fit.
    fn newest(&mut self, scene: &Scene<'_>, count: u64) {
        let (mut lost, mut is_whole) = (0, true);
        for answer in newest(scene.request) {
            match answer {
                Answer::Returned(returned) => {
                    if let Some(page) = &returned.page {
                        assert_eq!(Some(&page.shown), self.shown.get(&page.invocation));
                    }
                }
                Answer::Cut(loss) => {
                    let held = loss.invocation.and_then(|id| scene.task.shelf().get(id));
                    lost += match held
                        .and_then(|held| held.output.clone().zip(self.shown.get(&held.invocation)))
                    {
                        Some((output, shown)) => {
                            let invocation = loss.invocation.unwrap();
                            let page = ledger::turn::Page { invocation, output, shown: shown.clone() };
                            text_tokens(&render::answer(&Answer::Page(page), &scene.request.fence).unwrap())
                        }
                        None => 0,
                    };
                    is_whole = false;
                }
                _ => {}
            }
        }
        if !is_whole {
            self.tally.squeezed += 1;
            let most = u64::from(self.window.context - self.window.reply);
            self.tally.needless += u64::from(count + lost <= most);
        }
    }

    /// Checks that a request which continues the previous one begins with its bytes.
    fn prefix(&mut self, request: &TurnRequest, body: String) {
        // Their place among the members of a block depends on whether members keep their order.
        const MARKS: [&str; 2] =
            [r#","cache_control":{"type":"ephemeral"}"#, r#""cache_control":{"type":"ephemeral"},"#];
        let body = MARKS.iter().fold(body, |body, mark| body.replace(mark, ""));
        if let Some((before, text)) = &self.before {
            let same = before.messages.iter().zip(request.messages.iter()).all(|(a, b)| Arc::ptr_eq(a, b));
            let goes_on = same && before.messages.len() <= request.messages.len();
            self.tally.moved += u64::from(!goes_on);
            if goes_on && before.tools.len() == request.tools.len() {
                assert!(body.starts_with(text), "turn {}: other bytes of the same messages", request.turn);
            }
        }
        let whole = body.trim_end_matches("]}").to_owned();
        // The last block of the last message continues if its message does.
        self.before = Some((request.clone(), whole));
    }
}
