//! The tools about disk images.

use crate::fixture::{Fixture, text};
use crate::image_fixture::{BETWEEN, FIRST, NOTES, STOMPED};
use evidence::{Tree, open_image};
use ledger::{ByteSpan, Completeness, Outcome, Record};
use serde_json::{Value, json};
use std::path::Path;
use tools::{Return, run};

fn of_kind<'r>(returned: &'r Return, kind: &str) -> Vec<&'r Record> {
    returned.records.iter().filter(|record| record.kind == kind).collect()
}

fn texts(returned: &Return, field: &str) -> Vec<String> {
    returned.records.iter().map(|record| text(record, field)).collect()
}

#[test]
fn an_image_is_described_with_its_regions_and_volumes() {
    let fixture = Fixture::new();
    let returned = fixture.ok("list_partitions", json!({}));
    assert_eq!(returned.completeness, Completeness::Complete);
    assert!(returned.notes.iter().any(|note| note == "disk is no disk image"), "{:?}", returned.notes);
    let image = of_kind(&returned, "image")[0];
    let told = ["image", "format", "scheme", "disk_signature", "sector_size"].map(|field| text(image, field));
    assert_eq!(told, ["disk.dd", "raw", "MBR", "12345678", "512"]);
    assert_eq!(text(image, "length"), (FIRST + (8 << 20) + (64 << 10)).to_string());
    assert!(!image.fields.contains_key("computed_md5") && !image.fields.contains_key("stored_md5"));

    let regions = of_kind(&returned, "partition");
    let names: Vec<_> = regions.iter().map(|record| text(record, "region")).collect();
    assert_eq!(names, ["unpartitioned@0", "p1", "unpartitioned@9437184"]);
    let told =
        ["type_code", "type", "active", "first_sector", "sectors"].map(|field| text(regions[1], field));
    assert_eq!(told, ["0x07", "NTFS or exFAT", "true", "2048", "16384"]);
    assert_eq!(regions[1].locator.span, Some(ByteSpan::new(FIRST, 8 << 20)));
    assert!(regions[0].fields.keys().all(|field| !field.starts_with("type")));

    let volume = of_kind(&returned, "volume")[0];
    let told = ["path", "file_system", "cluster_size", "shadow_copies"].map(|field| text(volume, field));
    assert_eq!(told, ["p1", "NTFS", "4096", "false"]);
    let told = ["serial", "label", "version", "sector_size", "dirty"].map(|field| text(volume, field));
    assert_eq!(told, ["1C2D3E4F5A6B7C8D", "DATA", "3.1", "512", "false"]);
}

#[test]
fn a_folder_alone_is_no_image_and_that_is_said() {
    let fixture = Fixture::new();
    for tool in ["list_partitions", "list_deleted"] {
        let returned = run(tool, &json!({}), &fixture.trees, Path::new("/nonexistent"));
        assert_eq!(returned.outcome, Outcome::Empty);
        assert!(returned.notes[0].contains("is no disk image"), "{tool}: {:?}", returned.notes);
    }
}

#[test]
fn the_whole_medium_is_hashed_where_that_is_asked() {
    let fixture = Fixture::new();
    let returned = fixture.ok("list_partitions", json!({ "verify": true, "evidence": "image" }));
    let image = of_kind(&returned, "image")[0];
    let sha256 = ledger::Digest::of(&std::fs::read(fixture.image_file()).unwrap()).to_string();
    assert_eq!(text(image, "computed_sha256"), sha256);
    // A raw image has no stored hash to match.
    assert!(!image.fields.contains_key("hash_matches"));
}

#[test]
fn streams_are_listed_read_and_hashed() {
    let fixture = Fixture::new();
    let listed = fixture.ok("read_stream", json!({ "path": NOTES }));
    assert_eq!(texts(&listed, "stream"), ["Zone.Identifier", "hidden.txt"]);
    assert_eq!(texts(&listed, "size"), ["26", "39"]);
    for name in ["hidden.txt", "HIDDEN.TXT", ":hidden.txt:$DATA"] {
        let read = fixture.ok("read_stream", json!({ "path": NOTES, "stream": name }));
        assert_eq!(texts(&read, "text"), ["first hidden line", "second hidden line"], "{name}");
        assert_eq!(read.records[1].locator.stream.as_deref(), Some("hidden.txt"));
        assert_eq!(read.records[1].locator.span, Some(ByteSpan::new(19, 18)));
        assert_eq!(text(&read.records[0], "stream"), "hidden.txt");
    }
    let hex = fixture.ok("read_stream", json!({ "path": NOTES, "stream": "hidden.txt", "encoding": "hex" }));
    assert_eq!(text(&hex.records[0], "bytes"), "66697273742068696464656e206c696e");
    let absent = fixture.run("read_stream", json!({ "path": NOTES, "stream": "other" }));
    assert_eq!(absent.outcome, Outcome::Failed);
    assert!(absent.notes[0].contains("its streams are Zone.Identifier, hidden.txt"), "{:?}", absent.notes);
    let none = fixture.run("read_stream", json!({ "path": STOMPED }));
    assert_eq!((none.outcome, none.completeness), (Outcome::Empty, Completeness::Complete));

    let over =
        |tool: &str, arguments: Value| run(tool, &arguments, fixture.with_image(), Path::new("/nonexistent"));
    let hashed = over("hash_file", json!({ "path": NOTES, "stream": "hidden.txt" }));
    let sha256 = ledger::Digest::of(b"first hidden line\r\nsecond hidden line\r\n").to_string();
    assert_eq!((text(&hashed.records[0], "sha256"), text(&hashed.records[0], "size")), (sha256, "39".into()));
    let found = over("find_files", json!({ "with_stream": "HIDDEN*" }));
    assert_eq!(texts(&found, "path"), [NOTES]);
    assert_eq!(text(&found.records[0], "streams"), "Zone.Identifier; hidden.txt");
}

