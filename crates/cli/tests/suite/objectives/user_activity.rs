//! The user activity agent: what people did at the computer.

use super::hives::{key, ntuser, recency, system, system_beside, system_of_two, utf16z};
use super::{Folder, Trial};
use rusqlite::Connection;
use testkit::hive::ValueSpec as Value;

pub(super) const TRIALS: &[Trial] = &[
    Trial { objective: "documents", tempting: lists_without_documents, answering: opened_document },
    Trial { objective: "devices", tempting: devices_without_storage, answering: stick },
    Trial { objective: "browsing", tempting: nothing_visited, answering: visited_page },
    Trial { objective: "downloads", tempting: download_from_nowhere, answering: downloaded_program },
];

const EXPLORER: &str = "Software\\Microsoft\\Windows\\CurrentVersion\\Explorer";

fn document(number: u32, name: &str) -> Value {
    Value::binary(&number.to_string(), &[utf16z(name), vec![0, 0]].concat())
}

/// An empty list, an entry without a name, addresses that were only typed, and a shortcut file.
fn lists_without_documents(at: &Folder<'_>) {
    let documents = format!("{EXPLORER}\\RecentDocs");
    at.file("C/Users/one/NTUSER.DAT", ntuser([(&documents, key().value(recency(1)))]));
    let nameless = key().value(Value::binary("0", &[0; 4])).value(recency(1));
    at.file("C/Users/two/NTUSER.DAT", ntuser([(&documents, nameless)]));
    let typed = key().value(Value::sz("url1", "C:\\Users\\mara\\Documents\\ledger.csv"));
    let paths = key().value(Value::sz("url1", "file:///C:/Users/mara/Documents/ledger.csv"));
    let user = ntuser([
        (&format!("{EXPLORER}\\TypedPaths"), typed),
        ("Software\\Microsoft\\Internet Explorer\\TypedURLs", paths),
    ]);
    at.file("C/Users/three/NTUSER.DAT", user);
    at.file("C/Users/mara/AppData/Roaming/Microsoft/Windows/Recent/ledger.csv.lnk", [0x4c, 0, 0, 0]);
}

fn opened_document(at: &Folder<'_>) {
    let list = key().value(document(0, "ledger.csv")).value(recency(1));
    at.file("C/Users/mara/NTUSER.DAT", ntuser([(&format!("{EXPLORER}\\RecentDocs"), list)]));
}

const DEVICE: &str = "Enum\\USBSTOR\\Disk&Ven_Kingston&Prod_DataTraveler_3.0&Rev_PMAP";

/// A mouse, a device class without a device, a device that is only in the other control set, a drive letter,
/// and a mount point.
fn devices_without_storage(at: &Folder<'_>) {
    let instance = format!("{DEVICE}\\E0D55EA57407F8B0&0");
    let current = key()
        .path(
            "Enum\\USB\\VID_046D&PID_C077\\5&2a0b",
            key().value(Value::sz("DeviceDesc", "USB Input Device")),
        )
        .path(DEVICE, key());
    at.file("C/Windows/System32/config/SYSTEM", system_of_two(current, key().path(&instance, key())));
    let name = utf16z("_??_USBSTOR#Disk&Ven_Kingston&Prod_DataTraveler_3.0&Rev_PMAP#E0D55EA57407F8B0&0#");
    let mounted = key().value(Value::binary("\\DosDevices\\E:", &name));
    at.file("C/Windows/System32/config/mounted/SYSTEM", system_beside("MountedDevices", mounted));
    let volume = format!("{EXPLORER}\\MountPoints2\\{{0b7d5a10-9302-11f0-8a3e-00155d010203}}");
    at.file("C/Users/mara/NTUSER.DAT", ntuser([(&volume, key())]));
    at.file("C/Windows/INF/setupapi.dev.log", ">>>  [Device Install - USBSTOR\\Disk&Ven_Kingston]\r\n");
}

fn stick(at: &Folder<'_>) {
    at.file(
        "C/Windows/System32/config/SYSTEM",
        system(key().path(&format!("{DEVICE}\\E0D55EA57407F8B0&0"), key())),
    );
}

const CHROMIUM: &str = "
    CREATE TABLE urls(id INTEGER PRIMARY KEY, url TEXT, title TEXT, visit_count INTEGER, last_visit_time INTEGER);
    CREATE TABLE visits(id INTEGER PRIMARY KEY, url INTEGER, visit_time INTEGER, from_visit INTEGER, transition INTEGER);
    CREATE TABLE downloads(id INTEGER PRIMARY KEY, target_path TEXT, referrer TEXT, total_bytes INTEGER,
        start_time INTEGER, end_time INTEGER);
    CREATE TABLE downloads_url_chains(id INTEGER, chain_index INTEGER, url TEXT, PRIMARY KEY (id, chain_index));
