//! A lead that assigns tasks: their order, what they are given, what they hand over.

use crate::life;

use engine::{Assignment, Command, Input, Judgement, Setting, Task};
use ground::{Searchable, judge, judge_absence};
use ledger::event::{Refusal, TaskAssigned, TaskEnded, TaskStatus};
use ledger::turn::{Answer, Message, Reply, ReplyBlock, TurnRequest, UserBlock};
use ledger::{
    AgentSpec, ArtifactKind, Behaviour, Condition, Event, Handed, Objective, Outcome, Predicate,
    ReferenceShown, Rules, Seed, Surface, TaskId, TaskReport, ToolClass, Vocabulary, Weight, Writers,
};
use life::{call, line_type, returned, says, tools, words};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn objective(id: &str) -> Objective {
    Objective {
        id: id.into(),
        question: format!("{id}?"),
        applies: None,
        weight: Weight::Activity,
        condition: Condition {
            predicate: Predicate::quoted(),
            record: "text_line".into(),
            subject: "*".into(),
            field: "text".into(),
            value: None,
            unless: None,
            earlier: None,
        },
        searched: Vec::new(),
        or: Vec::new(),
    }
}

fn agent(name: &str, classes: &[ToolClass], objectives: Vec<Objective>) -> AgentSpec {
    let surface: Surface = classes.iter().copied().collect();
    AgentSpec { name: name.into(), prompt: String::new(), surface, tools: None, objectives }
}

type Script<'a> = dyn FnMut(&str, &TurnRequest) -> Option<Reply> + 'a;

/// A run of a lead and two agents by one script: agent and request to reply; `None` ends the wall time.
struct World {
    rules: Rules,
    /// The behaviours of the run.
    behaves: fn(Behaviour) -> bool,
    assigned: Vec<TaskAssigned>,
    events: BTreeMap<TaskId, Vec<Event>>,
    ended: BTreeMap<TaskId, Arc<Handed>>,
    /// The tasks that worked, in the order in which they were assigned.
    groups: Vec<Vec<TaskId>>,
}

impl World {
    fn lived(rules: Rules, script: impl FnMut(&str, &TurnRequest) -> Option<Reply>) -> World {
        World::behaving(|_| false, rules, script)
    }

    fn behaving(
        behaves: fn(Behaviour) -> bool,
        rules: Rules,
        mut script: impl FnMut(&str, &TurnRequest) -> Option<Reply>,
    ) -> World {
        let mut world = World {
            rules,
            behaves,
            assigned: Vec::new(),
            events: BTreeMap::new(),
            ended: BTreeMap::new(),
            groups: Vec::new(),
        };
        let classes = [ToolClass::Dispatch, ToolClass::Artifact, ToolClass::GraphRead, ToolClass::GraphWrite];
        let lead = TaskAssigned::new(TaskId(1), agent("lead", &classes, vec![]), "m");
        world.live(lead, &mut script);
        world
    }