#[test]
fn text_is_carved_from_files_streams_and_what_lies_in_no_partition() {
    let fixture = Fixture::new();
    let between = fixture.ok("carve_strings", json!({ "region": "unpartitioned@0", "text": "BETWEEN" }));
    let record = &between.records[0];
    assert_eq!(
        (text(record, "text"), text(record, "offset")),
        ("left between partitions".into(), BETWEEN.to_string())
    );
    assert_eq!(
        (record.locator.path.as_str(), record.locator.span),
        ("", Some(ByteSpan::new(BETWEEN as u64, 23)))
    );
    assert_eq!(text(record, "place"), format!("disk.dd@{BETWEEN}+23"));
    for offset in [json!("0"), json!(0)] {
        let by_offset = fixture.ok("carve_strings", json!({ "region": offset, "text": "between" }));
        assert_eq!(by_offset.records, between.records);
    }
    for offset in [json!(FIRST), json!(FIRST.to_string()), json!(format!("\"{FIRST}\""))] {
        let in_volume = fixture.ok("carve_strings", json!({ "region": offset, "text": "the plan that was" }));
        assert_eq!(text(&in_volume.records[0], "path"), "p1", "{offset}");
    }

    let volume = fixture.ok("carve_strings", json!({ "region": "p1", "text": "the plan that was" }));
    assert_eq!(text(&volume.records[0], "path"), "p1");
    let stream = fixture.ok("carve_strings", json!({ "path": NOTES, "stream": "hidden.txt" }));
    assert_eq!(texts(&stream, "text"), ["first hidden line", "second hidden line"]);
    assert_eq!(stream.records[0].locator.stream.as_deref(), Some("hidden.txt"));
    for (arguments, says) in [
        (json!({}), "give either \"path\" or \"region\""),
        (json!({ "path": NOTES, "region": "p1" }), "give either"),
        (json!({ "region": "p9" }), "list_partitions tells"),
        (json!({ "region": 5 }), "p1 (from byte 1048576) of image"),
    ] {
        let refused = fixture.run("carve_strings", arguments);
        assert_eq!(refused.outcome, Outcome::Failed);
        assert!(refused.notes[0].contains(says), "{:?}", refused.notes);
    }
}

#[test]
fn pages_of_strings_join_to_the_whole() {
    let fixture = Fixture::new();
    let ask = |offset: u64, limit: u64, length: u64| {
        let arguments =
            json!({ "region": "p1", "offset": offset, "limit": limit, "length": length, "min_length": 5 });
        fixture.run("carve_strings", arguments)
    };
    let whole = ask(0, 10_000, 1 << 30);
    assert_eq!(whole.completeness, Completeness::Complete, "{:?}", whole.notes);
    assert!(whole.records.len() > 50, "{}", whole.records.len());
    for (limit, length) in [(13, 1 << 30), (10_000, 70_001)] {
        let (mut joined, mut offset) = (Vec::new(), 0);
        loop {
            let page = ask(offset, limit, length);
            assert_eq!(page.completeness, Completeness::Truncated);
            joined.extend(page.records);
            let Some((_, next)) = page.notes[0].split_once("\"offset\": ") else { break };
            offset = next.parse().unwrap();
        }
        assert_eq!(joined, whole.records, "{limit} {length}");
    }
}

#[test]
fn a_volume_is_understood_as_it_is_called() {
    let fixture = Fixture::new();
    let used = |volume: &str| {
        let returned = fixture.run("list_deleted", json!({ "volume": volume }));
        returned.normalised.map(|used| used["volume"].as_str().unwrap().to_owned())
    };
    for volume in ["p1", "P1", "1", "\"p1\"", "C:", "c:\\"] {
        assert_eq!(used(volume).as_deref(), Some("p1"), "{volume}");
    }
    // It has Windows, so it is not another drive.
    assert_eq!(used("D:"), None);
    let refused = fixture.run("list_deleted", json!({ "volume": "p7" }));
    assert!(refused.notes[0].contains("the volumes are p1 of image"), "{:?}", refused.notes);
}

#[test]
fn an_image_and_a_copy_of_it_are_told_apart_by_label() {
    let fixture = Fixture::new();
    let open = |label: &str| Box::new(open_image(&fixture.image_file(), label).unwrap()) as Box<dyn Tree>;
    let trees = vec![open("one"), open("two")];
    let ask = |tool: &str, arguments: Value| run(tool, &arguments, &trees, Path::new("/nonexistent"));
    let refused = ask("carve_strings", json!({ "region": "p1" }));
    assert!(refused.notes[0].contains("p1 of one, p1 of two"), "{:?}", refused.notes);
    let refused = ask("list_deleted", json!({ "volume": "C:" }));
    assert!(
        refused.notes[0].contains("\"C:\" can mean several; give one of p1 of one, p1 of two"),
        "{:?}",
        refused.notes
    );
    let refused = ask("mft_entry", json!({ "entry": 5 }));
    assert!(
        refused.notes[0].contains("several volumes have an entry 5: give \"volume\""),
        "{:?}",
        refused.notes
    );
    assert!(refused.notes[0].contains("p1 of one, p1 of two"), "{:?}", refused.notes);
    let images = ask("list_partitions", json!({}));
    assert_eq!(of_kind(&images, "image").len(), 2);
    let label = |record: &&Record| record.locator.evidence.clone();
    assert_eq!(of_kind(&images, "volume").iter().map(label).collect::<Vec<_>>(), ["one", "two"]);
}
