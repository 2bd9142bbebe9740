//! `--redact`: what is withheld, and how much of it can still be checked.

use crate::exchanging::decoded;
use crate::support::{Place, demo_folder, str, text};
use serde_json::{Value, json};

/// The private key from RFC 8410, section 10.3.
const PRIVATE: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n";

fn read(place: &Place, file: &str) -> Value {
    serde_json::from_slice(&std::fs::read(place.path(file)).unwrap()).unwrap()
}

/// The number of findings of `verify --report`, without the run and with it.
fn findings(place: &Place, report: &Value) -> [usize; 2] {
    place.file("changed.json", report.to_string());
    [
        &["verify", "--report", "changed.json", "--format", "json"][..],
        &["verify", "--report", "changed.json", "latest", "--format", "json"],
    ]
    .map(|arguments| {
        let output = place.locard(arguments);
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        let found = told["findings"].as_array().unwrap().len();
        assert_eq!(output.status.code(), Some(if found == 0 { 0 } else { 31 }), "{told}");
        assert_eq!(told["holds"], found == 0);
        found
    })
}

/// The index of the first matching fact.
fn first(report: &Value, fits: impl Fn(&Value) -> bool) -> usize {
    report["facts"].as_array().unwrap().iter().position(fits).unwrap()
}

#[test]
fn a_redacted_report_can_be_checked_without_the_run_and_with_it() {
    let place = Place::new();
    place.has_demo_run(&[]);
    place.locard_ends(0, &["report", "latest", "--redact", "people", "-o", "r.json"]);
    place.locard_ends(0, &["report", "latest", "-o", "whole.json"]);
    for report in ["r.json", "whole.json"] {
        let alone = place.locard_ends(0, &["verify", "--report", report]);
        assert!(
            alone.contains("compare the root with the run's") && alone.contains("root of the facts "),
            "{alone}"
        );
        let with = place.locard_ends(0, &["verify", "--report", report, "latest"]);
        assert!(with.contains("the facts are those of the run"), "{with}");
        assert_eq!(with.contains("redacted by the profile people"), report == "r.json");
    }
    roots_are_one(&place);
    let report = read(&place, "r.json");
    assert_eq!(findings(&place, &report), [0, 0]);
    tampered(&place, &report);
    // Another run of the same case has the same facts, but is still a different run.
    place.locard_ends(0, &["run", str(&demo_folder())]);
    let other = place.locard_ends(31, &["verify", "--report", "r.json", "latest"]);
    assert!(other.contains("THE REPORT DOES NOT HOLD"), "{other}");
}

/// The root in a report equals the one that `verify`, a certificate and a statement give.
fn roots_are_one(place: &Place) {
    let root = read(place, "r.json")["commitments"]["root"].clone();
    assert_eq!(read(place, "whole.json")["commitments"]["root"], root);
    let told = place.locard_ends(0, &["verify", "latest", "--certificate", "c.json"]);
    assert!(told.contains(&format!("root of the facts {}", root.as_str().unwrap())), "{told}");
    assert_eq!(read(place, "c.json")["facts_root"], root);
    place.file("key.pem", PRIVATE);
    let signed =
        ["export", "latest", "--as", "in-toto", "--sign", "key.pem", "--redact", "people", "-o", "s.json"];
    place.locard_ends(0, &signed);
    let payload = decoded(read(place, "s.json")["payload"].as_str().unwrap());
    let statement: Value = serde_json::from_slice(&payload).unwrap();
    assert_eq!(statement["predicate"]["factsRoot"], root);
    assert_eq!(statement["predicate"]["factsScheme"], "locard-facts-1");
}

