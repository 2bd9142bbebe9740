//! Archives in ustar format, written so that the same files give the same bytes.
//!
//! Every folder has an entry, entries are sorted by path, and owners have number 0 and no name.

use super::DistError;
use super::materials::Entry;
use std::collections::BTreeMap;

const BLOCK: usize = 512;
const FOLDER: u32 = 0o755;

/// Returns the archive of these files, whose paths start with `prefix`: a folder (`name/`), or `./`.
pub(super) fn tar(prefix: &str, entries: &[Entry], time: u64) -> Result<Vec<u8>, DistError> {
    let mut all: BTreeMap<String, Option<&Entry>> = BTreeMap::new();
    for entry in entries {
        let path = format!("{prefix}{}", entry.path);
        for (end, _) in path.match_indices('/') {
            all.insert(path[..=end].to_owned(), None);
        }
        if all.insert(path.clone(), Some(entry)).is_some() {
            return Err(DistError::Pack { path, what: "the path is there twice" });
        }
    }
    let mut out = Vec::new();
    for (path, entry) in all {
        let (mode, content) = entry.map_or((FOLDER, &[][..]), |entry| (entry.mode, entry.bytes.as_slice()));
        out.extend(header(&path, mode, content.len(), time, if entry.is_some() { b'0' } else { b'5' })?);
        out.extend_from_slice(content);
        out.resize(out.len().next_multiple_of(BLOCK), 0);
    }
    out.resize(out.len() + 2 * BLOCK, 0);
    Ok(out)
}

fn header(path: &str, mode: u32, size: usize, time: u64, kind: u8) -> Result<[u8; BLOCK], DistError> {
    let wrong = |what| DistError::Pack { path: path.to_owned(), what };
    let (folder, name) = split(path).ok_or_else(|| wrong("the path is too long for an archive"))?;
    let mut block = [0; BLOCK];
    let mut put = |at: usize, bytes: &[u8]| {
        for (place, byte) in block.iter_mut().skip(at).zip(bytes) {
            *place = *byte;
        }
    };
    if size >= 0o1000_0000_0000 || time >= 0o1000_0000_0000 {
        return Err(wrong("its size or time does not fit in a header"));
    }
    put(0, name.as_bytes());
    put(100, format!("{mode:07o}").as_bytes());
    put(108, b"0000000");
    put(116, b"0000000");
    put(124, format!("{size:011o}").as_bytes());
    put(136, format!("{time:011o}").as_bytes());
    put(148, b"        ");
    put(156, &[kind]);
    put(257, b"ustar\x0000");
    put(345, folder.as_bytes());
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    for (place, byte) in block.iter_mut().skip(148).zip(format!("{sum:06o}\0 ").bytes()) {
        *place = byte;
    }
    Ok(block)
}

/// Splits a path into its two fields of 155 and 100 bytes; `None` if it does not fit.
fn split(path: &str) -> Option<(&str, &str)> {
    if path.len() <= 100 {
        return Some(("", path));
    }
    let cuts = path.match_indices('/').map(|(at, _)| (&path[..at], &path[at + 1..]));
    cuts.into_iter().find(|(folder, name)| folder.len() <= 155 && name.len() <= 100 && !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str, mode: u32, bytes: &[u8]) -> Entry {
        Entry { path: path.to_owned(), mode, bytes: bytes.to_vec() }
    }

    #[test]
    fn the_same_files_in_any_order_give_the_same_bytes() {
        let (one, two) = (entry("b/c", 0o755, b"x"), entry("a", 0o644, b"y"));
        let archive = tar("p/", &[one.clone(), two.clone()], 7).unwrap();
        assert_eq!(archive, tar("p/", &[two, one], 7).unwrap());
    }

    #[test]
    fn a_header_is_what_the_format_says() {
        let archive = tar("", &[entry("f", 0o755, b"abc")], 0o17).unwrap();
        assert_eq!(archive.len(), 4 * BLOCK);
        assert_eq!(&archive[..2], b"f\0");
        assert_eq!(&archive[100..108], b"0000755\0");
        assert_eq!(&archive[124..136], b"00000000003\0");
        assert_eq!(&archive[136..148], b"00000000017\0");
        assert_eq!(&archive[257..265], b"ustar\x0000");
        assert_eq!(&archive[512..516], b"abc\0");
        let sum: u32 = archive[..512]
            .iter()
            .enumerate()
            .map(|(at, byte)| if (148..156).contains(&at) { 32 } else { u32::from(*byte) })
            .sum();
        assert_eq!(archive[148..156], *format!("{sum:06o}\0 ").as_bytes());
    }

    #[test]
    fn a_long_path_is_split_at_a_folder_and_one_that_cannot_be_is_refused() {
        let folder = format!("{}/{}", "d".repeat(60), "d".repeat(59));
        let long = format!("{folder}/{}", "f".repeat(90));
        let archive = tar("", &[entry(&long, 0o644, b"")], 0).unwrap();
        let at = archive.windows(90).position(|window| window == [b'f'; 90]).unwrap();
        assert_eq!(archive[at + 345..at + 345 + 121], *format!("{folder}\0").as_bytes());
        assert!(tar("", &[entry(&"f".repeat(101), 0o644, b"")], 0).is_err());
    }

    #[test]
    fn a_path_that_is_there_twice_is_refused() {
        assert!(tar("", &[entry("f", 0o644, b"1"), entry("f", 0o644, b"2")], 0).is_err());
    }
}
