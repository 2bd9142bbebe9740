//! Labels the events that should be flagged: those that a public Sigma rule of level medium or above matches,
//! according to a third-party engine.

use super::recordings;
use artifacts::event_text::{self, TextFound, begins};
use artifacts::evtx::{self, Event, Found};
use rsigma_eval::{Engine, JsonEvent};
use rsigma_parser::{Level, LogSource, parse_sigma_yaml};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

/// The labels of a file.
#[derive(Default)]
pub(super) struct Labels {
    /// The number of its events.
    pub(super) read: usize,
    /// The labelled events, by offset.
    pub(super) events: BTreeMap<u64, Label>,
}

/// The reason why an event should be flagged.
pub(super) struct Label {
    /// The rule with the highest level.
    pub(super) title: String,
    /// The tactics that its rules name.
    pub(super) tactics: BTreeSet<String>,
}

/// The rules, by the events that they apply to.
pub(super) struct Rules {
    engines: BTreeMap<Kind, Engine>,
    number: usize,
}

/// The events that a rule applies to, by its log source.
type Kind = &'static str;

impl Rules {
    pub(super) fn read(sigma: &Path) -> io::Result<Rules> {
        let mut engines: BTreeMap<Kind, Engine> = BTreeMap::new();
        let mut number = 0;
        for text in recordings::rules(sigma)? {
            let Ok(found) = parse_sigma_yaml(&text) else { continue };
            for rule in found.rules {
                let is_meant = matches!(rule.level, Some(Level::Medium | Level::High | Level::Critical));
                let Some(kind) = kind(&rule.logsource).filter(|_| is_meant) else { continue };
                number += usize::from(engines.entry(kind).or_default().add_rule(&rule).is_ok());
            }
        }
        Ok(Rules { engines, number })
    }

    pub(super) fn len(&self) -> usize {
        self.number
    }
}

/// The kinds of log sources that events have, with Sigma's names.
const KINDS: [Kind; 33] = [
    "process_creation",
    "file_change",
    "network_connection",
    "driver_load",
    "image_load",
    "create_remote_thread",
    "raw_access_thread",
    "process_access",
    "file_event",
    "registry_add",
    "registry_delete",
    "registry_set",
    "registry_event",
    "registry_rename",
    "create_stream_hash",
    "pipe_created",
    "wmi_event",
    "dns_query",
    "file_delete",
    "process_tampering",
    "ps_script",
    "ps_module",
    "ps_classic_start",
    "ps_classic_provider_start",
    "security",
    "system",
    "sysmon",
    "windefend",
    "taskscheduler",
    "wmi",
    "applocker",
    "bits-client",
    "terminalservices-localsessionmanager",
];

fn kind(source: &LogSource) -> Option<Kind> {
    let name = source.category.as_deref().or(source.service.as_deref())?;
    KINDS.iter().find(|kind| **kind == name).copied()
}

/// Returns the kinds of an event, by its channel and id.
fn kinds(channel: &str, id: u32) -> Vec<Kind> {
    let channel = channel.to_lowercase();
    match channel.as_str() {
        "microsoft-windows-sysmon/operational" => {
            let mut kinds = vec!["sysmon"];
            kinds.extend(match id {
                1 => &["process_creation"][..],
                2 => &["file_change"],
                3 => &["network_connection"],
                6 => &["driver_load"],
                7 => &["image_load"],
                8 => &["create_remote_thread"],
                9 => &["raw_access_thread"],
                10 => &["process_access"],
                11 => &["file_event"],
                12 => &["registry_add", "registry_delete", "registry_event"],
                13 => &["registry_set", "registry_event"],
                14 => &["registry_rename", "registry_event"],
                15 => &["create_stream_hash"],
                17 | 18 => &["pipe_created"],
                19..=21 => &["wmi_event"],
                22 => &["dns_query"],
                23 | 26 => &["file_delete"],
                25 => &["process_tampering"],
                _ => &[],
            });
            kinds
        }
        "security" if id == 4688 => vec!["security", "process_creation"],
        "security" => vec!["security"],
        "system" => vec!["system"],
        "microsoft-windows-powershell/operational" if id == 4104 => vec!["ps_script"],
        "microsoft-windows-powershell/operational" if id == 4103 => vec!["ps_module"],
        "windows powershell" if id == 400 => vec!["ps_classic_start"],
        "windows powershell" if id == 600 => vec!["ps_classic_provider_start"],
        "microsoft-windows-windows defender/operational" => vec!["windefend"],
        "microsoft-windows-taskscheduler/operational" => vec!["taskscheduler"],
        "microsoft-windows-wmi-activity/operational" => vec!["wmi"],
        "microsoft-windows-bits-client/operational" => vec!["bits-client"],
        "microsoft-windows-terminalservices-localsessionmanager/operational" => {
            vec!["terminalservices-localsessionmanager"]
        }
        other if other.starts_with("microsoft-windows-applocker/") => vec!["applocker"],
        _ => Vec::new(),
    }
}

