//! Files of every form, each with a hostile variant, and what is found where.

use crate::{Indicator, IndicatorFile, Kind, KnownGood, Matcher, Read, read};
use ledger::{Field, FieldValue, Locator, Record, RecordId};
use std::collections::HashSet;

fn file(text: &str) -> Read {
    read(&[IndicatorFile { name: "list".to_owned(), text: text.to_owned() }])
}

fn values(read: &Read) -> Vec<(Kind, &str, Option<u64>)> {
    read.indicators.iter().map(|it| (it.kind, it.value.as_str(), it.line)).collect()
}

const MD5: &str = "00112233445566778899aabbccddeeff";
const SHA1: &str = "00112233445566778899aabbccddeeff00112233";

#[test]
fn a_plain_list_tells_its_kinds_by_their_form() {
    let text = format!(
        "# bad\n{MD5}\n\n10.0.0.1 # beacon\n10.1.0.0/16\nevil[.]com\nhxxp://evil.example/a\nevil.exe\nC:\\Users\\a\\b.dll\nHKLM\\SOFTWARE\\Bad\n2001:db8::1\nsome words here\n"
    );
    let read = file(&text);
    assert_eq!(
        values(&read),
        [
            (Kind::Hash, MD5, Some(2)),
            (Kind::Address, "10.0.0.1", Some(4)),
            (Kind::Address, "10.1.0.0/16", Some(5)),
            (Kind::Domain, "evil.com", Some(6)),
            (Kind::Url, "http://evil.example/a", Some(7)),
            (Kind::FileName, "evil.exe", Some(8)),
            (Kind::Path, "C:\\Users\\a\\b.dll", Some(9)),
            (Kind::RegistryKey, "HKLM\\SOFTWARE\\Bad", Some(10)),
            (Kind::Address, "2001:db8::1", Some(11)),
        ]
    );
    assert_eq!(read.indicators[1].label.as_deref(), Some("beacon"));
    assert_eq!((read.skipped.len(), read.skipped[0].line), (1, Some(12)));
    assert_eq!(read.unreadable, []);
}

#[test]
fn a_table_names_the_kind_in_a_column_or_by_its_columns() {
    let typed = format!(
        "type,value,description\nmd5,{MD5},loader\ndomain,evil.com,c2\nfilename,\"a, b.exe\",x\nemail,a@b.c,no\n"
    );
    let read = file(&typed);
    assert_eq!(values(&read)[0], (Kind::Hash, MD5, Some(2)));
    assert_eq!(values(&read)[2], (Kind::FileName, "a, b.exe", Some(4)));
    assert_eq!(read.indicators[0].label.as_deref(), Some("loader"));
    let columns = format!("name;sha1;ip\nx;{SHA1};10.0.0.1\n");
    assert_eq!(values(&file(&columns)), [(Kind::Hash, SHA1, Some(2)), (Kind::Address, "10.0.0.1", Some(2))]);
    // A field that is never closed swallows the rest, and nothing in it is an indicator.
    let hostile = format!("type,value\nmd5,\"{}", "x,".repeat(5_000));
    assert_eq!(file(&hostile).unreadable.len(), 1);
}

