//! Failures of networks, servers and keys.

use super::world::{BOTH, Waits, World, address, begun, calls, says, settings, world, world_with};
use llm::api::{ApiKey, Clock, Provider, Retries, Settings, SetupError};
use llm::{Model, ModelError};
use serde_json::json;
use std::error::Error;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;
use testkit::api::{ApiServer, Fault, KEY, Play, Said, Says, Speaks};

fn reply() -> Says {
    Says::new([Said::Text("I look.".into()), Said::call("a", "find_files", &json!({"path": "x"}))])
}

/// Starts a server that fails this many times before it answers.
fn failing(speaks: Speaks, settings: Settings, times: usize, fault: Fault) -> World {
    world_with(speaks, settings, move |number, _| match number < times {
        true => Play::Fail(fault.clone(), reply()),
        false => Play::Say(reply()),
    })
}

fn all_of(error: &dyn Error) -> String {
    let mut text = format!("{error} {error:?}");
    if let Some(source) = error.source() {
        text.push_str(&all_of(source));
    }
    text
}

#[tokio::test]
async fn what_passes_is_tried_again_and_loses_nothing() {
    let faults = [
        Fault::Status(429, vec![("retry-after", "3")], Some("rate_limit_error")),
        Fault::Status(500, vec![], Some("api_error")),
        Fault::Status(502, vec![], None),
        Fault::Status(503, vec![], None),
        Fault::Status(504, vec![], None),
        Fault::Status(529, vec![], Some("overloaded_error")),
        Fault::DropBefore,
        Fault::DropMidStream,
        Fault::EndEarly,
        Fault::Garbage,
        Fault::HalfJson,
        Fault::HalfBody,
        Fault::ErrorEvent("overloaded_error"),
    ];
    for speaks in BOTH {
        for fault in &faults {
            let world = failing(speaks, settings(), 2, fault.clone());
            let (mut model, mut talk) = (world.provider.model(), begun());
            let reply =
                talk.ask(&mut model).await.unwrap_or_else(|error| panic!("{speaks:?} {fault:?}: {error}"));
            assert_eq!((reply.blocks.len(), reply.calls().count()), (3, 1), "{speaks:?} {fault:?}");
            assert_eq!(world.server.kept().len(), 3, "{fault:?}");
            assert_eq!(model.last_exchange().unwrap().attempts, 3);
            let waits = world.waits.0.lock().unwrap().clone();
            let least = if matches!(fault, Fault::Status(429, ..)) { 3000 } else { 500 };
            assert!(waits.len() == 2 && waits.iter().all(|wait| wait.as_millis() >= least), "{waits:?}");
            talk.answer(&reply, "");
            talk.ask(&mut model).await.unwrap();
            assert_eq!(world.server.broken(), [""; 0], "{speaks:?} {fault:?}");
        }
    }
}

#[tokio::test]
async fn a_server_that_falls_silent_is_left_and_asked_again() {
    let retries = Retries {
        attempts: 100,
        silence: Duration::from_millis(40),
        first_wait: Duration::from_millis(1),
        ..Retries::default()
    };
    for speaks in BOTH {
        for fault in [Fault::Stall, Fault::StallMidStream] {
            let settings = Settings { retries: retries.clone(), ..settings() };
            let world = failing(speaks, settings, 1, fault);
            let reply = begun().ask(&mut world.provider.model()).await.unwrap();
            assert_eq!(reply.calls().count(), 1);
            assert!(world.server.kept().len() > 1);
        }
    }
}

#[tokio::test]
async fn what_would_be_answered_alike_is_asked_once() {
    for speaks in BOTH {
        for (status, kind) in [(400, "invalid_request_error"), (418, "teapot"), (422, "unprocessable")] {
            let world = failing(speaks, settings(), 9, Fault::Status(status, vec![], Some(kind)));
            let error = begun().ask(&mut world.provider.model()).await.unwrap_err();
            assert!(matches!(error, ModelError::NoReply { .. }), "{error:?}");
            assert!(
                error.to_string().contains(&format!("status {status}: as the script wants it")),
                "{error}"
            );
            assert_eq!(world.server.kept().len(), 1);
        }
        let faults = [
            (Fault::Status(402, vec![], Some("billing_error")), "asks for money"),
            (Fault::Status(429, vec![], Some("insufficient_quota")), "asks for money"),
            (Fault::Status(403, vec![], Some("permission_error")), "_API_KEY"),
            (Fault::Status(404, vec![], None), "has nothing at this path"),
            (Fault::Status(302, vec![("location", "/elsewhere")], None), "redirects"),
            (Fault::WrongContentType, "is not a server of this API: it sent \"text/html\" with status 200"),
            (Fault::OtherJson, "is not a server of this API"),
        ];
        for (fault, sentence) in faults {
            let world = failing(speaks, settings(), 9, fault.clone());
            let error = begun().ask(&mut world.provider.model()).await.unwrap_err();
            assert!(matches!(error, ModelError::Unusable { .. }), "{fault:?}: {error:?}");
            assert!(error.to_string().contains(sentence), "{fault:?}: {error}");
            assert_eq!(world.server.kept().len(), 1, "{fault:?}");
        }
    }
}

