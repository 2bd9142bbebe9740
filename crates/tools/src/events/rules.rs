//! Which events become which type of record: data, not code.
//!
//! Sources: Microsoft's documentation of the security audit events, of Sysmon and of Microsoft Defender; the manifests of the other providers.

/// Who writes an event.
pub(super) struct Writer {
    pub(super) provider: &'static str,
    /// The GUID of its manifest; a provider without one can be imitated by any program.
    pub(super) guid: Option<&'static str>,
    /// Its channels.
    pub(super) channels: &'static [&'static str],
}

/// What events of some ids become.
pub(super) struct Rule {
    pub(super) writer: &'static Writer,
    pub(super) ids: &'static [u32],
    pub(super) kind: &'static str,
    /// Fields whose values follow from the id.
    pub(super) fixed: &'static [(&'static str, &'static str)],
    /// Names of data and the fields they become; `@user` is the user of the event and `@channel` its channel, [`HASHES`] and [`HOST`] are taken apart.
    pub(super) map: &'static [(&'static str, &'static str)],
}

impl Rule {
    /// Whether it can be of an event of this id and channel.
    pub(super) fn may(&self, id: u32, channel: &str) -> bool {
        self.ids.contains(&id) && self.writer.channels.iter().any(|own| own.eq_ignore_ascii_case(channel))
    }
}

/// Field for digests as Sysmon writes them: `MD5=…,SHA256=…`.
pub(super) const HASHES: &str = "*hashes";

/// Field for lines of `name=value` of which one is the command line of the host of PowerShell.
pub(super) const HOST: &str = "*host";

const SECURITY: Writer = Writer {
    provider: "Microsoft-Windows-Security-Auditing",
    guid: Some("54849625-5478-4994-a5ba-3e3b0328c30d"),
    channels: &["Security"],
};
const EVENTLOG: Writer = Writer {
    provider: "Microsoft-Windows-Eventlog",
    guid: Some("fc65ddd8-d6ef-4962-83d5-6e5cfe9ce148"),
    channels: &["Security", "System"],
};
const SERVICES: Writer = Writer {
    provider: "Service Control Manager",
    guid: Some("555908d1-a6d7-4695-8e1e-26931d2012f4"),
    channels: &["System"],
};
const SYSMON: Writer = Writer {
    provider: "Microsoft-Windows-Sysmon",
    guid: Some("5770385f-c22a-43e0-bf4c-06f5698ffbd9"),
    channels: &["Microsoft-Windows-Sysmon/Operational"],
};
const TASKS: Writer = Writer {
    provider: "Microsoft-Windows-TaskScheduler",
    guid: Some("de7b24ea-73c8-4a09-985d-5bdadcfa9017"),
    channels: &["Microsoft-Windows-TaskScheduler/Operational"],
};
const SESSIONS: Writer = Writer {
    provider: "Microsoft-Windows-TerminalServices-LocalSessionManager",
    guid: Some("5d896912-022d-40aa-a3a8-4fa5515c76d7"),
    channels: &["Microsoft-Windows-TerminalServices-LocalSessionManager/Operational"],
};
const REMOTE: Writer = Writer {
    provider: "Microsoft-Windows-TerminalServices-RemoteConnectionManager",
    guid: Some("c76baa63-ae81-421c-b425-340b4b24157f"),
    channels: &["Microsoft-Windows-TerminalServices-RemoteConnectionManager/Operational"],
};
const RDP: Writer = Writer {
    provider: "Microsoft-Windows-RemoteDesktopServices-RdpCoreTS",
    guid: Some("1139c61b-b549-4251-8ed3-27250a1edec8"),
    channels: &["Microsoft-Windows-RemoteDesktopServices-RdpCoreTS/Operational"],
};
const POWERSHELL: Writer = Writer {
    provider: "Microsoft-Windows-PowerShell",
    guid: Some("a0c1853b-5c40-4b15-8766-3cf1c58f985a"),
    channels: &["Microsoft-Windows-PowerShell/Operational"],
};
const OLD_POWERSHELL: Writer =
    Writer { provider: "PowerShell", guid: None, channels: &["Windows PowerShell"] };
