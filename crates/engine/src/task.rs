//! One task: an agent's life as a state machine.

use crate::calls::Busy;
use crate::conversation::Conversation;
use crate::dispatch::unanswered;
use crate::distil::Record;
use crate::guide;
use crate::insist::Warned;
use crate::invoke::Asked;
use crate::made::Made;
use crate::notebook::Notebook;
use crate::objectives::Standing;
use crate::ordinals::{GivenIds, Ordinals};
use crate::prompt;
use crate::recovery::{PhaseEnd, Recoveries};
use crate::reply::recordable;
use crate::setting::Setting;
use crate::step::{Append, Command, Input, Step, StepError};
use crate::window::weigh;
use ground::Shelf;
use ledger::event::{
    Phase, PhaseEntered, RequestTooLong, Spent, TaskAssigned, TaskEnded, TaskStatus, TurnFailed, TurnReplied,
    TurnRequested,
};
use ledger::turn::{Message, Reply, ToolCall, TurnRequest, UserBlock};
use ledger::{
    AgentSpec, Artifact, CallId, ClockListing, Digest, Event, Exchange, FactEntry, FactId, Fence, Handed,
    Lessons, Objective, PhenomenonId, Surface, TaskId, ToolClass, ToolSpec, canonical,
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// A task and everything that its log says.
#[derive(Debug)]
pub struct Task {
    pub(crate) assigned: TaskAssigned,
    pub(crate) setting: Arc<Setting>,
    pub(crate) phase: PhaseState,
    pub(crate) turn: u32,
    system: Arc<str>,
    fence: Fence,
    conversation: Conversation,
    /// What the next user message will say.
    pub(crate) outbox: Vec<UserBlock>,
    pub(crate) calls: VecDeque<ToolCall>,
    pub(crate) turn_record: TurnRecord,
    pub(crate) waiting: Waiting,
    pub(crate) ordinals: Ordinals,
    pub(crate) shelf: Shelf,
    /// Where clocks were set back, as its calls list it.
    pub(crate) clocks: Vec<ClockListing>,
    pub(crate) asked: BTreeMap<Vec<u8>, Asked>,
    pub(crate) facts: Vec<FactEntry>,
    /// What other tasks handed over to it.
    pub(crate) handed: Vec<Arc<Handed>>,
    /// What it stored for others.
    pub(crate) artifacts: Vec<Artifact>,
    /// What code stored of the tasks that it handed out.
    pub(crate) reports: Vec<Artifact>,
    /// Tasks that it handed out.
    pub(crate) dispatched: u16,
    pub(crate) notebook: Notebook,
    /// Record calls of which every reading was grounded.
    pub(crate) recorded: BTreeMap<Vec<u8>, PhenomenonId>,
    pub(crate) rejections: u32,
    /// How many of them the budget has paid for.
    pub(crate) charged: u32,
    /// The calls that a small model was told come next.
    named: guide::Named,
    /// Code and reason of each refused claim.
    pub(crate) refused: Vec<String>,
    /// The objective that the reading missed that was refused last; for whoever watches.
    pub(crate) missed: Option<String>,
    call_ids: BTreeSet<CallId>,
    /// The first budget that ended one of its phases.
    spent: Option<Spent>,
    /// The calls that were made, in their order.
    pub(crate) made: Vec<Made>,
    pub(crate) recoveries: Recoveries,
    /// How often it was asked about questions of the case that are open.
    pub(crate) asked_for_open: u32,
    /// The questions of the case that it declined: agent and name.
    pub(crate) declined: BTreeSet<(String, String)>,
    /// The questions that its agent asked itself.
    pub(crate) own: Vec<Objective>,
    /// How many notes it has written.
    pub(crate) notes: u32,
    /// What lessons of earlier runs say of its calls.
    pub(crate) lessons: Arc<Lessons>,
    /// The lessons that it was told by a refusal, each with the call that was refused.
    pub(crate) warned: BTreeMap<String, Warned>,
}

/// The phase a task is in, and what it may use there.
#[derive(Debug)]
pub(crate) struct PhaseState {
    pub(crate) phase: Phase,
    pub(crate) surface: Surface,
    tools: Arc<[ToolSpec]>,
    /// Of `tools`; computed with the phase's first request.
    tools_digest: Option<Digest>,
    turns: u32,
}

impl PhaseState {
    pub(crate) fn enter(phase: Phase, agent: &AgentSpec, setting: &Setting) -> PhaseState {
        let surfaces = &setting.rules.surfaces;
        let surface = match phase {
            Phase::Investigate | Phase::Recover => surfaces.investigate.as_ref().unwrap_or(&agent.surface),
            Phase::Record => &surfaces.record,
        };
        let tools = setting.offered(agent, surface);
        PhaseState { phase, tools, tools_digest: None, surface: surface.clone(), turns: 0 }
    }

    pub(crate) fn tools(&self) -> &[ToolSpec] {
        &self.tools
    }
}

/// What the calls of the current turn came to.
#[derive(Debug, Default)]
pub(crate) struct TurnRecord {
    pub(crate) calls: u32,
    pub(crate) refused_claims: u32,
    /// Whether anything but refused claims happened.
    pub(crate) fruitful: bool,
    pub(crate) nothing_to_record: bool,
}

/// What is left of a task's budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    /// Turns of the phase, the one under way not counted.
    pub turns: u32,
    /// Refused claims.
    pub rejected_claims: u32,
    /// Accepted facts.
    pub accepted_facts: u32,
}

