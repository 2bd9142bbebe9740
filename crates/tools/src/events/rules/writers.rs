//! The providers of events, with the GUIDs of their manifests and their channels.

use super::Writer;

pub(super) const SECURITY: Writer = Writer {
    provider: "Microsoft-Windows-Security-Auditing",
    guid: Some("54849625-5478-4994-a5ba-3e3b0328c30d"),
    channels: &["Security"],
};
pub(super) const EVENTLOG: Writer = Writer {
    provider: "Microsoft-Windows-Eventlog",
    guid: Some("fc65ddd8-d6ef-4962-83d5-6e5cfe9ce148"),
    channels: &["Security", "System"],
};
pub(super) const SERVICES: Writer = Writer {
    provider: "Service Control Manager",
    guid: Some("555908d1-a6d7-4695-8e1e-26931d2012f4"),
    channels: &["System"],
};
pub(super) const SYSMON: Writer = Writer {
    provider: "Microsoft-Windows-Sysmon",
    guid: Some("5770385f-c22a-43e0-bf4c-06f5698ffbd9"),
    channels: &["Microsoft-Windows-Sysmon/Operational"],
};
pub(super) const TASKS: Writer = Writer {
    provider: "Microsoft-Windows-TaskScheduler",
    guid: Some("de7b24ea-73c8-4a09-985d-5bdadcfa9017"),
    channels: &["Microsoft-Windows-TaskScheduler/Operational"],
};
pub(super) const SESSIONS: Writer = Writer {
    provider: "Microsoft-Windows-TerminalServices-LocalSessionManager",
    guid: Some("5d896912-022d-40aa-a3a8-4fa5515c76d7"),
    channels: &["Microsoft-Windows-TerminalServices-LocalSessionManager/Operational"],
};
pub(super) const REMOTE: Writer = Writer {
    provider: "Microsoft-Windows-TerminalServices-RemoteConnectionManager",
    guid: Some("c76baa63-ae81-421c-b425-340b4b24157f"),
    channels: &["Microsoft-Windows-TerminalServices-RemoteConnectionManager/Operational"],
};
pub(super) const RDP: Writer = Writer {
    provider: "Microsoft-Windows-RemoteDesktopServices-RdpCoreTS",
    guid: Some("1139c61b-b549-4251-8ed3-27250a1edec8"),
    channels: &["Microsoft-Windows-RemoteDesktopServices-RdpCoreTS/Operational"],
};
pub(super) const POWERSHELL: Writer = Writer {
    provider: "Microsoft-Windows-PowerShell",
    guid: Some("a0c1853b-5c40-4b15-8766-3cf1c58f985a"),
    channels: &["Microsoft-Windows-PowerShell/Operational"],
};
pub(super) const OLD_POWERSHELL: Writer =
    Writer { provider: "PowerShell", guid: None, channels: &["Windows PowerShell"] };
pub(super) const DEFENDER: Writer = Writer {
    provider: "Microsoft-Windows-Windows Defender",
    guid: Some("11cd958a-c507-4ef3-b3f2-5fd9dfbd2c78"),
    channels: &["Microsoft-Windows-Windows Defender/Operational"],
};
pub(super) const WMI: Writer = Writer {
    provider: "Microsoft-Windows-WMI-Activity",
    guid: Some("1418ef04-b0b4-4623-bf7e-d74ab47bbdaa"),
    channels: &["Microsoft-Windows-WMI-Activity/Operational"],
};
pub(super) const BITS: Writer = Writer {
    provider: "Microsoft-Windows-Bits-Client",
    guid: Some("ef1cc15b-46c1-414e-bb95-e76b077bd51e"),
    channels: &["Microsoft-Windows-Bits-Client/Operational"],
};
pub(super) const KERNEL: Writer = Writer {
    provider: "Microsoft-Windows-Kernel-General",
    guid: Some("a68ca8b7-004f-d7b6-a698-07e2de0f1f5d"),
    channels: &["System"],
};
pub(super) const POWER: Writer = Writer {
    provider: "Microsoft-Windows-Kernel-Power",
    guid: Some("331c3b3a-2005-44c2-ac5e-77220c37d6b4"),
    channels: &["System"],
};
pub(super) const SHUTDOWN: Writer =
    Writer { provider: "User32", guid: Some("b0aa8734-56f7-41cc-b2f4-de228e98b946"), channels: &["System"] };
pub(super) const OLD_EVENTLOG: Writer = Writer { provider: "EventLog", guid: None, channels: &["System"] };
pub(super) const PARTITION: Writer = Writer {
    provider: "Microsoft-Windows-Partition",
    guid: Some("412bdff2-a8c4-470d-8f33-63fe0d8c20e2"),
    channels: &["Microsoft-Windows-Partition/Diagnostic"],
};
pub(super) const PNP: Writer = Writer {
    provider: "Microsoft-Windows-Kernel-PnP",
    guid: Some("9c205a39-1250-487d-abd7-e831c6290539"),
    channels: &["Microsoft-Windows-Kernel-PnP/Configuration", "System"],
};
pub(super) const DRIVERS: Writer = Writer {
    provider: "Microsoft-Windows-DriverFrameworks-UserMode",
    guid: Some("2e35aaeb-857f-4beb-a418-2e6c0e54d988"),
    channels: &["Microsoft-Windows-DriverFrameworks-UserMode/Operational"],
};
pub(super) const FIREWALL: Writer = Writer {
    provider: "Microsoft-Windows-Windows Firewall With Advanced Security",
    guid: Some("d1bc9aff-2abf-4d71-9146-ecb2a986eb85"),
    channels: &["Microsoft-Windows-Windows Firewall With Advanced Security/Firewall"],
};

