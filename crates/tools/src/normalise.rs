//! Normalises the arguments of a call before its tool sees them.
//!
//! Models write numbers as texts, quote paths, use environment variables, and name hives as Windows mounts them.
//! An argument's meaning (a path, a pattern, a label, …) follows from its name, which means the same for every tool; see [`role`].
//! Nothing is dropped. If several things could be meant, none is chosen: the call fails and names them.
//! A spelling that exists in the evidence as given is never changed.

use crate::argument_names::rename;
use crate::catalogue::Indexes;
use crate::error::CallError;
use crate::glob;
use crate::hive_choice::{self, by_name, by_prefix};
use crate::{live_path, place, volume};
use artifacts::registry::HiveType;
use evidence::Tree;
use ledger::{ToolSpec, Utc};
use serde_json::{Map, Number, Value, json};

/// The meaning of a text argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A path in the evidence.
    Path,
    /// A pattern of names or paths.
    Pattern,
    /// The label of a piece of evidence.
    Label,
    /// A hive: a path in the evidence, or the name of its mount.
    Hive,
    /// The path of a registry key, which [`crate::key_lookup`] reads.
    Key,
    /// A volume, which [`crate::volume`] reads.
    Volume,
    /// An instant.
    Instant,
    /// Text that is used as it is.
    Verbatim,
}

/// Returns the meaning of an argument with this name; `None` for a name without a meaning here yet.
///
/// A test checks that every text argument of the catalogue has one.
pub(crate) fn role(argument: &str) -> Option<Role> {
    Some(match argument {
        "path" | "under" => Role::Path,
        "name" => Role::Pattern,
        "evidence" => Role::Label,
        "volume" => Role::Volume,
        "hive" => Role::Hive,
        "key" => Role::Key,
        "around" | "from" | "to" | "written_after" | "written_before" => Role::Instant,
        "by" | "exclude" | "extension" | "field" | "text" | "encoding" | "in" | "source" | "sql"
        | "query" | "table" | "wal" | "where" | "record" | "count_by" | "sum" | "stream" | "logs"
        | "with_stream" | "region" | "place" | "level" => Role::Verbatim,
        _ => return None,
    })
}

/// The tools whose `name` is a pattern of entries of the evidence.
const ENTRIES: [&str; 3] = ["find_files", "list_deleted", "search_text"];

/// Arguments, ready to be checked against the schema.
pub(crate) struct Normalised {
    pub(crate) values: Value,
    /// Changes that are not obvious from comparing the values with what was given.
    pub(crate) notes: Vec<String>,
}

/// Normalises what was given; what does not fit the schema is left for the check to refuse.
pub(crate) fn normalise(
    spec: &ToolSpec,
    given: &Value,
    trees: &[Box<dyn Tree>],
    indexes: &Indexes,
) -> Result<Normalised, CallError> {
    let properties = spec.arguments.get("properties").and_then(Value::as_object);
    let (Some(given), Some(properties)) = (given.as_object(), properties) else {
        return Ok(Normalised { values: given.clone(), notes: Vec::new() });
    };
    let mut notes = Vec::new();
    let mut values = rename(given, properties, &mut notes);
    values.retain(|name, value| !(value.is_null() && properties.contains_key(name)));
    for (name, value) in &mut values {
        if let Some(property) = properties.get(name) {
            scalar(property, value);
        }
    }
    label(&mut values, trees);
    key_for_folder(&mut values, properties, &mut notes);
    let evidence = values.get("evidence").and_then(Value::as_str).map(str::to_owned);
    let scope = place::scope(trees, evidence.as_deref())?;
    let of_paths = ENTRIES.contains(&spec.name.as_str());
    for (name, value) in values.iter_mut().filter(|(name, _)| properties.contains_key(*name)) {
        if let (Some(role), Value::String(text)) = (role(name), &mut *value)
            && let Some(changed) = text_of(role, name, text, of_paths, &scope, &mut notes)?
        {
            *value = Value::String(changed);
        }
    }
    if properties.contains_key("hive") {
        let key_needs_hive = required(spec).any(|name| name == "key");
        hive(&mut values, &scope, indexes, key_needs_hive, &mut notes)?;
    }
    Ok(Normalised { values: Value::Object(values), notes })
}

