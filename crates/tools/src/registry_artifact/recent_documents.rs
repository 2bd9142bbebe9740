//! Documents and folders that a user opened through the shell (RecentDocs).

use super::Artifact;
use super::decoded::{damaged, part};
use super::draft::{Draft, key_path, record_type, value_path};
use super::mru_list::{Entry, MruList, POSITION};
use super::reader::Reader;
use crate::intake::Flow;
use artifacts::registry::{HiveType, Key};
use artifacts::shell_item::{self, ItemKind};
use artifacts::{Located, mru};
use ledger::{FieldType, FieldValue, Record, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "recent_document";

/// The record type of a whole list.
const LIST: &str = "recent_documents_list";

const PATH: &str = "Software\\Microsoft\\Windows\\CurrentVersion\\Explorer\\RecentDocs";

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "recent_documents",
    about: "documents and folders that a user opened through the shell, most recent first, in all and by extension",
    hives: &[HiveType::NtUser],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    use FieldType::{Bytes, List, Name, RegistryPath, Time};
    let one = record_type(
        KIND,
        "one document or folder in a list of those that a user opened through the shell",
        "name",
        &[
            ("name", &[Name], "name of the document or folder, without its folder"),
            ("link", &[Name], "name of the shortcut to it in the user's folder of recent documents"),
            (
                "extension",
                &[Name],
                "name of the list: an extension, or Folder; none in the list of all documents",
            ),
            POSITION,
            (
                "opened_last",
                &[Time],
                "when it was last opened; only of the most recent one, since that is when the list was last written",
            ),
            ("value_path", &[RegistryPath], "path of the key, \\ and the name of the value"),
            ("raw", &[Bytes], "the data, where no name could be decoded"),
        ],
    );
    let whole = record_type(
        LIST,
        "the list of all documents and folders that a user opened through the shell, in its order; when those behind the first were opened is not said",
        "list",
        &[
            ("list", &[RegistryPath], "path of the key of the list"),
            ("names", &[List], "names of documents and folders, most recent first"),
            ("opened_last", &[Time], "when the list was last written: when the first of them was opened"),
        ],
    );
    vec![one, whole]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let Some(root) = reader.key(PATH) else { return ControlFlow::Continue(()) };
    whole(reader, &root)?;
    list(reader, &root, None)?;
    for child in reader.children(&root) {
        list(reader, &child, Some(&child.name))?;
    }
    ControlFlow::Continue(())
}

/// The most names of one list: Windows keeps 150.
const MOST: usize = 200;

/// Hands over the list of all documents as one record, if its order can be read.
fn whole<'h>(reader: &mut Reader<'_, 'h>, key: &Key<'h>) -> Flow {
    let values = reader.values(key);
    let list = MruList::of(&values);
    let placed = list.entries().iter().filter(|entry| entry.is_placed()).take(MOST);
    let names = placed.map(|entry| mru::text(&entry.held.value.raw).0.value);
    let names: Vec<String> = names.filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        return ControlFlow::Continue(());
    }
    let draft = Draft::of_key(reader, LIST, key).undated();
    let draft = draft.set("list", FieldValue::RegistryPath(key_path(key)), None);
    let written = FieldValue::Time(ledger::Time::from_filetime(key.last_written.0));
    let at = ledger::ByteSpan::new(key.last_written_offset, 8);
    let draft = draft.set("names", FieldValue::List(names), None).set("opened_last", written, Some(at));
    reader.push(draft.done())
}

fn list<'h>(reader: &mut Reader<'_, 'h>, key: &Key<'h>, extension: Option<&str>) -> Flow {
    let values = reader.values(key);
    let list = MruList::of(&values);
    for entry in list.entries() {
        let record = record(reader, key, &list, entry, extension);
        reader.push(record)?;
    }
    ControlFlow::Continue(())
}

fn record(
    reader: &Reader<'_, '_>,
    key: &Key<'_>,
    list: &MruList<'_, '_>,
    entry: &Entry<'_, '_>,
    extension: Option<&str>,
) -> Record {
    let held = entry.held;
    let (name, behind, damage) = mru::text(&held.value.raw);
    let draft =
        Draft::of_value(reader, KIND, key, held).undated().set("value_path", value_path(key, held), None);
    let draft = match extension {
        Some(_) => draft.key_name(reader, "extension", key, FieldValue::Name),
        None => draft,
    };
    let draft = list.placed(draft, entry, key, "opened_last");
    let draft = damaged(draft, held, &damage);
    if name.value.is_empty() {
        return draft.value_name(reader, "name", held, FieldValue::Name).bytes("raw", held).done();
    }
    let draft = part(draft, "name", held, Some(&name), FieldValue::Name);
    let (link, damage) = link(&held.value.raw, behind);
    part(damaged(draft, held, &damage), "link", held, link.as_ref(), FieldValue::Name).done()
}

/// Returns the shell item after the name: a file entry in the user's folder of recent documents.
fn link(raw: &[u8], at: usize) -> (Option<Located<String>>, Vec<artifacts::Damage>) {
    let (items, damage) = shell_item::list(raw, at);
    let name = items.items.into_iter().find_map(|item| match item.kind {
        ItemKind::FileEntry(entry) => Some(entry.name().clone()),
        ItemKind::Folder { .. }
        | ItemKind::Volume { .. }
        | ItemKind::Network { .. }
        | ItemKind::Uri { .. }
        | ItemKind::Named(_)
        | ItemKind::Unknown => None,
    });
    (name, damage)
}
