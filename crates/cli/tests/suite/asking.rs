//! `locard sql`: the records of a case as tables, made once, asked many times.

use crate::support::{Place, demo_folder, str, text};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn asked(place: &Place, more: &[&str]) -> String {
    let demo = demo_folder();
    place.locard_ends(0, &[&["sql", str(&demo), "--cache", "cache"], more].concat())
}

#[test]
fn every_question_of_the_documentation_has_an_answer_in_the_demo() {
    let place = Place::new();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tables.md");
    let page = fs::read_to_string(page).unwrap();
    let questions: Vec<_> = page
        .split("```sql\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("```"))
        .map(|(sql, _)| sql)
        .collect();
    assert_eq!(questions.len(), 20);
    for sql in questions {
        let answer: Value = serde_json::from_str(&asked(&place, &["--format", "json", sql])).unwrap();
        assert!(!answer["rows"].as_array().unwrap().is_empty(), "{sql}");
        assert_eq!(answer["stopped"], Value::Null, "{sql}");
    }
}

#[test]
fn tables_are_listed_described_and_read_row_by_row() {
    let place = Place::new();
    let listed = asked(&place, &[]);
    assert!(listed.contains("user_assist") && listed.contains("sources"), "{listed}");
    assert!(!listed.contains("srum_network"), "a table without rows is listed\n{listed}");
    let described = asked(&place, &["user_assist"]);
    assert!(described.contains("run_count") && described.contains("_offset"), "{described}");
    let record = asked(&place, &["--evidence", "alder-07", "user_assist#1"]);
    assert!(record.contains("value_path:") && record.contains("0x"), "{record}");
}

#[test]
fn rows_are_given_for_people_spreadsheets_and_programs() {
    let place = Place::new();
    let sql =
        "SELECT 'a,\"b' AS text, 1 AS number, NULL AS none, '=1+1' AS formula, char(27) || '[31m' AS red";
    let csv = asked(&place, &["--format", "csv", sql]);
    assert_eq!(csv, "text,number,none,formula,red\r\n\"a,\"\"b\",1,,'=1+1,\\u{1b}[31m\r\n");
    let line = asked(&place, &["--format", "jsonl", sql]);
    assert!(!line.contains('\u{1b}') && line.lines().count() == 1, "{line}");
    let row: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(
        (&row["number"], &row["none"], row["red"].as_str()),
        (&1.into(), &Value::Null, Some("\u{1b}[31m"))
    );
    let shown = asked(&place, &[sql]);
    assert!(shown.contains("\\u{1b}[31m") && shown.ends_with("1 row\n"), "{shown}");
}

#[test]
fn equal_evidence_has_equal_digests_wherever_it_lies() {
    let place = Place::new();
    let hosts = "Windows/System32/drivers/etc/hosts";
    for (folder, line) in [("a/evidence", "one"), ("b/evidence", "one"), ("c/evidence", "two")] {
        place.file(&format!("{folder}/{hosts}"), format!("203.0.113.9 {line}.example\n"));
    }
    let digest = |folder: &str| {
        let told = place.locard_ends(0, &["sql", folder, "--no-cache", "--digests", "--format", "csv"]);
        told.lines().find(|line| line.contains(",hosts_entry,1,")).unwrap().to_owned()
    };
    assert_eq!(digest("a/evidence"), digest("b/evidence"));
    assert_ne!(digest("a/evidence"), digest("c/evidence"));
}

#[test]
fn an_empty_answer_says_that_it_shows_no_absence_and_what_was_not_read() {
    let place = Place::new();
    place.file("evidence/Windows/System32/drivers/etc/hosts", "203.0.113.9 one.example\n");
    let said = |sql: &str| {
        let output = place.locard(&["sql", "evidence", "--cache", "cache", sql]);
        assert_eq!(output.status.code(), Some(0));
        text(&output.stderr)
    };
    let none = said("SELECT * FROM user_account");
    assert!(
        none.contains("does not prove its absence") && none.contains("could hold user_account"),
        "{none}"
    );
    let none = said("SELECT * FROM hosts_entry WHERE name = 'two.example'");
    assert!(none.contains("does not prove its absence") && !none.contains("could hold"), "{none}");
    assert!(said("SELECT * FROM logons").contains("logon_failed"));
    assert!(said("SELECT * FROM hosts_entry").is_empty());
    // Nothing left out and nothing damaged is an answer.
    assert!(said("SELECT * FROM gaps").is_empty() && said("SELECT * FROM defects").is_empty());
}

#[test]
fn columns_of_one_name_and_counts_of_named_rows_are_all_answered() {
    let place = Place::new();
    let line = asked(&place, &["--format", "jsonl", "SELECT 1 AS a, 2 AS a, 3 AS b"]);
    assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), serde_json::json!({"a": 1, "a:2": 2, "b": 3}));
    let sql = "WITH x AS (SELECT DISTINCT program FROM user_assist) SELECT count(*) > 0 AS some FROM x";
    assert!(asked(&place, &["--format", "csv", sql]).ends_with("\r\n1\r\n"));
    assert!(asked(&place, &["USER_ASSIST"]).contains("run_count"));
    assert!(asked(&place, &["sources"]).contains("event_log"));
    let fields = asked(&place, &["--evidence", "alder-07", "--format", "csv", "user_assist#1"]);
    assert!(fields.starts_with("field,value,offset,length\r\n"), "{fields}");
}

#[test]
fn times_of_every_precision_stand_in_their_order() {
    let place = Place::new();
    let times = asked(&place, &["--format", "csv", "SELECT time FROM timeline ORDER BY time"]);
    // The second, and its fraction in nanoseconds.
    let instant = |text: &str| {
        let (second, fraction) = text.split_once('.').unwrap_or((text, ""));
        (second.to_owned(), format!("{fraction:0<9}"))
    };
    let times: Vec<_> = times.lines().skip(1).filter(|time| !time.ends_with("local")).collect();
    assert!(times.len() > 100 && times.iter().all(|time| !time.ends_with('Z')));
    assert!(times.iter().any(|time| !time.contains('.')) && times.iter().any(|time| time.contains('.')));
    for pair in times.windows(2) {
        assert!(instant(pair[0]) <= instant(pair[1]), "{pair:?}");
    }
}

#[test]
fn a_kept_file_that_is_none_or_anothers_is_not_taken() {
    let place = Place::new();
    for (name, line) in [("a", "one"), ("b", "two")] {
        place.file(
            &format!("{name}/Windows/System32/drivers/etc/hosts"),
            format!("203.0.113.9 {line}.example\n"),
        );
    }
    let ask = |name: &str| {
        let sql = "SELECT names FROM hosts_entry";
        let output =
            place.locard(&["sql", name, "--cache", name.to_uppercase().as_str(), "--format", "csv", sql]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        (text(&output.stdout), text(&output.stderr))
    };
    ask("a");
    ask("b");
    let kept = |name: &str, json: bool| {
        let mut entries = fs::read_dir(place.path(name)).unwrap().map(|entry| entry.unwrap().path());
        entries.find(|path| path.extension().is_some() == json).unwrap()
    };
    for json in [false, true] {
        fs::remove_file(kept("B", json)).unwrap();
    }
    // Both files of the other one, under this one's names.
    let (own, _) = ask("b");
    for json in [false, true] {
        let (from, to) = (kept("A", json), kept("B", json));
        let bytes = fs::read(from).unwrap();
        fs::remove_file(&to).unwrap();
        place.file(str(&to), bytes);
    }
    let (answer, said) = ask("b");
    assert_eq!(answer, own);
    assert!(said.contains("made again"), "{said}");
}

#[test]
fn what_cannot_be_answered_ends_with_2_and_says_what_there_is() {
    let place = Place::new();
    let demo = demo_folder();
    let refused = |arguments: &[&str], words: &[&str]| {
        let output = place.locard(&[&["sql", str(&demo), "--cache", "cache"], arguments].concat());
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}\n{err}");
        for word in words {
            assert!(err.contains(word), "{arguments:?}: {word}\n{err}");
        }
    };
    refused(&["SELECT * FROM prefech"], &["no such table: prefech", "prefetch"]);
    refused(&["SELECT last_ran FROM prefetch"], &["no such column: last_ran", "last_run"]);
    refused(&["DELETE FROM prefetch"], &["prefetch"]);
    refused(&["user_assist#1"], &["alder-07", "alder-fs01"]);
    refused(&["--evidence", "alder-07", "user_assist#99999"], &["has no row 99999"]);
    refused(&["--evidence", "elsewhere", "SELECT 1"], &["no evidence \"elsewhere\"", "alder-07"]);
}

#[test]
fn kept_tables_are_used_until_the_evidence_or_they_themselves_change() {
    let place = Place::new();
    let hosts = "evidence/Windows/System32/drivers/etc/hosts";
    place.file(hosts, "203.0.113.9 one.example\n");
    let ask = || {
        let sql = "SELECT names FROM hosts_entry";
        let output = place.locard(&["sql", "evidence", "--cache", "cache", "--format", "csv", sql]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        (text(&output.stdout).lines().nth(1).unwrap().to_owned(), text(&output.stderr))
    };
    let kept = || {
        let entries = fs::read_dir(place.path("cache")).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = entries.filter(|path| path.extension().is_none()).collect();
        files.sort();
        files
    };
    assert!(ask().0.contains("one.example"));
    let first = kept();
    assert_eq!(first.len(), 1);
    assert!(ask().0.contains("one.example"));
    assert_eq!(kept(), first);

    // Every byte of a kept file counts.
    let mut bytes = fs::read(&first[0]).unwrap();
    let middle = bytes.windows(11).position(|window| window == b"one.example").unwrap();
    bytes[middle] = b'X';
    fs::remove_file(&first[0]).unwrap();
    place.file(str(&first[0]), &bytes);
    let (answer, said) = ask();
    assert!(answer.contains("one.example") && said.contains("made again"), "{answer} {said}");
    assert!(ask().1.is_empty());

    place.file(hosts, "203.0.113.9 two.example\n");
    assert!(ask().0.contains("two.example"));
    assert_eq!(kept().len(), 2);
}
