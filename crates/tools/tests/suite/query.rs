//! `query`: a record is a stored row, whatever else a statement returns.

use crate::fixture::{Fixture, text};
use ledger::{Completeness, Outcome};
use serde_json::{Value, json};
use std::path::PathBuf;
use tools::{Indexes, Prepared, Return, TABLES_FILE, TableFiles, TableGroup, build_tables, run_prepared};

const CANARY: &str = "canary7f3a";

fn ask(fixture: &Fixture, sql: &str) -> Return {
    fixture.run("query", json!({ "sql": sql, "limit": 1000 }))
}

/// Statements that return rows of one table each, whatever else they return.
const PLAIN: &[&str] = &[
    "SELECT * FROM dir_entry",
    "SELECT path FROM dir_entry ORDER BY 1 DESC",
    "SELECT 'canary7f3a' AS path, * FROM dir_entry",
    "SELECT path || 'canary7f3a' AS path FROM dir_entry",
    "SELECT 'canary7f3a' AS _path, _table, _row, _evidence FROM dir_entry",
    "SELECT canary7f3a._row, canary7f3a._evidence, canary7f3a._table FROM dir_entry AS canary7f3a",
    "WITH canary7f3a AS (SELECT * FROM dir_entry) SELECT * FROM canary7f3a WHERE path <> 'canary7f3a'",
    "SELECT path FROM dir_entry WHERE 0 = (SELECT 0) /* canary7f3a */",
];

#[test]
fn a_record_is_the_stored_row_whatever_the_statement_says() {
    let fixture = Fixture::new();
    let expected = ask(&fixture, PLAIN[0]);
    assert_eq!(expected.outcome, Outcome::Ok);
    let listed = fixture.run("find_files", json!({ "name": "*", "limit": 10_000 }));
    for sql in PLAIN {
        let mut found = ask(&fixture, sql);
        found.records.sort_by_key(|record| record.locator.path.clone());
        let mut all = expected.records.clone();
        all.sort_by_key(|record| record.locator.path.clone());
        assert_eq!(found.records, all, "{sql}");
        assert!(!format!("{:?}", found.records).contains(CANARY), "{sql}");
        for record in &found.records {
            assert!(listed.records.iter().any(|one| text(one, "path") == text(record, "path")), "{sql}");
        }
    }
}

#[test]
fn what_is_computed_is_no_record() {
    let fixture = Fixture::new();
    for sql in [
        "SELECT 'dir_entry' AS _table, 9999999 AS _row",
        "SELECT 'no_table' AS _table, 1 AS _row FROM dir_entry",
        "SELECT 'sqlite_master' AS _table, 1 AS _row FROM dir_entry",
        "SELECT 'dir_entry; --' AS _table, 1 AS _row FROM dir_entry",
        "SELECT _table, 'x' AS _row FROM dir_entry",
        "SELECT _table, 1.5 AS _row FROM dir_entry",
        "SELECT _table, _row, 'another' AS _evidence FROM dir_entry",
        "SELECT path FROM dir_entry UNION SELECT 'canary7f3a'",
        "SELECT max(path) FROM dir_entry",
        "SELECT path, count(*) FROM dir_entry GROUP BY path",
        "SELECT DISTINCT path FROM dir_entry",
        "SELECT a.path, b.path FROM dir_entry a, dir_entry b LIMIT 9",
        "SELECT name FROM tables",
        "SELECT 1",
    ] {
        let found = ask(&fixture, sql);
        assert_eq!(found.outcome, Outcome::Empty, "{sql}: {found:?}");
        // The answer must not be taken for an absence.
        assert_eq!(found.completeness, Completeness::Truncated, "{sql}");
        assert!(found.notes.iter().any(|note| note.contains("values, which prove nothing")), "{sql}");
    }
}

#[test]
fn an_empty_answer_shows_no_absence_and_a_wrong_name_gets_the_nearest() {
    let fixture = Fixture::new();
    for sql in ["SELECT * FROM prefetch", "SELECT * FROM dir_entry WHERE 0", "SELECT count(*) FROM prefetch"]
    {
        let found = ask(&fixture, sql);
        assert_eq!((found.outcome, found.completeness), (Outcome::Empty, Completeness::Truncated), "{sql}");
    }
    let found = ask(&fixture, "SELECT * FROM dir_entri");
    assert_eq!(found.outcome, Outcome::Failed);
    assert!(found.notes[0].contains("dir_entry"), "{:?}", found.notes);
    for sql in [
        "DELETE FROM dir_entry",
        "PRAGMA table_list",
        "ATTACH 'x' AS y",
        "SELECT 1; SELECT 2",
        "EXPLAIN SELECT 1",
    ] {
        assert_eq!(ask(&fixture, sql).outcome, Outcome::Failed, "{sql}");
    }
}

