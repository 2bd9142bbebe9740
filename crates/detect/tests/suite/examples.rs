//! What each rule should match, and what only looks like it: `tests/data/examples.txt` (docs/attack.md describes its form).

use detect::{Attack, Level, Trace};
use ledger::{Field, FieldValue, Locator, Record, RecordId, Time};
use std::collections::{BTreeMap, BTreeSet};

const EXAMPLES: &str = include_str!("../data/examples.txt");

/// The possible types of each field of each record type, from the catalogue of the tools.
pub(crate) type Catalogue = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// An example of a rule, from one line.
pub(crate) struct Example<'t> {
    line: usize,
    rule: &'t str,
    fires: bool,
    /// Rules of level medium or above that a look-alike matches anyway.
    also: BTreeSet<&'t str>,
    kind: &'t str,
    fields: Vec<(&'t str, &'t str)>,
}

/// Returns the rules with their expected levels, and all examples.
fn read(text: &str) -> (BTreeMap<&str, Level>, Vec<Example<'_>>) {
    let (mut levels, mut examples) = (BTreeMap::new(), Vec::new());
    let mut rule = "";
    for (line, text) in text.lines().enumerate().map(|(line, text)| (line + 1, text)) {
        if text.is_empty() || text.starts_with('#') {
        } else if let Some((id, level)) = text.strip_prefix('[').and_then(|head| head.split_once("] ")) {
            let level = Level::of_name(level).unwrap_or_else(|| panic!("line {line}: level {level}"));
            assert!(levels.insert(id, level).is_none(), "line {line}: {id} stands twice");
            rule = id;
        } else {
            examples.push(example(line, rule, text));
        }
    }
    (levels, examples)
}

/// Reads `fires KIND | FIELD=VALUE | …`, or `passes [+RULE …] KIND | …`: a bar ends a value if a field follows.
pub(crate) fn example<'t>(line: usize, rule: &'t str, text: &'t str) -> Example<'t> {
    let mut parts: Vec<&str> = Vec::new();
    for part in text.split(" | ") {
        let is_field = part.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'0'..=b'9'))
        });
        match parts.last_mut() {
            Some(last) if !is_field => {
                let begun = last.as_ptr() as usize - text.as_ptr() as usize;
                let end = part.as_ptr() as usize - text.as_ptr() as usize + part.len();
                *last = &text[begun..end];
            }
            _ => parts.push(part),
        }
    }
    let (head, fields) = parts.split_first().unwrap();
    let mut words: Vec<&str> = head.split_whitespace().collect();
    let kind = words.pop().unwrap();
    let fires = match words.first() {
        Some(&"fires") => true,
        Some(&"passes") => false,
        other => panic!("line {line}: {other:?}"),
    };
    let also = words[1..].iter().map(|word| word.strip_prefix('+').unwrap()).collect();
    assert!(!rule.is_empty() && !fields.is_empty(), "line {line}");
    let fields = fields.iter().map(|field| field.split_once('=').unwrap()).collect();
    Example { line, rule, fires, also, kind, fields }
}

pub(crate) fn catalogue() -> Catalogue {
    let tools: serde_json::Value =
        serde_json::from_str(include_str!("../../../tools/tests/catalogue.json")).unwrap();
    let mut catalogue = Catalogue::new();
    for record in tools.as_array().unwrap().iter().flat_map(|tool| tool["records"].as_array().unwrap()) {
        let known = catalogue.entry(record["name"].as_str().unwrap().to_owned()).or_default();
        for (name, field) in record["fields"].as_object().unwrap() {
            let types = field["types"].as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned());
            known.entry(name.clone()).or_default().extend(types);
        }
    }
    catalogue
}

