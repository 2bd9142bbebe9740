//! A language model behind an API, as a model that the engine can use.

use super::address::{Address, Dialect};
use super::anthropic::Parts;
use super::clock::{Clock, MonotonicClock};
use super::error::{Again, ApiError};
use super::key::ApiKey;
use super::link::Link;
use super::received::{Asked, Received, Stop};
use super::retry::Patience;
use super::settings::{LARGER, Settings, SetupError};
use super::transcript::{Part, Transcript, check_transcript, transcript};
use super::{anthropic, openai, told, verbatim};
use crate::model::{Model, ModelError, Turning};
use ledger::turn::{Reply, ReplyBlock, ToolCall, TurnRequest};
use ledger::{CallId, Digest, Exchange, Prices, Usage, Window};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// What a model is told, once, if its reply to results is empty: the same request would get the same empty reply.
const GO_ON: &str = "Go on with your objectives, or say in words that you have finished.";

/// A callback that is told that a request is sent again, why, and after how long.
pub type Notice = dyn Fn(&ApiError, Duration) + Send + Sync;

/// One model at one address; cheap to clone, with shared connections.
#[derive(Clone)]
pub struct Provider {
    inner: Arc<Inner>,
}

struct Inner {
    name: String,
    dialect: Dialect,
    model: String,
    is_home: bool,
    settings: Settings,
    parameters: Digest,
    link: Link,
    clock: Arc<dyn Clock>,
    notice: Option<Arc<Notice>>,
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider").field("name", &self.inner.name).finish_non_exhaustive()
    }
}

impl Provider {
    /// Makes a provider; nothing is sent yet. Proxies and additional trust roots come from the HTTP client's usual places.
    pub fn new(address: &Address, key: Option<ApiKey>, settings: Settings) -> Result<Provider, SetupError> {
        Provider::with_clock(address, key, settings, Arc::new(MonotonicClock::start()))
    }

    /// Makes a provider that reports when it waits, so that a user does not think that the program hangs.
    pub fn telling(
        address: &Address,
        key: Option<ApiKey>,
        settings: Settings,
        notice: Arc<Notice>,
    ) -> Result<Provider, SetupError> {
        Provider::build(address, key, settings, Arc::new(MonotonicClock::start()), Some(notice))
    }

    /// Makes a provider that waits by another clock.
    pub fn with_clock(
        address: &Address,
        key: Option<ApiKey>,
        settings: Settings,
        clock: Arc<dyn Clock>,
    ) -> Result<Provider, SetupError> {
        Provider::build(address, key, settings, clock, None)
    }

    fn build(
        address: &Address,
        key: Option<ApiKey>,
        settings: Settings,
        clock: Arc<dyn Clock>,
        notice: Option<Arc<Notice>>,
    ) -> Result<Provider, SetupError> {
        let name = address.to_string();
        let parameters =
            settings.digest().map_err(|source| SetupError::Parameters { model: name.clone(), source })?;
        let link = Link::new(address, key, &settings.retries)?;
        Ok(Provider {
            inner: Arc::new(Inner {
                name,
                dialect: address.dialect,
                model: address.model.clone(),
                is_home: address.dialect.needs_key(address.base()),
                settings,
                parameters,
                link,
                clock,
                notice,
            }),
        })
    }

    /// Returns the body that would be sent first for a turn, without sending it; the errors are those that sending would return.
    pub fn body(&self, request: &TurnRequest) -> Result<Vec<u8>, ApiError> {
        let transcript = transcript(request).map_err(ApiError::Encode)?;
        check_transcript(&transcript).map_err(ApiError::Transcript)?;
        self.inner.body(request, &transcript, self.inner.settings.reply_tokens)
    }

    /// Returns the model for one task.
    pub fn model(&self) -> Remote {
        Remote { provider: self.clone(), exchange: None, taken: BTreeSet::new() }
    }
}

impl Inner {
    fn body(&self, request: &TurnRequest, transcript: &Transcript, limit: u32) -> Result<Vec<u8>, ApiError> {
        let kept = verbatim::of(request, transcript, self.dialect);
        let parts = Parts {
            model: &self.model,
            settings: &self.settings,
            limit,
            system: &request.system,
            tools: &request.tools,
            transcript,
            kept: &kept,
        };
        let body = match self.dialect {
            Dialect::Anthropic => anthropic::body(parts),
            Dialect::OpenAi => openai::body(parts, self.is_home),
        };
        body.map_err(ApiError::Encode)
    }
}

/// A language model, serving one task.
#[derive(Debug)]
pub struct Remote {
    provider: Provider,
    exchange: Option<Exchange>,
    /// The ids of all calls of the task, including those that its conversation no longer shows.
    /// If a message came back with another id, it would no longer be the provider's exact message.
    taken: BTreeSet<String>,
}

impl Model for Remote {
    fn name(&self) -> &str {
        &self.provider.inner.name
    }

    /// Returns the digest of the parameters, which are ours; the weights are not.
    fn digest(&self) -> Option<Digest> {
        Some(self.provider.inner.parameters)
    }

    fn is_paid(&self) -> bool {
        true
    }

    fn window(&self) -> Option<Window> {
        Some(self.provider.inner.settings.window())
    }

    fn prices(&self) -> Option<Prices> {
        self.provider.inner.settings.prices
    }

    fn last_exchange(&self) -> Option<&Exchange> {
        self.exchange.as_ref()
    }

