//! SQLite databases: tables, rows, logs.

use crate::fixture::{Fixture, HISTORY, fits, text, value, write};
use evidence::{Tree, open_directory};
use ledger::{Completeness, FieldValue, Outcome, Record};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use tools::{Return, run};

/// Makes a database like that of a browser.
pub(crate) fn history(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let database = open(path);
    let sql = "CREATE TABLE urls(id INTEGER PRIMARY KEY, url TEXT, title TEXT, visits INTEGER);
        CREATE TABLE visits(id INTEGER PRIMARY KEY, url INTEGER, time INTEGER, score REAL);
        INSERT INTO urls VALUES(1, 'https://one.example/', 'One', 3), (2, 'https://two.example/', 'Two', 1),
            (3, 'https://three.example/', NULL, 7), (5, 'https://five.example/', 'One', 2);
        INSERT INTO visits VALUES(10, 1, 1600000000, 0.5), (11, 1, 1600000100, 2.0), (12, 3, 1600000200, NULL);";
    database.execute_batch(sql).unwrap();
}

/// Opens a database to be filled; losing it in a power failure does not matter.
pub(crate) fn open(path: &Path) -> Connection {
    let database = Connection::open(path).unwrap();
    database.execute_batch("PRAGMA synchronous=OFF").unwrap();
    database
}

/// A folder with databases, and calls of tools over it.
pub(crate) struct Desk {
    pub(crate) folder: TempDir,
    trees: Vec<Box<dyn Tree>>,
}

impl Desk {
    /// Makes evidence with one database `db`, created by this SQL.
    pub(crate) fn new(sql: &str) -> Desk {
        let desk = Desk::empty();
        open(&desk.path("db")).execute_batch(sql).unwrap();
        desk
    }

    pub(crate) fn empty() -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let trees = vec![Box::new(open_directory(folder.path(), "disk").unwrap()) as Box<dyn Tree>];
        Desk { folder, trees }
    }

    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// Calls a tool; the evidence must stay unchanged, and an equal call must return the same.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Return {
        let before = self.files();
        let once = || {
            let scratch = tempfile::tempdir().unwrap();
            run(tool, arguments, &self.trees, scratch.path())
        };
        let returned = once();
        assert_eq!(once(), returned, "an equal call differs: {arguments}");
        assert_eq!(self.files(), before, "the evidence was changed: {arguments}");
        fits(&returned, tool);
        let longest = returned.notes.iter().map(String::len).max().unwrap_or(0);
        assert!(longest <= 4096 && returned.notes.len() < 1000, "{longest}");
        tools::decode_return(&tools::encode_return(&returned)).unwrap();
        returned
    }

    pub(crate) fn query(&self, sql: &str) -> Return {
        self.call("sqlite_query", &json!({ "path": "db", "sql": sql }))
    }

    pub(crate) fn tables(&self) -> Return {
        self.call("list_tables", &json!({ "path": "db" }))
    }

    /// Returns the names and bytes of everything in the evidence.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(self.folder.path()).unwrap().flatten();
        entries
            .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
            .collect()
    }
}

/// Returns the fields of each record that are columns.
pub(crate) fn columns(returned: &Return) -> Vec<String> {
    let own = ["row", "database", "table", "rowid", "state", "equal_rows", "truncated"];
    let one = |record: &Record| {
        let fields = record.fields.iter().filter(|(name, _)| !own.contains(&name.as_str()));
        let fields: Vec<_> =
            fields.map(|(name, field)| format!("{name}={}", field.value.to_text())).collect();
        format!("{} {}", text(record, "row"), fields.join(" "))
    };
    returned.records.iter().map(one).collect()
}

pub(crate) fn notes(returned: &Return) -> String {
    returned.notes.join("\n")
}

