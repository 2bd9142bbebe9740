//! The layouts with a table of entries: Windows XP to 7.

use super::{Cache, Entry, Format, bounded};
use crate::damage::{Damage, DamageKind};
use crate::fields::{
    Located, bytes, located_filetime, located_u32, u16_at, u32_at, u64_at, utf16, utf16_to_nul,
};

/// Length of the Windows XP header, including its list of the most recently used entries.
const XP_HEADER: usize = 400;

/// Length of a Windows XP entry.
const XP_ENTRY: usize = 552;

/// Bytes for the path in a Windows XP entry.
const XP_PATH: usize = 528;

/// The largest value that is taken for Vista flags: those are small numbers, sizes of programs are not.
const LARGEST_FLAGS: u32 = 0xFF;

/// Reads a table with paths of a fixed length.
pub(super) fn xp(data: &[u8], damage: &mut Vec<Damage>) -> Cache {
    let most = data.len().saturating_sub(XP_HEADER) / XP_ENTRY;
    let count = bounded(u32_at(data, 4).unwrap_or_default(), most, 4, damage);
    let entry = |index: usize| {
        let offset = XP_HEADER + index * XP_ENTRY;
        let path = utf16_to_nul(data.get(..offset + XP_PATH)?, offset, "path", damage)?;
        Some(Entry {
            offset,
            length: XP_ENTRY,
            path,
            package: None,
            modified: located_filetime(data, offset + XP_PATH),
            updated: located_filetime(data, offset + XP_PATH + 16),
            size: located_u64(data, offset + XP_PATH + 8),
            insert_flags: None,
            shim_flags: None,
            data_size: None,
        })
    };
    Cache { format: Format::Xp, entries: (0..count).filter_map(entry).collect() }
}

/// How the entries of a table are laid out.
#[derive(Clone, Copy)]
struct Layout {
    header: usize,
    wide: bool,
    entry: usize,
    with_data: bool,
}

/// Reads a table whose entries point to their paths.
pub(super) fn table(data: &[u8], windows_7: bool, damage: &mut Vec<Damage>) -> Cache {
    let header = if windows_7 { 128 } else { 8 };
    // With 64-bit pointers, there is padding before the first one.
    let wide = u32_at(data, header + 4) == Some(0);
    let entry = match (windows_7, wide) {
        (false, false) => 24,
        (false, true) | (true, false) => 32,
        (true, true) => 48,
    };
    let layout = Layout { header, wide, entry, with_data: windows_7 };
    let most = data.len().saturating_sub(header) / entry;
    let count = bounded(u32_at(data, 4).unwrap_or_default(), most, 4, damage);
    let mut entries: Vec<_> = (0..count).filter_map(|index| read(data, layout, index, damage)).collect();
    let format = match (windows_7, has_sizes(&entries)) {
        (true, _) => Format::Windows7,
        (false, true) => Format::Server2003,
        (false, false) => Format::Vista,
    };
    if format == Format::Server2003 {
        for entry in &mut entries {
            entry.size = entry.insert_flags.take().and_then(|flags| located_u64(data, flags.offset));
            entry.shim_flags = None;
        }
    }
    Cache { format, entries }
}

/// Checks whether entries have sizes, as on Server 2003: those of Vista look the same, but have flags in place
/// of the size.
fn has_sizes(entries: &[Entry]) -> bool {
    let large = |entry: &&Entry| entry.insert_flags.as_ref().is_some_and(|flags| flags.value > LARGEST_FLAGS);
    let high = |entry: &Entry| entry.shim_flags.as_ref().is_none_or(|flags| flags.value == 0);
    entries.iter().all(high) && entries.iter().filter(large).count() * 2 > entries.len()
}

fn read(data: &[u8], layout: Layout, index: usize, damage: &mut Vec<Damage>) -> Option<Entry> {
    let offset = layout.header + index * layout.entry;
    let length = usize::from(u16_at(data, offset)?);
    let (path_at, times_at) = if layout.wide {
        (usize::try_from(u64_at(data, offset + 8)?).ok(), offset + 16)
    } else {
        (usize::try_from(u32_at(data, offset + 4)?).ok(), offset + 8)
    };
    let path = path_at.and_then(|at| Some((at, bytes(data, at, length)?)));
    let Some((path_at, path)) = path else {
        let available = data.len();
        damage.push(Damage::at(offset, DamageKind::Outside { what: "path", length, available }));
        return None;
    };
    let path = Located::new(utf16(path, path_at, "path", damage), path_at, length);
    Some(Entry {
        offset,
        length: layout.entry,
        path,
        package: None,
        modified: located_filetime(data, times_at),
        updated: None,
        size: None,
        insert_flags: located_u32(data, times_at + 8),
        shim_flags: located_u32(data, times_at + 12),
        data_size: if layout.with_data { located_u32(data, times_at + 16) } else { None },
    })
}

fn located_u64(data: &[u8], at: usize) -> Option<Located<u64>> {
    u64_at(data, at).map(|value| Located::new(value, at, 8))
}
