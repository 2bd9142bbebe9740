//! The facts that were planted, and where each stands.

use super::browsers::{HISTORY, PLACES};
use super::clock::Time;
use super::files::typed;
use super::parts::{collected, rot13};
use super::story::*;
use super::system::device_path;
use super::tasks;
use super::truth::{Datum, Fact, Place};

pub(crate) const SYSTEM: &str = "C/Windows/System32/config/SYSTEM";
pub(crate) const SOFTWARE: &str = "C/Windows/System32/config/SOFTWARE";
pub(crate) const SAM: &str = "C/Windows/System32/config/SAM";
pub(crate) const MARA_HIVE: &str = "C/Users/mara/NTUSER.DAT";
pub(crate) const ADMIN_HIVE: &str = "C/Users/it-admin/NTUSER.DAT";

/// All of them.
pub(crate) fn all() -> Vec<Fact> {
    [
        machine(),
        devices(),
        windows(),
        autostarts(),
        accounts(),
        mara(),
        traces(),
        persistence_files(),
        browsers(),
    ]
    .concat()
}

fn text(text: &str) -> Datum {
    Datum::Text(text.to_owned())
}

fn time(time: Time) -> Datum {
    Datum::Instant(time)
}

/// Facts of one hive.
struct Hive {
    file: &'static str,
    facts: Vec<Fact>,
}

impl Hive {
    fn new(file: &'static str) -> Self {
        Self { file, facts: Vec::new() }
    }

    /// Of one value.
    fn value(
        self,
        id: &'static str,
        question: &'static str,
        key: &str,
        name: &str,
        values: Vec<Datum>,
    ) -> Self {
        self.push(id, question, Place::Registry { key: key.to_owned(), value: Some(name.to_owned()) }, values)
    }

    /// Of a key with its values and its time.
    fn key(self, id: &'static str, question: &'static str, key: &str, values: Vec<Datum>) -> Self {
        self.push(id, question, Place::Registry { key: key.to_owned(), value: None }, values)
    }

    fn push(mut self, id: &'static str, question: &'static str, place: Place, values: Vec<Datum>) -> Self {
        self.facts.push(Fact { id, question, values, file: self.file.to_owned(), place });
        self
    }
}

fn machine() -> Vec<Fact> {
    const CONTROL: &str = "ControlSet001\\Control";
    const TCPIP: &str = "ControlSet001\\Services\\Tcpip\\Parameters";
    let adapters =
        format!("{CONTROL}\\Network\\{{4D36E972-E325-11CE-BFC1-08002BE10318}}\\{WIFI}\\Connection");
    Hive::new(SYSTEM)
        .value("control-set", "Which control set is in use?", "Select", "Current", vec![Datum::Number(1)])
        .value(
            "computer-name",
            "What is the computer's name?",
            &format!("{CONTROL}\\ComputerName\\ComputerName"),
            "ComputerName",
            vec![text(HOST)],
        )
        .value("host-name", "What is its TCP/IP host name?", TCPIP, "Hostname", vec![text(HOST)])
        .value("domain", "What is its DNS domain?", TCPIP, "Domain", vec![text(DOMAIN)])
        .value(
            "time-zone",
            "Which time zone is configured?",
            &format!("{CONTROL}\\TimeZoneInformation"),
            "TimeZoneKeyName",
            vec![text(ZONE)],
        )
        .value(
            "shutdown",
            "When was it last shut down?",
            &format!("{CONTROL}\\Windows"),
            "ShutdownTime",
            vec![time(SHUTDOWN)],
        )
        .key(
            "ethernet",
            "Which address did the cable have, and since when?",
            &format!("{TCPIP}\\Interfaces\\{ETHERNET}"),
            vec![text(ETHERNET_ADDRESS), time(MORNING)],
        )
        .key(
            "wifi",
            "Which address did the radio have, and since when?",
            &format!("{TCPIP}\\Interfaces\\{WIFI}"),
            vec![text(WIFI_ADDRESS), time(CAFE_FIRST)],
        )
        .value("wifi-name", "What is that connection called?", &adapters, "Name", vec![text("Wi-Fi")])
        .value(
            "share",
            "Which folder is shared?",
            "ControlSet001\\Services\\LanmanServer\\Shares",
            SHARE,
            vec![text(SHARE_PATH)],
        )
        .value(
            "name-service",
            "Which library does the DNS client load?",
            "ControlSet001\\Services\\Dnscache\\Parameters",
            "ServiceDll",
            vec![text("%SystemRoot%\\System32\\dnsrslvr.dll")],
        )
        .value(
            "remote-desktop",
            "Is remote desktop allowed?",
            &format!("{CONTROL}\\Terminal Server"),
            "fDenyTSConnections",
            vec![Datum::Number(0)],
        )
        .facts
}

