//! The browser databases: mara's Chromium, with the planted download only in the write-ahead log, and it-admin's Firefox.

use rusqlite::{Connection, params};

use super::DemoFile;
use super::clock::Time;
use super::files::{FORM_BYTES, installer};
use super::sqlite;
use super::story::*;

/// The path of mara's history.
pub(crate) const HISTORY: &str = "p1/Users/mara/AppData/Local/Chromium/User Data/Default/History";
/// The path of it-admin's history.
pub(crate) const PLACES: &str =
    "p1/Users/it-admin/AppData/Roaming/Mozilla/Firefox/Profiles/q7h2k9xv.default-release/places.sqlite";

/// Builds the files of both browsers.
pub(crate) fn files() -> rusqlite::Result<Vec<DemoFile>> {
    let history = sqlite::logged(chromium, planted_download)?;
    Ok(vec![
        DemoFile::new(HISTORY, history.main),
        DemoFile::new(&format!("{HISTORY}-wal"), history.log),
        DemoFile::new(PLACES, sqlite::plain(firefox)?),
    ])
}

/// The tables of a 2025 Chromium, without those for clusters, segments and synchronisation.
pub(crate) const CHROMIUM: &str = "
    CREATE TABLE meta(key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR);
    CREATE TABLE urls(id INTEGER PRIMARY KEY AUTOINCREMENT, url LONGVARCHAR, title LONGVARCHAR,
        visit_count INTEGER DEFAULT 0 NOT NULL, typed_count INTEGER DEFAULT 0 NOT NULL,
        last_visit_time INTEGER NOT NULL, hidden INTEGER DEFAULT 0 NOT NULL);
    CREATE TABLE visits(id INTEGER PRIMARY KEY AUTOINCREMENT, url INTEGER NOT NULL, visit_time INTEGER NOT NULL,
        from_visit INTEGER, external_referrer_url TEXT, transition INTEGER DEFAULT 0 NOT NULL, segment_id INTEGER,
        visit_duration INTEGER DEFAULT 0 NOT NULL, incremented_omnibox_typed_score BOOLEAN DEFAULT FALSE NOT NULL,
        opener_visit INTEGER, originator_cache_guid TEXT, originator_visit_id INTEGER,
        originator_from_visit INTEGER, originator_opener_visit INTEGER,
        is_known_to_sync BOOLEAN DEFAULT FALSE NOT NULL,
        consider_for_ntp_most_visited BOOLEAN DEFAULT FALSE NOT NULL,
        visited_link_id INTEGER DEFAULT 0 NOT NULL, app_id TEXT);
    CREATE TABLE downloads(id INTEGER PRIMARY KEY, guid VARCHAR NOT NULL, current_path LONGVARCHAR NOT NULL,
        target_path LONGVARCHAR NOT NULL, start_time INTEGER NOT NULL, received_bytes INTEGER NOT NULL,
        total_bytes INTEGER NOT NULL, state INTEGER NOT NULL, danger_type INTEGER NOT NULL,
        interrupt_reason INTEGER NOT NULL, hash BLOB NOT NULL, end_time INTEGER NOT NULL, opened INTEGER NOT NULL,
        last_access_time INTEGER NOT NULL, transient INTEGER NOT NULL, referrer VARCHAR NOT NULL,
        site_url VARCHAR NOT NULL, embedder_download_data VARCHAR NOT NULL, tab_url VARCHAR NOT NULL,
        tab_referrer_url VARCHAR NOT NULL, http_method VARCHAR NOT NULL, by_ext_id VARCHAR NOT NULL,
        by_ext_name VARCHAR NOT NULL, by_web_app_id VARCHAR NOT NULL, etag VARCHAR NOT NULL,
        last_modified VARCHAR NOT NULL, mime_type VARCHAR(255) NOT NULL, original_mime_type VARCHAR(255) NOT NULL);
    CREATE TABLE downloads_url_chains(id INTEGER NOT NULL, chain_index INTEGER NOT NULL, url LONGVARCHAR NOT NULL,
        PRIMARY KEY (id, chain_index));
    CREATE TABLE keyword_search_terms(keyword_id INTEGER NOT NULL, url_id INTEGER NOT NULL,
        term LONGVARCHAR NOT NULL, normalized_term LONGVARCHAR NOT NULL);
    CREATE INDEX urls_url_index ON urls (url);
    CREATE INDEX visits_url_index ON visits (url);
    CREATE INDEX visits_time_index ON visits (visit_time);
