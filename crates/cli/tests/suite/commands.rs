//! The commands as a person types them.

use crate::support::{Place, SMALL, demo_file, demo_folder, text};

fn demo() -> String {
    demo_folder().to_str().unwrap().to_owned()
}

#[test]
fn the_demo_ends_sealed_with_every_objective_met_and_facts_that_name_their_bytes() {
    let place = Place::new();
    place.locard_ends(0, &["run", &demo(), "--fail-on", "open,refused"]);
    let out = place.locard_ends(0, &["answers", "latest"]);
    assert!(out.contains("7 of 7 tasks accepted, no open questions"), "{out}");
    assert!(out.contains("ALDER-07") && out.contains("W. Europe Standard Time"), "{out}");

    let name = place.only_run().file_name().unwrap().to_str().unwrap().to_owned();
    let prefix = &name[..10];
    let facts = place.locard_ends(0, &["facts", prefix]);
    for expected in [
        r"configured ControlSet001\Control\ComputerName\ComputerName: name = ALDER-07",
        r"ScanToPdf: command = C:\ProgramData\ScanToPdf\svchost.exe -k netsvcs",
        "2025-09-16T09:47:31.1234567Z",
        r"profile_path = C:\Users\mara",
        "inv-",
        "output bytes ",
        "evidence bytes ",
    ] {
        assert!(facts.contains(expected), "{expected} is not in\n{facts}");
    }
    let verified = place.locard_ends(0, &["verify", prefix]);
    assert!(verified.contains("verified: facts stand"), "{verified}");
    let report = place.locard_ends(0, &["report", prefix]);
    assert!(report.starts_with("# The scanner tool on ALDER\u{2d}07\n"), "{report}");
    let json = place.locard_ends(0, &["report", prefix, "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["locard_report"], 1);
    assert!(json["facts"].as_array().unwrap().len() > 20);
}

#[test]
fn two_runs_of_one_case_have_equal_task_chains() {
    let (first, second) = (Place::new(), Place::new());
    first.has_demo_run(&[]);
    second.locard_ends(0, &["run", &demo()]);
    let chains = [&first, &second].map(|place| {
        let run = app::load_run(&place.only_run()).unwrap();
        run.sealed.unwrap().heads
    });
    assert_eq!(chains[0], chains[1]);
}

#[test]
fn the_sloppy_model_leaves_rejections_worth_reading_and_no_false_fact() {
    let place = Place::new();
    place.locard_ends(20, &["run", &demo(), "--model", "sloppy:3", "--fail-on", "refused"]);
    let name = place.only_run().to_str().unwrap().to_owned();
    let out = place.locard_ends(0, &["rejections", &name]);
    assert!(out.contains("corrected") && out.contains("told:"), "{out}");
    place.locard_ends(0, &["verify", &name]);
    // Whatever mistakes it makes, it can only record facts that the playbook would have recorded, too.
    let honest = Place::new();
    honest.has_demo_run(&[]);
    let says = |place: &Place| {
        let run = app::load_run(&place.only_run()).unwrap();
        run.facts().map(|(_, fact)| graph::fact_title(&fact.fact)).collect::<std::collections::BTreeSet<_>>()
    };
    let invented: Vec<_> = says(&place).difference(&says(&honest)).cloned().collect();
    assert!(invented.is_empty(), "{invented:?}");
}

#[test]
fn the_evidence_is_as_it_was_after_a_run() {
    let place = Place::new();
    let listing = || {
        let mut entries = Vec::new();
        let mut folders = vec![demo_folder()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                let metadata = entry.metadata().unwrap();
                if metadata.is_dir() {
                    folders.push(entry.path());
                }
                let bytes = std::fs::read(entry.path()).unwrap_or_default();
                entries.push((entry.path(), metadata.modified().unwrap(), bytes));
            }
        }
        entries.sort();
        entries
    };
    let before = listing();
    place.locard_ends(0, &["run", &demo()]);
    assert_eq!(before, listing());
}

#[test]
fn a_run_inside_the_evidence_is_refused() {
    let place = Place::new();
    let evidence = place.path("evidence");
    std::fs::create_dir(&evidence).unwrap();
    let runs = evidence.join("runs");
    let output = place.locard(&["run", evidence.to_str().unwrap(), "--runs", runs.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("lies inside the evidence"));
    assert!(!runs.exists());
}

#[test]
fn an_empty_folder_is_investigated_without_a_fact() {
    let place = Place::new();
    let evidence = place.path("evidence");
    std::fs::create_dir(&evidence).unwrap();
    let out = place.locard_ends(25, &["run", evidence.to_str().unwrap(), "--fail-on", "unmet"]);
    assert!(out.contains("0 facts"), "{out}");
    place.locard_ends(0, &["verify", place.only_run().to_str().unwrap()]);
}

#[test]
fn usage_that_makes_no_sense_is_told_with_exit_code_2() {
    let place = Place::new();
    for arguments in [
        &["run", "no-such-folder"][..],
        &["run", "case", "--model", "oracle"],
        &["facts", "no-such-run"],
        &["tool", "no_such_tool"],
        &["tool", "list_directory", "path"],
        &["investigate"],
        &[],
    ] {
        let output = place.locard(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}

/// A case with one hive of the demo as evidence, and this case file.
fn demo_with(place: &Place, case: &str) -> String {
    let folder = place.path("demo");
    let software = "Windows/System32/config/SOFTWARE";
    place.file(&format!("demo/evidence/C/{software}"), demo_file(software));
    #[expect(clippy::disallowed_methods, reason = "the test writes its own case file")]
    std::fs::write(folder.join("case.toml"), case).unwrap();
    folder.to_str().unwrap().to_owned()
}

#[test]
fn the_documented_case_file_works_and_its_objective_is_met() {
    let place = Place::new();
    let page = std::fs::read_to_string(demo_folder().join("../../docs/case-format.md")).unwrap();
    let case = page.split("```toml").nth(1).unwrap().split("```").next().unwrap();
    let case: String =
        case.lines().filter(|line| !line.starts_with("sha256")).map(|l| format!("{l}\n")).collect();
    place.locard_ends(0, &["run", &demo_with(&place, &case)]);
    let out = place.locard_ends(0, &["answers", "latest"]);
    assert!(out.contains("answered                To whom is Windows registered?"), "{out}");
    assert!(out.contains("Alderbrook Accounting"), "{out}");
}

#[test]
fn an_objective_for_an_agent_that_is_not_there_is_refused() {
    let place = Place::new();
    let case = "title = \"T\"\n[[evidence]]\npath = \"evidence\"\nkind = \"directory\"\n[[objectives]]\nagent = \"regstry\"\n\
        [objectives.objective]\nid = \"x\"\nquestion = \"?\"\n[objectives.objective.condition]\n\
        predicate = \"configured\"\nrecord = \"registry_value\"\nsubject = \"*\"\nfield = \"data\"\n";
    let output = place.locard(&["run", &demo_with(&place, case)]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("regstry"), "{}", text(&output.stderr));
}

#[test]
fn a_folder_that_is_no_run_is_told_as_such_and_one_that_lost_its_log_as_damaged() {
    let place = Place::new();
    let folder = place.path("empty");
    std::fs::create_dir(&folder).unwrap();
    for command in ["facts", "verify"] {
        let output = place.locard(&[command, folder.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("holds neither a run.db nor a manifest.json"));
    }
    place.file("empty/manifest.json", "{}");
    let output = place.locard(&["facts", folder.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(31), "{}", text(&output.stderr));
}

#[test]
fn a_tool_can_be_called_by_hand() {
    let place = Place::new();
    let out = place.locard_ends(
        0,
        &[
            "tool",
            "parse_registry_key",
            "hive=p1/Windows/System32/config/SYSTEM",
            "key=Select",
            "--evidence",
            &demo(),
        ],
    );
    assert!(out.contains("registry_value") && out.contains("value_path: Select\\Current"), "{out}");
    let out = place.locard_ends(0, &["tool", "list_hives", "--evidence", &demo(), "--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(value["records"].as_array().unwrap().len(), 7);
    assert!(place.locard_ends(0, &["tool"]).contains("list_directory"));
}

#[test]
fn the_doctor_names_every_layer() {
    let out = Place::new().locard_ends(0, &["doctor"]);
    for layer in ["Landlock", "seccomp", "no_new_privs", "limits", "capabilities"] {
        assert!(out.contains(layer), "{out}");
    }
}

#[test]
fn latest_is_the_run_that_was_begun_last() {
    let place = Place::new();
    for _ in 0..3 {
        place.locard_ends(0, &[&["run", &demo()], &SMALL[..]].concat());
    }
    let names = || {
        let entries = std::fs::read_dir(place.path("runs")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    let opened = |name: &str| {
        app::load_run(&place.path("runs").join(name)).unwrap().circumstance.at.parse::<ledger::Utc>().unwrap()
    };
    let last = names().into_iter().max_by_key(|name| opened(name)).unwrap();
    let out = place.locard_ends(0, &["report", "latest"]);
    assert!(out.contains(&format!("Run `{last}`")), "{last} is not the run of\n{out}");
}

#[test]
fn a_run_can_be_made_of_some_agents_and_some_tools() {
    let place = Place::new();
    let rules = |tools: &str| place.file("rules.toml", format!("[surfaces]\ntools = [{tools}]\n"));
    let rules_file = rules("\"list_hives\", \"nothing_to_record\"");
    let chosen = [
        "--no-sweep",
        "--agent",
        "timeline",
        "--agent",
        "registry",
        "--rules",
        rules_file.to_str().unwrap(),
        "--quiet",
    ];
    place.locard_ends(0, &[&["run", &demo()], &chosen[..]].concat());
    let run = app::load_run(&place.only_run()).unwrap();
    let agents: Vec<_> = run.tasks.values().map(|task| task.assigned.agent.name.as_str()).collect();
    assert_eq!(agents, ["registry", "timeline"]);
    assert_eq!(run.facts().count(), 0, "there is no tool that records");
    place.locard_ends(0, &["verify", place.only_run().to_str().unwrap()]);

    let told = |arguments: &[&str]| {
        let output = place.locard(&[&["run", &demo()], arguments].concat());
        assert_eq!(output.status.code(), Some(2));
        text(&output.stderr)
    };
    let error = told(&["--agent", "time"]);
    assert!(error.contains("there is no agent \"time\", only eventlog, execution"), "{error}");
    let error = told(&["--rules", rules("\"list_hive\"").to_str().unwrap()]);
    assert!(error.contains("the rules name a tool \"list_hive\""), "{error}");
}
