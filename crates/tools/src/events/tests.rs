//! The rules match the types, and each rule fills the fields that it names.

use super::index::{Entry, Target, resolved};
use super::kinds::{BASE, Kind, all as kinds};
use super::rules::{Form, Rule, all as rules};
use ledger::{FieldType, Record};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use testkit::evtx;

fn entry(rule: &'static Rule) -> Entry {
    resolved(rule).unwrap_or_else(|| panic!("{} is no type", rule.kind))
}

/// Returns the fields that a rule fills, as its maps name them.
fn filled(entry: &Entry) -> BTreeSet<&'static str> {
    let mut fields: BTreeSet<&str> = entry.map.iter().flat_map(|(_, target)| of(entry, target)).collect();
    fields.extend((!entry.rule.action.is_empty()).then_some("action"));
    fields
}

fn of(entry: &Entry, target: &Target) -> Vec<&'static str> {
    match target {
        Target::Field(field) => vec![field.name],
        Target::Ipv4(field) => vec![*field],
        Target::Form(Form::Hashes) => vec!["md5", "sha1", "sha256", "imphash"],
        Target::Form(Form::Host) => vec!["host_application"],
        Target::Form(Form::Ssh) => vec!["account", "address", "port"],
        Target::Form(Form::Endpoint) if entry.has("endpoint") => vec!["address", "endpoint", "port"],
        Target::Form(Form::Endpoint) => vec!["address", "port"],
    }
}

fn has(kind: &Kind, field: &str) -> bool {
    kind.fields.iter().any(|(name, ..)| *name == field)
}

#[test]
fn rules_name_types_and_their_fields_only_and_fill_the_subject() {
    for rule in rules() {
        let entry = entry(rule);
        assert_eq!(entry.map.len(), rule.map().count(), "{} {:?}: a field is none", rule.kind, rule.ids);
        for field in filled(&entry) {
            assert!(has(entry.kind, field), "{}.{field} is no field", rule.kind);
        }
        let subject = entry.kind.subject;
        assert!(filled(&entry).contains(subject) || entry.is_about_computer, "{} has no subject", rule.kind);
    }
}

#[test]
fn an_event_has_one_rule() {
    let mut seen = BTreeSet::new();
    for rule in rules() {
        for id in rule.ids {
            assert!(seen.insert((rule.writer.provider, id)), "{} {id} has two", rule.writer.provider);
        }
    }
    // What is said about this number elsewhere (docs/validation.md).
    assert!(seen.len() >= 400, "{} kinds of events", seen.len());
}

#[test]
fn each_type_and_each_of_its_fields_is_filled_by_a_rule() {
    let mut filled_by: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for rule in rules() {
        filled_by.entry(rule.kind).or_default().extend(filled(&entry(rule)));
    }
    let derived = ["logon_type_name", "reason", "ipv4"];
    for kind in kinds() {
        let filled = filled_by.get(kind.name).unwrap_or_else(|| panic!("{} has no rule", kind.name));
        for (field, ..) in kind.fields {
            assert!(
                filled.contains(field) || derived.contains(field),
                "{}.{field} is filled by none",
                kind.name
            );
        }
        assert!(
            kind.fields.iter().all(|(field, ..)| BASE.iter().all(|(own, ..)| own != field)),
            "{}",
            kind.name
        );
    }
}

/// Returns a valid value for a field.
fn sample(target: &Target) -> &'static str {
    match target {
        Target::Ipv4(_) => "16777343",
        Target::Form(Form::Hashes) => "MD5=0011,SHA1=2233,SHA256=4455,IMPHASH=6677",
        Target::Form(Form::Host) => "\tHostName=x\n\tHostApplication=shell.exe -c x\n",
        Target::Form(Form::Endpoint) => "192.0.2.7:3389",
        Target::Form(Form::Ssh) => "Failed password for ann from 192.0.2.7 port 50111 ssh2",
        Target::Field(field) => match field.field_type {
            FieldType::Time => "2024-03-09T10:11:12.1234567Z",
            FieldType::Integer if field.code.is_some() => "0xc0000022",
            FieldType::Integer | FieldType::Size => "7",
            FieldType::Sid => "S-1-5-21-1-2-3-1001",
            FieldType::Guid => "{03020100-0504-0706-0809-0A0B0C0D0E0F}",
            FieldType::Hash | FieldType::Bytes => "00ff",
            FieldType::Flag => "true",
            FieldType::List => "one\n\t\ttwo",
            FieldType::Path => "C:\\x\\y.exe",
            FieldType::RegistryPath => "HKLM\\Software\\x",
            FieldType::Text | FieldType::Name => "a value",
        },
    }
}

/// Returns the data of an event of this rule: named data, and counted data at their positions.
fn data_of(entry: &Entry) -> Vec<(String, &'static str)> {
    let mut named: BTreeMap<&str, &str> = BTreeMap::new();
    for (from, target) in entry.map.iter().filter(|(from, _)| !from.starts_with('@')) {
        // A form requires more of its value than a text field does.
        let value = sample(target);
        let slot = named.entry(from).or_insert(value);
        if matches!(target, Target::Form(_)) {
            *slot = value;
        }
    }
    let place = |name: &str| name.strip_prefix("data").and_then(|digits| digits.parse::<usize>().ok());
    let last = named.keys().filter_map(|name| place(name)).max();
    let counted = (0..=last.unwrap_or_default()).take(last.map_or(0, |last| last + 1));
    let counted = counted.map(|at| (String::new(), *named.get(format!("data{at}").as_str()).unwrap_or(&"-")));
    let rest = named
        .iter()
        .filter(|(name, _)| place(name).is_none())
        .map(|(name, value)| ((*name).to_owned(), *value));
    counted.chain(rest).collect()
}

