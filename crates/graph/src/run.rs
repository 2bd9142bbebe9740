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

/// A run, built from its events.
#[derive(Debug)]
pub struct Run {
    /// The case, the rules and the tools.
    pub opened: RunOpened,
    /// When and where it was opened.
    pub circumstance: Circumstance,
    /// The times that the run was resumed after an interruption.
    pub resumed: Vec<(RunResumed, Circumstance)>,
    /// The name indexes that searches for names used.
    pub names: Vec<NamesIndexed>,
    /// The timeline indexes that lookups used.
    pub timelines: Vec<TimelineIndexed>,
    /// The case tables that calls read.
    pub tables: Vec<TablesRead>,
    /// The matches of supplied rules; `None` if there are none or they were not compared yet.
    pub brought: Option<Brought>,
    /// The evidence's hashes.
    pub integrity: Vec<EvidenceHashed>,
    /// The tasks by number.
    pub tasks: BTreeMap<TaskId, TaskView>,
    /// The seal; `None` for a run that did not end properly.
    pub sealed: Option<RunSealed>,
    /// Facts, phenomena, invocations and evidence as a graph.
    pub graph: EvidenceGraph,
    /// The commitment for checking its facts and what is withheld; `None` if not requested. It does not follow from the events alone.
    pub disclosure: Option<Disclosure>,
    pub(crate) index: Index,
    /// Computed on first use.
    pub(crate) connections: OnceLock<Arc<Connections>>,
    pub(crate) contradictions: OnceLock<Vec<Contradiction>>,
    /// The original of a redacted run: confidence and ranking depend on all values and are computed from it.
    pub(crate) recorded: Option<Box<Run>>,
    /// Whether agents' interpretations are hidden.
    pub(crate) without_comments: bool,
    /// The language of the sentences that code writes.
    pub(crate) language: Language,
}

/// The positions of a run's nodes in its tasks.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pub(crate) invocations: BTreeMap<InvocationId, Place>,
    pub(crate) claims: BTreeMap<ClaimId, Place>,
    /// Each fact, by the position of its claim.
    pub(crate) facts: BTreeMap<FactId, Place>,
}

/// The position of an invocation or a claim in its task.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) task: TaskId,
    pub(crate) place: usize,
}

/// One task.
#[derive(Debug)]
pub struct TaskView {
    /// The agent and its assignment.
    pub assigned: TaskAssigned,
    /// Its phases, in order.
    pub phases: Vec<PhaseEntered>,
    /// The number of turns asked.
    pub turns: u32,
    /// The turn that failed, if one did.
    pub failed: Option<TurnFailed>,
    /// The tokens of its turns, if its model was asked over a network.
    pub usage: Usage,
    /// The number of requests sent for them.
    pub requests: u32,
    /// Their cost; `None` if nothing was asked over a network or the prices are unknown.
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
    /// Calls that were refused and did not run.
    pub refusals: Vec<CallRefused>,
    /// The number of calls answered from the log.
    pub served: u32,
    /// The agent's statement that there is nothing to record.
    pub nothing: Option<NothingToRecord>,
    /// The questions that its agent added itself, in order.
    pub own: Vec<Objective>,
    /// Its agent's notes, which are not facts, in order.
    pub notes: Vec<NoteWritten>,
    /// The questions of the case that it left open, with its reasons.
    pub declined: Vec<QuestionsDeclined>,
    /// What it stored for other tasks.
    pub artifacts: Vec<ArtifactStored>,
    /// The tasks that it assigned.
    pub dispatched: Vec<TasksDispatched>,
    /// The results of these tasks that were reported to it.
    pub reports: Vec<TaskReported>,
    /// The recoveries that it tried, each with its result.
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
    /// When the start of the tool was recorded, RFC 3339.
    pub begun_at: String,
    /// Its end; `None` if the run broke off.
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
    /// The verdict; `None` if the run broke off.
    pub judged: Option<Judged>,
}

