//! The files that make up one image, and the check whether a file is an image.
//!
//! Segments are found by name, one after the other, and not by listing the folder: a worker may read only the
//! segments,
//! and a file such as `image.err` next to `image.E01` is not one of them.

use super::container;
use crate::platform::open_untouched;
use crate::read;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The most segments that are accepted.
const MAX_SEGMENTS: usize = 14_000;

/// How many names after a missing segment are tried to find a further one.
const LOOKED_FOR: usize = 16;

/// Returns the files of the image that begins with `first`, in order: `first` itself, and its further segments
/// as far as they are in the same folder.
///
/// `.E01` is followed by `.E02` to `.E99`, `.EAA` to `.EZZ`, `.FAA` and so on, `.001` by `.002`; any other name
/// is a single file.
/// The descriptor of a VMDK is followed by the extents that it names, as far as they are regular files in the
/// same folder under plain names.
pub fn image_files(first: &Path) -> Vec<PathBuf> {
    let mut files = vec![first.to_owned()];
    let extents = container::extent_files(first);
    if !extents.is_empty() {
        files.extend(extents);
        return files;
    }
    for number in 2..=MAX_SEGMENTS {
        let Some(next) = segment(first, number).filter(|next| is_regular(next)) else { break };
        files.push(next);
    }
    files
}

/// Returns the name of segment `number` of the image that begins with `first`; `None` if `first` is not named
/// like a first segment.
fn segment(first: &Path, number: usize) -> Option<PathBuf> {
    let extension = first.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let name = match extension {
        "001" => (number <= 999).then(|| format!("{number:03}")),
        _ => ewf_extension(extension, number),
    };
    name.map(|name| first.with_extension(name))
}

/// Returns the name of the segment that would follow `files`.
pub(super) fn next_segment(files: &[PathBuf]) -> Option<PathBuf> {
    segment(files.first()?, files.len() + 1)
}

/// Returns the missing segment that would follow `files`, with the first one after it that exists.
pub(super) fn absent_segment(files: &[PathBuf]) -> Option<(PathBuf, PathBuf)> {
    let absent = next_segment(files)?;
    let behind = (files.len() + 2..files.len() + 2 + LOOKED_FOR).map_while(|at| segment(files.first()?, at));
    Some((absent, behind.into_iter().find(|path| is_regular(path))?))
}

/// Opens a file of an image without changing its access time, if the system lets us; an error names the file.
pub(super) fn open_named(path: &Path) -> io::Result<File> {
    open_untouched(path).map_err(|error| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        io::Error::new(error.kind(), format!("{name}: {error}"))
    })
}

/// Checks whether a further segment is a file and not a link: a link could lead to something that is not evidence.
fn is_regular(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_file())
}

/// Returns the extension of segment `number` of an image whose first segment has the extension `first`; `None`
/// if that is not a first segment's.
fn ewf_extension(first: &str, number: usize) -> Option<String> {
    let letter = first.strip_suffix("01").filter(|letter| {
        matches!(letter.trim_end_matches('x').trim_end_matches('X').as_bytes(), [b'e' | b'E' | b's' | b'S'])
    })?;
    if number < 100 {
        return Some(format!("{letter}{number:02}"));
    }
    let lower = letter.starts_with(|c: char| c.is_ascii_lowercase());
    let base = if lower { b'a' } else { b'A' };
    let (rest, start) = (number - 100, letter.bytes().next()?);
    let place = |value: usize| u8::try_from(value).ok().map(|value| char::from(base + value));
    let (third, second) = (place(rest % 26)?, place(rest / 26 % 26)?);
    let lead = start.checked_add(u8::try_from(rest / 676).ok()?).filter(u8::is_ascii_alphabetic)?;
    let middle = letter.get(1..)?;
    Some(format!("{}{middle}{second}{third}", char::from(lead)))
}

/// Checks whether the file is a disk image: a supported container, or a file that begins with a partition table
/// or a known file system.
///
/// The file name does not matter.
pub fn is_image(path: &Path) -> io::Result<bool> {
    if container::recognise(path)?.is_some() {
        return Ok(true);
    }
    Ok(begins_like_an_image(&read::head(&open_named(path)?, 4608)?))
}

/// Checks whether these are the first bytes of a medium, as opposed to a container.
pub(crate) fn begins_like_an_image(head: &[u8]) -> bool {
    head.get(510..512) == Some(&[0x55, 0xaa])
        || head.get(512..520) == Some(b"EFI PART")
        || super::kind::recognise(head) != super::kind::Kind::Unknown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_named_as_acquisition_tools_name_them() {
        let name = |first, number| ewf_extension(first, number).unwrap();
        assert_eq!(name("E01", 2), "E02");
        assert_eq!(name("E01", 99), "E99");
        assert_eq!(name("E01", 100), "EAA");
        assert_eq!(name("E01", 126), "EBA");
        assert_eq!(name("E01", 775), "EZZ");
        assert_eq!(name("E01", 776), "FAA");
        assert_eq!(name("e01", 101), "eab");
        assert_eq!(name("Ex01", 100), "ExAA");
        assert!(ewf_extension("dd", 2).is_none() && ewf_extension("E02", 3).is_none());
    }

    #[test]
    fn only_what_stands_beside_it_without_a_break_belongs_to_the_image() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.E01", "a.E02", "a.E04", "a.err", "b.001", "b.002", "c.dd"] {
            File::create(folder.path().join(name)).unwrap();
        }
        let files = |name: &str| image_files(&folder.path().join(name)).len();
        assert_eq!((files("a.E01"), files("b.001"), files("c.dd")), (2, 2, 1));
    }
}
