//! `locard init`, and case files with misspelt words.

use crate::support::{Place, collect_demo, str, text};
use serde_json::Value;

#[test]
fn a_new_case_runs_and_its_hash_holds() {
    let place = Place::new();
    collect_demo(&place.path("host"));
    let told = place.locard_ends(0, &["init", "host", "--hash"]);
    assert!(told.contains("next: ") && told.contains("host-case/case.toml"), "{told}");
    let file = place.path("host-case/case.toml");
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(written.contains("sha256 = \"") && written.contains("# time_zone"), "{written}");
    place.locard_ends(0, &["run", str(&file)]);
    let run = app::load_run(&place.only_run()).unwrap();
    assert_eq!(run.integrity[0].as_expected, Some(true));
    assert_eq!(run.integrity[0].evidence, "host");
}

#[test]
fn what_init_prints_to_be_run_can_be_run() {
    let place = Place::new();
    place.folder("case/one");
    place.folder("elsewhere/two");
    for (arguments, expected) in [
        (&["init", "case/one", "--case", "case"][..], "case"),
        (&["init", "case/one", "elsewhere/two", "--case", "both"], "both/case.toml"),
    ] {
        let out = place.locard_ends(0, &[arguments, &["--format", "json"]].concat());
        let value: Value = serde_json::from_str(&out).unwrap();
        let run = value["run"].as_str().unwrap();
        assert!(run.ends_with(expected), "{run}");
        place.locard_ends(0, &["tool", "list_hives", "--evidence", run]);
    }
}

#[test]
fn init_writes_neither_into_evidence_nor_over_a_case() {
    let place = Place::new();
    place.folder("host/inner");
    let kept = place.file("full/case.toml", "title = \"kept\"");
    place.file("nothing.dd", "");
    for (arguments, expected) in [
        (&["init", "host", "--case", "host"][..], "which is never written"),
        (&["init", "host", "--case", "host/inner/case"], "which is never written"),
        (&["init", "host", "--case", "full"], "is there already"),
        (&["init", "host", "host/inner"], "lies inside the evidence"),
        (&["init", "gone"], "open the evidence gone"),
        (&["init", "full/case.toml"], "expected a directory"),
        (&["init", "nothing.dd"], "open the evidence nothing.dd: it is empty"),
        (&["run", "nothing.dd"], "open the evidence nothing.dd: it is empty"),
        (&["run", "/dev/null"], "open the evidence /dev/null: it is no regular file"),
        (&["init"], "required"),
    ] {
        let output = place.locard(arguments);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(expected), "{expected}: {told}");
    }
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "title = \"kept\"");
    assert!(!place.path("host/case.toml").exists() && !place.path("host-case").exists());
}

#[test]
fn a_misspelt_word_of_a_case_file_is_told_with_its_line_and_the_nearest_known_one() {
    let place = Place::new();
    place.folder("case/evidence");
    let case =
        "title = \"T\"\ntime_zone = \"UTC\"\n[[evidence]]\npath = \"evidence\"\nkind = \"directory\"\n";
    for (wrong, line, hint) in [
        (case.replace("time_zone", "timezone"), "line 2", "did you mean `time_zone`?"),
        (case.replace("kind", "knid"), "line 5", "did you mean `kind`?"),
        (case.replace("directory", "directry"), "line 5", "did you mean `directory`?"),
        (case.replace("UTC", "Europe/Berlni"), "line 2", "did you mean \"Europe/Berlin\"?"),
    ] {
        place.file("case/case.toml", wrong);
        let output = place.locard(&["run", "case"]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(line) && told.contains(hint) && told.contains("case.toml"), "{hint}: {told}");
    }
    place.file("case/case.toml", case);
    place.locard_ends(0, &["run", "case"]);
}