#[test]
fn a_bundle_of_stix_gives_simple_patterns_and_observables() {
    let bundle = format!(
        r#"{{"type":"bundle","id":"bundle--00000000-0000-4000-8000-000000000000","objects":[
{{"type":"indicator","id":"indicator--00000000-0000-4000-8000-000000000001","name":"c2","pattern_type":"stix","pattern":"[domain-name:value = 'evil.com' OR ipv4-addr:value = '10.0.0.1']"}},
{{"type":"indicator","id":"indicator--00000000-0000-4000-8000-000000000002","pattern":"[file:hashes.'SHA-1' IN ('{SHA1}', '{MD5}')]"}},
{{"type":"indicator","id":"indicator--00000000-0000-4000-8000-000000000003","pattern":"[file:name = 'a.exe' AND file:size = 5]"}},
{{"type":"indicator","id":"indicator--00000000-0000-4000-8000-000000000004","pattern":"[file:name LIKE 'a%']"}},
{{"type":"indicator","id":"indicator--00000000-0000-4000-8000-000000000005","pattern_type":"yara","pattern":"rule a {{}}"}},
{{"type":"file","id":"file--00000000-0000-4000-8000-000000000006","name":"b.exe","hashes":{{"MD5":"ffeeddccbbaa99887766554433221100","SSDEEP":"x"}}}},
{{"type":"windows-registry-key","id":"k","key":"HKEY_LOCAL_MACHINE\\SOFTWARE\\Bad"}}]}}"#
    );
    let read = file(&bundle);
    assert_eq!(
        values(&read),
        [
            (Kind::Domain, "evil.com", Some(2)),
            (Kind::Address, "10.0.0.1", Some(2)),
            (Kind::Hash, SHA1, Some(3)),
            (Kind::Hash, MD5, Some(3)),
            (Kind::Hash, "ffeeddccbbaa99887766554433221100", Some(7)),
            (Kind::RegistryKey, "HKEY_LOCAL_MACHINE\\SOFTWARE\\Bad", None),
        ]
    );
    let skipped: Vec<&str> = read.skipped.iter().map(|it| it.what.as_str()).collect();
    assert_eq!(
        skipped,
        [
            "a hash of kind SSDEEP",
            "a pattern with AND",
            "a pattern with LIKE",
            "an indicator with a pattern of type yara"
        ]
    );
    for hostile in [
        format!("{{\"type\":\"bundle\",\"objects\":{}", "[".repeat(100_000)),
        "{\"type\":\"bundle\",\"objects\":[{\"type\":\"indicator\",\"pattern\":\"[file:name = 'a\"}]}"
            .to_owned(),
        "{\"type\":\"bundle\",\n\"objects\":[}".to_owned(),
        "{\"type\":\"other\"}".to_owned(),
    ] {
        let read = file(&hostile);
        assert_eq!((read.indicators.len(), read.unreadable.len()), (0, 1), "{hostile:.60}");
    }
    assert_eq!(file("{\"type\":\"bundle\",\n\"objects\":[}").unreadable[0].line, Some(2));
}

#[test]
fn an_event_of_misp_gives_its_attributes_and_those_of_its_objects() {
    let event = format!(
        r#"{{"response":[{{"Event":{{"info":"campaign","Attribute":[
{{"uuid":"11111111-0000-4000-8000-000000000000","type":"ip-dst|port","value":"10.0.0.1|443","to_ids":true,"comment":"c2"}},
{{"type":"filename|md5","value":"a.exe|{MD5}","to_ids":true}},
{{"type":"domain","value":"good.com","to_ids":false}},
{{"type":"mutex","value":"x","to_ids":true}}],
"Object":[{{"Attribute":[{{"type":"regkey|value","value":"HKLM\\Software\\Bad|x","to_ids":true}}]}}]}}}}]}}"#
    );
    let read = file(&event);
    assert_eq!(
        values(&read),
        [
            (Kind::Address, "10.0.0.1", Some(2)),
            (Kind::FileName, "a.exe", None),
            (Kind::Hash, MD5, None),
            (Kind::RegistryKey, "HKLM\\Software\\Bad", None),
        ]
    );
    assert_eq!(
        (read.indicators[0].label.as_deref(), read.indicators[1].label.as_deref()),
        (Some("c2"), Some("campaign"))
    );
    assert_eq!(read.skipped.len(), 2);
    let deep = format!("{}{}", "{\"response\":".repeat(200), "1");
    assert_eq!(file(&deep).unreadable.len(), 1);
}

