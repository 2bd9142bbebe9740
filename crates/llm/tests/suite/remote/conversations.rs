//! Tasks of several turns.

use super::world::{BOTH, Talk, begun, calls, ids, says, settings, world, world_with};
use ledger::Usage;
use ledger::turn::{Message, ReplyBlock, UserBlock};
use llm::api::Settings;
use llm::{Model, ModelError};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::api::{Measured, Play, Said, Says, Speaks};

#[tokio::test]
async fn a_task_goes_on_over_parallel_and_refused_calls_to_its_end() {
    for speaks in BOTH {
        let world = world(speaks, |number, _| match number {
            0 => calls(&["a", "b", "c"]),
            1 => Play::Say(Says::new([
                Said::Text("Two more.".into()),
                Said::call("d", "find_files", &json!({})),
                Said::Call { id: "e".into(), tool: "no such/tool".into(), arguments: "{\"path\": ".into() },
            ])),
            2 => Play::SayWhole(Says::new([Said::call("f", "parse_file", &json!({"path": "x"}))])),
            _ => says("Done."),
        });
        let (mut model, mut talk) = (world.provider.model(), begun());
        for (turn, count) in [3, 2, 1, 0].into_iter().enumerate() {
            let reply = talk.ask(&mut model).await.unwrap();
            assert_eq!(reply.calls().count(), count, "{speaks:?}, turn {turn}");
            if turn == 0 {
                assert_eq!(reply.calls().last().unwrap().arguments, json!({"path": "C:\\\u{e9}\u{1f600}"}));
            }
            talk.answer(&reply, if turn == 1 { "Record now." } else { "" });
        }
        assert_eq!(talk.messages.len(), 9);
        assert_eq!(world.server.broken(), [""; 0], "{speaks:?}");
        assert_eq!(world.server.kept().len(), 4);
    }
}

#[tokio::test]
async fn what_was_wrong_with_arguments_is_told_with_the_refusal() {
    for speaks in BOTH {
        let world = world(speaks, |number, _| match number {
            0 => Play::Say(Says::new([Said::Call {
                id: "a".into(),
                tool: "find_files".into(),
                arguments: "{\"path\": \"C:".into(),
            }])),
            _ => says("Done."),
        });
        let (mut model, mut talk) = (world.provider.model(), begun());
        let reply = talk.ask(&mut model).await.unwrap();
        talk.answer(&reply, "");
        talk.ask(&mut model).await.unwrap();
        let sent = world.server.kept()[1].body.to_string();
        assert!(sent.contains("found one that is cut off"), "{sent}");
        assert_eq!(sent.contains("\"is_error\":true"), speaks == Speaks::Anthropic);
        assert_eq!(world.server.broken(), [""; 0]);
    }
}

/// In an order that is not ours, and with a number that we would write differently.
const ARGUMENTS: &str = r#"{"path": "b", "b": 1.5e3, "a": []}"#;

#[tokio::test]
async fn thinking_goes_back_as_it_came() {
    let settings =
        Settings { thinking: Some(json!({"type": "enabled", "budget_tokens": 2048})), ..settings() };
    let world = world_with(Speaks::Anthropic, settings, |number, _| {
        let thinking =
            Said::Thinking(" \u{1f600}\\u0041 \"a\"\n</x>\u{2028}1.0".into(), format!("c2ln{number}+/=="));
        let call = Said::Call {
            id: format!("toolu_{number}"),
            tool: "find_files".into(),
            arguments: ARGUMENTS.into(),
        };
        Play::Say(Says::new(match number {
            0 => vec![thinking, Said::Text("I look.".into()), call],
            1 => vec![Said::Redacted("EroB\u{e9}".into()), thinking, call],
            2 => vec![Said::Thinking(String::new(), "only a signature".into()), call],
            _ => vec![thinking, Said::Text("Done.".into())],
        }))
    });
    let (mut model, mut talk) = (world.provider.model(), begun());
    for _ in 0..4 {
        let reply = talk.ask(&mut model).await.unwrap();
        talk.answer(&reply, "");
    }
    assert_eq!(world.server.broken(), [""; 0]);
    let last = world.server.kept().pop().unwrap();
    assert_eq!(last.body["messages"][1]["content"][0]["signature"], "c2ln0+/==");
    // Arguments go back in exactly the bytes in which they came.
    let body = &last.request.body;
    assert!(body.contains(&format!("\"input\":{ARGUMENTS}")), "{body}");
}

#[tokio::test]
async fn reasoning_and_what_else_a_server_wants_back_goes_with_the_calls() {
    let world = world(Speaks::OpenAi, |number, _| match number {
        0 => Play::Say(Says::new([
            Said::Thinking("Let me see \u{e9}".into(), String::new()),
            Said::call("a", "find_files", &json!({})),
        ])),
        _ => Play::Say(Says::new([
            Said::Thinking("Now I know".into(), String::new()),
            Said::Text("Done.".into()),
        ])),
    });
    let (mut model, mut talk) = (world.provider.model(), begun());
    for _ in 0..3 {
        let reply = talk.ask(&mut model).await.unwrap();
        talk.answer(&reply, "Go on.");
    }
    let messages = world.server.kept()[2].body["messages"].clone();
    assert_eq!(messages[2]["reasoning_content"], "Let me see \u{e9}");
    assert_eq!(messages[2]["tool_calls"][0]["extra_content"], json!({"of": "a"}));
    assert_eq!(messages[2]["content"], Value::Null);
    assert_eq!(messages[5], json!({"role": "assistant", "content": "Done."}));
    assert_eq!(world.server.broken(), [""; 0]);
}

