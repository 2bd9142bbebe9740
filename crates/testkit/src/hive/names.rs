//! Names as Windows stores, sorts and hashes them.

/// Bytes of a name and whether they are Latin-1 ("compressed") or UTF-16LE.
pub(crate) fn stored(name: &[u16]) -> (Vec<u8>, bool) {
    let latin: Option<Vec<u8>> = name.iter().map(|unit| u8::try_from(*unit).ok()).collect();
    match latin {
        Some(bytes) => (bytes, true),
        None => (name.iter().flat_map(|unit| unit.to_le_bytes()).collect(), false),
    }
}

/// The key by which subkeys are sorted: upper-cased UTF-16 units.
pub(crate) fn folded(name: &[u16]) -> Vec<u16> {
    name.iter().map(|unit| upper(*unit)).collect()
}

/// The hash of a name in a hash leaf (section "Hash leaf").
pub(crate) fn hash(name: &[u16]) -> u32 {
    folded(name).iter().fold(0, |hash: u32, unit| hash.wrapping_mul(37).wrapping_add(u32::from(*unit)))
}

/// The first four characters of a name in a fast leaf; zeros where the name is not Latin-1.
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

/// Windows upper-cases unit by unit and never changes the number of units;
/// three letters that Unicode maps into or out of the first 256 keep their form there.
fn upper(unit: u16) -> u16 {
    const KEPT: [u16; 3] = [0x00B5, 0x0131, 0x017F];
    let Some(letter) = char::from_u32(u32::from(unit)) else { return unit };
    let mut mapped = letter.to_uppercase();
    match (mapped.next(), mapped.next()) {
        (Some(one), None) if !KEPT.contains(&unit) => u16::try_from(u32::from(one)).unwrap_or(unit),
        _ => unit,
    }
}
