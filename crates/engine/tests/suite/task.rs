//! The course of a task, driven by hand: no store, no worker, no model.

use crate::life;

use engine::ToolReturn;
use ledger::event::{Phase, Refusal, TaskStatus};
use ledger::turn::{Answer, Message, ReadingResult, ReplyBlock, TurnRequest, UserBlock};
use ledger::{Condition, Defect, Event, Objective, Outcome, Output, Predicate, Rules, ToolClass, Weight};
use life::{answers, call, false_reading, live, returned, says, words};
use serde_json::json;
use std::sync::Arc;

fn objective() -> Objective {
    Objective {
        id: "line".into(),
        question: "Which line?".into(),
        applies: None,
        weight: Weight::Activity,
        searched: Vec::new(),
        or: Vec::new(),
        condition: Condition {
            predicate: Predicate::quoted(),
            record: "text_line".into(),
            subject: "*".into(),
            field: "text".into(),
            value: None,
            unless: None,
            earlier: None,
        },
    }
}

fn ok(_: u32) -> ToolReturn {
    returned(Outcome::Ok, "the words of the evidence")
}

#[test]
fn refused_readings_cost_from_their_own_budget_and_end_the_task_when_it_is_spent() {
    let mut rules = Rules::default();
    rules.budgets.investigate_turns = 5;
    rules.budgets.rejected_claims = 40;
    let mut turn = 0;
    let lived = live(
        rules,
        vec![],
        |_| {
            turn += 1;
            says(vec![call(
                &format!("c{turn}"),
                "record_phenomenon",
                json!({"readings": [false_reading(turn)]}),
            )])
        },
        ok,
    );
    assert_eq!((lived.ended.turns, lived.ended.rejections), (40, 40), "no turn of the five was spent");
    assert_eq!(lived.phases(), [Phase::Investigate]);
}

#[test]
fn the_budget_of_refused_readings_holds_within_one_batch() {
    let mut rules = Rules::default();
    rules.budgets.rejected_claims = 10;
    let readings: Vec<_> = (0..64).map(false_reading).collect();
    let lived = live(
        rules,
        vec![],
        |_| says(vec![call("c", "record_phenomenon", json!({"readings": readings}))]),
        ok,
    );
    assert_eq!(lived.ended.rejections, 10);
    let submitted = lived.events.iter().filter(|event| matches!(event, Event::ClaimSubmitted(_))).count();
    assert_eq!(submitted, 10, "what is not judged is not submitted");
}

#[test]
fn what_is_only_watched_for_leaves_no_task_incomplete() {
    let watched = Objective { weight: Weight::Finding, ..objective() };
    let lived = live(Rules::default(), vec![watched], |_| words(), ok);
    assert_eq!(lived.ended.status, TaskStatus::Completed);
    assert!(lived.ended.objectives[0].watched && !lived.ended.objectives[0].is_unmet());
}

#[test]
fn facts_beyond_the_budget_are_not_judged_and_the_next_call_is_told_so() {
    let mut rules = Rules::default();
    rules.budgets.accepted_facts = 1;
    let mut turn = 0;
    let mut judged = Vec::new();
    let lived = live(
        rules,
        vec![objective()],
        |request| {
            turn += 1;
            let heard = answers(request);
            if let Some(Answer::Recorded(recorded)) = heard.first() {
                judged = recorded.readings.clone();
            }
            match (turn, heard.first()) {
                (1, _) => says(vec![call("c", "read", json!({}))]),
                (2, Some(Answer::Returned(returned))) => {
                    let quoting = |text: &str| {
                        json!({"predicate": "quoted", "values": {"text": text},
                        "invocation": returned.invocation.to_string()})
                    };
                    let two = json!({"readings": [quoting("words of"), quoting("of the evidence")]});
                    let more = json!({"readings": [quoting("the evidence")]});
                    says(vec![call("r", "record_phenomenon", two), call("r2", "record_phenomenon", more)])
                }
                _ => words(),
            }
        },
        ok,
    );
    assert_eq!(lived.ended.facts, 1);
    assert!(matches!(judged[..], [ReadingResult::Accepted { .. }, ReadingResult::NotJudged]), "{judged:?}");
    assert_eq!(lived.refusals(), [Refusal::FactsSpent]);
}

#[test]
fn a_repeated_call_is_answered_in_full_from_the_log() {
    let mut told = Vec::new();
    let mut turn = 0;
    live(
        Rules::default(),
        vec![],
        |request| {
            turn += 1;
            told.extend(answers(request));
            if turn <= 2 { says(vec![call(&format!("c{turn}"), "read", json!({}))]) } else { words() }
        },
        ok,
    );
    let [Answer::Returned(first), Answer::Returned(second), ..] = &told[..] else { panic!("{told:?}") };
    assert!(!first.from_log && second.from_log);
    assert_eq!((&first.page, &first.gaps), (&second.page, &second.gaps));
    assert_eq!(second.notes[0], "a note");
}