fn devices() -> Vec<Fact> {
    const TIMES: &str = "Properties\\{83da6326-97a6-4088-9453-a1923f573b29}";
    let disk = |model: &str, serial: &str| format!("ControlSet001\\Enum\\USBSTOR\\{model}\\{serial}");
    let (new, old) = (disk(STICK_MODEL, STICK_SERIAL), disk(OLD_STICK_MODEL, OLD_STICK_SERIAL));
    Hive::new(SYSTEM)
        .key("stick", "Which stick was connected last?", &new, vec![text(STICK_NAME), text(STICK_SERIAL)])
        .value(
            "stick-connected",
            "When was it first connected?",
            &format!("{new}\\{TIMES}\\0064"),
            "",
            vec![time(STICK_IN)],
        )
        .value(
            "stick-removed",
            "When was it removed?",
            &format!("{new}\\{TIMES}\\0067"),
            "",
            vec![time(STICK_OUT)],
        )
        .value(
            "stick-letter",
            "Which drive letter did it have?",
            "MountedDevices",
            "\\DosDevices\\E:",
            vec![text("\\DosDevices\\E:"), text(STICK_SERIAL)],
        )
        .key(
            "old-stick",
            "Which other stick was used?",
            &old,
            vec![text(OLD_STICK_NAME), text(OLD_STICK_SERIAL)],
        )
        .value(
            "old-stick-first",
            "When was the other stick first connected?",
            &format!("{old}\\{TIMES}\\0064"),
            "",
            vec![time(OLD_STICK_FIRST)],
        )
        .value(
            "old-stick-last",
            "When was the other stick last connected?",
            &format!("{old}\\{TIMES}\\0066"),
            "",
            vec![time(OLD_STICK_LAST)],
        )
        .facts
}

fn windows() -> Vec<Fact> {
    const NT: &str = "Microsoft\\Windows NT\\CurrentVersion";
    let profile = |sid: String| format!("{NT}\\ProfileList\\{sid}");
    let (mara, admin) = (profile(local_sid(MARA_RID)), profile(local_sid(IT_ADMIN_RID)));
    let colleague = profile(domain_sid(COLLEAGUE_RID));
    Hive::new(SOFTWARE)
        .key(
            "windows",
            "Which Windows is installed?",
            NT,
            vec![text(PRODUCT), text(RELEASE), text(BUILD), Datum::Number(REVISION)],
        )
        .value("owner", "To whom is it registered?", NT, "RegisteredOwner", vec![text(OWNER)])
        .value("installed", "When was Windows installed?", NT, "InstallDate", vec![time(INSTALLED)])
        .value(
            "profile-mara",
            "Where is the profile of mara?",
            &mara,
            "ProfileImagePath",
            vec![text("C:\\Users\\mara"), text(&local_sid(MARA_RID))],
        )
        .value(
            "profile-it-admin",
            "Where is the profile of it-admin?",
            &admin,
            "ProfileImagePath",
            vec![text("C:\\Users\\it-admin"), text(&local_sid(IT_ADMIN_RID))],
        )
        .value(
            "profile-domain",
            "Which domain account has a profile?",
            &colleague,
            "ProfileImagePath",
            vec![text(&format!("C:\\Users\\{COLLEAGUE}")), text(&domain_sid(COLLEAGUE_RID))],
        )
        .value(
            "last-user",
            "Who logged on last at the console?",
            "Microsoft\\Windows\\CurrentVersion\\Authentication\\LogonUI",
            "LastLoggedOnUser",
            vec![text(&format!("{HOST}\\{MARA}"))],
        )
        .value(
            "cafe",
            "To which foreign network was it connected?",
            &format!("{NT}\\NetworkList\\Profiles\\{CAFE_PROFILE}"),
            "ProfileName",
            vec![text(CAFE)],
        )
        .value(
            "ledgerline",
            "Which accounting program is installed?",
            "Microsoft\\Windows\\CurrentVersion\\Uninstall\\Ledgerline",
            "DisplayName",
            vec![text(LEDGERLINE)],
        )
        .key(
            "scan-to-pdf",
            "As what does the fake tool list itself?",
            "Microsoft\\Windows\\CurrentVersion\\Uninstall\\ScanToPdf",
            vec![text(UNINSTALL_NAME), text(UNINSTALL_PUBLISHER)],
        )
        .facts
}

