//! `locard replay --rules`: judges a recorded run again under other rules.

use crate::support::rechained;
use crate::support::{Place, answers, demo_folder, invocations, script, str};
use graph::fact_title;
use ledger::turn::{Answer, Page, Reply};
use ledger::{FieldValue, Rules};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;
use testkit::scripted::{Scripted, calls, words};

/// Judges the run again under a rules file.
fn rejudged(place: &Place, run: &str, rules: &str) -> Value {
    let file = place.file("other.toml", rules);
    let out = place.locard_ends(0, &["replay", run, "--rules", str(&file), "--format", "json"]);
    let value: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(value["locard_replay"], 1);
    value["rejudged"].clone()
}

fn text(place: &Place, run: &str, rules: &str) -> String {
    let file = place.file("other.toml", rules);
    place.locard_ends(0, &["replay", run, "--rules", str(&file)])
}

/// Asserts that every line of a block in docs/replay.md is printed; lines that begin with an ellipsis are skipped.
#[track_caller]
fn as_documented(number: usize, told: &str) {
    let page = std::fs::read_to_string(demo_folder().join("../../docs/replay.md")).unwrap();
    let block = page.split("```text\n").nth(number).unwrap().split("```").next().unwrap();
    for line in block.lines().filter(|line| !line.starts_with('…')) {
        assert!(told.lines().any(|found| found == line), "{line:?} is not in\n{told}");
    }
}

fn rules(text: &str) -> Rules {
    toml::from_str(text).unwrap()
}

