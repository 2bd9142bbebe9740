//! The playbook, answered turn by turn as an engine would.

use crate::desk;

use desk::{Desk, playbook, record, steps, value};
use ledger::event::Refusal;
use ledger::turn::{ReplyBlock, ToolCall};
use ledger::{CallId, FieldValue};
use llm::{Model, Sloppy};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const CHAIN: &str = r#"
[[step]]
id = "hives"
tool = "find_hives"

[[step]]
id = "select"
for_each = "hives"
when = { hive_type = "SYSTEM" }
tool = "parse_registry_key"
arguments = { hive = "{hives.path}", key = "Select", depth = 1 }

[[step]]
id = "name"
for_each = "select"
when = { record = "registry_value", name = "Curr*" }
tool = "parse_registry_key"
arguments = { hive = "{hives.path}", key = "ControlSet{select.data:03}\\Name {no.such}" }
"#;

const LINES: &str = r#"
[[step]]
id = "lines"
tool = "read_lines"

[[step.record]]
predicate = "quoted"
values = ["text"]
note = "lines"

[[step]]
id = "each"
for_each = "lines"
tool = "look"
arguments = { at = "{lines.text}" }
"#;

fn hive(path: &str, kind: &str) -> ledger::Record {
    record("hive", &[("path", FieldValue::Path(path.into())), ("hive_type", FieldValue::Text(kind.into()))])
}

fn lines(count: usize) -> Vec<ledger::Record> {
    let line = |index| record("text_line", &[("text", FieldValue::Text(format!("line {index}")))]);
    (0..count).map(line).collect()
}

fn calls_of<'a>(calls: &'a [ToolCall], tool: &str) -> Vec<&'a Value> {
    calls.iter().filter(|call| call.tool == tool).map(|call| &call.arguments).collect()
}

#[test]
fn a_step_is_made_for_each_fitting_record_and_fills_its_arguments_from_the_whole_chain() {
    let mut desk = Desk::new(playbook(CHAIN));
    desk.returns("find_hives", vec![hive("C/SAM", "SAM"), hive("C/SYSTEM", "system")]);
    desk.returns("Select", vec![value("Current", 1), value("LastKnownGood", 2)]);
    desk.work();
    let expected = [
        json!({"hive": "C/SYSTEM", "key": "Select", "depth": 1}),
        json!({"hive": "C/SYSTEM", "key": "ControlSet001\\Name {no.such}"}),
    ];
    assert_eq!(calls_of(&desk.made, "parse_registry_key"), expected.iter().collect::<Vec<_>>());
}

#[test]
fn each_record_of_an_output_is_read_once_whatever_its_view_and_pages_show() {
    for count in 1..9 {
        for head in 1..=count {
            for tail in 0..=(count - head) {
                for page in 1..4 {
                    let mut desk = Desk::new(playbook(LINES));
                    desk.view = (head, tail, page);
                    desk.returns("read_lines", lines(count));
                    desk.work();
                    let mut read: BTreeMap<String, u32> = BTreeMap::new();
                    for call in calls_of(&desk.made, "record_phenomenon") {
                        for reading in call["readings"].as_array().unwrap() {
                            *read.entry(reading["record"].to_string()).or_default() += 1;
                        }
                    }
                    let split = (count, head, tail, page);
                    assert_eq!(read.len(), count, "{split:?}");
                    assert!(read.values().all(|times| *times == 1), "{split:?}: {read:?}");
                    assert_eq!(calls_of(&desk.made, "look").len(), count, "{split:?}");
                }
            }
        }
    }
}

#[test]
fn a_page_that_shows_nothing_new_is_not_asked_for_again() {
    let mut desk = Desk::new(playbook(LINES));
    desk.view = (1, 0, 1);
    desk.stuck = true;
    desk.returns("read_lines", lines(3));
    desk.work();
    // One for each of the two that were hidden.
    assert_eq!(calls_of(&desk.made, "read_output").len(), 2);
}

