//! The views of a run that its events fold into.

use crate::brought::Brought;
use crate::confidence::named_elsewhere;
use crate::connections::{Connections, Contradiction, connections, contradictions};
use crate::disclosure::Disclosure;
use crate::evidence::EvidenceGraph;
use ledger::chain::{Circumstance, Cost};
use ledger::event::{
    AbsenceAccepted, ArtifactStored, CallRefused, ClaimAccepted, ClaimRepeated, ClaimSubmitted,
    DerivationAccepted, EntityAdded, EvidenceHashed, HypothesisAssessed, HypothesisProposed, InvocationEnded,
    InvocationStarted, NamesIndexed, NoteWritten, NothingToRecord, PhaseEntered, QuestionsDeclined,
    RecoveryBegun, RecoveryEnded, RelationAdded, RunOpened, RunResumed, RunSealed, SentenceAccepted,
    StatementTold, TablesRead, TaskAssigned, TaskEnded, TaskReported, TasksDispatched, TimelineIndexed,
    TurnFailed,
};
use ledger::{
    Claim, ClaimId, Digest, FactEntry, FactId, InvocationId, MicroDollars, NodeId, Objective, PhenomenonId,
    Rejection, TaskId, Usage,
};
use phrases::Language;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// A run as its events tell it.
#[derive(Debug)]
pub struct Run {
    /// Case, rules, tools.
    pub opened: RunOpened,
    /// When and where it was opened.
    pub circumstance: Circumstance,
    /// The times that it went on after it had broken off.
    pub resumed: Vec<(RunResumed, Circumstance)>,
    /// The indexes that searches for names looked into.
    pub names: Vec<NamesIndexed>,
    /// The indexes that the timeline was looked up in.
    pub timelines: Vec<TimelineIndexed>,
    /// The case tables that calls read.
    pub tables: Vec<TablesRead>,
    /// What rules that were brought along found; `None` where none were, or they were not compared yet.
    pub brought: Option<Brought>,
    /// The evidence's hashes.
    pub integrity: Vec<EvidenceHashed>,
    /// The tasks by number.
    pub tasks: BTreeMap<TaskId, TaskView>,
    /// The seal; `None` for a run that did not end in order.
    pub sealed: Option<RunSealed>,
    /// Facts, phenomena, invocations and evidence as a graph.
    pub graph: EvidenceGraph,
    /// What its facts can be checked by, and what is withheld of them; `None` where nobody asked for it: it does not follow from the events alone.
    pub disclosure: Option<Disclosure>,
    pub(crate) index: Index,
    /// Made when somebody asks for them.
    pub(crate) connections: OnceLock<Arc<Connections>>,
    pub(crate) contradictions: OnceLock<Vec<Contradiction>>,
    /// The run as it was recorded, of one that is redacted: how sure answers are and what comes first is a matter of all values, and told as before.
    pub(crate) recorded: Option<Box<Run>>,
    /// Whether agents' readings are left out of what is shown.
    pub(crate) without_comments: bool,
    /// The language of what code says.
    pub(crate) language: Language,
}

/// Where the nodes of a run stand in its tasks.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pub(crate) invocations: BTreeMap<InvocationId, Place>,
    pub(crate) claims: BTreeMap<ClaimId, Place>,
    /// Each fact at its claim.
    pub(crate) facts: BTreeMap<FactId, Place>,
}

/// The place of an invocation or a claim in its task.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) task: TaskId,
    pub(crate) place: usize,
}

