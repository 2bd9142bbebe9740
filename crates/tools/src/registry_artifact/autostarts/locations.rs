//! The places in the registry from which programs are started.
//!
//! Sources: Microsoft Learn, "Run and RunOnce Registry Keys", "Winlogon and Credential Providers", "AppInit DLLs and Secure Boot",
//! "Image File Execution Options"; MITRE ATT&CK techniques T1547 (with its parts 001 to 014), T1546 (002, 007, 008, 009, 010, 012), T1037.001 and T1137.002;
//! and the list of places that Sysinternals Autoruns shows.

/// The key and hive below which a location is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    /// The root of SOFTWARE, and its `Wow6432Node`.
    Software,
    /// The `Software` key of a user, and its `Wow6432Node`.
    User,
    /// Both of these.
    Both,
    /// The root of a user's hive.
    Profile,
    /// The active control set of SYSTEM.
    ControlSet,
    /// The root of SYSTEM.
    System,
}

/// One place.
#[derive(Debug)]
pub(super) struct Location {
    /// What it is called in records, after what starts the entry.
    pub(super) name: &'static str,
    pub(super) root: Root,
    /// The path of the key from the root.
    pub(super) key: &'static str,
    /// How many levels below the key the values are; 0 for the key itself.
    pub(super) levels: u32,
    /// The names of the values that count; if there are none, all values count.
    pub(super) values: &'static [&'static str],
}

impl Location {
    /// Checks whether an entry starts once and is then removed.
    pub(super) fn is_once(&self) -> bool {
        self.name.contains("_once")
    }

    /// Checks whether the values are in a filter key below the key of the program that they are about.
    pub(super) fn is_filter(&self) -> bool {
        self.name == "image_file_execution_options" && self.levels == 2
    }
}

