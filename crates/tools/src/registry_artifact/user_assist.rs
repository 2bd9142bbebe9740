//! Programs and shortcuts that a user started through the shell (UserAssist).

use super::Artifact;
use super::decoded::{self, undecoded};
use super::draft::{Draft, record_type, value_path};
use super::reader::Reader;
use super::values::Held;
use crate::hive_file::value_name;
use crate::intake::Flow;
use artifacts::known_folder;
use artifacts::registry::{Filetime, HiveType, Key};
use artifacts::user_assist::{Entry, Subject, Version, decode_name, entry, subject};
use artifacts::{Damage, Located};
use ledger::{ByteSpan, FieldType, FieldValue, RecordType};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

const KIND: &str = "user_assist";

const PATH: &str = "Software\\Microsoft\\Windows\\CurrentVersion\\Explorer\\UserAssist";

/// The list of shortcuts: here the focus fields contain neither a count nor milliseconds.
const SHORTCUTS: &str = "{F4E57C4B-2036-45F0-A9AB-443BCFE33D9F}";

/// Started by shell item: shortcuts, but also folders of the start menu.
const BY_ITEM: &str = "UEME_RUNPIDL";

/// At least this many entries with exactly the same time were written together, not by a user.
///
/// One start updates up to two entries together: a shortcut and its program.
const WRITTEN_AT_ONCE: usize = 3;

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "user_assist",
    about: "programs and shortcuts that a user started through the shell, with counts and last run",
    hives: &[HiveType::NtUser],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    use FieldType::{Bytes, Integer, Name, Path, RegistryPath, Time};
    vec![record_type(
        KIND,
        "one program, shortcut or application that the shell counts for a user",
        "program",
        &[
            (
                "program",
                &[Path, Name],
                "path or application id as stored, without ROT13; a folder may stand there as its GUID",
            ),
            ("name", &[Name], "last component of the path"),
            ("known_folder", &[Name], "name of the folder whose GUID begins the path"),
            (
                "resolved",
                &[Path],
                "the path with the folder for its GUID, only where that is the same on every host",
            ),
            ("started_by", &[Name], "way of starting, as older Windows tells it, such as UEME_RUNPATH"),
            ("run_count", &[Integer], "how often it was started"),
            ("stored_count", &[Integer], "the count as Windows before 7 stores it: 5 more than the runs"),
            ("focus_count", &[Integer], "how often it came to the foreground"),
            ("focus_time_ms", &[Integer], "milliseconds in the foreground"),
            ("last_run", &[Time], "when it was last started"),
            (
                "last_chosen",
                &[Time],
                "instead of last_run, where older Windows counts a folder of the start menu or an object of the shell",
            ),
            (
                "preset_time",
                &[Time],
                "instead of last_run, where three or more entries of the user have the same time to the tick: Windows writes such entries, counts and all, when it makes a profile, and they prove no run",
            ),
            ("value_path", &[RegistryPath], "path of the key, \\ and the name of the value, still in ROT13"),
            ("raw", &[Bytes], "the data, where it could not be decoded"),
        ],
    )]
}

/// An entry about a program.
struct Found<'h> {
    key: Key<'h>,
    /// Whether it is in the list of shortcuts.
    shortcuts: bool,
    held: Held<'h>,
    program: String,
    /// The prefix of the program in the decoded name.
    started_by: Option<String>,
    entry: Result<Entry, Damage>,
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let found = collect(reader);
    let mut times: BTreeMap<u64, usize> = BTreeMap::new();
    for entry in found.iter().filter_map(|found| found.entry.as_ref().ok()) {
        *times.entry(entry.last_run.value.0).or_default() += 1;
    }
    for found in found {
        let at_once = |ticks: Filetime| times.get(&ticks.0).is_some_and(|count| *count >= WRITTEN_AT_ONCE);
        let draft = record(reader, &found, at_once);
        reader.push(draft.done())?;
    }
    ControlFlow::Continue(())
}

