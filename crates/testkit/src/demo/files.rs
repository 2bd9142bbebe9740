//! The files of the demo that are neither hives nor databases.

use super::DemoFile;
use super::clock::Time;
use super::parts::{collected, lines, utf16, utf16z};
use super::story::*;

/// Builds these files.
pub(crate) fn files() -> Vec<DemoFile> {
    let mut files = vec![
        DemoFile::new("p1/Users/mara/Documents/handover.txt", HANDOVER.to_vec()),
        DemoFile::new("p1/Users/mara/Documents/Ledgers/2025-q3.csv", ledger()),
        DemoFile::new("p1/Users/mara/Documents/Ledgers/suppliers.csv", suppliers()),
        DemoFile::new(&collected(INSTALLER), installer()),
        DemoFile::new(&collected(FORM), FORM_BYTES.to_vec()),
        DemoFile::new(&collected(PROGRAM), stand_in("the program")),
        DemoFile::new("p1/ProgramData/ScanToPdf/install.log", install_log()),
        DemoFile::new("p1/Windows/System32/drivers/etc/hosts", hosts()),
        DemoFile::new("p1/Windows/INF/setupapi.dev.log", device_log()),
        DemoFile::new(&collected(ARCHIVE_LIST), archive_list()),
        DemoFile::new(
            "p1/Windows/Temp/MpSigStub.log",
            lines(&["Signature update finished, result 0x00000000"]),
        ),
        DemoFile::new(
            &collected(STARTUP_SCRIPT),
            lines(&["@echo off", &format!("start \"\" \"{PROGRAM}\" -k netsvcs")]),
        ),
        DemoFile::new(
            "p1/Users/mara/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup/Timesheet.url",
            lines(&["[InternetShortcut]", &format!("URL={INTRANET}timesheet")]),
        ),
    ];
    files.extend(histories());
    files.extend(super::tasks::files());
    files.extend(super::logs::files());
    files.extend(recycle_bin());
    files
}

const HANDOVER: &[u8] = b"Quarter end: send the ledgers to Ilse by Friday.\r\n\
    The new scanner tool was not installed by IT.\r\n";

/// A placeholder for the downloaded form.
pub(crate) const FORM_BYTES: &[u8] = b"%PDF-1.4\n% a stand-in for a form, without pages\n%%EOF\n";

/// Returns a placeholder for the installer.
pub(crate) fn installer() -> Vec<u8> {
    stand_in("the installer")
}

/// Returns text after the first letters of a program: no loader starts it.
fn stand_in(what: &str) -> Vec<u8> {
    format!("MZ\r\nA harmless stand-in for {what} of the demo case: text, not a program.\r\n").into_bytes()
}

fn ledger() -> Vec<u8> {
    let rows = (1..=40_u32).map(|row| {
        let (month, day) = (7 + row / 14, 1 + row * 7 % 28);
        format!(
            "2025-{month:02}-{day:02},INV-{:04},{}.{:02},EUR",
            2_300 + row,
            90 + row * 137 % 4_000,
            row * 29 % 100
        )
    });
    lines(&std::iter::once("date,invoice,amount,currency".to_owned()).chain(rows).collect::<Vec<_>>())
}

fn suppliers() -> Vec<u8> {
    lines(&["name,mail", "Birch Paper,orders@birch-paper.example", "Linden Toner,sales@linden-toner.example"])
}

fn install_log() -> Vec<u8> {
    let step = |time: Time, what: &str| format!("{} {what}", time.local(SUMMER));
    lines(&[
        step(STARTED, &format!("setup started from {INSTALLER}")),
        step(STARTED.plus(41), &format!("copied {PROGRAM}")),
        step(SERVICE_MADE, &format!("service {SERVICE} created")),
        step(PLANTED, "autostart registered"),
        step(TASK_MADE, &format!("task {TASK} registered")),
        step(TASK_MADE.plus(2), &format!("contacting {CONTROL_HOST} ({CONTROL_ADDRESS})")),
    ])
}