    fn turn<'a>(&'a mut self, request: &'a TurnRequest) -> Turning<'a> {
        // If a turn is dropped half way, no figures of another turn remain.
        self.exchange = None;
        Box::pin(async move {
            let exchange = Exchange {
                request: request.digest,
                attempts: 0,
                usage: Usage::default(),
                sent: None,
                request_id: None,
            };
            let mut turn = Turn { provider: &self.provider.inner, exchange, taken: &mut self.taken };
            let replied = turn.replied(request).await;
            self.exchange = Some(turn.exchange);
            let received = replied?;
            self.taken.extend(ids(&received.parts));
            Ok(reply(&received, self.provider.inner.dialect))
        })
    }
}

/// A turn in progress.
struct Turn<'a> {
    provider: &'a Inner,
    exchange: Exchange,
    taken: &'a mut BTreeSet<String>,
}

impl Turn<'_> {
    async fn replied(&mut self, request: &TurnRequest) -> Result<Received, ModelError> {
        let mut transcript = transcript(request).map_err(|error| self.no_reply(ApiError::Encode(error)))?;
        let mut limit = self.provider.settings.reply_tokens;
        let (mut was_cut, mut was_told) = (false, false);
        loop {
            check_transcript(&transcript).map_err(|error| self.no_reply(ApiError::Transcript(error)))?;
            let body =
                self.provider.body(request, &transcript, limit).map_err(|error| self.no_reply(error))?;
            self.taken.extend(transcript.turns.iter().flat_map(|turn| ids(&turn.parts)));
            let received = self.sent(request, body).await?;
            match &received.stop {
                // Neither costs a turn: the engine hears neither of the half reply nor of the silence.
                Stop::Cut if !was_cut => {
                    (was_cut, limit) = (true, limit.saturating_mul(LARGER));
                }
                Stop::Cut => return Err(self.no_reply(ApiError::Cut { limit })),
                Stop::ContextFull => return Err(self.given_up(ApiError::ContextFull)),
                Stop::Declined(told) => {
                    return Err(self.no_reply(ApiError::Declined { told: told.clone() }));
                }
                Stop::Done if received.parts.is_empty() && !was_told => {
                    was_told = true;
                    if let Some(last) = transcript.turns.last_mut() {
                        last.parts.push(Part::Text(GO_ON.to_owned()));
                    }
                }
                Stop::Done => return Ok(received),
            }
        }
    }

    /// Sends until there is an answer, or the retries are used up.
    async fn sent(&mut self, request: &TurnRequest, body: Vec<u8>) -> Result<Received, ModelError> {
        let Inner { clock, settings, link, notice, .. } = self.provider;
        self.exchange.request = Digest::of(&body);
        let seed = self.exchange.request.as_bytes().iter().take(8);
        let seed = seed.fold(0u64, |seed, byte| seed << 8 | u64::from(*byte));
        let mut patience = Patience::new(&settings.retries, seed);
        let start = clock.now();
        loop {
            let mut asked = Asked { turn: request.turn, tools: &request.tools, taken: self.taken.clone() };
            self.exchange.attempts += 1;
            let (attempts, begun) = (self.exchange.attempts, clock.now());
            let model = self.provider.name.as_str();
            let sent = told::Sent { model, turn: request.turn, attempt: attempts, bytes: body.len() };
            told::sent(sent);
            let attempt =
                tokio::time::timeout(settings.retries.attempt, link.attempt(body.clone(), &mut asked)).await;
            let error = match attempt {
                Ok(attempt) => {
                    self.exchange.request_id = attempt.request_id;
                    match attempt.result {
                        Ok(received) => {
                            told::answered(sent, received.usage, clock.now().saturating_sub(begun));
                            self.exchange.usage = self.exchange.usage.plus(received.usage);
                            self.exchange.sent = Some(received.usage.input).filter(|tokens| *tokens > 0);
                            return Ok(received);
                        }
                        Err(error) => error,
                    }
                }
                Err(_) => ApiError::Silent { host: link.host().to_owned() },
            };
            let wait = patience.wait(&error, clock.now().saturating_sub(start));
            told::failed(sent, &error, clock.now().saturating_sub(begun), wait);
            match wait {
                Some(wait) => {
                    if let Some(notice) = notice {
                        notice(&error, wait);
                    }
                    clock.wait(wait).await;
                }
                None => return Err(self.given_up(error)),
            }
        }
    }

    fn given_up(&self, error: ApiError) -> ModelError {
        let model = self.provider.name.clone();
        match error.again() {
            Again::Never if error.is_of_length() => ModelError::TooLong { model, why: Box::new(error) },
            Again::Never if error.is_of_setup() => ModelError::Unusable { model, why: Box::new(error) },
            Again::Never => self.no_reply(error),
            Again::Later | Again::After(_) => ModelError::Unreachable { model, source: Box::new(error) },
        }
    }

    fn no_reply(&self, error: ApiError) -> ModelError {
        ModelError::NoReply { model: self.provider.name.clone(), why: Box::new(error) }
    }
}

fn ids(parts: &[Part]) -> impl Iterator<Item = String> {
    parts.iter().filter_map(|part| match part {
        Part::Call { call, .. } => Some(call.clone()),
        Part::Text(_) | Part::Result { .. } => None,
    })
}

fn reply(received: &Received, dialect: Dialect) -> Reply {
    let block = |part: &Part| match part {
        Part::Text(text) => Some(ReplyBlock::Text { text: text.clone() }),
        Part::Call { call, tool, arguments } => Some(ReplyBlock::Call(ToolCall {
            call: CallId(call.clone()),
            tool: tool.clone(),
            arguments: arguments.clone(),
        })),
        Part::Result { .. } => None,
    };
    let kept = received.verbatim.as_deref().and_then(|message| verbatim::block(dialect, message));
    Reply { blocks: received.parts.iter().filter_map(block).chain(kept).collect() }
}
