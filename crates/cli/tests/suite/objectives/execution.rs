//! The execution agent: which programs ran, and what was typed into shells.

use super::hives::{TIME, amcache, key, ntuser, system};
use super::{Folder, Trial};
use testkit::hive::{KeySpec, ValueSpec as Value};
use testkit::prefetch;

pub(super) const TRIALS: &[Trial] = &[
    Trial { objective: "programs", tempting: programs_without_a_run, answering: started_program },
    Trial { objective: "commands", tempting: nothing_typed, answering: typed_command },
    Trial { objective: "prefetch", tempting: prefetch_of_others, answering: prefetched_tool },
    Trial { objective: "odd-programs", tempting: prefetch_in_its_place, answering: prefetched_download },
    Trial { objective: "inventory", tempting: programs_in_their_places, answering: inventoried_program },
];

const EXPLORER: &str = "Software\\Microsoft\\Windows\\CurrentVersion\\Explorer";

/// A UserAssist entry with an enciphered name, a run count and the last run (0: never).
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

/// Runs without the time of the last one, preset entries of a new profile, the shell's own counter, a program that
/// the system itself started, and a file that is not a Prefetch file.
fn programs_without_a_run(at: &Folder<'_>) {
    at.file("C/Users/one/NTUSER.DAT", user_assist([used("P:\\Gbbyf\\pnyp.rkr", 7, 0)]));
    let preset = ["P:\\Gbbyf\\pnyp.rkr", "P:\\Gbbyf\\znc.rkr", "P:\\Gbbyf\\cnvag.rkr"];
    at.file("C/Users/two/NTUSER.DAT", user_assist(preset.map(|name| used(name, 14, TIME))));
    at.file("C/Users/three/NTUSER.DAT", user_assist([used("HRZR_PGYFRFFVBA", 9, TIME + 1)]));
    let mut ran = TIME.to_le_bytes().to_vec();
    ran.resize(24, 0);
    let moderated = key().value(Value::binary("\\Device\\HarddiskVolume3\\Tools\\calc.exe", &ran));
    let set = key().path("Services\\bam\\State\\UserSettings\\S-1-5-18", moderated);
    at.file("C/Windows/System32/config/SYSTEM", system(set));
    at.file("C/Windows/Prefetch/CALC.EXE-77FDF17F.pf", "MAM\x04");
}

fn started_program(at: &Folder<'_>) {
    at.file("C/Users/mara/NTUSER.DAT", user_assist([used("P:\\Gbbyf\\pnyp.rkr", 1, TIME)]));
}

/// A history with only blanks, a copy under another name, and a folder with its name.
fn nothing_typed(at: &Folder<'_>) {
    at.file(
        "C/Users/mara/AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine/ConsoleHost_history.txt",
        "\r\n   \r\n\t\r\n",
    );
    at.file(
        "C/Users/mara/AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine/ConsoleHost_history.txt.bak",
        "whoami /groups\r\n",
    );
    at.file("C/notes/ConsoleHost_history.txt/readme.txt", "Get-Date\r\n");
}

fn typed_command(at: &Folder<'_>) {
    at.file(
        "C/Users/mara/AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine/ConsoleHost_history.txt",
        "whoami /groups\r\n",
    );
}

fn prefetched(executable: &str, folder: &str) -> Vec<u8> {
    let path = format!("{}\\{folder}\\{executable}", prefetch::VOLUME);
    prefetch::file(&prefetch::Spec::new(executable, &path))
}

