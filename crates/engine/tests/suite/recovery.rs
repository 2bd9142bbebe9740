//! States of objectives and recoveries, driven by hand: tables over scripted tasks.

use crate::life;

use engine::ToolReturn;
use ledger::event::{Phase, RecoveryBegun, RecoveryEnded, RecoveryTrigger, TaskStatus, WithoutFact};
use ledger::turn::{Answer, Message, TurnRequest, UserBlock};
use ledger::{
    Behaviour, Completeness, Condition, Event, Field, FieldValue, Gap, Locator, Objective, Outcome, Output,
    Predicate, Record, RecordId, Rules, ToolSpec, Weight,
};
use life::{Lived, answers, call, investigates, live_up_to, live_with, returned, says, words};
use serde_json::{Value, json};
use std::sync::Arc;

fn objective(id: &str, record: &str) -> Objective {
    Objective {
        id: id.to_owned(),
        question: format!("What of {id}?"),
        applies: None,
        weight: Weight::Activity,
        searched: Vec::new(),
        or: Vec::new(),
        condition: Condition {
            predicate: Predicate::quoted(),
            record: record.into(),
            subject: "*".into(),
            field: "text".into(),
            value: None,
            unless: None,
            earlier: None,
        },
    }
}

/// Returns an objective that this search covers.
fn searched(searched: Value) -> Objective {
    Objective { searched: serde_json::from_value(searched).unwrap(), ..objective("line", "text_line") }
}

/// Returns a tool with this name, whose records are of one type.
fn tool(name: &str, record: &str, arguments: &[&str]) -> ToolSpec {
    investigates(name, &[record], arguments)
}

/// Returns tools with the names that the strategies use.
fn tools() -> Vec<ToolSpec> {
    vec![
        tool("stat_file", "dir_entry", &["path", "evidence"]),
        tool("read_file", "text_line", &["path", "evidence"]),
        tool("parse_file", "prefetch", &["path", "evidence"]),
        tool("carve_strings", "carved_string", &["path", "evidence"]),
        tool("find_files", "dir_entry", &["name", "evidence", "limit"]),
        tool("search_text", "text_line", &["text"]),
        tool("list_deleted", "deleted_entry", &["name"]),
        tool("parse_registry_key", "registry_value", &["key", "hive", "evidence", "logs"]),
        tool("search_registry", "registry_value", &["text", "in"]),
        tool("deleted_registry", "deleted_key", &["text", "hive", "evidence"]),
        investigates(
            "records",
            &["logon", "prefetch", "service", "shortcut", "usn_created"],
            &[
                "source", "record", "where", "hive", "logs", "under", "evidence", "name", "text", "from",
                "to", "count_by",
            ],
        ),
    ]
}

/// Returns the tools that earlier runs had instead of `records`.
fn tools_before() -> Vec<ToolSpec> {
    let mut tools = tools();
    tools.retain(|tool| tool.name != "records");
    tools.extend([
        tool("query_events", "logon", &["channel", "ids", "record", "text", "from", "to"]),
        tool("program_execution", "prefetch", &["source", "text"]),
        tool("user_activity", "shortcut", &["source", "text"]),
        tool("usn_journal", "usn_created", &["name"]),
    ]);
    tools
}

fn empty(note: &str) -> ToolReturn {
    let (gaps, notes) = (vec![], vec![note.to_owned()]);
    ToolReturn { gaps, notes, ..returned(Outcome::Empty, "") }
}

fn failed(note: &str) -> ToolReturn {
    let (gaps, notes, completeness) = (vec![], vec![note.to_owned()], Completeness::Truncated);
    ToolReturn { gaps, notes, completeness, ..returned(Outcome::Failed, "") }
}

fn found(text: &str) -> ToolReturn {
    ToolReturn { gaps: vec![], ..returned(Outcome::Ok, text) }
}

