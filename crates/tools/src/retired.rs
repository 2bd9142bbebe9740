//! Tools of earlier versions that only filtered records, translated to calls of `records`.
//! Runs that called them can be resumed, replayed and verified.
//!
//! They are in no catalogue. The code here never changes, because it defines what recorded calls mean.

use crate::records;
use serde_json::{Map, Value, json};

/// The retired tools, sorted by name, and the source that each read.
const RETIRED: [(&str, Source); 10] = [
    ("browser_history", Source::Given { or: "browsing" }),
    ("logons", Source::Always("logons")),
    ("mft_file", Source::Always("mft")),
    ("persistence", Source::Given { or: "persistence" }),
    ("program_execution", Source::Given { or: "program_execution" }),
    ("query_events", Source::Always("event_log")),
    ("recycle_bin", Source::Given { or: "recycled" }),
    ("registry_artifact", Source::Artifact),
    ("user_activity", Source::Given { or: "user_activity" }),
    ("usn_journal", Source::Journal),
];

/// How a call said what to read.
#[derive(Clone, Copy)]
enum Source {
    Always(&'static str),
    /// The argument `source`, or all of these.
    Given {
        or: &'static str,
    },
    /// The argument `artifact`.
    Artifact,
    /// The argument `per`: name by name, or record by record.
    Journal,
}

/// The most event ids that one condition lists.
const MOST_IDS: u32 = 1000;

/// A call of `records`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Translated {
    pub(crate) arguments: Value,
    /// What to do if no hive can have a source: a tool that read one artifact failed.
    pub(crate) without_hive: WithoutHive,
}

/// What happens to a call for a registry source if no hive can have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WithoutHive {
    Fails,
    IsEmpty,
}

/// Translates a call of a retired tool to one of `records`, or says why no call asks the same; `None` for every other tool.
pub(crate) fn translated(tool: &str, arguments: &Value) -> Option<Result<Translated, &'static str>> {
    let (_, source) = RETIRED.iter().find(|(name, _)| *name == tool)?;
    let without_hive = match source {
        Source::Given { .. } => WithoutHive::IsEmpty,
        Source::Always(_) | Source::Artifact | Source::Journal => WithoutHive::Fails,
    };
    let arguments = match arguments.as_object() {
        Some(given) => translate(*source, given.clone()).map(Value::Object),
        None => Ok(arguments.clone()),
    };
    Some(arguments.map(|arguments| Translated { arguments, without_hive }))
}

/// Returns why a recorded call of a retired tool cannot be repeated; `None` if it can.
pub fn untranslatable(tool: &str, arguments: &Value) -> Option<&'static str> {
    translated(tool, arguments)?.err()
}

/// Returns the tool that replaces a retired one; `None` for every other tool.
pub fn successor(tool: &str) -> Option<&'static str> {
    RETIRED.iter().any(|(name, _)| *name == tool).then_some(records::NAME)
}

fn translate(source: Source, mut given: Map<String, Value>) -> Result<Map<String, Value>, &'static str> {
    if given.contains_key("user") || given.contains_key("provider") {
        return Err("it looked for a user or a provider in what no record holds");
    }
    let source = match source {
        Source::Always(source) => json!(source),
        Source::Given { or } => given.remove("source").unwrap_or_else(|| json!(or)),
        Source::Artifact => given.remove("artifact").unwrap_or_default(),
        Source::Journal => match given.remove("per") {
            Some(_) => json!("usn_names"),
            None => json!("usn_journal"),
        },
    };
    given.insert("source".to_owned(), source);
    let conditions = [channel(&mut given)?, ids(&mut given)?, entry(&mut given), reasons(&mut given)];
    let conditions: Vec<_> = conditions.into_iter().flatten().collect();
    if !conditions.is_empty() {
        given.insert("where".to_owned(), json!(conditions.join(" AND ")));
    }
    Ok(given)
}

/// Translates a pattern with `*` and `?`.
fn channel(given: &mut Map<String, Value>) -> Result<Option<String>, &'static str> {
    let Some(Value::String(pattern)) = given.remove("channel") else { return Ok(None) };
    if !pattern.contains(['*', '?']) {
        return Ok(Some(format!("channel = {}", quoted(&pattern))));
    }
    if pattern.contains(['%', '_']) {
        return Err("its pattern of the channel has signs that LIKE takes for others");
    }
    Ok(Some(format!("channel LIKE {}", quoted(&pattern.replace('*', "%").replace('?', "_")))))
}

