//! Damaged databases are read as far as possible, without a panic and without running forever.

use crate::fixture::write;
use crate::sqlite::{Desk, history, open, with_wal};
use ledger::{Completeness, Outcome};
use proptest::prelude::*;
use std::fs;

/// Queries each damaged database.
fn ask(desk: &Desk) {
    desk.tables();
    for sql in [
        "SELECT * FROM urls",
        "SELECT name, sql FROM sqlite_master",
        "SELECT u.url, v.time FROM urls u JOIN visits v ON v.url = u.id ORDER BY v.time",
        "SELECT count(*) FROM urls",
    ] {
        desk.query(sql);
    }
}

#[test]
fn a_file_that_ends_early_gives_what_it_has() {
    let desk = Desk::empty();
    let database = open(&desk.path("db"));
    let sql = "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        INSERT INTO t SELECT i, 'row ' || i || hex(zeroblob(40)) FROM n;";
    database.execute_batch(sql).unwrap();
    drop(database);
    let bytes = fs::read(desk.path("db")).unwrap();
    write(desk.folder.path(), "db", &bytes[..bytes.len() / 2]);
    let returned = desk.query("SELECT id, v FROM t");
    assert_eq!((returned.outcome, returned.completeness), (Outcome::Ok, Completeness::Truncated));
    let cut = returned.defects.iter().find(|defect| defect.offset == Some(bytes.len() as u64 / 2));
    assert!(cut.unwrap().what.contains(&format!("expected {} bytes", bytes.len())));
    let listed = desk.tables();
    assert!(!listed.records[0].fields.contains_key("rows") && !listed.records[0].defects.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]
    #[test]
    fn changed_bytes_do_no_harm(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12)) {
        let desk = Desk::empty();
        history(&desk.path("db"));
        let mut bytes = fs::read(desk.path("db")).unwrap();
        for (at, byte) in changes {
            let at = 16 + at.index(bytes.len() - 16);
            bytes[at] = byte;
        }
        write(desk.folder.path(), "db", &bytes);
        ask(&desk);
    }

    #[test]
    fn changed_bytes_near_the_headers_of_pages_do_no_harm(changes in prop::collection::vec((0usize..3, 0usize..200, any::<u8>()), 1..4)) {
        let desk = Desk::empty();
        history(&desk.path("db"));
        let mut bytes = fs::read(desk.path("db")).unwrap();
        for (page, at, byte) in changes {
            bytes[(page * 4096 + at).max(16)] = byte;
        }
        write(desk.folder.path(), "db", &bytes);
        ask(&desk);
    }

    #[test]
    fn changed_bytes_of_a_log_do_no_harm(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let desk = Desk::empty();
        with_wal(&desk);
        let mut bytes = fs::read(desk.path("DB-WAL")).unwrap();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        write(desk.folder.path(), "DB-WAL", &bytes);
        desk.tables();
        desk.query("SELECT * FROM t");
    }
}
