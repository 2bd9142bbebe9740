//! Problems that a person has to fix: one sentence, exit code 50, and the run can be resumed later.

use super::{BOTH, HIVE, ends, facts, healthy, host, locard, model, says, stands_in};
use crate::support::{Place, str, text};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use testkit::api::{ApiServer, Fault, KEY, Play, Speaks};

/// Returns the error, which must be one line, and checks that the hint after it says how to resume.
fn told(err: &str) -> &str {
    let lines: Vec<&str> = err.lines().collect();
    let [error, hint] = lines[..] else { panic!("{err}") };
    assert!(hint.starts_with("hint: runs/") && hint.contains("`locard resume` resumes it"), "{hint}");
    error
}

fn went_on(place: &Place) {
    let run = place.only_run();
    place.locard_ends(32, &["verify", str(&run)]);
    ends(place, 0, &["resume", "latest"]);
    assert_eq!(facts(place, &run).as_array().unwrap().len(), super::AGENTS);
    place.locard_ends(0, &["verify", str(&run)]);
}

#[test]
fn a_server_in_trouble_is_told_in_one_sentence_and_the_run_goes_on_once_it_is_well() {
    let after = |seconds| vec![("retry-after", seconds)];
    let faults = [
        (Fault::Status(404, vec![], Some("not_found_error")), "cannot be used: 127.0.0.1:"),
        (Fault::Status(402, vec![], Some("billing_error")), "asks for money"),
        (Fault::DropBefore, "cannot be reached: no connection to 127.0.0.1:"),
        (Fault::Status(529, vec![], Some("overloaded_error")), "answered with status 529"),
        (Fault::Status(429, after("3600"), Some("rate_limit_error")), "answered with status 429"),
        (Fault::WrongContentType, "is not a server of this API"),
        (Fault::OtherJson, "is not a server of this API"),
        (Fault::Status(302, vec![("location", "/elsewhere")], None), "redirects"),
    ];
    for (number, (fault, sentence)) in faults.into_iter().enumerate() {
        let speaks = BOTH[number % 2];
        let place = Place::new();
        host(&place);
        let sick = Arc::new(AtomicBool::new(true));
        let is_sick = Arc::clone(&sick);
        let server = ApiServer::start(speaks, "m", move |number, body| {
            // The server still answers the first few turns.
            match is_sick.load(Ordering::SeqCst) && number > 3 {
                true => Play::Fail(fault.clone(), says(body)),
                false => Play::Say(says(body)),
            }
        });
        let server = server.unwrap();
        let model = model(&server, speaks);
        let (_, err) = ends(
            &place,
            50,
            &["run", "host", "--side-by-side", "--no-sweep", "--quiet", "--model", &model, "--patience", "0"],
        );
        assert!(told(&err).contains(sentence) && told(&err).contains(&model), "{err}");
        sick.store(false, Ordering::SeqCst);
        went_on(&place);
        assert_eq!(server.broken(), [""; 0]);
    }
}

#[test]
fn a_wrong_key_is_told_with_its_variable_and_never_shown() {
    let wrong = "sk-wrong-and-secret-42";
    for (speaks, variable) in [(Speaks::Anthropic, "ANTHROPIC_API_KEY"), (Speaks::OpenAi, "OPENAI_API_KEY")] {
        let place = Place::new();
        host(&place);
        let server = healthy(speaks);
        let output = locard(
            &place,
            wrong,
            &["run", "host", "--side-by-side", "--no-sweep", "--quiet", "--model", &model(&server, speaks)],
        );
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(50), "{err}");
        assert!(told(&err).contains("refuses the key") && told(&err).contains(variable), "{err}");
        assert!(!err.contains(wrong) && !stands_in(&place.only_run(), wrong), "{err}");
        went_on(&place);
    }
}

#[test]
fn a_server_without_tls_or_none_at_all_is_told_in_one_sentence() {
    let place = Place::new();
    host(&place);
    let server = healthy(Speaks::OpenAi);
    let address = server.base();
    let secure = format!("openai:m@{}", address.replace("http://", "https://"));
    let (_, err) =
        ends(&place, 50, &["run", "host", "--side-by-side", "--no-sweep", "--quiet", "--model", &secure]);
    assert!(told(&err).contains("no secure connection to 127.0.0.1:"), "{err}");
    drop(server);
    let (_, err) = ends(
        &place,
        50,
        &[
            "run",
            "host",
            "--side-by-side",
            "--no-sweep",
            "--quiet",
            "--model",
            &format!("openai:m@{address}"),
            "--patience",
            "0",
        ],
    );
    assert!(told(&err).contains("cannot be reached: no connection to 127.0.0.1:"), "{err}");
    let (_, err) = ends(&place, 50, &["resume", "latest", "--quiet", "--patience", "2"]);
    // A person who waits is told the reason once.
    let (note, err) = err.split_once('\n').unwrap();
    assert!(note.starts_with("note: openai:m@") && note.ends_with("; asking again"), "{note}");
    assert!(told(err).contains("cannot be reached"), "{err}");
}

