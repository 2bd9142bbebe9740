//! A model whose steps are decided from outside: an agent of another program, call by call.
//!
//! The engine asks for a turn; the answer is the next call that comes in through the [`Desk`].
//! When the engine asks for the following turn, the result of that call goes back to whoever made it.
//! So each call is recorded, admitted and judged like any other model's: there is no second path.

use crate::model::{Model, ModelError, Turning};
use ledger::event::TaskEnded;
use ledger::turn::{Answer, Message, Reply, ReplyBlock, ToolCall, TurnRequest, UserBlock};
use ledger::{CallId, Digest, Fence, ToolSpec};
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// How many calls may wait for their turn; further ones are refused until there is room.
const MOST_WAITING: usize = 16;

/// What the outside agent wants to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum Wish {
    /// A call.
    Call {
        /// The tool.
        tool: String,
        /// Its arguments.
        arguments: Value,
    },
    /// Nothing more: the phase ends, as it does if a model says no more.
    Stop {
        /// Closing words; they are recorded, but are never evidence.
        words: String,
    },
}

/// The result of a wish.
#[derive(Debug, Clone)]
pub struct Told {
    /// The answer to the call; `None` if the wish was not a call.
    pub answer: Option<Answer>,
    /// What else the engine says, in its order.
    pub said: Vec<UserBlock>,
    /// The tools that may be called from now on.
    pub offered: Arc<[ToolSpec]>,
    /// How the task ended, if it did.
    pub ended: Option<TaskEnded>,
}

/// What a task begins with.
#[derive(Debug, Clone)]
pub struct Begun {
    /// Role, rules and objectives.
    pub system: Arc<str>,
    /// The first message.
    pub said: Vec<UserBlock>,
    /// Where its log left off, for a resumed task.
    pub last: Option<Last>,
    /// The tools that may be called.
    pub offered: Arc<[ToolSpec]>,
    /// What encloses answers that are rendered as text; `system` names it.
    pub fence: Fence,
}

/// Where a resumed task stands: it is unknown whether whoever decided its steps before was told.
#[derive(Debug, Clone)]
pub struct Last {
    /// The tool of the last call; `None` if the last wish was not a call.
    pub tool: Option<String>,
    /// The result of the call, and what else the engine says.
    pub said: Vec<UserBlock>,
}

/// Why a wish was not fulfilled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unheard {
    /// The task has ended, or its run broke off.
    Gone,
    /// Too many wishes are waiting already.
    Full,
}

/// A wish, with the channel for its result.
#[derive(Debug)]
struct Ask {
    wish: Wish,
    told: oneshot::Sender<Told>,
}

/// The desk at which an outside agent decides the steps of one task; clones are for the same task.
#[derive(Debug, Clone)]
pub struct Desk {
    asks: mpsc::Sender<Ask>,
}

impl Desk {
    /// Hands in a wish; its result arrives through the returned receiver.
    ///
    /// Dropping the receiver withdraws the wish: if it still waits, it is never taken up, and if a tool runs for it, the tool is stopped.
    pub fn hand_in(&self, wish: Wish) -> Result<oneshot::Receiver<Told>, Unheard> {
        let (told, hears) = oneshot::channel();
        match self.asks.try_send(Ask { wish, told }) {
            Ok(()) => Ok(hears),
            Err(mpsc::error::TrySendError::Full(_)) => Err(Unheard::Full),
            Err(mpsc::error::TrySendError::Closed(_)) => Err(Unheard::Gone),
        }
    }

    /// Checks whether the task has ended, or its run broke off.
    pub fn is_gone(&self) -> bool {
        self.asks.is_closed()
    }
}

/// The model of a task whose steps are decided at a [`Desk`].
#[derive(Debug)]
pub struct Outside {
    name: String,
    asks: mpsc::Receiver<Ask>,
    begun: Option<oneshot::Sender<Begun>>,
    patience: Duration,
    /// How many calls were handed to the engine.
    calls: u64,
    waiting: Option<Waiting>,
    offered: Arc<[ToolSpec]>,
}

/// A caller who waits for the result of a wish.
#[derive(Debug)]
struct Waiting {
    /// The call; `None` if the wish was not a call.
    call: Option<CallId>,
    told: oneshot::Sender<Told>,
}

impl Outside {
    /// Makes a model of this name, the desk at which its steps are decided, and a receiver for what its task begins with.
    ///
    /// If no wish comes within `patience`, or every desk is gone, the model gives up ([`ModelError::Gone`]).
    pub fn new(name: String, patience: Duration) -> (Outside, Desk, oneshot::Receiver<Begun>) {
        let (asks, taken) = mpsc::channel(MOST_WAITING);
        let (begun, begins) = oneshot::channel();
        let outside = Outside {
            name,
            asks: taken,
            begun: Some(begun),
            patience,
            calls: 0,
            waiting: None,
            offered: Vec::new().into(),
        };
        (outside, Desk { asks }, begins)
    }

