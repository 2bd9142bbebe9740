//! Language models on local servers: failures, recordings and costs.

mod budgets;
mod recordings;
mod small;
mod troubles;

use crate::support::{Place, demo_file, str, text};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Output;
use testkit::api::{ApiServer, Fault, KEY, Play, Said, Says, Speaks};

const BOTH: [Speaks; 2] = [Speaks::Anthropic, Speaks::OpenAi];
/// The number of shipped agents; each makes the same calls here.
const AGENTS: usize = 7;
const HIVE: &str = "C/Windows/System32/config/SYSTEM";

/// Evidence that contains a computer's name.
fn host(place: &Place) {
    place.file(&format!("host/{HIVE}"), demo_file("Windows/System32/config/SYSTEM"));
}

/// The server's model as named on the command line.
fn model(server: &ApiServer, speaks: Speaks) -> String {
    let dialect = match speaks {
        Speaks::Anthropic => "anthropic",
        Speaks::OpenAi => "openai",
    };
    format!("{dialect}:m@{}", server.base())
}

/// Runs the program with a key.
fn locard(place: &Place, key: &str, arguments: &[&str]) -> Output {
    let mut command = place.command(arguments);
    command.env("ANTHROPIC_API_KEY", key).env("OPENAI_API_KEY", key);
    command.output().unwrap()
}

/// Runs the program with the right key; it must end with `code`. Returns what it printed.
fn ends(place: &Place, code: i32, arguments: &[&str]) -> (String, String) {
    let output = locard(place, KEY, arguments);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "locard {arguments:?}\n{out}\n{err}");
    (out, err)
}

/// The model's next reply: it looks something up, claims something true and something false, and stops.
fn says(body: &Value) -> Says {
    let messages = body["messages"].as_array().unwrap();
    let said = messages.iter().filter(|message| message["role"] == "assistant").count();
    match said {
        0 => Says::new([
            Said::Text("I look for the name.".to_owned()),
            Said::call("look", "records", &json!({"hive": HIVE, "source": "computer_name"})),
        ]),
        1 => {
            let last = messages.last().unwrap().to_string();
            let at = last.find("inv-").unwrap();
            let reading = |name: &str| {
                let key = r"ControlSet001\Control\ComputerName\ComputerName";
                let values = json!({"key_path": key, "name": name});
                let cited = &last[at..at + 12];
                json!({"readings": [{"predicate": "configured", "values": values, "invocation": cited}]})
            };
            Says::new([
                Said::call("true", "record_phenomenon", &reading("ALDER-07")),
                Said::call("false", "record_phenomenon", &reading("ALDER-99")),
            ])
        }
        _ => Says::new([Said::Text("That is all.".to_owned())]),
    }
}

fn healthy(speaks: Speaks) -> ApiServer {
    ApiServer::start(speaks, "m", |_, body| Play::Say(says(body))).unwrap()
}

/// The facts of a run in JSON.
fn facts(place: &Place, run: &Path) -> Value {
    let out = place.locard_ends(0, &["facts", str(run), "--format", "json"]);
    serde_json::from_str::<Value>(&out).unwrap()["facts"].take()
}

/// Whether any file below the folder contains the text.
fn stands_in(folder: &Path, sought: &str) -> bool {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    entries.map(|entry| entry.path()).any(|path| match path.is_dir() {
        true => stands_in(&path, sought),
        false => {
            let bytes = std::fs::read(&path).unwrap();
            bytes.windows(sought.len()).any(|window| window == sought.as_bytes())
        }
    })
}

