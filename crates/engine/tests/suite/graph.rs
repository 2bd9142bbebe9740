//! What an agent adds to the graph besides facts, and what it is shown of it.

use crate::life;

use engine::ToolReturn;
use ledger::event::Refusal;
use ledger::turn::{AbsenceResult, Answer, DerivationResult, NodeView, ReadingResult, ReplyBlock};
use ledger::{Behaviour, Event, NodeId, Outcome, RejectionCode, Rules};
use life::{Lived, answers, call, live_up_to, returned, says, words};
use serde_json::{Value, json};

/// A call, made from the answers so far.
type Make = Box<dyn Fn(&[Answer]) -> Value>;
type Calls = Vec<Make>;

/// Runs a task whose agent makes these calls, one a turn; each is made from the answers so far.
fn lived(calls: Calls, tool: impl FnMut(u32) -> ToolReturn) -> (Lived, Vec<Answer>) {
    lived_up_to(Behaviour::OneForRecords, calls, tool)
}

/// Does the same in a run with the behaviours up to this one.
fn lived_up_to(newest: Behaviour, calls: Calls, tool: impl FnMut(u32) -> ToolReturn) -> (Lived, Vec<Answer>) {
    let mut turn = 0;
    let mut told = Vec::new();
    let lived = live_up_to(
        newest,
        vec![],
        Rules::default(),
        vec![],
        |request| {
            told.extend(answers(request));
            let made = calls.get(turn).map(|make| make(&told));
            turn += 1;
            let block = |made: &Value| -> ReplyBlock {
                call(&format!("c{turn}"), made["tool"].as_str().unwrap(), made["arguments"].clone())
            };
            match made {
                Some(made) => says(vec![block(&made)]),
                None => words(),
            }
        },
        tool,
    );
    (lived, told)
}

fn fixed(tool: &str, arguments: Value) -> Make {
    let made = json!({"tool": tool, "arguments": arguments});
    Box::new(move |_| made.clone())
}

/// Reads the only line and records it.
fn one_fact() -> Calls {
    vec![
        fixed("read", json!({})),
        Box::new(|told| {
            let Some(Answer::Returned(returned)) = told.last() else { panic!("{told:?}") };
            json!({"tool": "record_phenomenon", "arguments": {"interpretation": "odd words", "readings": [{
                "predicate": "quoted", "values": {"text": "eve at ALDER-07"},
                "invocation": returned.invocation.to_string()
            }]}})
        }),
    ]
}

fn fact(told: &[Answer]) -> String {
    let accepted = told.iter().find_map(|answer| match answer {
        Answer::Recorded(recorded) => recorded.readings.first(),
        _ => None,
    });
    match accepted {
        Some(ReadingResult::Accepted { fact, .. }) => fact.to_string(),
        other => panic!("{other:?}"),
    }
}

fn node(told: &[Answer], nth: usize) -> String {
    let added = told.iter().filter_map(|answer| match answer {
        Answer::Node { id } => Some(id.to_string()),
        _ => None,
    });
    added.collect::<Vec<_>>()[nth].clone()
}

fn eve(_: u32) -> ToolReturn {
    returned(Outcome::Ok, "eve at ALDER-07")
}

#[test]
fn a_thing_enters_the_graph_only_under_a_name_that_each_of_its_facts_holds() {
    let mut calls = one_fact();
    for name in ["eve at ALDER-07", "a.txt", "eve", "mallory"] {
        calls.push(Box::new(move |told| {
            json!({"tool": "add_entity", "arguments": {"kind": "account", "name": name, "facts": [fact(told)]}})
        }));
    }
    calls.push(fixed("add_entity", json!({"kind": "account", "name": "eve", "facts": []})));
    calls.push(fixed("add_entity", json!({"kind": "demon", "name": "eve", "facts": ["fact-00000000"]})));
    calls.push(fixed("add_entity", json!({"kind": "account", "name": "a.txt", "facts": ["fact-00000000"]})));
    let (lived, _) = lived(calls, eve);
    let added: Vec<_> = lived.events.iter().filter(|event| matches!(event, Event::EntityAdded(_))).collect();
    assert_eq!(added.len(), 2, "the quoted words and the path: {added:?}");
    use Refusal::{BadArguments, Unsupported};
    assert_eq!(lived.refusals(), [Unsupported, Unsupported, Unsupported, BadArguments, Unsupported]);
}