#[test]
fn the_rows_of_one_table_come_in_the_order_of_the_result() {
    let desk = Desk::empty();
    history(&desk.path("db"));
    let returned = desk.query("SELECT url AS u, title FROM urls WHERE visits > 1 ORDER BY visits DESC");
    let expected = [
        "db/urls/3 url=https://three.example/",
        "db/urls/1 title=One url=https://one.example/",
        "db/urls/5 title=One url=https://five.example/",
    ];
    assert_eq!(columns(&returned), expected);
    assert_eq!((returned.outcome, returned.completeness), (Outcome::Ok, Completeness::Complete));
    let first = &returned.records[0];
    assert_eq!((text(first, "database"), text(first, "table")), ("db".into(), "urls".into()));
    assert_eq!(value(first, "rowid"), &FieldValue::Integer(3));
    assert!(!first.fields.contains_key("state") && first.locator.path == "db");
}

#[test]
fn a_join_gives_each_row_of_each_table_once() {
    let desk = Desk::empty();
    history(&desk.path("db"));
    let sql = "SELECT v.time, u.url, v.score FROM visits v JOIN urls u ON u.id = v.url ORDER BY v.time";
    let expected = [
        "db/visits/10 score=0.5 time=1600000000",
        "db/urls/1 url=https://one.example/",
        "db/visits/11 score=2.0 time=1600000100",
        "db/visits/12 time=1600000200",
        "db/urls/3 url=https://three.example/",
    ];
    assert_eq!(columns(&desk.query(sql)), expected);
    let outer =
        desk.query("SELECT u.id, v.time FROM urls u LEFT JOIN visits v ON v.url = u.id WHERE u.id = 2");
    assert_eq!(
        (columns(&outer), outer.completeness),
        (vec!["db/urls/2 id=2".into()], Completeness::Complete)
    );
}

#[test]
fn equal_rows_are_told_apart_by_their_key_and_otherwise_counted() {
    let desk = Desk::empty();
    history(&desk.path("db"));
    let returned = desk.query("SELECT title FROM urls WHERE id = 5");
    assert_eq!(columns(&returned), ["db/urls/1 title=One"]);
    assert_eq!(value(&returned.records[0], "equal_rows"), &FieldValue::Integer(2));
    let returned = desk.query("SELECT rowid, title FROM urls WHERE id = 5");
    assert_eq!(columns(&returned), ["db/urls/5 id=5 title=One"]);
    assert!(!returned.records[0].fields.contains_key("equal_rows"));
    let both = desk.query("SELECT title FROM urls WHERE title = 'One'");
    assert_eq!(columns(&both), ["db/urls/1 title=One", "db/urls/5 title=One"]);
}

#[test]
fn every_type_has_its_field_and_what_is_cut_is_named() {
    let desk = Desk::new(
        "CREATE TABLE t(i, r, s, b, n, odd, state, \"row\", \"\", gen AS (i + 1), kept AS (i + 2) STORED);
         INSERT INTO t VALUES(-9223372036854775808, 0.1, 'ü', x'00ff', NULL, CAST(x'61ff' AS TEXT), 'a', 'b', 'c');
         INSERT INTO t(b, s) VALUES(zeroblob(5000), 'x');",
    );
    let returned = desk.query("SELECT * FROM t");
    let record = &returned.records[0];
    assert_eq!(value(record, "i"), &FieldValue::Integer(i64::MIN.into()));
    assert_eq!(value(record, "r"), &FieldValue::Text("0.1".into()));
    assert_eq!(value(record, "s"), &FieldValue::Text("ü".into()));
    assert_eq!(value(record, "b"), &FieldValue::Bytes("00ff".into()));
    assert_eq!(value(record, "odd"), &FieldValue::Bytes("61ff".into()));
    assert_eq!(record.defects.len(), 1);
    assert!(!record.fields.contains_key("n"));
    assert_eq!(
        [text(record, "column:state"), text(record, "column:row"), text(record, "column:")],
        ["a", "b", "c"]
    );
    assert!(!record.fields.contains_key("gen") && record.fields.contains_key("kept"));
    assert!(notes(&returned).contains("gen = "), "{:?}", returned.notes);
    let cut = &returned.records[1];
    assert_eq!(value(cut, "truncated"), &FieldValue::List(vec!["b".into()]));
    assert_eq!(value(cut, "b"), &FieldValue::Bytes("00".repeat(4096)));
}

