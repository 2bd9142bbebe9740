//! Where output goes, and which exit codes follow.

use crate::support::{Place, demo_folder, str, text};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;

const COMMANDS: [&str; 25] = [
    "ask",
    "console",
    "audit",
    "memory",
    "run",
    "resume",
    "runs",
    "answers",
    "facts",
    "graph",
    "hunt",
    "rules",
    "verify",
    "replay",
    "diff",
    "export",
    "rejections",
    "score",
    "sql",
    "bench",
    "report",
    "tool",
    "init",
    "completions",
    "doctor",
];

fn demo() -> String {
    str(&demo_folder()).to_owned()
}

#[test]
fn every_result_in_json_is_one_object_with_its_version() {
    let place = Place::new();
    let object = |arguments: &[&str]| -> Value {
        let out = place.locard_ends(0, &[arguments, &["--format", "json"]].concat());
        assert_eq!(out.lines().count(), if arguments[0] == "report" { out.lines().count() } else { 1 });
        serde_json::from_str(&out).unwrap()
    };
    let run = object(&["run", &demo(), "--model", "sloppy:3"]);
    assert_eq!(run["locard_run"], 2);
    assert_eq!(run["cases"].as_array().unwrap().len(), 1);
    assert!(run["cases"][0]["folder"].is_string(), "{run}");
    let run = &run["cases"][0]["result"];
    assert!(run["manifest"]["head"].is_string(), "{run}");
    let name = str(&place.only_run()).to_owned();
    let facts = object(&["facts", &name]);
    assert_eq!(
        (&facts["locard_facts"], &facts["confined"], &facts["sealed"]),
        (&1.into(), &true.into(), &true.into())
    );
    assert_eq!(facts["facts"].as_array().unwrap().len(), run["facts"]);
    let rejections = object(&["rejections", &name]);
    assert_eq!(rejections["locard_rejections"], 1);
    assert_eq!(rejections["rejections"].as_array().unwrap().len(), run["refused"]);
    let verify = object(&["verify", &name]);
    assert_eq!((&verify["locard_verify"], &verify["verified"]), (&1.into(), &true.into()));
    assert_eq!(verify["certificate"]["head"], run["manifest"]["head"]);
    assert_eq!(object(&["report", &name])["locard_report"], 1);
    let tools = object(&["tool"]);
    assert_eq!(tools["locard_tool"], 1);
    assert!(tools["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "list_hives"));
    assert_eq!(object(&["tool", "list_hives", "--evidence", &demo()])["locard_tool"], 1);
}

/// Each object in docs/json.md has exactly the members that its command prints.
#[test]
fn the_documented_json_has_the_members_that_are_printed() {
    let place = Place::new();
    let page = std::fs::read_to_string(demo_folder().join("../../docs/json.md")).unwrap();
    place.has_demo_run(&["--model", "sloppy:3"]);
    let name = str(&place.only_run()).to_owned();
    let rules = place.file("rules.toml", "[gate]\nrescue = false\n");
    let truth = place.file("truth.toml", "case = \"demo\"\n");
    let sigma = "title: t\nlogsource:\n  service: system\ndetection:\n  s:\n    EventID: 1\n  condition: s\n";
    let sigma = place.file("sigma.yml", sigma);
    let second = Place::new();
    second.folder("host");
    let members = |text: &str| -> Vec<String> {
        let value: Value = serde_json::from_str(text).unwrap();
        let mut members: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        members.sort_unstable();
        members
    };
    let examples: Vec<Vec<String>> =
        page.split("```json\n").skip(1).map(|rest| members(rest.split("```").next().unwrap())).collect();
    place.locard_ends(0, &["report", &name, "-o", "r.json"]);
    let printed = [
        second.locard_ends(0, &["run", &demo(), "--format", "json"]),
        second.locard_ends(0, &["runs", "--format", "json"]),
        place.locard_ends(0, &["graph", &name, "--format", "json"]),
        place.locard_ends(0, &["answers", &name, "--format", "json"]),
        place.locard_ends(0, &["facts", &name, "--format", "json"]),
        place.locard_ends(0, &["rejections", &name, "--format", "json"]),
        place.locard_ends(0, &["audit", &name, "--format", "json"]),
        place.locard_ends(0, &["score", &name, "--truth", str(&truth), "--format", "json"]),
        place.locard_ends(0, &["bench", "gate", &name, "--claims", "200", "--format", "json"]),
        second.locard_ends(0, &["init", "host", "--format", "json"]),
        place.locard_ends(0, &["verify", &name, "--format", "json"]),
        place.locard_ends(0, &["verify", "--report", "r.json", &name, "--format", "json"]),
        place.locard_ends(0, &["replay", &name, "--format", "json"]),
        place.locard_ends(0, &["replay", &name, "--tools", "live", "--format", "json"]),
        place.locard_ends(0, &["replay", &name, "--rules", str(&rules), "--format", "json"]),
        place.locard_ends(0, &["replay", &name, "--step", "--agent", "timeline", "--format", "json"]),
        place.locard_ends(0, &["diff", &name, &name, "--format", "json"]),
        place.locard_ends(0, &["export", &name, "--format", "json"]),
        place.locard_ends(0, &["export", &name, "--as", "timesketch", "--format", "json"]),
        place.locard_ends(0, &["report", &name, "--format", "json"]),
        place.locard_ends(0, &["hunt", &demo(), "--format", "json"]),
        place.locard_ends(0, &["rules", "check", str(&sigma), "--format", "json"]),
        place.locard_ends(0, &["sql", &demo(), "--no-cache", "--format", "json", "SELECT 1"]),
        place.locard_ends(
            0,
            &["sql", &demo(), "--no-cache", "--evidence", "alder-07", "--format", "json", "prefetch#1"],
        ),
        place.locard_ends(0, &["tool", "list_hives", "--evidence", &demo(), "--format", "json"]),
        place.locard_ends(0, &["tool", "--format", "json"]),
        place.locard_ends(0, &["memory", "list", "--memory", "m", "--format", "json"]),
        place.locard_ends(0, &["ask", &name, "Was the System log cleared?", "--format", "json"]),
    ];
    assert_eq!(examples, printed.iter().map(|text| members(text)).collect::<Vec<_>>());
}

#[test]
fn a_closed_output_does_not_mask_a_higher_exit_code() {
    let place = Place::new();
    let output = place.locard_unheard(&["run", &demo(), "--model", "sloppy:3", "--fail-on", "refused"]);
    assert_eq!(output.status.code(), Some(20), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("failed to write the result"), "{}", text(&output.stderr));
    let run = place.only_run();
    assert_eq!(place.locard_unheard(&["facts", str(&run)]).status.code(), Some(3));
    std::fs::remove_file(run.join("manifest.json")).unwrap();
    assert_eq!(place.locard_unheard(&["verify", str(&run)]).status.code(), Some(31));
    assert_eq!(place.locard_unheard(&["--help"]).status.code(), Some(0));
}

#[test]
fn wrong_rules_are_told_with_file_and_line() {
    let place = Place::new();
    for (rules, expected) in [
        ("[budgets]\n\ninvestigate_turns = \"many\"\n", "line 3"),
        ("[budgets]\ninvestigate_turn = 1\n", "line 2"),
        ("[gate\n", "line 1"),
        ("[recovery]\nconfidence_below = 500\n", "recovery.confidence_below is a rule of earlier runs"),
    ] {
        let file = place.file("rules.toml", rules);
        let output = place.locard(&["run", &demo(), "--rules", str(&file)]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("rules.toml") && told.contains(expected), "{told}");
    }
    let output = place.locard(&["run", &demo(), "--rules", "gone.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("gone.toml"), "{}", text(&output.stderr));
}

#[test]
fn a_wrong_model_is_told_with_what_can_be_chosen() {
    let place = Place::new();
    for model in ["oracle", "sloppy:x", "playbook:1", ""] {
        let output = place.locard(&["run", &demo(), "--model", model]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(&format!("{model:?}")) && told.contains("sloppy:SEED"), "{told}");
    }
}

#[test]
fn scratch_files_never_lie_in_the_evidence() {
    let place = Place::new();
    let temporary = place.folder("evidence/tmp");
    let output = place.command(&["run", "evidence"]).env("TMPDIR", &temporary).output().unwrap();
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("lies inside the evidence") && told.contains("TMPDIR"), "{told}");
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
}

#[test]
fn a_scratch_folder_is_fresh_private_and_removed() {
    let place = Place::new();
    let temporary = place.folder("tmp");
    place.folder("evidence");
    // A folder that another user prepared under a guessable name is neither used nor removed.
    let mut command = place.command(&["run", "evidence"]);
    command.env("TMPDIR", &temporary).stdin(std::process::Stdio::null());
    let child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
    let bait = temporary.join(format!("locard-{}", child.id()));
    std::fs::create_dir(&bait).unwrap();
    std::fs::set_permissions(&bait, std::fs::Permissions::from_mode(0o777)).unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    let left: Vec<_> = std::fs::read_dir(&temporary).unwrap().flatten().map(|entry| entry.path()).collect();
    assert_eq!(left, [bait]);
}

#[test]
fn short_help_fits_a_screen_and_long_help_has_two_examples() {
    let place = Place::new();
    for command in COMMANDS.map(|command| vec![command]).into_iter().chain([vec![]]) {
        let short = place.locard_ends(0, &[&command[..], &["-h"]].concat());
        // One line per command, plus the lines around them.
        let most = if command.is_empty() { COMMANDS.len() + 12 } else { 24 };
        assert!(short.lines().count() <= most, "{short}");
        assert!(short.lines().all(|line| line.chars().count() <= 80), "{short}");
        let long = place.locard_ends(0, &[&command[..], &["--help"]].concat());
        let examples = long.split("Examples:").nth(1).unwrap();
        let start = format!("  locard {}", command.first().unwrap_or(&""));
        assert!(examples.lines().filter(|line| line.starts_with(&start)).count() >= 2, "{long}");
    }
}

/// The lines of output in the README's console block with this number.
fn shown(number: usize) -> Vec<String> {
    let readme = std::fs::read_to_string(demo_folder().join("../../README.md")).unwrap();
    let block = readme.split("```console\n").nth(number).unwrap().split("```").next().unwrap().to_owned();
    let changes = ["sealed ", "next: ", "head ", "root of the facts ", "$ ", "…"];
    block
        .lines()
        .filter(|line| !changes.iter().any(|start| line.starts_with(start)))
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_readme_shows_what_the_program_prints() {
    let place = Place::new();
    let demo = demo_folder();
    let demo = demo.to_str().unwrap();
    let run = place.locard_ends(0, &["run", demo]);
    let name = place.only_run();
    let name = name.to_str().unwrap();
    let facts = place.locard_ends(0, &["facts", name]);
    let verify = place.locard_ends(0, &["verify", name]);
    let sloppy = Place::new();
    sloppy.locard_ends(0, &["run", demo, "--model", "sloppy"]);
    let rejections = sloppy.locard_ends(0, &["rejections", "latest"]);
    for (number, printed) in [(1, run), (3, facts), (4, verify), (5, rejections)] {
        let shown = shown(number);
        assert!(!shown.is_empty());
        for line in shown {
            // The text about what vouches for the head differs here, because the tests keep no log of heads.
            let line = line.split(" (sealed; ").next().unwrap();
            assert!(
                printed.lines().any(|printed| printed.split(" (sealed; ").next() == Some(line)),
                "block {number}: {line:?} is not in\n{printed}"
            );
        }
    }
}

#[test]
fn the_page_of_a_run_proves_each_fact_and_is_never_written_over_a_file() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let file = place.path("demo.html");
    let file = file.to_str().unwrap();
    place.locard_ends(0, &["report", "latest", "-o", file]);
    let page = std::fs::read_to_string(file).unwrap();
    let facts = page.matches("<article class=\"fact").count();
    let run = app::load_run(&place.only_run()).unwrap();
    assert_eq!(facts, run.facts().count());
    let proofs: Vec<&str> = page.split("<pre class=\"record\"").skip(1).collect();
    assert_eq!(proofs.len(), facts);
    assert!(proofs.iter().all(|proof| proof.split("</pre>").next().unwrap().contains("<mark>")));
    assert!(page.contains("sealed; verified: "));
    place.locard_ends(2, &["report", "latest", "-o", file]);
    assert_eq!(std::fs::read_to_string(file).unwrap(), page);
    let bundle = place.path("none.json");
    place.locard_ends(2, &["report", "latest", "--format", "html", "--attack", bundle.to_str().unwrap()]);
}