fn collect<'h>(reader: &mut Reader<'_, 'h>) -> Vec<Found<'h>> {
    let mut found = Vec::new();
    let Some(root) = reader.key(PATH) else { return found };
    for list in reader.children(&root) {
        let Some(key) = reader.below(&list, "Count") else { continue };
        let shortcuts = list.name.eq_ignore_ascii_case(SHORTCUTS);
        for held in reader.values(&key).0 {
            let name = decode_name(&held.value.name);
            // The shell also counts its own windows and sessions; they are not programs.
            let Subject::Program { program, prefix } = subject(&name) else { continue };
            let started_by = name.get(..prefix).and_then(|prefix| prefix.strip_suffix(':'));
            let (started_by, entry) = (started_by.map(str::to_owned), entry(&held.value.raw));
            found.push(Found { key: key.clone(), shortcuts, held, program, started_by, entry });
        }
    }
    found
}

fn record(reader: &Reader<'_, '_>, found: &Found<'_>, at_once: impl Fn(Filetime) -> bool) -> Draft {
    let held = &found.held;
    let draft = Draft::of_value(reader, KIND, &found.key, held).undated().set(
        "value_path",
        value_path(&found.key, held),
        None,
    );
    let draft = program(draft, &found.program, value_name(reader.bytes, held.value.offset));
    let draft = draft.maybe("started_by", found.started_by.clone().map(FieldValue::Name), None);
    match &found.entry {
        Ok(entry) => {
            let draft = last(counts(draft, held, entry), found, entry, at_once);
            if found.shortcuts { draft } else { focus(draft, held, entry) }
        }
        Err(damage) => undecoded(draft, held, &[*damage]),
    }
}

/// Adds the name of the program; its letters are in the name of the value, encoded with ROT13.
fn program(draft: Draft, program: &str, name_at: Option<ByteSpan>) -> Draft {
    let is_path = program.contains('\\');
    let last = program.rsplit('\\').find(|component| !component.is_empty()).unwrap_or(program);
    let make = if is_path { FieldValue::Path } else { FieldValue::Name };
    let draft = draft.set("program", make(program.to_owned()), name_at).set(
        "name",
        FieldValue::Name(last.to_owned()),
        None,
    );
    let Some((guid, rest)) = known_folder::split(program) else { return draft };
    let Some(folder) = known_folder::find(guid) else { return draft };
    draft.set("known_folder", FieldValue::Name(folder.name.to_owned()), None).maybe(
        "resolved",
        folder.path.map(|path| FieldValue::Path(format!("{path}{rest}"))),
        None,
    )
}

fn counts(draft: Draft, held: &Held<'_>, entry: &Entry) -> Draft {
    let Located { offset, length, .. } = entry.stored_count;
    let run_count = Located { value: entry.run_count, offset, length };
    let draft = decoded::number(draft, "run_count", held, Some(&run_count));
    let stored = match entry.version {
        Version::Three => Some(&entry.stored_count),
        Version::Five => None,
    };
    decoded::number(draft, "stored_count", held, stored)
}

/// Adds the time, under the field name that says what it proves.
fn last(draft: Draft, found: &Found<'_>, entry: &Entry, at_once: impl Fn(Filetime) -> bool) -> Draft {
    let ticks = entry.last_run.value;
    let by_item = found.started_by.as_deref().is_some_and(|how| how.eq_ignore_ascii_case(BY_ITEM));
    let field = if ticks.is_time() && at_once(ticks) {
        "preset_time"
    } else if by_item && !is_shortcut(&found.program) {
        "last_chosen"
    } else {
        "last_run"
    };
    decoded::time(draft, field, &found.held, Some(&entry.last_run))
}

fn is_shortcut(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("lnk"))
}

fn focus(draft: Draft, held: &Held<'_>, entry: &Entry) -> Draft {
    let draft = decoded::number(draft, "focus_count", held, entry.focus_count.as_ref());
    decoded::number(draft, "focus_time_ms", held, entry.focus_time.as_ref())
}