#[tokio::test]
async fn a_resumed_task_is_asked_as_if_it_had_never_stopped() {
    for speaks in BOTH {
        let world = world(speaks, |number, _| match number {
            0 => Play::Say(Says::new([
                Said::Thinking("hm".into(), "sig".into()),
                Said::Text("I look.".into()),
                Said::call("a", "find_files", &json!({"path": "x"})),
            ])),
            _ => says("Done."),
        });
        let (mut model, mut talk) = (world.provider.model(), begun());
        let reply = talk.ask(&mut model).await.unwrap();
        talk.answer(&reply, "");
        let mut resumed = Talk { messages: talk.messages.clone(), turn: talk.turn };
        talk.ask(&mut model).await.unwrap();
        resumed.ask(&mut world.provider.model()).await.unwrap();
        let kept = world.server.kept();
        assert_eq!(kept[1].request.body, kept[2].request.body);
        assert_eq!(world.server.broken(), [""; 0]);
    }
}

#[tokio::test]
async fn what_another_provider_said_or_the_engine_renamed_is_built_from_the_record() {
    for speaks in BOTH {
        let world = world(speaks, |number, _| if number == 0 { calls(&["a"]) } else { says("Done.") });
        let mut talk = begun();
        let reply = talk.ask(&mut world.provider.model()).await.unwrap();
        talk.answer(&reply, "");
        let Some(Message::Assistant(blocks)) = talk.messages.get(1).map(AsRef::as_ref) else { panic!() };
        let change = |provider: Option<&str>, id: &str| {
            let mut blocks = blocks.clone();
            for block in &mut blocks {
                match block {
                    ReplyBlock::Call(call) => call.call.0 = id.into(),
                    ReplyBlock::Verbatim { provider: said, .. } => {
                        provider.unwrap_or(said).to_owned().clone_into(said);
                    }
                    ReplyBlock::Text { .. } => {}
                }
            }
            Arc::new(Message::Assistant(blocks))
        };
        for (provider, id) in [(None, "renamed"), (Some("another"), "a")] {
            let mut other = begun();
            let mut said = reply.clone();
            other.messages.push(change(provider, id));
            if let Some(ReplyBlock::Call(call)) = said.blocks.first_mut() {
                call.call.0 = id.into();
            }
            other.answer(&said, "");
            other.ask(&mut world.provider.model()).await.unwrap();
            let sent = world.server.kept().pop().unwrap().body;
            assert!(sent["messages"].to_string().contains(&format!("\"id\":\"{id}\"")), "{sent}");
        }
        assert_eq!(world.server.broken(), [""; 0]);
    }
}

#[tokio::test]
async fn ids_of_calls_are_the_tasks_own() {
    for speaks in BOTH {
        let ids_used = ["x", "x", "a b", ""];
        let world = world(speaks, move |number, _| match number {
            0 | 1 => calls(&ids_used),
            _ => says("Done."),
        });
        let (mut model, mut talk) = (world.provider.model(), begun());
        let mut all = Vec::new();
        for _ in 0..3 {
            let reply = talk.ask(&mut model).await.unwrap();
            all.extend(ids(&reply));
            talk.answer(&reply, "");
        }
        assert_eq!(world.server.broken(), [""; 0]);
        assert_eq!(all[0].0, "x");
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!((all.len(), count), (8, 8));
    }
}

#[tokio::test]
async fn an_id_of_a_turn_that_is_no_longer_shown_is_taken() {
    for speaks in BOTH {
        let world = world(speaks, |_, _| calls(&["x"]));
        let (mut model, mut talk) = (world.provider.model(), begun());
        let first = talk.ask(&mut model).await.unwrap();
        talk.answer(&first, "");
        talk.messages.drain(..2);
        talk.messages[0] = Arc::new(Message::User(vec![UserBlock::Text { text: "Go on.".into() }]));
        let second = talk.ask(&mut model).await.unwrap();
        assert!(ids(&first)[0].0 == "x" && ids(&second)[0].0 != "x", "{second:?}");
        assert_eq!(world.server.broken(), [""; 0]);
    }
}