fn begun(lived: &Lived) -> Vec<RecoveryBegun> {
    let begun = |event: &Event| match event {
        Event::RecoveryBegun(begun) => Some(begun.clone()),
        _ => None,
    };
    lived.events.iter().filter_map(begun).collect()
}

fn ended(lived: &Lived) -> Vec<RecoveryEnded> {
    let ended = |event: &Event| match event {
        Event::RecoveryEnded(ended) => Some(ended.clone()),
        _ => None,
    };
    lived.events.iter().filter_map(ended).collect()
}

fn strategies(lived: &Lived) -> Vec<String> {
    begun(lived).into_iter().map(|begun| begun.strategy).collect()
}

fn advice(request: &TurnRequest) -> Option<ledger::turn::Advice> {
    let Some(Message::User(blocks)) = request.messages.last().map(AsRef::as_ref) else { panic!() };
    blocks.iter().find_map(|block| match block {
        UserBlock::Recovery(advice) => Some((**advice).clone()),
        UserBlock::Text { .. } | UserBlock::Answer { .. } | UserBlock::Distilled(_) => None,
    })
}

/// Makes one call, then stops whenever it is asked; if `follows`, it makes the suggested calls.
fn lives(objective: Objective, first: (&str, Value), follows: bool, answer: ToolReturn) -> Lived {
    let mut turn = 0;
    let (name, arguments) = (first.0.to_owned(), first.1);
    live_with(
        tools(),
        Rules::default(),
        vec![objective],
        move |request| {
            turn += 1;
            match advice(request).filter(|_| follows) {
                _ if turn == 1 => says(vec![call("c1", &name, arguments.clone())]),
                Some(advice) => {
                    let calls = advice.calls.iter().enumerate();
                    let made = calls.map(|(index, suggested)| {
                        call(&format!("c{turn}-{index}"), &suggested.tool, suggested.arguments.clone())
                    });
                    says(made.collect())
                }
                None => words(),
            }
        },
        move |_| answer.clone(),
    )
}

fn without(lived: &Lived) -> Option<WithoutFact> {
    lived.ended.objectives[0].without.clone()
}

