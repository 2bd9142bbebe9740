//! `recorded:` models: they repeat the recorded replies to the same requests, and refuse any other request.

use super::{BOTH, HIVE, ends, facts, healthy, host, model};
use crate::support::{Place, demo_file, str};

#[test]
fn a_recorded_run_of_an_unchanged_case_has_the_same_facts_at_no_cost() {
    for speaks in BOTH {
        let place = Place::new();
        host(&place);
        let server = healthy(speaks);
        ends(
            &place,
            0,
            &[
                "run",
                "host",
                "--side-by-side",
                "--no-sweep",
                "--model",
                &model(&server, speaks),
                "--runs",
                "first",
            ],
        );
        drop(server);
        let first = std::fs::read_dir(place.path("first")).unwrap().next().unwrap().unwrap().path();
        let whole = facts(&place, &first);
        let name = format!("recorded:{}", str(&first));
        let out = place.locard_ends(0, &["run", "host", "--side-by-side", "--no-sweep", "--model", &name]);
        assert!(!out.contains("requests"), "{out}");
        let run = place.only_run();
        assert_eq!(facts(&place, &run), whole);
        place.locard_ends(0, &["verify", str(&run)]);
        place.locard_ends(0, &["replay", str(&run)]);
        // A run made from a recording is a recording itself.
        place.locard_ends(0, &["run", "host", "--side-by-side", "--no-sweep", "--model", "recorded:latest"]);
        assert_eq!(facts(&place, &place.runs().pop().unwrap()), whole);
    }
}

#[test]
fn a_playbook_can_be_answered_for_and_other_ids_are_refused() {
    let place = Place::new();
    host(&place);
    place.locard_ends(0, &["run", "host", "--side-by-side", "--no-sweep"]);
    let whole = facts(&place, &place.only_run());
    place.locard_ends(0, &["run", "host", "--side-by-side", "--no-sweep", "--model", "recorded:latest"]);
    assert_eq!(facts(&place, &place.runs().pop().unwrap()), whole);
    let seed = "5".repeat(64);
    let (_, err) = ends(
        &place,
        50,
        &[
            "run",
            "host",
            "--side-by-side",
            "--no-sweep",
            "--quiet",
            "--model",
            "recorded:latest",
            "--seed",
            &seed,
        ],
    );
    assert!(err.contains("was asked something other than what was recorded: turn "), "{err}");
}

#[test]
fn a_case_that_differs_is_refused_with_the_place_and_left_unsealed() {
    let place = Place::new();
    host(&place);
    let server = healthy(BOTH[0]);
    ends(
        &place,
        0,
        &[
            "run",
            "host",
            "--side-by-side",
            "--no-sweep",
            "--model",
            &model(&server, BOTH[0]),
            "--runs",
            "first",
        ],
    );
    // The file still exists, but its content differs.
    place.file(&format!("host/{HIVE}"), demo_file("Windows/System32/config/SAM"));
    let name = "recorded:latest";
    let first = std::fs::read_dir(place.path("first")).unwrap().next().unwrap().unwrap().path();
    let copy = place.folder("runs").join(first.file_name().unwrap());
    crate::support::copy_folder(&first, &{
        std::fs::create_dir_all(&copy).unwrap();
        copy.clone()
    });
    let (_, err) =
        ends(&place, 50, &["run", "host", "--side-by-side", "--no-sweep", "--quiet", "--model", name]);
    let error = err.lines().next().unwrap();
    assert!(error.contains("turn 2, message 3, block 1: recorded "), "{error}");
    assert!(error.chars().count() < 900, "{error}");
    let run = place.runs().pop().unwrap();
    place.locard_ends(32, &["verify", str(&run)]);
    let (_, again) = ends(&place, 50, &["resume", str(&run), "--quiet"]);
    assert!(again.lines().next().unwrap().contains("was asked something other"), "{again}");
}
