//! The settings that are read, and the meaning of their values.

/// The hive of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The active control set of SYSTEM.
    ControlSet,
    /// SOFTWARE.
    Software,
    /// A user's hive.
    User,
}

/// One setting.
#[derive(Debug)]
pub(super) struct Setting {
    pub(super) name: &'static str,
    pub(super) place: Place,
    pub(super) key: &'static str,
    pub(super) value: &'static str,
    /// The meaning of the values.
    pub(super) states: &'static [(u64, &'static str)],
}

/// 1 switches it on.
const ON_OFF: &[(u64, &str)] = &[(0, "off"), (1, "on")];

/// 1 switches it off.
const OFF_ON: &[(u64, &str)] = &[(0, "on"), (1, "off")];

const fn setting(
    name: &'static str,
    place: Place,
    key: &'static str,
    value: &'static str,
    states: &'static [(u64, &'static str)],
) -> Setting {
    Setting { name, place, key, value, states }
}

/// All settings.
#[rustfmt::skip]
pub(super) const SETTINGS: &[Setting] = &[
    setting("remote_desktop", Place::ControlSet, "Control\\Terminal Server", "fDenyTSConnections", OFF_ON),
    setting("remote_desktop", Place::Software, "Policies\\Microsoft\\Windows NT\\Terminal Services", "fDenyTSConnections", OFF_ON),
    setting("remote_desktop_network_level_authentication", Place::ControlSet, "Control\\Terminal Server\\WinStations\\RDP-Tcp", "UserAuthentication", ON_OFF),
    setting("remote_desktop_port", Place::ControlSet, "Control\\Terminal Server\\WinStations\\RDP-Tcp", "PortNumber", &[]),
    setting("remote_desktop_single_session", Place::ControlSet, "Control\\Terminal Server", "fSingleSessionPerUser", ON_OFF),
    setting("remote_desktop_restricted_admin_disabled", Place::ControlSet, "Control\\Lsa", "DisableRestrictedAdmin", ON_OFF),
    setting("remote_assistance", Place::ControlSet, "Control\\Remote Assistance", "fAllowToGetHelp", ON_OFF),
    setting("uac", Place::Software, "Microsoft\\Windows\\CurrentVersion\\Policies\\System", "EnableLUA", ON_OFF),
    setting("uac_prompt_of_administrators", Place::Software, "Microsoft\\Windows\\CurrentVersion\\Policies\\System", "ConsentPromptBehaviorAdmin", &[(0, "no prompt"), (1, "credentials on the secure desktop"), (2, "consent on the secure desktop"), (3, "credentials"), (4, "consent"), (5, "consent for programs of others")]),
    setting("uac_secure_desktop", Place::Software, "Microsoft\\Windows\\CurrentVersion\\Policies\\System", "PromptOnSecureDesktop", ON_OFF),
    setting("uac_remote_local_accounts_unfiltered", Place::Software, "Microsoft\\Windows\\CurrentVersion\\Policies\\System", "LocalAccountTokenFilterPolicy", ON_OFF),
    setting("lsa_protection", Place::ControlSet, "Control\\Lsa", "RunAsPPL", &[(0, "off"), (1, "on"), (2, "on")]),
    setting("wdigest_keeps_passwords", Place::ControlSet, "Control\\SecurityProviders\\WDigest", "UseLogonCredential", ON_OFF),
    setting("lm_hash_not_stored", Place::ControlSet, "Control\\Lsa", "NoLMHash", ON_OFF),
    setting("lan_manager_authentication_level", Place::ControlSet, "Control\\Lsa", "LmCompatibilityLevel", &[]),
    setting("anonymous_access_restricted", Place::ControlSet, "Control\\Lsa", "RestrictAnonymous", &[(0, "off"), (1, "on"), (2, "on")]),
    setting("anonymous_access_to_accounts_restricted", Place::ControlSet, "Control\\Lsa", "RestrictAnonymousSAM", ON_OFF),
    setting("blank_passwords_only_at_console", Place::ControlSet, "Control\\Lsa", "LimitBlankPasswordUse", ON_OFF),
    setting("credential_guard", Place::ControlSet, "Control\\Lsa", "LsaCfgFlags", &[(0, "off"), (1, "on"), (2, "on")]),
    setting("virtualization_based_security", Place::ControlSet, "Control\\DeviceGuard", "EnableVirtualizationBasedSecurity", ON_OFF),
    setting("smb1_server", Place::ControlSet, "Services\\LanmanServer\\Parameters", "SMB1", ON_OFF),
    setting("smb_server_signing_required", Place::ControlSet, "Services\\LanmanServer\\Parameters", "RequireSecuritySignature", ON_OFF),
    setting("firewall_domain", Place::ControlSet, "Services\\SharedAccess\\Parameters\\FirewallPolicy\\DomainProfile", "EnableFirewall", ON_OFF),
    setting("firewall_private", Place::ControlSet, "Services\\SharedAccess\\Parameters\\FirewallPolicy\\StandardProfile", "EnableFirewall", ON_OFF),
    setting("firewall_public", Place::ControlSet, "Services\\SharedAccess\\Parameters\\FirewallPolicy\\PublicProfile", "EnableFirewall", ON_OFF),
    setting("firewall_domain", Place::Software, "Policies\\Microsoft\\WindowsFirewall\\DomainProfile", "EnableFirewall", ON_OFF),
    setting("firewall_private", Place::Software, "Policies\\Microsoft\\WindowsFirewall\\StandardProfile", "EnableFirewall", ON_OFF),
    setting("firewall_public", Place::Software, "Policies\\Microsoft\\WindowsFirewall\\PublicProfile", "EnableFirewall", ON_OFF),
    setting("defender_disabled", Place::Software, "Microsoft\\Windows Defender", "DisableAntiSpyware", ON_OFF),
    setting("defender_disabled", Place::Software, "Policies\\Microsoft\\Windows Defender", "DisableAntiSpyware", ON_OFF),
    setting("defender_antivirus_disabled", Place::Software, "Microsoft\\Windows Defender", "DisableAntiVirus", ON_OFF),
    setting("defender_antivirus_disabled", Place::Software, "Policies\\Microsoft\\Windows Defender", "DisableAntiVirus", ON_OFF),
    setting("defender_real_time_protection_disabled", Place::Software, "Microsoft\\Windows Defender\\Real-Time Protection", "DisableRealtimeMonitoring", ON_OFF),
    setting("defender_real_time_protection_disabled", Place::Software, "Policies\\Microsoft\\Windows Defender\\Real-Time Protection", "DisableRealtimeMonitoring", ON_OFF),
    setting("defender_behavior_monitoring_disabled", Place::Software, "Policies\\Microsoft\\Windows Defender\\Real-Time Protection", "DisableBehaviorMonitoring", ON_OFF),
    setting("defender_tamper_protection", Place::Software, "Microsoft\\Windows Defender\\Features", "TamperProtection", &[(0, "off"), (1, "on"), (4, "off"), (5, "on")]),
    setting("defender_cloud_reporting", Place::Software, "Microsoft\\Windows Defender\\Spynet", "SpyNetReporting", &[(0, "off"), (1, "basic"), (2, "advanced")]),
    setting("smart_screen", Place::Software, "Microsoft\\Windows\\CurrentVersion\\Explorer", "SmartScreenEnabled", &[]),
    setting("smart_screen", Place::Software, "Policies\\Microsoft\\Windows\\System", "EnableSmartScreen", ON_OFF),
    setting("event_log_security_maximum_size", Place::ControlSet, "Services\\EventLog\\Security", "MaxSize", &[]),
    setting("event_log_security_retention", Place::ControlSet, "Services\\EventLog\\Security", "Retention", &[]),
    setting("event_log_channel_security", Place::ControlSet, "Services\\EventLog\\Security", "CustomSD", &[]),
    setting("event_log_service_start", Place::ControlSet, "Services\\EventLog", "Start", &[(2, "automatic"), (3, "manual"), (4, "disabled")]),
    setting("powershell_script_block_logging", Place::Software, "Policies\\Microsoft\\Windows\\PowerShell\\ScriptBlockLogging", "EnableScriptBlockLogging", ON_OFF),
    setting("powershell_module_logging", Place::Software, "Policies\\Microsoft\\Windows\\PowerShell\\ModuleLogging", "EnableModuleLogging", ON_OFF),
    setting("powershell_transcription", Place::Software, "Policies\\Microsoft\\Windows\\PowerShell\\Transcription", "EnableTranscripting", ON_OFF),
    setting("powershell_execution_policy", Place::Software, "Microsoft\\PowerShell\\1\\ShellIds\\Microsoft.PowerShell", "ExecutionPolicy", &[]),
    setting("powershell_execution_policy", Place::User, "Software\\Microsoft\\PowerShell\\1\\ShellIds\\Microsoft.PowerShell", "ExecutionPolicy", &[]),
    setting("command_lines_in_process_events", Place::Software, "Microsoft\\Windows\\CurrentVersion\\Policies\\System\\Audit", "ProcessCreationIncludeCmdLine_Enabled", ON_OFF),
    setting("prefetch", Place::ControlSet, "Control\\Session Manager\\Memory Management\\PrefetchParameters", "EnablePrefetcher", &[(0, "off"), (1, "programs"), (2, "start"), (3, "on")]),
    setting("superfetch", Place::ControlSet, "Control\\Session Manager\\Memory Management\\PrefetchParameters", "EnableSuperfetch", &[(0, "off"), (1, "programs"), (2, "start"), (3, "on")]),
    setting("page_file_cleared_at_shutdown", Place::ControlSet, "Control\\Session Manager\\Memory Management", "ClearPageFileAtShutdown", ON_OFF),
    setting("last_access_disabled", Place::ControlSet, "Control\\FileSystem", "NtfsDisableLastAccessUpdate", &[(0, "off"), (1, "on"), (0x8000_0000, "off, by the user"), (0x8000_0001, "on, by the user"), (0x8000_0002, "off, by the system"), (0x8000_0003, "on, by the system")]),
    setting("short_names_disabled", Place::ControlSet, "Control\\FileSystem", "NtfsDisable8dot3NameCreation", &[(0, "off"), (1, "on"), (2, "by volume"), (3, "on but for the system volume")]),
    setting("crash_dump", Place::ControlSet, "Control\\CrashControl", "CrashDumpEnabled", &[(0, "off"), (1, "complete"), (2, "kernel"), (3, "small"), (7, "automatic")]),
    setting("autorun_disabled_for", Place::Software, "Microsoft\\Windows\\CurrentVersion\\Policies\\Explorer", "NoDriveTypeAutoRun", &[]),
    setting("script_host", Place::Software, "Microsoft\\Windows Script Host\\Settings", "Enabled", ON_OFF),
    setting("script_host", Place::User, "Software\\Microsoft\\Windows Script Host\\Settings", "Enabled", ON_OFF),
    setting("automatic_logon", Place::Software, "Microsoft\\Windows NT\\CurrentVersion\\Winlogon", "AutoAdminLogon", &[]),
    setting("cached_logons", Place::Software, "Microsoft\\Windows NT\\CurrentVersion\\Winlogon", "CachedLogonsCount", &[]),
    setting("user_assist_tracking", Place::User, "Software\\Microsoft\\Windows\\CurrentVersion\\Explorer\\Advanced", "Start_TrackProgs", ON_OFF),
    setting("document_tracking", Place::User, "Software\\Microsoft\\Windows\\CurrentVersion\\Explorer\\Advanced", "Start_TrackDocs", ON_OFF),
    setting("hidden_files_shown", Place::User, "Software\\Microsoft\\Windows\\CurrentVersion\\Explorer\\Advanced", "Hidden", &[(1, "on"), (2, "off")]),
    setting("extensions_hidden", Place::User, "Software\\Microsoft\\Windows\\CurrentVersion\\Explorer\\Advanced", "HideFileExt", ON_OFF),
    setting("task_manager_disabled", Place::User, "Software\\Microsoft\\Windows\\CurrentVersion\\Policies\\System", "DisableTaskMgr", ON_OFF),
    setting("registry_tools_disabled", Place::User, "Software\\Microsoft\\Windows\\CurrentVersion\\Policies\\System", "DisableRegistryTools", ON_OFF),
    setting("proxy_enabled", Place::User, "Software\\Microsoft\\Windows\\CurrentVersion\\Internet Settings", "ProxyEnable", ON_OFF),
    setting("proxy_server", Place::User, "Software\\Microsoft\\Windows\\CurrentVersion\\Internet Settings", "ProxyServer", &[]),
    setting("proxy_script", Place::User, "Software\\Microsoft\\Windows\\CurrentVersion\\Internet Settings", "AutoConfigURL", &[]),
    setting("office_macro_warnings", Place::User, "Software\\Microsoft\\Office\\16.0\\Word\\Security", "VBAWarnings", &[(1, "all macros run"), (2, "asks"), (3, "signed macros run"), (4, "no macro runs")]),
];