/// Returns the value in the type that the tools give it, or `None` if they cannot give it.
fn value(types: &BTreeSet<String>, text: &str) -> Option<FieldValue> {
    let of_type = |name: &str| match name {
        "integer" => text.parse().ok().map(FieldValue::Integer),
        "size" => text.parse().ok().map(FieldValue::Size),
        "flag" => text.parse().ok().map(FieldValue::Flag),
        "time" => {
            let ticks = text.strip_prefix("filetime ")?.parse().ok()?;
            Some(FieldValue::Time(Time::from_filetime(ticks)))
        }
        "list" => Some(FieldValue::List(text.split(" ; ").map(str::to_owned).collect())),
        "sid" => text.starts_with("S-1-").then(|| FieldValue::Sid(text.to_owned())),
        "guid" => (text.len() >= 36).then(|| FieldValue::Guid(text.to_owned())),
        "hash" => {
            text.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| FieldValue::Hash(text.to_owned()))
        }
        "bytes" => None,
        "name" => Some(FieldValue::Name(text.to_owned())),
        "path" => Some(FieldValue::Path(text.to_owned())),
        "registry_path" => Some(FieldValue::RegistryPath(text.to_owned())),
        "text" => Some(FieldValue::Text(text.to_owned())),
        other => panic!("type {other}"),
    };
    // Narrower types come first, because any text is a name.
    let narrow = ["integer", "size", "flag", "time", "list", "sid", "guid", "hash"];
    let wide = ["registry_path", "path", "name", "text"];
    narrow.iter().chain(&wide).filter(|name| types.contains(**name)).find_map(|name| of_type(name))
}

pub(crate) fn record(catalogue: &Catalogue, example: &Example<'_>) -> Result<Record, String> {
    let Example { line, kind, fields, .. } = example;
    let known = catalogue.get(*kind).ok_or_else(|| format!("line {line}: no record type {kind}"))?;
    let field = |(name, text): &(&str, &str)| {
        let types = known.get(*name).ok_or_else(|| format!("line {line}: {kind} has no {name}"))?;
        let value = value(types, text).ok_or_else(|| format!("line {line}: {name} is never {text}"))?;
        Ok::<_, String>(((*name).to_owned(), Field { at: None, value }))
    };
    Ok(Record {
        defects: Vec::new(),
        fields: fields.iter().map(field).collect::<Result<_, _>>()?,
        id: RecordId(1),
        kind: (*kind).to_owned(),
        locator: Locator { evidence: "e".into(), path: "p1/x".into(), stream: None, span: None },
        placement: None,
    })
}

/// Returns the rules that a record matches, with their levels.
fn fitting(attack: &Attack, record: &Record) -> BTreeMap<String, Level> {
    let trace = Trace::of_record(record);
    attack.hits(&trace).into_iter().map(|hit| (hit.rule.to_owned(), hit.level)).collect()
}

#[test]
fn every_rule_of_level_medium_and_above_has_a_trace_of_its_own_and_a_look_alike() {
    let attack = Attack::shipped().unwrap();
    let (levels, examples) = read(EXAMPLES);
    let known: BTreeMap<&str, Level> = attack.rules().map(|(id, level, _)| (id, level)).collect();
    let mut wrong = Vec::new();
    for (id, level) in &levels {
        if known.get(id) != Some(level) {
            wrong.push(format!("{id} is {:?}, not {level:?}", known.get(id)));
        }
    }
    for (id, _) in known.iter().filter(|(_, level)| **level >= Level::Medium) {
        for fires in [true, false] {
            if !examples.iter().any(|it| it.rule == *id && it.fires == fires) {
                wrong.push(format!("{id}: nothing that {}", if fires { "fires" } else { "passes" }));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_rule_is_for_fits_it_and_a_look_alike_fits_neither_it_nor_another_that_stands_out() {
    let attack = Attack::shipped().unwrap();
    let catalogue = catalogue();
    let mut wrong = Vec::new();
    for example in read(EXAMPLES).1 {
        let record = match record(&catalogue, &example) {
            Ok(record) => record,
            Err(error) => {
                wrong.push(error);
                continue;
            }
        };
        let Example { line, rule, also, .. } = &example;
        let fits = fitting(&attack, &record);
        if fits.contains_key(*rule) != example.fires {
            wrong
                .push(format!("line {line}: {rule} {}", if example.fires { "does not fit" } else { "fits" }));
        }
        if !example.fires {
            let standing_out = fits.iter().filter(|(_, level)| **level >= Level::Medium);
            let standing_out: BTreeSet<&str> = standing_out.map(|(id, _)| id.as_str()).collect();
            if standing_out != *also {
                wrong.push(format!("line {line}: {rule}: a look-alike that fits {standing_out:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
