//! Statements and, in earlier runs, sentences about the task's own findings and those that were handed over.

use crate::life;

use engine::{Input, Setting, Task};
use ledger::event::{EntityAdded, Refusal, TaskAssigned, TaskStatus};
use ledger::turn::{Answer, NodeView, SentenceResult, StatementResult, TurnRequest};
use ledger::{
    Absence, AbsenceEntry, AbsenceId, AgentSpec, BoundValue, ByteSpan, Chapter, Digest, EntityId, EntityKind,
    Event, FactEntry, FactId, FieldValue, Handed, IdSpace, InvocationId, Locator, NodeId, Outcome, Predicate,
    RecordId, RejectionCode, Rules, Seed, StatementEntry, TaskId, Tier, ToolClass,
};
use life::{Lived, answers, call, live_task, returned, says, tools, words};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

fn ids() -> IdSpace {
    IdSpace::new(Seed(Digest::of(b"s")))
}

fn fact() -> FactEntry {
    let bound = |field: &str, value| BoundValue {
        field: field.into(),
        value,
        quotation: None,
        tier: Tier::Exact,
        span: ByteSpan::new(0, 1),
        at: None,
        writer: None,
    };
    FactEntry {
        placement: None,
        id: FactId::assign(&ids(), TaskId(2), 0).unwrap(),
        predicate: Predicate("executed".into()),
        subject: bound("path", FieldValue::Path(r"C:\Users\eve\evil.exe".into())),
        values: vec![bound("run_count", FieldValue::Integer(12))],
        invocation: InvocationId::assign(&ids(), TaskId(2), 0).unwrap(),
        output: Digest::of(b"o"),
        record: RecordId(0),
        kind: "prefetch".into(),
        locator: Locator { evidence: "e".into(), path: "p".into(), stream: None, span: None },
        shown: true,
    }
}

/// Returns what a task of another agent hands over: a fact, an absence, an entity.
fn handed() -> Handed {
    let fact = fact();
    let absence = AbsenceEntry {
        id: AbsenceId::assign(&ids(), TaskId(2), 1).unwrap(),
        absence: Absence::File {
            near: Vec::new(),
            name: "wiper.exe".into(),
            under: String::new(),
            evidence: None,
        },
        searches: vec![fact.invocation],
    };
    let entity = EntityAdded {
        entity: EntityId::assign(&ids(), TaskId(2), 0).unwrap(),
        kind: EntityKind::ALL[0],
        name: "eve".into(),
        facts: vec![fact.id],
    };
    let node = |id, title: &str| NodeView { id, title: title.into(), nodes: vec![], words: String::new() };
    Handed {
        task: TaskId(2),
        agent: agent("registry", &[]),
        status: TaskStatus::Completed,
        objectives: vec![],
        nodes: vec![
            node(NodeId::Fact(fact.id), r"executed C:\Users\eve\evil.exe: run_count = 12"),
            node(NodeId::Absence(absence.id), "no file \"wiper.exe\" under the root"),
            node(NodeId::Entity(entity.entity), "account eve"),
        ],
        facts: vec![fact],
        absences: vec![absence],
        derivations: vec![],
        entities: vec![entity],
        artifacts: vec![],
        calls: vec![],
        clocks: vec![],
        refused: vec![],
        recoveries: vec![],
    }
}

fn agent(name: &str, more: &[ToolClass]) -> AgentSpec {
    let classes = [ToolClass::Investigate, ToolClass::Record, ToolClass::GraphWrite, ToolClass::GraphRead];
    let surface = classes.iter().chain(more).copied().collect();
    AgentSpec { name: name.into(), prompt: String::new(), surface, tools: None, objectives: vec![] }
}

