//! A task's conversation: all of it, and the part that is sent.

use crate::window::{Meter, Plan, TooSmall, Weight, Weights, cut, least, plan, weigh};
use ledger::canonical::CanonicalError;
use ledger::turn::{Distilled, Message, UserBlock};
use ledger::{Digest, Exchange, Window};
use std::cmp::Reverse;
use std::sync::Arc;

/// The divisor for the largest share of what may be sent that a summary of omitted turns may use.
const DISTILLED_PART: u64 = 4;

/// A conversation.
#[derive(Debug)]
pub(crate) struct Conversation {
    /// The messages that are sent, shared with the last request, which is dropped before the next step.
    /// Copying them for each turn would take quadratic time.
    sent: Arc<Vec<Arc<Message>>>,
    /// The digest of `sent`: it grows with the conversation, so that no turn has to hash everything again.
    digest: Digest,
    /// State for cutting, if the model has a limited context window.
    cutting: Option<Cutting>,
}

/// What is needed to leave messages out.
#[derive(Debug)]
struct Cutting {
    window: Window,
    meter: Meter,
    all: Vec<Arc<Message>>,
    weights: Vec<Weight>,
    plan: Plan,
    /// The message that replaces the turns left out.
    head: Option<Arc<Message>>,
    /// The weight of `sent`.
    weight: u64,
    /// Whether `sent` begins with what was sent last.
    goes_on: bool,
}

/// Summarises a task in at most `bytes`, if `turns` are left out.
pub(crate) trait Distil {
    fn distil(&self, turns: u32, bytes: u64) -> Distilled;
}

impl Conversation {
    pub(crate) fn new(window: Option<Window>) -> Conversation {
        let cutting = window.map(|window| Cutting {
            window,
            meter: Meter::new(window),
            all: Vec::new(),
            weights: Vec::new(),
            plan: Plan::default(),
            head: None,
            weight: 0,
            goes_on: false,
        });
        Conversation { sent: Arc::default(), digest: Digest::of(b""), cutting }
    }

    pub(crate) const fn sent(&self) -> &Arc<Vec<Arc<Message>>> {
        &self.sent
    }

    pub(crate) const fn digest(&self) -> Digest {
        self.digest
    }

    pub(crate) fn push(&mut self, message: Message) -> Result<(), CanonicalError> {
        let message = Arc::new(message);
        if let Some(cutting) = &mut self.cutting {
            let weight = weigh::message(&message);
            cutting.all.push(Arc::clone(&message));
            cutting.weights.push(weight);
            cutting.weight += weight.whole;
        }
        self.send(message)
    }

    fn send(&mut self, message: Arc<Message>) -> Result<(), CanonicalError> {
        self.digest = Digest::of_parts(&[self.digest.as_bytes(), message.digest()?.as_bytes()]);
        Arc::make_mut(&mut self.sent).push(message);
        Ok(())
    }

    /// Leaves out what does not fit besides `fixed` bytes of instructions and tools.
    pub(crate) fn fit(
        &mut self,
        fixed: impl FnOnce() -> u64,
        task: &impl Distil,
    ) -> Result<Result<(), TooSmall>, CanonicalError> {
        let Some(cutting) = &mut self.cutting else { return Ok(Ok(())) };
        let fixed = fixed();
        cutting.meter.instructed(fixed);
        if cutting.fits(fixed) {
            return Ok(Ok(()));
        }
        let messages = match cutting.cut(fixed, task) {
            Ok(messages) => messages,
            Err(small) => return Ok(Err(small)),
        };
        (self.sent, self.digest) = (Arc::default(), Digest::of(b""));
        for message in messages {
            self.send(message)?;
        }
        Ok(Ok(()))
    }

    /// Takes the provider's token count for the current request.
    pub(crate) fn counted(&mut self, exchange: Option<&Exchange>) {
        let tokens = exchange.and_then(|exchange| exchange.sent);
        if let (Some(cutting), Some(tokens)) = (&mut self.cutting, tokens) {
            cutting.meter.counted(tokens);
        }
    }

    /// Notes that the current request was too long; returns whether a shorter one may be tried.
    pub(crate) fn refused(&mut self) -> bool {
        self.cutting.as_mut().is_some_and(|cutting| cutting.meter.refused())
    }
}

