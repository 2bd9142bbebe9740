//! Reads values that are built byte by byte.

use super::*;
use proptest::prelude::*;

const TICKS: u64 = 129_779_783_208_392_490;

fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn f_value() -> Vec<u8> {
    let mut data = vec![0; 80];
    for at in [8, 24, 40] {
        data[at..at + 8].copy_from_slice(&(TICKS + at as u64).to_le_bytes());
    }
    data[32..40].copy_from_slice(&0x7FFF_FFFF_FFFF_FFFF_u64.to_le_bytes());
    data[48..52].copy_from_slice(&1001_u32.to_le_bytes());
    data[56..60].copy_from_slice(&0x0210_u32.to_le_bytes());
    data[64] = 3;
    data[66] = 12;
    data
}

/// Builds a value with descriptors of 12 bytes and the texts they point to.
fn described(fixed: usize, texts: &[(usize, &[u8])]) -> Vec<u8> {
    let mut data = vec![0; fixed];
    for (at, text) in texts {
        let offset = u32::try_from(data.len() - fixed).unwrap();
        data[*at..at + 4].copy_from_slice(&offset.to_le_bytes());
        data[at + 4..at + 8].copy_from_slice(&u32::try_from(text.len()).unwrap().to_le_bytes());
        data.extend(*text);
        data.resize(data.len().next_multiple_of(4), 0);
    }
    data
}

fn v_value() -> Vec<u8> {
    described(NAMES, &[(0x0C, &wide("Müller")), (0x18, &wide("Anna Müller")), (0x24, &wide("x"))])
}

fn c_value() -> Vec<u8> {
    let local = [1, 5, 0, 0, 0, 0, 0, 5, 21, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0xE9, 3, 0, 0];
    let system = [1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0];
    let members = [&local[..], &system[..]].concat();
    let mut data = described(GROUP, &[(16, &wide("Administrators")), (28, &wide("all")), (40, &members)]);
    data[..4].copy_from_slice(&544_u32.to_le_bytes());
    data[48] = 2;
    data
}

#[test]
fn an_account_has_times_counts_and_flags() {
    let (account, damage) = account(&f_value());
    assert!(damage.is_empty());
    assert_eq!(account.last_logon, Some(Located::new(Filetime(TICKS + 8), 8, 8)));
    assert_eq!(account.password_last_set, Some(Located::new(Filetime(TICKS + 24), 24, 8)));
    assert_eq!(account.last_failed_logon, Some(Located::new(Filetime(TICKS + 40), 40, 8)));
    assert_eq!(account.rid.unwrap().value, 1001);
    assert_eq!((account.failed_count.unwrap().value, account.logon_count.unwrap().value), (3, 12));
    assert_eq!(
        flag_names(account.flags.unwrap().value),
        ["USER_NORMAL_ACCOUNT", "USER_DONT_EXPIRE_PASSWORD"]
    );
}

#[test]
fn a_cut_account_keeps_the_fields_that_are_there() {
    let (account, damage) = account(&f_value()[..50]);
    assert_eq!((account.rid, account.flags), (None, None));
    assert!(account.last_failed_logon.is_some());
    assert_eq!(damage[0].what, DamageKind::Length { expected: 80, actual: 50 });
}

#[test]
fn names_stand_where_their_descriptors_say() {
    let data = v_value();
    let (names, damage) = names(&data);
    assert!(damage.is_empty(), "{damage:?}");
    let name = names.name.unwrap();
    assert_eq!((name.value.as_str(), name.offset, name.length), ("Müller", NAMES, 12));
    assert_eq!(names.full_name.unwrap().value, "Anna Müller");
    assert_eq!(names.home_directory, None);
}

#[test]
fn a_descriptor_that_points_outside_is_damage() {
    let mut data = v_value();
    data[0x10..0x14].copy_from_slice(&0x7FFF_FFFF_u32.to_le_bytes());
    let (names, damage) = names(&data);
    assert_eq!(names.name, None);
    assert_eq!(names.full_name.unwrap().value, "Anna Müller");
    assert_eq!((damage.len(), damage[0].offset), (1, 0x0C));
}

#[test]
fn a_group_lists_the_sids_of_its_members() {
    let (group, damage) = group(&c_value());
    assert!(damage.is_empty(), "{damage:?}");
    assert_eq!((group.rid.unwrap().value, group.name.unwrap().value.as_str()), (544, "Administrators"));
    let members: Vec<_> = group.members.iter().map(|member| member.value.as_str()).collect();
    assert_eq!(members, ["S-1-5-21-1-2-3-1001", "S-1-5-18"]);
}

#[test]
fn a_group_that_counts_too_many_members_gives_those_that_are_there() {
    let mut data = c_value();
    data[48..52].copy_from_slice(&u32::MAX.to_le_bytes());
    let (group, damage) = group(&data);
    assert_eq!(group.members.len(), 2);
    let expected = DamageKind::Field { what: "members", expected: u64::from(u32::MAX), actual: 2 };
    assert_eq!(damage[0].what, expected);
}

#[test]
fn the_sid_of_the_domain_stands_at_the_end() {
    let sid = [1, 4, 0, 0, 0, 0, 0, 5, 21, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0];
    let data = [&[9; 40][..], &sid].concat();
    assert_eq!(domain_sid(&data), Ok(Located::new("S-1-5-21-1-2-3".to_owned(), 40, 24)));
    assert!(domain_sid(&[9; 40]).is_err());
    assert!(domain_sid(&[]).is_err());
}

#[test]
fn bits_without_a_name_are_not_lost() {
    assert_eq!(flag_names(0x8000_0001), ["USER_ACCOUNT_DISABLED", "0x80000000"]);
}

proptest! {
    #[test]
    fn nothing_panics(data in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = (account(&data), names(&data), domain_sid(&data));
        prop_assert!(group(&data).0.members.len() <= data.len() / 8);
    }

    #[test]
    fn changed_values_give_no_panic(changes in proptest::collection::vec((0..400_usize, any::<u8>()), 1..8)) {
        for mut data in [f_value(), v_value(), c_value()] {
            for (at, byte) in &changes {
                let at = at % data.len();
                data[at] = *byte;
            }
            let _ = (account(&data), names(&data), group(&data));
        }
    }
}
