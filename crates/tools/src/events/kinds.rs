//! The types of records that events become.

use crate::spec;
use ledger::FieldType::{self, Guid, Hash, Integer, List, Name, Path, RegistryPath, Sid, Size, Text, Time};
use ledger::RecordType;

/// A type of record; its fields beside those of [`BASE`].
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

/// What every event has.
pub(super) const BASE: &[Typed] = &[
    ("event_id", Integer, "the event id"),
    ("provider", Name, "name of the provider that the event bears"),
    ("channel", Name, "the channel"),
    ("computer", Name, "name of the computer at that time"),
    ("record_id", Integer, "number of the record in its channel"),
    ("time", Time, "when the event was raised, by the clock of the computer"),
    ("more", List, "the other data of the event, as name=value"),
];

/// What only the general type has.
const GENERAL: &[Typed] = &[
    ("level", Integer, "0 always, 1 critical, 2 error, 3 warning, 4 information, 5 verbose"),
    ("sid", Sid, "user in whose name the event was raised; often a service's"),
    ("process_id", Integer, "process that raised the event"),
    ("activity", Guid, "activity that the event belongs to"),
    ("data", List, "the data of the event, as name=value; data0 and so on where a value has no name"),
    ("message_data", Text, "the values of the data, one a line"),
    (
        "imitates",
        Name,
        "type whose provider and id the event bears without the GUID of that provider: a program can have written it by the old interface",
    ),
];

/// The types that `logons` gives.
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

