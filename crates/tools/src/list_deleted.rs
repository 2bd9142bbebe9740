//! `list_deleted`: deleted entries that the file systems of images still show.
//!
//! Finding nothing shows no absence: a file system shows only the deleted entries that were not overwritten yet.

mod wanted;

use crate::catalogue::Call;
use crate::error::CallError;
use crate::hash_file::{Hashes, hash};
use crate::page::Page;
use crate::returned::{Return, chain};
use crate::row::Row;
use crate::volume::Held;
use crate::{dir_entry, place, spec, volume};
use evidence::{DeletedEntry, DeletedStep, FileReference, NodeKind, Original, Recovery, Tree};
use ledger::{Defect, FieldType, FieldValue, Gap, Record, RecordType, ToolSpec};
use serde_json::json;
use wanted::Wanted;

const KIND: &str = "deleted_entry";

/// The largest content that is hashed for a listing.
const MAX_HASHED: u64 = 64 << 20;

pub(crate) fn spec() -> ToolSpec {
    spec::tool(
        "list_deleted",
        "Lists deleted files and folders that the file systems of disk images still tell of, volume by volume; what is given must all hold. \
         The path of an entry is read by read_file, hash_file and the other tools like any other. \
         Finding nothing does not show that nothing was deleted, and none of the times is that of the deletion. \
         Evidence that is a copied folder keeps no deleted entries.",
        vec![
            (
                "name",
                spec::text(
                    "pattern of the name, letter case aside: * for any characters, ? for one, {a,b} for either. With a slash of either kind \
                     a pattern of the original path from the root of the evidence, in which ** stands for any number of folders",
                ),
            ),
            (
                "under",
                spec::text_or(
                    "folder in which the entry stood, directly or deeper, with its volume, such as p1/Users; empty for all, orphans among them",
                    "",
                ),
            ),
            ("extension", spec::text("end of the name behind a dot, such as exe; letter case aside")),
            ("min_size", spec::optional_number("fewest bytes; only files have a size", 0, spec::MAX_EXACT)),
            ("max_size", spec::optional_number("most bytes; only files have a size", 0, spec::MAX_EXACT)),
            ("volume", spec::text("volume, such as p1; all when left out")),
            ("evidence", spec::text("label of the evidence to search; all when left out")),
            (
                "hash",
                json!({
                    "type": "boolean",
                    "description": "also hash the content of each file of at most 64 MiB of which no cluster is another's by now",
                    "default": false,
                }),
            ),
            ("limit", spec::number("most entries to return", 1000, 1, 10_000)),
            ("offset", spec::offset()),
        ],
        &[],
        vec![record_type()],
    )
}

fn record_type() -> RecordType {
    const TIME: &[FieldType] = &[FieldType::Time];
    const HASH: &[FieldType] = &[FieldType::Hash];
    spec::record(
        KIND,
        "one entry that was deleted, as far as the file system still tells; when it was deleted is not among that",
        "path",
        &[
            ("path", &[FieldType::Path], "path by which the entry is read now"),
            ("original_path", &[FieldType::Path], "where it stood; folders on the way may be deleted too"),
            (
                "orphan_path",
                &[FieldType::Path],
                "what is known of where it stood when a folder above it is gone: the path below that folder",
            ),
            ("name", &[FieldType::Name], "its last name"),
            ("kind", &[FieldType::Name], "file, directory, symlink or other"),
            ("size", &[FieldType::Size], "bytes of a file"),
            ("modified", TIME, "content last written"),
            ("accessed", TIME, "content last read"),
            ("changed", TIME, "metadata last changed; not when it was deleted"),
            ("born", TIME, "created"),
            ("streams", &[FieldType::List], "names of the named (alternate) streams; read_stream reads them"),
            (
                "state",
                &[FieldType::Name],
                "deleted; allocated: the file system counts it in and no folder leads to it; renamed: only this name is gone, the file is in use under another one",
            ),
            (
                "recovery",
                &[FieldType::Name],
                "whole: no cluster is another's by now; partial: some are; lost: all are, or none is known; \
                 assumed: only the start is known and the rest is taken to follow it; nothing: it has no content",
            ),
            ("reused", &[FieldType::Integer], "clusters that are another's by now, of partial ones"),
            ("clusters", &[FieldType::Integer], "clusters of all its streams, of partial ones"),
            ("reference", &[FieldType::Name], "number in the file system; of the $MFT entry and sequence"),
            ("md5", HASH, "MD5 of the content as it reads now, where recovery is whole"),
            ("sha1", HASH, "SHA-1 of the content as it reads now, where recovery is whole"),
            ("sha256", HASH, "SHA-256 of the content as it reads now, where recovery is whole"),
        ],
    )
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let scope = place::scope(call.trees, arguments.optional_text("evidence"))?;
    let mut wanted = Wanted::read(arguments, &scope)?;
    let mut found = Found {
        page: Page::new(arguments.count("offset")?, arguments.count("limit")?),
        defects: Vec::new(),
        gaps: std::mem::take(&mut wanted.gaps),
        hash: arguments.flag("hash")?,
    };
    for held in volume::named(&scope, arguments.optional_text("volume"))? {
        found.search(&held, &wanted);
    }
    let Found { page, defects, gaps, hash: _ } = found;
    let normalised = arguments.normalised(&wanted.normalised());
    let mut returned =
        Return { defects, gaps, notes: notes(&scope), ..Return::found(Vec::new(), normalised) };
    page.fill(&mut returned, "entries");
    if returned.records.is_empty() && !wanted.has_folder() {
        // No deleted entry was in this folder, and the folder does not exist.
        let scope = place::under(call.trees, arguments.optional_text("evidence"), arguments.text("under")?)?;
        if let Some(file) = scope.places.iter().find(|place| place.node.kind == NodeKind::File) {
            return Err(CallError::NotAFolder { path: file.node.path.clone() });
        }
    }
    if returned.records.is_empty()
        && let Some(looked) = wanted.nowhere()
    {
        let (argument, asked) = ("name".to_owned(), arguments.text("name")?.to_owned());
        return Err(CallError::Nowhere { argument, asked, looked });
    }
    if returned.records.is_empty() {
        wanted.can_fit(arguments)?;
    }
    Ok(returned)
}

