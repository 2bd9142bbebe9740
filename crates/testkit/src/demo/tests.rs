//! Checks that the committed bytes are the built ones, hives are valid, and the evidence contains the truth.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use artifacts::registry::{Hive, LookupError, ValueData, ValueKind};
use rusqlite::{Connection, OpenFlags};

use super::browsers::HISTORY;
use super::truth::{Datum, FINDINGS, Fact, Place};
use super::*;

fn case() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/demo")
}

/// Returns the files of both pieces of evidence.
fn all() -> Vec<DemoFile> {
    [files().unwrap(), server::files()].concat()
}

fn bytes_of(path: &str) -> Vec<u8> {
    all().into_iter().find(|file| file.path == path).unwrap_or_else(|| panic!("{path}")).bytes
}

#[expect(clippy::disallowed_methods, reason = "SQLite opens files only")]
fn place(at: &Path, path: &str) {
    std::fs::write(at, bytes_of(path)).unwrap();
}

#[test]
fn the_committed_evidence_is_what_the_builder_builds() {
    let committed = |name: &str| std::fs::read(case().join(name)).unwrap_or_default();
    assert!(committed(IMAGE) == image().unwrap(), "{IMAGE}: run `cargo xtask demo`");
    assert!(committed(ARCHIVE) == archive(), "{ARCHIVE}: run `cargo xtask demo`");
    assert!(committed(TRUTH) == truth().into_bytes(), "{TRUTH}: run `cargo xtask demo`");
}

#[test]
fn two_builds_are_equal() {
    assert!(image().unwrap() == image().unwrap());
    assert!(archive() == archive());
}

#[test]
fn the_evidence_is_small() {
    let size = image().unwrap().len() + archive().len();
    assert!(size < 400_000, "{size} bytes");
}

#[test]
fn every_hive_is_read_without_a_defect() {
    let hives: Vec<DemoFile> = all().into_iter().filter(|file| file.bytes.starts_with(b"regf")).collect();
    assert_eq!(hives.len(), 7);
    for file in hives {
        let hive = Hive::open(&file.bytes).unwrap();
        assert_eq!(hive.defects(), [], "{}", file.path);
        let summary = hive.walk(|visit| {
            assert_eq!(visit.defects, [], "{} {}", file.path, visit.key.path);
            assert_ne!(visit.key.last_written.0, 0, "{} {}", file.path, visit.key.path);
            assert!(visit.values.iter().all(|value| !value.trailing), "{} {}", file.path, visit.key.path);
            std::ops::ControlFlow::Continue(())
        });
        assert!(summary.complete && summary.keys > 10, "{} {summary:?}", file.path);
    }
}

#[test]
fn control_sets_differ_in_the_name_of_the_computer() {
    let bytes = bytes_of(facts::SYSTEM);
    let hive = Hive::open(&bytes).unwrap();
    let name = |set: &str| -> Result<ValueData, LookupError> {
        let key = hive.key(&format!("{set}\\Control\\ComputerName\\ComputerName"))?.unwrap();
        Ok(hive.value(&key, "ComputerName")?.unwrap().data)
    };
    assert_eq!(name("ControlSet001").unwrap(), ValueData::Text(story::HOST.to_owned()));
    assert_eq!(name("ControlSet002").unwrap(), ValueData::Text(story::OLD_HOST.to_owned()));
}

/// Returns all rows of all tables, as text.
fn rows(connection: &Connection) -> BTreeSet<String> {
    let tables: Vec<String> = connection
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let mut rows = BTreeSet::new();
    for table in tables {
        let mut statement = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = statement.column_count();
        let mut found = statement.query([]).unwrap();
        while let Some(row) = found.next().unwrap() {
            let values: Vec<String> =
                (0..columns).map(|column| format!("{:?}", row.get_ref(column).unwrap())).collect();
            rows.insert(format!("{table} {}", values.join(" ")));
        }
    }
    rows
}

#[test]
fn without_its_log_the_history_lacks_exactly_the_planted_download() {
    let folder = tempfile::tempdir().unwrap();
    let history = folder.path().join("History");
    place(&history, HISTORY);
    let uri = format!("file:{}?immutable=1", history.display());
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let without = rows(&Connection::open_with_flags(uri, flags).unwrap());
    place(&folder.path().join("History-wal"), &format!("{HISTORY}-wal"));
    let connection = Connection::open(&history).unwrap();
    let sound: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
    let with = rows(&connection);
    assert!(without.is_subset(&with));
    let more: Vec<&String> = with.difference(&without).collect();
    assert_eq!(more.len(), 2, "{more:?}");
    assert!(more[0].starts_with("downloads Integer(2)"), "{more:?}");
    assert!(more[1].starts_with("downloads_url_chains Integer(2)"), "{more:?}");
}

#[test]
fn the_places_are_a_sound_database() {
    let folder = tempfile::tempdir().unwrap();
    let places = folder.path().join("places.sqlite");
    place(&places, browsers::PLACES);
    let connection = Connection::open(&places).unwrap();
    let sound: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
    let visits: i64 =
        connection.query_row("SELECT count(*) FROM moz_historyvisits", [], |row| row.get(0)).unwrap();
    assert_eq!(visits, 3);
}

