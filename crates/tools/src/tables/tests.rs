//! Tables against the records that decoders give, over whole pieces of evidence.

use super::read::{columns, record};
use super::schema::{Table, quoted, tables};
use super::{build, pass::BuiltTables};
use crate::catalogue::Indexes;
use crate::intake::{Flow, Intake};
use crate::survey::{Ground, Surveyed, Surveyor, survey};
use crate::units::Origin;
use evidence::{Node, Tree};
use ledger::{Defect, EvidenceKind, Gap, Record};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

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

fn built(tree: &dyn Tree) -> BuiltTables {
    let scratch = tempfile::tempdir().unwrap();
    build(tree, &Indexes::new(), scratch.path()).unwrap()
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

/// Holds each row of the tables of a piece of evidence against the record that its decoder gives; how many there are.
fn compare(kind: EvidenceKind, path: &Path) -> usize {
    let tree = evidence::open(kind, path, "e").unwrap();
    let mut expected = decoded(tree.as_ref());
    let built = built(tree.as_ref());
    let file = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut file.as_file(), &built.bytes).unwrap();
    let connection = rusqlite::Connection::open(file.path()).unwrap();
    let mut compared = 0;
    for table in tables() {
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
    // What has no table is a detail that a survey leaves out.
    assert!(expected.is_empty(), "{:?}", expected.keys());
    compared
}

#[test]
fn every_record_of_the_demo_stands_in_its_table_as_it_was_decoded() {
    let demo = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../cases/demo");
    let pieces = [(EvidenceKind::Image, "alder-07.E01"), (EvidenceKind::Archive, "alder-fs01.zip")];
    let compared: usize = pieces.into_iter().map(|(kind, name)| compare(kind, &demo.join(name))).sum();
    assert!(compared > 500, "{compared}");
}

/// For whoever has other evidence: `LOCARD_TABLES_OVER=FOLDER cargo test -p tools tables::tests -- --nocapture`.
#[test]
fn every_record_of_other_evidence_stands_in_its_table_as_it_was_decoded() {
    #[expect(clippy::disallowed_methods, reason = "how a developer names evidence")]
    let Some(folder) = std::env::var_os("LOCARD_TABLES_OVER") else { return };
    let compared = compare(EvidenceKind::Directory, Path::new(&folder));
    println!("{compared} rows are the records that were decoded");
}
