//! The stream `DestList`: the entries of an automatic jump list, most recently used first.

use crate::damage::{Damage, DamageKind};
use crate::fields::{
    Located, ansi_to_nul, bytes, located_filetime, located_u32, u16_at, u32_at, u64_at, utf16,
};
use crate::lnk::Droid;
use crate::registry::Filetime;

const HEADER: usize = 32;

/// The most entries that are read; Windows keeps at most about 2,000.
const ENTRIES: usize = 65_536;

/// The pin position of an entry that is not pinned.
const UNPINNED: u32 = u32::MAX;

/// The list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DestList {
    /// 1 in Windows 7 and 8, 3 and 4 in Windows 10 and later; 0 for a list that was never filled, or was emptied.
    pub version: u32,
    /// The declared number of entries.
    pub count: u32,
    /// The entries in their order.
    pub entries: Vec<DestEntry>,
    /// The damage found in it.
    pub damage: Vec<Damage>,
}

/// An entry; offsets are those in the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DestEntry {
    /// Its number, which in hex digits is the name of its stream.
    pub number: Located<u64>,
    /// When it was last used.
    pub used: Option<Located<Filetime>>,
    /// How often it was used, as Windows calculates it; the fraction is dropped.
    pub count: Option<Located<u32>>,
    /// Its position among the entries that a user pinned.
    pub pinned: Option<Located<u32>>,
    /// NetBIOS name of the host.
    pub host: Option<Located<String>>,
    /// The identifiers by which link tracking finds the target.
    pub droid: Option<Droid>,
    /// The path of the target, or its name in the shell.
    pub path: Located<String>,
}

/// Reads the stream; `None` if it does not begin like one of a known version.
///
/// Windows leaves the stream empty if a program has no entries (any more).
pub(super) fn read(data: &[u8]) -> Option<DestList> {
    if data.is_empty() {
        return Some(DestList { version: 0, count: 0, entries: Vec::new(), damage: Vec::new() });
    }
    let version = u32_at(data, 0).filter(|version| (1..=4).contains(version))?;
    let count = u32_at(data, 4)?;
    let mut list = DestList { version, count, entries: Vec::new(), damage: Vec::new() };
    let mut at = HEADER;
    while at < data.len() && (list.entries.len() as u64) < u64::from(count) {
        if list.entries.len() >= ENTRIES {
            let what = DamageKind::TooMany { what: "entries of the DestList", limit: ENTRIES };
            list.damage.push(Damage::at(at, what));
            return Some(list);
        }
        match entry(data, at, version, &mut list.damage) {
            Some((entry, next)) => {
                list.entries.push(entry);
                at = next;
            }
            None => break,
        }
    }
    let (expected, actual) = (u64::from(count), list.entries.len() as u64);
    if expected != actual {
        let what = "the number of entries of the DestList";
        list.damage.push(Damage::at(at, DamageKind::Field { what, expected, actual }));
    }
    Some(list)
}

/// Reads an entry, and returns where the next one begins. From version 2 on there are 16 more bytes before the
/// path and 4 after it.
fn entry(data: &[u8], at: usize, version: u32, damage: &mut Vec<Damage>) -> Option<(DestEntry, usize)> {
    let (size, behind) = if version == 1 { (112, 0) } else { (128, 4) };
    let units = usize::from(u16_at(data, at + size)?);
    let (start, length) = (at + size + 2, units * 2);
    let Some(path) = bytes(data, start, length) else {
        let (what, available) = ("path of an entry", data.len() - start);
        damage.push(Damage::at(start, DamageKind::Outside { what, length, available }));
        return None;
    };
    let path = Located::new(utf16(path, start, "path of an entry", damage), start, length);
    let host = ansi_to_nul(data.get(..at + 88)?, at + 72, "host of an entry", damage).map(|(host, _)| host);
    // In version 1 the number has four bytes, followed by four zero bytes.
    let number = Located::new(u64_at(data, at + 88)?, at + 88, 8);
    let entry = DestEntry {
        number,
        used: located_filetime(data, at + 100),
        count: if version == 1 { float(data, at + 96) } else { located_u32(data, at + 116) },
        pinned: located_u32(data, at + 108).filter(|place| place.value != UNPINNED),
        host: host.filter(|host| !host.value.is_empty()),
        droid: Droid::read(data, at + 8),
        path,
    };
    Some((entry, start + length + behind))
}

/// Reads a count that is stored as a floating-point number.
fn float(data: &[u8], at: usize) -> Option<Located<u32>> {
    let number = f32::from_bits(u32_at(data, at)?);
    let whole = (0.0..1e9).contains(&number);
    // Within these bounds only the fraction is lost.
    whole.then(|| Located::new(number as u32, at, 4))
}
