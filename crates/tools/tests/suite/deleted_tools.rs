//! Deleted entries, entries of the master file table, and data of the acquisition.

use crate::fixture::{Fixture, fits, text, write};
use crate::image_fixture::{self, NOTES, STOMPED};
use evidence::{Tree, open_image};
use ledger::{Completeness, Outcome, Record};
use serde_json::{Value, json};
use std::path::Path;
use testkit::disk::{DiskSpec, Part};
use testkit::ewf::EwfSpec;
use tools::{Return, run};

fn find<'r>(returned: &'r Return, field: &str, wanted: &str) -> &'r Record {
    let found = returned.records.iter().find(|record| text(record, field) == wanted);
    found.unwrap_or_else(|| panic!("no {wanted} in {:#?}", returned.records))
}

fn over(fixture: &Fixture, tool: &str, arguments: Value) -> Return {
    let returned = run(tool, &arguments, fixture.with_image(), Path::new("/nonexistent"));
    fits(&returned, tool);
    returned
}

#[test]
fn what_was_deleted_is_listed_with_where_it_stood_and_what_is_left_of_it() {
    let fixture = Fixture::new();
    let returned = fixture.ok("list_deleted", json!({}));
    assert_eq!(returned.completeness, Completeness::Complete, "{:?}", returned.notes);
    let told = |path: &str| {
        let record = find(&returned, "original_path", path);
        ["name", "kind", "size", "state", "recovery"].map(|field| text(record, field))
    };
    assert_eq!(told("p1/Users/mara/plan.txt"), ["plan.txt", "file", "9031", "deleted", "whole"]);
    assert_eq!(told("p1/Users/mara/small.doc"), ["small.doc", "file", "11", "deleted", "whole"]);
    assert_eq!(told("p1/Users/mara/lost.txt"), ["lost.txt", "file", "9000", "deleted", "lost"]);

    let plan = find(&returned, "original_path", "p1/Users/mara/plan.txt");
    let planted = image_fixture::volume();
    let planted = planted.planted("Users/mara/plan.txt").unwrap();
    let path = text(plan, "path");
    assert_eq!(text(plan, "reference"), format!("{}-{}", planted.record, planted.sequence));
    assert!(path.starts_with("p1/$Deleted/") && path.ends_with("/plan.txt"), "{path}");
    let read = over(&fixture, "read_file", json!({ "path": path, "length": 100 }));
    assert_eq!(text(&read.records[0], "text"), "the plan that was thrown away");
    let hashed = over(&fixture, "hash_file", json!({ "path": path }));
    assert_eq!(text(&hashed.records[0], "sha256"), planted.streams[0].sha256.to_string());
    let stat = over(&fixture, "stat_file", json!({ "path": path }));
    assert_eq!(text(&stat.records[0], "state"), "deleted");
    let carved = fixture.ok("carve_strings", json!({ "path": path, "text": "PLAN" }));
    assert_eq!(text(&carved.records[0], "path"), path);
    let place = &carved.records[0].fields["place"].value;
    assert!(matches!(place, ledger::FieldValue::Name(_)), "no text that could be quoted: {place:?}");
}

#[test]
fn deleted_entries_are_chosen_by_what_they_were() {
    let fixture = Fixture::new();
    let names = |arguments: Value| {
        let mut names: Vec<_> = fixture
            .run("list_deleted", arguments)
            .records
            .iter()
            .map(|record| text(record, "name"))
            .collect();
        names.sort();
        names
    };
    let all = ["lost.txt", "plan.txt", "small.doc"];
    assert_eq!(names(json!({ "volume": "p1" })), all);
    assert_eq!(names(json!({ "name": "P*" })), ["plan.txt"]);
    assert_eq!(names(json!({ "name": "**/users/*/*.TXT" })), ["lost.txt", "plan.txt"]);
    assert_eq!(names(json!({ "name": "C:\\Users\\mara\\p*", "evidence": "image" })), ["plan.txt"]);
    assert_eq!(names(json!({ "extension": "doc" })), ["small.doc"]);
    assert_eq!(names(json!({ "min_size": 9001 })), ["plan.txt"]);
    assert_eq!(names(json!({ "max_size": 100 })), ["small.doc"]);
    for under in ["P1/users", "C:\\Users\\Mara", "p1", "/p1/Users/mara/"] {
        assert_eq!(names(json!({ "under": under })), all, "{under}");
    }
    for under in ["p1/Windows", "p1/Users/mara/plan.txt", "p1/Users/mar", "p2"] {
        assert!(names(json!({ "under": under })).is_empty(), "{under}");
    }
    let page = fixture.run("list_deleted", json!({ "limit": 2 }));
    assert!(page.notes[0].contains("go on with \"offset\": 2"), "{:?}", page.notes);
    assert_eq!(page.records.len(), 2);
}

