//! `locard graph`: finds the whole chain that was planted in the demo, and gives facts of the run for each relation.

use crate::support::{Place, demo_folder, str, text};
use serde_json::Value;
use std::collections::BTreeSet;

fn demo() -> Place {
    let place = Place::new();
    place.has_demo_run(&[]);
    place
}

fn asked(place: &Place, arguments: &[&str]) -> Value {
    let out = place.locard_ends(0, &[&["graph", "latest"], arguments, &["--format", "json"]].concat());
    let value: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(value["locard_graph"], 1);
    value["answer"].clone()
}

/// The kinds of the relations along a path.
fn way(answer: &Value, at: usize) -> Vec<&str> {
    let hops = answer["ways"][at]["hops"].as_array().unwrap();
    hops.iter().map(|hop| hop["relation"]["relation"].as_str().unwrap()).collect()
}

#[test]
fn the_planted_chain_of_the_demo_comes_out_of_paths() {
    let place = demo();
    let url = "http://cdn.scan-to-pdf.example/files/ScanToPdf-Setup.exe";
    // Download, run and service, all by one account.
    let service = asked(&place, &["path", url, "Scan To PDF Update Service"]);
    assert_eq!(way(&service, 0), ["downloaded_from", "ran", "set_up"]);
    // The log was cleared by another account of the same host.
    let cleared = asked(&place, &["path", url, "security", "--host", "ALDER-07"]);
    assert_eq!(way(&cleared, 0).last(), Some(&"cleared"));
    // The USB stick, and the other host.
    let stick = asked(&place, &["path", "ScanToPdf-Setup.exe", "E0D55EA574BCF3A1"]);
    assert_eq!(way(&stick, 0).last(), Some(&"connected_to"));
    let server = asked(&place, &["path", "mara", "ALDER-FS01"]);
    assert_eq!(way(&server, 0), ["names", "has_address"]);
    assert_eq!(server["to"]["kind"], "host");
    for answer in [&service, &cleared, &stick, &server] {
        let hops = answer["ways"][0]["hops"].as_array().unwrap();
        let weakest = usize::try_from(answer["ways"][0]["weakest"].as_u64().unwrap()).unwrap();
        let sure = |hop: &Value| hop["relation"]["confidence"].as_u64().unwrap();
        assert!(hops.iter().all(|hop| sure(hop) >= sure(&hops[weakest])));
        for hop in hops {
            let facts = hop["relation"]["facts"].as_array().unwrap();
            assert!(
                !facts.is_empty() && facts.iter().all(|fact| !fact["sentence"].as_str().unwrap().is_empty())
            );
        }
    }
}

#[test]
fn the_story_of_the_program_tells_the_chain_in_its_order_and_says_what_is_not_shown() {
    let place = demo();
    let told = place.locard_ends(0, &["graph", "latest", "story", "ScanToPdf-Setup.exe"]);
    let mut rest = told.as_str();
    for step in [
        "downloaded from url http://cdn.scan-to-pdf.example/files/ScanToPdf-Setup.exe",
        "account mara ran program",
        "afterwards (not shown to be its doing)",
        "account mara set up service Scan To PDF Update Service",
        "account mara deleted file C:\\Users\\mara\\Desktop\\ledgers-2025-q3.zip",
        "on its host afterwards (by whom is not shown)",
        "persists through service",
        "connected to device E0D55EA574BCF3A1",
        "account scansvc cleared file",
    ] {
        let at = rest.find(step).unwrap_or_else(|| panic!("{step} does not come where it should:\n{told}"));
        rest = &rest[at..];
    }
}

#[test]
fn every_relation_names_facts_of_the_run_and_entities_that_can_be_asked_by_id() {
    let place = demo();
    let out = place.locard_ends(0, &["facts", "latest", "--format", "jsonl"]);
    let known: BTreeSet<String> = out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["fact"]["id"].as_str().unwrap().to_owned())
        .collect();
    let out = place.locard_ends(0, &["graph", "latest", "--format", "cytoscape"]);
    let drawn: Value = serde_json::from_str(&out).unwrap();
    let (nodes, edges) = (&drawn["elements"]["nodes"], &drawn["elements"]["edges"]);
    let ids: BTreeSet<&str> =
        nodes.as_array().unwrap().iter().map(|node| node["data"]["id"].as_str().unwrap()).collect();
    assert!(ids.len() > 100);
    for edge in edges.as_array().unwrap() {
        let edge = &edge["data"];
        assert!(
            ids.contains(edge["source"].as_str().unwrap()) && ids.contains(edge["target"].as_str().unwrap())
        );
        let facts = edge["facts"].as_array().unwrap();
        assert!(
            !facts.is_empty() && facts.iter().all(|fact| known.contains(fact.as_str().unwrap())),
            "{edge}"
        );
    }
    for id in ids.iter().step_by(25) {
        let told = place.locard_ends(0, &["graph", "latest", "node", id]);
        assert!(told.contains(id), "{told}");
    }
    let summary = asked(&place, &[]);
    let entities: u64 =
        summary["entities"].as_object().unwrap().values().map(|it| it.as_u64().unwrap()).sum();
    assert_eq!(usize::try_from(entities).unwrap(), ids.len());
}

