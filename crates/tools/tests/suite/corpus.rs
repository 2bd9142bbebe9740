//! Replays the inputs that fuzzing kept because they reached new code.

use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use testkit::samples::samples;
use tools::{decode_bytes, decoders, run};

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}

#[test]
fn what_fuzzing_kept_is_read_without_a_panic() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let samples = samples();
    let mut read = 0;
    for folder in entries(&corpus) {
        let target = folder.file_name().unwrap().to_str().unwrap();
        for input in entries(&folder) {
            let (bytes, scratch) = (fs::read(&input).unwrap(), tempfile::tempdir().unwrap());
            if target == "hive" {
                let path = "Windows/System32/config/SYSTEM";
                let file = evidence::EvidencePath::parse(path).unwrap();
                let tree = evidence::memory_tree("memory", [(file, bytes.into())]);
                let trees: [Box<dyn evidence::Tree>; 1] = [Box::new(tree)];
                // As the fuzz target does (`fuzz/src/lib.rs`).
                let asked = json!({ "hive": path, "text": "e", "in": "any", "limit": 1000 });
                run("search_registry", &asked, &trees, scratch.path());
                run("deleted_registry", &json!({ "hive": path, "limit": 1000 }), &trees, scratch.path());
            } else {
                assert!(decoders().contains(&target), "{target}");
                let path =
                    samples.iter().find(|sample| sample.decoder == target).map_or("file", |it| it.path);
                decode_bytes(target, path, &bytes, scratch.path());
            }
            read += 1;
        }
    }
    assert!(read > 100, "{read}");
}