const DEFENDER: Writer = Writer {
    provider: "Microsoft-Windows-Windows Defender",
    guid: Some("11cd958a-c507-4ef3-b3f2-5fd9dfbd2c78"),
    channels: &["Microsoft-Windows-Windows Defender/Operational"],
};
const WMI: Writer = Writer {
    provider: "Microsoft-Windows-WMI-Activity",
    guid: Some("1418ef04-b0b4-4623-bf7e-d74ab47bbdaa"),
    channels: &["Microsoft-Windows-WMI-Activity/Operational"],
};
const BITS: Writer = Writer {
    provider: "Microsoft-Windows-Bits-Client",
    guid: Some("ef1cc15b-46c1-414e-bb95-e76b077bd51e"),
    channels: &["Microsoft-Windows-Bits-Client/Operational"],
};
const KERNEL: Writer = Writer {
    provider: "Microsoft-Windows-Kernel-General",
    guid: Some("a68ca8b7-004f-d7b6-a698-07e2de0f1f5d"),
    channels: &["System"],
};
const POWER: Writer = Writer {
    provider: "Microsoft-Windows-Kernel-Power",
    guid: Some("331c3b3a-2005-44c2-ac5e-77220c37d6b4"),
    channels: &["System"],
};
const SHUTDOWN: Writer =
    Writer { provider: "User32", guid: Some("b0aa8734-56f7-41cc-b2f4-de228e98b946"), channels: &["System"] };
const OLD_EVENTLOG: Writer = Writer { provider: "EventLog", guid: None, channels: &["System"] };
const PARTITION: Writer = Writer {
    provider: "Microsoft-Windows-Partition",
    guid: Some("412bdff2-a8c4-470d-8f33-63fe0d8c20e2"),
    channels: &["Microsoft-Windows-Partition/Diagnostic"],
};
const PNP: Writer = Writer {
    provider: "Microsoft-Windows-Kernel-PnP",
    guid: Some("9c205a39-1250-487d-abd7-e831c6290539"),
    channels: &["Microsoft-Windows-Kernel-PnP/Configuration"],
};
const DRIVERS: Writer = Writer {
    provider: "Microsoft-Windows-DriverFrameworks-UserMode",
    guid: Some("2e35aaeb-857f-4beb-a418-2e6c0e54d988"),
    channels: &["Microsoft-Windows-DriverFrameworks-UserMode/Operational"],
};
const FIREWALL: Writer = Writer {
    provider: "Microsoft-Windows-Windows Firewall With Advanced Security",
    guid: Some("d1bc9aff-2abf-4d71-9146-ecb2a986eb85"),
    channels: &["Microsoft-Windows-Windows Firewall With Advanced Security/Firewall"],
};

type Map = &'static [(&'static str, &'static str)];

