//! `locard replay --tools live` and the raw bytes of facts: checks what a run says against its evidence.

use crate::support::{Place, collected_case, copy_folder, demo_folder, program, str, text};
use app::{AgainError, RawFound, RawRequest, RawSpans, WorkerRequest};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn reproduced(place: &Place, code: i32, arguments: &[&str]) -> Value {
    let out =
        place.locard_ends(code, &[&["replay", "--tools", "live", "--format", "json"], arguments].concat());
    let json: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["same"], code == 0, "{json}");
    json["reproduced"].clone()
}

fn raw_of(place: &Place, run: &Path, given: &[PathBuf]) -> Result<RawSpans, AgainError> {
    let request = RawRequest {
        case: app::evidence_of(run, given).unwrap(),
        worker: WorkerRequest {
            program: program(),
            unconfined: false,
            scratch: place.path("scratch"),
            limits: sandbox::Limits::default(),
            expansion: app::Expansion::default(),
        },
        observe: Arc::new(|_| ()),
        interrupt: app::Interrupt::new(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(app::read_raw(run, &request))
}

#[test]
fn the_tools_say_of_the_same_evidence_what_is_recorded() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let all = reproduced(&place, 0, &["latest"]);
    assert!(
        all["invocations"].as_u64() > Some(100) && all["invocations"] == all["invocations_same"],
        "{all}"
    );
    assert!(all["calls"].as_u64() < all["invocations"].as_u64(), "{all}");
    let evidence = all["evidence"].as_array().unwrap();
    assert!(evidence.len() == 2 && evidence.iter().all(|it| it["same"] == true), "{all}");
    let one = reproduced(&place, 0, &["latest", "--agent", "registry"]);
    assert!(one["invocations"].as_u64() < all["invocations"].as_u64(), "{one}");
    place.locard_ends(2, &["replay", "latest", "--tools", "live", "--agent", "nobody"]);
    place.locard_ends(2, &["replay", "latest", "--evidence", "elsewhere"]);
    let told = place.locard_ends(0, &["replay", "latest", "--tools", "live", "--task", "1"]);
    assert!(told.contains("reproduced: the tools give the recorded outputs"), "{told}");
    assert_eq!(place.runs().len(), 1, "nothing of it is recorded");

    let raw = raw_of(&place, &place.only_run(), &[]).unwrap();
    assert_eq!(raw.all.facts, raw.facts.len() as u64);
    assert_eq!(raw.unreadable().count(), 0);
    assert!(raw.all.literal > 0 && raw.all.partly > 0 && raw.all.no_span > 0, "{:?}", raw.all);
    let [assist, count] = ["user_assist", "record_count"].map(|kind| raw.by_type[kind]);
    assert!(assist.literal == assist.facts && count.no_span == count.facts, "{:?}", raw.by_type);
    assert!(raw.encodings["ROT13"] > 0 && raw.encodings["FILETIME"] > 0, "{:?}", raw.encodings);
}

#[test]
fn a_file_that_was_changed_since_is_told_by_its_records() {
    let place = Place::new();
    let case = collected_case(&place, "case");
    place.locard_ends(0, &["run", str(&case)]);
    let hosts = "case/evidence/C/Windows/System32/drivers/etc/hosts";
    let before = text(&std::fs::read(place.path(hosts)).unwrap());
    let [first, ..] =
        before.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect::<Vec<_>>()[..]
    else {
        panic!("no entry in {before}");
    };
    place.file(hosts, before.replace(first, &first.replace('0', "7")));
    let json = reproduced(&place, 34, &["latest"]);
    assert_eq!(json["evidence"][0]["same"], false);
    let differing = json["differing"].as_array().unwrap();
    assert!(json["invocations_same"].as_u64() > Some(50) && !differing.is_empty(), "{json}");
    let examples: Vec<&Value> = differing
        .iter()
        .flat_map(|call| call["differences"].as_array().unwrap())
        .filter(|difference| difference["what"] == "output")
        .flat_map(|difference| difference["records"]["examples"].as_array().unwrap())
        .collect();
    let entry = examples.iter().find(|example| example["kind"] == "hosts_entry").unwrap();
    assert!(entry["place"].as_str().unwrap().contains("drivers/etc/hosts"), "{entry}");
    assert!(
        entry["fields"].as_array().unwrap().iter().any(|field| field["recorded"] != field["now"]),
        "{entry}"
    );
    let told = place.locard_ends(34, &["replay", "latest", "--tools", "live"]);
    assert!(told.contains("ANOTHER HASH") && told.contains("NOT REPRODUCED"), "{told}");
    assert!(told.contains("hosts_entry") && told.contains("now "), "{told}");

    // Once the file is cut short, the bytes of its facts are gone. The other files were not touched, and theirs are still there.
    place.file(hosts, "");
    let raw = raw_of(&place, &place.only_run(), &[]).unwrap();
    assert!(raw.unreadable().count() > 0);
    for fact in raw.unreadable() {
        let RawFound::Unreadable { because } = &fact.found else { continue };
        assert!(
            fact.place.contains("drivers/etc/hosts") && because.contains("there are 0 bytes"),
            "{fact:?}"
        );
    }
    std::fs::remove_file(place.path(hosts)).unwrap();
    let gone = raw_of(&place, &place.only_run(), &[]).unwrap();
    assert!(gone.unreadable().all(|fact| format!("{:?}", fact.found).contains("no file at this path")));
    assert_eq!(gone.unreadable().count(), raw.unreadable().count());
}

#[test]
fn evidence_that_lies_elsewhere_by_now_is_taken_where_it_is_said_to_lie() {
    let place = Place::new();
    let case = collected_case(&place, "case");
    place.locard_ends(0, &["run", str(&case)]);
    copy_folder(&case, &place.path("moved"));
    std::fs::remove_dir_all(&case).unwrap();
    let output = place.locard(&["replay", "latest", "--tools", "live"]);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("alder-07") && told.contains("give its present place with --evidence"), "{told}");
    for given in ["moved", "moved/case.toml", "moved/evidence", "alder-07=moved/evidence"] {
        let json = reproduced(&place, 0, &["latest", "--evidence", given]);
        assert_eq!(json["evidence"][0]["label"], "alder-07", "{json}");
    }
    let raw = raw_of(&place, &place.only_run(), &[place.path("moved")]).unwrap();
    assert!(raw.unreadable().count() == 0 && raw.all.literal > 0, "{:?}", raw.all);

    let image = demo_folder().join("alder-07.E01");
    let given = format!("alder-07={}", image.display());
    for given in ["nowhere", "other=moved/evidence", str(&image), given.as_str()] {
        let output = place.locard(&["replay", "latest", "--tools", "live", "--evidence", given]);
        assert_eq!(output.status.code(), Some(2), "{given}: {}", text(&output.stderr));
    }
    let twice = ["--evidence", "moved", "--evidence", "alder-07=moved/evidence"];
    place.locard_ends(2, &[&["replay", "latest", "--tools", "live"], &twice[..]].concat());
}

