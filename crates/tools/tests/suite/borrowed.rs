//! Rules that others wrote: what the names of Sigma's published taxonomy mean here.

use tools::{RuleFile, rule_set};

/// Windows categories and their fields, from the taxonomy appendix of the Sigma specification and the logsource guides of its rules.
const TAXONOMY: [(&str, &str); 24] = [
    (
        "process_creation",
        "CommandLine Company CurrentDirectory Description FileVersion Hashes Image IntegrityLevel LogonGuid LogonId OriginalFileName ParentCommandLine ParentImage ParentProcessGuid ParentProcessId ParentUser ProcessGuid ProcessId Product TerminalSessionId User Imphash",
    ),
    ("process_termination", "Image ProcessGuid ProcessId User"),
    (
        "create_remote_thread",
        "NewThreadId SourceImage SourceProcessId StartAddress StartFunction StartModule TargetImage TargetProcessId",
    ),
    ("create_stream_hash", "Contents CreationUtcTime Hash Image ProcessId TargetFilename"),
    ("clipboard_change", "ClientInfo Hashes Image ProcessId Session"),
    ("dns_query", "Image QueryName QueryResults QueryStatus ProcessId"),
    ("driver_load", "Hashes ImageLoaded Signature SignatureStatus Signed"),
    ("file_change", "CreationUtcTime Image PreviousCreationUtcTime TargetFilename"),
    ("file_delete", "Hashes Image IsExecutable TargetFilename User"),
    ("file_event", "CreationUtcTime Image ProcessId TargetFilename User"),
    ("file_block_executable", "Hashes Image TargetFilename"),
    ("file_executable_detected", "Hashes Image TargetFilename"),
    (
        "image_load",
        "Company Description FileVersion Hashes Image ImageLoaded OriginalFileName Product Signature SignatureStatus Signed User",
    ),
    (
        "network_connection",
        "DestinationHostname DestinationIp DestinationIsIpv6 DestinationPort DestinationPortName Image Initiated ProcessId Protocol SourceHostname SourceIp SourceIsIpv6 SourcePort SourcePortName User",
    ),
    ("pipe_created", "EventType Image PipeName ProcessId"),
    (
        "process_access",
        "CallTrace GrantedAccess SourceImage SourceProcessId SourceThreadId TargetImage TargetProcessId SourceUser TargetUser",
    ),
    ("process_tampering", "Image ProcessId Type"),
    ("raw_access_thread", "Device Image ProcessId"),
    ("registry_add", "EventType Image ProcessId TargetObject"),
    ("registry_delete", "EventType Image ProcessId TargetObject"),
    ("registry_event", "Details EventType Image NewName ProcessId TargetObject"),
    ("registry_rename", "EventType Image NewName TargetObject"),
    ("registry_set", "Details EventType Image ProcessId TargetObject User"),
    ("wmi_event", "Consumer Destination EventNamespace EventType Filter Name Operation Query Type User"),
];

/// Windows services in the same guides.
const SERVICES: [&str; 30] = [
    "application",
    "applocker",
    "appmodel-runtime",
    "appxdeployment-server",
    "appxpackaging-om",
    "bitlocker",
    "bits-client",
    "capi2",
    "codeintegrity-operational",
    "diagnosis-scripted",
    "dns-client",
    "dns-server",
    "driver-framework",
    "firewall-as",
    "ldap",
    "lsa-server",
    "msexchange-management",
    "ntlm",
    "openssh",
    "powershell",
    "powershell-classic",
    "printservice-admin",
    "security",
    "security-mitigations",
    "shell-core",
    "smbclient-security",
    "sysmon",
    "system",
    "taskscheduler",
    "windefend",
];

fn rule(logsource: &str, fields: &str) -> RuleFile {
    let fields: String = fields.split(' ').map(|field| format!("        {field}: x\n")).collect();
    let text = format!(
        "title: t\nlogsource:\n    product: windows\n    {logsource}\ndetection:\n    s:\n{fields}    condition: s\n"
    );
    RuleFile { name: logsource.to_owned(), text }
}

#[test]
fn every_category_and_field_of_the_taxonomy_means_something_here() {
    for (category, fields) in TAXONOMY {
        let set = rule_set(&[rule(&format!("category: {category}"), fields)]);
        let check = set.check();
        assert_eq!((check.rules.len(), check.broken.len()), (1, 0), "{category}");
        assert!(check.no_records.is_empty(), "{:?}", check.no_records);
        assert!(check.no_field.is_empty(), "{:?}", check.no_field.keys().collect::<Vec<_>>());
    }
}

#[test]
fn a_category_or_field_that_is_in_no_taxonomy_is_told() {
    let set =
        rule_set(&[rule("category: process_creatoin", "Image"), rule("category: image_load", "ImageLoad")]);
    assert_eq!(set.check().no_records.keys().next().unwrap(), "product windows, category process_creatoin");
    assert_eq!(
        set.check().no_field.keys().next().unwrap(),
        "product windows, category image_load: ImageLoad"
    );
}

#[test]
fn every_service_of_the_guides_has_its_channels() {
    for service in SERVICES {
        let set = rule_set(&[rule(&format!("service: {service}"), "EventID")]);
        assert!(set.check().no_records.is_empty(), "{service}");
    }
}