#[test]
fn identical_calls_of_a_step_are_made_once() {
    let twice = LINES
        .replace("for_each = \"lines\"", "for_each = \"lines\"\nwhen = {}")
        .replace("{lines.text}", "same")
        + "[[step.record]]\npredicate = \"quoted\"\nvalues = [\"text\"]\n";
    let mut desk = Desk::new(playbook(&twice));
    desk.returns("read_lines", lines(2));
    desk.returns("look", lines(1));
    desk.work();
    // Two from `read_lines`, one from `look`, which both lines ask for.
    let readings: usize = calls_of(&desk.made, "record_phenomenon")
        .iter()
        .map(|call| call["readings"].as_array().unwrap().len())
        .sum();
    assert_eq!((calls_of(&desk.made, "look").len(), readings), (1, 3));
}

#[test]
fn each_item_of_a_list_is_a_value_of_its_own() {
    let mut desk = Desk::new(playbook(LINES));
    desk.returns(
        "read_lines",
        vec![record("text_line", &[("text", FieldValue::List(vec!["a".into(), "b".into()]))])],
    );
    desk.work();
    let recorded = calls_of(&desk.made, "record_phenomenon");
    let values = json!([{"field": "text", "value": "a"}, {"field": "text", "value": "b"}]);
    assert_eq!(recorded[0]["readings"][0]["values"], values);
    assert_eq!(recorded[0]["interpretation"], "lines");
}

#[test]
fn of_a_list_one_item_that_fits_is_enough() {
    let recorded = |when: &str| {
        let text =
            LINES.replace("note = \"lines\"", &format!("note = \"lines\"\nwhen = {{ text = \"{when}\" }}"));
        let mut desk = Desk::new(playbook(&text));
        let list = FieldValue::List(vec!["data5=60".into(), "data6=480 Pacific Standard Time".into()]);
        desk.returns("read_lines", vec![record("text_line", &[("text", list)])]);
        desk.work();
        calls_of(&desk.made, "record_phenomenon").len()
    };
    assert_eq!((recorded("data6=* *"), recorded("data7=* *")), (1, 0));
}

#[test]
fn a_call_too_many_is_made_again_and_no_other_refused_call_is() {
    let mut desk = Desk::new(playbook(LINES));
    desk.most_calls = 2;
    desk.returns("read_lines", lines(9));
    desk.work();
    assert_eq!(desk.answered("look"), 9);
    assert_eq!(desk.answered("record_phenomenon"), 1);

    let mut desk = Desk::new(playbook(LINES));
    desk.refuses = Some("look");
    desk.returns("read_lines", lines(9));
    desk.work();
    assert_eq!(calls_of(&desk.made, "look").len(), 9);
    assert!(desk.last_words().contains("9 calls were refused"), "{}", desk.last_words());
}

#[test]
fn an_answer_to_a_call_that_was_never_made_changes_nothing() {
    let mut desk = Desk::new(playbook(LINES));
    desk.returns("read_lines", lines(1));
    let stranger = desk.answer(&ToolCall {
        call: CallId("call-99".into()),
        tool: "read_lines".into(),
        arguments: json!({}),
    });
    let first = desk.turn(vec![stranger]);
    assert_eq!(first.calls().map(|call| call.tool.as_str()).collect::<Vec<_>>(), ["read_lines"]);
}

#[test]
fn the_same_requests_have_the_same_replies() {
    let work = |seed: Option<u64>| {
        let model: Box<dyn Model> = match seed {
            None => Box::new(playbook(LINES)),
            Some(seed) => Box::new(Sloppy::new(playbook(LINES), seed)),
        };
        let mut desk = Desk::of(model);
        desk.view = (2, 2, 3);
        desk.returns("read_lines", lines(40));
        desk.work();
        desk.made
    };
    assert_eq!(work(None), work(None));
    assert_eq!(work(Some(7)), work(Some(7)));
    assert_ne!(work(Some(7)), work(Some(8)));
}

