//! Small handmade logs, for tests of code that folds logs.

use ledger::chain::Circumstance;
use ledger::event::{
    ClaimAccepted, ClaimRejected, ClaimSubmitted, InvocationEnded, InvocationStarted, PhenomenonRecorded,
    RunOpened, TaskAssigned, TaskEnded, TurnRequested,
};
use ledger::{
    AgentSpec, BoundValue, ByteSpan, CallId, CaseEntry, Claim, ClaimId, ClaimedValue, Completeness, Digest,
    Event, EvidenceEntry, EvidenceKind, FORMAT, FactEntry, FactId, FieldValue, Healing, IdSpace,
    InvocationId, Locator, Objective, Outcome, PhenomenonId, Predicate, Reading, RecordId, Rejection,
    RejectionCode, Rules, Seed, Stream, TaskId, Tier, Vocabulary,
};

/// Returns the id space of every history.
pub fn ids() -> IdSpace {
    IdSpace::new(Seed(Digest::of(b"history")))
}

/// A log under construction.
#[derive(Debug, Clone)]
pub struct History {
    events: Vec<(Stream, Event, Circumstance)>,
}

impl History {
    /// Opens a run with one piece of evidence, labelled `host`, and this case title.
    pub fn opened(title: &str) -> History {
        let evidence = EvidenceEntry {
            in_place: Vec::new(),
            label: "host".into(),
            kind: EvidenceKind::Directory,
            expected_sha256: None,
        };
        let opened = RunOpened {
            format: FORMAT,
            program: "0.0.0".into(),
            seed: Seed(Digest::of(b"history")),
            case: CaseEntry {
                name: "case".into(),
                title: title.into(),
                time_zone: "UTC".into(),
                evidence: vec![evidence],
            },
            rules: Rules::default(),
            vocabulary: vocabulary(),
            writers: ledger::Writers::default(),
            tools: Vec::new(),
            behaviour: Vec::new(),
            roster: Vec::new(),
            questions: Vec::new(),
            brought: Vec::new(),
            remembered: Vec::new(),
            asked: Vec::new(),
            confined: true,
            parent: None,
        };
        let mut history = History { events: Vec::new() };
        history.push(Stream::Run, Event::RunOpened(Box::new(opened)));
        history
    }

    /// Adds a piece of evidence with this label.
    pub fn with_evidence(mut self, label: &str) -> History {
        if let Some((_, Event::RunOpened(opened), _)) = self.events.first_mut() {
            let first = opened.case.evidence.first().cloned();
            opened.case.evidence.extend(first.map(|it| EvidenceEntry { label: label.into(), ..it }));
        }
        self
    }

    /// Sets the tables of who could have written what.
    pub fn judged_with(mut self, writers: ledger::Writers) -> History {
        if let Some((_, Event::RunOpened(opened), _)) = self.events.first_mut() {
            opened.writers = writers;
        }
        self
    }

    /// Sets the behaviours that the run was made with.
    pub fn behaving(mut self, behaviours: &[ledger::Behaviour]) -> History {
        if let Some((_, Event::RunOpened(opened), _)) = self.events.first_mut() {
            opened.behaviour = behaviours.iter().copied().map(u16::from).collect();
        }
        self
    }

    /// Appends an event.
    pub fn push(&mut self, stream: Stream, event: Event) -> &mut History {
        self.events.push((stream, event, Circumstance::default()));
        self
    }

    /// Assigns a task to an agent without objectives.
    pub fn assigned(&mut self, task: u16, agent: &str) -> &mut History {
        self.assigned_with(task, agent, "scripted", vec![])
    }

    /// Assigns a task to an agent with these objectives and this model.
    pub fn assigned_with(
        &mut self,
        task: u16,
        agent: &str,
        model: &str,
        objectives: Vec<Objective>,
    ) -> &mut History {
        let agent = AgentSpec {
            name: agent.into(),
            prompt: String::new(),
            surface: Default::default(),
            tools: None,
            objectives,
        };
        let assigned = TaskAssigned::new(TaskId(task), agent, model);
        self.push(Stream::Run, Event::TaskAssigned(assigned))
    }

    /// Asks a task's model for this turn.
    pub fn asked(&mut self, task: u16, turn: u32) -> &mut History {
        let requested = TurnRequested { turn, request: Digest::of(b"request") };
        self.push(Stream::Task(TaskId(task)), Event::TurnRequested(requested))
    }

    /// Ends a task, with these totals.
    pub fn ended(&mut self, task: u16, ended: TaskEnded) -> &mut History {
        self.push(Stream::Task(TaskId(task)), Event::TaskEnded(ended))
    }

    /// Adds the `ordinal`th call of a task: `parse_registry_key`, which ended normally.
    pub fn invoked(&mut self, task: u16, ordinal: u32) -> &mut History {
        self.invoked_as(task, ordinal, "parse_registry_key", |_| {})
    }

    /// Adds the `ordinal`th call of a task, to this tool; `change` modifies its end, which otherwise is that of [`History::invoked`].
    pub fn invoked_as(
        &mut self,
        task: u16,
        ordinal: u32,
        tool: &str,
        change: impl FnOnce(&mut InvocationEnded),
    ) -> &mut History {
        let mut ended = ended(invocation(task, ordinal));
        change(&mut ended);
        self.started(task, ordinal, tool);
        self.push(Stream::Task(TaskId(task)), Event::InvocationEnded(ended))
    }

