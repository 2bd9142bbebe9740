//! The timeline agent: what happened when.

use super::hives::{
    TIME, UNIX_TIME, key, ntuser, recency, sam, software, system, system_beside, system_of_two, utf16z,
};
use super::{Folder, Trial};
use testkit::hive::{KeySpec, ValueSpec as Value};

pub(super) const TRIALS: &[Trial] = &[
    Trial { objective: "installed", tempting: installations_of_other_things, answering: installed },
    Trial { objective: "shutdown", tempting: shutdowns_without_a_time, answering: shutdown },
    Trial { objective: "logons", tempting: nobody_logged_on, answering: logon },
    Trial { objective: "programs", tempting: programs_without_a_run, answering: started_program },
    Trial { objective: "documents", tempting: lists_without_documents, answering: opened_document },
    Trial { objective: "devices", tempting: devices_without_storage, answering: stick },
    Trial { objective: "persistence", tempting: keys_that_start_nothing, answering: run_key },
];

const NT: &str = "Microsoft\\Windows NT\\CurrentVersion";
const WINDOWS: &str = "Microsoft\\Windows\\CurrentVersion";
const EXPLORER: &str = "Software\\Microsoft\\Windows\\CurrentVersion\\Explorer";

/// A time that is not set, the date of a version that was replaced, that of a program.
fn installations_of_other_things(at: &Folder<'_>) {
    let present =
        key().value(Value::sz("ProductName", "Windows 10 Pro")).value(Value::dword("InstallDate", 0));
    let program = key().value(Value::sz("DisplayName", "7-Zip")).value(Value::sz("InstallDate", "20250916"));
    let keys = [(NT, present), (&format!("{WINDOWS}\\Uninstall\\7-Zip"), program)];
    at.file("C/SOFTWARE", software(keys));
    let replaced = key()
        .value(Value::sz("ProductName", "Windows 7 Professional"))
        .value(Value::dword("InstallDate", UNIX_TIME));
    at.file("C/SYSTEM", system_beside("Setup\\Source OS (Updated on 9/16/2025 11:47:31)", replaced));
}

fn installed(at: &Folder<'_>) {
    at.file("C/SOFTWARE", software([(NT, key().value(Value::dword("InstallDate", UNIX_TIME)))]));
}

fn shut_down(time: u64) -> KeySpec {
    key().path("Control\\Windows", key().value(Value::binary("ShutdownTime", &time.to_le_bytes())))
}

/// A time that is not set, a count, a time in the control set that is not in use.
fn shutdowns_without_a_time(at: &Folder<'_>) {
    let current =
        shut_down(0).path("Control\\Watchdog\\Display", key().value(Value::dword("ShutdownCount", 41)));
    at.file("C/SYSTEM", system_of_two(current, shut_down(TIME)));
}

fn shutdown(at: &Folder<'_>) {
    at.file("C/SYSTEM", system(shut_down(TIME)));
}

/// Accounts with logons that are only counted, or failed; "never" has two spellings.
fn nobody_logged_on(at: &Folder<'_>) {
    at.file("C/one/SAM", sam(0, TIME));
    at.file("C/two/SAM", sam(i64::MAX.unsigned_abs(), 0));
    let logon = key().value(Value::sz("LastLoggedOnUser", "FIN-WS-07\\mara"));
    at.file("C/SOFTWARE", software([(&format!("{WINDOWS}\\Authentication\\LogonUI"), logon)]));
}

fn logon(at: &Folder<'_>) {
    at.file("C/SAM", sam(TIME, 0));
}

/// A program of UserAssist, its name enciphered by hand: counted runs and the last one; 0 is never.
fn used(enciphered: &str, runs: u8, last: u64) -> Value {
    let mut data = vec![0; 72];
    data[4] = runs;
    data[60..68].copy_from_slice(&last.to_le_bytes());
    Value::binary(enciphered, &data)
}

fn user_assist(values: impl IntoIterator<Item = Value>) -> Vec<u8> {
    let count = values.into_iter().fold(key(), KeySpec::value);
    let list = format!("{EXPLORER}\\UserAssist\\{{CEBFF5CD-ACE2-4F4F-9178-9926F41749EA}}\\Count");
    ntuser([(&list, count)])
}