fn autostarts() -> Vec<Fact> {
    const RUN: &str = "Microsoft\\Windows\\CurrentVersion\\Run";
    const NT: &str = "Microsoft\\Windows NT\\CurrentVersion";
    let service = format!("ControlSet001\\Services\\{SERVICE}");
    let debugged = format!("{NT}\\Image File Execution Options\\{DEBUGGED}");
    let hidden = format!("{NT}\\Winlogon\\SpecialAccounts\\UserList");
    let system = Hive::new(SYSTEM)
        .key(
            "service",
            "Which service starts the fake program?",
            &service,
            vec![text(SERVICE_TITLE), text(SERVICE_COMMAND), Datum::Number(2)],
        )
        .key("service-made", "When was it made?", &service, vec![time(SERVICE_MADE.key_write())])
        .value(
            "program-ran",
            "When did the fake program last run?",
            &format!("ControlSet001\\Services\\bam\\State\\UserSettings\\{}", local_sid(MARA_RID)),
            &device_path(PROGRAM),
            vec![text(&device_path(PROGRAM)), time(PROGRAM_RAN)],
        )
        .facts;
    let software = Hive::new(SOFTWARE)
        .value(
            "run-planted",
            "Which Run value starts the fake program?",
            RUN,
            RUN_NAME,
            vec![text(RUN_NAME), text(RUN_COMMAND)],
        )
        .key("run-written", "When was the Run key last written?", RUN, vec![time(PLANTED.key_write())])
        .value(
            "run-ordinary",
            "What else does the Run key start?",
            RUN,
            "SecurityHealth",
            vec![text(SECURITY_HEALTH)],
        )
        .value(
            "run-32",
            "What does the Run key for 32-bit programs start?",
            &format!("Wow6432Node\\{RUN}"),
            "LedgerlineTray",
            vec![text(LEDGERLINE_TRAY)],
        )
        .value(
            "debugger",
            "Which debugger is set for sticky keys?",
            &debugged,
            "Debugger",
            vec![text(DEBUGGER)],
        )
        .key(
            "debugger-set",
            "When was it set?",
            &debugged,
            vec![text(DEBUGGED), time(DEBUGGER_SET.key_write())],
        )
        .value(
            "plant-hidden",
            "Which account is hidden from the logon screen?",
            &hidden,
            PLANT,
            vec![text(PLANT), Datum::Number(0)],
        )
        .facts;
    let user = Hive::new(MARA_HIVE)
        .value(
            "onedrive",
            "What starts with mara's session?",
            &format!("Software\\{RUN}"),
            "OneDrive",
            vec![text(ONEDRIVE)],
        )
        .facts;
    [system, software, user].concat()
}

