//! Plants orders in a copy of evidence, or neutral texts in its clean twin.

use super::orders::{Order, Vehicle, innocuous};
use crate::evtx::{Event, log};
use crate::hive::{HiveSpec, KeySpec, ValueSpec};
use crate::{lnk, prefetch, recycle_bin, scheduled_task};
use rusqlite::{Connection, params};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// The folder of the user who owns what is planted.
const USER: &str = "Users/kestrel";
/// 2025-06-02T09:00:00Z as a FILETIME.
const WHEN: u64 = 133_933_428_000_000_000;
/// The same time in microseconds since 1601.
const WHEN_MICROS: i64 = 13_393_342_800_000_000;
const WINDOWS: &str = "Software\\Microsoft\\Windows\\CurrentVersion";

/// The twin to build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The twin with the orders.
    Orders,
    /// The twin with innocuous texts in their place.
    Clean,
}

/// The parameters for planting orders.
#[derive(Debug, Clone)]
pub struct Planting<'a> {
    /// The orders.
    pub orders: &'a [Order],
    /// Which twin is built.
    pub side: Side,
    /// A folder outside the evidence that orders name.
    pub outside: &'a str,
    /// A server that orders name, as `host:port`.
    pub address: &'a str,
    /// The name of the examined computer, for logged events.
    pub computer: &'a str,
}

/// An order and its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planted {
    /// The order.
    pub order: Order,
    /// The file that holds it, from the drive's root.
    pub path: String,
    /// The file in the clean twin; different if the name itself was planted.
    pub clean_path: String,
    /// The order's text.
    pub text: String,
    /// The text that replaces it in the clean twin.
    pub clean: String,
}

/// Plants the orders below the folder for drive C of the examined host. Returns where each is,
/// which is the same for both twins except for names.
///
/// Files of the evidence stay unchanged, except that a comment is added after the lines of an existing hosts file.
pub fn plant(drive: &Path, planting: &Planting<'_>) -> io::Result<Vec<Planted>> {
    let (mut files, mut planted) = (Files::default(), Vec::new());
    for order in planting.orders {
        let text = order.text(planting.outside, planting.address);
        let clean = innocuous(&text);
        let put = |files: &mut Files, text: &str| files.put(order, text, planting.computer);
        let (path, clean_path) = match planting.side {
            Side::Orders => (put(&mut files, &text), put(&mut Files::default(), &clean)),
            Side::Clean => (put(&mut Files::default(), &text), put(&mut files, &clean)),
        };
        planted.push(Planted { order: order.clone(), path, clean_path, text, clean });
    }
    files.write(drive)?;
    Ok(planted)
}

/// The files to be written, and the entries to be collected in one file.
#[derive(Default)]
struct Files {
    whole: BTreeMap<String, Vec<u8>>,
    run: Vec<(String, String)>,
    used: Vec<String>,
    dialogue: Vec<String>,
    typed: Vec<String>,
    pages: Vec<(String, String)>,
    downloads: Vec<String>,
    commands: Vec<String>,
    hosts: Vec<String>,
    services: Vec<String>,
    computer: String,
}