/// What a task waits for.
#[derive(Debug)]
pub(crate) enum Waiting {
    Begin,
    Model,
    Busy(Box<Busy>),
    Nothing,
}

impl Waiting {
    fn name(&self) -> &'static str {
        match self {
            Waiting::Begin => "begin",
            Waiting::Model => "a reply",
            Waiting::Busy(busy) => busy.name(),
            Waiting::Nothing => "nothing: the task has ended",
        }
    }
}

impl Task {
    /// A task that has just been assigned.
    pub fn new(assigned: TaskAssigned, setting: Arc<Setting>) -> Task {
        let fence = setting.fence(assigned.task);
        let system = prompt::system(&assigned.agent, &fence, &setting).into();
        let phase = PhaseState::enter(Phase::Investigate, &assigned.agent, &setting);
        let lessons = Arc::new(setting.lessons(&assigned.agent));
        Task {
            system,
            fence,
            phase,
            conversation: Conversation::new(assigned.window),
            assigned,
            setting,
            turn: 0,
            outbox: Vec::new(),
            calls: VecDeque::new(),
            turn_record: TurnRecord::default(),
            waiting: Waiting::Begin,
            ordinals: Ordinals::default(),
            shelf: Shelf::default(),
            clocks: Vec::new(),
            asked: BTreeMap::new(),
            facts: Vec::new(),
            handed: Vec::new(),
            artifacts: Vec::new(),
            reports: Vec::new(),
            dispatched: 0,
            notebook: Notebook::default(),
            recorded: BTreeMap::new(),
            rejections: 0,
            charged: 0,
            named: guide::Named::new(),
            refused: Vec::new(),
            missed: None,
            call_ids: BTreeSet::new(),
            spent: None,
            made: Vec::new(),
            recoveries: Recoveries::default(),
            asked_for_open: 0,
            declined: BTreeSet::new(),
            own: Vec::new(),
            notes: 0,
            lessons,
            warned: BTreeMap::new(),
        }
    }

    /// The task run again, from its beginning: what stands at the place of something of before gets its id.
    ///
    /// Replies of before then cite what they cited, whatever is decided otherwise this time.
    pub fn again(assigned: TaskAssigned, setting: Arc<Setting>, before: GivenIds) -> Task {
        let mut task = Task::new(assigned, setting);
        task.ordinals = Ordinals::again(before);
        task
    }

    /// The task with what tasks that ended before hand over to it.
    #[must_use]
    pub fn with_handed(mut self, handed: Vec<Arc<Handed>>) -> Task {
        self.handed = handed;
        self
    }

    /// Its number.
    pub fn id(&self) -> TaskId {
        self.assigned.task
    }

    /// The conversation as it was sent last.
    pub(crate) fn sent(&self) -> &[Arc<Message>] {
        self.conversation.sent()
    }

