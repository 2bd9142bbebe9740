//! `locard resume`: continues a run that broke off where its log ends.

use crate::support::{Place, demo_file, demo_folder, invocations, script, str, text};
use app::{Agent, DriveError, Models, NoModel, Progress, ResumeRequest, RunError, RunRequest, Workplace};
use ledger::event::{TaskAssigned, TaskHead};
use ledger::{Event, Rules};
use llm::{Model, ModelError, Playbook};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use testkit::scripted::{Scripted, calls, words};

/// The registry agent with the first steps of its playbook.
fn agents() -> Vec<Agent> {
    let agents = app::shipped_agents().unwrap().into_iter().filter(|agent| agent.spec.name == "registry");
    let first = |agent: Agent| Agent { steps: agent.steps.into_iter().take(12).collect(), ..agent };
    agents.map(first).collect()
}

/// A request to investigate a folder with one small hive.
fn small(place: &Place, runs: &str) -> RunRequest {
    let sam = "Windows/System32/config/SAM";
    if !place.path("host").exists() {
        place.file(&format!("host/C/{sam}"), demo_file(sam));
    }
    RunRequest {
        case: app::load_case(&place.path("host")).unwrap(),
        agents: agents(),
        models: playbooks(),
        runs: place.path(runs),
        ..place.request(Rules::default(), Vec::new())
    }
}

fn playbooks() -> Box<Models> {
    Box::new(|agent, _, _| -> Box<dyn Model> { Box::new(Playbook::new(agent.steps.clone(), agent.digest)) })
}