#[test]
fn what_fits_several_things_or_none_ends_with_2_and_says_so() {
    let place = demo();
    for (arguments, said) in [
        (&["node", "nothing of that name"][..], "no fact names"),
        (&["node", ".exe"], "things alike"),
        (&["node"], "node takes one argument, X, 0 given"),
        (&["path", "mara"], "path takes two arguments, X and Y, 1 given"),
        (&["hubs", "mara"], "hubs takes no argument, 1 given"),
        (&["hubs", "--relation", "liked"], "there is no relation"),
        (&["hubs", "--host", "nowhere"], "there is no host"),
        (&["where-else", "mara", "--relation", "ran"], "where-else is about facts, which --relation"),
        (&["contradictions", "--relation", "ran"], "contradictions is about facts, which --relation"),
        (&["contradictions", "--confidence", "500"], "contradictions is about facts, which --confidence"),
        (&["path", "mara", "scansvc", "-k", "0"], "0 is not in 1.."),
        (&["hubs", "-k", "3"], "hubs takes no -k"),
        (&["node", "mara", "--depth", "3"], "node takes no --depth"),
        (&["timeline", "mara", "--most", "1"], "timeline takes no --most"),
        (&["contradictions", "--format", "dot"], "contradictions cannot be drawn"),
    ] {
        let output = place.locard(&[&["graph", "latest"], arguments].concat());
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.contains(said), "{arguments:?}: {told}");
    }
}

#[test]
fn two_runs_over_the_same_evidence_are_of_the_same_hosts_and_answers_have_every_form() {
    let place = demo();
    let first = place.only_run();
    place.has_demo_run(&["--agent", "registry"]);
    let second = place.runs().into_iter().find(|run| *run != first).unwrap();
    let one = place.locard_ends(0, &["graph", str(&first), "where-else", "E0D55EA574BCF3A1"]);
    let both = ["graph", str(&first), "--with", str(&second), "where-else", "E0D55EA574BCF3A1"];
    let joined = place.locard_ends(0, &both);
    assert!(one.contains("on 1 host,") && joined.contains("on 1 host,"), "{joined}");
    assert!(joined.contains(" of "), "facts of two runs bear the name of theirs: {joined}");
    let dot = place.locard_ends(0, &["graph", str(&first), "neighbours", "mara", "--format", "dot"]);
    assert!(dot.starts_with("digraph connections {") && dot.contains(" -> "));
    // The malware and its service are both neighbours of mara, and the relation between the two is drawn as well.
    assert!(dot.contains("persists through"), "{dot}");
    let xml = place.locard_ends(0, &["graph", str(&first), "islands", "--format", "graphml"]);
    assert!(xml.contains("<graphml") && xml.matches("<edge ").count() > 10);
    let german = place.locard_ends(0, &["graph", str(&first), "timeline", "scansvc", "--lang", "de"]);
    assert!(german.contains("gelöscht") || german.contains("geleert"), "{german}");
    let none = place.locard_ends(0, &["graph", str(&first), "contradictions"]);
    assert!(none.contains("0 contradictions; 6 kinds are looked for"));
}

/// The fact ids in a text.
fn facts_in(text: &str) -> BTreeSet<String> {
    let ids = text.match_indices("fact-").filter_map(|(at, _)| text.get(at..at + "fact-".len() + 8));
    ids.map(str::to_owned).collect()
}

#[test]
fn a_filter_holds_in_every_question_and_every_form() {
    let place = demo();
    let written = place.locard_ends(0, &["facts", "latest", "--format", "json"]);
    let written: Value = serde_json::from_str(&written).unwrap();
    let least_trusted: BTreeSet<String> = written["facts"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["writer"] == "any_user")
        .map(|it| it["fact"]["id"].as_str().unwrap().to_owned())
        .collect();
    assert!(least_trusted.len() > 20, "the demo has facts that anybody could have written");
    for question in
        [&["node", "mara"][..], &["neighbours", "mara"], &["timeline", "mara"], &["where-else", "mara"]]
    {
        for format in ["table", "json", "dot", "graphml", "cytoscape"] {
            let ask = |filter: &[&str]| {
                let arguments = [&["graph", "latest"], question, &["--format", format], filter].concat();
                facts_in(&place.locard_ends(0, &arguments))
            };
            let (all, some) = (ask(&[]), ask(&["--writer", "administrator"]));
            let left: Vec<_> = some.intersection(&least_trusted).collect();
            assert!(left.is_empty(), "{question:?} {format}: {left:?}");
            // A table shows only the first fact of each relation.
            let is_less = some.is_subset(&all) && (some.len() < all.len() || all.is_empty());
            assert!(format == "table" || is_less, "{question:?} {format}");
        }
    }
}

#[test]
fn rows_of_the_evidence_that_name_a_thing_are_listed_apart_and_others_are_not() {
    let place = demo();
    let demo = demo_folder();
    let rows = |thing: &str| {
        let arguments = ["graph", "latest", "node", thing, "--evidence", str(&demo), "--format", "json"];
        let answer: Value = serde_json::from_str(&place.locard_ends(0, &arguments)).unwrap();
        let rows = answer["rows"]["listed"].as_array().unwrap().clone();
        let told = |row: &Value| (row["table"].as_str().unwrap().to_owned(), row["subject"].to_string());
        rows.iter().map(told).collect::<Vec<_>>()
    };
    // It occurs in command lines, followed by arguments.
    let program = rows(r"C:\ProgramData\ScanToPdf\svchost.exe");
    let tables: BTreeSet<&str> = program.iter().map(|(table, _)| table.as_str()).collect();
    for table in ["service", "service_installed", "autostart"] {
        assert!(tables.contains(table), "{tables:?}");
    }
    assert!(!program.iter().any(|(_, subject)| subject.contains("System32")), "{program:?}");
    // An account with a name and a SID.
    let account = rows("mara");
    let tables: BTreeSet<&str> = account.iter().map(|(table, _)| table.as_str()).collect();
    for table in ["bam_entry", "last_logged_on", "logon"] {
        assert!(tables.contains(table), "{tables:?}");
    }
}
