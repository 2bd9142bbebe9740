//! `$MFT`, change journals, INFO2, hosts: as files, and in an image.

use crate::fixture::{Fixture, TICKS, fits, text, value, write};
use ledger::{FieldValue, Outcome, Record};
use serde_json::{Value, json};
use std::path::Path;
use testkit::ntfs::{EntrySpec, VolumeSpec};
use testkit::samples::samples;
use testkit::usn::{Change, journal};
use tools::{Return, run};

fn sample(decoder: &str) -> Vec<u8> {
    samples().into_iter().find(|sample| sample.decoder == decoder).unwrap().bytes
}

fn ask(root: &Path, arguments: Value) -> Return {
    let tree = evidence::open_directory(root, "files").unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let returned = run("records", &arguments, &[Box::new(tree)], scratch.path());
    fits(&returned, "records");
    returned
}

fn of<'r>(returned: &'r Return, field: &str, wanted: &str) -> &'r Record {
    let found = returned.records.iter().find(|record| text(record, field) == wanted);
    found.unwrap_or_else(|| panic!("no {wanted}: {:?}", returned.records))
}

fn list(record: &Record, field: &str) -> Vec<String> {
    match record.fields.get(field).map(|field| &field.value) {
        Some(FieldValue::List(items)) => items.clone(),
        _ => Vec::new(),
    }
}

#[test]
fn an_mft_file_tells_paths_both_sets_of_times_streams_and_deleted_entries() {
    let fixture = Fixture::new();
    let found = fixture.ok("records", json!({ "source": "mft", "evidence": "files" }));
    let notes = of(&found, "path", "C/Users/ann/notes.txt");
    assert_eq!((text(notes, "in_use"), text(notes, "folder")), ("true".into(), "C/Users/ann".into()));
    assert_eq!(
        (list(notes, "streams"), text(notes, "resident")),
        (vec!["Zone.Identifier".into()], "true".into())
    );
    assert_eq!((text(notes, "extension"), text(notes, "size")), ("txt".into(), "5".into()));
    let stomped = of(&found, "name", "tool.exe");
    assert_eq!(text(stomped, "si_created"), "2000-01-01T00:00:00.0000000Z");
    assert_eq!(text(stomped, "fn_created"), "2012-04-04T01:58:40.8392490Z");
    assert_eq!(
        (text(stomped, "si_before_fn"), text(stomped, "created_precision_zero")),
        ("true".into(), "true".into())
    );
    assert_eq!(text(notes, "si_before_fn"), "false");
    let gone = of(&found, "name", "gone.doc");
    assert_eq!((text(gone, "in_use"), text(gone, "path")), ("false".into(), "C/Users/ann/gone.doc".into()));
    let linked = of(&found, "name", "linked.txt");
    assert_eq!(list(linked, "other_paths"), ["C/Users/other.txt"]);
    let bytes = sample("mft");
    for record in found.records.iter().filter(|record| record.kind == "mft_file_entry") {
        let span = record.locator.span.unwrap();
        assert_eq!(&bytes[span.offset as usize..][..4], b"FILE");
        assert_eq!(text(record, "entry"), (span.offset / 1024).to_string());
    }
}

#[test]
fn the_summary_of_an_mft_counts_what_stands_in_it() {
    let fixture = Fixture::new();
    let found = fixture.ok("records", json!({ "evidence": "files", "record": "mft_summary" }));
    let [summary] = &found.records[..] else { panic!("{:?}", found.records) };
    let bytes = sample("mft");
    let records: Vec<_> = bytes.chunks(1024).filter(|record| record.starts_with(b"FILE")).collect();
    let count = |flags: u8| records.iter().filter(|record| record[0x16] & flags == flags).count().to_string();
    assert_eq!(text(summary, "records"), records.len().to_string());
    assert_eq!((text(summary, "in_use"), text(summary, "directories_in_use")), (count(1), count(3)));
    assert_eq!(text(summary, "named_streams"), "1");
}

