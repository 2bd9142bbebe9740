//! What registry artifacts show about users: accounts, programs, documents, dialogs, typed texts.

use crate::fixture::{Fixture, TICKS, fits, text, wide, write};
use ledger::{Completeness, FieldValue, Outcome, Record};
use proptest::prelude::*;
use serde_json::json;
use testkit::hive::{Built, HiveSpec, KeySpec, ValueSpec};
use tools::Return;

const NTUSER: &str = "U/NTUSER.DAT";
const SAM: &str = "U/SAM";
const EXPLORER: &str = "Software\\Microsoft\\Windows\\CurrentVersion\\Explorer";
const USER_ARTIFACTS: [&str; 6] =
    ["mount_points", "office_recent", "open_save", "recent_documents", "typed_entries", "user_assist"];
const SAM_ARTIFACTS: [&str; 2] = ["group_members", "user_accounts"];

fn rot13(name: &str) -> String {
    let turn = |c: char, first: u8| char::from((c as u8 - first + 13) % 26 + first);
    name.chars()
        .map(|c| match c {
            'a'..='z' => turn(c, b'a'),
            'A'..='Z' => turn(c, b'A'),
            other => other,
        })
        .collect()
}

fn assist(name: &str, data: &[u8]) -> ValueSpec {
    ValueSpec::binary(&rot13(name), data)
}

/// Makes a version 5 entry: runs, focus count, milliseconds, last run.
fn five(runs: u32, focus: u32, milliseconds: u32, last: u64) -> Vec<u8> {
    let mut data = vec![0; 72];
    for (at, number) in [(4, runs), (8, focus), (12, milliseconds)] {
        data[at..at + 4].copy_from_slice(&number.to_le_bytes());
    }
    data[60..68].copy_from_slice(&last.to_le_bytes());
    data
}

fn three(stored: u32, last: u64) -> Vec<u8> {
    [&7_u32.to_le_bytes()[..], &stored.to_le_bytes(), &last.to_le_bytes()].concat()
}

fn order(numbers: &[u32]) -> ValueSpec {
    let data: Vec<u8> = numbers.iter().chain(&[u32::MAX]).flat_map(|number| number.to_le_bytes()).collect();
    ValueSpec::binary("MRUListEx", &data)
}

fn item(class: u8, content: &[u8]) -> Vec<u8> {
    let mut item = (content.len() as u16 + 3).to_le_bytes().to_vec();
    item.push(class);
    item.extend(content);
    item
}

fn volume() -> Vec<u8> {
    let mut content = b"C:\\".to_vec();
    content.resize(22, 0);
    item(0x2F, &content)
}

/// Makes a Windows 10 file entry with a short name of odd length, a long name and a file reference.
fn file(class: u8, short: &str, long: &str) -> Vec<u8> {
    let mut content = vec![0, 0, 0, 0, 0, 0x84, 0x40, 0x96, 0x7E, 0x20, 0];
    content.extend(short.as_bytes());
    content.push(0);
    let first = content.len() + 3;
    let mut block = vec![0, 0, 9, 0, 4, 0, 0xEF, 0xBE, 0x81, 0x40, 0, 8, 0x82, 0x40, 0, 0x10, 0x2E, 0];
    block.extend([0, 0, 0x39, 0x30, 0, 0, 0, 0, 7, 0]);
    block.extend([0; 18]);
    block.extend(wide(&format!("{long}\0")));
    block.extend((first as u16).to_le_bytes());
    let size = (block.len() as u16).to_le_bytes();
    block[..2].copy_from_slice(&size);
    content.extend(block);
    item(class, &content)
}

fn list(items: &[Vec<u8>]) -> Vec<u8> {
    [items.concat(), vec![0, 0]].concat()
}

fn recent(name: &str, link: &str) -> Vec<u8> {
    [wide(&format!("{name}\0")), list(&[file(0x32, "SHORT.LNK", link)])].concat()
}