#[test]
fn a_table_without_rowid_is_told_by_its_key() {
    let desk = Desk::new(
        "CREATE TABLE k(a TEXT, b INTEGER, c, PRIMARY KEY(b, a)) WITHOUT ROWID;
         INSERT INTO k VALUES('x/y', 1, 'one'), ('z', 2, 'two');
         CREATE TABLE hidden(rowid TEXT, _rowid_ TEXT, oid TEXT); INSERT INTO hidden VALUES('a', 'b', 'c');
         CREATE TABLE shadow(rowid TEXT, v); INSERT INTO shadow VALUES('mine', 4);",
    );
    let returned = desk.query("SELECT c FROM k");
    assert_eq!(columns(&returned), ["db/k/1,x%{2F}y c=one", "db/k/2,z c=two"]);
    assert!(!returned.records[0].fields.contains_key("rowid"));
    let twins = Desk::new(
        "CREATE TABLE k(a, b, c, PRIMARY KEY(a, b)) WITHOUT ROWID;
         INSERT INTO k VALUES('p,q', 'r', 0), ('p', 'q,r', 0), (1, 'n', 0), ('1', 'n', 0), (x'31', 'n', 0), ('x''31''', 'n', 0);",
    );
    let rows: BTreeSet<_> =
        twins.query("SELECT a, b FROM k").records.iter().map(|record| text(record, "row")).collect();
    assert_eq!(rows.len(), 6, "{rows:?}");
    let hidden = desk.query("SELECT oid FROM hidden");
    assert_eq!((hidden.outcome, hidden.completeness), (Outcome::Empty, Completeness::Truncated));
    assert!(hidden.gaps[0].reason.contains("nothing tells its rows apart"));
    let shadow = desk.query("SELECT rowid, v FROM shadow");
    assert_eq!(columns(&shadow), ["db/shadow/1 column:rowid=mine v=4"]);
}

#[test]
fn tables_are_listed_with_columns_and_counts() {
    let desk = Desk::new(
        "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c); INSERT INTO t VALUES(1, 2, 3), (2, 3, 4);
         CREATE TABLE k(a PRIMARY KEY) WITHOUT ROWID; CREATE VIEW v AS SELECT 'x' AS y;
         CREATE VIRTUAL TABLE words USING fts5(body); INSERT INTO words VALUES('hello');",
    );
    let returned = desk.tables();
    let kinds: Vec<_> =
        returned.records.iter().map(|record| (text(record, "name"), text(record, "kind"))).collect();
    assert_eq!(kinds[0], ("t".into(), "table".into()));
    assert_eq!(kinds[1], ("k".into(), "without_rowid".into()));
    assert!(
        kinds.contains(&("v".into(), "view".into())) && kinds.contains(&("words".into(), "virtual".into()))
    );
    let first = &returned.records[0];
    let expected = vec!["a INTEGER".to_owned(), "b TEXT".into(), "c".into()];
    assert_eq!(value(first, "columns"), &FieldValue::List(expected));
    assert_eq!((text(first, "rows"), text(first, "table_path")), ("2".into(), "db/t".into()));
    assert!(text(first, "sql").starts_with("CREATE TABLE t(") && text(first, "root_page") == "2");
    assert!(returned.gaps.iter().any(|gap| gap.reason.contains("\"words\" is a virtual table")));
    let page = desk.call("list_tables", &json!({ "path": "db", "limit": 1, "offset": 1 }));
    assert_eq!((text(&page.records[0], "name"), page.completeness), ("k".into(), Completeness::Truncated));
}