fn required(spec: &ToolSpec) -> impl Iterator<Item = &str> {
    spec.arguments.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// Converts numbers and flags given as texts, texts given as whole numbers, whole numbers given as fractions, and choices in another case.
fn scalar(property: &Value, value: &mut Value) {
    let kind = property.get("type").and_then(Value::as_str).unwrap_or_default();
    let changed = match (kind, &*value) {
        ("integer", Value::String(text)) => {
            let plain: String = text.trim().chars().filter(|letter| !matches!(letter, '_')).collect();
            let digits = plain.bytes().all(|byte| byte.is_ascii_digit());
            plain.parse::<u64>().ok().filter(|_| digits).map(Value::from)
        }
        ("integer", Value::Number(number)) if number.is_f64() => whole(number).map(Value::from),
        ("string", Value::Number(number)) => digits(number).map(Value::from),
        ("boolean", Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
            "true" => Some(json!(true)),
            "false" => Some(json!(false)),
            _ => None,
        },
        ("string", Value::String(text)) => property.get("enum").and_then(Value::as_array).and_then(|all| {
            let same = |choice: &&Value| {
                choice.as_str().is_some_and(|choice| choice.eq_ignore_ascii_case(bare(text)))
            };
            all.iter().find(same).cloned()
        }),
        _ => None,
    };
    if let Some(changed) = changed {
        *value = changed;
    }
}

/// Returns the whole number that a fraction equals.
fn whole(fraction: &Number) -> Option<u64> {
    // Fractions up to 2^53 - 1 represent whole numbers exactly.
    let text = fraction.as_f64().map(|fraction| format!("{fraction}"));
    text.and_then(|text| text.parse::<u64>().ok()).filter(|n| *n <= crate::spec::MAX_EXACT)
}

/// Writes a whole number as the text that is meant; any other number has more than one spelling.
fn digits(number: &Number) -> Option<String> {
    let text = number.as_i64().map(|number| number.to_string());
    text.or_else(|| number.as_u64().map(|number| number.to_string()))
        .or_else(|| whole(number).map(|number| number.to_string()))
}

/// Moves a key given as the folder to search to the argument for keys, if the tool has one.
fn key_for_folder(values: &mut Map<String, Value>, properties: &Map<String, Value>, notes: &mut Vec<String>) {
    let under = values.get("under").and_then(Value::as_str).filter(|under| by_prefix(under).is_some());
    if properties.contains_key("key")
        && !values.contains_key("key")
        && let Some(under) = under.map(str::to_owned)
    {
        notes.push("argument \"under\" was read as \"key\"".to_owned());
        values.remove("under");
        values.insert("key".to_owned(), json!(under));
    }
}

/// Removes an empty label, which names nothing; corrects the case of a label if only one can be meant.
fn label(values: &mut Map<String, Value>, trees: &[Box<dyn Tree>]) {
    let Some(Value::String(text)) = values.get_mut("evidence") else { return };
    if trees.iter().any(|tree| tree.label() == text) {
        return;
    }
    let plain = bare(text).to_owned();
    if plain.is_empty() {
        values.remove("evidence");
        return;
    }
    let mut same = trees.iter().filter(|tree| tree.label().to_lowercase() == plain.to_lowercase());
    *text = match (same.next(), same.next()) {
        (Some(tree), None) => tree.label().to_owned(),
        _ => plain,
    };
}

/// Returns the text as it is meant, if that differs.
fn text_of(
    role: Role,
    argument: &str,
    text: &str,
    of_paths: bool,
    scope: &[&dyn Tree],
    notes: &mut Vec<String>,
) -> Result<Option<String>, CallError> {
    match role {
        Role::Path => path(argument, text, scope),
        Role::Pattern => pattern(argument, text, of_paths, scope, notes),
        Role::Hive if stands(text, scope) || by_name(bare(text)).is_some() => Ok(None),
        Role::Hive => path(argument, text, scope),
        Role::Instant => instant(argument, text).map(Some),
        Role::Volume => volume::spelled(scope, bare(text)).map(Some),
        Role::Key | Role::Label | Role::Verbatim => Ok(None),
    }
}

fn path(argument: &str, text: &str, scope: &[&dyn Tree]) -> Result<Option<String>, CallError> {
    if stands(text, scope) {
        return Ok(None);
    }
    let plain = without_scheme(bare(text));
    match live_path::read(plain) {
        // A name may begin with a tilde: it means a user only if there is such a profile.
        Some(_) if stands(plain, scope) => Ok(Some(plain.to_owned())),
        Some(live) => match live.path(scope, argument, text) {
            Err(CallError::Nowhere { looked, .. }) if names_user(plain) && looked.is_empty() => {
                Ok(Some(plain.to_owned()))
            }
            result => result.map(Some),
        },
        None => Ok(Some(plain.to_owned())),
    }
}

/// Checks whether the path begins with `~` and a name: of a user if there is such a profile, else of an entry.
fn names_user(text: &str) -> bool {
    text.strip_prefix('~').is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['/', '\\']))
}

