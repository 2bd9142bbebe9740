//! CRC-32C, the checksum of VHDX ([MS-VHDX] section 2.1; Castagnoli polynomial, reflected).

const POLYNOMIAL: u32 = 0x82f6_3b78;

const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let (mut value, mut bit) = (index as u32, 0);
        while bit < 8 {
            value = if value & 1 == 1 { (value >> 1) ^ POLYNOMIAL } else { value >> 1 };
            bit += 1;
        }
        #[expect(clippy::indexing_slicing, reason = "a constant: an index out of bounds would not compile")]
        {
            table[index] = value;
        }
        index += 1;
    }
    table
}

/// Returns the checksum of `bytes`, with its own field at byte 4 counted as zeros.
pub(super) fn crc32c(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for (index, byte) in bytes.iter().enumerate() {
        let byte = if (4..8).contains(&index) { 0 } else { *byte };
        let [low, ..] = crc.to_le_bytes();
        crc = (crc >> 8) ^ TABLE.get(usize::from(low ^ byte)).copied().unwrap_or_default();
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3720, appendix B.4: 32 bytes of zeros.
    #[test]
    fn zeros_have_the_published_checksum() {
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
    }
}