fn goes_on(folder: &Path, work: Workplace) -> ResumeRequest {
    ResumeRequest {
        folder: folder.to_owned(),
        evidence: Vec::new(),
        agents: agents(),
        models: Box::new(|task| (task.model == "playbook").then(playbooks).ok_or(NoModel::Unknown)),
        work,
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(future)
}

fn events(run: &Path) -> Vec<Event> {
    store::Reader::open(run).unwrap().events().map(|event| event.unwrap().1).collect()
}

/// What the seal says about each task: equal heads mean equal events, one by one.
fn heads(run: &Path) -> (Vec<TaskHead>, u64) {
    match events(run).pop() {
        Some(Event::RunSealed(sealed)) => (sealed.heads, sealed.payloads),
        other => panic!("{other:?}"),
    }
}

fn times_resumed(run: &Path) -> usize {
    events(run).iter().filter(|event| matches!(event, Event::RunResumed(_))).count()
}

fn only(runs: &Path) -> PathBuf {
    std::fs::read_dir(runs).unwrap().next().unwrap().unwrap().path()
}

/// A process can end at every commit: before it, or after it but before anybody is told.
#[test]
fn a_run_that_breaks_off_at_any_write_comes_to_the_same_seal() {
    let place = Place::new();
    let whole = block_on(app::run(small(&place, "whole"))).unwrap();
    let expected = heads(&whole.folder);
    assert!(whole.tasks[0].1.facts > 0);
    let mut broken = 0;
    for boundary in 0.. {
        let runs = format!("broken-{boundary}");
        let mut request = small(&place, &runs);
        request.work.recording.break_off_at = Some(boundary);
        let work = request.work.clone();
        if block_on(app::run(request)).is_ok() {
            break;
        }
        broken += 1;
        if std::fs::read_dir(place.path(&runs)).unwrap().next().is_none() {
            // Nothing was recorded, and no folder is left.
            assert_eq!(boundary, 0);
            continue;
        }
        let folder = only(&place.path(&runs));
        let recorded = events(&folder).len();
        // If it breaks off again, it is resumed again.
        let mut again = work.clone();
        again.recording.break_off_at = Some(boundary % 7);
        let second = block_on(app::resume(goes_on(&folder, again)));
        let unbroken = Workplace { recording: store::Options::default(), ..work };
        match (second, block_on(app::resume(goes_on(&folder, unbroken)))) {
            (_, Ok(finished)) => assert_eq!(heads(&finished.folder), expected, "boundary {boundary}"),
            (Err(_), Err(RunError::NothingRecorded { .. })) => assert_eq!(recorded, 0),
            other => panic!("boundary {boundary}: {other:?}"),
        }
        if recorded > 0 {
            let certificate = app::verify(&folder);
            assert!(certificate.holds() && certificate.sealed, "{boundary}: {:?}", certificate.findings);
        }
        std::fs::remove_dir_all(place.path(&runs)).unwrap();
    }
    assert!(broken > 30, "{broken} boundaries");
}

/// How much of the whole log is written when a run is killed, in percent.
const KILLED_AT: [usize; 6] = [1, 15, 40, 65, 90, 99];

#[test]
fn a_killed_program_is_gone_on_with_and_comes_to_the_same_seal() {
    let place = Place::new();
    let demo = str(&demo_folder()).to_owned();
    place.locard_ends(0, &["run", &demo, "--runs", "whole", "--model", "sloppy:5"]);
    let whole = only(&place.path("whole"));
    let (expected, all) = (heads(&whole), events(&whole).len());
    for part in KILLED_AT {
        let runs = format!("killed-{part}");
        let mut command = place.command(&["run", &demo, "--runs", &runs, "--model", "sloppy:5"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while child.try_wait().unwrap().is_none() && recorded(&place.path(&runs)) < all * part / 100 {
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(child.kill());
        child.wait().unwrap();
        let run = only(&place.path(&runs));
        let told = place.locard_ends(0, &["resume", "latest", "--runs", &runs]);
        assert!(told.contains("sealed"), "{told}");
        assert_eq!(heads(&run), expected, "killed after {part} of 100");
        place.locard_ends(0, &["verify", str(&run)]);
        place.locard_ends(0, &["replay", str(&run)]);
    }
}

/// The number of events in a run's log so far.
fn recorded(runs: &Path) -> usize {
    let run = std::fs::read_dir(runs).ok().and_then(|mut runs| Some(runs.next()?.ok()?.path()));
    let reader = run.and_then(|run| store::Reader::open(&run).ok());
    reader.map_or(0, |reader| reader.links().count())
}

#[test]
fn a_turn_that_has_its_reply_is_not_asked_again_after_an_outage() {
    let place = Place::new();
    let asked = Arc::new(AtomicU32::new(0));
    let model = |outage: bool| -> Box<Models> {
        let asked = Arc::clone(&asked);
        Box::new(move |_, _, _| Box::new(Reached { asked: Arc::clone(&asked), outage }))
    };
    let mut request = place.request(Rules::default(), vec![("registry", script(vec![]))]);
    request.models = model(true);
    let work = request.work.clone();
    let error = block_on(app::run(request)).unwrap_err();
    assert!(
        matches!(error, RunError::Drive { source: DriveError::Model { .. }, .. }),
        "an outage ends no task: {error:?}"
    );
    let folder = place.only_run();
    assert!(!events(&folder).iter().any(|event| matches!(event, Event::TaskEnded(_))));
    let mut request = goes_on(&folder, work);
    let second = Arc::clone(&asked);
    request.models = Box::new(move |name| {
        let asked = Arc::clone(&second);
        let make: Box<Models> =
            Box::new(move |_, _, _| Box::new(Reached { asked: Arc::clone(&asked), outage: false }));
        (name.model == "paid").then_some(make).ok_or(NoModel::Unknown)
    });
    let finished = block_on(app::resume(request)).unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), 4, "turn 1, turn 2 in vain, turn 2, turn 3");
    assert_eq!((finished.tasks[0].1.turns, times_resumed(&folder)), (3, 1));
}

/// A model that costs money, and whose second reply fails in an outage.
struct Reached {
    asked: Arc<AtomicU32>,
    outage: bool,
}

impl Model for Reached {
    fn name(&self) -> &str {
        "paid"
    }

    fn digest(&self) -> Option<ledger::Digest> {
        None
    }

    fn is_paid(&self) -> bool {
        true
    }

    fn turn<'a>(&'a mut self, request: &'a ledger::turn::TurnRequest) -> llm::Turning<'a> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let reply = match (request.turn, self.outage) {
            (1, _) => Ok(calls(1, &[("list_hives", json!({}))])),
            (_, true) => {
                Err(ModelError::Unreachable { model: "paid".to_owned(), source: "no route to host".into() })
            }
            (2, false) => {
                assert_eq!(invocations(request).len(), 1, "what was recorded is in the conversation");
                Ok(words("done"))
            }
            (_, false) => Ok(words("done")),
        };
        Box::pin(std::future::ready(reply))
    }
}

#[test]
fn a_sealed_run_stays_as_it_is_and_gets_the_manifest_that_its_sealing_was_cut_off_from() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let run = place.only_run();
    let files = || ["run.db", "manifest.json"].map(|name| std::fs::read(run.join(name)).unwrap());
    let sealed = files();
    place.locard_ends(0, &["resume", "latest"]);
    assert_eq!(files(), sealed);
    std::fs::remove_file(run.join("manifest.json")).unwrap();
    place.locard_ends(0, &["resume", "latest"]);
    assert_eq!(files(), sealed);
}

/// A run over `evidence` that is interrupted in its second turn.
fn broken_off(place: &Place, evidence: &str) -> PathBuf {
    let mut request = place.request(Rules::default(), vec![("registry", two_turns())]);
    request.case = app::load_case(&place.path(evidence)).unwrap();
    let interrupt = request.work.interrupt.clone();
    request.work.observe = Arc::new(move |event| {
        if matches!(event, Progress::Turn { turn: 2, .. }) {
            interrupt.interrupt();
        }
    });
    assert!(matches!(block_on(app::run(request)), Err(RunError::Interrupted { .. })));
    place.only_run()
}

fn two_turns() -> Scripted {
    script(vec![Box::new(|_| calls(1, &[("list_hives", json!({}))])), Box::new(|_| words("done"))])
}