/// Returns the records of a log with one event of a rule, written with the first channel of its provider.
#[expect(clippy::disallowed_methods, reason = "a test makes its own evidence")]
fn records(folder: &Path, rule: &'static Rule, id: u32, guid: Option<&str>) -> Vec<Record> {
    let data = data_of(&entry(rule));
    let data: Vec<(&str, &str)> = data.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let event = evtx::Event {
        record_id: 1,
        time: 133_000_000_000_000_000,
        provider: rule.writer.provider,
        guid,
        event_id: u16::try_from(id).unwrap(),
        level: 4,
        channel: rule.writer.channels[0],
        computer: "PC-1",
        user_sid: Some("S-1-5-21-1-2-3-1001"),
        user_data: None,
        data: &data,
    };
    fs::write(folder.join("x.evtx"), evtx::log(&[event])).unwrap();
    let tree = evidence::open_directory(folder, "files").unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let arguments = json!({ "path": "x.evtx", "limit": 10 });
    crate::run("parse_file", &arguments, &[Box::new(tree)], scratch.path()).records
}

#[test]
fn every_rule_gives_a_record_of_its_type_with_all_its_fields() {
    let folder = tempfile::tempdir().unwrap();
    for rule in rules() {
        let entry = entry(rule);
        let guid = rule.writer.guid.map(|guid| format!("{{{guid}}}"));
        let records = records(folder.path(), rule, rule.ids[0], guid.as_deref());
        let [record] = records.as_slice() else { panic!("{} {:?}: {records:?}", rule.kind, rule.ids) };
        assert_eq!(record.kind, rule.kind, "{:?}", rule.ids);
        for field in filled(&entry).into_iter().filter(|field| *field != "pid") {
            let held = record
                .fields
                .get(field)
                .unwrap_or_else(|| panic!("{} {:?} lacks {field}", rule.kind, rule.ids));
            let (_, of, _) = entry.kind.fields.iter().find(|(name, ..)| *name == field).unwrap();
            assert_eq!(held.value.field_type(), *of, "{} {:?} {field}", rule.kind, rule.ids);
        }
        for code in super::kinds::CODES.iter().filter(|code| filled(&entry).contains(code.field)) {
            if entry.kind.fields.iter().any(|(name, of, _)| *name == code.field && *of == FieldType::Integer)
            {
                assert_eq!(record.fields[code.hex].value.to_text(), "0xc0000022", "{}", rule.kind);
                assert_eq!(record.fields[code.name].value.to_text(), "STATUS_ACCESS_DENIED", "{}", rule.kind);
            }
        }
    }
}

#[test]
fn no_rule_takes_an_event_without_the_guid_of_its_provider() {
    let folder = tempfile::tempdir().unwrap();
    for rule in rules().filter(|rule| rule.writer.guid.is_some()) {
        let records = records(folder.path(), rule, rule.ids[0], None);
        let [record] = records.as_slice() else { panic!("{} {:?}", rule.kind, rule.ids) };
        assert_eq!(
            (record.kind.as_str(), record.fields["imitates"].value.to_text().as_ref()),
            ("event", rule.kind)
        );
    }
}

/// Compares the table of all types in `docs/typed-events.md`, and what it says of real logs.
#[expect(clippy::disallowed_methods, reason = "a test reads and, when told to, writes the page")]
#[test]
fn the_page_lists_every_typed_event() {
    const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/typed-events.md");
    let page = fs::read_to_string(PAGE).unwrap();
    let (head, table) = page.split_once("| type |").unwrap();
    let met: BTreeMap<(String, String), String> = table
        .lines()
        .filter_map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let [_, kind, provider, _, met, _] = cells.as_slice() else { return None };
            Some((((*kind).to_owned(), (*provider).to_owned()), (*met).to_owned()))
        })
        .collect();
    let mut ids: BTreeMap<(String, String), BTreeSet<u32>> = BTreeMap::new();
    for rule in rules() {
        let key = (format!("`{}`", rule.kind), rule.writer.provider.to_owned());
        ids.entry(key).or_default().extend(rule.ids);
    }
    let mut expected = format!("{head}| type | provider | ids | met in real logs |\n|---|---|---|---|\n");
    for (key, ids) in &ids {
        let met = met.get(key).map_or("", String::as_str);
        let list = |ids: &BTreeSet<u32>| ids.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        let seen: BTreeSet<u32> = met.split(", ").filter_map(|id| id.parse().ok()).collect();
        assert!(seen.is_subset(ids), "{key:?}: what was met is no id of it");
        let _ = writeln!(expected, "| {} | {} | {} | {} |", key.0, key.1, list(ids), list(&seen));
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(PAGE, &expected).unwrap();
    } else {
        assert_eq!(page, expected, "UPDATE_GOLDEN=1 writes it anew");
    }
}
