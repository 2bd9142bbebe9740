//! Random readings: true, reformatted, changed, recombined, with wrong names or wrong citations.

use super::chance::Chance;
use super::{TYPES, World, id};
use ledger::{ClaimedValue, FieldValue, Output, Reading, Record, Utc};
use std::sync::Arc;

/// Returns a reading of a random record, in most cases spoiled in some way.
pub fn reading(chance: &mut Chance, world: &World) -> Reading {
    let outputs: Vec<_> = world.own.iter().filter_map(|own| Some((own.id, own.output.clone()?))).collect();
    if outputs.is_empty() {
        return nothing();
    }
    let (cited, output): (_, Arc<Output>) = chance.of(&outputs).clone();
    let record = chance.of(output.records()).clone();
    let mut reading = Reading {
        fields: Vec::new(),
        predicate: predicate(chance, &record),
        subject: String::new(),
        values: values(chance, &record),
        invocation: cited.to_string(),
        record: chance.one_in(3).then(|| record.id.to_string()),
    };
    if chance.one_in(3) {
        reading.subject = subject(&record);
    }
    state_more(chance, &record, &mut reading);
    for _ in 0..2 {
        if chance.one_in(2) {
            spoil(chance, &mut reading, world, &record);
        }
    }
    reading
}

fn nothing() -> Reading {
    Reading {
        fields: Vec::new(),
        predicate: "present".to_owned(),
        subject: String::new(),
        values: vec![ClaimedValue { field: Some("path".to_owned()), value: "Users/bob".to_owned() }],
        invocation: id(1, 0).to_string(),
        record: None,
    }
}

fn subject(record: &Record) -> String {
    let name = TYPES.iter().find(|kind| kind.0 == record.kind).unwrap().1;
    record.fields[name].value.to_text().into_owned()
}

/// Returns a predicate, in most cases one that the type proves.
fn predicate(chance: &mut Chance, record: &Record) -> String {
    let proved: &[&str] = match record.kind.as_str() {
        "file" => &["present"],
        "value" => &["present", "quoted"],
        "event" => &["executed", "quoted", "recorded", "recorded"],
        "job" => &["persists", "recorded"],
        "line" => &["quoted"],
        "run" => &["executed", "recorded"],
        other => panic!("no {other}"),
    };
    (*chance.of(proved)).to_owned()
}

fn values(chance: &mut Chance, record: &Record) -> Vec<ClaimedValue> {
    let names: Vec<_> = record.fields.keys().collect();
    let mut values: Vec<ClaimedValue> = Vec::new();
    for _ in 0..chance.from(1, 4) {
        let name = (*chance.of(&names)).clone();
        if values.iter().all(|value| value.field.as_ref() != Some(&name)) {
            let value = told(chance, &record.fields[&name].value);
            values.push(ClaimedValue { field: Some(name), value });
        }
    }
    values
}

/// Adds, in most cases, what a reading of this type must state.
fn state_more(chance: &mut Chance, record: &Record, reading: &mut Reading) {
    let needed = match (record.kind.as_str(), reading.predicate.as_str()) {
        ("event", "executed") => "time",
        ("job", "persists") => "start",
        ("run", "executed") => "outcome",
        ("line", _) => "stream",
        (_, "quoted") => {
            if record.fields.contains_key("text") {
                "text"
            } else {
                "note"
            }
        }
        _ => return,
    };
    let stated = reading.values.iter().any(|value| value.field.as_deref() == Some(needed));
    if let Some(field) = record.fields.get(needed).filter(|_| !stated && !chance.one_in(5)) {
        let value = told(chance, &field.value);
        reading.values.push(ClaimedValue { field: Some(needed.to_owned()), value });
    }
}

/// Returns a record's value as a claim states it; for a list, one item.
fn told(chance: &mut Chance, value: &FieldValue) -> String {
    match value {
        FieldValue::List(items) if !items.is_empty() => chance.of(items).clone(),
        other => other.to_text().into_owned(),
    }
}

fn spoil(chance: &mut Chance, reading: &mut Reading, world: &World, record: &Record) {
    let at = chance.below(reading.values.len());
    match chance.below(11) {
        0 | 1 => {
            let field = reading.values[at].field.clone();
            let value = field.and_then(|field| record.fields.get(&field)).map(|field| field.value.clone());
            reading.values[at].value = reformatted(chance, &reading.values[at].value, value.as_ref());
        }
        2 => {
            reading.values[at].value = changed(chance, &reading.values[at].value);
        }
        3 => {
            recombine(chance, &mut reading.values[at], world);
        }
        4 => {
            let fields: Vec<_> = record.fields.keys().cloned().collect();
            reading.values[at].field = Some(chance.of(&fields).clone());
        }
        5 => {
            reading.values[at].field = None;
        }
        6 | 7 => {
            reading.invocation = match chance.below(4) {
                0 => id(2, 0).to_string(),
                1 => "inv-12345678".to_owned(),
                2 => reading.invocation.to_uppercase(),
                _ => chance.of(&world.own).id.to_string(),
            };
        }
        8 => {
            let predicates = ["present", "executed", "quoted", "persists", "recorded", "stolen"];
            reading.predicate = (*chance.of(&predicates)).to_owned();
        }
        9 => {
            reading.record = Some((*chance.of(&["r0", "r1", "r2", "r77", "R0", "last"])).to_owned());
        }
        _ => {
            let mut value = ClaimedValue { field: None, value: reading.subject.clone() };
            recombine(chance, &mut value, world);
            reading.subject = value.value;
        }
    }
}

