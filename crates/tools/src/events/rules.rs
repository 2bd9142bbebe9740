//! Which events become which type of record: data, not code; a file for each subject.
//!
//! Sources: Microsoft's documentation of the security audit events, of Sysmon and of Microsoft Defender; the manifests of the other providers; for providers without one, what their messages say.

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

/// Who writes an event.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) provider: &'static str,
    /// The GUID of its manifest; a provider without one can be imitated by any program.
    pub(super) guid: Option<&'static str>,
    /// Its channels.
    pub(super) channels: &'static [&'static str],
}

/// Names of data and the fields they become.
///
/// `@user` is the user of the event, `@channel` its channel and `@process` its process.
/// A field is one of the type's, or a [`Form`] of several; a field behind [`LATER`] came to the type when others had long been there.
pub(super) type Map = &'static [(&'static str, &'static str)];

/// What events of some ids become.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) writer: &'static Writer,
    pub(super) ids: &'static [u32],
    pub(super) kind: &'static str,
    /// What the id says was done; empty where it says no more than the type.
    pub(super) action: &'static str,
    pub(super) maps: &'static [Map],
}

impl Rule {
    /// Names of data and the fields they become, as they are written in its maps.
    pub(super) fn map(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.maps.iter().flat_map(|map| map.iter().copied())
    }
}

/// What stands before a field that the type got after runs had recorded such events: the datum stays in `more` as well, so that these read as they did.
pub(super) const LATER: char = '+';

/// Values that are no field as they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Digests as Sysmon writes them: `MD5=…,SHA256=…`.
    Hashes,
    /// Lines of `name=value` of which one is the command line of the host of PowerShell.
    Host,
    /// `address:port` as a text, or both in the bytes of a socket address; fields `address` and `port`, and `endpoint` where the type has one.
    Endpoint,
    /// What sshd says of an address, a port and an account.
    Ssh,
}

impl Form {
    /// The form that a map names in place of a field.
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

/// Who did it, in the events of the security audit.
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

/// All rules.
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
