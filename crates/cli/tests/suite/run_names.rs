//! Which run a name means.

use crate::support::{Place, script, str, text};
use ledger::Rules;

/// A place with empty folders for runs of these names.
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
    // With the second run there, the first is still meant by its own name.
    let report = place.locard_ends(0, &["report", "19700101T000000Z-demo"]);
    assert!(report.contains("Run `19700101T000000Z-demo`"), "{report}");
}

#[test]
fn a_folder_that_is_no_run_is_never_the_latest() {
    let place = with_runs(&["20260101T000000Z-a", "junk", "notes-2"]);
    assert_eq!(found(&place, "latest"), place.path("runs/20260101T000000Z-a"));
}
