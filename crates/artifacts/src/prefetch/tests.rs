//! Prefetch files of every version, undamaged and damaged.

use super::*;
use proptest::prelude::*;
use testkit::prefetch::{self, Spec};

const TICKS: u64 = 129_779_783_208_392_490;

fn spec(version: u32) -> Spec {
    Spec {
        version,
        runs: vec![TICKS + 20, TICKS + 10, TICKS],
        run_count: 7,
        ..Spec::new("CMD.EXE", "\\VOLUME{01d0}\\WINDOWS\\SYSTEM32\\CMD.EXE")
    }
}

#[test]
fn every_version_tells_program_runs_files_and_volume() {
    for (version, short) in [(17, false), (23, false), (26, false), (30, false), (30, true), (31, true)] {
        let found = read(&prefetch::file(&Spec { short, ..spec(version) })).unwrap();
        assert_eq!(found.damage, [], "{version}");
        assert_eq!((found.version.value, found.executable.value.as_str()), (version, "CMD.EXE"));
        assert_eq!(found.run_count.as_ref().unwrap().value, 7, "{version}");
        let runs: Vec<_> = found.runs.iter().map(|run| run.value.0).collect();
        let all = [TICKS + 20, TICKS + 10, TICKS];
        assert_eq!(runs, if version < 26 { &all[..1] } else { &all[..] });
        assert_eq!(found.files.len(), 2);
        assert_eq!(found.program().unwrap().value, "\\VOLUME{01d0}\\WINDOWS\\SYSTEM32\\CMD.EXE");
        let volume = &found.volumes[0];
        assert_eq!(volume.path.as_ref().unwrap().value, prefetch::VOLUME);
        assert_eq!(volume.serial.as_ref().unwrap().value, prefetch::SERIAL);
        assert_eq!(volume.created.as_ref().unwrap().value, Filetime(prefetch::CREATED));
    }
}

#[test]
fn a_long_name_is_found_by_its_beginning_and_two_of_a_name_are_none() {
    let long = Spec::new("A-VERY-LONG-NAME-OF-A-PROGRAM", "\\D\\A-very-long-name-of-a-program-indeed.exe");
    let found = read(&prefetch::file(&long)).unwrap();
    assert!(found.program().unwrap().value.ends_with("indeed.exe"));
    let mut twice = spec(30);
    twice.files.push("\\VOLUME{01d0}\\TEMP\\cmd.exe".to_owned());
    assert_eq!(read(&prefetch::file(&twice)).unwrap().program(), None);
}

#[test]
fn a_cut_file_says_so_and_keeps_what_is_there() {
    let whole = prefetch::file(&spec(30));
    let found = read(&whole[..0x130]).unwrap();
    assert_eq!((found.run_count.unwrap().value, found.runs.len()), (7, 3));
    assert!(found.files.is_empty() && found.damage.len() > 1);
    assert_eq!(read(b"\x1e\0\0\0SCCB"), None);
    assert_eq!(read(b"\x12\0\0\0SCCA0000"), None);
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), version in 0usize..5) {
        let mut file = [17u32, 23, 26, 30, 31][version].to_le_bytes().to_vec();
        file.extend(b"SCCA");
        file.extend(bytes);
        let _ = read(&file);
    }

    #[test]
    fn damaged_files_are_read_without_panic(seed in 0u64..500) {
        let whole = prefetch::file(&spec(30));
        for mutant in testkit::mutate::mutants(&whole, seed % 7 + 1) {
            let _ = read(&mutant);
        }
    }
}
