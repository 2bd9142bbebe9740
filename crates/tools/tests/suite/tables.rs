//! Case tables: what the documentation says about them, and statements that try to do more than read.
//!
//! To accept a change of a table: `UPDATE_GOLDEN=1 cargo test -p tools`, read the difference in `docs/tables.md`, commit it with the change.

use ledger::event::TableDigest;
use ledger::{EvidenceKind, Vocabulary};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use tools::{
    Answer, AnswerReply, Answered, Asked, AskedRow, Cell, Expansion, Indexes, Mount, Request, TableFiles,
    TableGroup, TablesReply, VIEWS, decode_answer_reply, decode_tables_reply, encode_request, handle, tables,
};

const VIEWS_HEADING: &str = "
### Views

Every view has `source`, `_table`, `_row`, `_evidence`, `_path` and `_source` behind its own columns: the record that a row tells of is row `_row` of table `_table`.

| view | a row is | columns | gathered from |
|---|---|---|---|
";

const HEADING: &str = "## Tables\n";

#[expect(clippy::disallowed_methods, reason = "a test writes its own files")]
fn write(path: &Path, bytes: impl AsRef<[u8]>) {
    fs::write(path, bytes).unwrap();
}

fn page() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/tables.md")
}

/// Returns the tables as the documentation lists them.
fn catalogue() -> String {
    let vocabulary = Vocabulary::shipped().unwrap();
    let mut out = String::from(VIEWS_HEADING);
    for view in VIEWS {
        let (columns, tables) = (view.columns.join("`, `"), view.tables().join("`, `"));
        let _ = writeln!(out, "| `{}` | {} | `{columns}` | `{tables}` |", view.name, view.meaning);
    }
    for table in tables() {
        let sources = table.sources.join("`, `");
        let proved: Vec<_> = vocabulary.proved_by(&table.name).map(ToString::to_string).collect();
        let proves = if proved.is_empty() {
            "nothing by itself".to_owned()
        } else {
            format!("`{}`", proved.join("`, `"))
        };
        let _ = writeln!(out, "\n### {}\n\n{}.\n", table.name, table.meaning);
        let _ = writeln!(out, "About: `{}`. From: `{sources}`. Proves: {proves}.\n", table.subject);
        out.push_str("| column | type | meaning |\n|---|---|---|\n");
        for column in &table.columns {
            let meaning = column.meaning.replace('|', "\\|");
            let _ = writeln!(out, "| `{}` | {} | {meaning} |", column.name, column.kinds());
        }
    }
    out
}

#[test]
fn the_documentation_lists_every_table_and_column() {
    let text = fs::read_to_string(page()).unwrap();
    let (before, listed) = text.split_once(HEADING).unwrap();
    let (words, listed) = listed.split_at(listed.find("\n### ").unwrap_or(listed.len()));
    let expected = catalogue();
    #[expect(clippy::disallowed_methods, reason = "how a developer accepts a change")]
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let words = words.trim_end();
        write(&page(), format!("{before}{HEADING}{words}\n{expected}"));
        return;
    }
    let differs = listed.lines().zip(expected.lines()).find(|(listed, expected)| listed != expected);
    assert!(listed == expected, "the tables have changed: see this file on how to accept that: {differs:?}");
}

/// The tables of a folder with one hosts file, and of its entries.
struct Asking {
    home: tempfile::TempDir,
    files: TableFiles,
    /// The file of the hosts table.
    file: PathBuf,
    built: Vec<TableDigest>,
}

impl Asking {
    fn new() -> Asking {
        Asking::over("127.0.0.1 localhost\n203.0.113.9 update.example\n")
    }

