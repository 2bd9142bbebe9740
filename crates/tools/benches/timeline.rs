//! Cost of the timeline: making its tables and querying it, over 120,000 registry keys and 20,000 deleted files.
//!
//! Each question is a whole call: arguments, opening the tables, the search, and reading the records of the page.

#![expect(clippy::expect_used, clippy::panic, reason = "a benchmark that cannot run must stop")]

use divan::{Bencher, black_box};
use evidence::{Tree, open_directory};
use ledger::Outcome;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::sync::LazyLock;
use testkit::hive::{HiveSpec, KeySpec};
use testkit::recycle_bin::dollar_i;
use tools::{Indexes, Prepared, TABLES_FILE, TableGroup, build_tables, run_prepared};

fn main() {
    divan::main();
}

const HIVES: u64 = 4;
const FOLDERS: u64 = 100;
const KEYS: u64 = 300;
const DELETED: u64 = 20_000;

/// 2012-04-04T01:58:40Z.
const START: u64 = 129_779_783_200_000_000;
const SECOND: u64 = 10_000_000;

/// Spreads numbers over the seconds of a year, without order.
fn at(number: u64) -> u64 {
    START + number.wrapping_mul(2_654_435_761) % 31_536_000 * SECOND
}

struct Computer {
    trees: Vec<Box<dyn Tree>>,
    prepared: Prepared,
    _folder: tempfile::TempDir,
}

fn write(path: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::File::create(path).and_then(|mut file| file.write_all(bytes)).expect("room for a file");
}

fn computer() -> Computer {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path().join("evidence");
    for hive in 0..HIVES {
        let mut spec = KeySpec::new("ROOT").written(START);
        for of in 0..FOLDERS {
            let mut keys = KeySpec::new(&format!("Folder{of:03}")).written(START);
            for key in 0..KEYS {
                let number = (hive * FOLDERS + of) * KEYS + key;
                keys = keys.key(KeySpec::new(&format!("Key{number:06}")).written(at(number)));
            }
            spec = spec.key(keys);
        }
        write(&root.join(format!("C/hives/hive{hive}")), &HiveSpec::new(spec).build().bytes);
    }
    for number in 0..DELETED {
        let path = format!("C:\\Users\\ann\\Documents\\report {number}.docx");
        let name = format!("C/$Recycle.Bin/S-1-5-21-1-2-3-{}/$I{number:06}.docx", 1000 + number / 1000);
        write(&root.join(name), &dollar_i(&path, 4096, at(number)));
    }
    let trees: Vec<Box<dyn Tree>> = vec![Box::new(open_directory(&root, "disk").expect("a folder"))];
    let prepared = made_ready(&trees, folder.path());
    Computer { trees, prepared, _folder: folder }
}

/// Makes the tables of all groups, below a folder.
fn made_ready(trees: &[Box<dyn Tree>], folder: &Path) -> Prepared {
    let mut prepared = Prepared::default();
    for group in TableGroup::all() {
        let scratch = folder.join(group.name());
        std::fs::create_dir(&scratch).expect("a folder");
        build_tables(trees[0].as_ref(), &Indexes::new(), group, &[], &scratch).expect("tables");
        let files = Indexes::from([("disk".to_owned(), scratch.join(TABLES_FILE))]);
        prepared.tables.insert(group.name().to_owned(), files);
    }
    prepared
}

// The benchmarks run in one thread, one after another.
thread_local! {
    static COMPUTER: LazyLock<Computer> = LazyLock::new(computer);
}

const QUESTIONS: [&str; 6] =
    ["a_page_of_keys", "a_page_of_files", "an_hour", "a_text", "a_text_that_is_not_there", "a_histogram"];

/// Returns the tool and arguments for the question with this name.
fn question(by: &str) -> (&'static str, Value) {
    let line = |arguments| ("timeline", arguments);
    let from = "2012-10-01T00:00:00Z";
    match by {
        "a_page_of_keys" => line(json!({ "source": "registry", "from": from, "limit": 500 })),
        "a_page_of_files" => line(json!({ "source": "recycle_bin", "from": from, "limit": 500 })),
        "an_hour" => line(json!({ "from": from, "to": "2012-10-01T01:00:00Z" })),
        "a_text" => line(json!({ "text": "report 777", "source": "recycle_bin" })),
        "a_text_that_is_not_there" => line(json!({ "text": "mimikatz" })),
        "a_histogram" => ("timeline_histogram", json!({ "by": "day" })),
        other => panic!("{other}"),
    }
}

#[divan::bench(args = QUESTIONS, sample_count = 20)]
fn by_rows(bencher: Bencher<'_, '_>, by: &str) {
    COMPUTER.with(|computer| {
        let (tool, arguments) = question(by);
        let call = || {
            run_prepared(
                tool,
                black_box(&arguments),
                &computer.trees,
                &computer.prepared,
                Path::new("/nowhere"),
            )
        };
        let expected = if by == "a_text_that_is_not_there" { Outcome::Empty } else { Outcome::Ok };
        let found = call();
        assert!(found.outcome == expected, "{by}: {:?}", found.notes);
        bencher.bench_local(call);
    });
}

#[divan::bench(sample_count = 3)]
fn build(bencher: Bencher<'_, '_>) {
    COMPUTER.with(|computer| {
        bencher.bench_local(|| {
            let folder = tempfile::tempdir().expect("a temporary directory");
            made_ready(&computer.trees, folder.path())
        });
    });
}