    /// What the next turn will say; of a task that has ended, what nobody was told.
    pub fn unsaid(&self) -> &[UserBlock] {
        &self.outbox
    }

    /// Its own invocations so far, with what of them was shown: what its claims are judged against.
    pub fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    /// The phase it is in.
    pub fn phase(&self) -> Phase {
        self.phase.phase
    }

    /// A fact of its own, or one that was handed over to it.
    pub(crate) fn known_fact(&self, id: FactId) -> Option<&FactEntry> {
        let handed = self.handed.iter().flat_map(|handed| &handed.facts);
        self.facts.iter().chain(handed).find(|fact| fact.id == id)
    }

    /// What is left of its budgets.
    pub fn left(&self) -> Left {
        let budgets = &self.setting.rules.budgets;
        Left {
            turns: self.turn_budget().saturating_sub(self.phase.turns),
            rejected_claims: budgets.rejected_claims.saturating_sub(self.charged),
            accepted_facts: budgets.accepted_facts.saturating_sub(self.facts.len() as u32),
        }
    }

    /// The ids that it has given so far, by the calls that brought them about.
    pub fn given_ids(&self) -> &GivenIds {
        self.ordinals.given()
    }

    fn turn_budget(&self) -> u32 {
        match self.phase.phase {
            Phase::Investigate => self.setting.rules.budgets.investigate_turns,
            Phase::Recover => self.setting.rules.recovery.turns,
            Phase::Record => self.setting.rules.budgets.record_turns,
        }
    }

    /// Takes what happened outside; gives the events to append and what to do next.
    ///
    /// After an error the task takes no further step.
    pub fn step(&mut self, input: Input) -> Result<Step, StepError> {
        let mut append = Vec::new();
        let waiting = std::mem::replace(&mut self.waiting, Waiting::Nothing);
        let command = match (waiting, input) {
            (Waiting::Begin, Input::Begin) => {
                let lessons = self.setting.remembered(&self.assigned.agent);
                if let Some(text) = prompt::remembered(lessons, self.lessons.may_refuse()) {
                    self.say(text);
                }
                for text in prompt::first(&self.assigned, &self.setting.evidence, &self.fence) {
                    self.say(text);
                }
                append.push(self.phase_entered("the task was assigned"));
                self.ask(&mut append)?
            }
            (Waiting::Model, Input::Replied(reply, exchange)) => {
                self.replied(reply, exchange, &mut append)?
            }
            (Waiting::Model, Input::ModelFailed(reason, exchange)) => {
                append.push(event(Event::TurnFailed(TurnFailed { turn: self.turn, reason, exchange })));
                self.end(TaskStatus::ModelFailed, &mut append)
            }
            (Waiting::Model, Input::TimeSpent) => {
                append.push(event(Event::TimeSpent));
                self.spend(Spent::WallTime);
                self.end(self.status(), &mut append)
            }
            (Waiting::Model, Input::Cancelled) => {
                append.push(event(Event::Cancelled));
                self.end(TaskStatus::Cancelled, &mut append)
            }
            (Waiting::Model, Input::PurseSpent(spent)) => {
                append.push(event(Event::PurseSpent(spent)));
                self.spend(spent);
                self.end(self.status(), &mut append)
            }
            (Waiting::Busy(busy), input) => match (*busy, input) {
                (Busy::Tool(running), Input::Returned(returned)) => {
                    self.returned(running, returned, &mut append)?
                }
                (Busy::Judging(judging), Input::Judged(verdict)) => {
                    self.judged(judging, *verdict, &mut append)?
                }
                (Busy::Covering(covering), Input::AbsenceJudged(verdict)) => {
                    self.covered(covering, *verdict, &mut append)?
                }
                (Busy::Dispatching(dispatching), Input::Reported(reported)) => {
                    self.reported(dispatching, reported, &mut append)?
                }
                (Busy::Recalling(recalling), Input::Found(found)) => {
                    self.recalled(recalling, &found, &mut append)?
                }
                (busy, input) => return Err(unexpected(busy.name(), &input)),
            },
            (Waiting::Model, Input::TooLong(reason, exchange)) => {
                self.too_long(reason, exchange, &mut append)?
            }
            (waiting, input) => return Err(unexpected(waiting.name(), &input)),
        };
        Ok(Step { append, command })
    }