#[test]
fn the_schema_is_a_table_too() {
    let desk = Desk::new("CREATE TABLE t(a); CREATE INDEX i ON t(a);");
    let returned = desk.query("SELECT name, type FROM sqlite_schema ORDER BY name");
    assert_eq!(
        columns(&returned),
        ["db/sqlite_master/2 name=i type=index", "db/sqlite_master/1 name=t type=table"]
    );
}

#[test]
fn pages_follow_each_other_and_are_no_absence() {
    let desk = Desk::empty();
    history(&desk.path("db"));
    let page = |offset: u64| {
        let sql = "SELECT url FROM urls ORDER BY id";
        desk.call("sqlite_query", &json!({ "path": "db", "sql": sql, "limit": 2, "offset": offset }))
    };
    assert!(notes(&page(0)).contains("\"offset\": 2"));
    assert_eq!(columns(&page(2))[0], "db/urls/3 url=https://three.example/");
    let past = page(4);
    assert_eq!((past.outcome, past.completeness), (Outcome::Empty, Completeness::Truncated));
    let none = desk.query("SELECT url FROM urls WHERE id = 99");
    assert_eq!((none.outcome, none.completeness), (Outcome::Empty, Completeness::Complete));
}

/// Makes a database with rows that only its write-ahead log has, copied while it is in use.
pub(crate) fn with_wal(desk: &Desk) {
    let live = tempfile::tempdir().unwrap();
    let database = open(&live.path().join("db"));
    let sql = "PRAGMA journal_mode=wal; CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT);
        CREATE TABLE gone(x); INSERT INTO gone VALUES(1);
        INSERT INTO t VALUES(1, 'old'), (2, 'changed'); PRAGMA wal_checkpoint(TRUNCATE);
        PRAGMA wal_autocheckpoint=0; INSERT INTO t VALUES(3, 'new'); UPDATE t SET v = 'after' WHERE id = 2;
        CREATE TABLE later(a); INSERT INTO later VALUES('z'); DROP TABLE gone;";
    database.execute_batch(sql).unwrap();
    for (from, to) in [("db", "db"), ("db-wal", "DB-WAL")] {
        write(desk.folder.path(), to, &fs::read(live.path().join(from)).unwrap());
    }
}

#[test]
fn a_write_ahead_log_is_applied_and_told_apart() {
    let desk = Desk::empty();
    with_wal(&desk);
    let states = |returned: &Return| -> Vec<_> {
        returned.records.iter().map(|record| (text(record, "v"), text(record, "state"))).collect()
    };
    let pair = |value: &str, state: &str| (value.to_owned(), state.to_owned());
    let sql = "SELECT id, v FROM t ORDER BY id";
    let applied = desk.query(sql);
    assert_eq!(states(&applied), [pair("old", "checkpointed"), pair("after", "wal"), pair("new", "wal")]);
    assert!(notes(&applied).contains("DB-WAL: write-ahead log, "), "{:?}", applied.notes);
    assert_eq!(states(&desk.query("SELECT a AS v FROM later")), [pair("", "wal")]);
    let ignored = desk.call("sqlite_query", &json!({ "path": "db", "sql": sql, "wal": "ignored" }));
    assert_eq!(states(&ignored), [pair("old", ""), pair("changed", "")]);
    assert_eq!(ignored.completeness, Completeness::Truncated);

    let returned = desk.tables();
    let counts: Vec<_> = returned
        .records
        .iter()
        .map(|record| ["name", "rows", "rows_checkpointed", "state"].map(|field| text(record, field)))
        .collect();
    let row = |fields: [&str; 4]| fields.map(str::to_owned);
    let expected =
        [row(["t", "3", "2", ""]), row(["later", "1", "", "wal"]), row(["gone", "", "1", "checkpointed"])];
    assert_eq!(counts, expected);
    assert!(notes(&returned).contains("t (3, 2)"), "{:?}", returned.notes);
}