#[test]
fn each_outcome_calls_for_its_first_strategy_with_calls_made_of_its_arguments() {
    let absent = || empty("no such entry: \"p1/Users/bob/evil.exe\"");
    let no_key = || empty("no key \"ControlSet001\\Services\\Evil\"; the deepest key on that way is \"\"");
    for (record, tool, arguments, answer, strategy, suggested) in [
        (
            "text_line",
            "read_file",
            json!({"path": "p1/Users/bob/evil.exe", "evidence": "disk"}),
            failed("no such entry: \"p1/Users/bob/evil.exe\""),
            "find-by-name",
            json!({"tool": "find_files", "arguments": {"name": "evil.exe"}}),
        ),
        (
            "dir_entry",
            "stat_file",
            json!({"path": "p1/Users/bob/evil.exe"}),
            absent(),
            "find-by-name",
            json!({"tool": "find_files", "arguments": {"name": "evil.exe"}}),
        ),
        (
            "text_line",
            "find_files",
            json!({"name": "*mimikatz*"}),
            empty(""),
            "search-content",
            json!({"tool": "search_text", "arguments": {"text": "mimikatz"}}),
        ),
        (
            "registry_value",
            "parse_registry_key",
            json!({"hive": "p1/SYSTEM", "key": r"ControlSet001\Services\Evil"}),
            no_key(),
            "other-control-set",
            json!({"tool": "parse_registry_key",
                "arguments": {"hive": "p1/SYSTEM", "key": r"ControlSet002\Services\Evil"}}),
        ),
        (
            "registry_value",
            "parse_registry_key",
            json!({"hive": "p1/NTUSER.DAT", "key": r"Software\Evil"}),
            no_key(),
            "other-hive",
            json!({"tool": "search_registry", "arguments": {"text": "Evil", "in": "key_name"}}),
        ),
        (
            "logon",
            "records",
            json!({"record": "logon", "where": "channel = 'Security'", "text": "bob"}),
            empty(""),
            "other-channel",
            json!({"tool": "records", "arguments": {"record": "logon", "text": "bob"}}),
        ),
        (
            "logon",
            "records",
            json!({"source": "event_log", "where": "channel = 'Security' AND event_id = 4624"}),
            empty(""),
            "other-channel",
            json!({"tool": "records",
                "arguments": {"source": "event_log", "count_by": "channel,event_id"}}),
        ),
        (
            "logon",
            "records",
            json!({"source": "event_log", "where": "event_id = 4624", "under": "p1/Logs"}),
            failed("read p1/Logs/Security.evtx: byte 5: expected 9 bytes, found 2"),
            "sibling-of-event-reader",
            json!({"tool": "records", "arguments": {"source": "event_log", "where": "event_id = 4624"}}),
        ),
        (
            "service",
            "records",
            json!({"source": "services", "hive": "p1/SYSTEM"}),
            failed("p1/SYSTEM is not a hive that can be read"),
            "sibling-of-registry-reader",
            json!({"tool": "records",
                "arguments": {"source": "services", "hive": "p1/SYSTEM", "logs": "ignored"}}),
        ),
        (
            "service",
            "records",
            json!({"record": "service", "hive": "p1/SYSTEM"}),
            failed("no such entry: \"p1/SYSTEM\""),
            "other-hive",
            json!({"tool": "records", "arguments": {"record": "service"}}),
        ),
        (
            "usn_created",
            "records",
            json!({"source": "usn_journal", "name": "*evil.exe*"}),
            failed("read p1/$J: byte 5: expected 9 bytes, found 2"),
            "sibling-of-file-system-reader",
            json!({"tool": "records", "arguments": {"source": "mft", "name": "*evil.exe*"}}),
        ),
        (
            "prefetch",
            "records",
            json!({"source": "prefetch", "text": "evil"}),
            failed("the call was stopped"),
            "sibling-of-gatherer",
            json!({"tool": "records", "arguments": {"source": "prefetch"}}),
        ),
        (
            "logon",
            "records",
            json!({"record": "logon", "from": "2025-01-01T00:00:00Z"}),
            empty(""),
            "archived-logs",
            json!({"tool": "find_files", "arguments": {"name": "Archive-*.evtx"}}),
        ),
        (
            "prefetch",
            "parse_file",
            json!({"path": "p1/A.pf"}),
            failed("read p1/A.pf: byte 5: expected 9 bytes, found 2"),
            "sibling-of-file-reader",
            json!({"tool": "read_file", "arguments": {"path": "p1/A.pf"}}),
        ),
    ] {
        let lived = lives(objective("o", record), (tool, arguments), false, answer);
        let first = begun(&lived).into_iter().next().unwrap_or_else(|| panic!("nothing for {tool} {record}"));
        assert_eq!((first.strategy.as_str(), first.attempt), (strategy, 1), "{tool} {record}");
        assert_eq!(first.trigger, RecoveryTrigger::ApparentCompletion);
        assert!(first.because.is_some());
        assert_eq!(serde_json::to_value(&first.calls[0]).unwrap(), suggested, "{strategy}");
    }
}

#[test]
fn traces_are_looked_for_where_the_file_is_gone() {
    let by = json!([{"tool": "records", "arguments": {"source": "program_execution"}}]);
    let wanted = Objective { searched: serde_json::from_value(by).unwrap(), ..objective("o", "prefetch") };
    let absent = empty("no such entry: \"p1/Users/bob/evil.exe\"");
    let lived = lives(wanted, ("stat_file", json!({"path": "p1/Users/bob/evil.exe"})), false, absent);
    assert_eq!(strategies(&lived), ["search-everything", "traces-of-file"]);
    let suggested = json!({"source": "program_execution", "text": "evil"});
    assert_eq!(begun(&lived)[1].calls[0].arguments, suggested);
}

