//! The settings that do not change while a task runs.

use crate::recovery::Edition;
use crate::small;
use ground::{Adding, Basis, Dating, Telling};
use ledger::event::CaseQuestion;
use ledger::{
    ASK, AgentSpec, Behaviour, ClockListing, EvidenceEntry, Fence, HUNT, IdSpace, InvocationId, Lessons,
    Objective, Profile, Remembered, RememberedLesson, Rules, SWEEP, Seed, Surface, TaskId, ToolClass,
    ToolSpec, Vocabulary, Writers,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The part of a run that all tasks share: folded from the run's first event.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The rules.
    pub rules: Rules,
    /// The run's ids.
    pub ids: IdSpace,
    seed: Seed,
    /// Who could have written the fields of records.
    writers: Arc<Writers>,
    /// Every tool that the rules allow, by name.
    tools: BTreeMap<String, ToolSpec>,
    /// The tasks of the run.
    tasks: Vec<TaskId>,
    /// The evidence: the first message lists it in runs with that behaviour, and it decides which kind of evidence a listed source is from.
    pub(crate) evidence: Vec<EvidenceEntry>,
    /// The agents to which tasks can be assigned.
    pub(crate) roster: Vec<AgentSpec>,
    /// The predicates and what proves them.
    pub(crate) vocabulary: Arc<Vocabulary>,
    /// Whether objectives without a fact have distinct states, and other ways are tried for unmet ones.
    pub(crate) recovers: bool,
    /// Whether an objective is empty only if a source that could answer it exists.
    pub(crate) sources_first: bool,
    /// The strategies for unmet objectives.
    pub(crate) edition: Edition,
    /// Whether the status of a question follows from what calls covered and returned, whatever its weight.
    pub(crate) questions: bool,
    /// Whether a listing that could not read all sources counts as asking what they answer.
    pub(crate) listings_look: bool,
    /// The questions of the case that a lead must attend to; empty if it need not.
    pub(crate) case_questions: Vec<CaseQuestion>,
    /// How sentences are dated.
    pub(crate) telling: Telling,
    /// Whether what a source can prove decides: [`Behaviour::Provable`].
    pub(crate) provable: bool,
    /// Whether times are ordered with the help of clock steps: [`Behaviour::ClockSteps`].
    pub(crate) clock_steps: bool,
    /// Whether a search without result names the evidence that has no source for it: [`Behaviour::HostsApart`].
    pub(crate) hosts_apart: bool,
    /// Whether a reading that repeats a fact does not become a second fact: [`Behaviour::OneFact`].
    pub(crate) one_fact: bool,
    /// Whether files may be copies of each other, and paths may lead back: [`Behaviour::CopiesApart`].
    copies_apart: bool,
    /// Whether a record that denies what is asked answers nothing: [`Behaviour::RecordsDeny`].
    pub(crate) records_deny: bool,
    /// Whether other sources in a listing are still to be searched if the question's own source is missing:
    /// [`Behaviour::SearchedElsewhere`].
    pub(crate) searched_elsewhere: bool,
    /// Whether readings may name fields to copy, and tools are offered in brief: [`Behaviour::ByReference`].
    pub(crate) by_reference: bool,
    /// Whether agents can write notes: [`Behaviour::SaidApart`].
    pub(crate) said_apart: bool,
    /// Whether `get_node` also shows the nodes based on a node: [`Behaviour::Connects`].
    pub(crate) connects: bool,
    /// The version of the rules that make connections: [`Behaviour::ConnectsFurther`].
    pub(crate) connection_rules: u16,
    /// Whether a comment can be on a chapter of the story: [`Behaviour::OnChapters`].
    pub(crate) on_chapters: bool,
    /// What agents are told about earlier runs.
    remembered: Vec<Remembered>,
    /// Whether lessons refuse calls, and the playbook reads them: [`Behaviour::Enforces`].
    enforces: bool,
}