#[test]
fn a_page_is_a_part_of_the_whole_answer() {
    let fixture = Fixture::new();
    for source in ["mft", "usn_journal"] {
        let all = fixture.ok("records", json!({ "source": source, "evidence": "files" })).records;
        let page = json!({ "source": source, "evidence": "files", "offset": 3, "limit": 4 });
        let page = fixture.ok("records", page).records;
        assert_eq!(page.len(), 4);
        for (page, whole) in page.iter().zip(&all[3..]) {
            assert_eq!((&page.fields, &page.locator), (&whole.fields, &whole.locator));
        }
    }
}

#[test]
fn a_name_whose_folder_is_gone_stands_below_orphan() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = sample("mft");
    let wide: Vec<u8> = "ann".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let of_ann = |record: &[u8]| {
        record.starts_with(b"FILE") && record[0x16] == 3 && record.windows(6).any(|part| part == wide)
    };
    let number = bytes.chunks(1024).position(of_ann).unwrap();
    bytes[number * 1024..][..1024].fill(0);
    write(folder.path(), "$MFT", &bytes);
    let found = ask(folder.path(), json!({ "source": "mft" }));
    let notes = of(&found, "name", "notes.txt");
    assert_eq!(
        (text(notes, "path"), text(notes, "folder_known")),
        ("$Orphan/notes.txt".into(), "false".into())
    );
    assert!(!notes.fields.contains_key("folder"));
}

#[test]
fn the_mft_of_an_image_and_a_copy_of_it_tell_the_same() {
    let fixture = Fixture::new();
    let scratch = tempfile::tempdir().unwrap();
    let asked = json!({ "source": "mft", "evidence": "image" });
    let found = run("records", &asked, fixture.with_image(), scratch.path());
    assert_eq!(found.outcome, Outcome::Ok, "{:?}", found.notes);
    let stomped = of(&found, "path", crate::image_fixture::STOMPED);
    let entry = json!({ "path": crate::image_fixture::STOMPED, "evidence": "image" });
    let known = fixture.ok("mft_entry", entry);
    for (ours, theirs) in [("si_created", "born"), ("si_changed", "changed"), ("entry", "entry")] {
        assert_eq!(text(stomped, ours), text(&known.records[0], theirs), "{ours}");
    }
}

#[test]
fn an_entry_of_an_mft_that_is_a_file_is_told_like_one_of_an_image() {
    let fixture = Fixture::new();
    let all = fixture.ok("records", json!({ "source": "mft", "evidence": "files" }));
    let number = text(of(&all, "name", "notes.txt"), "entry").parse::<u64>().unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let arguments = json!({ "path": "C/$MFT", "evidence": "files", "entry": number });
    let found = run("mft_entry", &arguments, fixture.with_files(), scratch.path());
    assert_eq!(found.outcome, Outcome::Ok, "{:?}", found.notes);
    let [entry, name, ..] = &found.records[..] else { panic!("{:?}", found.records) };
    assert_eq!(
        (text(entry, "path"), text(name, "name")),
        ("C/Users/ann/notes.txt".into(), "notes.txt".into())
    );
    assert_eq!(entry.locator.path, "C/$MFT");
    assert!(found.records.iter().any(|record| text(record, "name") == "Zone.Identifier"));
    let wrong = json!({ "path": "C/$Extend/$J", "evidence": "files", "entry": 5 });
    assert_eq!(run("mft_entry", &wrong, fixture.with_files(), scratch.path()).outcome, Outcome::Failed);
}