/// The verdict on a claim.
#[derive(Debug)]
pub enum Judged {
    /// It became a fact.
    Accepted(Box<ClaimAccepted>),
    /// It repeats this fact of its task.
    Repeated(ClaimRepeated),
    /// Complete, empty searches cover it.
    Covered(Box<AbsenceAccepted>),
    /// Its facts prove it.
    Derived(Box<DerivationAccepted>),
    /// It is a sentence that is based on what it cites.
    Told(Box<SentenceAccepted>),
    /// It is a statement about a node that its task knows.
    Stated(Box<StatementTold>),
    /// It was refused.
    Rejected(Rejection),
}

impl Judged {
    /// Checks whether the claim was accepted.
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
    /// The hypothesis as it was proposed.
    pub proposed: HypothesisProposed,
    /// Its agent's assessments, in order: the last one counts.
    pub assessments: Vec<HypothesisAssessed>,
}

impl Run {
    /// Returns the run whose values decide what is derived from all values: this run, or the original if it is redacted.
    ///
    /// Only ids, numbers and our own words may be taken from it.
    pub(crate) fn as_recorded(&self) -> &Run {
        self.recorded.as_deref().unwrap_or(self)
    }

    /// Returns the entities and relations that code derives from its facts; for a redacted run, from what it shows.
    pub fn connections(&self) -> &Arc<Connections> {
        self.connections.get_or_init(|| Arc::new(connections(&[self])))
    }

    /// Returns the pairs of facts that contradict each other, as found by code; for a redacted run, from all original values.
    pub fn contradictions(&self) -> &[Contradiction] {
        let run = self.as_recorded();
        run.contradictions.get_or_init(|| {
            let facts = run.facts().map(|(_, accepted)| (0, &accepted.fact));
            contradictions(run.connections(), facts)
        })
    }

    /// Returns the facts that a node is based on: the fact itself, or those of a derivation; empty for any other node.
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

    /// Returns the facts that name a thing which another kind of source in the same piece of evidence also names.
    /// A redacted run uses the original values.
    pub fn named_elsewhere(&self) -> BTreeSet<FactId> {
        let facts: Vec<&FactEntry> = self.as_recorded().facts().map(|(_, accepted)| &accepted.fact).collect();
        named_elsewhere(&facts)
    }

    /// Returns the largest number of files, within one piece of evidence, that these facts come from.
    /// A redacted run uses the original paths, because two files may look the same after redaction.
    pub fn most_files(&self, facts: impl IntoIterator<Item = FactId>) -> usize {
        let recorded = self.as_recorded();
        let mut files: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for fact in facts.into_iter().filter_map(|id| recorded.fact(id)) {
            files.entry(&fact.locator.evidence).or_default().insert(&fact.locator.path);
        }
        files.values().map(BTreeSet::len).max().unwrap_or(0)
    }

    /// Returns the digest of an output if it may be shown; `None` if it is withheld and this is only its replacement.
    pub fn told_output(&self, output: Digest) -> Option<Digest> {
        let redaction = self.disclosure.as_ref().and_then(|disclosure| disclosure.redaction.as_ref());
        Some(output).filter(|output| redaction.is_none_or(|it| !it.stand_ins.contains(output)))
    }

    /// Returns the name of the run from its log; empty if the log has none.
    pub fn name(&self) -> &str {
        self.circumstance.run.as_ref().map_or("", |run| run.as_str())
    }

    /// Returns all absences, task by task, in the order in which they were accepted.
    pub fn absences(&self) -> impl Iterator<Item = (TaskId, &AbsenceAccepted)> {
        self.tasks.iter().flat_map(|(task, view)| view.covered().map(|covered| (*task, covered)))
    }

    /// Returns all derivations, task by task, in the order in which they were accepted.
    pub fn derivations(&self) -> impl Iterator<Item = (TaskId, &DerivationAccepted)> {
        self.tasks.iter().flat_map(|(task, view)| view.derived().map(|derived| (*task, derived)))
    }