#[test]
fn a_run_that_had_other_tools_is_recovered_by_their_calls() {
    let lived = |newest, tools: Vec<ToolSpec>, name: &'static str, arguments: Value| {
        let mut turn = 0;
        let model = move |_: &TurnRequest| {
            turn += 1;
            if turn == 1 { says(vec![call("c1", name, arguments.clone())]) } else { words() }
        };
        let wanted = vec![objective("o", "logon")];
        live_up_to(newest, tools, Rules::default(), wanted, model, |_| empty(""))
    };
    let before = || json!({"channel": "Security", "ids": "4624"});
    let old = lived(Behaviour::DatedByHost, tools_before(), "query_events", before());
    assert_eq!(strategies(&old), ["other-channel", "archived-logs"]);
    assert_eq!(begun(&old)[0].calls[0].tool, "query_events");
    assert_eq!(begun(&old)[0].calls[0].arguments, json!({"ids": "4624"}));
    // Each table knows only its own tools.
    let now = json!({"source": "event_log", "where": "event_id = 4624"});
    let crossed = lived(Behaviour::DatedByHost, tools(), "records", now);
    assert!(begun(&crossed).is_empty());
    let crossed = lived(Behaviour::OneForRecords, tools_before(), "query_events", before());
    assert!(begun(&crossed).is_empty());
}

#[test]
fn at_most_three_ways_are_tried_in_their_order_and_none_twice() {
    let absent = failed("no such entry: \"p1/Users/bob/evil.txt\"");
    let path = json!({"path": "p1/Users/bob/evil.txt"});
    let lived = lives(objective("o", "text_line"), ("read_file", path), false, absent);
    assert_eq!(strategies(&lived), ["find-by-name", "search-content", "elsewhere"]);
    let attempts: Vec<u32> = begun(&lived).iter().map(|begun| begun.attempt).collect();
    assert_eq!(attempts, [1, 2, 3]);
    use Phase::{Investigate, Record, Recover};
    assert_eq!(lived.phases(), [Investigate, Recover, Recover, Recover, Record]);
    assert_eq!(ended(&lived).len(), 3);
    assert_eq!((without(&lived), lived.ended.status), (Some(WithoutFact::Unmet), TaskStatus::Incomplete));
}

#[test]
fn no_suggested_call_was_made_before() {
    let absent = empty("no such entry: \"evil.txt\"");
    let lived = lives(objective("o", "dir_entry"), ("find_files", json!({"name": "evil.txt"})), true, absent);
    let mut made = vec![("find_files".to_owned(), json!({"name": "evil.txt"}))];
    for begun in begun(&lived) {
        for call in begun.calls {
            let call = (call.tool, call.arguments);
            assert!(!made.contains(&call), "{call:?}");
            made.push(call);
        }
    }
    assert!(made.len() > 1);
    assert!(lived.refusals().is_empty());
}

#[test]
fn spent_turns_set_off_a_recovery_and_what_it_records_is_its_effect() {
    let mut rules = Rules::default();
    rules.budgets.investigate_turns = 1;
    let mut turn = 0;
    let lived = live_with(
        tools(),
        rules,
        vec![objective("o", "text_line")],
        |request| {
            turn += 1;
            match (turn, answers(request).first()) {
                (1, _) => says(vec![call("c1", "find_files", json!({"name": "*evil*"}))]),
                (2, _) => says(vec![call("c2", "search_text", json!({"text": "evil"}))]),
                (3, Some(Answer::Returned(returned))) => {
                    let cited = returned.invocation.to_string();
                    let reading =
                        json!({"predicate": "quoted", "values": {"text": "evil words"}, "invocation": cited});
                    says(vec![call("c3", "record_phenomenon", json!({"readings": [reading]}))])
                }
                _ => words(),
            }
        },
        |number| if number == 1 { empty("") } else { found("evil words") },
    );
    let begun = begun(&lived);
    assert_eq!(
        begun.iter().map(|begun| begun.trigger).collect::<Vec<_>>(),
        [RecoveryTrigger::StepsExhausted]
    );
    let effect = RecoveryEnded { attempt: 1, facts: 1, answered: vec!["o".into()] };
    assert_eq!(ended(&lived), [effect]);
    assert_eq!((lived.ended.status, without(&lived)), (TaskStatus::Completed, None));
    assert_eq!(lived.phases(), [Phase::Investigate, Phase::Recover]);
}

