//! One good file of each format that is decoded: what tests, mutations and fuzz targets begin with.

use crate::info2::{self, Entry};
use crate::ntfs::{Deleted, EntrySpec, FileTimes, NtfsTimes, VolumeSpec};
use crate::recycle_bin;
use crate::usn::{self, Change};

/// The time that samples carry: 2012-04-04T01:58:40.8392490Z.
pub const TICKS: u64 = 129_779_783_208_392_490;

/// A file as it stands on a Windows volume.
pub struct Sample {
    /// The decoder that reads it.
    pub decoder: &'static str,
    /// Its path from the root of the volume.
    pub path: &'static str,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// At least one for each decoder, sorted by decoder.
pub fn samples() -> Vec<Sample> {
    let sample = |decoder, path, bytes| Sample { decoder, path, bytes };
    vec![
        sample(
            "hosts",
            "Windows/System32/drivers/etc/hosts",
            b"# comment\r\n127.0.0.1 localhost\r\n10.0.0.7\tupdate.example www.update.example # here\r\n"
                .to_vec(),
        ),
        sample("info2", "RECYCLER/S-1-5-21-1-2-3-1003/INFO2", info2()),
        sample("mft", "$MFT", mft()),
        sample(
            "recycle_bin",
            "$Recycle.Bin/S-1-5-21-1-2-3-1001/$IA1B2C3.txt",
            recycle_bin::dollar_i("C:\\Users\\ann\\old notes.txt", 4096, TICKS),
        ),
        sample("usn_journal", "$Extend/$J", journal()),
    ]
}

fn info2() -> Vec<u8> {
    let entry = |path: &str, index, emptied| Entry {
        path: path.to_owned(),
        index,
        deleted: TICKS,
        size: 4096,
        emptied,
    };
    info2::info2(&[entry("C:\\old\\plan.txt", 1, false), entry("C:\\old\\gone.txt", 2, true)])
}

/// The `$MFT` of a small volume: a folder, files with streams, links and times that were set, deleted ones.
pub fn mft() -> Vec<u8> {
    let set = NtfsTimes {
        standard_information: FileTimes { changed: TICKS, ..FileTimes::all(125_911_584_000_000_000) },
        file_name: FileTimes::all(TICKS),
    };
    let built = VolumeSpec::new("DATA")
        .size(8 << 20)
        .entry(
            EntrySpec::file("Users/ann/notes.txt", b"plain")
                .stream("Zone.Identifier", b"[ZoneTransfer]\r\nZoneId=3\r\n"),
        )
        .entry(EntrySpec::file("Users/ann/linked.txt", b"one").hard_link("Users/other.txt"))
        .entry(EntrySpec::file("Users/ann/tool.exe", b"MZ").times(set))
        .entry(EntrySpec::file("Users/ann/gone.doc", b"a small one").deleted(Deleted::Recoverable))
        .build();
    built.map(|built| built.read_runs(&built.mft)).unwrap_or_default()
}

/// A journal: a file that is made, renamed and deleted, behind a page of zeros.
fn journal() -> Vec<u8> {
    let steps = [(0x100, "new.tmp"), (0x8000_0100, "new.tmp"), (0x1000, "new.tmp"), (0x2000, "tool.exe")];
    let more =
        [(0x8000_2000, "tool.exe"), (0x2, "tool.exe"), (0x8000_0002, "tool.exe"), (0x8000_0200, "tool.exe")];
    let change = |(number, (reasons, name)): (u64, (u32, &str))| Change {
        file: (70, 2),
        parent: (5, 5),
        time: TICKS + number * 10_000_000,
        reasons,
        name: name.to_owned(),
    };
    let changes: Vec<_> = (0..).zip(steps.into_iter().chain(more)).map(change).collect();
    usn::journal(8192, 4096, &changes)
}
