//! `truth.toml`: what was planted, in the words of an examiner.

use std::fmt::Write;

use super::clock::Time;
use super::facts;
use super::story::*;

/// One value of a fact.
#[derive(Debug, Clone)]
pub(crate) enum Datum {
    Text(String),
    Number(u32),
    Instant(Time),
}

/// The location of a fact.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    /// A value of a key, or the key itself with its last-write time.
    Registry { key: String, value: Option<String> },
    /// A table of a database.
    Table(&'static str),
    /// The file as a whole.
    Whole,
    /// A named stream of the file.
    Stream(&'static str),
    /// The `$MFT` entry of a file, which may be deleted.
    Entry,
    /// The volume or the disk itself, not a file.
    Medium,
}

/// A planted fact.
#[derive(Debug, Clone)]
pub(crate) struct Fact {
    pub(crate) id: &'static str,
    pub(crate) question: &'static str,
    pub(crate) values: Vec<Datum>,
    pub(crate) file: String,
    pub(crate) place: Place,
}

impl Fact {
    /// Formats the file and the place in one line.
    pub(crate) fn artifact(&self) -> String {
        match &self.place {
            Place::Registry { key, value: None } => format!("{} {key}", self.file),
            Place::Registry { key, value: Some(value) } if value.is_empty() => {
                format!("{} {key}\\(default)", self.file)
            }
            Place::Registry { key, value: Some(value) } => format!("{} {key}\\{value}", self.file),
            Place::Table(table) => format!("{} {table}", self.file),
            Place::Stream(stream) => format!("{}:{stream}", self.file),
            Place::Entry => format!("{} ($MFT)", self.file),
            Place::Whole | Place::Medium => self.file.clone(),
        }
    }

    fn agent(&self) -> &'static str {
        match self.place {
            Place::Registry { .. } => "registry",
            Place::Table(_) | Place::Whole | Place::Stream(_) | Place::Entry | Place::Medium => "filesystem",
        }
    }
}