#[test]
fn what_ends_the_task_ends_its_recovery_and_begins_none() {
    let mut turn = 0;
    let lived = live_with(
        tools(),
        Rules::default(),
        vec![objective("o", "text_line")],
        |_| {
            turn += 1;
            match turn {
                1 => says(vec![call("c1", "find_files", json!({"name": "*evil*"}))]),
                2 => words(),
                _ => None,
            }
        },
        |_| empty(""),
    );
    assert_eq!((begun(&lived).len(), ended(&lived).len()), (1, 1));
    let mut turn = 0;
    let lived = live_with(
        tools(),
        Rules::default(),
        vec![objective("o", "text_line")],
        |_| {
            turn += 1;
            (turn == 1).then(|| says(vec![call("c1", "find_files", json!({"name": "*evil*"}))])).flatten()
        },
        |_| empty(""),
    );
    assert!(begun(&lived).is_empty(), "its wall time is spent");
}

#[test]
fn a_run_without_the_behaviour_or_without_attempts_tries_nothing() {
    let mut rules = Rules::default();
    rules.recovery.attempts = 0;
    let mut turn = 0;
    let mut model = move |_: &TurnRequest| {
        turn += 1;
        if turn == 1 { says(vec![call("c1", "find_files", json!({"name": "*evil*"}))]) } else { words() }
    };
    let lived = live_with(tools(), rules, vec![objective("o", "text_line")], &mut model, |_| empty(""));
    assert!(begun(&lived).is_empty() && without(&lived) == Some(WithoutFact::Unmet));
    let mut turn = 0;
    let model = move |_: &TurnRequest| {
        turn += 1;
        if turn == 1 { says(vec![call("c1", "read", json!({}))]) } else { words() }
    };
    let lived = life::live(Rules::default(), vec![objective("o", "text_line")], model, |_| empty(""));
    assert!(begun(&lived).is_empty() && without(&lived).is_none());
}

#[test]
fn where_no_call_leads_anywhere_nothing_is_tried() {
    for (record, tool, arguments, answer) in [
        ("text_line", "find_files", json!({"name": "*"}), empty("")),
        ("text_line", "records", json!({"record": "logon"}), empty("")),
        // Advice for logs without events does not help if there is no prefetch.
        ("prefetch", "records", json!({"source": "prefetch", "where": "runs > 1"}), empty("")),
        ("prefetch", "records", json!({"record": "prefetch", "from": "2025-01-01T00:00:00Z"}), empty("")),
        (
            "no_such_record",
            "read_file",
            json!({"path": "a/evil.txt"}),
            failed("no such entry: \"a/evil.txt\""),
        ),
        ("text_line", "read_file", json!({"path": "a/evil.txt"}), found("words that answer nothing")),
        ("text_line", "read_file", json!({"pth": "a"}), failed("unknown argument \"pth\"; allowed are path")),
    ] {
        let lived = lives(objective("o", record), (tool, arguments), false, answer);
        assert_eq!(strategies(&lived), Vec::<String>::new(), "{tool}");
    }
}

