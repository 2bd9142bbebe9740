//! The lists in a prefetch file: file names, and volumes.

use super::Volume;
use crate::damage::{Damage, DamageKind};
use crate::fields::{Located, bytes, located_filetime, located_u32, u32_at, utf16};

/// The most file names that are read; Windows keeps 1,024.
const FILES: usize = 16_384;

/// The most volumes that are read.
const VOLUMES: usize = 64;

/// Reads the section of names, each with its NUL; its offset and length are at 0x64 and 0x68.
pub(super) fn files(data: &[u8], damage: &mut Vec<Damage>) -> Vec<Located<String>> {
    let (Some(start), Some(length)) = (size_at(data, 0x64), size_at(data, 0x68)) else { return Vec::new() };
    let section = section(data, 0x64, start, length, "names of files", damage);
    let mut files = Vec::new();
    let mut at = 0;
    while let Some(rest) = section.get(at..).filter(|rest| rest.len() >= 2) {
        let end = rest.as_chunks::<2>().0.iter().position(|pair| *pair == [0, 0]);
        let text = rest.get(..end.map_or(rest.len(), |units| units * 2)).unwrap_or(rest);
        if end.is_none() {
            damage.push(Damage::at(start + at, DamageKind::Unended { what: "name of a file" }));
        }
        if files.len() >= FILES {
            let what = DamageKind::TooMany { what: "names of files", limit: FILES };
            damage.push(Damage::at(start + at, what));
            break;
        }
        if !text.is_empty() {
            let name = utf16(text, start + at, "name of a file", damage);
            files.push(Located::new(name, start + at, text.len()));
        }
        at += text.len() + 2;
    }
    files
}

/// Reads the section of volumes; its offset, number and length are at 0x6C, 0x70 and 0x74. Each volume has
/// `size` bytes.
pub(super) fn volumes(data: &[u8], size: usize, damage: &mut Vec<Damage>) -> Vec<Volume> {
    let (Some(start), Some(count), Some(length)) =
        (size_at(data, 0x6C), size_at(data, 0x70), size_at(data, 0x74))
    else {
        return Vec::new();
    };
    let section = section(data, 0x6C, start, length, "volumes", damage);
    if count > VOLUMES {
        damage.push(Damage::at(0x70, DamageKind::TooMany { what: "volumes", limit: VOLUMES }));
    }
    let mut volumes = Vec::new();
    for number in 0..count.min(VOLUMES) {
        let at = number * size;
        if bytes(section, at, size).is_none() {
            let (what, available) = ("volume", section.len());
            damage.push(Damage::at(
                start.saturating_add(at),
                DamageKind::Outside { what, length: size, available },
            ));
            break;
        }
        volumes.push(volume(section, at, start, damage));
    }
    volumes
}

/// Reads a volume; its path is at an offset from the start of the section.
fn volume(section: &[u8], at: usize, start: usize, damage: &mut Vec<Damage>) -> Volume {
    let path = size_at(section, at).zip(size_at(section, at + 4)).and_then(|(offset, units)| {
        let length = units.saturating_mul(2);
        let Some(text) = bytes(section, offset, length) else {
            let (what, available) = ("path of a volume", section.len());
            damage.push(Damage::at(start + at, DamageKind::Outside { what, length, available }));
            return None;
        };
        let path = utf16(text, start + offset, "path of a volume", damage);
        Some(Located::new(path, start + offset, length))
    });
    Volume {
        path: path.filter(|path| !path.value.is_empty()),
        created: located_filetime(section, at + 8).map(|time| time.moved(start)),
        serial: located_u32(section, at + 16).map(|serial| serial.moved(start)),
    }
}

/// Returns the bytes of a section whose offset is stored at `field`; if it extends past the end, the available part.
fn section<'d>(
    data: &'d [u8],
    field: usize,
    start: usize,
    length: usize,
    what: &'static str,
    damage: &mut Vec<Damage>,
) -> &'d [u8] {
    bytes(data, start, length).unwrap_or_else(|| {
        damage.push(Damage::at(field, DamageKind::Outside { what, length, available: data.len() }));
        data.get(start..).unwrap_or_default()
    })
}

fn size_at(data: &[u8], at: usize) -> Option<usize> {
    u32_at(data, at).and_then(|size| usize::try_from(size).ok())
}
