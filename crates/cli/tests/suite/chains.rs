//! Equal runs have equal task chains, regardless of place, time and order.

use crate::support::{Place, SMALL, copy_folder, demo_folder, invocations, script};
use ledger::Rules;
use ledger::event::TaskHead;
use serde_json::json;
use testkit::scripted::{Scripted, calls};

#[test]
fn runs_from_different_paths_folders_zones_and_languages_have_equal_task_chains() {
    let surroundings = [
        ("a/demo", ".", "UTC", "C"),
        ("somewhere/much deeper/demo", "somewhere", "Pacific/Kiritimati", "de_DE.UTF-8"),
    ];
    let chains = surroundings.map(|(case, cwd, zone, language)| {
        let place = Place::new();
        let case = place.path(case);
        copy_folder(&demo_folder(), &case);
        let (cwd, runs) = (place.folder(cwd), place.path("runs"));
        let temporary = place.folder(&format!("tmp {}", language.len()));
        let mut command = place.command(&["run", "--model", "sloppy:3"]);
        command.arg(&case).arg("--runs").arg(&runs).current_dir(cwd);
        command.env("TMPDIR", temporary).env("TZ", zone).env("LANG", language).env("LC_ALL", language);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", crate::support::text(&output.stderr));
        heads(app::load_run(&place.only_run()).unwrap())
    });
    assert_eq!(chains[0], chains[1]);
}

#[test]
fn a_case_has_equal_task_chains_alone_and_beside_others() {
    let alone = Place::new();
    let demo = demo_folder();
    let demo = demo.to_str().unwrap();
    alone.locard_ends(0, &[&["run", demo, "--model", "sloppy:3"], &SMALL[..]].concat());
    let expected = heads(app::load_run(&alone.only_run()).unwrap());
    for jobs in ["1", "4"] {
        let place = Place::new();
        let four = ["run", demo, demo, demo, demo, "--model", "sloppy:3", "--jobs", jobs];
        place.locard_ends(0, &[&four[..], &SMALL].concat());
        let runs = place.runs();
        assert_eq!(runs.len(), 4);
        for run in runs {
            assert_eq!(heads(app::load_run(&run).unwrap()), expected, "--jobs {jobs}: {}", run.display());
        }
    }
}

/// An agent that reads a key, records what it contains, and claims something that it does not contain.
fn agent(hive: &'static str, key: &'static str, name: &'static str) -> Scripted {
    script(vec![
        Box::new(move |_| {
            calls(1, &[("list_hives", json!({})), ("parse_registry_key", json!({"hive": hive, "key": key}))])
        }),
        Box::new(move |request| {
            let cited = invocations(request)[1].clone();
            let reading = |values| json!({"predicate": "configured", "values": values, "invocation": cited});
            let readings =
                [reading(json!({"name": name})), reading(json!({"name": name, "data": "nothing"}))];
            calls(2, &[("record_phenomenon", json!({"readings": readings}))])
        }),
    ])
}

#[test]
fn two_agents_side_by_side_have_equal_task_chains_however_they_interleave() {
    let chains = [(); 3].map(|()| {
        let place = Place::new();
        let agents = vec![
            ("system", agent("p1/Windows/System32/config/SYSTEM", "Select", "Current")),
            (
                "software",
                agent(
                    "p1/Windows/System32/config/SOFTWARE",
                    r"Microsoft\Windows NT\CurrentVersion",
                    "RegisteredOwner",
                ),
            ),
        ];
        let (_, run) = place.investigate(Rules::default(), agents);
        assert_eq!(run.facts().count(), 2);
        heads(run)
    });
    assert_eq!(chains[0].len(), 2);
    assert_eq!(chains[0], chains[1]);
    assert_eq!(chains[1], chains[2]);
}

fn heads(run: graph::Run) -> Vec<TaskHead> {
    let heads = run.sealed.unwrap().heads;
    assert!(!heads.is_empty());
    heads
}
