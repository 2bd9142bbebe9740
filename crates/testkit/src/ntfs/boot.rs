//! The boot sector ("$Boot"), and the header of a shadow copy catalogue.

use super::attributes::put;
use super::record::RECORD;

/// The size of a sector in bytes.
pub(crate) const SECTOR: u64 = 512;

/// The size of `$Boot` in bytes.
pub(crate) const BOOT: u64 = 8192;

/// The size of an index block in bytes.
pub(crate) const INDEX_BLOCK: usize = 4096;

/// The contents of the boot sector.
pub(crate) struct Facts {
    pub(crate) cluster: u64,
    /// The number of sectors, without that of the backup.
    pub(crate) sectors: u64,
    pub(crate) mft: u64,
    pub(crate) mirror: u64,
    pub(crate) serial: u64,
    pub(crate) hidden_sectors: u32,
}

/// Builds the first sector of a volume.
pub(crate) fn sector(facts: &Facts) -> Vec<u8> {
    let mut bytes = vec![0; 512];
    put(&mut bytes, 0, &[0xeb, 0x52, 0x90]);
    put(&mut bytes, 3, b"NTFS    ");
    put(&mut bytes, 0x0b, &512u16.to_le_bytes());
    bytes[0x0d] = sectors_per_cluster(facts.cluster);
    bytes[0x15] = 0xf8;
    put(&mut bytes, 0x18, &63u16.to_le_bytes());
    put(&mut bytes, 0x1a, &255u16.to_le_bytes());
    put(&mut bytes, 0x1c, &facts.hidden_sectors.to_le_bytes());
    put(&mut bytes, 0x24, &[0x80, 0, 0x80, 0]);
    put(&mut bytes, 0x28, &facts.sectors.to_le_bytes());
    put(&mut bytes, 0x30, &facts.mft.to_le_bytes());
    put(&mut bytes, 0x38, &facts.mirror.to_le_bytes());
    bytes[0x40] = clusters_per(RECORD as u64, facts.cluster);
    bytes[0x44] = clusters_per(INDEX_BLOCK as u64, facts.cluster);
    put(&mut bytes, 0x48, &facts.serial.to_le_bytes());
    put(&mut bytes, 510, &[0x55, 0xaa]);
    bytes
}

/// Encodes the sectors per cluster; more than 128 become a negative power of two.
fn sectors_per_cluster(cluster: u64) -> u8 {
    let sectors = cluster / SECTOR;
    match u8::try_from(sectors) {
        Ok(sectors) if sectors <= 128 => sectors,
        _ => power(sectors),
    }
}

/// Encodes the clusters of a structure; if it is smaller than a cluster, its size becomes a negative power of two.
fn clusters_per(bytes: u64, cluster: u64) -> u8 {
    match u8::try_from(bytes / cluster) {
        Ok(clusters) if clusters > 0 => clusters,
        _ => power(bytes),
    }
}

fn power(value: u64) -> u8 {
    u8::try_from(value.trailing_zeros()).unwrap_or(0).wrapping_neg()
}

/// The offset of the header of a shadow copy catalogue.
pub(crate) const SHADOW_HEADER: u64 = 0x1e00;

/// Builds the header of a shadow copy catalogue (libvshadow, "Volume Shadow Snapshot (VSS) format", section 2):
/// identifier, version 1, record type 1, its own offset, and the offset of the catalogue.
pub(crate) fn shadow_header(catalogue: u64) -> Vec<u8> {
    let mut bytes = vec![0; 512];
    let identifier: [u8; 16] =
        [0x6b, 0x87, 0x08, 0x38, 0x76, 0xc1, 0x48, 0x4e, 0xb7, 0xae, 0x04, 0x04, 0x6e, 0x6c, 0xc7, 0x52];
    put(&mut bytes, 0, &identifier);
    put(&mut bytes, 16, &1u32.to_le_bytes());
    put(&mut bytes, 20, &1u32.to_le_bytes());
    put(&mut bytes, 24, &SHADOW_HEADER.to_le_bytes());
    put(&mut bytes, 48, &catalogue.to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_and_small_sizes_are_powers_of_two() {
        assert_eq!([512, 65_536, 131_072, 2 << 20].map(sectors_per_cluster), [1, 128, 0xf8, 0xf4]);
        assert_eq!([512, 1024, 4096, 8192].map(|cluster| clusters_per(1024, cluster)), [2, 1, 0xf6, 0xf6]);
        assert_eq!([512, 4096, 8192].map(|cluster| clusters_per(4096, cluster)), [8, 1, 0xf4]);
    }
}