/// Returns the labels of a file.
pub(super) fn of(bytes: &[u8], rules: &Rules) -> Labels {
    let mut labels = Labels::default();
    if evtx::is_log(bytes) {
        let _: ControlFlow<()> = evtx::read_bytes(bytes, &mut |found| {
            if let Found::Event(event) = found {
                labels.add(&event, rules);
            }
            ControlFlow::Continue(())
        });
    } else if let Some(begun) = begins(bytes.get(..4096).unwrap_or(bytes)) {
        let mut rest = bytes;
        let mut next = |buffer: &mut [u8]| io::Read::read(&mut rest, buffer);
        let _: io::Result<ControlFlow<()>> = event_text::read(begun, &mut next, &mut |found| {
            if let TextFound::Event(event) = found {
                labels.add(&event, rules);
            }
            ControlFlow::Continue(())
        });
    }
    labels
}

impl Labels {
    fn add(&mut self, event: &Event<'_>, rules: &Rules) {
        self.read += 1;
        let kinds = kinds(&event.system.channel, event.system.event_id);
        let mut value = None;
        let mut found = Vec::new();
        for kind in kinds {
            let Some(engine) = rules.engines.get(kind) else { continue };
            let value = value.get_or_insert_with(|| fields(event));
            found.extend(engine.evaluate(&JsonEvent::borrow(value)));
        }
        found.sort_by_key(|one| {
            std::cmp::Reverse(one.level.map(|level| match level {
                Level::Critical => 3,
                Level::High => 2,
                Level::Medium => 1,
                Level::Low | Level::Informational => 0,
            }))
        });
        let Some(first) = found.first() else { return };
        let tags = found.iter().flat_map(|one| &one.tags);
        let tactics = tags.filter_map(|tag| tag.strip_prefix("attack.")).filter(|tag| TACTICS.contains(tag));
        let label = Label { title: first.rule_title.clone(), tactics: tactics.map(str::to_owned).collect() };
        self.events.insert(event.offset, label);
    }
}

/// The ATT&CK tactics, in the notation of Sigma's tags.
const TACTICS: [&str; 15] = [
    "reconnaissance",
    "resource-development",
    "initial-access",
    "execution",
    "persistence",
    "privilege-escalation",
    "stealth",
    "defense-impairment",
    "credential-access",
    "discovery",
    "lateral-movement",
    "collection",
    "command-and-control",
    "exfiltration",
    "impact",
];

/// Returns the fields of an event under the names that Sigma rules use.
fn fields(event: &Event<'_>) -> Value {
    let system = &event.system;
    let mut fields: Map<String, Value> = Map::new();
    for (name, value) in event.data() {
        fields.entry(name.into_owned()).or_insert_with(|| json!(value));
    }
    fields.insert("EventID".to_owned(), json!(system.event_id));
    fields.insert("Channel".to_owned(), json!(system.channel));
    fields.insert("Provider_Name".to_owned(), json!(system.provider));
    fields.insert("Computer".to_owned(), json!(system.computer));
    if system.event_id == 4688 {
        for (from, to) in
            [("NewProcessName", "Image"), ("ParentProcessName", "ParentImage"), ("SubjectUserName", "User")]
        {
            if let Some(value) = fields.get(from).cloned() {
                fields.entry(to.to_owned()).or_insert(value);
            }
        }
    }
    Value::Object(fields)
}