#[test]
fn openioc_gives_items_that_stand_alone() {
    let item = |search: &str, content: &str| {
        format!(
            "<IndicatorItem condition=\"is\">\n<Context search=\"{search}\"/><Content type=\"x\">{content}</Content></IndicatorItem>"
        )
    };
    let text = format!(
        "<?xml version=\"1.0\"?>\n<ioc xmlns=\"http://schemas.mandiant.com/2010/ioc\"><short_description>apt</short_description><definition><Indicator operator=\"OR\">{}{}{}<Indicator operator=\"AND\">{}{}</Indicator></Indicator></definition></ioc>",
        item("FileItem/Md5sum", MD5),
        item("PortItem/remoteIP", "10.0.0.1"),
        item("ProcessItem/arguments", "x"),
        item("FileItem/FileName", "svchost.exe"),
        item("FileItem/SizeInBytes", "5"),
    );
    let read = file(&text);
    assert_eq!(values(&read), [(Kind::Hash, MD5, Some(2)), (Kind::Address, "10.0.0.1", Some(3))]);
    assert_eq!(read.indicators[0].label.as_deref(), Some("apt"));
    assert_eq!(read.skipped.iter().map(|it| it.times).sum::<u64>(), 3);
    let bomb = "<!DOCTYPE a [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]>\n<ioc>&b;</ioc>";
    let deep = "<a>".repeat(50_000);
    for hostile in [bomb, deep.as_str(), "<ioc><definition>", "<html></html>"] {
        let read = file(hostile);
        assert_eq!((read.indicators.len(), read.unreadable.len()), (0, 1), "{hostile:.60}");
    }
}

#[test]
fn a_file_with_nothing_in_it_is_told() {
    for nothing in ["", "# only words\n", "some words\n", "type,value\n", "{}", "[1]"] {
        assert_eq!(file(nothing).unreadable.len(), 1, "{nothing:?}");
    }
    assert_eq!(file(&"a".repeat(crate::LONGEST + 1)).unreadable.len(), 1);
}

fn record(value: FieldValue) -> Record {
    Record {
        placement: None,
        defects: Vec::new(),
        fields: [("field".to_owned(), Field { at: None, value })].into(),
        id: RecordId(0),
        kind: "event".to_owned(),
        locator: Locator { evidence: "e".to_owned(), path: "p".to_owned(), stream: None, span: None },
    }
}

fn finds(indicator: &str, value: FieldValue) -> bool {
    let read = file(indicator);
    assert_eq!(read.indicators.len(), 1, "{indicator}");
    !Matcher::of(&read.indicators).hits(&record(value), &[]).is_empty()
}

fn text(text: &str) -> FieldValue {
    FieldValue::Text(text.to_owned())
}

fn path(text: &str) -> FieldValue {
    FieldValue::Path(text.to_owned())
}

#[test]
fn a_domain_is_found_with_those_below_it_and_in_no_other() {
    for there in [
        "evil.com",
        "curl http://www.EVIL.com/a",
        "ping evil.com.",
        "a@evil.com",
        "evil.com:443",
        "x=evil.com;y",
    ] {
        assert!(finds("evil.com", text(there)), "{there}");
    }
    for other in ["notevil.com", "evil.com.au", "not-evil.com", "evil.community", "evil.com-a.de", "evilxcom"]
    {
        assert!(!finds("evil.com", text(other)), "{other}");
    }
}

#[test]
fn an_address_is_found_whole() {
    for there in
        ["10.0.0.1", "to 10.0.0.1:445.", "[::ffff:10.0.0.1]:80", "\\\\10.0.0.1\\c$", "http://10.0.0.1/a"]
    {
        assert!(finds("10.0.0.1", text(there)), "{there}");
    }
    for other in ["110.0.0.1", "10.0.0.11", "10.0.0.1.5", "v10.0.0.1"] {
        assert!(!finds("10.0.0.1", text(other)), "{other}");
    }
    assert!(finds("10.1.0.0/16", text("10.1.200.3")));
    assert!(!finds("10.1.0.0/16", text("10.2.0.3")));
    assert!(finds("2001:db8::/32", text("from [2001:db8:1::2]:443")));
    assert!(!finds("2001:db8::/32", text("2001:db9::2")));
}

