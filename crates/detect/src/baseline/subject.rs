//! The parts of a trace that are compared with the baseline.

use super::Kind;
use super::line::{self, Line};
use super::place::{self, Place};
use crate::trace::Trace;
use ledger::FieldValue;

/// The bits of a service's type that make it a driver (Microsoft Learn, `CreateServiceW`).
const DRIVERS: i128 = 0x01 | 0x02 | 0x08;

/// Texts that name no program and no account.
const NOTHING: [&str; 3] = ["", "-", "?"];

#[derive(Debug)]
pub(super) struct Subject<'t> {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) program: Option<Place>,
    /// Each argument with its quotation marks; `None` if they are not stated.
    pub(super) arguments: Option<Vec<&'t str>>,
    /// Whether the line is written as installers write it, and the trace has one action.
    pub(super) is_whole: bool,
    /// Whether the program has a space but no quotation marks.
    pub(super) has_blank: bool,
    pub(super) library: Option<Place>,
    /// Whether records of this type name the library.
    pub(super) tells_library: bool,
    pub(super) class: Option<&'t str>,
    pub(super) account: Option<String>,
    /// The name of the program that started it.
    pub(super) parent: Option<String>,
}

impl<'t> Subject<'t> {
    /// Returns the subject of a trace; `None` if the baseline does not cover such traces.
    pub(super) fn of(trace: &'t Trace<'_>, keys: &[String]) -> Option<Subject<'t>> {
        match trace.kind() {
            "service" => service(trace, "name", true),
            "service_installed" => service(trace, "service_name", false),
            "scheduled_task" | "task_cache_entry" => task(trace),
            "autostart" | "once_autostart" => autostart(trace, "value_path", "command", keys),
            "registry_value" => autostart(trace, "value_path", "data", keys),
            "registry_set" => autostart(trace, "key", "data", keys),
            "process_created" => process(trace),
            _ => None,
        }
    }

    fn empty(kind: Kind, name: &str) -> Subject<'t> {
        Subject {
            kind,
            name: name.to_owned(),
            program: None,
            arguments: None,
            is_whole: true,
            has_blank: false,
            library: None,
            tells_library: false,
            class: None,
            account: None,
            parent: None,
        }
    }

    fn with_line(self, line: &'t str) -> Subject<'t> {
        let Line { program, arguments, is_plain, has_blank } = line::split(line);
        let program = Some(place::read(program, false));
        Subject { program, arguments: Some(line::words(arguments)), is_whole: is_plain, has_blank, ..self }
    }
}

/// Returns the text of a field; `None` for a quotation, because it may be only a part of the value.
fn text<'t>(trace: &'t Trace<'_>, field: &str) -> Option<&'t str> {
    match trace.whole(field)? {
        FieldValue::Text(text)
        | FieldValue::Name(text)
        | FieldValue::Path(text)
        | FieldValue::RegistryPath(text)
        | FieldValue::Guid(text)
        | FieldValue::Sid(text) => Some(text),
        _ => None,
    }
}

fn service<'t>(trace: &'t Trace<'_>, name: &str, tells_library: bool) -> Option<Subject<'t>> {
    let name = text(trace, name)?;
    // A key without a program only holds settings; a driver without one is loaded by its name.
    let line = text(trace, "image_path").filter(|line| !line.is_empty())?;
    let subject = if is_driver(trace, line) {
        let program = Some(place::read(line, true));
        Subject { program, arguments: Some(Vec::new()), ..Subject::empty(Kind::Driver, name) }
    } else {
        Subject {
            account: account(trace, &["account"]),
            ..Subject::empty(Kind::Service, name).with_line(line)
        }
    };
    let library = text(trace, "service_dll").filter(|it| !it.is_empty()).map(named);
    Some(Subject { library, tells_library, ..subject })
}