/// One task.
#[derive(Debug)]
pub struct TaskView {
    /// Who does what.
    pub assigned: TaskAssigned,
    /// Its phases in order.
    pub phases: Vec<PhaseEntered>,
    /// Turns asked.
    pub turns: u32,
    /// The turn that failed, if one did.
    pub failed: Option<TurnFailed>,
    /// Tokens of its turns, where its model was asked over a network.
    pub usage: Usage,
    /// Requests that were sent for them.
    pub requests: u32,
    /// What they cost; `None` where nothing was asked over a network, or no prices are known.
    pub cost: Option<MicroDollars>,
    /// Its invocations in order.
    pub invocations: Vec<InvocationView>,
    /// Its claims in order.
    pub claims: Vec<ClaimView>,
    /// Its phenomena in order.
    pub phenomena: Vec<PhenomenonView>,
    /// Its entities in order, each with all the facts that name it.
    pub entities: Vec<EntityAdded>,
    /// Its relations in order.
    pub relations: Vec<RelationAdded>,
    /// Its hypotheses in order.
    pub hypotheses: Vec<HypothesisView>,
    /// Calls that were refused without running.
    pub refusals: Vec<CallRefused>,
    /// Calls that were answered from the log.
    pub served: u32,
    /// The agent's statement that there is nothing to record.
    pub nothing: Option<NothingToRecord>,
    /// The questions that its agent asked itself, in order.
    pub own: Vec<Objective>,
    /// The remarks of its agent that are no facts, in order.
    pub notes: Vec<NoteWritten>,
    /// The questions of the case that it left open, with its reasons.
    pub declined: Vec<QuestionsDeclined>,
    /// What it stored for others.
    pub artifacts: Vec<ArtifactStored>,
    /// The tasks that it handed out.
    pub dispatched: Vec<TasksDispatched>,
    /// What of them was reported to it.
    pub reports: Vec<TaskReported>,
    /// The other ways that it tried, with what came of each.
    pub recoveries: Vec<(RecoveryBegun, Option<RecoveryEnded>)>,
    /// When it was assigned, RFC 3339.
    pub begun_at: String,
    /// How it ended; `None` while it runs.
    pub ended: Option<TaskEnded>,
    /// When its end was recorded.
    pub ended_at: Option<String>,
}

/// One invocation.
#[derive(Debug)]
pub struct InvocationView {
    /// The call.
    pub started: InvocationStarted,
    /// When it was recorded that the tool is about to run, RFC 3339.
    pub begun_at: String,
    /// Its end; `None` where the run broke off.
    pub ended: Option<InvocationEnded>,
    /// When its end was recorded.
    pub ended_at: Option<String>,
    /// What it cost.
    pub cost: Option<Cost>,
}

/// One claim and what became of it.
#[derive(Debug)]
pub struct ClaimView {
    /// The claim as submitted.
    pub submitted: ClaimSubmitted,
    /// The verdict; `None` where the run broke off.
    pub judged: Option<Judged>,
}

/// A verdict.
#[derive(Debug)]
pub enum Judged {
    /// It became a fact.
    Accepted(Box<ClaimAccepted>),
    /// It says what this fact of its task says already.
    Repeated(ClaimRepeated),
    /// Complete, empty searches cover it.
    Covered(Box<AbsenceAccepted>),
    /// Its facts bear it out.
    Derived(Box<DerivationAccepted>),
    /// It is a sentence that rests on what it cites.
    Told(Box<SentenceAccepted>),
    /// It is a statement over a node that its task knows.
    Stated(Box<StatementTold>),
    /// It was refused.
    Rejected(Rejection),
}

impl Judged {
    /// Whether the claim was let in.
    pub const fn stands(&self) -> bool {
        match self {
            Judged::Accepted(_)
            | Judged::Repeated(_)
            | Judged::Covered(_)
            | Judged::Derived(_)
            | Judged::Told(_)
            | Judged::Stated(_) => true,
            Judged::Rejected(_) => false,
        }
    }
}

/// One phenomenon.
#[derive(Debug)]
pub struct PhenomenonView {
    /// Its id.
    pub id: PhenomenonId,
    /// The facts that it carries.
    pub facts: Vec<FactId>,
    /// The agent's own words.
    pub interpretation: String,
}

/// One hypothesis.
#[derive(Debug)]
pub struct HypothesisView {
    /// As it was put up for test.
    pub proposed: HypothesisProposed,
    /// What its agent made of it, in order: the last word counts.
    pub assessments: Vec<HypothesisAssessed>,
}

impl Run {
    /// The run whose values decide what is derived from all of them: itself, or the one that it is a redaction of.
    ///
    /// Only ids, numbers and words of ours may be taken from it.
    pub(crate) fn as_recorded(&self) -> &Run {
        self.recorded.as_deref().unwrap_or(self)
    }

    /// The entities and relations that code makes of its facts; of a redacted run of what it shows.
    pub fn connections(&self) -> &Arc<Connections> {
        self.connections.get_or_init(|| Arc::new(connections(&[self])))
    }

