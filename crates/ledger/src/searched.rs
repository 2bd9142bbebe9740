//! Searches that are wide enough to show that nothing answers an objective.
//!
//! A call is recognised by its arguments as the agent wrote them: an additional member makes it a different, narrower search.

use crate::case::{EvidenceEntry, EvidenceKind};
use crate::pattern::Patterns;
use crate::placement::tells_of_host;
use crate::record::Record;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The argument that tells a tool what to read ([`crate::tool::ToolSpec::sources`]).
pub(crate) const SOURCE: &str = "source";

/// A search that is wide enough to show that nothing answers an objective.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchedBy {
    /// The tool.
    pub tool: String,
    /// Its arguments: a call with these members and values, and otherwise only members of `free`, searched everything.
    #[serde(default)]
    pub arguments: BTreeMap<String, Value>,
    /// Members that do not narrow a search, such as a limit.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub free: BTreeSet<String>,
    /// The listed sources, if this call lists sources that could answer and is not itself the search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources: Option<Sources>,
}

/// A kind of source that could answer, as a listing shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sources {
    /// Patterns by field: a listed record must match one in each field to be such a source; if empty, every record is one.
    #[serde(default)]
    pub when: BTreeMap<String, Patterns>,
    /// Patterns by field of which it must match none: sources that are known to answer nothing need not be searched.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unless: BTreeMap<String, Patterns>,
    /// The kind of evidence that such a record must come from; `None` for any.
    ///
    /// A listing of an image shows what a volume holds, a listing of a collection only what was collected.
    /// If the absence of a source answers the question, the volume is the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<EvidenceKind>,
    /// What the evidence lacks if a complete listing has no such record: then the objective is not determinable.
    pub needed: String,
    /// How each of them is searched; `None` if the listing only says whether there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub each: Option<EachSource>,
}

/// The search of one listed source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EachSource {
    /// The tool.
    pub tool: String,
    /// The arguments that are the same for each source.
    #[serde(default)]
    pub arguments: BTreeMap<String, Value>,
    /// For each argument, the field of the listed record whose value it must have; `evidence` means the label of the record's evidence.
    pub by: BTreeMap<String, String>,
    /// Members that do not narrow a search.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub free: BTreeSet<String>,
}

impl SearchedBy {
    /// Checks whether a call is this search.
    pub fn is(&self, tool: &str, arguments: &Value) -> bool {
        tool == self.tool
            && arguments.as_object().is_some_and(|given| same(given, &self.arguments, &self.free))
    }

    /// Checks whether it names a source of the tool, which may comprise files of several kinds;
    /// a record type says by itself what it is from.
    pub fn names_source(&self) -> bool {
        self.arguments.contains_key(SOURCE)
    }

    /// Checks whether a call of the tool asks for something other than this search; what a known source returns is checked elsewhere.
    pub(crate) fn is_contradicted(&self, arguments: &Value, source_is_known: bool) -> bool {
        let other = |name: &String, wanted| arguments.get(name).is_some_and(|given| given != wanted);
        self.arguments.iter().any(|(name, wanted)| {
            let is_known = source_is_known && name == SOURCE;
            !is_known && other(name, wanted)
        })
    }
}

impl Sources {
    /// Checks whether a listed record is a source that must be searched.
    pub fn names(&self, record: &Record) -> bool {
        let fits = |(field, patterns): (&String, &Patterns)| {
            value(record, field).is_some_and(|text| patterns.fit(&text))
        };
        self.when.iter().all(fits) && !self.unless.iter().any(fits)
    }

    /// Checks whether it is also such a source by the kind of its evidence.
    pub fn names_in(&self, record: &Record, evidence: &[EvidenceEntry]) -> bool {
        let is_of =
            |kind| evidence.iter().any(|entry| entry.kind == kind && entry.label == record.locator.evidence);
        // A file in another place or of another computer says nothing about the host.
        tells_of_host(record.placement) && self.of.is_none_or(is_of) && self.names(record)
    }
}

impl EachSource {
    /// Checks whether a call searched the source that a listed record names.
    pub fn is(&self, record: &Record, tool: &str, arguments: &Value) -> bool {
        let given = arguments.as_object().filter(|_| tool == self.tool);
        given.zip(self.wanted(record)).is_some_and(|(given, wanted)| same(given, &wanted, &self.free))
    }