#[tokio::test]
async fn a_model_that_answers_results_with_nothing_is_told_once_to_go_on() {
    for speaks in BOTH {
        let world = world(speaks, |number, _| match number {
            0 => calls(&["a"]),
            2 => says("Done."),
            _ => Play::Say(Says::new([Said::Text(" \n".into())])),
        });
        let (mut model, mut talk) = (world.provider.model(), begun());
        let reply = talk.ask(&mut model).await.unwrap();
        talk.answer(&reply, "");
        let reply = talk.ask(&mut model).await.unwrap();
        assert_eq!(reply.blocks[0], ReplyBlock::Text { text: "Done.".into() });
        assert_eq!(model.last_exchange().unwrap().attempts, 2);
        talk.answer(&reply, "Really?");
        // After a second silence, it stays silent.
        assert_eq!(talk.ask(&mut model).await.unwrap().blocks, []);
        talk.answer(&reply, "Well then.");
        talk.ask(&mut model).await.unwrap();
        assert_eq!(world.server.broken(), [""; 0]);
        assert!(world.server.kept()[2].body.to_string().contains("say in words that you have finished"));
    }
}

#[tokio::test]
async fn a_call_written_as_text_is_a_call() {
    let text = "I will look.\n```json\n{\"name\": \"find_files\", \"arguments\": {\"path\": \"x\",}}\n```";
    let world = world(Speaks::OpenAi, move |number, _| match number {
        0 => says(text),
        _ => says("Done."),
    });
    let (mut model, mut talk) = (world.provider.model(), begun());
    let reply = talk.ask(&mut model).await.unwrap();
    let call = reply.calls().next().unwrap();
    assert_eq!((call.tool.as_str(), &call.arguments), ("find_files", &json!({"path": "x"})));
    talk.answer(&reply, "");
    talk.ask(&mut model).await.unwrap();
    assert_eq!(world.server.broken(), [""; 0]);
}

#[tokio::test]
async fn the_prefix_of_a_request_stays_and_is_marked_for_the_cache() {
    let world = world(Speaks::Anthropic, |number, _| match number {
        0..4 => calls(
            &(0..16)
                .map(|n| format!("c{number}-{n}"))
                .collect::<Vec<_>>()
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>(),
        ),
        _ => says("Done."),
    });
    let (mut model, mut talk) = (world.provider.model(), begun());
    for _ in 0..5 {
        let reply = talk.ask(&mut model).await.unwrap();
        talk.answer(&reply, "");
    }
    assert_eq!(world.server.broken(), [""; 0]);
    let kept = world.server.kept();
    for pair in kept.windows(2) {
        let mark = "\"cache_control\":{\"type\":\"ephemeral\"}";
        // Whether members keep their order is a feature of `serde_json` that any crate may enable.
        let plain = |value: &Value| {
            value.to_string().replace(&format!("{mark},"), "").replace(&format!(",{mark}"), "")
        };
        let earlier = plain(&pair[0].body["messages"]);
        assert!(plain(&pair[1].body["messages"]).starts_with(earlier.trim_end_matches(']')));
        assert_eq!(pair[0].body["tools"], pair[1].body["tools"]);
    }
    let last = &kept[4].body;
    let marked = |block: &Value| block.get("cache_control").is_some();
    assert!(marked(&last["tools"][1]) && marked(&last["system"][0]));
    let blocks: Vec<_> =
        last["messages"].as_array().unwrap().iter().flat_map(|m| m["content"].as_array().unwrap()).collect();
    let places: Vec<_> = (0..blocks.len()).filter(|at| marked(blocks[blocks.len() - 1 - at])).collect();
    assert_eq!(places, [0, 15]);
}

#[tokio::test]
async fn usage_and_the_digest_of_the_request_stand_beside_the_reply() {
    for speaks in BOTH {
        let world = world(speaks, |_, _| says("Done."));
        let (mut model, mut talk) = (world.provider.model(), begun());
        assert!(model.is_paid() && model.last_exchange().is_none());
        talk.ask(&mut model).await.unwrap();
        talk.say(vec![UserBlock::Text { text: "word ".repeat(2_000) }]);
        talk.ask(&mut model).await.unwrap();
        talk.say(vec![UserBlock::Text { text: "And?".into() }]);
        talk.ask(&mut model).await.unwrap();
        let exchange = model.last_exchange().unwrap();
        let Measured { input, cached, cache_written, output } = world.server.kept()[2].measured;
        assert!(cached > 1_000 && output > 0 && (cache_written > 0) == (speaks == Speaks::Anthropic));
        assert_eq!(exchange.usage, Usage { input, cached, cache_written, output });
        assert_eq!(exchange.sent, Some(input));
        assert_eq!(exchange.request_id.as_deref(), Some("req-test"));
        let body = world.server.kept()[2].request.body.clone();
        assert_eq!(exchange.request, ledger::Digest::of(body.as_bytes()));
    }
}

#[tokio::test]
async fn a_conversation_of_ours_that_breaks_a_rule_is_not_sent() {
    for speaks in BOTH {
        let world = world(speaks, |_, _| calls(&["a", "b"]));
        let (mut model, mut talk) = (world.provider.model(), begun());
        talk.ask(&mut model).await.unwrap();
        talk.messages.push(Arc::new(Message::User(vec![UserBlock::Text { text: "And?".into() }])));
        let error = talk.ask(&mut model).await.unwrap_err();
        assert!(matches!(error, ModelError::NoReply { .. }));
        assert!(error.to_string().contains("the call a of turn 1 is not answered in the next"), "{error}");
        assert_eq!(world.server.kept().len(), 1);
    }
}
