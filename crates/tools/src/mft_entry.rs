//! `mft_entry`: everything that one entry of an NTFS `$MFT` says of itself.

mod record_types;

use crate::catalogue::Call;
use crate::error::CallError;
use crate::returned::Return;
use crate::row::Row;
use crate::volume::Held;
use crate::{list_deleted, place, spec, volume};
use evidence::{
    AttributeInfo, EvidencePath, Extent, FileName, FileReference, MacbTimes, MftDescription, MftFile, Tree,
};
use ledger::{ByteSpan, Defect, FieldValue, Record, ToolSpec};
use record_types::{ATTRIBUTE, ENTRY, NAME};
use serde_json::json;

pub(crate) fn spec() -> ToolSpec {
    spec::tool(
        "mft_entry",
        "Tells all that one entry of the master file table of an NTFS volume says of itself, in use or not: \
         the entry with the times of $STANDARD_INFORMATION, each $FILE_NAME with its own four times, each attribute. \
         Give its number, or a path of a file of the image, also of a deleted one; of a $MFT that is a file, its path and the number.",
        vec![
            ("entry", spec::optional_number("number of the entry", 0, spec::MAX_EXACT)),
            (
                "path",
                spec::text(
                    "file or folder whose entry is meant, or the $MFT that holds the entry of the number; with either slash",
                ),
            ),
            (
                "volume",
                spec::text("volume of the number, such as p1; may be left out when there is one only"),
            ),
            ("evidence", spec::evidence()),
        ],
        &[],
        record_types::all(),
    )
}

/// The entry that was asked for, and where it is.
struct Asked<'t> {
    tree: &'t dyn Tree,
    volume: EvidencePath,
    number: u64,
    /// The path by which it was asked for.
    path: Option<EvidencePath>,
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let asked = match (arguments.optional_number("entry"), arguments.optional_text("path")) {
        (Some(number), None) => by_number(call, number)?,
        (None, Some(path)) => in_its_volume(call, by_path(call, path)?)?,
        (Some(number), Some(path)) => return of_file(call, number, path),
        (None, None) => {
            return Err(CallError::OneOf { one: "entry", other: "path" });
        }
    };
    let Asked { tree, volume, number, path } = &asked;
    let mut used = vec![("evidence", json!(tree.label()))];
    used.push(match path {
        Some(path) => ("path", json!(path.as_str())),
        None => ("volume", json!(volume.as_str())),
    });
    let normalised = arguments.normalised(&used);
    let Some(found) = tree.mft_entry(volume, *number)? else {
        let mut returned = Return::found(Vec::new(), normalised);
        returned.notes.push(format!("the $MFT of {volume} has no entry {number}"));
        return Ok(returned);
    };
    let told = Told { tree: *tree, volume, reference: reference(volume, &found), found: &found, file: None };
    let mut returned = Return::found(told.records(), normalised);
    returned.defects.extend(found.damage.iter().map(|what| Defect {
        path: found.path.as_ref().unwrap_or(volume).as_str().to_owned(),
        offset: None,
        what: what.clone(),
    }));
    Ok(returned)
}

/// Checks that a volume given with a path is the one that has the path.
fn in_its_volume<'t>(call: &Call<'t>, asked: Asked<'t>) -> Result<Asked<'t>, CallError> {
    let arguments = call.arguments;
    let Some(name) = arguments.optional_text("volume") else { return Ok(asked) };
    let scope = place::scope(call.trees, arguments.optional_text("evidence"))?;
    let named = volume::named(&scope, Some(name))?;
    let holds = |held: &Held<'_>| held.tree.label() == asked.tree.label() && held.volume.path == asked.volume;
    match named.iter().any(holds) {
        true => Ok(asked),
        false => {
            let expected = "the volume that holds the path, or left out beside it";
            Err(CallError::Argument { argument: "volume", expected, found: name.to_owned() })
        }
    }
}

