//! Reading the values of a key (sections "Key value", "Big data").

use std::borrow::Cow;

use nt_hive::NtHiveNameString;

use super::Hive;
use super::cells::{Cell, Cells, NONE};
use super::decode;
use super::defect::{Defect, DefectKind, Signature};
use super::key::Key;
use super::library::{self, NodeValue};
use super::lists::{self, Budget, Entry};
use super::value::{self, Extent, Value, ValueData, ValueKind};

/// Length of a value record before its name.
const FIXED: usize = 0x14;
/// Maximum length of a value name in bytes: 16,383 UTF-16 units.
const LONGEST_NAME: usize = 32_766;
const NAME_IS_LATIN: u16 = 1;
/// Set in the data size if the data is in the record itself.
const RESIDENT: u32 = 0x8000_0000;
/// Data above this length is split into segments of this length, from version 1.4 on.
pub(crate) const SEGMENT: usize = 16_344;
pub(crate) const FIRST_MINOR_WITH_BIG_DATA: u32 = 4;

/// Reads the values of a key.
pub(crate) fn read<'h>(
    hive: &'h Hive<'_>,
    key: &Key<'h>,
    budget: &mut Budget,
) -> (Vec<Value<'h>>, Vec<Defect>) {
    let (mut values, mut defects) = (Vec::new(), Vec::new());
    let list = lists::values(hive.cells, key, &mut defects);
    let mut nodes = library::values(key.node.as_ref().filter(|_| list.sound));
    for entry in list.entries {
        if let Err(defect) = budget.take(1, 0) {
            defects.push(defect);
            break;
        }
        match one(hive, entry, nodes.next(), &mut defects) {
            Ok(value) => {
                let spent = budget.take(0, value.raw.len() + value.name.len());
                values.push(value);
                if let Err(defect) = spent {
                    defects.push(defect);
                    break;
                }
            }
            Err(defect) => defects.push(defect),
        }
    }
    (values, defects)
}

fn one<'h>(
    hive: &'h Hive<'_>,
    entry: Entry,
    node: Option<NodeValue<'h>>,
    defects: &mut Vec<Defect>,
) -> Result<Value<'h>, Defect> {
    let cell = hive.cells.get(entry.reference, entry.at, defects)?;
    let actual = cell.signature();
    if actual != *b"vk" {
        let what = DefectKind::Signature { expected: Signature::KeyValue, actual };
        return Err(Defect::at(cell.at, what));
    }
    let record = record(&cell, defects).ok_or_else(|| {
        let (expected, actual) = (FIXED as u64, cell.data.len() as u64);
        Defect::at(cell.at, DefectKind::RecordCut { expected, actual })
    })?;
    let node = node.filter(|node| lies_at(hive, node, cell.at));
    let name = decode::name(&record.name, cell.at + FIXED as u64, defects);
    let kind = ValueKind::from(record.kind);
    let offset = cell.at;
    match data(hive, &cell, &record, node.as_ref(), defects) {
        Ok((raw, data_extents)) => {
            let at = data_extents.first().map_or(offset, |extent| extent.offset);
            let (data, trailing) = value::decode(kind, &raw, at, defects);
            Ok(Value { name, kind, data, raw, trailing, offset, data_extents })
        }
        Err(defect) => {
            defects.push(defect);
            let (data, raw) = (ValueData::Unreadable, Cow::default());
            Ok(Value { name, kind, data, raw, trailing: false, offset, data_extents: Vec::new() })
        }
    }
}

/// The fields of a value record.
struct Record<'a> {
    /// Length of the data, without the resident bit.
    size: usize,
    resident: bool,
    data_cell: u32,
    kind: u32,
    name: NtHiveNameString<'a>,
}

fn record<'a>(cell: &Cell<'a>, defects: &mut Vec<Defect>) -> Option<Record<'a>> {
    let length = usize::from(cell.u16(2)?);
    let size = cell.u32(4)?;
    let latin = cell.u16(0x10)? & NAME_IS_LATIN != 0;
    cell.u16(0x12)?;
    let name = cell.up_to(FIXED, length.min(LONGEST_NAME));
    if name.len() < length {
        let number = |length| u32::try_from(length).unwrap_or(u32::MAX);
        let what = DefectKind::NameCut { expected: number(length), actual: number(name.len()) };
        defects.push(Defect::at(cell.at + 2, what));
    }
    Some(Record {
        size: (size & !RESIDENT) as usize,
        resident: size & RESIDENT != 0,
        data_cell: cell.u32(8)?,
        kind: cell.u32(0x0C)?,
        name: if latin { NtHiveNameString::Latin1(name) } else { NtHiveNameString::Utf16LE(name) },
    })
}