";

/// Page transitions: a link and a typed address, each both first and last of its chain.
const LINK: i64 = 0x3000_0000;
const TYPED: i64 = 0x3000_0001;

/// The time and transition of a visit.
type Visit = (Time, i64);

fn chromium(database: &Connection) -> rusqlite::Result<()> {
    database.execute_batch(CHROMIUM)?;
    for (key, value) in [("mmap_status", "-1"), ("version", "70"), ("last_compatible_version", "16")] {
        database.execute("INSERT INTO meta VALUES (?, ?)", params![key, value])?;
    }
    let search_url = format!("https://search.example/?q={}", SEARCH.replace(' ', "+"));
    let pages: [(&str, &str, &[Visit]); 5] = [
        (INTRANET, "Alderbrook intranet", &[(ORDINARY, TYPED), (AUGUST, TYPED), (MORNING.plus(600), TYPED)]),
        (FORM_URL, "VAT return 2025", &[(FORM_DOWNLOADED, LINK)]),
        ("https://lunch.example/menu", "Lunch of the week", &[(AUGUST.plus(5_000), LINK)]),
        (&search_url, "scan invoices to one pdf free - search", &[(SEARCHED, LINK)]),
        (PAGE, PAGE_TITLE, &[(VISITED, TYPED)]),
    ];
    for (url, title, visits) in pages {
        visited(database, url, title, visits)?;
    }
    database.execute("INSERT INTO keyword_search_terms VALUES (2, 4, ?, ?)", params![SEARCH, SEARCH])?;
    download(
        database,
        &Download {
            id: 1,
            path: FORM,
            size: FORM_BYTES.len(),
            kind: "application/pdf",
            url: FORM_URL,
            page: "https://tax-office.example/forms/",
            begun: FORM_DOWNLOADED,
            ended: FORM_DOWNLOADED.plus(1),
        },
    )
}

fn visited(database: &Connection, url: &str, title: &str, visits: &[Visit]) -> rusqlite::Result<()> {
    let last = visits.last().map_or(0, |(time, _)| time.webkit_micros());
    let typed = visits.iter().filter(|(_, transition)| *transition == TYPED).count();
    database.execute(
        "INSERT INTO urls (url, title, visit_count, typed_count, last_visit_time) VALUES (?, ?, ?, ?, ?)",
        params![url, title, visits.len() as i64, typed as i64, last],
    )?;
    let id = database.last_insert_rowid();
    for (time, transition) in visits {
        database.execute(
            "INSERT INTO visits (url, visit_time, from_visit, transition, visit_duration) VALUES (?, ?, 0, ?, 41000000)",
            params![id, time.webkit_micros(), transition],
        )?;
    }
    Ok(())
}

/// Writes what only the log contains.
fn planted_download(database: &Connection) -> rusqlite::Result<()> {
    download(
        database,
        &Download {
            id: 2,
            path: INSTALLER,
            size: installer().len(),
            kind: "application/x-msdownload",
            url: INSTALLER_URL,
            page: PAGE,
            begun: DOWNLOAD_BEGUN,
            ended: DOWNLOADED,
        },
    )
}

struct Download {
    id: i64,
    path: &'static str,
    size: usize,
    kind: &'static str,
    url: &'static str,
    page: &'static str,
    begun: Time,
    ended: Time,
}

fn download(database: &Connection, download: &Download) -> rusqlite::Result<()> {
    let Download { id, path, size, kind, url, page, begun, ended } = download;
    let guid = format!("5d0c1f3e-8a44-4b0b-9d27-0000000000{id:02}");
    let (begun, ended) = (begun.webkit_micros(), ended.webkit_micros());
    database.execute(
        "INSERT INTO downloads VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?5, 1, 0, 0, x'', ?6, 0, 0, 0, ?7, '', '', ?7, '', 'GET',
            '', '', '', '', '', ?8, ?8)",
        params![id, guid, path, begun, *size as i64, ended, page, kind],
    )?;
    database.execute("INSERT INTO downloads_url_chains VALUES (?, 0, ?)", params![id, url])?;
    Ok(())
}