#[test]
fn an_orphan_tells_only_what_is_known_of_its_place() {
    use testkit::ntfs::{Deleted, EntrySpec, VolumeSpec};
    let volume = VolumeSpec::new("X")
        .size(8 << 20)
        .entry(
            EntrySpec::file("gone/orphan.txt", b"left alone")
                .deleted(Deleted::Orphan { by: "newer.txt".to_owned() }),
        )
        .entry(EntrySpec::file("newer.txt", b"in its place"))
        .build()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "orphan.dd", &volume.bytes());
    let image: Box<dyn Tree> = Box::new(open_image(&folder.path().join("orphan.dd"), "x").unwrap());
    let trees = [image];
    let list = |arguments: Value| run("list_deleted", &arguments, &trees, Path::new("/nonexistent"));
    let returned = list(json!({}));
    fits(&returned, "list_deleted");
    let orphan = find(&returned, "name", "orphan.txt");
    assert!(!orphan.fields.contains_key("original_path"));
    assert!(text(orphan, "orphan_path").ends_with("orphan.txt"), "{}", text(orphan, "orphan_path"));
    assert!(list(json!({ "under": "p0/gone" })).records.is_empty());
}

#[test]
fn an_entry_of_the_master_file_table_tells_all_its_times() {
    let fixture = Fixture::new();
    let returned = fixture.ok("mft_entry", json!({ "path": STOMPED }));
    let kinds: Vec<_> = returned.records.iter().map(|record| record.kind.as_str()).collect();
    assert_eq!(&kinds[..2], ["mft_entry", "file_name"], "{kinds:?}");
    let (entry, name) = (&returned.records[0], &returned.records[1]);
    let planted = image_fixture::volume();
    let planted = planted.planted("Users/mara/tool.exe").unwrap();
    let number = planted.record.to_string();
    let reference = format!("p1:{}-{}", planted.record, planted.sequence);
    assert_eq!(text(entry, "path"), STOMPED);
    assert_eq!([text(entry, "entry"), text(entry, "in_use")], [number.as_str(), "true"]);
    assert_eq!(text(entry, "born"), "2019-03-01T00:00:00.0000000Z");
    assert!(!name.fields.contains_key("born"), "the time of a name is not that of the file");
    assert_eq!(text(name, "name_born"), "2024-01-01T10:20:30.1234567Z");
    assert_eq!([text(name, "name"), text(name, "reference")], ["tool.exe", &reference]);
    assert_eq!(text(name, "parent"), format!("{}-{}", planted.parent.0, planted.parent.1));
    let data = find(&returned, "kind", "$DATA");
    assert_eq!(["resident", "size", "code"].map(|field| text(data, field)), ["true", "11", "0x80"]);
    assert!(text(entry, "place").starts_with("disk.dd@"), "{}", text(entry, "place"));

    let by_number = fixture.ok("mft_entry", json!({ "entry": number, "volume": "P1" }));
    assert_eq!(by_number.records, returned.records);
    let deleted = fixture.ok("list_deleted", json!({ "name": "small.doc" }));
    let deleted = fixture.ok("mft_entry", json!({ "path": text(&deleted.records[0], "path") }));
    assert_eq!(text(&deleted.records[0], "in_use"), "false");
    let none = fixture.run("mft_entry", json!({ "entry": 999_999 }));
    assert_eq!(none.outcome, Outcome::Empty, "{:?}", none.notes);
    for (arguments, says) in [
        (json!({}), "give either \"entry\" or \"path\""),
        (json!({ "entry": 5, "path": NOTES }), "give either"),
        (json!({ "entry": 5, "evidence": "disk" }), "no volume with NTFS is looked at"),
        (json!({ "path": "C/Users/Ann/notes.txt", "evidence": "disk" }), "no entry in a master file table"),
    ] {
        let refused = fixture.run("mft_entry", arguments);
        assert_eq!(refused.outcome, Outcome::Failed);
        assert!(refused.notes[0].contains(says), "{:?}", refused.notes);
    }
}

#[test]
fn one_entry_shows_the_times_of_its_name_and_a_listing_does_not() {
    let fixture = Fixture::new();
    let stat = over(&fixture, "stat_file", json!({ "path": STOMPED }));
    let told = ["born", "name_born", "name_modified"].map(|field| text(&stat.records[0], field));
    let named = "2024-01-01T10:20:30.1234567Z";
    assert_eq!(told, ["2019-03-01T00:00:00.0000000Z", named, named]);
    let listed = over(&fixture, "list_directory", json!({ "path": "p1/Users/mara" }));
    assert!(!find(&listed, "path", STOMPED).fields.contains_key("name_born"));
    assert_eq!(text(find(&listed, "path", "p1/Users/mara/linked.txt"), "links"), "2");
    assert!(!find(&listed, "path", STOMPED).fields.contains_key("links"));
    assert_eq!(text(find(&listed, "path", NOTES), "streams"), "Zone.Identifier; hidden.txt");
}

