//! What Windows includes is ordinary, and what only looks like it is not: each entry is tried, with look-alikes made from it.

use detect::{Attack, Baseline, BaselineError, Entry, Generation, Kind, Level, Trace, Windows, shipped};
use ledger::{Field, FieldValue, Locator, Record, RecordId};
use proptest::prelude::*;
use std::collections::BTreeMap;

type Fields = BTreeMap<&'static str, String>;

/// The example text for each form.
const FORMS: [(&str, &str); 6] = [
    ("<guid>", "{0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0}"),
    ("<hex>", "3f2a1"),
    ("<number>", "7"),
    ("<version>", "1.3.21"),
    ("<sid>", "S-1-5-21-1-2-3-1001"),
    ("<word>", "x1"),
];

/// The folders that the variables of the data mean.
const FOLDERS: [(&str, &str); 5] = [
    ("%windir%", "C:\\Windows"),
    ("%ProgramFiles%", "C:\\Program Files"),
    ("%ProgramData%", "C:\\ProgramData"),
    ("%LocalAppData%", "C:\\Users\\eva\\AppData\\Local"),
    ("%AppData%", "C:\\Users\\eva\\AppData\\Roaming"),
];

fn example_of(form: &str) -> String {
    FORMS.iter().fold(form.to_owned(), |text, (form, value)| text.replace(form, value))
}

/// Returns the whole path of a program or library of the data.
fn path_of(form: &str) -> String {
    let text = example_of(form);
    let known = FOLDERS.iter().find(|(variable, _)| text.starts_with(variable));
    known.map_or_else(
        || format!("C:\\Windows\\{text}"),
        |(variable, folder)| text.replacen(variable, folder, 1),
    )
}

fn record(kind: &str, fields: &Fields) -> Record {
    let field = |(name, text): (&&str, &String)| {
        let value = match *name {
            "type" => FieldValue::Integer(text.parse().unwrap()),
            _ => FieldValue::Text(text.clone()),
        };
        ((*name).to_owned(), Field { at: None, value })
    };
    Record {
        defects: Vec::new(),
        fields: fields.iter().map(field).collect(),
        id: RecordId(1),
        kind: kind.to_owned(),
        locator: Locator { evidence: "e".into(), path: "p1/x".into(), stream: None, span: None },
        placement: None,
    }
}

/// The parts of an entry, which look-alikes change.
#[derive(Clone)]
struct Shape {
    kind: Kind,
    name: String,
    program: Option<String>,
    arguments: String,
    library: Option<String>,
    class: Option<String>,
    account: Option<String>,
    parent: Option<String>,
    is_quoted: bool,
}

impl Shape {
    fn of(entry: &Entry) -> Shape {
        let first = |all: &[String]| all.first().cloned();
        let arguments = first(&entry.arguments).filter(|form| form != "<any>").unwrap_or_default();
        let program = first(&entry.programs).map(|form| path_of(&form));
        Shape {
            kind: entry.kind,
            name: example_of(&entry.name),
            is_quoted: program.as_ref().is_some_and(|path| path.contains(' ')) && !is_unquoted(entry),
            program,
            arguments: example_of(&arguments),
            library: first(&entry.libraries).map(|form| path_of(&form)),
            class: first(&entry.classes),
            account: first(&entry.accounts),
            parent: first(&entry.parents),
        }
    }