#[test]
fn a_whole_search_that_found_nothing_answers_and_sets_off_nothing() {
    let by = || searched(json!([{"tool": "search_text", "arguments": {"text": "evil"}, "free": ["limit"]}]));
    let whole = ("search_text", json!({"text": "evil"}));
    let lived = lives(by(), whole.clone(), false, empty(""));
    assert!(matches!(without(&lived), Some(WithoutFact::Empty { searches, .. }) if searches.len() == 1));
    assert_eq!((lived.ended.status, begun(&lived).len()), (TaskStatus::Completed, 0));
    let gap = vec![Gap { path: "a".into(), reason: "unreadable".into() }];
    let holed = ToolReturn { gaps: gap, completeness: Completeness::Truncated, ..empty("") };
    for (first, answer) in [
        (("search_text", json!({"text": "evil", "under": "p1"})), empty("")),
        (whole.clone(), found("words")),
        (whole.clone(), ToolReturn { completeness: Completeness::Truncated, ..empty("") }),
        (whole, holed),
    ] {
        let lived = lives(by(), first, false, answer);
        assert!(!matches!(without(&lived), Some(WithoutFact::Empty { .. })));
    }
}

#[test]
fn the_search_that_nobody_made_is_suggested() {
    let by = searched(json!([{"tool": "search_text", "arguments": {"text": "evil"}}]));
    let lived = lives(by, ("search_text", json!({"text": "other"})), true, empty(""));
    assert_eq!(strategies(&lived), ["search-everything"]);
    assert_eq!(begun(&lived)[0].because, None);
    assert!(matches!(without(&lived), Some(WithoutFact::Empty { .. })));
    let effect = RecoveryEnded { attempt: 1, facts: 0, answered: vec!["line".into()] };
    assert_eq!(ended(&lived), [effect]);
}

#[test]
fn what_was_searched_with_a_find_that_answers_nothing_is_not_searched_again() {
    let by = json!([{"tool": "search_text", "arguments": {"text": "evil"}, "free": ["limit"]}]);
    let first = ("search_text", json!({"text": "evil", "limit": 5}));
    let lived = lives(searched(by), first, true, found("words"));
    assert_eq!((strategies(&lived).len(), without(&lived)), (0, Some(WithoutFact::Unmet)));
}

#[test]
fn what_could_not_be_read_makes_an_objective_not_determinable_and_says_what_would_be_needed() {
    let gap = vec![Gap { path: "p1/a.txt".into(), reason: "permission denied".into() }];
    let holed = ToolReturn { gaps: gap, ..empty("") };
    let denied = ToolReturn { outcome: Outcome::Denied, ..failed("not allowed") };
    let ask = || ("search_text", json!({"text": "evil"}));
    for (answer, needed) in [
        (holed, "p1/a.txt: permission denied"),
        (denied, "not allowed"),
        (
            failed("read p1/a.txt: Permission denied (os error 13)"),
            "read p1/a.txt: Permission denied (os error 13)",
        ),
    ] {
        let lived = lives(objective("o", "text_line"), ask(), false, answer);
        let expected = WithoutFact::NotDeterminable { needed: vec![needed.to_owned()] };
        assert_eq!((without(&lived), lived.ended.status), (Some(expected), TaskStatus::Completed));
    }
    for answer in [failed("argument \"text\" is missing"), failed("no such entry: \"a\"")] {
        let lived = lives(objective("o", "text_line"), ask(), false, answer);
        assert_eq!(without(&lived), Some(WithoutFact::Unmet));
    }
    // A tool whose records are not an answer could not have answered.
    let lived = lives(objective("o", "logon"), ask(), false, failed("read a: Permission denied"));
    assert_eq!(without(&lived), Some(WithoutFact::Unmet));
}