/// Returns the bytes that must contain a fact: those of the value, of the key with its name and time, or of the file.
fn haystack(fact: &Fact, built: &ntfs::Built) -> Vec<u8> {
    match fact.place {
        Place::Entry | Place::Stream(_) => return record(&fact.file, built),
        Place::Medium => return medium(built),
        Place::Registry { .. } | Place::Table(_) | Place::Whole => {}
    }
    let bytes = bytes_of(&fact.file);
    let Place::Registry { key: path, value } = &fact.place else {
        let mut bytes = bytes;
        bytes.extend(fact.file.replacen("p1/", "C:/", 1).replace('/', "\\").bytes());
        return bytes;
    };
    let hive = Hive::open(&bytes).unwrap();
    let key = hive.key(path).unwrap().unwrap_or_else(|| panic!("{}: {path}", fact.id));
    let mut found = key.path.clone().into_bytes();
    match value {
        Some(name) => {
            let value = hive.value(&key, name).unwrap().unwrap_or_else(|| panic!("{}: {name}", fact.id));
            found.extend(value.name.bytes());
            found.extend(value.raw.iter());
        }
        None => {
            found.extend(key.last_written.0.to_le_bytes());
            for value in hive.values(&key).0 {
                found.extend(value.name.bytes());
                found.extend(value.raw.iter());
            }
        }
    }
    found
}

/// Returns a file's `$MFT` record; what is searched for in it is resident.
fn record(file: &str, built: &ntfs::Built) -> Vec<u8> {
    const RECORD: usize = 1024;
    let planted = built.planted(file.strip_prefix("p1/").unwrap()).unwrap_or_else(|| panic!("{file}"));
    let table = built.read_runs(&built.mft);
    let mut record = table[planted.record as usize * RECORD..][..RECORD].to_vec();
    // The update sequence replaces the last two bytes of each sector.
    let saved = usize::from(u16::from_le_bytes([record[4], record[5]])) + 2;
    for sector in 0..RECORD / 512 {
        let [low, high] = [record[saved + 2 * sector], record[saved + 2 * sector + 1]];
        record[sector * 512 + 510..][..2].copy_from_slice(&[low, high]);
    }
    record
}

/// Returns label, serial number and cluster size from the boot sector and `$Volume`.
fn medium(built: &ntfs::Built) -> Vec<u8> {
    let boot = &built.bytes()[..512];
    let serial = u64::from_le_bytes(boot[0x48..0x50].try_into().unwrap());
    let cluster = u32::from(u16::from_le_bytes([boot[11], boot[12]])) * u32::from(boot[13]);
    let mut found = format!("{serial:016X}").into_bytes();
    found.extend(cluster.to_le_bytes());
    found.extend(&built.read_runs(&built.mft)[3 * 1024..4 * 1024]);
    found
}

/// Returns the ways in which evidence may store a fact's value.
fn spellings(value: &Datum) -> Vec<Vec<u8>> {
    match value {
        Datum::Text(text) if text.starts_with("S-1-5-") => {
            let sid: Vec<u8> =
                text.split('-').skip(3).flat_map(|part| part.parse::<u32>().unwrap().to_le_bytes()).collect();
            vec![sid, text.clone().into_bytes()]
        }
        Datum::Text(text) => {
            vec![text.clone().into_bytes(), parts::utf16(text), parts::rot13(text).into_bytes()]
        }
        Datum::Number(number) => {
            vec![number.to_le_bytes().to_vec(), number.to_le_bytes()[..2].to_vec()]
        }
        Datum::Instant(time) => vec![
            time.bytes().to_vec(),
            time.unix().to_le_bytes().to_vec(),
            time.webkit_micros().to_be_bytes().to_vec(),
            time.unix_micros().to_be_bytes().to_vec(),
        ],
    }
}

#[test]
fn every_value_of_the_truth_stands_where_it_says() {
    let built = volume::volume(&files().unwrap()).build().unwrap();
    for fact in facts::all() {
        let haystack = haystack(&fact, &built);
        for value in &fact.values {
            let found = spellings(value)
                .iter()
                .any(|needle| haystack.windows(needle.len()).any(|window| window == needle));
            assert!(found, "{}: {value:?} is not in {}", fact.id, fact.artifact());
        }
    }
}

#[test]
fn the_truth_is_toml_of_which_every_part_is_known() {
    let truth: toml::Table = toml::from_str(&truth()).unwrap();
    let list = |name: &str| truth[name].as_array().unwrap().clone();
    let ids: BTreeSet<String> =
        list("fact").iter().map(|fact| fact["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids.len(), list("fact").len(), "an id stands twice");
    assert_eq!(ids.len(), facts::all().len());
    for (_, cited) in FINDINGS {
        for id in *cited {
            assert!(ids.contains(*id), "{id} is no fact");
        }
    }
    assert_eq!(list("finding").len(), FINDINGS.len());
    let text = std::fs::read_to_string(case().join("../../crates/ledger/data/predicates.toml")).unwrap();
    let vocabulary: toml::Table = toml::from_str(&text).unwrap();
    for claim in list("must_not_claim") {
        assert!(vocabulary["predicate"].get(claim["predicate"].as_str().unwrap()).is_some(), "{claim}");
    }
    // Texts survive the round trip.
    let run = list("fact").into_iter().find(|fact| fact["id"].as_str() == Some("onedrive")).unwrap();
    assert_eq!(run["values"][0].as_str().unwrap(), story::ONEDRIVE);
}

#[test]
fn the_rid_of_an_account_is_the_type_of_the_value_of_its_name() {
    let bytes = bytes_of(facts::SAM);
    let hive = Hive::open(&bytes).unwrap();
    for (name, rid) in [(story::MARA, story::MARA_RID), (story::PLANT, story::PLANT_RID)] {
        let key = hive.key(&format!("SAM\\Domains\\Account\\Users\\Names\\{name}")).unwrap().unwrap();
        let value = hive.value(&key, "").unwrap().unwrap();
        assert_eq!(value.kind, ValueKind::Other(rid));
        assert!(value.raw.is_empty());
    }
}