/// Translates numbers and ranges of numbers: `4624,7000-7045`.
fn ids(given: &mut Map<String, Value>) -> Result<Option<String>, &'static str> {
    let text = match given.remove("ids") {
        None => return Ok(None),
        Some(Value::String(text)) => text,
        Some(other) => other.to_string(),
    };
    let span = |one: &str| -> Option<(u32, u32)> {
        let (first, last) = one.split_once('-').unwrap_or((one, one));
        Some((first.trim().parse().ok()?, last.trim().parse().ok()?))
    };
    let spans: Option<Vec<_>> =
        text.split(',').map(str::trim).filter(|one| !one.is_empty()).map(span).collect();
    let spans = spans.ok_or("its event ids are none")?;
    if let [(first, last)] = spans.as_slice() {
        return Ok(Some(format!("event_id BETWEEN {first} AND {last}")));
    }
    let all = spans.iter().fold(0_u32, |all, (first, last)| all.saturating_add(last.saturating_sub(*first)));
    if all > MOST_IDS {
        return Err("its spans of event ids are too long to be listed");
    }
    let listed = spans.into_iter().flat_map(|(first, last)| first..=last).map(|id| id.to_string());
    Ok(Some(format!("event_id IN ({})", listed.collect::<Vec<_>>().join(", "))))
}

fn entry(given: &mut Map<String, Value>) -> Option<String> {
    let entry = given.remove("entry")?;
    Some(format!("entry = {}", entry.as_str().map_or_else(|| entry.to_string(), str::to_owned)))
}

/// Translates names, with or without their common prefix.
fn reasons(given: &mut Map<String, Value>) -> Option<String> {
    let reasons = given.remove("reason")?;
    let bare = |name: &str| {
        let name = name.trim().to_ascii_uppercase();
        name.strip_prefix("USN_REASON_").map(str::to_owned).unwrap_or(name)
    };
    let names = reasons.as_str().unwrap_or_default().split(',').map(bare).filter(|name| !name.is_empty());
    let names: Vec<_> = names.map(|name| quoted(&name)).collect();
    (!names.is_empty()).then(|| format!("reasons IN ({})", names.join(", ")))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn recorded_calls_are_calls_of_records() {
        assert!(RETIRED.is_sorted_by_key(|(name, _)| *name));
        for (tool, given, expected) in [
            (
                "registry_artifact",
                json!({ "artifact": "services", "hive": "SYSTEM", "limit": 5 }),
                json!({ "source": "services", "hive": "SYSTEM", "limit": 5 }),
            ),
            ("logons", json!({ "count_by": "record" }), json!({ "source": "logons", "count_by": "record" })),
            ("recycle_bin", json!({}), json!({ "source": "recycled" })),
            ("persistence", json!({ "source": "services" }), json!({ "source": "services" })),
            (
                "query_events",
                json!({ "channel": "*Power'Shell?", "ids": "1,4-6", "record": "event" }),
                json!({
                    "source": "event_log",
                    "record": "event",
                    "where": "channel LIKE '%Power''Shell_' AND event_id IN (1, 4, 5, 6)",
                }),
            ),
            (
                "query_events",
                json!({ "channel": "Security", "ids": "4624-4634" }),
                json!({
                    "source": "event_log",
                    "where": "channel = 'Security' AND event_id BETWEEN 4624 AND 4634",
                }),
            ),
            (
                "usn_journal",
                json!({ "entry": 5, "reason": "file_create, USN_REASON_CLOSE" }),
                json!({
                    "source": "usn_journal",
                    "where": "entry = 5 AND reasons IN ('FILE_CREATE', 'CLOSE')",
                }),
            ),
            ("usn_journal", json!({ "per": "name" }), json!({ "source": "usn_names" })),
        ] {
            let found = translated(tool, &given).unwrap().unwrap();
            assert_eq!(found.arguments, expected, "{tool} {given}");
        }
    }

    #[test]
    fn what_no_call_asks_is_said() {
        for given in [
            json!({ "user": "ann" }),
            json!({ "provider": "x" }),
            json!({ "ids": "1-60000,70000" }),
            json!({ "channel": "a_*" }),
        ] {
            assert!(untranslatable("query_events", &given).is_some(), "{given}");
        }
        assert_eq!(untranslatable("query_events", &json!({})), None);
        assert_eq!(translated("find_files", &json!({})), None);
    }
}