    fn record(&self) -> Record {
        let program = self.program.clone().unwrap_or_default();
        let quoted = if self.is_quoted { format!("\"{program}\"") } else { program.clone() };
        let line = if self.arguments.is_empty() { quoted } else { format!("{quoted} {}", self.arguments) };
        let mut fields = Fields::new();
        let kind = match self.kind {
            Kind::Service => {
                fields.insert("name", self.name.clone());
                fields.insert("image_path", line);
                fields.insert("type", "16".to_owned());
                "service"
            }
            Kind::Driver => {
                fields.insert("name", self.name.clone());
                fields.insert("image_path", format!("\\??\\{program}"));
                fields.insert("type", "1".to_owned());
                "service"
            }
            Kind::Task => {
                fields.insert("task", self.name.clone());
                if self.program.is_some() {
                    fields.insert("command", program);
                    fields.insert("arguments", self.arguments.clone());
                }
                "task_cache_entry"
            }
            Kind::Autostart => {
                let key = "ROOT\\Microsoft\\Windows\\CurrentVersion\\Run";
                fields.insert("value_path", format!("{key}\\{}", self.name));
                fields.insert("command", line);
                "autostart"
            }
            Kind::Process => {
                fields.insert("image", program);
                fields.insert("command_line", line);
                "process_created"
            }
        };
        let parts = [
            ("service_dll", &self.library),
            ("com_class", &self.class),
            (if self.kind == Kind::Process { "user" } else { "account" }, &self.account),
            ("parent_image", &self.parent),
        ];
        fields.extend(parts.into_iter().filter_map(|(name, value)| Some((name, value.clone()?))));
        record(kind, &fields)
    }

    fn with_program(&self, change: impl Fn(&str) -> String) -> Shape {
        Shape { program: self.program.as_deref().map(change), ..self.clone() }
    }
}

/// Checks whether Windows writes it without quotation marks, which no field of an entry shows: such a line is ordinary.
fn is_unquoted(entry: &Entry) -> bool {
    ["Sidebar", "Windows Defender"].contains(&entry.name.as_str()) && entry.kind == Kind::Autostart
}

fn ordinary(record: &Record) -> Option<&'static str> {
    shipped().ordinary(&Trace::of_record(record))
}

/// Returns the entries that make something ordinary.
fn entries() -> Vec<&'static Entry> {
    let entries = shipped().windows().entries();
    assert!(entries.len() > 1_000, "{}", entries.len());
    entries.iter().filter(|entry| !entry.is_never_ordinary()).collect()
}

#[test]
fn the_shipped_baseline_is_read() {
    Attack::shipped().unwrap();
}