#[test]
fn a_relation_joins_nodes_of_the_task_and_is_shown_by_facts_that_name_them() {
    let mut calls = one_fact();
    calls.push(Box::new(|told| {
        json!({"tool": "add_entity", "arguments": {"kind": "file", "name": "a.txt", "facts": fact(told)}})
    }));
    calls.push(Box::new(|told| {
        json!({"tool": "link", "arguments": {"from": node(told, 0), "kind": "used", "to": fact(told), "facts": [fact(told)]}})
    }));
    for (from, to) in [("ent-00000000", "fact-00000000"), ("nonsense", "fact-00000000")] {
        calls.push(Box::new(move |told| {
            json!({"tool": "link", "arguments": {"from": from, "kind": "used", "to": to, "facts": [fact(told)]}})
        }));
    }
    calls.push(Box::new(|told| {
        json!({"tool": "link", "arguments": {"from": node(told, 0), "kind": "used", "to": node(told, 0), "facts": [fact(told)]}})
    }));
    let (lived, told) = lived(calls, eve);
    let related: Vec<_> =
        lived.events.iter().filter(|event| matches!(event, Event::RelationAdded(_))).collect();
    assert_eq!(related.len(), 1, "{told:?}");
    use Refusal::{BadArguments, Unsupported};
    assert_eq!(lived.refusals(), [Unsupported, BadArguments, BadArguments]);
}

#[test]
fn a_hypothesis_is_supported_or_contradicted_by_facts_only() {
    let mut calls = one_fact();
    calls.push(fixed("propose_hypothesis", json!({"statement": "Eve was here"})));
    calls.push(Box::new(|told| {
        json!({"tool": "assess_hypothesis", "arguments": {"hypothesis": node(told, 0), "assessment": "supported"}})
    }));
    calls.push(Box::new(|told| {
        json!({"tool": "assess_hypothesis", "arguments": {
            "hypothesis": node(told, 0), "assessment": "supported", "supporting": [fact(told)], "contradicting": [fact(told)]}})
    }));
    calls.push(Box::new(|told| {
        json!({"tool": "assess_hypothesis", "arguments": {
            "hypothesis": node(told, 0), "assessment": "supported", "supporting": [fact(told)], "reason": "her name"}})
    }));
    let (lived, _) = lived(calls, eve);
    let assessed: Vec<_> =
        lived.events.iter().filter(|e| matches!(e, Event::HypothesisAssessed(_))).collect();
    assert_eq!(assessed.len(), 1);
    assert_eq!(lived.refusals(), [Refusal::Unsupported, Refusal::BadArguments]);
}

#[test]
fn an_empty_search_shows_an_absence_and_one_that_met_gaps_does_not() {
    let claim = |name: &'static str| -> Make {
        Box::new(move |told| {
            let Some(Answer::Returned(returned)) = told.first() else { panic!("{told:?}") };
            json!({"tool": "record_absence", "arguments": {
                "form": "file", "name": name, "searches": [returned.invocation.to_string()], "interpretation": "none"}})
        })
    };
    let search = |whole: bool| {
        move |_| ToolReturn {
            gaps: if whole { vec![] } else { returned(Outcome::Empty, "").gaps },
            normalised: Some(json!({"name": "x.exe"})),
            ..returned(Outcome::Empty, "")
        }
    };
    let calls = || vec![fixed("read", json!({})), claim("X.EXE"), claim("y.exe")];
    let (whole, told) = lived(calls(), search(true));
    let [
        _,
        Answer::Absence(AbsenceResult::Accepted { .. }),
        Answer::Absence(AbsenceResult::Rejected { rejection }),
    ] = &told[..]
    else {
        panic!("{told:?}")
    };
    assert_eq!(rejection.code, RejectionCode::CoverageMissing);
    assert_eq!(whole.ended.rejections, 1);
    let (partial, _) = lived(calls(), search(false));
    assert_eq!(partial.ended.rejections, 2);
    assert!(!partial.events.iter().any(|event| matches!(event, Event::AbsenceAccepted(_))));
}

