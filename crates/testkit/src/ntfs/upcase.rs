//! `$UpCase`: the upper case of every UTF-16 unit.

use super::attributes::le_units;

/// The upper-case table of a volume.
pub(crate) struct UpCase(Vec<u16>);

impl UpCase {
    pub(crate) fn new() -> UpCase {
        UpCase((0..=u16::MAX).map(upper).collect())
    }

    /// Converts a name to its sort key in indexes.
    pub(crate) fn fold(&self, name: &[u16]) -> Vec<u16> {
        name.iter().map(|unit| self.0[usize::from(*unit)]).collect()
    }

    /// Returns the contents of the metafile: 128 KiB.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        le_units(&self.0)
    }
}

/// Converts a name to its sort key, without a volume's table.
pub(crate) fn folded(name: &[u16]) -> Vec<u16> {
    name.iter().copied().map(upper).collect()
}

/// Applies the simple upper-case mapping of Unicode, except for letters that Windows leaves unchanged.
fn upper(unit: u16) -> u16 {
    const KEPT: [u16; 6] = [0x00b5, 0x0131, 0x017f, 0x0345, 0x03c2, 0x1fbe];
    let Some(letter) = char::from_u32(u32::from(unit)) else { return unit };
    let mut full = letter.to_uppercase();
    match (unit, full.next(), full.next()) {
        _ if KEPT.contains(&unit) => unit,
        // Greek letters with an iota subscript: their full mapping has two letters, and their simple one is the title case.
        (0x1f80..=0x1f87 | 0x1f90..=0x1f97 | 0x1fa0..=0x1fa7, ..) => unit + 8,
        (0x1fb3 | 0x1fc3 | 0x1ff3, ..) => unit + 9,
        (_, Some(one), None) => u16::try_from(u32::from(one)).unwrap_or(unit),
        _ => unit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_one_upper_case_each() {
        let table = UpCase::new();
        let fold = |text: &str| {
            let units: Vec<u16> = text.encode_utf16().collect();
            String::from_utf16_lossy(&table.fold(&units))
        };
        assert_eq!(fold("a~zé_ß\u{1f80}я"), "A~ZÉ_ß\u{1f88}Я");
        assert_eq!(table.bytes().len(), 131_072);
        assert!(!table.0.contains(&u16::from(b'a')));
    }
}
