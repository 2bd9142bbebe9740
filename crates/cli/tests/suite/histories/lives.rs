//! The investigations behind the stored histories: each covers something that a run of the demo does not.

use crate::support::{Place, str};
use app::RunError;
use ledger::turn::{Answer, Message, ReadingResult, Reply, TurnRequest, UserBlock};
use ledger::{
    Budgets, Digest, GateRules, IdSpace, InvocationId, Objective, Rules, Seed, TaskId, Weight, Window,
};
use serde_json::{Value, json};
use std::path::PathBuf;
use testkit::scripted::{Scripted, calls, words};

/// One investigation.
pub(super) struct Life {
    /// The name of its history.
    pub(super) name: &'static str,
    /// Makes the run.
    pub(super) live: fn(&Place) -> PathBuf,
    /// Events that must occur in it.
    pub(super) meets: &'static [&'static str],
}

pub(super) const LIVES: &[Life] = &[
    Life {
        name: "refused-and-healed",
        live: refused_and_healed,
        meets: &["claim_rejected", "claim_accepted"],
    },
    Life { name: "record-phase", live: record_phase, meets: &["call_refused", "nothing_to_record"] },
    Life { name: "budgets", live: budgets, meets: &["call_refused", "call_served", "claim_rejected"] },
    Life {
        name: "graph",
        live: graph,
        meets: &[
            "entity_added",
            "relation_added",
            "hypothesis_proposed",
            "hypothesis_assessed",
            "graph_read",
            "absence_accepted",
            "derivation_accepted",
        ],
    },
    Life { name: "two-agents", live: two_agents, meets: &["claim_rejected", "claim_accepted"] },
    Life { name: "model-failed", live: model_failed, meets: &["turn_failed", "task_ended"] },
    Life {
        name: "pages-and-failures",
        live: pages_and_failures,
        meets: &["output_paged", "invocation_ended"],
    },
    Life { name: "other-rules", live: other_rules, meets: &["claim_rejected"] },
    Life { name: "ambiguous", live: ambiguous, meets: &["claim_rejected", "claim_accepted"] },
    Life { name: "spellings", live: spellings, meets: &["claim_rejected", "claim_accepted"] },
    Life { name: "of-another-task", live: of_another_task, meets: &["claim_rejected"] },
    Life { name: "turns-given-back", live: turns_given_back, meets: &["claim_rejected", "phase_entered"] },
    Life {
        name: "small-context",
        live: small_context,
        meets: &["request_too_long", "recalled", "claim_accepted"],
    },
    Life { name: "broken-off", live: broken_off, meets: &["turn_requested"] },
];

const SYSTEM: &str = "p1/Windows/System32/config/SYSTEM";
const NAME_KEY: &str = r"ControlSet001\Control\ComputerName\ComputerName";

type Calls = Vec<(&'static str, Value)>;

/// A model that makes these calls, turn by turn, and then says nothing more.
///
/// In arguments, `$inv0`, `$fact0`, `$node0` and `$recalled0` are replaced by the first invocation, fact, node
/// and recalled invocation that the model has been shown.
fn script(turns: Vec<Calls>) -> Scripted {
    Scripted::new(move |request| {
        let turn = request.turn as usize;
        Some(turns.get(turn - 1).map_or_else(|| words("done"), |calls| reply(request, calls)))
    })
}

fn reply(request: &TurnRequest, made: &Calls) -> Reply {
    let known = Known::of(request);
    let made: Vec<_> = made.iter().map(|(tool, arguments)| (*tool, known.fill(arguments))).collect();
    calls(request.turn, &made)
}

/// The ids that a model has been shown, in order.
#[derive(Default)]
struct Known {
    invocations: Vec<String>,
    facts: Vec<String>,
    nodes: Vec<String>,
    recalled: Vec<String>,
}

impl Known {
    fn of(request: &TurnRequest) -> Known {
        let mut known = Known::default();
        for message in request.messages.iter() {
            let Message::User(blocks) = &**message else { continue };
            for block in blocks {
                if let UserBlock::Answer { answer, .. } = block {
                    known.hear(answer);
                }
            }
        }
        known
    }

    fn hear(&mut self, answer: &Answer) {
        match answer {
            Answer::Returned(returned) => self.invocations.push(returned.invocation.to_string()),
            Answer::Node { id } => self.nodes.push(id.to_string()),
            Answer::Recalled(recalled) => {
                self.recalled.extend(recalled.hits.iter().map(|hit| hit.page.invocation.to_string()));
            }
            Answer::Recorded(recorded) => {
                self.facts.extend(recorded.readings.iter().filter_map(|reading| match reading {
                    ReadingResult::Accepted { fact, .. } => Some(fact.to_string()),
                    ReadingResult::NotJudged | ReadingResult::Rejected { .. } => None,
                }));
            }
            _ => {}
        }
    }

    fn fill(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.named(text).unwrap_or_else(|| text.clone())),
            Value::Array(items) => items.iter().map(|item| self.fill(item)).collect(),
            Value::Object(members) => {
                members.iter().map(|(name, value)| (name.clone(), self.fill(value))).collect()
            }
            other => other.clone(),
        }
    }

    fn named(&self, text: &str) -> Option<String> {
        let lists = [
            ("$inv", &self.invocations),
            ("$fact", &self.facts),
            ("$node", &self.nodes),
            ("$recalled", &self.recalled),
        ];
        lists.into_iter().find_map(|(start, list)| {
            let number: usize = text.strip_prefix(start)?.parse().ok()?;
            list.get(number).cloned()
        })
    }
}

