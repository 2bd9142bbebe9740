//! Compares tables with the records that decoders give, over whole pieces of evidence.

use super::read::{columns, record};
use super::schema::{Table, quoted};
use super::{DOING, LeftOut, TABLES_FILE, TableFiles, TableGroup, build, groups_of, pass::BuiltTables};
use crate::catalogue::{Indexes, Prepared, run_prepared};
use crate::intake::{Flow, Intake};
use crate::survey::{Ground, Surveyed, Surveyor, survey};
use crate::units::Origin;
use evidence::{Node, Tree};
use ledger::{Completeness, Defect, EvidenceKind, Gap, Record};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use testkit::hive::{HiveSpec, KeySpec};

#[expect(clippy::disallowed_methods, reason = "a test writes its own files")]
fn write(path: &Path, bytes: impl AsRef<[u8]>) {
    std::fs::write(path, bytes).unwrap();
}

/// Every record of a survey, by its type, in the order of decoding.
#[derive(Default)]
struct All(BTreeMap<String, Vec<Record>>);

impl Surveyor for All {
    fn wants(&self, _: Origin) -> bool {
        true
    }

    fn knows(&mut self, _: &Node, _: Option<&str>, _: &dyn Fn(Origin) -> bool) -> bool {
        false
    }

    fn unit(&mut self, _: &Surveyed<'_>, decode: &mut dyn FnMut(&mut dyn Intake)) {
        decode(self);
    }
}

impl Intake for All {
    fn begin(&mut self, _: String) {}

    fn push(&mut self, record: Record) -> Flow {
        self.0.entry(record.kind.clone()).or_default().push(record);
        ControlFlow::Continue(())
    }

    fn defect(&mut self, _: Defect) {}

    fn hidden(&mut self, _: Defect) {}

    fn gap(&mut self, _: Gap) {}

    fn note(&mut self, _: String) {}
}

fn decoded(tree: &dyn Tree) -> BTreeMap<String, Vec<Record>> {
    let (scratch, names) = (tempfile::tempdir().unwrap(), Indexes::new());
    let mut all = All::default();
    survey(&Ground::whole(tree, &names, scratch.path()).unwrap(), &mut all).unwrap();
    all.0
}

fn built(tree: &dyn Tree, group: TableGroup) -> (BuiltTables, Vec<u8>) {
    let scratch = tempfile::tempdir().unwrap();
    let built = build(tree, &Indexes::new(), group, &[], scratch.path()).unwrap();
    (built, std::fs::read(scratch.path().join(TABLES_FILE)).unwrap())
}

fn rows(connection: &rusqlite::Connection, table: &Table, label: &str) -> Vec<Record> {
    let sql = format!("SELECT {} FROM {} ORDER BY _row", columns(table, ""), quoted(&table.name));
    let mut statement = connection.prepare(&sql).unwrap();
    let mut rows = statement.query([]).unwrap();
    let mut records = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        records.push(record(table, row, label).unwrap());
    }
    records
}

/// Compares each table row of a piece of evidence with the record that its decoder gives; returns how many there are.
fn compare(kind: EvidenceKind, path: &Path) -> usize {
    let tree = evidence::open(kind, path, "e").unwrap();
    let mut expected = decoded(tree.as_ref());
    let mut compared = 0;
    for group in TableGroup::all() {
        let (built, bytes) = built(tree.as_ref(), group);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file.as_file(), &bytes).unwrap();
        let connection = rusqlite::Connection::open(file.path()).unwrap();
        for table in group.tables() {
            let (found, expected) =
                (rows(&connection, &table, "e"), expected.remove(&table.name).unwrap_or_default());
            assert_eq!(found.len(), expected.len(), "{}", table.name);
            for (row, record) in found.iter().zip(&expected) {
                assert_eq!(row, record);
            }
            let told = built.tables.iter().find(|told| told.table == table.name).map_or(0, |told| told.rows);
            assert_eq!(told, found.len() as u64);
            compared += found.len();
        }
    }
    // A survey gives no records of types without a table.
    assert!(expected.is_empty(), "{:?}", expected.keys());
    compared
}

