//! Shell links built here, undamaged and damaged.

use super::*;
use proptest::prelude::*;
use testkit::lnk::{self, Spec};

const TICKS: u64 = 129_779_783_208_392_490;

fn local() -> Vec<u8> {
    let spec = Spec::local("C:\\Users\\ann\\notes.txt", [TICKS, TICKS + 1, TICKS + 2]);
    lnk::link(&Spec { arguments: "/a \"b\"".to_owned(), ..spec })
}

fn value<T: Clone>(found: &Option<Located<T>>) -> T {
    found.as_ref().unwrap().value.clone()
}

#[test]
fn a_link_to_a_file_tells_its_place_its_times_and_its_host() {
    let found = read(&local()).unwrap();
    assert_eq!(found.damage, []);
    assert_eq!(found.end, local().len());
    assert_eq!(found.target().unwrap().value, "C:\\Users\\ann\\notes.txt");
    let times = [&found.created, &found.accessed, &found.modified].map(|time| value(time).0);
    assert_eq!(times, [TICKS, TICKS + 1, TICKS + 2]);
    assert_eq!(found.arguments().unwrap().value, "/a \"b\"");
    assert_eq!(found.working_folder().unwrap().value, "C:\\Users\\ann");
    let info = found.info.unwrap();
    assert_eq!((value(&info.drive_type), value(&info.serial)), (3, lnk::SERIAL));
    assert_eq!(value(&info.label), "DATA");
    assert_eq!(value(&found.extra.machine), lnk::MACHINE);
    let droid = found.extra.droid.unwrap();
    assert_eq!(value(&droid.mac), "00:0c:29:aa:bb:cc");
    assert_eq!(value(&droid.file), "{8BA15700-789E-11E1-8001-000C29AABBCC}");
    assert_eq!(value(&droid.time).0, uuid_time());
}

/// Returns the time of [`lnk::FILE_ID`] as defined by RFC 9562, 2012-03-28T06:23:34.0598016Z, as a FILETIME.
fn uuid_time() -> u64 {
    let since_1582 = 0x01E1_789E_8BA1_5700u64;
    since_1582 - (17 + 30 + 31 + 18 * 365 + 5) * 86_400 * 10_000_000
}

#[test]
fn a_link_to_a_share_joins_share_and_path() {
    let share = Some(("\\\\srv\\data".to_owned(), "plans\\a.txt".to_owned()));
    let found = read(&lnk::link(&Spec { share, ..Spec::default() })).unwrap();
    assert_eq!(found.damage, []);
    assert_eq!(found.target().unwrap().value, "\\\\srv\\data\\plans\\a.txt");
    assert_eq!(found.info.unwrap().device, None);
}

#[test]
fn a_cut_link_says_so_once_and_keeps_what_is_there() {
    let whole = local();
    let found = read(&whole[..0x60]).unwrap();
    assert!(found.created.is_some() && found.target().is_none());
    assert!(!found.damage.is_empty());
    assert!(read(&whole[..30]).unwrap().damage.len() < 4);
    assert_eq!(read(&whole[..10]), None);
}

proptest! {
    #[test]
    fn damaged_links_are_read_without_panic(seed in 0u64..300) {
        for mutant in testkit::mutate::mutants(&local(), seed % 9 + 1) {
            let _ = read(&mutant);
        }
    }

    #[test]
    fn any_bytes_behind_a_header_are_read_without_panic(rest in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut bytes = local()[..20].to_vec();
        bytes.extend(rest);
        let _ = read(&bytes);
    }
}