    /// The model takes less than it was sent.
    fn too_long(
        &mut self,
        reason: String,
        exchange: Option<Exchange>,
        append: &mut Vec<Append>,
    ) -> Result<Command, StepError> {
        self.conversation.counted(exchange.as_ref());
        let turn = self.turn;
        append.push(event(Event::RequestTooLong(RequestTooLong { turn, reason: reason.clone(), exchange })));
        match self.conversation.refused() {
            true => self.request(append),
            false => Ok(self.fail(reason, append)),
        }
    }

    /// No model answers this turn.
    fn fail(&mut self, reason: String, append: &mut Vec<Append>) -> Command {
        append.push(event(Event::TurnFailed(TurnFailed { turn: self.turn, reason, exchange: None })));
        self.end(TaskStatus::ModelFailed, append)
    }

    fn replied(
        &mut self,
        reply: Reply,
        exchange: Option<Exchange>,
        append: &mut Vec<Append>,
    ) -> Result<Command, StepError> {
        self.conversation.counted(exchange.as_ref());
        let reply = recordable(reply, self.turn, &mut self.call_ids);
        let bytes = canonical::to_vec(&reply)?;
        self.calls = reply.calls().cloned().collect();
        let replied = TurnReplied {
            turn: self.turn,
            reply: Digest::of(&bytes),
            calls: self.calls.len() as u32,
            exchange,
        };
        append.push(Append { event: Event::TurnReplied(replied), payload: Some(bytes.into()) });
        self.turn_record = TurnRecord::default();
        let silent = self.calls.is_empty();
        self.conversation.push(Message::Assistant(reply.blocks))?;
        match silent {
            true => self.end_phase(PhaseEnd::Stopped, append),
            false => self.next_call(append),
        }
    }

    /// All calls of the turn are answered.
    pub(crate) fn end_turn(&mut self, append: &mut Vec<Append>) -> Result<Command, StepError> {
        let record = std::mem::take(&mut self.turn_record);
        // A turn that only had its readings refused costs from their budget, not from the phase's.
        if record.refused_claims > 0 && !record.fruitful && self.phase.turns > 0 {
            self.phase.turns -= 1;
        }
        if self.rejections_spent() {
            self.spend(Spent::RejectedClaims);
            return Ok(self.end(self.status(), append));
        }
        // An agent that has just had readings refused gets to see why, whatever it says of the rest.
        if record.nothing_to_record && record.refused_claims == 0 {
            return self.end_phase(PhaseEnd::NothingToRecord, append);
        }
        self.ask(append)
    }

    pub(crate) fn ask(&mut self, append: &mut Vec<Append>) -> Result<Command, StepError> {
        if self.phase.turns >= self.turn_budget() {
            self.spend(Spent::Turns);
            return self.end_phase(PhaseEnd::TurnsSpent, append);
        }
        self.phase.turns += 1;
        if self.setting.is_small(&self.assigned.agent) {
            let mut named = std::mem::take(&mut self.named);
            let told = guide::next(self.standing(), &mut named);
            self.named = named;
            self.say(told);
        }
        let said = std::mem::take(&mut self.outbox);
        self.conversation.push(Message::User(said))?;
        self.request(append)
    }

    /// Asks with as much of the conversation as the model takes.
    fn request(&mut self, append: &mut Vec<Append>) -> Result<Command, StepError> {
        let record = Record {
            agent: &self.assigned.agent,
            facts: &self.facts,
            notebook: &self.notebook,
            shelf: &self.shelf,
            refused: &self.refused,
        };
        if let Err(small) =
            self.conversation.fit(|| weigh::fixed(&self.system, &self.phase.tools), &record)?
        {
            return Ok(self.fail(small.to_string(), append));
        }
        self.turn += 1;
        let request = self.turn_request()?;
        let requested = TurnRequested { turn: self.turn, request: request.digest };
        append.push(event(Event::TurnRequested(requested)));
        self.waiting = Waiting::Model;
        Ok(Command::AskModel(request))
    }