#[test]
fn a_log_that_is_none_or_not_in_use_is_said() {
    let desk = Desk::new("CREATE TABLE t(a); INSERT INTO t VALUES('x');");
    write(desk.folder.path(), "db-wal", b"no log at all");
    let returned = desk.query("SELECT a FROM t");
    assert!(returned.defects[0].what.contains("found 6e6f206c"), "{:?}", returned.defects);
    write(desk.folder.path(), "db-wal", &[0x37, 0x7F, 0x06, 0x82, 0, 0, 0, 0]);
    let returned = desk.query("SELECT a FROM t");
    assert!(returned.gaps[0].reason.contains("not applied"), "{:?}", returned.gaps);
    assert_eq!(columns(&returned), ["db/t/1 a=x"]);
}

#[test]
fn a_damaged_log_is_applied_up_to_the_damage() {
    let desk = Desk::empty();
    with_wal(&desk);
    let mut log = fs::read(desk.path("DB-WAL")).unwrap();
    log[32 + 24 + 4096 + 100] ^= 1;
    write(desk.folder.path(), "DB-WAL", &log);
    let returned = desk.query("SELECT v FROM t");
    assert_eq!((returned.records.len(), returned.completeness), (3, Completeness::Truncated));
    assert_eq!(
        (returned.defects[0].path.as_str(), returned.defects[0].offset),
        ("DB-WAL", Some(32 + 24 + 4096))
    );
}

/// Makes a database in the middle of a transaction that has spilt to the file.
fn with_hot_journal(desk: &Desk) {
    let live = tempfile::tempdir().unwrap();
    let database = open(&live.path().join("db"));
    let sql = "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT); CREATE TABLE filler(x);
        INSERT INTO t VALUES(1, 'kept'); PRAGMA cache_size=2; PRAGMA cache_spill=1;
        BEGIN; UPDATE t SET v = 'unfinished'; INSERT INTO t VALUES(2, 'unfinished');
        WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
        INSERT INTO filler SELECT hex(zeroblob(100)) FROM n;";
    database.execute_batch(sql).unwrap();
    for name in ["db", "db-journal"] {
        write(desk.folder.path(), name, &fs::read(live.path().join(name)).unwrap());
    }
}

#[test]
fn a_hot_journal_is_played_back_in_a_copy() {
    let desk = Desk::empty();
    with_hot_journal(&desk);
    let returned = desk.query("SELECT id, v FROM t LIMIT 5");
    assert_eq!(columns(&returned), ["db/t/1 id=1 v=kept"]);
    assert_eq!(text(&returned.records[0], "state"), "journal");
    assert!(notes(&returned).contains("hot rollback journal"), "{:?}", returned.notes);
    let listed = desk.tables();
    assert_eq!(text(&listed.records[0], "rows"), "1");
    assert_eq!(text(&listed.records[0], "rows_checkpointed"), "2");
    let arguments = json!({ "path": "db", "sql": "SELECT id, v FROM t", "wal": "ignored" });
    let expected = ["db/t/1 id=1 v=unfinished", "db/t/2 id=2 v=unfinished"];
    assert_eq!(columns(&desk.call("sqlite_query", &arguments)), expected);
}

#[test]
fn a_journal_that_names_another_file_is_not_played_back() {
    let desk = Desk::empty();
    with_hot_journal(&desk);
    let victim = desk.path("victim");
    let name = victim.to_str().unwrap().as_bytes();
    write(desk.folder.path(), "victim", b"must stay");
    // The end of a journal of a transaction over several databases: page, name, length, checksum, magic.
    let mut journal = fs::read(desk.path("db-journal")).unwrap();
    let magic: Vec<u8> = journal[..8].to_vec();
    journal.extend(0u32.to_be_bytes());
    journal.extend(name);
    journal.extend((name.len() as u32).to_be_bytes());
    journal.extend(name.iter().map(|byte| u32::from(*byte)).sum::<u32>().to_be_bytes());
    journal.extend(magic);
    write(desk.folder.path(), "db-journal", &journal);
    let returned = desk.query("SELECT v FROM t LIMIT 1");
    assert!(returned.gaps[0].reason.contains("super-journal"), "{:?}", returned.gaps);
}

