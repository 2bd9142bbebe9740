//! The filesystem agent: users' folders, programs, and redirected names.

use super::{Folder, Trial};

pub(super) const TRIALS: &[Trial] = &[
    Trial { objective: "profiles", tempting: folders_of_nobody, answering: folder_of_a_user },
    Trial { objective: "programs", tempting: programs_elsewhere, answering: downloaded_program },
    Trial { objective: "hosts", tempting: nothing_redirected, answering: redirected_name },
];

/// Folders that every Windows has, a file in place of the folder, and files whose path merely contains such a name.
fn folders_of_nobody(at: &Folder<'_>) {
    at.file("D/Users", "Volume in drive D has no label.\r\n");
    for name in ["All Users", "Default", "Default User", "Public"] {
        at.file(&format!("C/Users/{name}/desktop.ini"), "[.ShellClassInfo]\r\n");
        at.folder(&format!("E/Documents and Settings/{name}"));
    }
    at.file("C/Users/Public/Downloads/offer.pdf", "%PDF-1.4\r\n");
    at.file("C/Users/Public/Documents/sync.bat", "@echo off\r\n");
    at.file(
        "E/Documents and Settings/All Users/Start Menu/Programs/Startup/Tray.url",
        "[InternetShortcut]\r\n",
    );
    at.file("exports/PowerUsers/Security.evtx", "ElfFile\0");
}

fn folder_of_a_user(at: &Folder<'_>) {
    at.folder("C/Users/mara");
}

/// Programs where users cannot write, and files in users' places that are not programs despite their names.
fn programs_elsewhere(at: &Folder<'_>) {
    at.file("C/Windows/System32/calc.exe", "MZ");
    at.file("C/Program Files/Ledgerline/ledgerline.exe", "MZ");
    at.file("C/Users/Public/Downloads/setup.exe/readme.txt", "unpacked");
    at.file("C/Users/Public/Downloads/invoice.exe.txt", "MZ");
    at.file("C/ProgramData/Ledgerline/ledgerline.exe.config", "<configuration/>");
    // A placeholder by Windows, which leads to the store.
    at.file("C/Users/Default/AppData/Local/Microsoft/WindowsApps/python.exe", "");
}

fn downloaded_program(at: &Folder<'_>) {
    at.file("C/Users/Public/Downloads/setup.exe", "MZ");
}

/// Files without a redirected name: comments, the computer itself, and other files beside the hosts file.
fn nothing_redirected(at: &Folder<'_>) {
    const ETC: &str = "C/Windows/System32/drivers/etc";
    let lines = [
        "# Copyright (c) 1993-2009 Microsoft Corp.",
        "",
        "#      102.54.94.97     rhino.acme.com          # source server",
        "\t# 10.20.4.66 update.example",
        "  # 10.20.4.67 update.example",
        "   ",
        "127.0.0.1       localhost",
        "::1             localhost",
    ];
    at.file(&format!("{ETC}/hosts"), lines.join("\r\n"));
    at.file(&format!("{ETC}/hosts.bak"), "10.20.4.66 update.example\r\n");
    at.file(&format!("{ETC}/lmhosts.sam"), "102.54.94.97     rhino         #PRE\r\n");
    at.file("C/etc/hosts", "10.20.4.66 update.example\r\n");
}

fn redirected_name(at: &Folder<'_>) {
    at.file("C/Windows/System32/drivers/etc/hosts", "10.20.4.66 update.example\r\n");
}
