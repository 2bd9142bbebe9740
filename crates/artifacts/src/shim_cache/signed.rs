//! The layouts in which each entry begins with a signature: Windows 8 and later. They store no count.

use super::{Cache, Entry, Format, LIMIT};
use crate::damage::{Damage, DamageKind};
use crate::fields::{Located, bytes, located_filetime, located_u32, u16_at, u32_at, utf16};

const WINDOWS_8: u32 = u32::from_le_bytes(*b"00ts");
const LATER: u32 = u32::from_le_bytes(*b"10ts");

/// Length of the header of Windows 8.
const HEADER_8: u32 = 0x80;

/// Signature, a number, and the length of the rest.
const HEAD: usize = 12;

pub(super) fn cache(data: &[u8], header: u32, damage: &mut Vec<Damage>) -> Result<Cache, Damage> {
    let start = header as usize;
    let format = format(data, header)?;
    let (mut entries, mut at) = (Vec::new(), start);
    while let Some(signature @ (WINDOWS_8 | LATER)) = u32_at(data, at) {
        if entries.len() >= LIMIT {
            damage.push(Damage::at(at, DamageKind::TooMany { what: "entries", limit: LIMIT }));
            return Ok(Cache { format, entries });
        }
        let length = u32_at(data, at + 8).map_or(usize::MAX, |length| length as usize);
        let Some(body) = bytes(data, at + HEAD, length) else {
            let available = data.len();
            damage.push(Damage::at(at, DamageKind::Outside { what: "entry", length, available }));
            return Ok(Cache { format, entries });
        };
        let end = at + HEAD + body.len();
        let whole = data.get(..end).unwrap_or(data);
        match entry(whole, at, format, signature, damage) {
            Some(entry) => entries.push(entry),
            None => {
                let what = DamageKind::Outside { what: "entry", length, available: body.len() };
                damage.push(Damage::at(at, what));
            }
        }
        at = end;
    }
    if data.get(at..).unwrap_or_default().iter().any(|byte| *byte != 0) {
        let actual = u64::from(u32_at(data, at).unwrap_or_default());
        let kind = DamageKind::Field { what: "signature", expected: u64::from(LATER), actual };
        damage.push(Damage::at(at, kind));
    }
    Ok(Cache { format, entries })
}

/// Returns the layout, according to the header and the first entry.
fn format(data: &[u8], header: u32) -> Result<Format, Damage> {
    let start = header as usize;
    match (header == HEADER_8, u32_at(data, start)) {
        (true, Some(WINDOWS_8) | None) => Ok(Format::Windows8),
        (true, Some(LATER)) => Ok(Format::Windows81),
        (false, Some(LATER) | None) => Ok(Format::Windows10),
        (_, Some(actual)) => {
            let (expected, actual) = (u64::from(LATER), u64::from(actual));
            Err(Damage::at(start, DamageKind::Field { what: "signature", expected, actual }))
        }
    }
}

/// Reads the entry at `offset`; `data` ends where the entry ends.
fn entry(
    data: &[u8],
    offset: usize,
    format: Format,
    signature: u32,
    damage: &mut Vec<Damage>,
) -> Option<Entry> {
    let (path, at) = text(data, offset + HEAD, "path", damage)?;
    let (package, at) = match format {
        Format::Windows8 | Format::Windows81 if signature == LATER => {
            let (package, at) = text(data, at, "package", damage)?;
            (Some(package).filter(|package| package.length > 0), at)
        }
        _ => (None, at),
    };
    let with_flags = format != Format::Windows10;
    let times_at = if with_flags { at + 8 } else { at };
    Some(Entry {
        offset,
        length: data.len() - offset,
        path,
        package,
        modified: Some(located_filetime(data, times_at)?),
        updated: None,
        size: None,
        insert_flags: if with_flags { located_u32(data, at) } else { None },
        shim_flags: if with_flags { located_u32(data, at + 4) } else { None },
        data_size: located_u32(data, times_at + 8),
    })
}

/// Reads a text preceded by its length in bytes; also returns the offset after it.
fn text(
    data: &[u8],
    at: usize,
    what: &'static str,
    damage: &mut Vec<Damage>,
) -> Option<(Located<String>, usize)> {
    let length = usize::from(u16_at(data, at)?);
    let start = at + 2;
    let text = utf16(bytes(data, start, length)?, start, what, damage);
    Some((Located::new(text, start, length), start + length))
}
