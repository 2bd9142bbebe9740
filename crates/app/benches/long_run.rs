//! A run of 10,000 invocations with 8 KiB each: measures the cost of a call in the loop, and the cost of replaying and verifying the run.
//!
//! The model and the tool are scripted and cost almost nothing; engine, gateway, chain and store are the real ones.
//! Run it from a folder on the disk to be measured.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper of a test or measurement may stop it")]
#![expect(clippy::disallowed_methods, reason = "a measurement measures time")]
#![expect(clippy::print_stdout, reason = "a measurement prints its table")]

use engine::{Invoke, ToolReturn};
use ground::Verdict;
use ledger::event::TaskAssigned;
use ledger::turn::{Answer, Message, Reply, ReplyBlock, ToolCall, TurnRequest, UserBlock};
use ledger::{
    AgentSpec, CallId, Completeness, Digest, EvidenceEntry, EvidenceKind, Field, FieldValue, Locator,
    Outcome, Output, Record, RecordId, Rules, TaskId, Time, ToolClass,
};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::Options;
use testkit::recording::{Recording, Script, opened};

const CALLS: u32 = 10_000;
/// One fact for this many calls, some hundred in total.
const FACT_EVERY: u32 = 25;
const RECORDS: u32 = 11;

fn main() {
    // For `cargo test`, a bench only has to build.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    for raw in [true, false] {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let run = folder.path().join("run");
        let live = live(&run, raw);
        let how = if raw { "raw" } else { "compressed" };
        let each = live.bytes / u64::from(CALLS);
        println!("outputs of {each} bytes, stored {how}; {} facts", live.facts);
        let [first, middle, last] = AT.map(|call| live.at(call));
        println!("  a call, CPU: {first:?} at {}, {middle:?} at {}, {last:?} at {}", AT[0], AT[1], AT[2]);
        println!("  the run: {:?}", live.took);
        let replays = times(|| {
            let replayed = app::replay(&run, &app::ReplayRequest::default()).unwrap();
            assert!(replayed.iter().all(|task| task.divergence.is_none() && task.ended), "{replayed:?}");
        });
        let verifications = times(|| {
            let certificate = app::verify(&run);
            assert!(certificate.holds() && certificate.facts == live.facts, "{certificate:?}");
        });
        println!("  replay {replays}; verify {verifications}");
    }
}

/// Returns the median and the fastest wall time and the median CPU time of seven runs.
fn times(work: impl Fn()) -> String {
    let mut walls = Vec::new();
    let mut cpus = Vec::new();
    for _ in 0..7 {
        let (wall, cpu) = (Instant::now(), cpu());
        work();
        walls.push(wall.elapsed());
        cpus.push(self::cpu() - cpu);
    }
    walls.sort();
    cpus.sort();
    format!("{:?} (fastest {:?}, CPU {:?})", walls[3], walls[0], cpus[3])
}

/// Returns the CPU time of this process from proc_pid_stat(5), in steps of a clock tick (10 ms).
fn cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let (_, fields) = text.rsplit_once(')').unwrap();
    let ticks: Vec<i64> = fields.split_whitespace().filter_map(|field| field.parse().ok()).collect();
    // The state is not a number, so the parsed fields begin with the fourth.
    Duration::from_millis((ticks[10] + ticks[11]).unsigned_abs() * 10)
}

/// Returns the CPU time of all living threads, in nanoseconds.
fn precise_cpu() -> u64 {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let stat = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("schedstat")).ok();
    let first = |text: String| text.split_whitespace().next().and_then(|field| field.parse::<u64>().ok());
    tasks.flatten().filter_map(stat).filter_map(first).sum()
}

/// The cost of recording a run.
struct Live {
    facts: u64,
    bytes: u64,
    took: Duration,
    calls: u32,
    /// The CPU time of the process at some calls, by their number; reading it at every call would cost more than the call.
    asked: BTreeMap<u32, u64>,
}

/// The number of calls that are averaged.
const MEAN: u32 = 100;

impl Live {
    /// Returns the CPU time of a call without that of the scripted tool: the mean of the hundred calls before it.
    fn at(&self, call: u32) -> Duration {
        let spent = (self.asked[&call] - self.asked[&(call - MEAN)]) / u64::from(MEAN);
        Duration::from_nanos(spent).saturating_sub(tool_cost())
    }

    /// Registers the next call and returns its number.
    fn next(&mut self) -> u32 {
        if AT.iter().any(|at| [*at, at - MEAN].contains(&self.calls)) {
            self.asked.insert(self.calls, precise_cpu());
        }
        self.calls += 1;
        self.calls - 1
    }
}

/// The calls whose cost is shown.
const AT: [u32; 3] = [100, 1_000, CALLS - 1];

fn tool_cost() -> Duration {
    let before = precise_cpu();
    (0..1_000).for_each(|call| drop(std::hint::black_box(tool(call))));
    Duration::from_nanos((precise_cpu() - before) / 1_000)
}