    fn live(&mut self, assigned: TaskAssigned, script: &mut Script<'_>) {
        let investigate =
            [ToolClass::Investigate, ToolClass::Record, ToolClass::GraphRead, ToolClass::GraphWrite];
        let roster = vec![
            agent("one", &investigate, vec![objective("line"), objective("other")]),
            agent("two", &investigate, vec![objective("line")]),
        ];
        let mut all = tools();
        all.extend(engine::dispatch_tools(&roster));
        let mut line = line_type();
        let text = ledger::tool::FieldMeaning { types: vec![], meaning: String::new() };
        line.fields.insert("text".into(), text);
        all.iter_mut().filter(|tool| tool.name == "read").for_each(|tool| tool.records = vec![line.clone()]);
        let vocabulary = Vocabulary::shipped().unwrap();
        let setting = Setting::new(self.rules.clone(), Seed(ledger::Digest::of(b"s")), &all, &[TaskId(1)])
            .with_roster(roster, vocabulary.clone())
            .with_behaviours(self.behaves);
        let after = assigned.dispatch.iter().flat_map(|dispatch| dispatch.after.clone());
        let handed = after.map(|task| Arc::clone(&self.ended[&task])).collect();
        let (id, name) = (assigned.task, assigned.agent.name.clone());
        let mut task = Task::new(assigned.clone(), Arc::new(setting)).with_handed(handed);
        self.assigned.push(assigned.clone());
        let types = BTreeMap::from([("text_line".to_owned(), line)]);
        let (mut input, mut outputs) = (Input::Begin, Vec::new());
        for _ in 0..1_000 {
            let step = task.step(input).unwrap();
            self.events.entry(id).or_default().extend(step.append.into_iter().map(|append| append.event));
            input = match step.command {
                Command::AskModel(request) => match script(&name, &request) {
                    Some(reply) => Input::Replied(reply, None),
                    None => Input::TimeSpent,
                },
                Command::CallTool(_) => {
                    let returned = returned(Outcome::Ok, "the line of the file");
                    outputs.extend(returned.output.clone());
                    Input::Returned(returned)
                }
                Command::Judge(Judgement::Reading { fact, reading, .. }) => {
                    let gate = ground::Setting {
                        rules: &self.rules.gate,
                        vocabulary: &vocabulary,
                        types: &types,
                        writers: &Writers::default(),
                        by_reference: true,
                        dated: true,
                    };
                    Input::Judged(Box::new(judge(&reading, fact, task.shelf(), &gate)))
                }
                Command::Judge(Judgement::Absence { id, absence, .. }) => {
                    let searchable = Searchable {
                        coverage: &BTreeMap::new(),
                        evidence: &BTreeSet::new(),
                        as_it_stands: true,
                    };
                    Input::AbsenceJudged(Box::new(judge_absence(&absence, id, task.shelf(), &searchable)))
                }
                Command::Find(_) => panic!("nothing is looked for"),
                Command::Dispatch(assignments) => Input::Reported(self.hand_out(assignments, script)),
                Command::End => break,
            };
        }
        let events = &self.events[&id];
        let output = |digest: &_| outputs.iter().find(|output| output.digest() == *digest).cloned();
        let handed = engine::handed(&assigned, events, output).unwrap();
        self.ended.insert(id, Arc::new(handed));
    }

    fn hand_out(&mut self, assignments: Vec<Assignment>, script: &mut Script<'_>) -> Vec<Handed> {
        let tasks: Vec<TaskId> = assignments.iter().map(|assignment| assignment.task).collect();
        self.groups.push(tasks.clone());
        for Assignment { task, agent, dispatch } in assignments {
            let dispatch = Some(Box::new(dispatch));
            self.live(TaskAssigned { dispatch, ..TaskAssigned::new(task, agent, "m") }, script);
        }
        tasks.iter().map(|task| (*self.ended[task]).clone()).collect()
    }

    fn end(&self, task: u16) -> &TaskEnded {
        let Some(Event::TaskEnded(ended)) = self.events[&TaskId(task)].last() else { panic!() };
        ended
    }

    fn refused(&self, task: u16) -> Vec<(Refusal, String)> {
        let refused = |event: &Event| match event {
            Event::CallRefused(refused) => Some((refused.refusal, refused.told.clone())),
            _ => None,
        };
        self.events[&TaskId(task)].iter().filter_map(refused).collect()
    }

    fn references(&self, task: u16) -> Vec<(String, ReferenceShown)> {
        let assigned = self.assigned.iter().find(|assigned| assigned.task == TaskId(task)).unwrap();
        let references = &assigned.dispatch.as_ref().unwrap().references;
        references.iter().map(|reference| (reference.id.clone(), reference.shown.clone())).collect()
    }
}

fn blocks(request: &TurnRequest) -> &[UserBlock] {
    let Some(Message::User(blocks)) = request.messages.last().map(AsRef::as_ref) else { panic!() };
    blocks
}

fn reports(request: &TurnRequest) -> Vec<TaskReport> {
    let report = |block: &UserBlock| match block {
        UserBlock::Answer { answer: Answer::Reported(report), .. } => Some((**report).clone()),
        _ => None,
    };
    blocks(request).iter().filter_map(report).collect()
}

fn first_words(request: &TurnRequest) -> String {
    let text = |block: &UserBlock| match block {
        UserBlock::Text { text } => Some(text.clone()),
        _ => None,
    };
    blocks(request).iter().filter_map(text).collect::<Vec<_>>().join("\n")
}

