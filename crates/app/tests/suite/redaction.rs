//! What a profile withholds from a run must be absent from everything that is written about it.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and writes its own files"
)]

mod disguises;
mod fields;
mod forms;
mod hostile;
mod log;
mod packed;
mod written;

use app::Profile;
use forms::{found, stands};
use serde_json::Value;
use std::collections::BTreeSet;
use written::{everything, one, whole};

/// The people and machines in the sample, from the ground truth of the demo: accounts, names, hosts, networks, SIDs, addresses.
const PEOPLE: [&str; 17] = [
    "mara",
    "it-admin",
    "h.lindqvist",
    "Mara Ellingsen",
    "Ellingsen",
    "svc-backup",
    "scansvc",
    "ALDER-07",
    "ALDER-FS01",
    "corp.alderbrook.example",
    "Alderbrook",
    "S-1-5-21-1391846017-2755219433-3320145571",
    "S-1-5-21-2214067785-1408821177-3657122904-2117",
    "10.20.4.37",
    "10.20.4.15",
    "192.0.2.23",
    "02-00-5e-00-53-2a",
];

/// The formats that describe the evidence; a Navigator layer and a statement name at most the case.
const TELLING: [&str; 8] =
    ["html", "md", "json", "timesketch.jsonl", "case.jsonld", "stix.json", "facts.csv", "timeline.csv"];

pub(crate) fn people() -> Profile {
    Profile::parse("people", redact::SHIPPED[0].1).unwrap()
}

#[test]
fn nobody_is_named_in_any_format_and_everybody_is_where_nothing_is_withheld() {
    let told = everything(Some(people()));
    for (format, text) in &told {
        assert_eq!(found(&PEOPLE, text), [""; 0], "{format}");
    }
    let mut named = BTreeSet::new();
    for (format, text) in everything(None) {
        let found = found(&PEOPLE, &text);
        assert!(
            !found.is_empty() || !TELLING.contains(&format),
            "{format} names nobody: the test shows nothing"
        );
        named.extend(found);
    }
    // The same search finds all of the values where they are allowed.
    assert_eq!(named, PEOPLE.into_iter().collect());
}

/// Values of kinds that are hard to withhold: paths, file names, a command line, a hash, words of agents, names of the case.
const HOSTILE: [&str; 8] = [
    "p1/Users/mara/Downloads/ScanToPdf-Setup.exe",
    "ScanToPdf",
    "svchost.exe",
    "4ddc00516cfd1379729a650e2bb7032518936cea80a99d8340be6ed0eef2dc13",
    "The scanner tool",
    "sethc.exe",
    "Europe/Berlin",
    "timestomp_indicator",
];

#[test]
fn what_a_profile_names_itself_stands_nowhere() {
    let values: Vec<String> = HOSTILE.iter().map(|value| format!("{value:?}")).collect();
    let profile = format!(
        "values = [{}]\n[[withhold]]\nrecords = \"*\"\nfields = [\"path\", \"name\"]",
        values.join(", ")
    );
    // The program's own names stay, even if a profile lists them; values of the evidence are withheld.
    let hostile: Vec<&str> = HOSTILE.into_iter().filter(|value| *value != "timestomp_indicator").collect();
    let told = everything(Some(Profile::parse("hostile", &profile).unwrap()));
    for (format, text) in &told {
        assert_eq!(found(&hostile, text), [""; 0], "{format}");
    }
    let named: BTreeSet<_> = whole().iter().flat_map(|(_, text)| found(&hostile, text)).collect();
    assert_eq!(named, hostile.into_iter().collect());
}

/// If an id were derived from the value, it could be found by trying values.
#[test]
fn no_id_of_a_thing_is_derived_from_what_is_withheld_of_it() {
    let ids = |profile| -> BTreeSet<(String, String)> {
        let text = one("stix.json", profile);
        let bundle: Value = serde_json::Deserializer::from_str(&text).into_iter().next().unwrap().unwrap();
        let objects = bundle["objects"].as_array().unwrap().iter();
        objects.map(|it| (it["id"].as_str().unwrap().to_owned(), it.to_string())).collect()
    };
    let (whole, told) = (ids(None), ids(Some(people())));
    let named: BTreeSet<&String> = whole
        .iter()
        .filter(|(id, text)| id.contains("account--") && PEOPLE.iter().any(|it| stands(it, text)))
        .map(|it| &it.0)
        .collect();
    assert!(named.len() > 3, "{named:?}");
    let told: BTreeSet<&String> = told.iter().map(|it| &it.0).collect();
    let kept: Vec<_> = named.intersection(&told).collect();
    assert!(kept.is_empty(), "{kept:?}");
}

#[test]
fn a_redacted_report_says_what_was_withheld_and_is_the_same_bytes_again() {
    let report = one("json", Some(people()));
    assert_eq!(report, one("json", Some(people())));
    let report: Value = serde_json::from_str(&report).unwrap();
    let redaction = &report["redaction"];
    assert_eq!(redaction["profile"], "people");
    assert!(redaction["facts"].as_u64().unwrap() > 20, "{redaction}");
    let places = redaction["places"].as_object().unwrap();
    for rule in ["SIDs", "hosts of UNC paths", "values of withheld fields", "whole values of withheld fields"]
    {
        assert!(places.contains_key(rule) || redaction["values"].get(rule).is_some(), "{rule}: {redaction}");
    }
    for (format, start) in
        [("md", "**This report is redacted by the profile"), ("html", "This report is redacted by")]
    {
        assert!(one(format, Some(people())).contains(start), "{format}");
        assert!(!one(format, None).contains(start), "{format}");
    }
}

/// Results that are computed from all values are the same after redaction.
#[test]
fn order_answers_and_confidence_are_those_of_the_run() {
    let of = |profile| -> Value { serde_json::from_str(&one("json", profile)).unwrap() };
    let (whole, told) = (of(None), of(Some(people())));
    assert_eq!(whole["confidence"], told["confidence"]);
    let places = |report: &Value| -> Vec<(Value, Value)> {
        let phenomena = report["phenomena"].as_array().unwrap().iter();
        phenomena.map(|it| (it["phenomenon"].clone(), it["points"].clone())).collect()
    };
    assert_eq!(places(&whole), places(&told));
    let answers = |report: &Value| -> Vec<(Value, Value)> {
        report["answers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| (it["answer"].clone(), it["facts"].clone()))
            .collect()
    };
    assert_eq!(answers(&whole), answers(&told));
    assert_eq!(whole["commitments"], told["commitments"]);
    let labels = |report: &Value| -> BTreeSet<String> {
        let evidence = report["case"]["evidence"].as_array().unwrap().iter();
        evidence.map(|it| it["label"].as_str().unwrap().to_owned()).collect()
    };
    // Both labels contain the name of a host.
    let two = ["[withheld: evidence 1]", "[withheld: evidence 2]"];
    assert_eq!((labels(&whole).len(), labels(&told)), (2, two.map(str::to_owned).into()));
    let facts = told["facts"].as_array().unwrap().iter();
    assert!(
        facts.map(|it| it["fact"]["locator"]["evidence"].as_str().unwrap()).all(|label| two.contains(&label))
    );
}
