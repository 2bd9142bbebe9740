//! A record of the `$MFT`, read as far as it is undamaged: damage in it hides nothing else.

use super::bytes::{Reference, index, u16_at, u32_at, u64_at};
use super::{NtfsDamage, STRIDE};
use crate::path::escape_name;

/// The type that ends the attributes.
const END: u32 = u32::MAX;

/// Minimum header sizes in bytes of a record, of an attribute, and of a non-resident one.
const RECORD_HEADER: usize = 0x30;
const ATTRIBUTE_HEADER: usize = 0x18;
const CLUSTERS_HEADER: usize = 0x40;

/// One record.
pub(super) struct Record {
    pub(super) number: u64,
    pub(super) bytes: Vec<u8>,
    /// Where the undamaged attributes end.
    end: usize,
    /// A bit for each attribute type that it holds.
    kinds: u32,
    /// Start of the first sector that was not written with the rest.
    torn: usize,
    pub(super) damage: Vec<NtfsDamage>,
}

impl Record {
    /// Undoes the update sequence and finds the end of the attributes.
    ///
    /// A record whose first sector is damaged is an error.
    pub(super) fn read(number: u64, mut bytes: Vec<u8>) -> Result<Record, NtfsDamage> {
        let mut damage = Vec::new();
        match bytes.first_chunk::<4>() {
            Some(b"FILE") => {}
            // `chkdsk` marks torn records in this way.
            Some(b"BAAD") => damage.push(NtfsDamage::Marked { entry: number }),
            found => {
                let found = found.map_or(0, |found| u32::from_le_bytes(*found).into());
                let expected = u32::from_le_bytes(*b"FILE").into();
                return Err(NtfsDamage::Value { entry: number, what: "signature", expected, found });
            }
        }
        let torn = match unprotect(number, &mut bytes) {
            Ok(()) => bytes.len(),
            Err((0, error)) => return Err(error),
            Err((torn, error)) => {
                damage.push(error);
                torn
            }
        };
        let mut record = Record { number, end: 0, kinds: 0, torn, bytes, damage };
        record.find_end();
        Ok(record)
    }

    fn find_end(&mut self) {
        let mut at = usize::from(self.u16(0x14));
        while let Some(code) = u32_at(&self.bytes, at).filter(|code| *code != END) {
            let length = u32_at(&self.bytes, at + 4).map_or(0, index);
            let end = at.saturating_add(length);
            if length < ATTRIBUTE_HEADER || end > self.bytes.len() {
                let (entry, what) = (self.number, "bytes of an attribute");
                let expected = self.bytes.len().saturating_sub(at) as u64;
                // Unused records of some systems hold zeros instead of an end mark.
                if code != 0 || length != 0 {
                    self.damage.push(NtfsDamage::Value { entry, what, expected, found: length as u64 });
                }
                break;
            }
            self.kinds |= bit(code);
            at = end;
        }
        self.end = at;
    }

    fn u16(&self, at: usize) -> u16 {
        u16_at(&self.bytes, at).unwrap_or(0)
    }

    pub(super) fn log_sequence(&self) -> u64 {
        u64_at(&self.bytes, 0x08).unwrap_or(0)
    }

    pub(super) fn sequence(&self) -> u16 {
        self.u16(0x10)
    }

    pub(super) fn links(&self) -> u16 {
        self.u16(0x12)
    }

    pub(super) fn in_use(&self) -> bool {
        self.u16(0x16) & 1 != 0
    }

    pub(super) fn is_directory(&self) -> bool {
        self.u16(0x16) & 2 != 0
    }

    /// Returns the record that this one extends.
    pub(super) fn base(&self) -> Option<Reference> {
        u64_at(&self.bytes, 0x20).filter(|base| *base != 0).map(Reference::read)
    }

    /// Returns the bytes after the attributes and the eight bytes of their end mark: remains of a longer record.
    pub(super) fn slack(&self) -> &[u8] {
        self.bytes.get(self.end.saturating_add(8)..).unwrap_or_default()
    }

