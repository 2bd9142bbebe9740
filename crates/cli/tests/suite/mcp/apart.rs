//! What a client says that is not a fact about the evidence: notes, absences from a hive as it stands, and its own questions.
//! They are kept apart and decide nothing.

use super::client::{Client, Opened};
use super::{computer_name, over_demo, reading, verified};
use crate::support::{Place, demo_file, str};
use serde_json::{Value, json};

/// The report of a run as JSON.
fn report(place: &Place, run: &str) -> Value {
    let told = place.locard_ends(0, &["report", run, "--runs", "runs", "--format", "json"]);
    serde_json::from_str(&told).unwrap()
}

fn noted(client: &mut Client, task: &str, note: &str) -> Value {
    client.call("record_phenomenon", json!({"task": task, "note": note}))
}

#[test]
fn a_note_of_a_client_is_kept_verifies_and_is_no_finding() {
    let place = Place::new();
    let mut client = over_demo(&place);
    let opened = client.open(&["examiner"]);
    let task = opened.task().to_owned();
    let said = noted(&mut client, &task, "Besitzer fragen, ob \"mara\" allein am Rechner war");
    assert_eq!(said["isError"], false, "{said}");
    let long = noted(&mut client, &task, &"x".repeat(1_001));
    assert_eq!(long["structuredContent"]["answer"]["refusal"], "bad_arguments", "{long}");
    client.call("close_run", json!({"run": opened.run}));
    verified(&place, &opened.name);
    let report = report(&place, &opened.name);
    assert_eq!(report["notes"].as_array().unwrap().len(), 1, "{}", report["notes"]);
    assert_eq!(report["notes"][0]["checked"], false);
    assert_eq!(report["narrative"], json!([]));
    let of_client = |list: &str| {
        let all = report[list].as_array().unwrap();
        all.iter().filter(|it| it["task"] == "task-1").count()
    };
    assert_eq!((of_client("facts"), of_client("phenomena")), (0, 0));
}

/// A folder with a dirty hive that lacks its transaction logs.
fn dirty_case(place: &Place) -> String {
    let system = "Windows/System32/config/SYSTEM";
    let mut hive = demo_file(system);
    // Makes the first of the two sequence numbers differ from the second.
    hive[4] = hive[4].wrapping_add(1);
    let words = hive[..508].chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap()));
    let checksum = words.fold(0, |sum, word| sum ^ word);
    hive[508..512].copy_from_slice(&checksum.to_le_bytes());
    place.file(&format!("host/C/{system}"), hive);
    str(&place.path("host")).to_owned()
}

/// The arguments of the tool call that a refusal's hint suggests.
fn named(hint: &str, tool: &str) -> Value {
    let (_, after) = hint.split_once(&format!("{tool} {{")).unwrap_or_else(|| panic!("{hint}"));
    serde_json::Deserializer::from_str(&format!("{{{after}")).into_iter().next().unwrap().unwrap()
}

/// The question of each answer, and its state.
fn answers(report: &Value) -> Vec<(String, String)> {
    let text = |answer: &Value, member: &str| answer[member].as_str().unwrap().to_owned();
    let all = report["answers"].as_array().unwrap().iter();
    all.map(|answer| (text(answer, "objective"), text(answer, "answer"))).collect()
}

#[test]
fn what_a_hive_lacks_as_it_stands_is_told_so_everywhere_and_answers_nothing() {
    let place = Place::new();
    let mut client = Client::old(&place, &["--case", &dirty_case(&place)]);
    let key = "ControlSet001\\Services\\Wiper";
    let hive = "C/Windows/System32/config/SYSTEM";
    let searched = |client: &mut Client| {
        let opened = client.open(&["examiner"]);
        let asked = json!({"task": opened.task(), "hive": hive, "key": key});
        let found = client.call("parse_registry_key", asked);
        let answer = &found["structuredContent"]["answer"];
        assert_eq!(answer["outcome"], "empty", "{found}");
        let search = answer["invocation"].as_str().unwrap().to_owned();
        (opened, search)
    };
    let claim = |opened: &Opened, search: &str| json!({"task": opened.task(), "form": "registry_key", "hive": hive, "key": key, "searches": [search]});
    let (without, search) = searched(&mut client);
    let refused = client.call("record_absence", claim(&without, &search));
    let rejection = &refused["structuredContent"]["answer"]["rejection"];
    let reason = rejection["reason"].as_str().unwrap_or_else(|| panic!("{refused}"));
    assert!(reason.contains("it is not clean and no transaction logs are there"), "{reason}");
    let hint = rejection["hint"].as_str().unwrap().to_owned();
    client.call("close_run", json!({"run": without.run}));
    let (opened, again) = searched(&mut client);
    assert_eq!(search, again, "equal runs have equal ids");
    // The next attempt uses the hint's call literally.
    let mut call = named(&hint, "record_absence");
    call["task"] = json!(opened.task());
    let said = client.call("record_absence", call);
    assert_eq!(said["isError"], false, "{said}");
    client.call("close_run", json!({"run": opened.run}));
    verified(&place, &opened.name);
    place.locard_ends(0, &["verify", &opened.name, "--evidence"]);

    let [before, after] = [&without, &opened].map(|run| report(&place, &run.name));
    assert_eq!(answers(&before), answers(&after), "it answers no question");
    assert_eq!(before["absences"], json!([]));
    let [absence] = after["absences"].as_array().unwrap().as_slice() else { panic!("{after}") };
    assert_eq!(
        (&absence["as_it_stands"], &absence["absence"]["absence"]["as_it_stands"]),
        (&json!(true), &json!(true))
    );

    let run = opened.name.as_str();
    let mut told = vec![absence["title"].as_str().unwrap().to_owned()];
    for format in ["markdown", "html"] {
        told.push(place.locard_ends(0, &["report", run, "--format", format]));
    }
    told.push(place.locard_ends(0, &["facts", run]));
    for format in ["stix", "case-uco"] {
        told.push(place.locard_ends(0, &["export", run, "--as", format, "-o", "-"]));
    }
    for text in &told {
        // The tool's own note only says which key the call did not find.
        let places = text.split("no key ").skip(1).map(|after| after.chars().take(400).collect::<String>());
        let places: Vec<String> = places.filter(|said| said.contains("in the hive")).collect();
        assert!(!places.is_empty(), "{text}");
        for said in places {
            assert!(said.contains("as it stands, without what its transaction logs hold"), "{said}");
        }
        assert!(!text.contains("shown by complete, empty searches"), "{text}");
    }
    for format in ["timesketch", "csv-facts", "csv-timeline", "navigator"] {
        let text = place.locard_ends(0, &["export", run, "--as", format, "-o", "-"]);
        assert!(!text.contains("Wiper"), "{format}: {text}");
    }
}

