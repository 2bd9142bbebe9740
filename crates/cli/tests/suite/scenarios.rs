//! Scenarios: lessons as data (`fixtures/scenarios`, `docs/scenarios.md`), each played by a script, by the playbook,
//! and by servers of both APIs.

mod check;
mod format;
mod known;
mod models;
mod mutations;

use crate::support::{Place, str};
use app::{Agent, RunRequest};
use check::{differences, faults, number};
use format::{By, Expected, Piece, Scenario};
use ledger::event::TaskAssigned;
use ledger::{AgentSpec, Digest, Event, ToolClass};
use models::{Cast, Heard, LEAD};
use serde_json::Value;
use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use store::Reader;
use testkit::api::Speaks;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenarios")
}

fn text_of(name: &str) -> String {
    std::fs::read_to_string(folder().join(format!("{name}.json"))).unwrap()
}

fn scenario(name: &str) -> Scenario {
    Scenario::read(&text_of(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The result of playing a scenario.
struct Lived {
    /// Each event with its task's number, and whether it was answered from another task's invocation.
    log: Vec<(u16, Event, bool)>,
    assigned: Vec<TaskAssigned>,
    /// The confidence of each answer in a word, by task and objective.
    sure: BTreeMap<(u16, String), String>,
    heard: Heard,
    findings: Vec<String>,
    diverged: Vec<String>,
    broken: Vec<String>,
    /// The result of the second run, if the scenario has one.
    second: Option<Box<Lived>>,
}

fn live(scenario: &Scenario, by: By, speaks: Speaks) -> Lived {
    let place = Place::new();
    let cast = Cast::new(scenario.clone(), by, speaks);
    let memory = scenario.second.as_ref().map(|_| Arc::new(app::Memory::new(place.path("memory")).unwrap()));
    let case = laid(&place, "case", &scenario.evidence);
    let run = made(request_with(&place, scenario, &cast, (&case, memory.as_ref())));
    let mut lived = gathered(&run, scenario.expected(by), &cast);
    lived.second = scenario.second.as_ref().map(|second| {
        let case = second.evidence.as_ref().map_or(case, |evidence| laid(&place, "other", evidence));
        let run = made(request_with(&place, scenario, &cast, (&case, memory.as_ref())));
        Box::new(gathered(&run, second.expected(by), &cast))
    });
    lived
}

/// The result of a run.
fn gathered(run: &Path, expected: &Expected, cast: &Arc<Cast>) -> Lived {
    let certificate = app::verify(run);
    let findings = certificate.findings.iter().map(|finding| format!("verify: {}", finding.what));
    let expects_confidence = expected.tasks.values().any(|task| !task.confidence.is_empty());
    let replayed = app::replay(run, &app::ReplayRequest::default()).unwrap();
    let diverged = replayed.iter().filter(|task| task.divergence.is_some());
    let mut lived = Lived {
        log: Vec::new(),
        assigned: Vec::new(),
        sure: if expects_confidence { sure(run) } else { BTreeMap::new() },
        heard: cast.heard(),
        findings: findings.collect(),
        diverged: diverged.map(|task| format!("replay: {task:?}")).collect(),
        broken: cast.broken(),
        second: None,
    };
    for event in Reader::open(run).unwrap().events() {
        let (link, event, beside) = event.unwrap();
        if let Event::TaskAssigned(assigned) = &event {
            lived.assigned.push(assigned.clone());
        }
        let served = beside.cost.is_some_and(|cost| cost.served_from.is_some());
        lived.log.push((number(link.stream), event, served));
    }
    lived
}

/// Makes the requested run and returns its folder.
fn made(request: RunRequest) -> PathBuf {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(app::run(request)).unwrap().folder
}

fn sure(run: &Path) -> BTreeMap<(u16, String), String> {
    let run = app::load_run(run).unwrap();
    let sure = graph::objective_confidences(&run).into_iter();
    sure.map(|((task, id), sure)| ((task.0, id.to_owned()), sure.level().name().to_owned())).collect()
}

/// Writes a case file and its evidence beside it.
fn laid(place: &Place, name: &str, pieces: &BTreeMap<String, Piece>) -> PathBuf {
    let evidence = place.folder(&format!("{name}/host"));
    pieces.iter().for_each(|(path, piece)| lay(&evidence, path, piece));
    let file = "title = \"T\"\n[[evidence]]\npath = \"host\"\nlabel = \"host\"\nkind = \"directory\"\n";
    place.file(&format!("{name}/case.toml"), file)
}

fn request(place: &Place, scenario: &Scenario, cast: &Arc<Cast>) -> RunRequest {
    let case = laid(place, "case", &scenario.evidence);
    request_with(place, scenario, cast, (&case, None))
}

/// A request for a run over a case, with a memory.
fn request_with(
    place: &Place,
    scenario: &Scenario,
    cast: &Arc<Cast>,
    (case, memory): (&Path, Option<&Arc<app::Memory>>),
) -> RunRequest {
    let case = app::load_case(case).unwrap();
    let mut request = place.request(scenario.rules.clone(), Vec::new());
    let cast = Arc::clone(cast);
    request.case = case;
    if let Some(memory) = memory {
        request.work.memory = app::MemoryUse::Of(Arc::clone(memory));
    }
    request.agents = scenario.agents.iter().map(investigator).collect();
    request.lead = Some(lead(scenario));
    request.models = Box::new(move |agent, task, _| cast.model(agent, task));
    request
}

/// Writes a piece of evidence.
#[expect(clippy::disallowed_methods, reason = "a test writes its evidence")]
fn lay(evidence: &Path, path: &str, piece: &Piece) {
    let path = evidence.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    match piece {
        Piece::Text(text) => std::fs::write(path, text).unwrap(),
        Piece::Demo(from) => std::fs::write(path, demo_file(&from.demo)).unwrap(),
        Piece::Link(to) => symlink(&to.link, path).unwrap(),
    }
}

fn demo_file(path: &str) -> &'static [u8] {
    static FILES: OnceLock<BTreeMap<String, Vec<u8>>> = OnceLock::new();
    let files = FILES.get_or_init(|| {
        let files = testkit::demo::files().unwrap().into_iter();
        files.map(|file| (file.path.trim_start_matches("p1/").to_owned(), file.bytes)).collect()
    });
    files.get(path).unwrap_or_else(|| panic!("the demo has no file {path}"))
}

fn investigator(of: &format::Investigator) -> Agent {
    let surface = [ToolClass::Investigate, ToolClass::Record, ToolClass::GraphWrite, ToolClass::GraphRead];
    let spec = AgentSpec {
        name: of.name.clone(),
        prompt: format!("You are the agent {}.", of.name),
        surface: surface.into(),
        tools: None,
        objectives: of.objectives.clone(),
    };
    Agent { spec, steps: of.steps.clone(), plan: None, digest: Digest::of(b"scenario") }
}

fn lead(scenario: &Scenario) -> Agent {
    let shipped = app::shipped_lead().unwrap();
    let spec = AgentSpec { name: LEAD.to_owned(), ..shipped.spec };
    Agent { spec, plan: Some(scenario.lead.plan.clone()), ..shipped }
}

type Cell = Arc<OnceLock<Lived>>;

/// Plays a scenario once, and returns the same result to all tests.
fn lived(name: &str, by: By) -> Cell {
    static LIVED: Mutex<BTreeMap<(String, By), Cell>> = Mutex::new(BTreeMap::new());
    let cell = Arc::clone(LIVED.lock().unwrap().entry((name.to_owned(), by)).or_default());
    cell.get_or_init(|| live(&scenario(name), by, Speaks::Anthropic));
    cell
}

fn comes_out(name: &str) {
    let scenario = &scenario(name);
    assert!(scenario.lesson.ends_with('.'), "{name}: a lesson is a sentence");
    let mut wrong = Vec::new();
    for by in [By::Script, By::Playbook] {
        if scenario.played_by.contains(&by) {
            let cell = lived(name, by);
            let lived = cell.get().unwrap();
            let found = faults(lived).into_iter().chain(differences(lived, scenario.expected(by)));
            wrong.extend(found.map(|difference| format!("{by:?}: {difference}")));
            let second = scenario.second.as_ref().zip(lived.second.as_deref());
            let found = second.into_iter().flat_map(|(second, lived)| {
                faults(lived).into_iter().chain(differences(lived, second.expected(by)))
            });
            wrong.extend(found.map(|difference| format!("{by:?}, the second run: {difference}")));
        }
    }
    if scenario.played_by.contains(&By::Servers) {
        let both = std::thread::scope(|scope| {
            let play = |speaks| scope.spawn(move || (speaks, live(scenario, By::Servers, speaks)));
            [Speaks::Anthropic, Speaks::OpenAi].map(play).map(|played| played.join().unwrap())
        });
        for (speaks, lived) in both {
            let found = faults(&lived).into_iter().chain(differences(&lived, &scenario.expected));
            wrong.extend(found.map(|difference| format!("{speaks:?}: {difference}")));
        }
    }
    assert!(wrong.is_empty(), "{name}: {}\n{}", scenario.lesson, wrong.join("\n"));
}

macro_rules! scenarios {
    ($($name:ident),* $(,)?) => {
        /// The names of the scenarios; each is also the name of a test.
        const NAMES: &[&str] = &[$(stringify!($name)),*];

        $(
            #[test]
            fn $name() {
                comes_out(stringify!($name));
            }
        )*
    };
}

scenarios! {
    access_denied_is_a_gap,
    cancelled_in_flight,
    checkpoint_outlives_the_turns,
    correction_with_the_calls_made,
    dependent_task_after_the_other,
    dependent_task_beside_the_other,
    earlier_finding_by_reference,
    empty_and_complete,
    failed_call_is_insisted_on_where_nothing_else_answers,
    failed_call_is_not_made_again,
    found_by_content_after_search_by_name,
    lesson_of_another_case_changes_the_plan,
    one_failed_of_two,
    one_id_twice,
    prose_around_calls,
    unknown_statement_told_again,
}

#[test]
fn every_file_of_the_folder_is_a_scenario_and_every_scenario_a_file() {
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<String> =
        entries.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    files.sort();
    assert_eq!(files, NAMES);
}

/// Every scenario with each player that it names, script or playbook, and the result.
fn all_lived() -> impl Iterator<Item = (&'static str, By, Scenario, Cell)> {
    let each = NAMES.iter().flat_map(|name| [(*name, By::Script), (*name, By::Playbook)]);
    each.filter_map(|(name, by)| {
        let scenario = scenario(name);
        scenario.played_by.contains(&by).then(|| (name, by, scenario, lived(name, by)))
    })
}

#[test]
fn another_way_is_tried_where_it_is_needed_and_seldom_where_it_is_not() {
    let (mut missed, mut tried, mut not_needed) = (Vec::new(), Vec::new(), 0);
    for (name, by, scenario, cell) in all_lived() {
        let lived = cell.get().unwrap();
        let recovering = lived.recovering();
        // Leads have no objectives of their own, because they assign tasks.
        for task in lived.assigned.iter().map(|it| it.task.0).filter(|task| *task > 1) {
            match (scenario.needs_recovery.contains(&task), recovering.contains(&task)) {
                (true, false) => missed.push((name, by, task)),
                (true, true) => {}
                (false, is_tried) => {
                    not_needed += 1;
                    tried.extend(is_tried.then_some((name, by, task)));
                }
            }
        }
    }
    assert!(missed.is_empty(), "no other way is tried: {missed:?}");
    assert!(tried.len() * 5 < not_needed, "of {not_needed} tasks that need none: {tried:?}");
}

#[test]
fn every_expectation_can_fail() {
    let mut passed = Vec::new();
    for (name, by, scenario, cell) in all_lived() {
        let member = match (by, &scenario.expected_of_playbook) {
            (By::Playbook, Some(_)) => "expected_of_playbook",
            _ => "expected",
        };
        let text: Value = serde_json::from_str(&text_of(name)).unwrap();
        for (what, changed) in mutations::of(&text[member]) {
            let mut text = text.clone();
            text[member] = changed;
            // A changed expectation that cannot be parsed does not count.
            let Ok(changed) = Scenario::read(&text.to_string()) else { continue };
            if differences(cell.get().unwrap(), changed.expected(by)).is_empty() {
                passed.push(format!("{name} ({by:?}): {what}"));
            }
        }
    }
    for (name, by, scenario, cell) in all_lived() {
        let Some(second) = &scenario.second else { continue };
        let member = match (by, &second.expected_of_playbook) {
            (By::Playbook, Some(_)) => "expected_of_playbook",
            _ => "expected",
        };
        let lived = cell.get().unwrap().second.as_deref().unwrap();
        let text: Value = serde_json::from_str(&text_of(name)).unwrap();
        for (what, changed) in mutations::of(&text["second"][member]) {
            let mut text = text.clone();
            text["second"][member] = changed;
            let Ok(changed) = Scenario::read(&text.to_string()) else { continue };
            if differences(lived, changed.second.as_ref().unwrap().expected(by)).is_empty() {
                passed.push(format!("{name} ({by:?}), the second run: {what}"));
            }
        }
    }
    assert!(passed.is_empty(), "changed, and nobody notices:\n{}", passed.join("\n"));
}

#[test]
fn a_run_with_a_cancelled_task_can_be_judged_again_and_played_again() {
    let (place, scenario) = (Place::new(), scenario("cancelled_in_flight"));
    let run = made(request(&place, &scenario, &Cast::new(scenario.clone(), By::Script, Speaks::Anthropic)));
    let rules = place.file("rules.toml", "[gate]\ncandidates = 3\n");
    let told = place.locard_ends(0, &["replay", str(&run), "--rules", str(&rules)]);
    assert!(told.contains("task-3 slow: the same"), "{told}");
    assert!(app::recorded(&run).is_ok());
}

#[test]
fn what_a_scenario_cannot_say_is_refused() {
    let text = text_of("empty_and_complete");
    assert!(Scenario::read(&text).is_ok());
    let changes = [
        ("\"lesson\"", "\"lessons\""),
        ("\"evidence\"", "\"evidences\""),
        ("\"replies\"", "\"reply\""),
        ("\"arguments\": { \"name\"", "\"argument\": { \"name\""),
        ("\"recovering\"", "\"recovered\""),
        ("\"executed\"", "\"execute\""),
        ("\"absence_accepted\"", "\"absence_admitted\""),
        ("\"completeness\"", "\"complete\""),
        ("\"lacks\"", "\"lack\""),
        ("\"script\"", "\"scripts\""),
        ("\"sequence\": 1", "\"sequenz\": 1"),
    ];
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        assert!(Scenario::read(&text.replacen(from, to, 1)).is_err(), "{to}");
    }
}