/// The tables of a 2025 Firefox, without those for keywords, previews and metadata.
const FIREFOX: &str = "
    CREATE TABLE moz_origins(id INTEGER PRIMARY KEY, prefix TEXT NOT NULL, host TEXT NOT NULL,
        frecency INTEGER NOT NULL, recalc_frecency INTEGER NOT NULL DEFAULT 0, alt_frecency INTEGER,
        recalc_alt_frecency INTEGER NOT NULL DEFAULT 0, UNIQUE (prefix, host));
    CREATE TABLE moz_places(id INTEGER PRIMARY KEY, url LONGVARCHAR, title LONGVARCHAR, rev_host LONGVARCHAR,
        visit_count INTEGER DEFAULT 0, hidden INTEGER DEFAULT 0 NOT NULL, typed INTEGER DEFAULT 0 NOT NULL,
        frecency INTEGER DEFAULT -1 NOT NULL, last_visit_date INTEGER, guid TEXT,
        foreign_count INTEGER DEFAULT 0 NOT NULL, url_hash INTEGER DEFAULT 0 NOT NULL, description TEXT,
        preview_image_url TEXT, site_name TEXT, origin_id INTEGER REFERENCES moz_origins(id),
        recalc_frecency INTEGER NOT NULL DEFAULT 0, alt_frecency INTEGER,
        recalc_alt_frecency INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE moz_historyvisits(id INTEGER PRIMARY KEY, from_visit INTEGER, place_id INTEGER,
        visit_date INTEGER, visit_type INTEGER, session INTEGER, source INTEGER DEFAULT 0 NOT NULL,
        triggeringPlaceId INTEGER);
    CREATE TABLE moz_bookmarks(id INTEGER PRIMARY KEY, type INTEGER, fk INTEGER DEFAULT NULL, parent INTEGER,
        position INTEGER, title LONGVARCHAR, keyword_id INTEGER, folder_type TEXT, dateAdded INTEGER,
        lastModified INTEGER, guid TEXT, syncStatus INTEGER NOT NULL DEFAULT 0,
        syncChangeCounter INTEGER NOT NULL DEFAULT 1);
    CREATE TABLE moz_anno_attributes(id INTEGER PRIMARY KEY, name VARCHAR(32) UNIQUE NOT NULL);
    CREATE TABLE moz_annos(id INTEGER PRIMARY KEY, place_id INTEGER NOT NULL, anno_attribute_id INTEGER,
        content LONGVARCHAR, flags INTEGER DEFAULT 0, expiration INTEGER DEFAULT 0, type INTEGER DEFAULT 0,
        dateAdded INTEGER DEFAULT 0, lastModified INTEGER DEFAULT 0);
    CREATE TABLE moz_inputhistory(place_id INTEGER NOT NULL, input LONGVARCHAR NOT NULL, use_count INTEGER,
        PRIMARY KEY (place_id, input));
";

fn firefox(database: &Connection) -> rusqlite::Result<()> {
    database.execute_batch(FIREFOX)?;
    // Visit types: 1 is a link, 2 is typed.
    let pages = [
        (INTRANET, "Alderbrook intranet", "intranet.alderbrook.example", IT_ADMIN_LOGON.plus(520), 2),
        (DOCS_URL, DOCS_TITLE, "docs.backup-tool.example", DOCS_VISITED, 1),
        (
            "https://printworks.example/drivers",
            "Printer drivers",
            "printworks.example",
            ORDINARY.plus(1_200),
            1,
        ),
    ];
    for (number, (url, title, host, time, kind)) in pages.into_iter().enumerate() {
        let id = number as i64 + 1;
        let reversed: String = host.chars().rev().chain(['.']).collect();
        database.execute(
            "INSERT INTO moz_origins (id, prefix, host, frecency) VALUES (?, 'https://', ?, 100)",
            params![id, host],
        )?;
        database.execute(
            "INSERT INTO moz_places (id, url, title, rev_host, visit_count, typed, frecency, last_visit_date, guid, origin_id)
                VALUES (?1, ?2, ?3, ?4, 1, ?5, 100, ?6, ?7, ?1)",
            params![id, url, title, reversed, i64::from(kind == 2), time.unix_micros(), format!("aldr07place{id}")],
        )?;
        database.execute(
            "INSERT INTO moz_historyvisits (id, from_visit, place_id, visit_date, visit_type, session)
                VALUES (?1, 0, ?1, ?2, ?3, 0)",
            params![id, time.unix_micros(), kind],
        )?;
    }
    Ok(())
}

/// Builds both databases, without the contents of the log.
pub(crate) fn databases() -> rusqlite::Result<[Vec<u8>; 2]> {
    Ok([sqlite::plain(chromium)?, sqlite::plain(firefox)?])
}
