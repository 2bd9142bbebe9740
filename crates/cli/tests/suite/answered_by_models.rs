//! `locard ask --model` and `locard console --model`: a language model looks for what code cannot answer.

use crate::support::{Place, demo_folder, rechained, str, text};
use ledger::Event;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use testkit::api::{ApiServer, Fault, KEY, Play, Said, Says, Speaks};

/// A question that the grammar does not understand.
pub(crate) const QUESTION: &str = "Under which moniker does this box introduce itself to its peers?";
const HIVE: &str = "p1/Windows/System32/config/SYSTEM";

/// Looks up the computer's name, records it with a true and a false claim, and stops.
pub(crate) fn says(body: &Value) -> Says {
    let messages = body["messages"].as_array().unwrap();
    // Of several questions in one run each is a conversation of its own.
    let said = messages.iter().filter(|message| message["role"] == "assistant").count();
    match said {
        0 => {
            let arguments = json!({"evidence": "alder-07", "hive": HIVE, "source": "computer_name"});
            Says::new([Said::call("look", "records", &arguments)])
        }
        1 => {
            let last = messages.last().unwrap().to_string();
            let at = last.find("inv-").unwrap();
            let claim = |name: &str| {
                let key = r"ControlSet001\Control\ComputerName\ComputerName";
                let values = json!({"key_path": key, "name": name});
                let cited = &last[at..at + 12];
                json!({"readings": [{"predicate": "configured", "values": values, "invocation": cited}]})
            };
            Says::new([
                Said::call("true", "record_phenomenon", &claim("ALDER-07")),
                Said::call("false", "record_phenomenon", &claim("ALDER-99")),
            ])
        }
        _ => Says::new([Said::Text("The box is called ALDER-99, and its owner is guilty.".to_owned())]),
    }
}

fn server(play: impl FnMut(usize, &Value) -> Play + Send + 'static) -> ApiServer {
    ApiServer::start(Speaks::OpenAi, "m", play).unwrap()
}

fn command(place: &Place, server: &ApiServer, arguments: &[&str]) -> Command {
    let model = format!("openai:m@{}", server.base());
    let more =
        ["--model", &model, "--cache", "cache", "--integrity", "stat", "--no-head-log", "--patience", "0"];
    let mut command = place.command(&[arguments, &more].concat());
    command.env("OPENAI_API_KEY", KEY).env("XDG_STATE_HOME", place.path("state"));
    command
}

fn asked(place: &Place, server: &ApiServer, code: i32, of: &str, question: &str) -> Value {
    let output = command(place, server, &["ask", of, question, "--format", "json"]).output().unwrap();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{out}\n{err}");
    serde_json::from_str(&out).unwrap()
}

fn verifies_and_replays(place: &Place, run: &str) {
    place.locard_ends(0, &["verify", run, "--no-head-log"]);
    place.locard_ends(0, &["replay", run]);
}

#[test]
fn a_model_answers_what_code_cannot_and_its_answer_is_what_was_recorded() {
    let place = Place::new();
    let server = server(|_, body| Play::Say(says(body)));
    let answer = asked(&place, &server, 0, str(&demo_folder()), QUESTION);
    assert_eq!(
        (&answer["answer"], answer["cited"].as_array().unwrap().len()),
        (&"values".into(), 1),
        "{answer:#}"
    );
    assert_eq!(answer["cited"][0]["values"]["name"], "ALDER-07", "{answer:#}");
    assert!(answer["model"].as_str().unwrap().starts_with("openai:m"), "{answer:#}");
    let printed = answer.to_string();
    assert!(!printed.contains("ALDER-99") && !printed.contains("guilty"), "{printed}");
    let run = answer["run"].as_str().unwrap();
    verifies_and_replays(&place, run);
    let loaded = app::load_run(&place.path(run)).unwrap();
    let task = loaded.tasks.values().next().unwrap();
    assert_eq!((loaded.tasks.len(), loaded.opened.asked.len(), task.claims.len()), (1, 0, 2));
    assert_eq!(task.assigned.asked.as_ref().unwrap().question, QUESTION);

    // Of the sealed run it is a branch with one task more.
    let question = "By what handle is this machine known among its neighbours?";
    let other = asked(&place, &server, 0, run, question);
    let branch = other["run"].as_str().unwrap();
    assert_ne!(branch, run);
    verifies_and_replays(&place, branch);
    assert_eq!(app::load_run(&place.path(branch)).unwrap().tasks.len(), 2);
    assert_eq!(server.broken(), Vec::<String>::new());
}

#[test]
fn a_model_is_asked_only_for_what_evidence_could_tell_and_code_does_not_know() {
    let place = Place::new();
    let server = server(|_, _| Play::Say(Says::new([Said::Text("I do not know.".to_owned())])));
    let demo = demo_folder();
    let yes = asked(&place, &server, 0, str(&demo), "Was the Security log cleared?");
    assert_eq!((&yes["answer"], &yes["model"]), (&"yes".into(), &Value::Null), "{yes:#}");
    for question in ["Did mara want to hide something?", "Was setup.exe run on 03/04/2025?"] {
        let answer = asked(&place, &server, 26, str(&demo), question);
        assert_eq!(answer["model"], Value::Null, "{answer:#}");
    }
    assert_eq!(server.kept().len(), 0);
    let answer = asked(&place, &server, 26, str(&demo), QUESTION);
    assert_eq!((&answer["answer"], &answer["reason"]), (&"not_determinable".into(), &"not_recorded".into()));
    assert!(answer["notes"][0].as_str().unwrap().contains("recorded nothing"), "{answer:#}");
    assert!(!server.kept().is_empty());
    verifies_and_replays(&place, answer["run"].as_str().unwrap());
}