const LOGON: Map = &[
    ("TargetUserName", "account"),
    ("TargetDomainName", "domain"),
    ("TargetUserSid", "sid"),
    ("TargetLogonId", "logon_id"),
    ("LogonType", "logon_type"),
    ("IpAddress", "address"),
    ("IpPort", "port"),
    ("WorkstationName", "workstation"),
    ("LogonProcessName", "process"),
    ("AuthenticationPackageName", "package"),
    ("ElevatedToken", "elevated"),
    ("ProcessName", "image"),
    ("ProcessId", "pid"),
    ("SubjectUserName", "by_account"),
    ("SubjectDomainName", "by_domain"),
    ("SubjectUserSid", "by_sid"),
    ("SubjectLogonId", "by_logon_id"),
];
const FAILED: Map = &[
    ("TargetUserName", "account"),
    ("TargetDomainName", "domain"),
    ("TargetUserSid", "sid"),
    ("LogonType", "logon_type"),
    ("Status", "status"),
    ("SubStatus", "sub_status"),
    ("IpAddress", "address"),
    ("IpPort", "port"),
    ("WorkstationName", "workstation"),
    ("LogonProcessName", "process"),
    ("AuthenticationPackageName", "package"),
    ("ProcessName", "image"),
    ("ProcessId", "pid"),
    ("SubjectUserName", "by_account"),
    ("SubjectDomainName", "by_domain"),
    ("SubjectUserSid", "by_sid"),
    ("SubjectLogonId", "by_logon_id"),
];
const ACCOUNT: Map = &[
    ("TargetUserName", "account"),
    ("NewTargetUserName", "account"),
    ("OldTargetUserName", "old_name"),
    ("TargetDomainName", "domain"),
    ("TargetSid", "sid"),
    ("SubjectUserName", "by_account"),
    ("SubjectDomainName", "by_domain"),
    ("SubjectUserSid", "by_sid"),
    ("SubjectLogonId", "by_logon_id"),
];
/// The domain of a locked account is the computer from which it was tried.
const LOCKED: Map = &[
    ("TargetUserName", "account"),
    ("TargetDomainName", "workstation"),
    ("TargetSid", "sid"),
    ("SubjectUserName", "by_account"),
    ("SubjectDomainName", "by_domain"),
    ("SubjectUserSid", "by_sid"),
    ("SubjectLogonId", "by_logon_id"),
];
const MEMBER: Map = &[
    ("TargetUserName", "group"),
    ("TargetDomainName", "domain"),
    ("TargetSid", "sid"),
    ("MemberName", "member"),
    ("MemberSid", "member_sid"),
    ("SubjectUserName", "by_account"),
    ("SubjectDomainName", "by_domain"),
    ("SubjectUserSid", "by_sid"),
    ("SubjectLogonId", "by_logon_id"),
];
const TASK_AUDIT: Map = &[
    ("TaskName", "task"),
    ("TaskContent", "content"),
    ("TaskContentNew", "content"),
    ("SubjectUserName", "by_account"),
    ("SubjectDomainName", "by_domain"),
    ("SubjectUserSid", "by_sid"),
    ("SubjectLogonId", "by_logon_id"),
];
const TASK: Map = &[("TaskName", "task"), ("UserContext", "user"), ("UserName", "user")];
const RUN: Map = &[
    ("TaskName", "task"),
    ("ActionName", "command"),
    ("Path", "command"),
    ("ProcessID", "pid"),
    ("EnginePID", "pid"),
    ("UserContext", "user"),
    ("UserName", "user"),
    ("ResultCode", "result"),
    ("TaskInstanceId", "instance"),
    ("InstanceId", "instance"),
];
const SESSION: Map = &[("User", "account"), ("Address", "address"), ("SessionID", "session")];
const DETECTION: Map = &[
    ("Threat Name", "threat"),
    ("Severity Name", "severity"),
    ("Category Name", "category"),
    ("Path", "path"),
    ("Process Name", "image"),
    ("Detection User", "user"),
    ("User", "user"),
    ("Action Name", "action"),
    ("Source Name", "source"),
    ("Origin Name", "origin"),
    ("Execution Name", "execution"),
    ("Detection Time", "detected"),
    ("Error Code", "error"),
    ("Detection ID", "detection_id"),
];
const PRODUCT: Map = &[("Product Name", "product"), ("New Value", "new_value"), ("Old Value", "old_value")];
const TRANSFER: Map = &[
    ("url", "url"),
    ("name", "job"),
    ("bytesTransferred", "bytes"),
    ("bytesTotal", "total"),
    ("hr", "status"),
    ("fileTime", "file_time"),
];
const TICKET: Map = &[
    ("TargetUserName", "account"),
    ("TargetDomainName", "domain"),
    ("TargetSid", "sid"),
    ("ServiceName", "service"),
    ("IpAddress", "address"),
    ("Workstation", "workstation"),
    ("Status", "status"),
    ("TicketEncryptionType", "encryption"),
];
const FIREWALL_RULE: Map = &[
    ("RuleName", "rule_name"),
    ("RuleId", "rule_id"),
    ("ApplicationPath", "program"),
    ("LocalPorts", "ports"),
    ("Direction", "direction"),
    ("Action", "verdict"),
    ("ModifyingApplication", "image"),
    ("ModifyingUser", "by_sid"),
];
const WMI_OBJECT: Map = &[
    ("Name", "subscription"),
    ("Consumer", "subscription"),
    ("Filter", "filter"),
    ("Query", "query"),
    ("Type", "kind"),
    ("Destination", "command"),
    ("EventNamespace", "namespace"),
    ("Operation", "operation"),
    ("User", "user"),
];
const SHARE: Map = &[
    ("ShareName", "share"),
    ("RelativeTargetName", "target"),
    ("IpAddress", "address"),
    ("IpPort", "port"),
    ("AccessList", "access"),
    ("SubjectUserName", "by_account"),
    ("SubjectDomainName", "by_domain"),
    ("SubjectUserSid", "by_sid"),
    ("SubjectLogonId", "by_logon_id"),
];

