//! The results of the scripted tools: records of four kinds, each with times.

use engine::ToolReturn;
use ledger::{Completeness, Field, FieldValue, Locator, Outcome, Output, Record, RecordId, Time};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::random::Random;

/// The source that a task reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Server,
    Files,
    Registry,
    Events,
    Programs,
}

impl Source {
    pub(super) const ALL: [Source; 5] =
        [Source::Server, Source::Files, Source::Registry, Source::Events, Source::Programs];

    pub(super) const fn agent(self) -> &'static str {
        match self {
            Source::Server => "lead",
            Source::Files => "filesystem",
            Source::Registry => "registry",
            Source::Events => "logs",
            Source::Programs => "execution",
        }
    }

    /// Returns the predicate, record type and subject of its facts.
    pub(super) const fn says(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Source::Server | Source::Files => ("present", "dir_entry", "path"),
            Source::Registry => ("configured", "registry_value", "value_path"),
            Source::Events => ("recorded", "event", "provider"),
            Source::Programs => ("executed", "prefetch", "executable"),
        }
    }

    /// Returns the call with this number.
    pub(super) fn call(self, number: usize) -> (&'static str, Value) {
        match self {
            Source::Server | Source::Files => {
                ("find_files", json!({"evidence": self.evidence(), "name": format!("*{number}*.dll")}))
            }
            Source::Registry => (
                "parse_registry_key",
                json!({"evidence": self.evidence(), "path": "p1/Windows/System32/config/SYSTEM", "key": format!("ControlSet001\\Services\\driver-{number}")}),
            ),
            Source::Events => (
                "records",
                json!({"evidence": self.evidence(), "source": "event_log", "where": format!("event_id = {}", 7_000 + number)}),
            ),
            Source::Programs => (
                "parse_file",
                json!({"evidence": self.evidence(), "path": format!("p1/Windows/Prefetch/{number}.pf")}),
            ),
        }
    }

    const fn evidence(self) -> &'static str {
        match self {
            Source::Server => "fs-02",
            Source::Files | Source::Registry => "ws-14",
            Source::Events | Source::Programs => "laptop-3",
        }
    }

    fn path(self, call: usize, number: usize) -> String {
        let user = USERS[(call + number) % USERS.len()];
        match self {
            Source::Server | Source::Files => {
                format!(
                    "p1/Users/{user}/AppData/Local/{}/{}-{call}-{number}.dll",
                    word(call),
                    word(number + call)
                )
            }
            Source::Registry => "p1/Windows/System32/config/SYSTEM".to_owned(),
            Source::Events => "p1/Windows/System32/winevt/Logs/System.evtx".to_owned(),
            Source::Programs => {
                format!("p1/Windows/Prefetch/{}-{call}-{number}.EXE-0BADC0DE.pf", word(call + number))
            }
        }
    }

    fn fields(self, call: usize, number: usize) -> Vec<(&'static str, FieldValue)> {
        let path = self.path(call, number);
        let name = format!("{}-{call}-{number}", word(number + call));
        let at = |after: usize| FieldValue::Time(time(call, number, after));
        match self {
            Source::Server | Source::Files => vec![
                ("path", FieldValue::Path(path)),
                ("name", FieldValue::Name(format!("{name}.dll"))),
                ("kind", FieldValue::Name("file".into())),
                ("size", FieldValue::Size((call * 20_021 + number * 977) as u64)),
                ("born", at(0)),
                ("modified", at(5)),
            ],
            Source::Registry => {
                let key = format!("ControlSet001\\Services\\{name}");
                vec![
                    ("value_path", FieldValue::RegistryPath(format!("{key}\\ImagePath"))),
                    ("key_path", FieldValue::RegistryPath(key)),
                    ("name", FieldValue::Name("ImagePath".into())),
                    ("value_type", FieldValue::Name("REG_EXPAND_SZ".into())),
                    ("data", FieldValue::Text(format!("\\SystemRoot\\System32\\drivers\\{name}.sys"))),
                    ("hive", FieldValue::Path(path)),
                    ("key_last_written", at(0)),
                ]
            }
            Source::Events => vec![
                ("event_id", FieldValue::Integer(7_000 + (call % 100) as i128)),
                ("provider", FieldValue::Name(format!("Service {name}"))),
                ("channel", FieldValue::Name("System".into())),
                ("computer", FieldValue::Name(COMPUTER.into())),
                ("record_id", FieldValue::Integer((call * 100 + number) as i128)),
                ("time", at(0)),
                (
                    "message_data",
                    FieldValue::Text(format!(
                        "The service {name} entered the state <b>running</b> & \"ready\""
                    )),
                ),
            ],
            Source::Programs => vec![
                ("executable", FieldValue::Name(format!("{name}.EXE"))),
                ("run_count", FieldValue::Integer((1 + call % 40) as i128)),
                ("last_run", at(0)),
                ("last_run_2", at(3)),
                ("path_hash", FieldValue::Name(format!("{:08x}", call * 65_537 + number))),
                ("path", FieldValue::Path(path)),
            ],
        }
    }

    /// Returns the fields that a fact states in addition to its subject; for programs the start time, without which the fact says nothing.
    pub(super) const fn stated(self) -> &'static [&'static str] {
        match self {
            Source::Server | Source::Files => &["path", "size", "born", "modified"],
            Source::Registry => &["value_path", "data", "key_last_written"],
            Source::Events => &["provider", "event_id", "computer", "time", "message_data"],
            Source::Programs => &["executable", "last_run", "last_run_2"],
        }
    }

    /// Returns an entity that all facts of a call name, if there is one.
    pub(super) fn thing(self) -> Option<(&'static str, &'static str)> {
        match self {
            Source::Server | Source::Files => Some(("program", "Local")),
            Source::Registry => Some(("registry_key", "Services")),
            Source::Events => Some(("host", COMPUTER)),
            Source::Programs => None,
        }
    }
}