    /// Makes a model that nobody decides for: it gives up when it is asked.
    pub fn nobody(name: String) -> Outside {
        Outside::new(name, Duration::ZERO).0
    }

    /// Tells the waiting caller what the engine says.
    fn tell(&mut self, said: &[UserBlock], ended: Option<&TaskEnded>) {
        let Some(Waiting { call, told }) = self.waiting.take() else { return };
        let (mut answer, mut besides) = (None, Vec::new());
        for block in said {
            match block {
                UserBlock::Answer { call: of, answer: given } if Some(of) == call.as_ref() => {
                    answer = Some(given.clone());
                }
                UserBlock::Answer { .. } => {}
                UserBlock::Text { .. } | UserBlock::Recovery(_) | UserBlock::Distilled(_) => {
                    besides.push(block.clone());
                }
            }
        }
        let offered = Arc::clone(&self.offered);
        // A caller who no longer waits has withdrawn.
        drop(told.send(Told { answer, said: besides, offered, ended: ended.cloned() }));
    }

    /// Tells what the task begins with, or where its log left off; calls are numbered on from those in the log.
    fn begin(&mut self, request: &TurnRequest, said: &[UserBlock]) {
        let Some(begun) = self.begun.take() else { return };
        let (system, offered) = (Arc::clone(&request.system), Arc::clone(&request.tools));
        let replies = || request.messages.iter().filter_map(|message| replied(message));
        self.calls = replies().flat_map(calls).count() as u64;
        let last = replies().next_back().map(|reply| Last {
            tool: calls(reply).last().map(|call| call.tool.clone()),
            said: said.to_vec(),
        });
        let said = request.messages.first().map_or(&[][..], |message| user(message)).to_vec();
        drop(begun.send(Begun { system, said, last, offered, fence: request.fence.clone() }));
    }

    async fn next(&mut self, request: &TurnRequest) -> Result<Reply, ModelError> {
        let said = request.messages.last().map_or(&[][..], |message| user(message));
        self.offered = Arc::clone(&request.tools);
        self.begin(request, said);
        self.tell(said, None);
        loop {
            let asked = tokio::time::timeout(self.patience, self.asks.recv()).await;
            let Ok(Some(Ask { wish, told })) = asked else {
                return Err(ModelError::Gone { model: self.name.clone() });
            };
            if told.is_closed() {
                continue;
            }
            let (call, block) = match wish {
                Wish::Call { tool, arguments } => {
                    self.calls += 1;
                    let call = CallId(format!("call-{}-{}", request.turn, self.calls));
                    (Some(call.clone()), ReplyBlock::Call(ToolCall { call, tool, arguments }))
                }
                Wish::Stop { words } => (None, ReplyBlock::Text { text: words }),
            };
            self.waiting = Some(Waiting { call, told });
            return Ok(Reply { blocks: vec![block] });
        }
    }
}

/// Returns what the engine says in a message.
fn user(message: &Message) -> &[UserBlock] {
    match message {
        Message::User(blocks) => blocks,
        Message::Assistant(_) => &[],
    }
}

/// Returns the reply, if the message is one.
fn replied(message: &Message) -> Option<&[ReplyBlock]> {
    match message {
        Message::Assistant(blocks) => Some(blocks),
        Message::User(_) => None,
    }
}

fn calls(reply: &[ReplyBlock]) -> impl Iterator<Item = &ToolCall> {
    reply.iter().filter_map(|block| match block {
        ReplyBlock::Call(call) => Some(call),
        ReplyBlock::Text { .. } | ReplyBlock::Verbatim { .. } => None,
    })
}

impl Model for Outside {
    fn name(&self) -> &str {
        &self.name
    }

    fn digest(&self) -> Option<Digest> {
        None
    }

    /// Returns true: what an outside agent was told must be in the log, whatever happens to this machine.
    fn needs_durable_requests(&self) -> bool {
        true
    }

    /// Returns false: earlier decisions are in the log, and nobody is there to make them again.
    fn remembers(&self) -> bool {
        false
    }

    fn turn<'a>(&'a mut self, request: &'a TurnRequest) -> Turning<'a> {
        Box::pin(self.next(request))
    }

    fn withdrawn(&mut self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        match &mut self.waiting {
            Some(waiting) => Box::pin(waiting.told.closed()),
            None => Box::pin(std::future::pending()),
        }
    }

