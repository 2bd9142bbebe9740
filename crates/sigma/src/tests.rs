//! Tests what matches, what only looks like a match, and what cannot be used.

use crate::set::fits_without_guards;
use crate::{Names, RuleFile, RuleSet};
use ledger::{Field, FieldValue, Locator, Record, RecordId};

/// Returns names of event data, as the event decoder would give them.
fn names() -> Names {
    fn of_record(kind: &str, id: u32) -> &'static [(&'static str, &'static str)] {
        match (kind, id) {
            ("process_created", 1) => &[
                ("Image", "image"),
                ("CommandLine", "command_line"),
                ("ParentImage", "parent_image"),
                ("OriginalFileName", "original_name"),
                ("Hashes", "*hashes"),
                ("IntegrityLevel", "integrity"),
            ],
            ("process_created", 4688) => &[
                ("NewProcessName", "image"),
                ("CommandLine", "command_line"),
                ("ParentProcessName", "parent_image"),
                ("NewProcessId", "pid"),
                ("ProcessId", "parent_pid"),
                ("SubjectUserName", "by_account"),
                ("SubjectDomainName", "by_domain"),
            ],
            ("logon" | "logon_failed", _) => &[
                ("LogonType", "logon_type"),
                ("TargetUserName", "account"),
                ("IpAddress", "address"),
                ("SubjectLogonId", "by_logon_id"),
                ("Status", "status"),
            ],
            ("powershell_script", _) => &[("ScriptBlockText", "+text")],
            ("service_installed", _) => &[("ServiceName", "service_name"), ("ImagePath", "image_path")],
            ("defender_detection", _) => &[("Threat Name", "threat"), ("Path", "path")],
            ("registry_changed", _) => &[("TargetObject", "key"), ("EventType", "operation")],
            ("powershell_started", _) => &[("data2", "text")],
            _ => &[],
        }
    }
    fn of_channel(channel: &str, id: u32) -> Vec<&'static str> {
        match (channel, id) {
            ("security", 4688) => of_record("process_created", 4688).iter().map(|it| it.0).collect(),
            (_, 1) => of_record("process_created", 1).iter().map(|it| it.0).collect(),
            (_, 11) => vec!["TargetFilename", "Image"],
            _ => Vec::new(),
        }
    }
    Names { of_record, of_channel }
}

fn value(text: &str) -> FieldValue {
    match text.parse::<i128>() {
        Ok(number) => FieldValue::Integer(number),
        Err(_) => FieldValue::Text(text.to_owned()),
    }
}

fn record(kind: &str, path: &str, fields: &[(&str, &str)]) -> Record {
    let field = |(name, text): &(&str, &str)| {
        let value = match *name {
            "data" | "more" if text.contains('=') => {
                FieldValue::List(text.split('|').map(str::to_owned).collect())
            }
            _ => value(text),
        };
        ((*name).to_owned(), Field { at: None, value })
    };
    Record {
        placement: None,
        defects: Vec::new(),
        fields: fields.iter().map(field).collect(),
        id: RecordId(0),
        kind: kind.to_owned(),
        locator: Locator { evidence: "e".to_owned(), path: path.to_owned(), stream: None, span: None },
    }
}

const SYSMON: (&str, &str) = ("channel", "Microsoft-Windows-Sysmon/Operational");

fn event(kind: &str, channel: &str, id: &str, fields: &[(&str, &str)]) -> Record {
    let base = [("channel", channel), ("event_id", id), ("provider", "p"), ("computer", "HOST")];
    let all: Vec<_> = base.into_iter().chain(fields.iter().copied()).collect();
    record(kind, "log.evtx", &all)
}

fn sysmon(fields: &[(&str, &str)]) -> Record {
    event("process_created", SYSMON.1, "1", fields)
}

fn rule(logsource: &str, detection: &str) -> String {
    format!(
        "title: t\nid: 11111111-1111-1111-1111-111111111111\nlevel: high\nlogsource:\n{logsource}\ndetection:\n{detection}\n"
    )
}

fn windows(source: &str) -> String {
    format!("    product: windows\n    {source}")
}

fn set(texts: &[&str]) -> RuleSet {
    let file =
        |(number, text): (usize, &&str)| RuleFile { name: format!("{number}.yml"), text: (*text).to_owned() };
    RuleSet::of(&texts.iter().enumerate().map(file).collect::<Vec<_>>(), names())
}