#[test]
fn a_journal_tells_each_creation_renaming_and_deletion_once() {
    let fixture = Fixture::new();
    let found = fixture.ok("records", json!({ "source": "usn_journal", "evidence": "files" }));
    let shown: Vec<_> =
        found.records.iter().map(|record| (record.kind.as_str(), text(record, "name"))).collect();
    let (new, tool) = (|kind| (kind, "new.tmp".to_owned()), |kind| (kind, "tool.exe".to_owned()));
    let expected = [
        new("usn_created"),
        new("usn_closed"),
        new("usn_renamed"),
        tool("usn_renamed"),
        tool("usn_closed"),
        tool("usn_changed"),
        tool("usn_closed"),
        tool("usn_deleted"),
        ("usn_summary", String::new()),
    ];
    assert_eq!(shown, expected);
    let renamed = &found.records[3];
    assert_eq!(
        (text(renamed, "former_name"), text(renamed, "path")),
        ("new.tmp".into(), "C/tool.exe".into())
    );
    assert_eq!((text(renamed, "entry"), text(renamed, "sequence")), ("70".into(), "2".into()));
    assert_eq!(
        (text(renamed, "usn"), list(renamed, "reasons")),
        ("8432".into(), vec!["RENAME_NEW_NAME".to_owned()])
    );
    let bytes = sample("usn_journal");
    let at = renamed.fields["entry"].at.unwrap();
    assert_eq!((bytes[at.offset as usize], at.length), (70, 6));
    let summary = found.records.last().unwrap();
    assert_eq!((text(summary, "records"), text(summary, "first_usn")), ("8".into(), "8192".into()));
    assert_eq!(
        (text(summary, "first_name"), text(summary, "last_name")),
        ("new.tmp".into(), "tool.exe".into())
    );
}

#[test]
fn a_journal_is_asked_by_reason_entry_and_name() {
    let fixture = Fixture::new();
    let run = |source: &str, condition: &str| {
        let asked = json!({ "source": source, "evidence": "files", "where": condition });
        fixture.run("records", asked)
    };
    let count = |condition: &str| {
        let found = run("usn_journal", condition);
        assert_eq!(found.outcome, Outcome::Ok, "{condition}: {:?}", found.notes);
        found.records.len()
    };
    // One matching item of a list is enough.
    assert_eq!(count("reasons IN ('file_delete', 'RENAME_OLD_NAME')"), 2);
    assert_eq!(count("reasons = 'FILE_DELETE' AND reasons = 'CLOSE'"), 1);
    assert_eq!(count("entry = 70"), 8);
    assert_eq!(count("entry = 70 AND name <> 'new.tmp'"), 5);
    assert_eq!(run("usn_journal", "entry = 71").outcome, Outcome::Empty);
    assert_eq!(run("usn_journal", "reasons = 'MADE'").outcome, Outcome::Empty);
    let wrong = run("usn_journal", "reason = 'FILE_DELETE'");
    assert_eq!(wrong.outcome, Outcome::Failed);
    assert!(wrong.notes[0].contains("reasons"), "{:?}", wrong.notes);
    let history = json!({ "source": "usn_names", "evidence": "files", "name": "new.*" });
    let history = fixture.ok("records", history);
    let [new] = &history.records[..] else { panic!("{:?}", history.records) };
    let numbers = ["creations", "create_records", "renamed_from", "renamed_to", "deletions", "first_entry"];
    assert_eq!(numbers.map(|field| text(new, field)), ["1", "1", "1", "0", "0", "70"]);
    assert_eq!(text(new, "first_created"), "2012-04-04T01:58:40.8392490Z");
    // All records of a name are one record here, whatever their entries.
    assert_eq!(run("usn_names", "entry = 70").outcome, Outcome::Failed);
    assert_eq!(run("usn_names", "first_entry = 70 AND creations > 0").records.len(), 1);
}

#[test]
fn damage_in_a_journal_hides_only_what_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let changes: Vec<_> = (0..30_000)
        .map(|number| Change {
            file: (number, 1),
            parent: (5, 5),
            time: TICKS,
            reasons: 0x8000_0100,
            name: format!("file{number}.txt"),
        })
        .collect();
    let mut bytes = journal(0, 3 << 20, &changes);
    let damaged = (bytes.len() - (1 << 20)) / 8 * 8;
    bytes[damaged..damaged + 4096].fill(0xcc);
    write(folder.path(), "$J", &bytes);
    let found = ask(folder.path(), json!({ "record": "usn_summary" }));
    let records = text(&found.records[0], "records").parse::<usize>().unwrap();
    assert!((29_900..29_999).contains(&records), "{records}");
    assert_eq!(found.defects.len(), 1, "{:?}", found.defects);
    assert!(found.defects[0].offset.unwrap() >= damaged as u64 - 100);
    let last = ask(folder.path(), json!({ "source": "usn_journal", "name": "file29999.txt" }));
    assert_eq!(last.records.len(), 1);
}

