//! The timeline over prepared tables, over those that a call makes itself, and compared with what was planted.

use crate::fixture::{TICKS, text, write};
use crate::timeline::Image;
use evidence::{Tree, open_directory};
use ledger::{Completeness, Outcome, Time};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use testkit::hive::{HiveSpec, KeySpec, ValueSpec};
use testkit::recycle_bin::dollar_i;
use tools::{Indexes, Prepared, Return, TABLES_FILE, TableGroup, build_tables, run_prepared};

const SECOND: u64 = 10_000_000;
const BIN: &str = "C/$Recycle.Bin/S-1-5-21-1-2-3-1001";

/// A computer with two hives and some deleted files; with the seconds of their times.
#[derive(Debug, Clone)]
struct Computer {
    keys: Vec<(bool, u8, u64)>,
    deleted: Vec<(u8, u64)>,
    files: Vec<u8>,
    odd: bool,
}

fn computers() -> impl Strategy<Value = Computer> {
    let keys = prop::collection::vec((any::<bool>(), 0u8..6, 0u64..30), 0..12);
    let deleted = prop::collection::vec((0u8..6, 0u64..30), 0..6);
    (keys, deleted, prop::collection::vec(0u8..30, 0..6), any::<bool>())
        .prop_map(|(keys, deleted, files, odd)| Computer { keys, deleted, files, odd })
}

impl Computer {
    fn write(&self, root: &Path) {
        for folder in ["C/files", BIN] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        for (of_user, path) in [(false, "C/Windows/SYSTEM"), (true, "C/Users/NTUSER.DAT")] {
            let mut spec = KeySpec::new("r").written(TICKS);
            for (_, name, seconds) in self.keys.iter().filter(|(user, ..)| *user == of_user) {
                spec = spec.path(&format!("Key{name}\\Sub{seconds}"), KeySpec::new("").written(at(*seconds)));
            }
            if of_user {
                spec = spec.path("Environment", KeySpec::new(""));
                spec = spec.path("Software\\Microsoft\\a", KeySpec::new("").value(ValueSpec::sz("a", "b")));
            }
            write(root, path, &HiveSpec::new(spec).build().bytes);
        }
        for (number, (name, seconds)) in self.deleted.iter().enumerate() {
            let path = format!("C:\\Users\\ann\\file{name}.txt");
            write(root, &format!("{BIN}/$I{number:06}.txt"), &dollar_i(&path, 7, at(*seconds)));
        }
        for name in &self.files {
            write(root, &format!("C/files/f{name}"), b"x");
        }
        if self.odd {
            // A file with a misleading name, and a file that begins as a hive but is not one.
            write(root, &format!("{BIN}/$Iodd.txt"), b"something else");
            write(root, "C/files/cut", b"regf and then nothing");
        }
    }
}

fn at(seconds: u64) -> u64 {
    TICKS + seconds * SECOND
}

fn instant(seconds: u64) -> String {
    Time::from_filetime(at(seconds)).to_text()
}

/// Returns files with host times, and others with the times of a copy.
fn trees(root: &Path) -> Vec<Box<dyn Tree>> {
    let dated = Image(Box::new(open_directory(root, "image").unwrap()));
    vec![Box::new(dated), Box::new(open_directory(root, "copy").unwrap())]
}

/// Makes the tables of all groups, below a folder.
pub(crate) fn made_ready(trees: &[Box<dyn Tree>], folder: &Path) -> Prepared {
    let mut prepared = Prepared::default();
    for group in TableGroup::all() {
        let mut files = Indexes::new();
        for tree in trees {
            let scratch = folder.join(format!("{}-{}", group.name(), tree.label()));
            std::fs::create_dir(&scratch).unwrap();
            build_tables(tree.as_ref(), &Indexes::new(), group, &[], &scratch).unwrap();
            files.insert(tree.label().to_owned(), scratch.join(TABLES_FILE));
        }
        prepared.tables.insert(group.name().to_owned(), files);
    }
    prepared
}

