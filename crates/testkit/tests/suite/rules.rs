//! Tests of each rule, broken by one change to a valid request.

use super::wire::{BOTH, post};
use serde_json::{Value, json};
use testkit::api::{ApiServer, Play, Said, Says, Speaks, check};

fn thinking() -> Value {
    json!({"type": "thinking", "thinking": "hm", "signature": "c2ln"})
}

fn anthropic() -> Value {
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "find", "input": {"a": 1}});
    let result = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": "nothing"});
    json!({
        "model": "m", "max_tokens": 4096, "stream": false,
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "system": [{"type": "text", "text": "You look.", "cache_control": {"type": "ephemeral"}}],
        "tools": [
            {"name": "find", "description": "finds", "input_schema": {"type": "object"}},
            {"name": "read", "description": "reads", "input_schema": {"type": "object"}},
        ],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Look."}]},
            {"role": "assistant", "content": [thinking(), {"type": "text", "text": "I look."}, call("a"), call("b")]},
            {"role": "user", "content": [result("b"), result("a"), {"type": "text", "text": "Go on."}]},
        ],
    })
}

fn openai() -> Value {
    let call = |id: &str| json!({"type": "function", "id": id, "function": {"name": "find", "arguments": "{\"a\":1}"}});
    let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "nothing"});
    let tool = |name: &str| json!({"type": "function", "function": {"name": name, "description": "x", "parameters": {"type": "object"}}});
    json!({
        "model": "m", "max_tokens": 4096, "stream": true, "stream_options": {"include_usage": true},
        "tools": [tool("find"), tool("read")],
        "messages": [
            {"role": "system", "content": "You look."},
            {"role": "user", "content": "Look."},
            {"role": "assistant", "content": null, "tool_calls": [call("a"), call("b")]},
            result("b"), result("a"),
            {"role": "user", "content": "Go on."},
        ],
    })
}

/// The name of a change, the change, and part of the server's response to it.
type Case = (&'static str, fn(&mut Value), &'static str);

fn blocks(body: &mut Value, message: usize) -> &mut Vec<Value> {
    body["messages"][message]["content"].as_array_mut().unwrap()
}

fn messages(body: &mut Value) -> &mut Vec<Value> {
    body["messages"].as_array_mut().unwrap()
}

fn members(value: &mut Value) -> &mut serde_json::Map<String, Value> {
    value.as_object_mut().unwrap()
}

fn calls(body: &mut Value) -> &mut Vec<Value> {
    body["messages"][2]["tool_calls"].as_array_mut().unwrap()
}