fn accounts() -> Vec<Fact> {
    const ACCOUNT: &str = "SAM\\Domains\\Account";
    const ADMINISTRATORS: &str = "SAM\\Domains\\Builtin\\Aliases\\00000220";
    let [a, b, c] = MACHINE_SID;
    let user = |rid: u32| format!("{ACCOUNT}\\Users\\{rid:08X}");
    Hive::new(SAM)
        .value(
            "machine-sid",
            "What is the SID of the machine?",
            ACCOUNT,
            "V",
            vec![text(&format!("S-1-5-21-{a}-{b}-{c}"))],
        )
        .key(
            "mara",
            "Who is mara, and when did she last log on?",
            &user(MARA_RID),
            vec![text(MARA_NAME), time(MARA_LOGON), Datum::Number(u32::from(MARA_LOGONS))],
        )
        .value(
            "mara-wrong-password",
            "When was her password last mistyped?",
            &user(MARA_RID),
            "F",
            vec![time(MARA_WRONG_PASSWORD)],
        )
        .key(
            "it-admin-logon",
            "When did it-admin last log on?",
            &user(IT_ADMIN_RID),
            vec![text(IT_ADMIN), time(IT_ADMIN_LOGON)],
        )
        .key(
            "plant-account",
            "Which account did the intruder make?",
            &user(PLANT_RID),
            vec![text(PLANT), text(PLANT_COMMENT), Datum::Number(PLANT_RID)],
        )
        .key(
            "plant-made",
            "When was it made?",
            &format!("{ACCOUNT}\\Users\\Names\\{PLANT}"),
            vec![time(PLANT_MADE.key_write())],
        )
        .value(
            "plant-logon",
            "When did it last log on?",
            &user(PLANT_RID),
            "F",
            vec![time(PLANT_LOGON), Datum::Number(u32::from(PLANT_LOGONS))],
        )
        .value(
            "plant-administrator",
            "Is it an administrator?",
            ADMINISTRATORS,
            "C",
            vec![text("Administrators"), text(&local_sid(PLANT_RID))],
        )
        .facts
}

fn mara() -> Vec<Fact> {
    const IE: &str = "Software\\Microsoft\\Internet Explorer";
    const EXPLORER: &str = "Software\\Microsoft\\Windows\\CurrentVersion\\Explorer";
    let counts = format!("{EXPLORER}\\UserAssist\\{{CEBFF5CD-ACE2-4F4F-9178-9926F41749EA}}\\Count");
    Hive::new(MARA_HIVE)
        .value(
            "page-typed",
            "Which address was typed last?",
            &format!("{IE}\\TypedURLs"),
            "url1",
            vec![text(PAGE)],
        )
        .value(
            "page-typed-time",
            "When was it typed?",
            &format!("{IE}\\TypedURLsTime"),
            "url1",
            vec![time(VISITED)],
        )
        .value(
            "intranet-typed",
            "Which address was typed before?",
            &format!("{IE}\\TypedURLs"),
            "url2",
            vec![text(INTRANET)],
        )
        .value(
            "installer-started",
            "When was the installer started, and how often?",
            &counts,
            &rot13(INSTALLER),
            vec![text(INSTALLER), Datum::Number(STARTS), time(STARTED)],
        )
        .value(
            "calculator",
            "How often was the calculator started, and when last?",
            &counts,
            &rot13(CALCULATOR),
            vec![text("calc.exe"), Datum::Number(CALCULATOR_RUNS), time(CALCULATOR_RAN)],
        )
        .value(
            "run-dialogue",
            "What was last typed into the Run dialogue?",
            &format!("{EXPLORER}\\RunMRU"),
            "c",
            vec![text("powershell\\1")],
        )
        .value(
            "ledger-folder",
            "Which folder of ledgers was typed into Explorer?",
            &format!("{EXPLORER}\\TypedPaths"),
            "url2",
            vec![text(LEDGER_FOLDER)],
        )
        .value(
            "archive-opened",
            "Which archive was opened last?",
            &format!("{EXPLORER}\\RecentDocs\\.zip"),
            "0",
            vec![text(OPENED_ARCHIVE)],
        )
        .value(
            "document",
            "Which document was opened?",
            &format!("{EXPLORER}\\RecentDocs\\.docx"),
            "0",
            vec![text(DOCUMENT)],
        )
        .value(
            "archive-saved",
            "Which archive was chosen in a dialogue?",
            &format!("{EXPLORER}\\ComDlg32\\OpenSavePidlMRU\\zip"),
            "0",
            vec![text(OPENED_ARCHIVE)],
        )
        .key(
            "stick-mounted",
            "When did mara's session see the stick?",
            &format!("{EXPLORER}\\MountPoints2\\{STICK_VOLUME}"),
            vec![text(STICK_VOLUME), time(STICK_IN.key_write())],
        )
        .value(
            "remote-server",
            "To which machine did remote desktop go?",
            &format!("Software\\Microsoft\\Terminal Server Client\\Servers\\{FILE_SERVER}"),
            "UsernameHint",
            vec![text(FILE_SERVER), text(REMOTE_USER)],
        )
        .facts
}