/// Reads an entry of a `$MFT` that is a file of the evidence.
fn of_file(call: &Call<'_>, number: u64, path: &str) -> Result<Return, CallError> {
    let place = place::find(call.trees, call.arguments.optional_text("evidence"), path)?;
    let path = place.node.path.clone();
    let opened = MftFile::open(place.tree.open(&place.node, None)?)?;
    // In any other file, the number and the path would mean two different entries.
    let Some(mut file) = opened else { return Err(CallError::OneOf { one: "entry", other: "path" }) };
    let folder = path.parent().unwrap_or_else(EvidencePath::root);
    let used = [("evidence", json!(place.tree.label())), ("path", json!(path.as_str()))];
    let normalised = call.arguments.normalised(&used);
    let Some(found) = file.describe(number, &folder)? else {
        let mut returned = Return::found(Vec::new(), normalised);
        returned.notes.push(format!("{path} has no entry {number}"));
        return Ok(returned);
    };
    let span = ByteSpan::new(file.offset(number), file.record_size());
    let reference = reference(&path, &found);
    let told = Told { tree: place.tree, volume: &path, reference, found: &found, file: Some(span) };
    let mut returned = Return::found(told.records(), normalised);
    returned.defects.extend(found.damage.iter().map(|what| Defect {
        path: path.as_str().to_owned(),
        offset: Some(span.offset),
        what: what.clone(),
    }));
    Ok(returned)
}

fn by_number<'t>(call: &Call<'t>, number: u64) -> Result<Asked<'t>, CallError> {
    let arguments = call.arguments;
    let scope = place::scope(call.trees, arguments.optional_text("evidence"))?;
    let mut volumes = volume::named(&scope, arguments.optional_text("volume"))?;
    let shown = |held: &Held<'_>| format!("{} of {}", held.name(), held.tree.label());
    let all: Vec<_> = volumes.iter().map(shown).collect();
    volumes.retain(|held| held.volume.file_system == Some("NTFS"));
    match (volumes.pop(), volumes.as_slice()) {
        (Some(Held { tree, volume }), []) => Ok(Asked { tree, volume: volume.path, number, path: None }),
        (Some(last), others) => {
            let volumes = others.iter().chain([&last]).map(shown).collect();
            Err(CallError::VolumeNeeded { entry: number, volumes })
        }
        (None, _) => Err(CallError::NoNtfs { volumes: all }),
    }
}

fn by_path<'t>(call: &Call<'t>, path: &str) -> Result<Asked<'t>, CallError> {
    let place = place::find(call.trees, call.arguments.optional_text("evidence"), path)?;
    let volume = place.node.path.components().next().map(|name| EvidencePath::root().child(name));
    match (place.node.reference, volume) {
        (Some(FileReference::Mft { entry, .. }), Some(Ok(volume))) => {
            Ok(Asked { tree: place.tree, volume, number: entry, path: Some(place.node.path) })
        }
        _ => Err(CallError::NoMftEntry { path: place.node.path }),
    }
}

/// Returns volume, number and sequence, which identify the entry within the image.
fn reference(volume: &EvidencePath, found: &MftDescription) -> String {
    let number = FileReference::Mft { entry: found.entry, sequence: found.sequence };
    format!("{volume}:{}", list_deleted::reference(number))
}

/// An entry being turned into records.
struct Told<'a> {
    tree: &'a dyn Tree,
    volume: &'a EvidencePath,
    reference: String,
    found: &'a MftDescription,
    /// The place of its record, if the `$MFT` is a file of the evidence; `volume` is then that file.
    file: Option<ByteSpan>,
}

