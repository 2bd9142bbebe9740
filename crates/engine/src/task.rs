//! One task: an agent's work as a state machine.

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
    /// The blocks of the next user message.
    pub(crate) outbox: Vec<UserBlock>,
    pub(crate) calls: VecDeque<ToolCall>,
    pub(crate) turn_record: TurnRecord,
    pub(crate) waiting: Waiting,
    pub(crate) ordinals: Ordinals,
    pub(crate) shelf: Shelf,
    /// The clock steps that its calls list.
    pub(crate) clocks: Vec<ClockListing>,
    pub(crate) asked: BTreeMap<Vec<u8>, Asked>,
    pub(crate) facts: Vec<FactEntry>,
    /// What other tasks handed over to it.
    pub(crate) handed: Vec<Arc<Handed>>,
    /// The artifacts that it stored for others.
    pub(crate) artifacts: Vec<Artifact>,
    /// The reports that code stored about the tasks that it assigned.
    pub(crate) reports: Vec<Artifact>,
    /// The number of tasks that it assigned.
    pub(crate) dispatched: u16,
    pub(crate) notebook: Notebook,
    /// Record calls whose readings were all grounded.
    pub(crate) recorded: BTreeMap<Vec<u8>, PhenomenonId>,
    pub(crate) rejections: u32,
    /// How many of them were charged to the budget.
    pub(crate) charged: u32,
    /// The calls suggested to a small model.
    named: guide::Named,
    /// Code and reason of each refused claim.
    pub(crate) refused: Vec<String>,
    /// The objective that the last refused reading was for; for progress display.
    pub(crate) missed: Option<String>,
    call_ids: BTreeSet<CallId>,
    /// The first budget that ended one of its phases.
    spent: Option<Spent>,
    /// The calls that were made, in order.
    pub(crate) made: Vec<Made>,
    pub(crate) recoveries: Recoveries,
    /// How often it was asked about open questions of the case.
    pub(crate) asked_for_open: u32,
    /// The questions of the case that it declined: agent and name.
    pub(crate) declined: BTreeSet<(String, String)>,
    /// The questions that its agent added.
    pub(crate) own: Vec<Objective>,
    /// How many notes it has written.
    pub(crate) notes: u32,
    /// The lessons of earlier runs about its calls.
    pub(crate) lessons: Arc<Lessons>,
    /// The lessons that refusals have shown to it, each with the refused call.
    pub(crate) warned: BTreeMap<String, Warned>,
}

/// The phase a task is in, and what it may use there.
#[derive(Debug)]
pub(crate) struct PhaseState {
    pub(crate) phase: Phase,
    pub(crate) surface: Surface,
    tools: Arc<[ToolSpec]>,
    /// The digest of `tools`; computed with the phase's first request.
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

/// The results of the current turn's calls.
#[derive(Debug, Default)]
pub(crate) struct TurnRecord {
    pub(crate) calls: u32,
    pub(crate) refused_claims: u32,
    /// Whether anything other than refused claims happened.
    pub(crate) fruitful: bool,
    pub(crate) nothing_to_record: bool,
}

/// The rest of a task's budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    /// Turns of the phase, without the current one.
    pub turns: u32,
    /// Refused claims.
    pub rejected_claims: u32,
    /// Accepted facts.
    pub accepted_facts: u32,
}

/// What a task is waiting for.
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
    /// Makes a task that has just been assigned.
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

    /// Makes a task that runs again from its beginning: something at a place of the earlier run gets the id of that place.
    ///
    /// Earlier replies then cite what they cited before, even if decisions differ this time.
    pub fn again(assigned: TaskAssigned, setting: Arc<Setting>, before: GivenIds) -> Task {
        let mut task = Task::new(assigned, setting);
        task.ordinals = Ordinals::again(before);
        task
    }

    /// Adds what tasks that ended before hand over to it.
    #[must_use]
    pub fn with_handed(mut self, handed: Vec<Arc<Handed>>) -> Task {
        self.handed = handed;
        self
    }

    /// Returns its number.
    pub fn id(&self) -> TaskId {
        self.assigned.task
    }

    /// Returns the conversation as it was last sent.
    pub(crate) fn sent(&self) -> &[Arc<Message>] {
        self.conversation.sent()
    }

    /// Returns the blocks of the next message; for a task that has ended, those that were never sent.
    pub fn unsaid(&self) -> &[UserBlock] {
        &self.outbox
    }

    /// Returns its own invocations so far, with what was shown of them: the basis for judging its claims.
    pub fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    /// Returns its current phase.
    pub fn phase(&self) -> Phase {
        self.phase.phase
    }

    /// Returns a fact of its own, or one that was handed over to it.
    pub(crate) fn known_fact(&self, id: FactId) -> Option<&FactEntry> {
        let handed = self.handed.iter().flat_map(|handed| &handed.facts);
        self.facts.iter().chain(handed).find(|fact| fact.id == id)
    }

    /// Returns the rest of its budgets.
    pub fn left(&self) -> Left {
        let budgets = &self.setting.rules.budgets;
        Left {
            turns: self.turn_budget().saturating_sub(self.phase.turns),
            rejected_claims: budgets.rejected_claims.saturating_sub(self.charged),
            accepted_facts: budgets.accepted_facts.saturating_sub(self.facts.len() as u32),
        }
    }

    /// Returns the ids that it has assigned so far, by the calls that produced them.
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

    /// Takes an input from outside, and returns the events to append and what to do next.
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

    /// Handles a request that is too long for the model.
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

    /// Handles a turn that no model answers.
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

    /// Ends a turn after all its calls are answered.
    pub(crate) fn end_turn(&mut self, append: &mut Vec<Append>) -> Result<Command, StepError> {
        let record = std::mem::take(&mut self.turn_record);
        // A turn that only had readings refused is charged to their budget, not to the phase's.
        if record.refused_claims > 0 && !record.fruitful && self.phase.turns > 0 {
            self.phase.turns -= 1;
        }
        if self.rejections_spent() {
            self.spend(Spent::RejectedClaims);
            return Ok(self.end(self.status(), append));
        }
        // An agent that has just had readings refused gets to see why, whatever else it says.
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

    /// Asks the model, with as much of the conversation as it accepts.
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
        // An agent that assigns tasks gets its facts from them.
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

    /// Checks whether it assigns tasks.
    pub(crate) fn is_lead(&self) -> bool {
        self.assigned.agent.surface.contains(&ToolClass::Dispatch)
    }

    /// Returns the basis for judging its objectives.
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
        // A lead that has assigned nothing has answered nothing.
        let idle = self.is_lead() && self.reports.is_empty();
        let handed_out = unanswered(&self.handed_out()) || self.leaves_open();
        let unmet = idle || !self.standing().unmet().is_empty() || handed_out;
        match (!unmet, self.spent.is_some() && nothing) {
            (true, _) => TaskStatus::Completed,
            (false, true) => TaskStatus::BudgetSpent,
            (false, false) => TaskStatus::Incomplete,
        }
    }

    /// Returns what the tasks that it assigned handed over.
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

/// Makes an event without a payload.
pub(crate) fn event(event: Event) -> Append {
    Append { event, payload: None }
}