#[test]
fn calls_that_the_record_only_surface_leaves_unmade_are_counted_in_the_reason() {
    let mut desk = Desk::new(playbook(LINES));
    desk.returns("read_lines", lines(20));
    let first = desk.turn(vec![]);
    let answers = first.calls().map(|call| desk.answer(call)).collect();
    desk.record_only();
    let second = desk.turn(answers);
    assert_eq!(second.calls().map(|call| call.tool.as_str()).collect::<Vec<_>>(), ["record_phenomenon"]);
    let answers = second.calls().map(|call| desk.answer(call)).collect();
    let third = desk.turn(answers);
    let [ReplyBlock::Call(call)] = &third.blocks[..] else { panic!("{third:?}") };
    assert_eq!(call.tool, "nothing_to_record");
    let reason = call.arguments["reason"].as_str().unwrap();
    assert!(reason.contains("20 due calls were not made"), "{reason}");
}

#[test]
fn where_any_tool_investigates_the_playbook_stops_with_words() {
    // The surface is recognised by the class of its tools: no tool here has a name that the playbook could know.
    let mut desk = Desk::new(playbook(LINES));
    desk.returns("read_lines", lines(1));
    desk.work();
    assert!(calls_of(&desk.made, "nothing_to_record").is_empty());
    assert_eq!(desk.last_words(), "The playbook has made all its calls and recorded what they returned.");
}

#[test]
fn the_seed_of_mistakes_is_in_the_digest_and_not_in_the_name() {
    let sloppy = |seed| Sloppy::new(playbook(LINES), seed);
    assert_eq!(sloppy(1).name(), "sloppy:1");
    assert_eq!(sloppy(1).digest(), sloppy(1).digest());
    assert_ne!(sloppy(1).digest(), sloppy(2).digest());
    assert_ne!(sloppy(1).digest(), playbook(LINES).digest());
}

#[test]
fn a_correction_too_many_is_made_again() {
    let mut desk = Desk::of(Box::new(Sloppy::new(playbook(LINES), 3)));
    desk.returns("read_lines", lines(64));
    desk.rejects = true;
    let mut corrections = 0;
    let mut refused = Vec::new();
    let mut answers = Vec::new();
    for _ in 0..40 {
        let reply = desk.turn(std::mem::take(&mut answers));
        for call in reply.calls() {
            let correction = call.call.0.starts_with("again-");
            corrections += u32::from(correction);
            let again = correction && !refused.contains(&call.arguments);
            if again {
                refused.push(call.arguments.clone());
            }
            answers.push(match again {
                true => desk.refusal(call, Refusal::TooManyCalls),
                false => desk.answer(call),
            });
        }
    }
    // Each correction is refused once and repeated once.
    assert!(!refused.is_empty());
    assert_eq!(corrections as usize, refused.len() * 2);
}

#[test]
fn steps_have_no_members_that_are_not_read() {
    assert!(toml::from_str::<desk::File>("[[step]]\nid = \"a\"\ntool = \"t\"\nunless = \"x\"\n").is_err());
    assert_eq!(steps(CHAIN).len(), 3);
}

const NAMES: &str = r#"
[[step]]
id = "lines"
tool = "read_lines"

[[step.record]]
predicate = "quoted"
values = ["text"]
entity = { kind = "account", field = "text" }
"#;

#[test]
fn a_thing_is_added_once_with_all_the_facts_that_name_it() {
    let mut desk = Desk::new(playbook(NAMES));
    let line = |text: &str| record("text_line", &[("text", FieldValue::Text(text.into()))]);
    desk.returns("read_lines", vec![line("eve"), line("mara"), line("eve")]);
    desk.work();
    let added = calls_of(&desk.made, "add_entity");
    let named: BTreeMap<&str, usize> = added
        .iter()
        .map(|call| (call["name"].as_str().unwrap(), call["facts"].as_array().unwrap().len()))
        .collect();
    assert_eq!(named, BTreeMap::from([("eve", 2), ("mara", 1)]));
}

