//! The data of values in free space, if its own place is also free.

use super::free::Free;
use super::record::FoundValue;
use crate::registry::Hive;
use crate::registry::cells::u32_at;
use crate::registry::header::BASE_BLOCK;
use crate::registry::value::Extent;
use crate::registry::values::{FIRST_MINOR_WITH_BIG_DATA, SEGMENT};
use std::borrow::Cow;

type Data<'h> = (Cow<'h, [u8]>, Vec<Extent>);

/// Reads the data; `None` if any of it is in use again. The bytes there may have been overwritten since.
pub(super) fn read<'h>(hive: &'h Hive<'_>, free: &Free, value: &FoundValue) -> Option<Data<'h>> {
    let size = value.size as usize;
    if size == 0 {
        return Some((Cow::default(), Vec::new()));
    }
    if value.resident {
        let offset = value.offset + 8;
        let start = usize::try_from(offset).ok()?;
        let bytes = hive.cells.bytes().get(start..start + size)?;
        return Some((Cow::Borrowed(bytes), vec![Extent { offset, length: size as u64 }]));
    }
    if size <= SEGMENT || hive.header.minor < FIRST_MINOR_WITH_BIG_DATA {
        let (bytes, extent) = piece(hive, free, value.data, size)?;
        return Some((Cow::Borrowed(bytes), vec![extent]));
    }
    segments(hive, free, value.data, size)
}

fn segments<'h>(hive: &'h Hive<'_>, free: &Free, record: u32, size: usize) -> Option<Data<'h>> {
    let (record, _) = piece(hive, free, record, 8)?;
    let list = u32_at(record, 4).filter(|_| record.starts_with(b"db"))?;
    let (list, _) = piece(hive, free, list, size.div_ceil(SEGMENT).checked_mul(4)?)?;
    let (mut raw, mut extents) = (Vec::new(), Vec::new());
    for word in list.as_chunks().0 {
        let wanted = size.saturating_sub(raw.len()).min(SEGMENT);
        let (bytes, extent) = piece(hive, free, u32::from_le_bytes(*word), wanted)?;
        raw.extend_from_slice(bytes);
        extents.push(extent);
    }
    Some((Cow::Owned(raw), extents))
}

/// Returns the content of an old cell if all of it is free.
fn piece<'h>(hive: &'h Hive<'_>, free: &Free, reference: u32, length: usize) -> Option<(&'h [u8], Extent)> {
    if !free.holds(reference, length.checked_add(4)?) {
        return None;
    }
    let start = reference as usize + 4;
    let bytes = hive.cells.bins().get(start..start.checked_add(length)?)?;
    Some((bytes, Extent { offset: (BASE_BLOCK + start) as u64, length: length as u64 }))
}
