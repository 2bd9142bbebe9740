//! Cost of a whole call over a `$MFT` and over a change journal; the number of entries is shown with the time.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a benchmark that cannot run must stop, and says what it measured"
)]

use divan::{Bencher, black_box};
use evidence::Tree;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::sync::LazyLock;
use testkit::ntfs::{EntrySpec, VolumeSpec};
use testkit::samples::TICKS;
use testkit::usn::{Change, journal};
use tools::run;

fn main() {
    divan::main();
}

const FILES: usize = 50_000;
const CHANGES: u64 = 300_000;

struct Files {
    trees: Vec<Box<dyn Tree>>,
    _folder: tempfile::TempDir,
}

// The benchmarks run in one thread, one after another.
thread_local! {
    static FILES_OF: LazyLock<Files> = LazyLock::new(|| {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::File::create(path).unwrap().write_all(bytes).unwrap();
        };
        let path = |number: usize| format!("Users/user{}/folder {}/file-{number}.txt", number % 20, number % 2000);
        let specs = (0..FILES).map(|number| EntrySpec::file(&path(number), b"content"));
        let built = specs.fold(VolumeSpec::new("DATA").size(256 << 20), VolumeSpec::entry).build().unwrap();
        let mft = built.read_runs(&built.mft);
        let change = |number: u64| Change {
            file: (number / 4, 1),
            parent: (5, 5),
            time: TICKS + number * 1000,
            reasons: [0x100, 0x102, 0x8000_0102, 0x8000_0200][number as usize % 4],
            name: format!("file-{}.tmp", number % 5000),
        };
        let changes: Vec<_> = (0..CHANGES).map(change).collect();
        eprintln!("{} records of a $MFT, {CHANGES} of a journal behind 64 MiB of zeros", mft.len() / 1024);
        write("$MFT", &mft);
        write("$Extend/$J", &journal(0, 64 << 20, &changes));
        let tree: Box<dyn Tree> = Box::new(evidence::open_directory(folder.path(), "files").unwrap());
        Files { trees: vec![tree], _folder: folder }
    });
}

/// Returns the arguments for the question with this name.
fn question(what: &str) -> Value {
    match what {
        "mft_summary" => json!({ "record": "mft_summary" }),
        "mft_every_entry" => json!({ "source": "mft", "count_by": "extension,in_use" }),
        "mft_last_page" => json!({ "source": "mft", "offset": 49_000, "limit": 1000 }),
        "mft_one_name" => json!({ "source": "mft", "name": "*/file-49999.txt" }),
        "usn_summary" => json!({ "record": "usn_summary" }),
        "usn_every_record" => json!({ "source": "usn_journal", "count_by": "record" }),
        "usn_last_page" => json!({ "source": "usn_journal", "offset": 299_000, "limit": 1000 }),
        "usn_every_name" => json!({ "source": "usn_names", "limit": 1000 }),
        other => panic!("{other}"),
    }
}

const QUESTIONS: [&str; 8] = [
    "mft_summary",
    "mft_every_entry",
    "mft_last_page",
    "mft_one_name",
    "usn_summary",
    "usn_every_record",
    "usn_last_page",
    "usn_every_name",
];

#[divan::bench(args = QUESTIONS, sample_count = 10)]
fn call(bencher: Bencher<'_, '_>, what: &str) {
    FILES_OF.with(|files| {
        let arguments = question(what);
        let call = || run("records", black_box(&arguments), &files.trees, Path::new("/nowhere"));
        assert!(!call().records.is_empty(), "{what}: {:?}", call().notes);
        bencher.bench_local(call);
    });
}
