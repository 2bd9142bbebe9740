//! Folders for which a user's Explorer keeps a view (ShellBags).
//!
//! Each key below `BagMRU` is a folder. Each of its values named by a number is a folder in it, as a shell item,
//! and the subkey with that number is that folder's own key. A key's `NodeSlot` is the number of the bag with its view.
//! Sources: Joachim Metz, winreg-kb, "Most recently used (MRU)" and "Shellbags"; Yuandong Zhu, Pavel Gladyshev and Joshua James,
//! "Using ShellBag information to reconstruct user activities" (2009).

use super::Artifact;
use super::decoded::{damaged, fat_time, part, place};
use super::draft::{Draft, number, record_type, value_path};
use super::mru_list::{MruList, POSITION, written};
use super::reader::Reader;
use super::values::Held;
use crate::hive_file::value_name;
use crate::intake::Flow;
use artifacts::known_folder;
use artifacts::registry::{HiveType, Key};
use artifacts::shell_item::{self, FileEntry, Item, ItemKind};
use ledger::{FieldType, FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "shell_bag";

/// The roots of the trees in a user's hive, and in the hive of the user's classes.
const OF_USER: [&str; 2] =
    ["Software\\Microsoft\\Windows\\Shell\\BagMRU", "Software\\Microsoft\\Windows\\ShellNoRoam\\BagMRU"];
const OF_CLASSES: [&str; 3] = [
    "Local Settings\\Software\\Microsoft\\Windows\\Shell\\BagMRU",
    "Local Settings\\Software\\Microsoft\\Windows\\ShellNoRoam\\BagMRU",
    "Wow6432Node\\Local Settings\\Software\\Microsoft\\Windows\\Shell\\BagMRU",
];

/// The folder at the root of a tree.
const DESKTOP: &str = "Desktop";

/// The deepest folder that is read; a Windows path cannot have more levels than half its length.
const DEEPEST: usize = 256;

/// The longest path that is built, in bytes.
const LONGEST: usize = 65_536;

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "shell_bags",
    about: "folders, also on removable drives, shares and in archives, that a user's Explorer keeps a view of (ShellBags), even where they are gone",
    hives: &[HiveType::NtUser, HiveType::UsrClass],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    use FieldType::{Bytes, Flag, Guid, Integer, Name, Path, RegistryPath, Time};
    vec![record_type(
        KIND,
        "one folder of which Explorer keeps a view for the user, mostly because it was opened there; programs and dialogs make entries, too. The times of the file are those of the folder when the entry was made; key_last_written is that of the key in which the entry stands, and dates only the entry at position 0",
        "path",
        &[
            (
                "path",
                &[Path],
                "path as the shell shows it, from the desktop on; a folder of the shell by its name, or by its GUID where that is not known, an unknown part as its class in angle brackets",
            ),
            ("name", &[Name], "last part of the path"),
            (
                "file_path",
                &[Path],
                "the path from the drive or the share on, where the folder lies below one",
            ),
            (
                "type",
                &[Name],
                "what the entry is: Directory, Drive letter, Root folder: GUID, Network location, …",
            ),
            ("folder_guid", &[Guid], "GUID of a folder of the shell"),
            ("slot", &[Name], "name of the value"),
            POSITION,
            (
                "last_interacted",
                &[Time],
                "when the list was last written with this entry in front, which is about when it was last used; only of the most recent entry",
            ),
            (
                "node_last_written",
                &[Time],
                "when the folder's own key was last written: when the entry was made or got its view where has_entries is false, else mostly when the list of the folders in it last changed",
            ),
            ("has_entries", &[Flag], "whether folders in this one have entries of their own"),
            ("bag", &[Integer], "number of the bag with its view (NodeSlot)"),
            (
                "modified",
                &[Time],
                "when the folder was last modified, as known when the entry was made; to two seconds",
            ),
            ("created", &[Time], "when the folder was created"),
            ("accessed", &[Time], "when the folder was last accessed, as known when the entry was made"),
            ("mft_entry", &[Integer], "number of its record in the $MFT"),
            ("mft_sequence", &[Integer], "sequence number of that record"),
            ("short_name", &[Name], "short name"),
            ("incomplete", &[Flag], "true where parts of the path are unknown"),
            ("value_path", &[RegistryPath], "path of the key, \\ and the name of the value"),
            ("raw", &[Bytes], "the shell item, where it could not be decoded"),
        ],
    )]
}

/// A parent folder, while descending.
#[derive(Clone)]
struct Above {
    path: String,
    /// The path from a drive or share on, once one was reached.
    file_path: Option<String>,
    whole: bool,
    depth: usize,
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let is = |wanted| reader.hive_type == wanted || reader.hive_type == HiveType::Other;
    let (user, classes) = (is(HiveType::NtUser), is(HiveType::UsrClass));
    let paths = OF_USER.iter().filter(|_| user).chain(OF_CLASSES.iter().filter(|_| classes));
    for path in paths {
        if let Some(root) = reader.key(path) {
            let above = Above { path: DESKTOP.to_owned(), file_path: None, whole: true, depth: 0 };
            folder(reader, &root, &above)?;
        }
    }
    ControlFlow::Continue(())
}