#[test]
fn info2_tells_what_was_emptied_and_where_the_content_is() {
    let folder = tempfile::tempdir().unwrap();
    let bin = "RECYCLER/S-1-5-21-1-2-3-1003";
    write(folder.path(), &format!("{bin}/INFO2"), &sample("info2"));
    write(folder.path(), &format!("{bin}/Dc1.txt"), b"the plan");
    let found = ask(folder.path(), json!({ "source": "recycled" }));
    let [kept, gone] = &found.records[..] else { panic!("{:?}", found.records) };
    assert_eq!(
        (text(kept, "original_path"), text(kept, "emptied")),
        ("C:\\old\\plan.txt".into(), "false".into())
    );
    assert_eq!(text(kept, "content_path"), format!("{bin}/Dc1.txt"));
    assert_eq!(
        (text(gone, "original_path"), text(gone, "emptied")),
        ("C:\\old\\gone.txt".into(), "true".into())
    );
    assert_eq!(
        (text(gone, "content_present"), text(gone, "sid")),
        ("false".into(), "S-1-5-21-1-2-3-1003".into())
    );
    assert_eq!(value(gone, "index"), &FieldValue::Integer(2));
}

#[test]
fn content_without_its_index_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let bin = "$Recycle.Bin/S-1-5-21-1-2-3-1001";
    write(folder.path(), &format!("{bin}/$IA1B2C3.txt"), &sample("recycle_bin"));
    write(folder.path(), &format!("{bin}/$RA1B2C3.txt"), b"with its index");
    write(folder.path(), &format!("{bin}/$RZZZZZZ.exe"), b"without");
    let found = ask(folder.path(), json!({ "source": "recycled" }));
    let orphans: Vec<_> = found.records.iter().filter(|record| record.kind == "recycled_content").collect();
    let [orphan] = &orphans[..] else { panic!("{orphans:?}") };
    assert_eq!(text(orphan, "path"), format!("{bin}/$RZZZZZZ.exe"));
    assert_eq!(text(&found.records[0], "content_present"), "true");
}

#[test]
fn a_hosts_file_gives_a_record_for_each_line_with_names() {
    let fixture = Fixture::new();
    let path = "C/Windows/System32/drivers/etc/hosts";
    let found = fixture.ok("parse_file", json!({ "path": path, "evidence": "files" }));
    let [local, set] = &found.records[..] else { panic!("{:?}", found.records) };
    assert_eq!((text(local, "name"), text(local, "address")), ("localhost".into(), "127.0.0.1".into()));
    assert_eq!(list(set, "names"), ["update.example", "www.update.example"]);
}

#[test]
fn streams_in_extension_records_belong_to_the_base_record() {
    let names: Vec<_> = (0..40).map(|number| format!("stream-{number:02}")).collect();
    let file =
        names.iter().fold(EntrySpec::file("many.txt", b"main"), |file, name| file.stream(name, &[b'x'; 100]));
    let built = VolumeSpec::new("DATA").size(8 << 20).entry(file).build().unwrap();
    assert!(!built.planted("many.txt").unwrap().extensions.is_empty());
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "$MFT", &built.read_runs(&built.mft));
    let found = ask(folder.path(), json!({ "source": "mft" }));
    let many = of(&found, "path", "many.txt");
    assert_eq!((list(many, "streams"), text(many, "size")), (names, "4".into()));
    assert_eq!(text(&found.records[0], "named_streams"), "40");
}