#[test]
fn a_question_of_a_clients_own_is_answered_by_the_same_code_and_stays_its_own() {
    let place = Place::new();
    let mut client = over_demo(&place);
    let question = |record: &str, predicate: &str, field: &str, value: Value| {
        let mut by = json!({"predicate": predicate, "record": record, "field": field});
        if !value.is_null() {
            by["value"] = value;
        }
        json!({"question": format!("Is there a {record}?"), "answered_by": by})
    };
    let mut investigated = |own: bool| {
        let opened = client.open(&["examiner"]);
        let task = opened.task().to_owned();
        let mut ask = |mut asked: Value| {
            asked["task"] = json!(task);
            client.call("propose_hypothesis", asked)
        };
        if own {
            for asked in [
                question("computer_name", "configured", "name", Value::Null),
                question("user_assist", "executed", "last_run", json!("no such time")),
                question("prefetch", "executed", "last_run", Value::Null),
            ] {
                let said = ask(asked);
                assert_eq!(said["isError"], false, "{said}");
            }
            for number in 4..=17 {
                let more = question("prefetch", "executed", "last_run", json!(format!("{number}*")));
                assert_eq!(ask(more)["isError"], number > 16, "at most sixteen: {number}");
            }
            for (wrong, refusal) in [
                (question("computer_name", "executed", "name", Value::Null), "bad_arguments"),
                (question("computer_name", "configured", "no_such_field", Value::Null), "bad_arguments"),
                (question("computer_name", "configured", "name", Value::Null), "repeated"),
                (json!({"question": "And now?"}), "bad_arguments"),
                (json!({"statement": "It is so.", "question": "Is it so?"}), "bad_arguments"),
            ] {
                let refused = ask(wrong);
                assert_eq!(refused["structuredContent"]["answer"]["refusal"], refusal, "{refused}");
            }
        }
        let (invocation, record) = computer_name(&mut client, &task);
        let name = record["fields"]["name"].as_str().unwrap();
        let readings = reading(&invocation, &record, name);
        client.call("record_phenomenon", json!({"task": task, "readings": readings}));
        client.call("records", json!({"task": task, "record": "user_assist"}));
        let closed = client.call("close_run", json!({"run": opened.run}));
        assert_eq!(closed["structuredContent"]["verification"]["verified"], true, "{closed}");
        verified(&place, &opened.name);
        report(&place, &opened.name)
    };
    let [without, with] = [investigated(false), investigated(true)];
    let of_agents = |report: &Value, own: bool| -> Vec<Value> {
        let all = report["answers"].as_array().unwrap().iter();
        all.filter(|answer| (answer["by"] == "agent") == own).cloned().collect()
    };
    let own = of_agents(&with, true);
    let stands: Vec<(&str, &str)> =
        own.iter().map(|it| (it["objective"].as_str().unwrap(), it["answer"].as_str().unwrap())).collect();
    assert_eq!(stands.len(), 16);
    assert_eq!(stands[..3], [("own-1", "met"), ("own-2", "empty"), ("own-3", "not_asked")]);
    assert_eq!(of_agents(&without, true), Vec::<Value>::new());
    // The questions of the case are not affected.
    let words = |report: &Value| -> Vec<(Value, Value)> {
        let all = of_agents(report, false);
        all.iter().map(|it| (it["objective"].clone(), it["answer"].clone())).collect()
    };
    assert_eq!(words(&without), words(&with));
    for member in ["status", "objectives"] {
        let ids = |value: &Value| match value.as_array() {
            Some(all) => json!(all.iter().map(|it| [&it["id"], &it["answer"]]).collect::<Vec<_>>()),
            None => value.clone(),
        };
        assert_eq!(ids(&without["tasks"][0][member]), ids(&with["tasks"][0][member]), "{member}");
    }
}