/// Hands over the entries of one folder, each followed by what is in it.
fn folder<'h>(reader: &mut Reader<'_, 'h>, key: &Key<'h>, above: &Above) -> Flow {
    let values = reader.values(key);
    let list = MruList::of(&values);
    let children = reader.children(key);
    for entry in list.entries() {
        let held = entry.held;
        let node = children.iter().find(|child| child.name.eq_ignore_ascii_case(&held.value.name));
        let draft = Draft::of_value(reader, KIND, key, held)
            .set("value_path", value_path(key, held), None)
            .value_name(reader, "slot", held, FieldValue::Name);
        let draft = list.placed(draft, entry, key, "last_interacted");
        let draft = match node {
            Some(node) => own_key(reader, draft, node),
            None => draft,
        };
        let (draft, below) = item(reader, draft, held, above);
        reader.push(draft.done())?;
        let Some(node) = node else { continue };
        if below.depth > DEEPEST || below.path.len() > LONGEST {
            reader.gap(format!("{} lies too deep: what is in it was not read", node.path));
            continue;
        }
        folder(reader, node, &below)?;
    }
    ControlFlow::Continue(())
}

/// Adds what the folder's own key shows.
fn own_key<'h>(reader: &mut Reader<'_, 'h>, draft: Draft, node: &Key<'h>) -> Draft {
    let values = reader.values(node);
    let named_by_number = |held: &Held<'_>| {
        !held.value.name.is_empty() && held.value.name.bytes().all(|byte| byte.is_ascii_digit())
    };
    let entries = values.0.iter().any(named_by_number);
    let draft = written(draft, "node_last_written", node).set("has_entries", FieldValue::Flag(entries), None);
    let slot = values.get("NodeSlot");
    match slot.and_then(number) {
        Some(bag) => draft.set("bag", FieldValue::Integer(bag.into()), slot.and_then(Held::at)),
        None => draft,
    }
}

/// Adds what an entry's shell item shows; also returns the folder that the entry stands for.
fn item(reader: &Reader<'_, '_>, draft: Draft, held: &Held<'_>, above: &Above) -> (Draft, Above) {
    let (list, damage) = shell_item::list(&held.value.raw, 0);
    let draft = damaged(draft, held, &damage);
    let Some(item) = list.items.last() else {
        // The desktop's own entry is an empty list.
        let at = value_name(reader.bytes, held.value.offset);
        let below = step(above, "<>", None, false);
        let draft = draft.set("name", FieldValue::Name(held.value.name.clone()), at).bytes("raw", held);
        return (paths(draft, &below), below);
    };
    let name = shown(item);
    let below = step(above, &name, Some(item), item.name().is_some());
    let draft = paths(draft, &below).set("type", FieldValue::Name(item.kind_name().to_owned()), None);
    let draft = match &item.kind {
        ItemKind::FileEntry(entry) => file(draft, held, entry),
        ItemKind::Folder { guid } => {
            let draft = part(draft, "folder_guid", held, Some(guid), FieldValue::Guid);
            draft.set("name", FieldValue::Name(name), None)
        }
        ItemKind::Volume { name } => part(draft, "name", held, Some(name), FieldValue::Name),
        ItemKind::Network { location } => part(draft, "name", held, Some(location), FieldValue::Name),
        ItemKind::Uri { uri } => part(draft, "name", held, Some(uri), FieldValue::Name),
        ItemKind::Named(named) => part(draft, "name", held, Some(&named.name), FieldValue::Name),
        ItemKind::Unknown => draft.set("name", FieldValue::Name(name), None).bytes("raw", held),
    };
    (draft, below)
}

/// Returns the name under which the shell shows an item.
fn shown(item: &Item) -> String {
    match (&item.kind, item.name()) {
        (ItemKind::Folder { .. }, Some(guid)) => {
            known_folder::find(guid).map_or_else(|| guid.to_owned(), |folder| folder.name.to_owned())
        }
        (ItemKind::Volume { .. }, Some(name)) => name.trim_end_matches('\\').to_owned(),
        (_, Some(name)) => name.to_owned(),
        (_, None) => format!("<{:#04x}>", item.class),
    }
}

/// Returns the folder below another one.
fn step(above: &Above, name: &str, item: Option<&Item>, whole: bool) -> Above {
    let share = name.starts_with("\\\\");
    let starts = share || item.is_some_and(|item| matches!(item.kind, ItemKind::Volume { .. }));
    let below = |path: &str| format!("{path}\\{name}");
    let file_path = if starts { Some(name.to_owned()) } else { above.file_path.as_deref().map(below) };
    Above { path: below(&above.path), file_path, whole: above.whole && whole, depth: above.depth + 1 }
}

fn paths(draft: Draft, below: &Above) -> Draft {
    let draft = draft.set("path", FieldValue::Path(below.path.clone()), None).maybe(
        "file_path",
        below.file_path.clone().map(FieldValue::Path),
        None,
    );
    if below.whole { draft } else { draft.set("incomplete", FieldValue::Flag(true), None) }
}

fn file(draft: Draft, held: &Held<'_>, entry: &FileEntry) -> Draft {
    let draft = part(draft, "name", held, Some(entry.name()), FieldValue::Name);
    let short = entry.long.as_ref().map(|_| &entry.primary);
    let draft = part(draft, "short_name", held, short, FieldValue::Name);
    let draft = fat_time(draft, "modified", held, entry.modified.as_ref());
    let draft = fat_time(draft, "created", held, entry.created.as_ref());
    let draft = fat_time(draft, "accessed", held, entry.accessed.as_ref());
    let Some(reference) = &entry.file_reference else { return draft };
    let ((number, sequence), at) = (reference.value, place(held, reference));
    let draft = draft.set("mft_entry", FieldValue::Integer(number.into()), at);
    draft.set("mft_sequence", FieldValue::Integer(sequence.into()), at)
}