    /// The pairs of facts that do not fit together, as code finds them; of a redacted run by all values.
    pub fn contradictions(&self) -> &[Contradiction] {
        let run = self.as_recorded();
        run.contradictions.get_or_init(|| {
            let facts = run.facts().map(|(_, accepted)| (0, &accepted.fact));
            contradictions(run.connections(), facts)
        })
    }

    /// The facts that a node rests on: itself, or those of a derivation; none of any other node.
    pub fn facts_of(&self, node: NodeId) -> Vec<FactId> {
        match node {
            NodeId::Fact(id) => vec![id],
            NodeId::Derivation(id) => {
                let found = self.derivations().find(|(_, derived)| derived.derivation.id == id);
                found.map(|(_, derived)| derived.derivation.derivation.facts()).unwrap_or_default()
            }
            NodeId::Absence(_)
            | NodeId::Invocation(_)
            | NodeId::Phenomenon(_)
            | NodeId::Entity(_)
            | NodeId::Relation(_)
            | NodeId::Hypothesis(_) => Vec::new(),
        }
    }

    /// The facts of which another kind of source in the same piece of evidence names a thing that they name; of a redacted run by what was recorded.
    pub fn named_elsewhere(&self) -> BTreeSet<FactId> {
        let facts: Vec<&FactEntry> = self.as_recorded().facts().map(|(_, accepted)| &accepted.fact).collect();
        named_elsewhere(&facts)
    }

    /// In how many files of one piece of evidence these facts stand, of the piece where they stand in the most; of a redacted run by what was recorded, for two files may look the same now.
    pub fn most_files(&self, facts: impl IntoIterator<Item = FactId>) -> usize {
        let recorded = self.as_recorded();
        let mut files: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for fact in facts.into_iter().filter_map(|id| recorded.fact(id)) {
            files.entry(&fact.locator.evidence).or_default().insert(&fact.locator.path);
        }
        files.values().map(BTreeSet::len).max().unwrap_or(0)
    }

    /// The digest of an output as it may be told; `None` where it is withheld, and the one that stands there stands in for it.
    pub fn told_output(&self, output: Digest) -> Option<Digest> {
        let redaction = self.disclosure.as_ref().and_then(|disclosure| disclosure.redaction.as_ref());
        Some(output).filter(|output| redaction.is_none_or(|it| !it.stand_ins.contains(output)))
    }

    /// The name of the run, by its log; empty where that has none.
    pub fn name(&self) -> &str {
        self.circumstance.run.as_ref().map_or("", |run| run.as_str())
    }

    /// All absences, task by task in the order of their acceptance.
    pub fn absences(&self) -> impl Iterator<Item = (TaskId, &AbsenceAccepted)> {
        self.tasks.iter().flat_map(|(task, view)| view.covered().map(|covered| (*task, covered)))
    }

    /// All derivations, task by task in the order of their acceptance.
    pub fn derivations(&self) -> impl Iterator<Item = (TaskId, &DerivationAccepted)> {
        self.tasks.iter().flat_map(|(task, view)| view.derived().map(|derived| (*task, derived)))
    }

    /// The language of what code says of facts.
    pub const fn language(&self) -> Language {
        self.language
    }

    /// Has code say facts in a language.
    pub const fn tell_in(&mut self, language: Language) {
        self.language = language;
    }

    /// Leaves out what agents made of what is told: comments of statements, notes, and the sentences of runs before [`ledger::Behaviour::Tells`].
    pub fn leave_out_comments(&mut self) {
        self.without_comments = true;
        self.tasks.values_mut().for_each(|view| view.notes.clear());
        for claim in self.tasks.values_mut().flat_map(|view| &mut view.claims) {
            if let Claim::Statement(stated) = &mut claim.submitted.stated {
                stated.comment = None;
            }
            if let Some(Judged::Stated(told)) = &mut claim.judged {
                told.statement.comment = None;
            }
        }
    }

    /// All sentences of narratives, task by task in the order of their acceptance; none where agents' readings are left out.
    pub fn sentences(&self) -> impl Iterator<Item = (TaskId, &SentenceAccepted)> {
        let shown = self.tasks.iter().filter(|_| !self.without_comments);
        shown.flat_map(|(task, view)| view.told().map(|told| (*task, told)))
    }

