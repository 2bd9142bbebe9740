//! A small engine, and a clock on which no time passes.

use ledger::event::Refusal;
use ledger::turn::{Answer, Message, Reply, ReplyBlock, Returned, TurnRequest, UserBlock};
use ledger::{
    CallId, Completeness, Digest, Fence, IdSpace, InvocationId, Outcome, Seed, TaskId, ToolClass, ToolSpec,
    Writers, canonical,
};
use llm::api::{Address, ApiKey, Clock, Provider, Retries, Settings};
use llm::{Model, ModelError};
use serde_json::{Value, json};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use testkit::api::{ApiServer, KEY, Play, Said, Says, Speaks};

pub(crate) const BOTH: [Speaks; 2] = [Speaks::Anthropic, Speaks::OpenAi];

/// A clock on which waits take no time but are recorded.
#[derive(Debug, Default)]
pub(crate) struct Waits(pub(crate) Mutex<Vec<Duration>>);

impl Clock for Waits {
    fn now(&self) -> Duration {
        self.0.lock().unwrap().iter().sum()
    }

    fn wait<'a>(&'a self, time: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        self.0.lock().unwrap().push(time);
        Box::pin(std::future::ready(()))
    }
}

pub(crate) fn address(server: &ApiServer, speaks: Speaks, model: &str) -> Address {
    let dialect = match speaks {
        Speaks::Anthropic => "anthropic",
        Speaks::OpenAi => "openai",
    };
    format!("{dialect}:{model}@{}", server.base()).parse().unwrap()
}

pub(crate) fn settings() -> Settings {
    let retries = Retries { attempts: 5, ..Retries::default() };
    Settings { retries, ..Settings::default() }
}

/// A server with a script, a provider for it, and the provider's waits.
pub(crate) struct World {
    pub(crate) server: ApiServer,
    pub(crate) provider: Provider,
    pub(crate) waits: Arc<Waits>,
}

pub(crate) fn world(speaks: Speaks, script: impl FnMut(usize, &Value) -> Play + Send + 'static) -> World {
    world_with(speaks, settings(), script)
}

pub(crate) fn world_with(
    speaks: Speaks,
    settings: Settings,
    script: impl FnMut(usize, &Value) -> Play + Send + 'static,
) -> World {
    let server = ApiServer::start(speaks, "m", script).unwrap();
    let waits = Arc::new(Waits::default());
    let key = ApiKey::new(KEY).unwrap();
    let address = address(&server, speaks, "m");
    let provider =
        Provider::with_clock(&address, Some(key), settings, Arc::clone(&waits) as Arc<dyn Clock>).unwrap();
    World { server, provider, waits }
}

pub(crate) fn tool(name: &str) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        class: ToolClass::Investigate,
        description: "looks".into(),
        arguments: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
        records: vec![],
        sources: Default::default(),
        counts: None,
        covers: vec![],
    }
}

pub(crate) fn seed() -> Seed {
    Seed(Digest::of(b"run"))
}

pub(crate) fn request(turn: u32, messages: Vec<Arc<Message>>) -> TurnRequest {
    TurnRequest {
        turn,
        system: "You investigate.".into(),
        tools: vec![tool("find_files"), tool("parse_file")].into(),
        messages: Arc::new(messages),
        digest: Digest::of(&turn.to_be_bytes()),
        fence: Fence::new(seed(), TaskId(1), Arc::new(Writers::shipped().unwrap()), Arc::default()),
        lessons: Arc::default(),
        open: Arc::default(),
    }
}

pub(crate) fn returned(number: u32, outcome: Outcome) -> Answer {
    Answer::Returned(Returned {
        invocation: InvocationId::assign(&IdSpace::new(seed()), TaskId(1), number).unwrap(),
        outcome,
        completeness: Completeness::Complete,
        from_log: false,
        normalised: None,
        page: None,
        defects: vec![],
        gaps: vec![],
        notes: vec![],
    })
}

pub(crate) fn refused() -> Answer {
    Answer::Refused { refusal: Refusal::BadArguments, told: "read arguments: expected an object".into() }
}

/// A task's conversation, as an engine keeps it.
#[derive(Default)]
pub(crate) struct Talk {
    pub(crate) messages: Vec<Arc<Message>>,
    pub(crate) turn: u32,
}

impl Talk {
    pub(crate) fn say(&mut self, blocks: Vec<UserBlock>) {
        self.messages.push(Arc::new(Message::User(blocks)));
    }

    /// Asks for a turn and adds the reply to the conversation.
    pub(crate) async fn ask(&mut self, model: &mut dyn Model) -> Result<Reply, ModelError> {
        self.turn += 1;
        let reply = model.turn(&request(self.turn, self.messages.clone())).await?;
        // When the task is resumed, only what is recorded is left.
        let recordable = without_fractions(reply.clone());
        let recorded: Reply = serde_json::from_slice(&canonical::to_vec(&recordable).unwrap()).unwrap();
        assert_eq!(recorded, recordable);
        let mut blocks = recorded.blocks;
        if blocks.is_empty() {
            blocks.push(ReplyBlock::Text { text: "(no words)".into() });
        }
        self.messages.push(Arc::new(Message::Assistant(blocks)));
        Ok(reply)
    }

    /// Answers every call of a reply; calls whose arguments are not an object are refused.
    pub(crate) fn answer(&mut self, reply: &Reply, more: &str) {
        let mut blocks: Vec<_> = reply
            .calls()
            .enumerate()
            .map(|(index, call)| UserBlock::Answer {
                call: call.call.clone(),
                answer: match call.arguments.is_object() {
                    true => returned(self.turn * 100 + index as u32, Outcome::Empty),
                    false => refused(),
                },
            })
            .collect();
        if !more.is_empty() {
            blocks.insert(0, UserBlock::Text { text: more.into() });
        }
        self.say(blocks);
    }
}

/// Changes a reply as the engine does: records have no fractions.
fn without_fractions(mut reply: Reply) -> Reply {
    for block in &mut reply.blocks {
        if let ReplyBlock::Call(call) = block {
            for member in call.arguments.as_object_mut().into_iter().flat_map(|members| members.values_mut())
            {
                if member.is_f64() {
                    *member = json!(member.to_string());
                }
            }
        }
    }
    reply
}

pub(crate) fn begun() -> Talk {
    let mut talk = Talk::default();
    talk.say(vec![UserBlock::Text { text: "Investigate.".into() }]);
    talk
}

pub(crate) fn says(text: &str) -> Play {
    Play::Say(Says::new([Said::Text(text.into())]))
}

pub(crate) fn calls(ids: &[&str]) -> Play {
    let call = |id: &&str| Said::call(id, "find_files", &json!({"path": "C:\\\u{e9}\u{1f600}"}));
    Play::Say(Says::new(ids.iter().map(call).collect::<Vec<_>>()))
}

pub(crate) fn ids(reply: &Reply) -> Vec<CallId> {
    reply.calls().map(|call| call.call.clone()).collect()
}