#[test]
fn a_listing_shows_what_the_evidence_lacks_and_what_has_to_be_searched() {
    let sources = |pattern: &str| {
        searched(json!([{"tool": "read_file", "sources": {
            "when": {"text": pattern}, "needed": "a SAM hive",
            "each": {"tool": "search_text", "by": {"text": "text"}},
        }}]))
    };
    let mut watched = sources("SAM*");
    watched.weight = Weight::Finding;
    let lived = lives(sources("SAM*"), ("read_file", json!({})), false, found("SYSTEM"));
    let lacking = WithoutFact::NotDeterminable { needed: vec!["a SAM hive".to_owned()] };
    assert_eq!((without(&lived), begun(&lived).len()), (Some(lacking), 0));
    let lived = lives(watched, ("read_file", json!({})), false, found("SYSTEM"));
    assert_eq!(lived.ended.objectives[0].answer(), "not_determinable");
    assert!(begun(&lived).is_empty() && !lived.ended.objectives[0].is_unanswered());
    let each = |outcome: fn() -> ToolReturn| {
        let mut turn = 0;
        live_with(
            tools(),
            Rules::default(),
            vec![sources("SYS*")],
            move |_| {
                turn += 1;
                match turn {
                    1 => says(vec![
                        call("c1", "read_file", json!({})),
                        call("c2", "search_text", json!({"text": "SYSTEM"})),
                    ]),
                    _ => words(),
                }
            },
            move |number| if number == 1 { found("SYSTEM") } else { outcome() },
        )
    };
    let lived = each(|| empty(""));
    assert!(matches!(without(&lived), Some(WithoutFact::Empty { searches, .. }) if searches.len() == 2));
    assert_eq!(without(&each(|| found("words"))), Some(WithoutFact::Unmet));
}

#[test]
fn an_empty_search_is_an_answer_only_where_a_source_is_there() {
    // The listing of the sources, without a search of each, and the search of everything.
    let sources = json!([
        {"tool": "read_file", "sources": {"when": {"text": "SAM*"}, "needed": "a SAM hive"}},
        {"tool": "search_text"},
    ]);
    let lived = |newest, weight, listed: Option<&'static str>| {
        let mut turn = 0;
        let listing = listed.map(|_| call("c1", "read_file", json!({})));
        let calls: Vec<_> = listing.into_iter().chain([call("c2", "search_text", json!({}))]).collect();
        live_up_to(
            newest,
            tools(),
            Rules::default(),
            vec![Objective { weight, ..searched(sources.clone()) }],
            move |_| {
                turn += 1;
                if turn == 1 { says(calls.clone()) } else { words() }
            },
            move |number| match listed.filter(|_| number == 1) {
                Some(text) => found(text),
                None => empty(""),
            },
        )
    };
    let (before, now) = (Behaviour::Recovers, Behaviour::SourcesFirst);
    for (newest, weight, listed, answer) in [
        (now, Weight::Activity, Some("SAM"), "empty"),
        (now, Weight::Finding, Some("SAM"), "empty"),
        (now, Weight::Activity, Some("SYSTEM"), "not_determinable"),
        (now, Weight::Finding, Some("SYSTEM"), "not_determinable"),
        // No call checked whether there is a source.
        (now, Weight::Activity, None, "unmet"),
        (now, Weight::Finding, None, "nothing_found"),
        // Earlier runs keep their status.
        (before, Weight::Activity, Some("SYSTEM"), "not_determinable"),
        (before, Weight::Finding, Some("SYSTEM"), "empty"),
        (before, Weight::Activity, None, "empty"),
        (before, Weight::Finding, None, "empty"),
    ] {
        let lived = lived(newest, weight, listed);
        assert_eq!(lived.ended.objectives[0].answer(), answer, "{newest:?} {weight:?} {listed:?}");
    }
}

#[test]
fn what_is_only_watched_for_sets_off_nothing() {
    let watched = Objective { weight: Weight::Finding, ..objective("o", "text_line") };
    let lived = lives(watched, ("find_files", json!({"name": "*evil*"})), false, empty(""));
    assert_eq!((begun(&lived).len(), lived.ended.objectives[0].answer()), (0, "nothing_found"));
    assert_eq!(without(&lived), Some(WithoutFact::Unmet));
}