/// Reads, records a line, stops; in its second turn it has already stored what it was told to.
fn finds(request: &TurnRequest) -> Option<Reply> {
    match request.turn {
        1 => says(vec![call("r", "read", json!({}))]),
        2 => {
            let invocation = blocks(request).iter().find_map(|block| match block {
                UserBlock::Answer { answer: Answer::Returned(returned), .. } => Some(returned.invocation),
                _ => None,
            });
            let reading = json!({"predicate": "quoted", "values": {"text": "the line of the file"},
                "invocation": invocation.unwrap().to_string()});
            says(vec![call("p", "record_phenomenon", json!({"readings": [reading]}))])
        }
        _ => words(),
    }
}

fn agent_call(id: &str, agent: &str, arguments: serde_json::Value) -> ReplyBlock {
    call(id, &format!("agent_{agent}"), arguments)
}

#[test]
fn tasks_of_one_number_run_side_by_side_and_those_of_a_higher_one_after_them() {
    let world = World::lived(Rules::default(), |agent, request| match (agent, request.turn) {
        ("lead", 1) => says(vec![
            agent_call("c", "two", json!({"sequence": 2})),
            agent_call("a", "one", json!({"sequence": 1, "criteria": ["line"]})),
            agent_call("b", "two", json!({"sequence": "1"})),
        ]),
        ("lead", _) => {
            let told: Vec<_> =
                reports(request).iter().map(|it| (it.task, it.sequence, it.accepted)).collect();
            assert_eq!(told, [(TaskId(4), 2, true), (TaskId(2), 1, true), (TaskId(3), 1, true)]);
            words()
        }
        _ => finds(request),
    });
    assert_eq!(world.groups, [vec![TaskId(2), TaskId(3)], vec![TaskId(4)]]);
    let after = |task: usize| world.assigned[task].dispatch.as_ref().unwrap().after.clone();
    assert_eq!((after(1), after(2), after(3)), (vec![], vec![], vec![TaskId(2), TaskId(3)]));
    // The criteria of a task are those that its call names.
    assert_eq!(world.end(2).objectives.len(), 1);
    assert_eq!(world.end(1).status, TaskStatus::Completed);
}

#[test]
fn a_later_task_is_shown_what_earlier_ones_found_and_states_it_by_derivation_only() {
    let mut shown = String::new();
    let mut facts = BTreeSet::new();
    let world = World::lived(Rules::default(), |agent, request| match (agent, request.turn) {
        ("lead", 1) => says(vec![
            agent_call("a", "one", json!({"sequence": 1, "criteria": "line"})),
            agent_call("b", "one", json!({"sequence": 1, "criteria": "line"})),
            agent_call("c", "two", json!({"sequence": 2, "instruction": "compare the lines"})),
        ]),
        ("lead", _) => words(),
        ("two", 1) => {
            shown = first_words(request);
            let ids = shown.split("fact-").skip(1).map(|rest| format!("fact-{}", &rest[..8]));
            facts = ids.collect::<BTreeSet<_>>();
            let own = json!({"predicate": "quoted", "values": {"text": "the line of the file"}, "invocation": "inv-00000000"});
            let terms: Vec<_> = facts.iter().map(|id| json!({"fact": id, "field": "text"})).collect();
            says(vec![
                call("x", "record_phenomenon", json!({"readings": [own]})),
                call("y", "record_derivation", json!({"form": "same", "terms": terms})),
            ])
        }
        ("two", _) => words(),
        _ => finds(request),
    });
    assert!(shown.contains("<reference_artifacts><reference_artifact id=\"art-"), "{shown}");
    assert!(shown.contains("compare the lines"), "{shown}");
    let derived = world.events[&TaskId(4)].iter().any(|event| matches!(event, Event::DerivationAccepted(_)));
    let read = world.events[&TaskId(4)].iter().any(|event| matches!(event, Event::ClaimAccepted(_)));
    assert_eq!((facts.len(), derived, read), (2, true, false));
}

