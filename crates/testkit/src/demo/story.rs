//! The story of the demo: every planted name, path and time, in one place.
//!
//! Both the evidence builders and the writer of `truth.toml` use this module, so they cannot drift apart.
//! Names are invented; addresses and domains are those reserved for documentation.

use super::clock::{Time, utc};

// ── The machine ──────────────────────────────────────────────────────────

pub(crate) const HOST: &str = "ALDER-07";
/// The machine's name before it was renamed; only ControlSet002 still has it.
pub(crate) const OLD_HOST: &str = "DESKTOP-K3Q9V1T";
pub(crate) const DOMAIN: &str = "corp.alderbrook.example";
pub(crate) const ZONE: &str = "W. Europe Standard Time";
/// The hours by which local time is ahead of UTC in summer.
pub(crate) const SUMMER: u64 = 2;
pub(crate) const PRODUCT: &str = "Windows 10 Pro";
pub(crate) const RELEASE: &str = "22H2";
pub(crate) const BUILD: &str = "19045";
pub(crate) const REVISION: u32 = 6332;
pub(crate) const OWNER: &str = "Alderbrook Accounting";

/// When Windows was installed.
pub(crate) const INSTALLED: Time = utc(2025, 3, 3, 8, 12, 44);
/// When the machine got its current name.
pub(crate) const RENAMED: Time = utc(2025, 3, 3, 8, 41, 9);
/// An ordinary day.
pub(crate) const ORDINARY: Time = utc(2025, 5, 20, 13, 5, 12);
/// Another ordinary day.
pub(crate) const AUGUST: Time = utc(2025, 8, 27, 7, 44, 19);
/// The morning of the last day.
pub(crate) const MORNING: Time = utc(2025, 9, 16, 5, 58, 33);
/// The last shutdown.
pub(crate) const SHUTDOWN: Time = utc(2025, 9, 16, 17, 31, 5);

pub(crate) const ETHERNET: &str = "{6d1f5a0e-93c7-4c1b-8f0e-2b7a51c0de11}";
pub(crate) const WIFI: &str = "{b1c0a4f2-5e39-4d7d-9a55-07e6c2d9f480}";
pub(crate) const ETHERNET_ADDRESS: &str = "10.20.4.37";
pub(crate) const WIFI_ADDRESS: &str = "192.0.2.23";
pub(crate) const LEASE: u32 = 691_200;
pub(crate) const NETWORK: &str = "corp.alderbrook.example";
pub(crate) const CAFE: &str = "Cafe Linde Guest";
pub(crate) const CAFE_FIRST: Time = utc(2025, 7, 11, 15, 20, 48);

/// The volume of drive C.
pub(crate) const VOLUME_SERIAL: u64 = 0x5e1c_7a40_9d27_b316;
pub(crate) const VOLUME_LABEL: &str = "Windows";
pub(crate) const CLUSTER: u32 = 4096;
/// The offset of the partition, and the size of the disk in bytes.
pub(crate) const PARTITION: u64 = 1 << 20;
pub(crate) const DISK: u64 = 20 << 20;
pub(crate) const DISK_SIGNATURE: u32 = 0x8d3a_41c6;
/// When the disk was imaged and the triage made: the next morning.
pub(crate) const ACQUIRED: Time = utc(2025, 9, 17, 7, 12, 30);

// ── People and accounts ──────────────────────────────────────────────────

pub(crate) const MACHINE_SID: [u32; 3] = [1_391_846_017, 2_755_219_433, 3_320_145_571];
pub(crate) const DOMAIN_SID: [u32; 3] = [2_214_067_785, 1_408_821_177, 3_657_122_904];

pub(crate) const MARA: &str = "mara";
pub(crate) const MARA_NAME: &str = "Mara Ellingsen";
pub(crate) const MARA_RID: u32 = 1001;
pub(crate) const MARA_LOGON: Time = utc(2025, 9, 16, 6, 2, 41).plus_ticks(3_310_225);
pub(crate) const MARA_LOGONS: u16 = 143;
pub(crate) const MARA_WRONG_PASSWORD: Time = utc(2025, 9, 15, 6, 1, 58).plus_ticks(7_120_004);
pub(crate) const IT_ADMIN: &str = "it-admin";
pub(crate) const IT_ADMIN_RID: u32 = 1002;
pub(crate) const IT_ADMIN_LOGON: Time = utc(2025, 9, 2, 14, 20, 9).plus_ticks(8_040_119);
pub(crate) const IT_ADMIN_LOGONS: u16 = 17;
/// The account that the intruder created.
pub(crate) const PLANT: &str = "scansvc";
pub(crate) const PLANT_RID: u32 = 1004;
pub(crate) const PLANT_COMMENT: &str = "Scan service account";
pub(crate) const PLANT_MADE: Time = utc(2025, 9, 16, 10, 3, 44);
pub(crate) const PLANT_LOGON: Time = utc(2025, 9, 16, 16, 29, 47).plus_ticks(2_200_871);
pub(crate) const PLANT_LOGONS: u16 = 2;
/// A domain account's profile.
pub(crate) const COLLEAGUE: &str = "h.lindqvist";
pub(crate) const COLLEAGUE_RID: u32 = 2117;

