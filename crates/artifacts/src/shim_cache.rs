//! The cache of the application compatibility infrastructure (ShimCache, `AppCompatCache`).
//!
//! Windows records there the programs that it checked for compatibility, and files that the shell listed:
//! an entry does not show that its file ran. `modified` is the time of the file, not of the entry.
//! Sources: Joachim Metz, winreg-kb, "Application Compatibility Cache" (github.com/libyal/winreg-kb);
//! Andrew Davis, Mandiant, "Leveraging the Application Compatibility Cache in Forensic Investigations" (2012).

mod signed;
mod table;

use crate::damage::{Damage, DamageKind};
use crate::fields::{Located, u32_at};
use crate::registry::Filetime;

/// The most entries that are read; Windows keeps at most 1,024.
const LIMIT: usize = 16_384;

const XP: u32 = 0xDEAD_BEEF;
const SERVER_2003: u32 = 0xBADC_0FFE;
const WINDOWS_7: u32 = 0xBADC_0FEE;

/// The insert flag that Windows Vista to 8.1 sets when it creates a process from the file.
const PROCESS_MADE: u32 = 2;

/// The layouts of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Windows XP, 32-bit.
    Xp,
    /// Windows XP 64-bit and Server 2003: entries have the size of the file.
    Server2003,
    /// Windows Vista and Server 2008: entries have flags.
    Vista,
    /// Windows 7 and Server 2008 R2.
    Windows7,
    /// Windows 8.0 and Server 2012.
    Windows8,
    /// Windows 8.1 and Server 2012 R2.
    Windows81,
    /// Windows 10, 11 and the corresponding servers.
    Windows10,
}

/// The cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// The layout.
    pub format: Format,
    /// The entries as stored: newest first, except on Windows XP.
    pub entries: Vec<Entry>,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Offset of the entry from the start of the data.
    pub offset: usize,
    /// Length of the entry.
    pub length: usize,
    /// Path of the file as stored.
    pub path: Located<String>,
    /// Information that Windows 8.1 stores about the package that the program belongs to.
    pub package: Option<Located<String>>,
    /// When the file was last modified, as known when the entry was created; 0 if it was not known.
    pub modified: Option<Located<Filetime>>,
    /// When the entry was last updated; Windows XP only.
    pub updated: Option<Located<Filetime>>,
    /// Size of the file in bytes; Windows XP and Server 2003.
    pub size: Option<Located<u64>>,
    /// Why and how the entry was created; Windows Vista to 8.1.
    pub insert_flags: Option<Located<u32>>,
    /// What was found for the file; Windows Vista to 8.1.
    pub shim_flags: Option<Located<u32>>,
    /// Length of the data about the file in bytes; Windows 7 and later.
    pub data_size: Option<Located<u32>>,
}

impl Format {
    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Xp => "Windows XP",
            Format::Server2003 => "Windows Server 2003",
            Format::Vista => "Windows Vista",
            Format::Windows7 => "Windows 7",
            Format::Windows8 => "Windows 8.0",
            Format::Windows81 => "Windows 8.1",
            Format::Windows10 => "Windows 10",
        }
    }
}

impl Entry {
    /// Checks the flag that Windows sets when it creates a process from the file; `None` if the layout has no flags.
    pub fn process_made(&self) -> Option<Located<bool>> {
        let flags = self.insert_flags.as_ref()?;
        Some(Located::new(flags.value & PROCESS_MADE != 0, flags.offset, flags.length))
    }
}

/// Reads the cache; the beginning of the data shows its layout.
pub fn cache(data: &[u8]) -> Result<(Cache, Vec<Damage>), Damage> {
    let outside = DamageKind::Outside { what: "header", length: 4, available: data.len() };
    let signature = u32_at(data, 0).ok_or(Damage::at(0, outside))?;
    let mut damage = Vec::new();
    let cache = match signature {
        XP => table::xp(data, &mut damage),
        SERVER_2003 | WINDOWS_7 => table::table(data, signature == WINDOWS_7, &mut damage),
        // Later layouts begin with the length of their header.
        0x80 | 0x30 | 0x34 => signed::cache(data, signature, &mut damage)?,
        other => {
            let what = "signature";
            let kind = DamageKind::Field { what, expected: u64::from(WINDOWS_7), actual: u64::from(other) };
            return Err(Damage::at(0, kind));
        }
    };
    Ok((cache, damage))
}

/// Limits a count to what the data can hold, and to the most that is read.
fn bounded(count: u32, most: usize, at: usize, damage: &mut Vec<Damage>) -> usize {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    if count > most {
        let (expected, actual) = (most as u64, count as u64);
        damage.push(Damage::at(at, DamageKind::Field { what: "number of entries", expected, actual }));
    }
    if count.min(most) > LIMIT {
        damage.push(Damage::at(at, DamageKind::TooMany { what: "entries", limit: LIMIT }));
    }
    count.min(most).min(LIMIT)
}

#[cfg(test)]
mod tests;