#[test]
fn a_model_that_cannot_be_set_up_is_usage_and_begins_no_run() {
    let place = Place::new();
    host(&place);
    let at = "openai:m@http://127.0.0.1:9/v1";
    let cases: [(&[&str], &str); 9] = [
        (&["--model", "anthropic:m"], "ANTHROPIC_API_KEY"),
        (&["--model", "openai:m"], "OPENAI_API_KEY"),
        (&["--model", "openai:"], "name is missing"),
        (&["--model", "openai:m@http://me:secret@h/v1"], "without name, password"),
        (&["--model", at, "--context-tokens", "4095"], "at least 4096 tokens, found 4095"),
        (&["--model", at, "--max-cost", "1"], "--price INPUT,OUTPUT"),
        (&["--model", at, "--price", "1"], "INPUT,OUTPUT"),
        (&["--model", "playbook", "--price", "1,2"], "--price fits models over a network"),
        (&["--model", "recorded:nothing"], "no folder under runs"),
    ];
    for (arguments, sentence) in cases {
        let output = place.locard(&[&["run", "host", "--side-by-side", "--no-sweep"], arguments].concat());
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.contains(sentence) && !err.contains("secret"), "{err}");
        assert!(!place.path("runs").exists());
    }
    let output =
        locard(&place, "two words", &["run", "host", "--side-by-side", "--no-sweep", "--model", "openai:m"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!text(&output.stderr).contains("two words"), "{}", text(&output.stderr));
}

#[test]
fn a_run_does_not_go_on_without_its_key() {
    let place = Place::new();
    host(&place);
    let server = healthy(Speaks::Anthropic);
    let model = model(&server, Speaks::Anthropic);
    let output = locard(
        &place,
        "wrong",
        &["run", "host", "--side-by-side", "--no-sweep", "--quiet", "--model", &model],
    );
    assert_eq!(output.status.code(), Some(50));
    let output = locard(&place, "two words", &["resume", "latest"]);
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("ANTHROPIC_API_KEY") && !err.contains("two words"), "{err}");
    let output = locard(&place, KEY, &["resume", "latest"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn a_request_that_no_repetition_heals_ends_its_agent_with_the_reason() {
    let place = Place::new();
    host(&place);
    let server = ApiServer::start(Speaks::OpenAi, "m", |number, body| match number {
        0 => Play::Fail(Fault::Status(400, vec![], Some("invalid_request_error")), says(body)),
        _ => Play::Say(says(body)),
    });
    let server = server.unwrap();
    let (out, _) = ends(
        &place,
        50,
        &["run", "host", "--side-by-side", "--no-sweep", "--model", &model(&server, Speaks::OpenAi)],
    );
    let reason = "gave no usable reply: 127.0.0.1:";
    assert!(out.lines().any(|line| line.starts_with("  because: ") && line.contains(reason)), "{out}");
    assert!(
        out.contains("sealed runs/") && out.contains("6 facts"),
        "the other agents are not touched: {out}"
    );
    assert!(place.locard_ends(0, &["report", "latest"]).contains("as the script wants it"));
}

#[test]
fn the_log_tells_of_requests_and_holds_no_key_and_no_word_that_was_sent() {
    for speaks in BOTH {
        let place = Place::new();
        host(&place);
        let server = ApiServer::start(speaks, "m", |number, body| match number {
            0 => Play::Fail(
                Fault::Status(503, vec![("retry-after", "0")], Some("overloaded_error")),
                says(body),
            ),
            _ => Play::Say(says(body)),
        })
        .unwrap();
        let mut command = place.command(&[
            "run",
            "host",
            "--side-by-side",
            "--no-sweep",
            "--model",
            &model(&server, speaks),
            "--log",
            "a.jsonl",
        ]);
        command
            .env("ANTHROPIC_API_KEY", KEY)
            .env("OPENAI_API_KEY", KEY)
            .env("LOCARD_LOG", "llm=trace,sandbox=trace");
        let output = command.output().unwrap();
        let log = std::fs::read_to_string(place.path("a.jsonl")).unwrap();
        let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let of = |message: &str| lines.iter().filter(|line| line["message"] == message).collect::<Vec<_>>();
        let (failed, answered) = (of("request failed"), of("request answered"));
        assert!(!answered.is_empty(), "{log}{}", text(&output.stderr));
        assert!(answered.iter().all(|line| line["input"].is_u64() && line["milliseconds"].is_u64()));
        assert_eq!((failed[0]["status"].as_u64(), &failed[0]["error"]), (Some(503), &json!("status")));
        assert!(failed[0]["again"].is_u64());
        for secret in [KEY, "ALDER", HIVE, "I look for the name"] {
            assert!(!log.contains(secret), "{secret}");
        }
    }
}