#[test]
fn what_was_refused_names_nothing() {
    let mut desk = Desk::new(playbook(NAMES));
    desk.returns("read_lines", lines(2));
    desk.rejects = true;
    desk.work();
    assert_eq!(desk.answered("add_entity"), 0);
}

#[test]
fn an_absence_is_recorded_where_a_search_found_nothing_and_nowhere_else() {
    let text = r#"
[[step]]
id = "lines"
tool = "read_lines"

[step.absence]
of = { form = "file", name = "*.evtx" }
note = "no event logs"
"#;
    let mut desk = Desk::new(playbook(text));
    desk.work();
    let [absence] = calls_of(&desk.made, "record_absence")[..] else { panic!("{:?}", desk.made) };
    assert_eq!((&absence["form"], &absence["name"]), (&json!("file"), &json!("*.evtx")));
    assert_eq!(absence["searches"].as_array().unwrap().len(), 1);
    let mut desk = Desk::new(playbook(text));
    desk.returns("read_lines", lines(1));
    desk.work();
    assert_eq!(desk.answered("record_absence"), 0);
}

#[test]
fn a_rule_leaves_out_what_it_says_it_does_not_want() {
    let text = r##"
[[step]]
id = "lines"
tool = "read_lines"

[[step.record]]
when = { record = "text_line" }
unless = { text = "#*", absent_field = "*" }
predicate = "quoted"
values = ["text"]

[[step]]
id = "each"
for_each = "lines"
unless = { text = "#*" }
tool = "look"
"##;
    let mut desk = Desk::new(playbook(text));
    let line = |text: &str| record("text_line", &[("text", FieldValue::Text(text.into()))]);
    desk.returns("read_lines", vec![line("# a comment"), line("10.0.0.1 bank.example"), line("#")]);
    desk.work();
    let [recorded] = calls_of(&desk.made, "record_phenomenon")[..] else { panic!("{:?}", desk.made) };
    assert_eq!(recorded["readings"].as_array().unwrap().len(), 1);
    assert_eq!(calls_of(&desk.made, "look").len(), 1);
}

#[test]
fn any_of_several_patterns_may_fit() {
    let text = r#"
[[step]]
id = "hives"
tool = "find_hives"

[[step]]
id = "of-users"
for_each = "hives"
when = { hive_type = ["NTUSER", "USR*"] }
tool = "look"
arguments = { at = "{hives.path}" }
"#;
    let mut desk = Desk::new(playbook(text));
    let kinds = ["SYSTEM", "USRCLASS", "NTUSER", "SAM"];
    desk.returns("find_hives", kinds.iter().map(|kind| hive(kind, kind)).collect());
    desk.work();
    let looked: Vec<_> = calls_of(&desk.made, "look").iter().map(|call| call["at"].clone()).collect();
    assert_eq!(looked, ["USRCLASS", "NTUSER"]);
}

#[test]
fn of_two_instants_the_first_must_be_the_earlier_one() {
    let text = r#"
[[step]]
id = "files"
tool = "look"

[[step.record]]
earlier = ["born", "name_born"]
predicate = "present"
values = ["path", "born", "name_born"]
"#;
    let time = |ticks| FieldValue::Time(ledger::Time::from_filetime(ticks));
    let file = |path: &str, times: &[(&str, FieldValue)]| {
        let path = ("path", FieldValue::Path(path.into()));
        record("dir_entry", &[&[path], times].concat())
    };
    let (early, late) = (131_958_720_000_000_000, 133_485_780_301_234_567);
    let files = [
        file("set back", &[("born", time(early)), ("name_born", time(late))]),
        file("moved later", &[("born", time(late)), ("name_born", time(early))]),
        file("equal", &[("born", time(late)), ("name_born", time(late))]),
        file("never set", &[("born", time(0)), ("name_born", time(late))]),
        file("no instant", &[("born", FieldValue::Text("1601".into())), ("name_born", time(late))]),
        file("one alone", &[("born", time(early))]),
    ];
    let mut desk = Desk::new(playbook(text));
    desk.returns("look", files.to_vec());
    desk.work();
    let [recorded] = calls_of(&desk.made, "record_phenomenon")[..] else { panic!("{:?}", desk.made) };
    let readings = recorded["readings"].as_array().unwrap();
    assert_eq!(readings.len(), 1, "{readings:#?}");
    assert_eq!(readings[0]["values"][0]["value"], "set back");
}