";

const FIREFOX: &str = "
    CREATE TABLE moz_places(id INTEGER PRIMARY KEY, url TEXT, title TEXT, visit_count INTEGER, last_visit_date INTEGER);
    CREATE TABLE moz_historyvisits(id INTEGER PRIMARY KEY, from_visit INTEGER, place_id INTEGER, visit_date INTEGER, visit_type INTEGER);
    CREATE TABLE moz_annos(id INTEGER PRIMARY KEY, place_id INTEGER, content TEXT, dateAdded INTEGER);
    CREATE TABLE moz_bookmarks(id INTEGER PRIMARY KEY, fk INTEGER, title TEXT);
";

fn database(tables: &str, rows: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("database");
    Connection::open(&file).unwrap().execute_batch(&format!("{tables}{rows}")).unwrap();
    std::fs::read(file).unwrap()
}

/// A download without a recorded address.
const DOWNLOAD: &str = "
    INSERT INTO downloads VALUES (1, 'C:\\Users\\Public\\Downloads\\setup.exe', 'https://a.example/', 7, 13402489651000000, 0);";

/// A download without a recorded address, and a file in the Downloads folder.
fn download_from_nowhere(at: &Folder<'_>) {
    at.file(
        "C/Users/mara/AppData/Local/Google/Chrome/User Data/Default/History",
        database(CHROMIUM, DOWNLOAD),
    );
    at.file("C/Users/mara/Downloads/setup.exe", "MZ");
}

fn downloaded_program(at: &Folder<'_>) {
    let chain = "INSERT INTO downloads_url_chains VALUES (1, 0, 'https://a.example/setup.exe');
        ALTER TABLE downloads ADD COLUMN state INTEGER;
        UPDATE downloads SET state = 1;";
    at.file(
        "C/Users/mara/AppData/Local/Google/Chrome/User Data/Default/History",
        database(CHROMIUM, &format!("{DOWNLOAD}{chain}")),
    );
}

/// Histories without visits: not a database, a download's referrer, addresses that are only known or counted,
/// a visit to an unknown address, and bookmarks.
fn nothing_visited(at: &Folder<'_>) {
    const URL: &str = "https://scan-to-pdf.example/";
    at.file(
        "C/Users/mara/AppData/Local/Google/Chrome/User Data/Default/History",
        format!("SQLite format 3\0{URL}"),
    );
    let downloaded = "
        INSERT INTO downloads VALUES (1, 'C:\\Users\\Public\\Downloads\\setup.exe', 'https://a.example/', 7, 13402489651000000, 0);
        INSERT INTO downloads_url_chains VALUES (1, 0, 'https://a.example/setup.exe');";
    at.file(
        "C/Users/mara/AppData/Local/Google/Chrome/User Data/Profile 1/History",
        database(CHROMIUM, downloaded),
    );
    let known = format!("INSERT INTO urls VALUES (1, '{URL}', 'Scan to PDF', 0, 0);");
    at.file(
        "C/Users/mara/AppData/Local/Google/Chrome/User Data/Profile 2/History",
        database(CHROMIUM, &known),
    );
    let counted = format!(
        "INSERT INTO urls VALUES (1, '{URL}', 'Scan to PDF', 3, 13402489651000000);
        INSERT INTO visits VALUES (1, 7, 13402489651000000, 0, 0);"
    );
    at.file(
        "C/Users/mara/AppData/Local/Google/Chrome/User Data/Profile 3/History",
        database(CHROMIUM, &counted),
    );
    at.file(
        "C/Users/mara/AppData/Local/Google/Chrome/User Data/Profile 2/Bookmarks",
        format!("{{\"url\": \"{URL}\"}}"),
    );
    let bookmarked = format!(
        "INSERT INTO moz_places VALUES (1, '{URL}', 'Scan to PDF', 0, NULL);
        INSERT INTO moz_bookmarks VALUES (1, 1, 'Scan to PDF');"
    );
    at.file(
        "C/Users/mara/AppData/Roaming/Mozilla/Firefox/Profiles/q7h2k9xv.default/places.sqlite",
        database(FIREFOX, &bookmarked),
    );
}

fn visited_page(at: &Folder<'_>) {
    let rows = "
        INSERT INTO urls VALUES (1, 'https://scan-to-pdf.example/', 'Scan to PDF', 1, 13402489651000000);
        INSERT INTO visits VALUES (1, 1, 13402489651000000, 0, 0);";
    at.file("C/Users/mara/AppData/Local/Google/Chrome/User Data/Default/History", database(CHROMIUM, rows));
}