/// Checks whether the rule matches; the rule itself must be usable.
fn fits(logsource: &str, detection: &str, record: &Record) -> bool {
    let set = set(&[&rule(logsource, detection)]);
    assert_eq!(set.check().broken, []);
    !set.hits(record).is_empty()
}

#[test]
fn a_process_fits_by_sysmon_and_by_the_security_log() {
    let source = windows("category: process_creation");
    let detection = "    selection:\n        Image|endswith: '\\whoami.exe'\n        ParentImage|endswith: '\\cmd.exe'\n    condition: selection";
    let of = |image| [("image", image), ("parent_image", r"C:\Windows\System32\cmd.exe")];
    assert!(fits(&source, detection, &sysmon(&of(r"C:\Windows\System32\WHOAMI.EXE"))));
    assert!(!fits(&source, detection, &sysmon(&of(r"C:\notwhoami.exe.txt"))));
    let security = event("process_created", "Security", "4688", &of(r"C:\Windows\System32\whoami.exe"));
    assert!(fits(&source, detection, &security));
    let elsewhere = event("process_created", "Application", "4688", &of(r"C:\Windows\System32\whoami.exe"));
    assert!(!fits(&source, detection, &elsewhere));
    // The security log alone.
    let narrowed = windows("category: process_creation\n    service: security");
    assert!(!fits(&narrowed, detection, &sysmon(&of(r"C:\Windows\System32\whoami.exe"))));
}

#[test]
fn the_number_of_a_process_is_its_own_and_not_that_of_its_parent() {
    let source = windows("category: process_creation");
    let record =
        event("process_created", "Security", "4688", &[("image", "a"), ("pid", "7"), ("parent_pid", "9")]);
    assert!(fits(&source, "    s:\n        ProcessId: 7\n    condition: s", &record));
    assert!(!fits(&source, "    s:\n        ProcessId: 9\n    condition: s", &record));
    assert!(fits(&source, "    s:\n        ParentProcessId: 9\n    condition: s", &record));
}

#[test]
fn numbers_fit_as_windows_writes_them() {
    let source = windows("service: security");
    let record = event(
        "logon",
        "Security",
        "4624",
        &[("logon_type", "10"), ("by_logon_id", "999"), ("status", "3221225581")],
    );
    for fitting in [
        "LogonType: 10",
        "LogonType: '10'",
        "SubjectLogonId: '0x3e7'",
        "Status: '0xC000006D'",
        "EventID: 4624",
    ] {
        assert!(fits(&source, &format!("    s:\n        {fitting}\n    condition: s"), &record), "{fitting}");
    }
    for other in ["LogonType: 3", "SubjectLogonId: '0x3e'", "EventID: 4625", "LogonType: 1"] {
        assert!(!fits(&source, &format!("    s:\n        {other}\n    condition: s"), &record), "{other}");
    }
}

#[test]
fn what_windows_leaves_empty_is_nothing_however_a_rule_writes_it() {
    let source = windows("service: security");
    let detection = |empty| {
        format!(
            "    s:\n        EventID: 4624\n    f:\n        IpAddress: {empty}\n    condition: s and not f"
        )
    };
    let without = event("logon", "Security", "4624", &[("logon_type", "3")]);
    let with = event("logon", "Security", "4624", &[("logon_type", "3"), ("address", "10.0.0.1")]);
    for empty in ["'-'", "''", "null"] {
        assert!(!fits(&source, &detection(empty), &without), "{empty}");
        assert!(fits(&source, &detection(empty), &with), "{empty}");
    }
}

#[test]
fn digests_fit_as_sysmon_writes_them_and_alone() {
    let source = windows("category: process_creation");
    let record = sysmon(&[
        ("image", "a"),
        ("md5", "00112233445566778899aabbccddeeff"),
        ("imphash", "ffeeddccbbaa99887766554433221100"),
    ]);
    for fitting in [
        "Hashes|contains: 'MD5=00112233445566778899AABBCCDDEEFF'",
        "Imphash: 'FFEEDDCCBBAA99887766554433221100'",
        "Hashes|contains: 'IMPHASH=ffee'",
    ] {
        assert!(fits(&source, &format!("    s:\n        {fitting}\n    condition: s"), &record), "{fitting}");
    }
    assert!(!fits(&source, "    s:\n        Hashes|contains: 'SHA1=00112233'\n    condition: s", &record));
}

