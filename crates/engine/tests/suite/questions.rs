//! The status of a question that no fact answers, from what the calls covered and returned.

use crate::life;
use engine::ToolReturn;
use ledger::event::{Phase, TaskStatus, WithoutFact};
use ledger::pattern::Patterns;
use ledger::{
    Alternative, Behaviour, Completeness, Condition, Gap, Objective, Outcome, Predicate, Rules, Weight,
};
use life::{Lived, call, investigates, live_up_to, returned, says, words};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The question who wrote `evil`, which one call searches, whatever its limit.
fn question(weight: Weight) -> Objective {
    let by = json!([{"tool": "search_text", "arguments": {"text": "any"}, "free": ["limit"]}]);
    Objective {
        id: "evil".to_owned(),
        question: "Who wrote evil?".to_owned(),
        applies: None,
        weight,
        searched: serde_json::from_value(by).unwrap(),
        or: Vec::new(),
        condition: Condition {
            predicate: Predicate::quoted(),
            record: "text_line".into(),
            subject: "*".into(),
            field: "text".into(),
            value: Some(Patterns::from("*evil*")),
            unless: None,
            earlier: None,
        },
    }
}

/// The same question, which a second kind of source also answers; for each, a listing must show whether there is one.
fn question_of_two_sources() -> Objective {
    let by = |listing: &str, needed: &str, search: &str| json!([{"tool": listing, "sources": {"needed": needed}}, {"tool": search, "arguments": {"text": "any"}}]);
    let question = question(Weight::Activity);
    let value = Some(Patterns::from("*wicked*"));
    let or = Alternative {
        condition: Condition { value, ..question.condition.clone() },
        searched: serde_json::from_value(by("list_logs", "a log", "read_log")).unwrap(),
    };
    let searched = serde_json::from_value(by("list_hives", "a hive", "search_text")).unwrap();
    Objective { searched, or: vec![or], ..question }
}

/// The same question, searched by one call that reads more kinds of hives than the required one.
fn question_of_one_hive(each: Value) -> Objective {
    let sources = json!({"when": {"text": "SOFTWARE"}, "needed": "a SOFTWARE hive"});
    let mut by = json!([{"tool": "list_hives", "sources": sources}, {"tool": "search_text", "arguments": {"source": "any"}, "free": ["limit"]}]);
    if !each.is_null() {
        by[0]["sources"]["each"] = each;
    }
    Objective { searched: serde_json::from_value(by).unwrap(), ..question(Weight::Finding) }
}

/// Makes these calls with these answers, and records nothing.
fn looks(weight: Weight, calls: &[(&str, Value, ToolReturn)]) -> Lived {
    looks_for(question(weight), calls)
}

fn looks_for(question: Objective, calls: &[(&str, Value, ToolReturn)]) -> Lived {
    looks_up_to(Behaviour::Questions, without_recovery(), question, calls)
}

fn without_recovery() -> Rules {
    let mut rules = Rules::default();
    rules.recovery.attempts = 0;
    rules
}

/// Does the same in a run with the behaviours up to this one; any later call finds nothing.
fn looks_up_to(
    newest: Behaviour,
    rules: Rules,
    question: Objective,
    calls: &[(&str, Value, ToolReturn)],
) -> Lived {
    let mut turn = 0;
    let answers: Vec<ToolReturn> = calls.iter().map(|(.., answer)| answer.clone()).collect();
    let calls: Vec<_> =
        calls.iter().map(|(tool, arguments, _)| ((*tool).to_owned(), arguments.clone())).collect();
    let mut made = 0;
    live_up_to(
        newest,
        vec![
            investigates("search_text", &["text_line"], &["source", "text"]),
            investigates("read_log", &["text_line"], &[]),
            investigates("list_hives", &["hive"], &[]),
            investigates("list_logs", &["log"], &[]),
        ],
        rules,
        vec![question],
        move |_| {
            turn += 1;
            let Some((tool, arguments)) = calls.get(turn - 1) else { return words() };
            says(vec![call(&format!("c{turn}"), tool, arguments.clone())])
        },
        move |_| {
            made += 1;
            answers.get(made - 1).cloned().unwrap_or_else(empty)
        },
    )
}

fn empty() -> ToolReturn {
    ToolReturn { gaps: vec![], notes: vec![], ..returned(Outcome::Empty, "") }
}

fn line(text: &str) -> ToolReturn {
    ToolReturn { gaps: vec![], ..returned(Outcome::Ok, text) }
}

fn truncated(answer: ToolReturn) -> ToolReturn {
    ToolReturn { completeness: Completeness::Truncated, ..answer }
}

fn stands(calls: &[(&str, Value, ToolReturn)]) -> &'static str {
    let ended = looks(Weight::Activity, calls).ended;
    let result = &ended.objectives[0];
    let is_closed = matches!(result.answer(), "empty" | "not_determinable");
    assert_eq!(ended.status == TaskStatus::Completed, is_closed, "{result:?}");
    result.answer()
}