    /// Adds the `ordinal`th call of a task, to this tool, without an end.
    pub fn started(&mut self, task: u16, ordinal: u32, tool: &str) -> &mut History {
        let started = InvocationStarted {
            invocation: invocation(task, ordinal),
            turn: 1,
            call: CallId(format!("c{ordinal}")),
            tool: tool.into(),
            arguments: serde_json::json!({"key": "Run"}),
            insists: None,
        };
        self.push(Stream::Task(TaskId(task)), Event::InvocationStarted(started))
    }

    /// Adds the `ordinal`th claim of a task.
    pub fn claimed(&mut self, task: u16, ordinal: u32, turn: u32, reading: Reading) -> &mut History {
        let submitted = ClaimSubmitted {
            claim: claim(task, ordinal),
            turn,
            call: CallId("c".into()),
            stated: Claim::Reading(reading),
        };
        self.push(Stream::Task(TaskId(task)), Event::ClaimSubmitted(submitted))
    }

    /// Refuses the `ordinal`th claim of a task.
    pub fn refused(&mut self, task: u16, ordinal: u32, code: RejectionCode) -> &mut History {
        let rejection = Rejection {
            code,
            reason: "it does not stand there".into(),
            hint: String::new(),
            candidates: vec![],
        };
        let rejected = ClaimRejected { claim: claim(task, ordinal), rejection };
        self.push(Stream::Task(TaskId(task)), Event::ClaimRejected(rejected))
    }

    /// Accepts the `ordinal`th claim of a task as a fact.
    pub fn accepted(&mut self, task: u16, ordinal: u32, fact: FactEntry) -> &mut History {
        self.accepted_as(task, ordinal, fact, None)
    }

    /// Accepts the `ordinal`th claim of a task as a fact; its citation may have been healed.
    pub fn accepted_as(
        &mut self,
        task: u16,
        ordinal: u32,
        fact: FactEntry,
        healing: Option<Healing>,
    ) -> &mut History {
        let accepted = ClaimAccepted { claim: claim(task, ordinal), fact, healing };
        self.push(Stream::Task(TaskId(task)), Event::ClaimAccepted(Box::new(accepted)))
    }

    /// Adds the `ordinal`th phenomenon of a task.
    pub fn phenomenon(&mut self, task: u16, ordinal: u32, facts: &[FactId], words: &str) -> &mut History {
        let id = PhenomenonId::assign(&ids(), TaskId(task), ordinal);
        if let Ok(phenomenon) = id {
            let recorded =
                PhenomenonRecorded { phenomenon, facts: facts.to_vec(), interpretation: words.into() };
            self.push(Stream::Task(TaskId(task)), Event::PhenomenonRecorded(recorded));
        }
        self
    }

    /// Returns the events in order.
    pub fn events(&self) -> Vec<(Stream, Event, Circumstance)> {
        self.events.clone()
    }
}

/// Returns the end of an invocation that returned one record, in the output that [`fact`] cites.
fn ended(invocation: InvocationId) -> InvocationEnded {
    InvocationEnded {
        invocation,
        outcome: Outcome::Ok,
        completeness: Completeness::Complete,
        normalised: None,
        output: Some(Digest::of(b"output")),
        records: 1,
        bytes: 1,
        shown: Vec::new(),
        defects: Vec::new(),
        gaps: Vec::new(),
        notes: Vec::new(),
    }
}

/// Returns the id of a task's `ordinal`th invocation.
pub fn invocation(task: u16, ordinal: u32) -> InvocationId {
    assigned(InvocationId::assign(&ids(), TaskId(task), ordinal))
}

/// Returns the id of a task's `ordinal`th claim.
pub fn claim(task: u16, ordinal: u32) -> ClaimId {
    assigned(ClaimId::assign(&ids(), TaskId(task), ordinal))
}

/// Returns a fact from a task's `ordinal`th claim, based on its first invocation: `configured`, with these values.
pub fn fact(task: u16, ordinal: u32, subject: &str, values: &[(&str, &str)]) -> FactEntry {
    let bound = |field: &str, value: FieldValue| BoundValue {
        field: field.into(),
        value,
        quotation: None,
        tier: Tier::Exact,
        span: ByteSpan::new(10, 4),
        at: None,
        writer: None,
    };
    FactEntry {
        placement: None,
        id: assigned(FactId::assign(&ids(), TaskId(task), ordinal)),
        predicate: Predicate("configured".into()),
        subject: bound("value_path", FieldValue::RegistryPath(subject.into())),
        values: values.iter().map(|(field, text)| bound(field, FieldValue::Text((*text).into()))).collect(),
        invocation: invocation(task, 0),
        output: Digest::of(b"output"),
        record: RecordId(0),
        kind: "registry_value".into(),
        locator: Locator { evidence: "host".into(), path: "SYSTEM".into(), stream: None, span: None },
        shown: true,
    }
}

/// Returns a reading that cites a task's first invocation.
pub fn reading(predicate: &str, values: &[&str], record: Option<&str>) -> Reading {
    let value = |text: &&str| ClaimedValue { field: None, value: (*text).into() };
    Reading {
        fields: Vec::new(),
        predicate: predicate.into(),
        subject: String::new(),
        values: values.iter().map(value).collect(),
        invocation: "inv-00000000".into(),
        record: record.map(str::to_owned),
    }
}

#[expect(clippy::panic, reason = "a history outside the id space is a mistake in the test")]
fn assigned<T>(id: Result<T, ledger::IdError>) -> T {
    id.unwrap_or_else(|error| panic!("{error}"))
}

#[expect(clippy::panic, reason = "the shipped vocabulary has a test of its own")]
fn vocabulary() -> Vocabulary {
    Vocabulary::shipped().unwrap_or_else(|error| panic!("{error}"))
}