/// Programs whose names only end like those of tools, a program that only read a tool, and files that only bear a tool's name.
fn prefetch_of_others(at: &Folder<'_>) {
    const PREFETCH: &str = "C/Windows/Prefetch";
    at.file(&format!("{PREFETCH}/DOTNET.EXE-C0FFEE01.pf"), prefetched("DOTNET.EXE", "PROGRAM FILES\\DOTNET"));
    at.file(&format!("{PREFETCH}/HARP.EXE-C0FFEE01.pf"), prefetched("HARP.EXE", "PROGRAM FILES\\SCORE"));
    let mut reader = prefetch::Spec::new("NOTEPAD.EXE", "\\VOLUME{01d0}\\WINDOWS\\NOTEPAD.EXE");
    reader.files.push("\\VOLUME{01d0}\\TOOLS\\MIMIKATZ.EXE".to_owned());
    at.file(&format!("{PREFETCH}/NOTEPAD.EXE-C0FFEE01.pf"), prefetch::file(&reader));
    at.file(&format!("{PREFETCH}/WHOAMI.EXE-C0FFEE01.pf"), prefetched("CALC.EXE", "WINDOWS"));
    at.file(&format!("{PREFETCH}/NLTEST.EXE-C0FFEE01.pf"), "MAM\x04");
}

fn prefetched_tool(at: &Folder<'_>) {
    at.file("C/Windows/Prefetch/WHOAMI.EXE-C0FFEE01.pf", prefetched("WHOAMI.EXE", "WINDOWS\\SYSTEM32"));
}

/// A program in its proper place that only read a user's program, and a program that installs itself into profiles.
fn prefetch_in_its_place(at: &Folder<'_>) {
    let mut reader = prefetch::Spec::new("SCAN.EXE", "\\VOLUME{01d0}\\PROGRAM FILES\\SCAN\\SCAN.EXE");
    reader.files.push("\\VOLUME{01d0}\\USERS\\MARA\\DOWNLOADS\\SETUP.EXE".to_owned());
    at.file("C/Windows/Prefetch/SCAN.EXE-C0FFEE01.pf", prefetch::file(&reader));
    let drive = prefetched("ONEDRIVE.EXE", "USERS\\MARA\\APPDATA\\LOCAL\\MICROSOFT\\ONEDRIVE");
    at.file("C/Windows/Prefetch/ONEDRIVE.EXE-C0FFEE01.pf", drive);
}

fn prefetched_download(at: &Folder<'_>) {
    at.file("C/Windows/Prefetch/SETUP.EXE-C0FFEE01.pf", prefetched("SETUP.EXE", "USERS\\MARA\\DOWNLOADS"));
}

fn inventoried(path: &str) -> KeySpec {
    key().value(Value::sz("LowerCaseLongPath", path))
}

/// Programs of Windows and of installers, one that installs itself into profiles, an entry without a path, a folder and a shortcut.
fn programs_in_their_places(at: &Folder<'_>) {
    let paths = [
        "c:\\windows\\system32\\calc.exe",
        "c:\\program files\\ledgerline\\ledgerline.exe",
        "c:\\users\\mara\\appdata\\local\\microsoft\\onedrive\\onedrive.exe",
    ];
    let files = (1..)
        .zip(paths)
        .fold(key(), |files, (number, path)| files.path(&format!("program.exe|{number}"), inventoried(path)));
    let files = files.path("setup.exe|4", key().value(Value::sz("Name", "setup.exe")));
    let folder =
        key().value(Value::sz("Name", "Setup")).value(Value::sz("RootDirPath", "C:\\Users\\mara\\Downloads"));
    let shortcut = key().value(Value::sz("ShortcutPath", "C:\\Users\\mara\\Desktop\\setup.exe"));
    let parts = [
        ("InventoryApplicationFile", files),
        ("InventoryApplication", key().path("0001", folder)),
        ("InventoryApplicationShortcut", key().path("0001", shortcut)),
    ];
    at.file("C/Windows/AppCompat/Programs/Amcache.hve", amcache(parts));
}

fn inventoried_program(at: &Folder<'_>) {
    let files = key().path("setup.exe|1", inventoried("c:\\users\\mara\\downloads\\setup.exe"));
    at.file("C/Windows/AppCompat/Programs/Amcache.hve", amcache([("InventoryApplicationFile", files)]));
}
