//! Registry artifacts, decoded from hives made for the test.

use crate::fixture::{fits, text, write};
use evidence::{Tree, open_directory};
use ledger::{Completeness, Outcome, Record};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use testkit::artifact_hives::{amcache, classes, sam, security, software, system, user};
use testkit::hive::{HiveSpec, KeySpec, ValueSpec, cell_reference};
use tools::{Return, catalogue, decoders, run};

const SYSTEM: &str = "C/Windows/System32/config/SYSTEM";
const SOFTWARE: &str = "C/Windows/System32/config/SOFTWARE";
const NTUSER: &str = "C/Users/Ann/NTUSER.DAT";
const USRCLASS: &str = "C/Users/Ann/AppData/Local/Microsoft/Windows/UsrClass.dat";
const SAM: &str = "C/Windows/System32/config/SAM";
const SECURITY: &str = "C/Windows/System32/config/SECURITY";
const AMCACHE: &str = "C/Windows/AppCompat/Programs/Amcache.hve";

struct Case {
    folder: TempDir,
    trees: Vec<Box<dyn Tree>>,
}

impl Case {
    fn of(files: &[(&str, &[u8])]) -> Case {
        let folder = tempfile::tempdir().unwrap();
        for (path, bytes) in files {
            write(folder.path(), path, bytes);
        }
        let trees = vec![Box::new(open_directory(folder.path(), "disk").unwrap()) as Box<dyn Tree>];
        Case { folder, trees }
    }

    fn whole() -> Case {
        Case::of(&[
            (SYSTEM, &HiveSpec::new(system()).build().bytes),
            (SOFTWARE, &HiveSpec::new(software()).build().bytes),
            (NTUSER, &HiveSpec::new(user()).build().bytes),
            (USRCLASS, &HiveSpec::new(classes()).build().bytes),
            (AMCACHE, &HiveSpec::new(amcache()).build().bytes),
            (SAM, &HiveSpec::new(sam()).build().bytes),
            (SECURITY, &HiveSpec::new(security()).build().bytes),
        ])
    }

    fn run(&self, arguments: &Value) -> Return {
        let returned = run("records", arguments, &self.trees, Path::new("/nonexistent"));
        fits(&returned, "records");
        for record in &returned.records {
            let size = fs::metadata(self.folder.path().join(&record.locator.path)).unwrap().len();
            let spans = record.fields.values().filter_map(|field| field.at).chain(record.locator.span);
            assert!(spans.into_iter().all(|span| span.end() <= size), "{record:?}");
        }
        returned
    }

    fn decode(&self, artifact: &str) -> Return {
        self.run(&json!({ "source": artifact }))
    }

    fn raw(&self, record: &Record, field: &str) -> String {
        let Some(at) = record.fields[field].at else { return String::new() };
        let bytes = fs::read(self.folder.path().join(&record.locator.path)).unwrap();
        let bytes = &bytes[at.offset as usize..at.end() as usize];
        let shown: String = bytes.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        format!("  <{shown}{}>", if bytes.len() > 16 { "…" } else { "" })
    }
}

/// Sources of `records` that are neither artifacts nor decoders.
const OTHERS: [&str; 7] =
    ["browsing", "logons", "persistence", "program_execution", "recycled", "user_activity", "usn_names"];

fn artifacts() -> Vec<String> {
    let spec = catalogue().into_iter().find(|spec| spec.name == "records").unwrap();
    let sources = spec.arguments["properties"]["source"]["enum"].as_array().unwrap().clone();
    let names = sources.into_iter().map(|name| name.as_str().unwrap().to_owned());
    names.filter(|name| !OTHERS.contains(&name.as_str()) && !decoders().contains(&name.as_str())).collect()
}

/// Compares the records of all artifacts with the golden file; `UPDATE_GOLDEN=1` accepts a change.
#[test]
fn every_artifact_is_decoded_as_written_down() {
    let case = Case::whole();
    let mut written = String::new();
    for artifact in artifacts() {
        let returned = case.decode(&artifact);
        writeln!(written, "# {artifact}: {:?} {:?}", returned.outcome, returned.completeness).unwrap();
        for record in &returned.records {
            writeln!(written, "{}", record.kind).unwrap();
            for (name, field) in &record.fields {
                writeln!(written, "    {name}: {}{}", field.value.to_text(), case.raw(record, name)).unwrap();
            }
            for defect in &record.defects {
                writeln!(written, "    ! {}", defect.what).unwrap();
            }
        }
        for note in &returned.notes {
            writeln!(written, "note {note}").unwrap();
        }
        for defect in &returned.defects {
            writeln!(written, "! {}", defect.what).unwrap();
        }
    }
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/registry_artifacts.txt");
    #[expect(clippy::disallowed_methods, reason = "how a developer accepts a change")]
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        use std::io::Write as _;
        fs::File::create(&path).unwrap().write_all(written.as_bytes()).unwrap();
    }
    let golden = fs::read_to_string(&path).unwrap();
    for (number, (line, expected)) in written.lines().zip(golden.lines()).enumerate() {
        assert_eq!(line, expected, "line {}", number + 1);
    }
    assert_eq!(written.lines().count(), golden.lines().count());
}

