//! Names as Windows stores, sorts and hashes them.

/// Returns the bytes of a name, and whether they are Latin-1 ("compressed") rather than UTF-16LE.
pub(crate) fn stored(name: &[u16]) -> (Vec<u8>, bool) {
    let latin: Option<Vec<u8>> = name.iter().map(|unit| u8::try_from(*unit).ok()).collect();
    match latin {
        Some(bytes) => (bytes, true),
        None => (name.iter().flat_map(|unit| unit.to_le_bytes()).collect(), false),
    }
}

/// Returns the sort key of a subkey: its UTF-16 units in upper case.
pub(crate) fn folded(name: &[u16]) -> Vec<u16> {
    name.iter().map(|unit| upper(*unit)).collect()
}

/// Returns the hash of a name in a hash leaf (section "Hash leaf").
pub(crate) fn hash(name: &[u16]) -> u32 {
    folded(name).iter().fold(0, |hash: u32, unit| hash.wrapping_mul(37).wrapping_add(u32::from(*unit)))
}

/// Returns the first four characters of a name for a fast leaf, or zeros if the name is not Latin-1.
pub(crate) fn hint(name: &[u16]) -> [u8; 4] {
    let (bytes, latin) = stored(name);
    let mut hint = [0; 4];
    if latin {
        for (slot, byte) in hint.iter_mut().zip(bytes) {
            *slot = byte;
        }
    }
    hint
}

/// Converts to upper case like Windows: unit by unit, never changing the number of units.
/// Three letters that Unicode maps into or out of the first 256 code points stay unchanged.
fn upper(unit: u16) -> u16 {
    const KEPT: [u16; 3] = [0x00B5, 0x0131, 0x017F];
    let Some(letter) = char::from_u32(u32::from(unit)) else { return unit };
    let mut mapped = letter.to_uppercase();
    match (mapped.next(), mapped.next()) {
        (Some(one), None) if !KEPT.contains(&unit) => u16::try_from(u32::from(one)).unwrap_or(unit),
        _ => unit,
    }
}
