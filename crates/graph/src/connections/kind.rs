//! The closed lists of entity kinds and relation kinds.

use serde::Deserialize;

/// The kind of an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntityKind {
    /// A computer: one that was examined, or one that a record names.
    Host,
    /// An account or a group, by its SID where one is known.
    Account,
    /// A file that ran, or that something is set up to start.
    Program,
    /// Any other file or folder.
    File,
    /// One run of a program.
    Process,
    /// A service of Windows.
    Service,
    /// A scheduled task.
    ScheduledTask,
    /// A registry value or a startup folder item that Windows starts.
    RunEntry,
    /// A registry key or value.
    RegistryKey,
    /// An IP address.
    Address,
    /// A DNS name.
    Domain,
    /// The address of a web page or a download.
    Url,
    /// A network share.
    Share,
    /// A device or a volume, by its serial number where one is known.
    Device,
    /// A logon session: a logon id from its logon onwards.
    LogonSession,
    /// An e-mail address.
    Email,
}

impl EntityKind {
    /// All kinds, in display order.
    pub const ALL: [EntityKind; 16] = [
        EntityKind::Host,
        EntityKind::Account,
        EntityKind::Program,
        EntityKind::File,
        EntityKind::Process,
        EntityKind::Service,
        EntityKind::ScheduledTask,
        EntityKind::RunEntry,
        EntityKind::RegistryKey,
        EntityKind::Address,
        EntityKind::Domain,
        EntityKind::Url,
        EntityKind::Share,
        EntityKind::Device,
        EntityKind::LogonSession,
        EntityKind::Email,
    ];

    /// Returns the identifier used in formats.
    pub const fn name(self) -> &'static str {
        match self {
            EntityKind::Host => "host",
            EntityKind::Account => "account",
            EntityKind::Program => "program",
            EntityKind::File => "file",
            EntityKind::Process => "process",
            EntityKind::Service => "service",
            EntityKind::ScheduledTask => "scheduled_task",
            EntityKind::RunEntry => "run_entry",
            EntityKind::RegistryKey => "registry_key",
            EntityKind::Address => "address",
            EntityKind::Domain => "domain",
            EntityKind::Url => "url",
            EntityKind::Share => "share",
            EntityKind::Device => "device",
            EntityKind::LogonSession => "logon_session",
            EntityKind::Email => "email",
        }
    }

    /// Returns the words shown to people.
    pub fn words(self) -> String {
        self.name().replace('_', " ")
    }

    /// Returns the prefix of its ids. A file keeps its id once it is known to have run.
    pub const fn prefix(self) -> &'static str {
        match self {
            EntityKind::Host => "host",
            EntityKind::Account => "account",
            EntityKind::Program | EntityKind::File => "file",
            EntityKind::Process => "process",
            EntityKind::Service => "service",
            EntityKind::ScheduledTask => "task",
            EntityKind::RunEntry => "entry",
            EntityKind::RegistryKey => "key",
            EntityKind::Address => "address",
            EntityKind::Domain => "domain",
            EntityKind::Url => "url",
            EntityKind::Share => "share",
            EntityKind::Device => "device",
            EntityKind::LogonSession => "session",
            EntityKind::Email => "email",
        }
    }
}

/// The kind of a relation; it reads from the first entity to the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelationKind {
    /// An account ran a program or process, or a process ran a program.
    Ran,
    /// A process, program or session started a process.
    Started,
    /// An account logged on to a host, or a session is on it.
    LoggedOnTo,
    /// An account, or a session, logged on from an address or host.
    LoggedOnFrom,
    /// An account used another's credentials, or tried to; or a session belongs to an account.
    LoggedOnAs,
    /// An account, or an unverified account name, failed to log on to a host or from an address.
    FailedLogon,
    /// A file came from an address.
    DownloadedFrom,
    /// A page led to the download of a file; this does not mean that the file came from there.
    ReferredBy,
    /// An account visited a page.
    Visited,
    /// A process, program or account made or changed a file or key.
    Wrote,
    /// Something was deleted by an account, process or program.
    Deleted,
    /// An account, process or program opened something.
    Opened,
    /// An account set up something that starts automatically.
    SetUp,
    /// A task names an account as its author: whoever could write the task chose that name.
    NamesAsAuthor,
    /// A program is started by a service, a task or an entry.
    PersistsThrough,
    /// A service or a task is set to run a program, but nothing shows that it starts automatically.
    SetToRun,
    /// Something is set to run under an account.
    RunsAs,
    /// An account cleared a log.
    Cleared,
    /// An account, process, program or host was connected to an address, a host, a share or a device.
    ConnectedTo,
    /// A list of what an account typed or chose, a query, or an attempt names something; this does not mean that it was reached.
    Names,
    /// An account is a member of a group.
    MemberOf,
    /// A file lay on a device.
    CarriedByDevice,
    /// A name resolved to an address, according to a response or a setting.
    ResolvedTo,
    /// A host has, or had, an address.
    HasAddress,
    /// A URL or a share is located at a name or address.
    LiesAt,
    /// Two files have the same content, by their hashes.
    SameContentAs,
}

