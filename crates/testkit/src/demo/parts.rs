//! Small helpers that several builders share.

use super::clock::Time;
use super::story::{DOMAIN_SID, MACHINE_SID};
use crate::hive::KeySpec;

/// Creates an unnamed key for [`KeySpec::path`], last written within this second.
pub(crate) fn at(time: Time) -> KeySpec {
    KeySpec::new("").written(time.key_write().filetime())
}

/// Gives this time to every key that has none.
pub(crate) fn dated(mut key: KeySpec, time: Time) -> KeySpec {
    if key.last_written == 0 {
        key.last_written = time.key_write().filetime();
    }
    key.keys = key.keys.into_iter().map(|subkey| dated(subkey, time)).collect();
    key
}

/// Returns the path of a file on drive C in the image, where the volume is the first partition.
pub(crate) fn collected(path: &str) -> String {
    path.replacen("C:", "p1", 1).replace('\\', "/")
}

/// Encodes UTF-16LE without a terminator.
pub(crate) fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Encodes UTF-16LE with a terminating NUL.
pub(crate) fn utf16z(text: &str) -> Vec<u8> {
    utf16(&format!("{text}\0"))
}

/// Joins lines with Windows line ends.
pub(crate) fn lines<T: AsRef<str>>(lines: &[T]) -> Vec<u8> {
    lines.iter().flat_map(|line| [line.as_ref(), "\r\n"]).collect::<String>().into_bytes()
}

/// Applies ROT13, as UserAssist does to its value names.
pub(crate) fn rot13(text: &str) -> String {
    let turn = |letter: char, first: u8| char::from((u32::from(letter) as u8 - first + 13) % 26 + first);
    text.chars()
        .map(|letter| match letter {
            'a'..='z' => turn(letter, b'a'),
            'A'..='Z' => turn(letter, b'A'),
            other => other,
        })
        .collect()
}

/// Returns the binary SID of a local account.
pub(crate) fn local_sid_bytes(rid: u32) -> Vec<u8> {
    sid_bytes(&[21, MACHINE_SID[0], MACHINE_SID[1], MACHINE_SID[2], rid])
}

/// Returns the binary SID of a domain account.
pub(crate) fn domain_sid_bytes(rid: u32) -> Vec<u8> {
    sid_bytes(&[21, DOMAIN_SID[0], DOMAIN_SID[1], DOMAIN_SID[2], rid])
}

/// Returns a binary SID of the NT authority.
pub(crate) fn sid_bytes(authorities: &[u32]) -> Vec<u8> {
    let mut sid = vec![1, authorities.len() as u8, 0, 0, 0, 0, 0, 5];
    sid.extend(authorities.iter().flat_map(|part| part.to_le_bytes()));
    sid
}

/// Returns a GUID as Windows stores it, with the first three groups in little-endian order; empty for any other text.
pub(crate) fn guid(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .chars()
        .filter_map(|digit| digit.to_digit(16))
        .collect::<Vec<_>>()
        .chunks_exact(2)
        .map(|pair| (pair[0] << 4 | pair[1]) as u8)
        .collect();
    const ORDER: [usize; 16] = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
    ORDER.iter().filter_map(|place| digits.get(*place).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_stored_as_windows_stores_them() {
        assert_eq!(rot13("Zz\\calc.EXE"), "Mm\\pnyp.RKR");
        assert_eq!(
            guid("{20D04FE0-3AEA-1069-A2D8-08002B30309D}"),
            [0xe0, 0x4f, 0xd0, 0x20, 0xea, 0x3a, 0x69, 0x10, 0xa2, 0xd8, 8, 0, 0x2b, 0x30, 0x30, 0x9d]
        );
        assert_eq!(sid_bytes(&[32, 544]), [1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 32, 2, 0, 0]);
    }
}