#[test]
fn only_the_active_control_set_is_read() {
    let returned = Case::whole().decode("computer_name");
    let names: Vec<_> = returned.records.iter().map(|record| text(record, "name")).collect();
    assert_eq!(names, ["WKS-2", ""]);
    let select = KeySpec::new("Select").value(ValueSpec::sz("Current", "1"));
    let mut root = system();
    root.keys.retain(|key| key.name != "Select".encode_utf16().collect::<Vec<_>>());
    let case = Case::of(&[(SYSTEM, &HiveSpec::new(root.key(select)).build().bytes)]);
    let returned = case.decode("computer_name");
    assert_eq!((returned.outcome, returned.completeness), (Outcome::Empty, Completeness::Truncated));
    assert!(returned.gaps[0].reason.contains("active control set is not known"), "{:?}", returned.gaps);
}

#[test]
fn a_missing_type_of_hive_is_told_and_a_missing_artifact_an_empty_answer() {
    let case = Case::of(&[(NTUSER, &HiveSpec::new(user()).build().bytes)]);
    let returned = case.decode("time_zone");
    assert_eq!(returned.outcome, Outcome::Empty);
    assert!(returned.notes[0].contains("no hive of type SYSTEM"), "{:?}", returned.notes);
    // The tool that old runs called failed here, and still does.
    let scratch = tempfile::tempdir().unwrap();
    let of_old = |tool, arguments| tools::run(tool, &arguments, &case.trees, scratch.path()).outcome;
    assert_eq!(of_old("registry_artifact", json!({ "artifact": "time_zone" })), Outcome::Failed);
    assert_eq!(of_old("program_execution", json!({ "source": "amcache" })), Outcome::Empty);
    let returned = case.run(&json!({ "source": "time_zone", "hive": NTUSER }));
    assert_eq!(returned.outcome, Outcome::Failed);
    assert!(returned.notes[0].contains("type NTUSER"), "{:?}", returned.notes);
    let bare = KeySpec::new("R")
        .path("Microsoft\\Windows NT\\CurrentVersion", KeySpec::new(""))
        .key(KeySpec::new("Classes"));
    let case = Case::of(&[(SOFTWARE, &HiveSpec::new(bare).build().bytes)]);
    let returned = case.decode("user_profiles");
    assert_eq!((returned.outcome, returned.completeness), (Outcome::Empty, Completeness::Complete));
    assert!(returned.notes[0].contains(SOFTWARE), "{:?}", returned.notes);
}

#[test]
fn pages_and_patterns_choose_among_the_records() {
    let case = Case::whole();
    let all = case.decode("services").records;
    let mut paged = Vec::new();
    for offset in 0..all.len() {
        let page = case.run(&json!({ "source": "services", "offset": offset, "limit": 1 }));
        assert_eq!(page.completeness, Completeness::Truncated);
        paged.extend(page.records);
    }
    assert_eq!(paged, all);
    for asked in [
        json!({ "source": "services", "name": "DHC*" }),
        json!({ "source": "services", "where": "name LIKE 'DHC%'" }),
    ] {
        let named = case.run(&asked);
        assert_eq!(named.records.iter().map(|record| text(record, "name")).collect::<Vec<_>>(), ["Dhcp"]);
        assert_eq!(named.completeness, Completeness::Complete);
    }
}

/// Windows 7 keeps no security descriptors in the task cache: their absence hides nothing there.
#[test]
fn tasks_are_hidden_only_where_others_have_a_descriptor() {
    let cache = "Microsoft\\Windows NT\\CurrentVersion\\Schedule\\TaskCache";
    let task = |id: &str, index| {
        KeySpec::new("").value(ValueSpec::sz("Id", id)).value(ValueSpec::dword("Index", index))
    };
    let plain = || {
        KeySpec::new("R")
            .key(KeySpec::new("Classes"))
            .path(&format!("{cache}\\Tasks\\{{1}}"), KeySpec::new(""))
            .path(&format!("{cache}\\Tasks\\{{2}}"), KeySpec::new(""))
            .path(&format!("{cache}\\Tasks\\{{3}}"), KeySpec::new(""))
            .path(&format!("{cache}\\Tree\\a"), task("{1}", 3))
            .path(&format!("{cache}\\Tree\\b"), task("{2}", 0))
    };
    let described = task("{3}", 3).value(ValueSpec::binary("SD", &[1]));
    for (root, hidden) in [
        (plain(), vec!["false", "true"]),
        (plain().path(&format!("{cache}\\Tree\\c"), described), vec!["true", "true", "false"]),
    ] {
        let returned = Case::of(&[(SOFTWARE, &HiveSpec::new(root).build().bytes)]).decode("task_cache");
        let told: Vec<_> = returned
            .records
            .iter()
            .filter_map(|record| record.fields.get("hidden")?.value.to_text().into_owned().into())
            .collect();
        assert_eq!(told, hidden);
    }
}

