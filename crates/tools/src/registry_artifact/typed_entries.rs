//! What a user typed or chose: commands, paths, addresses, searches, computers.

use super::Artifact;
use super::decoded::{damaged, part};
use super::draft::{Draft, record_type, text_of, value_path};
use super::mru_list::{MruList, POSITION, written};
use super::reader::Reader;
use super::values::{Held, Values};
use crate::hive_file::value_name;
use crate::intake::Flow;
use artifacts::mru;
use artifacts::registry::{HiveType, Key, ValueData};
use ledger::{ByteSpan, FieldType, FieldValue, RecordType};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

const KIND: &str = "typed_entry";

const EXPLORER: &str = "Software\\Microsoft\\Windows\\CurrentVersion\\Explorer";
const INTERNET_EXPLORER: &str = "Software\\Microsoft\\Internet Explorer";
const REMOTE_DESKTOP: &str = "Software\\Microsoft\\Terminal Server Client";

/// Lists with an order of their own, below Explorer's key.
const ORDERED: [&str; 4] = ["RunMRU", "WordWheelQuery", "Map Network Drive MRU", "FindComputerMRU"];

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "typed_entries",
    about: "what a user typed or chose: commands, paths, web addresses, searches, remote computers, network drives",
    hives: &[HiveType::NtUser],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    use FieldType::{Bytes, Name, RegistryPath, Text, Time};
    vec![record_type(
        KIND,
        "one text in a list of what a user typed or chose; programs put some of them there by themselves, such as Internet Explorer its start page",
        "text",
        &[
            ("text", &[Text], "the text"),
            ("list", &[Name], "key of the list, such as RunMRU, TypedPaths, TypedURLs or WordWheelQuery"),
            POSITION,
            (
                "list_written",
                &[Time],
                "when the list was last written, with this entry in front; only of the most recent one",
            ),
            ("typed_at", &[Time], "when it was last typed, where the list keeps times of its own"),
            ("user_hint", &[Name], "name of the user under which the remote computer was last used"),
            ("value_path", &[RegistryPath], "path of the key, \\ and the name of the value"),
            ("raw", &[Bytes], "the data, where it holds no text"),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    for name in ORDERED {
        let Some(key) = reader.key(&format!("{EXPLORER}\\{name}")) else { continue };
        ordered(reader, &key, name)?;
        for child in reader.children(&key) {
            ordered(reader, &child, name)?;
        }
    }
    numbered(reader, &format!("{EXPLORER}\\TypedPaths"), "url", 1, &Values::default())?;
    let times = reader.key_and_values(&format!("{INTERNET_EXPLORER}\\TypedURLsTime"));
    let times = times.map(|(_, times)| times).unwrap_or_default();
    numbered(reader, &format!("{INTERNET_EXPLORER}\\TypedURLs"), "url", 1, &times)?;
    numbered(reader, &format!("{REMOTE_DESKTOP}\\Default"), "MRU", 0, &Values::default())?;
    servers(reader)
}

/// Reads a list whose order is in a value.
fn ordered<'h>(reader: &mut Reader<'_, 'h>, key: &Key<'h>, list_name: &str) -> Flow {
    let values = reader.values(key);
    let list = MruList::of(&values);
    for entry in list.entries() {
        let draft = begin(reader, key, entry.held, list_name);
        let draft = list.placed(draft, entry, key, "list_written");
        let draft = text(draft, reader, entry.held, list_name == "RunMRU");
        reader.push(draft.done())?;
    }
    ControlFlow::Continue(())
}

/// Reads a list whose values are named by a word and their position, from `first` on.
fn numbered(reader: &mut Reader<'_, '_>, path: &str, word: &str, first: u64, times: &Values<'_>) -> Flow {
    let Some((key, values)) = reader.key_and_values(path) else { return ControlFlow::Continue(()) };
    let times: BTreeMap<String, &Held<'_>> =
        times.0.iter().map(|held| (held.value.name.to_ascii_lowercase(), held)).collect();
    let list_name = path.rsplit('\\').next().unwrap_or(path);
    let list_name = if word == "MRU" { "Terminal Server Client" } else { list_name };
    let mut entries: Vec<(u64, &Held<'_>)> =
        values.0.iter().filter_map(|held| Some((place(held, word, first)?, held))).collect();
    entries.sort_by_key(|(place, _)| *place);
    for (place, held) in entries {
        let at = value_name(reader.bytes, held.value.offset);
        let draft = begin(reader, &key, held, list_name);
        let draft = draft.set("position", FieldValue::Integer(place.into()), at);
        let draft = if place == 0 { written(draft, "list_written", &key) } else { draft };
        let time = times.get(&held.value.name.to_ascii_lowercase()).copied();
        let time = time.filter(|time| time.value.raw.iter().any(|byte| *byte != 0));
        let draft = text(draft.filetime("typed_at", time), reader, held, false);
        reader.push(draft.done())?;
    }
    ControlFlow::Continue(())
}

fn place(held: &Held<'_>, word: &str, first: u64) -> Option<u64> {
    let name = &held.value.name;
    let (start, number) = name.split_at_checked(word.len())?;
    let digits = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    if !start.eq_ignore_ascii_case(word) || !digits {
        return None;
    }
    number.parse::<u64>().ok()?.checked_sub(first)
}

/// Reads the remote computers that Remote Desktop remembers: one key for each, without an order.
fn servers(reader: &mut Reader<'_, '_>) -> Flow {
    let Some(key) = reader.key(&format!("{REMOTE_DESKTOP}\\Servers")) else {
        return ControlFlow::Continue(());
    };
    for server in reader.children(&key) {
        let values = reader.values(&server);
        let draft = Draft::of_key(reader, KIND, &server)
            .key_name(reader, "text", &server, FieldValue::Text)
            .set("list", FieldValue::Name("Terminal Server Client\\Servers".to_owned()), None);
        let draft = draft.text("user_hint", values.get("UsernameHint"), FieldValue::Name);
        reader.push(draft.done())?;
    }
    ControlFlow::Continue(())
}

fn begin(reader: &Reader<'_, '_>, key: &Key<'_>, held: &Held<'_>, list_name: &str) -> Draft {
    Draft::of_value(reader, KIND, key, held).undated().set("value_path", value_path(key, held), None).set(
        "list",
        FieldValue::Name(list_name.to_owned()),
        None,
    )
}

/// Adds the text of an entry: a text, or UTF-16 in binary data; the Run dialog appends `\1` to each.
fn text(draft: Draft, reader: &Reader<'_, '_>, held: &Held<'_>, run: bool) -> Draft {
    let at = held.at();
    if let Some(text) = text_of(Some(held)) {
        if let Some(command) = text.strip_suffix("\\1").filter(|command| run && !command.is_empty()) {
            let length = command.encode_utf16().count() as u64 * 2;
            let at = at.map(|at| ByteSpan::new(at.offset, length.min(at.length)));
            return draft.set("text", FieldValue::Text(command.to_owned()), at);
        }
        if !text.is_empty() {
            return draft.set("text", FieldValue::Text(text.to_owned()), at);
        }
    }
    if let ValueData::Bytes = held.value.data {
        let (text, _, damage) = mru::text(&held.value.raw);
        let draft = damaged(draft, held, &damage);
        if text.value.is_empty() {
            empty(draft, reader, held)
        } else {
            part(draft, "text", held, Some(&text), FieldValue::Text)
        }
    } else {
        empty(draft, reader, held)
    }
}

/// Names an entry without a text after its value, and keeps its data.
fn empty(draft: Draft, reader: &Reader<'_, '_>, held: &Held<'_>) -> Draft {
    draft.value_name(reader, "text", held, FieldValue::Text).bytes("raw", held)
}