fn with_script(folder: &Path, work: Workplace) -> ResumeRequest {
    let models = || -> Box<Models> { Box::new(|_, _, _| -> Box<dyn Model> { Box::new(two_turns()) }) };
    let models = move |task: &TaskAssigned| match task.model.as_str() {
        "scripted" => Ok(models()),
        _ => Err(NoModel::Unknown),
    };
    ResumeRequest { models: Box::new(models), ..goes_on(folder, work) }
}

#[test]
fn a_run_does_not_go_on_over_evidence_that_is_not_as_it_was() {
    let place = Place::new();
    drop(small(&place, "none"));
    let folder = broken_off(&place, "host");
    let work = || place.request(Rules::default(), vec![]).work;
    place.file("host/C/new.txt", "new");
    let error = block_on(app::resume(with_script(&folder, work()))).unwrap_err();
    assert!(matches!(error, RunError::NotAsItWas { .. }), "{error:?}");
    assert_eq!(times_resumed(&folder), 0);
    // A file that existed for a while may have been read, and one that was missing may have been overlooked.
    std::fs::remove_file(place.path("host/C/new.txt")).unwrap();
    let error = block_on(app::resume(with_script(&folder, work()))).unwrap_err();
    assert!(matches!(error, RunError::NotAsItWas { .. }), "{error:?}");
    assert_eq!(times_resumed(&folder), 0);
}

#[test]
fn a_run_does_not_go_on_over_evidence_of_which_a_folder_was_away() {
    let place = Place::new();
    drop(small(&place, "none"));
    let folder = broken_off(&place, "host");
    std::fs::rename(place.path("host/C"), place.path("host/away")).unwrap();
    std::fs::rename(place.path("host/away"), place.path("host/C")).unwrap();
    let work = place.request(Rules::default(), vec![]).work;
    let error = block_on(app::resume(with_script(&folder, work))).unwrap_err();
    assert!(matches!(error, RunError::NotAsItWas { .. }), "{error:?}");
}

#[test]
fn evidence_that_lies_elsewhere_now_is_found_where_it_is_said_to_be() {
    let place = Place::new();
    drop(small(&place, "none"));
    place.folder("first");
    std::fs::rename(place.path("host"), place.path("first/host")).unwrap();
    let folder = broken_off(&place, "first/host");
    std::fs::rename(place.path("first"), place.path("second")).unwrap();
    let work = || place.request(Rules::default(), vec![]).work;
    let error = block_on(app::resume(with_script(&folder, work()))).unwrap_err();
    assert!(matches!(error, RunError::Given(app::GivenError::Missing { .. })), "{error:?}");
    let evidence = vec![place.path("second/host")];
    let request = ResumeRequest { evidence, ..with_script(&folder, work()) };
    let finished = block_on(app::resume(request)).unwrap();
    assert!(app::verify(&finished.folder).holds());
}

#[test]
fn a_run_under_way_is_not_gone_on_with_by_another_process() {
    let place = Place::new();
    let folder = place.path("runs/20260101T000000Z-host");
    let writer = store::Writer::create(&folder).unwrap();
    let output = place.locard(&["resume", str(&folder)]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("another process"), "{}", text(&output.stderr));
    drop(writer);
    let output = place.locard(&["resume", str(&folder)]);
    assert!(text(&output.stderr).contains("nothing was recorded"), "{}", text(&output.stderr));
    assert_eq!(place.locard(&["resume", "nothing"]).status.code(), Some(2));
}

#[test]
fn a_log_that_this_version_would_not_have_written_is_not_gone_on_with() {
    let place = Place::new();
    drop(small(&place, "none"));
    let folder = broken_off(&place, "host");
    let work = place.request(Rules::default(), vec![]).work;
    let unknown =
        ResumeRequest { models: Box::new(|_| Err(NoModel::Unknown)), ..goes_on(&folder, work.clone()) };
    let error = block_on(app::resume(unknown)).unwrap_err();
    assert!(matches!(error, RunError::UnknownModel { .. }), "{error:?}");
    let other = || -> Box<Models> { Box::new(|_, _, _| -> Box<dyn Model> { Box::new(Other) }) };
    let other = ResumeRequest { models: Box::new(move |_| Ok(other())), ..goes_on(&folder, work) };
    let error = block_on(app::resume(other)).unwrap_err();
    assert!(matches!(error, RunError::OtherModel { .. }), "{error:?}");
}

/// A model whose digest is not the one in the log.
struct Other;

impl Model for Other {
    fn name(&self) -> &str {
        "scripted"
    }

    fn digest(&self) -> Option<ledger::Digest> {
        Some(ledger::Digest::of(b"other"))
    }

    fn turn<'a>(&'a mut self, _: &'a ledger::turn::TurnRequest) -> llm::Turning<'a> {
        Box::pin(std::future::ready(Ok(words("never asked"))))
    }
}