impl Setting {
    /// Makes the setting of a run with these rules, seed, tools and tasks.
    pub fn new(rules: Rules, seed: Seed, tools: &[ToolSpec], tasks: &[TaskId]) -> Setting {
        let is_there =
            |tool: &&ToolSpec| rules.surfaces.tools.as_ref().is_none_or(|names| names.contains(&tool.name));
        let tools = tools.iter().filter(is_there).map(|tool| (tool.name.clone(), tool.clone())).collect();
        let (ids, writers) = (IdSpace::new(seed), Arc::default());
        Setting {
            rules,
            ids,
            seed,
            writers,
            tools,
            tasks: tasks.to_vec(),
            evidence: Vec::new(),
            roster: Vec::new(),
            vocabulary: Arc::default(),
            recovers: false,
            sources_first: false,
            edition: Edition::BeforeRecords,
            questions: false,
            listings_look: false,
            case_questions: Vec::new(),
            telling: Telling {
                dating: Dating::AnyInstant,
                escapes: false,
                in_force: false,
                no_verdicts: false,
            },
            provable: false,
            clock_steps: false,
            hosts_apart: false,
            one_fact: false,
            copies_apart: false,
            records_deny: false,
            searched_elsewhere: false,
            by_reference: false,
            said_apart: false,
            on_chapters: false,
            connects: false,
            connection_rules: graph::connections::RULES,
            remembered: Vec::new(),
            enforces: false,
        }
    }

    /// Adds the tables of who could have written the fields of records.
    #[must_use]
    pub fn with_writers(mut self, writers: Writers) -> Setting {
        self.writers = Arc::new(writers);
        self
    }

    /// Adds the evidence that the first message lists.
    #[must_use]
    pub fn with_evidence(mut self, evidence: Vec<EvidenceEntry>) -> Setting {
        self.evidence = evidence;
        self
    }

    /// Adds the agents to which tasks can be assigned.
    #[must_use]
    pub fn with_roster(mut self, roster: Vec<AgentSpec>, vocabulary: Vocabulary) -> Setting {
        (self.roster, self.vocabulary) = (roster, Arc::new(vocabulary));
        self
    }

    /// Adds the questions of the case that the lead must attend to.
    #[must_use]
    pub fn with_case_questions(mut self, questions: Vec<CaseQuestion>) -> Setting {
        self.case_questions = questions;
        self
    }

    /// Adds what agents are told about earlier runs.
    #[must_use]
    pub fn with_remembered(mut self, remembered: Vec<Remembered>) -> Setting {
        self.remembered = remembered;
        self
    }

    /// Returns what an agent is told about earlier runs.
    pub(crate) fn remembered(&self, agent: &AgentSpec) -> &[RememberedLesson] {
        let of_agent = self.remembered.iter().find(|remembered| remembered.agent == agent.name);
        of_agent.map_or(&[], |remembered| &remembered.lessons)
    }

    /// Returns the lessons for the calls of an agent.
    /// Empty for tasks that only code runs, and for a small model, whose calls code suggests.
    pub(crate) fn lessons(&self, agent: &AgentSpec) -> Lessons {
        let is_code = [SWEEP, HUNT, ASK].contains(&agent.name.as_str());
        match self.enforces && !is_code && !self.is_small(agent) {
            true => Lessons::new(self.remembered(agent), self.specs(), &agent.objectives),
            false => Lessons::default(),
        }
    }

    /// Returns the number of the first assigned task: the run began with the tasks before it.
    pub(crate) fn first_dispatched(&self) -> u16 {
        self.tasks.iter().map(|task| task.0).max().unwrap_or(0).saturating_add(1)
    }

    /// Checks whether the run has, or may get, a task with this number.
    fn may_have(&self, task: TaskId) -> bool {
        let handed_out = || {
            let first = self.first_dispatched();
            (first..first.saturating_add(self.rules.dispatch.tasks)).contains(&task.0)
        };
        self.tasks.contains(&task) || (!self.roster.is_empty() && handed_out())
    }

    /// Returns the specifications of the tools.
    pub(crate) fn specs(&self) -> impl Iterator<Item = &ToolSpec> + Clone {
        self.tools.values()
    }

    /// Applies the behaviours of the run.
    #[must_use]
    pub fn with_behaviours(mut self, has: impl Fn(Behaviour) -> bool) -> Setting {
        self.recovers = has(Behaviour::Recovers);
        self.sources_first = has(Behaviour::SourcesFirst);
        self.edition = Edition::of(&has);
        self.questions = has(Behaviour::Questions);
        self.listings_look = has(Behaviour::ListingsLook);
        self.provable = has(Behaviour::Provable);
        self.clock_steps = has(Behaviour::ClockSteps);
        self.hosts_apart = has(Behaviour::HostsApart);
        self.one_fact = has(Behaviour::OneFact);
        self.copies_apart = has(Behaviour::CopiesApart);
        self.records_deny = has(Behaviour::RecordsDeny);
        self.searched_elsewhere = has(Behaviour::SearchedElsewhere);
        self.by_reference = has(Behaviour::ByReference);
        self.said_apart = has(Behaviour::SaidApart);
        self.on_chapters = has(Behaviour::OnChapters);
        self.connects = has(Behaviour::Connects);
        self.enforces = has(Behaviour::Enforces);
        self.connection_rules = graph::connections::rules_of(&has);
        let dating = if has(Behaviour::DatedByHost) { Dating::Host } else { Dating::AnyInstant };
        self.telling = Telling {
            dating,
            escapes: has(Behaviour::EscapedNames),
            in_force: has(Behaviour::InForce),
            no_verdicts: has(Behaviour::NoVerdicts),
        };
        self
    }