    fn over(hosts: &str) -> Asking {
        let home = tempfile::tempdir().unwrap();
        let evidence = home.path().join("evidence");
        fs::create_dir_all(evidence.join("Windows/System32/drivers/etc")).unwrap();
        write(&evidence.join("Windows/System32/drivers/etc/hosts"), hosts);
        let mount = Mount {
            in_place: Vec::new(),
            label: "e".to_owned(),
            path: evidence,
            kind: EvidenceKind::Directory,
            expansion: Expansion::Bounded,
        };
        let (mut files, mut all) = (TableFiles::new(), Vec::new());
        for group in ["file_system", "hosts"] {
            let (mount, name) = (mount.clone(), group.to_owned());
            let (indexes, group, without) = (Indexes::new(), name.clone(), Vec::new());
            let request = Request::BuildTables { mount, indexes, group, without };
            let scratch = home.path().join(format!("scratch-{name}"));
            fs::create_dir(&scratch).unwrap();
            let Answered { file: sent, bytes } = handle(&encode_request(&request).unwrap(), &scratch);
            let (reply, _) = decode_tables_reply(&mut std::io::Cursor::new(bytes)).unwrap();
            let TablesReply::Built(built) = reply else { panic!("no tables") };
            let file = home.path().join(&name);
            std::io::copy(&mut sent.unwrap(), &mut fs::File::create_new(&file).unwrap()).unwrap();
            files.insert(name, Indexes::from([("e".to_owned(), file)]));
            all.extend(built.tables);
        }
        assert!(all.iter().any(|table| table.table == "hosts_entry" && table.rows == 2));
        Asking { file: home.path().join("hosts"), home, files, built: all }
    }

    /// Returns the files, with another file in place of that of a group.
    fn with(&self, group: &str, file: &Path) -> TableFiles {
        let mut files = self.files.clone();
        files.insert(group.to_owned(), Indexes::from([("e".to_owned(), file.to_owned())]));
        files
    }

    fn send(&self, request: &Request) -> AnswerReply {
        let scratch = self.home.path().join("asked");
        let _ = fs::remove_dir_all(&scratch);
        fs::create_dir(&scratch).unwrap();
        let reply = handle(&encode_request(request).unwrap(), &scratch).bytes;
        let left: Vec<_> = fs::read_dir(&scratch).unwrap().collect();
        assert!(left.is_empty(), "a statement left files: {left:?}");
        decode_answer_reply(&reply).unwrap()
    }

    fn ask(&self, sql: &str) -> AnswerReply {
        let files = self.files.clone();
        self.send(&Request::AskTables(Asked { files, sql: sql.to_owned(), limit: 1000 }))
    }

    fn answer(&self, sql: &str) -> Answer {
        match self.ask(sql) {
            AnswerReply::Answered(answer) => answer,
            other => panic!("{sql}: {other:?}"),
        }
    }
}

/// Statements that write; each has a placeholder for its target.
const WRITES: &[&str] = &[
    "INSERT INTO {} DEFAULT VALUES",
    "INSERT INTO {} SELECT * FROM {}",
    "INSERT OR REPLACE INTO {} VALUES (1)",
    "REPLACE INTO {} VALUES (1)",
    "UPDATE {} SET _row = 1",
    "DELETE FROM {}",
    "DELETE FROM {} RETURNING *",
    "INSERT INTO {} DEFAULT VALUES RETURNING *",
    "DROP TABLE {}",
    "DROP VIEW {}",
    "ALTER TABLE {} ADD COLUMN x",
    "ALTER TABLE {} RENAME TO y",
    "CREATE INDEX i ON {} (_row)",
    "CREATE TRIGGER t AFTER INSERT ON {} BEGIN SELECT 1; END",
    "CREATE TEMP TRIGGER t AFTER INSERT ON {} BEGIN DELETE FROM {}; END",
    "CREATE TABLE x AS SELECT * FROM {}",
    "CREATE TEMP TABLE x AS SELECT * FROM {}",
    "CREATE VIEW x AS SELECT * FROM {}",
    "CREATE TEMP VIEW x AS SELECT * FROM {}",
    "ANALYZE {}",
    "REINDEX {}",
    "EXPLAIN SELECT * FROM {}",
    "EXPLAIN QUERY PLAN SELECT * FROM {}",
    "WITH x AS (SELECT 1) DELETE FROM {}",
];

const TARGETS: &[&str] = &[
    "hosts_entry",
    "e0.hosts_entry",
    "main.hosts_entry",
    "temp.hosts_entry",
    "sources",
    "timeline",
    "sqlite_master",
];

