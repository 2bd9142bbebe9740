//! The execution agent: which programs ran, what was typed into shells.

use super::hives::{TIME, key, ntuser, system};
use super::{Folder, Trial};
use testkit::hive::{KeySpec, ValueSpec as Value};

pub(super) const TRIALS: &[Trial] = &[
    Trial { objective: "programs", tempting: programs_without_a_run, answering: started_program },
    Trial { objective: "commands", tempting: nothing_typed, answering: typed_command },
];

const EXPLORER: &str = "Software\\Microsoft\\Windows\\CurrentVersion\\Explorer";

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

/// A history without a word, a copy of one under another name, a folder of its name.
fn nothing_typed(at: &Folder<'_>) {
    at.file("C/PSReadLine/ConsoleHost_history.txt", "\r\n   \r\n\t\r\n");
    at.file("C/PSReadLine/ConsoleHost_history.txt.bak", "whoami /groups\r\n");
    at.file("C/notes/ConsoleHost_history.txt/readme.txt", "Get-Date\r\n");
}

fn typed_command(at: &Folder<'_>) {
    at.file("C/PSReadLine/ConsoleHost_history.txt", "whoami /groups\r\n");
}