/// Sorted by name.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        name: "account_changed",
        meaning: "an account was created, deleted, enabled, changed or locked as `action` says; not that it was used",
        subject: "account",
        fields: &[
            ACTION,
            ("account", Name, "the account"),
            ("domain", Name, "its domain or computer"),
            ("sid", Sid, "its SID"),
            ("old_name", Name, "its name before it was renamed"),
            ("workstation", Name, "computer from which it was locked out"),
            BY,
            BY_DOMAIN,
            BY_SID,
            BY_LOGON,
        ],
    },
    Kind {
        name: "audit_policy_changed",
        meaning: "what the computer audits was changed",
        subject: "category",
        fields: &[
            ("category", Text, "category, as the event writes it"),
            ("subcategory", Text, "subcategory, as the event writes it"),
            ("changes", Text, "what is audited now, as the event writes it"),
            BY,
            BY_DOMAIN,
            BY_SID,
            BY_LOGON,
        ],
    },
    Kind {
        name: "bits_transfer",
        meaning: "the transfer service began or ended a transfer of this address; not which way the bytes went, nor that it succeeded",
        subject: "url",
        fields: &[
            ACTION,
            ("url", Text, "address"),
            ("job", Text, "name of the job"),
            ("bytes", Size, "bytes transferred"),
            ("total", Size, "bytes of the file"),
            ("status", Integer, "result; 0 where it went well"),
            ("file_time", Time, "time of the file at the other end"),
        ],
    },
    Kind {
        name: "credential_check",
        meaning: "a domain controller or the computer itself checked credentials or gave a ticket; `status` 0 says that it went well; not that somebody logged on",
        subject: "account",
        fields: &[
            ACTION,
            ("account", Name, "the account"),
            ("domain", Name, "its domain"),
            ("sid", Sid, "its SID"),
            ("service", Name, "service that the ticket is for"),
            ("address", Name, "address of the client"),
            ("workstation", Name, "name of the client"),
            ("status", Integer, "result"),
            ("encryption", Integer, "type of encryption of the ticket"),
        ],
    },
    Kind {
        name: "defender_changed",
        meaning: "a protection of Microsoft Defender was switched or a setting of it changed; not by whom",
        subject: "product",
        fields: &[
            ACTION,
            ("product", Name, "name of the product"),
            ("new_value", Text, "setting and its new value"),
            ("old_value", Text, "setting and its former value"),
        ],
    },
    Kind {
        name: "defender_detection",
        meaning: "Microsoft Defender reported a threat, or what it did about one; not that it ran",
        subject: "threat",
        fields: &[
            ("threat", Name, "name of the threat"),
            ("severity", Name, "severity"),
            ("category", Name, "category"),
            ("path", Text, "where it was found, as the event writes it"),
            ("image", Path, "process that touched it"),
            ("user", Name, "account of that process"),
            ("action", Name, "what was done about it"),
            ("source", Name, "what found it"),
            ("origin", Name, "where it came from"),
            ("execution", Name, "whether it was stopped, by Defender's word"),
            ("detected", Time, "when it was detected"),
            ("error", Integer, "error of the action; 0 where it went well"),
            ("detection_id", Guid, "the detection"),
        ],
    },
    Kind {
        name: "device_connected",
        meaning: "a disk or a device was met by the system; not what was copied",
        subject: "device",
        fields: &[
            ACTION,
            ("device", Text, "the device, as the event writes it"),
            ("manufacturer", Name, "maker"),
            ("model", Name, "model"),
            ("serial", Name, "serial number"),
            ("capacity", Size, "bytes of the disk; 0 when it is taken out"),
            ("driver", Name, "driver package"),
        ],
    },
    Kind {
        name: "dns_query",
        meaning: "a process asked for the address of a name; not that it connected",
        subject: "query",
        fields: &[
            ("query", Name, "the name"),
            ("result", Text, "the answer, as Sysmon writes it"),
            ("status", Integer, "result; 0 where it went well"),
            IMAGE,
            PID,
            USER,
            GUID,
        ],
    },
    Kind {
        name: "explicit_credentials",
        meaning: "a process gave credentials of another account; not that they were accepted",
        subject: "account",
        fields: &[
            ("account", Name, "account whose credentials were given"),
            ("domain", Name, "its domain"),
            ("server", Name, "computer they were meant for"),
            ("address", Name, "address of the network, where told"),
            ("port", Integer, "port there"),
            IMAGE,
            PID,
            BY,
            BY_DOMAIN,
            BY_SID,
            BY_LOGON,
        ],
    },
    Kind {
        name: "file_created",
        meaning: "a process created or overwrote a file; not what is in it",
        subject: "path",
        fields: &[
            ("path", Path, "the file"),
            ("created", Time, "its creation time, which a program can set"),
            IMAGE,
            PID,
            USER,
            GUID,
            ("rule", Name, "rule of Sysmon"),
        ],
    },
    Kind {
        name: "firewall_change",
        meaning: "a rule of the firewall was added, changed or deleted",
        subject: "rule_name",
        fields: &[
            ACTION,
            ("rule_name", Text, "name of the rule"),
            ("rule_id", Text, "id of the rule"),
            ("program", Path, "program it is for"),
            ("ports", Text, "local ports"),
            ("direction", Integer, "1 inbound, 2 outbound"),
            ("verdict", Integer, "2 block, 3 allow"),
            ("image", Path, "program that changed it"),
            ("by_sid", Sid, "SID of the account that changed it"),
        ],
    },
    Kind {
        name: "group_member_added",
        meaning: "an account became a member of a group",
        subject: "group",
        fields: &[
            ("group", Name, "the group"),
            ("domain", Name, "its domain or computer"),
            ("sid", Sid, "its SID"),
            ("member", Text, "the account, where the event names it"),
            ("member_sid", Sid, "SID of the account"),
            BY,
            BY_DOMAIN,
            BY_SID,
            BY_LOGON,
        ],
    },
    Kind {
        name: "group_member_removed",
        meaning: "an account is no longer a member of a group",
        subject: "group",
        fields: &[
            ("group", Name, "the group"),
            ("domain", Name, "its domain or computer"),
            ("sid", Sid, "its SID"),
            ("member", Text, "the account, where the event names it"),
            ("member_sid", Sid, "SID of the account"),
            BY,
            BY_DOMAIN,
            BY_SID,
            BY_LOGON,
        ],
    },
    Kind {
        name: "log_cleared",
        meaning: "an event log was cleared",
        subject: "cleared",
        fields: &[
            ("cleared", Name, "the channel that was cleared"),
            ("backup", Path, "file it was saved to first"),
            BY,
            BY_DOMAIN,
            BY_SID,
            BY_LOGON,
        ],
    },
    Kind {
        name: "logoff",
        meaning: "a logon session ended",
        subject: "account",
        fields: &[
            ("account", Name, "the account"),
            ("domain", Name, "its domain or computer"),
            ("sid", Sid, "its SID"),
            ("logon_id", Integer, "the session"),
            ("logon_type", Integer, "type of the logon"),
            ("logon_type_name", Name, "the type in a word"),
        ],
    },
    Kind {
        name: "logon",
        meaning: "an account logged on; the type tells how: by far most are of services",
        subject: "account",
        fields: &[
            ("account", Name, "the account"),
            ("domain", Name, "its domain or computer"),
            ("sid", Sid, "its SID"),
            ("logon_id", Integer, "the new session"),
            ("logon_type", Integer, "type of the logon"),
            ("logon_type_name", Name, "the type in a word"),
            ("address", Name, "address of the client"),
            ("port", Integer, "port of the client"),
            ("workstation", Name, "name of the client, by its own word"),
            ("process", Name, "logon process"),
            ("package", Name, "authentication package"),
            ("elevated", Name, "whether the session is elevated: %%1842 yes, %%1843 no"),
            IMAGE,
            PID,
            BY,
            BY_DOMAIN,
            BY_SID,
            BY_LOGON,
        ],
    },
    Kind {
        name: "logon_failed",
        meaning: "a logon was refused; the account need not exist",
        subject: "account",
        fields: &[
            ("account", Name, "the account that was named"),
            ("domain", Name, "its domain or computer"),
            ("sid", Sid, "its SID"),
            ("logon_type", Integer, "type of the logon"),
            ("logon_type_name", Name, "the type in a word"),
            ("status", Integer, "result"),
            ("sub_status", Integer, "result in more detail"),
            ("reason", Name, "the result in words"),
            ("address", Name, "address of the client"),
            ("port", Integer, "port of the client"),
            ("workstation", Name, "name of the client, by its own word"),
            ("process", Name, "logon process"),
            ("package", Name, "authentication package"),
            IMAGE,
            PID,
            BY,
            BY_DOMAIN,
            BY_SID,
            BY_LOGON,
        ],
    },
    Kind {
        name: "network_connection",
        meaning: "a process made or took a connection; not what was sent",
        subject: "image",
        fields: &[
            IMAGE,
            PID,
            USER,
            GUID,
            ("protocol", Name, "protocol"),
            ("initiated", Name, "true where the process made it"),
            ("source_address", Name, "address at this end, or of who began"),
            ("source_host", Name, "name of that address"),
            ("source_port", Integer, "port there"),
            ("destination_address", Name, "address at the other end"),
            ("destination_host", Name, "name of that address"),
            ("destination_port", Integer, "port there"),
        ],
    },
    Kind {
        name: "powershell_command",
        meaning: "PowerShell wrote down what a command was called with and gave",
        subject: "context",
        fields: &[
            ("context", Text, "what called it: host, command, script, user"),
            ("text", Text, "the command with its parameters, as PowerShell writes it"),
            ("host_application", Text, "command line of the program in which PowerShell runs"),
            ("sid", Sid, "user"),
            PID,
        ],
    },
    Kind {
        name: "powershell_script",
        meaning: "a block of PowerShell was handed over to be run, or a part of it; what it did is not said",
        subject: "script_block",
        fields: &[
            ("script_block", Guid, "the block"),
            ("path", Path, "file of the script"),
            ("text", Text, "the block, or its part"),
            ("part", Integer, "number of the part; words across the border of two parts stand in neither"),
            ("parts", Integer, "how many parts the block has"),
            ("sid", Sid, "user"),
            PID,
        ],
    },
    Kind {
        name: "powershell_started",
        meaning: "an engine of PowerShell wrote that it is there; any program can write such an event",
        subject: "host_application",
        fields: &[
            ("host_application", Text, "command line of the program in which it runs"),
            ("text", Text, "what it wrote of itself"),
        ],
    },
    Kind {
        name: "process_created",
        meaning: "a process was started: the program ran",
        subject: "image",
        fields: &[
            IMAGE,
            ("command_line", Text, "its command line"),
            PID,
            USER,
            ("domain", Name, "domain of the account"),
            ("sid", Sid, "SID of the account"),
            ("logon_id", Integer, "its logon session"),
            ("parent_image", Path, "program of the process that started it"),
            ("parent_command_line", Text, "command line of that process"),
            ("parent_pid", Integer, "number of that process"),
            ("parent_user", Name, "account of that process"),
            ("folder", Path, "its current folder"),
            ("md5", Hash, "MD5 of the program"),
            ("sha1", Hash, "SHA-1 of the program"),
            ("sha256", Hash, "SHA-256 of the program"),
            ("imphash", Hash, "hash of its imports"),
            ("original_name", Name, "name that the program gives itself"),
            ("description", Text, "description that the program gives itself"),
            ("company", Text, "maker that the program names"),
            ("integrity", Name, "integrity level"),
            ("elevation", Name, "type of the token: %%1936 default, %%1937 full, %%1938 limited"),
            GUID,
        ],
    },
    Kind {
        name: "process_ended",
        meaning: "a process ended: the program had run",
        subject: "image",
        fields: &[
            IMAGE,
            PID,
            USER,
            ("domain", Name, "domain of the account"),
            ("sid", Sid, "SID of the account"),
            ("logon_id", Integer, "its logon session"),
            ("exit_code", Integer, "what it ended with"),
            GUID,
        ],
    },
    Kind {
        name: "rdp_connection",
        meaning: "a client reached the remote desktop service; not that anybody logged on",
        subject: "address",
        fields: &[
            ACTION,
            ("address", Name, "address of the client, with its port where told"),
            ("account", Name, "account that the client named"),
            ("domain", Name, "its domain"),
        ],
    },
    Kind {
        name: "rdp_session",
        meaning: "a session of a user began, ended, was left or taken up again, as `action` says; an address of LOCAL is the console",
        subject: "account",
        fields: &[
            ACTION,
            ("account", Name, "the account, with its domain where told"),
            ("domain", Name, "its domain"),
            ("address", Name, "address of the client"),
            ("client", Name, "name of the client"),
            ("session", Name, "number or name of the session"),
            ("logon_id", Integer, "the logon session"),
        ],
    },
    Kind {
        name: "registry_set",
        meaning: "a process set a value of the registry",
        subject: "key",
        fields: &[
            ACTION,
            ("key", RegistryPath, "the key, by Sysmon with its value"),
            ("value_name", Name, "the value"),
            ("data", Text, "what was set, as the event writes it"),
            ("old_data", Text, "what was there before"),
            IMAGE,
            PID,
            USER,
            GUID,
            BY_SID,
            ("rule", Name, "rule of Sysmon"),
        ],
    },
    Kind {
        name: "service_changed",
        meaning: "a service changed its start type, was started or stopped, or ended by itself, as `action` says",
        subject: "service_name",
        fields: &[
            ACTION,
            ("service_name", Name, "display name of the service"),
            ("state", Name, "its new state or start type, in the language of the system"),
            ("before", Name, "its former start type"),
            ("key_name", Name, "name of its key"),
            ("sid", Sid, "user in whose name it was done"),
        ],
    },
    Kind {
        name: "service_installed",
        meaning: "a service or driver was installed; not that it ran",
        subject: "service_name",
        fields: &[
            ("service_name", Name, "name of the service"),
            ("image_path", Text, "its command line"),
            ("service_type", Name, "its type, as the event writes it"),
            ("start_type", Name, "how it starts, as the event writes it"),
            ("account", Name, "account it runs as"),
            ("sid", Sid, "user in whose name it was installed"),
            BY,
            BY_DOMAIN,
            BY_SID,
            BY_LOGON,
        ],
    },
    Kind {
        name: "share_access",
        meaning: "an account opened a share or a file of it from this address, or was refused",
        subject: "share",
        fields: &[
            ("share", Text, "the share"),
            ("target", Text, "the file or pipe in it"),
            ("address", Name, "address of the client"),
            ("port", Integer, "port of the client"),
            ("access", Text, "rights asked for, as the event writes them"),
            BY,
            BY_DOMAIN,
            BY_SID,
            BY_LOGON,
        ],
    },
    Kind {
        name: "special_privileges",
        meaning: "a new logon session has rights of an administrator or of the system",
        subject: "account",
        fields: &[
            ("account", Name, "the account"),
            ("domain", Name, "its domain or computer"),
            ("sid", Sid, "its SID"),
            ("logon_id", Integer, "the session"),
            ("privileges", List, "the rights"),
        ],
    },
    Kind {
        name: "system_state",
        meaning: "the system or its event log started, stopped or was found to have stopped, as `action` says",
        subject: "computer",
        fields: &[
            ACTION,
            ("started", Time, "when the system started"),
            ("stopped", Time, "when the system stopped"),
            ("image", Text, "program that asked for it"),
            ("user", Name, "account that asked for it"),
            ("reason", Text, "reason given"),
            ("bugcheck", Integer, "code of the system's failure; 0 for none"),
            ("version", Text, "version of the system"),
            ("build", Name, "its build"),
        ],
    },
    Kind {
        name: "task_changed",
        meaning: "a scheduled task was registered, changed, deleted, enabled or disabled, as `action` says; not that it ran",
        subject: "task",
        fields: &[
            ACTION,
            ("task", Path, "path of the task"),
            ("content", Text, "the task in XML"),
            ("user", Name, "account that did it"),
            BY,
            BY_DOMAIN,
            BY_SID,
            BY_LOGON,
        ],
    },
    Kind {
        name: "task_run",
        meaning: "the scheduler started or ended a task or an action of it, as `action` says",
        subject: "task",
        fields: &[
            ACTION,
            ("task", Path, "path of the task"),
            ("command", Text, "program or handler of the action"),
            PID,
            ("user", Name, "account it runs as"),
            ("result", Integer, "what the action ended with"),
            ("instance", Guid, "the run"),
        ],
    },
    Kind {
        name: "time_changed",
        meaning: "the clock of the computer was set, by people or by time synchronisation; events before and after it do not lie on one clock",
        subject: "computer",
        fields: &[
            ("old_time", Time, "time before"),
            ("new_time", Time, "time after"),
            (
                "reason",
                Integer,
                "reason: 1 a program or a user, 2 synchronisation with the hardware, 3 time zone",
            ),
            IMAGE,
            PID,
            BY,
            BY_DOMAIN,
            BY_SID,
            BY_LOGON,
        ],
    },
    Kind {
        name: "wmi_subscription",
        meaning: "a filter, a consumer or a binding of WMI was registered, changed or deleted; not that it ran",
        subject: "subscription",
        fields: &[
            ACTION,
            ("subscription", Text, "name of the filter or consumer"),
            ("filter", Text, "filter of a binding"),
            ("query", Text, "query of a filter"),
            ("kind", Name, "type of a consumer"),
            ("command", Text, "what a consumer does"),
            ("namespace", Text, "namespace"),
            ("operation", Name, "what was done, as Sysmon writes it"),
            ("user", Name, "account that did it"),
            ("cause", Text, "filter and consumer in full"),
        ],
    },
];

/// The types of all events.
pub(crate) fn record_types() -> Vec<RecordType> {
    let typed = |kind: &Kind| {
        let fields: Vec<Typed> = BASE.iter().chain(kind.fields).copied().collect();
        of(kind.name, kind.meaning, kind.subject, &fields)
    };
    let mut types: Vec<RecordType> = KINDS.iter().map(typed).collect();
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