/// Statements that read more than the tables, or never end.
const REACHES: &[&str] = &[
    "ATTACH 'x' AS x",
    "ATTACH DATABASE '/etc/passwd' AS x",
    "ATTACH 'file:/etc/passwd?mode=ro' AS x",
    "DETACH e0",
    "VACUUM",
    "VACUUM INTO '/tmp/copy'",
    "VACUUM e0 INTO 'copy'",
    "PRAGMA table_list",
    "PRAGMA writable_schema = 1",
    "PRAGMA hard_heap_limit = 0",
    "PRAGMA trusted_schema = 1",
    "PRAGMA query_only = 0",
    "SELECT * FROM pragma_table_list",
    "SELECT * FROM pragma_database_list",
    "SELECT * FROM pragma_function_list()",
    "SELECT load_extension('x')",
    "SELECT readfile('/etc/passwd')",
    "SELECT writefile('x', 'y')",
    "SELECT edit('x')",
    "SELECT fts3_tokenizer('simple')",
    "SELECT randomblob(9)",
    "SELECT random()",
    "SELECT datetime('now')",
    "SELECT date()",
    "SELECT CURRENT_TIMESTAMP",
    "SELECT sqlite_version()",
    "SELECT sqlite_compileoption_get(0)",
    "SELECT last_insert_rowid()",
    "SELECT changes()",
    "SELECT * FROM dbstat",
    "SELECT * FROM sqlite_stat1",
    "SELECT * FROM sqlite_dbpage",
    "SELECT * FROM generate_series(1, 9)",
    "SELECT * FROM fsdir('.')",
    "CREATE VIRTUAL TABLE x USING fts5(y)",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT x",
    "SELECT 1; DELETE FROM hosts_entry",
    "SELECT 1; SELECT 2",
    "SELECT ?",
    "SELECT :name",
    "",
    "-- nothing",
    ";",
    "SELECT",
    "SELECT \"no such column\" FROM hosts_entry",
    "\u{0}SELECT 1",
];

/// Tables that no statement may read, to be counted: counting asks for no column.
const COUNTED: &[&str] = &[
    "sqlite_master",
    "sqlite_schema",
    "sqlite_temp_master",
    "e0.sqlite_master",
    "temp.sqlite_master",
    "pragma_table_list",
    "pragma_database_list",
    "pragma_hard_heap_limit(1)",
    "pragma_writable_schema(1)",
    "dbstat",
    "sqlite_stat1",
    "layouts",
    "e0.layouts",
];

/// SELECTs that are allowed and must end within their limits.
const GREEDY: &[&str] = &[
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n",
    "SELECT zeroblob(100000000000)",
    "SELECT length(zeroblob(2000000000))",
    "SELECT printf('%1000000000d', 1)",
    "SELECT hex(zeroblob(60000000))",
    "SELECT replace(hex(zeroblob(1000000)), '0', hex(zeroblob(1000000)))",
    "SELECT group_concat(hex(zeroblob(1000000))) FROM dir_entry a, dir_entry b, dir_entry c, dir_entry d",
    "SELECT 1e999, -1e999, 9223372036854775807 + 1",
    "SELECT 'a' LIKE '%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%b'",
    "SELECT * FROM json_each('[' || substr(hex(zeroblob(400)), 1, 400) || ']')",
];

#[test]
fn statements_that_want_more_than_to_read_are_refused_and_change_nothing() {
    let asking = Asking::new();
    let before = fs::read(&asking.file).unwrap();
    let writes = WRITES.iter().flat_map(|sql| TARGETS.iter().map(|target| sql.replace("{}", target)));
    let counts = COUNTED.iter().map(|name| format!("SELECT count(*) FROM {name}"));
    let all: Vec<String> = counts.chain(writes).chain(REACHES.iter().map(|sql| (*sql).to_owned())).collect();
    assert!(all.len() >= 200, "{}", all.len());
    for sql in &all {
        let reply = asking.ask(sql);
        assert!(matches!(reply, AnswerReply::Refused { .. }), "{sql:?}: {reply:?}");
    }
    assert_eq!(fs::read(&asking.file).unwrap(), before);
    assert_eq!(asking.answer("SELECT count(*) FROM hosts_entry").rows.len(), 1);
}

#[test]
fn a_statement_that_never_ends_or_wants_too_much_is_bounded() {
    let asking = Asking::new();
    for sql in GREEDY {
        match asking.ask(sql) {
            AnswerReply::Answered(answer) => assert!(answer.rows.len() <= 1000, "{sql}"),
            AnswerReply::Refused { .. } => {}
            other => panic!("{sql}: {other:?}"),
        }
    }
}