#[test]
fn a_url_a_name_and_a_path_are_found_whole() {
    assert!(finds("http://evil.example/a/b", text("GET http://evil.example/a/b?x=1")));
    assert!(!finds("http://evil.example/a/b", text("http://evil.example/a/bc")));
    assert!(finds("evil.exe", path("C/Users/ann/EVIL.exe")));
    assert!(finds("evil.exe", text("cmd /c evil.exe -a")));
    for other in ["C/notevil.exe", "C/not evil.exe", "C/evil.exe.mui", "C/evil.exec"] {
        assert!(!finds("evil.exe", path(other)), "{other}");
    }
    for there in
        ["C:\\Temp\\a.dll", "C/Temp/a.dll", "p1/Temp/a.dll", "\\Device\\HarddiskVolume3\\Temp\\a.dll"]
    {
        assert!(finds("C:\\Temp\\a.dll", path(there)), "{there}");
    }
    for other in ["D:\\Temp\\a.dll", "D/Temp/a.dll", "C:\\Temp\\a.dll2", "C:\\Tempo\\a.dll"] {
        assert!(!finds("C:\\Temp\\a.dll", path(other)), "{other}");
    }
    assert!(finds("%APPDATA%\\a\\b.exe", path("C/Users/ann/AppData/Roaming/a/b.exe")));
}

#[test]
fn a_key_is_found_in_its_own_root() {
    let key = |text: &str| FieldValue::RegistryPath(text.to_owned());
    assert!(finds("HKEY_LOCAL_MACHINE\\SOFTWARE\\Bad", key("HKLM\\SOFTWARE\\Bad\\x")));
    assert!(!finds("HKLM\\SOFTWARE\\Bad", key("HKLM\\SOFTWARE\\Badger")));
    assert!(!finds("HKLM\\SOFTWARE\\Bad", key("HKU\\ann\\SOFTWARE\\Bad")));
    assert!(finds("HKCU\\SOFTWARE\\Bad", key("HKU\\ann\\SOFTWARE\\Bad")));
    let read = file("HKLM\\SYSTEM\\ControlSet001\\Services\\bad");
    let of_hive = record(FieldValue::RegistryPath("ControlSet001\\Services\\bad".to_owned()));
    let matcher = Matcher::of(&read.indicators);
    let further = [("key", "HKLM\\System\\CurrentControlSet\\Services\\bad\\ImagePath".to_owned())];
    assert_eq!(matcher.hits(&of_hive, &further)[0].field, "key");
}

#[test]
fn a_hash_is_found_alone_and_in_words() {
    assert!(finds(MD5, FieldValue::Hash(MD5.to_uppercase())));
    assert!(finds(SHA1, text(&format!("SHA1={SHA1},MD5={MD5}"))));
    assert!(!finds(MD5, text(&format!("{MD5}0"))));
    assert!(!finds(MD5, text(SHA1)));
}

#[test]
fn the_indicator_is_told_once_with_its_place() {
    let read = file("evil.com\nevil.com\nEVIL.com\n");
    assert_eq!(read.indicators.len(), 1);
    let expected = Indicator {
        kind: Kind::Domain,
        value: "evil.com".to_owned(),
        file: "list".to_owned(),
        line: Some(1),
        label: None,
    };
    assert_eq!(read.indicators[0], expected);
}

#[test]
fn lists_of_good_files_keep_what_is_asked_alone() {
    let wanted: HashSet<String> = [MD5.to_owned(), SHA1.to_owned()].into();
    let mut known = KnownGood::default();
    let table = format!(
        "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\"\n\"{}\",\"FF112233445566778899AABBCCDDEEFF\",\"AABBCCDD\",\"a.exe\"\n",
        SHA1.to_uppercase()
    );
    known.add("nsrl", &mut table.as_bytes(), &wanted).unwrap();
    assert_eq!((known.list_of(SHA1), known.list_of(MD5)), (Some("nsrl"), None));
    assert_eq!(known.list_of("ff112233445566778899aabbccddeeff"), None);
    known.add("mine", &mut format!("# list\n{MD5}  b.exe\n{SHA1}\n").as_bytes(), &wanted).unwrap();
    assert_eq!((known.list_of(SHA1), known.list_of(&MD5.to_uppercase())), (Some("nsrl"), Some("mine")));
    assert!(known.add("db", &mut &b"SQLite format 3\0rest"[..], &wanted).is_err());
    assert!(known.add("none", &mut &b"nothing\n"[..], &wanted).is_err());
    let long = "a".repeat(1 << 20);
    assert!(known.add("long", &mut long.as_bytes(), &wanted).is_err());
}