fn user() -> Built {
    let count = KeySpec::new("")
        .value(assist("UEME_CTLSESSION", &[0; 64]))
        .value(assist("UEME_CTLCUACount:ctor", &five(0, 0, 0, 0)))
        .value(assist("C:\\tools\\ran.exe", &five(2, 3, 4000, TICKS)))
        .value(assist("{F38BF404-1D43-42F2-9305-67DE0B28FC23}\\explorer.exe", &five(4, 0, 0, TICKS + 5)))
        .value(assist("{7C5A40EF-A0FB-4BFC-874A-C0F2E0B9FA8E}\\a\\x.exe", &five(1, 0, 0, TICKS + 6)))
        .value(assist("Preset.One", &five(14, 21, 420_000, TICKS - 9)))
        .value(assist("Preset.Two", &five(13, 19, 380_000, TICKS - 9)))
        .value(assist("Preset.Three", &five(12, 17, 340_000, TICKS - 9)))
        .value(assist("Never.Run", &five(0, 1, 12, 0)))
        .value(assist("damaged.exe", &[1, 2, 3]));
    let old = KeySpec::new("")
        .value(assist("UEME_RUNPATH", &three(9, TICKS)))
        .value(assist("UEME_RUNPATH:C:\\old.exe", &three(7, TICKS + 1)))
        .value(assist("UEME_RUNPIDL:%csidl2%\\Games", &three(6, TICKS + 2)))
        .value(assist("UEME_RUNPIDL:%csidl2%\\Games\\x.lnk", &three(6, TICKS + 3)));
    let recent_docs = KeySpec::new("")
        .written(TICKS)
        .value(ValueSpec::binary("0", &recent("first.txt", "first.lnk")))
        .value(ValueSpec::binary("1", &recent("zweite Datei ä.txt", "zweite Datei ä.lnk")))
        .value(ValueSpec::binary("2", &recent("forgotten.txt", "forgotten.lnk")))
        .value(order(&[1, 0]));
    let by_type = KeySpec::new("").written(TICKS + 7).value(ValueSpec::binary("0", &[])).value(order(&[0]));
    let root = KeySpec::new("ROOT")
        .path("Environment", KeySpec::new(""))
        .path(&format!("{EXPLORER}\\UserAssist\\{{CEBFF5CD}}\\Count"), count)
        .path(&format!("{EXPLORER}\\UserAssist\\{{75048700}}\\Count"), old)
        .path(
            &format!("{EXPLORER}\\UserAssist\\{{F4E57C4B-2036-45F0-A9AB-443BCFE33D9F}}\\Count"),
            KeySpec::new("").value(assist("C:\\short.lnk", &five(4, 0, 4, TICKS))),
        )
        .path(&format!("{EXPLORER}\\RecentDocs"), recent_docs)
        .path(&format!("{EXPLORER}\\RecentDocs\\.txt"), by_type);
    HiveSpec::new(places(dialogs(typed(root)))).build()
}

fn dialogs(root: KeySpec) -> KeySpec {
    let chosen = KeySpec::new("")
        .written(TICKS + 1)
        .value(ValueSpec::binary(
            "0",
            &list(&[volume(), file(0x31, "FOLDR", "folder"), file(0x32, "A.TXT", "a long.txt")]),
        ))
        .value(ValueSpec::binary("1", &list(&[volume(), item(0x99, &[1, 2])])))
        .value(order(&[0, 1]));
    let visited = [wide("notepad.exe\0"), list(&[volume(), file(0x31, "FOLDR", "folder")])].concat();
    let visited =
        KeySpec::new("").written(TICKS + 2).value(ValueSpec::binary("0", &visited)).value(order(&[0]));
    let old = KeySpec::new("")
        .written(TICKS + 3)
        .value(ValueSpec::sz("a", "C:\\old\\saved.doc"))
        .value(ValueSpec::sz("MRUList", "a"));
    let old_visited = KeySpec::new("")
        .value(ValueSpec::binary("a", &wide("winword.exe\0C:\\old\0")))
        .value(ValueSpec::sz("MRUList", "a"));
    root.path(&format!("{EXPLORER}\\ComDlg32\\OpenSavePidlMRU\\txt"), chosen)
        .path(&format!("{EXPLORER}\\ComDlg32\\LastVisitedPidlMRU"), visited)
        .path(&format!("{EXPLORER}\\ComDlg32\\OpenSaveMRU\\doc"), old)
        .path(&format!("{EXPLORER}\\ComDlg32\\LastVisitedMRU"), old_visited)
}

