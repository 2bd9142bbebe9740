//! The strategies as defined in their files:
//! `data/recovery.toml`, and for earlier runs `data/recovery-doubts-before-9.toml` and `data/recovery-before-6.toml`.

use ledger::event::RecoveryTrigger;
use ledger::pattern::Patterns;
use ledger::{Behaviour, Cause, Outcome};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A way to continue if an objective is unmet.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strategy {
    /// Its name.
    pub id: String,
    /// The instruction for the agent.
    pub told: String,
    /// What triggers it.
    #[serde(default = "where_unmet")]
    pub at: Vec<RecoveryTrigger>,
    /// Calls of which the task must have made one; if empty, it responds to no call.
    #[serde(default)]
    pub after: Vec<After>,
    /// The record type that the objective asks for; `None` for any.
    #[serde(default)]
    pub record: Option<Patterns>,
    /// Whether it also suggests the objective's own searches that were not made.
    #[serde(default)]
    pub searches: bool,
    /// The calls that it suggests.
    #[serde(default, rename = "call")]
    pub calls: Vec<Template>,
}

/// A condition on the calls that a strategy responds to: all members given must hold.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct After {
    /// How they ended.
    pub outcome: Vec<Outcome>,
    /// Their tool; `None` for any.
    #[serde(default)]
    pub tool: Option<Patterns>,
    /// Why they returned no records; `None` for any reason.
    #[serde(default)]
    pub cause: Option<Vec<Cause>>,
    /// Arguments of which they had one; if empty, any arguments.
    #[serde(default)]
    pub given: Vec<String>,
    /// What they asked for: their argument `source`, or `record` if they name no source; `None` for anything.
    #[serde(default)]
    pub reads: Option<Patterns>,
    /// What they did not ask for.
    #[serde(default)]
    pub reads_not: Option<Patterns>,
}

/// A call to suggest. Texts in its arguments may contain variables of the earlier call:
/// `{name}`, or `{name?}` for a member that is left out if the variable is missing.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Template {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    /// Sources and record types that `reads` and `reads_not` refer to by one name.
    #[serde(default)]
    lists: BTreeMap<String, Vec<String>>,
    strategy: Vec<Strategy>,
}

fn where_unmet() -> Vec<RecoveryTrigger> {
    vec![RecoveryTrigger::StepsExhausted, RecoveryTrigger::ApparentCompletion]
}

/// The set of strategies of a run, by its behaviours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edition {
    /// The strategies of this version.
    Now,
    /// The same with fewer event types: before [`Behaviour::ByReference`], which added more of them.
    FewerEvents,
    /// The same, with second sources for answers with low confidence: before [`Behaviour::AnsweredIsDone`].
    WithDoubts,
    /// The strategies before [`Behaviour::OneForRecords`].
    BeforeRecords,
}

impl Edition {
    /// Returns the edition of a run with these behaviours.
    pub fn of(has: impl Fn(Behaviour) -> bool) -> Edition {
        match (has(Behaviour::OneForRecords), has(Behaviour::AnsweredIsDone)) {
            (true, true) if has(Behaviour::ByReference) => Edition::Now,
            (true, true) => Edition::FewerEvents,
            (true, false) => Edition::WithDoubts,
            (false, _) => Edition::BeforeRecords,
        }
    }

    /// Checks whether an answer with low confidence starts a search for a second source.
    pub(super) const fn has_doubts(self) -> bool {
        match self {
            Edition::Now | Edition::FewerEvents => false,
            Edition::WithDoubts | Edition::BeforeRecords => true,
        }
    }
}

/// The name of the list of event types, and that of the list of types that were added later.
const EVENTS: &str = "events";
const LATER: &str = "later_events";

const NOW: &str = include_str!("../../data/recovery.toml");
const DOUBTS: &str = include_str!("../../data/recovery-doubts-before-9.toml");
const BEFORE: &str = include_str!("../../data/recovery-before-6.toml");