#[test]
fn a_question_stands_as_its_calls_covered_and_returned() {
    let any = || json!({"text": "any"});
    let page = |offset: u32| json!({"text": "any", "limit": 1, "offset": offset});
    let gap = ToolReturn { gaps: vec![Gap { path: "a".into(), reason: "why".into() }], ..truncated(empty()) };
    let failed = ToolReturn { outcome: Outcome::Failed, ..truncated(empty()) };
    for (expected, calls) in [
        ("not_asked", vec![]),
        ("not_asked", vec![("list_hives", json!({}), empty())]),
        ("empty", vec![("search_text", any(), empty())]),
        // Other records do not matter to the question.
        ("empty", vec![("search_text", any(), line("good"))]),
        ("seen", vec![("search_text", any(), line("evil"))]),
        ("seen", vec![("search_text", json!({"text": "evil"}), line("evil"))]),
        // A complete search does not cancel what another call returned.
        (
            "seen",
            vec![("search_text", json!({"text": "evil"}), line("evil")), ("search_text", any(), empty())],
        ),
        ("partly", vec![("search_text", json!({"text": "any", "from": "1999"}), empty())]),
        ("partly", vec![("search_text", any(), truncated(line("good")))]),
        ("partly", vec![("search_text", any(), gap)]),
        ("partly", vec![("search_text", any(), failed)]),
        ("partly", vec![("search_text", page(1), line("good"))]),
        (
            "empty",
            vec![("search_text", page(0), truncated(line("good"))), ("search_text", page(1), line("good"))],
        ),
        (
            "partly",
            vec![("search_text", page(0), truncated(line("good"))), ("search_text", page(2), line("good"))],
        ),
        // A repeated first page, or overlapping pages, do not lose the rest.
        (
            "empty",
            vec![("search_text", page(0), truncated(line("good"))), ("search_text", any(), line("good"))],
        ),
        (
            "empty",
            vec![
                ("search_text", page(0), truncated(line("good"))),
                ("search_text", page(1), truncated(line("good"))),
                ("search_text", json!({"text": "any", "limit": 2, "offset": 1}), line("good")),
            ],
        ),
    ] {
        assert_eq!(stands(&calls), expected, "{calls:?}");
    }
}

#[test]
fn a_question_with_alternatives_is_closed_where_every_source_that_is_there_was_searched() {
    let any = || json!({"text": "any"});
    let listed = |tool, answer| (tool, json!({}), answer);
    let (there, none) = (line("one"), empty());
    let (hives, logs) = ("list_hives", "list_logs");
    for (expected, told, calls) in [
        (
            "not_determinable",
            vec!["a hive", "a log"],
            vec![listed(hives, none.clone()), listed(logs, none.clone())],
        ),
        // A log that says nothing does not replace the missing hive.
        (
            "not_determinable",
            vec!["a hive"],
            vec![listed(hives, none.clone()), listed(logs, there.clone()), ("read_log", any(), empty())],
        ),
        ("not_asked", vec![], vec![listed(hives, none.clone()), listed(logs, there.clone())]),
        ("not_asked", vec![], vec![listed(hives, none.clone())]),
        (
            "empty",
            vec![],
            vec![listed(hives, there.clone()), ("search_text", any(), empty()), listed(logs, none.clone())],
        ),
        (
            "partly",
            vec!["read_log text=any"],
            vec![listed(hives, there.clone()), ("search_text", any(), empty()), listed(logs, there.clone())],
        ),
        (
            "partly",
            vec!["list_logs", "read_log text=any"],
            vec![listed(hives, there.clone()), ("search_text", any(), empty())],
        ),
        (
            "empty",
            vec![],
            vec![
                listed(hives, there.clone()),
                ("search_text", any(), empty()),
                listed(logs, there.clone()),
                ("read_log", any(), line("good")),
            ],
        ),
        ("seen", vec![], vec![listed(logs, there.clone()), ("read_log", any(), line("wicked"))]),
        ("seen", vec![], vec![("search_text", json!({"text": "evil"}), line("evil"))]),
    ] {
        let ended = looks_for(question_of_two_sources(), &calls).ended;
        let result = &ended.objectives[0];
        let found = match result.without.clone().unwrap() {
            WithoutFact::NotDeterminable { needed } => needed,
            WithoutFact::Partly { missing, .. } => missing,
            _ => Vec::new(),
        };
        assert_eq!(
            (result.answer(), found),
            (expected, told.into_iter().map(str::to_owned).collect()),
            "{calls:?}"
        );
    }
}