    /// Returns the attributes of a type.
    pub(super) fn of_kind(&self, kind: u32) -> impl Iterator<Item = Attribute<'_>> {
        let all = (self.kinds & bit(kind) != 0).then(|| self.attributes());
        all.into_iter().flatten().filter(move |found| found.code == kind)
    }

    /// Returns the attributes, in stored order.
    pub(super) fn attributes(&self) -> impl Iterator<Item = Attribute<'_>> {
        let mut at = usize::from(self.u16(0x14));
        std::iter::from_fn(move || {
            let rest = self.bytes.get(at..self.end)?;
            let code = u32_at(rest, 0)?;
            let bytes = rest.get(..index(u32_at(rest, 4)?))?;
            let found = Attribute { entry: self.number, code, at, bytes, torn: at + bytes.len() > self.torn };
            at += bytes.len();
            (!bytes.is_empty()).then_some(found)
        })
    }
}

/// Returns the bit of an attribute type: types are multiples of 16.
fn bit(kind: u32) -> u32 {
    1 << (kind / 16 % 32)
}

/// Restores the last two bytes of each protected sector; on failure returns the start of the first damaged
/// sector, and what is wrong with it.
fn unprotect(entry: u64, bytes: &mut [u8]) -> Result<(), (usize, NtfsDamage)> {
    let offset = usize::from(u16_at(bytes, 4).unwrap_or(0));
    let count = usize::from(u16_at(bytes, 6).unwrap_or(0));
    let expected = bytes.len() / STRIDE + 1;
    let within = bytes.get(offset..).is_some_and(|rest| rest.len() >= expected * 2);
    let mark = u16_at(bytes, offset);
    let Some(mark) = mark.filter(|_| within && count == expected && bytes.len() >= RECORD_HEADER) else {
        let what = "entries of the update sequence";
        let (expected, found) = (expected as u64, count as u64);
        return Err((0, NtfsDamage::Value { entry, what, expected, found }));
    };
    let mut result = Ok(());
    for number in 0..bytes.len() / STRIDE {
        let original = u16_at(bytes, offset + 2 * (number + 1)).unwrap_or(0);
        let end = (number + 1) * STRIDE;
        let Some(tail) = bytes.get_mut(..end).and_then(<[u8]>::last_chunk_mut::<2>) else { continue };
        let (expected, found) = (mark, u16::from_le_bytes(*tail));
        if found == mark {
            *tail = original.to_le_bytes();
        } else if result.is_ok() {
            let offset = end - 2;
            let place = None;
            let error = NtfsDamage::Torn { entry, offset, expected, found, place };
            result = Err((number * STRIDE, error));
        }
    }
    result
}

/// Restores the bytes of an index block that the update sequence displaced.
pub(super) fn unprotect_block(entry: u64, block: &mut [u8]) -> Result<(), NtfsDamage> {
    unprotect(entry, block).map_err(|(_, error)| error)
}

/// An attribute as stored in a record.
#[derive(Clone, Copy)]
pub(super) struct Attribute<'a> {
    /// The record that holds it.
    pub(super) entry: u64,
    pub(super) code: u32,
    /// Its offset in the record.
    pub(super) at: usize,
    bytes: &'a [u8],
    /// Whether it extends into a damaged sector.
    torn: bool,
}

/// The header of a non-resident attribute.
pub(super) struct Clusters<'a> {
    /// The cluster of the value with which this piece begins.
    pub(super) first: u64,
    /// Clusters per compression unit, as a power of two.
    pub(super) unit: u16,
    pub(super) allocated: u64,
    pub(super) size: u64,
    pub(super) initialised: u64,
    pub(super) runs: &'a [u8],
}

impl<'a> Attribute<'a> {
    fn value_error(&self, what: &'static str, expected: usize, found: usize) -> NtfsDamage {
        NtfsDamage::Value { entry: self.entry, what, expected: expected as u64, found: found as u64 }
    }