    /// Checks whether a task is incomplete without an answer to the objective.
    pub(crate) fn is_wanted(&self, objective: &Objective) -> bool {
        self.questions || objective.is_required()
    }

    /// Returns the basis for judging derivations if a task has these listings of clock steps.
    pub fn basis<'s>(&self, clocks: impl Iterator<Item = &'s ClockListing>) -> Basis<'s> {
        Basis {
            adding: match (self.provable, self.copies_apart) {
                (false, _) => Adding::Any,
                (true, false) => Adding::OfOtherFiles,
                (true, true) => Adding::Disjoint,
            },
            follows_dots: self.copies_apart,
            clocks: self.clock_steps.then(|| clocks.collect()),
        }
    }

    /// Returns how the run judges its sentences.
    pub fn telling(&self) -> Telling {
        self.telling
    }

    /// Returns the fence around text of the evidence in what a language model reads.
    pub(crate) fn fence(&self, task: TaskId) -> Fence {
        Fence::new(self.seed, task, Arc::clone(&self.writers), Arc::clone(&self.vocabulary))
    }

    /// Checks whether an id, by its digits, is one that another task of the run assigns.
    ///
    /// Its place decides, not whether it was assigned yet: that would depend on how fast the other task is.
    pub(crate) fn is_foreign(&self, id: InvocationId, own: TaskId) -> bool {
        let (task, ordinal) = id.place(&self.ids);
        task != own && self.may_have(task) && ordinal < LIKELY_ORDINALS
    }

    /// Returns a tool by name; `None` if there is no such tool.
    pub(crate) fn spec(&self, tool: &str) -> Option<&ToolSpec> {
        self.tools.get(tool)
    }

    /// Returns the class of a tool; `None` if there is no such tool.
    pub fn class(&self, tool: &str) -> Option<ToolClass> {
        self.tools.get(tool).map(|spec| spec.class)
    }

    /// Returns a tool; `None` if there is none with this name.
    pub(crate) fn tool(&self, name: &str) -> Option<&ToolSpec> {
        self.tools.get(name)
    }

    /// Returns the tools that an agent is offered on a surface, sorted by name.
    pub(crate) fn offered(&self, agent: &AgentSpec, surface: &Surface) -> Arc<[ToolSpec]> {
        let offered = self.tools.values().filter(|spec| is_offered(agent, surface, spec));
        let lessons = self.lessons(agent);
        match (self.is_small(agent), self.by_reference) {
            (true, _) => offered.filter_map(small::tool).collect(),
            (false, true) => offered.map(|spec| lessons.offered(spec.in_brief())).collect(),
            (false, false) => offered.map(|spec| lessons.offered(spec.clone())).collect(),
        }
    }

    /// Checks whether an agent is offered this tool on a surface.
    pub(crate) fn offers(&self, agent: &AgentSpec, surface: &Surface, tool: &str) -> bool {
        let spec = self.tools.get(tool).filter(|spec| is_offered(agent, surface, spec));
        spec.is_some_and(|spec| !self.is_small(agent) || small::tool(spec).is_some())
    }

    /// Checks whether the agent is a small model; a task that only code runs is not.
    pub(crate) fn is_small(&self, agent: &AgentSpec) -> bool {
        self.rules.profile == Profile::Small && ![SWEEP, HUNT, ASK].contains(&agent.name.as_str())
    }
}

/// Checks whether the surface has the tool's class and the agent may have the tool.
/// Only agents that assign tasks get the narrative tool, in every phase that records.
fn is_offered(agent: &AgentSpec, surface: &Surface, spec: &ToolSpec) -> bool {
    surface.contains(&spec.class) && agent.has(spec)
}

/// Ordinals below this number are likely in a task; an invented id is unlikely to have such a small one.
const LIKELY_ORDINALS: u32 = 1 << 14;