#[test]
fn several_pieces_of_evidence_are_told_apart_by_their_labels() {
    let place = Place::new();
    let case = place.path("case");
    copy_folder(&demo_folder(), &case);
    place.locard_ends(0, &["run", str(&case)]);
    let run = str(&place.only_run()).to_owned();
    std::fs::rename(case.join("alder-fs01.zip"), place.path("alder-fs01.zip")).unwrap();
    let output = place.locard(&["replay", &run, "--tools", "live"]);
    assert!(text(&output.stderr).contains("alder-fs01"), "{}", text(&output.stderr));
    // The piece that is not given is still where the run found it.
    let zip = format!("alder-fs01={}", str(&place.path("alder-fs01.zip")));
    reproduced(&place, 0, &[&run, "--task", "1", "--evidence", &zip]);
    let exchanged = format!("alder-07={}", str(&place.path("alder-fs01.zip")));
    let output =
        place.locard(&["replay", &run, "--tools", "live", "--evidence", &zip, "--evidence", &exchanged]);
    let told = text(&output.stderr);
    assert!(
        output.status.code() == Some(2) && told.contains("expected a disk image, found an archive"),
        "{told}"
    );
}

#[test]
fn verify_over_evidence_reaches_the_raw_spans_and_names_what_the_evidence_says_otherwise() {
    let place = Place::new();
    let case = collected_case(&place, "case");
    place.locard_ends(0, &["run", str(&case)]);
    let level = |code, arguments: &[&str]| -> Value {
        let out = place.locard_ends(code, &[&["verify", "latest", "--format", "json"], arguments].concat());
        serde_json::from_str(&out).unwrap()
    };
    let reached = |json: &Value| json["certificate"]["level"].as_str().unwrap().to_owned();
    assert_eq!(reached(&level(0, &[])), "facts_stand");
    let json = level(0, &["--evidence"]);
    assert_eq!(reached(&json), "spans_read_again", "{json}");
    let certificate = &json["certificate"];
    assert_eq!(certificate["calls_again"]["invocations"], certificate["calls_again"]["same"]);
    assert_eq!(certificate["raw"]["facts"], certificate["facts"]);
    assert_eq!(certificate["raw"]["unreadable"], 0);

    let hosts = "case/evidence/C/Windows/System32/drivers/etc/hosts";
    let before = text(&std::fs::read(place.path(hosts)).unwrap());
    place.file(hosts, before.replace('0', "7"));
    let json = level(34, &["--evidence", str(&case)]);
    assert_eq!(reached(&json), "facts_stand", "{json}");
    let places: Vec<&str> = json["certificate"]["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it["place"].as_str())
        .collect();
    assert!(places.contains(&"evidence alder-07") && places.len() > 1, "{places:?}");
    place.locard_ends(2, &["verify", "latest", "--evidence", "nowhere"]);
}
