//! The arguments that the tools of a run accepted, as its first event declares them, if these are fewer than today.
//!
//! A call that the run's own tool had to refuse was refused, whatever today's tool would return.

use super::log::Call;
use ledger::ToolSpec;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// This argument was introduced together with the naming of fields and with counts of narrowed searches.
const EXCLUDE: &str = "exclude";
const COUNT_BY: &str = "count_by";

/// Before that, a call with one of these arguments could not count.
const NOT_COUNTED: [&str; 2] = ["name", "text"];

/// The arguments that tools have today but did not have in a run, by tool.
pub(super) struct Later(BTreeMap<String, BTreeSet<String>>);

impl Later {
    /// Determines these arguments for a run with the tools `then`.
    pub(super) fn of(then: &[ToolSpec], today: &[ToolSpec]) -> Later {
        let of = |tool: &ToolSpec| {
            let now = today.iter().find(|now| now.name == tool.name)?;
            let (then, now) = (arguments(tool), arguments(now));
            Some((tool.name.clone(), now.difference(&then).cloned().collect()))
        };
        Later(then.iter().filter_map(of).collect())
    }

    /// Whether the tool had to refuse a call that today's tool accepts.
    pub(super) fn refused(&self, call: &Call) -> bool {
        let Some(later) = self.0.get(&call.tool) else { return false };
        let is_given = |name: &str| call.arguments.get(name).is_some_and(|value| !value.is_null());
        let given = call.arguments.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
        let has_later = given.map(|(name, _)| name).any(|name| later.contains(&name.trim().to_lowercase()));
        let counts_narrowed = later.contains(EXCLUDE) && NOT_COUNTED.into_iter().any(is_given);
        has_later || (counts_narrowed && is_given(COUNT_BY))
    }

    /// Whether the tool's refusals name other fields and arguments today.
    pub(super) fn rewords_refusals(&self, tool: &str) -> bool {
        self.0.get(tool).is_some_and(|later| !later.is_empty())
    }
}

fn arguments(tool: &ToolSpec) -> BTreeSet<String> {
    let properties = tool.arguments.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().map(|(name, _)| name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::ToolClass;
    use serde_json::json;

    fn tool(name: &str, arguments: &[&str]) -> ToolSpec {
        let properties: serde_json::Map<_, _> =
            arguments.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
        ToolSpec {
            name: name.to_owned(),
            class: ToolClass::Investigate,
            description: String::new(),
            arguments: json!({ "properties": properties }),
            records: Vec::new(),
            sources: BTreeMap::new(),
            counts: None,
            covers: Vec::new(),
        }
    }

    #[test]
    fn a_call_is_refused_by_the_schema_of_its_own_run() {
        let old = [tool("records", &["count_by", "name", "text"]), tool("timeline", &["text"])];
        let today =
            [tool("records", &["count_by", "exclude", "name", "text"]), tool("timeline", &["fold", "text"])];
        let later = Later::of(&old, &today);
        for (tool, arguments, refused) in [
            ("records", json!({ "exclude": "vmware" }), true),
            ("records", json!({ "Exclude": "vmware" }), true),
            ("records", json!({ "exclude": null }), false),
            ("records", json!({ "count_by": "name", "text": "x" }), true),
            ("records", json!({ "count_by": "name", "name": "x" }), true),
            ("records", json!({ "count_by": "name" }), false),
            ("records", json!({ "text": "x" }), false),
            ("timeline", json!({ "fold": true }), true),
            ("timeline", json!({ "exclude": "x" }), false),
            ("hash_file", json!({ "exclude": "x" }), false),
        ] {
            let call = Call { tool: tool.to_owned(), arguments, recorded: Vec::new() };
            assert_eq!(later.refused(&call), refused, "{tool} {}", call.arguments);
            assert!(!Later::of(&today, &today).refused(&call), "{tool} {}", call.arguments);
        }
        assert!(later.rewords_refusals("records") && !later.rewords_refusals("hash_file"));
        assert!(!Later::of(&today, &today).rewords_refusals("records"));
    }
}
