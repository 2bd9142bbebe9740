//! The checksum of metadata: CRC-32C (Castagnoli) as in the kernel, without the final inversion ("Checksums").

const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0x82f6_3b78 } else { crc >> 1 };
            bit += 1;
        }
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler, for 0 to 255")]
        {
            table[byte] = crc;
        }
        byte += 1;
    }
    table
}

/// Continues from `seed` over `bytes`.
pub(super) fn crc32c(seed: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(seed, |crc, byte| {
        let index = usize::from((crc as u8) ^ byte);
        (crc >> 8) ^ TABLE.get(index).copied().unwrap_or(0)
    })
}

/// The same, with zeros in place of the `length` bytes at `at`, where the checksum itself is stored.
pub(super) fn crc32c_without(seed: u32, bytes: &[u8], at: usize, length: usize) -> u32 {
    let (before, rest) = bytes.split_at_checked(at).unwrap_or((bytes, &[]));
    let gap = rest.len().min(length);
    let zeros = crc32c(crc32c(seed, before), [0; 4].get(..gap).unwrap_or_default());
    crc32c(zeros, rest.get(gap..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_the_published_catalogue_comes_out() {
        assert_eq!(!crc32c(u32::MAX, b"123456789"), 0xe306_9283);
        assert_eq!(!crc32c_without(u32::MAX, b"12\x07\x0756", 2, 2), !crc32c(u32::MAX, b"12\0\x0056"));
    }
}