/// Returns the SID of a local account.
pub(crate) fn local_sid(rid: u32) -> String {
    sid_text(MACHINE_SID, rid)
}

/// Returns the SID of a domain account.
pub(crate) fn domain_sid(rid: u32) -> String {
    sid_text(DOMAIN_SID, rid)
}

fn sid_text([a, b, c]: [u32; 3], rid: u32) -> String {
    format!("S-1-5-21-{a}-{b}-{c}-{rid}")
}

// ── The intrusion, in the order in which it went ─────────────────────────

/// When the page with the installer was typed and visited.
pub(crate) const VISITED: Time = utc(2025, 9, 16, 9, 38, 12).plus_ticks(4_051_270);
pub(crate) const PAGE: &str = "http://scan-to-pdf.example/download";
pub(crate) const PAGE_TITLE: &str = "Scan To PDF - free download";
pub(crate) const INSTALLER_URL: &str = "http://cdn.scan-to-pdf.example/files/ScanToPdf-Setup.exe";
pub(crate) const INSTALLER: &str = "C:\\Users\\mara\\Downloads\\ScanToPdf-Setup.exe";
pub(crate) const DOWNLOAD_BEGUN: Time = utc(2025, 9, 16, 9, 41, 22).plus_ticks(6_617_730);
pub(crate) const DOWNLOADED: Time = utc(2025, 9, 16, 9, 41, 27).plus_ticks(1_930_440);
/// When the installer was started.
pub(crate) const STARTED: Time = utc(2025, 9, 16, 9, 44, 3).plus_ticks(5_190_000);
pub(crate) const STARTS: u32 = 1;
/// When its service was created.
pub(crate) const SERVICE_MADE: Time = utc(2025, 9, 16, 9, 46, 20);
pub(crate) const SERVICE: &str = "ScanToPdfUpdate";
pub(crate) const SERVICE_TITLE: &str = "Scan To PDF Update Service";
pub(crate) const SERVICE_COMMAND: &str = "C:\\ProgramData\\ScanToPdf\\svchost.exe -service";
/// When the fake program was set to start automatically.
pub(crate) const PLANTED: Time = utc(2025, 9, 16, 9, 47, 31);
pub(crate) const RUN_NAME: &str = "ScanToPdf";
pub(crate) const PROGRAM: &str = "C:\\ProgramData\\ScanToPdf\\svchost.exe";
pub(crate) const RUN_COMMAND: &str = "C:\\ProgramData\\ScanToPdf\\svchost.exe -k netsvcs";
pub(crate) const UNINSTALL_NAME: &str = "Scan To PDF 2.4.1";
pub(crate) const UNINSTALL_PUBLISHER: &str = "Scan To PDF Team";
/// When the task that starts it at every logon was created.
pub(crate) const TASK_MADE: Time = utc(2025, 9, 16, 9, 52, 10);
pub(crate) const TASK: &str = "ScanToPdf Updater";
pub(crate) const TASK_ARGUMENTS: &str = "-task";
/// When the program ran, according to the background activity moderator.
pub(crate) const PROGRAM_RAN: Time = utc(2025, 9, 16, 17, 22, 51).plus_ticks(9_001_242);
/// When sticky keys were set to open a command prompt at the logon screen.
pub(crate) const DEBUGGER_SET: Time = utc(2025, 9, 16, 10, 5, 12);
pub(crate) const DEBUGGED: &str = "sethc.exe";
pub(crate) const DEBUGGER: &str = "C:\\Windows\\System32\\cmd.exe";
/// When remote desktop was allowed, and when the new account was hidden from the logon screen.
pub(crate) const REMOTE_ALLOWED: Time = utc(2025, 9, 16, 10, 6, 37);
pub(crate) const HIDDEN: Time = utc(2025, 9, 16, 10, 7, 2);
/// The host from which signature updates no longer arrive.
pub(crate) const BLOCKED_HOST: &str = "definitions.endpoint-guard.example";
pub(crate) const CONTROL_HOST: &str = "update.scan-to-pdf.example";
pub(crate) const CONTROL_ADDRESS: &str = "203.0.113.77";
/// When remote desktop was used from here to the file server.
pub(crate) const REMOTE_USED: Time = utc(2025, 9, 16, 16, 40, 18);
pub(crate) const FILE_SERVER: &str = "10.20.4.12";
pub(crate) const REMOTE_USER: &str = "ALDERBROOK\\svc-backup";
/// When the ledgers were packed.
pub(crate) const STAGED: Time = utc(2025, 9, 16, 16, 47, 55);
pub(crate) const ARCHIVE: &str = "C:\\Users\\mara\\Desktop\\ledgers-2025-q3.zip";
pub(crate) const ARCHIVE_LIST: &str = "C:\\Windows\\Temp\\~st4f1.txt";
pub(crate) const PACK_COMMAND: &str = "Compress-Archive -Path C:\\Users\\mara\\Documents\\Ledgers\\* -DestinationPath C:\\Users\\mara\\Desktop\\ledgers-2025-q3.zip";
pub(crate) const COPY_COMMAND: &str = "Copy-Item C:\\Users\\mara\\Desktop\\ledgers-2025-q3.zip E:\\";
/// When a previously unknown stick, which carried them away, was plugged in and out.
pub(crate) const STICK_IN: Time = utc(2025, 9, 16, 16, 52, 8).plus_ticks(3_140_226);
pub(crate) const STICK_OUT: Time = utc(2025, 9, 16, 17, 11, 40).plus_ticks(9_981_007);
pub(crate) const STICK_MODEL: &str = "Disk&Ven_Kingston&Prod_DataTraveler_3.0&Rev_PMAP";
pub(crate) const STICK_SERIAL: &str = "E0D55EA574BCF3A1&0";
pub(crate) const STICK_NAME: &str = "Kingston DataTraveler 3.0 USB Device";
pub(crate) const STICK_VOLUME: &str = "{7f3c2d91-92f5-11f0-a1b4-3c7c3f2a9e05}";
/// When the fake program's file was created, and the forged time that it was given.
pub(crate) const PROGRAM_MADE: Time = STARTED.plus(41).plus_ticks(2_704_118);
pub(crate) const PROGRAM_FORGED: Time = utc(2021, 3, 18, 4, 11, 0);
/// When the hosts file was changed.
pub(crate) const HOSTS_CHANGED: Time = utc(2025, 9, 16, 10, 1, 15).plus_ticks(6_220_907);
/// A script of the installer, deleted after use.
pub(crate) const SCRIPT: &str = "C:\\ProgramData\\ScanToPdf\\stage.ps1";
pub(crate) const SCRIPT_LINE: &str = "Add-MpPreference -ExclusionPath C:\\ProgramData\\ScanToPdf";
/// A file that the installer unpacked; a ledger has since overwritten its clusters.
pub(crate) const UNPACKED: &str = "C:\\Users\\mara\\AppData\\Local\\Temp\\stp-7f31.tmp";
/// Where the fake program stores the address of its relay: a stream of its log file.
pub(crate) const LOG: &str = "C:\\ProgramData\\ScanToPdf\\install.log";
pub(crate) const RELAY_STREAM: &str = "relay";
pub(crate) const RELAY: &str = "203.0.113.78:8443";
/// When the packed ledgers were moved to the recycle bin.
pub(crate) const ARCHIVE_DELETED: Time = utc(2025, 9, 16, 17, 14, 22).plus_ticks(4_410_000);