type Data<'h> = (Cow<'h, [u8]>, Vec<Extent>);

fn data<'h>(
    hive: &'h Hive<'_>,
    cell: &Cell<'h>,
    record: &Record<'h>,
    node: Option<&NodeValue<'h>>,
    defects: &mut Vec<Defect>,
) -> Result<Data<'h>, Defect> {
    if record.size == 0 {
        return Ok((Cow::default(), Vec::new()));
    }
    if record.resident {
        let bytes = cell.up_to(8, record.size.min(4));
        return Ok(piece(bytes, cell.at + 8, record.size, defects));
    }
    let big = record.size > SEGMENT && hive.header.minor >= FIRST_MINOR_WITH_BIG_DATA;
    // nt-hive treats everything above the limit as big data, and asserts that there is a cell.
    if record.size <= SEGMENT && record.data_cell != NONE {
        let bytes = node.and_then(library::data);
        if let Some((bytes, at)) = bytes.and_then(|b| Some((b, library::offset_in(hive.cells.bytes(), b)?))) {
            return Ok(piece(bytes, at, record.size, defects));
        }
    }
    let place = hive.cells.get(record.data_cell, cell.at + 8, defects)?;
    if !big {
        return Ok(piece(place.up_to(0, record.size), place.at, record.size, defects));
    }
    if place.signature() == *b"db" {
        return Ok(big_data(hive.cells, &place, record.size, defects));
    }
    let what = DefectKind::Signature { expected: Signature::BigData, actual: place.signature() };
    let defect = Defect::at(place.at, what);
    if place.data.len() < record.size {
        return Err(defect);
    }
    // Long enough to be the data itself, as in older versions.
    defects.push(defect);
    Ok(piece(place.up_to(0, record.size), place.at, record.size, defects))
}

/// Reads data in one piece, which may be shorter than it should be.
fn piece<'h>(bytes: &'h [u8], at: u64, size: usize, defects: &mut Vec<Defect>) -> Data<'h> {
    note_cut(at, size, bytes.len(), defects);
    (Cow::Borrowed(bytes), vec![Extent { offset: at, length: bytes.len() as u64 }])
}

/// Reads data in segments: all except the last are full. A segment that cannot be read ends the data.
fn big_data<'h>(cells: Cells<'h>, place: &Cell<'h>, size: usize, defects: &mut Vec<Defect>) -> Data<'h> {
    let (mut raw, mut extents) = (Vec::new(), Vec::new());
    if let Err(defect) = segments(cells, place, size, &mut raw, &mut extents, defects) {
        defects.push(defect);
    }
    note_cut(place.at, size, raw.len(), defects);
    (Cow::Owned(raw), extents)
}

fn segments(
    cells: Cells<'_>,
    place: &Cell<'_>,
    size: usize,
    raw: &mut Vec<u8>,
    extents: &mut Vec<Extent>,
    defects: &mut Vec<Defect>,
) -> Result<(), Defect> {
    let list = cells.get(place.u32(4).unwrap_or(NONE), place.at + 4, defects)?;
    let count = usize::from(place.u16(2).unwrap_or_default());
    let words = list.up_to(0, count * 4).as_chunks().0;
    for (word, at) in words.iter().zip((list.at..).step_by(4)) {
        let wanted = size.saturating_sub(raw.len()).min(SEGMENT);
        // No honest value is longer than its file.
        if wanted == 0 || raw.len() > cells.bytes().len() {
            break;
        }
        let segment = cells.get(u32::from_le_bytes(*word), at, defects)?;
        let bytes = segment.up_to(0, wanted);
        raw.extend_from_slice(bytes);
        extents.push(Extent { offset: segment.at, length: bytes.len() as u64 });
        if bytes.len() < wanted {
            break;
        }
    }
    Ok(())
}

fn note_cut(at: u64, expected: usize, actual: usize, defects: &mut Vec<Defect>) {
    if actual < expected {
        let what = DefectKind::DataCut { expected: expected as u64, actual: actual as u64 };
        defects.push(Defect::at(at, what));
    }
}

/// Checks whether nt-hive's value is the record at this place in the file, by the place of its name.
fn lies_at(hive: &Hive<'_>, node: &NodeValue<'_>, at: u64) -> bool {
    let name_at = node.name().ok().and_then(|name| {
        let bytes = library::stored(&name);
        library::offset_in(hive.cells.bytes(), bytes)
    });
    name_at == at.checked_add(FIXED as u64)
}
