//! Prefetch files, shortcuts, jump lists, programs and marks of downloads, as calls return them.

use crate::fixture::{Fixture, text, value, write};
use ledger::{FieldValue, Outcome, Record};
use serde_json::json;
use std::path::Path;
use testkit::prefetch::{self, Spec, compressed};
use tools::{Return, run};

const PREFETCH: &str = "C/Windows/Prefetch/NOTEPAD.EXE-C0FFEE01.pf";
const RECENT: &str = "C/Users/ann/AppData/Roaming/Microsoft/Windows/Recent";

fn files(tool: &str, arguments: serde_json::Value) -> Vec<Record> {
    let mut arguments = arguments;
    arguments["evidence"] = json!("files");
    Fixture::new().ok(tool, arguments).records
}

fn parse(folder: &Path, path: &str) -> Return {
    let tree = evidence::open_directory(folder, "files").unwrap();
    let scratch = tempfile::tempdir().unwrap();
    run("parse_file", &json!({ "path": path }), &[Box::new(tree)], scratch.path())
}

#[test]
fn a_prefetch_file_tells_its_program_and_only_alone_its_files() {
    let alone = files("parse_file", json!({ "path": PREFETCH }));
    let kinds: Vec<_> = alone.iter().map(|record| record.kind.as_str()).collect();
    assert_eq!(kinds, ["prefetch", "prefetch_file", "prefetch_file"]);
    let program = &alone[0];
    assert_eq!(text(program, "executable"), "NOTEPAD.EXE");
    assert_eq!(text(program, "program_path"), "\\VOLUME{01d0}\\WINDOWS\\NOTEPAD.EXE");
    assert_eq!((text(program, "run_count"), text(program, "path_hash")), ("2".into(), "C0FFEE01".into()));
    assert_eq!(text(program, "last_run"), "2012-04-04T01:58:40.8392490Z");
    assert_eq!(text(program, "last_run_2"), "2012-04-04T01:57:40.8392490Z");
    assert!(!program.fields.contains_key("last_run_3"));
    assert_eq!(text(program, "volume_serial"), "1234ABCD");
    assert!(program.fields["last_run"].at.is_none(), "what is compressed stands nowhere");
    let gathered = files("records", json!({ "source": "prefetch" }));
    assert_eq!(gathered.len(), 2);
    assert!(gathered.iter().all(|record| record.kind == "prefetch"));
    let older = gathered.iter().find(|record| text(record, "version") == "17").unwrap();
    assert_eq!(older.fields["last_run"].at.unwrap().offset, 0x78);
}

#[test]
fn details_of_one_file_are_no_record_type_of_a_call_over_many() {
    let fixture = Fixture::new();
    for source in [None, Some("prefetch"), Some("program_execution")] {
        let mut arguments = json!({ "record": "prefetch_file", "evidence": "files" });
        if let Some(source) = source {
            arguments["source"] = json!(source);
        }
        assert_eq!(fixture.run("records", arguments).outcome, Outcome::Failed, "{source:?}");
    }
}

#[test]
fn a_damaged_or_foreign_compressed_file_is_no_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    let whole = compressed(&prefetch::file(&Spec::new("A.EXE", "\\D\\A.EXE")));
    write(folder.path(), "cut.pf", &whole[..whole.len() - 200]);
    let cut = parse(folder.path(), "cut.pf");
    assert_eq!((cut.records.len(), cut.defects.len()), (0, 1));
    write(folder.path(), "ag.pf", &compressed(b"\x0e\0\0\0 a database of another kind"));
    assert_eq!(parse(folder.path(), "ag.pf").outcome, Outcome::Failed);
}

#[test]
fn a_shortcut_is_recent_where_it_stands_in_such_a_folder() {
    let found = files("records", json!({ "source": "lnk" }));
    let kinds: Vec<_> = found.iter().map(|record| record.kind.as_str()).collect();
    assert_eq!(kinds, ["shortcut", "recent_shortcut"]);
    for record in &found {
        assert_eq!(text(record, "target"), "C:\\Users\\ann\\plan.txt");
        assert_eq!(text(record, "target_created"), "2012-04-04T01:58:40.8392490Z");
        assert_eq!(
            (text(record, "drive_type"), text(record, "volume_serial")),
            ("fixed".into(), "CAFE0001".into())
        );
        assert_eq!(
            (text(record, "machine"), text(record, "mac_address")),
            ("wks-1".into(), "00:0c:29:aa:bb:cc".into())
        );
        assert!(
            !record.fields.contains_key("shortcut_created"),
            "times of a copied folder are none of the host"
        );
    }
}

#[test]
fn jump_lists_tell_program_target_and_last_use() {
    let found = files("records", json!({ "source": "jump_list", "under": RECENT }));
    let kinds: Vec<_> = found.iter().map(|record| record.kind.as_str()).collect();
    assert_eq!(kinds[..2], ["jump_list_entry"; 2]);
    assert_eq!(kinds[2..], ["custom_jump_list_entry"; 2]);
    let first = &found[0];
    assert_eq!(
        (text(first, "target"), text(first, "access_count")),
        ("C:\\Users\\ann\\plan.txt".into(), "3".into())
    );
    assert_eq!(text(first, "last_opened"), "2012-04-04T01:58:40.8392490Z");
    assert_eq!(text(first, "application"), "Notepad (64-bit)");
    assert_eq!(value(first, "pinned"), &FieldValue::Flag(false));
    assert_eq!(
        (text(&found[2], "category"), text(&found[3], "arguments")),
        ("Often".into(), "--new-window".into())
    );
}

#[test]
fn a_mark_of_a_download_names_the_file_that_it_marks() {
    let found = files("parse_file", json!({ "path": "C/Users/ann/Downloads/tool.zip%3AZone.Identifier" }));
    assert_eq!(text(&found[0], "file"), "C/Users/ann/Downloads/tool.zip");
    assert_eq!((text(&found[0], "zone_id"), text(&found[0], "zone")), ("3".into(), "internet".into()));
    assert_eq!(text(&found[0], "host_url"), "https://files.example/tool.zip");
}

#[test]
fn a_program_has_no_time_of_the_host() {
    let found = files("parse_file", json!({ "path": "C/Windows/tiny.exe" }));
    let program = &found[0];
    assert_eq!((text(program, "machine"), text(program, "subsystem")), ("x86".into(), "console".into()));
    assert_eq!(text(program, "link_time"), "2012-04-04T01:58:40Z");
    assert!(program.fields.values().all(|field| !matches!(field.value, FieldValue::Time(_))));
    // The MD5 of `kernel32.exitprocess`.
    assert_eq!(text(program, "imphash"), "f9ade0aa18f660a34a4fa23392e21838");
    assert_eq!(text(program, "overlay_size"), "6");
}
