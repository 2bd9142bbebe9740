//! Argument names: synonyms, and the closest name to a misspelled one.

use crate::error::CallError;
use serde_json::{Map, Value};

/// The synonyms, each with the arguments that it can mean; the first one that the tool has is used.
///
/// A word is listed only if no tool uses it in another sense.
const SYNONYMS: [(&str, &[&str]); 48] = [
    ("artifact", &["source"]),
    ("case_insensitive", &["ignore_case"]),
    ("count", &["limit"]),
    ("dir", &["path", "under"]),
    ("directory", &["path", "under"]),
    ("end", &["to"]),
    ("end_time", &["to"]),
    ("evidence_id", &["evidence"]),
    ("evidence_label", &["evidence"]),
    ("ext", &["extension"]),
    ("file", &["path"]),
    ("file_extension", &["extension"]),
    ("file_name", &["path", "name"]),
    ("file_path", &["path"]),
    ("filename", &["path", "name"]),
    ("filepath", &["path"]),
    ("filter", &["where"]),
    ("folder", &["path", "under"]),
    ("from_time", &["from"]),
    ("glob", &["name"]),
    ("hive_file", &["hive"]),
    ("hive_path", &["hive"]),
    ("key_path", &["key"]),
    ("keyword", &["text"]),
    ("label", &["evidence"]),
    ("max", &["limit"]),
    ("max_count", &["limit"]),
    ("max_depth", &["depth"]),
    ("max_results", &["limit"]),
    ("name_pattern", &["name"]),
    ("needle", &["text"]),
    ("path", &["under"]),
    ("pattern", &["name", "text"]),
    ("query", &["text", "sql"]),
    ("record_type", &["record"]),
    ("recurse", &["recursive"]),
    ("registry_key", &["key"]),
    ("registry_path", &["key"]),
    ("root", &["under"]),
    ("search", &["text"]),
    ("since", &["from", "written_after"]),
    ("skip", &["offset"]),
    ("start_time", &["from"]),
    ("statement", &["sql"]),
    ("string", &["text"]),
    ("to_time", &["to"]),
    ("under", &["path", "key"]),
    ("until", &["to", "written_before"]),
];

/// The least similarity (Jaro-Winkler) at which a name is suggested for another.
const ALIKE: f64 = 0.8;

/// Renames arguments to the names of the schema.
/// A synonym is renamed only if the tool has no argument of that name and the argument that it means was not given.
///
/// Unknown names are kept, for [`unknown`] to refuse.
pub(crate) fn rename(
    given: &Map<String, Value>,
    properties: &Map<String, Value>,
    notes: &mut Vec<String>,
) -> Map<String, Value> {
    let mut renamed: Map<String, Value> = given
        .iter()
        .filter(|(name, _)| properties.contains_key(*name))
        .map(|(n, v)| (n.clone(), v.clone()))
        .collect();
    for (name, value) in given.iter().filter(|(name, _)| !properties.contains_key(*name)) {
        let target = meant(name, properties).filter(|target| !renamed.contains_key(*target));
        if let Some(target) = target {
            notes.push(format!("argument {name:?} was read as {target:?}"));
        }
        renamed.insert(target.unwrap_or(name).to_owned(), value.clone());
    }
    renamed
}

/// Returns the refusal of an argument that the tool does not have.
pub(crate) fn unknown(argument: &str, properties: &Map<String, Value>) -> CallError {
    let plain = plain(argument);
    let likeness = |name: &&String| strsim::jaro_winkler(&plain, name);
    let closest = properties.keys().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    CallError::UnknownArgument {
        argument: argument.to_owned(),
        closest: closest.filter(|name| likeness(name) >= ALIKE).cloned(),
        allowed: properties.keys().cloned().collect(),
    }
}

fn meant<'p>(name: &str, properties: &'p Map<String, Value>) -> Option<&'p str> {
    let plain = plain(name);
    let has = |wanted: &str| properties.keys().find(|name| *name == wanted).map(String::as_str);
    if let Some(same) = has(&plain) {
        return Some(same);
    }
    let (_, targets) = SYNONYMS.iter().find(|(word, _)| *word == plain)?;
    targets.iter().find_map(|target| has(target))
}

/// Writes `maxSize`, `max-size` and `Max Size` as `max_size`.
fn plain(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    let mut small = false;
    for letter in name.trim().chars() {
        if small && letter.is_uppercase() {
            plain.push('_');
        }
        small = letter.is_lowercase();
        plain.extend(if matches!(letter, '-' | ' ') { vec!['_'] } else { letter.to_lowercase().collect() });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn properties(names: &[&str]) -> Map<String, Value> {
        names.iter().map(|name| ((*name).to_owned(), json!({}))).collect()
    }

    #[test]
    fn other_words_are_read_where_they_have_one_meaning() {
        assert!(SYNONYMS.is_sorted());
        for (name, names, expected) in [
            ("maxSize", &["max_size"][..], Some("max_size")),
            ("Max-Results", &["limit"], Some("limit")),
            ("filename", &["name", "path"], Some("path")),
            ("filename", &["name"], Some("name")),
            ("directory", &["under"], Some("under")),
            ("query", &["limit"], None),
            ("depht", &["depth"], None),
        ] {
            assert_eq!(meant(name, &properties(names)), expected, "{name}");
        }
    }

    #[test]
    fn nothing_that_was_given_is_overwritten() {
        let given = json!({ "path": "a", "file": "b" });
        let renamed = rename(given.as_object().unwrap(), &properties(&["path"]), &mut Vec::new());
        assert_eq!(Value::Object(renamed), given);
        let two = json!({ "file": "a", "filename": "b" });
        let renamed = rename(two.as_object().unwrap(), &properties(&["path"]), &mut Vec::new());
        assert_eq!(Value::Object(renamed), json!({ "path": "a", "filename": "b" }));
    }

    #[test]
    fn a_slip_is_answered_with_the_closest_name() {
        let says = |name: &str| unknown(name, &properties(&["depth", "limit", "path"])).to_string();
        assert!(says("depht").contains("(is \"depth\" meant?)"), "{}", says("depht"));
        assert!(!says("zzz").contains("meant"), "{}", says("zzz"));
    }
}
