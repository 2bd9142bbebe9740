//! The cache of the application compatibility infrastructure (ShimCache).
//!
//! Windows writes it to the registry at shutdown: later entries are not in the hive.

use super::Artifact;
use super::decoded::{self, damaged, part, time, undecoded};
use super::draft::{Draft, record_type, value_path};
use super::mru_list::written;
use super::names::last_component;
use super::reader::Reader;
use super::values::Held;
use crate::intake::Flow;
use artifacts::registry::{HiveType, Key, ValueData};
use artifacts::shim_cache::{self, Cache, Entry, Format};
use ledger::{FieldType, FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "shim_cache_entry";

const VALUE: &str = "AppCompatCache";

/// The column with the package name in the entry of a packaged application.
const PACKAGE_COLUMN: usize = 4;

/// The key of the cache since Windows Server 2003, and in Windows XP.
const KEYS: [&str; 2] =
    ["Control\\Session Manager\\AppCompatCache", "Control\\Session Manager\\AppCompatibility"];

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "shim_cache",
    about: "files that the application compatibility cache (ShimCache) has seen, newest first; not that they ran, and without a time of their own",
    hives: &[HiveType::System],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    use FieldType::{Bytes, Flag, Integer, Name, Path, RegistryPath, Size, Text, Time};
    vec![record_type(
        KIND,
        "one file that the application compatibility cache has seen, because it was started or only listed by the shell; not that it ran, nor when it was seen",
        "path",
        &[
            (
                "path",
                &[Path, Name],
                "path of the file as stored, such as \\??\\C:\\… or SYSVOL\\…; of an application of a package columns with its version and name; the name of the value where the cache cannot be decoded",
            ),
            ("name", &[Name], "last component of the path, or the name of the package"),
            (
                "position",
                &[Integer],
                "place in the cache: 0 is the entry that was made or used last; none for Windows XP, whose entries have no order",
            ),
            (
                "modified",
                &[Time],
                "when the file was last modified, as it was when the entry was made: a time of the file, not of the entry, nor of a run",
            ),
            ("entry_updated", &[Time], "when the entry was last updated; Windows XP only"),
            (
                "process_flag",
                &[Flag],
                "whether the flag is set that Windows Vista to 8.1 sets when it makes a process of the file; later versions have no such flag",
            ),
            ("insert_flags", &[Integer], "how the entry was made, as stored; Windows Vista to 8.1"),
            ("shim_flags", &[Integer], "what was found for the file, as stored; Windows Vista to 8.1"),
            ("size", &[Size], "size of the file; Windows XP and Server 2003"),
            ("data_size", &[Size], "length of the compatibility data of the entry; Windows 7 and later"),
            ("package", &[Text], "package of the program; Windows 8.1"),
            ("format", &[Name], "version of Windows in whose layout the cache is stored"),
            (
                "cache_written",
                &[Time],
                "when the key of the cache was last written, mostly at the last shutdown",
            ),
            ("value_path", &[RegistryPath], "path of the key, \\ and the name of the value"),
            ("raw", &[Bytes], "the data, where it could not be decoded"),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let Some(set) = reader.control_set() else { return ControlFlow::Continue(()) };
    for path in KEYS {
        let Some(key) = reader.below(&set, path) else { continue };
        let values = reader.values(&key);
        // In later Windows, the value with this name in AppCompatibility is something else.
        let Some(held) = values.get(VALUE).filter(|held| held.value.data == ValueData::Bytes) else {
            continue;
        };
        cache(reader, &key, held)?;
    }
    ControlFlow::Continue(())
}

fn cache(reader: &mut Reader<'_, '_>, key: &Key<'_>, held: &Held<'_>) -> Flow {
    let (cache, damage) = match shim_cache::cache(&held.value.raw) {
        Ok(read) => read,
        Err(damage) => {
            let draft = Draft::of_value(reader, KIND, key, held)
                .undated()
                .set("value_path", value_path(key, held), None)
                .value_name(reader, "path", held, FieldValue::Name);
            return reader.push(undecoded(draft, held, &[damage]).done());
        }
    };
    for (position, entry) in cache.entries.iter().enumerate() {
        let draft = record(reader, key, held, &cache, position, entry);
        // The damage of the cache is reported once.
        let draft = if position == 0 { damaged(draft.own(held), held, &damage) } else { draft };
        reader.push(draft.done())?;
    }
    if cache.entries.is_empty() && !damage.is_empty() {
        reader.gap(format!("{}\\{VALUE} is damaged: none of its entries could be read", key.path));
    }
    ControlFlow::Continue(())
}

fn record(
    reader: &Reader<'_, '_>,
    key: &Key<'_>,
    held: &Held<'_>,
    cache: &Cache,
    position: usize,
    entry: &Entry,
) -> Draft {
    let span = held.part(entry.offset as u64, entry.length as u64);
    let draft = Draft::of_part(reader, KIND, key, held, span)
        .undated()
        .set("value_path", value_path(key, held), None)
        .set("format", FieldValue::Name(cache.format.name().to_owned()), None)
        .set("name", name(&entry.path.value), None);
    let draft = match cache.format {
        Format::Xp => draft,
        Format::Server2003
        | Format::Vista
        | Format::Windows7
        | Format::Windows8
        | Format::Windows81
        | Format::Windows10 => draft.set("position", FieldValue::Integer(position as i128), None),
    };
    let draft = written(draft, "cache_written", key);
    let draft = part(draft, "path", held, Some(&entry.path), FieldValue::Path);
    let draft = part(draft, "package", held, entry.package.as_ref(), FieldValue::Text);
    let draft = time(draft, "modified", held, entry.modified.as_ref());
    let draft = time(draft, "entry_updated", held, entry.updated.as_ref());
    let draft = part(draft, "process_flag", held, entry.process_made().as_ref(), FieldValue::Flag);
    let draft = decoded::number(draft, "insert_flags", held, entry.insert_flags.as_ref());
    let draft = decoded::number(draft, "shim_flags", held, entry.shim_flags.as_ref());
    let draft = part(draft, "size", held, entry.size.as_ref(), FieldValue::Size);
    part(draft, "data_size", held, entry.data_size.as_ref(), |size| FieldValue::Size(size.into()))
}

/// Returns the name of the file; for a packaged application, whose entry has columns instead of a path, the name of the package.
fn name(path: &str) -> FieldValue {
    match path.split('\t').nth(PACKAGE_COLUMN) {
        Some(package) => FieldValue::Name(package.to_owned()),
        None => last_component(path),
    }
}
