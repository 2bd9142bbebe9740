//! The placement in records: in place, elsewhere, assumed or stated.

use evidence::open_directory;
use ledger::{Placement, Record, placement};
use serde_json::{Value, json};
use std::path::Path;
use testkit::samples::{Sample, samples};
use tools::{InPlace, Prepared, run_prepared};

/// Returns the records of a file, or none if its path shows that it is not a file of the kind.
fn records(folder: &Path, path: &str, in_place: &[&str]) -> Vec<Record> {
    called(folder, in_place, "parse_file", &json!({ "path": path, "limit": 500 }))
}

fn called(folder: &Path, in_place: &[&str], tool: &str, arguments: &Value) -> Vec<Record> {
    let tree = open_directory(folder, "disk").unwrap();
    let stated = in_place.iter().map(|path| (*path).to_owned()).collect();
    let prepared = Prepared { in_place: InPlace::from([("disk".to_owned(), stated)]), ..Prepared::default() };
    let scratch = tempfile::tempdir().unwrap();
    run_prepared(tool, arguments, &[Box::new(tree)], &prepared, scratch.path()).records
}

/// Checks whether a search for files of a kind in their usual places finds the one at this path.
fn is_found_in_place(folder: &Path, path: &str, in_place: &[&str], kind: &str) -> bool {
    let arguments = json!({ "name": format!("*{}", path.rsplit('/').next().unwrap()), "place": kind });
    let found = called(folder, in_place, "find_files", &arguments);
    found.iter().any(|record| record.locator.path == path)
}

/// Checks whether the records of this sample, read at a path, have the expected placement, if their type has a place; returns how many have.
fn are_placed(folder: &Path, path: &str, in_place: &[&str], expected: Option<Placement>) -> usize {
    let records = records(folder, path, in_place);
    // The sample log has events of many channels, each of which belongs in a log of its own name.
    let is_of_its_log = |record: &&Record| {
        let channel = record.fields.get("channel").map(|held| held.value.to_text());
        let file = path.rsplit('/').next().unwrap();
        channel.is_none_or(|channel| placement::is_named_after_channel(file, &channel))
    };
    let has_place = |record: &&Record| placement::has_place(record);
    let belonging: Vec<_> = records.iter().filter(has_place).filter(is_of_its_log).collect();
    for record in &belonging {
        assert_eq!(record.placement, expected, "{} at {path}", record.kind);
    }
    if let Some(kind) = belonging.first().and_then(|record| placement::of(&record.kind)) {
        let is_found = is_found_in_place(folder, path, in_place, kind);
        assert_eq!(is_found, expected != Some(Placement::Elsewhere), "{kind} at {path}");
    }
    belonging.len()
}

fn name(sample: &Sample) -> &str {
    sample.path.rsplit('/').next().unwrap()
}

/// Puts each sample under a folder and checks all that have a place.
fn all_are(host: &[&str], at: fn(&Sample) -> String, in_place: &[&str], expected: Option<Placement>) {
    let mut looked_at = 0;
    for sample in samples() {
        let folder = tempfile::tempdir().unwrap();
        for other in host {
            crate::fixture::write(folder.path(), other, b"x");
        }
        let path = at(&sample);
        crate::fixture::write(folder.path(), &path, &sample.bytes);
        looked_at += are_placed(folder.path(), &path, in_place, expected);
    }
    assert!(looked_at > 20, "{looked_at}");
}

const HOST: &[&str] = &["C/Windows/notepad.exe"];

#[test]
fn a_file_where_windows_keeps_such_files_is_in_place_in_every_layout() {
    all_are(HOST, |sample| format!("C/{}", sample.path), &[], None);
    all_are(&["Windows/notepad.exe"], |sample| sample.path.to_owned(), &[], None);
    all_are(&[], |sample| format!("uploads/ntfs/%5C%5C.%5CC%3A/{}", sample.path), &[], None);
    let copy = |sample: &Sample| {
        format!(
            "uploads/ntfs_vss/%5C%5C%3F%5CGLOBALROOT%5CDevice%5CHarddiskVolumeShadowCopy2/{}",
            sample.path
        )
    };
    all_are(&[], copy, &[], None);
    // Hosts side by side, and one inside folders that contain nothing else.
    let hosts = &["PC-1/Windows/notepad.exe", "PC-2/Windows/notepad.exe"];
    all_are(hosts, |sample| format!("PC-2/{}", sample.path), &[], None);
    all_are(&["case/pc/Windows/notepad.exe"], |sample| format!("case/pc/{}", sample.path), &[], None);
}

