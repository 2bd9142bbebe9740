//! Tests of the token count: its rules, the cache, and the context limit.

use super::wire::{BOTH, post};
use serde_json::{Value, json};
use testkit::api::{ApiServer, Limits, Play, Said, Says, Speaks, tokens};

fn words(count: usize) -> String {
    (0..count).map(|n| format!("word{} ", n % 7)).collect()
}

/// Builds a conversation with this many turns, with cache marks like a client's.
fn body(speaks: Speaks, turns: usize, system: &str) -> Value {
    let mark = json!({"type": "ephemeral"});
    let said = |n: usize| format!("{n}: {}", words(200));
    match speaks {
        Speaks::Anthropic => {
            let message = |n: usize| {
                let role = if n.is_multiple_of(2) { "user" } else { "assistant" };
                json!({"role": role, "content": [{"type": "text", "text": said(n)}]})
            };
            let mut messages: Vec<_> = (0..turns * 2 - 1).map(message).collect();
            messages.last_mut().unwrap()["content"][0]["cache_control"] = mark.clone();
            let system = json!([{"type": "text", "text": system, "cache_control": mark}]);
            json!({"model": "m", "max_tokens": 100, "system": system, "messages": messages})
        }
        Speaks::OpenAi => {
            let message = |n: usize| {
                let role = if n.is_multiple_of(2) { "user" } else { "assistant" };
                json!({"role": role, "content": said(n)})
            };
            let system = json!({"role": "system", "content": system});
            let messages: Vec<_> = std::iter::once(system).chain((0..turns * 2 - 1).map(message)).collect();
            json!({"model": "m", "max_tokens": 100, "messages": messages})
        }
    }
}

fn server(speaks: Speaks, context: Option<u64>) -> ApiServer {
    let script = |_: usize, _: &Value| Play::SayWhole(Says::new([Said::Text("Done.".into())]));
    ApiServer::start_with(speaks, "m", Limits { context }, script).unwrap()
}

#[test]
fn what_was_sent_before_is_counted_as_cached_and_what_is_marked_as_written() {
    for speaks in BOTH {
        let server = server(speaks, None);
        for turns in [1, 2, 3] {
            assert_eq!(post(&server, speaks, &body(speaks, turns, &words(2000))).0, 200);
        }
        let kept = server.kept();
        let [first, second, third] = [0, 1, 2].map(|at| kept[at].measured);
        assert_eq!(first.cached, 0);
        assert!(second.cached > 1_024 && third.cached > second.cached, "{second:?} {third:?}");
        assert!(second.cached <= first.input && third.cached <= second.input);
        let said = |at: usize| post(&server, speaks, &kept[at].body).1["usage"].clone();
        match speaks {
            Speaks::Anthropic => {
                assert_eq!(third.cached, second.cached + second.cache_written);
                let (usage, measured) = (said(2), server.kept()[3].measured);
                let plain = measured.input - measured.cached - measured.cache_written;
                assert_eq!(usage["input_tokens"], plain);
                assert_eq!(
                    (&usage["cache_read_input_tokens"], &usage["cache_creation_input_tokens"]),
                    (&json!(measured.cached), &json!(0))
                );
            }
            Speaks::OpenAi => {
                let usage = said(2);
                assert_eq!(usage["prompt_tokens"], third.input);
                let cached = usage["prompt_tokens_details"]["cached_tokens"].as_u64().unwrap();
                assert!(cached.is_multiple_of(128) && cached > third.input - 128);
            }
        }
        assert_eq!(first.input, tokens(speaks, &kept[0].body));
    }
}

#[test]
fn a_changed_beginning_is_not_cached_nor_is_one_that_is_short_or_not_marked() {
    for speaks in BOTH {
        let server = server(speaks, None);
        let sent = |body: &Value| {
            assert_eq!(post(&server, speaks, body).0, 200);
            server.kept().pop().unwrap().measured
        };
        sent(&body(speaks, 2, &words(2000)));
        assert_eq!(sent(&body(speaks, 2, &format!("A {}", words(2000)))).cached, 0);
        let mut short = body(speaks, 1, "short");
        short["messages"][if speaks == Speaks::Anthropic { 0 } else { 1 }]["content"] = match speaks {
            Speaks::Anthropic => {
                json!([{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}])
            }
            Speaks::OpenAi => json!("x"),
        };
        sent(&short);
        let again = sent(&short);
        assert_eq!((again.cached, again.cache_written), (0, 0));
    }
    let server = server(Speaks::Anthropic, None);
    let mut unmarked = body(Speaks::Anthropic, 1, &words(2000));
    unmarked["system"] = json!([{"type": "text", "text": words(2000)}]);
    unmarked["messages"][0]["content"] = json!([{"type": "text", "text": "x"}]);
    for _ in 0..2 {
        post(&server, Speaks::Anthropic, &unmarked);
        let measured = server.kept().pop().unwrap().measured;
        assert_eq!((measured.cached, measured.cache_written), (0, 0));
    }
}

#[test]
fn a_request_that_leaves_no_room_for_its_reply_is_refused_as_the_provider_would() {
    for speaks in BOTH {
        let whole = body(speaks, 1, "short");
        let count = tokens(speaks, &whole);
        for (context, fits) in [(count + 100, true), (count + 99, false), (count, false), (count - 1, false)]
        {
            let server = server(speaks, Some(context));
            let (status, said) = post(&server, speaks, &whole);
            assert_eq!(status, if fits { 200 } else { 400 });
            let message = said["error"]["message"].as_str().unwrap_or_default();
            match (fits, speaks) {
                (true, _) => assert_eq!(server.broken(), [""; 0]),
                (false, Speaks::Anthropic) if context < count => {
                    assert_eq!(message, format!("prompt is too long: {count} tokens > {context} maximum"));
                }
                (false, Speaks::Anthropic) => {
                    let told = format!("exceed context limit: {count} + 100 > {context}, decrease");
                    assert!(message.contains(&told), "{message}");
                }
                (false, Speaks::OpenAi) => {
                    assert!(message.contains(&format!("requested {} tokens", count + 100)), "{message}");
                    assert_eq!(said["error"]["code"], "context_length_exceeded");
                }
            }
            if !fits {
                assert_eq!(said["error"]["type"], "invalid_request_error");
            }
        }
    }
}
