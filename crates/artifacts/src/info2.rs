//! `INFO2` of the Recycle Bin: the index of the files moved there, from Windows 95 to XP and Server 2003.
//!
//! Source of the format: Joachim Metz, dtformats, "Windows Recycler file formats"; a header of 20 bytes, then
//! entries of one size.

use crate::damage::{Damage, DamageKind};
use crate::fields::{Located, ansi_to_nul, bytes, located_filetime, located_u32, u32_at, utf16_to_nul};
use crate::registry::Filetime;

/// Size of the header in bytes.
pub const HEADER: usize = 20;

/// Size of an entry in bytes: with a path in the system's code page only, and with a Unicode path after it.
const SHORT: usize = 280;
const LONG: usize = 800;

/// Bytes reserved for each path.
const ANSI: usize = 260;

/// An entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info2Entry {
    /// Where it begins in the file.
    pub offset: usize,
    /// Its length in bytes.
    pub length: usize,
    /// The former path of the file or folder: the Unicode path, or else the one in the system's code page.
    pub path: Located<String>,
    /// Number of bytes in the path that belong to an unknown code page.
    pub foreign: usize,
    /// Its number, which is also in the name of the file in the Recycle Bin.
    pub index: Located<u32>,
    /// The drive it was on: 0 for A.
    pub drive: Located<u32>,
    /// When it was moved to the Recycle Bin.
    pub deleted: Option<Located<Filetime>>,
    /// Size of its clusters in bytes.
    pub size: Located<u32>,
    /// Whether it was restored or deleted from the Recycle Bin: the first letter of its path is overwritten.
    pub emptied: bool,
    /// The damage found in it.
    pub damage: Vec<Damage>,
}

/// Returns the entry size given in a header; `None` if it is not that of an `INFO2`.
pub fn entry_size(head: &[u8]) -> Option<usize> {
    let size = u32_at(head, 12)? as usize;
    let known = matches!(u32_at(head, 0)?, 0 | 2 | 4 | 5) && head.len() >= HEADER;
    (known && matches!(size, SHORT | LONG)).then_some(size)
}

/// Returns the entries of an `INFO2`; bytes left after the last whole one are damage.
pub fn read(data: &[u8]) -> Option<(Vec<Info2Entry>, Vec<Damage>)> {
    let size = entry_size(data)?;
    let mut damage = Vec::new();
    let mut entries = Vec::new();
    for (number, entry) in data.get(HEADER..)?.chunks(size).enumerate() {
        let offset = HEADER + number * size;
        if entry.len() < size {
            let (what, length, available) = ("the last entry", size, entry.len());
            damage.push(Damage::at(offset, DamageKind::Outside { what, length, available }));
        } else if entry.iter().any(|byte| *byte != 0) {
            entries.extend(one(entry, offset));
        }
    }
    Some((entries, damage))
}

fn one(entry: &[u8], offset: usize) -> Option<Info2Entry> {
    let mut damage = Vec::new();
    let drive = located_u32(entry, 264)?;
    let emptied = entry.first() == Some(&0);
    let wide = utf16_to_nul(bytes(entry, 0, LONG).unwrap_or_default(), SHORT, "the path", &mut damage);
    let (path, foreign) = match wide.filter(|path| !path.value.is_empty()) {
        Some(path) => (path, 0),
        // In a removed entry, the first letter of the path, that of the drive, is overwritten.
        None => {
            let (path, foreign) =
                ansi_to_nul(bytes(entry, 0, ANSI)?, usize::from(emptied), "the path", &mut damage)?;
            let first = u8::try_from(drive.value).ok().filter(|_| emptied).and_then(first_letter);
            let letter = first.map(String::from).unwrap_or_default();
            (Located { value: letter + &path.value, ..path }, foreign)
        }
    };
    Some(Info2Entry {
        offset,
        length: entry.len(),
        path: path.moved(offset),
        foreign,
        index: located_u32(entry, 260)?.moved(offset),
        drive: drive.moved(offset),
        deleted: located_filetime(entry, 268).map(|found| found.moved(offset)),
        size: located_u32(entry, 276)?.moved(offset),
        emptied,
        damage: damage
            .into_iter()
            .map(|one| Damage { offset: one.offset.saturating_add(offset), ..one })
            .collect(),
    })
}

/// Returns the first letter of a path on this drive; 26 means another computer.
fn first_letter(drive: u8) -> Option<char> {
    match drive {
        0..26 => Some(char::from(b'A' + drive)),
        26 => Some('\\'),
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn file(size: usize, path: &str) -> Vec<u8> {
        let mut bytes = vec![0; HEADER + size];
        bytes[0] = 5;
        bytes[12..14].copy_from_slice(&(size as u16).to_le_bytes());
        let entry = &mut bytes[HEADER..];
        for (at, byte) in path.bytes().enumerate() {
            entry[at] = byte;
        }
        entry[260] = 7;
        entry[264] = 2;
        entry[268..276].copy_from_slice(&129_779_783_208_392_490_u64.to_le_bytes());
        entry[276..280].copy_from_slice(&4096u32.to_le_bytes());
        if size == LONG {
            for (at, unit) in path.encode_utf16().enumerate() {
                entry[SHORT + 2 * at..][..2].copy_from_slice(&unit.to_le_bytes());
            }
        }
        bytes
    }

    #[test]
    fn both_sizes_tell_path_index_drive_size_and_time() {
        for size in [SHORT, LONG] {
            let (entries, damage) = read(&file(size, "C:\\old\\notes.txt")).unwrap();
            let [entry] = &entries[..] else { panic!("{entries:?}") };
            assert_eq!((entry.path.value.as_str(), entry.emptied), ("C:\\old\\notes.txt", false));
            assert_eq!((entry.index.value, entry.drive.value, entry.size.value), (7, 2, 4096));
            assert_eq!(entry.deleted.clone().unwrap().value, Filetime(129_779_783_208_392_490));
            assert_eq!((entry.deleted.clone().unwrap().offset, damage.len()), (HEADER + 268, 0));
        }
    }

    #[test]
    fn an_emptied_entry_keeps_its_path_but_for_the_first_letter() {
        for size in [SHORT, LONG] {
            let mut bytes = file(size, "C:\\old\\notes.txt");
            bytes[HEADER] = 0;
            let (entries, _) = read(&bytes).unwrap();
            assert_eq!((entries[0].path.value.as_str(), entries[0].emptied), ("C:\\old\\notes.txt", true));
        }
    }

    #[test]
    fn a_cut_entry_is_damage_and_other_files_are_none() {
        let whole = file(LONG, "C:\\a");
        assert_eq!(read(&whole[..HEADER]).unwrap(), (vec![], vec![]));
        assert_eq!(read(&whole[..500]).unwrap().1.len(), 1);
        assert_eq!(read(b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0\0\0\0\0"), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(tail in prop::collection::vec(any::<u8>(), 0..1700), long in any::<bool>()) {
            let mut bytes = file(if long { LONG } else { SHORT }, "C:\\a");
            bytes.truncate(HEADER);
            bytes.extend(tail);
            prop_assert!(read(&bytes).is_some());
        }
    }
}