impl Cutting {
    /// Checks whether everything that was sent before can be sent again with the new messages.
    fn fits(&mut self, fixed: u64) -> bool {
        let weight = fixed + self.weight;
        let tokens = if self.goes_on { self.meter.grown(weight) } else { self.meter.fresh(weight) };
        let fits = tokens <= self.meter.most();
        if fits {
            self.meter.send(weight, self.goes_on);
            self.goes_on = true;
        }
        fits
    }

    /// Returns the messages that fit.
    fn cut(&mut self, fixed: u64, task: &impl Distil) -> Result<Vec<Arc<Message>>, TooSmall> {
        let most = self.meter.most();
        let room = self.meter.room(most / DISTILLED_PART);
        let distilled = |turns, bytes| self.head_of(task.distil(turns, bytes));
        let turns = (self.all.len() / 2) as u32;
        let newest = self.newest();
        let newest_weights: Vec<Weight> = newest.iter().map(|(_, weight)| *weight).collect();
        let weights = Weights {
            fixed,
            distilled: weigh::message(&distilled(turns, room)).whole,
            brief: weigh::message(&distilled(turns, 0)).whole,
            messages: &self.weights,
            newest: &newest_weights,
        };
        let fitting = plan(&weights, self.plan, self.window, most, |weight| self.meter.fresh(weight));
        let plan = match fitting {
            Ok(plan) => plan,
            Err(small) if self.meter.dares(small.needed) => least(&weights),
            Err(small) => return Err(small),
        };
        let has_dared = fitting.is_err();
        if plan.head > 0 && (plan.head, plan.brief) != (self.plan.head, self.plan.brief) {
            let bytes = if plan.brief { 0 } else { room };
            let message = distilled((plan.head / 2) as u32, bytes);
            self.head = Some(Arc::new(message));
        }
        self.plan = plan;
        if has_dared {
            self.meter.dare();
        }
        let messages = self.assemble(&newest);
        self.weight = messages.iter().map(|message| weigh::message(message).whole).sum();
        self.meter.send(fixed + self.weight, false);
        self.goes_on = true;
        Ok(messages)
    }

    /// Builds the first message: the engine's texts from the turns left out, and a summary of those turns.
    fn head_of(&self, distilled: Distilled) -> Message {
        // The message that the first omitted turn answers is left out, too.
        let left_out = self.all.iter().take(distilled.turns as usize * 2 + 1);
        let said = left_out.filter_map(|message| match &**message {
            Message::User(blocks) => Some(blocks),
            Message::Assistant(_) => None,
        });
        let words = |block: &UserBlock| matches!(block, UserBlock::Text { .. });
        let words = said.flatten().filter(|block| words(block)).cloned();
        Message::User(words.chain([UserBlock::Distilled(distilled)]).collect())
    }

    /// Returns the answers of the newest message by position, longest first.
    fn newest(&self) -> Vec<(usize, Weight)> {
        let Some(Message::User(blocks)) = self.all.last().map(AsRef::as_ref) else { return Vec::new() };
        let mut newest: Vec<_> = blocks.iter().map(weigh::block).enumerate().collect();
        newest.retain(|(_, weight)| weight.noted < weight.whole);
        newest.sort_by_key(|(_, weight)| Reverse(weight.whole));
        newest
    }

    /// Returns the messages of the plan.
    fn assemble(&self, newest: &[(usize, Weight)]) -> Vec<Arc<Message>> {
        let Plan { head, cut, squeezed, .. } = self.plan;
        let mut messages: Vec<_> = self.head.iter().filter(|_| head > 0).cloned().collect();
        for (at, message) in self.all.iter().enumerate().skip(head) {
            let asked = at.checked_sub(1).and_then(|before| self.all.get(before)).map(AsRef::as_ref);
            let is_noted = |place| at < cut || newest.iter().take(squeezed).any(|(known, _)| *known == place);
            let is_changed = at < cut || (squeezed > 0 && at + 1 == self.all.len());
            messages.push(match &**message {
                Message::User(blocks) if is_changed => {
                    let blocks = blocks.iter().enumerate().map(|(place, block)| match is_noted(place) {
                        true => cut::block(block, asked),
                        false => block.clone(),
                    });
                    Arc::new(Message::User(blocks.collect()))
                }
                Message::User(_) | Message::Assistant(_) => Arc::clone(message),
            });
        }
        messages
    }
}
