//! The strategies as they stand in their files: `data/recovery.toml`, and for earlier runs `data/recovery-doubts-before-9.toml` and `data/recovery-before-6.toml`.

use ledger::event::RecoveryTrigger;
use ledger::pattern::Patterns;
use ledger::{Behaviour, Cause, Outcome};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A way to go on where an objective is unmet.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strategy {
    /// Its name.
    pub id: String,
    /// What the agent is told to do.
    pub told: String,
    /// What sets it off.
    #[serde(default = "where_unmet")]
    pub at: Vec<RecoveryTrigger>,
    /// Calls of which the task must have made one; none: it answers no call.
    #[serde(default)]
    pub after: Vec<After>,
    /// The record type that the objective asks for; none: any.
    #[serde(default)]
    pub record: Option<Patterns>,
    /// Whether the objective's own searches, as far as they were not made, are suggested too.
    #[serde(default)]
    pub searches: bool,
    /// The calls that it suggests.
    #[serde(default, rename = "call")]
    pub calls: Vec<Template>,
}

/// Calls that a strategy answers: all members given must hold.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct After {
    /// How they ended.
    pub outcome: Vec<Outcome>,
    /// Their tool; none: any.
    #[serde(default)]
    pub tool: Option<Patterns>,
    /// Why they came back without records; none: whatever the reason.
    #[serde(default)]
    pub cause: Option<Vec<Cause>>,
    /// Arguments of which they were given one; none: whatever they were given.
    #[serde(default)]
    pub given: Vec<String>,
    /// What they asked for: their argument `source`, or `record` where they name no source; none: whatever they asked for.
    #[serde(default)]
    pub reads: Option<Patterns>,
    /// What they did not ask for.
    #[serde(default)]
    pub reads_not: Option<Patterns>,
}

/// A call to suggest; texts of its arguments may hold variables of the call that is answered: `{name}`, or `{name?}` for a member that is left out where the variable is missing.
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
    /// Sources and record types that `reads` and `reads_not` call by one name.
    #[serde(default)]
    lists: BTreeMap<String, Vec<String>>,
    strategy: Vec<Strategy>,
}

fn where_unmet() -> Vec<RecoveryTrigger> {
    vec![RecoveryTrigger::StepsExhausted, RecoveryTrigger::ApparentCompletion]
}

/// Which strategies a run has, by its behaviours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edition {
    /// Those of this version.
    Now,
    /// The same, of fewer types of events: before [`Behaviour::ByReference`], with which more of them came.
    FewerEvents,
    /// The same, and second sources for what is answered with little confidence: before [`Behaviour::AnsweredIsDone`].
    WithDoubts,
    /// Before [`Behaviour::OneForRecords`].
    BeforeRecords,
}

impl Edition {
    /// That of a run with these behaviours.
    pub fn of(has: impl Fn(Behaviour) -> bool) -> Edition {
        match (has(Behaviour::OneForRecords), has(Behaviour::AnsweredIsDone)) {
            (true, true) if has(Behaviour::ByReference) => Edition::Now,
            (true, true) => Edition::FewerEvents,
            (true, false) => Edition::WithDoubts,
            (false, _) => Edition::BeforeRecords,
        }
    }

    /// Whether an answer of little confidence sets off a search for a second source.
    pub(super) const fn has_doubts(self) -> bool {
        match self {
            Edition::Now | Edition::FewerEvents => false,
            Edition::WithDoubts | Edition::BeforeRecords => true,
        }
    }
}

/// The list of types of events, and that of those which came later.
const EVENTS: &str = "events";
const LATER: &str = "later_events";

const NOW: &str = include_str!("../../data/recovery.toml");
const DOUBTS: &str = include_str!("../../data/recovery-doubts-before-9.toml");
const BEFORE: &str = include_str!("../../data/recovery-before-6.toml");

/// The strategies in the order in which they are tried.
pub fn strategies(edition: Edition) -> &'static [Strategy] {
    /// Embedded, and read by a test: none is ever empty.
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

/// A table with the items of its lists in place of their names; `later` says whether events have the types that came later.
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

/// What a call asks for: its source, or its record type where it names no source.
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
        // The name of no list would stand alone.
        let afters = strategies(Edition::WithDoubts).iter().flat_map(|strategy| &strategy.after);
        let named = afters.flat_map(|after| [&after.reads, &after.reads_not]).flatten();
        assert!(named.clone().all(|patterns| matches!(patterns, Patterns::Any(all) if all.len() > 2)));
        assert!(named.count() > 4);
    }
}
