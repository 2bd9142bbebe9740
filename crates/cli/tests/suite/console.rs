//! `locard console`: questions one after another over one case, in one run that is sealed on leaving.

use crate::support::{Place, demo_folder, str, text};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// The console with its arguments.
fn console(place: &Place, of: &str) -> Command {
    let mut command = place.command(&["console", of, "--cache", "cache", "--integrity", "stat"]);
    command.env("LOCARD_NO_HEAD_LOG", "1").env("XDG_STATE_HOME", place.path("state"));
    command
}

/// Types lines and leaves; gives the exit code, and both outputs.
fn typed(place: &Place, of: &str, lines: &[&str]) -> (Option<i32>, String, String) {
    let file = place.file("lines.txt", lines.join("\n"));
    let input = std::fs::File::open(file).unwrap();
    let output = console(place, of).stdin(input).output().unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// A console that somebody types into; it does not outlive a test that fails.
struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Talk {
    fn begin(place: &Place, of: &str) -> Talk {
        let mut command = console(place, of);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (send, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        let talk = Talk { input: child.stdin.take(), child, lines };
        talk.until("/help lists the commands");
        talk
    }

    fn type_in(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    /// The lines up to one that holds this.
    fn until(&self, part: &str) -> Vec<String> {
        let mut seen = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => seen.push(line),
                Err(error) => panic!("{error}: no {part:?} in {seen:#?}"),
            }
            if seen.last().unwrap().contains(part) {
                return seen;
            }
        }
    }

    fn signal(&self, name: &str, processes: &[u32]) {
        send(name, processes);
    }

    /// Types nothing more; gives the exit code, and what is still printed.
    fn leave(mut self) -> (Option<i32>, Vec<String>) {
        drop(self.input.take());
        let mut rest = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => rest.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(error) => panic!("{error}: {rest:#?}"),
            }
        }
        (self.child.wait().unwrap().code(), rest)
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        drop((self.child.kill(), self.child.wait()));
    }
}

#[expect(clippy::disallowed_methods, reason = "the tests send signals as a person does")]
pub(crate) fn send(name: &str, processes: &[u32]) {
    let ids = processes.iter().map(u32::to_string);
    drop(Command::new("kill").arg(format!("-{name}")).args(ids).output().unwrap());
}

/// The processes that a process has started, and those that these have.
fn descendants(process: u32) -> Vec<u32> {
    let mut found = vec![process];
    let mut next = 0;
    while let Some(of) = found.get(next).copied() {
        let tasks = std::fs::read_dir(format!("/proc/{of}/task")).into_iter().flatten().flatten();
        for task in tasks {
            let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            found.extend(children.split_whitespace().filter_map(|id| id.parse::<u32>().ok()));
        }
        next += 1;
    }
    found.remove(0);
    found
}

fn sealed_run(place: &Place) -> graph::Run {
    let run = app::load_run(&place.only_run()).unwrap();
    assert!(run.sealed.is_some());
    run
}

fn holds(place: &Place, run: &Path) {
    place.locard_ends(0, &["verify", str(run), "--no-head-log"]);
    place.locard_ends(0, &["replay", str(run)]);
}

const TRANSCRIPT: &str = include_str!("../golden/console.txt");

/// The ids of facts follow from the whole log: any change of a format or behaviour gives others.
fn without_ids(printed: &str) -> String {
    let mut parts = printed.split("[fact-");
    let mut masked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        masked += "[fact-ID";
        masked += part.get(8..).unwrap_or_default();
    }
    masked
}

#[test]
fn a_conversation_is_one_run_with_a_task_for_each_question_that_needs_one() {
    let place = Place::new();
    let (code, printed, told) = typed(
        &place,
        str(&demo_folder()),
        &[
            "/facts",
            "When was ScanToPdf-Setup.exe started for the first time?",
            "and before that?",
            "no",
            "What is in mara's recycle bin?",
            "When did mara log on?",
            "and on the other host?",
            "no, the other user",
            "scansvc",
            "Was setup.exe run on 03/04/2025?",
            "",
            "Was the System event log cleared?",
            "When was ScanToPdf-Setup.exe started for the first time?",
            "/why fact-0",
            "/nothing",
            "/quit",
            "never asked",
        ],
    );
    assert_eq!(code, Some(0), "{printed}\n{told}");
    let folder = place.only_run();
    let name = folder.file_name().unwrap().to_str().unwrap();
    let transcript = without_ids(&printed.replace(name, "RUN"));
    if transcript != TRANSCRIPT {
        place.file("console.txt", &transcript);
        panic!("the transcript is another one:\n{transcript}");
    }
    let run = sealed_run(&place);
    let asked = run.tasks.values().filter(|view| view.assigned.ask).count();
    assert_eq!((run.tasks.len(), run.opened.asked.len()), (asked, 1));
    assert!(asked >= 3, "{asked}");
    holds(&place, &folder);
    // A question's task says what was asked.
    let questions: Vec<&str> =
        run.tasks.values().filter_map(|view| Some(view.assigned.asked.as_ref()?.question.as_str())).collect();
    assert!(questions.contains(&"What is in mara's recycle bin?"), "{questions:?}");
}

