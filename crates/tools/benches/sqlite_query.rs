//! Cost of a query with its verification: copy, statement, scan of the table, records.

#![expect(clippy::expect_used, reason = "a benchmark that cannot run must stop")]

use divan::{Bencher, black_box};
use evidence::{Tree, open_directory};
use ledger::Outcome;
use rusqlite::Connection;
use serde_json::json;
use std::path::Path;

fn main() {
    divan::main();
}

const ROWS: usize = 100_000;

/// Makes a browser history: 11 MB with 100,000 rows.
fn fill(path: &Path) {
    let sql = format!(
        "CREATE TABLE urls(id INTEGER PRIMARY KEY, url TEXT, title TEXT, visits INT);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS})
         INSERT INTO urls SELECT i, 'https://' || i || '.example/' || hex(zeroblob(30)), 'title number ' || i, i % 500 FROM n;"
    );
    Connection::open(path).expect("a database").execute_batch(&sql).expect("rows");
}

fn measure(bencher: Bencher<'_, '_>, tool: &str, sql: Option<&str>, records: usize) {
    let home = tempfile::tempdir().expect("a temporary folder");
    fill(&home.path().join("History"));
    let trees = vec![Box::new(open_directory(home.path(), "disk").expect("evidence")) as Box<dyn Tree>];
    let mut arguments = json!({ "path": "History" });
    if let Some(sql) = sql {
        arguments["sql"] = json!(sql);
    }
    bencher.bench_local(|| {
        let scratch = tempfile::tempdir().expect("a temporary folder");
        let returned = tools::run(tool, black_box(&arguments), &trees, scratch.path());
        assert!(returned.outcome == Outcome::Ok && returned.records.len() == records);
        returned
    });
}

#[divan::bench]
fn list_100_000_rows(bencher: Bencher<'_, '_>) {
    measure(bencher, "list_tables", None, 1);
}

#[divan::bench]
fn rows_200_of_100_000(bencher: Bencher<'_, '_>) {
    measure(bencher, "sqlite_query", Some("SELECT url, title FROM urls WHERE visits = 3"), 200);
}

#[divan::bench]
fn rows_200_of_100_000_with_key(bencher: Bencher<'_, '_>) {
    measure(bencher, "sqlite_query", Some("SELECT id, url, title FROM urls WHERE visits = 3"), 200);
}

#[divan::bench]
fn rows_200_by_key(bencher: Bencher<'_, '_>) {
    measure(bencher, "sqlite_query", Some("SELECT id, url, title FROM urls WHERE id <= 200"), 200);
}