#[test]
fn a_source_that_is_lacking_closes_no_question_whose_search_reads_others_that_are_there() {
    let any = || json!({"source": "any"});
    let listed = |answer| ("list_hives", json!({}), answer);
    let (of_a_user, none) = (line("NTUSER"), empty());
    let each = json!({"tool": "search_text", "arguments": {"text": "any"}, "by": {"hive": "path"}});
    let (before, now) = (Behaviour::NoVerdicts, Behaviour::SearchedElsewhere);
    // A record type says what it is from: none of its records are elsewhere.
    let mut of_type = question_of_one_hive(Value::Null);
    of_type.searched[1].arguments = BTreeMap::from([("record".to_owned(), json!("text_line"))]);
    let calls = [listed(of_a_user.clone())];
    let ended = looks_up_to(now, without_recovery(), of_type, &calls).ended;
    assert_eq!(ended.objectives[0].answer(), "not_determinable");
    for (newest, each, calls, expected) in [
        (now, Value::Null, vec![listed(of_a_user.clone())], "not_asked"),
        (before, Value::Null, vec![listed(of_a_user.clone())], "not_determinable"),
        // There is no hive that could hold anything.
        (now, Value::Null, vec![listed(none)], "not_determinable"),
        // Sources that are searched one by one are all that could answer.
        (now, each, vec![listed(of_a_user.clone())], "not_determinable"),
        (
            now,
            Value::Null,
            vec![listed(of_a_user.clone()), ("search_text", any(), empty())],
            "not_determinable",
        ),
        (
            now,
            Value::Null,
            vec![listed(of_a_user.clone()), ("search_text", any(), line("good"))],
            "not_determinable",
        ),
        (now, Value::Null, vec![listed(of_a_user.clone()), ("search_text", any(), line("evil"))], "seen"),
        (
            now,
            Value::Null,
            vec![listed(of_a_user.clone()), ("search_text", any(), truncated(line("good")))],
            "partly",
        ),
        (
            now,
            Value::Null,
            vec![listed(of_a_user), ("search_text", json!({"source": "any", "from": "1999"}), empty())],
            "partly",
        ),
    ] {
        let ended = looks_up_to(newest, without_recovery(), question_of_one_hive(each), &calls).ended;
        let result = &ended.objectives[0];
        assert_eq!(result.answer(), expected, "{newest:?} {calls:?}");
        if let Some(WithoutFact::Partly { missing, .. }) = &result.without {
            assert_eq!(missing, &["search_text source=any"]);
        }
    }
}

#[test]
fn what_lacks_its_source_is_left_to_the_sweep_and_sets_no_recovery_off() {
    let recoveries = |question: Objective, listing: ToolReturn| {
        let calls = [("list_hives", json!({}), listing)];
        let lived = looks_up_to(Behaviour::SearchedElsewhere, Rules::default(), question, &calls);
        lived.phases().iter().filter(|phase| **phase == Phase::Recover).count()
    };
    assert_eq!(recoveries(question_of_one_hive(Value::Null), line("NTUSER")), 0);
    assert_eq!(recoveries(question_of_one_hive(Value::Null), line("SOFTWARE")), 1);
    // Another way that has a source is worth a try, whatever the question's own way lacks.
    let mut question = question_of_one_hive(Value::Null);
    question.or = question_of_two_sources().or;
    assert_eq!(recoveries(question, line("NTUSER")), 1);
}

#[test]
fn what_was_partly_searched_names_the_search_that_was_not_made_and_what_could_not_be_read() {
    let gap = Gap { path: "p1/a.txt".into(), reason: "permission denied".into() };
    let holed = ToolReturn { gaps: vec![gap], ..truncated(empty()) };
    let lived = looks(Weight::Activity, &[("search_text", json!({"text": "any", "under": "p1"}), holed)]);
    let Some(WithoutFact::Partly { calls, missing }) = &lived.ended.objectives[0].without else { panic!() };
    assert_eq!(calls.len(), 1);
    assert_eq!(missing, &["p1/a.txt: permission denied", "search_text text=any"]);
}

#[test]
fn a_question_of_any_weight_is_open_until_it_was_looked_for() {
    let lived = looks(Weight::Finding, &[]);
    let result = &lived.ended.objectives[0];
    assert!(!result.watched && result.is_unmet(), "{result:?}");
    assert_eq!(lived.ended.status, TaskStatus::Incomplete);
}

/// Leaving a call out never improves a question's status.
#[test]
fn a_call_less_never_improves_how_a_question_stands() {
    let rank =
        |word| ["not_asked", "partly", "empty", "seen"].iter().position(|known| *known == word).unwrap();
    let all = [
        ("search_text", json!({"text": "any"}), truncated(line("good"))),
        ("search_text", json!({"text": "any", "limit": 1, "offset": 0}), truncated(line("good"))),
        ("search_text", json!({"text": "any", "limit": 1, "offset": 1}), line("good")),
        ("search_text", json!({"text": "other"}), line("good")),
        ("list_hives", json!({}), empty()),
        ("search_text", json!({"text": "any", "under": "p1"}), line("evil")),
    ];
    let subset = |mask: usize| {
        let kept = all.iter().enumerate().filter(|(index, _)| mask & (1 << index) != 0);
        kept.map(|(_, call)| call.clone()).collect::<Vec<_>>()
    };
    let states: Vec<_> = (0..1 << all.len()).map(|mask| rank(stands(&subset(mask)))).collect();
    for mask in 0..states.len() {
        for index in (0..all.len()).filter(|index| mask & (1 << index) != 0) {
            assert!(states[mask & !(1 << index)] <= states[mask], "{mask:b} without {index}");
        }
    }
}