#[test]
fn what_has_the_whole_shape_of_an_entry_is_ordinary_and_says_why() {
    let wrong: Vec<_> = entries()
        .into_iter()
        .filter(|entry| ordinary(&Shape::of(entry).record()) != Some(&entry.reason))
        // Entries for several versions may have the same shape; then either reason is correct.
        .filter(|entry| ordinary(&Shape::of(entry).record()).is_none())
        .map(|entry| (entry.kind, &entry.name))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn what_has_the_whole_shape_of_an_entry_fits_no_rule_of_level_medium_or_above_that_asks_for_a_difference() {
    for entry in entries() {
        let record = Shape::of(entry).record();
        let hits = shipped().hits(&Trace::of_record(&record));
        let differs: Vec<_> = hits
            .iter()
            .filter(|hit| hit.rule.starts_with("windows-") && hit.level >= Level::Medium)
            .collect();
        assert!(differs.is_empty(), "{:?} {}: {differs:?}", entry.kind, entry.name);
    }
}

#[test]
fn a_program_that_does_what_its_arguments_say_is_never_ordinary_by_its_place() {
    let hosts: Vec<&Entry> =
        shipped().windows().entries().iter().filter(|entry| entry.is_never_ordinary()).collect();
    assert!(hosts.len() > 20);
    for entry in hosts {
        assert_eq!(ordinary(&Shape::of(entry).record()), None, "{}", entry.name);
    }
}

/// Returns the path with its last folder changed.
fn in_folder(path: &str, change: impl Fn(&str) -> String) -> String {
    let (folders, file) = path.rsplit_once('\\').unwrap();
    let (before, folder) = folders.rsplit_once('\\').unwrap();
    format!("{before}\\{}\\{file}", change(folder))
}

/// Replaces the first letter that has a twin in another script.
fn with_homoglyph(path: &str) -> String {
    let (folders, file) = path.rsplit_once('\\').map_or(("", path), |(folders, file)| (folders, file));
    let twins = [
        ('e', 'е'),
        ('o', 'о'),
        ('a', 'а'),
        ('c', 'с'),
        ('p', 'р'),
        ('i', 'і'),
        ('s', 'ѕ'),
        ('x', 'х'),
        ('k', '\u{212a}'),
    ];
    let lower = file.to_ascii_lowercase();
    let found = lower.char_indices().find_map(|(at, c)| Some((at, twins.iter().find(|twin| twin.0 == c)?.1)));
    let mut changed = file.to_owned();
    match found {
        Some((at, twin)) => changed.replace_range(at..=at, &twin.to_string()),
        // If no letter has a twin, an invisible character does the same.
        None => changed.push('\u{200b}'),
    }
    if folders.is_empty() { changed } else { format!("{folders}\\{changed}") }
}

/// Returns look-alikes of a shape, each with the change.
fn look_alikes(shape: &Shape, takes_any: bool) -> Vec<(&'static str, Shape)> {
    let mut all: Vec<(&'static str, Shape)> = Vec::new();
    if shape.program.is_some() {
        let with = |change: &dyn Fn(&str) -> String| shape.with_program(change);
        all.extend([
            ("deeper", with(&|path| in_folder(path, |folder| format!("{folder}\\x")))),
            // No form matches the mark.
            ("other folder", with(&|path| in_folder(path, |folder| format!("{folder}!")))),
            (
                "folder of users",
                with(&|path| format!("C:\\Users\\Public\\{}", path.rsplit_once('\\').unwrap().1)),
            ),
            ("no folder of Windows", with(&|path| path.replacen("C:\\", "C:\\x\\", 1))),
            ("other extension", with(&|path| format!("{}.pif", path.rsplit_once('.').unwrap().0))),
            ("second extension", with(&|path| format!("{path}.exe"))),
            ("homoglyph", with(&with_homoglyph)),
            ("trailing space", with(&|path| format!("{path} "))),
            ("trailing dot", with(&|path| format!("{path}."))),
            ("space behind the folder", with(&|path| in_folder(path, |folder| format!("{folder} ")))),
            ("up and down", with(&|path| in_folder(path, |folder| format!("{folder}\\x\\..")))),
            ("up and away", with(&|path| in_folder(path, |folder| format!("{folder}\\..\\Temp")))),
            ("here", with(&|path| in_folder(path, |folder| format!("{folder}\\.")))),
            (
                "short name",
                with(&|path| {
                    in_folder(path, |folder| {
                        format!("{:.6}~1", folder.replace([' ', '.'], "").to_uppercase())
                    })
                }),
            ),
            ("other drive", with(&|path| path.replacen("C:", "D:", 1))),
            ("share", with(&|path| path.replacen("C:", "\\\\10.1.2.3\\C$", 1))),
            ("stream", with(&|path| format!("{path}:x.exe"))),
            ("slashes", with(&|path| path.replace('\\', "/"))),
            ("double backslash", with(&|path| path.replacen('\\', "\\\\", 1))),
            ("device", with(&|path| format!("\\\\?\\{path}"))),
            ("null", with(&|path| format!("{path}\0"))),
        ]);
        if shape.kind != Kind::Driver {
            let wrapped = |host: &str, before: &str| Shape {
                program: Some(host.to_owned()),
                arguments: format!(
                    "{before} {} {}",
                    shape.program.clone().unwrap_or_default(),
                    shape.arguments
                ),
                is_quoted: false,
                ..shape.clone()
            };
            all.push(("through cmd", wrapped("C:\\Windows\\System32\\cmd.exe", "/c")));
            all.push((
                "through rundll32",
                wrapped("C:\\Windows\\System32\\rundll32.exe", "shell32.dll,ShellExec_RunDLL"),
            ));
            if !takes_any {
                let added = |more: &str| Shape {
                    arguments: format!("{} {more}", shape.arguments).trim().to_owned(),
                    ..shape.clone()
                };
                all.push(("library added", added("C:\\Users\\Public\\x.dll,Start")));
                all.push(("argument added", added("/x")));
                all.push(("command added", added("& calc.exe")));
            }
        }
        if shape.is_quoted && matches!(shape.kind, Kind::Service | Kind::Autostart) {
            all.push(("no quotation marks", Shape { is_quoted: false, ..shape.clone() }));
        }
    }
    if let Some(library) = &shape.library {
        let with = |path: String| Shape { library: Some(path), ..shape.clone() };
        all.push(("other library", with(in_folder(library, |folder| format!("{folder}\\x")))));
        all.push(("library of a user", with("C:\\Users\\Public\\x.dll".to_owned())));
        all.push(("library like another", with(with_homoglyph(library))));
        all.push(("library on another drive", with(library.replacen("C:", "D:", 1))));
    }
    if shape.class.is_some() {
        all.push((
            "other class",
            Shape { class: Some("{11111111-2222-3333-4444-555555555555}".into()), ..shape.clone() },
        ));
        let started = Shape { program: Some("C:\\Users\\Public\\x.exe".into()), ..shape.clone() };
        all.push(("program beside a class", started.clone()));
        all.push(("program in place of a class", Shape { class: None, ..started }));
    }
    if shape.account.is_some() {
        all.push(("other account", Shape { account: Some("eva".into()), ..shape.clone() }));
    }
    if shape.parent.is_some() {
        all.push((
            "other parent",
            Shape { parent: Some("C:\\Users\\Public\\x.exe".into()), ..shape.clone() },
        ));
    }
    all
}

#[test]
fn what_only_looks_like_an_entry_is_not_ordinary() {
    let mut wrong = Vec::new();
    let mut tried = 0;
    for entry in entries() {
        let takes_any = entry.arguments.iter().any(|form| form == "<any>");
        for (what, shape) in look_alikes(&Shape::of(entry), takes_any) {
            tried += 1;
            if let Some(reason) = ordinary(&shape.record()) {
                wrong.push(format!("{:?} {}, {what}: {reason}", entry.kind, entry.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(tried > 20_000, "{tried}");
}

#[test]
fn a_name_that_is_nearly_that_of_an_entry_is_not_it() {
    for entry in entries().into_iter().filter(|entry| entry.kind != Kind::Process) {
        let shape = Shape::of(entry);
        for name in [
            format!("{} ", shape.name),
            format!("x{}", shape.name),
            format!("{}.", shape.name),
            with_homoglyph(&shape.name),
        ] {
            let reason = ordinary(&Shape { name, ..shape.clone() }.record());
            // What administrators install is ordinary under any name, and the reason says so.
            assert!(
                reason.is_none_or(|reason| reason.contains("installed")),
                "{:?} {}: {reason:?}",
                entry.kind,
                entry.name
            );
        }
    }
}

#[test]
fn a_known_name_with_a_program_in_a_folder_of_users_is_a_detection_of_level_high() {
    let mut wrong = Vec::new();
    for entry in entries() {
        let shape = Shape::of(entry);
        let file =
            shape.program.as_deref().and_then(|path| path.rsplit_once('\\')).map_or("x.exe", |it| it.1);
        let elsewhere = Shape {
            program: Some(format!("C:\\Users\\Public\\{file}")),
            class: None,
            is_quoted: false,
            ..shape
        };
        let record = elsewhere.record();
        let hits = shipped().hits(&Trace::of_record(&record));
        let is_told = hits.iter().any(|hit| {
            hit.level == Level::High
                && (hit.rule.starts_with("windows-")
                    && (hit.rule.ends_with("-other-program") || hit.rule == "windows-process-elsewhere"))
        });
        if !is_told {
            wrong.push((entry.kind, &entry.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Returns the reason for a record on a certain Windows.
fn on(record: &Record, build: u32, product: &str) -> Option<&'static str> {
    shipped().ordinary(&Trace::of_record(record).on(Windows::of_build(build, product)))
}

#[test]
fn what_another_version_brings_along_is_not_ordinary_where_the_version_is_known() {
    let mut told = 0;
    for entry in entries() {
        let record = Shape::of(entry).record();
        for (build, generation) in [
            (2600, Generation::Xp),
            (6002, Generation::Vista),
            (7601, Generation::Seven),
            (9200, Generation::Eight),
            (9600, Generation::EightOne),
            (19_045, Generation::Ten),
            (22_631, Generation::Eleven),
        ] {
            let windows = Windows::of_build(build, "Windows Pro").unwrap();
            assert_eq!(windows.generation, generation);
            let is_told = on(&record, build, "Windows Pro") == Some(&entry.reason);
            assert!(
                !is_told || entry.is_of(Some(windows)),
                "{:?} {} on {}",
                entry.kind,
                entry.name,
                generation.name()
            );
            told += usize::from(!is_told);
        }
    }
    assert!(told > 1_000, "{told}");
}

#[test]
fn a_session_manager_of_windows_7_is_no_process_of_windows_10() {
    let fields = Fields::from([
        ("image", "C:\\Windows\\System32\\lsm.exe".to_owned()),
        ("parent_image", "C:\\Windows\\System32\\wininit.exe".to_owned()),
    ]);
    let record = record("process_created", &fields);
    assert!(on(&record, 7601, "Windows 7 Professional").is_some());
    assert_eq!(on(&record, 19_045, "Windows 10 Pro"), None);
    assert!(ordinary(&record).is_some());
}

#[test]
fn a_server_is_told_by_the_name_of_its_product() {
    assert!(Windows::of_build(17_763, "Windows Server 2019 Standard").unwrap().is_server);
    assert!(!Windows::of_build(17_763, "Windows 10 Enterprise LTSC").unwrap().is_server);
    assert_eq!(Windows::of_build(2195, "Microsoft Windows 2000"), None);
}

/// Returns the positions of the parts that must not change: all except the drive, a user's name, and parts with a form.
fn fixed_parts(form: &str, path: &str) -> Vec<usize> {
    let forms: Vec<&str> = form.split('\\').collect();
    let parts: Vec<&str> = path.split('\\').collect();
    let behind = parts.len() - forms.len();
    (1..parts.len() - 1)
        .filter(|at| !(parts[1] == "Users" && *at == 2))
        .filter(|at| {
            at.checked_sub(behind).and_then(|at| forms.get(at)).is_none_or(|form| !form.contains('<'))
        })
        .collect()
}

proptest! {
    #[test]
    fn no_other_folder_keeps_a_program_ordinary(number in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), folder in "[a-zA-Z0-9._ -]{1,12}", way in 0..3_u8) {
        let all: Vec<&Entry> = entries().into_iter().filter(|entry| !entry.programs.is_empty()).collect();
        let entry = all[number.index(all.len())];
        let form = &entry.programs[0];
        let shape = Shape::of(entry);
        let path = shape.program.clone().unwrap();
        let fixed = fixed_parts(form, &path);
        prop_assume!(!fixed.is_empty());
        let at = fixed[at.index(fixed.len())];
        let mut parts: Vec<String> = path.split('\\').map(str::to_owned).collect();
        match way {
            0 => parts[at] = folder.clone(),
            1 => parts.insert(at, folder.clone()),
            _ => { parts.remove(at); }
        }
        let changed = parts.join("\\");
        // Several folders may contain it: 32-bit programs are next to the others.
        prop_assume!(!entry.programs.iter().any(|form| path_of(form).eq_ignore_ascii_case(&changed)));
        prop_assume!(!changed.eq_ignore_ascii_case(&path));
        let shape = Shape { program: Some(changed.clone()), ..shape };
        prop_assert_eq!(ordinary(&shape.record()), None, "{:?} {} as {}", entry.kind, &entry.name, changed);
    }
}

#[test]
fn a_service_that_is_not_told_its_library_is_not_ordinary_unless_the_record_cannot_tell_it() {
    let line = "%SystemRoot%\\System32\\svchost.exe -k netsvcs -p".to_owned();
    let of =
        |kind, name| record(kind, &Fields::from([(name, "BITS".to_owned()), ("image_path", line.clone())]));
    assert_eq!(ordinary(&of("service", "name")), None);
    assert!(ordinary(&of("service_installed", "service_name")).is_some());
}

#[test]
fn a_key_of_software_begins_at_the_root_of_its_hive_or_elsewhere() {
    for key in
        ["Microsoft", "SOFTWARE\\Microsoft", "ROOT\\Wow6432Node\\Microsoft", "HKLM\\SOFTWARE\\Microsoft"]
    {
        let path = format!("{key}\\Windows\\CurrentVersion\\Run\\SecurityHealth");
        let command = "%windir%\\system32\\SecurityHealthSystray.exe".to_owned();
        let record = record("autostart", &Fields::from([("value_path", path), ("command", command)]));
        assert!(ordinary(&record).is_some(), "{key}");
    }
}

#[test]
fn words_of_a_value_make_nothing_ordinary() {
    use testkit::history::fact;
    let mut stated =
        fact(1, 0, "", &[("name", "Spooler"), ("image_path", "C:\\Windows\\System32\\spoolsv.exe")]);
    stated.kind = "service".into();
    stated.subject = stated.values[0].clone();
    assert!(shipped().ordinary(&Trace::of_fact(&stated)).is_some());
    for value in &mut stated.values {
        if value.field == "image_path" {
            value.value = FieldValue::Text("C:\\Windows\\System32\\spoolsv.exe".into());
            value.quotation = Some("spoolsv.exe".into());
        }
    }
    assert_eq!(shipped().ordinary(&Trace::of_fact(&stated)), None);
}

#[test]
fn data_that_cannot_be_a_baseline_is_refused() {
    let read = |text: &str| Baseline::from_toml(&[text]);
    let entry = "source = ['x']\nservice = [{ name = 'a', program = 'System32\\a.exe', reason = 'is' }]";
    assert_eq!(read(entry).unwrap().entries().len(), 1);
    let refused = |from: &str, to: &str| read(&entry.replace(from, to)).unwrap_err();
    assert!(matches!(refused("['x']", "[]"), BaselineError::NoSource));
    assert!(matches!(refused("name", "nam"), BaselineError::Read(_)));
    assert!(matches!(refused("'a', program", "'', program"), BaselineError::Lacks { lacks: "name", .. }));
    assert!(matches!(refused("'is'", "' '"), BaselineError::Lacks { lacks: "reason", .. }));
    assert!(matches!(
        refused("program = 'System32\\a.exe', ", ""),
        BaselineError::Lacks { lacks: "program", .. }
    ));
    assert!(matches!(refused("a.exe", "<x>.exe"), BaselineError::Wrong { of: "form", .. }));
    assert!(matches!(refused("System32\\a", "C:\\x\\a"), BaselineError::Wrong { .. }));
    assert!(matches!(
        refused("reason", "account = 'eva', reason"),
        BaselineError::Wrong { of: "account", .. }
    ));
    assert!(matches!(refused("reason", "parent = 'x.exe', reason"), BaselineError::Wrong { .. }));
    assert!(matches!(refused("reason", "since = '10', until = '7', reason"), BaselineError::Wrong { .. }));
    let twice =
        entry.replace("}]", "}, { name = 'A', program = 'System32\\a.exe', since = '10', reason = 'is' }]");
    assert!(matches!(read(&twice).unwrap_err(), BaselineError::Twice { .. }));
    let split = twice.replacen("reason", "until = '8', reason", 1);
    assert_eq!(read(&split).unwrap().entries().len(), 2);
}