/// Runs that are counted without a last one, entries of a new profile, the shell's own counter, what other lists say.
fn programs_without_a_run(at: &Folder<'_>) {
    at.file("C/one/NTUSER.DAT", user_assist([used("P:\\Gbbyf\\pnyp.rkr", 7, 0)]));
    let preset = ["P:\\Gbbyf\\pnyp.rkr", "P:\\Gbbyf\\znc.rkr", "P:\\Gbbyf\\cnvag.rkr"];
    at.file("C/two/NTUSER.DAT", user_assist(preset.map(|name| used(name, 14, TIME))));
    at.file("C/three/NTUSER.DAT", user_assist([used("HRZR_PGYFRFFVBA", 9, TIME + 1)]));
    let mut ran = TIME.to_le_bytes().to_vec();
    ran.resize(24, 0);
    let moderated = key().value(Value::binary("\\Device\\HarddiskVolume3\\Tools\\calc.exe", &ran));
    let set = key().path("Services\\bam\\State\\UserSettings\\S-1-5-21-1004-2004-3004-1001", moderated);
    at.file("C/SYSTEM", system(set));
    at.file("C/Windows/Prefetch/CALC.EXE-77FDF17F.pf", "MAM\x04");
}

fn started_program(at: &Folder<'_>) {
    at.file("C/NTUSER.DAT", user_assist([used("P:\\Gbbyf\\pnyp.rkr", 1, TIME)]));
}

fn document(number: u32, name: &str) -> Value {
    Value::binary(&number.to_string(), &[utf16z(name), vec![0, 0]].concat())
}

/// A list of nothing, an entry without a name, what was only typed or saved, a shortcut as a file.
fn lists_without_documents(at: &Folder<'_>) {
    let documents = format!("{EXPLORER}\\RecentDocs");
    at.file("C/one/NTUSER.DAT", ntuser([(&documents, key().value(recency(1)))]));
    let nameless = key().value(Value::binary("0", &[0; 4])).value(recency(1));
    at.file("C/two/NTUSER.DAT", ntuser([(&documents, nameless)]));
    let typed = key().value(Value::sz("url1", "C:\\Users\\mara\\Documents\\ledger.csv"));
    let paths = key().value(Value::sz("url1", "file:///C:/Users/mara/Documents/ledger.csv"));
    let user = ntuser([
        (&format!("{EXPLORER}\\TypedPaths"), typed),
        ("Software\\Microsoft\\Internet Explorer\\TypedURLs", paths),
    ]);
    at.file("C/three/NTUSER.DAT", user);
    at.file("C/Users/mara/AppData/Roaming/Microsoft/Windows/Recent/ledger.csv.lnk", [0x4c, 0, 0, 0]);
}

fn opened_document(at: &Folder<'_>) {
    let list = key().value(document(0, "ledger.csv")).value(recency(1));
    at.file("C/NTUSER.DAT", ntuser([(&format!("{EXPLORER}\\RecentDocs"), list)]));
}

const DEVICE: &str = "Enum\\USBSTOR\\Disk&Ven_Kingston&Prod_DataTraveler_3.0&Rev_PMAP";

/// A mouse, a kind of storage without a device, a drive letter, a device in the control set that is not in use.
fn devices_without_storage(at: &Folder<'_>) {
    let instance = format!("{DEVICE}\\E0D55EA57407F8B0&0");
    let current = key()
        .path(
            "Enum\\USB\\VID_046D&PID_C077\\5&2a0b",
            key().value(Value::sz("DeviceDesc", "USB Input Device")),
        )
        .path(DEVICE, key());
    at.file("C/SYSTEM", system_of_two(current, key().path(&instance, key())));
    let name = utf16z("_??_USBSTOR#Disk&Ven_Kingston&Prod_DataTraveler_3.0&Rev_PMAP#E0D55EA57407F8B0&0#");
    let mounted = key().value(Value::binary("\\DosDevices\\E:", &name));
    at.file("C/mounted/SYSTEM", system_beside("MountedDevices", mounted));
    let volume = format!("{EXPLORER}\\MountPoints2\\{{0b7d5a10-9302-11f0-8a3e-00155d010203}}");
    at.file("C/NTUSER.DAT", ntuser([(&volume, key())]));
    at.file("C/Windows/INF/setupapi.dev.log", ">>>  [Device Install - USBSTOR\\Disk&Ven_Kingston]\r\n");
}

fn stick(at: &Folder<'_>) {
    at.file("C/SYSTEM", system(key().path(&format!("{DEVICE}\\E0D55EA57407F8B0&0"), key())));
}

/// Keys whose names only begin or end as those that start programs.
fn keys_that_start_nothing(at: &Folder<'_>) {
    let user = ntuser([
        (&format!("{EXPLORER}\\RunMRU"), key().value(Value::sz("a", "cmd\\1"))),
        (&format!("{EXPLORER}\\StartupApproved\\Run"), key()),
        (
            &format!("Software\\{WINDOWS}\\RunNotification"),
            key().value(Value::dword("StartupTNotiUpdater", 0)),
        ),
    ]);
    at.file("C/NTUSER.DAT", user);
    at.file("C/run.reg", format!("[HKCU\\Software\\{WINDOWS}\\Run]\r\n"));
}

fn run_key(at: &Folder<'_>) {
    at.file("C/NTUSER.DAT", ntuser([(&format!("Software\\{WINDOWS}\\Run"), key())]));
}