fn file(id: &'static str, question: &'static str, file: &str, values: Vec<Datum>) -> Fact {
    Fact { id, question, values, file: file.to_owned(), place: Place::Whole }
}

/// What was done with the ledgers.
fn traces() -> Vec<Fact> {
    let bin = format!("C/$Recycle.Bin/{}", local_sid(MARA_RID));
    vec![
        file("pack-command", "Which command packed the ledgers?", &typed(MARA), vec![text(PACK_COMMAND)]),
        file(
            "copy-command",
            "Which command copied the archive away?",
            &typed(MARA),
            vec![text(COPY_COMMAND)],
        ),
        file(
            "archive-list",
            "What was packed?",
            &collected(ARCHIVE_LIST),
            vec![text(&format!("{LEDGER_FOLDER}\\2025-q3.csv"))],
        ),
        file(
            "archive-deleted",
            "When was the archive deleted?",
            &format!("{bin}/$I{ARCHIVE_BIN}.zip"),
            vec![text(ARCHIVE), time(ARCHIVE_DELETED)],
        ),
        file(
            "lunch-deleted",
            "What else lies in the recycle bin?",
            &format!("{bin}/$I{LUNCH_BIN}.txt"),
            vec![text(LUNCH), time(LUNCH_DELETED)],
        ),
        file("installer-file", "Where is the installer?", &collected(INSTALLER), vec![text(INSTALLER)]),
        file("program-file", "Where is the fake program?", &collected(PROGRAM), vec![text(PROGRAM)]),
    ]
}

/// What the intruder left in files.
fn persistence_files() -> Vec<Fact> {
    vec![
        file(
            "hosts-line",
            "Which host is blocked?",
            "C/Windows/System32/drivers/etc/hosts",
            vec![text(BLOCKED_HOST)],
        ),
        file(
            "task",
            "What does the planted task start?",
            &tasks::path(TASK),
            vec![text(PROGRAM), text(TASK_ARGUMENTS)],
        ),
        file(
            "task-ordinary",
            "What does the backup task start?",
            &tasks::path(BACKUP_TASK),
            vec![text(BACKUP_PROGRAM)],
        ),
        file(
            "startup-script",
            "Which script starts for everybody?",
            &collected(STARTUP_SCRIPT),
            vec![text(PROGRAM)],
        ),
        file(
            "control-address",
            "Whom did the fake program contact?",
            "C/ProgramData/ScanToPdf/install.log",
            vec![text(CONTROL_HOST), text(CONTROL_ADDRESS)],
        ),
    ]
}

fn browsers() -> Vec<Fact> {
    let row = |id, question, file: &str, table, values| Fact {
        id,
        question,
        values,
        file: file.to_owned(),
        place: Place::Table(table),
    };
    let log = format!("{HISTORY}-wal");
    vec![
        row(
            "page-visited",
            "When was the page of the fake tool visited?",
            HISTORY,
            "visits",
            vec![text(PAGE), time(VISITED)],
        ),
        row("search", "What was searched for?", HISTORY, "keyword_search_terms", vec![text(SEARCH)]),
        row(
            "installer-downloaded",
            "From where and when was the installer downloaded?",
            &log,
            "downloads",
            vec![text(INSTALLER_URL), text(INSTALLER), time(DOWNLOADED)],
        ),
        row(
            "form-downloaded",
            "Which form was downloaded?",
            HISTORY,
            "downloads",
            vec![text(FORM_URL), text(FORM), time(FORM_DOWNLOADED)],
        ),
        row(
            "docs-visited",
            "Which page about backups did it-admin read?",
            PLACES,
            "moz_historyvisits",
            vec![text(DOCS_URL), time(DOCS_VISITED)],
        ),
    ]
}