#[test]
fn a_file_that_anybody_put_elsewhere_is_told_as_such() {
    let elsewhere = Some(Placement::Elsewhere);
    all_are(HOST, |sample| format!("C/Users/ann/Downloads/{}", name(sample)), &[], elsewhere);
    all_are(HOST, |sample| format!("C/Backup/old-pc/{}", sample.path), &[], elsewhere);
    all_are(HOST, |sample| format!("C/Backup/VSS1/{}", sample.path), &[], elsewhere);
    let volume = &["Windows/notepad.exe"];
    all_are(volume, |sample| format!("VSS1/{}", sample.path), &[], elsewhere);
    // Folders that a user named like drives, in a volume and in a host's folder.
    for name in ["C", "D:", "d", "uploads/auto/C%3A", "tout/PC/C"] {
        let (own, other) =
            (format!("HOST/{name}/Windows/notepad.exe"), format!("{name}/Windows/notepad.exe"));
        for (host, at) in [
            (["HOST/Windows/a.exe", &own], format!("HOST/{name}")),
            (["Windows/a.exe", &other], name.to_owned()),
        ] {
            let folder = tempfile::tempdir().unwrap();
            for other in host {
                crate::fixture::write(folder.path(), other, b"x");
            }
            let sample = samples().into_iter().find(|sample| sample.decoder == "prefetch").unwrap();
            let path = format!("{at}/{}", sample.path);
            crate::fixture::write(folder.path(), &path, &sample.bytes);
            assert!(are_placed(folder.path(), &path, &[], elsewhere) > 0, "{path}");
        }
    }
    all_are(&[], |sample| format!("Backup/old-pc/{}", name(sample)), &[], elsewhere);
    let hosts = &["PC-1/Windows/notepad.exe", "notes/old/Windows/notepad.exe"];
    all_are(hosts, |sample| format!("notes/old/{}", sample.path), &[], elsewhere);
    // Also without a Windows folder, if the path shows that the file is not the host's own.
    all_are(&[], |sample| format!("Users/ann/Downloads/{}", name(sample)), &[], elsewhere);
}

#[test]
fn a_file_that_was_handed_in_alone_is_taken_for_one_of_the_host() {
    all_are(&[], |sample| name(sample).to_owned(), &[], Some(Placement::Assumed));
    all_are(&[], |sample| format!("exports/{}", name(sample)), &[], Some(Placement::Assumed));
}

#[test]
fn the_case_file_can_state_the_place_of_a_file_or_folder() {
    let at = |sample: &Sample| format!("C/Exports/{}", name(sample));
    all_are(HOST, at, &["C/Exports"], Some(Placement::Stated));
    all_are(HOST, at, &["C/Export", "C/Exports/other"], Some(Placement::Elsewhere));
}

#[test]
fn what_was_configured_in_a_shadow_copy_is_no_state_of_the_host_beside_it() {
    let mut placed = std::collections::BTreeMap::new();
    for host in [HOST, &[]] {
        for sample in samples() {
            let folder = tempfile::tempdir().unwrap();
            let path = format!("VSS1/{}", sample.path);
            for other in host.iter().copied() {
                crate::fixture::write(folder.path(), other, b"x");
            }
            crate::fixture::write(folder.path(), &path, &sample.bytes);
            for record in records(folder.path(), &path, &[]) {
                placed.insert((record.kind.clone(), host.is_empty()), record.placement);
            }
        }
    }
    let of = |kind: &str, is_alone| placed[&(kind.to_owned(), is_alone)];
    for kind in ["hosts_entry", "scheduled_task"] {
        assert_eq!((of(kind, false), of(kind, true)), (Some(Placement::Elsewhere), None), "{kind}");
    }
    assert_eq!((of("prefetch", false), of("prefetch", true)), (None, None));
}

#[test]
fn folders_that_this_windows_does_not_use_are_anybodys() {
    let with = |others: &[&str], path: &str| {
        let sample = samples().into_iter().find(|sample| sample.path.ends_with("drivers/etc/hosts")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        for other in others {
            crate::fixture::write(folder.path(), other, b"x");
        }
        crate::fixture::write(folder.path(), path, &sample.bytes);
        records(folder.path(), path, &[]).first().unwrap().placement
    };
    let hosts = |top: &str| format!("{top}/System32/drivers/etc/hosts");
    assert_eq!(with(&["WINNT/notepad.exe"], &hosts("WINNT")), None);
    let beside = ["WINNT/notepad.exe", "Windows/System32/config/SYSTEM"];
    assert_eq!(with(&beside, &hosts("WINNT")), Some(Placement::Elsewhere));
    assert_eq!(with(&beside, &hosts("Windows")), None);
    let old = "Windows.old/Windows";
    assert_eq!(
        with(&["pagefile.sys", "Windows.old/Windows/notepad.exe"], &hosts(old)),
        Some(Placement::Elsewhere)
    );
}