/// The users whose folders contain files.
pub(super) const USERS: [&str; 4] = ["mara", "jonas", "it-admin", "backup"];
const COMPUTER: &str = "LAPTOP-3";
const WORDS: [&str; 12] = [
    "driver",
    "printer",
    "update",
    "scanner",
    "helper",
    "sync",
    "audio",
    "network",
    "driver-cache",
    "report",
    "mirror",
    "agent",
];

fn word(number: usize) -> &'static str {
    WORDS[number % WORDS.len()]
}

/// Returns a time within three years, most of them in one month.
fn time(call: usize, number: usize, after: usize) -> Time {
    let mut random = Random::new((call * 64 + number) as u64);
    let days = match random.below(4) {
        0 => random.below(1_000),
        _ => 700 + random.below(30),
    };
    let seconds = (days * 86_400 + random.below(86_400) + after * 61) as u64;
    // 2022-12-26, as a FILETIME.
    Time::from_filetime(133_164_864_000_000_000 + seconds * 10_000_000)
}

/// Returns the result of the call.
pub(super) fn returned(source: Source, call: usize, records: usize) -> ToolReturn {
    let record = |number: usize| Record {
        placement: None,
        id: RecordId(u32::try_from(number).unwrap_or(u32::MAX)),
        kind: source.says().1.to_owned(),
        locator: Locator {
            evidence: source.evidence().to_owned(),
            path: source.path(call, number),
            stream: None,
            span: None,
        },
        fields: source
            .fields(call, number)
            .into_iter()
            .map(|(name, value)| (name.to_owned(), Field { at: None, value }))
            .collect(),
        defects: Vec::new(),
    };
    let output = Output::new((0..records).map(record).collect());
    ToolReturn {
        outcome: if output.is_ok() { Outcome::Ok } else { Outcome::Failed },
        completeness: Completeness::Complete,
        normalised: Some(source.call(call).1),
        output: output.ok().map(Arc::new),
        defects: Vec::new(),
        gaps: Vec::new(),
        notes: Vec::new(),
    }
}
