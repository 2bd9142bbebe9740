//! Runs that are asked to stop, by SIGINT, by SIGTERM or by the library's interrupt, and programs that are killed.

use crate::support::{Place, demo_file, demo_folder, script, str, text};
use app::{Progress, RunError};
use ledger::{Event, Rules};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Output, Stdio};
use std::sync::Arc;
use std::time::Duration;
use testkit::scripted::calls;

/// Evidence that takes hours to hash: a sparse file of 1 TiB.
fn endless(place: &Place) -> PathBuf {
    let config = "C/Windows/System32/config";
    place.folder(&format!("endless/evidence/{config}"));
    place.file(&format!("endless/evidence/{config}/SYSTEM"), demo_file("Windows/System32/config/SYSTEM"));
    let file = std::fs::File::create(place.path("endless/evidence/endless.bin")).unwrap();
    file.set_len(1 << 40).unwrap();
    place.path("endless/evidence")
}

/// Polls until `look` returns something, for a minute at most.
fn wait_for<T>(mut look: impl FnMut() -> Option<T>) -> T {
    for _ in 0..6000 {
        match look() {
            Some(found) => return found,
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    }
    panic!("it did not come about")
}

/// A program that is killed if the test fails.
struct Started(Option<Child>);

impl Started {
    fn id(&self) -> u32 {
        self.0.as_ref().unwrap().id()
    }

    fn child(&mut self) -> &mut Child {
        self.0.as_mut().unwrap()
    }

    fn wait_with_output(mut self) -> Output {
        self.0.take().unwrap().wait_with_output().unwrap()
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            drop((child.kill(), child.wait()));
        }
    }
}

/// Starts the program, and waits until every agent has ended and only the hashing is left.
fn started(place: &Place, arguments: &[&str]) -> Started {
    let mut command = place.command(arguments);
    let child = Started(Some(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()));
    wait_for(|| {
        let run = place.runs().pop()?;
        let reader = store::Reader::open(&run).ok()?;
        let [assigned, ended] = ["task_assigned", "task_ended"].map(|name| reader.count(name).ok());
        (assigned? > 0 && assigned == ended).then_some(())
    });
    child
}

/// Sends a signal; does nothing if the process has already ended.
#[expect(clippy::disallowed_methods, reason = "the tests send signals as a person does")]
fn send(signal: &str, process: u32) {
    let mut command = std::process::Command::new("kill");
    drop(command.args([format!("-{signal}"), process.to_string()]).output().unwrap());
}

/// All descendants of a process.
fn descendants(process: u32) -> Vec<u32> {
    let parent = |id: u32| -> Option<u32> {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
    };
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let all: Vec<u32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    let mut found = vec![process];
    let mut next = 0;
    while let Some(of) = found.get(next).copied() {
        found.extend(all.iter().copied().filter(|id| parent(*id) == Some(of)));
        next += 1;
    }
    found.remove(0);
    found
}

/// Waits until all of the processes have ended; zombies count as ended.
fn wait_for_the_end_of(processes: &[u32]) {
    let lives = |id: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
    };
    wait_for(|| (!processes.iter().any(lives)).then_some(()));
}

fn scratch_folders(place: &Place) -> usize {
    let entries = std::fs::read_dir(place.path("")).unwrap().flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("locard-")).count()
}

#[test]
fn an_interrupted_run_is_readable_unsealed_and_leaves_nothing_behind() {
    let place = Place::new();
    let evidence = endless(&place);
    let child = started(&place, &["run", str(&evidence)]);
    let workers = descendants(child.id());
    assert!(!workers.is_empty() && scratch_folders(&place) == 1);
    send("INT", child.id());
    let output = child.wait_with_output();
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(output.stdout.is_empty());
    assert!(told.contains("interrupted: stopping"), "{told}");
    assert!(told.contains("is not sealed; `locard resume` resumes it;"), "{told}");
    wait_for_the_end_of(&workers);
    assert_eq!(scratch_folders(&place), 0);

    let run = place.only_run();
    assert!(told.contains(run.file_name().unwrap().to_str().unwrap()), "{told}");
    let files: Vec<_> = std::fs::read_dir(&run).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(files, ["run.db"], "the log is one file");
    let log = std::fs::read(run.join("run.db")).unwrap();
    place.locard_ends(32, &["verify", str(&run)]);
    place.locard_ends(0, &["verify", "latest", "--unsealed"]);
    let facts = place.locard_ends(0, &["facts", str(&run)]);
    assert!(facts.contains("ControlSet001") && facts.contains("was interrupted"), "{facts}");
    assert!(place.locard_ends(0, &["report", str(&run)]).contains("not sealed"));
    assert_eq!(std::fs::read(run.join("run.db")).unwrap(), log);
}