fn typed(root: KeySpec) -> KeySpec {
    let run = KeySpec::new("")
        .written(TICKS + 1)
        .value(ValueSpec::sz("a", "cmd\\1"))
        .value(ValueSpec::sz("b", "regedit\\1"))
        .value(ValueSpec::sz("MRUList", "ba"));
    let words = KeySpec::new("").value(ValueSpec::binary("0", &wide("secret plan\0"))).value(order(&[0]));
    let urls = KeySpec::new("")
        .value(ValueSpec::sz("url2", "http://two.example/"))
        .value(ValueSpec::sz("url1", "http://one.example/"));
    let times = KeySpec::new("")
        .value(ValueSpec::binary("url1", &(TICKS + 4).to_le_bytes()))
        .value(ValueSpec::binary("url2", &[0; 8]));
    root.path(&format!("{EXPLORER}\\RunMRU"), run)
        .path(&format!("{EXPLORER}\\WordWheelQuery"), words)
        .path(&format!("{EXPLORER}\\TypedPaths"), KeySpec::new("").value(ValueSpec::sz("url1", "\\\\srv\\x")))
        .path("Software\\Microsoft\\Internet Explorer\\TypedURLs", urls)
        .path("Software\\Microsoft\\Internet Explorer\\TypedURLsTime", times)
        .path(
            "Software\\Microsoft\\Terminal Server Client\\Default",
            KeySpec::new("").value(ValueSpec::sz("MRU0", "10.0.0.5")),
        )
        .path(
            "Software\\Microsoft\\Terminal Server Client\\Servers\\10.0.0.5",
            KeySpec::new("").written(TICKS).value(ValueSpec::sz("UsernameHint", "DOM\\admin")),
        )
}

fn places(root: KeySpec) -> KeySpec {
    let files = KeySpec::new("")
        .value(ValueSpec::dword("Max Display", 25))
        .value(ValueSpec::sz("Item 2", "[F00000000][T00][O00000000]*C:\\second.xlsx"))
        .value(ValueSpec::sz("Item 1", "[F00000000][T01CD1279A729A700][O00000000]*C:\\first.xlsx"));
    let folders = KeySpec::new("")
        .value(ValueSpec::sz("Item 1", "[F00000000][T01CD1279A729A700]*https://d.example/x/"));
    root.path(
        &format!("{EXPLORER}\\MountPoints2\\##server#share name"),
        KeySpec::new("").written(TICKS).value(ValueSpec::sz("_LabelFromReg", "Public")),
    )
    .path(&format!("{EXPLORER}\\MountPoints2\\{{656b1715-ecf6-11df-92e6-806e6f6e6963}}"), KeySpec::new(""))
    .path(&format!("{EXPLORER}\\MountPoints2\\E"), KeySpec::new(""))
    .path(&format!("{EXPLORER}\\MountPoints2\\CPC\\Volume"), KeySpec::new(""))
    .path("Software\\Microsoft\\Office\\14.0\\Excel\\File MRU", files)
    .path("Software\\Microsoft\\Office\\16.0\\Word\\User MRU\\LiveId_1\\Place MRU", folders)
}

const DOMAIN: [u8; 24] = [1, 4, 0, 0, 0, 0, 0, 5, 21, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0];

fn account(rid: u32, flags: u32, last_logon: u64) -> Vec<u8> {
    let mut data = vec![0; 80];
    data[8..16].copy_from_slice(&last_logon.to_le_bytes());
    data[24..32].copy_from_slice(&(TICKS + 1).to_le_bytes());
    data[32..40].copy_from_slice(&0x7FFF_FFFF_FFFF_FFFF_u64.to_le_bytes());
    data[48..52].copy_from_slice(&rid.to_le_bytes());
    data[56..60].copy_from_slice(&flags.to_le_bytes());
    data[66] = 12;
    data
}

