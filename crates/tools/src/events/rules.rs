//! Which events become which record type: data, not code; one file per subject.
//!
//! Sources: Microsoft's documentation of the security audit events, of Sysmon and of Microsoft Defender.
//! For the other providers: their manifests or, if a provider has none, the text of its messages.

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
mod writers;

/// The provider that writes an event, with its channels.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) provider: &'static str,
    /// The GUID of its manifest. Any program can imitate a provider that has none.
    pub(super) guid: Option<&'static str>,
    /// Its channels.
    pub(super) channels: &'static [&'static str],
}

/// Names of data, and the fields that they become.
///
/// `@user` is the user of the event, `@channel` its channel and `@process` its process.
/// The target is a field of the type, or a [`Form`] that becomes several fields.
/// A field with the prefix [`LATER`] was added to the type long after the others.
pub(super) type Map = &'static [(&'static str, &'static str)];

/// What events with certain ids become.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) writer: &'static Writer,
    pub(super) ids: &'static [u32],
    pub(super) kind: &'static str,
    /// What was done, according to the id; empty if the id says no more than the type.
    pub(super) action: &'static str,
    pub(super) maps: &'static [Map],
}

impl Rule {
    /// Returns the names of data and their fields, as its maps write them.
    pub(super) fn map(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.maps.iter().flat_map(|map| map.iter().copied())
    }
}

/// The prefix of a field that the type got only after runs had recorded such events.
/// The datum also stays in `more`, so that those runs read as they did.
pub(super) const LATER: char = '+';

/// Values that must be taken apart to become fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Digests as Sysmon writes them: `MD5=…,SHA256=…`.
    Hashes,
    /// Lines of `name=value`, one of which is the command line of PowerShell's host.
    Host,
    /// `address:port` as text, or both in the bytes of a socket address; fields `address` and `port`, and `endpoint` if the type has it.
    Endpoint,
    /// A message of sshd with an address, a port and an account.
    Ssh,
}

impl Form {
    /// Returns the form that a map names instead of a field.
    pub(super) fn named(field: &str) -> Option<Form> {
        Some(match field {
            HASHES => Form::Hashes,
            HOST => Form::Host,
            ENDPOINT => Form::Endpoint,
            SSH => Form::Ssh,
            _ => return None,
        })
    }
}

const HASHES: &str = "*hashes";
const HOST: &str = "*host";
const ENDPOINT: &str = "*endpoint";
const SSH: &str = "*ssh";

/// The account that acted, in security audit events.
const BY: Map = &[
    ("SubjectUserName", "by_account"),
    ("SubjectDomainName", "by_domain"),
    ("SubjectUserSid", "by_sid"),
    ("SubjectLogonId", "by_logon_id"),
];

const fn rule(
    writer: &'static Writer,
    ids: &'static [u32],
    kind: &'static str,
    action: &'static str,
    maps: &'static [Map],
) -> Rule {
    Rule { writer, ids, kind, action, maps }
}

/// Returns all rules.
pub(super) fn all() -> impl Iterator<Item = &'static Rule> {
    let files = [
        accounts::RULES,
        devices::RULES,
        execution::RULES,
        logons::RULES,
        network::RULES,
        objects::RULES,
        protection::RULES,
        remote::RULES,
        software::RULES,
        system::RULES,
    ];
    files.into_iter().flatten()
}
