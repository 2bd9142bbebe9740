//! The format of the files in `fixtures/scenarios`; `docs/scenarios.md` describes each member.

use ledger::event::Stored;
use ledger::{Event, Objective, Rules};
use llm::playbook::{LeadPlan, Step};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scenario {
    pub(super) lesson: String,
    pub(super) played_by: Vec<By>,
    pub(super) evidence: BTreeMap<String, Piece>,
    #[serde(default)]
    pub(super) rules: Rules,
    /// The tasks that cannot succeed without a recovery, for the script and the playbook alike.
    #[serde(default)]
    pub(super) needs_recovery: Vec<u16>,
    pub(super) agents: Vec<Investigator>,
    pub(super) lead: Lead,
    pub(super) expected: Expected,
    /// Overrides `expected` for the playbook.
    #[serde(default)]
    pub(super) expected_of_playbook: Option<Expected>,
    /// A second run, with the memory that the first one writes.
    #[serde(default)]
    pub(super) second: Option<Second>,
}

/// A run after the first one by the same agents; its scripts are those for their next tasks.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Second {
    /// The evidence of another case; by default the first run's.
    #[serde(default)]
    pub(super) evidence: Option<BTreeMap<String, Piece>>,
    pub(super) expected: Expected,
    #[serde(default)]
    pub(super) expected_of_playbook: Option<Expected>,
}

impl Second {
    /// What is expected for this player.
    pub(super) fn expected(&self, by: By) -> &Expected {
        match by {
            By::Playbook => self.expected_of_playbook.as_ref().unwrap_or(&self.expected),
            By::Script | By::Servers => &self.expected,
        }
    }
}

/// Who plays the scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum By {
    Script,
    Playbook,
    Servers,
}

/// A file of the evidence.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum Piece {
    Text(String),
    Demo(FromDemo),
    Link(Link),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FromDemo {
    pub(super) demo: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Link {
    pub(super) link: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Investigator {
    pub(super) name: String,
    pub(super) objectives: Vec<Objective>,
    #[serde(default)]
    pub(super) steps: Vec<Step>,
    /// The turns of its first task, of its second, and so on.
    #[serde(default)]
    pub(super) replies: Vec<Vec<Turn>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lead {
    #[serde(default)]
    pub(super) plan: LeadPlan,
    pub(super) replies: Vec<Turn>,
}

/// The parts of a reply, in order.
pub(super) type Turn = Vec<Said>;

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum Said {
    Words(String),
    Call(Call),
    Hangs(Hangs),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    pub(super) tool: String,
    #[serde(default)]
    pub(super) arguments: Map<String, Value>,
    #[serde(default)]
    pub(super) id: Option<String>,
    #[serde(default)]
    pub(super) prose_behind: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hangs {
    pub(super) hangs: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expected {
    pub(super) tasks: BTreeMap<u16, ExpectedTask>,
    /// Exactly these tasks have a recovery.
    pub(super) recovering: Vec<u16>,
    #[serde(default)]
    pub(super) sequences: Vec<Vec<EventPattern>>,
    #[serde(default)]
    pub(super) never: Vec<EventPattern>,
    pub(super) counts: Counts,
    #[serde(default)]
    pub(super) told: Vec<Told>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectedTask {
    pub(super) agent: String,
    pub(super) status: String,
    #[serde(default)]
    pub(super) spent: Option<String>,
    /// Whether the lead was told that the task is accepted; the lead's own task has no lead.
    #[serde(default)]
    pub(super) accepted: Option<bool>,
    #[serde(default)]
    pub(super) answers: BTreeMap<String, String>,
    /// The confidence of answers in a word.
    #[serde(default)]
    pub(super) confidence: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EventPattern {
    pub(super) task: Option<u16>,
    pub(super) event: String,
    #[serde(default)]
    pub(super) fields: Map<String, Value>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Counts {
    pub(super) executed: Option<usize>,
    pub(super) from_other_tasks: Option<usize>,
    pub(super) from_own_log: Option<usize>,
    pub(super) recoveries: Option<usize>,
    pub(super) artifacts: Option<usize>,
    pub(super) facts: Option<usize>,
    pub(super) statements: Option<usize>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Told {
    pub(super) task: u16,
    #[serde(default = "first")]
    pub(super) turn: u32,
    #[serde(default)]
    pub(super) has: Vec<String>,
    #[serde(default)]
    pub(super) lacks: Vec<String>,
}

fn first() -> u32 {
    1
}

impl Scenario {
    /// Parses a scenario. Fails if it refers to events or fields that do not exist.
    pub(super) fn read(text: &str) -> Result<Scenario, String> {
        let scenario: Scenario = serde_json::from_str(text).map_err(|error| error.to_string())?;
        for agent in &scenario.agents {
            llm::playbook::check(&agent.steps).map_err(|error| error.to_string())?;
        }
        let second = scenario.second.iter();
        let second = second.flat_map(|it| std::iter::once(&it.expected).chain(&it.expected_of_playbook));
        let expected =
            std::iter::once(&scenario.expected).chain(&scenario.expected_of_playbook).chain(second);
        let mut patterns = expected.flat_map(|it| it.sequences.iter().flatten().chain(&it.never));
        patterns.try_for_each(EventPattern::check)?;
        Ok(scenario)
    }

    /// What is expected for this player.
    pub(super) fn expected(&self, by: By) -> &Expected {
        match by {
            By::Playbook => self.expected_of_playbook.as_ref().unwrap_or(&self.expected),
            By::Script | By::Servers => &self.expected,
        }
    }
}

impl EventPattern {
    /// Fails if the event or a field does not exist: a misspelt one could never occur.
    fn check(&self) -> Result<(), String> {
        let event = |fields: Value| {
            let read =
                Event::from_stored(json!({"event": self.event, "fields": fields}).to_string().as_bytes());
            read.err().map(|error| error.to_string()).unwrap_or_default()
        };
        let told = event(Value::Null);
        if told.contains("unknown variant") {
            return Err(told);
        }
        for field in self.fields.keys() {
            let told = event(json!({ field.as_str(): null }));
            if told.contains("unknown field") {
                return Err(format!("{}: {told}", self.event));
            }
        }
        Ok(())
    }

    /// Whether an event of this task matches the pattern.
    pub(super) fn fits(&self, task: u16, event: &Value) -> bool {
        self.task.is_none_or(|wanted| wanted == task)
            && event["event"] == self.event
            && self.fields.iter().all(|(name, wanted)| holds(wanted, &event["fields"][name]))
    }
}

/// Whether `found` contains everything that is wanted: all members of an object, the items of a list in order,
/// and the whole text, or a text that its pattern matches.
fn holds(wanted: &Value, found: &Value) -> bool {
    match (wanted, found) {
        (Value::Object(wanted), Value::Object(found)) => {
            wanted.iter().all(|(name, wanted)| found.get(name).is_some_and(|found| holds(wanted, found)))
        }
        (Value::Array(wanted), Value::Array(found)) => {
            let mut found = found.iter();
            let in_order = wanted.iter().all(|wanted| found.any(|found| holds(wanted, found)));
            // An empty wanted list matches only an empty list.
            in_order && (!wanted.is_empty() || found.len() == 0)
        }
        (Value::String(wanted), Value::String(found)) if wanted.contains('*') => {
            ledger::pattern::fits(wanted, found)
        }
        (wanted, found) => wanted == found,
    }
}