#[test]
fn an_absence_with_a_member_of_another_form_is_refused_and_not_cut_down() {
    let calls = vec![fixed(
        "record_absence",
        json!({"form": "file", "name": "x", "key": "Run", "searches": ["inv-00000000"]}),
    )];
    let (lived, _) = lived(calls, eve);
    assert_eq!(lived.refusals(), [Refusal::BadArguments]);
}

#[test]
fn what_a_fact_says_with_itself_is_derived_and_can_be_opened_and_what_it_does_not_say_is_refused() {
    let derive = |form: &'static str, field: &'static str| -> Make {
        Box::new(move |told| {
            let terms = json!([{"fact": fact(told), "field": "path"}, {"fact": fact(told), "field": field}]);
            json!({"tool": "record_derivation", "arguments": {"form": form, "terms": terms}})
        })
    };
    let mut calls = one_fact();
    calls.extend([derive("different", "text"), derive("same", "text"), derive("sum", "text")]);
    calls.push(Box::new(|told| {
        let derived = told.iter().find_map(|answer| match answer {
            Answer::Derivation(DerivationResult::Accepted { derivation }) => Some(derivation.to_string()),
            _ => None,
        });
        json!({"tool": "get_node", "arguments": {"id": derived}})
    }));
    let (lived, told) = lived(calls, eve);
    let Some(Answer::Nodes { nodes, .. }) = told.last() else { panic!("{told:?}") };
    assert!(matches!(nodes[0].id, NodeId::Derivation(_)), "{nodes:?}");
    assert!(nodes[0].title.starts_with("different: "), "{nodes:?}");
    assert!(matches!(nodes[1].id, NodeId::Fact(_)), "{nodes:?}");
    // The sum has no total: its arguments are malformed, and nothing is judged.
    assert_eq!(lived.refusals(), [Refusal::BadArguments]);
    assert_eq!(lived.ended.rejections, 1);
    let derived = lived.events.iter().filter(|event| matches!(event, Event::DerivationAccepted(_))).count();
    assert_eq!(derived, 1);
}

#[test]
fn what_was_found_can_be_listed_searched_and_opened_in_pages() {
    let mut calls = one_fact();
    calls.push(fixed("list_phenomena", json!({"limit": "5"})));
    calls.push(fixed("search_graph", json!({"text": "ODD WORDS"})));
    calls.push(Box::new(|told| json!({"tool": "get_node", "arguments": {"id": fact(told)}})));
    calls.push(fixed("list_invocations", json!({"offset": 1})));
    calls.push(fixed("get_node", json!({"id": "fact-00000000"})));
    let (lived, told) = lived(calls, eve);
    let shown: Vec<&Vec<NodeView>> = told
        .iter()
        .filter_map(|answer| match answer {
            Answer::Nodes { nodes, .. } => Some(nodes),
            _ => None,
        })
        .collect();
    let [phenomena, searched, opened, invocations] = &shown[..] else { panic!("{told:?}") };
    assert!(
        matches!(phenomena[0].id, NodeId::Phenomenon(_)) && phenomena[0].title.contains("eve at ALDER-07")
    );
    assert_eq!(phenomena, searched);
    let kinds: Vec<_> = opened.iter().map(|node| node.id.to_string()[..4].to_owned()).collect();
    assert_eq!(kinds, ["fact", "inv-"], "the fact, then what it is based on");
    assert!(invocations.is_empty());
    assert_eq!(lived.refusals(), [Refusal::BadArguments]);
    let read = lived.events.iter().filter(|event| matches!(event, Event::GraphRead(_))).count();
    assert_eq!(read, 4);
}

#[test]
fn a_node_is_shown_with_what_is_based_on_it() {
    let mut calls = one_fact();
    calls.push(Box::new(|told| json!({"tool": "get_node", "arguments": {"id": fact(told)}})));
    let (_, told) = lived_up_to(Behaviour::Connects, calls, eve);
    let Some(Answer::Nodes { nodes, .. }) = told.last() else { panic!("{told:?}") };
    let kinds: Vec<_> = nodes.iter().map(|node| node.id.to_string()[..4].to_owned()).collect();
    assert_eq!(kinds, ["fact", "phen", "inv-"]);
}