    pub(super) fn resident(&self) -> bool {
        self.bytes.get(8) == Some(&0)
    }

    pub(super) fn flags(&self) -> u16 {
        u16_at(self.bytes, 0x0c).unwrap_or(0)
    }

    pub(super) fn compressed(&self) -> bool {
        self.flags() & 0xff != 0
    }

    pub(super) fn encrypted(&self) -> bool {
        self.flags() & 0x4000 != 0
    }

    pub(super) fn sparse(&self) -> bool {
        self.flags() & 0x8000 != 0
    }

    /// Returns the UTF-16 bytes of its name; empty if it has none.
    fn units(&self) -> Result<&'a [u8], NtfsDamage> {
        let length = usize::from(self.bytes.get(9).copied().unwrap_or(0)) * 2;
        if length == 0 {
            return Ok(&[]);
        }
        let start = usize::from(u16_at(self.bytes, 0x0a).unwrap_or(0));
        let found = self.bytes.get(start..).and_then(|rest| rest.get(..length));
        found.ok_or_else(|| self.value_error("end of an attribute's name", self.bytes.len(), start + length))
    }

    /// Returns its name in written form; a malformed name is damage.
    pub(super) fn name(&self) -> Result<Option<String>, NtfsDamage> {
        let units = self.units()?;
        Ok((!units.is_empty()).then(|| escape_name(&name_bytes(units))))
    }

    /// Checks whether it has this name.
    pub(super) fn is_named(&self, name: Option<&str>) -> bool {
        match (self.units(), name) {
            (Ok(units), None) => units.is_empty(),
            (Ok(units), Some(name)) => !units.is_empty() && is_written(units, name),
            (Err(_), _) => false,
        }
    }

    fn sound(&self) -> Result<(), NtfsDamage> {
        match self.torn {
            true => Err(self.value_error("sector of an attribute that is not sound", 0, 1)),
            false => Ok(()),
        }
    }

    /// Returns the value of a resident attribute, and its offset in the record.
    pub(super) fn value(&self) -> Result<(&'a [u8], usize), NtfsDamage> {
        self.sound()?;
        let length = u32_at(self.bytes, 0x10).map_or(0, index);
        let start = usize::from(u16_at(self.bytes, 0x14).unwrap_or(0));
        let end = start.saturating_add(length);
        match self.bytes.get(start..end) {
            Some(value) if self.resident() => Ok((value, self.at + start)),
            _ => Err(self.value_error("end of a resident value", self.bytes.len(), end)),
        }
    }

    /// Returns the header of a non-resident attribute.
    pub(super) fn clusters(&self) -> Result<Clusters<'a>, NtfsDamage> {
        self.sound()?;
        let start = usize::from(u16_at(self.bytes, 0x20).unwrap_or(0));
        let short = || self.value_error("start of the runs", CLUSTERS_HEADER, start);
        let runs = self.bytes.get(start..).filter(|_| start >= CLUSTERS_HEADER && !self.resident());
        let field = |at| u64_at(self.bytes, at).ok_or_else(short);
        Ok(Clusters {
            first: field(0x10)?,
            unit: u16_at(self.bytes, 0x22).unwrap_or(0),
            allocated: field(0x28)?,
            size: field(0x30)?,
            initialised: field(0x38)?,
            runs: runs.ok_or_else(short)?,
        })
    }
}

/// Returns the 16-bit units of a text.
pub(super) fn units(bytes: &[u8]) -> impl Iterator<Item = u16> + Clone {
    bytes.chunks_exact(2).map(|pair| u16_at(pair, 0).unwrap_or(0))
}