    fn turn_request(&mut self) -> Result<TurnRequest, StepError> {
        let tools = match self.phase.tools_digest {
            Some(digest) => digest,
            None => *self.phase.tools_digest.insert(Digest::of(&canonical::to_vec(&*self.phase.tools)?)),
        };
        let conversation = self.conversation.digest();
        let parts = [self.system.as_bytes(), tools.as_bytes(), conversation.as_bytes()];
        Ok(TurnRequest {
            turn: self.turn,
            system: Arc::clone(&self.system),
            tools: Arc::clone(&self.phase.tools),
            messages: Arc::clone(self.conversation.sent()),
            digest: Digest::of_parts(&parts),
            fence: self.fence.clone(),
            lessons: Arc::clone(&self.lessons),
            open: self.open_objectives(),
        })
    }

    pub(crate) fn say(&mut self, text: String) {
        self.outbox.push(UserBlock::Text { text });
    }

    fn end_phase(&mut self, end: PhaseEnd, append: &mut Vec<Append>) -> Result<Command, StepError> {
        self.end_recovery(append);
        let has_recorded = self.phase.phase == Phase::Record;
        if !has_recorded && let Some(command) = self.recover(end, append)? {
            return Ok(command);
        }
        if let Some(command) = self.ask_for_open(end, append)? {
            return Ok(command);
        }
        let unmet = self.standing().unmet();
        // Who hands out tasks has facts by them.
        let too_little = !self.is_lead() && (self.facts.is_empty() || !unmet.is_empty());
        match self.phase.phase {
            Phase::Investigate | Phase::Recover if too_little => {
                self.phase = PhaseState::enter(Phase::Record, &self.assigned.agent, &self.setting);
                append.push(self.phase_entered(&format!("{}, and too little was recorded", end.told())));
                self.say(prompt::record_only(&unmet, &self.phase.surface));
                self.ask(append)
            }
            Phase::Investigate | Phase::Recover | Phase::Record => Ok(self.end(self.status(), append)),
        }
    }

    /// Whether it hands out tasks.
    pub(crate) fn is_lead(&self) -> bool {
        self.assigned.agent.surface.contains(&ToolClass::Dispatch)
    }

    /// What its objectives are judged by.
    pub(crate) fn standing(&self) -> Standing<'_> {
        let (agent, facts) = (&self.assigned.agent, &self.facts[..]);
        Standing { agent, facts, made: &self.made, setting: &self.setting }
    }

    pub(crate) fn phase_entered(&self, reason: &str) -> Append {
        event(Event::PhaseEntered(PhaseEntered {
            phase: self.phase.phase,
            surface: self.phase.surface.clone(),
            reason: reason.to_owned(),
        }))
    }

    fn spend(&mut self, budget: Spent) {
        self.spent = self.spent.or(Some(budget));
    }

    fn status(&self) -> TaskStatus {
        let nothing = self.facts.is_empty() && self.reports.is_empty();
        // Whoever leads and has handed out nothing has answered nothing.
        let idle = self.is_lead() && self.reports.is_empty();
        let handed_out = unanswered(&self.handed_out()) || self.leaves_open();
        let unmet = idle || !self.standing().unmet().is_empty() || handed_out;
        match (!unmet, self.spent.is_some() && nothing) {
            (true, _) => TaskStatus::Completed,
            (false, true) => TaskStatus::BudgetSpent,
            (false, false) => TaskStatus::Incomplete,
        }
    }

    /// What the tasks that it handed out handed over.
    fn handed_out(&self) -> Vec<Arc<Handed>> {
        if self.is_lead() { self.handed.clone() } else { Vec::new() }
    }

    fn end(&mut self, status: TaskStatus, append: &mut Vec<Append>) -> Command {
        self.end_recovery(append);
        append.push(event(Event::TaskEnded(TaskEnded {
            status,
            spent: self.spent,
            objectives: self.standing().results(),
            own: self.standing().results_of(&self.own),
            turns: self.turn,
            facts: self.facts.len() as u32,
            rejections: self.rejections,
        })));
        self.waiting = Waiting::Nothing;
        Command::End
    }
}

fn unexpected(expected: &'static str, input: &Input) -> StepError {
    StepError::Unexpected { expected, found: input.name() }
}

/// An event without a payload.
pub(crate) fn event(event: Event) -> Append {
    Append { event, payload: None }
}