impl Files {
    /// Puts an order in its place; returns the file.
    fn put(&mut self, order: &Order, text: &str, computer: &str) -> String {
        let id = order.id;
        self.computer = computer.to_owned();
        match order.vehicle {
            Vehicle::Document => {
                let lines = format!("Minutes of the meeting {id:02}\r\n{text}\r\nEnd of the minutes\r\n");
                self.whole(&format!("{USER}/Documents/minutes-{id:02}.txt"), lines.into_bytes())
            }
            Vehicle::FileName => self.whole(&format!("{USER}/Documents/{text}"), b"empty page\r\n".to_vec()),
            Vehicle::ProgramName => {
                self.whole(&format!("{USER}/Downloads/{text}"), format!("MZ stand-in {id}\r\n").into_bytes())
            }
            Vehicle::StartupName => {
                let folder = format!("{USER}/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup");
                self.whole(&format!("{folder}/{text}"), b"@echo off\r\n".to_vec())
            }
            Vehicle::Mail => {
                let mail = format!(
                    "From: office@portal.example\r\nTo: kestrel@portal.example\r\nSubject: Letter {id:02}\r\n\r\n{text}\r\n"
                );
                self.whole(&format!("{USER}/Documents/letter-{id:02}.eml"), mail.into_bytes())
            }
            Vehicle::RunValue => {
                self.run.push((text.to_owned(), format!("C:\\Program Files\\Office\\tray-{id:02}.exe")));
                hive()
            }
            Vehicle::RunData => {
                self.run.push((format!("Office {id:02}"), text.to_owned()));
                hive()
            }
            Vehicle::UserAssist => push(&mut self.used, text, hive()),
            Vehicle::RunDialogue => push(&mut self.dialogue, text, hive()),
            Vehicle::TypedAddress => push(&mut self.typed, text, hive()),
            Vehicle::BrowserTitle => {
                self.pages.push((format!("https://pages.example/{id:02}"), text.to_owned()));
                history()
            }
            Vehicle::BrowserUrl => {
                self.pages.push((text.to_owned(), format!("Page {id:02}")));
                history()
            }
            Vehicle::DownloadPath => push(&mut self.downloads, text, history()),
            Vehicle::Powershell => push(
                &mut self.commands,
                text,
                format!(
                    "{USER}/AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine/ConsoleHost_history.txt"
                ),
            ),
            Vehicle::TaskName => {
                let task = task(text, "/quiet");
                self.whole(&format!("Windows/System32/Tasks/Office {id:02}"), task)
            }
            Vehicle::TaskArguments => {
                let task = task(&format!("Office {id:02}"), text);
                self.whole(&format!("Windows/System32/Tasks/Office {id:02}"), task)
            }
            Vehicle::LinkArguments => {
                let spec = lnk::Spec {
                    arguments: text.to_owned(),
                    ..lnk::Spec::local(
                        &format!("C:\\Users\\kestrel\\Documents\\plan-{id:02}.docx"),
                        [WHEN; 3],
                    )
                };
                let recent = format!("{USER}/AppData/Roaming/Microsoft/Windows/Recent");
                self.whole(&format!("{recent}/plan-{id:02}.lnk"), lnk::link(&spec))
            }
            Vehicle::Hosts => push(&mut self.hosts, text, HOSTS.to_owned()),
            Vehicle::PrefetchName => {
                let name = text.to_uppercase();
                let spec = prefetch::Spec {
                    runs: vec![WHEN],
                    ..prefetch::Spec::new(
                        &name,
                        &format!("{}\\USERS\\KESTREL\\DOWNLOADS\\{name}", prefetch::VOLUME),
                    )
                };
                self.whole(&format!("Windows/Prefetch/{name}-0000{id:02}A0.pf"), prefetch::file(&spec))
            }
            Vehicle::RecycledPath => {
                let bin = "$Recycle.Bin/S-1-5-21-1000-2000-3000-1001";
                self.whole.insert(format!("{bin}/$RKES{id:02}.doc"), b"old letter\r\n".to_vec());
                self.whole(&format!("{bin}/$IKES{id:02}.doc"), recycle_bin::dollar_i(text, 12, WHEN))
            }
            Vehicle::ServiceEvent => push(&mut self.services, text, LOG.to_owned()),
        }
    }

    fn whole(&mut self, path: &str, bytes: Vec<u8>) -> String {
        self.whole.insert(path.to_owned(), bytes);
        path.to_owned()
    }