fn hosts() -> Vec<u8> {
    lines(&[
        "# Names of this network that the name server does not know.",
        "10.20.4.12    fileserver.corp.alderbrook.example fileserver",
        "10.20.4.15    srv-print.corp.alderbrook.example",
        &format!("0.0.0.0       {BLOCKED_HOST}"),
    ])
}

/// Builds the sections of driver installations, in local time.
fn device_log() -> Vec<u8> {
    let mut log = vec![
        "[Device Install Log]".to_owned(),
        "     OS Version = 10.0.19045".to_owned(),
        "     Service Pack = 0.0".to_owned(),
        String::new(),
    ];
    for (model, serial, time) in
        [(OLD_STICK_MODEL, OLD_STICK_SERIAL, OLD_STICK_FIRST), (STICK_MODEL, STICK_SERIAL, STICK_IN)]
    {
        log.extend([
            format!(">>>  [Device Install (Hardware initiated) - USBSTOR\\{model}\\{serial}]"),
            format!(">>>  Section start {}", time.setupapi(SUMMER)),
            "     dvi: Set selected driver complete.".to_owned(),
            format!("<<<  Section end {}", time.plus(1).setupapi(SUMMER)),
            "<<<  [Exit status: SUCCESS]".to_owned(),
            String::new(),
        ]);
    }
    lines(&log)
}

fn archive_list() -> Vec<u8> {
    lines(&[
        format!("{LEDGER_FOLDER}\\2025-q3.csv"),
        format!("{LEDGER_FOLDER}\\suppliers.csv"),
        format!("-> {ARCHIVE}"),
    ])
}

/// Returns the path of a user's PowerShell history.
pub(crate) fn typed(user: &str) -> String {
    format!("p1/Users/{user}/AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine/ConsoleHost_history.txt")
}

/// Builds the PowerShell histories.
fn histories() -> [DemoFile; 2] {
    let mara = [
        "Get-ChildItem \\\\fileserver\\ledgers",
        "Get-Date",
        "whoami /groups",
        PACK_COMMAND,
        COPY_COMMAND,
        "Remove-Item (Get-PSReadLineOption).HistorySavePath -WhatIf",
    ];
    let admin = [
        "Get-Service Spooler",
        "Restart-Service Spooler",
        "Test-NetConnection srv-print -Port 445",
        "gpupdate /force",
    ];
    [DemoFile::new(&typed(MARA), lines(&mara)), DemoFile::new(&typed(IT_ADMIN), lines(&admin))]
}

/// Builds what mara deleted, and the folder's own settings.
fn recycle_bin() -> Vec<DemoFile> {
    let folder = format!("p1/$Recycle.Bin/{}", local_sid(MARA_RID));
    let archive = b"a stand-in for an archive of ledgers\r\n".to_vec();
    let lunch = lines(&["Monday: soup", "Tuesday: dumplings", "Wednesday: leftovers"]);
    let mut files = vec![DemoFile::new(
        &format!("{folder}/desktop.ini"),
        lines(&["[.ShellClassInfo]", "CLSID={645FF040-5081-101B-9F08-00AA002F954E}"]),
    )];
    for (id, extension, path, deleted, content) in [
        (ARCHIVE_BIN, "zip", ARCHIVE, ARCHIVE_DELETED, archive),
        (LUNCH_BIN, "txt", LUNCH, LUNCH_DELETED, lunch),
    ] {
        let index = index_file(path, content.len() as u64, deleted);
        files.push(DemoFile::new(&format!("{folder}/$I{id}.{extension}"), index));
        files.push(DemoFile::new(&format!("{folder}/$R{id}.{extension}"), content));
    }
    files
}

/// Builds a `$I` file of version 2, as in Windows 10.
fn index_file(path: &str, size: u64, deleted: Time) -> Vec<u8> {
    let mut data = 2_u64.to_le_bytes().to_vec();
    data.extend(size.to_le_bytes());
    data.extend(deleted.bytes());
    data.extend((utf16(path).len() as u32 / 2 + 1).to_le_bytes());
    data.extend(utf16z(path));
    data
}