#[test]
fn data_without_a_field_of_their_own_and_without_a_name_fit() {
    let source = windows("service: application");
    let general = event("event", "Application", "15457", &[("data", "Name=a b|data0=xp_cmdshell|data1=1")]);
    assert!(fits(&source, "    s:\n        Data|contains: 'xp_cmdshell'\n    condition: s", &general));
    assert!(fits(&source, "    s:\n        Name: 'a b'\n    condition: s", &general));
    assert!(fits(&source, "    k:\n        - 'XP_CMDSHELL'\n    condition: k", &general));
    assert!(!fits(&source, "    k:\n        - 'xp_cmdshells'\n    condition: k", &general));
    let classic = event(
        "powershell_started",
        "Windows PowerShell",
        "400",
        &[("text", "HostApplication=powershell -enc"), ("more", "data0=Available")],
    );
    let start = windows("category: ps_classic_start");
    assert!(fits(
        &start,
        "    s:\n        Data|contains: 'HostApplication=powershell'\n    condition: s",
        &classic
    ));
    let defender = event(
        "defender_detection",
        "Microsoft-Windows-Windows Defender/Operational",
        "1116",
        &[("threat", "HackTool:Win32/Mimikatz"), ("path", "C:\\m.exe")],
    );
    assert!(fits(
        "    category: antivirus",
        "    s:\n        Signature|contains: mimikatz\n    condition: s",
        &defender
    ));
    assert!(fits(
        &windows("service: windefend"),
        "    s:\n        ThreatName|contains: mimikatz\n    condition: s",
        &defender
    ));
}

#[test]
fn scripts_and_services_fit_in_their_channels() {
    let script = event(
        "powershell_script",
        "Microsoft-Windows-PowerShell/Operational",
        "4104",
        &[("text", "Invoke-Mimikatz")],
    );
    let detection = "    s:\n        ScriptBlockText|contains: 'invoke-mimikatz'\n    condition: s";
    assert!(fits(&windows("category: ps_script"), detection, &script));
    assert!(!fits(&windows("category: ps_module"), detection, &script));
    let service =
        event("service_installed", "System", "7045", &[("service_name", "PSEXESVC"), ("image_path", "a")]);
    let detection = "    s:\n        Provider_Name: p\n        EventID: 7045\n        ServiceName: 'PSEXESVC'\n    condition: s";
    assert!(fits(&windows("service: system"), detection, &service));
    assert!(!fits(&windows("service: security"), detection, &service));
}

#[test]
fn a_value_of_a_hive_fits_as_sysmon_would_have_told_it() {
    let source = windows("category: registry_set");
    let value = |hive, path, kind, data| {
        record(
            "registry_value",
            hive,
            &[("hive", hive), ("value_path", path), ("value_type", kind), ("data", data)],
        )
    };
    let run = "    s:\n        TargetObject|contains: '\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Run\\'\n    condition: s";
    let software = "C/Windows/System32/config/SOFTWARE";
    assert!(fits(
        &source,
        run,
        &value(software, r"Microsoft\Windows\CurrentVersion\Run\x", "REG_SZ", "x.exe")
    ));
    assert!(!fits(
        &source,
        run,
        &value(software, r"Microsoft\Windows\CurrentVersion\RunOnce\x", "REG_SZ", "x.exe")
    ));
    let user = value(
        "C/Users/ann/NTUSER.DAT",
        r"SOFTWARE\Microsoft\Windows\CurrentVersion\Run\x",
        "REG_SZ",
        "x.exe",
    );
    assert!(fits(
        &source,
        "    s:\n        TargetObject|startswith: 'HKU\\ann\\SOFTWARE\\'\n    condition: s",
        &user
    ));
    let lsa = "    s:\n        TargetObject: 'HKLM\\System\\CurrentControlSet\\Control\\Lsa\\RunAsPPL'\n        Details: 'DWORD (0x00000000)'\n    condition: s";
    let system = |data| {
        value("C/Windows/System32/config/SYSTEM", r"ControlSet001\Control\Lsa\RunAsPPL", "REG_DWORD", data)
    };
    assert!(fits(&source, lsa, &system("0")));
    assert!(!fits(&source, lsa, &system("1")));
    let set = set(&[&rule(
        &source,
        "    s:\n        TargetObject|endswith: '\\Lsa\\RunAsPPL'\n    f:\n        Image|endswith: '\\a.exe'\n    condition: s and not f",
    )]);
    let hit = &set.hits(&system("1"))[0];
    assert!(hit.state);
    assert_eq!(hit.lacks, ["Image"]);
    assert_eq!(
        hit.fields,
        [("TargetObject".to_owned(), r"HKLM\System\CurrentControlSet\Control\Lsa\RunAsPPL".to_owned())]
    );
}

