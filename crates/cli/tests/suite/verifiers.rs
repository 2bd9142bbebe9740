//! `locard verify` and `scripts/verify.py` share no code and have the same findings; `cargo xtask two-verifiers` checks this
//! for many more copies.

use crate::support::{Place, demo_file, program};
use std::path::Path;
use std::process::Command;
use testkit::two_verifiers::{Campaign, Programs, campaign};

/// Whether there is a Python whose SQLite can read strict tables.
#[expect(clippy::disallowed_methods, reason = "the test starts another program")]
fn has_python() -> bool {
    let asked =
        "import sqlite3, sys; sys.exit(sys.version_info < (3, 9) or sqlite3.sqlite_version_info < (3, 37))";
    Command::new("python3").args(["-c", asked]).output().is_ok_and(|output| output.status.success())
}

#[test]
fn two_verifiers_find_the_same_in_tampered_copies() {
    if !has_python() {
        println!("there is no python3 (3.9, SQLite 3.37) here: nothing was tested");
        return;
    }
    let place = Place::new();
    let sam = "Windows/System32/config/SAM";
    place.file(&format!("host/C/{sam}"), demo_file(sam));
    place.locard_ends(0, &["run", "host", "--agent", "registry", "--no-sweep"]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/verify.py");
    let programs = Programs { locard: program(), python: "python3".into(), script };
    let (runs, copies) = (vec![place.only_run()], place.path("copies"));
    let mut said = Vec::new();
    let asked = Campaign { programs, runs, times: 1, every: 4, seed: 11, place: copies };
    let total = campaign(&asked, &mut |line| said.push(line)).unwrap();
    assert_eq!((total.disagreements, total.missed), (0, 0), "{}", said.join("\n"));
    assert!(total.copies > 20, "{total:?}");
}
