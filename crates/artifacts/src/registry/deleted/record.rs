//! Key and value records, recognised by their content alone.

use super::free::Free;
use crate::registry::cells::{Cells, NONE, u32_at, u64_at};
use crate::registry::decode;
use crate::registry::header::{BASE_BLOCK, Filetime};
use nt_hive::NtHiveNameString;

const KEY_FIXED: usize = 0x4C;
const VALUE_FIXED: usize = 0x14;
const LONGEST_KEY_NAME: usize = 512;
const LONGEST_VALUE_NAME: usize = 32_766;
/// Key flags in actual use (section "Key node", Flags; two more whose meaning is not known).
const KEY_FLAGS: u16 = 0x53FF;
const KEY_NAME_IS_LATIN: u16 = 0x20;
const VALUE_FLAGS: u16 = 3;
const VALUE_NAME_IS_LATIN: u16 = 1;
pub(super) const RESIDENT: u32 = 0x8000_0000;
/// The first and last years in which a key can have been written: 1993, when Windows NT appeared, and 2100.
const TIMES: std::ops::Range<u64> = 123_700_000_000_000_000..157_500_000_000_000_000;
/// Types that Windows defines; property stores of devices use the second range.
const KINDS: u32 = 11;
const PROPERTY_KINDS: std::ops::RangeInclusive<u32> = 0xFFFF_0000..=0xFFFF_20FF;

/// A record in free space.
pub(super) enum Found {
    Key(FoundKey),
    Value(FoundValue),
}

pub(super) struct FoundKey {
    /// The reference of its old cell.
    pub(super) reference: u32,
    pub(super) offset: u64,
    pub(super) name: String,
    pub(super) parent: u32,
    pub(super) last_written: Filetime,
    pub(super) subkey_count: u32,
    pub(super) value_count: u32,
    value_list: u32,
}

pub(super) struct FoundValue {
    /// The reference of its old cell.
    pub(super) reference: u32,
    pub(super) offset: u64,
    pub(super) name: String,
    pub(super) kind: u32,
    pub(super) size: u32,
    pub(super) resident: bool,
    /// The reference of its data.
    pub(super) data: u32,
}

/// Finds all records in free space, in file order; records do not overlap.
pub(super) fn scan(cells: Cells<'_>, free: &Free) -> Vec<Found> {
    let mut found = Vec::new();
    for (start, end) in free.runs() {
        let mut at = start;
        // A cell begins at a multiple of 8, and its content 4 bytes later.
        while let Some(old) = cells.bins().get(at as usize..end as usize).filter(|old| old.len() > 8) {
            let (size, content) = old.split_first_chunk().map_or((0, old), |(size, content)| {
                (i32::from_le_bytes(*size).unsigned_abs() as usize, content)
            });
            let bins = cells.bins().len();
            let (one, length) = match content.first_chunk() {
                Some(b"nk") => split(key(content, at, bins).map(|(key, length)| (Found::Key(key), length))),
                Some(b"vk") => {
                    split(value(content, at, bins, size).map(|(value, length)| (Found::Value(value), length)))
                }
                Some(_) | None => (None, 0),
            };
            found.extend(one);
            let step = u32::try_from((length + 4).next_multiple_of(8)).unwrap_or(8);
            at = at.saturating_add(step.max(8));
        }
    }
    found
}

fn split(found: Option<(Found, usize)>) -> (Option<Found>, usize) {
    found.map_or((None, 0), |(found, length)| (Some(found), length))
}

fn key(content: &[u8], reference: u32, bins: usize) -> Option<(FoundKey, usize)> {
    let (flags, written) = (u16_at(content, 2)?, u64_at(content, 4)?);
    let (parent, value_list) = (u32_at(content, 0x10)?, u32_at(content, 0x28)?);
    let (subkey_count, value_count) = (u32_at(content, 0x14)?, u32_at(content, 0x24)?);
    let (length, most) = (usize::from(u16_at(content, 0x48)?), bins / 8);
    let refers = |reference: u32| reference == NONE || leads(reference, bins);
    let counts = (subkey_count as usize) < most && (value_count as usize) < most;
    let lists = refers(u32_at(content, 0x1C)?) && (refers(value_list) || value_count == 0);
    let sound = flags & !KEY_FLAGS == 0
        && TIMES.contains(&written)
        && leads(parent, bins)
        && counts
        && lists
        && (1..=LONGEST_KEY_NAME).contains(&length);
    let name = name(content.get(KEY_FIXED..KEY_FIXED + length)?, flags & KEY_NAME_IS_LATIN != 0);
    let name = name.filter(|name| sound && !name.contains('\\'))?;
    let (offset, last_written) = (offset(reference), Filetime(written));
    let key =
        FoundKey { reference, offset, name, parent, last_written, subkey_count, value_count, value_list };
    Some((key, KEY_FIXED + length))
}

/// Recognises a value; one without a name has so few checkable fields that its old cell must fit it, too.
fn value(content: &[u8], reference: u32, bins: usize, cell: usize) -> Option<(FoundValue, usize)> {
    let length = usize::from(u16_at(content, 2)?);
    let (stored, data, kind) = (u32_at(content, 4)?, u32_at(content, 8)?, u32_at(content, 0x0C)?);
    let flags = u16_at(content, 0x10)?;
    let (resident, size) = (stored & RESIDENT != 0, stored & !RESIDENT);
    let place = if resident { size <= 4 } else { size == 0 || (leads(data, bins) && (size as usize) < bins) };
    let room = (VALUE_FIXED + length + 4).next_multiple_of(8);
    let named = length > 0 || (cell >= room && cell <= room + 16 && cell.is_multiple_of(8));
    let typed = kind <= KINDS || PROPERTY_KINDS.contains(&kind);
    let sound = place && named && typed && flags & !VALUE_FLAGS == 0 && length <= LONGEST_VALUE_NAME;
    let name = name(content.get(VALUE_FIXED..VALUE_FIXED + length)?, flags & VALUE_NAME_IS_LATIN != 0);
    let (name, offset) = (name.filter(|_| sound)?, offset(reference));
    Some((FoundValue { reference, offset, name, kind, size, resident, data }, VALUE_FIXED + length))
}

/// Returns the values in the list of a key in free space, if that list is also free.
pub(super) fn listed(cells: Cells<'_>, free: &Free, key: &FoundKey) -> Vec<u32> {
    let length = (key.value_count as usize).saturating_mul(4);
    if key.value_count == 0 || !free.holds(key.value_list, length.saturating_add(4)) {
        return Vec::new();
    }
    let start = key.value_list as usize + 4;
    let list = cells.bins().get(start..start + length).unwrap_or_default();
    list.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Returns a name if Windows allows its characters; `None` for anything else.
fn name(stored: &[u8], latin: bool) -> Option<String> {
    let (name, mut defects) = match latin {
        true => (NtHiveNameString::Latin1(stored), Vec::new()),
        false => (NtHiveNameString::Utf16LE(stored), Vec::new()),
    };
    let name = decode::name(&name, 0, &mut defects);
    (defects.is_empty() && !name.chars().any(char::is_control)).then_some(name)
}

/// Checks whether a reference can point to a cell.
fn leads(reference: u32, bins: usize) -> bool {
    reference >= 32 && reference.is_multiple_of(8) && (reference as usize) < bins
}

fn offset(reference: u32) -> u64 {
    u64::from(reference) + BASE_BLOCK as u64 + 4
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
}