/// Returns the bytes of a name: UTF-8, with an unpaired surrogate as three bytes that are not valid UTF-8
/// (WTF-8), so that no two names become the same.
pub(super) fn name_bytes(stored: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(stored.len());
    if units(stored).all(|unit| unit < 0x80) {
        bytes.extend(stored.iter().step_by(2));
        return bytes;
    }
    for unit in char::decode_utf16(units(stored)) {
        match unit {
            Ok(character) => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            Err(half) => {
                let [low, high] = half.unpaired_surrogate().to_le_bytes();
                let six = |value: u8| 0x80 | (value & 0x3f);
                bytes.extend([0xe0 | (high >> 4), six((high << 2) | (low >> 6)), six(low)]);
            }
        }
    }
    bytes
}

/// Checks whether a stored name has this written form.
pub(super) fn is_written(stored: &[u8], written: &str) -> bool {
    if written.is_ascii() && !written.contains('%') {
        return stored.len() == 2 * written.len() && units(stored).eq(written.bytes().map(u16::from));
    }
    let plain = char::decode_utf16(units(stored)).map(|unit| unit.unwrap_or('/'));
    (!written.contains("%{") && plain.eq(written.chars())) || escape_name(&name_bytes(stored)) == written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(units: &[u16]) -> Vec<u8> {
        units.iter().flat_map(|unit| unit.to_le_bytes()).collect()
    }

    #[test]
    fn half_a_surrogate_pair_keeps_names_apart() {
        let names = [stored(&[0x61, 0xd800]), stored(&[0x61, 0xdfff]), stored(&[0x61, 0xfffd])];
        let written: Vec<_> = names.iter().map(|name| escape_name(&name_bytes(name))).collect();
        assert_eq!(written, ["a%{ED}%{A0}%{80}", "a%{ED}%{BF}%{BF}", "a\u{fffd}"]);
        assert!(names.iter().zip(&written).all(|(name, written)| is_written(name, written)));
        assert!(!is_written(&names[0], "a\u{fffd}"));
    }

    /// Returns a record of two sectors with one resident attribute in each.
    fn record() -> Vec<u8> {
        let mut bytes = vec![0; 1024];
        bytes[..8].copy_from_slice(b"FILE\x30\0\x03\0");
        bytes[0x14] = 0x38;
        bytes[0x30..0x36].copy_from_slice(&[7, 7, 1, 1, 2, 2]);
        for (at, length) in [(0x38usize, 504u32), (560, 32)] {
            bytes[at] = 0x80;
            bytes[at + 4..at + 8].copy_from_slice(&length.to_le_bytes());
            bytes[at + 0x10] = 1;
            bytes[at + 0x14] = 0x18;
        }
        bytes[592..596].copy_from_slice(&[0xff; 4]);
        for end in [510, 1022] {
            bytes[end..end + 2].copy_from_slice(&[7, 7]);
        }
        bytes
    }

    #[test]
    fn a_torn_second_sector_hides_only_what_stands_in_it() {
        let mut bytes = record();
        let whole = Record::read(9, bytes.clone()).unwrap();
        assert_eq!(whole.attributes().filter(|found| found.value().is_ok()).count(), 2);
        assert_eq!((whole.bytes[510], whole.bytes[1023], whole.damage.len()), (1, 2, 0));
        bytes[1022] = 8;
        let torn = Record::read(9, bytes.clone()).unwrap();
        let sound: Vec<_> = torn.attributes().map(|found| found.value().is_ok()).collect();
        assert!(matches!(torn.damage[..], [NtfsDamage::Torn { offset: 1022, .. }]));
        assert_eq!(sound, [false, false], "the first one ends in the second sector");
        bytes[510] = 8;
        assert!(Record::read(9, bytes).is_err());
    }

    #[test]
    fn an_attribute_without_an_end_hides_none_before_it() {
        let mut bytes = record();
        bytes[564..568].copy_from_slice(&u32::MAX.to_le_bytes());
        let read = Record::read(9, bytes).unwrap();
        assert_eq!((read.attributes().count(), read.damage.len()), (1, 1));
    }
}