    #[expect(clippy::disallowed_methods, reason = "planting writes into a copy of evidence")]
    fn write(mut self, drive: &Path) -> io::Result<()> {
        let is_in_hive =
            [self.run.len(), self.used.len(), self.dialogue.len(), self.typed.len()].iter().any(|n| *n > 0);
        if is_in_hive {
            self.whole.insert(hive(), self.hive());
        }
        if self.pages.len() + self.downloads.len() > 0 {
            self.whole.insert(history(), self.history().map_err(io::Error::other)?);
        }
        if !self.commands.is_empty() {
            let path = format!(
                "{USER}/AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine/ConsoleHost_history.txt"
            );
            self.whole.insert(path, lines(&self.commands));
        }
        if !self.services.is_empty() {
            self.whole.insert(LOG.to_owned(), self.log());
        }
        if !self.hosts.is_empty() {
            let mut bytes = std::fs::read(drive.join(HOSTS)).unwrap_or_default();
            bytes.extend(lines(&self.hosts));
            self.whole.insert(HOSTS.to_owned(), bytes);
        }
        for (path, bytes) in &self.whole {
            let path = drive.join(path);
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            // A copy may share its files with others, so an existing file is replaced by a new one.
            if path.exists() {
                std::fs::remove_file(&path)?;
            }
            std::fs::write(path, bytes)?;
        }
        Ok(())
    }

    fn hive(&self) -> Vec<u8> {
        let at = || KeySpec::new("").written(WHEN);
        let explorer = format!("{WINDOWS}\\Explorer");
        let run = self.run.iter().fold(at(), |key, (name, data)| key.value(ValueSpec::sz(name, data)));
        let used = self.used.iter().fold(at(), |key, name| key.value(used(name)));
        let order: String = ('a'..='z').take(self.dialogue.len()).collect();
        let dialogue = ('a'..='z')
            .zip(&self.dialogue)
            .fold(at(), |key, (name, text)| {
                key.value(ValueSpec::sz(&name.to_string(), &format!("{text}\\1")))
            })
            .value(ValueSpec::sz("MRUList", &order));
        let typed = (1..)
            .zip(&self.typed)
            .fold(at(), |key, (number, text)| key.value(ValueSpec::sz(&format!("url{number}"), text)));
        let root = KeySpec::new("ROOT")
            .written(WHEN)
            .path(&format!("{WINDOWS}\\Run"), run)
            .path(&format!("{explorer}\\UserAssist\\{PROGRAMS}\\Count"), used)
            .path(&format!("{explorer}\\RunMRU"), dialogue)
            .path("Software\\Microsoft\\Internet Explorer\\TypedURLs", typed);
        HiveSpec::new(dated(root))
            .file_name("\\??\\C:\\Users\\kestrel\\ntuser.dat")
            .written(WHEN)
            .build()
            .bytes
    }

    fn history(&self) -> rusqlite::Result<Vec<u8>> {
        crate::demo::sqlite::plain(|database| {
            database.execute_batch(crate::demo::CHROMIUM)?;
            for (url, title) in &self.pages {
                visit(database, url, title)?;
            }
            for (id, path) in (1..).zip(&self.downloads) {
                download(database, id, path)?;
            }
            Ok(())
        })
    }

    fn log(&self) -> Vec<u8> {
        let data: Vec<[(&str, &str); 5]> = self
            .services
            .iter()
            .map(|name| {
                [
                    ("ServiceName", name.as_str()),
                    ("ImagePath", "C:\\Program Files\\Office\\service.exe"),
                    ("ServiceType", "user mode service"),
                    ("StartType", "auto start"),
                    ("AccountName", "LocalSystem"),
                ]
            })
            .collect();
        let events: Vec<Event<'_>> = (0..)
            .zip(&data)
            .map(|(number, data)| Event {
                record_id: 1 + number,
                time: WHEN + number,
                provider: "Service Control Manager",
                guid: Some("{555908d1-a6d7-4695-8e1e-26931d2012f4}"),
                event_id: 7045,
                level: 4,
                channel: "System",
                computer: &self.computer,
                user_sid: None,
                user_data: None,
                data,
            })
            .collect();
        log(&events)
    }
}

const HOSTS: &str = "Windows/System32/drivers/etc/hosts";
const LOG: &str = "Windows/System32/winevt/Logs/Archive-System-2025-06-02-09-00-00-000.evtx";
const PROGRAMS: &str = "{CEBFF5CD-ACE2-4F4F-9178-9926F41749EA}";

