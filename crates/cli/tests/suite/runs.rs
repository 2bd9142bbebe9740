//! The list of runs, and names that refer to the newest run.

use crate::lesser_runs::broken_off;
use crate::support::{Place, copy_folder, demo_folder, script, str, text};
use serde_json::Value;

fn listed(place: &Place, arguments: &[&str]) -> Vec<Value> {
    let out = place.locard_ends(0, &[&["runs", "--format", "json"], arguments].concat());
    serde_json::from_str::<Value>(&out).unwrap()["runs"].as_array().unwrap().clone()
}

#[test]
fn runs_are_listed_with_what_they_came_to() {
    let place = Place::new();
    let unsealed = broken_off(&place);
    std::fs::remove_dir_all(place.only_run()).unwrap();
    std::fs::rename(unsealed, place.path("runs/19700101T000000Z-demo")).unwrap();
    place.folder("runs/19990101T000000Z-empty");
    place.file("runs/notes.txt", "no run");
    place.has_demo_run(&["--model", "sloppy:4"]);
    let runs = listed(&place, &[]);
    let states: Vec<_> = runs.iter().map(|run| run["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["sealed", "unreadable", "unsealed"], "the newest first");
    let facts: Value =
        serde_json::from_str(&place.locard_ends(0, &["facts", "latest", "--format", "json"])).unwrap();
    assert_eq!(runs[0]["facts"], facts["facts"].as_array().unwrap().len());
    let refused: Value =
        serde_json::from_str(&place.locard_ends(0, &["rejections", "latest", "--format", "json"])).unwrap();
    assert_eq!(runs[0]["refused"], refused["rejections"].as_array().unwrap().len());
    assert_eq!((&runs[0]["case"], &runs[0]["unmet"]), (&"demo".into(), &0.into()));
    assert_eq!(
        runs[0]["agents"],
        serde_json::json!([
            "lead",
            "filesystem",
            "registry",
            "eventlog",
            "execution",
            "persistence",
            "user-activity",
            "timeline",
            "sweep"
        ])
    );
    assert!(runs[1]["because"].as_str().unwrap().contains("no such file"), "{}", runs[1]);
    assert_eq!((&runs[2]["facts"], &runs[2]["unmet"]), (&1.into(), &Value::Null));

    let out = place.locard_ends(0, &["runs"]);
    assert_eq!(out.lines().count(), 5, "{out}");
    assert!(out.lines().nth(3).unwrap().starts_with("19700101T000000Z-demo"), "{out}");
    for (pattern, expected) in [("demo", 2), ("d*o", 2), ("em?ty", 1), ("dem", 0), ("*", 3)] {
        assert_eq!(listed(&place, &[pattern]).len(), expected, "{pattern}");
    }
}

#[test]
fn a_run_of_several_agents_is_listed_with_what_all_of_them_came_to() {
    let place = Place::new();
    let agents = ["one", "two", "three"].map(|name| (name, script(vec![])));
    let (finished, _) = place.investigate(ledger::Rules::default(), agents.into());
    let listed = app::list_runs(&place.path("runs"), None).unwrap();
    assert_eq!(listed[0].agents, ["one", "two", "three"]);
    assert_eq!((listed[0].facts, listed[0].unmet), (Some(0), Some(50)), "nobody was handed a question");
    assert_eq!(listed[0].folder, finished.folder);
}

#[test]
fn a_folder_that_is_not_there_has_no_runs() {
    let output = Place::new().locard(&["runs"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("list the runs under runs"), "{}", text(&output.stderr));
    let place = Place::new();
    place.folder("runs");
    assert_eq!(place.locard_ends(0, &["runs"]), "no runs\n");
}

#[test]
fn the_newest_run_of_a_case_is_meant_by_its_exact_name() {
    let place = Place::new();
    for case in ["demo", "demo-2", "demolition"] {
        copy_folder(&demo_folder(), &place.path(case));
        place.locard_ends(0, &["run", case]);
    }
    let runs = place.path("runs");
    let found = |name: &str| {
        app::find_run(name, &runs).ok().map(|folder| app::load_run(&folder).unwrap().opened.case.name)
    };
    for case in ["demo", "demo-2", "demolition"] {
        assert_eq!(found(&format!("latest:{case}")).as_deref(), Some(case));
    }
    assert_eq!((found("latest:dem"), found("latest:")), (None, None));
    let first = app::find_run("latest:demo", &runs).unwrap();
    place.locard_ends(0, &["run", "demo"]);
    let second = app::find_run("latest:demo", &runs).unwrap();
    assert_ne!(first, second);
    let out = place.locard_ends(0, &["report", "latest:demo"]);
    assert!(out.contains(&format!("Run `{}`", second.file_name().unwrap().to_str().unwrap())), "{out}");
    let output = place.locard(&["facts", "latest:nothing"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

/// A run contains content of its evidence, so its permissions matter.
#[test]
fn a_run_is_for_its_owner_alone_unless_it_is_shared() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let evidence = place.file("host/C/Users/mara/notes.txt", "x");
    let host = evidence.ancestors().nth(4).unwrap().to_owned();
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    for (runs, more, folder, file) in
        [("own", None, 0o700, 0o400), ("shared", Some("--shared"), 0o755, 0o444)]
    {
        let mut arguments = vec!["run", str(&host), "--runs", runs];
        arguments.extend(more);
        place.locard_ends(0, &arguments);
        let run = std::fs::read_dir(place.path(runs)).unwrap().next().unwrap().unwrap().path();
        let modes = [mode(&run), mode(&run.join("run.db")), mode(&run.join("manifest.json"))];
        // The umask takes permissions away from everybody.
        let umask = 0o777 & !mode(&place.path(runs));
        assert_eq!(modes, [folder & !umask, file & !umask, file & !umask], "{runs}");
    }
}
