//! An investigation of 400,000 tokens through a context of 32,000, over HTTP.

use super::evidence::{line, returned};
use super::examiner::BOTH;
use super::life::{Life, Scene, Setup, endless};
use super::mind::newest;
use engine::{Input, Invoke, ToolReturn};
use ledger::turn::{Answer, ReadingResult};
use ledger::{Event, Outcome, Window};
use llm::api::{ApiKey, Provider, Settings};
use llm::{Model, render};
use serde_json::{Value, json};
use testkit::api::{ApiServer, KEY, Limits, Play, Said, Says, Speaks, text_tokens};
use testkit::random::Random;

const WINDOW: Window = Window { context: 32_000, reply: 4_000 };
/// The least number of tokens that tools show in total.
const SHOWN: u64 = 400_000;
/// The number of turns, with two pages each.
const TURNS: usize = 100;
/// The text of one record of the first turn, which occurs nowhere else.
const EARLY: &str = "the courier left locker 4711 open";

/// Makes a page of a log: words, numbers, hex.
fn page(number: u64) -> ToolReturn {
    let mut random = Random::new(number);
    let words = ["service", "started", "by", "the", "user", "session", "closed", "policy", "update", "error"];
    let record = |at: usize, random: &mut Random| {
        let said: Vec<_> = (0..46).map(|_| words[random.below(words.len())]).collect();
        let hex = format!("{:016x}{:016x}", random.below(usize::MAX), random.below(usize::MAX));
        let early = if (number, at) == (0, 7) { EARLY } else { "" };
        line(format!("Windows/Logs/{number}.log"), format!("{} {hex} {early}", said.join(" ")), vec![])
    };
    returned(Outcome::Ok, (0..20).map(|at| record(at, &mut random)).collect())
}

/// The script: reads until enough was shown, then searches for what was shown first, records it, and stops.
#[derive(Default)]
struct Script {
    turn: usize,
}

impl Script {
    fn next(&mut self, body: &Value) -> Says {
        self.turn += 1;
        let turn = self.turn;
        let call = |at: usize, tool: &str, arguments: &Value| {
            Said::call(&format!("toolu_{turn}_{at}"), tool, arguments)
        };
        let thinking = Said::Thinking(format!("I think about turn {turn}."), format!("c2ln{turn}"));
        let mut parts = vec![thinking];
        match self.turn {
            turn if turn <= TURNS => {
                parts.push(Said::Text("The next pages.".into()));
                parts.extend((0..2).map(|at| call(at, "read", &json!({"n": (turn - 1) * 2 + at}))));
            }
            turn if turn == TURNS + 1 => parts.push(call(0, "recall", &json!({"text": EARLY}))),
            turn if turn == TURNS + 2 => {
                let invocation = invocation(body);
                let reading =
                    json!({"predicate": "quoted", "values": {"text": EARLY}, "invocation": invocation});
                parts.push(call(0, "record_phenomenon", &json!({"readings": [reading]})));
            }
            _ => parts = vec![Said::Text("Done.".into())],
        }
        Says::new(parts)
    }
}

/// Returns the invocation that the last message names: a model has nothing else to go by.
fn invocation(body: &Value) -> String {
    let last = body["messages"].as_array().unwrap().last().unwrap().to_string();
    let at = last.find("inv-").unwrap_or_else(|| panic!("{last}"));
    last[at..at + 12].to_owned()
}

#[test]
fn four_hundred_thousand_tokens_go_through_a_context_of_thirty_two_thousand() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for speaks in BOTH {
        let mut script = Script::default();
        let limits = Limits { context: Some(u64::from(WINDOW.context)) };
        let server =
            ApiServer::start_with(speaks, "m", limits, move |_, body| Play::Say(script.next(body))).unwrap();
        let (dialect, thinking) = match speaks {
            Speaks::Anthropic => ("anthropic", Some(json!({"type": "enabled", "budget_tokens": 1024}))),
            Speaks::OpenAi => ("openai", None),
        };
        let address = format!("{dialect}:m@{}", server.base()).parse().unwrap();
        let settings = Settings { reply_tokens: WINDOW.reply, thinking, ..Settings::default() };
        let provider = Provider::new(&address, Some(ApiKey::new(KEY).unwrap()), settings).unwrap();
        let mut model = provider.model();
        let (mut shown, mut accepted) = (0, 0);
        let mut life = Life::new(Setup { window: Some(WINDOW), rules: endless(), offered: &[] });
        let ask = |scene: &Scene<'_>| {
            for answer in newest(scene.request) {
                match answer {
                    Answer::Returned(_) => {
                        shown += text_tokens(&render::answer(answer, &scene.request.fence).unwrap());
                    }
                    Answer::Recorded(recorded) => {
                        let is_accepted =
                            |result: &&ReadingResult| matches!(result, ReadingResult::Accepted { .. });
                        accepted += recorded.readings.iter().filter(is_accepted).count();
                    }
                    _ => {}
                }
            }
            let reply = runtime.block_on(model.turn(scene.request)).unwrap();
            Input::Replied(reply, model.last_exchange().cloned())
        };
        let read = |invoke: &Invoke| page(invoke.arguments["n"].as_u64().unwrap());
        let ended = life.live(ask, read);
        assert_eq!(server.broken(), [""; 0], "{speaks:?}");
        assert!(shown >= SHOWN, "{shown}");
        assert_eq!((accepted, ended.facts), (1, 1), "{speaks:?}");
        // What is recalled at the end appears nowhere else in the request.
        let kept = server.kept();
        let before = kept[TURNS].body.to_string();
        assert!(!before.contains(EARLY));
        let recalled = life
            .events
            .iter()
            .any(|event| matches!(event, Event::Recalled(recalled) if recalled.shown.len() == 1));
        assert!(recalled);
        let longest = kept.iter().map(|kept| kept.measured.input).max().unwrap();
        let (input, cached) =
            kept.iter().fold((0, 0), |(i, c), kept| (i + kept.measured.input, c + kept.measured.cached));
        println!(
            "{speaks:?}: {shown} tokens shown, {input} sent, {cached} of them cached, {longest} at most at once"
        );
        assert!(longest > 16_000 && cached * 2 > input, "{longest} at most, {cached} of {input} cached");
    }
}
