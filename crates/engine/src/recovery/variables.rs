//! The variables that strategy templates take from an earlier call or from a fact.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Variables by name.
pub(super) type Variables = BTreeMap<&'static str, String>;

/// The longest text in a variable, in characters.
const LONGEST: usize = 200;
/// The shortest name that is worth a search.
const SHORTEST_NAME: usize = 3;
/// Folders that contain a folder for each user.
const PROFILES: [&str; 2] = ["users", "documents and settings"];

/// Returns the variables of a call's arguments; the arguments as used take precedence, because they are spelled as in the evidence.
pub(super) fn of_call(arguments: &Value, used: Option<&Value>) -> Variables {
    let text = |name: &str| {
        let given = arguments.get(name)?.as_str()?;
        let used = used.and_then(|used| used.get(name)?.as_str());
        let text = used.unwrap_or(given).trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let mut found = Variables::new();
    for name in [
        "evidence", "path", "hive", "key", "channel", "ids", "record", "provider", "user", "text",
        "artifact", "source", "where",
    ] {
        put(&mut found, name, text(name));
    }
    put(&mut found, "from", text("from").or_else(|| text("around")));
    put(&mut found, "to", text("to").or_else(|| text("around")));
    let place = text("path").or_else(|| text("name")).or_else(|| text("under"));
    place.iter().for_each(|place| of_path(&mut found, place));
    text("key").iter().for_each(|key| of_key(&mut found, key));
    found
}

/// Returns the variables of a fact's subject.
pub(super) fn of_subject(subject: &str, evidence: &str) -> Variables {
    let mut found = Variables::new();
    put(&mut found, "evidence", Some(evidence.to_owned()));
    put(&mut found, "subject", Some(subject.to_owned()));
    of_path(&mut found, subject);
    found
}

fn put(found: &mut Variables, name: &'static str, text: Option<String>) {
    if let Some(text) =
        text.filter(|text| text.chars().count() <= LONGEST && !text.contains(char::is_control))
    {
        found.insert(name, text);
    }
}

/// Adds `name`, `stem`, `parent` and, below a user's folder, `owner` and `below_user`.
fn of_path(found: &mut Variables, path: &str) {
    let parts: Vec<&str> = path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != "**").collect();
    let Some((last, above)) = parts.split_last() else { return };
    let name = plain(last);
    put(found, "stem", name.and_then(stem).map(str::to_owned));
    put(found, "name", name.map(str::to_owned));
    put(
        found,
        "parent",
        (!above.is_empty() && above.iter().all(|part| is_plain(part))).then(|| above.join("/")),
    );
    let profiles = above.iter().position(|part| PROFILES.contains(&part.to_lowercase().as_str()));
    let behind = profiles.and_then(|at| parts.get(at + 1..)?.split_first());
    if let Some((owner, below)) = behind.filter(|(_, below)| !below.is_empty()) {
        put(found, "owner", is_plain(owner).then(|| (*owner).to_owned()));
        put(found, "below_user", below.iter().all(|part| is_plain(part)).then(|| below.join("/")));
    }
}

/// Adds `leaf`, `key_parent` and `other_set`.
fn of_key(found: &mut Variables, key: &str) {
    let parts: Vec<&str> = key.split(['\\', '/']).filter(|part| !part.is_empty()).collect();
    let Some((leaf, above)) = parts.split_last() else { return };
    put(found, "leaf", plain(leaf).map(str::to_owned));
    put(found, "key_parent", (!above.is_empty()).then(|| above.join("\\")));
    let set = parts.iter().position(|part| part.to_lowercase().starts_with("controlset"));
    let current = parts.iter().position(|part| part.eq_ignore_ascii_case("CurrentControlSet"));
    let Some(at) = set.or(current) else { return };
    let is_first = parts.get(at).is_some_and(|part| !part.ends_with("002"));
    let other = if is_first { "ControlSet002" } else { "ControlSet001" };
    let below = parts.get(at + 1..).unwrap_or_default();
    let path = std::iter::once(other).chain(below.iter().copied()).collect::<Vec<_>>();
    put(found, "other_set", Some(path.join("\\")));
}

/// Returns a name without the asterisks around it; `None` if it is a pattern for many names, or too short.
fn plain(name: &str) -> Option<&str> {
    let name = name.trim_matches('*').trim();
    let is_name = is_plain(name) && !name.starts_with('.') && name.chars().count() >= SHORTEST_NAME;
    is_name.then_some(name)
}

fn is_plain(name: &str) -> bool {
    !name.contains(['*', '?', '{', '}', '|', '\n'])
}

/// Returns a name without its extension.
fn stem(name: &str) -> Option<&str> {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    (stem.chars().count() >= SHORTEST_NAME).then_some(stem)
}