/// Returns the strategies in the order in which they are tried.
pub fn strategies(edition: Edition) -> &'static [Strategy] {
    /// The embedded tables. A test reads them, so none is ever empty.
    static TABLES: LazyLock<[Vec<Strategy>; 4]> = LazyLock::new(|| {
        let tables = [(NOW, true), (NOW, false), (DOUBTS, false), (BEFORE, false)];
        let [now, fewer, doubts, before] =
            tables.map(|(text, later)| read(text, later).unwrap_or_default().strategy);
        [now, fewer.clone(), fewer.into_iter().chain(doubts).collect(), before]
    });
    let [now, fewer_events, with_doubts, before] = &*TABLES;
    match edition {
        Edition::Now => now,
        Edition::FewerEvents => fewer_events,
        Edition::WithDoubts => with_doubts,
        Edition::BeforeRecords => before,
    }
}

/// Reads a table and replaces list names by the lists' items; `later` says whether events have the types that were added later.
fn read(text: &str, later: bool) -> Result<Table, toml::de::Error> {
    let mut table: Table = toml::from_str(text)?;
    let more = table.lists.remove(LATER).filter(|_| later).unwrap_or_default();
    table.lists.entry(EVENTS.to_owned()).or_default().extend(more);
    for after in table.strategy.iter_mut().flat_map(|strategy| &mut strategy.after) {
        for patterns in [&mut after.reads, &mut after.reads_not].into_iter().flatten() {
            *patterns = written_out(patterns, &table.lists);
        }
    }
    Ok(table)
}

fn written_out(patterns: &Patterns, lists: &BTreeMap<String, Vec<String>>) -> Patterns {
    let named = match patterns {
        Patterns::One(name) => std::slice::from_ref(name),
        Patterns::Any(names) => names,
    };
    let items = |name: &String| lists.get(name).cloned().unwrap_or_else(|| vec![name.clone()]);
    Patterns::Any(named.iter().flat_map(items).collect())
}

/// Returns what a call asks for: its source, or its record type if it names no source.
pub(super) fn asked_for(arguments: &Value) -> Option<&str> {
    let text = |name| arguments.get(name).and_then(Value::as_str);
    text("source").or_else(|| text("record"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_strategies_can_be_read_and_each_has_a_name_of_its_own_and_something_to_suggest() {
        for (texts, edition) in [
            (vec![NOW], Edition::Now),
            (vec![NOW], Edition::FewerEvents),
            (vec![NOW, DOUBTS], Edition::WithDoubts),
            (vec![BEFORE], Edition::BeforeRecords),
        ] {
            let strategies = strategies(edition);
            let read: usize = texts.into_iter().map(|text| read(text, true).unwrap().strategy.len()).sum();
            assert_eq!(read, strategies.len());
            let names: BTreeSet<_> = strategies.iter().map(|strategy| &strategy.id).collect();
            assert!(names.len() == strategies.len() && names.len() > 10);
            for strategy in strategies {
                assert!(strategy.searches || !strategy.calls.is_empty(), "{}", strategy.id);
                assert!(!strategy.told.is_empty() && !strategy.at.is_empty(), "{}", strategy.id);
            }
        }
    }

    #[test]
    fn every_call_of_records_says_what_it_reads() {
        let calls = || strategies(Edition::WithDoubts).iter().flat_map(|strategy| &strategy.calls);
        let of_records = || calls().filter(|call| call.tool == "records");
        assert!(of_records().count() > 10);
        for call in of_records() {
            let arguments = Value::Object(call.arguments.clone());
            assert!(asked_for(&arguments).is_some_and(|asked| !asked.ends_with("?}")), "{call:?}");
        }
    }

    #[test]
    fn a_list_stands_for_its_items() {
        let lists =
            BTreeMap::from([("events".to_owned(), vec!["event_log".to_owned(), "logon*".to_owned()])]);
        let written = written_out(&Patterns::Any(vec!["events".into(), "srum".into()]), &lists);
        assert!(["event_log", "logons", "srum"].iter().all(|asked| written.fit(asked)));
        assert!(!written.fit("events") && written_out(&"events".into(), &lists).fit("logon"));
        // An unresolved list name would be the only item.
        let afters = strategies(Edition::WithDoubts).iter().flat_map(|strategy| &strategy.after);
        let named = afters.flat_map(|after| [&after.reads, &after.reads_not]).flatten();
        assert!(named.clone().all(|patterns| matches!(patterns, Patterns::Any(all) if all.len() > 2)));
        assert!(named.count() > 4);
    }
}