    /// All statements of the story, task by task in the order of their acceptance.
    pub fn statements(&self) -> impl Iterator<Item = (TaskId, &StatementTold)> {
        self.tasks.iter().flat_map(|(task, view)| view.stated().map(|told| (*task, told)))
    }

    /// All facts, task by task in the order of their acceptance.
    pub fn facts(&self) -> impl Iterator<Item = (TaskId, &ClaimAccepted)> {
        self.tasks.iter().flat_map(|(task, view)| view.accepted().map(|accepted| (*task, accepted)))
    }

    /// The fact with this id.
    pub fn fact(&self, id: FactId) -> Option<&FactEntry> {
        self.accepted(id).map(|accepted| &accepted.fact)
    }

    /// The verdict that recorded the fact with this id.
    pub fn accepted(&self, id: FactId) -> Option<&ClaimAccepted> {
        let place = self.index.facts.get(&id)?;
        self.tasks.get(&place.task)?.claims.get(place.place)?.accepted()
    }

    /// The invocation with this id, and its task.
    pub fn invocation(&self, id: InvocationId) -> Option<(TaskId, &InvocationView)> {
        let place = self.index.invocations.get(&id)?;
        Some((place.task, self.tasks.get(&place.task)?.invocations.get(place.place)?))
    }
}

impl TaskView {
    pub(crate) fn new(assigned: TaskAssigned, begun_at: String) -> TaskView {
        TaskView {
            assigned,
            phases: Vec::new(),
            turns: 0,
            failed: None,
            usage: Usage::default(),
            requests: 0,
            cost: None,
            invocations: Vec::new(),
            claims: Vec::new(),
            phenomena: Vec::new(),
            entities: Vec::new(),
            relations: Vec::new(),
            hypotheses: Vec::new(),
            refusals: Vec::new(),
            served: 0,
            nothing: None,
            own: Vec::new(),
            notes: Vec::new(),
            declined: Vec::new(),
            artifacts: Vec::new(),
            dispatched: Vec::new(),
            reports: Vec::new(),
            recoveries: Vec::new(),
            begun_at,
            ended: None,
            ended_at: None,
        }
    }

    /// The absences in order.
    pub fn covered(&self) -> impl Iterator<Item = &AbsenceAccepted> {
        self.claims.iter().filter_map(ClaimView::covered)
    }

    /// The derivations in order.
    pub fn derived(&self) -> impl Iterator<Item = &DerivationAccepted> {
        self.claims.iter().filter_map(ClaimView::derived)
    }

    /// The sentences in order.
    pub fn told(&self) -> impl Iterator<Item = &SentenceAccepted> {
        self.claims.iter().filter_map(ClaimView::told)
    }

    /// The statements in order.
    pub fn stated(&self) -> impl Iterator<Item = &StatementTold> {
        self.claims.iter().filter_map(ClaimView::stated)
    }

    /// The grounded claims in order.
    pub fn accepted(&self) -> impl Iterator<Item = &ClaimAccepted> {
        self.claims.iter().filter_map(ClaimView::accepted)
    }
}

impl ClaimView {
    /// The verdict, where it made a fact of the claim.
    pub fn accepted(&self) -> Option<&ClaimAccepted> {
        match &self.judged {
            Some(Judged::Accepted(accepted)) => Some(accepted),
            _ => None,
        }
    }

    /// The verdict, where it let an absence in.
    pub fn covered(&self) -> Option<&AbsenceAccepted> {
        match &self.judged {
            Some(Judged::Covered(covered)) => Some(covered),
            _ => None,
        }
    }

    /// The verdict, where it let a derivation in.
    pub fn derived(&self) -> Option<&DerivationAccepted> {
        match &self.judged {
            Some(Judged::Derived(derived)) => Some(derived),
            _ => None,
        }
    }

    /// The verdict, where it let a sentence in.
    pub fn told(&self) -> Option<&SentenceAccepted> {
        match &self.judged {
            Some(Judged::Told(told)) => Some(told),
            _ => None,
        }
    }

    /// The verdict, where it had a statement told.
    pub fn stated(&self) -> Option<&StatementTold> {
        match &self.judged {
            Some(Judged::Stated(told)) => Some(told),
            _ => None,
        }
    }
}
