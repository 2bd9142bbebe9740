//! Which run a name refers to.

use crate::support::{Place, script, str, text};
use ledger::Rules;

/// A place with run folders of these names, whose databases cannot be read.
fn with_runs(names: &[&str]) -> Place {
    let place = Place::new();
    for name in names {
        place.file(&format!("runs/{name}/run.db"), "no run that can be read, but one");
    }
    place
}

fn found(place: &Place, name: &str) -> std::path::PathBuf {
    app::find_run(name, &place.path("runs")).unwrap()
}

#[test]
fn an_exact_name_wins_over_names_that_begin_with_it() {
    let place = with_runs(&["20260101T000000Z-a", "20260101T000000Z-a-2"]);
    assert_eq!(found(&place, "20260101T000000Z-a"), place.path("runs/20260101T000000Z-a"));
    assert_eq!(found(&place, "20260101T000000Z-a-"), place.path("runs/20260101T000000Z-a-2"));
}

#[test]
fn names_that_fit_are_listed_up_to_five() {
    let place = with_runs(&["2026-7", "2026-1", "2026-2", "2026-3", "2026-4", "2026-5", "2026-6"]);
    let output = place.locard(&["facts", "2026"]);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("7 folders"), "{told}");
    assert!(told.contains("2026-1, 2026-2, 2026-3, 2026-4, 2026-5, …"), "{told}");
    assert!(!told.contains("2026-6"), "{told}");
}

#[test]
fn where_no_name_fits_that_is_told() {
    let place = with_runs(&["2026-1"]);
    for arguments in [&["facts", "2027"][..], &["facts", "2026", "--runs", "elsewhere"]] {
        let output = place.locard(arguments);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("no folder under"), "{told}");
    }
}

#[test]
fn a_name_with_a_separator_is_a_path_and_never_a_beginning() {
    let place = with_runs(&["2026-1"]);
    let path = place.path("runs/2026-1");
    assert_eq!(found(&place, str(&path)), path);
    let output = place.locard(&["facts", "runs/2026"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("there is no folder runs/2026"), "{}", text(&output.stderr));
    for name in ["", "2026-1/../2026-1x", "./2026"] {
        assert!(app::find_run(name, &place.path("runs")).is_err(), "{name}");
    }
}

#[test]
fn two_runs_within_one_second_can_both_be_meant() {
    let place = Place::new();
    for name in ["19700101T000000Z-demo", "19700101T000000Z-demo-2"] {
        place.investigate(Rules::default(), vec![("registry", script(vec![]))]);
        let report = place.locard_ends(0, &["report", name]);
        assert!(report.contains(&format!("Run `{name}`")), "{report}");
    }
    // Once the second run exists, the exact name still refers to the first.
    let report = place.locard_ends(0, &["report", "19700101T000000Z-demo"]);
    assert!(report.contains("Run `19700101T000000Z-demo`"), "{report}");
}

#[test]
fn a_folder_that_is_no_run_is_never_the_latest() {
    let place = with_runs(&["20260101T000000Z-a", "junk", "notes-2"]);
    assert_eq!(found(&place, "latest"), place.path("runs/20260101T000000Z-a"));
}

#[test]
fn a_path_that_leads_to_no_run_is_told_as_that_and_never_as_tampered_with() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let run = place.only_run();
    place.folder("empty");
    place.file("page/manifest.json", r#"{"name": "a web page", "icons": []}"#);
    place.file("notes.txt", "x");
    let log = run.join("run.db");
    for (name, told) in [
        ("empty", "holds neither a run.db nor a manifest.json of a run"),
        ("page", "holds neither a run.db nor a manifest.json of a run"),
        ("notes.txt", "notes.txt: it is a file"),
        ("./notes.txt", "notes.txt: it is a file"),
        ("./nowhere", "there is no folder"),
        (str(&log), "give the folder that it lies in"),
        (str(&place.path("runs")), "it holds runs: name one of them, with --runs"),
    ] {
        for command in [&["verify"][..], &["facts"], &["export", "-o", "-"], &["replay"]] {
            let output = place.locard(&[command, &[name]].concat());
            let complaint = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{command:?} {name}: {complaint}");
            assert!(complaint.contains(told), "{command:?} {name}: {complaint}");
        }
    }
    // A folder that was once a run counts as damaged, whatever happened to its log.
    let copy = place.path("copy");
    crate::support::copy_folder(&run, &copy);
    place.file("copy/manifest.json", std::fs::read(run.join("manifest.json")).unwrap());
    std::fs::remove_file(copy.join("run.db")).unwrap();
    place.locard_ends(31, &["verify", "copy"]);
    place.file("20260101T000000Z-demo/run.db", "overwritten");
    place.locard_ends(31, &["verify", "20260101T000000Z-demo"]);
}

#[test]
fn the_latest_run_is_the_last_that_was_sealed_and_what_is_passed_over_is_told() {
    let place = Place::new();
    let unsealed = crate::lesser_runs::broken_off(&place);
    std::fs::remove_dir_all(place.only_run()).unwrap();
    let begun = place.path("runs/29990101T000000Z-demo");
    std::fs::rename(unsealed, &begun).unwrap();
    // No run is sealed, and only commands for unsealed runs accept the unsealed one.
    for name in ["latest", "latest:demo"] {
        let output = place.locard(&["facts", name]);
        let complaint = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{complaint}");
        assert!(
            complaint.contains("is sealed") && complaint.contains("29990101T000000Z-demo"),
            "{complaint}"
        );
    }
    place.locard_ends(0, &["verify", "latest", "--unsealed"]);
    place.has_demo_run(&[]);
    place.folder("runs/29990102T000000Z-demo");
    for (command, name) in
        [("facts", "latest"), ("report", "latest:demo"), ("verify", "latest"), ("answers", "latest")]
    {
        let output = place.locard(&[command, name]);
        let complaint = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{command}: {complaint}");
        let passed: Vec<&str> = complaint.lines().filter(|line| line.contains("passed over")).collect();
        assert_eq!(passed.len(), 1, "{command}: {complaint}");
        assert!(passed[0].contains("29990") && passed[0].contains("not sealed"), "{command}: {complaint}");
        assert!(!text(&output.stdout).contains("the run is not sealed"), "{command}");
    }
    // A run that is named explicitly is taken even if it is not sealed.
    let named = place.locard_ends(0, &["facts", "29990101"]);
    assert!(named.contains("the run is not sealed"), "{named}");
    // If the newest run is sealed, there is no notice.
    std::fs::remove_dir_all(&begun).unwrap();
    std::fs::remove_dir_all(place.path("runs/29990102T000000Z-demo")).unwrap();
    let output = place.locard(&["facts", "latest"]);
    assert_eq!(text(&output.stderr), "");
}
