//! The messages between the engine's side and a worker.

use crate::fixture::{Fixture, OF_FILES, OF_IMAGES, calls};
use ledger::{EvidenceKind, Gap, IntegrityLevel, Outcome, Output};
use proptest::prelude::*;
use serde_json::json;
use std::path::Path;
use tools::{
    Expansion, HashReply, IndexReply, Indexes, LONGEST_REMARK, Mount, Request, Return, WireError,
    build_index, decode_hash_reply, decode_index_reply, decode_request, decode_return, decode_return_parts,
    encode_index_reply, encode_request, encode_return, handle, run,
};

fn mount(path: &Path) -> Mount {
    Mount {
        in_place: Vec::new(),
        label: "disk".to_owned(),
        path: path.to_owned(),
        kind: EvidenceKind::Directory,
        expansion: Expansion::Bounded,
    }
}

fn call(tool: &str, arguments: serde_json::Value, path: &Path) -> Vec<u8> {
    call_over(tool, arguments, vec![mount(path)])
}

fn call_over(tool: &str, arguments: serde_json::Value, evidence: Vec<Mount>) -> Vec<u8> {
    let request = Request::Call {
        tool: tool.to_owned(),
        arguments,
        evidence,
        indexes: Indexes::new(),
        tables: tools::TableFiles::new(),
    };
    let bytes = encode_request(&request).unwrap();
    assert_eq!(decode_request(&bytes).unwrap(), request);
    let scratch = tempfile::tempdir().unwrap();
    handle(&bytes, scratch.path()).bytes
}

#[test]
fn a_reply_holds_what_the_tool_returned() {
    let fixture = Fixture::new();
    for (spec, arguments) in calls() {
        let mut evidence = vec![mount(fixture.root())];
        if OF_IMAGES.contains(&spec.name.as_str()) {
            let (label, kind) = ("image".to_owned(), EvidenceKind::Image);
            evidence.push(Mount { label, kind, ..mount(&fixture.image_file()) });
        }
        if OF_FILES.contains(&spec.name.as_str()) {
            evidence.push(Mount { label: "files".to_owned(), ..mount(&fixture.files_root()) });
        }
        let reply = call_over(&spec.name, arguments.clone(), evidence);
        let mut expected = fixture.ok(&spec.name, arguments);
        let output = Output::new(expected.records).unwrap();
        expected.records = output.records().to_vec();
        assert_eq!(decode_return(&reply).unwrap(), expected, "{}", spec.name);
        let (summary, stored) = decode_return_parts(&reply).unwrap();
        assert_eq!((summary.outcome, stored.digest()), (Outcome::Ok, output.digest()));
    }
}

#[test]
fn what_cannot_be_done_is_a_failed_return() {
    let fixture = Fixture::new();
    let failed = |bytes: &[u8], says: &str| {
        let returned = decode_return(bytes).unwrap();
        assert_eq!(returned.outcome, Outcome::Failed);
        assert!(returned.notes[0].contains(says), "{:?}", returned.notes);
    };
    failed(&handle(b"{", Path::new("/nonexistent")).bytes, "read a message");
    failed(&call("no_tool", json!({}), fixture.root()), "list_directory");
    failed(&call("list_hives", json!({}), Path::new("/nonexistent")), "open evidence disk");
}

#[test]
fn an_index_is_built_as_the_library_does() {
    let fixture = Fixture::new();
    let ask = |path: &Path| {
        let request = encode_request(&Request::BuildIndex { mount: mount(path) }).unwrap();
        decode_index_reply(handle(&request, Path::new("/nonexistent")).bytes).unwrap()
    };
    let built = build_index(fixture.trees[0].as_ref()).unwrap();
    assert_eq!(ask(fixture.root()), IndexReply::Built(built.clone()));
    let unopened = ask(Path::new("/nonexistent"));
    let says = |reason: &str| reason.contains("open evidence disk");
    assert!(matches!(&unopened, IndexReply::Unopened { reason } if says(reason)), "{unopened:?}");
    for failed in [unopened, IndexReply::Failed { reason: "a name is too long".to_owned() }] {
        assert_eq!(decode_index_reply(encode_index_reply(&failed)).unwrap(), failed);
    }
    let bytes = encode_index_reply(&IndexReply::Built(built));
    assert!(matches!(decode_index_reply(bytes[..5].to_vec()), Err(WireError::NoRecords { length: 5 })));
    assert!(matches!(decode_index_reply(b"{}\nx".to_vec()), Err(WireError::Json(_))));
}

#[test]
fn evidence_is_hashed_as_the_library_does() {
    let fixture = Fixture::new();
    for level in [IntegrityLevel::Full, IntegrityLevel::Sampled, IntegrityLevel::Stat] {
        let request = encode_request(&Request::Hash { mount: mount(fixture.root()), level }).unwrap();
        let reply = decode_hash_reply(&handle(&request, Path::new("/nonexistent")).bytes).unwrap();
        let (integrity, gaps) = evidence::hash(fixture.trees[0].as_ref(), level).unwrap();
        assert_eq!(reply, HashReply::Hashed { integrity, gaps });
    }
    let mount = mount(Path::new("/nonexistent"));
    let request = encode_request(&Request::Hash { mount, level: IntegrityLevel::Full }).unwrap();
    let reply = decode_hash_reply(&handle(&request, Path::new("/nonexistent")).bytes).unwrap();
    assert!(matches!(reply, HashReply::Failed { reason } if reason.contains("open evidence disk")));
}

#[test]
fn a_reply_that_contradicts_itself_is_refused() {
    let fixture = Fixture::new();
    let mut returned = fixture.ok("list_hives", json!({}));
    returned.outcome = Outcome::Empty;
    let error = decode_return(&encode_return(&returned)).unwrap_err();
    assert!(matches!(error, WireError::Outcome { outcome: Outcome::Empty, records: 3 }));
    returned.outcome = Outcome::Ok;
    returned.records.clear();
    assert!(matches!(decode_return(&encode_return(&returned)), Err(WireError::Outcome { records: 0, .. })));
}

proptest! {
    #[test]
    fn a_damaged_reply_is_an_error_or_another_reply_but_no_panic(position: prop::sample::Index, bit in 0u8..8) {
        let returned = tools::run("no_tool", &json!({}), &[], Path::new("/nonexistent"));
        let mut bytes = encode_return(&returned);
        let position = position.index(bytes.len());
        bytes[position] ^= 1 << bit;
        if let Ok(other) = decode_return(&bytes) {
            prop_assert_ne!(other, returned);
        }
    }

    #[test]
    fn any_request_gets_a_reply(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        prop_assert!(decode_return(&handle(&bytes, Path::new("/nonexistent")).bytes).is_ok());
    }
}

#[test]
fn what_is_told_of_a_path_that_is_too_long_is_told_of_a_folder_above() {
    let gap = Gap { path: vec!["d".repeat(200); 30].join("/"), reason: "é".repeat(5000) };
    let notes = vec!["n".repeat(4096), "n".repeat(4097)];
    let failed = run("none", &json!({}), &[], Path::new("/nonexistent"));
    let returned = Return { gaps: vec![gap], notes, ..failed };
    let told = decode_return(&encode_return(&returned)).unwrap();
    assert_eq!(told.gaps[0].path, vec!["d".repeat(200); 20].join("/"));
    assert!(told.gaps[0].reason.len() <= LONGEST_REMARK && told.gaps[0].reason.ends_with("é…"));
    assert_eq!(told.notes[0].len(), 4096);
    assert!(told.notes[1].len() == 4096 && told.notes[1].ends_with('…'));
}