fn described(fixed: usize, texts: &[(usize, &[u8])]) -> Vec<u8> {
    let mut data = vec![0; fixed];
    for (at, text) in texts {
        let offset = (data.len() - fixed) as u32;
        data[*at..at + 4].copy_from_slice(&offset.to_le_bytes());
        data[at + 4..at + 8].copy_from_slice(&(text.len() as u32).to_le_bytes());
        data.extend(*text);
    }
    data
}

fn accounts() -> Built {
    let member = [&[1, 5][..], &DOMAIN[2..], &1001_u32.to_le_bytes()].concat();
    let mut group = described(52, &[(16, &wide("Administrators")), (40, &member)]);
    group[..4].copy_from_slice(&544_u32.to_le_bytes());
    group[48] = 1;
    let ann = described(0xCC, &[(0x0C, &wide("Ann")), (0x18, &wide("Ann Smith")), (0xA8, &[0xAB; 20])]);
    let users = "SAM\\Domains\\Account\\Users";
    let root = KeySpec::new("ROOT")
        .path(
            "SAM\\Domains\\Account",
            KeySpec::new("").value(ValueSpec::binary("V", &[&[9; 40][..], &DOMAIN].concat())),
        )
        .path(
            &format!("{users}\\000003E9"),
            KeySpec::new("")
                .value(ValueSpec::binary("F", &account(1001, 0x210, TICKS)))
                .value(ValueSpec::binary("V", &ann)),
        )
        .path(
            &format!("{users}\\000001F5"),
            KeySpec::new("").value(ValueSpec::binary("F", &account(501, 0x11, 0)[..60])),
        )
        .path(
            &format!("{users}\\Names\\Ann"),
            KeySpec::new("").written(TICKS + 2).value(ValueSpec::raw("", 1001, &[])),
        )
        .path(&format!("{users}\\Names\\gone"), KeySpec::new("").value(ValueSpec::raw("", 1002, &[])))
        .path(
            "SAM\\Domains\\Builtin\\Aliases\\00000220",
            KeySpec::new("").value(ValueSpec::binary("C", &group)),
        );
    HiveSpec::new(root).build()
}

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    write(fixture.root(), NTUSER, &user().bytes);
    write(fixture.root(), SAM, &accounts().bytes);
    fixture
}

fn artifact(fixture: &Fixture, artifact: &str) -> Return {
    let hive = if SAM_ARTIFACTS.contains(&artifact) { SAM } else { NTUSER };
    fixture.ok("records", json!({ "source": artifact, "hive": hive, "evidence": "disk" }))
}

fn with<'r>(returned: &'r Return, field: &str, value: &str) -> &'r Record {
    let found = returned.records.iter().find(|record| text(record, field) == value);
    found.unwrap_or_else(|| panic!("no record with {field} {value}"))
}

fn time(ticks: u64) -> String {
    ledger::Time::from_filetime(ticks).to_text()
}

#[test]
fn programs_are_counted_and_what_else_the_shell_counts_is_left_out() {
    let fixture = fixture();
    let returned = artifact(&fixture, "user_assist");
    assert_eq!(returned.records.len(), 12);
    let ran = with(&returned, "name", "ran.exe");
    assert_eq!(text(ran, "program"), "C:\\tools\\ran.exe");
    assert_eq!((text(ran, "run_count"), text(ran, "focus_count")), ("2".into(), "3".into()));
    assert_eq!((text(ran, "focus_time_ms"), text(ran, "last_run")), ("4000".into(), time(TICKS)));
    assert_eq!(fixture.bytes_of(ran, "last_run"), TICKS.to_le_bytes());
    assert_eq!(fixture.bytes_of(ran, "program"), b"P:\\gbbyf\\ena.rkr");
    assert!(!ran.fields.contains_key("key_last_written") && !ran.fields.contains_key("stored_count"));
    let folder = with(&returned, "name", "Games");
    assert_eq!((text(folder, "last_chosen"), text(folder, "last_run")), (time(TICKS + 2), String::new()));
    assert_eq!(text(with(&returned, "name", "x.lnk"), "last_run"), time(TICKS + 3));
    let shortcut = with(&returned, "name", "short.lnk");
    assert_eq!(text(shortcut, "run_count"), "4");
    assert!(!shortcut.fields.contains_key("focus_time_ms"));
    let never = with(&returned, "name", "Never.Run");
    assert!(!never.fields.contains_key("last_run"));
    let old = with(&returned, "name", "old.exe");
    assert_eq!((text(old, "run_count"), text(old, "stored_count")), ("2".into(), "7".into()));
    assert_eq!((text(old, "started_by"), text(old, "last_run")), ("UEME_RUNPATH".into(), time(TICKS + 1)));
}