    /// Returns the arguments that search the source of a listed record; `None` if the record lacks a field that identifies the source.
    pub fn wanted(&self, record: &Record) -> Option<BTreeMap<String, Value>> {
        let mut wanted = self.arguments.clone();
        for (argument, field) in &self.by {
            wanted.insert(argument.clone(), Value::String(value(record, field)?.into_owned()));
        }
        Some(wanted)
    }
}

/// Writes a call as a person would: `records source=prefetch`.
pub fn written(tool: &str, arguments: &BTreeMap<String, Value>) -> String {
    let mut out = tool.to_owned();
    for (name, value) in arguments {
        let _ = match value {
            Value::String(text) => write!(out, " {name}={text}"),
            other => write!(out, " {name}={other}"),
        };
    }
    out
}

fn same(given: &Map<String, Value>, wanted: &BTreeMap<String, Value>, free: &BTreeSet<String>) -> bool {
    wanted.iter().all(|(name, value)| given.get(name) == Some(value))
        && given.keys().all(|name| wanted.contains_key(name) || free.contains(name))
}

fn value<'r>(record: &'r Record, field: &str) -> Option<Cow<'r, str>> {
    match (record.fields.get(field), field) {
        (Some(field), _) => Some(field.value.to_text()),
        (None, "evidence") => Some(Cow::Borrowed(&record.locator.evidence)),
        (None, "record") => Some(Cow::Borrowed(&record.kind)),
        (None, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Field, FieldValue, Locator, RecordId};
    use serde_json::json;

    fn by(arguments: Value, free: &[&str]) -> SearchedBy {
        let free: Vec<String> = free.iter().map(|name| (*name).to_owned()).collect();
        serde_json::from_value(json!({"tool": "t", "arguments": arguments, "free": free})).unwrap()
    }

    #[test]
    fn a_search_is_its_tool_with_its_members_and_no_narrower_one() {
        let wide = by(json!({"source": "a"}), &["limit"]);
        for (tool, arguments, is) in [
            ("t", json!({"source": "a"}), true),
            ("t", json!({"source": "a", "limit": 5}), true),
            ("t", json!({"source": "a", "text": "x"}), false),
            ("t", json!({"source": "b"}), false),
            ("t", json!({}), false),
            ("t", json!("a"), false),
            ("u", json!({"source": "a"}), false),
        ] {
            assert_eq!(wide.is(tool, &arguments), is, "{tool} {arguments}");
        }
    }

    #[test]
    fn the_search_of_a_source_names_what_the_listing_names() {
        let each: EachSource = serde_json::from_value(json!({
            "tool": "t", "arguments": {"artifact": "a"}, "by": {"hive": "path", "evidence": "evidence"}
        }))
        .unwrap();
        let path = Field { at: None, value: FieldValue::Path("p1/SAM".into()) };
        let record = Record {
            placement: None,
            defects: vec![],
            fields: BTreeMap::from([("path".to_owned(), path)]),
            id: RecordId(0),
            kind: "hive".into(),
            locator: Locator { evidence: "e".into(), path: "p1/SAM".into(), stream: None, span: None },
        };
        assert!(each.is(&record, "t", &json!({"artifact": "a", "hive": "p1/SAM", "evidence": "e"})));
        assert!(!each.is(&record, "t", &json!({"artifact": "a", "hive": "p1/SAM", "evidence": "f"})));
        assert!(!each.is(&record, "t", &json!({"artifact": "a", "hive": "p1/SAM"})));
        let sources = |when| Sources {
            when: serde_json::from_value(when).unwrap(),
            unless: BTreeMap::new(),
            of: None,
            needed: String::new(),
            each: None,
        };
        assert!(sources(json!({})).names(&record) && sources(json!({"record": "hive"})).names(&record));
        assert!(!sources(json!({"hive_type": "SAM"})).names(&record));
        let unless = BTreeMap::from([("path".to_owned(), "*/SAM".into())]);
        assert!(!Sources { unless, ..sources(json!({})) }.names(&record));
        let of_image = Sources { of: Some(EvidenceKind::Image), ..sources(json!({})) };
        for (label, kind, is) in [
            ("e", EvidenceKind::Image, true),
            ("e", EvidenceKind::Archive, false),
            ("f", EvidenceKind::Image, false),
        ] {
            let entry =
                EvidenceEntry { in_place: Vec::new(), label: label.into(), kind, expected_sha256: None };
            assert_eq!(of_image.names_in(&record, &[entry]), is, "{label} {kind:?}");
        }
        assert!(sources(json!({})).names_in(&record, &[]) && !of_image.names_in(&record, &[]));
    }
}