/// Makes an E01 of a disk with a GUID partition table.
fn expert_witness(folder: &Path, spec: &EwfSpec) -> Box<dyn Tree> {
    let volume = image_fixture::volume();
    let part = Part::volume(2048, &volume).name("Basic data partition");
    let disk = DiskSpec::gpt(40_960).part(part).build().unwrap();
    for (index, segment) in spec.write(&disk.bytes()).iter().enumerate() {
        write(folder, &format!("case.{}", testkit::ewf::extension(index)), segment);
    }
    Box::new(open_image(&folder.join("case.E01"), "e01").unwrap())
}

#[test]
fn hashes_that_the_container_stores_are_told_and_compared() {
    for wrong_hash in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let spec = EwfSpec {
            case_number: "2024-17".to_owned(),
            examiner: "M. Ferrer".to_owned(),
            wrong_hash,
            ..EwfSpec::default()
        };
        let trees = [expert_witness(folder.path(), &spec)];
        let list = |arguments: Value| run("list_partitions", &arguments, &trees, folder.path());
        let told = list(json!({}));
        fits(&told, "list_partitions");
        let image = &told.records[0];
        let fields = ["format", "scheme", "case_number", "examiner"].map(|field| text(image, field));
        assert_eq!(fields, ["EWF-E01", "GPT", "2024-17", "M. Ferrer"]);
        assert_eq!(text(image, "stored_md5").len(), 32);
        assert!(!image.fields.contains_key("hash_matches"));
        let partition = find(&told, "region", "p1");
        assert_eq!(text(partition, "name"), "Basic data partition");
        assert_eq!(text(partition, "guid").len(), 36);

        let verified = list(json!({ "verify": true }));
        fits(&verified, "list_partitions");
        let image = &verified.records[0];
        assert_eq!(text(image, "hash_matches"), (!wrong_hash).to_string());
        assert_eq!(text(image, "computed_md5") == text(image, "stored_md5"), !wrong_hash);
    }
}

#[test]
fn what_may_be_the_content_of_another_file_says_so() {
    let fixture = Fixture::new();
    let path_of = |name: &str| text(&fixture.ok("list_deleted", json!({ "name": name })).records[0], "path");
    let (whole, lost) = (path_of("plan.txt"), path_of("lost.txt"));
    for tool in ["read_file", "hash_file", "carve_strings"] {
        let told = |path: &str| over(&fixture, tool, json!({ "path": path }));
        assert!(!told(&whole).records[0].fields.contains_key("recovery"), "{tool}");
        let doubtful = told(&lost);
        assert!(!doubtful.records.is_empty(), "{tool}: {:?}", doubtful.notes);
        assert!(doubtful.records.iter().all(|record| text(record, "recovery") == "lost"), "{tool}");
        let noted = doubtful.notes.iter().any(|note| note.contains("this is not the file's content"));
        assert!(noted, "{tool}: {:?}", doubtful.notes);
    }
    let searched = over(&fixture, "search_text", json!({ "text": "newer-content", "under": lost }));
    assert_eq!(text(&searched.records[0], "recovery"), "lost");
    let nothing = over(&fixture, "search_text", json!({ "text": "the password", "under": lost }));
    assert_eq!((nothing.outcome, nothing.gaps.len()), (Outcome::Empty, 1), "no absence rests on it");
    // A table or a key does not say which of its bytes belong to another file.
    for (tool, arguments) in [
        ("list_tables", json!({ "path": lost })),
        ("sqlite_query", json!({ "path": lost, "sql": "SELECT 1" })),
        ("parse_registry_key", json!({ "hive": lost, "key": "" })),
        ("search_registry", json!({ "hive": lost, "text": "newer" })),
    ] {
        let refused = over(&fixture, tool, arguments);
        assert_eq!(refused.outcome, Outcome::Failed, "{tool}");
        assert!(refused.notes[0].contains("its recovery is lost"), "{tool}: {:?}", refused.notes);
    }
}

#[test]
fn text_in_a_named_stream_is_found_and_told_of_the_stream() {
    let fixture = Fixture::new();
    let found = over(&fixture, "search_text", json!({ "text": "second hidden line", "under": "p1/Users" }));
    let told: Vec<_> = found.records.iter().map(|r| (text(r, "path"), text(r, "stream"))).collect();
    assert_eq!(told, [(NOTES.to_owned(), "hidden.txt".to_owned())]);
    assert_eq!(found.records[0].locator.stream.as_deref(), Some("hidden.txt"));
}