/// Changes to a report, and who can detect each: any reader of the report, or only somebody with the run.
fn tampered(place: &Place, report: &Value) {
    let withheld = |fact: &Value, member: &str| fact["opening"]["withheld"].get(member).is_some();
    let open = first(report, |fact| {
        fact["fact"]["subject"]["value"]["type"] == "path"
            && !withheld(fact, "subject")
            && withheld(fact, "stored")
    });
    let closed = first(report, |fact| {
        let value = &fact["fact"]["subject"]["value"]["value"];
        withheld(fact, "subject") && value.as_str().is_some_and(|text| text.contains("/[withheld]"))
    });
    let other = json!("0".repeat(64));
    let mut changes: Vec<(&str, bool, Value)> = Vec::new();
    let mut change = |what, alone, change: &dyn Fn(&mut Value)| {
        let mut changed = report.clone();
        change(&mut changed);
        assert_ne!(&changed, report, "{what}");
        changes.push((what, alone, changed));
    };
    change("a value", true, &|it| it["facts"][open]["fact"]["subject"]["value"]["value"] = json!("p1/other"));
    change("a title", true, &|it| it["facts"][open]["title"] = json!("executed p1/other"));
    change("a predicate", true, &|it| it["facts"][open]["fact"]["predicate"] = json!("executed"));
    change("a commitment", true, &|it| it["facts"][closed]["opening"]["withheld"]["subject"] = other.clone());
    change("a salt", true, &|it| it["facts"][open]["opening"]["salts"]["subject"] = other.clone());
    change("a hash", true, &|it| it["facts"][open]["opening"]["hash"] = other.clone());
    change("an opening", true, &|it| it["facts"][open]["opening"] = json!(null));
    change("the root", true, &|it| it["commitments"]["root"] = other.clone());
    change("the number of facts", true, &|it| it["commitments"]["facts"] = json!(1));
    change("a fact less", true, &|it| drop(it["facts"].as_array_mut().unwrap().remove(open)));
    change("the order of facts", true, &|it| it["facts"].as_array_mut().unwrap().swap(0, 1));
    change("that it is redacted", true, &|it| it["redaction"] = json!(null));
    change("a mark", true, &|it| {
        it["facts"][closed]["fact"]["subject"]["value"]["value"] = json!("p1/Users/eve");
        let title = it["facts"][closed]["title"].as_str().unwrap().to_owned();
        it["facts"][closed]["title"] = json!(title);
    });
    // No hash covers the text beside a mark, so only the run reveals the change.
    change("what stands beside a mark", false, &|it| {
        let fact = &mut it["facts"][closed];
        let value = fact["fact"]["subject"]["value"]["value"].as_str().unwrap().to_owned();
        fact["fact"]["subject"]["value"]["value"] = json!(format!("x{value}"));
        let title = fact["title"].as_str().unwrap().replacen(&value, &format!("x{value}"), 1);
        fact["title"] = json!(title);
    });
    for (what, alone, changed) in changes {
        let [without, with] = findings(place, &changed);
        assert_eq!(without > 0, alone, "{what} without the run");
        assert!(with > 0, "{what} with the run");
    }
    place.file(
        "changed.json",
        report.to_string().replacen("\"commitments\":", "\"commitments\":null,\"commitments\":", 1),
    );
    let twice = place.locard(&["verify", "--report", "changed.json"]);
    assert_eq!(twice.status.code(), Some(2), "{}", text(&twice.stderr));
}

#[test]
fn what_cannot_be_redacted_and_what_is_no_profile_is_refused_with_the_reason() {
    let place = Place::new();
    place.has_demo_run(&[]);
    place.file("own.toml", "values = [\"Ann\"]\nfield = [\"sid\"]\n");
    place.file("no.json", "{}");
    for (arguments, expected) in [
        (&["export", "latest", "--redact", "people"][..], "an archive holds all of it"),
        (&["report", "latest", "--redact", "peple"], "the shipped ones are people"),
        (&["report", "latest", "--redact", "own.toml"], "line 2"),
        (&["export", "latest", "--as", "stix", "--redact", "own.toml"], "unknown field `field`"),
        (&["verify"], "required"),
        (&["verify", "--report", "no.json"], "expected the output of `locard report --format json`"),
        (&["verify", "--report", "gone.json"], "gone.json"),
    ] {
        let output = place.locard(arguments);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.contains(expected), "{arguments:?}: {told}");
    }
}

#[test]
fn a_redacted_file_has_no_name_that_tells_and_a_profile_of_ones_own_is_used() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let plain = place.locard_ends(0, &["report", "latest", "--format", "markdown"]);
    assert!(plain.contains("svchost.exe"));
    place.file("own.toml", "values = [\"svchost.exe\", \"demo\"]\n");
    let told = place.locard_ends(0, &["report", "latest", "--format", "markdown", "--redact", "own.toml"]);
    assert!(!told.contains("svchost.exe") && told.contains("by the profile own.toml"), "{told}");
    let out = place.locard_ends(
        0,
        &["export", "latest", "--as", "csv-facts", "--redact", "own.toml", "--format", "json"],
    );
    let out: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(out["file"], "redacted.facts.csv");
    assert!(out["written"]["run"].as_str().unwrap().ends_with("-withheld"), "{out}");
    assert!(!text(&std::fs::read(place.path("redacted.facts.csv")).unwrap()).contains("demo"));
}
