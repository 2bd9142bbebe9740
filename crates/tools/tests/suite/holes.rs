//! Files with holes: skipping what is not stored anywhere gives the same result as reading zeros.

use crate::name_index::write;
use evidence::{Tree, open_directory};
use serde_json::json;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use testkit::samples::{Sample, samples};
use tools::{Return, run};

/// The size of a hole in bytes: more than the largest piece that is read at once.
const HOLE: u64 = 3 << 20;

fn sample(name: &str) -> Sample {
    samples().into_iter().find(|sample| sample.path.ends_with(name)).unwrap()
}

/// Returns what `parse_file` says of the file and of its hole; with `before`, the hole precedes the file's bytes, else it follows them.
fn parsed(root: &Path, path: &str, bytes: &[u8], before: bool, stored: bool) -> Return {
    let (folder, file) = (root.join(if stored { "stored" } else { "hole" }), Path::new(path));
    let whole = folder.join(file);
    std::fs::create_dir_all(whole.parent().unwrap()).unwrap();
    let zeros = vec![0; HOLE as usize];
    if stored {
        write(&whole, &if before { [&zeros, bytes].concat() } else { [bytes, &zeros].concat() });
    } else {
        let mut file = File::create(&whole).unwrap();
        file.set_len(HOLE + bytes.len() as u64).unwrap();
        file.seek(SeekFrom::Start(if before { HOLE } else { 0 })).unwrap();
        file.write_all(bytes).unwrap();
    }
    let trees: Vec<Box<dyn Tree>> = vec![Box::new(open_directory(&folder, "files").unwrap())];
    let scratch = tempfile::tempdir().unwrap();
    run("parse_file", &json!({ "path": path }), &trees, scratch.path())
}

#[test]
fn a_hole_is_read_as_the_zeros_that_it_stands_for() {
    for (name, before) in
        [("$J", true), ("$J", false), ("Security.evtx", false), ("$MFT", false), ("SecEvent.Evt", false)]
    {
        let (home, sample) = (tempfile::tempdir().unwrap(), sample(name));
        let of = |stored| parsed(home.path(), sample.path, &sample.bytes, before, stored);
        let (hole, stored) = (of(false), of(true));
        assert!(!hole.records.is_empty(), "{name}: {hole:?}");
        assert_eq!(hole, stored, "{name}, the hole before it: {before}");
    }
}

#[test]
fn a_hive_with_a_hole_behind_it_is_as_long_as_its_file_and_reads_the_same() {
    let (path, hive) = testkit::artifact_hives::files().swap_remove(5);
    let keys = |stored| {
        let home = tempfile::tempdir().unwrap();
        parsed(home.path(), path, &hive, false, stored);
        let folder = home.path().join(if stored { "stored" } else { "hole" });
        let trees: Vec<Box<dyn Tree>> = vec![Box::new(open_directory(&folder, "files").unwrap())];
        let arguments = json!({ "hive": path, "key": "", "depth": 3 });
        let keys = run("parse_registry_key", &arguments, &trees, home.path());
        // The listing gives the size of the file.
        (keys, run("list_hives", &json!({}), &trees, home.path()))
    };
    let (hole, stored) = (keys(false), keys(true));
    assert!(!hole.0.records.is_empty() && !hole.1.records.is_empty(), "{hole:?}");
    assert_eq!(hole, stored);
}