#[test]
fn a_model_behind_each_api_records_what_is_true_and_nothing_else() {
    for speaks in BOTH {
        let place = Place::new();
        host(&place);
        let server = healthy(speaks);
        let (out, err) = ends(
            &place,
            0,
            &[
                "run",
                "host",
                "--side-by-side",
                "--no-sweep",
                "--model",
                &model(&server, speaks),
                "--price",
                "3,15",
            ],
        );
        assert_eq!(server.broken(), [""; 0]);
        assert!(out.contains(&format!("{AGENTS} facts")), "{out}");
        let line = out.lines().find(|line| line.starts_with("registry: ")).unwrap();
        assert!(
            line.contains(" requests, ") && line.contains(" tokens in (") && line.contains(", $"),
            "{line}"
        );
        assert!(out.lines().any(|line| line.starts_with("all: ")), "{out}");
        let run = place.only_run();
        assert_eq!(facts(&place, &run).as_array().unwrap().len(), AGENTS);
        place.locard_ends(0, &["verify", str(&run)]);
        place.locard_ends(0, &["replay", str(&run)]);
        let rejections = place.locard_ends(0, &["rejections", str(&run)]);
        assert!(rejections.contains("ALDER-99"), "{rejections}");
        let report: Value =
            serde_json::from_str(&place.locard_ends(0, &["report", str(&run), "--format", "json"])).unwrap();
        assert!(report["tasks"][0]["cost"]["micro_dollars"].as_u64().unwrap() > 0, "{}", report["tasks"][0]);
        assert!(place.locard_ends(0, &["report", str(&run)]).contains("as counted by their providers"));
        assert!(!stands_in(&run, KEY) && !format!("{out}{err}").contains(KEY), "a key stays where it is");
    }
}

#[test]
fn faults_of_the_network_lose_nothing() {
    let wait = || vec![("retry-after", "0")];
    let faults = [
        Fault::Status(429, wait(), Some("rate_limit_error")),
        Fault::Status(529, wait(), Some("overloaded_error")),
        Fault::DropMidStream,
        Fault::Garbage,
        Fault::HalfJson,
        Fault::EndEarly,
    ];
    for speaks in BOTH {
        let place = Place::new();
        host(&place);
        let server = healthy(speaks);
        ends(&place, 0, &["run", "host", "--side-by-side", "--no-sweep", "--model", &model(&server, speaks)]);
        let whole = facts(&place, &place.only_run());
        let faults = faults.clone();
        let server = ApiServer::start(speaks, "m", move |number, body| match number % 4 {
            0 => Play::Fail(faults[number / 4 % faults.len()].clone(), says(body)),
            _ => Play::Say(says(body)),
        });
        let server = server.unwrap();
        let (out, _) = ends(
            &place,
            0,
            &[
                "run",
                "host",
                "--side-by-side",
                "--no-sweep",
                "--model",
                &model(&server, speaks),
                "--format",
                "json",
            ],
        );
        assert_eq!(server.broken(), [""; 0]);
        let out: Value = serde_json::from_str(&out).unwrap();
        let result = &out["cases"][0]["result"];
        let tasks = result["tasks"].as_array().unwrap().iter();
        let sum = |name: &str| tasks.clone().map(|task| task["cost"][name].as_u64().unwrap()).sum::<u64>();
        assert_eq!(sum("requests"), server.kept().len() as u64, "every request is accounted for");
        assert!(sum("requests") > sum("turns") && sum("input") > 0);
        let run = place.path(out["cases"][0]["folder"].as_str().unwrap());
        assert_eq!(facts(&place, &run), whole);
        place.locard_ends(0, &["verify", str(&run)]);
    }
}

#[test]
fn a_recorded_agent_goes_on_with_a_language_model_from_a_turn_on() {
    for speaks in BOTH {
        let place = Place::new();
        host(&place);
        place.locard_ends(0, &["run", "host", "--side-by-side", "--no-sweep"]);
        let server = healthy(speaks);
        let branch = ["replay", "latest", "--agent", "registry", "--from-turn", "2", "--price", "1,2"];
        let (out, _) = ends(&place, 0, &[&branch, &["--model", &model(&server, speaks)][..]].concat());
        assert_eq!(server.broken(), [""; 0]);
        assert!(!server.kept().is_empty());
        let costs: Vec<&str> = out.lines().filter(|line| line.contains(" tokens in (")).collect();
        assert!(
            matches!(costs[..], [line] if line.starts_with("registry: ") && line.contains(", $")),
            "{out}"
        );
        place.locard_ends(0, &["verify", "latest"]);
        place.locard_ends(0, &["replay", "latest"]);
    }
}
