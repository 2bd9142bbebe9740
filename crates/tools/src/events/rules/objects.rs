//! Files, registry keys and other objects: created, changed, opened, deleted.

use super::writers::{SECURITY, SYSMON};
use super::{BY, HASHES, Map, Rule, rule};

const PROCESS: Map = &[
    ("Image", "image"),
    ("ProcessId", "pid"),
    ("User", "user"),
    ("ProcessGuid", "process_guid"),
    ("RuleName", "rule"),
];
const FILE: Map = &[
    ("TargetFilename", "path"),
    ("Hashes", HASHES),
    ("IsExecutable", "executable"),
    ("Archived", "archived"),
];
const OBJECT: Map = &[
    ("ObjectServer", "server"),
    ("ObjectType", "object_type"),
    ("ObjectName", "object"),
    ("FileName", "object"),
    ("LinkName", "link"),
    ("HandleId", "handle"),
    ("AccessList", "access"),
    ("AccessMask", "access_mask"),
    ("AccessReason", "access_reason"),
    ("PrivilegeList", "privileges"),
    ("Properties", "properties"),
    ("OperationType", "operation"),
    ("AdditionalInfo", "additional"),
    ("OldSd", "old_permissions"),
    ("NewSd", "permissions"),
    ("ProcessName", "image"),
    ("ProcessId", "pid"),
];
const HANDLE: Map = &[
    ("ObjectServer", "server"),
    ("HandleId", "handle"),
    ("SourceHandleId", "handle"),
    ("TargetHandleId", "target_handle"),
    ("TargetProcessId", "target_pid"),
    ("SourceProcessId", "pid"),
    ("ProcessName", "image"),
    ("ProcessId", "pid"),
];
const PRIVILEGE: Map = &[
    ("ObjectServer", "server"),
    ("Service", "service"),
    ("ObjectType", "object_type"),
    ("ObjectName", "object"),
    ("AccessMask", "access"),
    ("PrivilegeList", "privileges"),
    ("EnabledPrivilegeList", "privileges"),
    ("DisabledPrivilegeList", "disabled"),
    ("TargetUserName", "account"),
    ("ProcessName", "image"),
    ("ProcessId", "pid"),
];
const ENTRY: Map = &[
    ("ObjectDN", "object"),
    ("NewObjectDN", "object"),
    ("OldObjectDN", "old_object"),
    ("ObjectClass", "object_type"),
    ("ObjectGUID", "object_id"),
    ("AttributeLDAPDisplayName", "attribute"),
    ("AttributeValue", "value"),
    ("OperationType", "operation"),
    ("DSName", "domain"),
];

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    rule(&SYSMON, &[11], "file_created", "", &[&[("TargetFilename", "path"), ("CreationUtcTime", "created")], PROCESS]),
    rule(&SYSMON, &[29], "file_created", "", &[FILE, PROCESS]),
    rule(&SYSMON, &[15], "file_stream", "", &[&[("TargetFilename", "path"), ("CreationUtcTime", "created"), ("Hash", HASHES), ("Contents", "contents")], PROCESS]),
    rule(&SYSMON, &[2], "file_time_changed", "", &[&[("TargetFilename", "path"), ("CreationUtcTime", "created"), ("PreviousCreationUtcTime", "created_before")], PROCESS]),
    rule(&SYSMON, &[23], "file_deleted", "deleted, kept by Sysmon", &[FILE, PROCESS]),
    rule(&SYSMON, &[26], "file_deleted", "deleted", &[FILE, PROCESS]),
    rule(&SYSMON, &[27], "file_blocked", "executable not let be made", &[FILE, PROCESS]),
    rule(&SYSMON, &[28], "file_blocked", "shredding stopped", &[FILE, PROCESS]),
    rule(&SYSMON, &[13], "registry_set", "value set", &[&[("TargetObject", "key"), ("Details", "data")], PROCESS]),
    rule(&SYSMON, &[12], "registry_changed", "key or value created or deleted", &[&[("TargetObject", "key"), ("EventType", "operation")], PROCESS]),
    rule(&SYSMON, &[14], "registry_changed", "key or value renamed", &[&[("TargetObject", "key"), ("EventType", "operation"), ("NewName", "new_key")], PROCESS]),
    rule(&SECURITY, &[4657], "registry_set", "value changed", &[&[
        ("ObjectName", "key"), ("ObjectValueName", "value_name"), ("NewValue", "data"), ("OldValue", "old_data"), ("ProcessName", "image"), ("ProcessId", "pid"), ("SubjectUserName", "user"), ("SubjectUserSid", "by_sid"),
    ]]),
    rule(&SECURITY, &[4656], "object_access", "handle asked for", &[OBJECT, BY]),
    rule(&SECURITY, &[4659], "object_access", "handle asked for to delete it", &[OBJECT, BY]),
    rule(&SECURITY, &[4661], "object_access", "handle asked for", &[OBJECT, BY]),
    rule(&SECURITY, &[4663], "object_access", "accessed", &[OBJECT, BY]),
    rule(&SECURITY, &[4664], "object_access", "hard link made", &[OBJECT, BY]),
    rule(&SECURITY, &[4670], "object_access", "permissions changed", &[OBJECT, BY]),
    rule(&SECURITY, &[4691], "object_access", "accessed indirectly", &[OBJECT, BY]),
    rule(&SECURITY, &[4907], "object_access", "auditing changed", &[OBJECT, BY]),
    rule(&SECURITY, &[4662], "object_access", "operation in the directory", &[OBJECT, BY]),
    rule(&SECURITY, &[4658], "object_handle", "closed", &[HANDLE, BY]),
    rule(&SECURITY, &[4660], "object_handle", "object deleted", &[HANDLE, BY]),
    rule(&SECURITY, &[4690], "object_handle", "duplicated", &[HANDLE, BY]),
    rule(&SECURITY, &[4673], "privilege_used", "privileged service called", &[PRIVILEGE, BY]),
    rule(&SECURITY, &[4674], "privilege_used", "operation on a privileged object", &[PRIVILEGE, BY]),
    rule(&SECURITY, &[4703], "privilege_used", "privileges of a token changed", &[PRIVILEGE, BY]),
    rule(&SECURITY, &[5136], "directory_change", "changed", &[ENTRY, BY]),
    rule(&SECURITY, &[5137], "directory_change", "created", &[ENTRY, BY]),
    rule(&SECURITY, &[5138], "directory_change", "undeleted", &[ENTRY, BY]),
    rule(&SECURITY, &[5139], "directory_change", "moved", &[ENTRY, BY]),
    rule(&SECURITY, &[5141], "directory_change", "deleted", &[ENTRY, BY]),
];
