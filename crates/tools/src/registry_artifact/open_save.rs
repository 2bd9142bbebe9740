//! Files and folders that a user chose in the common Open and Save dialogs (ComDlg32).
//!
//! Windows Vista and later keep shell items, older versions text.

use super::Artifact;
use super::decoded::{damaged, fat_time, part, place};
use super::draft::{Draft, record_type, text_of, value_path};
use super::mru_list::{MruList, POSITION};
use super::names::last_component;
use super::reader::Reader;
use super::values::Held;
use crate::intake::Flow;
use artifacts::mru;
use artifacts::registry::{HiveType, Key};
use artifacts::shell_item::{self, FileEntry, ItemKind, List};
use ledger::digest::hex;
use ledger::{FieldType, FieldValue, RecordType};
use std::ops::ControlFlow;

const CHOSEN: &str = "open_save";
const VISITED: &str = "last_visited";

const PATH: &str = "Software\\Microsoft\\Windows\\CurrentVersion\\Explorer\\ComDlg32";

/// The lists of chosen files; each has one list per extension.
const CHOSEN_LISTS: [&str; 2] = ["OpenSavePidlMRU", "OpenSaveMRU"];

/// The lists of programs, with the folder in which each last used a dialog.
const VISITED_LISTS: [&str; 3] = ["LastVisitedPidlMRU", "LastVisitedPidlMRULegacy", "LastVisitedMRU"];

/// The one of these that keeps text.
const TEXTS: &str = VISITED_LISTS[2];

/// The most bytes of an unknown shell item in a field.
const SHOWN: usize = 256;

/// The most unknown shell items in a field.
const MOST_UNKNOWN: usize = 16;

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "open_save",
    about: "files that a user chose in dialogs to open and to save, and the folders each program last used there",
    hives: &[HiveType::NtUser],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    use FieldType::{Bytes, Name, Text};
    let raw: Declared = ("raw", &[Bytes], "the data, where it could not be decoded");
    let extension: Declared = ("extension", &[Name], "extension of the list; * for the list of all");
    let program: Declared = ("program", &[Name, Text], "name of the program");
    vec![
        record_type(
            CHOSEN,
            "one file that a user chose in a dialog to open or to save; which of the two is not told",
            "path",
            &[&common()[..], &[extension, raw]].concat(),
        ),
        record_type(
            VISITED,
            "one program with the folder in which it last opened or saved a file through a dialog",
            "program",
            &[&common()[..], &[program, raw]].concat(),
        ),
    ]
}

/// Name, types and meaning of a field.
type Declared = (&'static str, &'static [FieldType], &'static str);

/// Returns the fields that both record types have.
fn common() -> [Declared; 13] {
    use FieldType::{Flag, Integer, List, Name, Path, RegistryPath, Text, Time};
    [
        (
            "path",
            &[Path, Text],
            "path of the file or folder; a folder of the shell stands as its GUID, an unknown part as its class in angle brackets",
        ),
        ("name", &[Name], "last component of the path"),
        ("list", &[Name], "key of the list, such as OpenSavePidlMRU"),
        POSITION,
        (
            "chosen_last",
            &[Time],
            "when it was last chosen; only of the most recent one, since that is when the list was last written",
        ),
        ("modified", &[Time], "when the file was last modified, as known when it was chosen"),
        ("created", &[Time], "when the file was created"),
        ("accessed", &[Time], "when the file was last accessed, as known when it was chosen"),
        ("mft_entry", &[Integer], "number of the file's record in the $MFT"),
        ("mft_sequence", &[Integer], "sequence number of that record"),
        ("incomplete", &[Flag], "true where parts of the path are unknown"),
        ("unknown_items", &[List], "the shell items of unknown parts, in hexadecimal"),
        ("value_path", &[RegistryPath], "path of the key, \\ and the name of the value"),
    ]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let Some(root) = reader.key(PATH) else { return ControlFlow::Continue(()) };
    for name in CHOSEN_LISTS {
        let Some(lists) = reader.below(&root, name) else { continue };
        list(reader, &lists, name, |reader, draft, held, _| chosen(reader, draft, held))?;
        for extension in reader.children(&lists) {
            list(reader, &extension, name, |reader, draft, held, key| {
                chosen(reader, draft, held).key_name(reader, "extension", key, FieldValue::Name)
            })?;
        }
    }
    for name in VISITED_LISTS {
        let Some(key) = reader.below(&root, name) else { continue };
        list(reader, &key, name, |reader, draft, held, _| visited(reader, draft, held, name == TEXTS))?;
    }
    ControlFlow::Continue(())
}

/// Hands over the records of one list; `fill` adds what the data of an entry shows.
fn list<'h>(
    reader: &mut Reader<'_, 'h>,
    key: &Key<'h>,
    name: &str,
    fill: impl Fn(&Reader<'_, '_>, Draft, &Held<'_>, &Key<'_>) -> Draft,
) -> Flow {
    let values = reader.values(key);
    let list = MruList::of(&values);
    let kind = if CHOSEN_LISTS.contains(&name) { CHOSEN } else { VISITED };
    for entry in list.entries() {
        let draft = Draft::of_value(reader, kind, key, entry.held)
            .undated()
            .set("value_path", value_path(key, entry.held), None)
            .set("list", FieldValue::Name(name.to_owned()), None);
        let draft = list.placed(draft, entry, key, "chosen_last");
        let record = fill(reader, draft, entry.held, key).done();
        reader.push(record)?;
    }
    ControlFlow::Continue(())
}