/// Returns the offset of a file record in the volume.
fn record_at(built: &testkit::ntfs::Built, number: u64) -> u64 {
    let mut at = number * 1024;
    for run in &built.mft {
        let bytes = run.length * built.cluster;
        if at < bytes {
            return run.lcn.unwrap() * built.cluster + at;
        }
        at -= bytes;
    }
    panic!("record {number} is in the table");
}

#[test]
fn what_the_file_system_counts_in_or_what_cannot_be_told_is_not_called_deleted() {
    use testkit::ntfs::{EntrySpec, VolumeSpec};
    let mut built = VolumeSpec::new("X")
        .size(8 << 20)
        .entry(EntrySpec::file("folder/file.txt", b"unlinked"))
        .entry(EntrySpec::file("damaged.txt", b"no record"))
        .build()
        .unwrap();
    let (folder, damaged) =
        (built.planted("folder").unwrap().record, built.planted("damaged.txt").unwrap().record);
    // The folder's record was freed and has been reused since; the other one has lost its signature.
    let at = record_at(&built, folder);
    built.put(at + 0x16, &[2]);
    built.put(at + 0x10, &77u16.to_le_bytes());
    built.put(record_at(&built, damaged), b"\0\0\0\0");
    let place = tempfile::tempdir().unwrap();
    write(place.path(), "x.dd", &built.bytes());
    let image: Box<dyn Tree> = Box::new(open_image(&place.path().join("x.dd"), "x").unwrap());
    let trees = [image];
    let listed = run("list_deleted", &json!({ "name": "file.txt" }), &trees, Path::new("/nonexistent"));
    let orphan = find(&listed, "name", "file.txt");
    assert_eq!(text(orphan, "state"), "allocated", "in use, though no folder leads to it");
    let entry = run("mft_entry", &json!({ "entry": damaged }), &trees, Path::new("/nonexistent"));
    assert_eq!(entry.records[0].kind, "mft_entry");
    assert!(!entry.records[0].fields.contains_key("in_use"), "nothing says that it was deleted");
}

#[test]
fn a_content_that_is_another_files_in_part_says_how_much_of_it() {
    use testkit::ntfs::{Content, Deleted, EntrySpec, VolumeSpec};
    let volume = VolumeSpec::new("X")
        .size(8 << 20)
        .entry(
            EntrySpec::file("torn.txt", &[b't'; 12_000])
                .deleted(Deleted::Overwritten { by: "newer.bin".to_owned() }),
        )
        .entry(EntrySpec::file("newer.bin", b"").content(Content::Clusters(vec![b'n'; 4096])))
        .build()
        .unwrap();
    let disk = DiskSpec::mbr((12 << 20) / 512).part(Part::volume(64, &volume)).build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "disk.raw", &disk.bytes());
    let trees: Vec<Box<dyn Tree>> =
        vec![Box::new(open_image(&folder.path().join("disk.raw"), "image").unwrap())];
    let ask = |tool: &str, arguments: Value| run(tool, &arguments, &trees, Path::new("/nonexistent"));
    let listed = ask("list_deleted", json!({ "name": "torn.txt" }));
    let path = text(&listed.records[0], "path");
    assert_eq!(text(&listed.records[0], "recovery"), "partial");
    for tool in ["read_file", "hash_file"] {
        let returned = ask(tool, json!({ "path": path }));
        let says = "1 of 3 clusters are in use by others: this is not the file's content throughout";
        assert!(returned.notes.iter().any(|note| note.contains(says)), "{tool}: {:?}", returned.notes);
    }
}

#[test]
fn a_path_at_which_nothing_stands_names_what_may_be_meant() {
    let fixture = Fixture::new();
    for (path, says) in [
        ("Users/mara/tool.exe", "is p1/Users/mara/tool.exe of image meant?"),
        ("p1/Users/mara/notes.txt:HIDDEN.txt", "read_stream with \"stream\": \"hidden.txt\""),
        ("p1/Users/mara/notes.txt:hidden.txt:$DATA", "hidden.txt is a stream of p1/Users/mara/notes.txt"),
        ("p1/Users/Mara/plan.txt", "was deleted, see list_deleted; its path is now p1/$Deleted/"),
    ] {
        let refused = over(&fixture, "read_file", json!({ "path": path }));
        assert_eq!(refused.outcome, Outcome::Failed, "{path}");
        assert!(refused.notes[0].contains(says), "{path}: {:?}", refused.notes);
    }
    let root = over(&fixture, "list_directory", json!({ "evidence": "image" }));
    assert_eq!(text(&root.records[0], "path"), "p1");
}