#[test]
fn what_was_checkpointed_outlives_the_budget_and_reaches_the_lead_and_later_tasks() {
    let mut seen = String::new();
    let mut heads = Vec::new();
    let world = World::lived(Rules::default(), |agent, request| match (agent, request.turn) {
        ("lead", 1) => says(vec![agent_call("a", "one", json!({}))]),
        ("lead", 2) => {
            let report = reports(request).remove(0);
            assert_eq!((report.status, report.accepted), (TaskStatus::BudgetSpent, false));
            heads = report.artifacts.iter().map(|head| (head.kind, head.summary.clone())).collect();
            let id = report.artifacts[0].artifact.to_string();
            let named = format!(" {id} , art-00000000,{id}");
            says(vec![
                agent_call("b", "two", json!({"referenced_artifacts": named, "artifact_id": id})),
                call("r", "retrieve_result", json!({"artifact": id})),
            ])
        }
        ("lead", _) => {
            let read = blocks(request).iter().any(|block| {
                matches!(block, UserBlock::Answer { answer: Answer::Artifact { content, .. }, .. } if content == "half <done>")
            });
            assert!(read, "{:?}", blocks(request));
            words()
        }
        ("one", 1) => says(vec![
            call("a", "checkpoint", json!({"label": "first  section", "content": "half <done>"})),
            call("b", "checkpoint", json!({"label": " ", "content": "x"})),
            call("c", "checkpoint", json!({"label": "x"})),
        ]),
        ("one", _) => None,
        _ => {
            if request.turn == 1 {
                seen = first_words(request);
            }
            finds(request)
        }
    });
    assert_eq!(heads[0], (ArtifactKind::Checkpoint, "first section".to_owned()));
    assert_eq!(heads[1].0, ArtifactKind::Report);
    assert!(world.refused(2).iter().all(|(refusal, _)| *refusal == Refusal::BadArguments));
    assert_eq!(world.refused(2).len(), 2);
    let references = world.references(3);
    assert_eq!(references[0].1, ReferenceShown::Content { content: "half <done>".into() });
    assert_eq!(references[1], ("art-00000000".to_owned(), ReferenceShown::NotFound));
    assert!(seen.contains("half &lt;done&gt;") && seen.contains("may help you"), "{seen}");
}

#[test]
fn what_only_the_lead_has_stored_stands_in_the_first_message_of_the_task_that_it_is_hinted_to() {
    let mut seen = Vec::new();
    let world = World::lived(Rules::default(), |agent, request| match (agent, request.turn) {
        ("lead", 1) => says(vec![call(
            "s",
            "store_result",
            json!({"summary": "what to look at", "content": "the first line"}),
        )]),
        ("lead", 2) => {
            let stored = blocks(request).iter().find_map(|block| match block {
                UserBlock::Answer { answer: Answer::Stored { artifact }, .. } => Some(artifact.to_string()),
                _ => None,
            });
            let stored = stored.unwrap();
            says(vec![
                agent_call("a", "two", json!({"artifact_id": stored})),
                agent_call("b", "two", json!({"artifact_id": "art-00000000"})),
            ])
        }
        ("lead", _) => words(),
        _ => {
            if request.turn == 1 {
                seen.push(first_words(request));
            }
            finds(request)
        }
    });
    assert_eq!(world.references(2)[0].1, ReferenceShown::Content { content: "the first line".into() });
    assert!(seen[0].contains("may help you; it stands above"), "{}", seen[0]);
    assert!(world.references(3).is_empty());
    assert!(seen[1].contains("may help you; retrieve_result shows it"), "{}", seen[1]);
}

#[test]
fn one_failed_task_is_enough_for_the_whole_not_to_be_accepted_and_ends_nothing_else() {
    let world = World::lived(Rules::default(), |agent, request| match (agent, request.turn) {
        ("lead", 1) => says(vec![agent_call("a", "one", json!({})), agent_call("b", "two", json!({}))]),
        ("lead", _) => {
            let accepted: Vec<_> = reports(request).iter().map(|report| report.accepted).collect();
            assert_eq!(accepted, [false, true]);
            says(vec![ReplyBlock::Text { text: "Overall this is plausible: accepted.".into() }])
        }
        ("one", _) => None,
        _ => finds(request),
    });
    assert_eq!(world.end(3).status, TaskStatus::Completed);
    assert_eq!(world.end(1).status, TaskStatus::Incomplete);
}

#[test]
fn what_a_later_task_of_the_agent_answers_is_answered() {
    let mut tries = 0;
    let world = World::lived(Rules::default(), |agent, request| match (agent, request.turn) {
        ("lead", 1 | 2) => says(vec![agent_call("a", "two", json!({}))]),
        ("lead", _) => words(),
        _ => {
            tries += u32::from(request.turn == 1);
            if tries == 1 { None } else { finds(request) }
        }
    });
    assert_eq!(world.end(2).status, TaskStatus::BudgetSpent);
    assert_eq!(world.end(1).status, TaskStatus::Completed);
}