const ANTHROPIC: &[Case] = &[
    ("no limit", |b| drop(members(b).remove("max_tokens")), "max_tokens: Field required"),
    ("a member that is none", |b| b["temprature"] = json!(1), "Extra inputs"),
    ("stream as a word", |b| b["stream"] = json!("yes"), "valid boolean"),
    ("no conversation", |b| b["messages"] = json!([]), "at least one message"),
    ("the assistant begins", |b| drop(messages(b).remove(0)), "first message must use"),
    (
        "roles in a row",
        |b| {
            let m = b["messages"][0].clone();
            messages(b).insert(0, m)
        },
        "must alternate",
    ),
    ("a role that is none", |b| b["messages"][1]["role"] = json!("tool"), "must alternate"),
    ("a system message inside", |b| b["messages"][0]["role"] = json!("system"), "first message"),
    ("the assistant's last word", |b| drop(messages(b).pop()), "prefill"),
    ("an empty message", |b| blocks(b, 0).clear(), "non-empty content"),
    ("an empty text", |b| b["messages"][0]["content"][0]["text"] = json!(""), "non-whitespace"),
    ("a blank text", |b| b["messages"][1]["content"][1]["text"] = json!(" \n"), "non-whitespace"),
    (
        "a blank text after results",
        |b| b["messages"][2]["content"][2]["text"] = json!("\t"),
        "non-whitespace",
    ),
    ("a blank system prompt", |b| b["system"][0]["text"] = json!(" "), "non-empty"),
    ("a system prompt of another kind", |b| b["system"][0]["type"] = json!("image"), "does not match 'text'"),
    (
        "a result missing",
        |b| drop(blocks(b, 2).remove(0)),
        "without `tool_result` blocks immediately after: b",
    ),
    ("all results missing", |b| drop(blocks(b, 2).drain(..2)), "without `tool_result`"),
    (
        "a text before a result",
        |b| blocks(b, 2).swap(1, 2),
        "without `tool_result` blocks immediately after: a",
    ),
    ("a text before all results", |b| blocks(b, 2).rotate_right(1), "without `tool_result`"),
    (
        "a result twice",
        |b| {
            let r = blocks(b, 2)[0].clone();
            blocks(b, 2).insert(0, r)
        },
        "a single result",
    ),
    (
        "a result of nothing",
        |b| b["messages"][2]["content"][0]["tool_use_id"] = json!("z"),
        "unexpected `tool_use_id`",
    ),
    (
        "a result without an id",
        |b| drop(members(&mut b["messages"][2]["content"][0]).remove("tool_use_id")),
        "unexpected `tool_use_id`",
    ),
    (
        "a result a message too late",
        |b| {
            let late = blocks(b, 2).remove(0);
            messages(b).push(json!({"role": "assistant", "content": [{"type": "text", "text": "x"}]}));
            messages(b).push(json!({"role": "user", "content": [late]}));
        },
        "without `tool_result`",
    ),
    (
        "a result answered again later",
        |b| {
            let again = blocks(b, 2)[0].clone();
            messages(b).push(json!({"role": "assistant", "content": [{"type": "text", "text": "x"}]}));
            messages(b).push(json!({"role": "user", "content": [again]}));
        },
        "unexpected `tool_use_id`",
    ),
    (
        "a result before its call",
        |b| {
            let early = blocks(b, 2)[0].clone();
            blocks(b, 0).push(early);
        },
        "unexpected `tool_use_id`",
    ),
    ("an empty result", |b| b["messages"][2]["content"][0]["content"] = json!(""), "content cannot be empty"),
    (
        "a result that is a number",
        |b| b["messages"][2]["content"][0]["content"] = json!(1),
        "content cannot be empty or of this type",
    ),
    ("is_error as a word", |b| b["messages"][2]["content"][0]["is_error"] = json!("yes"), "of this type"),
    (
        "the assistant answers itself",
        |b| {
            let r = blocks(b, 2)[0].clone();
            blocks(b, 1).push(r)
        },
        "not permitted in the assistant role",
    ),
    (
        "the user calls",
        |b| {
            let c = blocks(b, 1)[2].clone();
            blocks(b, 2).push(c)
        },
        "not permitted in the user role",
    ),
    ("the user thinks", |b| blocks(b, 2).push(thinking()), "not permitted in the user role"),
    (
        "a call twice",
        |b| {
            let c = blocks(b, 1)[2].clone();
            blocks(b, 1).push(c)
        },
        "ids must be unique",
    ),
    (
        "an id used before",
        |b| {
            let call = blocks(b, 1)[2].clone();
            let result = blocks(b, 2)[1].clone();
            messages(b).push(json!({"role": "assistant", "content": [thinking(), call]}));
            messages(b).push(json!({"role": "user", "content": [result]}));
        },
        "ids must be unique",
    ),
    (
        "an id with a space",
        |b| {
            b["messages"][1]["content"][2]["id"] = json!("a b");
            b["messages"][2]["content"][1]["tool_use_id"] = json!("a b");
        },
        "should match pattern",
    ),
    (
        "an id too long",
        |b| b["messages"][1]["content"][2]["id"] = json!("a".repeat(65)),
        "should match pattern",
    ),
    ("an empty id", |b| b["messages"][1]["content"][2]["id"] = json!(""), "should match pattern"),
    (
        "a tool's name with a slash",
        |b| b["messages"][1]["content"][2]["name"] = json!("a/b"),
        "should match pattern",
    ),
    ("arguments as text", |b| b["messages"][1]["content"][2]["input"] = json!("{}"), "valid dictionary"),
    (
        "arguments that are a list",
        |b| b["messages"][1]["content"][2]["input"] = json!([]),
        "valid dictionary",
    ),
    ("a call's other member", |b| b["messages"][1]["content"][2]["index"] = json!(0), "Extra inputs"),
    ("calls without tools", |b| drop(members(b).remove("tools")), "must define tools"),
    ("an offered tool's bad name", |b| b["tools"][0]["name"] = json!("a.b"), "should match pattern"),
    ("two tools of one name", |b| b["tools"][1]["name"] = json!("find"), "must be unique"),
    ("a tool without a schema", |b| b["tools"][0]["input_schema"] = json!({}), "should be 'object'"),
    ("a choice of no tool", |b| b["tool_choice"] = json!({"type": "tool", "name": "z"}), "forces tool use"),
    ("a choice that is none", |b| b["tool_choice"] = json!({"type": "some"}), "found is unknown"),
    (
        "five marks",
        |b| {
            let marked = json!({"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}});
            blocks(b, 0).extend(vec![marked; 4]);
        },
        "A maximum of 4 blocks",
    ),
    ("a mark that is none", |b| b["system"][0]["cache_control"] = json!({"type": "for ever"}), "'ephemeral'"),
    ("thinking dropped", |b| drop(blocks(b, 1).remove(0)), "cannot be modified"),
    ("thinking changed", |b| b["messages"][1]["content"][0]["thinking"] = json!("Hm"), "Invalid `signature`"),
    (
        "a signature changed",
        |b| b["messages"][1]["content"][0]["signature"] = json!("c2lo"),
        "Invalid `signature`",
    ),
    (
        "a signature dropped",
        |b| drop(members(&mut b["messages"][1]["content"][0]).remove("signature")),
        "signature: Field required",
    ),
    ("thinking twice", |b| blocks(b, 1).insert(0, thinking()), "cannot be modified"),
    ("thinking behind a call", |b| blocks(b, 1).rotate_left(1), "cannot be modified"),
    (
        "thinking with a mark",
        |b| b["messages"][1]["content"][0]["cache_control"] = json!({"type": "ephemeral"}),
        "Extra inputs",
    ),
    (
        "too few tokens to think",
        |b| b["thinking"]["budget_tokens"] = json!(1023),
        "greater than or equal to 1024",
    ),
    ("more to think than to say", |b| b["thinking"]["budget_tokens"] = json!(4096), "must be greater than"),
    ("thinking of another kind", |b| b["thinking"]["type"] = json!("deep"), "found is unknown"),
];

const OPENAI: &[Case] = &[
    ("a limit of none", |b| b["max_tokens"] = json!(0), "below minimum"),
    ("two limits", |b| b["max_completion_tokens"] = json!(10), "at the same time"),
    ("a member that is none", |b| b["temprature"] = json!(1), "Unrecognized"),
    ("options of no stream", |b| b["stream"] = json!(false), "only allowed when 'stream'"),
    ("no conversation", |b| b["messages"] = json!([]), "too short"),
    ("an empty list of tools", |b| b["tools"] = json!([]), "too short"),
    (
        "too many tools",
        |b| {
            let tool = b["tools"][0].clone();
            b["tools"].as_array_mut().unwrap().extend(vec![tool; 127]);
        },
        "array too long",
    ),
    (
        "an offered tool's bad name",
        |b| b["tools"][0]["function"]["name"] = json!("a.b"),
        "Invalid 'tools[0]'",
    ),
    ("two tools of one name", |b| b["tools"][1]["function"]["name"] = json!("find"), "must be unique"),
    (
        "a tool without a schema",
        |b| b["tools"][0]["function"]["parameters"] = json!({}),
        "Invalid 'tools[0]'",
    ),
    (
        "a choice without tools",
        |b| {
            members(b).remove("tools");
            b["tool_choice"] = json!("auto");
        },
        "only allowed when 'tools'",
    ),
    ("a late system prompt", |b| messages(b).swap(0, 1), "Invalid role"),
    (
        "a second system prompt",
        |b| {
            let m = b["messages"][0].clone();
            messages(b).insert(0, m)
        },
        "Invalid role",
    ),
    ("the assistant begins", |b| drop(messages(b).remove(1)), "Invalid role"),
    (
        "the user twice",
        |b| {
            let m = b["messages"][1].clone();
            messages(b).insert(1, m)
        },
        "Invalid role",
    ),
    (
        "the assistant twice",
        |b| {
            messages(b).insert(2, json!({"role": "assistant", "content": "x"}));
        },
        "Invalid role",
    ),
    (
        "the assistant's last word",
        |b| messages(b).push(json!({"role": "assistant", "content": "x"})),
        "last message",
    ),
    ("a role that is none", |b| b["messages"][1]["role"] = json!("human"), "Invalid role"),
    ("an empty text", |b| b["messages"][1]["content"] = json!(""), "Invalid value for 'content'"),
    ("a blank text", |b| b["messages"][5]["content"] = json!(" \n"), "Invalid value for 'content'"),
    (
        "no text and no call",
        |b| drop(members(&mut b["messages"][2]).remove("tool_calls")),
        "Invalid value for 'content'",
    ),
    ("a text that is a number", |b| b["messages"][1]["content"] = json!(1), "Invalid value for 'content'"),
    ("a user's other member", |b| b["messages"][1]["tool_call_id"] = json!("a"), "Unknown parameter"),
    ("a tool's other member", |b| b["messages"][3]["is_error"] = json!(true), "Unknown parameter"),
    ("a result missing", |b| drop(messages(b).remove(3)), "did not have response messages: b"),
    ("all results missing", |b| drop(messages(b).drain(3..5)), "did not have response messages: a, b"),
    ("the last result missing", |b| drop(messages(b).drain(4..)), "did not have response messages: a"),
    ("a user between calls and results", |b| messages(b).swap(4, 5), "did not have response messages: a"),
    ("a user before all results", |b| messages(b)[3..].rotate_right(1), "did not have response messages"),
    (
        "a result twice",
        |b| {
            let m = b["messages"][3].clone();
            messages(b).insert(3, m)
        },
        "Duplicate value",
    ),
    ("a result of nothing", |b| b["messages"][3]["tool_call_id"] = json!("z"), "must be a response"),
    (
        "a result without an id",
        |b| drop(members(&mut b["messages"][3]).remove("tool_call_id")),
        "must be a response",
    ),
    (
        "a result after the user",
        |b| {
            let m = b["messages"][3].clone();
            messages(b).push(m)
        },
        "must be a response",
    ),
    (
        "a result before its call",
        |b| {
            let m = b["messages"][3].clone();
            messages(b).insert(2, m)
        },
        "must be a response",
    ),
    ("an empty result", |b| b["messages"][3]["content"] = json!(""), "expected a string"),
    ("no calls in a list of calls", |b| calls(b).clear(), "empty array"),
    (
        "a call twice",
        |b| {
            let c = calls(b)[0].clone();
            calls(b).push(c)
        },
        "Duplicate tool call id",
    ),
    (
        "an id used before",
        |b| {
            let (call, result) = (b["messages"][2].clone(), b["messages"][3].clone());
            let other = b["messages"][4].clone();
            messages(b).extend([call, result, other]);
        },
        "Duplicate tool call id",
    ),
    ("an id with a space", |b| calls(b)[0]["id"] = json!("a b"), "tool_calls"),
    ("an empty id", |b| calls(b)[0]["id"] = json!(""), "tool_calls"),
    ("a tool's name with a slash", |b| calls(b)[0]["function"]["name"] = json!("a/b"), "tool_calls"),
    ("arguments as an object", |b| calls(b)[0]["function"]["arguments"] = json!({}), "tool_calls"),
    ("arguments that are a list", |b| calls(b)[0]["function"]["arguments"] = json!("[]"), "tool_calls"),
    ("arguments that are no JSON", |b| calls(b)[0]["function"]["arguments"] = json!("{\"a\":"), "tool_calls"),
    ("a call that is no function", |b| calls(b)[0]["type"] = json!("tool"), "tool_calls"),
    ("a piece's index", |b| calls(b)[0]["index"] = json!(0), "tool_calls"),
];

fn server(speaks: Speaks) -> ApiServer {
    ApiServer::start(speaks, "m", |_, _| {
        Play::SayWhole(Says::new([
            Said::Thinking("hm".into(), "c2ln".into()),
            Said::Text("I look.".into()),
            Said::call("a", "find", &json!({"a": 1})),
            Said::call("b", "find", &json!({"a": 1})),
        ]))
    })
    .unwrap()
}

/// Starts a conversation whose first reply the server gave itself.
fn begun(server: &ApiServer, speaks: Speaks, whole: &Value) {
    let mut first = whole.clone();
    messages(&mut first).truncate(if speaks == Speaks::Anthropic { 1 } else { 2 });
    assert_eq!(post(server, speaks, &first).0, 200);
}

#[test]
fn each_broken_rule_gets_its_400() {
    for speaks in BOTH {
        let (whole, cases) = match speaks {
            Speaks::Anthropic => (anthropic(), ANTHROPIC),
            Speaks::OpenAi => (openai(), OPENAI),
        };
        let server = server(speaks);
        // Without a `stream` member, a complete reply is expected.
        let mut at_once = whole.clone();
        members(&mut at_once).remove("stream");
        members(&mut at_once).remove("stream_options");
        begun(&server, speaks, &at_once);
        assert_eq!(post(&server, speaks, &at_once).0, 200);
        for (what, change, told) in cases {
            let mut changed = whole.clone();
            change(&mut changed);
            let (status, said) = post(&server, speaks, &changed);
            let message = said["error"]["message"].as_str().unwrap_or_default().to_owned();
            assert!(status == 400 && message.contains(told), "{speaks:?}, {what}: {status} {said}");
            assert_eq!(said["error"]["type"], "invalid_request_error", "{what}");
            assert_eq!(server.broken().last(), Some(&message));
            let pure = check(speaks, &changed);
            match *what {
                // Only a server knows whether thinking is what it sent.
                "thinking changed" | "a signature changed" | "thinking twice" => assert_eq!(pure, Ok(())),
                // Another rule also finds these.
                "thinking dropped" | "thinking behind a call" => assert!(pure.is_err(), "{what}"),
                _ => assert_eq!(pure, Err(message), "{what}"),
            }
        }
    }
}

#[test]
fn a_whole_conversation_keeps_the_rules_also_without_a_server() {
    assert_eq!(check(Speaks::Anthropic, &anthropic()), Ok(()));
    assert_eq!(check(Speaks::OpenAi, &openai()), Ok(()));
}

#[test]
fn a_reply_with_an_id_of_before_does_not_unsettle_the_thinking_of_the_first() {
    let server = ApiServer::start(Speaks::Anthropic, "m", |number, _| {
        let thinking = Said::Thinking(format!("thought {number}"), "c2ln".into());
        Play::SayWhole(Says::new([thinking, Said::call("a", "find", &json!({"a": 1}))]))
    })
    .unwrap();
    let mut body = anthropic();
    body["messages"] = json!([{"role": "user", "content": [{"type": "text", "text": "Look."}]}]);
    for (number, id) in ["a", "renamed"].into_iter().enumerate() {
        assert_eq!(post(&server, Speaks::Anthropic, &body).0, 200);
        messages(&mut body).push(json!({"role": "assistant", "content": [
            {"type": "thinking", "thinking": format!("thought {number}"), "signature": "c2ln"},
            {"type": "tool_use", "id": id, "name": "find", "input": {}}]}));
        messages(&mut body).push(json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": "nothing"}]}));
    }
    assert_eq!(post(&server, Speaks::Anthropic, &body).0, 200);
    assert_eq!(server.broken(), [""; 0]);
}
