//! Shared by the tests: temporary places, the program, and runs with scripted models.

use app::{Agent, Case, Clock, Finished, RunRequest, WorkerRequest};
use graph::Run;
use ledger::event::TaskHead;
use ledger::turn::{AbsenceResult, Answer, Message, ReadingResult, Reply, TurnRequest, UserBlock};
use ledger::{AgentSpec, Circumstance, Digest, Event, IntegrityLevel, Rules, Stream, ToolClass, Utc};
use llm::Model;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::Permissions;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex, OnceLock};
use store::{Durability, Entry, Reader, Writer};
use testkit::scripted::Scripted;

/// The program to test: the one that cargo built, or the one that `LOCARD_BINARY` names, such as a release.
#[expect(clippy::disallowed_methods, reason = "the tests choose the program by it")]
pub(crate) fn program() -> PathBuf {
    std::env::var_os("LOCARD_BINARY").map_or_else(|| env!("CARGO_BIN_EXE_locard").into(), PathBuf::from)
}

/// Options for tests that need any run of the demo, whatever it investigates. It takes a quarter of the CPU time of a whole one.
pub(crate) const SMALL: [&str; 3] = ["--agent", "registry", "--no-sweep"];

/// A run folder in memory: its name, its files with their permissions, and what `locard run` printed.
type Packed = (OsString, Vec<(OsString, Vec<u8>, Permissions)>, String);

/// Held while a shared run is made, because two runs of the demo that begin in the same second would get the same name.
static MAKING: Mutex<()> = Mutex::new(());

/// The runs of the demo that tests share, by their arguments. They are kept in memory, because nothing would remove
/// the folder of a static.
static DEMO_RUNS: Mutex<BTreeMap<&[&str], Arc<OnceLock<Packed>>>> = Mutex::new(BTreeMap::new());

/// The metadata of a cache entry after a change by somebody who knows how its check is computed.
pub(crate) fn with_own_check(known: &Value) -> String {
    let mut known = known.clone();
    let members = known.as_object_mut().unwrap();
    members.remove("check");
    let check = Digest::of(&ledger::canonical::to_vec(members).unwrap());
    members.insert("check".to_owned(), check.to_string().into());
    known.to_string()
}

/// A temporary place with room for runs and scratch files.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Place {
        Place { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the program here, with nothing of the caller's environment.
    pub(crate) fn locard(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs the program with a standard output whose reader is gone.
    pub(crate) fn locard_unheard(&self, arguments: &[&str]) -> Output {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        self.command(arguments).stdout(writer).output().unwrap()
    }

    /// The program with arguments, not yet started.
    #[expect(clippy::disallowed_methods, reason = "the tests start the program as a person does")]
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program());
        command.args(arguments).current_dir(self.folder.path()).env_clear();
        command.env("TMPDIR", self.folder.path());
        command
    }

    /// Runs the program, which must end with `code`, and returns its standard output.
    pub(crate) fn locard_ends(&self, code: i32, arguments: &[&str]) -> String {
        let output = self.locard(arguments);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "locard {arguments:?}\n{out}\n{err}");
        out
    }

    /// Copies the run that `locard run cases/demo` makes with these arguments to this place. Returns what the program printed.
    ///
    /// The run is made only once for each set of arguments, and all tests share it.
    pub(crate) fn has_demo_run(&self, more: &'static [&'static str]) -> String {
        let made = DEMO_RUNS.lock().unwrap().entry(more).or_default().clone();
        let (name, files, printed) = made.get_or_init(|| {
            let _alone = MAKING.lock();
            let place = Place::new();
            let printed = place.locard_ends(0, &[&["run", str(&demo_folder())], more].concat());
            packed(&place.only_run(), printed)
        });
        let run = self.path("runs").join(name);
        assert!(!run.exists(), "{} is there already", run.display());
        for (name, bytes, permissions) in files {
            let file = self.file(str(&run.join(name)), bytes);
            std::fs::set_permissions(file, permissions.clone()).unwrap();
        }
        printed.clone()
    }

    /// The only run folder here.
    pub(crate) fn only_run(&self) -> PathBuf {
        let mut runs = self.runs();
        assert_eq!(runs.len(), 1, "{runs:?}");
        runs.remove(0)
    }

    /// The run folders here, sorted by name.
    pub(crate) fn runs(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.path("runs")).into_iter().flatten();
        let mut runs: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        runs.sort();
        runs
    }

    /// Creates a folder here, with its parents.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    /// Writes a file here, and creates its parents.
    #[expect(clippy::disallowed_methods, reason = "the tests write their own files")]
    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Investigates the demo with one scripted model for each agent named.
    pub(crate) fn investigate(&self, rules: Rules, scripts: Vec<(&str, Scripted)>) -> (Finished, Run) {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let finished = runtime.block_on(app::run(self.request(rules, scripts))).unwrap();
        let run = app::load_run(&finished.folder).unwrap();
        (finished, run)
    }

    /// A request to investigate the demo with one scripted model for each agent named.
    ///
    /// There is no final sweep, whatever the rules say, because most of these agents only do one thing.
    pub(crate) fn request(&self, rules: Rules, scripts: Vec<(&str, Scripted)>) -> RunRequest {
        let agents = scripts.iter().map(|(name, _)| agent(name)).collect();
        let waiting: std::sync::Mutex<Vec<_>> =
            std::sync::Mutex::new(scripts.into_iter().map(|(_, script)| Some(script)).collect());
        RunRequest {
            lead: None,
            case: demo(),
            agents,
            models: Box::new(move |_, task, _| -> Box<dyn Model> {
                Box::new(waiting.lock().unwrap()[usize::from(task.0) - 1].take().unwrap())
            }),
            brought: Default::default(),
            rules: Rules { sweep: false, ..rules },
            runs: self.path("runs"),
            seed: None,
            work: app::Workplace {
                integrity: IntegrityLevel::Full,
                worker: WorkerRequest {
                    program: program(),
                    unconfined: false,
                    scratch: self.path("scratch"),
                    limits: sandbox::Limits::default(),
                    expansion: app::Expansion::default(),
                },
                indexes: self.path("indexes"),
                cache: None,
                recording: store::Options::default(),
                clock: Arc::new(Midnight) as Arc<dyn Clock>,
                observe: Arc::new(|_| ()),
                interrupt: app::Interrupt::new(),
                keep: app::KeepHead::default(),
                memory: app::MemoryUse::None,
            },
        }
    }
}