#[test]
fn criteria_that_no_code_could_check_are_refused_with_what_there_is() {
    let stated = |predicate: &str, record: &str, field: &str| json!({"criteria": [{"id": "c", "question": "?", "predicate": predicate, "record": record, "field": field}]});
    let world = World::lived(Rules::default(), |agent, request| match (agent, request.turn) {
        ("lead", 1) => says(vec![
            agent_call("a", "one", stated("guessed", "text_line", "text")),
            agent_call("b", "one", stated("quoted", "autostart", "text")),
            agent_call("c", "one", stated("quoted", "text_line", "words")),
            agent_call("d", "one", json!({"criteria": ["nothing of the kind"]})),
            agent_call("e", "nobody", json!({})),
            agent_call("f", "two", stated("quoted", "text_line", "text")),
        ]),
        ("lead", _) => words(),
        _ => finds(request),
    });
    let refused = world.refused(1);
    assert_eq!(refused.len(), 5, "{refused:?}");
    for (told, word) in refused.iter().zip(["vocabulary", "proves", "field", "objective", "no tool"]) {
        assert!(told.1.contains(word), "{told:?}");
    }
    assert_eq!(world.groups, [[TaskId(2)]]);
    assert_eq!(world.end(2).objectives[0].id, "c");
}

#[test]
fn a_question_that_a_lead_states_has_a_name_of_its_own() {
    let stated = |id: &str| json!({"criteria": [{"id": id, "question": "?", "predicate": "quoted", "record": "text_line", "field": "text"}]});
    let world = World::behaving(
        |_| true,
        Rules::default(),
        |agent, request| match (agent, request.turn) {
            ("lead", 1) => {
                says(vec![agent_call("a", "two", stated("other")), agent_call("b", "two", stated("own"))])
            }
            ("lead", _) => words(),
            _ => finds(request),
        },
    );
    let refused = world.refused(1);
    assert!(refused.len() == 1 && refused[0].1.contains("is a question of the case"), "{refused:?}");
    assert_eq!(world.end(2).objectives[0].id, "own");
}

#[test]
fn a_run_hands_out_so_many_tasks_and_no_more() {
    let mut rules = Rules::default();
    rules.dispatch.tasks = 2;
    let world = World::lived(rules, |agent, request| match (agent, request.turn) {
        ("lead", 1) => says((0..4).map(|n| agent_call(&format!("c{n}"), "two", json!({}))).collect()),
        ("lead", _) => words(),
        _ => finds(request),
    });
    assert_eq!(world.groups, [[TaskId(2), TaskId(3)]]);
    assert_eq!(world.refused(1).iter().filter(|(refusal, _)| *refusal == Refusal::TasksSpent).count(), 2);
}

#[test]
fn who_does_not_lead_hands_out_nothing() {
    let world = World::lived(Rules::default(), |agent, request| match (agent, request.turn) {
        ("lead", 1) => says(vec![agent_call("a", "two", json!({}))]),
        ("lead", _) => words(),
        ("two", 1) => says(vec![agent_call("a", "one", json!({}))]),
        _ => words(),
    });
    assert_eq!(world.refused(2)[0].0, Refusal::OutsideSurface);
    assert_eq!(world.assigned.len(), 2);
}

#[test]
fn a_cancelled_task_takes_no_further_step() {
    let assigned = TaskAssigned::new(TaskId(1), agent("a", &[ToolClass::Investigate], vec![]), "m");
    let setting = Setting::new(Rules::default(), Seed(ledger::Digest::of(b"s")), &tools(), &[TaskId(1)]);
    let mut task = Task::new(assigned, Arc::new(setting));
    task.step(Input::Begin).unwrap();
    let step = task.step(Input::Cancelled).unwrap();
    let ended = step.append.iter().map(|append| &append.event).collect::<Vec<_>>();
    assert!(matches!(
        ended[..],
        [Event::Cancelled, Event::TaskEnded(TaskEnded { status: TaskStatus::Cancelled, .. })]
    ));
    assert!(task.step(Input::Replied(words().unwrap(), None)).is_err());
}
