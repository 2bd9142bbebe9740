//! The record types for events, one file per subject.

mod accounts;
mod devices;
mod execution;
mod logons;
mod network;
mod objects;
mod protection;
mod remote;
mod software;
mod system;

use crate::spec;
use ledger::FieldType::{self, Guid, Hash, Integer, List, Name, Path, Sid, Text, Time};
use ledger::RecordType;

/// A record type; its fields are in addition to those of [`BASE`].
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) meaning: &'static str,
    pub(super) subject: &'static str,
    pub(super) fields: &'static [Typed],
}

/// A field: name, type, meaning.
pub(super) type Typed = (&'static str, FieldType, &'static str);

/// The general type.
pub(super) const EVENT: &str = "event";

/// The fields of every event.
pub(super) const BASE: &[Typed] = &[
    ("event_id", Integer, "the event id"),
    ("provider", Name, "name of the provider that the event bears"),
    ("channel", Name, "the channel"),
    ("computer", Name, "name of the computer at that time"),
    ("record_id", Integer, "number of the record in its channel"),
    ("time", Time, "when the event was raised, by the clock of the computer"),
    ("more", List, "the other data of the event, as name=value"),
];

/// The fields that only the general type has.
const GENERAL: &[Typed] = &[
    ("level", Integer, "0 always, 1 critical, 2 error, 3 warning, 4 information, 5 verbose"),
    ("sid", Sid, "user in whose name the event was raised; often a service's"),
    ("process_id", Integer, "process that raised the event"),
    ("activity", Guid, "activity that the event belongs to"),
    ("data", List, "the data of the event, as name=value; data0 and so on where a value has no name"),
    ("message_data", Text, "the values of the data, one a line"),
    ("binary_text", Text, "what data in hex digits say that are a text, one a line"),
    (
        "imitates",
        Name,
        "type whose provider and id the event bears without the GUID of that provider: a program can have written it by the old interface",
    ),
];

/// Fields with Windows result codes, and the fields that give the codes in hex and by name.
pub(super) const CODES: &[Code] = &[
    Code { field: "status", hex: "status_hex", name: "status_name" },
    Code { field: "sub_status", hex: "sub_status_hex", name: "sub_status_name" },
    Code { field: "result", hex: "result_hex", name: "result_name" },
    Code { field: "error", hex: "error_hex", name: "error_name" },
    Code { field: "exit_code", hex: "exit_code_hex", name: "exit_code_name" },
];

/// A field with a Windows code, and the fields that go with it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Code {
    pub(super) field: &'static str,
    pub(super) hex: &'static str,
    pub(super) name: &'static str,
}

/// The types that the source `logons` gives.
pub(crate) const LOGONS: &[&str] = &[
    "explicit_credentials",
    "logoff",
    "logon",
    "logon_failed",
    "rdp_connection",
    "rdp_session",
    "special_privileges",
];

const BY: Typed = ("by_account", Name, "account that did it");
const BY_DOMAIN: Typed = ("by_domain", Name, "domain of that account");
const BY_SID: Typed = ("by_sid", Sid, "SID of that account");
const BY_LOGON: Typed = ("by_logon_id", Integer, "logon session that did it");
const ACTION: Typed = ("action", Name, "what was done");
const IMAGE: Typed = ("image", Path, "program of the process");
const PID: Typed = ("pid", Integer, "number of the process");
const USER: Typed = ("user", Name, "account of the process, with its domain where that is told");
const GUID: Typed = ("process_guid", Guid, "the process by Sysmon");
const RULE: Typed = ("rule", Name, "rule of Sysmon");
const MD5: Typed = ("md5", Hash, "MD5 of the file");
const SHA1: Typed = ("sha1", Hash, "SHA-1 of the file");
const SHA256: Typed = ("sha256", Hash, "SHA-256 of the file");
const IMPHASH: Typed = ("imphash", Hash, "hash of its imports");

/// Returns all types but the general one.
pub(super) fn all() -> impl Iterator<Item = &'static Kind> {
    let files = [
        accounts::KINDS,
        devices::KINDS,
        execution::KINDS,
        logons::KINDS,
        network::KINDS,
        objects::KINDS,
        protection::KINDS,
        remote::KINDS,
        software::KINDS,
        system::KINDS,
    ];
    files.into_iter().flatten()
}

impl Kind {
    /// Returns the fields in addition to those of [`BASE`], including those that give a code in hex and by name.
    pub(super) fn all_fields(&self) -> impl Iterator<Item = Typed> {
        self.fields.iter().flat_map(|typed| {
            let code = CODES.iter().find(|code| code.field == typed.0 && typed.1 == Integer);
            let told = code.into_iter().flat_map(|code| {
                [
                    (code.hex, Name, "the same in hex digits"),
                    (code.name, Name, "what Windows calls it, where that is known"),
                ]
            });
            std::iter::once(*typed).chain(told)
        })
    }
}

/// Returns the record types of all events.
pub(crate) fn record_types() -> Vec<RecordType> {
    let typed = |kind: &Kind| {
        let fields: Vec<Typed> = BASE.iter().copied().chain(kind.all_fields()).collect();
        of(kind.name, kind.meaning, kind.subject, &fields)
    };
    let mut types: Vec<RecordType> = all().map(typed).collect();
    let fields: Vec<Typed> =
        BASE.iter().filter(|(name, ..)| *name != "more").chain(GENERAL).copied().collect();
    types.push(of(
        EVENT,
        "an event in a log; whether what it says is true is not said: some providers are open to every program",
        "provider",
        &fields,
    ));
    types.sort_by(|a, b| a.name.cmp(&b.name));
    types
}

fn of(name: &str, meaning: &str, subject: &str, fields: &[Typed]) -> RecordType {
    let types: Vec<[FieldType; 1]> = fields.iter().map(|(_, field_type, _)| [*field_type]).collect();
    let all: Vec<(&str, &[FieldType], &str)> =
        fields.iter().zip(&types).map(|((name, _, meaning), types)| (*name, &types[..], *meaning)).collect();
    spec::record(name, meaning, subject, &all)
}