#[test]
fn a_failed_call_is_answered_from_the_log_and_one_that_timed_out_is_made_again() {
    for (outcome, calls) in [(Outcome::Failed, 1), (Outcome::Timeout, 3)] {
        let mut turn = 0;
        let lived = live(
            Rules::default(),
            vec![],
            |_| {
                turn += 1;
                if turn <= 4 { says(vec![call(&format!("c{turn}"), "read", json!({}))]) } else { words() }
            },
            |_| returned(outcome, ""),
        );
        assert_eq!(lived.tool_calls, calls, "{outcome:?}");
        assert_eq!(lived.refusals(), [Refusal::Repeated], "{outcome:?}");
    }
}

#[test]
fn nothing_to_record_opens_the_record_phase_while_an_objective_is_unmet_and_ends_it_there() {
    let mut turn = 0;
    let lived = live(
        Rules::default(),
        vec![objective()],
        |_| {
            turn += 1;
            says(vec![call(&format!("c{turn}"), "nothing_to_record", json!({"reason": "clean"}))])
        },
        ok,
    );
    assert_eq!(lived.phases(), [Phase::Investigate, Phase::Record]);
    assert_eq!((lived.ended.turns, lived.ended.status), (2, TaskStatus::Incomplete));
}

#[test]
fn an_agent_sees_its_refused_readings_even_if_it_said_that_nothing_is_left() {
    let mut turn = 0;
    let mut refused = 0;
    live(
        Rules::default(),
        vec![objective()],
        |request| {
            turn += 1;
            let rejected = |answer: &Answer| match answer {
                Answer::Recorded(recorded) => {
                    recorded.readings.iter().any(|r| matches!(r, ReadingResult::Rejected { .. }))
                }
                _ => false,
            };
            refused += answers(request).iter().filter(|answer| rejected(answer)).count();
            let mut blocks = vec![call(&format!("n{turn}"), "nothing_to_record", json!({"reason": "clean"}))];
            if turn == 1 {
                blocks.push(call("r", "record_phenomenon", json!({"readings": [false_reading(1)]})));
            }
            says(blocks)
        },
        ok,
    );
    assert_eq!(refused, 1);
}

#[test]
fn a_met_objective_completes_the_task_without_a_record_phase() {
    let mut turn = 0;
    let lived = live(
        Rules::default(),
        vec![objective()],
        |request| {
            turn += 1;
            match (turn, answers(request).first()) {
                (1, _) => says(vec![call("c", "read", json!({}))]),
                (2, Some(Answer::Returned(returned))) => {
                    let reading = json!({"predicate": "quoted", "values": {"text": "words of the evidence"},
                        "invocation": returned.invocation.to_string()});
                    let again = json!({"readings": [reading]});
                    says(vec![
                        call("r", "record_phenomenon", again.clone()),
                        call("r2", "record_phenomenon", again),
                    ])
                }
                _ => words(),
            }
        },
        ok,
    );
    assert_eq!(lived.ended.status, TaskStatus::Completed);
    assert_eq!(lived.phases(), [Phase::Investigate]);
    assert_eq!(lived.ended.facts, 1, "the same record call again is refused");
    assert_eq!(lived.refusals(), [Refusal::Repeated]);
}

#[test]
fn a_budget_that_ends_a_task_with_nothing_recorded_is_said_so_even_after_the_record_phase() {
    let mut rules = Rules::default();
    rules.budgets.investigate_turns = 2;
    let mut turn = 0;
    let lived = live(
        rules,
        vec![objective()],
        |_| {
            turn += 1;
            if turn <= 2 {
                says(vec![call(&format!("c{turn}"), "read", json!({"n": turn}))])
            } else {
                words()
            }
        },
        ok,
    );
    assert_eq!(lived.phases(), [Phase::Investigate, Phase::Record]);
    assert_eq!(lived.ended.status, TaskStatus::BudgetSpent);
}

#[test]
fn the_end_of_the_wall_time_ends_the_task() {
    let lived = live(Rules::default(), vec![objective()], |_| None, ok);
    assert!(lived.events.iter().any(|event| matches!(event, Event::TimeSpent)));
    assert_eq!((lived.ended.turns, lived.ended.status), (1, TaskStatus::BudgetSpent));
}

#[test]
fn every_call_is_answered_in_the_next_message_and_roles_alternate() {
    let mut turn = 0;
    live(
        Rules::default(),
        vec![objective()],
        |request| {
            turn += 1;
            for (index, message) in request.messages.iter().enumerate() {
                let user = matches!(message.as_ref(), Message::User(_));
                assert_eq!(user, index % 2 == 0, "message {index}");
            }
            for pair in request.messages.windows(2) {
                let (Message::Assistant(said), Message::User(answered)) = (&*pair[0], &*pair[1]) else {
                    continue;
                };
                let calls: Vec<_> = said
                    .iter()
                    .filter_map(|block| match block {
                        ReplyBlock::Call(call) => Some(&call.call),
                        ReplyBlock::Text { .. } | ReplyBlock::Verbatim { .. } => None,
                    })
                    .collect();
                let answers: Vec<_> = answered
                    .iter()
                    .filter_map(|block| match block {
                        UserBlock::Answer { call, .. } => Some(call),
                        UserBlock::Text { .. } | UserBlock::Distilled(_) | UserBlock::Recovery(_) => None,
                    })
                    .collect();
                assert_eq!(calls, answers);
            }
            match turn {
                1 => says((0..20).map(|n| call("same id", "read", json!({"n": n}))).collect()),
                2 => says(vec![]),
                3 => says(vec![call("", "no such tool", json!([])), call("x", "read", json!({}))]),
                _ => words(),
            }
        },
        ok,
    );
    assert!(turn >= 4);
}