#[test]
fn keys_that_were_added_are_not_those_that_were_deleted() {
    let changed = |operation| {
        event("registry_changed", SYSMON.1, "12", &[("key", r"HKLM\SAM\a"), ("operation", operation)])
    };
    let detection = "    s:\n        TargetObject|contains: '\\SAM\\'\n    condition: s";
    assert!(fits(&windows("category: registry_add"), detection, &changed("CreateKey")));
    assert!(!fits(&windows("category: registry_add"), detection, &changed("DeleteKey")));
    assert!(fits(&windows("category: registry_delete"), detection, &changed("DeleteValue")));
    assert!(fits(&windows("category: registry_event"), detection, &changed("DeleteKey")));
}

#[test]
fn files_fit_with_the_drive_that_is_known() {
    let source = windows("category: file_event");
    let startup = "    s:\n        TargetFilename|startswith: 'C:\\Users\\'\n        TargetFilename|endswith: '\\x.lnk'\n    condition: s";
    let mft = record("mft_file_entry", "C/$MFT", &[("path", "Users/ann/x.lnk")]);
    let entry = record("dir_entry", "C/Users/ann/x.lnk", &[("path", "C/Users/ann/x.lnk")]);
    let image = record("dir_entry", "p1/Users/ann/x.lnk", &[("path", "p1/Users/ann/x.lnk")]);
    assert!(fits(&source, startup, &mft));
    assert!(fits(&source, startup, &entry));
    // It is not known which drive letter a partition had.
    assert!(!fits(&source, startup, &image));
    assert!(fits(
        &source,
        "    s:\n        TargetFilename|endswith: '\\Users\\ann\\x.lnk'\n    condition: s",
        &image
    ));
    let journal = record("usn_created", "C/$Extend/$J", &[("name", "x.lnk")]);
    assert!(fits(&source, "    s:\n        TargetFilename|endswith: '\\x.lnk'\n    condition: s", &journal));
    assert!(!fits(&source, "    s:\n        TargetFilename|endswith: '\\y.lnk'\n    condition: s", &journal));
}

#[test]
fn requests_to_a_web_server_fit() {
    let request = record(
        "web_request",
        "u_ex.log",
        &[("uri", "/a.aspx"), ("query", "cmd=whoami"), ("method", "POST"), ("status", "200")],
    );
    let detection = "    s:\n        cs-method: POST\n        cs-uri-query|contains: 'whoami'\n        sc-status: 200\n    condition: s";
    assert!(fits("    category: webserver", detection, &request));
    assert!(!fits("    category: webserver", &detection.replace("POST", "GET"), &request));
    assert!(!fits("    category: proxy", detection, &request));
}