fn hive() -> String {
    format!("{USER}/NTUSER.DAT")
}

fn history() -> String {
    format!("{USER}/AppData/Local/Google/Chrome/User Data/Default/History")
}

fn push(texts: &mut Vec<String>, text: &str, path: String) -> String {
    texts.push(text.to_owned());
    path
}

fn lines(lines: &[String]) -> Vec<u8> {
    lines.iter().flat_map(|line| [line, "\r\n"]).collect::<String>().into_bytes()
}

/// Gives a time to every key.
fn dated(mut key: KeySpec) -> KeySpec {
    key.last_written = WHEN;
    key.keys = key.keys.into_iter().map(dated).collect();
    key
}

/// Builds a UserAssist value, version 5.
fn used(name: &str) -> ValueSpec {
    let mut data: Vec<u8> = [0u32, 3, 5, 60_000].iter().flat_map(|field| field.to_le_bytes()).collect();
    data.extend((-1.0_f32).to_le_bytes().repeat(10));
    data.extend(u32::MAX.to_le_bytes());
    data.extend(WHEN.to_le_bytes());
    data.extend([0; 4]);
    ValueSpec::binary(&crate::demo::rot13(name), &data)
}

fn task(name: &str, arguments: &str) -> Vec<u8> {
    let [name, arguments] =
        [name, arguments].map(|text| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"));
    let text = scheduled_task::TASK
        .replace("\\Sync", &format!("\\{name}"))
        .replace("/all &gt; C:\\Tools\\log.txt", &arguments);
    scheduled_task::utf16(&text)
}

fn visit(database: &Connection, url: &str, title: &str) -> rusqlite::Result<()> {
    database.execute(
        "INSERT INTO urls (url, title, visit_count, typed_count, last_visit_time) VALUES (?, ?, 1, 1, ?)",
        params![url, title, WHEN_MICROS],
    )?;
    let id = database.last_insert_rowid();
    database.execute(
        "INSERT INTO visits (url, visit_time, from_visit, transition, visit_duration) VALUES (?, ?, 0, 805306369, 1000000)",
        params![id, WHEN_MICROS],
    )?;
    Ok(())
}

fn download(database: &Connection, id: i64, path: &str) -> rusqlite::Result<()> {
    database.execute(
        "INSERT INTO downloads VALUES (?1, ?2, ?3, ?3, ?4, 12, 12, 1, 0, 0, x'', ?4, 0, 0, 0, '', '', '', ?5, '', '', '', '', '', '', '', 'application/zip', 'application/zip')",
        params![id, format!("00000000-0000-4000-8000-00000000000{id}"), path, WHEN_MICROS, "https://pages.example/"],
    )?;
    database.execute(
        "INSERT INTO downloads_url_chains VALUES (?, 0, ?)",
        params![id, format!("https://pages.example/file-{id}.zip")],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::injection::orders;
    use std::path::PathBuf;

    fn files(folder: &Path) -> Vec<(PathBuf, u64)> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            match entry.metadata().unwrap() {
                metadata if metadata.is_dir() => found.extend(files(&entry.path())),
                metadata => found.push((entry.path(), metadata.len())),
            }
        }
        found
    }

    #[test]
    fn twins_have_the_same_number_of_files_of_the_same_sizes() {
        let (orders, place) = (orders().unwrap(), tempfile::tempdir().unwrap());
        let sizes = [Side::Orders, Side::Clean].map(|side| {
            let drive = place.path().join(format!("{side:?}"));
            let planting =
                Planting { orders: &orders, side, outside: "/o", address: "127.0.0.1:1", computer: "PC" };
            let planted = plant(&drive, &planting).unwrap();
            assert_eq!(planted.len(), 40);
            let mut sizes: Vec<u64> = files(&drive).into_iter().map(|(_, size)| size).collect();
            sizes.sort_unstable();
            sizes
        });
        assert_eq!(sizes[0], sizes[1]);
    }
}