fn ask(trees: &[Box<dyn Tree>], prepared: &Prepared, tool: &str, arguments: &Value) -> Return {
    let scratch = tempfile::tempdir().unwrap();
    let returned = run_prepared(tool, arguments, trees, prepared, scratch.path());
    // Some computers lack the key, which is refused.
    let may_fail = arguments.get("key").is_some();
    assert!(returned.outcome != Outcome::Failed || may_fail, "{tool} {arguments}: {:?}", returned.notes);
    returned
}

fn questions() -> Vec<(&'static str, Value)> {
    let line = |arguments| ("timeline", arguments);
    vec![
        line(json!({})),
        line(json!({ "from": instant(5), "to": instant(12) })),
        line(json!({ "around": instant(8), "minutes": 1, "evidence": "image" })),
        line(json!({ "source": "registry", "limit": 3, "offset": 2 })),
        line(json!({ "source": "recycle_bin" })),
        line(json!({ "source": "recycle_bin, file_system", "under": "C/files", "evidence": "copy" })),
        line(json!({ "under": "C/files", "evidence": "image", "field": "b?rn" })),
        line(json!({ "under": BIN, "evidence": "image" })),
        line(json!({ "field": "recycled_file.*" })),
        line(json!({ "text": "FILE3" })),
        line(json!({ "text": "key1\\sub", "to": instant(20) })),
        line(json!({ "key": "Key2" })),
        line(json!({ "hive": "C/Windows/SYSTEM", "key": "Key1", "evidence": "image" })),
        line(json!({ "copied_times": true, "source": "file_system", "limit": 4 })),
        ("timeline_histogram", json!({ "by": "hour" })),
        ("timeline_histogram", json!({ "by": "month", "source": "recycle_bin", "from": instant(3) })),
    ]
}

/// Returns the seconds of the deleted files that a call returns, in its order.
fn deleted(returned: &Return) -> Vec<String> {
    returned.records.iter().map(|record| text(record, "deleted")).collect()
}