impl Told<'_> {
    fn records(&self) -> Vec<Record> {
        let names = self.found.names.iter().map(|found| self.name(found));
        let attributes = self.found.attributes.iter().map(|found| self.attribute(found));
        [self.entry()].into_iter().chain(names).chain(attributes).collect()
    }

    fn row(&self, kind: &str) -> Row {
        let path = self.found.path.as_ref();
        let holder = path.filter(|_| self.file.is_none()).unwrap_or(self.volume);
        Row::at(kind, self.tree, holder.as_str(), self.file).field("reference", name(&self.reference)).maybe(
            "path",
            path.map(|path| FieldValue::Path(path.as_str().to_owned())),
            None,
        )
    }

    fn entry(&self) -> Record {
        let found = self.found;
        let standard = found.standard_information.as_ref();
        let base = found.base.map(|(entry, sequence)| format!("{entry}-{sequence}"));
        // A free record that extends another one, or has no name, may not have been a deleted file.
        let was_a_file = found.in_use || (found.base.is_none() && !found.names.is_empty());
        let times = standard.map(|standard| standard.times.clone()).unwrap_or_default();
        let row = self
            .row(ENTRY)
            .field("entry", FieldValue::Integer(found.entry.into()))
            .field("sequence", FieldValue::Integer(found.sequence.into()))
            .maybe("in_use", was_a_file.then_some(FieldValue::Flag(found.in_use)), None)
            .field("directory", FieldValue::Flag(found.directory))
            .field("links", FieldValue::Integer(found.links.into()))
            .field("log_sequence", FieldValue::Integer(found.log_sequence.into()))
            .maybe("base", base.map(|base| name(&base)), None)
            .maybe("attributes", standard.map(|found| name(&flags(found.attributes))), None)
            .maybe("security", standard.map(|found| FieldValue::Integer(found.security.into())), None)
            .maybe("usn", standard.map(|found| FieldValue::Integer(found.usn.into())), None)
            .maybe("place", places(&found.place), None);
        with_times(row, times).done()
    }

    fn name(&self, found: &FileName) -> Record {
        let (parent, sequence) = found.parent;
        let row = self
            .row(NAME)
            .field("name", name(&found.name))
            .field("namespace", name(found.namespace))
            .field("parent", name(&format!("{parent}-{sequence}")));
        // Other names than those of $STANDARD_INFORMATION: one must not be cited as the other.
        let MacbTimes { modified, accessed, changed, born } = found.times.clone();
        row.maybe("name_modified", modified.map(FieldValue::Time), None)
            .maybe("name_accessed", accessed.map(FieldValue::Time), None)
            .maybe("name_changed", changed.map(FieldValue::Time), None)
            .maybe("name_born", born.map(FieldValue::Time), None)
            .done()
    }

    fn attribute(&self, found: &AttributeInfo) -> Record {
        let flags: Vec<_> = found.flags.iter().map(|flag| (*flag).to_owned()).collect();
        let number = |number: u64| FieldValue::Integer(number.into());
        let first = found.runs.first().and_then(|(first, _)| *first);
        self.row(ATTRIBUTE)
            .field("code", name(&format!("{:#x}", found.code)))
            .field("kind", name(&found.kind))
            .maybe("name", found.name.as_deref().map(name), None)
            .field("resident", FieldValue::Flag(found.resident))
            .field("size", FieldValue::Size(found.size))
            .field("allocated", FieldValue::Size(found.allocated))
            .maybe("flags", (!flags.is_empty()).then_some(FieldValue::List(flags)), None)
            .maybe("runs", (!found.resident).then(|| number(found.runs.len() as u64)), None)
            .maybe("first_cluster", first.map(number), None)
            .done()
    }
}

fn name(text: &str) -> FieldValue {
    FieldValue::Name(text.to_owned())
}

fn with_times(row: Row, times: MacbTimes) -> Row {
    let MacbTimes { modified, accessed, changed, born } = times;
    row.maybe("modified", modified.map(FieldValue::Time), None)
        .maybe("accessed", accessed.map(FieldValue::Time), None)
        .maybe("changed", changed.map(FieldValue::Time), None)
        .maybe("born", born.map(FieldValue::Time), None)
}

/// Returns where bytes are in the files of the image; `None` if that is not known.
pub(crate) fn places(extents: &[Extent]) -> Option<FieldValue> {
    let shown = |extent: &Extent| format!("{}@{}+{}", extent.container, extent.offset, extent.length);
    (!extents.is_empty()).then(|| FieldValue::List(extents.iter().map(shown).collect()))
}

/// Returns DOS attributes in hex, and the names of those that are set ([MS-FSCC] 2.6).
pub(crate) fn flags(attributes: u32) -> String {
    const NAMES: [(u32, &str); 13] = [
        (0x1, "read-only"),
        (0x2, "hidden"),
        (0x4, "system"),
        (0x10, "directory"),
        (0x20, "archive"),
        (0x80, "normal"),
        (0x100, "temporary"),
        (0x200, "sparse"),
        (0x400, "reparse point"),
        (0x800, "compressed"),
        (0x1000, "offline"),
        (0x2000, "not indexed"),
        (0x4000, "encrypted"),
    ];
    let set: Vec<_> = NAMES.iter().filter(|(bit, _)| attributes & bit != 0).map(|(_, name)| *name).collect();
    format!("{attributes:#x} {}", set.join(", ")).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::flags;

    #[test]
    fn flags_are_told_in_hex_and_by_name() {
        assert_eq!(flags(0x26), "0x26 hidden, system, archive");
        assert_eq!(flags(0), "0x0");
    }
}
