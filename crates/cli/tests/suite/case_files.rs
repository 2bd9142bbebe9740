//! Case files that came with the evidence, and case files that make no sense.

use crate::support::{Place, demo_file, str, text};

fn case(path: &str) -> String {
    format!("title = \"T\"\n[[evidence]]\npath = \"{path}\"\nkind = \"directory\"\n")
}

/// What the program says when it refuses to run.
fn refused(place: &Place, case: &str) -> String {
    let output = place.locard(&["run", case]);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(!place.path("runs").exists(), "nothing is recorded: {told}");
    told
}

#[test]
fn a_case_file_in_the_evidence_cannot_lead_out_of_its_folder() {
    let place = Place::new();
    let outside = place.folder("outside");
    let triage = place.folder("triage");
    std::os::unix::fs::symlink(&outside, triage.join("link")).unwrap();
    for path in [str(&outside), "../outside", "link", "/"] {
        let file = place.file("triage/case.toml", case(path));
        let told = refused(&place, str(&triage));
        assert!(told.contains("lies outside this folder"), "{path}: {told}");
        let hint = format!("name the case file itself: {}", str(&file.canonicalize().unwrap()));
        assert!(told.contains(&hint), "{path}: {told}");
    }
}

#[test]
fn a_linked_case_file_is_not_followed_out_of_its_folder() {
    let place = Place::new();
    let elsewhere = place.file("elsewhere.toml", "secret = 1");
    let triage = place.folder("triage");
    std::os::unix::fs::symlink(elsewhere, triage.join("case.toml")).unwrap();
    let told = refused(&place, str(&triage));
    assert!(told.contains("lies outside this folder") && !told.contains("secret"), "{told}");
}

#[test]
fn a_case_file_that_is_named_itself_may_name_evidence_anywhere() {
    let place = Place::new();
    place.folder("outside");
    let file = place.file("case/case.toml", case("../outside"));
    place.locard_ends(0, &["run", str(&file)]);
    place.locard_ends(0, &["tool", "list_hives", "--evidence", str(&file)]);
}

#[test]
fn a_case_file_that_makes_no_sense_is_refused() {
    let place = Place::new();
    place.folder("case/evidence/inner");
    let more = |path: &str| format!("[[evidence]]\npath = \"{path}\"\nkind = \"directory\"\nlabel = \"b\"\n");
    let labelled = |label: &str| format!("{}label = \"{label}\"\n", case("evidence"));
    for (text, expected) in [
        (format!("{}#{}", case("evidence"), "x".repeat(1 << 20)), "expected at most 1048576 bytes"),
        (case("evidence") + &more("evidence/inner"), "lies inside the evidence"),
        (case("evidence/inner") + &more("evidence"), "lies inside the evidence"),
        (case("evidence") + &more("evidence/../evidence"), "lies inside the evidence"),
        (labelled(""), "expected a label"),
        (labelled("a\\u001b[2J"), "expected a label"),
        (case("evidence").replace("\"T\"", "\"T\\u0007\""), "expected a title"),
        (case("evidence").replace("\"T\"", "\"T\\nU\""), "expected a title"),
        (case("gone"), "gone"),
    ] {
        place.file("case/case.toml", text);
        let told = refused(&place, str(&place.path("case")));
        assert!(told.contains(expected), "{expected}: {told}");
    }
}

#[test]
fn a_case_file_that_is_no_file_is_refused() {
    let place = Place::new();
    place.folder("case/case.toml");
    let told = refused(&place, str(&place.path("case")));
    assert!(told.contains("expected a file"), "{told}");
}

#[test]
fn a_hostile_case_file_cannot_reach_the_terminal() {
    let place = Place::new();
    place.file("case/case.toml", "title = 1 # \u{9b}2J\u{202e}\n");
    let told = refused(&place, str(&place.path("case")));
    assert!(told.contains("line 1") && told.lines().count() > 2, "{told}");
    assert!(!told.contains(['\u{9b}', '\u{202e}']), "{told:?}");
}

#[test]
fn a_wrong_hash_is_told_with_both_hashes_and_the_run_is_sealed() {
    let place = Place::new();
    place.file("case/evidence/a.txt", "a");
    let promised = "0".repeat(64);
    place.file("case/case.toml", format!("{}sha256 = \"{promised}\"\n", case("evidence")));
    let output = place.locard(&["run", "case"]);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    let run = app::load_run(&place.only_run()).unwrap();
    let found = run.integrity[0].integrity.sha256.to_string();
    assert!(told.contains(&promised) && told.contains(&found), "{told}");
    assert!(run.sealed.is_some());
}

#[test]
fn two_hosts_with_equal_paths_are_both_investigated_and_told_apart() {
    let place = Place::new();
    let folder = place.path("two");
    for host in ["one", "two"] {
        for hive in ["SYSTEM", "SOFTWARE"] {
            let bytes = demo_file(&format!("Windows/System32/config/{hive}"));
            place.file(&format!("two/{host}/C/Windows/System32/config/{hive}"), bytes);
        }
    }
    let evidence =
        |host: &str| format!("[[evidence]]\npath = \"{host}\"\nlabel = \"{host}\"\nkind = \"directory\"\n");
    let case = format!("title = \"T\"\n{}{}", evidence("one"), evidence("two"));
    #[expect(clippy::disallowed_methods, reason = "the test writes its own case file")]
    std::fs::write(folder.join("case.toml"), case).unwrap();
    place.locard_ends(0, &["run", folder.to_str().unwrap(), "--fail-on", "gaps"]);
    let out = place.locard_ends(0, &["answers", "latest"]);
    for source in ["one:C/Windows/System32/config/SYSTEM", "two:C/Windows/System32/config/SYSTEM"] {
        assert!(out.contains(source), "{out}");
    }
    let run = app::load_run(&place.only_run()).unwrap();
    let of = |label: &str| run.facts().filter(|(_, fact)| fact.fact.locator.evidence == label).count();
    assert!(of("one") > 10);
    assert_eq!(of("one"), of("two"));
}