#[test]
fn a_file_with_another_schema_is_no_table() {
    let asking = Asking::new();
    for change in [
        "CREATE TABLE extra (x)",
        "DROP TABLE hosts_entry",
        "ALTER TABLE hosts_entry RENAME TO x; CREATE VIEW hosts_entry AS SELECT * FROM x",
        "CREATE TRIGGER t AFTER INSERT ON gaps BEGIN DELETE FROM gaps; END",
        "CREATE INDEX i ON gaps (path)",
        "ALTER TABLE hosts_entry RENAME COLUMN address TO other",
    ] {
        let changed = asking.home.path().join("changed");
        fs::copy(&asking.file, &changed).unwrap();
        rusqlite::Connection::open(&changed).unwrap().execute_batch(change).unwrap();
        let asked = Asked { files: asking.with("hosts", &changed), sql: "SELECT 1".to_owned(), limit: 1 };
        let reply = asking.send(&Request::AskTables(asked));
        assert!(matches!(reply, AnswerReply::Failed { .. }), "{change}: {reply:?}");
    }
    for bytes in [&b""[..], b"SQLite format 3\0", b"no database at all, but long enough to be read as one"] {
        let changed = asking.home.path().join("changed");
        write(&changed, bytes);
        let (evidence, table) = ("e".to_owned(), "hosts_entry".to_owned());
        let files = asking.with("hosts", &changed);
        let reply = asking.send(&Request::ReadRow(AskedRow { files, evidence, table, row: 1 }));
        assert!(matches!(reply, AnswerReply::Failed { .. }), "{reply:?}");
    }
}

#[test]
fn a_wrong_name_is_answered_with_the_nearest() {
    let asking = Asking::new();
    for (sql, near) in [
        ("SELECT * FROM host_entry", "hosts_entry"),
        ("SELECT adress FROM hosts_entry", "address"),
        ("SELECT h.nam FROM hosts_entry h", "name"),
        ("SELECT path FROM hosts_entry", "_path"),
    ] {
        let AnswerReply::Refused { reason } = asking.ask(sql) else { panic!("{sql}") };
        assert!(reason.contains(near), "{sql}: {reason}");
    }
}

#[test]
fn equal_evidence_gives_equal_tables_and_another_row_another_digest() {
    let build = |lines: &str| {
        let asking = Asking::over(lines);
        asking.built.into_iter().find(|table| table.table == "hosts_entry").unwrap()
    };
    let one = build("203.0.113.9 a.example\n203.0.113.9 b.example\n");
    assert_eq!(one, build("203.0.113.9 a.example\n203.0.113.9 b.example\n"));
    assert_ne!(one.digest, build("203.0.113.9 b.example\n203.0.113.9 a.example\n").digest);
    assert_ne!(one.digest, build("203.0.113.8 a.example\n203.0.113.9 b.example\n").digest);
}

/// Returns the digests of all tables computed from the rows, with this file in place of that of a group.
fn hashed(asking: &Asking, group: &str, file: &Path) -> Result<BTreeMap<String, String>, AnswerReply> {
    let files = asking.with(group, file);
    match asking.send(&Request::HashTables { files }) {
        AnswerReply::Answered(answer) => Ok(answer
            .rows
            .iter()
            .map(|row| match (&row[1], &row[3]) {
                (Cell::Text(table), Cell::Text(digest)) => (table.clone(), digest.clone()),
                other => panic!("{other:?}"),
            })
            .collect()),
        other => Err(other),
    }
}

