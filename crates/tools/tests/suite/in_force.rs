//! Autostart entries that do not start: they have a record type of their own, which does not prove `persists`.

use crate::fixture::{text, write};
use evidence::{Tree, open_directory};
use ledger::{Predicate, Vocabulary};
use serde_json::json;
use std::path::Path;
use testkit::hive::{HiveSpec, KeySpec, ValueSpec};

const SYSTEM: &str = "C/Windows/System32/config/SYSTEM";
const SOFTWARE: &str = "C/Windows/System32/config/SOFTWARE";
const NTUSER: &str = "C/Users/Ann/NTUSER.DAT";
const CURRENT: &str = "Microsoft\\Windows\\CurrentVersion";
const NT: &str = "Microsoft\\Windows NT\\CurrentVersion";

fn key(values: &[(&str, u32)]) -> KeySpec {
    KeySpec {
        values: values.iter().map(|(name, number)| ValueSpec::dword(name, *number)).collect(),
        ..KeySpec::default()
    }
}

fn named(values: &[(&str, &str)]) -> KeySpec {
    KeySpec {
        values: values.iter().map(|(name, text)| ValueSpec::sz(name, text)).collect(),
        ..KeySpec::default()
    }
}

/// Makes a hive that is recognised as the one that its file name says.
fn hive(file: &str) -> KeySpec {
    match file {
        NTUSER => {
            KeySpec::new("R").key(KeySpec::new("Environment")).path("Software\\Microsoft", KeySpec::default())
        }
        _ => KeySpec::new("R").key(KeySpec::new("Classes")).path(NT, KeySpec::default()),
    }
}

/// Returns the records of a source: kind, name (for an entry, the name of its subkey) and what disables it.
fn told(file: &str, root: KeySpec, source: &str) -> Vec<[String; 3]> {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), file, &HiveSpec::new(root).build().bytes);
    let trees = vec![Box::new(open_directory(folder.path(), "disk").unwrap()) as Box<dyn Tree>];
    let returned = tools::run("records", &json!({ "source": source }), &trees, Path::new("/nonexistent"));
    let record = |record: &ledger::Record| {
        let field = |name: &str| record.fields.contains_key(name).then(|| text(record, name).to_owned());
        let name = field("entry").or_else(|| field("name")).unwrap_or_default();
        [record.kind.clone(), name, field("disabled_by").unwrap_or_default()]
    };
    returned.records.iter().map(record).collect()
}

fn rows(rows: &[[&str; 3]]) -> Vec<[String; 3]> {
    rows.iter().map(|row| row.map(str::to_owned)).collect()
}

#[test]
fn a_service_that_windows_does_not_start_is_inert_or_deleted() {
    let of = |name: &str| format!("ControlSet001\\Services\\{name}");
    let run = |values: &[(&str, u32)]| key(values).value(ValueSpec::sz("ImagePath", "a.exe"));
    let root = KeySpec::new("R")
        .path("Select", key(&[("Current", 1)]))
        .path(&of("Adapter"), key(&[("Start", 2), ("Type", 4)]))
        .path(&of("Driver"), key(&[("Start", 1), ("Type", 1)]))
        .path(&of("Going"), key(&[("Start", 2), ("Type", 0x10), ("DeleteFlag", 1)]))
        .path(&of("Later"), run(&[("Start", 9), ("Type", 0x10)]))
        .path(&of("NoProgram"), key(&[("Start", 2), ("Type", 0x20)]))
        .path(&of("Own"), run(&[("Start", 2), ("Type", 0x110)]))
        .path(&of("Settings"), key(&[]))
        .path(&of("Template"), run(&[("Start", 2), ("Type", 0x60)]))
        .path(&of("Untyped"), key(&[("Start", 2)]))
        .path(&of("Zero"), key(&[("Start", 2), ("Type", 0)]));
    let expected = [
        ["inert_service", "Adapter", ""],
        ["service", "Driver", ""],
        ["deleted_service", "Going", ""],
        ["inert_service", "Later", ""],
        ["inert_service", "NoProgram", ""],
        ["service", "Own", ""],
        ["service", "Settings", ""],
        ["service", "Template", ""],
        ["inert_service", "Untyped", ""],
        ["inert_service", "Zero", ""],
    ];
    assert_eq!(told(SYSTEM, root, "services"), rows(&expected));
}

#[test]
fn what_no_windows_reads_starts_nothing() {
    let root = hive(SOFTWARE)
        .path(&format!("{CURRENT}\\Run"), named(&[("a", "a.exe")]))
        .path(&format!("{CURRENT}\\RunServices"), named(&[("b", "b.exe")]))
        .path(&format!("{CURRENT}\\RunServicesOnce"), named(&[("c", "c.exe")]));
    let expected = [
        ["autostart", "a", ""],
        ["disabled_autostart", "b", "not_read"],
        ["disabled_autostart", "c", "not_read"],
    ];
    assert_eq!(told(SOFTWARE, root, "autostarts"), rows(&expected));
}

