//! `$I` files of the Recycle Bin: what was moved there, its size, and when.
//!
//! Since Windows Vista each deleted entry has a `$I` file with its former path next to the `$R` file with its
//! content.
//! Source of the format: Joachim Metz, dtformats, "Windows Recycle.Bin file formats", sections 1 and 2.

use crate::damage::{Damage, DamageKind};
use crate::fields::{Located, located_filetime, located_u32, u64_at, utf16, utf16_to_nul};
use crate::registry::Filetime;

/// Bytes before the path: format version, size, time.
const HEADER: usize = 24;

/// Bytes that version 1 reserves for the path: 260 units.
const FIXED_PATH: usize = 520;

/// The format version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Windows Vista to 8.1: a path of 260 units.
    One,
    /// Windows 10 and later: a path preceded by its length.
    Two,
}

/// The content of a `$I` file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recycled {
    /// The format version.
    pub version: Version,
    /// Size of the deleted file in bytes; for a folder, of everything in it.
    pub size: Option<Located<u64>>,
    /// When it was moved to the Recycle Bin.
    pub deleted: Option<Located<Filetime>>,
    /// Its former path.
    pub path: Option<Located<String>>,
    /// The damage found in it.
    pub damage: Vec<Damage>,
}

/// Returns the version according to the first bytes; `None` if they are not those of a `$I` file.
pub fn version(bytes: &[u8]) -> Option<Version> {
    match u64_at(bytes, 0)? {
        1 => Some(Version::One),
        2 => Some(Version::Two),
        _ => None,
    }
}

/// Reads a `$I` file; `None` if it does not begin like one.
pub fn read(bytes: &[u8]) -> Option<Recycled> {
    let version = version(bytes)?;
    let mut damage = Vec::new();
    let size = u64_at(bytes, 8).map(|size| Located::new(size, 8, 8));
    let deleted = located_filetime(bytes, 16);
    if deleted.is_none() {
        damage.push(Damage::at(0, DamageKind::Length { expected: HEADER, actual: bytes.len() }));
    }
    let path = match version {
        Version::One => fixed_path(bytes, &mut damage),
        Version::Two => counted_path(bytes, &mut damage),
    };
    Some(Recycled { version, size, deleted, path: path.filter(|path| !path.value.is_empty()), damage })
}

fn fixed_path(bytes: &[u8], damage: &mut Vec<Damage>) -> Option<Located<String>> {
    let end = HEADER + FIXED_PATH;
    if bytes.len() < end {
        damage.push(Damage::at(HEADER, DamageKind::Length { expected: end, actual: bytes.len() }));
    }
    utf16_to_nul(bytes.get(..end).unwrap_or(bytes), HEADER, "the path", damage)
}

/// Reads a path preceded by its length, which counts UTF-16 units with the NUL.
fn counted_path(bytes: &[u8], damage: &mut Vec<Damage>) -> Option<Located<String>> {
    let units = located_u32(bytes, HEADER)?.value as usize;
    let (start, length) = (HEADER + 4, units.saturating_mul(2));
    let held = bytes.get(start..).unwrap_or_default();
    if held.len() < length {
        let (what, available) = ("the path", held.len());
        damage.push(Damage::at(start, DamageKind::Outside { what, length, available }));
    }
    let text = held.get(..length).unwrap_or(held);
    let text = text.strip_suffix(&[0, 0]).unwrap_or(text);
    Some(Located::new(utf16(text, start, "the path", damage), start, text.len()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn file(version: u64, path: &str) -> Vec<u8> {
        let units: Vec<u8> = path.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
        let mut bytes =
            [version.to_le_bytes(), 4096u64.to_le_bytes(), 129_779_783_208_392_490u64.to_le_bytes()].concat();
        if version == 2 {
            bytes.extend((units.len() as u32 / 2).to_le_bytes());
            bytes.extend(units);
        } else {
            bytes.extend(&units);
            bytes.resize(HEADER + FIXED_PATH, 0);
        }
        bytes
    }

    #[test]
    fn both_versions_tell_path_size_and_time() {
        for version in [1, 2] {
            let found = read(&file(version, "C:\\Users\\ann\\plän.doc")).unwrap();
            assert_eq!(found.path.unwrap().value, "C:\\Users\\ann\\plän.doc");
            assert_eq!(found.size.unwrap().value, 4096);
            assert_eq!(found.deleted.unwrap().value, Filetime(129_779_783_208_392_490));
            assert_eq!(found.damage, []);
        }
    }

    #[test]
    fn a_cut_file_is_read_as_far_as_it_goes_and_says_so() {
        let whole = file(2, "C:\\a\\long\\path.txt");
        let found = read(&whole[..40]).unwrap();
        assert_eq!(found.path.unwrap().value, "C:\\a\\l");
        assert!(matches!(found.damage[..], [Damage { offset: 28, what: DamageKind::Outside { .. } }]));
        assert!(!read(&whole[..20]).unwrap().damage.is_empty());
        assert_eq!(read(b"MZ\x90\0\x03\0\0\0"), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..600), version in 1u8..3) {
            let mut bytes = bytes;
            if let Some(first) = bytes.first_mut() {
                *first = version;
            }
            for byte in bytes.iter_mut().take(8).skip(1) {
                *byte = 0;
            }
            let _ = read(&bytes);
        }
    }
}
