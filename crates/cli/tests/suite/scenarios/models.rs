//! The players of a scenario: the script, the playbook, or servers of both APIs that reply as the script says.

use super::format::{By, Call, Said, Scenario, Turn};
use super::known::{Known, text_of};
use app::Agent;
use ledger::turn::{Reply, ReplyBlock, ToolCall, TurnRequest};
use ledger::{CallId, Digest, Exchange, Prices, TaskId, Window};
use llm::api::{Address, ApiKey, Provider, Role, Settings, transcript};
use llm::{Model, ModelError, Turning};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use testkit::api::{ApiServer, Fault, KEY, Play, Said as Part, Says, Speaks};

/// The name of the agent that assigns tasks.
pub(super) const LEAD: &str = "lead";

/// The last message that the models received, by task and turn.
pub(super) type Heard = BTreeMap<(u16, u32), String>;

/// All models that play a scenario.
pub(super) struct Cast {
    scenario: Scenario,
    by: By,
    speaks: Speaks,
    state: Mutex<State>,
    heard: Arc<Mutex<Heard>>,
}

#[derive(Default)]
struct State {
    /// How many tasks each agent has been assigned.
    given: BTreeMap<String, usize>,
    servers: Vec<ApiServer>,
}

impl Cast {
    pub(super) fn new(scenario: Scenario, by: By, speaks: Speaks) -> Arc<Cast> {
        Arc::new(Cast { scenario, by, speaks, state: Mutex::default(), heard: Arc::default() })
    }

    pub(super) fn heard(&self) -> Heard {
        self.heard.lock().unwrap().clone()
    }

    /// The rules of the APIs that requests have broken.
    pub(super) fn broken(&self) -> Vec<String> {
        self.state.lock().unwrap().servers.iter().flat_map(ApiServer::broken).collect()
    }

    /// The model of a task.
    pub(super) fn model(&self, agent: &Agent, task: TaskId) -> Box<dyn Model> {
        let inner: Box<dyn Model> = match self.by {
            By::Playbook => Box::new(agent.playbook()),
            By::Script => Box::new(Script { turns: self.turns(&agent.spec.name) }),
            By::Servers => self.served(self.turns(&agent.spec.name)),
        };
        Box::new(Listening { inner, task, heard: Arc::clone(&self.heard) })
    }

    /// The turns of an agent's next task.
    fn turns(&self, name: &str) -> Vec<Turn> {
        if name == LEAD {
            return self.scenario.lead.replies.clone();
        }
        let mut state = self.state.lock().unwrap();
        let given = state.given.entry(name.to_owned()).or_default();
        *given += 1;
        let agent = self.scenario.agents.iter().find(|agent| agent.name == name).unwrap();
        agent.replies.get(*given - 1).cloned().unwrap_or_default()
    }

    /// Starts a server for each task, which replies as the script says.
    fn served(&self, turns: Vec<Turn>) -> Box<dyn Model> {
        let server = ApiServer::start(self.speaks, "m", move |number, body| {
            let known = Known::of_body(body);
            let turn = turns.get(number);
            let says = Says::new(turn.map_or_else(done, |turn| parts(number, turn, &known)));
            match turn.is_some_and(hangs) {
                true => Play::Fail(Fault::Stall, says),
                false => Play::Say(says),
            }
        })
        .unwrap();
        let dialect = match self.speaks {
            Speaks::Anthropic => "anthropic",
            Speaks::OpenAi => "openai",
        };
        let address: Address = format!("{dialect}:m@{}", server.base()).parse().unwrap();
        let provider = Provider::new(&address, ApiKey::new(KEY).ok(), Settings::default()).unwrap();
        self.state.lock().unwrap().servers.push(server);
        Box::new(provider.model())
    }
}

fn done() -> Vec<Part> {
    vec![Part::Text("That is all.".to_owned())]
}

fn hangs(turn: &Turn) -> bool {
    turn.iter().any(|said| matches!(said, Said::Hangs(hangs) if hangs.hangs))
}

fn parts(number: usize, turn: &Turn, known: &Known) -> Vec<Part> {
    let part = |(at, said): (usize, &Said)| match said {
        Said::Words(words) => Some(Part::Text(words.clone())),
        Said::Call(call) => Some(Part::Call {
            id: id(number, at, call),
            tool: call.tool.clone(),
            arguments: format!("{}{}", filled(call, known), call.prose_behind),
        }),
        Said::Hangs(_) => None,
    };
    turn.iter().enumerate().filter_map(part).collect()
}

fn id(turn: usize, at: usize, call: &Call) -> String {
    call.id.clone().unwrap_or_else(|| format!("call-{turn}-{at}"))
}

fn filled(call: &Call, known: &Known) -> Value {
    known.fill(&Value::Object(call.arguments.clone()))
}

/// A model that replies as its script says, and afterwards says that this is all.
struct Script {
    turns: Vec<Turn>,
}

impl Script {
    fn reply(&self, request: &TurnRequest) -> Reply {
        let number = request.turn as usize - 1;
        let Some(turn) = self.turns.get(number) else { return testkit::scripted::words("That is all.") };
        let known = Known::of_transcript(&transcript(request).unwrap());
        let block = |(at, said): (usize, &Said)| match said {
            Said::Words(text) => Some(ReplyBlock::Text { text: text.clone() }),
            Said::Call(call) => Some(ReplyBlock::Call(ToolCall {
                call: CallId(id(number, at, call)),
                tool: call.tool.clone(),
                arguments: filled(call, &known),
            })),
            Said::Hangs(_) => None,
        };
        Reply { blocks: turn.iter().enumerate().filter_map(block).collect() }
    }
}

impl Model for Script {
    fn name(&self) -> &str {
        "scripted"
    }

    fn digest(&self) -> Option<Digest> {
        None
    }

    fn turn<'a>(&'a mut self, request: &'a TurnRequest) -> Turning<'a> {
        match self.turns.get(request.turn as usize - 1).is_some_and(hangs) {
            true => Box::pin(std::future::pending::<Result<Reply, ModelError>>()),
            false => Box::pin(std::future::ready(Ok(self.reply(request)))),
        }
    }
}

/// A wrapper that keeps what a model was told.
struct Listening {
    inner: Box<dyn Model>,
    task: TaskId,
    heard: Arc<Mutex<Heard>>,
}

impl Model for Listening {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn digest(&self) -> Option<Digest> {
        self.inner.digest()
    }

    fn is_paid(&self) -> bool {
        self.inner.is_paid()
    }

    fn window(&self) -> Option<Window> {
        self.inner.window()
    }

    fn prices(&self) -> Option<Prices> {
        self.inner.prices()
    }

    fn last_exchange(&self) -> Option<&Exchange> {
        self.inner.last_exchange()
    }

    fn turn<'a>(&'a mut self, request: &'a TurnRequest) -> Turning<'a> {
        let told = transcript(request).unwrap().turns.pop();
        let told = told.filter(|turn| turn.role == Role::User).map(|turn| turn.parts);
        let text = told.iter().flatten().map(text_of).collect::<Vec<_>>().join("\n");
        self.heard.lock().unwrap().insert((self.task.0, request.turn), text);
        self.inner.turn(request)
    }
}
