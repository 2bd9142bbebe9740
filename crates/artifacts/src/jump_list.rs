//! Jump lists: the files that each program was last used with, and the tasks that it offers in its menu.
//!
//! Source of the formats: Joachim Metz, dtformats, "Jump lists format"; for shell links see [`crate::lnk`].
//! Automatic ones are compound files (read with `cfb`) with a `DestList` and a shell link for each entry; custom
//! ones hold shell links one after the other.

mod application;
mod custom;
mod dest_list;

pub use application::application;
pub use custom::{Category, Custom, CustomEntry, custom, is_custom};
pub use dest_list::{DestEntry, DestList};

use crate::lnk::{self, Shortcut};
use std::io::{Cursor, Read, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The most bytes of one stream that are read.
const LONGEST: u64 = 16 << 20;

/// First bytes of a compound file ([MS-CFB] 2.2).
const COMPOUND: &[u8] = &[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];

/// An automatic jump list.
#[derive(Debug)]
pub struct Automatic {
    /// The list of its entries, from the stream `DestList`.
    pub list: DestList,
    /// The shell link of each entry of the list, if there is one.
    pub links: Vec<Option<Shortcut>>,
    /// Streams with shell links that no entry of the list names: their names and links.
    pub others: Vec<(String, Shortcut)>,
    /// Names of streams that could not be read, or hold no shell link.
    pub unread: Vec<String>,
}

/// Why a file cannot be read as an automatic jump list.
#[derive(Debug, thiserror::Error)]
pub enum AutomaticError {
    /// It is not a compound file, or its tables are damaged.
    #[error("read its tables")]
    Compound(#[source] std::io::Error),
    /// The reader of compound files panicked.
    #[error("expected tables that agree, found damage at which the reader stopped")]
    Stopped,
    /// It has no list.
    #[error("expected a stream DestList, found none")]
    NoList,
    /// Its list does not begin like one.
    #[error("expected a DestList of version 1 to 4, found {found} bytes of another kind")]
    List {
        /// Size of the stream in bytes.
        found: usize,
    },
}

/// Checks whether the bytes begin like a compound file.
pub fn is_compound(bytes: &[u8]) -> bool {
    bytes.starts_with(COMPOUND)
}

/// Reads an automatic jump list.
///
/// An attacker may have written the file's tables: a panic of the reader becomes an error.
pub fn automatic(bytes: &[u8]) -> Result<Automatic, AutomaticError> {
    catch_unwind(AssertUnwindSafe(|| read(bytes))).unwrap_or(Err(AutomaticError::Stopped))
}

fn read(bytes: &[u8]) -> Result<Automatic, AutomaticError> {
    let mut file = cfb::CompoundFile::open(Cursor::new(bytes)).map_err(AutomaticError::Compound)?;
    let most = bytes.len() as u64;
    let names: Vec<String> = file
        .read_root_storage()
        .filter(cfb::Entry::is_stream)
        .map(|entry| entry.name().to_owned())
        // Each stream needs a directory entry of 128 bytes.
        .take(bytes.len() / 128)
        .collect();
    let list = names.iter().find(|name| name.as_str() == "DestList").ok_or(AutomaticError::NoList)?;
    let list = stream(&mut file, list, most).ok_or(AutomaticError::NoList)?;
    let list = dest_list::read(&list).ok_or(AutomaticError::List { found: list.len() })?;
    let mut found =
        Automatic { links: vec![None; list.entries.len()], list, others: Vec::new(), unread: Vec::new() };
    // In total no more than the file's size, because a sector may be part of many streams.
    let mut left = most;
    for name in names.into_iter().filter(|name| !name.starts_with("DestList")) {
        let held = stream(&mut file, &name, left);
        left = left.saturating_sub(held.as_ref().map_or(0, |held| held.len() as u64));
        let Some(link) = held.and_then(|held| lnk::read(&held)) else {
            found.unread.push(name);
            continue;
        };
        let number = u64::from_str_radix(&name, 16).ok();
        let place = found.list.entries.iter().position(|entry| Some(entry.number.value) == number);
        match place.and_then(|place| found.links.get_mut(place)) {
            Some(slot) => *slot = Some(link),
            None => found.others.push((name, link)),
        }
    }
    Ok(found)
}

fn stream<F: Read + Seek>(file: &mut cfb::CompoundFile<F>, name: &str, most: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let stream = file.open_stream(name).ok()?;
    stream.take(most.min(LONGEST)).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests;