#[test]
fn a_folder_is_resolved_only_where_every_host_has_it_there() {
    let returned = artifact(&fixture(), "user_assist");
    let explorer = with(&returned, "name", "explorer.exe");
    assert_eq!(text(explorer, "resolved"), "%windir%\\explorer.exe");
    assert_eq!(text(explorer, "known_folder"), "Windows");
    let program = with(&returned, "name", "x.exe");
    assert_eq!(text(program, "known_folder"), "ProgramFilesX86");
    assert!(!program.fields.contains_key("resolved"));
}

#[test]
fn entries_that_windows_wrote_at_once_state_no_run() {
    let returned = artifact(&fixture(), "user_assist");
    for name in ["Preset.One", "Preset.Two", "Preset.Three"] {
        let preset = with(&returned, "name", name);
        assert_eq!(text(preset, "preset_time"), time(TICKS - 9));
        assert!(!preset.fields.contains_key("last_run"));
    }
}

#[test]
fn a_damaged_entry_comes_with_its_bytes() {
    let fixture = fixture();
    let returned = artifact(&fixture, "user_assist");
    let damaged = with(&returned, "name", "damaged.exe");
    assert_eq!(text(damaged, "raw"), "010203");
    assert_eq!(damaged.defects.len(), 1);
    assert_eq!(damaged.defects[0].offset, Some(damaged.fields["raw"].at.unwrap().offset));
}

#[test]
fn recent_documents_stand_in_their_order_and_only_the_first_has_a_time() {
    let fixture = fixture();
    let mut returned = artifact(&fixture, "recent_documents");
    // The list as a whole comes first, and has only the names that are in its order.
    let list = returned.records.remove(0);
    assert_eq!((list.kind.as_str(), text(&list, "opened_last")), ("recent_documents_list", time(TICKS)));
    let FieldValue::List(names) = &list.fields["names"].value else { panic!("{list:?}") };
    assert_eq!(names, &["zweite Datei ä.txt", "first.txt"]);
    let names: Vec<_> = returned.records.iter().map(|record| text(record, "name")).collect();
    assert_eq!(names, ["zweite Datei ä.txt", "first.txt", "forgotten.txt", "0"]);
    let first = &returned.records[0];
    assert_eq!((text(first, "position"), text(first, "opened_last")), ("0".into(), time(TICKS)));
    assert_eq!(text(first, "link"), "zweite Datei ä.lnk");
    assert_eq!(fixture.bytes_of(first, "name"), wide("zweite Datei ä.txt"));
    assert_eq!(fixture.bytes_of(first, "link"), wide("zweite Datei ä.lnk"));
    assert_eq!(fixture.bytes_of(first, "position"), 1_u32.to_le_bytes());
    let second = &returned.records[1];
    assert_eq!(text(second, "position"), "1");
    assert!(!second.fields.contains_key("opened_last") && !second.fields.contains_key("key_last_written"));
    assert!(!returned.records[2].fields.contains_key("position"));
    let empty = &returned.records[3];
    assert_eq!((text(empty, "extension"), text(empty, "opened_last")), (".txt".into(), time(TICKS + 7)));
    assert!(empty.fields.contains_key("raw") && !empty.defects.is_empty());
}

