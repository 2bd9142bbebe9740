//! A worker that crashes, loops forever, allocates without limit or is killed costs one invocation, not the run.
//!
//! This program is its own tool worker. Its handler does on request what a parser might do by accident.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking and says that it passed"
)]

use app::{Agent, RunRequest, SystemClock, WorkerRequest};
use ledger::turn::TurnRequest;
use ledger::{AgentSpec, Digest, IntegrityLevel, Outcome, Rules, ToolClass};
use llm::Model;
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use testkit::scripted::{Scripted, calls, words};

const ACTS: [(&str, Outcome); 6] = [
    ("abort", Outcome::Failed),
    ("panic", Outcome::Failed),
    ("spin", Outcome::Timeout),
    ("allocate", Outcome::Failed),
    ("leave", Outcome::Failed),
    ("garbage", Outcome::Failed),
];

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(sandbox::WORKER_ARGUMENT) {
        let served = sandbox::serve(handle);
        return if served.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    each_hostile_act_costs_one_invocation();
    println!("1 passed, 0 failed");
    ExitCode::SUCCESS
}

/// Does what the call's path says; any other request is handled as a normal tool call.
fn handle(request: &[u8], scratch: &Path) -> sandbox::Reply {
    let ordered = serde_json::from_slice::<Value>(request).ok();
    if ordered.as_ref().is_some_and(|request| request["request"] == "build_index") {
        return b"{\"index\":\"built\",\"entries\":5}\nLOCARDNI and then nothing of the kind".to_vec().into();
    }
    let ordered = ordered.as_ref().and_then(|request| request.pointer("/arguments/path")?.as_str());
    match ordered {
        Some("abort") => std::process::abort(),
        Some("panic") => panic!("by order"),
        Some("spin") => loop {
            std::hint::spin_loop();
        },
        Some("allocate") => {
            let mut held: Vec<Vec<u8>> = Vec::new();
            loop {
                held.push(Vec::with_capacity(64 << 20));
            }
        }
        Some("leave") => leave().into(),
        Some("garbage") => b"not a reply".to_vec().into(),
        _ => {
            let tools::Answered { file, bytes } = tools::handle(request, scratch);
            sandbox::Reply { file, bytes }
        }
    }
}

#[expect(clippy::exit, clippy::disallowed_methods, reason = "a parser's library may leave the process")]
fn leave() -> Vec<u8> {
    std::process::exit(7)
}

fn each_hostile_act_costs_one_invocation() {
    let place = tempfile::tempdir().unwrap();
    let mut turn = 0;
    let script = Scripted::new(move |_: &TurnRequest| {
        turn += 1;
        Some(match turn {
            1 => {
                let mut acts: Vec<_> =
                    ACTS.iter().map(|(act, _)| ("list_directory", json!({"path": act}))).collect();
                acts.push(("find_files", json!({})));
                // This tool needs no index. Indexes are built by the hostile worker, too.
                acts.push(("list_partitions", json!({})));
                calls(1, &acts)
            }
            _ => words("done"),
        })
    });
    let waiting = std::sync::Mutex::new(Some(script));
    let surface = [ToolClass::Investigate, ToolClass::Record].into();
    let spec = AgentSpec {
        name: "filesystem".into(),
        prompt: String::new(),
        surface,
        tools: None,
        objectives: vec![],
    };
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/demo");
    let limits = sandbox::Limits { wall: Duration::from_secs(2), ..sandbox::Limits::default() };
    let request = RunRequest {
        lead: None,
        case: app::load_case(&demo).unwrap(),
        agents: vec![Agent { spec, steps: vec![], plan: None, digest: Digest::of(b"scripted") }],
        models: Box::new(move |_, _, _| -> Box<dyn Model> {
            Box::new(waiting.lock().unwrap().take().unwrap())
        }),
        rules: Rules::default(),
        brought: Default::default(),
        runs: place.path().join("runs"),
        seed: None,
        work: app::Workplace {
            integrity: IntegrityLevel::Stat,
            worker: WorkerRequest {
                program: std::env::current_exe().unwrap(),
                unconfined: false,
                scratch: place.path().join("scratch"),
                limits,
                expansion: app::Expansion::default(),
            },
            indexes: place.path().join("indexes"),
            cache: None,
            recording: store::Options::default(),
            clock: Arc::new(SystemClock),
            observe: Arc::new(|_| ()),
            interrupt: app::Interrupt::new(),
            keep: app::KeepHead::default(),
            memory: app::MemoryUse::None,
        },
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let finished = runtime.block_on(app::run(request)).unwrap();
    let run = app::load_run(&finished.folder).unwrap();
    let ended: Vec<_> =
        run.tasks.values().next().unwrap().invocations.iter().map(|i| i.ended.clone().unwrap()).collect();
    for ((act, outcome), ended) in ACTS.iter().zip(&ended) {
        assert_eq!(ended.outcome, *outcome, "{act}: {:?}", ended.notes);
        assert_eq!(ended.output, None, "{act}");
        assert!(!ended.notes.is_empty(), "{act}");
    }
    let last = ended.last().unwrap();
    assert_eq!(last.outcome, Outcome::Ok, "the call after all of them works: {:?}", last.notes);
    let misled = &ended[ACTS.len()];
    assert_eq!(misled.outcome, Outcome::Failed);
    assert!(misled.notes[0].starts_with("read the name index"), "{:?}", misled.notes);
    assert_eq!(run.names[0].entries, 5, "what the worker said of its index");
    let certificate = app::verify(&finished.folder);
    assert!(certificate.holds(), "{:?}", certificate.findings);
}