/// Says which evidence cannot have deleted entries.
fn notes(scope: &[&dyn Tree]) -> Vec<String> {
    let without = scope.iter().filter(|tree| tree.layout().is_none());
    without
        .map(|tree| format!("{} is no disk image: it keeps nothing of what was deleted", tree.label()))
        .collect()
}

/// Writes the number of an entry.
pub(crate) fn reference(reference: FileReference) -> String {
    match reference {
        FileReference::Inode(inode) => inode.to_string(),
        FileReference::DirectoryEntry(offset) => format!("@{offset}"),
        FileReference::Mft { entry, sequence } => format!("{entry}-{sequence}"),
    }
}

struct Found {
    page: Page,
    defects: Vec<Defect>,
    gaps: Vec<Gap>,
    /// Whether contents are hashed.
    hash: bool,
}

impl Found {
    fn search(&mut self, held: &Held<'_>, wanted: &Wanted) {
        let path = held.name().to_owned();
        let steps = match held.tree.deleted(&held.volume.path) {
            Ok(steps) => steps,
            Err(error) => {
                self.gaps.push(Gap { path, reason: chain(&error) });
                return;
            }
        };
        for step in steps {
            match step {
                DeletedStep::Entry(entry) if wanted.fits(held.tree, &entry) => {
                    let (hash, gaps) = (self.hash, &mut self.gaps);
                    let mut hashes = || if hash { hashes(held.tree, &entry, gaps) } else { None };
                    if !self.page.take(|| record(held.tree, &entry, hashes())) {
                        break;
                    }
                }
                DeletedStep::Entry(_) => {}
                DeletedStep::Defect(defect) => self.defects.push(defect),
                DeletedStep::Gap(gap) => self.gaps.push(gap),
            }
        }
    }
}

/// Returns the hashes of a content that is complete and not too large; one that cannot be read is a gap.
fn hashes(tree: &dyn Tree, entry: &DeletedEntry, gaps: &mut Vec<Gap>) -> Option<Hashes> {
    let node = &entry.node;
    if entry.recovery != Recovery::Whole || node.kind != NodeKind::File || node.size > MAX_HASHED {
        return None;
    }
    let hashed = tree.open(node, None).map_err(CallError::from).and_then(|mut reader| hash(reader.as_mut()));
    let told = |error| gaps.push(Gap { path: node.path.as_str().to_owned(), reason: chain(&error) });
    hashed.map_err(told).ok().map(|(hashes, _)| hashes)
}

fn record(tree: &dyn Tree, entry: &DeletedEntry, hashes: Option<Hashes>) -> Record {
    let node = &entry.node;
    let (recovery, parts) = match entry.recovery {
        Recovery::Whole => ("whole", None),
        Recovery::Partial { reused, clusters } => ("partial", Some((reused, clusters))),
        Recovery::Lost => ("lost", None),
        Recovery::Assumed => ("assumed", None),
        Recovery::Nothing => ("nothing", None),
    };
    let (original, path) = match &entry.original {
        Original::Path(path) => ("original_path", path),
        Original::Orphan(path) => ("orphan_path", path),
    };
    let number = |number: u64| FieldValue::Integer(number.into());
    let name = |text: &str| FieldValue::Name(text.to_owned());
    dir_entry::with_shape(Row::new(KIND, tree, node, None), node)
        .field("path", FieldValue::Path(node.path.as_str().to_owned()))
        .field(original, FieldValue::Path(path.as_str().to_owned()))
        .field("state", name(dir_entry::state(node)))
        .field("recovery", name(recovery))
        .maybe("reused", parts.map(|(reused, _)| number(reused)), None)
        .maybe("clusters", parts.map(|(_, clusters)| number(clusters)), None)
        .maybe("reference", node.reference.map(|found| name(&reference(found))), None)
        .maybe("md5", hashes.as_ref().map(|found| FieldValue::Hash(found.md5.clone())), None)
        .maybe("sha1", hashes.as_ref().map(|found| FieldValue::Hash(found.sha1.clone())), None)
        .maybe("sha256", hashes.map(|found| FieldValue::Hash(found.sha256.to_string())), None)
        .done()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_number_has_its_own_form() {
        let numbers = [
            FileReference::Inode(12),
            FileReference::DirectoryEntry(0x4400),
            FileReference::Mft { entry: 35, sequence: 4 },
        ];
        assert_eq!(numbers.map(reference), ["12", "@17408", "35-4"]);
    }
}