#[test]
fn a_dirty_hive_leaves_a_gap() {
    let case = Case::of(&[
        (SYSTEM, &HiveSpec::new(system()).dirty().build().bytes),
        (&format!("{SYSTEM}.LOG1"), b"changes"),
    ]);
    let returned = case.decode("shutdown");
    assert_eq!(returned.outcome, Outcome::Ok);
    let reason = &returned.gaps[0].reason;
    assert!(reason.starts_with("transaction logs present and not applied: "), "{reason}");
    assert_eq!(text(&returned.records[0], "hive_state"), "base");
}

#[test]
fn a_value_of_a_wrong_type_is_told_in_the_record() {
    let returned = Case::whole().decode("services");
    let odd = returned.records.iter().find(|record| text(record, "name") == "Odd").unwrap();
    let told: Vec<_> = odd.defects.iter().map(|defect| defect.what.as_str()).collect();
    assert_eq!(told.len(), 5, "{told:?}");
    assert!(
        told.iter().any(|what| what.contains("\"Start\" should be a number but is REG_SZ \"2\"")),
        "{told:?}"
    );
    assert!(!odd.fields.contains_key("start"));
}

#[test]
fn damaged_hives_never_stop_the_decoding() {
    let hives = [
        (SYSTEM, system()),
        (SOFTWARE, software()),
        (NTUSER, user()),
        (USRCLASS, classes()),
        (AMCACHE, amcache()),
        (SAM, sam()),
        (SECURITY, security()),
    ];
    let built: Vec<_> = hives.map(|(path, root)| (path, HiveSpec::new(root).build().bytes)).into();
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    for _ in 0..25 {
        let mut files = built.clone();
        for (_, bytes) in &mut files {
            for _ in 0..1 + random() % 40 {
                let at = 4096 + random() % (bytes.len() - 4096);
                bytes[at] = random() as u8;
            }
        }
        let files: Vec<_> = files.iter().map(|(path, bytes)| (*path, bytes.as_slice())).collect();
        let case = Case::of(&files);
        for artifact in artifacts() {
            case.decode(&artifact);
        }
    }
}

#[test]
fn lists_that_all_keys_share_end_the_reading() {
    let many =
        |make: &dyn Fn(String) -> ValueSpec| (0..3000).map(|n| make(format!("v{n}"))).collect::<Vec<_>>();
    let mut shared = KeySpec::new("a0");
    shared.values = many(&|name| ValueSpec::dword(&name, 1));
    let mut services = KeySpec::new("Services").key(shared);
    for number in 1..1500 {
        services = services.key(KeySpec::new(&format!("a{number}")).value(ValueSpec::dword("Start", 2)));
    }
    let root = KeySpec::new("R")
        .key(KeySpec::new("Select").value(ValueSpec::dword("Current", 1)))
        .key(KeySpec::new("ControlSet001").key(services));
    let mut built = HiveSpec::new(root).build();
    let path = |number| format!("ControlSet001\\Services\\a{number}");
    let list = cell_reference(built.value_lists[&path(0)]);
    for number in 1..1500 {
        let key = built.keys[&path(number)];
        built.put_u32(key + 0x24, 3000);
        built.put_u32(key + 0x28, list);
    }
    let returned = Case::of(&[(SYSTEM, &built.bytes)]).decode("services");
    assert_eq!(returned.completeness, Completeness::Truncated);
    assert!(returned.gaps[0].reason.contains("longer than the hive"), "{:?}", returned.gaps);
    assert!(text(&returned.records[0], "key_path").starts_with("ControlSet001"));
}

#[test]
fn a_subject_tells_of_hives_that_damage_has_made_unrecognisable_and_of_those_that_are_not_there() {
    let whole = HiveSpec::new(amcache()).build().bytes;
    let case = Case::of(&[(AMCACHE, &whole[..whole.len() / 2])]);
    let returned = case.run(&json!({ "source": "program_execution", "name": "nosuch" }));
    assert_eq!((returned.outcome, returned.completeness), (Outcome::Empty, Completeness::Truncated));
    let case = Case::of(&[(AMCACHE, &whole)]);
    let returned = case.run(&json!({ "source": "program_execution", "name": "nosuch" }));
    assert_eq!(returned.completeness, Completeness::Complete);
    let note = returned.notes.iter().find(|note| note.contains("no hive of type")).unwrap();
    assert!(note.contains("SYSTEM") && note.contains("NTUSER") && !note.contains("AMCACHE"), "{note}");
}
