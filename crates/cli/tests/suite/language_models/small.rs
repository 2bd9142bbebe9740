//! A small model gets one suggested call at a time, and its claims are judged like those of any other model.

use super::{BOTH, ends, facts, locard, model};
use crate::support::{Place, demo_folder, str};
use serde_json::{Value, json};
use testkit::api::{ApiServer, KEY, Play, Said, Says, Speaks};

/// The last message that the model receives.
fn last(body: &Value) -> String {
    let message = body["messages"].as_array().unwrap().last().unwrap();
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// A model that makes only the calls that are suggested to it.
fn obeys(body: &Value, number: usize) -> Says {
    let told = last(body);
    let call = told.lines().rev().find_map(|line| {
        let (_, call) = line.split_once("next call is ")?;
        serde_json::from_str::<Value>(call).ok()
    });
    match call {
        Some(call) => {
            let (tool, arguments) = (call["name"].as_str().unwrap(), &call["arguments"]);
            Says::new([Said::call(&format!("c{number}"), tool, arguments)])
        }
        None => Says::new([Said::Text("Done.".to_owned())]),
    }
}

#[test]
fn a_small_model_that_does_what_it_is_told_answers_questions_and_says_nothing_false() {
    for speaks in BOTH {
        let place = Place::new();
        let server = ApiServer::start(speaks, "m", |number, body| Play::Say(obeys(body, number))).unwrap();
        let name = model(&server, speaks);
        let demo = demo_folder();
        let arguments = ["run", str(&demo), "--model", &name, "--profile", "small", "--no-sweep"];
        let output = locard(&place, KEY, &arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let run = place.only_run();
        let facts = facts(&place, &run);
        assert!(facts.as_array().unwrap().len() >= 20, "{facts}");
        place.locard_ends(0, &["verify", str(&run)]);
        place.locard_ends(0, &["replay", str(&run)]);
        let score = place.locard_ends(
            0,
            &["score", str(&run), "--truth", str(&demo.join("truth.toml")), "--format", "json"],
        );
        let score: Value = serde_json::from_str(&score).unwrap();
        assert_eq!(score["runs"][0]["figures"]["must_not_claim_violated"], 0, "{score}");
        let first = &server.kept()[0].body;
        let tools = first["tools"].as_array().unwrap();
        assert!(tools.len() <= 10 && first["tools"].to_string().len() < 6_000, "{}", first["tools"]);
    }
}

#[test]
fn a_small_model_that_does_otherwise_is_sent_on_and_comes_back() {
    let place = Place::new();
    super::host(&place);
    let server = ApiServer::start(Speaks::OpenAi, "m", |number, body| {
        let said = match number {
            0 => Says::new([Said::call("c0", "records", &json!({"source": "prefetch"}))]),
            1 => Says::new([Said::call("c1", "timeline", &json!({}))]),
            _ => obeys(body, number),
        };
        Play::Say(said)
    })
    .unwrap();
    let name = model(&server, Speaks::OpenAi);
    ends(&place, 0, &["run", "host", "--model", &name, "--profile", "small", "--no-sweep"]);
    let kept = server.kept();
    let told = |at: usize| last(&kept[at].body).lines().last().unwrap().to_owned();
    assert!(told(0) != told(1) && told(1) != told(2));
    assert!(kept[2].body.to_string().contains("timeline is not offered") && kept.len() > 4);
    assert!(
        facts(&place, &place.only_run())
            .as_array()
            .unwrap()
            .iter()
            .any(|fact| fact.to_string().contains("ALDER-07"))
    );
}
