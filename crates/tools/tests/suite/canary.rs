//! What an agent says is never in a record.

use crate::fixture::{Fixture, calls, fits, valid};
use ledger::{Outcome, Record};
use serde_json::{Value, json};
use tools::Return;

const CANARY: &str = "CANARY7f3a";

/// Returns the records as they are stored, in lower case: a canary counts in any case.
fn stored(records: &[Record]) -> String {
    serde_json::to_string(records).unwrap().to_lowercase()
}

fn clean(returned: &Return, tool: &str, what: &str) {
    fits(returned, tool);
    let found = stored(&returned.records).contains(&CANARY.to_lowercase());
    assert!(!found, "{tool}: {what}: the canary stands in a record");
    let consistent = (returned.outcome == Outcome::Ok) != returned.records.is_empty();
    assert!(consistent, "{tool}: {what}: {:?}", returned.outcome);
}

fn with(arguments: &Value, name: &str, value: Value) -> Value {
    let mut arguments = arguments.clone();
    arguments[name] = value;
    arguments
}

fn strings(spec: &ledger::ToolSpec) -> Vec<String> {
    let properties = spec.arguments["properties"].as_object().unwrap();
    properties.iter().filter(|(_, schema)| schema["type"] == "string").map(|(name, _)| name.clone()).collect()
}

#[test]
fn a_canary_in_any_text_argument_stands_in_no_record() {
    let fixture = Fixture::new();
    for (spec, arguments) in calls() {
        fixture.ok(&spec.name, arguments.clone());
        for name in strings(&spec) {
            let good = arguments[&name].as_str().unwrap_or_default().to_owned();
            for text in [
                CANARY.to_owned(),
                format!("{good}{CANARY}"),
                format!("{good}\\{CANARY}"),
                format!("{good}/{CANARY}"),
                format!("{CANARY}/{good}"),
                format!("{CANARY}:\\{good}"),
                format!("{good}\0{CANARY}"),
                format!("{good}:{CANARY}"),
                format!("`\"{good}{CANARY}\"`"),
                format!("~{CANARY}\\{good}"),
                format!("%{CANARY}%/{good}"),
                format!("%windir%/{CANARY}"),
                format!("HKLM\\SYSTEM\\{CANARY}"),
                format!("HKU\\{CANARY}\\{good}"),
                format!("{{{good},{CANARY}}}"),
                format!("file:///{CANARY}/{good}"),
            ] {
                let returned = fixture.run(&spec.name, with(&arguments, &name, json!(text)));
                clean(&returned, &spec.name, &text);
            }
        }
        let returned = fixture.run(&spec.name, with(&arguments, CANARY, json!(CANARY)));
        clean(&returned, &spec.name, "an unknown argument");
        assert_eq!(returned.outcome, Outcome::Failed);
    }
    clean(&fixture.run(CANARY, json!({})), "list_hives", "an unknown tool");
}

#[test]
fn a_canary_in_a_statement_that_runs_stands_in_no_record() {
    let fixture = Fixture::new();
    let arguments = valid("sqlite_query");
    for sql in [
        format!("SELECT '{CANARY}', url AS {CANARY} FROM urls AS {CANARY}"),
        format!("SELECT url FROM urls UNION ALL SELECT '{CANARY}'"),
        format!("SELECT '{CANARY}' AS url, title FROM urls"),
        format!("SELECT url || '{CANARY}' AS title, title AS url FROM urls /* {CANARY} */"),
        format!(
            "WITH {CANARY}(url) AS (SELECT url FROM urls UNION SELECT '{CANARY}') SELECT url FROM {CANARY}"
        ),
        format!("SELECT id, iif(id = 1, '{CANARY}', url) AS url FROM urls WHERE title <> '{CANARY}'"),
    ] {
        let returned = fixture.run("sqlite_query", with(&arguments, "sql", json!(sql)));
        clean(&returned, "sqlite_query", &sql);
        assert_ne!(returned.outcome, Outcome::Failed, "{sql}: {:?}", returned.notes);
    }
}

#[test]
fn a_canary_in_a_condition_that_records_meet_stands_in_no_record() {
    let fixture = Fixture::new();
    for condition in [
        format!("channel <> '{CANARY}'"),
        format!("channel IN ('{CANARY}', 'Security')"),
        format!("channel NOT LIKE '%{CANARY}%' AND computer <> '{CANARY}'"),
    ] {
        let asked = json!({ "source": "event_log", "evidence": "files", "where": condition });
        let counted = with(&asked, "count_by", json!("record"));
        for arguments in [asked, counted] {
            clean(&fixture.ok("records", arguments), "records", &condition);
        }
    }
}

