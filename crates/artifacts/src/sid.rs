//! Security identifiers in their binary form ([MS-DTYP] 2.4.2.2).

use crate::fields::{Located, bytes, u32_at};

/// The most sub-authorities of a SID.
const MOST: u8 = 15;

/// Returns the SID that begins at `at`, as text ([MS-DTYP] 2.4.2.1); `None` if there is no SID of revision 1.
pub fn sid(data: &[u8], at: usize) -> Option<Located<String>> {
    let [revision, count, authority @ ..] = bytes(data, at, 8)? else { return None };
    if *revision != 1 || *count > MOST {
        return None;
    }
    let length = 8 + usize::from(*count) * 4;
    bytes(data, at, length)?;
    let authority = authority.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
    // Authorities of more than 32 bits are written in hexadecimal.
    let mut text = match u32::try_from(authority) {
        Ok(authority) => format!("S-1-{authority}"),
        Err(_) => format!("S-1-{authority:#014x}"),
    };
    for index in 0..usize::from(*count) {
        text.push_str(&format!("-{}", u32_at(data, at + 8 + index * 4)?));
    }
    Some(Located::new(text, at, length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_sid_is_read_with_its_length() {
        let administrators = [1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 32, 2, 0, 0, 9];
        assert_eq!(sid(&administrators, 0), Some(Located::new("S-1-5-32-544".to_owned(), 0, 16)));
        assert_eq!(sid(&administrators[..15], 0), None);
        assert_eq!(sid(&[2, 0, 0, 0, 0, 0, 0, 5], 0), None);
        assert_eq!(sid(&[1, 16, 0, 0, 0, 0, 0, 5], 0), None);
    }

    #[test]
    fn an_authority_above_32_bits_is_hexadecimal() {
        let large = [1, 0, 1, 0, 0, 0, 0, 0];
        assert_eq!(sid(&large, 0).unwrap().value, "S-1-0x010000000000");
    }

    proptest! {
        #[test]
        fn nothing_panics(data in proptest::collection::vec(any::<u8>(), 0..80), at in any::<usize>()) {
            let _ = sid(&data, at);
            if let Some(found) = sid(&data, at % 8) {
                prop_assert!(found.offset + found.length <= data.len());
            }
        }
    }
}