/// How many claims differ in each way, over all tasks.
fn ways(rejudged: &Value) -> Value {
    let counts = rejudged["totals"]["changes"].as_object().unwrap();
    counts
        .iter()
        .map(|(way, count)| (way.clone(), count["all"].clone()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

#[track_caller]
fn nothing_changes(rejudged: &Value) {
    assert_eq!(rejudged["rules"], json!([]), "{rejudged}");
    for task in rejudged["tasks"].as_array().unwrap() {
        assert_eq!((&task["then"], &task["changes"]), (&task["now"], &json!([])), "{task}");
        assert_eq!(task["told_same_until"], Value::Null, "{task}");
        assert_eq!((&task["unused_replies"], &task["unanswered_calls"]), (&json!(0), &json!(0)), "{task}");
        assert!(task["log_ends"].is_null() || task["log_ends"]["breaks_off"] == true, "{task}");
        assert_eq!((&task["otherwise_under_own_rules"], &task["stuck"]), (&json!(0), &Value::Null), "{task}");
    }
}

/// The id with its last digit changed, as a model might mistype it.
fn mistyped(id: &str) -> String {
    let (rest, last) = id.split_at(id.len() - 1);
    format!("{rest}{}", if last == "0" { "1" } else { "0" })
}

/// An agent that lists the files and records some of them, one per call and sixteen calls per turn, citing a mistyped id.
fn careless(first: usize, number: usize) -> Scripted {
    let mut turn = 0;
    let mut readings: Vec<Value> = Vec::new();
    Scripted::new(move |request| {
        turn += 1;
        if turn == 1 {
            return Some(calls(1, &[("find_files", json!({"name": "*"}))]));
        }
        if let [Answer::Returned(returned)] = answers(request).as_slice() {
            let cited = mistyped(&returned.invocation.to_string());
            let reading =
                |path| json!({"predicate": "present", "values": {"path": path}, "invocation": cited});
            let paths = paths(returned.page.as_ref().unwrap());
            readings = paths[first..first + number].iter().map(reading).collect();
        }
        let now: Vec<_> = readings.drain(..readings.len().min(16)).collect();
        let record = |reading| ("record_phenomenon", json!({"readings": [reading]}));
        match now.is_empty() {
            true => Some(words("done")),
            false => Some(calls(turn, &now.into_iter().map(record).collect::<Vec<_>>())),
        }
    })
}

fn paths(page: &Page) -> Vec<String> {
    let path = |record: &ledger::Record| match &record.fields["path"].value {
        FieldValue::Path(path) => path.clone(),
        other => panic!("{other:?}"),
    };
    page.output.records().iter().map(path).collect()
}

fn careless_agents() -> Vec<(&'static str, Scripted)> {
    vec![("filesystem", careless(10, 28)), ("registry", careless(38, 28)), ("timeline", careless(66, 27))]
}

/// The first incident that motivated this project.
#[test]
fn eighty_three_refused_citations_are_healed_under_the_rescue() {
    let place = Place::new();
    let without = rules("[gate]\nrescue = false");
    let (finished, run) = place.investigate(without, careless_agents());
    assert_eq!((run.facts().count(), graph::refused_claims(&run).len()), (0, 83));

    let folder = str(&finished.folder);
    let other = rejudged(&place, folder, "[gate]\nrescue = true\n");
    assert_eq!(other["rules"], json!([{"rule": "gate.rescue", "then": false, "now": true}]));
    assert_eq!(ways(&other), json!({"heals": 83}));
    let totals = &other["totals"];
    assert_eq!((&totals["facts_then"], &totals["facts_now"]), (&json!(0), &json!(83)));
    assert_eq!((&totals["refused_then"], &totals["refused_now"]), (&json!(83), &json!(0)));
    // The first sixteen claims of each agent are in one reply. After that reply, the agent might have claimed something else.
    assert_eq!(totals["changes"]["heals"]["estimated"], 83 - 3 * 16);
    for task in other["tasks"].as_array().unwrap() {
        assert_eq!(task["first"], json!({"turn": 2, "call": "call-2-0", "index": 0}));
        assert_eq!(task["told_same_until"], 2);
        for change in task["changes"].as_array().unwrap() {
            assert_eq!(change["estimate"].as_bool(), Some(change["turn"].as_u64() > Some(2)), "{change}");
            assert_eq!(change["then"]["code"], "unknown_invocation");
            assert_eq!(change["now"]["healing"]["because"], "unknown_invocation");
        }
    }
    as_documented(1, &text(&place, folder, "[gate]\nrescue = true\n"));
    // These agents ignore what they are told, so the estimate must equal what they do when really run under the other rules.
    let live = Place::new();
    let (_, live) = live.investigate(Rules::default(), careless_agents());
    let lived: BTreeSet<_> = live.facts().map(|(_, accepted)| fact_title(&accepted.fact)).collect();
    let titles = |task: &Value| {
        let changes = task["changes"].as_array().unwrap().iter();
        changes.map(|change| change["now"]["title"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let estimated: BTreeSet<_> = other["tasks"].as_array().unwrap().iter().flat_map(titles).collect();
    assert_eq!((estimated.len(), &estimated), (83, &lived));
}

/// An agent that investigates until its turns are used up, asks for evidence eleven more times, and only then records.
fn late() -> Scripted {
    let mut turn = 0;
    let mut cited = String::new();
    Scripted::new(move |request| {
        turn += 1;
        if let Some(first) = invocations(request).first().filter(|_| turn == 2) {
            cited = first.clone();
        }
        let reading = |name| json!({"predicate": "present", "values": {"name": name}, "invocation": cited});
        Some(match turn {
            1 => calls(turn, &[("list_directory", json!({"path": "p1/Users"}))]),
            2..=71 => calls(turn, &[("list_directory", json!({"path": "/", "limit": turn}))]),
            72 => {
                let readings = ["it-admin", "mara"].map(reading);
                calls(turn, &[("record_phenomenon", json!({"readings": readings}))])
            }
            _ => words("done"),
        })
    })
}

/// A run of the late agent with the objective to find out whose folders there are.
fn late_run(place: &Place, rules: Rules) -> (PathBuf, graph::Run) {
    let mut request = place.request(rules, vec![("timeline", late())]);
    request.agents[0].spec.objectives = serde_json::from_value(json!([{
        "id": "folders",
        "question": "Whose folders are there?",
        "condition": {"predicate": "present", "record": "dir_entry", "subject": "*/Users/*", "field": "name"},
    }]))
    .unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let finished = runtime.block_on(app::run(request)).unwrap();
    let run = app::load_run(&finished.folder).unwrap();
    (finished.folder, run)
}

/// The second incident that motivated this project: what ten record turns would have made of a run with thirty.
#[test]
fn under_ten_record_turns_the_late_timeline_agent_records_nothing() {
    let place = Place::new();
    let (folder, run) = late_run(&place, Rules::default());
    assert_eq!(run.facts().count(), 2);
    let other = rejudged(&place, str(&folder), "[budgets]\nrecord_turns = 10\n");
    let task = &other["tasks"][0];
    assert_eq!((&task["then"]["facts"], &task["now"]["facts"]), (&json!(2), &json!(0)));
    assert_eq!((&task["then"]["turns"], &task["now"]["turns"]), (&json!(73), &json!(70)));
    assert_eq!(
        (&task["then"]["status"], &task["now"]["status"]),
        (&json!("completed"), &json!("budget_spent"))
    );
    assert_eq!((&task["now"]["spent"], &task["unused_replies"]), (&json!("turns"), &json!(3)));
    assert_eq!((&task["objectives"][0]["then"], &task["objectives"][0]["now"]), (&json!(2), &json!(0)));
    assert_eq!(ways(&other), json!({"falls": 2}));
    for change in task["changes"].as_array().unwrap() {
        assert_eq!((&change["change"], &change["turn"]), (&json!("falls"), &json!(72)));
        assert_eq!(change["now"], json!({"verdict": "not_judged", "because": "turn_not_reached"}));
        // The agent is told nothing different before its end, so this is certain and not an estimate.
        assert_eq!(change["estimate"], json!(false));
    }
    assert_eq!(task["told_same_until"], Value::Null);
    as_documented(2, &text(&place, str(&folder), "[budgets]\nrecord_turns = 10\n"));
    // A real run under these rules has the same result.
    let (_, live) = late_run(&Place::new(), rules("[budgets]\nrecord_turns = 10"));
    assert_eq!((live.facts().count(), live.tasks.values().next().unwrap().turns), (0, 70));
}

/// The reverse: a log of ten turns cannot show what twenty more would have brought.
#[test]
fn under_thirty_record_turns_the_log_of_ten_ends_before_anything_is_known() {
    let place = Place::new();
    let (folder, run) = late_run(&place, rules("[budgets]\nrecord_turns = 10"));
    assert_eq!(run.facts().count(), 0);
    let other = rejudged(&place, str(&folder), "[budgets]\nrecord_turns = 30\n");
    let task = &other["tasks"][0];
    assert_eq!(
        task["log_ends"],
        json!({"turn": 71, "phase": "record", "turns_left": 20, "breaks_off": false})
    );
    assert_eq!(task["then"]["status"], "budget_spent");
    assert_eq!((&task["now"]["status"], &task["now"]["unmet"]), (&Value::Null, &Value::Null));
    assert_eq!((&task["now"]["facts"], &task["changes"]), (&json!(0), &json!([])));
    assert_eq!(task["objectives"], json!([]));
    as_documented(3, &text(&place, str(&folder), "[budgets]\nrecord_turns = 30\n"));
}

#[test]
fn calls_that_were_refused_then_are_answered_where_the_recording_can_and_counted_where_it_cannot() {
    let place = Place::new();
    // In the record phase, the agent asks for a folder that it has seen, or for one that it has not.
    let late = |wanted: &'static str| -> Scripted {
        script(vec![
            Box::new(|_| calls(1, &[("list_directory", json!({"path": "p1/Users"}))])),
            Box::new(|_| words("seen")),
            Box::new(move |_| {
                calls(3, &["p1/Users", wanted].map(|path| ("list_directory", json!({"path": path}))))
            }),
            Box::new(|_| {
                let reading =
                    json!({"predicate": "present", "values": {"name": "mara"}, "invocation": "inv-00000000"});
                calls(4, &[("record_phenomenon", json!({"readings": [reading]}))])
            }),
        ])
    };
    let agents = vec![("filesystem", late("p1")), ("registry", late("p1/Windows"))];
    let (finished, _) = place.investigate(Rules::default(), agents);
    let wide = "[surfaces]\nrecord = [\"INVESTIGATE\", \"RECORD\", \"GRAPH_WRITE\", \"GRAPH_READ\"]\n";
    let other = rejudged(&place, str(&finished.folder), wide);
    assert_eq!(other["rules"][0]["rule"], "surfaces.record");
    for task in other["tasks"].as_array().unwrap() {
        assert_eq!((&task["then"]["refused_calls"], &task["now"]["refused_calls"]), (&json!(2), &json!(0)));
        assert_eq!((&task["unanswered_calls"], &task["told_same_until"]), (&json!(1), &json!(2)));
        assert_eq!((&task["now"]["facts"], &task["changes"]), (&json!(1), &json!([])));
    }
    // Without any investigation tool, there is nothing to cite.
    let narrow = rejudged(&place, str(&finished.folder), "[surfaces]\ninvestigate = [\"RECORD\"]\n");
    assert_eq!(ways(&narrow), json!({"falls": 2}));
    let told = text(&place, str(&finished.folder), "[surfaces]\ninvestigate = [\"RECORD\"]\n");
    assert!(told.contains("surfaces.investigate: each agent's own -> [\"RECORD\"]"), "{told}");
    assert!(told.contains("-> unknown_invocation ("), "{told}");
}

#[test]
fn what_is_shown_of_an_output_changes_no_verdict_and_makes_what_follows_an_estimate() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let other = rejudged(&place, "latest", "[view]\nhead_bytes = 1\ntail_bytes = 0\n");
    let changes =
        other["tasks"].as_array().unwrap().iter().flat_map(|task| task["changes"].as_array().unwrap());
    let mut number = 0;
    for change in changes {
        assert_eq!(change["differs"], json!(["shown"]), "{change}");
        assert_eq!((&change["change"], &change["estimate"]), (&json!("stands_otherwise"), &json!(true)));
        number += 1;
    }
    assert!(number > 10, "{other}");
    let told = text(&place, "latest", "[view]\nhead_bytes = 1\ntail_bytes = 0\n");
    assert!(told.contains("    after turn 1 it is told something else\n"), "{told}");
}

/// Making more or fewer calls does not shift ids: a reply still cites what it cited before.
#[test]
fn readings_cite_what_they_cited_where_a_call_before_is_not_made() {
    let place = Place::new();
    let agent = script(vec![
        Box::new(|_| {
            calls(1, &["p1", "p1/Windows", "p1/Users"].map(|path| ("list_directory", json!({"path": path}))))
        }),
        Box::new(|_| calls(2, &[("list_directory", json!({"path": "p1/Users"}))])),
        Box::new(|_| calls(3, &[("list_directory", json!({"path": "p1/Windows/System32"}))])),
        Box::new(|request| {
            let cited = invocations(request)[0].clone();
            let reading = json!({"predicate": "present", "values": {"name": "config"}, "invocation": cited});
            calls(4, &[("record_phenomenon", json!({"readings": [reading]}))])
        }),
    ]);
    let (finished, run) = place.investigate(Rules::default(), vec![("filesystem", agent)]);
    assert_eq!(run.facts().count(), 1);
    // Two calls of the first turn are not made. A later one, which the log had answered, is made instead.
    let other =
        rejudged(&place, str(&finished.folder), "[budgets]\ncalls_per_turn = 1\n[gate]\nrescue = false\n");
    let task = &other["tasks"][0];
    assert_eq!((&task["now"]["refused_calls"], &task["unanswered_calls"]), (&json!(2), &json!(0)), "{task}");
    assert_eq!((&task["now"]["facts"], &task["changes"]), (&json!(1), &json!([])), "{task}");
}

#[test]
fn what_the_file_leaves_out_keeps_the_value_of_the_run() {
    let place = Place::new();
    let run = place.file("run.toml", "[budgets]\naccepted_facts = 3\n[gate]\nrescue = false\n");
    let demo = demo_folder();
    place.locard_ends(0, &["run", str(&demo), "--model", "sloppy:3", "--rules", str(&run)]);
    let other = rejudged(&place, "latest", "[gate]\nrescue = true\n");
    assert_eq!(other["rules"], json!([{"rule": "gate.rescue", "then": false, "now": true}]));
    assert!(other["tasks"].as_array().unwrap().iter().all(|task| task["now"]["facts"].as_u64() <= Some(3)));
    let more = rejudged(&place, "latest", "[budgets]\naccepted_facts = 400\n");
    assert!(ways(&more)["new"].as_u64() > Some(10), "{}", more["totals"]);
    let wrong = place.file("wrong.toml", "[gate]\nrescues = true\n");
    let output = place.locard(&["replay", "latest", "--rules", str(&wrong)]);
    assert_eq!(output.status.code(), Some(2));
    let told = crate::support::text(&output.stderr);
    assert!(told.contains("line 2") && told.contains("did you mean `rescue`?"), "{told}");
}

/// Under its own rules, nothing about a run changes, whatever mistakes its agents made, whichever budget ended it,
/// and wherever its log breaks off.
#[test]
fn under_its_own_rules_nothing_changes_in_any_run() {
    let tight = "[budgets]\ninvestigate_turns = 3\nrecord_turns = 2\ncalls_per_turn = 5\nrejected_claims = 4\naccepted_facts = 9\nrepeated_calls = 0\n\
        [gate]\nrescue = false\ntiers = [\"exact\"]\ncandidates = 1\nweak_below = 9\n[view]\nhead_bytes = 900\ntail_bytes = 90\n\
        [surfaces]\nrecord = [\"RECORD\"]\n";
    let refused = "[budgets]\nrejected_claims = 12\ncalls_per_turn = 3\n";
    for (seed, own) in [(1, ""), (2, tight), (3, refused)] {
        let place = Place::new();
        let file = place.file("own.toml", own);
        let model = format!("sloppy:{seed}");
        let ran =
            place.locard(&["run", str(&demo_folder()), "--model", &model, "--rules", str(&file), "--quiet"]);
        assert!(ran.status.success(), "{}", crate::support::text(&ran.stderr));
        for given in ["", own] {
            nothing_changes(&rejudged(&place, "latest", given));
        }
        let told = text(&place, "latest", own);
        assert!(
            told.starts_with("rules: those of the run\n") && told.contains("\nnothing changes: "),
            "{told}"
        );
        let run = place.only_run();
        for cut in 1..3 {
            let name = format!("cut-{cut}");
            let copy = rechained(&place, &run, &name, |events| events.truncate(events.len() * cut / 3));
            nothing_changes(&rejudged(&place, str(&copy), ""));
        }
    }
}

/// Wherever the prediction for other rules is certain, a real run under them agrees, as long as the agent says the same.
#[test]
fn agents_that_do_not_listen_do_under_other_rules_what_was_told() {
    let deaf = || -> Scripted {
        let mut cited = String::new();
        let mut turn = 0;
        Scripted::new(move |request| {
            turn += 1;
            if turn == 2 {
                cited = invocations(request)[0].clone();
            }
            let reading = |field: &str, value: &str, cited: &str| json!({"predicate": "present", "values": {field: value}, "invocation": cited});
            let record = |readings: Vec<Value>| ("record_phenomenon", json!({"readings": readings}));
            let wrong = mistyped(&format!("{cited} "));
            Some::<Reply>(match turn {
                1 => calls(1, &[("find_files", json!({"name": "*"}))]),
                2 => calls(
                    2,
                    &[
                        record(vec![
                            reading("path", "P1\\WINDOWS\\SYSTEM32", &cited),
                            reading("path", "p1/Users/mara", &wrong),
                            reading("path", "p1/Users/nobody", &cited),
                            reading("kind", "directory", &cited),
                        ]),
                        record(vec![reading("path", "p1/Users/it-admin", &cited)]),
                    ],
                ),
                3 => words("that is all"),
                4 => calls(
                    4,
                    &[record(vec![
                        reading("path", "p1/Windows", &wrong),
                        reading("path", "p1/Users", &cited),
                    ])],
                ),
                _ => words("done"),
            })
        })
    };
    let place = Place::new();
    let (finished, _) = place.investigate(Rules::default(), vec![("filesystem", deaf())]);
    let others = [
        "[gate]\nrescue = false\n",
        "[gate]\ntiers = [\"exact\"]\n",
        "[gate]\nweak_below = 99\n",
        "[budgets]\nrejected_claims = 1\n",
        "[budgets]\naccepted_facts = 1\n",
        "[budgets]\ncalls_per_turn = 1\n",
        "[budgets]\ninvestigate_turns = 2\n",
        "[budgets]\nrecord_turns = 0\n",
        "[view]\nhead_bytes = 1\ntail_bytes = 0\n",
    ];
    let mut unknown = 0;
    for text in others {
        let other = rejudged(&place, str(&finished.folder), text);
        let live = Place::new();
        let (_, live) = live.investigate(rules(text), vec![("filesystem", deaf())]);
        let task = live.tasks.values().next().unwrap();
        let now = &other["tasks"][0]["now"];
        if let Some(turn) = other["tasks"][0]["log_ends"]["turn"].as_u64() {
            // In the real run, the agent continued after the turn where the log ends.
            assert!(u64::from(task.turns) >= turn && now["status"].is_null(), "{text}: {other}");
            unknown += 1;
            continue;
        }
        assert_eq!(now["facts"], json!(live.facts().count()), "{text}: {other}");
        assert_eq!(now["refused"], json!(graph::refused_claims(&live).len()), "{text}: {other}");
        assert_eq!(now["turns"], json!(task.turns), "{text}: {other}");
        assert_eq!(now["refused_calls"], json!(task.refusals.len()), "{text}: {other}");
        let ended = task.ended.as_ref().unwrap();
        assert_eq!((&now["status"], &now["spent"]), (&json!(ended.status), &json!(ended.spent)), "{text}");
    }
    assert_eq!(unknown, 1);
}

#[test]
fn a_lead_that_hands_out_more_tasks_than_a_turn_takes_verifies() {
    let place = Place::new();
    let rules = place.file("rules.toml", "[budgets]\ncalls_per_turn = 3\n");
    let demo = crate::support::demo_folder();
    let out = place.locard_ends(0, &["run", str(&demo), "--rules", str(&rules)]);
    assert!(out.contains("lead (playbook): 3 of 3 tasks accepted"), "{out}");
    place.locard_ends(0, &["verify", "latest"]);
    place.locard_ends(0, &["replay", "latest"]);
}
