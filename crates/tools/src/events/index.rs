//! The rules by event id, each with its type and its target fields. The index is built once, because every event is looked up in it.

use super::codes::Family;
use super::kinds::{BASE, CODES, Code, Kind, all as kinds};
use super::rules::{Form, LATER, Rule, all as rules};
use artifacts::evtx::System;
use ledger::FieldType;
use std::sync::LazyLock;

/// A rule, with its names resolved.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) rule: &'static Rule,
    pub(super) kind: &'static Kind,
    /// Names of data, and the targets of their values.
    pub(super) map: Vec<(&'static str, Target)>,
    /// Whether the computer alone, as the subject, is enough for a record.
    pub(super) is_about_computer: bool,
}

/// What a value is turned into.
#[derive(Debug)]
pub(super) enum Target {
    /// A field.
    Field(Field),
    /// An IPv4 address written as a number, in a field of this name.
    Ipv4(&'static str),
    /// Several fields.
    Form(Form),
}

/// A field of a type.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) field_type: FieldType,
    /// The fields for the code in hex and by name, if the type has them.
    pub(super) code: Option<&'static Code>,
    /// Whether the datum is also kept in `more`.
    pub(super) later: bool,
}

/// The prefix of a field that is an IPv4 address written as a number.
const IPV4: &str = "4:";

/// Returns the rule of an event, and whether the provider's GUID confirms that the event is that provider's.
pub(super) fn entry(system: &System<'_>) -> Option<(&'static Entry, bool)> {
    static INDEX: LazyLock<Vec<(u32, Entry)>> = LazyLock::new(index);
    let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
    let first = INDEX.partition_point(|(id, _)| *id < system.event_id);
    let of_id = INDEX.get(first..)?.iter().take_while(|(id, _)| *id == system.event_id);
    let (_, entry) = of_id.into_iter().find(|(_, entry)| {
        let writer = entry.rule.writer;
        same(writer.provider, &system.provider)
            && writer.channels.iter().any(|own| same(own, &system.channel))
    })?;
    let bare = system.guid.as_deref().map(|guid| guid.trim_matches(['{', '}']));
    let own = entry.rule.writer.guid.is_none_or(|guid| bare.is_some_and(|bare| same(guid, bare)))
        || system.leaves_out_guid;
    Some((entry, own))
}

/// Builds all rules in the order of their event ids. A rule that names no type is left out; a test finds it.
fn index() -> Vec<(u32, Entry)> {
    let of_rule = |rule: &'static Rule| rule.ids.iter().filter_map(move |id| Some((*id, resolved(rule)?)));
    let mut index: Vec<(u32, Entry)> = rules().flat_map(of_rule).collect();
    index.sort_by_key(|(id, _)| *id);
    index
}

/// Resolves a rule with its type; `None` if there is no such type.
pub(super) fn resolved(rule: &'static Rule) -> Option<Entry> {
    let kind = kinds().find(|kind| kind.name == rule.kind)?;
    let map = rule.map().filter_map(|(from, to)| Some((from, target(kind, to)?))).collect();
    let is_about_computer = BASE.iter().any(|(name, ..)| *name == kind.subject);
    Some(Entry { rule, kind, map, is_about_computer })
}

fn target(kind: &'static Kind, to: &'static str) -> Option<Target> {
    if let Some(form) = Form::named(to) {
        return Some(Target::Form(form));
    }
    if let Some(field) = to.strip_prefix(IPV4) {
        return Some(Target::Ipv4(field));
    }
    let later = to.starts_with(LATER);
    let name = to.trim_start_matches(LATER);
    let (name, field_type, _) = kind.fields.iter().find(|(own, ..)| *own == name)?;
    let code = CODES.iter().find(|code| code.field == *name && *field_type == FieldType::Integer);
    Some(Target::Field(Field { name, field_type: *field_type, code, later }))
}

impl Entry {
    /// Returns how small numbers in the event's codes are read.
    pub(super) fn family(&self, event_id: u32) -> Family {
        match self.kind.name {
            "credential_check" if !matches!(event_id, 4776 | 4777) => Family::Kerberos,
            "code_policy" | "credential_check" | "credential_read" | "device_connected" | "driver_failed"
            | "key_used" | "logon_failed" | "policy_changed" | "smb_client" | "smb_server"
            | "virtual_disk" => Family::NtStatus,
            "network_joined" | "process_ended" | "task_run" => Family::Own,
            _ => Family::Win32,
        }
    }

    /// Checks whether the type has a field.
    pub(super) fn has(&self, field: &str) -> bool {
        self.kind.fields.iter().any(|(name, ..)| *name == field)
    }
}