/// A clock that stands still, so that all runs with scripted models are made in the same second.
struct Midnight;

impl Clock for Midnight {
    fn now(&self) -> Utc {
        Utc::UNIX_EPOCH
    }
}

/// An agent without a playbook that may use every class of tools except the lead's.
fn agent(name: &str) -> Agent {
    let surface =
        [ToolClass::Investigate, ToolClass::Record, ToolClass::GraphWrite, ToolClass::GraphRead].into();
    let spec = AgentSpec {
        name: name.into(),
        prompt: "Investigate.".into(),
        surface,
        tools: None,
        objectives: vec![],
    };
    Agent { spec, steps: vec![], plan: None, digest: Digest::of(b"scripted") }
}

pub(crate) fn demo_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/demo").canonicalize().unwrap()
}

/// Writes the files of the demo's drive C into `C` in this folder, as a collection tool would.
#[expect(clippy::disallowed_methods, reason = "a test writes its evidence")]
pub(crate) fn collect_demo(folder: &Path) {
    for file in testkit::demo::files().unwrap() {
        let path = folder.join(file.path.replacen("p1/", "C/", 1));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, file.bytes).unwrap();
    }
}

/// One file of the demo's drive C.
pub(crate) fn demo_file(path: &str) -> Vec<u8> {
    let files = testkit::demo::files().unwrap();
    files.into_iter().find(|file| file.path == format!("p1/{path}")).unwrap().bytes
}

/// A case of its own, with the demo's drive C in the folder `evidence`.
pub(crate) fn collected_case(place: &Place, name: &str) -> PathBuf {
    collect_demo(&place.folder(&format!("{name}/evidence")));
    place.file(
        &format!("{name}/case.toml"),
        "title = \"T\"\n[[evidence]]\npath = \"evidence\"\nlabel = \"alder-07\"\nkind = \"directory\"\n",
    );
    place.path(name)
}

pub(crate) fn demo() -> Case {
    app::load_case(&demo_folder()).unwrap()
}

fn packed(run: &Path, printed: String) -> Packed {
    let files = std::fs::read_dir(run).unwrap().map(|entry| {
        let entry = entry.unwrap();
        (entry.file_name(), std::fs::read(entry.path()).unwrap(), entry.metadata().unwrap().permissions())
    });
    (run.file_name().unwrap().to_owned(), files.collect(), printed)
}