#[test]
fn a_count_tells_what_is_counted_by_the_records_own_values() {
    let fixture = Fixture::new();
    let all = ask(&fixture, "SELECT * FROM registry_value WHERE value_type = 'REG_SZ'").records;
    let found = ask(&fixture, "SELECT count(*) FROM registry_value WHERE value_type = 'REG_SZ'").records;
    let expected = |file: &str| all.iter().filter(|record| record.locator.path == file).count();
    assert!(!found.is_empty());
    for count in &found {
        assert_eq!((count.kind.as_str(), text(count, "value").as_str()), ("record_count", "REG_SZ"));
        assert_eq!(text(count, "count"), expected(&text(count, "file")).to_string());
    }
    for sql in [
        "SELECT count(*) FROM dir_entry",
        "SELECT count(*) FROM registry_value WHERE value_type <> 'REG_SZ'",
        "SELECT count(*) + 1 FROM registry_value",
        "SELECT count(*) FROM registry_value, tables",
        "SELECT count(*) FROM registry_value WHERE name LIKE '%canary7f3a%'",
    ] {
        assert!(ask(&fixture, sql).records.is_empty(), "{sql}");
    }
}

#[test]
fn a_count_that_no_record_can_tell_says_why_and_a_statement_that_may_mean_something_else_says_so() {
    let fixture = Fixture::new();
    for (sql, expected) in [
        (
            "SELECT count(*) FROM registry_value WHERE value_type = 1",
            "no record_count: value_type = 1: expected a text",
        ),
        (
            "SELECT count(*) FROM registry_key WHERE last_written > '2012-04-04 01:58'",
            "no record_count: '2012-04-04 01:58' is no time",
        ),
        (
            "SELECT count(*) FROM registry_key WHERE last_written > '2012-04-04 01:58'",
            "is compared as a text",
        ),
        ("SELECT count(*) FROM logons", "no record_count: logons is no table of records"),
        ("SELECT count(*) FROM event WHERE event_id = 4624", "events has all of them"),
    ] {
        let found = ask(&fixture, sql);
        assert!(found.records.is_empty(), "{sql}");
        assert!(found.notes.iter().any(|note| note.contains(expected)), "{sql}: {:?}", found.notes);
    }
    let found = ask(&fixture, "SELECT data FROM registry_value WHERE data MATCH 'x'");
    assert!(found.notes[0].contains("LIKE"), "{:?}", found.notes);
}

#[test]
fn tables_that_were_made_ready_answer_as_those_that_the_call_makes() {
    let fixture = Fixture::new();
    let home = tempfile::tempdir().unwrap();
    let mut files = TableFiles::new();
    for group in TableGroup::all() {
        let mut of_group = Indexes::new();
        for (number, tree) in fixture.trees.iter().enumerate() {
            let scratch = tempfile::tempdir().unwrap();
            let built = build_tables(tree.as_ref(), &Indexes::new(), group, &[], scratch.path()).unwrap();
            if built.sources == 0 {
                continue;
            }
            let file: PathBuf = home.path().join(format!("{}-{number}", group.name()));
            std::fs::copy(scratch.path().join(TABLES_FILE), &file).unwrap();
            of_group.insert(tree.label().to_owned(), file);
        }
        files.insert(group.name().to_owned(), of_group);
    }
    let ask = |sql: &str, tables: &TableFiles| {
        let scratch = tempfile::tempdir().unwrap();
        let prepared = Prepared { tables: tables.clone(), ..Prepared::default() };
        let arguments: Value = json!({ "sql": sql });
        run_prepared("query", &arguments, &fixture.trees, &prepared, scratch.path())
    };
    for sql in
        ["SELECT * FROM timeline ORDER BY time", "SELECT * FROM gaps", "SELECT count(*) FROM registry_key"]
    {
        assert_eq!(ask(sql, &files), ask(sql, &TableFiles::new()), "{sql}");
    }
}