#[test]
fn commands_print_what_the_programs_own_commands_print() {
    let place = Place::new();
    let question = "Was the Security log cleared?";
    let made: serde_json::Value = serde_json::from_str(&place.locard_ends(
        0,
        &["ask", str(&demo_folder()), question, "--format", "json", "--cache", "cache", "--no-head-log"],
    ))
    .unwrap();
    let (run, fact) = (made["run"].as_str().unwrap(), made["cited"][0]["fact"].as_str().unwrap());
    let why = format!("/why {fact}");
    let commands = [
        ("/facts", vec!["facts", run]),
        ("/facts --format json", vec!["facts", run, "--format", "json"]),
        (&why, vec!["facts", run, "--id", fact]),
        ("/graph", vec!["graph", run]),
        ("/graph hubs", vec!["graph", run, "hubs"]),
        ("/timeline alder-07", vec!["graph", run, "timeline", "alder-07"]),
        ("/report", vec!["report", run]),
        ("/audit", vec!["audit", run, "--no-state"]),
    ];
    let lines: Vec<&str> = commands.iter().map(|it| it.0).collect();
    let (code, printed, told) = typed(&place, run, &lines);
    assert_eq!(code, Some(0), "{told}");
    let mut expected = String::new();
    for (line, arguments) in &commands {
        expected += &format!("> {line}\n{}", place.locard_ends(0, arguments));
    }
    assert_eq!(printed.split_once("> /facts\n").unwrap().1, expected.split_once("> /facts\n").unwrap().1);
    assert_eq!(place.runs().len(), 1, "where nothing is recorded there is no branch");
}

#[test]
fn of_a_sealed_run_the_conversation_is_one_branch() {
    let place = Place::new();
    place.locard_ends(
        0,
        &["ask", str(&demo_folder()), "Was the Security log cleared?", "--cache", "cache", "--no-head-log"],
    );
    let parent = place.only_run();
    let before = std::fs::read(parent.join("run.db")).unwrap();
    let lines = ["Was the Security log cleared?", "What is in mara's recycle bin?", "When did mara log on?"];
    let (code, printed, told) = typed(&place, str(&parent), &lines);
    assert_eq!(code, Some(0), "{printed}\n{told}");
    let branch = place.runs().pop().unwrap();
    assert_eq!((place.runs().len(), std::fs::read(parent.join("run.db")).unwrap() == before), (2, true));
    let run = app::load_run(&branch).unwrap();
    assert_eq!((run.tasks.len(), run.opened.asked.len()), (3, 2), "what it knows needs no task");
    assert_eq!(
        run.opened.parent.as_ref().unwrap().run.as_str(),
        parent.file_name().unwrap().to_str().unwrap()
    );
    holds(&place, &branch);
}

#[test]
fn a_console_that_was_killed_goes_on_and_is_sealed() {
    let place = Place::new();
    let mut talk = Talk::begin(&place, str(&demo_folder()));
    talk.type_in("What is in mara's recycle bin?");
    talk.until("lunch-list.txt");
    talk.type_in("Was the Security log cleared?");
    talk.until("yes");
    talk.signal("KILL", &[talk.child.id()]);
    drop(talk);
    let folder = place.only_run();
    place.locard_ends(32, &["verify", str(&folder), "--no-head-log"]);
    let copy = place.path("copy");
    std::fs::create_dir(&copy).unwrap();
    for file in std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()) {
        std::fs::copy(&file, copy.join(file.file_name().unwrap())).unwrap();
    }
    place.locard_ends(0, &["resume", str(&copy), "--no-head-log", "--no-memory", "--integrity", "stat"]);
    holds(&place, &copy);

    let (code, printed, told) = typed(&place, str(&folder), &["When did mara log on?"]);
    assert_eq!(code, Some(0), "{printed}\n{told}");
    assert!(told.contains("continuing "), "{told}");
    let run = sealed_run(&place);
    assert_eq!(run.tasks.len(), 3);
    holds(&place, &folder);
}

