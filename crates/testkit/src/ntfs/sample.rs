//! A volume with one of everything, for tests of readers.

use super::spec::{
    Content, Deleted, EntrySpec, FileTimes, Journal, JournalRecord, NtfsTimes, VolumeSpec, attribute,
};

/// 2024-03-01 12:00 UTC, in 100-ns ticks since 1601.
pub const NOON: u64 = 133_537_680_000_000_000;

/// One second, in ticks.
pub const SECOND: u64 = 10_000_000;

/// The number of entries in the folder `many`.
pub const MANY: u64 = 700;

/// Describes a volume with files of every kind of storage, links, folders large and small, and deleted entries of every kind.
///
/// It includes compressed files if the cluster size allows it; clusters of 2 MiB need a volume of about 300 MiB.
pub fn everything(size: u64, cluster: u32) -> VolumeSpec {
    let unit = usize::try_from(cluster).unwrap_or(1);
    let mut spec = VolumeSpec::new("Évidence").size(size).cluster(cluster);
    spec.journal = Some(journal());
    spec.entries = [stored(unit), named(), deleted(unit)].concat();
    if cluster <= 4096 {
        spec.entries.extend(compressed());
    }
    spec.entries.extend((0..MANY).map(|number| {
        let path = format!("many/{number:03} a rather long name of a file.txt");
        EntrySpec::file(&path, format!("file {number}").as_bytes()).times(NtfsTimes::all(NOON + number))
    }));
    spec
}

/// Returns bytes that are unique to the seed and not compressible.
pub fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend(state.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

/// Returns compressible text.
pub fn text(length: usize) -> Vec<u8> {
    let lines = (0u32..).flat_map(|n| format!("{n:06} the quick brown fox\r\n").into_bytes());
    lines.take(length).collect()
}

fn eight() -> NtfsTimes {
    let four = |base: u64| FileTimes {
        born: base,
        modified: base + SECOND,
        changed: base + 2 * SECOND + 1_234_567,
        accessed: base + 3 * SECOND,
    };
    NtfsTimes { standard_information: four(NOON), file_name: four(NOON + 3600 * SECOND) }
}

fn stored(unit: usize) -> Vec<EntrySpec> {
    let parts = vec![
        (0, noise(1, 100)),
        (5 * unit as u64 + 7, noise(2, 2 * unit)),
        (9 * unit as u64, b"end".to_vec()),
    ];
    let half = noise(7, unit + 5);
    vec![
        EntrySpec::file("empty", b""),
        EntrySpec::file("Users/mara/notes.txt", b"resident").times(eight()),
        EntrySpec::file("Users/mara/report.pdf", &noise(3, 70_001))
            .stream("Zone.Identifier", b"[ZoneTransfer]\r\nZoneId=3\r\n")
            .stream("large", &noise(4, 5000)),
        EntrySpec::file("Users/mara/pieces.bin", &noise(5, 20 * unit - 3)).extents(20),
        EntrySpec::file("Users/mara/listed.bin", &noise(6, 12 * unit)).extents(12).attribute_list(),
        EntrySpec::file("Users/mara/sparse.bin", b"")
            .content(Content::Sparse { size: 40 * unit as u64 + 1, parts }),
        EntrySpec::file("Users/mara/half.bin", b"").content(Content::Uninitialised {
            bytes: half,
            size: 4 * unit as u64,
            behind: vec![0xee; unit],
        }),
    ]
}

fn compressed() -> Vec<EntrySpec> {
    let mixed = [text(80_000), noise(8, 70_000), vec![0; 200_000], text(3_000)].concat();
    vec![
        EntrySpec::file("packed/mixed.log", b"").content(Content::Compressed(mixed)),
        EntrySpec::file("packed/small.log", b"").content(Content::Compressed(text(300_000))).extents(2),
        EntrySpec::file("packed/units.log", b"").content(Content::Compressed(text(131_072))),
    ]
}

fn named() -> Vec<EntrySpec> {
    let mut old = EntrySpec::directory("Users").times(eight());
    old.streams.push(("folder".to_owned(), Content::Bytes(b"stream of a folder".to_vec())));
    vec![
        old,
        EntrySpec::file("Users/mara/A long name.text", b"short too")
            .dos_name("ALONGN~1.TEX")
            .attributes(attribute::HIDDEN | attribute::READ_ONLY),
        EntrySpec::file("Users/mara/linked.txt", b"three names")
            .hard_link("Users/other name.txt")
            .hard_link("links/again.txt"),
        EntrySpec::symlink("links/relative", r"..\Users\mara\notes.txt"),
        EntrySpec::symlink("links/absolute", r"C:\Users\mara\notes.txt"),
        EntrySpec::junction("links/junction", r"C:\Users"),
        EntrySpec::file("Ünïcödé/ÅÄÖ 文件 \u{1f600}.txt", b"names beyond ASCII"),
        EntrySpec::directory("hollow"),
    ]
}

fn deleted(unit: usize) -> Vec<EntrySpec> {
    let reused = |path: &str| EntrySpec::file(path, b"a later file");
    vec![
        EntrySpec::file("Users/mara/gone.bin", &noise(9, 3 * unit + 9))
            .deleted(Deleted::Recoverable)
            .times(eight()),
        EntrySpec::file("Users/mara/gone small.txt", b"resident and deleted")
            .deleted(Deleted::Recoverable)
            .stream("hidden", b"a stream of a deleted file")
            .stale(),
        EntrySpec::file("Users/mara/gone pieces.bin", &noise(10, 9 * unit))
            .extents(9)
            .attribute_list()
            .deleted(Deleted::Recoverable),
        EntrySpec::file("overwritten.bin", &noise(11, 4 * unit))
            .deleted(Deleted::Overwritten { by: "writer.bin".to_owned() }),
        EntrySpec::file("writer.bin", &noise(12, 3 * unit)),
        EntrySpec::file("old/folder/orphan.bin", &noise(13, 2 * unit))
            .deleted(Deleted::Orphan { by: "later.txt".to_owned() }),
        reused("later.txt"),
        EntrySpec::directory("gone folder").deleted(Deleted::Recoverable),
        EntrySpec::file("gone folder/inside.txt", b"in a deleted folder").deleted(Deleted::Recoverable),
    ]
}

fn journal() -> Journal {
    let record = |path: &str, seconds: u64, reason| JournalRecord {
        path: path.to_owned(),
        name: None,
        time: NOON + seconds * SECOND,
        reason,
    };
    let mut records = vec![
        record("Users/mara/report.pdf", 0, 0x100),
        record("Users/mara/report.pdf", 1, 0x8000_0102),
        record("Users/mara/gone.bin", 2, 0x8000_0200),
    ];
    // The old and the new name in a rename.
    records.push(JournalRecord {
        name: Some("draft.txt".to_owned()),
        ..record("Users/mara/notes.txt", 3, 0x1000)
    });
    records.extend((4..200).map(|seconds| record("Users/mara/notes.txt", seconds, 0x2000)));
    Journal { id: NOON, first: 1 << 20, records }
}
