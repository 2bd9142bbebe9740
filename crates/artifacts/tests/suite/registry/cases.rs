//! Real hives of unpacked public cases, if `LOCARD_CASES` names their folder.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use artifacts::registry::{Filetime, Hive, HiveType, ValueData, WalkSummary, identify};

#[expect(clippy::disallowed_methods, reason = "real cases are optional and named by the environment")]
pub(crate) fn case(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("LOCARD_CASES").map(|cases| Path::new(&cases).join(name).join("evidence"));
    let found = folder.filter(|folder| folder.is_dir());
    if found.is_none() {
        println!("note: case {name} is not there, nothing was tested");
    }
    found
}

pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                waiting.push(entry.path());
            } else {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

/// Walks a hive and prints results to compare with an independent tool.
fn summary(hive: &Hive<'_>) -> WalkSummary {
    hive.walk(|visit| {
        for defect in visit.defects.iter().take(3) {
            println!("    {:?} at {:?}: {}", visit.key.path, defect.offset, defect.what);
        }
        ControlFlow::Continue(())
    })
}

fn text(hive: &Hive<'_>, path: &str, name: &str) -> String {
    let key = hive.key(path).unwrap().unwrap();
    match hive.value(&key, name).unwrap().unwrap().data {
        ValueData::Text(text) => text,
        other => panic!("{path}\\{name} is {other:?}"),
    }
}

#[test]
fn shieldbase_hives_hold_the_published_facts() {
    let Some(evidence) = case("open-shieldbase-win732bita") else { return };
    let bytes = std::fs::read(evidence.join("C/Windows/System32/config/SYSTEM")).unwrap();
    let system = Hive::open(&bytes).unwrap();
    assert_eq!(identify(&system), HiveType::System);
    let select = system.key("Select").unwrap().unwrap();
    assert_eq!(system.value(&select, "Current").unwrap().unwrap().data, ValueData::Dword(1));
    assert_eq!(
        text(&system, "ControlSet001\\Control\\ComputerName\\ComputerName", "ComputerName"),
        "WKS-WIN732BITA"
    );
    assert_eq!(text(&system, "controlset001\\services\\tcpip\\parameters", "DOMAIN"), "shieldbase.local");
    let services = system.key("ControlSet001\\Services").unwrap().unwrap();
    assert_eq!(system.children(&services).0.len(), 467);
    let shutdown = system.key("ControlSet001\\Control\\Windows").unwrap().unwrap();
    let raw = system.value(&shutdown, "ShutdownTime").unwrap().unwrap().raw;
    // 2012-04-04T01:58:40.839249Z
    assert_eq!(u64::from_le_bytes(raw.as_ref().try_into().unwrap()) / 10, 12_977_978_320_839_249);
    let device = "ControlSet001\\Enum\\USBSTOR\\Disk&Ven_HP&Prod_v100w&Rev_1024\\AA951D0000007252&0";
    let device = system.key(device).unwrap().unwrap();
    // 2012-04-07T10:31:37.640871Z
    assert_eq!(device.last_written.0 / 10, 12_978_268_297_640_871);
    assert_ne!(device.last_written, Filetime(0));
}

#[test]
fn shieldbase_hives_are_walked_to_their_end() {
    let Some(evidence) = case("open-shieldbase-win732bita") else { return };
    let hives = [
        ("C/Windows/System32/config/SYSTEM", HiveType::System),
        ("C/Windows/System32/config/SOFTWARE", HiveType::Software),
        ("C/Users/vibranium/NTUSER.DAT", HiveType::NtUser),
    ];
    for (path, kind) in hives {
        let bytes = std::fs::read(evidence.join(path)).unwrap();
        let hive = Hive::open(&bytes).unwrap();
        assert_eq!(identify(&hive), kind, "{path}");
        let summary = summary(&hive);
        println!("{path}: {:?} {summary:?}", hive.defects());
        assert!(summary.complete && summary.keys > 1_000 && summary.values > summary.keys / 2);
    }
}

#[test]
fn dirty_hives_are_read_as_they_stand_and_say_so() {
    let Some(evidence) = case("open-dirtyhives-lonewolf") else { return };
    let mut dirty = 0;
    for path in files(&evidence) {
        let bytes = std::fs::read(&path).unwrap();
        if !bytes.starts_with(b"regf") {
            continue;
        }
        let is_log = path.extension().is_some_and(|ext| ext == "LOG1" || ext == "LOG2");
        let hive = match Hive::open(&bytes) {
            Ok(hive) => hive,
            Err(error) => {
                assert!(is_log, "{}: {error}", path.display());
                continue;
            }
        };
        assert!(!is_log, "{}", path.display());
        println!("{}: {:?}", path.display(), hive.defects());
        let summary = summary(&hive);
        println!("  {:?} {summary:?}", identify(&hive));
        assert!(summary.complete);
        dirty += u32::from(!hive.header().clean);
    }
    assert!(dirty >= 5, "{dirty} dirty hives");
}

#[test]
fn the_unreplayed_counts_are_the_published_ones() {
    let Some(evidence) = case("open-dirtyhives-lonewolf") else { return };
    let hives = [
        ("yarp/OldDirtyHive/OldDirtyHive", 5_003, 0),
        ("yarp/OldDirtyHive/RecoveredHive_Windows7", 5_003, 1),
        ("yarp/NewDirtyHive1/NewDirtyHive", 5, 2),
        ("yarp/NewDirtyHive1/RecoveredHive_Windows10", 5, 1),
    ];
    for (path, keys, values) in hives {
        let bytes = std::fs::read(evidence.join(path)).unwrap();
        let summary = summary(&Hive::open(&bytes).unwrap());
        assert_eq!((summary.keys, summary.values), (keys, values), "{path}");
    }
}

#[test]
fn malformed_hives_are_read_without_a_panic() {
    let Some(evidence) = case("open-malformed") else { return };
    let mut read = 0;
    for path in files(&evidence) {
        let bytes = std::fs::read(&path).unwrap();
        if !bytes.starts_with(b"regf") {
            continue;
        }
        read += 1;
        match Hive::open(&bytes) {
            Err(error) => println!("{}: {error}", path.display()),
            Ok(hive) => {
                println!("{}: {:?}", path.display(), hive.defects());
                let summary = summary(&hive);
                println!("  {summary:?}");
                assert!(summary.keys + summary.values + summary.defects <= bytes.len() as u64);
            }
        }
    }
    assert!(read > 50, "{read} files");
}