#[test]
fn a_policy_switches_off_the_lists_of_its_own_hive() {
    let lists = |file: &str, top: &str, policies: &[(&str, u32)]| {
        hive(file)
            .path(&format!("{top}{CURRENT}\\Run"), named(&[("a", "a.exe")]))
            .path(&format!("{top}{CURRENT}\\RunOnce"), named(&[("b", "b.exe")]))
            .path(&format!("{top}{CURRENT}\\Policies\\Explorer"), key(policies))
    };
    let run = |by: &'static str| [if by.is_empty() { "autostart" } else { "disabled_autostart" }, "a", by];
    let once =
        |by: &'static str| [if by.is_empty() { "once_autostart" } else { "disabled_autostart" }, "b", by];
    type Policies<'a> = &'a [(&'a str, u32)];
    let cases: [(&str, &str, Policies<'_>, [[&str; 3]; 2]); 5] = [
        (SOFTWARE, "", &[("DisableLocalMachineRun", 1)], [run("DisableLocalMachineRun"), once("")]),
        (SOFTWARE, "", &[("DisableLocalMachineRunOnce", 1)], [run(""), once("DisableLocalMachineRunOnce")]),
        (SOFTWARE, "", &[("DisableLocalMachineRun", 0), ("DisableCurrentUserRun", 1)], [run(""), once("")]),
        (NTUSER, "Software\\", &[("DisableCurrentUserRun", 1)], [run("DisableCurrentUserRun"), once("")]),
        (NTUSER, "Software\\", &[("DisableLocalMachineRun", 1)], [run(""), once("")]),
    ];
    for (file, top, policies, expected) in cases {
        assert_eq!(told(file, lists(file, top, policies), "autostarts"), rows(&expected), "{policies:?}");
    }
}

#[test]
fn what_a_flag_must_switch_on_is_off_without_it() {
    let options = |name: &str| format!("{NT}\\Image File Execution Options\\{name}");
    let exit = |name: &str| format!("{NT}\\SilentProcessExit\\{name}");
    let monitor = |mode: Option<u32>| {
        let mut spec = named(&[("MonitorProcess", "m.exe")]);
        spec.values.extend(mode.map(|mode| ValueSpec::dword("ReportingMode", mode)));
        spec
    };
    let verifier = |flag: Option<u32>| {
        let mut spec = named(&[("VerifierDlls", "v.dll"), ("Debugger", "d.exe")]);
        spec.values.extend(flag.map(|flag| ValueSpec::dword("GlobalFlag", flag)));
        spec
    };
    let root = KeySpec::new("R")
        .path(&options("a.exe"), verifier(Some(0x100)))
        .path(&options("b.exe"), verifier(Some(0x200)))
        .path(&options("c.exe"), named(&[("GlobalFlag", "0x00000200")]))
        .path(&options("d.exe"), key(&[("GlobalFlag", 0x200)]))
        .path(&exit("b.exe"), monitor(Some(1)))
        .path(&exit("c.exe"), monitor(Some(3)))
        .path(&exit("d.exe"), monitor(Some(2)))
        .path(&exit("e.exe"), monitor(Some(1)));
    let expected = [
        ["autostart", "a.exe", ""],
        ["autostart", "a.exe", ""],
        ["disabled_autostart", "b.exe", "GlobalFlag"],
        ["autostart", "b.exe", ""],
        ["autostart", "b.exe", ""],
        ["autostart", "c.exe", ""],
        ["disabled_autostart", "d.exe", "ReportingMode"],
        ["disabled_autostart", "e.exe", "GlobalFlag"],
    ];
    assert_eq!(told(SOFTWARE, root.clone(), "autostarts"), rows(&expected));
    // The setting for all programs applies if a program has none of its own.
    let of_all = KeySpec::new("R")
        .path(&options("a.exe"), key(&[("GlobalFlag", 0x200)]))
        .path(&format!("{NT}\\SilentProcessExit"), key(&[("ReportingMode", 1)]))
        .path(&exit("a.exe"), monitor(None));
    assert_eq!(told(SOFTWARE, of_all, "autostarts"), rows(&[["autostart", "a.exe", ""]]));
}

#[test]
fn what_this_windows_does_not_read_or_was_told_not_to_start_is_disabled() {
    let version = |text: &str| named(&[("CurrentVersion", text)]);
    let flagged = |name: &str, text: &str, flag: &str, number: u32| {
        let mut spec = named(&[(name, text)]);
        spec.values.push(ValueSpec::dword(flag, number));
        spec
    };
    let of = |root: KeySpec, file: &str| told(file, root, "autostarts");
    let software = |stated: &str| {
        KeySpec::new("R")
            .key(KeySpec::new("Classes"))
            .path(NT, version(stated))
            .path(&format!("{NT}\\Windows"), named(&[("AppInit_DLLs", "a.dll")]))
            .path(&format!("{NT}\\Winlogon"), named(&[("GinaDLL", "g.dll"), ("Shell", "s.exe")]))
            .path(&format!("{NT}\\Winlogon\\Notify\\n"), named(&[("DLLName", "n.dll")]))
            .path(&format!("Wow6432Node\\{NT}\\Winlogon"), named(&[("Shell", "w.exe")]))
            .path(
                "Microsoft\\Active Setup\\Installed Components\\c",
                flagged("StubPath", "c.exe", "IsInstalled", 0),
            )
    };
    let expected = |[app_init, gina, notify]: [&'static str; 3]| {
        let row = |name, by: &'static str| {
            [if by.is_empty() { "autostart" } else { "disabled_autostart" }, name, by]
        };
        let all = [
            row("GinaDLL", gina),
            row("Shell", ""),
            row("Shell", "not_read"),
            row("n", notify),
            row("AppInit_DLLs", app_init),
            row("c", "IsInstalled"),
        ];
        rows(&all)
    };
    assert_eq!(of(software("6.3"), SOFTWARE), expected(["LoadAppInit_DLLs", "not_read", "not_read"]));
    assert_eq!(of(software("5.1"), SOFTWARE), expected(["", "", ""]));

    let list = KeySpec { values: vec![ValueSpec::multi_sz("m", &["a.exe", "b.exe"])], ..KeySpec::default() };
    let off = "disabled_autostart";
    assert_eq!(
        of(hive(SOFTWARE).path(&format!("{CURRENT}\\Run"), list), SOFTWARE),
        rows(&[[off, "m", "type"], [off, "m", "type"]])
    );
    let saver = |active: &str| {
        hive(NTUSER)
            .path("Control Panel\\Desktop", named(&[("SCRNSAVE.EXE", "s.scr"), ("ScreenSaveActive", active)]))
    };
    assert_eq!(of(saver("0"), NTUSER), rows(&[[off, "SCRNSAVE.EXE", "ScreenSaveActive"]]));
    assert_eq!(of(saver("1"), NTUSER), rows(&[["autostart", "SCRNSAVE.EXE", ""]]));
    let provider = |enabled| {
        KeySpec::new("R").path("Select", key(&[("Current", 1)])).path(
            "ControlSet001\\Services\\W32Time\\TimeProviders\\p",
            flagged("DllName", "p.dll", "Enabled", enabled),
        )
    };
    assert_eq!(of(provider(0), SYSTEM), rows(&[[off, "p", "Enabled"]]));
    assert_eq!(of(provider(1), SYSTEM), rows(&[["autostart", "p", ""]]));
}

#[test]
fn nothing_starts_at_the_logon_of_nobody() {
    let root = || {
        hive(NTUSER)
            .path(&format!("Software\\{CURRENT}\\Run"), named(&[("r", "r.exe")]))
            .path("Software\\Microsoft\\Command Processor", named(&[("AutoRun", "c.exe")]))
    };
    for file in [
        "C/Users/Default/NTUSER.DAT",
        "C/Windows/ServiceProfiles/LocalService/NTUSER.DAT",
        "C/Windows/System32/config/systemprofile/NTUSER.DAT",
        "C/Windows/System32/config/DEFAULT",
    ] {
        // A shell of the account may be started anyway.
        let expected = [["disabled_autostart", "r", "no_logon"], ["autostart", "AutoRun", ""]];
        assert_eq!(told(file, root(), "autostarts"), rows(&expected), "{file}");
    }
}

#[test]
fn a_filter_of_a_debugger_counts_where_its_program_says_so() {
    let options = |name: &str| format!("{NT}\\Image File Execution Options\\{name}");
    let filter = || named(&[("FilterFullPath", "C:\\a.exe"), ("Debugger", "d.exe")]);
    let root = hive(SOFTWARE)
        .path(&options("a.exe"), key(&[("UseFilter", 1)]))
        .path(&options("a.exe\\0"), filter())
        .path(&options("b.exe\\0"), filter());
    let expected = [["autostart", "a.exe", ""], ["disabled_autostart", "b.exe", "UseFilter"]];
    assert_eq!(told(SOFTWARE, root, "autostarts"), rows(&expected));
}

#[test]
fn nothing_that_does_not_start_proves_that_it_persists() {
    let vocabulary = Vocabulary::shipped().unwrap();
    let proving = &vocabulary.meaning(&Predicate("persists".into())).unwrap().proved_by;
    let idle =
        ["disabled_autostart", "once_autostart", "deleted_service", "inert_service", "disabled_startup_item"];
    for kind in idle {
        assert!(!proving.contains(kind), "{kind}");
    }
    assert!(["autostart", "service", "startup_item"].iter().all(|kind| proving.contains(*kind)));
}