fn key() -> (&'static str, Value) {
    ("parse_registry_key", json!({"hive": SYSTEM, "key": NAME_KEY}))
}

fn reading(predicate: &str, values: Value, invocation: &str) -> Value {
    json!({"predicate": predicate, "values": values, "invocation": invocation})
}

fn record(readings: Vec<Value>) -> (&'static str, Value) {
    ("record_phenomenon", json!({"readings": readings, "interpretation": "the computer's name"}))
}

fn name_of(invocation: &str) -> Value {
    reading("configured", json!({"name": "ComputerName", "data": "ALDER-07"}), invocation)
}

fn live(place: &Place, rules: Rules, scripts: Vec<(&str, Scripted)>) -> PathBuf {
    place.investigate(rules, scripts).0.folder
}

fn refused_and_healed(place: &Place) -> PathBuf {
    let turns = vec![
        vec![key(), ("list_hives", json!({}))],
        vec![record(vec![
            name_of("inv-00000000"),
            name_of("$inv1"),
            reading("configured", json!({"name": "ComputerName", "data": "ALDER-70"}), "$inv0"),
            reading("executed", json!({"name": "ComputerName", "data": "ALDER-07"}), "$inv0"),
            reading("configured", json!({"data": "2025"}), "$inv0"),
            reading("configured", json!({"name": "ALDER-07", "data": "ComputerName"}), "$inv0"),
            reading(
                "configured",
                json!({"name": "ComputerName", "key_last_written": "2025-09-16 09:00:00"}),
                "$inv0",
            ),
            json!({"values": "ALDER-07"}),
        ])],
        vec![record(vec![
            reading("configured", json!({"name": "ComputerName", "data": "ALDER-70"}), "$inv0"),
            name_of("$inv0"),
        ])],
    ];
    live(place, Rules::default(), vec![("registry", script(turns))])
}

fn record_phase(place: &Place) -> PathBuf {
    let turns = vec![
        vec![key()],
        vec![("nothing_to_record", json!({"reason": "nothing stands out"}))],
        vec![("list_hives", json!({})), ("nothing_to_record", json!({"reason": "as before"}))],
        vec![("nothing_to_record", json!({"reason": "as before"}))],
    ];
    live(place, Rules::default(), vec![("registry", script(turns))])
}

fn budgets(place: &Place) -> PathBuf {
    let budgets = Budgets {
        investigate_turns: 4,
        record_turns: 2,
        calls_per_turn: 3,
        rejected_claims: 2,
        repeated_calls: 1,
        ..Budgets::default()
    };
    let wrong = || reading("configured", json!({"name": "ComputerName", "data": "BIRCH-09"}), "$inv0");
    let turns = vec![
        vec![key(), key(), key(), key()],
        vec![record(vec![wrong()])],
        vec![record(vec![name_of("$inv0"), wrong(), wrong(), wrong()])],
    ];
    live(place, Rules { budgets, ..Rules::default() }, vec![("registry", script(turns))])
}

fn graph(place: &Place) -> PathBuf {
    let term = |field: &str| json!({"fact": "$fact0", "field": field});
    let derive = |form: &str| {
        (
            "record_derivation",
            json!({"form": form, "terms": [term("name"), term("data")], "interpretation": "two"}),
        )
    };
    let entity =
        |kind: &str, name: &str| ("add_entity", json!({"kind": kind, "name": name, "facts": ["$fact0"]}));
    let search = json!({"name": "no-such-file.exe", "path": "", "evidence": "alder-07"});
    let turns = vec![
        vec![key(), ("find_files", search)],
        vec![record(vec![name_of("$inv0")])],
        vec![derive("different"), derive("same")],
        vec![
            entity("host", "ALDER-07"),
            entity("host", "BIRCH-09"),
            ("propose_hypothesis", json!({"statement": "It is the office computer."})),
        ],
        vec![
            ("link", json!({"from": "$fact0", "kind": "used", "to": "$node0", "facts": ["$fact0"]})),
            (
                "assess_hypothesis",
                json!({"hypothesis": "$node1", "assessment": "supported", "supporting": ["$fact0"], "reason": "its name"}),
            ),
            (
                "record_absence",
                json!({"form": "file", "name": "no-such-file.exe", "under": "", "searches": ["$inv1"], "interpretation": "none"}),
            ),
            (
                "record_absence",
                json!({"form": "file", "name": "another.exe", "under": "", "searches": ["$inv1"], "interpretation": "none"}),
            ),
        ],
        vec![
            ("list_phenomena", json!({})),
            ("get_node", json!({"id": "$fact0"})),
            ("search_graph", json!({"text": "alder"})),
            ("list_invocations", json!({})),
        ],
    ];
    live(place, Rules::default(), vec![("registry", script(turns))])
}

