//! Lists the files of `data/records`, so that a new file needs no code.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a build script stops by panicking, reads what cargo tells it, and writes for the compiler"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const FOLDER: &str = "data/records";

fn main() {
    println!("cargo::rerun-if-changed={FOLDER}");
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where the crate is"));
    let folder = root.join(FOLDER);
    let mut files: Vec<_> = fs::read_dir(&folder)
        .expect("the folder is part of the crate")
        .map(|entry| entry.expect("a file of the crate").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort();
    let mut list = String::from("&[\n");
    for file in &files {
        let name = file.file_stem().map(Path::new).expect("a name").display();
        writeln!(list, "    (\"{name}\", include_str!({:?})),", file.display().to_string()).expect("memory");
    }
    list.push(']');
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo says where to write"));
    fs::write(out.join("records.in"), list).expect("the folder of the build can be written");
}
