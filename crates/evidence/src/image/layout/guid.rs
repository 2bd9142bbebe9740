//! GUIDs as partition tables store them (UEFI appendix A; [MS-DTYP] 2.3.4.2).

use std::fmt;

/// A GUID, displayed in the usual form: 8-4-4-4-12 hex digits, of which the first three groups are stored
/// little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Guid([u8; 16]);

impl Guid {
    /// Returns the GUID stored in these bytes; `None` for all zeros, which mean no GUID.
    pub fn stored(bytes: [u8; 16]) -> Option<Guid> {
        (bytes != [0; 16]).then_some(Guid(bytes))
    }

    /// Returns the GUID stored at byte `at`.
    pub(super) fn at(bytes: &[u8], at: usize) -> Option<Guid> {
        Guid::stored(bytes.get(at..at.checked_add(16)?)?.try_into().ok()?)
    }
}

impl fmt::Display for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, f0, g, h, i, j, rest @ ..] = self.0;
        let first = u32::from_le_bytes([a, b, c, d]);
        let (second, third) = (u16::from_le_bytes([e, f0]), u16::from_le_bytes([g, h]));
        write!(f, "{first:08X}-{second:04X}-{third:04X}-{i:02X}{j:02X}-")?;
        rest.iter().try_for_each(|byte| write!(f, "{byte:02X}"))
    }
}

#[cfg(test)]
mod tests {
    use super::Guid;

    #[test]
    fn the_first_three_groups_are_stored_little_endian() {
        // The EFI system partition as UEFI 5.3.3 writes it, and its bytes on a medium.
        let bytes = *b"\x28\x73\x2a\xc1\x1f\xf8\xd2\x11\xba\x4b\x00\xa0\xc9\x3e\xc9\x3b";
        assert_eq!(Guid::stored(bytes).unwrap().to_string(), "C12A7328-F81F-11D2-BA4B-00A0C93EC93B");
        assert_eq!(Guid::stored([0; 16]), None);
    }
}