/// Returns a record of a deleted file, as the tool of these tests returns it.
fn deleted() -> ToolReturn {
    let field = |value| Field { at: None, value };
    let fields = [
        ("path", FieldValue::Path("p1/$Deleted/9/evil.exe".into())),
        ("state", FieldValue::Text("gone".into())),
    ];
    let record = Record {
        placement: None,
        defects: vec![],
        fields: fields.map(|(name, value)| (name.to_owned(), field(value))).into(),
        id: RecordId(0),
        kind: "deleted_entry".into(),
        locator: Locator { evidence: "e".into(), path: "p1".into(), stream: None, span: None },
    };
    let output = Some(Arc::new(Output::new(vec![record]).unwrap()));
    ToolReturn { output, gaps: vec![], ..returned(Outcome::Ok, "") }
}

/// Makes these calls, states what the first of them returns, then stops.
fn met_once(asked: Vec<(&'static str, Value)>, below: u32) -> Lived {
    met_once_up_to(Behaviour::Sweeps, asked, below)
}

/// Does the same in a run with the behaviours up to this one.
fn met_once_up_to(newest: Behaviour, asked: Vec<(&'static str, Value)>, below: u32) -> Lived {
    let mut rules = Rules::default();
    rules.recovery.confidence_below = below;
    let mut wanted = objective("o", "deleted_entry");
    (wanted.condition.predicate, wanted.condition.field) = (Predicate("deleted".into()), "state".into());
    let mut turn = 0;
    live_up_to(
        newest,
        tools(),
        rules,
        vec![wanted],
        move |request| {
            turn += 1;
            match (turn, answers(request).first()) {
                (1, _) => {
                    let calls = asked.iter().enumerate();
                    let calls = calls.map(|(at, (tool, with))| call(&format!("c{at}"), tool, with.clone()));
                    says(calls.collect())
                }
                (2, Some(Answer::Returned(returned))) => {
                    let cited = returned.invocation.to_string();
                    let values = json!({"path": "p1/$Deleted/9/evil.exe", "state": "gone"});
                    let reading = json!({"predicate": "deleted", "values": values, "invocation": cited});
                    says(vec![call("r", "record_phenomenon", json!({"readings": [reading]}))])
                }
                _ => words(),
            }
        },
        |number| if number == 1 { deleted() } else { empty("") },
    )
}

#[test]
fn little_confidence_called_for_a_source_that_was_not_asked_in_runs_before_behaviour_9() {
    let list = || ("list_deleted", json!({"name": "*evil*"}));
    let lived = met_once(vec![list()], 1001);
    let [first] = &begun(&lived)[..] else { panic!("{:?}", begun(&lived)) };
    assert_eq!((first.trigger, first.because), (RecoveryTrigger::LowConfidence, None));
    assert_eq!(first.calls[0].arguments, json!({"source": "usn_journal", "name": "*evil.exe*"}));
    assert!(first.calls.iter().all(|call| call.tool == "records"));
    let sources: Vec<_> = first.calls.iter().map(|call| &call.arguments["source"]).collect();
    assert_eq!(sources, ["usn_journal", "mft", "recycled"]);
    assert_eq!(lived.ended.status, TaskStatus::Completed);
    assert!(begun(&met_once(vec![list()], 0)).is_empty(), "sure enough");
    let now = met_once_up_to(Behaviour::AnsweredIsDone, vec![list()], 1001);
    assert!(begun(&now).is_empty() && now.ended.status == TaskStatus::Completed, "an answer is one");
    let asked = |sources: &[&'static str]| {
        let calls = sources.iter().map(|source| ("records", json!({"source": source, "name": "*"})));
        begun(&met_once(std::iter::once(list()).chain(calls).collect(), 1001))
    };
    assert_eq!(asked(&["usn_journal", "mft"])[0].calls.len(), 1);
    assert!(asked(&["usn_journal", "mft", "recycled"]).is_empty(), "each other source was asked");
    // A call for a record type of another source has asked none of these.
    let of_type = met_once(vec![list(), ("records", json!({"record": "logon"}))], 1001);
    assert_eq!(begun(&of_type)[0].calls.len(), 3);
}