/// Returns the arguments with their variables filled in; `None` if one is missing.
pub(super) fn fill(template: &Map<String, Value>, variables: &Variables) -> Option<Map<String, Value>> {
    let mut filled = Map::new();
    for (name, value) in template {
        let Value::String(text) = value else {
            filled.insert(name.clone(), value.clone());
            continue;
        };
        match fill_text(text, variables) {
            Filled::Text(text) => drop(filled.insert(name.clone(), Value::String(text))),
            Filled::LeftOut => {}
            Filled::Missing => return None,
        }
    }
    Some(filled)
}

enum Filled {
    Text(String),
    LeftOut,
    Missing,
}

fn fill_text(text: &str, variables: &Variables) -> Filled {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((name, behind)) = after.split_once('}') else { break };
        let (name, may_miss) = name.strip_suffix('?').map_or((name, false), |name| (name, true));
        let is_variable = !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
        match variables.get(name) {
            Some(value) => filled.push_str(value),
            None if is_variable && may_miss => return Filled::LeftOut,
            None if is_variable => return Filled::Missing,
            // Alternatives of a pattern: `{a,b}`.
            None => filled.extend(["{", name, "}"]),
        }
        rest = behind;
    }
    filled.push_str(rest);
    Filled::Text(filled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn of(arguments: Value) -> Variables {
        of_call(&arguments, None)
    }

    #[test]
    fn a_path_gives_its_name_and_where_it_lay_below_a_user() {
        let found = of(json!({"path": r"C:\Users\bob\AppData\evil.exe"}));
        assert_eq!((found["name"].as_str(), found["stem"].as_str()), ("evil.exe", "evil"));
        assert_eq!((found["owner"].as_str(), found["below_user"].as_str()), ("bob", "AppData/evil.exe"));
        assert_eq!(found["parent"], "C:/Users/bob/AppData");
        assert_eq!(of(json!({"path": "p1/Users/bob"})).get("below_user"), None);
    }

    #[test]
    fn a_pattern_for_many_names_gives_none() {
        for name in ["**/Users/*", "*.evtx", "*.{exe,dll}", "a?", "*", "ab"] {
            assert_eq!(of(json!({"name": name})).get("name"), None, "{name}");
        }
        assert_eq!(of(json!({"name": "**/*mimikatz*"}))["name"], "mimikatz");
    }

    #[test]
    fn a_key_gives_the_same_place_in_the_other_control_set() {
        for (key, other) in [
            (r"HKLM\SYSTEM\CurrentControlSet\Services\X", r"ControlSet002\Services\X"),
            (r"ControlSet002\Services\X", r"ControlSet001\Services\X"),
        ] {
            assert_eq!(of(json!({"key": key}))["other_set"], other);
        }
        assert_eq!(of(json!({"key": r"Software\X"})).get("other_set"), None);
    }

    #[test]
    fn what_was_used_is_spelled_as_the_evidence_is() {
        let found = of_call(&json!({"path": "c:/a.txt"}), Some(&json!({"path": "p1/A.TXT", "hive": "p1/H"})));
        assert_eq!(found["name"], "A.TXT");
        assert_eq!(found.get("hive"), None, "only what the agent gave");
    }

    #[test]
    fn conditions_are_taken_as_they_were_written() {
        let found =
            of(json!({"source": "event_log", "where": "account = '{x}' AND event_id IN (4624, 4625)"}));
        let template = json!({"source": "{source}", "where": "{where?}"});
        let filled = fill(template.as_object().unwrap(), &found).unwrap();
        assert_eq!(filled["where"], "account = '{x}' AND event_id IN (4624, 4625)");
        let without = fill(template.as_object().unwrap(), &of(json!({"source": "srum"}))).unwrap();
        assert_eq!(Value::Object(without), json!({"source": "srum"}));
    }

    #[test]
    fn a_template_without_its_variable_is_dropped_or_the_member_left_out() {
        let found = of(json!({"path": "x/evil.exe"}));
        let fill = |template: Value| fill(template.as_object().unwrap(), &found);
        let filled = fill(json!({"name": "**/{name}", "evidence": "{evidence?}", "limit": 5})).unwrap();
        assert_eq!(Value::Object(filled), json!({"name": "**/evil.exe", "limit": 5}));
        assert!(fill(json!({"key": "{other_set}"})).is_none());
        let kept = fill(json!({"name": "*{stem}*.{zip,7z}"})).unwrap();
        assert_eq!(kept["name"], "*evil*.{zip,7z}");
    }

    proptest! {
        #[test]
        fn any_arguments_give_variables_that_are_bounded_and_name_no_pattern(
            path in any::<String>(), key in any::<String>()
        ) {
            let found = of(json!({"path": path, "key": key, "name": path}));
            for (name, text) in &found {
                prop_assert!(text.chars().count() <= LONGEST && !text.is_empty(), "{name}");
            }
            for name in ["name", "stem", "leaf"] {
                let is_name = found.get(name).is_none_or(|text| !text.contains(['*', '?', '{', '}']));
                prop_assert!(is_name, "{name}");
            }
        }
    }
}