#[tokio::test]
async fn a_request_that_is_too_long_is_told_from_others_and_sent_once() {
    let error = |code: &str, message: &str| json!({"error": {"type": code, "code": 400, "message": message}});
    let faults = [
        Fault::TooLong,
        Fault::Status(413, vec![], Some("request_too_large")),
        Fault::Status(413, vec![], None),
        Fault::Body(
            400,
            error("exceed_context_size_error", "the request exceeds the available context size"),
        ),
        Fault::Body(500, error("exceed_context_size_error", "too large")),
        Fault::Body(400, error("BadRequestError", "This model's maximum context length is 4096 tokens.")),
        Fault::Body(
            400,
            error("invalid_request_error", "input length and `max_tokens` exceed context limit"),
        ),
    ];
    for speaks in BOTH {
        for fault in &faults {
            let world = failing(speaks, settings(), 9, fault.clone());
            let mut model = world.provider.model();
            let error = begun().ask(&mut model).await.unwrap_err();
            assert!(matches!(error, ModelError::TooLong { .. }), "{speaks:?} {fault:?}: {error:?}");
            assert_eq!((world.server.kept().len(), model.last_exchange().unwrap().attempts), (1, 1));
        }
    }
}

#[tokio::test]
async fn patience_ends_and_the_turn_can_be_asked_later() {
    for speaks in BOTH {
        let world = failing(speaks, settings(), 5, Fault::Status(529, vec![], Some("overloaded_error")));
        let (mut model, mut talk) = (world.provider.model(), begun());
        let error = talk.ask(&mut model).await.unwrap_err();
        assert!(matches!(error, ModelError::Unreachable { .. }), "{error:?}");
        assert_eq!(world.server.kept().len(), 5);
        assert_eq!(talk.ask(&mut model).await.unwrap().calls().count(), 1);

        let hour = Fault::Status(429, vec![("retry-after", "3600")], Some("rate_limit_error"));
        let world = failing(speaks, settings(), 9, hour);
        let error = begun().ask(&mut world.provider.model()).await.unwrap_err();
        assert!(matches!(error, ModelError::Unreachable { .. }));
        assert_eq!((world.server.kept().len(), world.waits.0.lock().unwrap().len()), (1, 0));
    }
}

#[tokio::test]
async fn a_wrong_key_names_its_variable_and_never_itself() {
    let wrong = "sk-wrong-and-secret-42";
    for (speaks, variable) in [(Speaks::Anthropic, "ANTHROPIC_API_KEY"), (Speaks::OpenAi, "OPENAI_API_KEY")] {
        let server = ApiServer::start(speaks, "m", |_, _| says("Done.")).unwrap();
        let address = address(&server, speaks, "m");
        for key in [Some(wrong), None] {
            let clock: Arc<dyn Clock> = Arc::new(Waits::default());
            let key = key.map(|key| ApiKey::new(key).unwrap());
            let provider = Provider::with_clock(&address, key, settings(), clock).unwrap();
            let mut model = provider.model();
            let error = begun().ask(&mut model).await.unwrap_err();
            assert!(matches!(error, ModelError::Unusable { .. }));
            assert!(error.to_string().contains(variable), "{error}");
            let shown = format!("{} {provider:?} {model:?}", all_of(&error));
            assert!(!shown.contains("secret"), "{shown}");
        }
        assert_eq!(server.kept().len(), 2);
    }
}

#[tokio::test]
async fn a_key_that_a_server_repeats_is_hidden() {
    for speaks in BOTH {
        let server = ApiServer::start(speaks, "m", |_, _| says("Done.")).unwrap();
        // The server repeats the name of a model that it does not have, and this name contains the key.
        let address = address(&server, speaks, &format!("x-{KEY}"));
        let provider = Provider::new(&address, Some(ApiKey::new(KEY).unwrap()), settings()).unwrap();
        let error = begun().ask(&mut provider.model()).await.unwrap_err();
        assert!(error.to_string().contains("x-[key] does not exist"), "{error}");
    }
}

#[tokio::test]
async fn a_key_that_a_model_repeats_is_hidden_in_every_part_of_its_reply() {
    let told = || {
        Says::new([
            Said::Text(format!("Your key is {KEY}, is it not?")),
            Said::call(KEY, "find_files", &json!({ "path": KEY, KEY: [format!("<{KEY}>")] })),
        ])
    };
    for speaks in BOTH {
        for play in [Play::Say(told()), Play::SayWhole(told())] {
            let world = world(speaks, move |_, _| play.clone());
            let mut model = world.provider.model();
            let reply = begun().ask(&mut model).await.unwrap();
            let shown = format!("{reply:?} {}", serde_json::to_string(&reply).unwrap());
            assert!(shown.contains("Your key is [key], is it not?") && shown.contains("<[key]>"), "{shown}");
            assert!(!shown.contains(KEY), "{speaks:?}: {shown}");
        }
        let status = Fault::Status(429, vec![("request-id", KEY)], Some("rate_limit_error"));
        let world = failing(speaks, settings(), 9, status);
        let mut model = world.provider.model();
        begun().ask(&mut model).await.unwrap_err();
        let exchange = model.last_exchange().unwrap();
        assert_eq!(exchange.request_id.as_deref(), Some("[key]"), "{exchange:?}");
    }
}