#[test]
fn a_file_that_is_left_out_is_a_gap_and_the_others_are_read() {
    let home = tempfile::tempdir().unwrap();
    let drivers = home.path().join("Windows/System32/drivers/etc");
    let config = home.path().join("Windows/System32/config");
    for folder in [&drivers, &config] {
        std::fs::create_dir_all(folder).unwrap();
    }
    let other = home.path().join("old/Windows/System32/drivers/etc");
    std::fs::create_dir_all(&other).unwrap();
    for folder in [&drivers, &other] {
        write(&folder.join("hosts"), "203.0.113.9 update.example\n");
    }
    write(&config.join("SOFTWARE"), b"regf");
    let tree = evidence::open(EvidenceKind::Directory, home.path(), "e").unwrap();
    let gaps = |group: &str, path: &str| {
        let scratch = tempfile::tempdir().unwrap();
        let left_out = LeftOut { path: path.to_owned(), stream: None, reason: "it broke".to_owned() };
        let group = TableGroup::named(group).unwrap();
        let built = build(tree.as_ref(), &Indexes::new(), group, &[left_out], scratch.path()).unwrap();
        let connection = rusqlite::Connection::open(scratch.path().join(TABLES_FILE)).unwrap();
        let gap = connection.query_row("SELECT path || ': ' || reason FROM gaps", [], |row| row.get(0));
        (gap.unwrap(), built.tables.iter().map(|table| table.rows).sum::<u64>(), built.whole)
    };
    let hosts = "Windows/System32/drivers/etc/hosts";
    assert_eq!(gaps("hosts", hosts), (format!("{hosts}: it broke"), 1, true));
    let hive = "Windows/System32/config/SOFTWARE";
    assert_eq!(gaps("registry", hive), (format!("{hive}: it broke"), 0, true));
}

#[test]
fn what_is_being_read_is_named_beside_the_tables() {
    let home = tempfile::tempdir().unwrap();
    let drivers = home.path().join("Windows/System32/drivers/etc");
    std::fs::create_dir_all(&drivers).unwrap();
    write(&drivers.join("hosts"), "203.0.113.9 update.example\n");
    let tree = evidence::open(EvidenceKind::Directory, home.path(), "e").unwrap();
    let (scratch, group) = (tempfile::tempdir().unwrap(), TableGroup::named("hosts").unwrap());
    build(tree.as_ref(), &Indexes::new(), group, &[], scratch.path()).unwrap();
    let doing = std::fs::read(scratch.path().join(DOING)).unwrap();
    let named = LeftOut::of_doing(&doing, "why").unwrap();
    assert!(named.is("Windows/System32/drivers/etc/hosts", None), "{named:?}");
}

#[test]
fn every_record_of_the_demo_stands_in_its_table_as_it_was_decoded() {
    let demo = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../cases/demo");
    let pieces = [(EvidenceKind::Image, "alder-07.E01"), (EvidenceKind::Archive, "alder-fs01.zip")];
    let compared: usize = pieces.into_iter().map(|(kind, name)| compare(kind, &demo.join(name))).sum();
    assert!(compared > 500, "{compared}");
}

/// Returns arguments that narrow calls.
fn narrowed() -> Vec<Value> {
    vec![
        json!({}),
        json!({ "limit": 3 }),
        json!({ "limit": 5, "offset": 2 }),
        json!({ "name": "*e*" }),
        json!({ "text": "exe || system" }),
        // Texts in times, numbers, flags and lists.
        json!({ "text": "T12:0 || 45" }),
        json!({ "text": "true || ; " }),
        json!({ "from": "2011-01-01T00:00:00Z", "to": "2021-06-01T00:00:00Z" }),
        json!({ "from": "2023-01-01T00:00:00Z" }),
        json!({ "count_by": "record" }),
        json!({ "count_by": "record", "from": "2011-01-01T00:00:00Z", "to": "2021-06-01T00:00:00Z" }),
        json!({ "count_by": "record", "name": "*e*" }),
    ]
}

/// Returns calls of every tool that reads tables, each narrowed in these ways.
fn calls(narrowed: &[Value]) -> Vec<(&'static str, Value)> {
    let whole = ["query_events", "logons", "list_event_channels", "timeline_anomalies", "browser_history"];
    let whole = whole.into_iter().chain(["mft_file", "persistence", "program_execution", "user_activity"]);
    let mut calls: Vec<(&str, Value)> = whole.map(|tool| (tool, json!({}))).collect();
    calls.push(("usn_journal", json!({ "per": "name" })));
    calls.push(("query_events", json!({ "ids": "4624-4700,7045", "channel": "S*" })));
    calls.push(("query_events", json!({ "count_by": "event_id,channel" })));
    calls.push(("mft_file", json!({ "count_by": "folder,extension", "sum": "size" })));
    calls.push(("query_events", json!({ "record": "logon" })));
    calls.push(("query_events", json!({ "record": "event" })));
    calls.push(("program_execution", json!({ "source": "prefetch" })));
    calls.push(("records", json!({ "level": "low" })));
    calls.push(("records", json!({ "source": "persistence", "level": "medium" })));
    let artifacts = crate::registry_artifact::artifacts().iter();
    calls.extend(artifacts.map(|artifact| ("registry_artifact", json!({ "artifact": artifact.name }))));
    let mut all = Vec::new();
    for (tool, arguments) in calls {
        for more in narrowed {
            let mut arguments = arguments.clone();
            arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            all.push((tool, arguments));
        }
    }
    all
}