#[test]
fn of_an_interrupted_batch_what_was_sealed_stays_and_the_rest_is_told() {
    let place = Place::new();
    let evidence = endless(&place);
    let (endless, demo) = (str(&evidence).to_owned(), str(&demo_folder()).to_owned());
    let child = started(&place, &["run", &endless, &demo, "gone", "--jobs", "1", "--format", "json"]);
    send("TERM", child.id());
    let output = child.wait_with_output();
    assert_eq!(output.status.code(), Some(143), "{}", text(&output.stderr));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let cases = value["cases"].as_array().unwrap();
    let outcomes: Vec<_> = cases.iter().map(|case| (&case["outcome"], &case["exit_code"])).collect();
    assert_eq!(json!(outcomes), json!([["interrupted", 143], ["not_begun", 143], ["failed", 2]]));
    assert_eq!(value["exit_code"], 143);
    let folder = cases[0]["folder"].as_str().unwrap();
    assert_eq!(place.only_run().file_name(), std::path::Path::new(folder).file_name());
}

#[test]
fn a_second_interrupt_ends_at_once() {
    let place = Place::new();
    let evidence = endless(&place);
    let mut child = started(&place, &["run", str(&evidence)]);
    let workers = descendants(child.id());
    // Stopped workers keep the program from ending cleanly.
    for worker in &workers {
        send("STOP", *worker);
    }
    send("INT", child.id());
    let mut told = BufReader::new(child.child().stderr.take().unwrap());
    let mut line = String::new();
    told.read_line(&mut line).unwrap();
    assert!(line.contains("interrupt again to stop at once"), "{line}");
    send("INT", child.id());
    assert_eq!(child.child().wait().unwrap().code(), Some(130));
    wait_for_the_end_of(&workers);
    place.locard_ends(0, &["verify", "latest", "--unsealed"]);
}

#[test]
fn what_a_killed_program_left_is_readable_and_its_scratch_folder_goes_with_the_next_command() {
    let place = Place::new();
    let evidence = endless(&place);
    let mut child = started(&place, &["run", str(&evidence)]);
    let workers = descendants(child.id());
    // While the program lives, another one does not remove its scratch folder.
    place.locard_ends(0, &["tool", "list_hives", "--evidence", str(&demo_folder())]);
    assert_eq!(scratch_folders(&place), 1);
    child.child().kill().unwrap();
    child.child().wait().unwrap();
    wait_for_the_end_of(&workers);
    assert_eq!(scratch_folders(&place), 1);
    place.locard_ends(0, &["tool", "list_hives", "--evidence", str(&demo_folder())]);
    assert_eq!(scratch_folders(&place), 0);
    place.locard_ends(0, &["verify", "latest", "--unsealed"]);
    assert!(place.locard_ends(0, &["runs"]).contains("unsealed"));
}

#[test]
fn a_call_that_an_interrupt_cancelled_has_no_end_in_the_log() {
    let place = Place::new();
    let evidence = endless(&place);
    let agent = script(vec![Box::new(|_| {
        calls(1, &[("list_hives", json!({})), ("hash_file", json!({"path": "endless.bin"}))])
    })]);
    let mut request = place.request(Rules::default(), vec![("registry", agent)]);
    request.case = app::load_case(&evidence).unwrap();
    let interrupt = request.work.interrupt.clone();
    request.work.observe = Arc::new(move |event| {
        if matches!(&event, Progress::Tool { tool, .. } if tool == "hash_file") {
            interrupt.interrupt();
        }
    });
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let error = runtime.block_on(app::run(request)).unwrap_err();
    assert!(matches!(error, RunError::Interrupted { .. }), "{error:?}");

    let run = place.only_run();
    let events: Vec<Event> =
        store::Reader::open(&run).unwrap().events().map(|event| event.unwrap().1).collect();
    let Some(Event::InvocationStarted(last)) = events.last() else { panic!("{:?}", events.last()) };
    assert_eq!(last.tool, "hash_file");
    assert!(app::verify(&run).holds());
    let folded = app::load_run(&run).unwrap();
    let task = folded.tasks.values().next().unwrap();
    assert_eq!(task.invocations.iter().map(|call| call.ended.is_some()).collect::<Vec<_>>(), [true, false]);
    for command in ["facts", "report", "rejections"] {
        place.locard_ends(0, &[command, str(&run)]);
    }
    assert_eq!(std::fs::read_dir(place.path("scratch")).unwrap().count(), 0);
}

#[test]
fn a_run_that_is_interrupted_before_its_first_step_records_no_step() {
    let place = Place::new();
    let request = place.request(Rules::default(), vec![("registry", script(vec![]))]);
    request.work.interrupt.interrupt();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let error = runtime.block_on(app::run(request)).unwrap_err();
    assert!(matches!(error, RunError::Interrupted { .. }), "{error:?}");
    let run = place.only_run();
    assert!(app::verify(&run).holds());
    assert!(app::load_run(&run).unwrap().tasks.values().all(|task| task.phases.is_empty()));
}
