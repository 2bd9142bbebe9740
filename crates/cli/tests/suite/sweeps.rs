//! A final sweep searches for answers that agents left open, and its findings are marked as such.

use crate::support::{Place, script, str};
use graph::{Question, Run, Stands};
use ledger::Rules;
use ledger::event::TaskStatus;
use serde_json::json;
use std::path::{Path, PathBuf};
use testkit::hive::{HiveSpec, KeySpec, ValueSpec};
use testkit::scripted::{Scripted, calls, words};

/// The demo, given to one agent with its shipped objectives that says one sentence and does nothing.
fn idle(place: &Place, sweep: bool) -> PathBuf {
    let replies = script(vec![
        Box::new(|_| words("the computer is clean")),
        Box::new(|_| words("the computer is clean")),
    ]);
    let mut rules = Rules { sweep, ..Rules::default() };
    rules.recovery.attempts = 0;
    given(place, rules, replies, None)
}

/// The demo or another case, given to one agent with the objectives of `persistence`.
fn given(place: &Place, rules: Rules, replies: Scripted, case: Option<&Path>) -> PathBuf {
    let sweep = rules.sweep;
    let mut request = place.request(rules, vec![("persistence", replies)]);
    let shipped = app::shipped_agents().unwrap();
    let shipped = shipped.into_iter().find(|shipped| shipped.spec.name == "persistence").unwrap();
    request.agents[0].spec.objectives = shipped.spec.objectives;
    request.rules.sweep = sweep;
    if let Some(case) = case {
        request.case = app::load_case(case).unwrap();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(app::run(request)).unwrap().folder
}

fn answered(questions: &[Question<'_>]) -> usize {
    questions.iter().filter(|it| matches!(it.stands, Stands::Answered(_))).count()
}

fn sweep(run: &Run) -> &graph::TaskView {
    run.tasks.values().find(|view| view.assigned.sweep).unwrap()
}

#[test]
fn what_an_idle_agent_leaves_open_is_asked_by_code_and_marked() {
    let place = Place::new();
    let folder = idle(&place, true);
    let certificate = app::verify(&folder);
    assert!(certificate.holds(), "{certificate:#?}");
    let run = app::load_run(&folder).unwrap();
    let questions = graph::questions(&run);
    assert!(questions.iter().all(|it| it.stands != Stands::NotAsked && it.was_left_open()));
    assert!(answered(&questions) > 25, "{}", answered(&questions));
    let swept = sweep(&run);
    assert_eq!((swept.assigned.model.as_str(), swept.usage), ("sweep", ledger::Usage::default()));
    let asked = run
        .tasks
        .values()
        .filter(|view| view.assigned.sweep)
        .map(|view| view.assigned.agent.objectives.len());
    assert_eq!(asked.sum::<usize>(), questions.len());
    let page = report::answers(&run);
    assert!(
        page.contains("by the sweep: code searched after the agents had left it as \"not asked\""),
        "{page}"
    );
    assert!(page.contains("persistence (scripted): open questions remain"), "{page}");
    place.locard_ends(0, &["verify", str(&folder), "--evidence"]);
    place.locard_ends(0, &["replay", str(&folder)]);
}

#[test]
fn what_a_sweep_records_of_some_questions_leaves_room_for_the_others() {
    let place = Place::new();
    let replies = script(vec![Box::new(|_| words("clean")), Box::new(|_| words("clean"))]);
    let mut rules = Rules { sweep: true, ..Rules::default() };
    rules.recovery.attempts = 0;
    // Not enough for all questions together, but more than the few greediest need.
    rules.budgets.accepted_facts = 160;
    let folder = given(&place, rules, replies, None);
    let run = app::load_run(&folder).unwrap();
    assert!(run.facts().count() > 160, "{}", run.facts().count());
    let questions = graph::questions(&run);
    let seen: Vec<_> = questions.iter().filter(|it| matches!(it.stands, Stands::Seen { .. })).collect();
    assert!(seen.is_empty(), "{seen:#?}");
    assert!(run.tasks.values().all(|view| view.assigned.agent.objectives.len() <= 8));
    assert!(app::verify(&folder).holds());
}

#[test]
fn a_run_without_a_sweep_leaves_open_what_its_agents_did() {
    let place = Place::new();
    let run = app::load_run(&idle(&place, false)).unwrap();
    assert!(run.tasks.values().all(|view| !view.assigned.sweep));
    assert!(graph::questions(&run).iter().all(|it| it.stands == Stands::NotAsked));
}

#[test]
fn a_run_whose_agents_ask_everything_to_the_end_has_no_sweep() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let run = app::load_run(&place.only_run()).unwrap();
    assert!(run.tasks.values().all(|view| !view.assigned.sweep));
    assert!(run.tasks.values().all(|view| view.ended.as_ref().unwrap().status == TaskStatus::Completed));
}

#[test]
fn some_agents_of_a_crew_leave_the_questions_of_the_others_to_the_sweep() {
    let place = Place::new();
    let demo = crate::support::demo_folder();
    let asked = ["run", str(&demo), "--agent", "registry", "--no-cache", "--fail-on", "open"];
    place.locard_ends(0, &asked);
    let swept = place.locard_ends(0, &["answers", "latest"]);
    assert!(
        swept.contains("sweep (sweep): no open questions; code searched for answers to 8 questions"),
        "{swept}"
    );
    let asked_by_code = swept.lines().filter_map(|line| {
        let (_, asked) = line.split_once("; code searched for answers to ")?;
        asked.split(' ').next()?.parse::<usize>().ok()
    });
    assert_eq!(asked_by_code.sum::<usize>(), 42, "{swept}");
    place.locard_ends(25, &[&asked[..], &["--no-sweep"]].concat());
    let left = place.locard_ends(0, &["answers", "latest"]);
    assert!(left.contains("not asked: 42 standard questions"), "{left}");
}

#[test]
fn a_question_whose_only_source_cannot_be_read_is_partly_searched_and_names_it() {
    let place = Place::new();
    place.file("triage/C/Windows/System32/config/SYSTEM", "no hive at all");
    let triage = place.path("triage");
    place.locard_ends(25, &["run", str(&triage), "--agent", "registry", "--fail-on", "open"]);
    let page = place.locard_ends(0, &["answers", "latest"]);
    assert!(page.contains("config/SYSTEM"), "{page}");
    let run = app::load_run(&place.only_run()).unwrap();
    let questions = graph::questions(&run);
    let name = questions.iter().find(|it| it.objective.id == "computer-name").unwrap();
    assert!(name.tasks.len() > 1, "the sweep asks what an agent left open");
    let Stands::Partly { missing, .. } = &name.stands else { panic!("{:?}", name.stands) };
    assert!(missing.iter().any(|line| line.starts_with("C/Windows/System32/config/SYSTEM: ")), "{missing:?}");
    place.locard_ends(0, &["verify", "latest"]);
}

/// A collection that has only one user's hive, with a program in a Run key.
fn of_one_user(place: &Place) -> PathBuf {
    const RUN: &str = "Software\\Microsoft\\Windows\\CurrentVersion\\Run";
    const WHEN: u64 = 133_933_428_000_000_000;
    let key = KeySpec::new("").written(WHEN).value(ValueSpec::sz("Tray", "C:\\Tools\\tray.exe"));
    let root = KeySpec::new("ROOT").written(WHEN).path(RUN, key);
    let hive = HiveSpec::new(root).file_name("\\??\\C:\\Users\\mara\\ntuser.dat").written(WHEN);
    place.file("triage/C/Users/mara/NTUSER.DAT", hive.build().bytes);
    place.path("triage")
}

#[test]
fn what_a_users_hive_answers_is_asked_though_the_hive_of_the_computer_is_lacking() {
    let place = Place::new();
    let triage = of_one_user(&place);
    let run = |sweep| {
        let replies = script(vec![
            Box::new(|_| calls(1, &[("list_hives", json!({}))])),
            Box::new(|_| words("the computer is clean")),
            Box::new(|_| words("the computer is clean")),
        ]);
        let mut rules = Rules { sweep, ..Rules::default() };
        rules.recovery.attempts = 0;
        let folder = given(&place, rules, replies, Some(&triage));
        place.locard_ends(0, &["verify", str(&folder), "--evidence"]);
        place.locard_ends(0, &["replay", str(&folder)]);
        app::load_run(&folder).unwrap()
    };
    let stands = |run: &Run, id: &str| {
        let all = graph::questions(run);
        let question = all.into_iter().find(|it| it.objective.id == id).unwrap();
        (question.stands.word(), question.before_sweep.map(|before| before.word()))
    };
    let swept = run(true);
    assert_eq!(stands(&swept, "autostart"), ("met", Some("not_asked")));
    assert_eq!(stands(&swept, "logon-scripts"), ("not_determinable", Some("not_asked")));
    // Only a hive that is missing could answer this.
    assert_eq!(stands(&swept, "debuggers"), ("not_determinable", None));
    let not_swept = run(false);
    assert_eq!(stands(&not_swept, "autostart"), ("not_asked", None), "nobody looked");
}