#[test]
fn chosen_files_have_the_path_and_the_times_of_their_shell_items() {
    let fixture = fixture();
    let returned = artifact(&fixture, "open_save");
    let chosen = with(&returned, "path", "C:\\folder\\a long.txt");
    assert_eq!((text(chosen, "extension"), text(chosen, "list")), ("txt".into(), "OpenSavePidlMRU".into()));
    assert_eq!(text(chosen, "chosen_last"), time(TICKS + 1));
    assert_eq!(text(chosen, "modified"), "2012-04-04T15:52:44Z");
    assert_eq!(text(chosen, "created"), "2012-04-01T01:00:00Z");
    assert_eq!((text(chosen, "mft_entry"), text(chosen, "mft_sequence")), ("12345".into(), "7".into()));
    assert_eq!(fixture.bytes_of(chosen, "name"), wide("a long.txt"));
    let partly = with(&returned, "path", "C:\\<0x99>");
    assert_eq!(
        (text(partly, "incomplete"), text(partly, "unknown_items")),
        ("true".into(), "0500990102".into())
    );
    assert!(!partly.fields.contains_key("chosen_last"));
    let visited = with(&returned, "program", "notepad.exe");
    assert_eq!((visited.kind.as_str(), text(visited, "path")), ("last_visited", "C:\\folder".into()));
    let old = with(&returned, "path", "C:\\old\\saved.doc");
    assert_eq!((text(old, "name"), text(old, "chosen_last")), ("saved.doc".into(), time(TICKS + 3)));
    let old = with(&returned, "program", "winword.exe");
    assert_eq!(fixture.bytes_of(old, "path"), wide("C:\\old"));
}

#[test]
fn typed_texts_have_their_list_and_place() {
    let fixture = fixture();
    let returned = artifact(&fixture, "typed_entries");
    let rows: Vec<_> = returned
        .records
        .iter()
        .map(|record| (text(record, "list"), text(record, "text"), text(record, "position")))
        .collect();
    let expected = [
        ("RunMRU", "regedit", "0"),
        ("RunMRU", "cmd", "1"),
        ("WordWheelQuery", "secret plan", "0"),
        ("TypedPaths", "\\\\srv\\x", "0"),
        ("TypedURLs", "http://one.example/", "0"),
        ("TypedURLs", "http://two.example/", "1"),
        ("Terminal Server Client", "10.0.0.5", "0"),
        ("Terminal Server Client\\Servers", "10.0.0.5", ""),
    ];
    let expected = expected.map(|(list, text, place)| (list.to_owned(), text.to_owned(), place.to_owned()));
    assert_eq!(rows, expected);
    assert_eq!(fixture.bytes_of(&returned.records[0], "text"), wide("regedit"));
    assert_eq!(text(&returned.records[0], "list_written"), time(TICKS + 1));
    assert_eq!(text(&returned.records[4], "typed_at"), time(TICKS + 4));
    assert!(!returned.records[5].fields.contains_key("typed_at"));
    assert!(!returned.records[5].fields.contains_key("list_written"));
    assert_eq!(text(&returned.records[7], "user_hint"), "DOM\\admin");
}

#[test]
fn mount_points_tell_volumes_shares_and_drives() {
    let fixture = fixture();
    let returned = artifact(&fixture, "mount_points");
    assert_eq!(returned.records.len(), 3);
    let share = with(&returned, "share", "\\\\server\\share name");
    assert_eq!((text(share, "label"), text(share, "key_last_written")), ("Public".into(), time(TICKS)));
    assert_eq!(fixture.bytes_of(share, "name"), b"##server#share name");
    with(&returned, "volume", "{656b1715-ecf6-11df-92e6-806e6f6e6963}");
    with(&returned, "drive", "E");
}

#[test]
fn office_lists_have_times_of_their_own() {
    let fixture = fixture();
    let returned = artifact(&fixture, "office_recent");
    assert_eq!(returned.records.len(), 3);
    let first = with(&returned, "path", "C:\\first.xlsx");
    assert_eq!((text(first, "application"), text(first, "version")), ("Excel".into(), "14.0".into()));
    assert_eq!((text(first, "opened"), text(first, "position")), (time(0x01CD_1279_A729_A700), "0".into()));
    assert_eq!(fixture.bytes_of(first, "path"), wide("C:\\first.xlsx"));
    assert_eq!(fixture.bytes_of(first, "opened"), wide("01CD1279A729A700"));
    assert!(!with(&returned, "path", "C:\\second.xlsx").fields.contains_key("opened"));
    let place = with(&returned, "path", "https://d.example/x/");
    assert!(place.fields.contains_key("used") && !place.fields.contains_key("opened"));
}