const fn rule(writer: &'static Writer, ids: &'static [u32], kind: &'static str, map: Map) -> Rule {
    Rule { writer, ids, kind, fixed: &[], map }
}

/// The same with what the id says was done.
const fn done(
    writer: &'static Writer,
    ids: &'static [u32],
    kind: &'static str,
    fixed: &'static [(&'static str, &'static str)],
    map: Map,
) -> Rule {
    Rule { writer, ids, kind, fixed, map }
}

/// The first that fits an event is its own.
#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    rule(&SECURITY, &[4688], "process_created", &[
        ("NewProcessName", "image"), ("CommandLine", "command_line"), ("NewProcessId", "pid"),
        ("SubjectUserName", "user"), ("SubjectDomainName", "domain"), ("SubjectUserSid", "sid"), ("SubjectLogonId", "logon_id"),
        ("ParentProcessName", "parent_image"), ("ProcessId", "parent_pid"), ("TokenElevationType", "elevation"), ("MandatoryLabel", "integrity"),
    ]),
    rule(&SECURITY, &[4689], "process_ended", &[
        ("ProcessName", "image"), ("ProcessId", "pid"), ("Status", "exit_code"),
        ("SubjectUserName", "user"), ("SubjectDomainName", "domain"), ("SubjectUserSid", "sid"), ("SubjectLogonId", "logon_id"),
    ]),
    rule(&SYSMON, &[1], "process_created", &[
        ("Image", "image"), ("CommandLine", "command_line"), ("ProcessId", "pid"), ("User", "user"), ("LogonId", "logon_id"),
        ("ParentImage", "parent_image"), ("ParentCommandLine", "parent_command_line"), ("ParentProcessId", "parent_pid"), ("ParentUser", "parent_user"),
        ("CurrentDirectory", "folder"), ("Hashes", HASHES), ("OriginalFileName", "original_name"), ("Description", "description"),
        ("Company", "company"), ("IntegrityLevel", "integrity"), ("ProcessGuid", "process_guid"),
    ]),
    rule(&SYSMON, &[5], "process_ended", &[("Image", "image"), ("ProcessId", "pid"), ("User", "user"), ("ProcessGuid", "process_guid")]),
    rule(&SYSMON, &[3], "network_connection", &[
        ("Image", "image"), ("ProcessId", "pid"), ("User", "user"), ("ProcessGuid", "process_guid"), ("Protocol", "protocol"), ("Initiated", "initiated"),
        ("SourceIp", "source_address"), ("SourceHostname", "source_host"), ("SourcePort", "source_port"),
        ("DestinationIp", "destination_address"), ("DestinationHostname", "destination_host"), ("DestinationPort", "destination_port"),
    ]),
    rule(&SECURITY, &[5156], "network_connection", &[
        ("Application", "image"), ("ProcessID", "pid"), ("SourceAddress", "source_address"), ("SourcePort", "source_port"),
        ("DestAddress", "destination_address"), ("DestPort", "destination_port"), ("Protocol", "protocol"),
    ]),
    rule(&SYSMON, &[11], "file_created", &[
        ("TargetFilename", "path"), ("CreationUtcTime", "created"), ("Image", "image"), ("ProcessId", "pid"), ("User", "user"), ("ProcessGuid", "process_guid"), ("RuleName", "rule"),
    ]),
    done(&SYSMON, &[13], "registry_set", &[("action", "value set")], &[
        ("TargetObject", "key"), ("Details", "data"), ("Image", "image"), ("ProcessId", "pid"), ("User", "user"), ("ProcessGuid", "process_guid"), ("RuleName", "rule"),
    ]),
    done(&SECURITY, &[4657], "registry_set", &[("action", "value changed")], &[
        ("ObjectName", "key"), ("ObjectValueName", "value_name"), ("NewValue", "data"), ("OldValue", "old_data"), ("ProcessName", "image"), ("ProcessId", "pid"), ("SubjectUserName", "user"), ("SubjectUserSid", "by_sid"),
    ]),
    rule(&SYSMON, &[22], "dns_query", &[
        ("QueryName", "query"), ("QueryResults", "result"), ("QueryStatus", "status"), ("Image", "image"), ("ProcessId", "pid"), ("User", "user"), ("ProcessGuid", "process_guid"),
    ]),
    done(&SYSMON, &[19], "wmi_subscription", &[("action", "filter")], WMI_OBJECT),
    done(&SYSMON, &[20], "wmi_subscription", &[("action", "consumer")], WMI_OBJECT),
    done(&SYSMON, &[21], "wmi_subscription", &[("action", "binding")], WMI_OBJECT),
    done(&WMI, &[5861], "wmi_subscription", &[("action", "binding")], &[
        ("CONSUMER", "subscription"), ("ESS", "filter"), ("Namespace", "namespace"), ("PossibleCause", "cause"),
    ]),
    rule(&SERVICES, &[7045], "service_installed", &[
        ("ServiceName", "service_name"), ("ImagePath", "image_path"), ("ServiceType", "service_type"), ("StartType", "start_type"), ("AccountName", "account"), ("@user", "sid"),
    ]),
    rule(&SECURITY, &[4697], "service_installed", &[
        ("ServiceName", "service_name"), ("ServiceFileName", "image_path"), ("ServiceType", "service_type"), ("ServiceStartType", "start_type"), ("ServiceAccount", "account"),
        ("SubjectUserName", "by_account"), ("SubjectDomainName", "by_domain"), ("SubjectUserSid", "by_sid"), ("SubjectLogonId", "by_logon_id"),
    ]),
    done(&SERVICES, &[7040], "service_changed", &[("action", "start type changed")], &[("param1", "service_name"), ("param2", "before"), ("param3", "state"), ("param4", "key_name"), ("@user", "sid")]),
    done(&SERVICES, &[7036], "service_changed", &[("action", "entered state")], &[("param1", "service_name"), ("param2", "state")]),
    done(&SERVICES, &[7031, 7034], "service_changed", &[("action", "ended unexpectedly")], &[("param1", "service_name")]),
    rule(&SECURITY, &[4624], "logon", LOGON),
    rule(&SECURITY, &[4625], "logon_failed", FAILED),
    rule(&SECURITY, &[4634, 4647], "logoff", LOGON_END),
    rule(&SECURITY, &[4648], "explicit_credentials", &[
        ("TargetUserName", "account"), ("TargetDomainName", "domain"), ("TargetServerName", "server"), ("IpAddress", "address"), ("IpPort", "port"), ("ProcessName", "image"), ("ProcessId", "pid"),
        ("SubjectUserName", "by_account"), ("SubjectDomainName", "by_domain"), ("SubjectUserSid", "by_sid"), ("SubjectLogonId", "by_logon_id"),
    ]),
    rule(&SECURITY, &[4672], "special_privileges", &[
        ("SubjectUserName", "account"), ("SubjectDomainName", "domain"), ("SubjectUserSid", "sid"), ("SubjectLogonId", "logon_id"), ("PrivilegeList", "privileges"),
    ]),
    done(&SECURITY, &[4768], "credential_check", &[("action", "ticket granted or refused")], TICKET),
    done(&SECURITY, &[4769], "credential_check", &[("action", "service ticket granted or refused")], TICKET),
    done(&SECURITY, &[4771], "credential_check", &[("action", "Kerberos refused")], TICKET),
    done(&SECURITY, &[4776], "credential_check", &[("action", "NTLM checked")], TICKET),
    done(&SECURITY, &[4720], "account_changed", &[("action", "created")], ACCOUNT),
    done(&SECURITY, &[4722], "account_changed", &[("action", "enabled")], ACCOUNT),
    done(&SECURITY, &[4723], "account_changed", &[("action", "password change tried")], ACCOUNT),
    done(&SECURITY, &[4724], "account_changed", &[("action", "password reset tried")], ACCOUNT),
    done(&SECURITY, &[4725], "account_changed", &[("action", "disabled")], ACCOUNT),
    done(&SECURITY, &[4726], "account_changed", &[("action", "deleted")], ACCOUNT),
    done(&SECURITY, &[4738], "account_changed", &[("action", "changed")], ACCOUNT),
    done(&SECURITY, &[4740], "account_changed", &[("action", "locked out")], LOCKED),
    done(&SECURITY, &[4767], "account_changed", &[("action", "unlocked")], ACCOUNT),
    done(&SECURITY, &[4781], "account_changed", &[("action", "renamed")], ACCOUNT),
    rule(&SECURITY, &[4728, 4732, 4756], "group_member_added", MEMBER),
    rule(&SECURITY, &[4729, 4733, 4757], "group_member_removed", MEMBER),
    rule(&SECURITY, &[4719], "audit_policy_changed", &[
        ("CategoryId", "category"), ("SubcategoryId", "subcategory"), ("AuditPolicyChanges", "changes"),
        ("SubjectUserName", "by_account"), ("SubjectDomainName", "by_domain"), ("SubjectUserSid", "by_sid"), ("SubjectLogonId", "by_logon_id"),
    ]),
    rule(&EVENTLOG, &[1102], "log_cleared", &[
        ("@channel", "cleared"), ("SubjectUserName", "by_account"), ("SubjectDomainName", "by_domain"), ("SubjectUserSid", "by_sid"), ("SubjectLogonId", "by_logon_id"),
    ]),
    rule(&EVENTLOG, &[104], "log_cleared", &[
        ("Channel", "cleared"), ("BackupPath", "backup"), ("SubjectUserName", "by_account"), ("SubjectDomainName", "by_domain"), ("@user", "by_sid"),
    ]),
    done(&SECURITY, &[4698], "task_changed", &[("action", "registered")], TASK_AUDIT),
    done(&SECURITY, &[4699], "task_changed", &[("action", "deleted")], TASK_AUDIT),
    done(&SECURITY, &[4700], "task_changed", &[("action", "enabled")], TASK_AUDIT),
    done(&SECURITY, &[4701], "task_changed", &[("action", "disabled")], TASK_AUDIT),
    done(&SECURITY, &[4702], "task_changed", &[("action", "updated")], TASK_AUDIT),
    done(&TASKS, &[106], "task_changed", &[("action", "registered")], TASK),
    done(&TASKS, &[140], "task_changed", &[("action", "updated")], TASK),
    done(&TASKS, &[141], "task_changed", &[("action", "deleted")], TASK),
    done(&TASKS, &[142], "task_changed", &[("action", "disabled")], TASK),
    done(&TASKS, &[100], "task_run", &[("action", "task started")], RUN),
    done(&TASKS, &[102], "task_run", &[("action", "task completed")], RUN),
    done(&TASKS, &[129], "task_run", &[("action", "process created")], RUN),
    done(&TASKS, &[200], "task_run", &[("action", "action started")], RUN),
    done(&TASKS, &[201], "task_run", &[("action", "action completed")], RUN),
    done(&SESSIONS, &[21], "rdp_session", &[("action", "logged on")], SESSION),
    done(&SESSIONS, &[22], "rdp_session", &[("action", "shell started")], SESSION),
    done(&SESSIONS, &[23], "rdp_session", &[("action", "logged off")], SESSION),
    done(&SESSIONS, &[24], "rdp_session", &[("action", "disconnected")], SESSION),
    done(&SESSIONS, &[25], "rdp_session", &[("action", "reconnected")], SESSION),
    done(&SECURITY, &[4778], "rdp_session", &[("action", "reconnected")], WINDOW),
    done(&SECURITY, &[4779], "rdp_session", &[("action", "disconnected")], WINDOW),
    done(&REMOTE, &[1149], "rdp_connection", &[("action", "credentials accepted by the network layer")], &[("Param1", "account"), ("Param2", "domain"), ("Param3", "address")]),
    done(&RDP, &[131], "rdp_connection", &[("action", "connection accepted")], &[("ClientIP", "address")]),
    rule(&POWERSHELL, &[4104], "powershell_script", &[
        ("ScriptBlockId", "script_block"), ("ScriptBlockText", "text"), ("Path", "path"), ("MessageNumber", "part"), ("MessageTotal", "parts"), ("@user", "sid"), ("@process", "pid"),
    ]),
    rule(&POWERSHELL, &[4103], "powershell_command", &[("ContextInfo", "context"), ("Payload", "text"), ("@user", "sid"), ("@process", "pid")]),
    rule(&OLD_POWERSHELL, &[800], "powershell_command", &[("data0", "text"), ("data1", "context"), ("data1", HOST)]),
    rule(&OLD_POWERSHELL, &[400], "powershell_started", &[("data2", "text"), ("data2", HOST)]),
    rule(&DEFENDER, &[1006, 1007, 1008, 1015, 1116, 1117, 1118, 1119], "defender_detection", DETECTION),
    done(&DEFENDER, &[5001], "defender_changed", &[("action", "real-time protection disabled")], PRODUCT),
    done(&DEFENDER, &[5000], "defender_changed", &[("action", "real-time protection enabled")], PRODUCT),
    done(&DEFENDER, &[5004], "defender_changed", &[("action", "real-time protection changed")], PRODUCT),
    done(&DEFENDER, &[5007], "defender_changed", &[("action", "setting changed")], PRODUCT),
    done(&DEFENDER, &[5010], "defender_changed", &[("action", "scanning disabled")], PRODUCT),
    done(&DEFENDER, &[5012], "defender_changed", &[("action", "virus scanning disabled")], PRODUCT),
    done(&DEFENDER, &[5013], "defender_changed", &[("action", "change blocked by tamper protection")], PRODUCT),
    done(&BITS, &[3], "bits_transfer", &[("action", "job created")], &[("jobTitle", "job"), ("url", "url")]),
    done(&BITS, &[59], "bits_transfer", &[("action", "started")], TRANSFER),
    done(&BITS, &[60], "bits_transfer", &[("action", "stopped")], TRANSFER),
    done(&BITS, &[61], "bits_transfer", &[("action", "failed")], TRANSFER),
    rule(&KERNEL, &[1], "time_changed", &[("OldTime", "old_time"), ("NewTime", "new_time"), ("Reason", "reason"), ("ProcessName", "image"), ("ProcessID", "pid")]),
    rule(&SECURITY, &[4616], "time_changed", &[
        ("PreviousTime", "old_time"), ("NewTime", "new_time"), ("ProcessName", "image"), ("ProcessId", "pid"),
        ("SubjectUserName", "by_account"), ("SubjectDomainName", "by_domain"), ("SubjectUserSid", "by_sid"), ("SubjectLogonId", "by_logon_id"),
    ]),
    done(&KERNEL, &[12], "system_state", &[("action", "system started")], &[("StartTime", "started")]),
    done(&KERNEL, &[13], "system_state", &[("action", "system stopped")], &[("StopTime", "stopped")]),
    done(&POWER, &[41], "system_state", &[("action", "had stopped without a shutdown")], &[("BugcheckCode", "bugcheck")]),
    done(&POWER, &[109], "system_state", &[("action", "shutdown begun by the kernel")], &[("ShutdownReason", "reason")]),
    done(&POWER, &[42], "system_state", &[("action", "sleep begun")], &[]),
    done(&POWER, &[107], "system_state", &[("action", "resumed from sleep")], &[]),
    done(&SHUTDOWN, &[1074], "system_state", &[("action", "shutdown or restart asked for")], &[("param1", "image"), ("param3", "reason"), ("param7", "user")]),
    done(&OLD_EVENTLOG, &[6005], "system_state", &[("action", "event log started")], &[]),
    done(&OLD_EVENTLOG, &[6006], "system_state", &[("action", "event log stopped")], &[]),
    done(&OLD_EVENTLOG, &[6008], "system_state", &[("action", "former shutdown was unexpected")], &[]),
    done(&OLD_EVENTLOG, &[6009], "system_state", &[("action", "version at start")], &[("data0", "version"), ("data1", "build")]),
    done(&EVENTLOG, &[1100], "system_state", &[("action", "event log stopped")], &[]),
    done(&PARTITION, &[1006], "device_connected", &[("action", "disk met or taken out")], &[
        ("ParentId", "device"), ("Manufacturer", "manufacturer"), ("Model", "model"), ("SerialNumber", "serial"), ("Capacity", "capacity"),
    ]),
    done(&PNP, &[400], "device_connected", &[("action", "configured")], &[("DeviceInstanceId", "device"), ("DriverName", "driver")]),
    done(&PNP, &[410], "device_connected", &[("action", "started")], &[("DeviceInstanceId", "device"), ("DriverName", "driver")]),
    done(&DRIVERS, &[2003], "device_connected", &[("action", "driver asked for")], &[("InstanceId", "device"), ("UMDFHostDeviceArrivalBegin.InstanceId", "device")]),
    done(&SECURITY, &[5140], "share_access", &[], SHARE),
    done(&SECURITY, &[5145], "share_access", &[], SHARE),
    done(&FIREWALL, &[2004, 2071, 2097], "firewall_change", &[("action", "added")], FIREWALL_RULE),
    done(&FIREWALL, &[2005, 2073, 2099], "firewall_change", &[("action", "changed")], FIREWALL_RULE),
    done(&FIREWALL, &[2006, 2052], "firewall_change", &[("action", "deleted")], FIREWALL_RULE),
];

const LOGON_END: Map = &[
    ("TargetUserName", "account"),
    ("TargetDomainName", "domain"),
    ("TargetUserSid", "sid"),
    ("TargetLogonId", "logon_id"),
    ("LogonType", "logon_type"),
];
const WINDOW: Map = &[
    ("AccountName", "account"),
    ("AccountDomain", "domain"),
    ("ClientName", "client"),
    ("ClientAddress", "address"),
    ("SessionName", "session"),
    ("LogonID", "logon_id"),
];
