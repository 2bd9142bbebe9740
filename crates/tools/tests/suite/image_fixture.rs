//! A disk image made for the tests: an MBR, an NTFS partition, text between partitions.

use evidence::{Tree, open_image};
use std::path::Path;
use std::sync::LazyLock;
use testkit::ntfs::{Built, Content, Deleted, EntrySpec, FileTimes, NtfsTimes, VolumeSpec};

const SECTOR: usize = 512;
const VOLUME: usize = 1 << 20;

/// The offset of the first partition.
pub(crate) const FIRST: u64 = VOLUME as u64;

/// The offset of text outside of partitions.
pub(crate) const BETWEEN: usize = 40 * SECTOR;

pub(crate) const NOTES: &str = "p1/Users/mara/notes.txt";
pub(crate) const STOMPED: &str = "p1/Users/mara/tool.exe";

/// The FILETIMEs of 2019-03-01T00:00:00Z and 2024-01-01T10:20:30.1234567Z.
pub(crate) const SET: u64 = 131_958_720_000_000_000;
pub(crate) const NAMED: u64 = 133_485_780_301_234_567;

pub(crate) fn volume() -> Built {
    let stomped = NtfsTimes {
        standard_information: FileTimes { changed: NAMED, ..FileTimes::all(SET) },
        file_name: FileTimes::all(NAMED),
    };
    let gone = [&b"the plan that was thrown away\r\n"[..], &[b'.'; 9000]].concat();
    VolumeSpec::new("DATA")
        .size(8 << 20)
        .entry(EntrySpec::file("Windows/System32/kernel.txt", b"a system file"))
        .entry(
            EntrySpec::file("Users/mara/notes.txt", b"plain notes\r\nsecond line\r\n")
                .stream("Zone.Identifier", b"[ZoneTransfer]\r\nZoneId=3\r\n")
                .stream("hidden.txt", b"first hidden line\r\nsecond hidden line\r\n"),
        )
        .entry(EntrySpec::file("Users/mara/linked.txt", b"one").hard_link("Users/mara/other.txt"))
        .entry(EntrySpec::file("Users/mara/tool.exe", b"MZ and more").times(stomped))
        .entry(EntrySpec::file("Users/mara/plan.txt", &gone).deleted(Deleted::Recoverable))
        .entry(EntrySpec::file("Users/mara/small.doc", b"a small one").deleted(Deleted::Recoverable))
        .entry(
            EntrySpec::file("Users/mara/lost.txt", &[b'l'; 9000])
                .deleted(Deleted::Overwritten { by: "Users/mara/newer.bin".to_owned() }),
        )
        .entry(
            EntrySpec::file("Users/mara/newer.bin", b"")
                .content(Content::Clusters([b"newer-content-".repeat(700)].concat())),
        )
        .build()
        .unwrap()
}

/// Makes the image: boot record, text at [`BETWEEN`], the volume from [`FIRST`] on, then 64 KiB outside of partitions.
pub(crate) fn bytes(volume: &[u8]) -> Vec<u8> {
    let mut image = vec![0; VOLUME];
    image[440..444].copy_from_slice(&[0x78, 0x56, 0x34, 0x12]);
    image[446] = 0x80;
    image[446 + 4] = 0x07;
    image[446 + 8..446 + 12].copy_from_slice(&((VOLUME / SECTOR) as u32).to_le_bytes());
    image[446 + 12..446 + 16].copy_from_slice(&((volume.len() / SECTOR) as u32).to_le_bytes());
    image[510..512].copy_from_slice(&[0x55, 0xaa]);
    let text = b"left between partitions";
    image[BETWEEN..BETWEEN + text.len()].copy_from_slice(text);
    image.extend_from_slice(volume);
    image.resize(image.len() + (64 << 10), 0);
    image
}

static IMAGE: LazyLock<Vec<u8>> = LazyLock::new(|| bytes(&volume().bytes()));

/// Opens the image, with the label `image`.
pub(crate) fn open(folder: &Path) -> Box<dyn Tree> {
    crate::fixture::write(folder, "disk.dd", &IMAGE);
    Box::new(open_image(&folder.join("disk.dd"), "image").unwrap())
}