// ── Ordinary life ────────────────────────────────────────────────────────

pub(crate) const OLD_STICK_MODEL: &str = "Disk&Ven_SanDisk&Prod_Ultra&Rev_1.00";
pub(crate) const OLD_STICK_SERIAL: &str = "4C530001230915117142&0";
pub(crate) const OLD_STICK_NAME: &str = "SanDisk Ultra USB Device";
pub(crate) const OLD_STICK_VOLUME: &str = "{2a90e6b4-357c-11f0-a1a8-3c7c3f2a9e05}";
pub(crate) const OLD_STICK_FIRST: Time = ORDINARY.plus_ticks(6_021_118);
pub(crate) const OLD_STICK_LAST: Time = AUGUST.plus_ticks(1_470_903);
pub(crate) const OLD_STICK_OUT: Time = utc(2025, 8, 27, 8, 10, 3).plus_ticks(5_502_210);
pub(crate) const LUNCH: &str = "C:\\Users\\mara\\Documents\\lunch-list.txt";
pub(crate) const LUNCH_DELETED: Time = utc(2025, 8, 27, 9, 31, 16).plus_ticks(7_720_000);
pub(crate) const ONEDRIVE: &str =
    "\"C:\\Users\\mara\\AppData\\Local\\Microsoft\\OneDrive\\OneDrive.exe\" /background";