    fn ended(&mut self, said: &[UserBlock], ended: &TaskEnded) {
        self.offered = Vec::new().into();
        self.tell(said, Some(ended));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::event::TaskStatus;
    use ledger::{Seed, TaskId, Writers};
    use serde_json::json;

    fn request(turn: u32, said: Vec<UserBlock>) -> TurnRequest {
        TurnRequest {
            turn,
            system: "rules".into(),
            tools: Vec::new().into(),
            messages: Arc::new(vec![Arc::new(Message::User(said))]),
            digest: Digest::of(b""),
            fence: Fence::new(
                Seed(Digest::of(b"run")),
                TaskId(1),
                Arc::new(Writers::shipped().unwrap()),
                Arc::default(),
            ),
            lessons: Arc::default(),
            open: Arc::default(),
        }
    }

    fn call(tool: &str) -> Wish {
        Wish::Call { tool: tool.to_owned(), arguments: json!({"path": "/"}) }
    }

    fn answered(reply: &Reply, text: &str) -> UserBlock {
        let call = reply.calls().next().unwrap().call.clone();
        UserBlock::Answer { call, answer: Answer::Noted { text: text.to_owned() } }
    }

    fn text(text: &str) -> UserBlock {
        UserBlock::Text { text: text.to_owned() }
    }

    fn outside() -> (Outside, Desk, oneshot::Receiver<Begun>) {
        Outside::new("outside".to_owned(), Duration::from_secs(600))
    }

    #[tokio::test]
    async fn a_call_is_a_turn_and_its_answer_comes_with_the_turn_after_it() {
        let (mut model, desk, begun) = outside();
        let first = desk.hand_in(call("a")).unwrap();
        let second = desk.hand_in(call("b")).unwrap();
        let reply = model.turn(&request(1, vec![text("go")])).await.unwrap();
        assert_eq!(begun.await.unwrap().said, [text("go")]);
        assert_eq!(reply.calls().map(|call| call.tool.as_str()).collect::<Vec<_>>(), ["a"]);
        let next = model.turn(&request(2, vec![answered(&reply, "done"), text("on")])).await.unwrap();
        let told = first.await.unwrap();
        assert_eq!(told.answer, Some(Answer::Noted { text: "done".to_owned() }));
        assert_eq!((told.said, told.ended), (vec![text("on")], None));
        assert_eq!(next.calls().next().unwrap().tool, "b");
        assert_ne!(next.calls().next().unwrap().call, reply.calls().next().unwrap().call);
        let ended = TaskEnded {
            status: TaskStatus::Completed,
            spent: None,
            objectives: Vec::new(),
            own: vec![],
            turns: 2,
            facts: 0,
            rejections: 0,
        };
        model.ended(&[answered(&next, "last")], &ended);
        let told = second.await.unwrap();
        assert_eq!(told.answer, Some(Answer::Noted { text: "last".to_owned() }));
        assert_eq!(told.ended, Some(ended));
        drop(model);
        assert_eq!(desk.hand_in(call("c")).unwrap_err(), Unheard::Gone);
    }

    #[tokio::test]
    async fn a_task_that_was_begun_before_tells_where_its_log_leaves_it_and_numbers_its_calls_on() {
        let (mut model, desk, _) = outside();
        let first = desk.hand_in(call("a")).unwrap();
        let before = model.turn(&request(1, vec![text("go")])).await.unwrap();
        drop((first, model));
        let (mut model, desk, begun) = outside();
        let _second = desk.hand_in(call("b")).unwrap();
        let mut asked = request(2, vec![]);
        let said = vec![answered(&before, "done"), text("on")];
        let messages = [Message::User(vec![text("go")]), Message::Assistant(before.blocks.clone())];
        let messages = messages.into_iter().chain([Message::User(said.clone())]);
        asked.messages = Arc::new(messages.map(Arc::new).collect());
        let next = model.turn(&asked).await.unwrap();
        let begun = begun.await.unwrap();
        assert_eq!(begun.said, [text("go")]);
        let last = begun.last.unwrap();
        assert_eq!((last.tool.as_deref(), last.said), (Some("a"), said));
        assert_eq!(next.calls().next().unwrap().call, CallId("call-2-2".to_owned()));
    }

    #[tokio::test]
    async fn what_was_withdrawn_before_its_turn_is_never_taken_up() {
        let (mut model, desk, _begun) = outside();
        drop(desk.hand_in(call("a")).unwrap());
        let kept = desk.hand_in(Wish::Stop { words: "enough".to_owned() }).unwrap();
        let reply = model.turn(&request(1, vec![])).await.unwrap();
        assert_eq!(reply.blocks, [ReplyBlock::Text { text: "enough".to_owned() }]);
        drop(kept);
        model.withdrawn().await;
    }

    #[tokio::test]
    async fn nobody_is_waited_for_longer_than_patience_lasts() {
        let (mut model, desk, _begun) = Outside::new("outside".to_owned(), Duration::from_millis(1));
        let gone = model.turn(&request(1, vec![])).await.unwrap_err();
        assert!(matches!(gone, ModelError::Gone { .. }), "{gone}");
        drop(desk);
        let (mut model, desk, _begun) = outside();
        drop(desk);
        assert!(model.turn(&request(1, vec![])).await.is_err());
        assert!(Outside::nobody("outside".to_owned()).turn(&request(1, vec![])).await.is_err());
    }

    #[tokio::test]
    async fn a_flood_of_wishes_is_refused_and_not_kept() {
        let (_model, desk, _begun) = outside();
        let waiting: Vec<_> = (0..MOST_WAITING).map(|_| desk.hand_in(call("a")).unwrap()).collect();
        assert_eq!(desk.hand_in(call("a")).unwrap_err(), Unheard::Full);
        drop(waiting);
    }
}