fn assigned() -> TaskAssigned {
    let classes = [ToolClass::Investigate, ToolClass::Record];
    let agent = AgentSpec {
        name: "a".into(),
        prompt: String::new(),
        surface: classes.into(),
        tools: None,
        objectives: Vec::new(),
    };
    TaskAssigned::new(TaskId(1), agent, "scripted")
}

/// Records a run in the same way as `app`.
fn live(folder: &Path, raw: bool) -> Live {
    let began = Instant::now();
    let mut rules = Rules::default();
    rules.budgets.investigate_turns = u32::MAX;
    rules.budgets.accepted_facts = u32::MAX;
    let piece = EvidenceEntry {
        in_place: Vec::new(),
        label: "disk".into(),
        kind: EvidenceKind::Directory,
        expected_sha256: None,
    };
    let opened = opened("bench", vec![piece], rules, tools::catalogue()).unwrap();
    let options = Options { store_raw: raw, ..Options::default() };
    let recording = Recording::begin(folder, options, opened, vec![assigned()]).unwrap();
    let mut live = Live { facts: 0, bytes: 0, took: Duration::ZERO, calls: 0, asked: BTreeMap::new() };
    recording.live(&mut live).unwrap();
    recording.close().unwrap();
    live.took = began.elapsed();
    live
}

impl Script for Live {
    fn model(&mut self, _: TaskId, request: &TurnRequest) -> Reply {
        model(request, self.calls)
    }

    fn tool(&mut self, _: TaskId, _: &Invoke) -> ToolReturn {
        let returned = tool(self.next());
        self.bytes += returned.output.as_ref().unwrap().bytes().len() as u64;
        returned
    }

    fn judged(&mut self, _: TaskId, verdict: &Verdict) {
        assert!(matches!(verdict, Verdict::Grounded { .. }), "{verdict:?}");
        self.facts += 1;
    }
}

/// Makes one call per turn, and regularly a fact from the last output.
fn model(request: &TurnRequest, calls: u32) -> Reply {
    let call = |tool: &str, arguments| {
        let id = CallId(format!("c{}", request.turn));
        Reply { blocks: vec![ReplyBlock::Call(ToolCall { call: id, tool: tool.into(), arguments })] }
    };
    let Some(Message::User(said)) = request.messages.last().map(AsRef::as_ref) else { panic!() };
    let returned = said.iter().find_map(|block| match block {
        UserBlock::Answer { answer: Answer::Returned(returned), .. } => Some(returned),
        UserBlock::Answer { .. }
        | UserBlock::Text { .. }
        | UserBlock::Distilled(_)
        | UserBlock::Recovery(_) => None,
    });
    match returned {
        Some(returned) if calls.is_multiple_of(FACT_EVERY) => {
            let record = &returned.page.as_ref().unwrap().output.records()[3];
            let path = record.fields["path"].value.to_text();
            let reading = json!({"predicate": "present", "subject": path, "values": {"path": path},
                "invocation": returned.invocation, "record": record.id.to_string()});
            call("record_phenomenon", json!({"readings": [reading]}))
        }
        _ if calls < CALLS => call("find_files", json!({"name": format!("program-{calls}.dll")})),
        _ => Reply { blocks: vec![ReplyBlock::Text { text: "done".into() }] },
    }
}

/// Returns an output like that of `find_files`: directory entries with their times and places.
fn tool(call: u32) -> ToolReturn {
    let record = |number: u32| {
        let unlike = Digest::of_parts(&[&call.to_le_bytes(), &number.to_le_bytes()]).to_string();
        let path = format!("p1/Windows/System32/DriverStore/{}/program-{call}-{number}.dll", &unlike[..8]);
        let ticks = 130_000_000_000_000_000 + u64::from(call) * 7_654_321 + u64::from(number) * 123_457;
        let time = |after: u64| FieldValue::Time(Time::from_filetime(ticks + after));
        let fields = [
            ("path", FieldValue::Path(path.clone())),
            ("name", FieldValue::Name(format!("program-{call}-{number}.dll"))),
            ("kind", FieldValue::Name("file".into())),
            ("size", FieldValue::Size(ticks % 1_000_003)),
            ("born", time(0)),
            ("modified", time(1_111)),
        ];
        let fields = fields.map(|(name, value)| (name.to_owned(), Field { at: None, value }));
        Record {
            placement: None,
            defects: vec![],
            fields: fields.into(),
            id: RecordId(number),
            kind: "dir_entry".into(),
            locator: Locator { evidence: "disk".into(), path, stream: None, span: None },
        }
    };
    ToolReturn {
        outcome: Outcome::Ok,
        completeness: Completeness::Complete,
        normalised: Some(json!({"name": format!("program-{call}.dll")})),
        output: Some(Arc::new(Output::new((0..RECORDS).map(record).collect()).unwrap())),
        defects: vec![],
        gaps: vec![],
        notes: vec![],
    }
}