    /// Returns the language in which code describes facts.
    pub const fn language(&self) -> Language {
        self.language
    }

    /// Sets the language in which code describes facts.
    pub const fn tell_in(&mut self, language: Language) {
        self.language = language;
    }

    /// Removes the agents' interpretations: comments on statements, notes, and the sentences of runs before [`ledger::Behaviour::Tells`].
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

    /// Returns all sentences, task by task, in the order in which they were accepted; empty if agents' interpretations are hidden.
    pub fn sentences(&self) -> impl Iterator<Item = (TaskId, &SentenceAccepted)> {
        let shown = self.tasks.iter().filter(|_| !self.without_comments);
        shown.flat_map(|(task, view)| view.told().map(|told| (*task, told)))
    }

    /// Returns all statements of the story, task by task, in the order in which they were accepted.
    pub fn statements(&self) -> impl Iterator<Item = (TaskId, &StatementTold)> {
        self.tasks.iter().flat_map(|(task, view)| view.stated().map(|told| (*task, told)))
    }

    /// Returns all facts, task by task, in the order in which they were accepted.
    pub fn facts(&self) -> impl Iterator<Item = (TaskId, &ClaimAccepted)> {
        self.tasks.iter().flat_map(|(task, view)| view.accepted().map(|accepted| (*task, accepted)))
    }

    /// Returns the fact with this id.
    pub fn fact(&self, id: FactId) -> Option<&FactEntry> {
        self.accepted(id).map(|accepted| &accepted.fact)
    }

    /// Returns the verdict that recorded the fact with this id.
    pub fn accepted(&self, id: FactId) -> Option<&ClaimAccepted> {
        let place = self.index.facts.get(&id)?;
        self.tasks.get(&place.task)?.claims.get(place.place)?.accepted()
    }

    /// Returns the invocation with this id, and its task.
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

    /// Returns the absences in order.
    pub fn covered(&self) -> impl Iterator<Item = &AbsenceAccepted> {
        self.claims.iter().filter_map(ClaimView::covered)
    }

    /// Returns the derivations in order.
    pub fn derived(&self) -> impl Iterator<Item = &DerivationAccepted> {
        self.claims.iter().filter_map(ClaimView::derived)
    }

    /// Returns the sentences in order.
    pub fn told(&self) -> impl Iterator<Item = &SentenceAccepted> {
        self.claims.iter().filter_map(ClaimView::told)
    }

    /// Returns the statements in order.
    pub fn stated(&self) -> impl Iterator<Item = &StatementTold> {
        self.claims.iter().filter_map(ClaimView::stated)
    }

    /// Returns the grounded claims in order.
    pub fn accepted(&self) -> impl Iterator<Item = &ClaimAccepted> {
        self.claims.iter().filter_map(ClaimView::accepted)
    }
}

impl ClaimView {
    /// Returns the verdict, if it made the claim a fact.
    pub fn accepted(&self) -> Option<&ClaimAccepted> {
        match &self.judged {
            Some(Judged::Accepted(accepted)) => Some(accepted),
            _ => None,
        }
    }

    /// Returns the verdict, if it accepted an absence.
    pub fn covered(&self) -> Option<&AbsenceAccepted> {
        match &self.judged {
            Some(Judged::Covered(covered)) => Some(covered),
            _ => None,
        }
    }

    /// Returns the verdict, if it accepted a derivation.
    pub fn derived(&self) -> Option<&DerivationAccepted> {
        match &self.judged {
            Some(Judged::Derived(derived)) => Some(derived),
            _ => None,
        }
    }

    /// Returns the verdict, if it accepted a sentence.
    pub fn told(&self) -> Option<&SentenceAccepted> {
        match &self.judged {
            Some(Judged::Told(told)) => Some(told),
            _ => None,
        }
    }

    /// Returns the verdict, if it accepted a statement.
    pub fn stated(&self) -> Option<&StatementTold> {
        match &self.judged {
            Some(Judged::Stated(told)) => Some(told),
            _ => None,
        }
    }
}