#[test]
fn accounts_have_their_sid_times_and_flags_and_never_a_hash() {
    let fixture = fixture();
    let returned = artifact(&fixture, "user_accounts");
    assert_eq!(returned.records.len(), 3);
    let ann = with(&returned, "name", "Ann");
    assert_eq!((text(ann, "sid"), text(ann, "rid")), ("S-1-5-21-1-2-3-1001".into(), "1001".into()));
    assert_eq!((text(ann, "full_name"), text(ann, "logon_count")), ("Ann Smith".into(), "12".into()));
    assert_eq!(text(ann, "flags"), "USER_NORMAL_ACCOUNT; USER_DONT_EXPIRE_PASSWORD");
    assert_eq!((text(ann, "last_logon"), text(ann, "password_last_set")), (time(TICKS), time(TICKS + 1)));
    assert_eq!(text(ann, "name_key_last_written"), time(TICKS + 2));
    assert!(!ann.fields.contains_key("account_expires") && !ann.fields.contains_key("last_failed_logon"));
    assert_eq!(fixture.bytes_of(ann, "name"), wide("Ann"));
    assert_eq!(fixture.bytes_of(ann, "last_logon"), TICKS.to_le_bytes());
    let cut = with(&returned, "rid", "501");
    assert_eq!((text(cut, "name"), text(cut, "logon_count")), ("000001F5".into(), String::new()));
    assert_eq!(cut.defects.len(), 2, "{:?}", cut.defects);
    with(&returned, "name", "gone");
    assert!(!serde_json::to_string(&returned.records).unwrap().contains("abababab"));
}

#[test]
fn who_is_an_administrator_is_evidence() {
    let fixture = fixture();
    let returned = artifact(&fixture, "group_members");
    let [member] = returned.records.as_slice() else { panic!("{:?}", returned.records) };
    assert_eq!(
        (text(member, "member"), text(member, "group")),
        ("S-1-5-21-1-2-3-1001".into(), "Administrators".into())
    );
    assert_eq!((text(member, "group_rid"), text(member, "domain")), ("544".into(), "Builtin".into()));
    assert_eq!(fixture.bytes_of(member, "member")[..2], [1, 5]);
}

#[test]
fn a_hive_without_the_artifact_is_empty_and_complete() {
    let fixture = Fixture::new();
    for artifact in USER_ARTIFACTS {
        let hive = "C/Users/Ann/hive-without-a-name";
        let returned =
            fixture.run("records", json!({ "source": artifact, "hive": hive, "evidence": "disk" }));
        assert_eq!(
            (returned.outcome, returned.completeness),
            (Outcome::Empty, Completeness::Complete),
            "{artifact}"
        );
    }
    for artifact in SAM_ARTIFACTS {
        let returned = fixture.run("records", json!({ "source": artifact, "evidence": "disk" }));
        assert_eq!(returned.outcome, Outcome::Empty, "{artifact}");
        let note = returned.notes.iter().find(|note| note.contains("no hive of type SAM"));
        assert!(note.is_some(), "{artifact}: {:?}", returned.notes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn changed_hives_are_read_without_a_panic(
        changes in proptest::collection::vec((4096..60_000_u64, any::<[u8; 2]>()), 1..200),
    ) {
        let fixture = Fixture::new();
        for (hive, mut built, artifacts) in
            [(NTUSER, user(), &USER_ARTIFACTS[..]), (SAM, accounts(), &SAM_ARTIFACTS[..])]
        {
            let length = built.bytes.len() as u64;
            for (at, bytes) in &changes {
                built.put(4096 + at % (length - 4096), bytes);
            }
            write(fixture.root(), hive, &built.bytes);
            for artifact in artifacts {
                let asked = json!({ "source": artifact, "hive": hive, "evidence": "disk" });
                let returned = fixture.run("records", asked);
                fits(&returned, "records");
            }
        }
    }
}
