//! The text that describes a virtual disk and names its extents (Virtual Disk Format 5.0, "The Descriptor File").

use super::{ContainerError, Store, shown};
use crate::image::segments::open_named;
use crate::platform::FileExt;
use std::path::{Path, PathBuf};

/// The most bytes of a descriptor; real ones have a few hundred.
const MAX_BYTES: usize = 1 << 20;

/// The most extents; at 2 GiB each, they make 8 TiB.
const MAX_EXTENTS: usize = 4096;

/// The first line of a descriptor.
const HEADING: &[u8] = b"# Disk DescriptorFile";

/// The type of an extent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExtentKind {
    Flat,
    Sparse,
    SeSparse,
    Zero,
    NoAccess,
    Device,
}

/// A line of the extent section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExtentLine {
    pub(super) sectors: u64,
    pub(super) kind: ExtentKind,
    pub(super) name: String,
    /// In sectors from the start of the file.
    pub(super) offset: u64,
}

/// A parsed descriptor.
#[derive(Debug, Default)]
pub(super) struct Descriptor {
    entries: Vec<(String, String)>,
    pub(super) extents: Vec<ExtentLine>,
}

impl Descriptor {
    /// Reads a file that consists of the descriptor alone.
    pub(super) fn read(store: &Store) -> Result<Descriptor, ContainerError> {
        let found = store.length();
        let Some(length) = usize::try_from(found).ok().filter(|length| *length <= MAX_BYTES) else {
            let (what, expected) = ("size of the descriptor", "at most 1 MiB");
            return Err(ContainerError::Value { offset: 0, what, expected, found });
        };
        let mut bytes = vec![0; length];
        let read = store.read_exact_at(0, &mut bytes);
        read.map_err(|source| ContainerError::Read { what: "the descriptor", source })?;
        Descriptor::parse(&bytes)
    }

    /// Parses a descriptor; anything after the first NUL is padding.
    pub(super) fn parse(bytes: &[u8]) -> Result<Descriptor, ContainerError> {
        let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        let mut descriptor = Descriptor::default();
        for line in String::from_utf8_lossy(text).lines() {
            let line = line.trim();
            if let Some(extent) = extent(line) {
                descriptor.extents.push(extent);
            } else if let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) {
                let value = value.trim().trim_matches('"');
                descriptor.entries.push((key.trim().to_owned(), value.to_owned()));
            }
            if descriptor.extents.len() > MAX_EXTENTS {
                let (what, expected, found) = ("number of extents", "at most 4096", MAX_EXTENTS as u64 + 1);
                return Err(ContainerError::Value { offset: 0, what, expected, found });
            }
        }
        Ok(descriptor)
    }

    /// Returns the value of an entry; keys are compared without regard to case.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        let entry = self.entries.iter().find(|(name, _)| name.eq_ignore_ascii_case(key));
        entry.map(|(_, value)| value.as_str())
    }
}

/// Checks whether these are the first bytes of a descriptor.
pub(super) fn begins(head: &[u8]) -> bool {
    head.get(..HEADING.len()).is_some_and(|head| head.eq_ignore_ascii_case(HEADING))
}

/// Parses a line such as `RW 4192256 SPARSE "name.vmdk"`; for type `FLAT`, an offset in sectors follows the name.
fn extent(line: &str) -> Option<ExtentLine> {
    let (access, rest) = line.split_once(char::is_whitespace)?;
    let denied = match access.to_ascii_uppercase().as_str() {
        "RW" | "RDONLY" => false,
        "NOACCESS" => true,
        _ => return None,
    };
    let (before, quoted) = rest.split_once('"').unwrap_or((rest, ""));
    let (name, after) = quoted.rsplit_once('"').unwrap_or_default();
    let mut words = before.split_whitespace();
    let sectors = words.next()?.parse().ok()?;
    let kind = match words.next().unwrap_or_default().to_ascii_uppercase().as_str() {
        _ if denied => ExtentKind::NoAccess,
        "FLAT" | "VMFS" => ExtentKind::Flat,
        "SPARSE" | "VMFSSPARSE" => ExtentKind::Sparse,
        "SESPARSE" => ExtentKind::SeSparse,
        "ZERO" => ExtentKind::Zero,
        _ => ExtentKind::Device,
    };
    let offset = after.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or_default();
    Some(ExtentLine { sectors, kind, name: name.to_owned(), offset })
}

/// Returns the path of an extent's file, which must be in the descriptor's folder, under a plain name, and not a
/// link.
pub(super) fn beside(descriptor: &Path, name: &str) -> Result<PathBuf, ContainerError> {
    let refuse = |reason| Err(ContainerError::Extent { name: shown(name), reason });
    if name.is_empty() || name == "." || name == ".." || name.contains(['/', '\\', '\0']) {
        return refuse("expected a plain file name beside the descriptor");
    }
    let path = descriptor.with_file_name(name);
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => Ok(path),
        Ok(_) => refuse("expected a regular file"),
        Err(_) => refuse("the file is not beside the descriptor"),
    }
}

/// Returns the files that the descriptor `path` names and that may be read; none if it is not a descriptor.
pub(in crate::image) fn extent_files(path: &Path) -> Vec<PathBuf> {
    let mut heading = [0; HEADING.len()];
    let Ok(file) = open_named(path) else { return Vec::new() };
    if file.read_exact_at(&mut heading, 0).is_err() || !begins(&heading) {
        return Vec::new();
    }
    let descriptor = Store::open(path).and_then(|store| Descriptor::read(&store)).unwrap_or_default();
    let mut files: Vec<PathBuf> = Vec::new();
    for extent in descriptor.extents {
        let needed = match extent.kind {
            ExtentKind::Flat | ExtentKind::Sparse => true,
            ExtentKind::SeSparse | ExtentKind::Zero | ExtentKind::NoAccess | ExtentKind::Device => false,
        };
        let Some(file) = needed.then(|| beside(path, &extent.name).ok()).flatten() else { continue };
        if file != path && !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_extents_are_told_from_entries() {
        let text = b"# Disk DescriptorFile\nCID=0a\r\nRW 63 FLAT \"a \"b\".vmdk\" 128\nNOACCESS 9 FLAT \"x\"\nRW 7 ZERO\nddb.uuid = \"60 00\"\0RW";
        let descriptor = Descriptor::parse(text).unwrap();
        let line = |index: usize| descriptor.extents[index].clone();
        assert_eq!((line(0).sectors, line(0).name.as_str(), line(0).offset), (63, "a \"b\".vmdk", 128));
        assert_eq!((line(1).kind, line(2).kind), (ExtentKind::NoAccess, ExtentKind::Zero));
        assert_eq!((descriptor.text("cid"), descriptor.text("ddb.uuid")), (Some("0a"), Some("60 00")));
        assert_eq!(descriptor.extents.len(), 3);
    }
}
