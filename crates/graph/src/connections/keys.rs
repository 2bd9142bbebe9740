//! Keys that identify entities: strong keys and names.

use super::kind::EntityKind;
use std::collections::HashMap;
use std::sync::Arc;

/// No host: the key means the same on every host.
pub(super) const EVERYWHERE: u32 = u32::MAX;

/// The name of the key kind for a file table entry.
pub(super) const FILE_REFERENCE: &str = "file table entry";

/// The kind of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Space {
    /// A host that was examined, or the host of a file that is not in its usual place.
    Host,
    /// A host, by name only.
    HostName,
    /// A SID that is the same on every host.
    Sid,
    /// A SID that every host has.
    LocalSid,
    /// A SID of a machine that exists several times, such as a clone: it identifies an account on one host only.
    ClonedSid,
    /// An account, by domain and name.
    AccountName,
    /// An account, by its profile folder.
    Profile,
    /// An account, by name only.
    BareAccount,
    /// A group of a host, by its name.
    Group,
    /// A file, by its file table entry with the sequence number.
    FileReference,
    /// A log, by its channel.
    Log,
    /// A file, by its full path.
    FilePath,
    /// A program, by name only.
    FileName,
    /// A process, by Sysmon's GUID.
    ProcessGuid,
    /// A process, by its number and start time.
    ProcessStart,
    /// A process, by its number and a time in a record.
    ProcessAt,
    Service,
    ServiceName,
    Task,
    RunEntry,
    RegistryKey,
    Address,
    Domain,
    Url,
    Share,
    /// A device, by its serial number.
    Serial,
    /// A device, by the host's instance id.
    Instance,
    /// A volume, by its GUID.
    Volume,
    /// A volume, by its 32-bit serial number.
    VolumeSerial,
    /// A session, by its number and start time.
    SessionStart,
    /// A session, by its number and a time in a record.
    SessionAt,
    Email,
}

impl Space {
    /// Checks whether the key decides identity. Other keys are names, which decide only if nothing else has them.
    pub(super) const fn is_strong(self) -> bool {
        match self {
            Space::Host
            | Space::Sid
            | Space::LocalSid
            | Space::ClonedSid
            | Space::FileReference
            | Space::Log
            | Space::ProcessGuid
            | Space::ProcessStart
            | Space::Service
            | Space::Task
            | Space::RunEntry
            | Space::RegistryKey
            | Space::Address
            | Space::Domain
            | Space::Url
            | Space::Share
            | Space::Serial
            | Space::SessionStart
            | Space::Email => true,
            Space::HostName
            | Space::AccountName
            | Space::Profile
            | Space::BareAccount
            | Space::Group
            | Space::FilePath
            | Space::FileName
            | Space::ProcessAt
            | Space::ServiceName
            | Space::Instance
            | Space::Volume
            | Space::VolumeSerial
            | Space::SessionAt => false,
        }
    }

    /// Checks whether the name can stand for a stronger key that is stated with it; a bare name never does.
    pub(super) const fn can_resolve(self) -> bool {
        !matches!(self, Space::HostName | Space::BareAccount | Space::FileName)
    }

    /// Returns the kind of an entity with such a key.
    pub(super) const fn kind(self) -> EntityKind {
        match self {
            Space::Host | Space::HostName => EntityKind::Host,
            Space::Sid
            | Space::LocalSid
            | Space::ClonedSid
            | Space::AccountName
            | Space::Profile
            | Space::BareAccount
            | Space::Group => EntityKind::Account,
            Space::FileReference | Space::Log | Space::FilePath | Space::FileName => EntityKind::File,
            Space::ProcessGuid | Space::ProcessStart | Space::ProcessAt => EntityKind::Process,
            Space::Service | Space::ServiceName => EntityKind::Service,
            Space::Task => EntityKind::ScheduledTask,
            Space::RunEntry => EntityKind::RunEntry,
            Space::RegistryKey => EntityKind::RegistryKey,
            Space::Address => EntityKind::Address,
            Space::Domain => EntityKind::Domain,
            Space::Url => EntityKind::Url,
            Space::Share => EntityKind::Share,
            Space::Serial | Space::Instance | Space::Volume | Space::VolumeSerial => EntityKind::Device,
            Space::SessionStart | Space::SessionAt => EntityKind::LogonSession,
            Space::Email => EntityKind::Email,
        }
    }

    /// Returns the name of the key kind.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Space::Host => "evidence",
            Space::HostName => "name alone",
            Space::Sid | Space::LocalSid | Space::ClonedSid => "SID",
            Space::AccountName => "domain and name",
            Space::Profile => "profile folder",
            Space::BareAccount => "name alone",
            Space::Group => "name of a group",
            Space::FileReference => FILE_REFERENCE,
            Space::Log => "channel",
            Space::FilePath => "path",
            Space::FileName => "name alone",
            Space::ProcessGuid => "GUID",
            Space::ProcessStart | Space::ProcessAt => "number and start",
            Space::Service => "key name",
            Space::ServiceName => "name",
            Space::Task => "path of the task",
            Space::RunEntry => "value",
            Space::RegistryKey => "key",
            Space::Address => "address",
            Space::Domain => "name",
            Space::Url => "address",
            Space::Share => "share",
            Space::Serial => "serial number",
            Space::Instance => "instance",
            Space::Volume => "volume GUID",
            Space::VolumeSerial => "volume serial number",
            Space::SessionStart | Space::SessionAt => "logon id and start",
            Space::Email => "address",
        }
    }
}

/// A key: its kind, its host and its text.
#[derive(Debug, Clone)]
pub(super) struct Key {
    pub(super) space: Space,
    pub(super) host: u32,
    pub(super) text: Arc<str>,
}

/// Keys by number.
#[derive(Debug, Default)]
pub(super) struct Keys {
    all: Vec<Key>,
    numbers: HashMap<(Space, u32), HashMap<Arc<str>, u32>>,
}

impl Keys {
    /// Returns the number of a key.
    pub(super) fn number(&mut self, space: Space, host: u32, text: &str) -> u32 {
        let numbers = self.numbers.entry((space, host)).or_default();
        if let Some(number) = numbers.get(text) {
            return *number;
        }
        let number = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        let text: Arc<str> = Arc::from(text);
        self.all.push(Key { space, host, text: Arc::clone(&text) });
        numbers.insert(text, number);
        number
    }

    pub(super) fn get(&self, number: u32) -> Option<&Key> {
        self.all.get(usize::try_from(number).ok()?)
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &Key)> {
        (0..).zip(&self.all)
    }
}

/// Texts by number.
#[derive(Debug, Default)]
pub(super) struct Texts {
    all: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
}

impl Texts {
    pub(super) fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        let text: Arc<str> = Arc::from(text);
        self.all.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        number
    }

    pub(super) fn all(&self) -> &[Arc<str>] {
        &self.all
    }
}
