//! What does not change while a task runs.

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

/// The part of a run that every task shares: folded from the run's first event.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The rules.
    pub rules: Rules,
    /// The run's ids.
    pub ids: IdSpace,
    seed: Seed,
    /// Who could have written the fields of records.
    writers: Arc<Writers>,
    /// Every tool that the rules leave, by name.
    tools: BTreeMap<String, ToolSpec>,
    /// The tasks of the run.
    tasks: Vec<TaskId>,
    /// The evidence, as the first message names it where the run has that behaviour, and as listings of sources are told apart by it.
    pub(crate) evidence: Vec<EvidenceEntry>,
    /// The agents that tasks can be handed to.
    pub(crate) roster: Vec<AgentSpec>,
    /// The predicates and what proves them.
    pub(crate) vocabulary: Arc<Vocabulary>,
    /// Whether objectives are told apart that no fact meets, and what is unmet is tried another way.
    pub(crate) recovers: bool,
    /// Whether an objective is empty only where a source that could answer it is there.
    pub(crate) sources_first: bool,
    /// What is tried where an objective is unmet.
    pub(crate) edition: Edition,
    /// Whether how a question stands follows from what calls covered and returned, whatever its weight.
    pub(crate) questions: bool,
    /// Whether a listing that could not read all sources is a look at what they answer.
    pub(crate) listings_look: bool,
    /// The questions of the case that a lead is held to; none where it is not.
    pub(crate) case_questions: Vec<CaseQuestion>,
    /// How sentences are dated.
    pub(crate) telling: Telling,
    /// Whether what a source can prove decides: [`Behaviour::Provable`].
    pub(crate) provable: bool,
    /// Whether times are put in order by the steps of clocks: [`Behaviour::ClockSteps`].
    pub(crate) clock_steps: bool,
    /// Whether it is told which pieces of evidence hold no source of what was searched: [`Behaviour::HostsApart`].
    pub(crate) hosts_apart: bool,
    /// Whether a reading that says what a fact says already becomes no second fact: [`Behaviour::OneFact`].
    pub(crate) one_fact: bool,
    /// Whether files may be copies of each other, and paths lead back: [`Behaviour::CopiesApart`].
    copies_apart: bool,
    /// Whether a record that denies what is asked answers nothing: [`Behaviour::RecordsDeny`].
    pub(crate) records_deny: bool,
    /// Whether what a listing names besides the lacking source is left to search: [`Behaviour::SearchedElsewhere`].
    pub(crate) searched_elsewhere: bool,
    /// Whether readings may name what is to be copied, and tools are offered in brief: [`Behaviour::ByReference`].
    pub(crate) by_reference: bool,
    /// Whether agents can write notes: [`Behaviour::SaidApart`].
    pub(crate) said_apart: bool,
    /// Whether `get_node` shows what rests on a node, too: [`Behaviour::Connects`].
    pub(crate) connects: bool,
    /// The version of the rules by which connections are made: [`Behaviour::ConnectsFurther`].
    pub(crate) connection_rules: u16,
    /// Whether a comment can be on a chapter of the story: [`Behaviour::OnChapters`].
    pub(crate) on_chapters: bool,
    /// What agents are told of earlier runs.
    remembered: Vec<Remembered>,
    /// Whether lessons refuse calls, and the playbook reads them: [`Behaviour::Enforces`].
    enforces: bool,
}

impl Setting {
    /// The setting of a run with these rules, seed, tools and tasks.
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

    /// The same in a run that knows who could have written the fields of records.
    #[must_use]
    pub fn with_writers(mut self, writers: Writers) -> Setting {
        self.writers = Arc::new(writers);
        self
    }

    /// The same in a run whose first message names the evidence.
    #[must_use]
    pub fn with_evidence(mut self, evidence: Vec<EvidenceEntry>) -> Setting {
        self.evidence = evidence;
        self
    }

    /// The same in a run in which tasks can be handed to these agents.
    #[must_use]
    pub fn with_roster(mut self, roster: Vec<AgentSpec>, vocabulary: Vocabulary) -> Setting {
        (self.roster, self.vocabulary) = (roster, Arc::new(vocabulary));
        self
    }

    /// The same in a run whose lead is held to these questions of the case.
    #[must_use]
    pub fn with_case_questions(mut self, questions: Vec<CaseQuestion>) -> Setting {
        self.case_questions = questions;
        self
    }

    /// The same in a run whose agents are told this of earlier runs.
    #[must_use]
    pub fn with_remembered(mut self, remembered: Vec<Remembered>) -> Setting {
        self.remembered = remembered;
        self
    }