impl RelationKind {
    /// All kinds, in display order.
    pub const ALL: [RelationKind; 26] = [
        RelationKind::Ran,
        RelationKind::Started,
        RelationKind::LoggedOnTo,
        RelationKind::LoggedOnFrom,
        RelationKind::LoggedOnAs,
        RelationKind::FailedLogon,
        RelationKind::DownloadedFrom,
        RelationKind::ReferredBy,
        RelationKind::Visited,
        RelationKind::Wrote,
        RelationKind::Deleted,
        RelationKind::Opened,
        RelationKind::SetUp,
        RelationKind::NamesAsAuthor,
        RelationKind::PersistsThrough,
        RelationKind::SetToRun,
        RelationKind::RunsAs,
        RelationKind::Cleared,
        RelationKind::ConnectedTo,
        RelationKind::Names,
        RelationKind::MemberOf,
        RelationKind::CarriedByDevice,
        RelationKind::ResolvedTo,
        RelationKind::HasAddress,
        RelationKind::LiesAt,
        RelationKind::SameContentAs,
    ];

    /// Returns the identifier used in formats.
    pub const fn name(self) -> &'static str {
        match self {
            RelationKind::Ran => "ran",
            RelationKind::Started => "started",
            RelationKind::LoggedOnTo => "logged_on_to",
            RelationKind::LoggedOnFrom => "logged_on_from",
            RelationKind::LoggedOnAs => "logged_on_as",
            RelationKind::FailedLogon => "failed_logon",
            RelationKind::DownloadedFrom => "downloaded_from",
            RelationKind::ReferredBy => "referred_by",
            RelationKind::Visited => "visited",
            RelationKind::Wrote => "wrote",
            RelationKind::Deleted => "deleted",
            RelationKind::Opened => "opened",
            RelationKind::SetUp => "set_up",
            RelationKind::NamesAsAuthor => "names_as_author",
            RelationKind::PersistsThrough => "persists_through",
            RelationKind::SetToRun => "set_to_run",
            RelationKind::RunsAs => "runs_as",
            RelationKind::Cleared => "cleared",
            RelationKind::ConnectedTo => "connected_to",
            RelationKind::Names => "names",
            RelationKind::MemberOf => "member_of",
            RelationKind::CarriedByDevice => "carried_by_device",
            RelationKind::ResolvedTo => "resolved_to",
            RelationKind::HasAddress => "has_address",
            RelationKind::LiesAt => "lies_at",
            RelationKind::SameContentAs => "same_content_as",
        }
    }

    /// Returns the relation kind with this identifier.
    pub fn of_name(name: &str) -> Option<RelationKind> {
        let name = name.replace('-', "_");
        RelationKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the words shown to people, from the first entity to the second.
    pub fn words(self) -> String {
        match self {
            RelationKind::FailedLogon => "failed to log on".to_owned(),
            RelationKind::ReferredBy => "was referred by".to_owned(),
            RelationKind::SetToRun => "is set to run".to_owned(),
            RelationKind::Names => "has in a list".to_owned(),
            RelationKind::SameContentAs => "has the same content as".to_owned(),
            RelationKind::MemberOf => "is a member of".to_owned(),
            RelationKind::CarriedByDevice => "lay on".to_owned(),
            _ => self.name().replace('_', " "),
        }
    }

    /// Checks whether the second entity results from the first, or is what the first did: the direction in which a story continues.
    pub const fn leads_on(self) -> bool {
        match self {
            RelationKind::Ran
            | RelationKind::Started
            | RelationKind::Wrote
            | RelationKind::Deleted
            | RelationKind::Opened
            | RelationKind::SetUp
            | RelationKind::PersistsThrough
            | RelationKind::Cleared
            | RelationKind::ConnectedTo => true,
            RelationKind::LoggedOnTo
            | RelationKind::LoggedOnFrom
            | RelationKind::LoggedOnAs
            | RelationKind::FailedLogon
            | RelationKind::DownloadedFrom
            | RelationKind::ReferredBy
            | RelationKind::Visited
            | RelationKind::NamesAsAuthor
            | RelationKind::SetToRun
            | RelationKind::RunsAs
            | RelationKind::Names
            | RelationKind::MemberOf
            | RelationKind::CarriedByDevice
            | RelationKind::ResolvedTo
            | RelationKind::HasAddress
            | RelationKind::LiesAt
            | RelationKind::SameContentAs => false,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_kind_has_a_word_of_its_own() {
        let entities: BTreeSet<_> = EntityKind::ALL.iter().map(|kind| kind.name()).collect();
        let relations: BTreeSet<_> = RelationKind::ALL.iter().map(|kind| kind.name()).collect();
        assert_eq!((entities.len(), relations.len()), (EntityKind::ALL.len(), RelationKind::ALL.len()));
        assert!(RelationKind::ALL.iter().all(|kind| RelationKind::of_name(kind.name()) == Some(*kind)));
        assert_eq!(RelationKind::of_name("downloaded-from"), Some(RelationKind::DownloadedFrom));
        assert_eq!(RelationKind::of_name("liked"), None);
    }
}