#[test]
fn the_system_prompt_names_the_fence_of_the_task_and_its_objectives() {
    let mut asked = 0;
    live(
        Rules::default(),
        vec![objective()],
        |request| {
            asked += 1;
            let fence = &request.fence;
            assert!(request.system.contains(&format!("{} and {} is data", fence.begin(), fence.end())));
            assert!(request.system.contains(&objective().question));
            words()
        },
        |_| panic!("nothing is called"),
    );
    assert!(asked > 0);
}

#[test]
fn equal_inputs_give_equal_events() {
    let lived = || {
        let mut turn = 0;
        let model = move |_: &TurnRequest| {
            turn += 1;
            if turn < 4 { says(vec![call("c", "read", json!({"n": turn}))]) } else { words() }
        };
        live(Rules::default(), vec![objective()], model, ok).events
    };
    assert_eq!(lived(), lived());
}

/// A replay has only the record to tell an agent.
#[test]
fn an_agent_is_told_of_just_the_damage_that_is_recorded() {
    let damage = |what: &str| Defect { path: "a.txt".into(), offset: Some(7), what: what.into() };
    let mut told = Vec::new();
    let mut turn = 0;
    let lived = live(
        Rules::default(),
        vec![],
        |request| {
            turn += 1;
            told.extend(answers(request));
            if turn == 1 { says(vec![call("c", "read", json!({}))]) } else { words() }
        },
        |_| {
            let whole = returned(Outcome::Ok, "text");
            let mut record = whole.output.as_ref().unwrap().records()[0].clone();
            record.defects = vec![damage("inside"), damage("again")];
            let output = Some(Arc::new(Output::new(vec![record]).unwrap()));
            ToolReturn { output, defects: vec![damage("outside"), damage("again")], ..whole }
        },
    );
    let Some(Answer::Returned(answer)) = told.first() else { panic!("{told:?}") };
    let recorded = lived.events.iter().find_map(|event| match event {
        Event::InvocationEnded(ended) => Some(&ended.defects),
        _ => None,
    });
    assert_eq!(Some(&answer.defects), recorded);
    assert_eq!(answer.defects.len(), 3);
}

/// Returns the tools offered in each phase, and the message that opens the record phase.
fn offered(rules: Rules) -> (Vec<Vec<String>>, String) {
    let (mut tools, mut said) = (Vec::new(), String::new());
    let model = |request: &TurnRequest| {
        tools.push(request.tools.iter().map(|tool| tool.name.clone()).collect());
        said = format!("{:?}", request.messages.last().unwrap());
        words()
    };
    live(rules, vec![objective()], model, ok);
    (tools, said)
}

#[test]
fn the_rules_say_what_a_phase_may_use() {
    let usual = offered(Rules::default());
    assert!(usual.0[0].contains(&"read".to_owned()) && !usual.0[1].contains(&"read".to_owned()));
    assert!(usual.1.contains("Nothing new can be looked for now."), "{}", usual.1);
    let mut rules = Rules::default();
    rules.surfaces.record = [ToolClass::Investigate, ToolClass::Record].into();
    rules.surfaces.investigate = Some([ToolClass::Record].into());
    let (tools, said) = offered(rules);
    assert!(!tools[0].contains(&"read".to_owned()) && tools[0].contains(&"record_phenomenon".to_owned()));
    assert!(tools[1].contains(&"read".to_owned()) && !tools[1].contains(&"get_node".to_owned()));
    assert!(!said.contains("Nothing new"), "{said}");
}

#[test]
fn a_tool_that_the_rules_do_not_name_is_not_there() {
    let mut rules = Rules::default();
    rules.surfaces.tools = Some(["read", "nothing_to_record"].map(str::to_owned).into());
    let (tools, _) = offered(rules.clone());
    assert_eq!(tools, [vec!["nothing_to_record", "read"], vec!["nothing_to_record"]]);
    let mut turn = 0;
    let model = |_: &TurnRequest| {
        turn += 1;
        match turn {
            1 => says(vec![call("c1", "get_node", json!({"id": "phen-00000000"}))]),
            _ => words(),
        }
    };
    let lived = live(rules, vec![], model, ok);
    assert_eq!(lived.refusals(), [Refusal::UnknownTool]);
}
