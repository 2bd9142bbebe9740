//! Gives the crate two version numbers: each changes with every source that determines the content of an index.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a build script stops by panicking and speaks to cargo by printing"
)]

use std::fs;
use std::path::{Path, PathBuf};

/// Sources of the name index: readers, index, and the versions of the libraries they use.
const NAMES: [&str; 5] =
    ["../evidence/src", "src/name_index", "src/name_index.rs", "src/hive_file.rs", "../../Cargo.lock"];

/// Sources of the case tables: readers, decoders, everything that makes records.
const TABLES: [&str; 5] = ["../evidence/src", "../artifacts/src", "../ledger/src", "src", "../../Cargo.lock"];

fn main() {
    number("LOCARD_INDEX_SOURCES", &NAMES);
    number("LOCARD_TABLE_SOURCES", &TABLES);
}

fn number(variable: &str, sources: &[&str]) {
    let mut files = Vec::new();
    for source in sources {
        println!("cargo::rerun-if-changed={source}");
        collect(Path::new(source), &mut files);
    }
    files.sort();
    // FNV-1a, 64 bits: it distinguishes versions and is no defence against an attacker.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for file in files {
        let bytes = fs::read(&file).expect("a source of the workspace");
        for byte in file.to_string_lossy().bytes().chain([0]).chain(bytes).chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    println!("cargo::rustc-env={variable}={hash:016x}");
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if !path.is_dir() {
        files.push(path.to_owned());
        return;
    }
    for entry in fs::read_dir(path).expect("a folder of the workspace") {
        collect(&entry.expect("an entry of it").path(), files);
    }
}