    /// What an agent is told of earlier runs.
    pub(crate) fn remembered(&self, agent: &AgentSpec) -> &[RememberedLesson] {
        let of_agent = self.remembered.iter().find(|remembered| remembered.agent == agent.name);
        of_agent.map_or(&[], |remembered| &remembered.lessons)
    }

    /// What lessons say of the calls of an agent; nothing to code that asks what agents left open, nor to a small model, whose calls code suggests.
    pub(crate) fn lessons(&self, agent: &AgentSpec) -> Lessons {
        let is_code = [SWEEP, HUNT, ASK].contains(&agent.name.as_str());
        match self.enforces && !is_code && !self.is_small(agent) {
            true => Lessons::new(self.remembered(agent), self.specs(), &agent.objectives),
            false => Lessons::default(),
        }
    }

    /// The number of the first task that is handed out: those before it are what the run began with.
    pub(crate) fn first_dispatched(&self) -> u16 {
        self.tasks.iter().map(|task| task.0).max().unwrap_or(0).saturating_add(1)
    }

    /// Whether the run has, or may come to have, a task of this number.
    fn may_have(&self, task: TaskId) -> bool {
        let handed_out = || {
            let first = self.first_dispatched();
            (first..first.saturating_add(self.rules.dispatch.tasks)).contains(&task.0)
        };
        self.tasks.contains(&task) || (!self.roster.is_empty() && handed_out())
    }

    /// The specifications of the tools.
    pub(crate) fn specs(&self) -> impl Iterator<Item = &ToolSpec> + Clone {
        self.tools.values()
    }

    /// The same in a run with these behaviours.
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

    /// Whether a task is incomplete without an answer to the objective.
    pub(crate) fn is_wanted(&self, objective: &Objective) -> bool {
        self.questions || objective.is_required()
    }

    /// What derivations are judged by, where a task knows these listings of clock steps.
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

    /// How the run judges its sentences.
    pub fn telling(&self) -> Telling {
        self.telling
    }

    /// What encloses text of the evidence in what a language model reads.
    pub(crate) fn fence(&self, task: TaskId) -> Fence {
        Fence::new(self.seed, task, Arc::clone(&self.writers), Arc::clone(&self.vocabulary))
    }

    /// Whether an id is, by its digits, one that another task of the run assigns.
    ///
    /// Its place decides, not whether it was assigned yet: that would depend on how fast the other task is.
    pub(crate) fn is_foreign(&self, id: InvocationId, own: TaskId) -> bool {
        let (task, ordinal) = id.place(&self.ids);
        task != own && self.may_have(task) && ordinal < LIKELY_ORDINALS
    }

    /// A tool by its name; `None` where there is no such tool.
    pub(crate) fn spec(&self, tool: &str) -> Option<&ToolSpec> {
        self.tools.get(tool)
    }

    /// The class of a tool; `None` where there is no such tool.
    pub fn class(&self, tool: &str) -> Option<ToolClass> {
        self.tools.get(tool).map(|spec| spec.class)
    }

    /// A tool; `None` where there is none of this name.
    pub(crate) fn tool(&self, name: &str) -> Option<&ToolSpec> {
        self.tools.get(name)
    }

    /// The tools that an agent is offered on a surface, sorted by name.
    pub(crate) fn offered(&self, agent: &AgentSpec, surface: &Surface) -> Arc<[ToolSpec]> {
        let offered = self.tools.values().filter(|spec| is_offered(agent, surface, spec));
        let lessons = self.lessons(agent);
        match (self.is_small(agent), self.by_reference) {
            (true, _) => offered.filter_map(small::tool).collect(),
            (false, true) => offered.map(|spec| lessons.offered(spec.in_brief())).collect(),
            (false, false) => offered.map(|spec| lessons.offered(spec.clone())).collect(),
        }
    }

    /// Whether an agent is offered this tool on a surface.
    pub(crate) fn offers(&self, agent: &AgentSpec, surface: &Surface, tool: &str) -> bool {
        let spec = self.tools.get(tool).filter(|spec| is_offered(agent, surface, spec));
        spec.is_some_and(|spec| !self.is_small(agent) || small::tool(spec).is_some())
    }

    /// Whether the agent is a small model; code that asks what agents left open or records what rules found is none.
    pub(crate) fn is_small(&self, agent: &AgentSpec) -> bool {
        self.rules.profile == Profile::Small && ![SWEEP, HUNT, ASK].contains(&agent.name.as_str())
    }
}

/// Whether the surface has the tool's class and the agent is to have the tool; the narrative is for whoever hands out tasks, in every phase that records.
fn is_offered(agent: &AgentSpec, surface: &Surface, spec: &ToolSpec) -> bool {
    surface.contains(&spec.class) && agent.has(spec)
}

/// Ordinals that a task may come to; an invented id is unlikely to have one so small.
const LIKELY_ORDINALS: u32 = 1 << 14;