/// Runs a task to which the above was handed over; each call is a turn.
fn lived(agent: AgentSpec, rules: Rules, calls: &[(&str, Value)]) -> (Lived, Vec<Answer>, Vec<Vec<String>>) {
    let setting = Setting::new(rules.clone(), Seed(Digest::of(b"s")), &tools(), &[TaskId(1), TaskId(2)]);
    let assigned = TaskAssigned::new(TaskId(1), agent, "m");
    let task = Task::new(assigned, Arc::new(setting)).with_handed(vec![Arc::new(handed())]);
    let (mut turn, mut told, mut offered) = (0, Vec::new(), Vec::new());
    let model = |request: &TurnRequest| {
        told.extend(answers(request));
        offered.push(request.tools.iter().map(|tool| tool.name.clone()).collect());
        let reply = match calls.get(turn) {
            Some((tool, arguments)) => says(vec![call(&format!("c{turn}"), tool, arguments.clone())]),
            None => words(),
        };
        turn += 1;
        Input::Replied(reply.unwrap(), None)
    };
    let lived = live_task(task, &rules, model, |_| returned(Outcome::Ok, "nothing"));
    (lived, told, offered)
}

fn tell(statements: Value) -> (&'static str, Value) {
    ("tell", json!({ "statements": statements }))
}

/// Returns the code of each refused statement; `None` for accepted ones.
fn codes(answer: &Answer) -> Vec<Option<RejectionCode>> {
    let Answer::Statements { statements } = answer else { panic!("{answer:?}") };
    let code = |result: &StatementResult| match result {
        StatementResult::Rejected { rejection } => Some(rejection.code),
        StatementResult::Accepted { .. } => None,
        StatementResult::NotJudged => panic!(),
    };
    statements.iter().map(code).collect()
}

fn told(lived: &Lived) -> Vec<&StatementEntry> {
    let told = lived.events.iter().filter_map(|event| match event {
        Event::StatementTold(told) => Some(&told.statement),
        _ => None,
    });
    told.collect()
}

#[test]
fn every_agent_tells_what_was_handed_over_and_each_statement_is_judged_alone() {
    let (fact, absence) = (fact().id.to_string(), handed().absences[0].id.to_string());
    let call = tell(json!([
        {"node": fact, "fields": ["run_count", "path"], "chapter": "Ran", "comment": "  Das war Eve. "},
        {"fact": "fact-00000000"},
        {"fact": fact, "fields": "run_count, owner"},
        {"absence": absence},
        {"count": fact, "fields": ["subject"]},
    ]));
    let (lived, answers, offered) = lived(agent("registry", &[]), Rules::default(), &[call.clone(), call]);
    assert!(offered.iter().all(|tools| tools.iter().any(|tool| tool == "tell")));
    let (unknown, field) = (Some(RejectionCode::UnknownFact), Some(RejectionCode::WrongField));
    assert_eq!(codes(&answers[0]), [None, unknown, field, None, None]);
    let all = told(&lived);
    let first = all[0];
    assert_eq!((first.fields.join(" "), first.chapter), ("path run_count".to_owned(), Some(Chapter::Ran)));
    assert_eq!(first.comment.as_deref(), Some("Das war Eve."));
    assert_eq!(all[1].node.to_string(), absence);
    assert_eq!(all[2].fields, ["path"], "the subject is called so, too");
}

#[test]
fn a_bad_comment_or_chapter_costs_no_statement_and_is_told() {
    let fact = fact().id.to_string();
    let long = "x".repeat(1001);
    let call = tell(json!([
        {"node": fact, "comment": long},
        {"node": fact, "chapter": "The confession", "comment": ["a", 1]},
        {"node": fact, "comment": "   ", "chapter": 7},
    ]));
    let (lived, answers, _) = lived(agent("examiner", &[]), Rules::default(), &[call]);
    assert_eq!(codes(&answers[0]), [None, None, None]);
    let all = told(&lived);
    assert_eq!(
        all.iter().map(|it| it.comment.as_deref()).collect::<Vec<_>>(),
        [None, Some("[\"a\",1]"), None]
    );
    assert!(all.iter().all(|it| it.chapter.is_none()));
    let Answer::Statements { statements } = &answers[0] else { panic!() };
    let left_out: Vec<_> = statements
        .iter()
        .map(|it| match it {
            StatementResult::Accepted { left_out, .. } => left_out.clone().unwrap(),
            _ => panic!(),
        })
        .collect();
    assert!(left_out[0].contains("1001") && left_out[1].contains("`entry`"), "{left_out:?}");
}