#[test]
fn ctrl_c_ends_the_question_under_way_and_nothing_of_it_is_printed() {
    let place = Place::new();
    let mut talk = Talk::begin(&place, str(&demo_folder()));
    // Nothing can be answered while the workers stand still.
    let workers = descendants(talk.child.id());
    assert!(!workers.is_empty());
    talk.signal("STOP", &workers);
    talk.type_in("What is in mara's recycle bin?");
    talk.until("> What is in mara's recycle bin?");
    std::thread::sleep(Duration::from_millis(500));
    talk.signal("INT", &[talk.child.id()]);
    std::thread::sleep(Duration::from_millis(200));
    talk.signal("CONT", &workers);
    talk.type_in("Was the Security log cleared?");
    let between = talk.until("yes");
    assert_eq!(between.first().map(String::as_str), Some("> Was the Security log cleared?"), "{between:#?}");
    let (code, rest) = talk.leave();
    assert_eq!(code, Some(0), "{rest:#?}");
    assert_eq!(sealed_run(&place).tasks.len(), 1, "the first question has no task");
    holds(&place, &place.only_run());
}

#[test]
fn a_task_that_is_cancelled_has_an_end_and_its_run_verifies() {
    let place = Place::new();
    let asked = |question: &str| {
        let run = place.locard_ends(
            0,
            &["ask", str(&demo_folder()), question, "--runs", "asked", "--format", "json", "--no-head-log"],
        );
        let run: serde_json::Value = serde_json::from_str(&run).unwrap();
        app::load_run(&place.path(run["run"].as_str().unwrap())).unwrap().opened.asked.remove(0)
    };
    let (first, second) = (asked("Was the Security log cleared?"), asked("What is in mara's recycle bin?"));
    let request = place.request(ledger::Rules::default(), vec![]);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let finished = runtime.block_on(async {
        let case = app::load_case(&demo_folder()).unwrap();
        let (go, stop) = (app::Interrupt::new(), app::Interrupt::new());
        stop.interrupt();
        let [first, second] =
            [first, second].map(|question| app::ToAsk { question, by: app::Answerer::Code });
        let mut session = app::session_of_case(case, first, &place.path("runs"), request.work).await.unwrap();
        assert!(!session.first(&go).await.unwrap().unwrap().cancelled);
        assert!(session.ask(&second, &stop).await.unwrap().unwrap().cancelled);
        assert!(!session.ask(&second, &go).await.unwrap().unwrap().cancelled);
        session.seal().await.unwrap()
    });
    let run = app::load_run(&finished.folder).unwrap();
    let facts = |task: u16| run.facts().filter(|(of, _)| of.0 == task).count();
    assert_eq!((run.tasks.len(), facts(2)), (3, 0));
    assert!(facts(1) > 0 && facts(3) > 0);
    holds(&place, &finished.folder);
}

#[test]
fn sigterm_at_an_idle_prompt_seals_and_says_so() {
    let place = Place::new();
    let mut talk = Talk::begin(&place, str(&demo_folder()));
    talk.type_in("Was the Security log cleared?");
    talk.until("yes");
    talk.signal("TERM", &[talk.child.id()]);
    talk.until("sealed ");
    assert_eq!(talk.child.wait().unwrap().code(), Some(143));
    sealed_run(&place);
}

#[test]
fn what_cannot_be_opened_is_told_and_nothing_is_made() {
    let place = Place::new();
    let (code, printed, told) = typed(&place, "gone", &["anything"]);
    assert_eq!((code, printed.as_str()), (Some(2), ""), "{told}");
    let (code, printed, _) =
        typed(&place, str(&demo_folder()), &["/open gone", "/open", "lorem ipsum dolor"]);
    assert_eq!(code, Some(0));
    assert!(printed.contains("nothing is recorded yet") && printed.contains("not determinable"), "{printed}");
    assert!(place.runs().is_empty(), "what is not recorded makes no run");
}