/// Checks whether an entry of the evidence has this name.
fn stands(text: &str, scope: &[&dyn Tree]) -> bool {
    let Ok(path) = place::read(text) else { return false };
    scope.iter().any(|tree| matches!(place::locate(*tree, &path), Ok(Some(_))))
}

/// Resolves a pattern for entries of the evidence, or for paths in records, which are the host's.
fn pattern(
    argument: &str,
    text: &str,
    of_paths: bool,
    scope: &[&dyn Tree],
    notes: &mut Vec<String>,
) -> Result<Option<String>, CallError> {
    let plain = without_scheme(bare(text));
    glob::no_expression(argument, plain)?;
    if plain.split_once('[').is_some_and(|(_, rest)| rest.contains(']')) {
        notes.push(format!(
            "{argument:?}: [ and ] stand for themselves, as they do in names; ? stands for any one character"
        ));
    }
    // Without a separator it is a pattern of names, and names may begin with any of these.
    let (Some(live), true) = (live_path::read(plain), plain.contains(['/', '\\'])) else {
        return Ok(Some(plain.to_owned()));
    };
    if !of_paths {
        return Ok(Some(live.on_any_drive().unwrap_or_else(|| plain.to_owned())));
    }
    match live.pattern(scope, argument, text) {
        Ok(pattern) => Ok(Some(pattern)),
        Err(CallError::Nowhere { .. }) if names_user(plain) => Ok(Some(plain.to_owned())),
        Err(error) => Err(error),
    }
}

/// Returns the instant in UTC; a time without a zone could be any of some thirty instants and is refused.
fn instant(argument: &str, text: &str) -> Result<String, CallError> {
    let plain = bare(text);
    let zone = ["UTC", "GMT"].iter().find_map(|zone| plain.strip_suffix(zone));
    let plain = zone.map_or(plain.to_owned(), |time| format!("{}Z", time.trim_end()));
    plain.parse::<Utc>().map(|utc| utc.to_string()).map_err(|source| CallError::ArgumentTime {
        argument: argument.to_owned(),
        expected: "a date and time with its zone, such as 2025-03-01T00:00:00Z or 2025-03-01T02:00:00+02:00",
        source,
    })
}

/// Resolves the hive by its name, or by the beginning of the key if no hive is given.
fn hive(
    values: &mut Map<String, Value>,
    scope: &[&dyn Tree],
    indexes: &Indexes,
    needed: bool,
    notes: &mut Vec<String>,
) -> Result<(), CallError> {
    let given = |name: &str| values.get(name).and_then(Value::as_str).map(str::to_owned);
    let (hive, key) = (given("hive").filter(|hive| !hive.is_empty()), given("key"));
    if let Some(hive) = hive {
        if !stands(&hive, scope)
            && let Some(asked) = by_name(bare(&hive))
        {
            let place = hive_choice::choose(scope, indexes, &asked, &hive)?;
            insert(values, &place);
        }
        return Ok(());
    }
    values.remove("hive");
    let Some(key) = key else { return Ok(()) };
    hive_choice::no_view(&key)?;
    match by_prefix(&key) {
        Some((asked @ hive_choice::Asked::Sid { .. }, rest)) => {
            let place = hive_choice::choose(scope, indexes, &asked, &key)?;
            // The account's hive has been found: the SID no longer restricts anything.
            values.insert("key".to_owned(), json!(rest));
            notes.push(format!("{} is the hive of the account in {key:?}", place.node.path));
            insert(values, &place);
        }
        Some((asked @ hive_choice::Asked::Type(_), _)) if needed => {
            let place = hive_choice::choose(scope, indexes, &asked, &key)?;
            notes.push(format!("{} is the hive of {key:?}", place.node.path));
            insert(values, &place);
        }
        Some((hive_choice::Asked::Type(HiveType::NtUser | HiveType::UsrClass), _)) => {
            notes.push("HKCU is any user's hive: all of them in scope are looked at".to_owned());
        }
        Some(_) => {}
        None if needed => return Err(CallError::HiveNeeded { key }),
        None => {}
    }
    Ok(())
}