#[test]
fn nothing_of_what_is_told_is_the_agents_to_write() {
    let (fact, absence) = (fact().id.to_string(), handed().absences[0].id.to_string());
    let entity = handed().entities[0].entity.to_string();
    let hostile = [
        json!({"node": format!("{fact} was run by mallory")}),
        json!({"node": "evil.exe ran 13 times"}),
        json!({"node": entity}),
        json!({"node": ""}),
        json!({"node": fact, "fields": ["run_count = 13"]}),
        json!({"node": fact, "fields": ["run_count", "not"]}),
        json!({"node": fact, "fields": [""]}),
        json!({"node": fact, "fields": ["Run_Count"]}),
        json!({"node": absence, "fields": ["name"]}),
    ];
    let mut rules = Rules::default();
    rules.budgets.rejected_claims = 100;
    let (all, answers, _) = lived(agent("examiner", &[]), rules.clone(), &[tell(json!(hostile))]);
    assert!(codes(&answers[0]).iter().all(Option::is_some), "{:?}", answers[0]);
    assert_eq!(told(&all), [] as [&StatementEntry; 0]);
    for other in [
        json!([{"node": fact, "text": "evil.exe was deleted"}]),
        json!([{"node": fact, "time": "2024-03-01T00:00:00Z"}]),
        json!([{"node": fact, "fields": {"run_count": 13}}]),
        json!([{"node": fact, "absence": absence}]),
        json!(["evil.exe was deleted"]),
        json!([]),
    ] {
        let (lived, ..) = lived(agent("examiner", &[]), rules.clone(), &[tell(other.clone())]);
        assert_eq!(lived.refusals(), [Refusal::BadArguments], "{other}");
    }
}

#[test]
fn statements_that_are_told_already_are_not_told_again_and_refused_ones_cost() {
    let one = tell(json!([{"node": fact().id.to_string()}]));
    let (again, ..) = lived(agent("examiner", &[]), Rules::default(), &[one.clone(), one]);
    assert_eq!(again.refusals(), [Refusal::Repeated]);
    let mut rules = Rules::default();
    rules.budgets.rejected_claims = 2;
    let unknown = json!([{"node": "fact-1"}, {"node": "fact-2"}, {"node": "fact-3"}]);
    let (spent, ..) = lived(agent("examiner", &[]), rules, &[tell(unknown)]);
    assert_eq!(spent.ended.rejections, 2);
    let claimed = spent.events.iter().filter(|event| matches!(event, Event::ClaimSubmitted(_)));
    assert_eq!(claimed.count(), 2, "the third was not judged");
}

fn narrative(sentences: &[(&str, Value)]) -> (&'static str, Value) {
    let sentences: Vec<_> =
        sentences.iter().map(|(text, cites)| json!({"text": text, "cites": cites})).collect();
    ("record_narrative", json!({ "sentences": sentences }))
}

#[test]
fn sentences_over_handed_facts_are_judged_one_by_one() {
    let (fact, absence) = (fact().id.to_string(), handed().absences[0].id.to_string());
    let call = narrative(&[
        ("evil.exe of eve was executed 12 times.", json!([fact])),
        ("evil.exe was executed 13 times.", json!([fact])),
        ("evil.exe ran; there is no wiper.exe.", json!(format!(" {fact}, {absence} "))),
        ("evil.exe ran.", json!(["fact-00000000"])),
    ]);
    let (lived, told, _) =
        lived(agent("lead", &[ToolClass::Dispatch]), Rules::default(), &[call.clone(), call]);
    let Answer::Sentences { sentences } = &told[0] else { panic!("{told:?}") };
    let codes: Vec<_> = sentences
        .iter()
        .map(|result| match result {
            SentenceResult::Rejected { rejection } => Some(rejection.code),
            SentenceResult::Accepted { .. } => None,
            SentenceResult::NotJudged => panic!(),
        })
        .collect();
    assert_eq!(codes, [None, Some(RejectionCode::ValueAbsent), None, Some(RejectionCode::UnknownFact)]);
    let names: Vec<_> = lived.events.iter().map(Event::name).collect();
    let first = names.iter().position(|name| *name == "claim_submitted").unwrap();
    assert_eq!(
        names[first..first + 4],
        ["claim_submitted", "sentence_accepted", "claim_submitted", "claim_rejected"]
    );
    assert_eq!((lived.ended.facts, lived.ended.rejections), (0, 4));
}

