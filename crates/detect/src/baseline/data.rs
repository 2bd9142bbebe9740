//! Reads the baseline and checks it.

use super::{Baseline, Edition, Entry, Generation, Kind, WINDOWS, form, place};
use serde::Deserialize;
use std::collections::BTreeMap;
use thiserror::Error;

/// Accounts that an entry may name.
const ACCOUNTS: [&str; 3] = ["system", "local service", "network service"];

/// The program in which Windows hosts services.
const SVCHOST: &str = "System32\\svchost.exe";

/// Why data is not a baseline.
#[derive(Debug, Error)]
pub enum BaselineError {
    /// The text is not TOML of this form.
    #[error("read the baseline of Windows")]
    Read(#[source] toml::de::Error),
    /// An entry lacks something.
    #[error("read the baseline of Windows: {kind:?} {name:?} has no {lacks}")]
    Lacks {
        /// What it is about.
        kind: Kind,
        /// Its name.
        name: String,
        /// What is missing.
        lacks: &'static str,
    },
    /// An entry has an impossible value.
    #[error("read the baseline of Windows: {kind:?} {name:?}: {what:?} is no {of}")]
    Wrong {
        /// What it is about.
        kind: Kind,
        /// Its name.
        name: String,
        /// The value.
        what: String,
        /// What it should be.
        of: &'static str,
    },
    /// Two entries are the same.
    #[error("read the baseline of Windows: {kind:?} {name:?} stands there twice")]
    Twice {
        /// What it is about.
        kind: Kind,
        /// Its name.
        name: String,
    },
    /// A file does not give the source of its facts.
    #[error("read the baseline of Windows: a file has no source")]
    NoSource,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BaselineFile {
    /// The sources of its facts.
    source: Vec<String>,
    #[serde(default)]
    hosts: Vec<String>,
    #[serde(default)]
    keys: Vec<String>,
    #[serde(default)]
    copies: Vec<String>,
    #[serde(default)]
    service: Vec<EntryOfFile>,
    #[serde(default)]
    driver: Vec<EntryOfFile>,
    #[serde(default)]
    task: Vec<EntryOfFile>,
    #[serde(default)]
    autostart: Vec<EntryOfFile>,
    #[serde(default)]
    process: Vec<EntryOfFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryOfFile {
    name: String,
    #[serde(default)]
    maker: Option<String>,
    #[serde(default)]
    program: Several,
    #[serde(default)]
    arguments: Several,
    /// The service host groups in which it may run.
    #[serde(default)]
    group: Several,
    #[serde(default)]
    library: Several,
    #[serde(default)]
    class: Several,
    #[serde(default)]
    account: Several,
    #[serde(default)]
    parent: Several,
    #[serde(default)]
    since: Option<Generation>,
    #[serde(default)]
    until: Option<Generation>,
    #[serde(default)]
    edition: Option<Edition>,
    /// Whether Windows writes it without quotation marks although it contains a space.
    #[serde(default)]
    unquoted: bool,
    reason: String,
}

/// One text, or several.
#[derive(Deserialize, Default)]
#[serde(untagged)]
enum Several {
    #[default]
    None,
    One(String),
    All(Vec<String>),
}

impl Several {
    fn into_all(self) -> Vec<String> {
        match self {
            Several::None => Vec::new(),
            Several::One(text) => vec![text],
            Several::All(texts) => texts,
        }
    }
}

pub(super) fn read(texts: &[&str]) -> Result<Baseline, BaselineError> {
    let mut baseline = Baseline::default();
    for text in texts {
        let file: BaselineFile = toml::from_str(text).map_err(BaselineError::Read)?;
        if file.source.is_empty() {
            return Err(BaselineError::NoSource);
        }
        let lower = |texts: Vec<String>| texts.into_iter().map(|text| text.to_ascii_lowercase());
        baseline.hosts.extend(lower(file.hosts));
        baseline.keys.extend(lower(file.keys));
        let parts = |folder: String| folder.split('\\').map(str::to_owned).collect();
        baseline.copies.extend(lower(file.copies).map(parts));
        let kinds = [
            (Kind::Service, file.service),
            (Kind::Driver, file.driver),
            (Kind::Task, file.task),
            (Kind::Autostart, file.autostart),
            (Kind::Process, file.process),
        ];
        for (kind, entries) in kinds {
            for entry in entries {
                baseline.entries.push(checked(kind, entry)?);
            }
        }
    }
    indexed(baseline)
}

fn indexed(mut baseline: Baseline) -> Result<Baseline, BaselineError> {
    let mut named: BTreeMap<(Kind, String), Vec<usize>> = BTreeMap::new();
    for (number, entry) in baseline.entries.iter_mut().enumerate() {
        let files: Vec<&str> = entry.places.iter().map(place::Place::file).collect();
        entry.is_host = entry.kind == Kind::Process
            && files.iter().all(|file| baseline.hosts.iter().any(|host| host == file));
        if form::is_plain(&entry.name) {
            named.entry((entry.kind, entry.name.to_ascii_lowercase())).or_default().push(number);
        } else {
            baseline.formed.push(number);
        }
    }
    for ((kind, name), numbers) in &named {
        let spans: Vec<_> = numbers.iter().filter_map(|number| baseline.entries.get(*number)).collect();
        let overlap = |one: &Entry, other: &Entry| {
            let ends = |entry: &Entry| {
                (entry.since.unwrap_or(Generation::Xp), entry.until.unwrap_or(Generation::Eleven))
            };
            let ((begin, end), (other_begin, other_end)) = (ends(one), ends(other));
            begin <= other_end
                && other_begin <= end
                && (one.edition.is_none() || other.edition.is_none() || one.edition == other.edition)
        };
        let mut pairs = spans
            .iter()
            .enumerate()
            .flat_map(|(at, one)| spans.iter().skip(at + 1).map(move |other| (one, other)));
        if pairs.any(|(one, other)| overlap(one, other)) {
            return Err(BaselineError::Twice { kind: *kind, name: name.clone() });
        }
    }
    baseline.named = named;
    Ok(baseline)
}

fn checked(kind: Kind, entry: EntryOfFile) -> Result<Entry, BaselineError> {
    fault_of_reason(kind, &entry)?;
    let EntryOfFile {
        name,
        maker,
        program,
        arguments,
        group,
        library,
        class,
        account,
        parent,
        since,
        until,
        edition,
        unquoted,
        reason,
    } = entry;
    let groups = group.into_all();
    let (programs, arguments) = started(&name, program.into_all(), arguments.into_all(), &groups);
    let (libraries, classes) = (library.into_all(), class.into_all());
    let from_windows =
        |texts: &[String]| texts.iter().map(|text| place::read(text, true)).collect::<Vec<_>>();
    let programs = match kind {
        Kind::Driver if programs.is_empty() => vec![format!("System32\\drivers\\{name}.sys")],
        _ => programs,
    };
    let (places, library_places) = (from_windows(&programs), from_windows(&libraries));
    let maker = maker.unwrap_or_else(|| WINDOWS.to_owned());
    let reason = sentence(kind, &maker, &reason);
    let entry = Entry {
        kind,
        maker,
        programs,
        arguments,
        libraries,
        classes,
        accounts: account.into_all(),
        parents: parent.into_all(),
        since,
        until,
        edition,
        reason,
        places,
        library_places,
        is_hosted: !groups.is_empty(),
        is_unquoted: unquoted,
        is_host: false,
        name,
    };
    fault(&entry).map_or(Ok(entry), Err)
}

/// Returns the programs and arguments of a hosted service: the group is an argument, and newer versions add `-p` and the service's name.
fn started(
    name: &str,
    programs: Vec<String>,
    arguments: Vec<String>,
    groups: &[String],
) -> (Vec<String>, Vec<String>) {
    if groups.is_empty() {
        let arguments = if arguments.is_empty() { vec![String::new()] } else { arguments };
        return (programs, arguments);
    }
    let ends = ["", " -p", &format!(" -s {name}"), &format!(" -p -s {name}")].map(str::to_owned);
    let lines = groups.iter().flat_map(|group| ends.iter().map(move |end| format!("-k {group}{end}")));
    (vec![SVCHOST.to_owned()], lines.collect())
}

fn fault_of_reason(kind: Kind, entry: &EntryOfFile) -> Result<(), BaselineError> {
    let name = || entry.name.clone();
    match entry.reason.trim() {
        "" => Err(BaselineError::Lacks { kind, name: name(), lacks: "reason" }),
        _ => Ok(()),
    }
}

/// Says who makes it and what it is for.
fn sentence(kind: Kind, maker: &str, reason: &str) -> String {
    match kind {
        Kind::Service => format!("a service of {maker} that {reason}"),
        Kind::Driver => format!("a driver of {maker} that {reason}"),
        Kind::Task => format!("a task of {maker} that {reason}"),
        Kind::Autostart => format!("a value of a Run key by which {maker} {reason}"),
        Kind::Process => format!("a process of {maker} that {reason}"),
    }
}

fn fault(entry: &Entry) -> Option<BaselineError> {
    let (kind, name) = (entry.kind, entry.name.clone());
    let lacks = |lacks: &'static str| Some(BaselineError::Lacks { kind, name: name.clone(), lacks });
    let wrong = |what: &str, of: &'static str| {
        Some(BaselineError::Wrong { kind, name: name.clone(), what: what.to_owned(), of })
    };
    if entry.name.trim().is_empty() {
        return lacks("name");
    }
    if entry.programs.is_empty() && entry.classes.is_empty() {
        return lacks("program");
    }
    if !entry.classes.is_empty() && kind != Kind::Task {
        return wrong("class", "part of what is no task");
    }
    if !entry.parents.is_empty() && kind != Kind::Process {
        return wrong("parent", "part of what is no process");
    }
    let forms = entry.programs.iter().chain(&entry.libraries).chain([&entry.name]);
    if let Some(form) = forms.clone().find(|form| !form::is_known(form)) {
        return wrong(form, "form");
    }
    let arguments = entry.arguments.iter().filter(|form| *form != "<any>");
    if let Some(form) = arguments.into_iter().find(|form| !form::is_known(form)) {
        return wrong(form, "form");
    }
    if let Some(account) = entry.accounts.iter().find(|account| !ACCOUNTS.contains(&account.as_str())) {
        return wrong(account, "account");
    }
    let places =
        entry.programs.iter().zip(&entry.places).chain(entry.libraries.iter().zip(&entry.library_places));
    let mut outside = places.filter(|(_, place)| place.root == place::Root::Other || place.parts.is_empty());
    if let Some((path, _)) = outside.next() {
        return wrong(path, "place below a folder that is known");
    }
    if entry.since.zip(entry.until).is_some_and(|(since, until)| since > until) {
        return wrong("since", "version before that of `until`");
    }
    None
}