#[test]
fn a_question_whose_records_are_known_is_an_objective_that_sets_off_recovery() {
    let place = Place::new();
    let server = server(|_, _| Play::Say(Says::new([Said::Text("Nothing.".to_owned())])));
    let answer =
        asked(&place, &server, 26, str(&demo_folder()), "At what time did mara type the Copy-Item command?");
    let run = answer["run"].as_str().unwrap();
    verifies_and_replays(&place, run);
    let loaded = app::load_run(&place.path(run)).unwrap();
    let task = loaded.tasks.values().next().unwrap();
    let objective = &task.assigned.agent.objectives[0];
    assert!(objective.ways().any(|way| way.condition.record == "typed_command"), "{objective:#?}");
    assert!(!task.recoveries.is_empty(), "an unanswered objective is tried in other ways");
}

#[test]
fn a_run_whose_model_failed_is_resumed_and_one_with_rows_for_a_model_is_refused() {
    let place = Place::new();
    let server = server(|number, body| match number {
        0 => Play::Fail(Fault::Status(503, Vec::new(), None), says(body)),
        _ => Play::Say(says(body)),
    });
    let output = command(&place, &server, &["ask", str(&demo_folder()), QUESTION]).output().unwrap();
    assert!(!matches!(output.status.code(), Some(0 | 26)), "{output:?}");
    let folder = place.only_run();
    place.locard_ends(32, &["verify", str(&folder), "--no-head-log"]);
    let mut resume =
        place.command(&["resume", str(&folder), "--no-head-log", "--no-memory", "--integrity", "stat"]);
    let output = resume.env("OPENAI_API_KEY", KEY).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    verifies_and_replays(&place, str(&folder));
    let run = app::load_run(&folder).unwrap();
    assert_eq!(run.facts().count(), 1);
    let changed = rechained(&place, &folder, "changed", |log| {
        for (_, event, ..) in log.iter_mut() {
            if let Event::TaskAssigned(assigned) = event {
                let asked = assigned.asked.as_mut().unwrap();
                let (record, evidence) = ("computer_name".to_owned(), "alder-07".to_owned());
                asked.rows.push(ledger::AskedRows { record, evidence, rows: vec![1], fields: Vec::new() });
            }
        }
    });
    let told = place.locard_ends(33, &["verify", str(&changed), "--no-head-log"]);
    assert!(told.contains("its question names rows"), "{told}");
}

/// Lists the typed commands, records one, and stops.
fn says_a_command(body: &Value) -> Says {
    let messages = body["messages"].as_array().unwrap();
    match messages.iter().filter(|message| message["role"] == "assistant").count() {
        0 => Says::new([Said::call("look", "records", &json!({"record": "typed_command"}))]),
        1 => {
            let last = messages.last().unwrap().to_string();
            let at = last.find("inv-").unwrap();
            let reading = json!({
                "predicate": "typed", "values": {"command": "gpupdate /force"}, "invocation": &last[at..at + 12],
            });
            Says::new([Said::call("record", "record_phenomenon", &json!({"readings": [reading]}))])
        }
        _ => Says::new([Said::Text("Done.".to_owned())]),
    }
}

#[test]
fn what_worked_for_a_question_is_recalled_for_the_next_model_that_is_asked() {
    let place = Place::new();
    let server = server(|_, body| Play::Say(says_a_command(body)));
    let memory = place.path("memory");
    let ask = |question: &str| {
        let demo = demo_folder();
        let more = ["ask", str(&demo), question, "--memory", str(&memory)];
        let output = command(&place, &server, &more).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
    };
    ask("At what time did mara type the Copy-Item command?");
    let lessons = place.locard_ends(0, &["memory", "list", "--memory", str(&memory)]);
    assert!(lessons.contains("records(record=typed_command)"), "{lessons}");
    ask("At what time did it-admin type the gpupdate command?");
    let told =
        server.kept().iter().filter(|kept| kept.body.to_string().contains("SHOULD PREFER records")).count();
    assert!(told >= 3, "{told}");
    verifies_and_replays(&place, "latest");
}

#[test]
fn in_a_console_ctrl_c_ends_a_model_that_does_not_answer_and_nothing_of_it_is_printed() {
    let place = Place::new();
    let server = server(|number, body| match number {
        0 => Play::Fail(Fault::Stall, says(body)),
        _ => Play::Say(says(body)),
    });
    let mut child = command(&place, &server, &["console", str(&demo_folder())])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    writeln!(input, "{QUESTION}").unwrap();
    lines.find(|line| line.contains("> Under which")).unwrap();
    while server.kept().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    crate::console::send("INT", &[child.id()]);
    writeln!(input, "Was the Security log cleared?\n{QUESTION}").unwrap();
    drop(input);
    let printed: Vec<String> = lines.collect();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{printed:#?}");
    assert_eq!(printed[0], "> Was the Security log cleared?", "{printed:#?}");
    assert!(printed.iter().any(|line| line.contains("ALDER-07")), "{printed:#?}");
    let run = app::load_run(&place.only_run()).unwrap();
    let of_code = run.tasks.values().filter(|view| view.assigned.ask).count();
    assert_eq!((run.tasks.len(), of_code), (3, 1));
    verifies_and_replays(&place, str(&place.only_run()));
}