#[test]
fn what_a_rule_takes_from_all_pages_is_recorded_together_and_no_more_than_it_wants() {
    let rules = "
        [[step]]
        id = \"values\"
        tool = \"read_lines\"
        [[step.record]]
        when = { name = \"odd*\" }
        predicate = \"configured\"
        values = [\"name\"]
        [[step.record]]
        otherwise = true
        most = 2
        predicate = \"listed\"
        values = [\"name\"]
    ";
    let mut desk = Desk::new(playbook(rules));
    desk.view = (2, 0, 2);
    let names = ["odd 1", "even 1", "even 2", "odd 2", "even 3", "odd 3"];
    desk.returns("read_lines", names.iter().map(|name| value(name, 0)).collect());
    desk.work();
    let recorded: Vec<(String, usize)> = calls_of(&desk.made, "record_phenomenon")
        .iter()
        .map(|call| {
            let readings = call["readings"].as_array().unwrap();
            (readings[0]["predicate"].as_str().unwrap().to_owned(), readings.len())
        })
        .collect();
    assert_eq!(recorded, [("configured".to_owned(), 3), ("listed".to_owned(), 2)]);
}

/// Returns a recovery: these calls, for text lines of files with one name.
fn advice(calls: Value) -> ledger::turn::UserBlock {
    let condition = json!({"predicate": "quoted", "record": "text_line", "subject": "*.txt", "field": "text",
        "value": "*evil*", "unless": "*not*"});
    let objective = json!({"id": "o", "question": "?", "condition": condition});
    ledger::turn::UserBlock::Recovery(Box::new(ledger::turn::Advice {
        attempt: 1,
        strategy: "search-content".into(),
        objective: serde_json::from_value(objective).unwrap(),
        told: "look there".into(),
        calls: serde_json::from_value(calls).unwrap(),
    }))
}

#[test]
fn another_way_is_taken_once_and_what_meets_the_objective_is_recorded_of_it() {
    let line = |path: &str, text: &str| {
        let (path, text) = (FieldValue::Path(path.into()), FieldValue::Text(text.into()));
        record("text_line", &[("path", path), ("text", text)])
    };
    for sloppy in [false, true] {
        let steps = playbook(LINES);
        let mut desk = match sloppy {
            false => Desk::new(steps),
            true => Desk::of(Box::new(Sloppy::new(steps, 1))),
        };
        desk.work();
        let before = desk.made.len();
        let found = vec![
            line("a.txt", "evil"),
            line("a.log", "evil"),
            line("b.txt", "good"),
            line("c.txt", "not evil"),
        ];
        desk.returns("search_lines", found);
        let calls = json!([
            {"tool": "search_lines", "arguments": {"text": "{x.y}"}},
            {"tool": "no_such_tool", "arguments": {}}
        ]);
        desk.work_on(vec![advice(calls)]);
        let made = &desk.made[before..];
        assert_eq!(calls_of(made, "search_lines"), [&json!({"text": "{x.y}"})], "as it was suggested");
        assert!(calls_of(made, "read_lines").is_empty() && calls_of(made, "no_such_tool").is_empty());
        let recorded = calls_of(made, "record_phenomenon");
        let first = &recorded[0]["readings"];
        assert_eq!(first.as_array().unwrap().len(), 1, "{recorded:?}");
        if !sloppy {
            let values = json!([{"field": "path", "value": "a.txt"}, {"field": "text", "value": "evil"}]);
            assert_eq!((&first[0]["predicate"], &first[0]["values"]), (&"quoted".into(), &values));
        }
    }
}