/// Copies a folder recursively, modification times included.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        match entry.metadata().unwrap().is_dir() {
            true => copy_folder(&from, &to),
            false => drop(std::fs::copy(&from, &to).unwrap()),
        }
        let modified = entry.metadata().unwrap().modified().unwrap();
        std::fs::File::open(&to).unwrap().set_modified(modified).unwrap();
    }
}

pub(crate) fn str(path: &Path) -> &str {
    path.to_str().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The reply in one turn.
pub(crate) type Turn = Box<dyn FnMut(&TurnRequest) -> Reply + Send>;

/// A script that answers turn n with the nth of `replies`, and says nothing more after the last.
pub(crate) fn script(replies: Vec<Turn>) -> Scripted {
    let mut replies = replies.into_iter();
    Scripted::new(move |request| match replies.next() {
        Some(mut reply) => Some(reply(request)),
        None => Some(testkit::scripted::words("done")),
    })
}

/// The answers in the last message, in order.
pub(crate) fn answers(request: &TurnRequest) -> Vec<Answer> {
    match request.messages.last().map(AsRef::as_ref) {
        Some(Message::User(blocks)) => blocks
            .iter()
            .filter_map(|block| match block {
                UserBlock::Answer { answer, .. } => Some(answer.clone()),
                UserBlock::Text { .. } | UserBlock::Distilled(_) | UserBlock::Recovery(_) => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The invocation ids of the tool results in the last message, in order.
pub(crate) fn invocations(request: &TurnRequest) -> Vec<String> {
    answers(request)
        .iter()
        .filter_map(|answer| match answer {
            Answer::Returned(returned) => Some(returned.invocation.to_string()),
            _ => None,
        })
        .collect()
}

/// The accepted facts in the last message.
pub(crate) fn facts(request: &TurnRequest) -> Vec<String> {
    let recorded = answers(request).into_iter().filter_map(|answer| match answer {
        Answer::Recorded(recorded) => Some(recorded.readings),
        _ => None,
    });
    let accepted = recorded.flatten().filter_map(|reading| match reading {
        ReadingResult::Accepted { fact, .. } => Some(fact.to_string()),
        _ => None,
    });
    accepted.collect()
}

/// The accepted absences in the last message.
pub(crate) fn absences(request: &TurnRequest) -> Vec<String> {
    let recorded = answers(request).into_iter().filter_map(|answer| match answer {
        Answer::Absence(AbsenceResult::Accepted { absence, .. }) => Some(absence.to_string()),
        _ => None,
    });
    recorded.collect()
}

/// The graph nodes in the last message.
pub(crate) fn nodes(request: &TurnRequest) -> Vec<String> {
    let told = answers(request).into_iter().filter_map(|answer| match answer {
        Answer::Node { id } => Some(id.to_string()),
        _ => None,
    });
    told.collect()
}

/// A run's events with their streams and circumstances.
pub(crate) type Logged = Vec<(Stream, Event, Circumstance)>;

/// A copy of a run whose log was changed and chained again. If it is still sealed, its seal and manifest are
/// made again as well.
pub(crate) fn rechained(place: &Place, run: &Path, name: &str, change: impl Fn(&mut Logged)) -> PathBuf {
    let reader = Reader::open(run).unwrap();
    let logged = reader.events().map(Result::unwrap);
    let mut logged: Logged = logged.map(|(link, event, beside)| (link.stream, event, beside)).collect();
    change(&mut logged);
    let copy = place.path(name);
    let writer = Writer::create(&copy).unwrap();
    for (stream, event, circumstance) in logged {
        let payload = event.payload().and_then(|digest| reader.payload(&digest).unwrap()).map(Arc::from);
        let mut entry = Entry { stream, event, circumstance, payload };
        let Event::RunSealed(sealed) = &mut entry.event else {
            writer.append(vec![entry], Durability::Buffered).unwrap();
            continue;
        };
        let tally = writer.tally().unwrap();
        let heads = tally.streams.iter().filter_map(|(stream, events, head)| match stream {
            Stream::Run => None,
            Stream::Task(task) => Some(TaskHead { task: *task, events: *events, head: *head }),
        });
        (sealed.heads, sealed.payloads) = (heads.collect(), tally.payloads);
        let sealed = writer.seal(vec![entry]).unwrap();
        let manifest = std::fs::read_to_string(run.join(app::MANIFEST)).unwrap();
        let mut manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
        manifest["head"] = sealed.head.to_string().into();
        manifest["events"] = sealed.events.into();
        manifest["payloads"] = sealed.payloads.into();
        place.file(&format!("{name}/{}", app::MANIFEST), manifest.to_string());
    }
    copy
}