#[test]
fn a_canary_in_what_narrows_a_count_or_a_fold_stands_in_no_record() {
    let fixture = Fixture::new();
    let asked = json!({ "source": "event_log", "evidence": "files", "count_by": "record" });
    for (name, text) in [
        ("exclude", CANARY.to_owned()),
        ("text", format!("{CANARY} || a")),
        ("name", format!("{{{CANARY},*}}")),
    ] {
        let counted = fixture.ok("records", with(&asked, name, json!(text)));
        assert!(counted.records.iter().all(|count| count.kind == "narrowed_count"), "{name}");
        clean(&counted, "records", &text);
    }
    let folded = json!({ "under": "C/Users", "copied_times": true, "fold": true, "exclude": CANARY });
    clean(&fixture.ok("timeline", folded), "timeline", CANARY);
}

#[test]
fn another_spelling_gives_the_spelling_of_the_evidence() {
    let fixture = Fixture::new();
    for (spec, arguments) in calls() {
        let expected = fixture.ok(&spec.name, arguments.clone());
        for name in ["path", "under", "hive", "key"] {
            let Some(good) = arguments.get(name).and_then(Value::as_str) else { continue };
            let mut spellings = vec![good.to_uppercase(), good.to_lowercase(), format!("\\\\{good}\\")];
            if name != "key" {
                // The image has only one volume with Windows, so `C:` means that volume.
                let below = good.strip_prefix("C/").or(good.strip_prefix("p1/")).unwrap();
                spellings.push(format!("c:\\{}", below.replace('/', "\\").to_uppercase()));
                spellings.push(format!("\\\\?\\C:\\{below}"));
            } else {
                spellings.push(good.replace('\\', "/").to_uppercase());
                spellings
                    .push(format!("hklm\\system\\{}", good.replace("ControlSet001", "CURRENTcontrolset")));
            }
            for spelling in spellings {
                let returned = fixture.ok(&spec.name, with(&arguments, name, json!(spelling)));
                assert_eq!(returned.records, expected.records, "{}: {spelling}", spec.name);
                assert_eq!(returned.normalised, expected.normalised, "{}: {spelling}", spec.name);
            }
        }
    }
}

#[test]
fn normalised_arguments_give_the_same_records_and_stay_as_they_are() {
    let fixture = Fixture::new();
    for (spec, arguments) in calls() {
        let given = fixture.ok(&spec.name, arguments);
        let first = fixture.ok(&spec.name, given.normalised.clone().unwrap());
        let again = fixture.ok(&spec.name, first.normalised.clone().unwrap());
        assert_eq!(again, first, "{}", spec.name);
        // A note about the first call's own spelling is not expected for the others.
        assert_eq!(
            Return { notes: Vec::new(), ..given },
            Return { notes: Vec::new(), ..first },
            "{}",
            spec.name
        );
    }
}

#[test]
fn arguments_against_the_schema_are_refused_by_name() {
    let fixture = Fixture::new();
    let cases = [
        (json!({ "path": "", "depht": 1 }), "\"depht\""),
        (json!({ "path": 7 }), "no such entry: \"7\""),
        (json!({ "path": 1.5 }), "expected string, found a fraction"),
        (json!({ "path": "", "limit": 0 }), "expected 1 to 10000, found 0"),
        (json!({ "path": "", "limit": 10001 }), "found 10001"),
        (json!({ "path": "", "limit": 1.5 }), "expected integer, found a fraction"),
        (json!({ "path": "", "offset": -1 }), "found -1"),
        (json!({ "path": "", "recursive": "yes" }), "expected boolean, found a string"),
        (json!({ "path": "", "evidence": "other" }), "no evidence \"other\"; there is disk"),
        (json!({ "path": "a/../b" }), ".."),
        (json!([]), "expected an object"),
    ];
    for (arguments, says) in cases {
        let returned = fixture.run("list_directory", arguments.clone());
        assert_eq!(returned.outcome, Outcome::Failed, "{arguments}");
        assert!(returned.notes[0].contains(says), "{arguments}: {:?}", returned.notes);
    }
    let returned = fixture.run("read_file", json!({}));
    assert!(returned.notes[0].contains("\"path\" is missing"), "{:?}", returned.notes);
    let returned = fixture.run("read_file", json!({ "path": "", "encoding": "ebcdic" }));
    assert!(returned.notes[0].contains("expected one of auto, utf-8"), "{:?}", returned.notes);
}