pub(super) const WINLOGON: Writer = Writer {
    provider: "Microsoft-Windows-Winlogon",
    guid: Some("dbe9b383-7cf3-4331-91cc-a3cb16a3b538"),
    channels: &["System"],
};
pub(super) const PROFILES: Writer = Writer {
    provider: "Microsoft-Windows-User Profiles Service",
    guid: Some("89b1e9f0-5aff-44a6-9b44-0a07a7ce5845"),
    channels: &["Microsoft-Windows-User Profile Service/Operational"],
};
pub(super) const NTLM: Writer = Writer {
    provider: "Microsoft-Windows-NTLM",
    guid: Some("ac43300d-5fcc-4800-8e99-1bd3f85f0320"),
    channels: &["Microsoft-Windows-NTLM/Operational"],
};
pub(super) const NETLOGON: Writer = Writer {
    provider: "Microsoft-Windows-Security-Netlogon",
    guid: Some("e5ba83f6-07d0-46b1-8bc7-7e669a1d31dc"),
    channels: &["Microsoft-Windows-NTLM/Operational"],
};
pub(super) const RDP_CLIENT: Writer = Writer {
    provider: "Microsoft-Windows-TerminalServices-ClientActiveXCore",
    guid: Some("28aa95bb-d444-4719-a36f-40462168127e"),
    channels: &["Microsoft-Windows-TerminalServices-RDPClient/Operational"],
};
pub(super) const GATEWAY: Writer = Writer {
    provider: "Microsoft-Windows-TerminalServices-Gateway",
    guid: Some("4d5ae6a1-c7c8-4e6d-b840-4d8080b42e1b"),
    channels: &["Microsoft-Windows-TerminalServices-Gateway/Operational"],
};
pub(super) const SMB_CLIENT: Writer = Writer {
    provider: "Microsoft-Windows-SMBClient",
    guid: Some("988c59c5-0a1c-45b6-a555-0c62276e327d"),
    channels: &["Microsoft-Windows-SmbClient/Connectivity", "Microsoft-Windows-SmbClient/Security"],
};
pub(super) const SMB_SERVER: Writer = Writer {
    provider: "Microsoft-Windows-SMBServer",
    guid: Some("d48ce617-33a2-4bc3-a5c7-11aa4f29619e"),
    channels: &[
        "Microsoft-Windows-SMBServer/Audit",
        "Microsoft-Windows-SMBServer/Operational",
        "Microsoft-Windows-SMBServer/Security",
    ],
};
pub(super) const WINRM: Writer = Writer {
    provider: "Microsoft-Windows-WinRM",
    guid: Some("a7975c8f-ac13-49f1-87da-5a984a4ab417"),
    channels: &["Microsoft-Windows-WinRM/Operational"],
};
pub(super) const OPENSSH: Writer = Writer {
    provider: "OpenSSH",
    guid: Some("c4b57d35-0636-4bc3-a262-370f249f9802"),
    channels: &["OpenSSH/Operational"],
};
pub(super) const DNS_CLIENT: Writer = Writer {
    provider: "Microsoft-Windows-DNS-Client",
    guid: Some("1c95126e-7eea-49a9-a3fe-a378b03ddb4d"),
    channels: &["Microsoft-Windows-DNS-Client/Operational", "System"],
};
pub(super) const NETWORKS: Writer = Writer {
    provider: "Microsoft-Windows-NetworkProfile",
    guid: Some("fbcfac3f-8459-419f-8e48-1f0b49cdb85e"),
    channels: &["Microsoft-Windows-NetworkProfile/Operational"],
};
pub(super) const WLAN: Writer = Writer {
    provider: "Microsoft-Windows-WLAN-AutoConfig",
    guid: Some("9580d7dd-0379-4658-9870-d5be7d52d6de"),
    channels: &["Microsoft-Windows-WLAN-AutoConfig/Operational"],
};
pub(super) const DHCP: Writer = Writer {
    provider: "Microsoft-Windows-Dhcp-Client",
    guid: Some("15a7a4f8-0072-4eab-abad-f98a4d666aed"),
    channels: &["Microsoft-Windows-Dhcp-Client/Admin", "Microsoft-Windows-Dhcp-Client/Operational", "System"],
};
pub(super) const RASCLIENT: Writer = Writer { provider: "RasClient", guid: None, channels: &["Application"] };
pub(super) const SHELL: Writer = Writer {
    provider: "Microsoft-Windows-Shell-Core",
    guid: Some("30336ed4-e327-447c-9de0-51b652c86108"),
    channels: &["Microsoft-Windows-Shell-Core/Operational"],
};
pub(super) const APPHELP: Writer = Writer {
    provider: "Microsoft-Windows-Application-Experience",
    guid: Some("eef54e71-0661-422d-9a98-82fd4940b820"),
    channels: &["Microsoft-Windows-Application-Experience/Program-Telemetry"],
};
pub(super) const CORE_POWERSHELL: Writer = Writer {
    provider: "PowerShellCore",
    guid: Some("f90714a8-5509-434a-bf6d-b1624c8a19a2"),
    channels: &["PowerShellCore/Operational"],
};
pub(super) const APPLOCKER: Writer = Writer {
    provider: "Microsoft-Windows-AppLocker",
    guid: Some("cbda4dbf-8d5d-4f69-9578-be14aa540d22"),
    channels: &[
        "Microsoft-Windows-AppLocker/EXE and DLL",
        "Microsoft-Windows-AppLocker/MSI and Script",
        "Microsoft-Windows-AppLocker/Packaged app-Deployment",
        "Microsoft-Windows-AppLocker/Packaged app-Execution",
    ],
};
pub(super) const CODE_INTEGRITY: Writer = Writer {
    provider: "Microsoft-Windows-CodeIntegrity",
    guid: Some("4ee76bd8-3cf4-44a0-a0ac-3937643e37a3"),
    channels: &["Microsoft-Windows-CodeIntegrity/Operational"],
};
pub(super) const BOOT: Writer = Writer {
    provider: "Microsoft-Windows-Kernel-Boot",
    guid: Some("15ca44ff-4d7a-4baa-bba5-0998955e531e"),
    channels: &["System"],
};
pub(super) const WAKING: Writer = Writer {
    provider: "Microsoft-Windows-Power-Troubleshooter",
    guid: Some("cdc05e28-c449-49c6-b9d2-88cf761644df"),
    channels: &["System"],
};
pub(super) const BUGCHECK: Writer = Writer {
    provider: "Microsoft-Windows-WER-SystemErrorReporting",
    guid: Some("abce23e7-de45-4366-8631-84fa6c525952"),
    channels: &["System"],
};
pub(super) const PERFORMANCE: Writer = Writer {
    provider: "Microsoft-Windows-Diagnostics-Performance",
    guid: Some("cfc18ec0-96b1-4eba-961b-622caee05b0a"),
    channels: &["Microsoft-Windows-Diagnostics-Performance/Operational"],
};
pub(super) const USER_PNP: Writer = Writer {
    provider: "Microsoft-Windows-UserPnp",
    guid: Some("96f4a050-7e31-453c-88be-9634f4e02139"),
    channels: &["System"],
};
pub(super) const NTFS: Writer = Writer {
    provider: "Microsoft-Windows-Ntfs",
    guid: Some("3ff37a1c-a68d-4d6e-8c9b-f79e8b16c482"),
    channels: &["Microsoft-Windows-Ntfs/Operational", "System"],
};
pub(super) const VIRTUAL_DISKS: Writer = Writer {
    provider: "Microsoft-Windows-VHDMP",
    guid: Some("e2816346-87f4-4f85-95c3-0c79409aa89d"),
    channels: &["Microsoft-Windows-VHDMP-Operational"],
};
pub(super) const PRINTING: Writer = Writer {
    provider: "Microsoft-Windows-PrintService",
    guid: Some("747ef6fd-e535-4d16-b510-42c90f6873a1"),
    channels: &["Microsoft-Windows-PrintService/Admin", "Microsoft-Windows-PrintService/Operational"],
};
pub(super) const MSI: Writer = Writer { provider: "MsiInstaller", guid: None, channels: &["Application"] };
pub(super) const UPDATES: Writer = Writer {
    provider: "Microsoft-Windows-WindowsUpdateClient",
    guid: Some("945a8954-c147-4acd-923f-40c45405a658"),
    channels: &["Microsoft-Windows-WindowsUpdateClient/Operational", "System"],
};
pub(super) const APPX: Writer = Writer {
    provider: "Microsoft-Windows-AppXDeployment-Server",
    guid: Some("3f471139-acb7-4a01-b7a7-ff5da4ba2d43"),
    channels: &["Microsoft-Windows-AppXDeploymentServer/Operational"],
};
// Since Windows 11 these two have manifests, too; on earlier versions, without manifests, their events are the same.
pub(super) const CRASH: Writer =
    Writer { provider: "Application Error", guid: None, channels: &["Application"] };
pub(super) const WER: Writer =
    Writer { provider: "Windows Error Reporting", guid: None, channels: &["Application"] };
pub(super) const HANG: Writer =
    Writer { provider: "Application Hang", guid: None, channels: &["Application"] };
pub(super) const DOTNET: Writer = Writer { provider: ".NET Runtime", guid: None, channels: &["Application"] };
pub(super) const ESENT: Writer = Writer { provider: "ESENT", guid: None, channels: &["Application"] };
pub(super) const ROOTS: Writer = Writer {
    provider: "Microsoft-Windows-CAPI2",
    guid: Some("5bbca4a8-b209-48dc-a8c7-b23d3e5216fb"),
    channels: &["Application"],
};