pub(crate) const INTRANET: &str = "https://intranet.alderbrook.example/";
pub(crate) const SHARE: &str = "Scans";
pub(crate) const SHARE_PATH: &str = "D:\\Scans";
pub(crate) const FORM_URL: &str = "https://tax-office.example/forms/vat-return-2025.pdf";
pub(crate) const FORM: &str = "C:\\Users\\mara\\Downloads\\vat-return-2025.pdf";
pub(crate) const FORM_DOWNLOADED: Time = utc(2025, 9, 9, 12, 17, 34).plus_ticks(2_080_510);
pub(crate) const SEARCH: &str = "scan invoices to one pdf free";
pub(crate) const CALCULATOR: &str = "{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\calc.exe";
pub(crate) const CALCULATOR_RUNS: u32 = 212;
pub(crate) const CALCULATOR_RAN: Time = utc(2025, 9, 16, 12, 9, 27).plus_ticks(8_830_000);
pub(crate) const DOCS_URL: &str = "https://docs.backup-tool.example/restore";
pub(crate) const DOCS_TITLE: &str = "Restoring from a backup";
pub(crate) const DOCS_VISITED: Time = utc(2025, 9, 2, 14, 31, 50).plus_ticks(1_181_230);
pub(crate) const PRINT_HOST: &str = "srv-print.corp.alderbrook.example";
pub(crate) const LEDGERLINE: &str = "Ledgerline Accounting 11";
pub(crate) const LEDGERLINE_TRAY: &str = "\"C:\\Program Files (x86)\\Ledgerline\\lltray.exe\"";
pub(crate) const DOCUMENT: &str = "quarter-end.docx";
pub(crate) const OPENED_ARCHIVE: &str = "ledgers-2025-q3.zip";
pub(crate) const LEDGER_FOLDER: &str = "C:\\Users\\mara\\Documents\\Ledgers";
pub(crate) const STICK_FOLDER: &str = "E:\\";
pub(crate) const SHARED_FOLDER: &str = "\\\\fileserver\\ledgers";
pub(crate) const SEVEN_ZIP: &str = "{6D809377-6AF0-444B-8957-A3773F02200E}\\7-Zip\\7zFM.exe";
pub(crate) const CONSOLE: &str =
    "{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\WindowsPowerShell\\v1.0\\powershell.exe";
/// When the search that led to the page was made.
pub(crate) const SEARCHED: Time = utc(2025, 9, 16, 9, 36, 50).plus_ticks(7_741_180);
/// A letter that mara wrote and deleted in spring, in a folder that is also gone.
pub(crate) const LETTER: &str = "C:\\Users\\mara\\Documents\\Move\\landlord.txt";
pub(crate) const LETTER_WRITTEN: Time = utc(2025, 4, 2, 17, 40, 26).plus_ticks(3_008_400);
/// The letters under which the recycle bin keeps the two files.
pub(crate) const ARCHIVE_BIN: &str = "7QK2ZD";
pub(crate) const LUNCH_BIN: &str = "M41XTB";
pub(crate) const STARTUP_SCRIPT: &str =
    "C:\\ProgramData\\Microsoft\\Windows\\Start Menu\\Programs\\StartUp\\scan-sync.cmd";
pub(crate) const BACKUP_TASK: &str = "Ledgerline Backup";
pub(crate) const BACKUP_PROGRAM: &str = "C:\\Program Files\\Ledgerline\\llbackup.exe";
pub(crate) const CAFE_PROFILE: &str = "{8be1f8a3-6f0e-4d35-b7d8-95c7d1a2e340}";
pub(crate) const SECURITY_HEALTH: &str = "%windir%\\system32\\SecurityHealthSystray.exe";

// ── The file server, towards which remote desktop was used ───────────────

pub(crate) const SERVER: &str = "ALDER-FS01";
/// When the server was set up.
pub(crate) const SERVER_INSTALLED: Time = utc(2024, 11, 4, 9, 2, 17);
/// When it last restarted, after patches.
pub(crate) const SERVER_SHUTDOWN: Time = utc(2025, 9, 13, 20, 4, 51).plus_ticks(1_109_000);
pub(crate) const SERVER_CARD: &str = "{4e7a90b2-1c55-4f3f-9a06-d1f0a7c2b384}";
/// The ledgers folder, which the intruder viewed there with the account svc-backup.
pub(crate) const SERVER_FOLDER: &str = "D:\\Ledgers";
pub(crate) const SERVER_LOOKED: Time = utc(2025, 9, 16, 16, 42, 10).plus_ticks(4_402_000);
pub(crate) const SERVER_STARTED: Time = utc(2025, 9, 16, 16, 41, 37).plus_ticks(8_107_730);
pub(crate) const SERVER_COMMAND: &str = "Get-ChildItem D:\\Ledgers -Recurse -Include *.csv";
pub(crate) const SERVER_COPY: &str =
    "Copy-Item D:\\Ledgers\\2025-q3.csv \\\\tsclient\\C\\Users\\mara\\Documents\\Ledgers";