/// Returns calls that each ask for the artifacts of one hive, for every hive of the evidence.
fn calls_of_hives(trees: &[Box<dyn Tree>]) -> Vec<(&'static str, Value)> {
    let scratch = tempfile::tempdir().unwrap();
    let found = run_prepared("list_hives", &json!({}), trees, &Prepared::default(), scratch.path());
    let paths = found.records.iter().map(|record| record.locator.path.clone());
    let call = |hive: String| {
        ["services", "autostarts", "user_accounts", "user_assist"]
            .map(|artifact| ("registry_artifact", json!({ "artifact": artifact, "hive": hive })))
    };
    paths.flat_map(call).collect()
}

#[expect(clippy::disallowed_methods, reason = "the test writes its own files")]
fn put(path: PathBuf, bytes: &[u8]) -> PathBuf {
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Compares the answers from tables with those from decoding; returns how many records are in them.
fn same_answers(kind: EvidenceKind, path: &Path, narrowed: &[Value]) -> usize {
    let home = tempfile::tempdir().unwrap();
    let trees = [evidence::open(kind, path, "e").unwrap()];
    let mut files = TableFiles::new();
    let mut found = 0;
    for (tool, arguments) in calls(narrowed).into_iter().chain(calls_of_hives(&trees)) {
        let groups = groups_of(tool, &arguments);
        assert!(!groups.is_empty(), "{tool} {arguments}");
        for group in groups {
            let name = group.name();
            if files.contains_key(name) {
                continue;
            }
            let file = put(home.path().join(name), &built(trees[0].as_ref(), group).1);
            files.insert(name.to_owned(), Indexes::from([("e".to_owned(), file)]));
        }
        let ask = |tables: &TableFiles| {
            let scratch = tempfile::tempdir().unwrap();
            let prepared = Prepared { tables: tables.clone(), ..Prepared::default() };
            run_prepared(tool, &arguments, &trees, &prepared, scratch.path())
        };
        let (stored, decoded) = (ask(&files), ask(&TableFiles::new()));
        assert_eq!(stored, decoded, "{tool} {arguments}");
        found += stored.records.len();
    }
    found
}

#[test]
fn answers_from_tables_are_those_from_decoding() {
    let demo = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../cases/demo");
    let some = [json!({}), json!({ "count_by": "record", "to": "2025-09-16T12:00:00Z" })];
    let found = same_answers(EvidenceKind::Image, &demo.join("alder-07.E01"), &some);
    let also = same_answers(EvidenceKind::Archive, &demo.join("alder-fs01.zip"), &narrowed());
    assert!(found > 400 && also > 80, "{found} {also}");
}

#[test]
fn answers_over_damaged_files_are_those_from_decoding_and_tell_what_was_not_read() {
    let home = tempfile::tempdir().unwrap();
    let prefetch = home.path().join("Windows/Prefetch");
    std::fs::create_dir_all(&prefetch).unwrap();
    // A failed copy leaves an empty file.
    write(&prefetch.join("A.EXE-11111111.pf"), b"");
    // A hive of unknown type that was not closed, with logs that do not fit.
    let mut spec = HiveSpec::new(KeySpec::new("ROOT").key(KeySpec::new("Nothing")));
    (spec.primary, spec.secondary) = (6, 5);
    write(&home.path().join("HIVE"), &spec.build().bytes);
    write(&home.path().join("HIVE.LOG1"), [7; 1024]);
    same_answers(EvidenceKind::Directory, home.path(), &narrowed());
    let trees = [evidence::open(EvidenceKind::Directory, home.path(), "e").unwrap()];
    for (source, path) in [("prefetch", "Windows/Prefetch/A.EXE-11111111.pf"), ("user_assist", "HIVE")] {
        let scratch = tempfile::tempdir().unwrap();
        let asked = json!({ "source": source });
        let returned = run_prepared("records", &asked, &trees, &Prepared::default(), scratch.path());
        let told: Vec<_> = returned.gaps.iter().map(|gap| gap.path.as_str()).collect();
        assert_eq!(
            (told.as_slice(), returned.completeness),
            (&[path][..], Completeness::Truncated),
            "{source}"
        );
    }
}

/// For developers with other evidence: `LOCARD_TABLES_OVER=FOLDER cargo test -p tools tables::tests -- --nocapture`.
#[test]
fn every_record_of_other_evidence_stands_in_its_table_as_it_was_decoded() {
    #[expect(clippy::disallowed_methods, reason = "how a developer names evidence")]
    let Some(folder) = std::env::var_os("LOCARD_TABLES_OVER") else { return };
    let compared = compare(EvidenceKind::Directory, Path::new(&folder));
    println!("{compared} rows are the records that were decoded");
    let found = same_answers(EvidenceKind::Directory, Path::new(&folder), &narrowed());
    println!("{found} records of answers are the same from tables");
}