#[test]
fn a_changed_column_and_a_deleted_row_change_the_digest_of_their_table() {
    let asking = Asking::new();
    let built: BTreeMap<_, _> =
        asking.built.iter().map(|told| (told.table.clone(), told.digest.to_string())).collect();
    assert_eq!(hashed(&asking, "hosts", &asking.file).unwrap(), built);
    let changed = asking.home.path().join("changed");
    let mut changes = 0;
    for table in built.keys() {
        let group = TableGroup::of_table(table).unwrap().name();
        let file = asking.home.path().join(group);
        let connection = rusqlite::Connection::open(&file).unwrap();
        let statement = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns: Vec<_> = statement.column_names().map(str::to_owned).collect();
        let rows: i64 =
            connection.query_row(&format!("SELECT max(_row) FROM {table}"), [], |row| row.get(0)).unwrap();
        let flips = columns.iter().map(|column| match column.as_str() {
            "_row" => format!("UPDATE {table} SET _row = 99999 WHERE _row = {rows}"),
            "_source" | "_seq" => {
                format!("UPDATE {table} SET {column} = {column} + 1 WHERE _row = {rows}")
            }
            "_places" => format!("UPDATE {table} SET _places = '1+1 ' WHERE _row = {rows}"),
            column => format!(
                "UPDATE {table} SET \"{column}\" = coalesce(\"{column}\", '') || 'x' WHERE _row = {rows}"
            ),
        });
        let deletions = (1..=rows).map(|row| format!("DELETE FROM {table} WHERE _row = {row}"));
        for sql in flips.chain(deletions).chain(["UPDATE layouts SET places = '9+9 '".to_owned()]) {
            fs::copy(&file, &changed).unwrap();
            rusqlite::Connection::open(&changed).unwrap().execute_batch(&sql).unwrap();
            let found = hashed(&asking, group, &changed).unwrap();
            let is_other = found.get(table) != built.get(table);
            // Records of folders have no bytes, and no layout.
            assert!(is_other || sql.contains("layouts") && table == "dir_entry", "{sql}");
            changes += 1;
        }
    }
    assert!(changes > 30, "{changes}");
}

#[test]
fn several_pieces_of_evidence_are_one_table_and_a_label_is_only_text() {
    let asking = Asking::new();
    let hostile = "x' UNION SELECT 1; --\"";
    let labels = ["a".to_owned(), hostile.to_owned()];
    let of = |labels: &mut dyn Iterator<Item = String>| {
        TableFiles::from([("hosts".to_owned(), labels.map(|label| (label, asking.file.clone())).collect())])
    };
    let files = of(&mut labels.into_iter());
    let sql = "SELECT _evidence, count(*) FROM hosts_entry GROUP BY 1 ORDER BY 1".to_owned();
    let AnswerReply::Answered(answer) = asking.send(&Request::AskTables(Asked { files, sql, limit: 9 }))
    else {
        panic!("no answer")
    };
    let labels: Vec<_> = answer.rows.iter().map(|row| serde_json::json!(row[0])).collect();
    assert_eq!(labels, ["a", hostile]);
    let count = |most: u32| {
        let files = of(&mut (0..most).map(|number| number.to_string()));
        let sql = "SELECT count(DISTINCT _evidence) FROM hosts_entry".to_owned();
        asking.send(&Request::AskTables(Asked { files, sql, limit: 1 }))
    };
    let AnswerReply::Answered(answer) = count(125) else { panic!("no answer") };
    assert_eq!(answer.rows, [[Cell::Integer(125)]]);
    assert!(matches!(count(126), AnswerReply::Refused { .. }));
}

#[test]
fn a_statement_needs_the_groups_of_the_tables_that_it_reads() {
    let asking = Asking::new();
    let groups = |sql: &str| match asking.send(&Request::GroupsOf { sql: sql.to_owned() }) {
        AnswerReply::Groups { groups } => groups,
        other => panic!("{sql}: {other:?}"),
    };
    assert_eq!(groups("SELECT 1"), [""; 0]);
    assert_eq!(groups("SELECT name FROM tables JOIN columns USING (name)"), [""; 0]);
    assert_eq!(groups("SELECT count(*) FROM hosts_entry"), ["hosts"]);
    assert_eq!(
        groups("SELECT * FROM Hosts_Entry WHERE _path IN (SELECT path FROM dir_entry)"),
        ["file_system", "hosts"]
    );
    assert_eq!(groups("WITH x AS (SELECT 1 FROM logon) SELECT count(*) FROM x"), ["event_log"]);
    assert_eq!(groups("SELECT count(*) FROM logons"), ["event_log"]);
    assert_eq!(groups("SELECT url FROM browsing WHERE 0"), ["chromium_history", "index_dat"]);
    let all: Vec<_> = TableGroup::all().into_iter().map(|group| group.name().to_owned()).collect();
    for sql in ["SELECT * FROM gaps", "SELECT count(*) FROM sources"] {
        assert_eq!(groups(sql), all, "{sql}");
    }
    assert!(groups("SELECT max(time) FROM timeline").len() > 20);
}
