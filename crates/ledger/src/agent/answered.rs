//! Which calls could answer an objective.

use super::{Objective, Way};
use crate::searched::{SOURCE, SearchedBy, Sources};
use crate::tool::ToolSpec;
use serde_json::Value;

/// The argument that makes it count records instead of returning them ([`ToolSpec::counts`]).
const COUNT_BY: &str = "count_by";

impl Objective {
    /// Checks whether a call of the tool that `spec` describes could have answered it in one of its ways.
    pub fn may_be_answered_by(&self, spec: &ToolSpec, arguments: &Value) -> bool {
        self.ways().any(|way| way.may_be_answered_by(spec, arguments))
    }
}

impl<'o> Way<'o> {
    /// Returns the searches that list a kind of source, each with what it lists.
    pub fn kinds(self) -> impl Iterator<Item = (&'o SearchedBy, &'o Sources)> {
        self.searched.iter().filter_map(|by| Some((by, by.sources.as_ref()?)))
    }

    /// Returns the searches of everything at once.
    pub fn plain(self) -> impl Iterator<Item = &'o SearchedBy> {
        self.searched.iter().filter(|by| by.sources.is_none())
    }

    /// Checks whether a call of the tool that `spec` describes could have answered in this way.
    /// Its records must be of the condition's type, and its arguments must not ask for anything else.
    pub fn may_be_answered_by(self, spec: &ToolSpec, arguments: &Value) -> bool {
        let source =
            arguments.get(SOURCE).and_then(Value::as_str).and_then(|source| spec.sources.get(source));
        let counts = spec.counts.as_ref().filter(|_| arguments.get(COUNT_BY).is_some());
        let returns = match (counts, source) {
            (Some(counts), _) => *counts == self.condition.record,
            (None, Some(types)) => types.contains(&self.condition.record),
            (None, None) => spec.records.iter().any(|known| known.name == self.condition.record),
        };
        let asked = arguments.get("record").and_then(Value::as_str);
        let asks = counts.is_some() || asked.is_none_or(|asked| asked == self.condition.record);
        let mut known = self.searched.iter().filter(|by| by.tool == spec.name).peekable();
        let fits = known.peek().is_none() || known.any(|by| !by.is_contradicted(arguments, source.is_some()));
        returns && asks && fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_call_may_answer_what_its_source_gives() {
        let objective: Objective = serde_json::from_value(json!({
            "id": "o", "question": "?",
            "condition": { "predicate": "p", "record": "logon", "subject": "*", "field": "time" },
            "searched": [{ "tool": "records", "arguments": { "source": "event_log", "record": "logon" } }],
        }))
        .unwrap();
        let record = |name: &str| json!({ "name": name, "meaning": "", "subject": "", "fields": {} });
        let spec: ToolSpec = serde_json::from_value(json!({
            "name": "records", "class": "INVESTIGATE", "description": "", "arguments": {}, "covers": [],
            "records": [record("logon"), record("prefetch")],
            "sources": { "event_log": ["logon"], "logons": ["logon"], "prefetch": ["prefetch"] },
            "counts": "record_count",
        }))
        .unwrap();
        for (arguments, may) in [
            (json!({ "record": "logon" }), true),
            (json!({ "source": "logons" }), true),
            (json!({ "source": "event_log", "text": "x" }), true),
            (json!({ "source": "prefetch" }), false),
            (json!({ "source": "logons", "record": "prefetch" }), false),
            (json!({ "record": "prefetch" }), false),
            (json!({}), true),
            // A count says nothing about the records that it counts.
            (json!({ "record": "logon", "count_by": "account" }), false),
        ] {
            assert_eq!(objective.may_be_answered_by(&spec, &arguments), may, "{arguments}");
        }
    }
}