/// Replaces the value by one of another record, under the same name if it has one.
fn recombine(chance: &mut Chance, value: &mut ClaimedValue, world: &World) {
    let outputs: Vec<_> = world.own.iter().filter_map(|own| own.output.clone()).collect();
    let output = chance.of(&outputs);
    let record = chance.of(output.records());
    let same = value.field.as_ref().and_then(|name| record.fields.get(name));
    let field = same.unwrap_or_else(|| record.fields.values().next().unwrap());
    value.value = told(chance, &field.value);
}

/// Changes one letter, or adds or removes a part or a word.
fn changed(chance: &mut Chance, text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    if letters.is_empty() {
        return "?".to_owned();
    }
    let at = chance.below(letters.len());
    match chance.below(7) {
        0 => {
            letters[at] = if letters[at].is_ascii_digit() { *chance.of(&['0', '5', '9']) } else { 'q' };
        }
        1 => {
            letters.remove(at);
        }
        2 => letters.insert(at, *chance.of(&['0', 'a', ' ', '.', '\\'])),
        3 => letters.truncate(at),
        4 => {
            letters.drain(..at);
        }
        5 => {
            let homoglyphs = [
                ('o', 'о'),
                ('e', 'е'),
                ('K', '\u{212a}'),
                ('k', '\u{212a}'),
                ('s', 'ſ'),
                ('0', 'O'),
                ('1', '１'),
            ];
            for letter in &mut letters {
                *letter = homoglyphs.iter().find(|(from, _)| from == letter).map_or(*letter, |(_, to)| *to);
            }
        }
        _ => return part(chance, text),
    }
    letters.into_iter().collect()
}

/// Returns some words of a text.
fn part(chance: &mut Chance, text: &str) -> String {
    let words: Vec<_> = text.split(' ').collect();
    let first = chance.below(words.len());
    let end = first + 1 + chance.below(words.len() - first);
    words[first..end].join(" ")
}

/// Returns the same value as a model may write it.
fn reformatted(chance: &mut Chance, text: &str, value: Option<&FieldValue>) -> String {
    match (chance.below(3), value) {
        (0, _) => around(chance, text),
        (_, Some(FieldValue::Time(time))) => match time.utc {
            Some(utc) => instant(chance, utc),
            None => text.to_owned(),
        },
        (_, Some(FieldValue::Integer(number))) => {
            format!("{}{:#x}", if *number < 0 { "-" } else { "" }, number.abs())
        }
        (_, Some(FieldValue::Size(number))) => match chance.below(3) {
            0 => format!("{number} bytes"),
            1 => format!("{:#X}", number),
            _ => format!("{number:08}"),
        },
        (_, Some(FieldValue::Text(_))) => part(chance, text),
        (_, Some(FieldValue::Guid(_))) => {
            if chance.one_in(2) {
                text.replace(['{', '}'], "").to_uppercase()
            } else {
                format!("{{{text}}}")
            }
        }
        (_, Some(FieldValue::Name(_))) if text.contains(':') => {
            let noughts = chance.of::<&str>(&[":0:0:0:0:0:0:0:", ":0000:0000:0000:", ":0:0:0:"]);
            text.replace("::", noughts)
        }
        (_, Some(FieldValue::Path(_) | FieldValue::RegistryPath(_))) => path(chance, text),
        (_, _) => {
            if chance.one_in(2) {
                text.to_uppercase()
            } else {
                text.to_lowercase()
            }
        }
    }
}

fn around(chance: &mut Chance, text: &str) -> String {
    match chance.below(8) {
        0 => format!("`{text}`"),
        1 => format!("\"{text}\""),
        2 => serde_json::to_string(text).unwrap(),
        3 => text.replace('\\', "\\\\"),
        4 => format!(" {text}\n"),
        5 => format!("{text}."),
        6 => text.replace('\\', "\\\\").replace('"', "\\\""),
        _ => {
            use unicode_normalization::UnicodeNormalization as _;
            text.nfd().collect()
        }
    }
}

fn path(chance: &mut Chance, text: &str) -> String {
    match chance.below(8) {
        0 => text.replace('\\', "/"),
        1 => text.replace('/', "\\"),
        2 => text.to_uppercase(),
        3 => text.replacen("HKLM", "HKEY_LOCAL_MACHINE", 1),
        4 => text.replacen("HKEY_LOCAL_MACHINE", "hklm", 1),
        5 => format!(r"\\?\{text}"),
        6 => format!("{text}\\"),
        _ => format!("/{text}"),
    }
}

/// Writes the instant, or one close to it, in some form.
fn instant(chance: &mut Chance, utc: Utc) -> String {
    let moved = *chance.of(&[0, 0, 0, 0, 1, -1, 3600]);
    let nanoseconds = utc.unix_nanoseconds() + moved * 1_000_000_000;
    let (hours, sign) =
        *chance.of(&[(0, "Z"), (2, "+02:00"), (-5, "-05:00"), (0, "+00:00"), (0, ""), (0, " UTC")]);
    let wall = Utc::from_unix_nanoseconds(nanoseconds + hours * 3_600_000_000_000).unwrap();
    let decimals = *chance.of(&[0, 3, 6, 7, 9]);
    let text = cut(&wall.to_string(), decimals);
    match chance.below(10) {
        0 => (nanoseconds / 1_000_000_000).to_string(),
        1 => (nanoseconds / 1_000_000).to_string(),
        2 => (nanoseconds / 100 + 116_444_736_000_000_000).to_string(),
        3 => format!("{}{sign}", text.replace('T', " ")),
        _ => format!("{text}{sign}"),
    }
}

/// Cuts a wall time to so many decimals, without its `Z`.
fn cut(text: &str, decimals: usize) -> String {
    let text = text.trim_end_matches('Z');
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    if decimals == 0 { whole.to_owned() } else { format!("{whole}.{}", &format!("{part:0<9}")[..decimals]) }
}
