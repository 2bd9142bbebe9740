//! Statements and schemas that try to get something into a record that is in no row.

use crate::sqlite::{Desk, columns, notes};
use ledger::{Completeness, FieldValue, Outcome, Record};
use proptest::prelude::*;
use rusqlite::Connection;
use rusqlite::types::Value;
use serde_json::json;
use tools::Return;

const SCHEMA: &str = "
    CREATE TABLE urls(id INTEGER PRIMARY KEY, url TEXT COLLATE NOCASE, title TEXT, n INTEGER);
    CREATE TABLE logins(id INTEGER PRIMARY KEY, url TEXT, user TEXT);
    CREATE TABLE \"we\"\"ird/..\"(\"a b\" TEXT, \"c\"\"d\");
    CREATE TABLE keyed(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
    CREATE INDEX upper_url ON urls(upper(url));
    CREATE INDEX by_title ON urls(title);
    CREATE VIEW fake AS SELECT 'EVIL' AS url FROM urls;
    INSERT INTO urls VALUES(1, 'one', 'Alpha', 1), (2, 'two', 'Beta', 2), (3, 'three', NULL, 3), (4, 'ONE', 'Alpha', 1);
    INSERT INTO logins VALUES(1, 'one', 'ann'), (2, 'two', 'bob'), (3, 'four', 'cid');
    INSERT INTO \"we\"\"ird/..\" VALUES('x', 'y');
    INSERT INTO keyed VALUES('k1', 'v1'), ('k2', 'v2');";

/// Checks that every field of every record is in one row of its table, by reading the table independently.
fn grounded(desk: &Desk, returned: &Return) {
    let database = Connection::open(desk.path("db")).unwrap();
    for record in &returned.records {
        let table = field(record, "table").unwrap();
        let quoted = table.replace('"', "\"\"");
        let mut statement = database.prepare(&format!("SELECT * FROM \"{quoted}\" NOT INDEXED")).unwrap();
        let names: Vec<_> = statement.column_names().map(str::to_owned).collect();
        let mut rows = statement.query([]).unwrap();
        let mut found = false;
        while let Some(row) = rows.next().unwrap() {
            let holds = |(name, field): (&String, &ledger::Field)| {
                let own = ["row", "database", "table", "rowid", "state", "equal_rows", "truncated"];
                if own.contains(&name.as_str()) {
                    return true;
                }
                let index = names.iter().position(|column| column == name);
                let index = index.unwrap_or_else(|| panic!("{name} is no column of {table}"));
                match (row.get::<_, Value>(index).unwrap(), &field.value) {
                    (Value::Integer(stored), FieldValue::Integer(given)) => i128::from(stored) == *given,
                    (Value::Text(stored), FieldValue::Text(given)) => stored == *given,
                    (Value::Blob(stored), FieldValue::Bytes(given)) => ledger::digest::hex(&stored) == *given,
                    (Value::Real(stored), FieldValue::Text(given)) => given.parse() == Ok(stored),
                    _ => false,
                }
            };
            found |= record.fields.iter().all(holds);
        }
        assert!(found, "stands in no row: {record:?}");
    }
}

fn field(record: &Record, name: &str) -> Option<String> {
    record.fields.get(name).map(|field| field.value.to_text().into_owned())
}

#[test]
fn nothing_that_a_statement_says_becomes_a_record() {
    let desk = Desk::new(SCHEMA);
    for sql in [
        "SELECT 'EVIL' AS url",
        "SELECT 'EVIL' AS url FROM urls",
        "SELECT url FROM urls UNION SELECT 'EVIL'",
        "SELECT url FROM urls UNION ALL SELECT 'EVIL' ORDER BY 1",
        "SELECT url, title FROM urls UNION ALL SELECT 'EVIL', 'Alpha'",
        "SELECT url, title FROM urls UNION ALL SELECT 'one', 'EVIL'",
        "SELECT url FROM (SELECT url FROM urls UNION SELECT 'EVIL')",
        "SELECT url FROM urls INTERSECT SELECT 'EVIL'",
        "SELECT 'EVIL' AS url FROM urls EXCEPT SELECT url FROM urls",
        "WITH urls(url) AS (VALUES('EVIL')) SELECT url FROM urls",
        "WITH u(url) AS (SELECT url FROM urls UNION ALL SELECT 'EVIL') SELECT u.url FROM u",
        "WITH RECURSIVE r(url) AS (SELECT url FROM urls UNION SELECT url || 'EVIL' FROM r WHERE length(url) < 9) SELECT url FROM r",
        "SELECT (SELECT 'EVIL') AS url, title FROM urls",
        "SELECT max('EVIL') AS url FROM urls",
        "SELECT upper(url), url || 'EVIL', count(*), sum(n), n + 1, CAST(n AS TEXT) || 'EVIL' FROM urls",
        "SELECT CASE WHEN n > 1 THEN 'EVIL' ELSE url END AS url FROM urls",
        "SELECT coalesce(title, 'EVIL') AS title FROM urls",
        "SELECT lag(title, 1, 'EVIL') OVER (ORDER BY id) AS title FROM urls",
        "SELECT json_each.value FROM json_each('[\"EVIL\"]')",
        "SELECT urls.url, json_each.value FROM urls, json_each('[\"EVIL\"]')",
        "SELECT x'4556494c' AS url, 'EVIL' COLLATE NOCASE FROM urls",
        "SELECT urls.url, logins.user FROM logins RIGHT JOIN urls ON logins.user = 'EVIL'",
        "SELECT title FROM urls GROUP BY title HAVING max(url) <> 'EVIL'",
        "SELECT rowid + 99 AS rowid, 'EVIL' AS \"table\", url FROM urls",
        "SELECT printf('%s', 'EVIL') AS \"row\", url FROM urls /* EVIL */ -- EVIL",
        "SELECT \"a b\" AS EVIL, \"c\"\"d\" FROM \"we\"\"ird/..\" AS EVIL",
        "SELECT k, 'EVIL' AS v FROM keyed",
        "SELECT group_concat(url || 'EVIL') AS url FROM urls",
        "SELECT url FROM urls WHERE url <> 'EVIL' ORDER BY url = 'EVIL'",
        "SELECT replace(url, 'o', 'EVIL') AS url FROM urls",
    ] {
        let returned = desk.query(sql);
        assert_ne!(returned.outcome, Outcome::Failed, "{sql}: {:?}", returned.notes);
        let stored = serde_json::to_string(&returned.records).unwrap().to_lowercase();
        assert!(!stored.contains("evil") && !stored.contains("4556494c"), "{sql}: {stored}");
        grounded(&desk, &returned);
    }
}

#[test]
fn values_of_two_rows_are_no_row() {
    let desk = Desk::new(SCHEMA);
    for sql in [
        "SELECT a.url, b.title FROM urls a, urls b WHERE a.id = 1 AND b.id = 2",
        "SELECT a.url, b.url FROM urls a, urls b WHERE a.id = 1 AND b.id = 2",
        "SELECT url, (SELECT title FROM urls WHERE id = 2) FROM urls WHERE id = 3",
        "SELECT lower(url), max(n), (SELECT url FROM urls WHERE id = 2), (SELECT id FROM urls WHERE id = 3) FROM urls",
        "SELECT id, url FROM urls WHERE id = 1 UNION SELECT id, user FROM logins WHERE id = 3 ORDER BY 1 DESC LIMIT 1",
    ] {
        let returned = desk.query(sql);
        assert_eq!(returned.outcome, Outcome::Empty, "{sql}: {:?}", columns(&returned));
        assert!(
            notes(&returned).contains("do not stand together in one of its rows"),
            "{sql}: {:?}",
            returned.notes
        );
    }
    let same = desk.query("SELECT a.url, b.title FROM urls a, urls b WHERE a.id = 2 AND b.id = 2");
    assert_eq!(columns(&same), ["db/urls/2 title=Beta url=two"]);
}

#[test]
fn rows_of_nothing_but_null_are_no_absence() {
    let desk = Desk::new(SCHEMA);
    let returned = desk.query("SELECT title FROM urls WHERE id = 3");
    assert_eq!((returned.outcome, returned.completeness), (Outcome::Empty, Completeness::Truncated));
    assert!(notes(&returned).contains("hold only NULL"), "{:?}", returned.notes);
    assert_eq!(columns(&desk.query("SELECT id, title FROM urls WHERE id = 3")), ["db/urls/3 id=3"]);
    let counted = desk.query("SELECT count(*) FROM urls");
    assert_eq!((counted.outcome, counted.completeness), (Outcome::Empty, Completeness::Truncated));
    assert!(notes(&counted).contains("count(*) = 4"));
}

#[test]
fn letter_case_and_types_are_compared_exactly() {
    let desk = Desk::new(
        "CREATE TABLE t(a COLLATE NOCASE); INSERT INTO t VALUES('One'), (1), ('1'), (1.0), (x'31');",
    );
    let returned = desk.query("SELECT a FROM t UNION ALL SELECT 'ONE' UNION ALL SELECT '1.0'");
    assert_eq!(returned.records.len(), 5);
    let kinds: Vec<_> = returned.records.iter().map(|record| record.fields["a"].value.clone()).collect();
    assert_eq!(kinds[0], FieldValue::Text("One".into()));
    assert_eq!(
        [kinds[1].clone(), kinds[4].clone()],
        [FieldValue::Integer(1), FieldValue::Bytes("31".into())]
    );
    let distinct = desk.query("SELECT 'ONE' FROM t WHERE a = 'ONE'");
    assert_eq!(distinct.outcome, Outcome::Empty);
}

#[test]
fn an_index_that_says_something_else_than_its_table_is_not_believed() {
    let desk = Desk::new(
        "CREATE TABLE t(a TEXT, pad TEXT); INSERT INTO t VALUES('honest', hex(zeroblob(3000)));
         CREATE INDEX i ON t(a);",
    );
    let mut bytes = std::fs::read(desk.path("db")).unwrap();
    let places: Vec<_> = (0..=bytes.len() - 6).filter(|at| &bytes[*at..*at + 6] == b"honest").collect();
    // The table begins on the second page; the other copy of the value is the index's.
    let [forged] = *places.iter().copied().filter(|at| at / 4096 != 1).collect::<Vec<_>>() else {
        panic!("{places:?}")
    };
    bytes[forged..forged + 6].copy_from_slice(b"forged");
    crate::fixture::write(desk.folder.path(), "db", &bytes);
    let returned = desk.query("SELECT a FROM t WHERE a > ''");
    let stored = serde_json::to_string(&returned.records).unwrap();
    assert!(!stored.contains("forged"), "{stored}");
    assert!(notes(&returned).contains("do not stand together"), "{:?}", returned.notes);
    assert_eq!(columns(&desk.query("SELECT a, pad FROM t WHERE pad <> ''"))[0][..11], *"db/t/1 a=ho");
    assert_eq!(desk.tables().records.len(), 1);
}

#[test]
fn views_virtual_tables_and_triggers_run_no_code() {
    let desk = Desk::new(
        "CREATE TABLE t(a); INSERT INTO t VALUES('x');
         CREATE VIEW v AS SELECT 'EVIL' AS a FROM t;
         CREATE VIRTUAL TABLE f USING fts5(body); INSERT INTO f VALUES('hidden words');
         CREATE VIRTUAL TABLE r USING rtree(id, lo, hi);
         CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END;",
    );
    for sql in ["SELECT a FROM v", "SELECT body FROM f", "SELECT * FROM r", "SELECT f FROM f('hidden')"] {
        let returned = desk.query(sql);
        assert_eq!(returned.outcome, Outcome::Failed, "{sql}");
        assert!(notes(&returned).contains("is not read"), "{sql}: {:?}", returned.notes);
    }
    let shadow = desk.query("SELECT c0 FROM f_content");
    assert_eq!(columns(&shadow), ["db/f_content/1 c0=hidden words"]);
}

#[test]
fn a_tampered_schema_is_read_as_far_as_it_goes() {
    let tampered = |change: &str| {
        let desk = Desk::new(
            "CREATE TABLE a(x); INSERT INTO a VALUES('in a'); CREATE TABLE b(y); INSERT INTO b VALUES('in b');",
        );
        let database = Connection::open(desk.path("db")).unwrap();
        database.execute_batch(&format!("PRAGMA writable_schema=ON; {change}")).unwrap();
        drop(database);
        desk
    };
    let desk = tampered("UPDATE sqlite_master SET rootpage = 2 WHERE name = 'b'");
    assert!(
        desk.tables().defects.iter().any(|defect| defect.what.contains("same page")),
        "{:?}",
        desk.tables()
    );
    let desk = tampered("UPDATE sqlite_master SET name = 'other', tbl_name = 'other' WHERE name = 'b'");
    desk.tables();
    desk.query("SELECT * FROM other");
    let desk = tampered("INSERT INTO sqlite_master VALUES('table', 'c', 'c', 9, 'CREATE TABLE c(')");
    let listed = desk.tables();
    assert!(!listed.defects.is_empty() && listed.records.len() >= 2, "{listed:?}");
    let rows = desk.query("SELECT x FROM a");
    assert_eq!(columns(&rows), ["db/a/1 x=in a"]);
    assert!(!rows.defects.is_empty());
    let desk = tampered(
        "UPDATE sqlite_master SET sql = CAST(x'435245415445205441424c45206228ff2920' AS TEXT) WHERE name = 'b'",
    );
    desk.tables();
    assert_eq!(columns(&desk.query("SELECT x FROM a")), ["db/a/1 x=in a"]);
    desk.query("SELECT * FROM b");
    desk.query("SELECT *, 1 FROM a, b");
}

#[test]
fn a_column_added_later_gives_old_rows_its_default() {
    let desk =
        Desk::new("CREATE TABLE t(a); INSERT INTO t VALUES('x'); ALTER TABLE t ADD COLUMN b DEFAULT 'dflt';");
    assert_eq!(columns(&desk.query("SELECT a, b FROM t")), ["db/t/1 a=x b=dflt"]);
}

const COLUMNS: [&str; 12] = [
    "u.url",
    "u.title",
    "u.id",
    "w.url",
    "w.title",
    "l.user",
    "l.url",
    "'EVIL'",
    "upper(u.url)",
    "u.n",
    "u.rowid",
    "max(u.url)",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]
    #[test]
    fn every_record_of_every_statement_is_a_row(
        picked in prop::collection::vec(0usize..COLUMNS.len(), 1..5),
        compound in 0usize..4, aliased in any::<bool>(), condition in 0usize..4
    ) {
        let desk = Desk::new(SCHEMA);
        let list: Vec<_> = picked.iter().enumerate().map(|(at, column)| {
            let alias = ["url", "title", "rowid", "row"][at % 4];
            if aliased { format!("{} AS \"{alias}\"", COLUMNS[*column]) } else { COLUMNS[*column].to_owned() }
        }).collect();
        let condition = ["1", "u.id = w.id", "l.url = u.url", "u.id < w.id"][condition];
        let literals = vec!["'EVIL'"; picked.len()].join(", ");
        let tail = [String::new(), format!(" UNION SELECT {literals}"), format!(" UNION ALL SELECT {literals}"), format!(" EXCEPT SELECT {literals}")];
        let sql = format!("SELECT {} FROM urls u, urls w, logins l WHERE {condition}{}", list.join(", "), tail[compound]);
        let returned = desk.call("sqlite_query", &json!({ "path": "db", "sql": sql, "limit": 50 }));
        prop_assert_ne!(returned.outcome, Outcome::Failed, "{}: {:?}", sql, returned.notes);
        prop_assert!(!serde_json::to_string(&returned.records).unwrap().contains("EVIL"));
        grounded(&desk, &returned);
    }
}
