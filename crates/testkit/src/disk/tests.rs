//! Checks built disks byte by byte; the crate `evidence` reads them as a whole.

use super::*;
use crate::ntfs::VolumeSpec;

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

#[test]
fn logical_partitions_hang_on_a_chain_of_boot_records() {
    let spec = DiskSpec::mbr(1000)
        .part(Part::bytes(63, b"primary"))
        .part(Part::bytes(200, b"first").logical())
        .part(Part::empty(300, 10).logical().kind(0x0c))
        .gap(990 * SECTOR, b"gap");
    let bytes = spec.build().unwrap().bytes();
    assert_eq!(bytes.len(), 512_000);
    assert_eq!((bytes[450], u32_at(&bytes, 454), u32_at(&bytes, 458)), (7, 63, 1));
    assert_eq!((bytes[466], u32_at(&bytes, 470), u32_at(&bytes, 474)), (0x0f, 137, 173));
    let record = &bytes[137 * 512..138 * 512];
    assert_eq!((record[450], u32_at(record, 454), u32_at(record, 458)), (7, 63, 1));
    assert_eq!((record[466], u32_at(record, 470), u32_at(record, 474)), (0x0f, 100, 73));
    let record = &bytes[237 * 512..238 * 512];
    assert_eq!(
        (record[450], u32_at(record, 454), record[466], &record[510..]),
        (0x0c, 63, 0, &[0x55, 0xaa][..])
    );
    assert_eq!((&bytes[200 * 512..][..5], &bytes[990 * 512..][..3]), (&b"first"[..], &b"gap"[..]));
}

#[test]
fn both_tables_of_a_gpt_have_their_checksums_and_name_each_other() {
    let volume = VolumeSpec::new("V").size(4 << 20).build().unwrap();
    let part = Part::volume(2048, &volume).name("Basic data partition");
    let bytes = DiskSpec::gpt(20_480).part(part).build().unwrap().bytes();
    let last = 20_479;
    for (here, other, table) in [(1, last, 2u64), (last, 1, last - 32)] {
        let at = here * 512;
        let at = usize::try_from(at).unwrap();
        let mut header = bytes[at..at + 92].to_vec();
        assert!(header.starts_with(b"EFI PART"));
        assert_eq!((u64::from(u32_at(&header, 24)), u64::from(u32_at(&header, 32))), (here, other));
        assert_eq!(u64::from(u32_at(&header, 72)), table);
        let entries = &bytes[usize::try_from(table * 512).unwrap()..][..128 * 128];
        assert_eq!(u32_at(&header, 88), crc(entries));
        let stored = u32_at(&header, 16);
        header[16..20].fill(0);
        assert_eq!(stored, crc(&header));
        assert_eq!(
            (entries[..16].to_vec(), u32_at(entries, 32), u32_at(entries, 40)),
            (BASIC_DATA.to_vec(), 2048, 10_239)
        );
    }
    assert!(bytes[2048 * 512..10_240 * 512] == volume.bytes());
}

fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    })
}

#[test]
fn partitions_that_do_not_fit_are_refused() {
    let build = |spec: DiskSpec| spec.build().map(|_| ()).unwrap_err();
    let two = DiskSpec::mbr(100).part(Part::empty(1, 10)).part(Part::empty(10, 10));
    assert!(matches!(build(two), DiskError::Overlap { index: 1, expected: 11, found: 10 }));
    let long = DiskSpec::gpt(100).part(Part::empty(34, 40));
    assert!(matches!(build(long), DiskError::Size { expected: 107, found: 100 }));
    let five = (1..6).fold(DiskSpec::mbr(100), |spec, first| spec.part(Part::empty(first, 1)));
    assert!(matches!(build(five), DiskError::Count { limit: 4, found: 5 }));
}