fn two_agents(place: &Place) -> PathBuf {
    let first = vec![vec![key()], vec![record(vec![name_of("$inv0")])]];
    // Its second call equals the first call of the other agent: the invocations have different ids and share an output.
    let second = vec![
        vec![("list_hives", json!({})), key()],
        vec![record(vec![name_of("$inv0"), reading("present", json!({"path": "nowhere"}), "inv-zz")])],
    ];
    live(place, Rules::default(), vec![("registry", script(first)), ("filesystem", script(second))])
}

fn model_failed(place: &Place) -> PathBuf {
    let model = Scripted::new(|request| (request.turn < 3).then(|| reply(request, &vec![key()])));
    live(place, Rules::default(), vec![("registry", model)])
}

fn pages_and_failures(place: &Place) -> PathBuf {
    let mut rules = Rules::default();
    (rules.view.head_bytes, rules.view.tail_bytes) = (600, 300);
    let turns = vec![
        vec![("find_files", json!({"name": "*"})), ("list_directory", json!({"path": "p1/no/such/folder"}))],
        vec![
            ("read_output", json!({"invocation": "$inv0", "first": "r3"})),
            ("read_output", json!({"invocation": "inv-00000000", "first": "r0"})),
        ],
        vec![("no_such_tool", json!({})), ("list_directory", json!({"folder": 7}))],
        vec![record(vec![reading("present", json!({"name": "SYSTEM"}), "$inv0")])],
    ];
    live(place, rules, vec![("filesystem", script(turns))])
}

fn other_rules(place: &Place) -> PathBuf {
    let gate = GateRules { rescue: false, ..GateRules::default() };
    let turns = vec![
        vec![key(), ("list_hives", json!({}))],
        vec![record(vec![name_of("inv-00000000"), name_of("$inv1")])],
        vec![record(vec![name_of("$inv0")])],
    ];
    live(place, Rules { gate, ..Rules::default() }, vec![("registry", script(turns))])
}

/// Readings that several places hold, that a different record from the cited one holds, or that do not identify
/// what they are about.
fn ambiguous(place: &Place) -> PathBuf {
    let active = json!({"hive": SYSTEM, "key": r"ControlSet001\Control\ComputerName\ActiveComputerName"});
    let documents = json!({"path": "p1/Users/mara/Documents"});
    let cited = |mut reading: Value, record: &str| {
        reading["record"] = json!(record);
        reading
    };
    let turns = vec![
        vec![key(), ("parse_registry_key", active), ("list_directory", documents)],
        vec![record(vec![
            name_of("inv-00000000"),
            name_of("$inv2"),
            cited(name_of("$inv0"), "r1"),
            cited(name_of("$inv0"), "r2"),
            reading("present", json!({"size": "97"}), "$inv2"),
            reading("present", json!({"state": "allocated"}), "inv-00000000"),
            cited(reading("present", json!({"size": "97"}), "$inv2"), "r1"),
            reading("present", json!({"name": "Ledgers", "size": "97"}), "$inv2"),
        ])],
    ];
    live(place, Rules::default(), vec![("registry", script(turns))])
}

/// Values that agents spell differently from the records, and values that only look like another spelling.
fn spellings(place: &Place) -> PathBuf {
    let documents = json!({"path": "p1/Users/mara/Documents"});
    let of_key = |values: Value| reading("configured", values, "$inv0");
    let of_file = |values: Value| reading("present", values, "$inv1");
    let turns = vec![
        vec![key(), ("list_directory", documents)],
        vec![record(vec![
            of_key(json!({"name": "computername", "data": "alder-07"})),
            of_key(
                json!({"name": "ComputerName", "data": "ALDER-07", "key_last_written": "2025-03-03T08:41:09Z"}),
            ),
            of_key(json!({"name": "ComputerName", "key_last_written": "2025-03-03T08:41:09.123456700Z"})),
            of_key(json!({"name": "ComputerName", "key_last_written": "2025-03-03T09:41:09+01:00"})),
            of_key(json!({"name": "ComputerName", "key_last_written": "1740991269"})),
            of_key(json!({"name": "ComputerName", "hive": r"C:\Windows\System32\config\SYSTEM"})),
            of_key(
                json!({"value_path": r"HKLM\SYSTEM\ControlSet001\Control\ComputerName\ComputerName\ComputerName", "data": "ALDER-07"}),
            ),
            of_file(json!({"path": r"p1\Users\mara\Documents\handover.txt", "size": "97 bytes"})),
            of_file(json!({"name": "HANDOVER.TXT", "size": "0x61"})),
            of_file(json!({"name": "handover", "size": "97"})),
            of_file(json!({"path": "p1/Users/mara/Documents/handover.tx", "size": "97"})),
            of_file(json!({"name": "handover.txt", "modified": "2025-09-16"})),
        ])],
    ];
    live(place, Rules::default(), vec![("registry", script(turns))])
}

