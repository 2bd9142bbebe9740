//! Each exit code that can be provoked on an ordinary machine; 1, 40 and 50 are tested beside the code that decides them.

use crate::support::{Place, collected_case, copy_folder, demo_file, demo_folder, program, str, text};
use std::path::{Path, PathBuf};

/// A copy of the demo whose SYSTEM hive is cut off after its base block.
fn truncated(place: &Place) -> PathBuf {
    let folder = collected_case(place, "truncated");
    let hive = folder.join("evidence/C/Windows/System32/config/SYSTEM");
    let file = std::fs::OpenOptions::new().write(true).open(&hive).unwrap();
    file.set_len(4096).unwrap();
    folder
}

/// Every file below a folder, with its content.
fn content(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            match entry.path().is_dir() {
                true => folders.push(entry.path()),
                false => files.push((entry.path(), std::fs::read(entry.path()).unwrap())),
            }
        }
    }
    files.sort();
    files
}

#[test]
fn each_code_is_reached() {
    let place = Place::new();
    let demo = str(&demo_folder()).to_owned();
    place.folder("empty/evidence");
    place.file("damaged/run.db", "no run");
    let none = place.file("none.toml", "[budgets]\ninvestigate_turns = 0\nrecord_turns = 0\n");
    let cut = truncated(&place);
    place.has_demo_run(&[]);
    let run = str(&place.only_run()).to_owned();
    let cases: [(i32, &[&str]); 9] = [
        (0, &["verify", &run]),
        (2, &["run", "no-such-folder"]),
        (2, &["facts", "no-such-run"]),
        (10, &["run", str(&cut), "--fail-on", "gaps"]),
        (20, &["run", &demo, "--model", "sloppy:4", "--fail-on", "gaps,refused", "--agent", "registry"]),
        (25, &["run", "empty/evidence", "--fail-on", "gaps,refused,unmet"]),
        (2, &["facts", "empty/"]),
        (31, &["facts", "damaged/"]),
        (60, &["run", &demo, "--rules", str(&none), "--agent", "registry"]),
    ];
    for (code, arguments) in cases {
        place.locard_ends(code, arguments);
    }
    assert_eq!(place.locard_unheard(&["facts", &run]).status.code(), Some(3));
}

#[test]
fn a_truncated_hive_costs_its_own_objectives_and_stays_as_it_was() {
    let place = Place::new();
    let case = truncated(&place);
    let before = content(&case);
    let out = place.locard_ends(25, &["run", str(&case), "--fail-on", "open"]);
    assert!(out.contains("partly searched         Which time zone is configured?"), "{out}");
    let out = place.locard_ends(0, &["answers", "latest"]);
    assert!(out.contains("answered                Which Windows is installed?"), "{out}");
    let hive = "hive=C/Windows/System32/config/SYSTEM";
    let call = place.locard(&["tool", "parse_registry_key", hive, "key=Select", "--evidence", str(&case)]);
    let told = text(&call.stderr);
    assert_eq!(call.status.code(), Some(2), "{told}");
    assert!(told.contains("needs more than 4096 bytes but has 4096"), "{told}");
    place.locard_ends(0, &["verify", "latest"]);
    assert_eq!(content(&case), before);
}

#[test]
fn a_hive_that_ends_in_its_middle_is_known_by_its_path_and_its_lost_keys_are_a_gap() {
    let place = Place::new();
    let folder = collected_case(&place, "cut");
    let hive = folder.join("evidence/C/Windows/System32/config/SOFTWARE");
    let length = hive.metadata().unwrap().len();
    let file = std::fs::OpenOptions::new().write(true).open(&hive).unwrap();
    file.set_len(length * 6 / 10).unwrap();
    place.locard_ends(10, &["run", str(&folder), "--fail-on", "gaps"]);
    let out = place.locard_ends(0, &["tool", "list_hives", "--evidence", str(&folder), "--format", "json"]);
    let told: serde_json::Value = serde_json::from_str(&out).unwrap();
    let kinds: Vec<_> =
        told["records"].as_array().unwrap().iter().map(|it| &it["fields"]["hive_type"]["value"]).collect();
    assert!(kinds.iter().all(|kind| kind["value"] != "OTHER"), "{kinds:?}");
}

/// A file size limit simulates a full disk: both make a write to the log fail.
#[test]
#[expect(clippy::disallowed_methods, reason = "the shell sets a limit that the program inherits")]
fn a_log_that_cannot_grow_ends_the_run_with_the_place_and_touches_no_evidence() {
    let place = Place::new();
    let case = place.path("demo");
    copy_folder(&demo_folder(), &case);
    let before = content(&case);
    for blocks in ["8", "200"] {
        let output = std::process::Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f $0; exec \"$@\"", blocks])
            .arg(program())
            .args(["run", "demo"])
            .current_dir(place.path(""))
            .env("TMPDIR", place.path(""))
            .output()
            .unwrap();
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{blocks}: {told}");
        assert!(told.contains("error: failed to investigate the case") && told.contains("runs/"), "{told}");
    }
    for run in place.runs() {
        assert!(!run.join(app::MANIFEST).exists());
    }
    assert_eq!(content(&case), before);
}

#[test]
fn evidence_that_cannot_be_read_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let evidence = place.folder("case/evidence/inner");
    std::fs::set_permissions(&evidence, std::fs::Permissions::from_mode(0o000)).unwrap();
    let reads_anyway = std::fs::read_dir(&evidence).is_ok();
    let output = place.locard(&["run", "case/evidence", "--fail-on", "gaps"]);
    std::fs::set_permissions(&evidence, std::fs::Permissions::from_mode(0o700)).unwrap();
    if reads_anyway {
        println!("note: whoever may read everything cannot be shut out; nothing was tested");
        return;
    }
    assert_eq!(output.status.code(), Some(10), "{}", text(&output.stderr));
    assert!(place.locard_ends(0, &["report", "latest"]).contains("inner"));
}

#[test]
fn damage_alone_is_told_in_the_summary_and_counts_as_a_gap() {
    let place = Place::new();
    let system = "Windows/System32/config/SYSTEM";
    let mut hive = demo_file(system);
    let sound = place.file("sound/C/marker.txt", "").parent().unwrap().parent().unwrap().to_owned();
    place.file(&format!("sound/C/{system}"), &hive);
    place.locard_ends(0, &["run", str(&sound), "--fail-on", "gaps"]);
    // Damage the signature of the key that contains the services.
    let name = hive.windows(8).position(|bytes| bytes == b"Services").unwrap();
    assert_eq!(&hive[name - 76..name - 74], b"nk");
    hive[name - 76] = b'X';
    place.file(&format!("sound/C/{system}"), &hive);
    let out = place.locard_ends(10, &["run", str(&sound), "--fail-on", "gaps"]);
    assert!(out.contains("damaged"), "{out}");
    let out = place.locard_ends(0, &["run", str(&sound), "--format", "json"]);
    let told: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(told["totals"]["damaged"].as_u64() > Some(0), "{told}");
}

#[test]
fn evidence_whose_path_is_not_utf_8_is_investigated_as_any_other() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let folder = place.path(".").join(std::ffi::OsStr::from_bytes(b"b\xffd"));
    copy_folder(&demo_folder(), &folder);
    let output = place.command(&["run"]).arg(&folder).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    place.locard_ends(0, &["verify", "latest"]);
}

#[test]
fn help_and_version_that_cannot_be_written_end_as_any_other_result() {
    let place = Place::new();
    for arguments in [["--help"].as_slice(), &["--version"], &["run", "--help"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = place.command(arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {}", text(&output.stderr));
    }
}