fn is_driver(trace: &Trace<'_>, line: &str) -> bool {
    match trace.whole("type") {
        Some(FieldValue::Integer(kind)) => kind & DRIVERS != 0,
        _ => line.to_ascii_lowercase().ends_with(".sys"),
    }
}

fn task<'t>(trace: &'t Trace<'_>) -> Option<Subject<'t>> {
    let subject = Subject::empty(Kind::Task, text(trace, "task")?);
    let class = text(trace, "com_class").or_else(|| text(trace, "class_id"));
    let has_several = matches!(trace.whole("actions"), Some(FieldValue::List(words)) if words.len() > 1);
    let account = account(trace, &["user_id", "group_id"]);
    let Some(command) = text(trace, "command") else {
        return class.map(|_| Subject { class, account, is_whole: !has_several, ..subject });
    };
    // The field is the program alone; quotation marks around it are allowed.
    let inner = command.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(command);
    let arguments = line::words(text(trace, "arguments").unwrap_or_default());
    let program = Some(named(inner));
    Some(Subject {
        program,
        arguments: Some(arguments),
        class,
        account,
        is_whole: !has_several && class.is_none(),
        ..subject
    })
}

/// Returns the place of a program or library; if it is named without a folder, Windows finds it in its own.
fn named(program: &str) -> Place {
    if program.contains(['\\', '/', ':', '%']) {
        return place::read(program, false);
    }
    let mut place = place::read(&format!("%windir%\\system32\\{program}"), false);
    place.is_plain &= program.trim() == program;
    place
}

fn autostart<'t>(trace: &'t Trace<'_>, path: &str, command: &str, keys: &[String]) -> Option<Subject<'t>> {
    let (key, last) = text(trace, path)?.rsplit_once('\\')?;
    let (key, name) = match text(trace, "value_name") {
        // An event that names the value separately may name only the key.
        Some(name) if name != last => (text(trace, path)?, name),
        Some(name) => (key, name),
        None => (key, last),
    };
    // A key of SOFTWARE begins at the root of its hive.
    let key = format!("\\{}", key.to_ascii_lowercase());
    keys.iter().any(|end| key.ends_with(end.as_str())).then_some(())?;
    let line = text(trace, command).filter(|line| !line.is_empty())?;
    let subject = Subject::empty(Kind::Autostart, name).with_line(line);
    // A bare name is found in the folders of Windows.
    let bare = line::split(line).program;
    let program = if bare.contains(['\\', '/', ':', '%']) { subject.program } else { Some(named(bare)) };
    Some(Subject { program, ..subject })
}

fn process<'t>(trace: &'t Trace<'_>) -> Option<Subject<'t>> {
    let image = place::read(text(trace, "image")?, false);
    let line = text(trace, "command_line").filter(|line| !line.is_empty());
    let arguments = line.map(|line| line::words(line::split(line).arguments));
    let parent = text(trace, "parent_image").filter(|parent| !NOTHING.contains(parent));
    let parent = parent.map(|parent| place::read(parent, false).file().to_owned());
    let subject = Subject::empty(Kind::Process, image.file());
    Some(Subject {
        program: Some(image),
        arguments,
        parent,
        account: account(trace, &["sid", "user"]),
        ..subject
    })
}

/// Returns the account in the words of the data.
fn account(trace: &Trace<'_>, fields: &[&str]) -> Option<String> {
    let stated = fields.iter().filter_map(|field| text(trace, field)).find(|text| !NOTHING.contains(text))?;
    let lower = stated.to_ascii_lowercase();
    let bare = lower.strip_prefix("nt authority\\").unwrap_or(&lower);
    Some(match bare {
        "localsystem" | "system" | ".\\localsystem" | "s-1-5-18" => "system".to_owned(),
        "localservice" | "local service" | "s-1-5-19" => "local service".to_owned(),
        "networkservice" | "network service" | "s-1-5-20" => "network service".to_owned(),
        other => other.to_owned(),
    })
}