/// An agent that cites another agent's invocation.
fn of_another_task(place: &Place) -> PathBuf {
    let seed = Seed(Digest::of(b"of another task"));
    let foreign = InvocationId::assign(&IdSpace::new(seed), TaskId(1), 0).unwrap().to_string();
    let first = vec![vec![key()], vec![record(vec![name_of("$inv0")])]];
    let second = vec![
        vec![("list_hives", json!({}))],
        vec![record(vec![name_of(&foreign)])],
        vec![key()],
        vec![record(vec![name_of(&foreign)])],
    ];
    let scripts = vec![("registry", script(first)), ("filesystem", script(second))];
    let request = app::RunRequest { seed: Some(seed), ..place.request(Rules::default(), scripts) };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(app::run(request)).unwrap().folder
}

/// Turns whose readings were all refused do not count against the phase's budget.
/// An objective that is still open starts the record phase.
fn turns_given_back(place: &Place) -> PathBuf {
    let budgets = Budgets { investigate_turns: 3, record_turns: 2, ..Budgets::default() };
    let wrong = |data: &str| {
        vec![record(vec![reading("configured", json!({"name": "ComputerName", "data": data}), "$inv0")])]
    };
    let turns = vec![
        vec![key()],
        wrong("BIRCH-01"),
        wrong("BIRCH-02"),
        vec![record(vec![name_of("$inv0")])],
        wrong("BIRCH-03"),
        vec![("list_hives", json!({}))],
    ];
    let mut request = place.request(Rules { budgets, ..Rules::default() }, vec![("registry", script(turns))]);
    request.agents[0].spec.objectives = vec![Objective {
        id: "who".to_owned(),
        question: "Who used it?".to_owned(),
        applies: None,
        weight: Weight::default(),
        searched: Vec::new(),
        or: Vec::new(),
        condition: serde_json::from_value(json!({
            "predicate": "present", "record": "dir_entry", "subject": "*", "field": "name", "value": "nobody"
        }))
        .unwrap(),
    }];
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(app::run(request)).unwrap().folder
}

/// The model's context is too small for the investigation, and smaller than the model claims.
fn small_context(place: &Place) -> PathBuf {
    let mut rules = Rules::default();
    let tools = ["find_files", "nothing_to_record", "recall", "record_phenomenon"];
    rules.surfaces.tools = Some(tools.map(str::to_owned).into());
    let folders = ["Windows", "Windows/System32", "Windows/System32/config", "Windows/Prefetch", "Users"];
    let list = |folder: &str| vec![("find_files", json!({"under": format!("p1/{folder}")}))];
    let find = |name: &str| vec![("find_files", json!({"name": name}))];
    let mut turns: Vec<Calls> = folders.map(list).into();
    turns.extend(["*.exe", "*.dll", "*.pf", "*.evtx", "*.lnk", "*.txt", "*a*", "*e*", "*"].map(find));
    turns.push(vec![("recall", json!({"text": SYSTEM}))]);
    turns.push(vec![record(vec![reading("present", json!({"path": SYSTEM}), "$recalled0")])]);
    let model = script(turns).within(Window { context: 9_000, reply: 1_000 }, 4_000);
    live(place, rules, vec![("filesystem", model)])
}

fn broken_off(place: &Place) -> PathBuf {
    let turns = vec![vec![key()], vec![record(vec![name_of("$inv0")])], vec![("list_hives", json!({}))]];
    let mut request = place.request(Rules::default(), vec![("registry", script(turns))]);
    let interrupt = request.work.interrupt.clone();
    request.work.observe = std::sync::Arc::new(move |event| {
        if matches!(event, app::Progress::Turn { turn: 4, .. }) {
            interrupt.interrupt();
        }
    });
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let error = runtime.block_on(app::run(request)).unwrap_err();
    let RunError::Interrupted { folder } = error else { panic!("{error:?}") };
    assert!(str(&folder).contains("demo"));
    folder
}