fn chosen(reader: &Reader<'_, '_>, draft: Draft, held: &Held<'_>) -> Draft {
    if let Some(text) = text_of(Some(held)).filter(|text| !text.is_empty()) {
        let path = FieldValue::Path(text.to_owned());
        return draft.set("path", path, held.at()).set("name", last_component(text), None);
    }
    let (draft, found) = items(draft, held, 0);
    if found { draft } else { nameless(draft, reader, "path", held) }
}

/// Adds a program and its folder: text in older versions of Windows, shell items in later ones.
fn visited(reader: &Reader<'_, '_>, draft: Draft, held: &Held<'_>, texts: bool) -> Draft {
    let (program, behind, damage) = mru::text(&held.value.raw);
    let draft = damaged(draft, held, &damage);
    if program.value.is_empty() {
        return nameless(draft, reader, "program", held);
    }
    let draft = part(draft, "program", held, Some(&program), FieldValue::Name);
    if !texts {
        return items(draft, held, behind).0;
    }
    let folder = held.value.raw.get(behind..).unwrap_or_default();
    let (folder, _, damage) = mru::text(folder);
    let folder = folder.moved(behind);
    let draft = damaged(draft, held, &damage);
    if folder.value.is_empty() {
        return draft;
    }
    let last = last_component(&folder.value);
    part(draft, "path", held, Some(&folder), FieldValue::Path).set("name", last, None)
}

/// Names an entry that has no name after its value, and keeps its data.
fn nameless(draft: Draft, reader: &Reader<'_, '_>, field: &str, held: &Held<'_>) -> Draft {
    draft.value_name(reader, field, held, FieldValue::Text).bytes("raw", held)
}

/// Adds the path that a list of shell items makes, and what its last file entry shows.
fn items(draft: Draft, held: &Held<'_>, at: usize) -> (Draft, bool) {
    let (list, damage) = shell_item::list(&held.value.raw, at);
    let draft = damaged(draft, held, &damage);
    let (path, whole) = list.path();
    if path.is_empty() {
        return (draft, false);
    }
    let draft = draft.set("path", FieldValue::Path(path), None);
    let draft = match list.items.last().map(|item| &item.kind) {
        Some(ItemKind::FileEntry(entry)) => file(draft, held, entry),
        Some(
            ItemKind::Folder { .. }
            | ItemKind::Volume { .. }
            | ItemKind::Network { .. }
            | ItemKind::Uri { .. }
            | ItemKind::Named(_)
            | ItemKind::Unknown,
        )
        | None => draft,
    };
    let draft = if whole { draft } else { unknown(draft, held, &list) };
    (draft, true)
}

fn file(draft: Draft, held: &Held<'_>, entry: &FileEntry) -> Draft {
    let draft = part(draft, "name", held, Some(entry.name()), FieldValue::Name);
    let draft = fat_time(draft, "modified", held, entry.modified.as_ref());
    let draft = fat_time(draft, "created", held, entry.created.as_ref());
    let draft = fat_time(draft, "accessed", held, entry.accessed.as_ref());
    let Some(reference) = &entry.file_reference else { return draft };
    let ((number, sequence), at) = (reference.value, place(held, reference));
    draft.set("mft_entry", FieldValue::Integer(number.into()), at).set(
        "mft_sequence",
        FieldValue::Integer(sequence.into()),
        at,
    )
}

fn unknown(draft: Draft, held: &Held<'_>, list: &List) -> Draft {
    let unknown = list.items.iter().filter(|item| item.kind == ItemKind::Unknown).take(MOST_UNKNOWN);
    let shown = unknown.map(|item| {
        let raw = shell_item::raw(&held.value.raw, item);
        hex(raw.get(..SHOWN).unwrap_or(raw))
    });
    draft.set("unknown_items", FieldValue::List(shown.collect()), None).set(
        "incomplete",
        FieldValue::Flag(true),
        None,
    )
}