/// A finding: a sentence and the ids of the facts behind it.
pub(crate) type Finding = (&'static str, &'static [&'static str]);

/// The story as findings.
pub(crate) const FINDINGS: &[Finding] = &[
    (
        "A fake scanner tool was downloaded from scan-to-pdf.example and started by mara",
        &[
            "page-typed",
            "page-visited",
            "installer-downloaded",
            "installer-zone",
            "installer-file",
            "installer-started",
        ],
    ),
    (
        "It stays by an automatic service, a Run value, a scheduled task and a startup script, all running a svchost.exe in ProgramData",
        &["service", "service-made", "run-planted", "run-written", "task", "startup-script", "program-file"],
    ),
    (
        "A local administrator account was made, hidden from the logon screen and used",
        &["plant-account", "plant-made", "plant-administrator", "plant-hidden", "plant-logon"],
    ),
    (
        "A debugger for sticky keys opens a command prompt at the logon screen, and remote desktop was allowed",
        &["debugger", "debugger-set", "remote-desktop"],
    ),
    ("Signature updates of the protection were blocked in the hosts file", &["hosts-line"]),
    (
        "From this machine remote desktop was used towards the file server, where svc-backup took a ledger",
        &["remote-server", "server-name", "server-address", "server-program", "server-folder", "server-copy"],
    ),
    (
        "The fake program was given the times of an old file, and the script that installed it was deleted",
        &["program-forged", "script-deleted", "script-line"],
    ),
    (
        "The ledgers were packed, and the archive was deleted afterwards",
        &["pack-command", "archive-opened", "archive-list", "archive-deleted"],
    ),
    (
        "The archive was copied to a USB stick that was connected for the first time that evening",
        &["copy-command", "stick", "stick-connected", "stick-removed", "stick-letter", "stick-mounted"],
    ),
    ("The security log was cleared by the account that was made", &["log-cleared"]),
];

/// A claim that no report may make: a sentence, then the condition under which a fact makes it.
#[derive(Clone)]
struct Forbidden {
    claim: String,
    predicate: &'static str,
    record: Option<&'static str>,
    subject: String,
    value: String,
}

/// Creates a forbidden claim for any record type.
fn claim(claim: &str, predicate: &'static str, subject: &str, value: &str) -> Forbidden {
    let [claim, subject, value] = [claim, subject, value].map(str::to_owned);
    Forbidden { claim, predicate, record: None, subject, value }
}

fn forbidden() -> Vec<Forbidden> {
    [names(), times(), origins()].concat()
}

/// Claims with the name from the control set that is not in use.
fn names() -> Vec<Forbidden> {
    ["ControlSet001", "CurrentControlSet"]
        .map(|set| Forbidden {
            claim: format!(
                "The computer's name in {set} is {OLD_HOST}: only ControlSet002, not in use, says so."
            ),
            predicate: "configured",
            record: Some("registry_value"),
            subject: format!("*{set}\\Control\\ComputerName\\*"),
            value: OLD_HOST.to_owned(),
        })
        .to_vec()
}

/// Claims with the time of the wrong thing.
fn times() -> Vec<Forbidden> {
    let day = |time: Time| format!("{}*", &time.iso()[..10]);
    vec![
        claim(
            &format!(
                "The stick {STICK_SERIAL} was connected before the intrusion: that time is the other stick's."
            ),
            "connected",
            &format!("*{STICK_SERIAL}*"),
            &day(OLD_STICK_FIRST),
        ),
        claim(
            &format!("{IT_ADMIN} logged on to this machine on the day of the intrusion."),
            "logged_on",
            &format!("*{IT_ADMIN}*"),
            &day(PLANT_LOGON),
        ),
        claim("The built-in Administrator logged on: it never did.", "logged_on", "*Administrator", "*"),
        claim(
            "The archive of the ledgers was deleted in August: that was the lunch list.",
            "deleted",
            &format!("*{OPENED_ARCHIVE}"),
            &day(LUNCH_DELETED),
        ),
        claim(
            &format!("Something was executed on {HOST} after its last shutdown at {}.", SHUTDOWN.iso()),
            "executed",
            "*",
            &day(SHUTDOWN.plus(86_400)),
        ),
    ]
}

/// Claims of acts by the wrong person, or of acts that did not happen.
fn origins() -> Vec<Forbidden> {
    vec![
        claim(
            &format!("A password of {PLANT} was mistyped: only one of {MARA}'s was."),
            "failed_logon",
            &format!("*{PLANT}*"),
            "*",
        ),
        claim(
            &format!("The form of the tax office came from {PAGE}."),
            "downloaded",
            &format!("*{}", base(FORM)),
            "*scan-to-pdf.example*",
        ),
        claim(
            &format!("{INSTALLER} was downloaded from {INTRANET}."),
            "downloaded",
            &format!("*{}", base(INSTALLER)),
            "*alderbrook.example*",
        ),
        claim("The system log was cleared: only that of security was.", "cleared", "System", "*"),
    ]
}

/// Returns the last part of a path.
fn base(path: &str) -> &str {
    path.rsplit('\\').next().unwrap_or(path)
}

const NOT_PRESENT: &[&str] = &[
    "change journal",
    "SECURITY hive",
    "UsrClass.dat",
    "Amcache.hve",
    "SRUM",
    "ShimCache",
    "transaction logs of the hives",
    "volume shadow copies",
    "memory",
];

/// Returns the whole file.
pub(crate) fn text() -> String {
    let mut text = String::from("# What `cargo xtask demo` planted; written by it, never by hand.\n\n");
    let mut put = |line: String| text.push_str(&(line + "\n"));
    put(format!("case = {}", quoted("demo")));
    put(format!("scenario = {}", quoted(SCENARIO)));
    put(format!("time_tolerance = {}", quoted("1 ms")));
    put(format!("not_present = {}", list(NOT_PRESENT.iter().map(|what| quoted(what)))));
    for fact in facts::all() {
        put("\n[[fact]]".to_owned());
        put(format!("id = {}", quoted(fact.id)));
        put(format!("agent = {}", quoted(fact.agent())));
        put(format!("question = {}", quoted(fact.question)));
        put(format!("values = {}", list(fact.values.iter().map(datum))));
        put(format!("artifact = {}", quoted(&fact.artifact())));
    }
    for (finding, facts) in FINDINGS {
        put("\n[[finding]]".to_owned());
        put(format!("finding = {}", quoted(finding)));
        put(format!("facts = {}", list(facts.iter().map(|id| quoted(id)))));
    }
    for claim in forbidden() {
        put("\n[[must_not_claim]]".to_owned());
        put(format!("claim = {}", quoted(&claim.claim)));
        put(format!("predicate = {}", quoted(claim.predicate)));
        if let Some(record) = claim.record {
            put(format!("record = {}", quoted(record)));
        }
        put(format!("subject = {}", quoted(&claim.subject)));
        put(format!("value = {}", quoted(&claim.value)));
    }
    text
}

const SCENARIO: &str = "Windows 10 workstation ALDER-07 of an accountant. On 2025-09-16 a free scanner tool from the \
    web turns out to be an intruder's: it installs itself four times over, makes an administrator account, opens the \
    logon screen, and in the evening the quarter's ledgers leave on a USB stick. it-admin is innocent.";

fn datum(value: &Datum) -> String {
    match value {
        Datum::Text(text) => quoted(text),
        Datum::Number(number) => number.to_string(),
        Datum::Instant(time) => quoted(&time.iso()),
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// Formats a TOML literal string if possible, so that paths stay readable, or a basic string otherwise.
fn quoted(text: &str) -> String {
    if !text.contains(|letter: char| letter == '\'' || letter.is_control()) && text.contains(['\\', '"']) {
        return format!("'{text}'");
    }
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted + "\""
}
