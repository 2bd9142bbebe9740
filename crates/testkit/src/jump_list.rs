//! Builds jump lists, automatic and custom.
//!
//! Source of the formats: Joachim Metz, dtformats, "Jump lists format".

use crate::lnk::{self, CLASS, Spec};
use std::io::{self, Cursor, Write};

/// An entry of an automatic list.
pub struct Entry {
    /// Its number.
    pub number: u32,
    /// The path of the target.
    pub path: String,
    /// The last use, as a FILETIME.
    pub used: u64,
}

impl Entry {
    /// Creates an entry.
    pub fn new(number: u32, path: &str, used: u64) -> Entry {
        Entry { number, path: path.to_owned(), used }
    }

    fn link(&self) -> Vec<u8> {
        lnk::link(&Spec::local(&self.path, [self.used; 3]))
    }
}

/// Builds an automatic list whose `DestList` has this version; fails if writing the compound file fails.
pub fn automatic(version: u32, entries: &[Entry]) -> io::Result<Vec<u8>> {
    compound(&dest_list(version, entries), entries)
}

/// Builds the compound file with a `DestList` and the entries' links.
pub fn compound(list: &[u8], entries: &[Entry]) -> io::Result<Vec<u8>> {
    let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new()))?;
    for entry in entries {
        file.create_stream(format!("{:x}", entry.number))?.write_all(&entry.link())?;
    }
    file.create_stream("DestList")?.write_all(list)?;
    file.flush()?;
    Ok(file.into_inner().into_inner())
}

/// Builds the `DestList` stream; each entry was used three times and none is pinned.
pub fn dest_list(version: u32, entries: &[Entry]) -> Vec<u8> {
    let count = u32::try_from(entries.len()).unwrap_or(u32::MAX);
    let mut list = [version, count, 0, 0].map(u32::to_le_bytes).concat();
    list.resize(32, 0);
    for entry in entries {
        list.extend([0; 8]);
        list.extend([[0x11; 16], lnk::FILE_ID, [0x11; 16], lnk::FILE_ID].concat());
        let mut host = lnk::MACHINE.as_bytes().to_vec();
        host.resize(16, 0);
        list.extend(host);
        list.extend(u64::from(entry.number).to_le_bytes());
        list.extend(3f32.to_le_bytes());
        list.extend(entry.used.to_le_bytes());
        list.extend(u32::MAX.to_le_bytes());
        if version > 1 {
            list.extend([u32::MAX, 3, 0, 0].map(u32::to_le_bytes).concat());
        }
        let units: Vec<u8> = entry.path.encode_utf16().flat_map(u16::to_le_bytes).collect();
        list.extend(u16::try_from(units.len() / 2).unwrap_or(u16::MAX).to_le_bytes());
        list.extend(units);
        if version > 1 {
            list.extend([0; 4]);
        }
    }
    list
}

/// Builds a custom list with a category `Often` of one file, and one task.
pub fn custom() -> Vec<u8> {
    let mark = 0xBABF_FBABu32.to_le_bytes();
    let file = lnk::link(&Spec::local("C:\\Users\\ann\\plan.txt", [0; 3]));
    let task = Spec::local("C:\\Program Files\\a.exe", [0; 3]);
    let task = lnk::link(&Spec { arguments: "--new-window".to_owned(), ..task });
    let name: Vec<u8> = "Often".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let parts: [&[u8]; 13] = [
        &[2, 2, 0].map(u32::to_le_bytes).concat(),
        &0u32.to_le_bytes(),
        &5u16.to_le_bytes(),
        &name,
        &1u32.to_le_bytes(),
        &CLASS,
        &file,
        &mark,
        &2u32.to_le_bytes(),
        &1u32.to_le_bytes(),
        &CLASS,
        &task,
        &mark,
    ];
    parts.concat()
}