fn insert(values: &mut Map<String, Value>, place: &place::Place<'_>) {
    values.insert("hive".to_owned(), json!(place.node.path.as_str()));
    values.insert("evidence".to_owned(), json!(place.tree.label()));
}

/// Removes whitespace and pairs of quotes around the text.
pub(crate) fn bare(text: &str) -> &str {
    let mut text = text.trim();
    while let Some(inner) = [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('„', '“'), ('«', '»')]
        .iter()
        .find_map(|(start, end)| text.strip_prefix(*start).and_then(|rest| rest.strip_suffix(*end)))
    {
        text = inner.trim();
    }
    text
}

/// Returns the path of a `file:` URI (RFC 8089); percent signs are kept, because names contain them.
fn without_scheme(text: &str) -> &str {
    let scheme = text.get(..7).filter(|start| start.eq_ignore_ascii_case("file://"));
    scheme.and_then(|scheme| text.get(scheme.len()..)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::catalogue;

    #[test]
    fn every_text_argument_of_the_catalogue_has_a_role() {
        for spec in catalogue() {
            let properties = spec.arguments.get("properties").and_then(Value::as_object).unwrap();
            for (name, property) in properties {
                let is_text = property.get("type") == Some(&json!("string"));
                assert!(!is_text || role(name).is_some(), "{}.{name}: say in `role` what it is", spec.name);
            }
        }
    }

    #[test]
    fn a_whole_number_is_a_text_where_a_text_is_asked_for() {
        let of = |value: Value| {
            let mut value = value;
            scalar(&json!({ "type": "string" }), &mut value);
            value
        };
        assert_eq!(of(json!(1_048_576)), json!("1048576"));
        assert_eq!(of(json!(1_048_576.0)), json!("1048576"));
        assert_eq!(of(json!(u64::MAX)), json!("18446744073709551615"));
        assert_eq!(of(json!(-1)), json!("-1"));
        assert_eq!(of(json!(0.5)), json!(0.5));
        assert_eq!(of(json!(true)), json!(true));
    }

    #[test]
    fn quotes_and_schemes_are_taken_off_in_pairs() {
        for (text, expected) in
            [(" `\"a b\"` ", "a b"), ("'a", "'a"), ("\"", "\""), ("''", ""), ("it's", "it's"), ("a\"", "a\"")]
        {
            assert_eq!(bare(text), expected, "{text}");
        }
        assert_eq!(without_scheme("FILE:///C:/a%20b"), "/C:/a%20b");
        assert_eq!(without_scheme("file:x"), "file:x");
    }

    #[test]
    fn an_instant_has_a_zone() {
        for (text, expected) in [
            ("2025-03-01T00:00:00Z", "2025-03-01T00:00:00Z"),
            ("2025-03-01T02:00:00+02:00", "2025-03-01T00:00:00Z"),
            ("\"2025-03-01 00:00:00 UTC\"", "2025-03-01T00:00:00Z"),
            ("2025-03-01T00:00:00.5Z", "2025-03-01T00:00:00.5Z"),
        ] {
            assert_eq!(instant("from", text).unwrap(), expected, "{text}");
        }
        for text in ["2025-03-01", "2025-03-01T00:00:00", "yesterday", ""] {
            let refusal = instant("from", text).unwrap_err().to_string();
            assert!(refusal.contains("such as 2025-03-01T00:00:00Z"), "{text}: {refusal}");
        }
    }
}