proptest! {
    // Each case makes all tables some dozen times.
    #![proptest_config(ProptestConfig { cases: 2, ..ProptestConfig::default() })]

    #[test]
    fn answers_over_tables_made_ready_are_those_over_tables_of_the_call(computer in computers()) {
        let (folder, made) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        computer.write(folder.path());
        let trees = trees(folder.path());
        let ready = made_ready(&trees, made.path());
        for (tool, arguments) in questions() {
            let direct = ask(&trees, &Prepared::default(), tool, &arguments);
            prop_assert_eq!(&direct, &ask(&trees, &ready, tool, &arguments), "{} {}", tool, arguments);
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn every_planted_time_in_a_span_comes_once_and_in_order(computer in computers(), from in 0u64..20, length in 0u64..20) {
        let folder = tempfile::tempdir().unwrap();
        computer.write(folder.path());
        let trees = trees(folder.path());
        let span = from..=from + length;
        let mut planted: Vec<_> = computer.deleted.iter().map(|(_, seconds)| *seconds).collect();
        planted.retain(|seconds| span.contains(seconds));
        planted.sort_unstable();
        let expected: Vec<_> = planted.iter().copied().map(instant).collect();
        let arguments = json!({
            "source": "recycle_bin",
            "evidence": "image",
            "from": instant(*span.start()),
            "to": instant(*span.end()),
        });
        let returned = ask(&trees, &Prepared::default(), "timeline", &arguments);
        prop_assert_eq!(deleted(&returned), expected);
        let note = format!("{} records lie in the span in all", planted.len());
        prop_assert!(returned.notes.contains(&note), "{:?}", returned.notes);
        // A bucket at an end of the span also counts records outside the span, so the whole evidence is counted.
        let counted = ask(&trees, &Prepared::default(), "timeline_histogram", &json!({ "source": "recycle_bin", "evidence": "image" }));
        let mut by_day = BTreeMap::new();
        for (_, seconds) in &computer.deleted {
            *by_day.entry(instant(*seconds)[..10].to_owned()).or_insert(0u64) += 1;
        }
        let buckets: BTreeMap<_, _> = counted
            .records
            .iter()
            .map(|record| (text(record, "from")[..10].to_owned(), text(record, "count").parse::<u64>().unwrap()))
            .collect();
        prop_assert_eq!(buckets, by_day);
    }
}

#[test]
fn a_single_file_and_a_hive_are_read_alone_and_without_the_tables_of_all() {
    let folder = tempfile::tempdir().unwrap();
    let computer =
        Computer { keys: vec![(false, 1, 3)], deleted: vec![(1, 4), (3, 8)], files: vec![3], odd: true };
    computer.write(folder.path());
    let trees = trees(folder.path());
    let none = Prepared::default();
    let one = json!({ "under": format!("{BIN}/$I000001.txt"), "evidence": "image", "source": "recycle_bin" });
    assert_eq!(deleted(&ask(&trees, &none, "timeline", &one)), [instant(8)]);
    // Empty tables are not used for a file that is named.
    let made = tempfile::tempdir().unwrap();
    let empty = tempfile::tempdir().unwrap();
    let ready =
        made_ready(&[Box::new(open_directory(empty.path(), "image").unwrap()) as Box<dyn Tree>], made.path());
    assert_eq!(deleted(&ask(&trees[..1], &ready, "timeline", &one)), [instant(8)]);
    let hive = json!({ "hive": "C/Windows/SYSTEM", "evidence": "image" });
    assert_eq!(ask(&trees[..1], &ready, "timeline", &hive), ask(&trees[..1], &none, "timeline", &hive));
}

#[test]
fn a_named_hive_that_begins_as_none_is_a_gap_and_a_missing_source_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let root = |name: &str| HiveSpec::new(KeySpec::new(name).written(TICKS)).build().bytes;
    let mut broken = root("r");
    broken[0] ^= 0x20;
    write(folder.path(), "C/Users/ann/NTUSER.DAT", &broken);
    write(folder.path(), "C/Windows/System32/config/SAM", b"");
    write(folder.path(), "C/notes/system", b"no hive, and nobody expects one");
    let trees: Vec<Box<dyn Tree>> = vec![Box::new(open_directory(folder.path(), "disk").unwrap())];
    let none = Prepared::default();
    for (tool, arguments) in [
        ("timeline", json!({ "source": "user_assist" })),
        ("timeline", json!({ "source": "registry", "under": "C/Users/ann/NTUSER.DAT" })),
        ("records", json!({ "source": "user_assist" })),
        ("list_hives", json!({})),
    ] {
        let returned = ask(&trees, &none, tool, &arguments);
        let told: Vec<_> = returned.gaps.iter().map(|gap| gap.path.as_str()).collect();
        // A failed collection leaves an empty file behind.
        let empty = (!arguments.to_string().contains("under")).then_some("C/Windows/System32/config/SAM");
        let expected: Vec<_> = ["C/Users/ann/NTUSER.DAT"].into_iter().chain(empty).collect();
        assert_eq!(told, expected, "{tool} {arguments}");
        assert_ne!(returned.completeness, Completeness::Complete, "{tool} {arguments}");
    }
    let missing = ask(&trees, &none, "timeline", &json!({ "source": "bam" }));
    assert!(missing.notes.iter().any(|note| note.contains("hive of bam was found")), "{:?}", missing.notes);
}

#[test]
fn times_of_the_last_month_that_there_is_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    // 9999-12-30T00:00:00Z: there is no instant after this day.
    let late = Time::from_filetime(2_650_466_016_000_000_000);
    write(
        folder.path(),
        "C/$Recycle.Bin/S-1-5-21-1-2-3-1001/$I000000.txt",
        &dollar_i("C:\\a.txt", 7, late.raw.parse().unwrap()),
    );
    let trees: Vec<Box<dyn Tree>> = vec![Box::new(open_directory(folder.path(), "disk").unwrap())];
    for by in ["hour", "day", "month"] {
        let returned = ask(
            &trees,
            &Prepared::default(),
            "timeline_histogram",
            &json!({ "by": by, "source": "recycle_bin" }),
        );
        assert_eq!(returned.records.len(), 1, "{by}: {}", late.to_text());
        assert!(returned.records[0].fields.contains_key("to"), "{by}");
    }
}
