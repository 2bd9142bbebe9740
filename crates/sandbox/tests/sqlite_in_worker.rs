//! SQLite works in a confined call: it reads a database of the evidence, and writes one in scratch with a write-ahead log.
//!
//! The test is its own worker, so it has no harness.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test that cannot go on must stop")]

use rusqlite::{Connection, OpenFlags};
use sandbox::{Config, Ending, Limits, Policy, Zygote};
use std::path::Path;

fn main() {
    if std::env::args().nth(1).as_deref() == Some(sandbox::WORKER_ARGUMENT) {
        sandbox::serve(|request, scratch| {
            count(Path::new(std::str::from_utf8(request).unwrap()), scratch).into()
        })
        .unwrap();
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let evidence = home.path().join("evidence.db");
    fill(&Connection::open(&evidence).unwrap());
    let config = Config {
        program: std::env::current_exe().unwrap(),
        readable: vec![evidence.clone()],
        scratch_root: home.path().join("scratch"),
        confinement: Policy::Required,
    };
    let mut zygote = Zygote::spawn(config).unwrap();
    let report = zygote.call(evidence.to_str().unwrap().as_bytes(), &Limits::default()).unwrap();
    assert_eq!(report.ending, Ending::Replied(b"1000 1000 1000".to_vec()));
    println!("sqlite_in_worker: ok");
}

/// Counts the rows of the evidence itself, of a copy of it, and of a fresh database in scratch.
fn count(evidence: &Path, scratch: &Path) -> Vec<u8> {
    let uri = format!("file:{}?immutable=1", evidence.display());
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let there = rows(&Connection::open_with_flags(uri, flags).unwrap());
    let copy = scratch.join("copy.db");
    let mut from = std::fs::File::open(evidence).unwrap();
    std::io::copy(&mut from, &mut std::fs::File::create(&copy).unwrap()).unwrap();
    let copied = rows(&Connection::open(&copy).unwrap());
    let fresh = Connection::open(scratch.join("fresh.db")).unwrap();
    fresh.pragma_update(None, "journal_mode", "wal").unwrap();
    fresh.pragma_update(None, "mmap_size", 1 << 20).unwrap();
    fill(&fresh);
    format!("{there} {copied} {}", rows(&fresh)).into_bytes()
}

fn fill(database: &Connection) {
    let table = "create table t(a, b); create index i on t(b);
        with recursive n(v) as (select 1 union all select v + 1 from n where v < 1000)
        insert into t select v, hex(randomblob(20)) from n;
        delete from t where a = 0; vacuum;";
    database.execute_batch(table).unwrap();
}

fn rows(database: &Connection) -> i64 {
    database.query_row("select count(*) from t where b > ''", [], |row| row.get(0)).unwrap()
}