#[test]
fn mistakes_in_a_statement_are_taught() {
    let desk = Desk::empty();
    history(&desk.path("db"));
    for (sql, says) in [
        (
            "SELECT nope FROM urls",
            "no such column: nope at byte 7. tables: urls (id, url, title, visits), visits",
        ),
        ("SELECT \"nope\" FROM urls", "no such column: \"nope\""),
        ("SELECT 1 FROM nope", "no such table: nope"),
        ("SELEC 1", "syntax error"),
        ("SELECT 1; SELECT 2", "Multiple statements"),
        ("", "without a result"),
        ("SELECT url FROM urls WHERE id = ?", "parameters"),
        ("EXPLAIN SELECT url FROM urls", "EXPLAIN"),
        ("DELETE FROM urls", "only reading is allowed"),
        ("PRAGMA table_info(urls)", "pragmas are refused"),
        ("ATTACH 'x' AS y", "only reading is allowed"),
        ("SELECT load_extension('x')", "function load_extension"),
        ("SELECT random()", "function random"),
        ("SELECT url FROM urls WHERE visits < unixepoch('now')", "unixepoch(): the present time"),
        ("SELECT datetime(1, 'unixepoch', 'localtime')", "datetime(): the present time"),
        ("SELECT current_timestamp", "function current_timestamp"),
        ("SELECT strftime('%s')", "strftime(): the present time"),
        ("SELECT * FROM dbstat", "no table that is read"),
    ] {
        let returned = desk.query(sql);
        assert_eq!(returned.outcome, Outcome::Failed, "{sql}");
        assert!(notes(&returned).contains(says), "{sql}: {:?}", returned.notes);
    }
}

#[test]
fn times_are_converted_for_filters_only() {
    let desk = Desk::empty();
    history(&desk.path("db"));
    let sql = "SELECT id, datetime(time, 'unixepoch') AS at FROM visits WHERE date(time, 'unixepoch') = '2020-09-13' LIMIT 1";
    let returned = desk.query(sql);
    assert_eq!(columns(&returned), ["db/visits/10 id=10"]);
    assert!(notes(&returned).contains("at = \"2020-09-13 12:26:40\""), "{:?}", returned.notes);
}

#[test]
fn a_statement_without_end_is_stopped() {
    let desk = Desk::new("CREATE TABLE t(a); INSERT INTO t VALUES('x');");
    let returned =
        desk.query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n");
    assert_eq!(returned.outcome, Outcome::Failed);
    assert!(notes(&returned).contains("interrupted after 200000000 steps"), "{:?}", returned.notes);
}

#[test]
fn what_is_no_database_is_said_with_what_was_found() {
    let desk = Desk::empty();
    for (bytes, says) in [
        (b"".as_slice(), "found the end of the file in a file of 0 bytes"),
        (b"SQLite format 3\0 and no more", "in a file of 28 bytes"),
        (&[0xAB; 4096], "found abababababababababababababababab"),
    ] {
        write(desk.folder.path(), "db", bytes);
        for returned in [desk.tables(), desk.query("SELECT 1")] {
            assert_eq!(returned.outcome, Outcome::Failed);
            assert!(notes(&returned).contains(says), "{:?}", returned.notes);
        }
    }
}

#[test]
fn the_catalogue_of_the_fixture_holds_a_database() {
    let fixture = Fixture::new();
    let returned = fixture.ok("list_tables", json!({ "path": HISTORY }));
    assert_eq!(returned.records.len(), 2);
}
