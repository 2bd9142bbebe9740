//! Builders for what a lead adds to a log: an assigned task, its report, a recovery, a stored text, sentences, a hypothesis.

use ledger::event::{
    ArtifactStored, ClaimSubmitted, DispatchedTask, HypothesisAssessed, HypothesisProposed, NoteWritten,
    RecoveryBegun, RecoveryEnded, RecoveryTrigger, SentenceAccepted, StatementTold, SuggestedCall,
    TaskAssigned, TaskEnded, TaskReported, TaskStatus, TasksDispatched,
};
use ledger::{
    AgentSpec, ArtifactHead, ArtifactId, ArtifactKind, Assessment, CallId, Chapter, Claim, Dispatch, Event,
    FactEntry, HypothesisId, NodeId, Reference, ReferenceShown, SentenceClaim, SentenceEntry, SentenceId,
    StatementClaim, StatementEntry, StatementId, Stream, TaskId, Time,
};
use testkit::history::{History, claim, fact, ids, reading};

/// Lets task 1, which must be open, assign task 2, which records the returned fact.
pub(crate) fn hands_out(history: &mut History, words: &str) -> FactEntry {
    let one = Stream::Task(TaskId(1));
    let call = || CallId("d".into());
    let task = DispatchedTask { call: call(), task: TaskId(2), agent: words.into() };
    history.push(one, Event::TasksDispatched(TasksDispatched { turn: 1, sequence: 3, tasks: vec![task] }));
    let agent = AgentSpec {
        name: words.into(),
        prompt: String::new(),
        surface: Default::default(),
        tools: None,
        objectives: vec![],
    };
    let reference = |id: &str, shown| Reference { id: id.into(), shown };
    let mut assigned = TaskAssigned::new(TaskId(2), agent, words);
    assigned.dispatch = Some(Box::new(Dispatch {
        by: TaskId(1),
        turn: 1,
        call: call(),
        sequence: 3,
        instruction: words.into(),
        after: vec![],
        references: vec![
            reference(words, ReferenceShown::NotFound),
            reference("art-00000001", ReferenceShown::Content { content: words.into() }),
        ],
        hint: Some(words.into()),
    }));
    history.push(Stream::Run, Event::TaskAssigned(assigned));
    let stated = fact(2, 0, words, &[("k", words)]);
    history.invoked(2, 0).claimed(2, 0, 1, reading("configured", &[words], None)).accepted(
        2,
        0,
        stated.clone(),
    );
    let two = Stream::Task(TaskId(2));
    let artifact = ArtifactId::assign(&ids(), TaskId(2), 0).unwrap();
    history.push(
        two,
        Event::ArtifactStored(ArtifactStored {
            turn: 1,
            call: call(),
            artifact,
            kind: ArtifactKind::Checkpoint,
            summary: words.into(),
            content: format!("{words}\n{words}"),
        }),
    );
    let suggested = SuggestedCall { tool: words.into(), arguments: serde_json::json!({"x": words}) };
    let begun = RecoveryBegun {
        attempt: 1,
        trigger: RecoveryTrigger::ApparentCompletion,
        objective: words.into(),
        strategy: words.into(),
        because: None,
        calls: vec![suggested],
    };
    history.push(two, Event::RecoveryBegun(begun));
    let ended = RecoveryEnded { attempt: 1, facts: 4, answered: vec![words.into()] };
    history.push(two, Event::RecoveryEnded(ended));
    let status = TaskStatus::Incomplete;
    history.ended(
        2,
        TaskEnded { status, spent: None, objectives: vec![], own: vec![], turns: 0, facts: 1, rejections: 0 },
    );
    let report = ArtifactHead {
        artifact: ArtifactId::assign(&ids(), TaskId(1), 7).unwrap(),
        kind: ArtifactKind::Report,
        summary: words.into(),
        characters: 1,
    };
    let (task, content) = (TaskId(2), words.to_owned());
    history.push(one, Event::TaskReported(TaskReported { task, status, accepted: false, report, content }));
    stated
}

/// Lets task 1 state a sentence; its claim has this number.
pub(crate) fn tells(history: &mut History, number: u32, text: &str, cites: &[NodeId], time: Option<Time>) {
    let claimed = SentenceClaim { text: text.into(), cites: cites.iter().map(NodeId::to_string).collect() };
    let submitted = ClaimSubmitted {
        claim: claim(1, number),
        turn: 2,
        call: CallId("n".into()),
        stated: Claim::Sentence(claimed),
    };
    history.push(Stream::Task(TaskId(1)), Event::ClaimSubmitted(submitted));
    let sentence = SentenceEntry {
        id: SentenceId::assign(&ids(), TaskId(1), number).unwrap(),
        text: text.into(),
        cites: cites.to_vec(),
        dated_by: time.as_ref().map(|_| "time".to_owned()),
        time,
    };
    let told = SentenceAccepted { claim: claim(1, number), sentence };
    history.push(Stream::Task(TaskId(1)), Event::SentenceAccepted(told));
}

/// Lets task 1 make a statement about a node; its claim has this number.
pub(crate) fn states(
    history: &mut History,
    number: u32,
    node: NodeId,
    comment: Option<&str>,
    time: Option<Time>,
) {
    tells_in(history, number, node, (comment, None), time);
}

/// Lets task 1 make a statement about a node in a chapter.
pub(crate) fn states_in(history: &mut History, number: u32, node: NodeId, chapter: Chapter) {
    tells_in(history, number, node, (None, Some(chapter)), None);
}

fn tells_in(
    history: &mut History,
    number: u32,
    node: NodeId,
    (comment, chapter): (Option<&str>, Option<Chapter>),
    time: Option<Time>,
) {
    let comment = comment.map(str::to_owned);
    let claimed =
        StatementClaim { node: node.to_string(), fields: vec![], chapter: None, comment: comment.clone() };
    let submitted = ClaimSubmitted {
        claim: claim(1, number),
        turn: 2,
        call: CallId("n".into()),
        stated: Claim::Statement(claimed),
    };
    history.push(Stream::Task(TaskId(1)), Event::ClaimSubmitted(submitted));
    let statement = StatementEntry {
        id: StatementId::assign(&ids(), TaskId(1), number).unwrap(),
        node,
        fields: vec![],
        chapter,
        comment,
        dated_by: time.as_ref().map(|_| "time".to_owned()),
        time,
    };
    let told = StatementTold { claim: claim(1, number), statement };
    history.push(Stream::Task(TaskId(1)), Event::StatementTold(told));
}

/// Lets task 1 write a note, which is not a fact.
pub(crate) fn notes(history: &mut History, words: &str) {
    let note = NoteWritten { turn: 1, call: CallId("n".into()), text: words.into(), chapter: None };
    history.push(Stream::Task(TaskId(1)), Event::NoteWritten(note));
}

/// Lets task 1 assess a hypothesis by one fact.
pub(crate) fn weighs(history: &mut History, words: &str, by: NodeId) {
    let hypothesis = HypothesisId::assign(&ids(), TaskId(1), 0).unwrap();
    let proposed = HypothesisProposed { hypothesis, statement: words.into() };
    history.push(Stream::Task(TaskId(1)), Event::HypothesisProposed(proposed));
    let assessed = HypothesisAssessed {
        hypothesis,
        assessment: Assessment::Supported,
        supporting: vec![by],
        contradicting: vec![],
        reason: words.into(),
    };
    history.push(Stream::Task(TaskId(1)), Event::HypothesisAssessed(assessed));
}
