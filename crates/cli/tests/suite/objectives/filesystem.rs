//! The filesystem agent: folders of users, programs, what was typed, visited, scheduled and redirected.

use super::{Folder, Trial};
use rusqlite::Connection;

pub(super) const TRIALS: &[Trial] = &[
    Trial { objective: "profiles", tempting: folders_of_nobody, answering: folder_of_a_user },
    Trial { objective: "programs", tempting: programs_elsewhere, answering: downloaded_program },
    Trial { objective: "commands", tempting: nothing_typed, answering: typed_command },
    Trial { objective: "browsing", tempting: nothing_visited, answering: visited_page },
    Trial { objective: "tasks", tempting: tasks_without_commands, answering: task_with_a_command },
    Trial { objective: "hosts", tempting: nothing_redirected, answering: redirected_name },
];

/// The folders that every Windows has, a file in the place of the folder, files that only lie in a path of that name.
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

/// Programs where users cannot write, and in a user's place what only has the name of one.
fn programs_elsewhere(at: &Folder<'_>) {
    at.file("C/Windows/System32/calc.exe", "MZ");
    at.file("C/Program Files/Ledgerline/ledgerline.exe", "MZ");
    at.file("C/Users/Public/Downloads/setup.exe/readme.txt", "unpacked");
    at.file("C/Users/Public/Downloads/invoice.exe.txt", "MZ");
    at.file("C/ProgramData/Ledgerline/ledgerline.exe.config", "<configuration/>");
    // What Windows puts there so that a name leads to the store.
    at.file("C/Users/Default/AppData/Local/Microsoft/WindowsApps/python.exe", "");
}

fn downloaded_program(at: &Folder<'_>) {
    at.file("C/Users/Public/Downloads/setup.exe", "MZ");
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

const CHROMIUM: &str = "
    CREATE TABLE urls(id INTEGER PRIMARY KEY, url TEXT, title TEXT, visit_count INTEGER, last_visit_time INTEGER);
    CREATE TABLE downloads(id INTEGER PRIMARY KEY, target_path TEXT, referrer TEXT, total_bytes INTEGER,
        start_time INTEGER, end_time INTEGER);
    CREATE TABLE downloads_url_chains(id INTEGER, chain_index INTEGER, url TEXT, PRIMARY KEY (id, chain_index));
";
const FIREFOX: &str = "
    CREATE TABLE moz_places(id INTEGER PRIMARY KEY, url TEXT, title TEXT, visit_count INTEGER, last_visit_date INTEGER);
    CREATE TABLE moz_annos(id INTEGER PRIMARY KEY, place_id INTEGER, content TEXT, dateAdded INTEGER);
    CREATE TABLE moz_bookmarks(id INTEGER PRIMARY KEY, fk INTEGER, title TEXT);
";

fn database(tables: &str, rows: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("database");
    Connection::open(&file).unwrap().execute_batch(&format!("{tables}{rows}")).unwrap();
    std::fs::read(file).unwrap()
}

/// Histories without visits: no database, a download's address, an address that is only known, a bookmark.
fn nothing_visited(at: &Folder<'_>) {
    const URL: &str = "https://scan-to-pdf.example/";
    at.file("C/User Data/Default/History", format!("SQLite format 3\0{URL}"));
    let downloaded = "
        INSERT INTO downloads VALUES (1, 'C:\\Users\\Public\\Downloads\\setup.exe', 'https://a.example/', 7, 13402489651000000, 0);
        INSERT INTO downloads_url_chains VALUES (1, 0, 'https://a.example/setup.exe');";
    at.file("C/User Data/Profile 1/History", database(CHROMIUM, downloaded));
    let known = format!("INSERT INTO urls VALUES (1, '{URL}', 'Scan to PDF', 0, 0);");
    at.file("C/User Data/Profile 2/History", database(CHROMIUM, &known));
    at.file("C/User Data/Profile 2/Bookmarks", format!("{{\"url\": \"{URL}\"}}"));
    let bookmarked = format!(
        "INSERT INTO moz_places VALUES (1, '{URL}', 'Scan to PDF', 0, NULL);
        INSERT INTO moz_bookmarks VALUES (1, 1, 'Scan to PDF');"
    );
    at.file("C/Firefox/Profiles/q7h2k9xv.default/places.sqlite", database(FIREFOX, &bookmarked));
}

fn visited_page(at: &Folder<'_>) {
    let row =
        "INSERT INTO urls VALUES (1, 'https://scan-to-pdf.example/', 'Scan to PDF', 1, 13402489651000000);";
    at.file("C/User Data/Default/History", database(CHROMIUM, row));
}

fn task(action: &str) -> String {
    format!("<Task>\r\n  <Actions>\r\n    {action}\r\n  </Actions>\r\n</Task>\r\n")
}

/// Tasks that run no command, one of Windows itself, one that lies where no scheduler looks.
fn tasks_without_commands(at: &Folder<'_>) {
    const TASKS: &str = "C/Windows/System32/Tasks";
    const EXEC: &str = "<Exec><Command>C:\\ProgramData\\update.exe</Command></Exec>";
    let handler = "<ComHandler><ClassId>{0F87369F-A4E5-4CFC-BD3E-73E6154572DD}</ClassId></ComHandler>";
    at.file(&format!("{TASKS}/Handler"), task(handler));
    at.file(&format!("{TASKS}/Empty"), task("<Exec><Command></Command></Exec>"));
    at.file(&format!("{TASKS}/Microsoft/Windows/Defrag/ScheduledDefrag"), task(EXEC));
    at.file("C/Users/Public/Tasks/Update.xml", task(EXEC));
    at.file("D/Tasks/Update.xml", task(EXEC));
}

fn task_with_a_command(at: &Folder<'_>) {
    let exec = "<Exec><Command>C:\\ProgramData\\update.exe</Command></Exec>";
    at.file("C/Windows/System32/Tasks/Update", task(exec));
}

/// Files without a name that leads elsewhere: comments, the computer itself, other files beside it.
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