#[test]
fn a_narrative_that_is_told_already_is_not_told_again() {
    let call = narrative(&[("evil.exe was executed.", json!([fact().id.to_string()]))]);
    let (lived, ..) = lived(agent("lead", &[ToolClass::Dispatch]), Rules::default(), &[call.clone(), call]);
    assert_eq!(lived.refusals(), [Refusal::Repeated]);
}

#[test]
fn refused_sentences_cost_from_the_budget_of_refused_claims_and_end_it() {
    let mut rules = Rules::default();
    rules.budgets.rejected_claims = 2;
    let false_one = |number: u32| (format!("evil{number}.exe ran."), json!([fact().id.to_string()]));
    let all: Vec<_> = (0..4).map(false_one).collect();
    let all: Vec<_> = all.iter().map(|(text, cites)| (text.as_str(), cites.clone())).collect();
    let (lived, ..) = lived(agent("lead", &[ToolClass::Dispatch]), rules, &[narrative(&all)]);
    assert_eq!(lived.ended.rejections, 2);
}

#[test]
fn the_narrative_is_for_whoever_hands_out_tasks_in_every_phase() {
    let call = narrative(&[("evil.exe was executed.", json!([fact().id.to_string()]))]);
    let (other, _, offered) = lived(agent("registry", &[]), Rules::default(), std::slice::from_ref(&call));
    assert_eq!(other.refusals(), [Refusal::OutsideSurface]);
    assert!(offered.iter().flatten().all(|tool| tool != "record_narrative"));
    let (_, _, offered) = lived(agent("lead", &[ToolClass::Dispatch]), Rules::default(), &[call]);
    assert!(offered.iter().all(|tools| tools.iter().any(|tool| tool == "record_narrative")));
}

#[test]
fn an_agent_is_offered_the_tools_that_it_names() {
    let some = BTreeSet::from(["read".to_owned(), "record_phenomenon".to_owned()]);
    let few = AgentSpec { tools: Some(some), ..agent("few", &[]) };
    let (lived, _, offered) = lived(few, Rules::default(), &[("list_phenomena", json!({}))]);
    assert_eq!(offered[0], ["read", "record_phenomenon"]);
    assert_eq!(lived.refusals(), [Refusal::OutsideSurface]);
}

#[test]
fn what_was_handed_over_is_shown_and_can_be_built_upon() {
    let (fact, handed) = (fact().id.to_string(), handed());
    let (absence, entity) = (handed.absences[0].id.to_string(), handed.entities[0].entity.to_string());
    let hypothesis = ledger::HypothesisId::assign(&ids(), TaskId(1), 0).unwrap().to_string();
    let program = EntityId::assign(&ids(), TaskId(1), 0).unwrap().to_string();
    let relate = |from: &str, to: &str| {
        let kind = ledger::RelationKind::INTERPRETED[0].name();
        ("link", json!({"from": from, "kind": kind, "to": to, "facts": [fact]}))
    };
    let kind = EntityKind::ALL[0].name();
    let (lived, told, _) = lived(
        agent("lead", &[ToolClass::Dispatch]),
        Rules::default(),
        &[
            ("search_graph", json!({"text": "evil"})),
            ("get_node", json!({"id": absence})),
            ("add_entity", json!({"kind": kind, "name": "evil.exe", "facts": [fact]})),
            relate(&program, &entity),
            ("propose_hypothesis", json!({"statement": "eve ran it"})),
            (
                "assess_hypothesis",
                json!({"hypothesis": hypothesis, "assessment": "supported", "supporting": [fact], "contradicting": [absence]}),
            ),
            ("record_derivation", json!({"form": "same", "terms": [{"fact": fact, "field": "path"}]})),
            ("add_entity", json!({"kind": kind, "name": "mallory", "facts": [fact]})),
        ],
    );
    let shown = |answer: &Answer| match answer {
        Answer::Nodes { nodes, .. } => nodes.iter().map(|node| node.id.to_string()).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    assert_eq!((shown(&told[0]), shown(&told[1])), (vec![fact.clone()], vec![absence]));
    assert_eq!(lived.refusals(), [Refusal::Unsupported], "{told:?}");
    let names: Vec<_> = lived.events.iter().map(Event::name).collect();
    for name in ["entity_added", "relation_added", "hypothesis_assessed"] {
        assert!(names.contains(&name), "{names:?}");
    }
}