#[tokio::test]
async fn an_unknown_model_is_named() {
    for speaks in BOTH {
        let server = ApiServer::start(speaks, "m", |_, _| says("Done.")).unwrap();
        let address = address(&server, speaks, "other");
        let provider = Provider::new(&address, Some(ApiKey::new(KEY).unwrap()), settings()).unwrap();
        let error = begun().ask(&mut provider.model()).await.unwrap_err();
        assert!(matches!(error, ModelError::Unusable { .. }));
        assert!(error.to_string().contains("has no model \"other\""), "{error}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_and_one_without_tls_are_told_apart() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let clock: Arc<dyn Clock> = Arc::new(Waits::default());
    let nobody = format!("openai:m@http://{free}/v1").parse().unwrap();
    let provider = Provider::with_clock(&nobody, None, settings(), Arc::clone(&clock)).unwrap();
    let mut model = provider.model();
    let error = begun().ask(&mut model).await.unwrap_err();
    assert!(matches!(error, ModelError::Unreachable { .. }), "{error:?}");
    assert_eq!(model.last_exchange().unwrap().attempts, 5);

    let server = ApiServer::start(Speaks::OpenAi, "m", |_, _| says("Done.")).unwrap();
    let secure = format!("openai:m@{}", server.base().replace("http:", "https:")).parse().unwrap();
    let provider = Provider::with_clock(&secure, None, settings(), clock).unwrap();
    let mut model = provider.model();
    let error = begun().ask(&mut model).await.unwrap_err();
    assert!(matches!(error, ModelError::Unusable { .. }), "{error:?}");
    assert!(error.to_string().contains("no secure connection to 127.0.0.1"), "{error}");
    assert_eq!(model.last_exchange().unwrap().attempts, 1);
}

#[test]
fn the_providers_own_servers_are_not_asked_without_a_key() {
    for name in ["anthropic:m", "openai:m"] {
        let error = Provider::new(&name.parse().unwrap(), None, settings()).unwrap_err();
        assert!(matches!(error, SetupError::NoKey { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_reply_that_is_cut_is_asked_for_once_more_with_more_room() {
    for (speaks, cut) in [(Speaks::Anthropic, "max_tokens"), (Speaks::OpenAi, "length")] {
        let half =
            Said::Call { id: "a".into(), tool: "find_files".into(), arguments: "{\"path\": \"C:".into() };
        let half = Says::new([half]).stopped(cut);
        let again = half.clone();
        let world = world(speaks, move |number, _| match number {
            0 => Play::Say(half.clone()),
            _ => calls(&["a"]),
        });
        let (mut model, mut talk) = (world.provider.model(), begun());
        let reply = talk.ask(&mut model).await.unwrap();
        assert!(reply.calls().all(|call| call.arguments.is_object()));
        let kept = world.server.kept();
        let both = kept[0].measured.output + kept[1].measured.output;
        assert_eq!(model.last_exchange().unwrap().usage.output, both);
        assert_eq!(kept[0].body["max_tokens"], 8192);
        assert_eq!(kept[1].body["max_tokens"], 32768);
        assert_eq!(kept[0].body["messages"], kept[1].body["messages"]);

        let world = super::world::world(speaks, move |_, _| Play::Say(again.clone()));
        let error = begun().ask(&mut world.provider.model()).await.unwrap_err();
        assert!(error.to_string().contains("the reply was cut at 32768 tokens"), "{error}");
        assert_eq!(world.server.kept().len(), 2);
    }
}

#[tokio::test]
async fn a_refusal_and_a_full_context_end_it_in_words() {
    let cases = [
        (Speaks::Anthropic, "refusal", "declined"),
        (Speaks::OpenAi, "content_filter", "declined"),
        (Speaks::Anthropic, "model_context_window_exceeded", "context is full"),
    ];
    for (speaks, stop, sentence) in cases {
        let world = world(speaks, move |_, _| Play::Say(Says::new([Said::Text("No".into())]).stopped(stop)));
        let error = begun().ask(&mut world.provider.model()).await.unwrap_err();
        let is_long = matches!(error, ModelError::TooLong { .. });
        assert_eq!(is_long, sentence == "context is full", "a shorter request may be answered");
        assert!(is_long || matches!(error, ModelError::NoReply { .. }), "{error:?}");
        assert!(error.to_string().contains(sentence), "{error}");
        assert_eq!(world.server.kept().len(), 1);
    }
}