/// All places, the common ones first.
pub(super) const LOCATIONS: &[Location] = &[
    Location {
        name: "run",
        root: Root::Both,
        key: "Microsoft\\Windows\\CurrentVersion\\Run",
        levels: 0,
        values: &[],
    },
    Location {
        name: "run_once",
        root: Root::Both,
        key: "Microsoft\\Windows\\CurrentVersion\\RunOnce",
        levels: 0,
        values: &[],
    },
    Location {
        name: "run_once_setup",
        root: Root::Both,
        key: "Microsoft\\Windows\\CurrentVersion\\RunOnce\\Setup",
        levels: 0,
        values: &[],
    },
    Location {
        name: "run_once_ex",
        root: Root::Both,
        key: "Microsoft\\Windows\\CurrentVersion\\RunOnceEx",
        levels: 1,
        values: &[],
    },
    Location {
        name: "run_services",
        root: Root::Both,
        key: "Microsoft\\Windows\\CurrentVersion\\RunServices",
        levels: 0,
        values: &[],
    },
    Location {
        name: "run_services_once",
        root: Root::Both,
        key: "Microsoft\\Windows\\CurrentVersion\\RunServicesOnce",
        levels: 0,
        values: &[],
    },
    Location {
        name: "policies_run",
        root: Root::Both,
        key: "Microsoft\\Windows\\CurrentVersion\\Policies\\Explorer\\Run",
        levels: 0,
        values: &[],
    },
    Location {
        name: "policies_shell",
        root: Root::Both,
        key: "Microsoft\\Windows\\CurrentVersion\\Policies\\System",
        levels: 0,
        values: &["Shell"],
    },
    Location {
        name: "terminal_server_run",
        root: Root::Both,
        key: "Microsoft\\Windows NT\\CurrentVersion\\Terminal Server\\Install\\Software\\Microsoft\\Windows\\CurrentVersion\\Run",
        levels: 0,
        values: &[],
    },
    Location {
        name: "terminal_server_run_once",
        root: Root::Both,
        key: "Microsoft\\Windows NT\\CurrentVersion\\Terminal Server\\Install\\Software\\Microsoft\\Windows\\CurrentVersion\\RunOnce",
        levels: 0,
        values: &[],
    },
    Location {
        name: "winlogon",
        root: Root::Both,
        key: "Microsoft\\Windows NT\\CurrentVersion\\Winlogon",
        levels: 0,
        values: &[
            "Shell", "Userinit", "Taskman", "System", "VmApplet", "AppSetup", "GinaDLL", "UIHost", "MPNotify",
        ],
    },
    Location {
        name: "winlogon_notify",
        root: Root::Software,
        key: "Microsoft\\Windows NT\\CurrentVersion\\Winlogon\\Notify",
        levels: 1,
        values: &["DLLName"],
    },
    Location {
        name: "app_init_dlls",
        root: Root::Software,
        key: "Microsoft\\Windows NT\\CurrentVersion\\Windows",
        levels: 0,
        values: &["AppInit_DLLs", "IconServiceLib"],
    },
    Location {
        name: "load_and_run",
        root: Root::User,
        key: "Microsoft\\Windows NT\\CurrentVersion\\Windows",
        levels: 0,
        values: &["Load", "Run"],
    },
    Location {
        name: "image_file_execution_options",
        root: Root::Software,
        key: "Microsoft\\Windows NT\\CurrentVersion\\Image File Execution Options",
        levels: 1,
        values: &["Debugger", "VerifierDlls"],
    },
    // For each filter below a program: `UseFilter` makes its `Debugger` apply if the whole path matches (`FilterFullPath`).
    Location {
        name: "image_file_execution_options",
        root: Root::Software,
        key: "Microsoft\\Windows NT\\CurrentVersion\\Image File Execution Options",
        levels: 2,
        values: &["Debugger"],
    },
    Location {
        name: "silent_process_exit",
        root: Root::Software,
        key: "Microsoft\\Windows NT\\CurrentVersion\\SilentProcessExit",
        levels: 1,
        values: &["MonitorProcess"],
    },
    Location {
        name: "active_setup",
        root: Root::Software,
        key: "Microsoft\\Active Setup\\Installed Components",
        levels: 1,
        values: &["StubPath"],
    },
    Location {
        name: "command_processor",
        root: Root::Both,
        key: "Microsoft\\Command Processor",
        levels: 0,
        values: &["AutoRun"],
    },
    Location {
        name: "shell_service_object",
        root: Root::Software,
        key: "Microsoft\\Windows\\CurrentVersion\\ShellServiceObjectDelayLoad",
        levels: 0,
        values: &[],
    },
    Location {
        name: "startup_folder",
        root: Root::Software,
        key: "Microsoft\\Windows\\CurrentVersion\\Explorer\\Shell Folders",
        levels: 0,
        values: &["Common Startup"],
    },
    Location {
        name: "startup_folder",
        root: Root::Software,
        key: "Microsoft\\Windows\\CurrentVersion\\Explorer\\User Shell Folders",
        levels: 0,
        values: &["Common Startup"],
    },
    Location {
        name: "startup_folder",
        root: Root::User,
        key: "Microsoft\\Windows\\CurrentVersion\\Explorer\\Shell Folders",
        levels: 0,
        values: &["Startup"],
    },
    Location {
        name: "startup_folder",
        root: Root::User,
        key: "Microsoft\\Windows\\CurrentVersion\\Explorer\\User Shell Folders",
        levels: 0,
        values: &["Startup"],
    },
    Location {
        name: "shim_database",
        root: Root::Software,
        key: "Microsoft\\Windows NT\\CurrentVersion\\AppCompatFlags\\InstalledSDB",
        levels: 1,
        values: &["DatabasePath"],
    },
    Location {
        name: "group_policy_extension",
        root: Root::Software,
        key: "Microsoft\\Windows NT\\CurrentVersion\\Winlogon\\GPExtensions",
        levels: 1,
        values: &["DllName"],
    },
    Location {
        name: "crash_debugger",
        root: Root::Software,
        key: "Microsoft\\Windows NT\\CurrentVersion\\AeDebug",
        levels: 0,
        values: &["Debugger"],
    },
    Location {
        name: "crash_debugger",
        root: Root::Software,
        key: "Microsoft\\Windows\\Windows Error Reporting\\Hangs",
        levels: 0,
        values: &["Debugger", "ReflectDebugger"],
    },
    Location {
        name: "alternate_shell",
        root: Root::Software,
        key: "Microsoft\\Windows NT\\CurrentVersion\\Winlogon\\AlternateShells\\AvailableShells",
        levels: 0,
        values: &[],
    },
    Location {
        name: "profiler",
        root: Root::Profile,
        key: "Environment",
        levels: 0,
        values: &[
            "COR_PROFILER_PATH",
            "CORECLR_PROFILER_PATH",
            "COR_PROFILER_PATH_64",
            "COR_PROFILER_PATH_32",
        ],
    },
    Location {
        name: "profiler",
        root: Root::ControlSet,
        key: "Control\\Session Manager\\Environment",
        levels: 0,
        values: &[
            "COR_PROFILER_PATH",
            "CORECLR_PROFILER_PATH",
            "COR_PROFILER_PATH_64",
            "COR_PROFILER_PATH_32",
        ],
    },
    Location { name: "netsh_helper", root: Root::Software, key: "Microsoft\\Netsh", levels: 0, values: &[] },
    Location {
        name: "office_test",
        root: Root::Both,
        key: "Microsoft\\Office test\\Special\\Perf",
        levels: 0,
        values: &[],
    },
    Location {
        name: "policy_script",
        root: Root::Both,
        key: "Policies\\Microsoft\\Windows\\System\\Scripts\\Startup",
        levels: 2,
        values: &["Script"],
    },
    Location {
        name: "policy_script",
        root: Root::Both,
        key: "Policies\\Microsoft\\Windows\\System\\Scripts\\Shutdown",
        levels: 2,
        values: &["Script"],
    },
    Location {
        name: "policy_script",
        root: Root::Both,
        key: "Policies\\Microsoft\\Windows\\System\\Scripts\\Logon",
        levels: 2,
        values: &["Script"],
    },
    Location {
        name: "policy_script",
        root: Root::Both,
        key: "Policies\\Microsoft\\Windows\\System\\Scripts\\Logoff",
        levels: 2,
        values: &["Script"],
    },
    Location {
        name: "terminal_services_policy",
        root: Root::Both,
        key: "Policies\\Microsoft\\Windows NT\\Terminal Services",
        levels: 0,
        values: &["InitialProgram"],
    },
    Location {
        name: "screen_saver",
        root: Root::User,
        key: "Policies\\Microsoft\\Windows\\Control Panel\\Desktop",
        levels: 0,
        values: &["SCRNSAVE.EXE"],
    },
    Location {
        name: "screen_saver",
        root: Root::Profile,
        key: "Control Panel\\Desktop",
        levels: 0,
        values: &["SCRNSAVE.EXE"],
    },
    Location {
        name: "logon_script",
        root: Root::Profile,
        key: "Environment",
        levels: 0,
        values: &["UserInitMprLogonScript"],
    },
    Location {
        name: "boot_execute",
        root: Root::ControlSet,
        key: "Control\\Session Manager",
        levels: 0,
        values: &["BootExecute", "SetupExecute", "Execute", "S0InitialCommand"],
    },
    Location {
        name: "app_cert_dlls",
        root: Root::ControlSet,
        key: "Control\\Session Manager\\AppCertDlls",
        levels: 0,
        values: &[],
    },
    Location {
        name: "lsa_package",
        root: Root::ControlSet,
        key: "Control\\Lsa",
        levels: 0,
        values: &["Authentication Packages", "Security Packages", "Notification Packages"],
    },
    Location {
        name: "lsa_package",
        root: Root::ControlSet,
        key: "Control\\Lsa\\OSConfig",
        levels: 0,
        values: &["Security Packages"],
    },
    Location {
        name: "security_providers",
        root: Root::ControlSet,
        key: "Control\\SecurityProviders",
        levels: 0,
        values: &["SecurityProviders"],
    },
    Location {
        name: "print_monitor",
        root: Root::ControlSet,
        key: "Control\\Print\\Monitors",
        levels: 1,
        values: &["Driver"],
    },
    Location {
        name: "print_provider",
        root: Root::ControlSet,
        key: "Control\\Print\\Providers",
        levels: 1,
        values: &["Name"],
    },
    Location {
        name: "terminal_server",
        root: Root::ControlSet,
        key: "Control\\Terminal Server\\WinStations",
        levels: 1,
        values: &["InitialProgram"],
    },
    Location {
        name: "terminal_server",
        root: Root::ControlSet,
        key: "Control\\Terminal Server\\Wds\\rdpwd",
        levels: 0,
        values: &["StartupPrograms"],
    },
    Location {
        name: "safe_boot_shell",
        root: Root::ControlSet,
        key: "Control\\SafeBoot",
        levels: 0,
        values: &["AlternateShell"],
    },
    Location {
        name: "boot_verification",
        root: Root::ControlSet,
        key: "Control\\BootVerificationProgram",
        levels: 0,
        values: &["ImagePath"],
    },
    Location {
        name: "time_provider",
        root: Root::ControlSet,
        key: "Services\\W32Time\\TimeProviders",
        levels: 1,
        values: &["DllName"],
    },
    Location {
        name: "known_dll",
        root: Root::ControlSet,
        key: "Control\\Session Manager\\KnownDLLs",
        levels: 0,
        values: &[],
    },
    Location {
        name: "directory_service_extension",
        root: Root::ControlSet,
        key: "Services\\NTDS",
        levels: 0,
        values: &["LsaDbExtPt", "DirectoryServiceExtPt"],
    },
    Location {
        name: "router_manager",
        root: Root::ControlSet,
        key: "Services\\RemoteAccess\\RouterManagers",
        levels: 1,
        values: &["DLLPath"],
    },
    Location { name: "setup_command", root: Root::System, key: "Setup", levels: 0, values: &["CmdLine"] },
];
