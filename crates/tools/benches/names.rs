//! Cost of finding names among a million, with the index and by walking.
//!
//! Each lookup is a whole call of `find_files`: arguments, opening the index, the search, and the records of the hits.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a benchmark that cannot run must stop, and says what it measured"
)]

#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../tests/suite/memory_tree.rs"]
mod memory_tree;

use divan::{Bencher, black_box};
use evidence::Tree;
use ledger::Outcome;
use memory_tree::MemoryTree;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::sync::LazyLock;
use tools::{Indexes, build_index, run, run_indexed};

fn main() {
    divan::main();
}

const ENTRIES: usize = 1_000_000;

/// Words for names of two words and a number, most of them different, as in component stores and caches.
const WORDS: [&str; 16] = [
    "Microsoft",
    "Windows",
    "Kernel",
    "Update",
    "Setup",
    "Common",
    "Cache",
    "Driver",
    "Report",
    "Network",
    "System",
    "Shell",
    "Media",
    "Provider",
    "Package",
    "Policy",
];

/// How many of ten thousand entries have each extension.
const EXTENSIONS: [(&str, u64); 12] = [
    ("dll", 2400),
    ("manifest", 1800),
    ("mui", 1200),
    ("exe", 600),
    ("sys", 200),
    ("cat", 1000),
    ("xml", 600),
    ("png", 600),
    ("js", 600),
    ("txt", 400),
    ("lnk", 100),
    ("evtx", 1),
];

/// Makes a disk of a million entries: 40,000 folders on seven levels, 719,194 different names.
fn disk() -> MemoryTree {
    let mut tree = MemoryTree::new("disk", true);
    let mut state: u64 = 0x2545_f491_4f6c_dd1d;
    let mut next = |bound: u64| {
        // Xorshift: the same disk every time.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % bound
    };
    let mut folders = vec![0];
    let users = tree.add(0, "Users", None);
    for user in 0..20 {
        let home = tree.add(users, &format!("user{user}"), None);
        tree.add(home, "NTUSER.DAT", Some(1 << 20));
        folders.push(home);
    }
    while folders.len() < 40_000 {
        let parent = folders[next(folders.len() as u64 / 8 + 1) as usize];
        let name = format!("{}-{}", WORDS[next(16) as usize], folders.len());
        folders.push(tree.add(parent, &name, None));
    }
    while tree.len() <= ENTRIES {
        let parent = folders[next(folders.len() as u64) as usize];
        let mut of = next(10_000);
        let extension = EXTENSIONS.iter().find(|(_, share)| {
            let chosen = of < *share;
            of = of.saturating_sub(*share);
            chosen
        });
        let extension = extension.map_or(String::new(), |(extension, _)| format!(".{extension}"));
        let (first, second) = (WORDS[next(16) as usize], WORDS[next(16) as usize]);
        let name = match next(10) {
            // The same few names again and again, in mixed case.
            0..3 => format!("{}{}{extension}", first.to_lowercase(), next(40)),
            _ => format!("{first}-{second}.{:06}{extension}", next(700_000)),
        };
        tree.add(parent, &name, Some(next(1 << 20)));
    }
    tree.seal();
    tree
}

struct Disk {
    trees: Vec<Box<dyn Tree>>,
    indexes: Indexes,
    _folder: tempfile::TempDir,
}

// The benchmarks run in one thread, one after another.
thread_local! {
    static DISK: LazyLock<Disk> = LazyLock::new(|| {
        let trees: Vec<Box<dyn Tree>> = vec![Box::new(disk())];
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("names");
        let built = build_index(trees[0].as_ref()).expect("an index");
        let mut file = std::fs::File::create(&path).expect("a file");
        file.write_all(&built.bytes).expect("room for it");
        eprintln!("the index of {} entries has {} bytes", built.entries, built.bytes.len());
        Disk { trees, indexes: Indexes::from([("disk".to_owned(), path)]), _folder: folder }
    });
}

/// Returns the arguments for the question with this name.
fn question(by: &str) -> Value {
    match by {
        "a_name" => json!({ "name": "ntuser.dat" }),
        "a_name_that_is_not_there" => json!({ "name": "mimikatz.exe" }),
        "an_extension" => json!({ "extension": "evtx" }),
        "a_frequent_extension" => json!({ "extension": "dll", "limit": 100 }),
        "a_glob" => json!({ "name": "shell-*.01*.exe" }),
        "a_glob_of_the_middle" => json!({ "name": "*t-kernel.01*" }),
        "a_part_of_the_path" => json!({ "name": "**/user7/**", "limit": 100 }),
        "a_page_of_1000" => json!({ "name": "**/user7/**" }),
        "a_path" => json!({ "name": "/Users/*/NTUSER.DAT" }),
        "a_folder_and_an_extension" => json!({ "under": "Users/user7", "extension": "evtx" }),
        other => panic!("{other}"),
    }
}

const QUESTIONS: [&str; 10] = [
    "a_name",
    "a_name_that_is_not_there",
    "an_extension",
    "a_frequent_extension",
    "a_glob",
    "a_glob_of_the_middle",
    "a_part_of_the_path",
    "a_page_of_1000",
    "a_path",
    "a_folder_and_an_extension",
];

fn check(by: &str, found: &tools::Return) {
    let expected = if by == "a_name_that_is_not_there" { Outcome::Empty } else { Outcome::Ok };
    assert!(found.outcome == expected, "{by}: {:?}", found.notes);
}

#[divan::bench(args = QUESTIONS, sample_count = 100)]
fn by_index(bencher: Bencher<'_, '_>, by: &str) {
    DISK.with(|disk| {
        let arguments = question(by);
        let call = || {
            run_indexed(
                "find_files",
                black_box(&arguments),
                &disk.trees,
                &disk.indexes,
                Path::new("/nowhere"),
            )
        };
        check(by, &call());
        bencher.bench_local(call);
    });
}

#[divan::bench(args = QUESTIONS, sample_count = 3)]
fn by_walking(bencher: Bencher<'_, '_>, by: &str) {
    DISK.with(|disk| {
        let arguments = question(by);
        let call = || run("find_files", black_box(&arguments), &disk.trees, Path::new("/nowhere"));
        check(by, &call());
        bencher.bench_local(call);
    });
}

#[divan::bench(sample_count = 3)]
fn build(bencher: Bencher<'_, '_>) {
    DISK.with(|disk| bencher.bench_local(|| build_index(disk.trees[0].as_ref()).expect("an index")));
}