#[test]
fn the_quick_way_finds_what_trying_every_rule_finds() {
    let conditions = [
        "1 of s*",
        "all of s*",
        "s1 and not s2",
        "not s1",
        "s1 or s2",
        "1 of them",
        "s1 and (s2 or s3)",
        "all of them",
        "2 of s*",
        "s1 and 1 of s*",
    ];
    let detections = "    s1:\n        Image|endswith:\n            - '\\a.exe'\n            - '\\b.exe'\n    s2:\n        - CommandLine|contains|all:\n            - 'one'\n            - 'two'\n        - CommandLine|re: '^x+$'\n    s3:\n        CommandLine|contains|windash: ' -enc'\n        OriginalFileName: '?.EXE'\n";
    let texts: Vec<String> = conditions
        .iter()
        .map(|condition| {
            rule(&windows("category: process_creation"), &format!("{detections}    condition: {condition}"))
        })
        .collect();
    let set = set(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(set.check().broken, []);
    let mut fitted = 0;
    for image in [r"C:\a.exe", r"C:\B.EXE", r"C:\c.exe"] {
        for line in ["one two", "TWO ONE", "xxx", "a /enc b", "a -ENC b", "Ünïcode one", ""] {
            for original in ["a.exe", "ab.exe"] {
                let record = sysmon(&[("image", image), ("command_line", line), ("original_name", original)]);
                let quick: Vec<usize> = set.hits(&record).iter().map(|hit| hit.rule).collect();
                assert_eq!(quick, fits_without_guards(&set, &record), "{image} {line} {original}");
                fitted += quick.len();
            }
        }
    }
    assert!(fitted > 100, "{fitted}");
}

#[test]
fn a_broken_rule_is_named_and_the_others_stay() {
    let good = rule(&windows("category: process_creation"), "    s:\n        Image: a\n    condition: s");
    let regex = "(a{1000}){1000}{1000}";
    let deep = format!("title: t\nlogsource: {}", "[".repeat(5000));
    let nested = format!("{}s{}", "(".repeat(200), ")".repeat(200));
    let bomb: String = std::iter::once("a0: &a0 [x,x]\n".to_owned())
        .chain((1..40).map(|n| format!("a{n}: &a{n} [*a{0},*a{0},*a{0}]\n", n - 1)))
        .collect();
    let broken = [
        ("title: t\n  bad: [".to_owned(), "YAML", Some(2)),
        (good.replace("Image: a", "Image|contain: a"), "Unknown modifier", None),
        (good.replace("condition: s", &format!("condition: {nested}")), "depth", Some(10)),
        (good.replace("Image: a", &format!("Image|re: '{regex}'")), "regex", None),
        (good.replace("Image: a", "Image|re: '(?<=a)b'"), "regex", None),
        (good.replace("condition: s", "condition: other"), "other", None),
        (deep, "", None),
        (bomb, "aliases", None),
        ("just text".to_owned(), "mapping", None),
        (String::new(), "mapping", None),
        (format!("title: {}", "x".repeat(crate::LONGEST)), "bytes", None),
    ];
    let texts: Vec<&str> = broken.iter().map(|(text, ..)| text.as_str()).chain([good.as_str()]).collect();
    let set = set(&texts);
    assert_eq!(set.check().rules.len(), 1, "{:?}", set.check());
    for (number, (_, reason, line)) in broken.iter().enumerate() {
        let name = format!("{number}.yml");
        let told = set.check().broken.iter().find(|it| it.file == name);
        let told = told.unwrap_or_else(|| panic!("{name} is not told"));
        assert!(told.reason.to_lowercase().contains(&reason.to_lowercase()), "{name}: {told:?}");
        assert!(line.is_none() || told.line == *line, "{name}: {told:?}");
    }
    assert_eq!(set.hits(&sysmon(&[("image", "A")])).len(), 1);
}

#[test]
fn what_no_record_can_fit_is_told() {
    let set = set(&[
        &rule(
            "    product: linux\n    category: process_creation",
            "    s:\n        Image: a\n    condition: s",
        ),
        &rule(
            &windows("category: process_creation"),
            "    s:\n        Image: a\n        GrandParentImage: b\n    condition: s",
        ),
    ]);
    let check = set.check();
    assert_eq!(check.no_records.keys().collect::<Vec<_>>(), ["product linux, category process_creation"]);
    assert_eq!(
        check.no_field.keys().collect::<Vec<_>>(),
        ["product windows, category process_creation: GrandParentImage"]
    );
    assert!(set.hits(&sysmon(&[("image", "a")])).is_empty());
}

/// Returns all findings of rules over several events in records at these seconds.
fn correlated(set: &RuleSet, records: &[(i64, Record)]) -> Vec<(usize, Vec<usize>)> {
    let mut noted = Vec::new();
    for (ordinal, (second, record)) in records.iter().enumerate() {
        for hit in set.hits(record) {
            if set.is_correlated(hit.rule) {
                noted.push(set.noted(record, hit.rule, *second, ordinal));
            }
        }
    }
    set.correlated(noted).into_iter().map(|found| (found.rule, found.ordinals)).collect()
}

#[test]
fn events_are_counted_within_their_time_and_by_what_they_have_in_common() {
    let failed = format!(
        "name: failed\n{}",
        rule(&windows("service: security"), "    s:\n        EventID: 4625\n    condition: s")
    );
    let many = "title: many\nid: 22222222-2222-2222-2222-222222222222\nlevel: critical\ncorrelation:\n    type: event_count\n    rules:\n        - failed\n    group-by:\n        - TargetUserName\n    timespan: 1m\n    condition:\n        gte: 3\n";
    let spread = "title: spread\ncorrelation:\n    type: value_count\n    rules:\n        - failed\n    group-by:\n        - Computer\n    timespan: 1m\n    condition:\n        field: TargetUserName\n        gte: 3\n";
    let lost = "title: lost\ncorrelation:\n    type: event_count\n    rules:\n        - not-there\n    timespan: 1m\n    condition:\n        gte: 1\n";
    let set = set(&[&failed, many, spread, lost]);
    assert_eq!(set.check().rules.len(), 3);
    assert_eq!(set.check().broken.len(), 1);
    assert!(set.check().broken[0].reason.contains("not-there"));
    let of = |second, account| (second, event("logon_failed", "Security", "4625", &[("account", account)]));
    // Records do not arrive in order of time.
    assert_eq!(correlated(&set, &[of(50, "ann"), of(0, "ann"), of(30, "ann")]), [(1, vec![1, 2, 0])]);
    assert_eq!(correlated(&set, &[of(0, "ann"), of(30, "ann"), of(95, "ann")]), []);
    assert_eq!(correlated(&set, &[of(0, "ann"), of(1, "bob"), of(2, "eve")]), [(2, vec![0, 1, 2])]);
    assert_eq!(correlated(&set, &[of(0, "ann"), of(1, "bob"), of(2, "bob")]), []);
}

#[test]
fn events_of_several_rules_are_put_together() {
    let failed = format!(
        "name: failed\n{}",
        rule(&windows("service: security"), "    s:\n        EventID: 4625\n    condition: s")
    );
    let logon = format!(
        "name: logon\n{}",
        rule(&windows("service: security"), "    s:\n        EventID: 4624\n    condition: s")
            .replace("1111", "3333")
    );
    let both = "title: both\ncorrelation:\n    type: temporal_ordered\n    rules:\n        - failed\n        - logon\n    group-by:\n        - TargetUserName\n    timespan: 5m\n";
    let set = set(&[&failed, &logon, both]);
    assert_eq!(set.check().broken, []);
    let of = |second, id: &str, account| {
        let kind = if id == "4625" { "logon_failed" } else { "logon" };
        (second, event(kind, "Security", id, &[("account", account)]))
    };
    assert_eq!(correlated(&set, &[of(0, "4625", "ann"), of(60, "4624", "ann")]).len(), 1);
    assert_eq!(correlated(&set, &[of(0, "4624", "ann"), of(60, "4625", "ann")]), []);
    assert_eq!(correlated(&set, &[of(0, "4625", "ann"), of(60, "4624", "bob")]), []);
}

#[test]
fn a_rule_sets_nothing_of_the_library_that_reads_it() {
    let text = format!(
        "{}custom_attributes:\n    rsigma.include_event: 'true'\n",
        rule(&windows("category: process_creation"), "    s:\n        Image: a\n    condition: s")
    );
    let set = set(&[&text]);
    assert_eq!(set.check().broken, []);
    assert_eq!(set.hits(&sysmon(&[("image", "a")])).len(), 1);
}

#[test]
fn damaged_rules_are_told_or_read_and_break_nothing() {
    let detections = "    s:\n        Image|endswith|all:\n            - '\\a.exe'\n            - 'b*?'\n        CommandLine|re: '^a+(b|c)$'\n    condition: 1 of s* and not (s)";
    let good = format!("name: n\n{}", rule(&windows("category: process_creation"), detections));
    let correlation = "title: c\ncorrelation:\n    type: event_count\n    rules:\n        - n\n    group-by:\n        - Image\n    timespan: 1m\n    condition:\n        gte: 3\n";
    let record = sysmon(&[("image", r"C:\a.exe"), ("command_line", "aab")]);
    let whole = format!("{good}---\n{correlation}");
    assert_eq!(set(&[&whole]).check().rules.len(), 2);
    for (at, _) in whole.char_indices() {
        let (before, behind) = whole.split_at(at);
        for damage in ["", "*", "\"", ":", "\n", "{", "&a ", "|"] {
            let set = set(&[
                &format!("{before}{damage}"),
                &format!("{before}{damage}{}", behind.get(1..).unwrap_or_default()),
            ]);
            set.hits(&record);
        }
    }
}
