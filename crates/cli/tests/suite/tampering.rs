//! A changed run is detected, and the place of the change is named.

use crate::support::{Place, demo_file};
use std::path::{Path, PathBuf};

/// A sealed run of the demo.
fn sealed(place: &Place) -> PathBuf {
    place.has_demo_run(&[]);
    place.only_run()
}

/// A copy of the run in which some bytes of `run.db` are replaced wherever they occur, because SQLite leaves stale copies
/// of moved rows.
fn changed(place: &Place, run: &Path, name: &str, from: &[u8], to: &[u8]) -> PathBuf {
    let copy = place.path(name);
    std::fs::create_dir(&copy).unwrap();
    std::fs::copy(run.join("manifest.json"), copy.join("manifest.json")).unwrap();
    let mut bytes = std::fs::read(run.join("run.db")).unwrap();
    assert_eq!(from.len(), to.len());
    let places: Vec<usize> =
        (0..bytes.len() - from.len()).filter(|at| bytes[*at..].starts_with(from)).collect();
    assert!(!places.is_empty(), "the bytes stand in run.db");
    for at in places {
        bytes[at..at + to.len()].copy_from_slice(to);
    }
    write(&copy.join("run.db"), &bytes);
    copy
}

#[expect(clippy::disallowed_methods, reason = "the tests tamper with copies of a run")]
fn write(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn an_untouched_run_verifies() {
    let place = Place::new();
    let run = sealed(&place);
    let out = place.locard_ends(0, &["verify", run.to_str().unwrap()]);
    assert!(out.contains("verified: facts stand in stored outputs"), "{out}");
}

#[test]
fn a_changed_fact_is_found_at_its_position() {
    let place = Place::new();
    let run = sealed(&place);
    let copy = changed(&place, &run, "fact", b"\"tier\":\"exact\"", b"\"tier\":\"typed\"");
    let out = place.locard_ends(31, &["verify", copy.to_str().unwrap()]);
    assert!(out.contains("does not hold: position "), "{out}");
}

#[test]
fn a_changed_output_is_found_by_its_digest() {
    let place = Place::new();
    let run = sealed(&place);
    let reader = store::Reader::open(&run).unwrap();
    let raw = reader.payload_index().unwrap().into_iter().flatten().next().unwrap();
    drop(reader);
    // The bytes of the output may be compressed, so the digest that names them is changed instead.
    let mut other = *raw.digest.as_bytes();
    other[5] ^= 1;
    let copy = changed(&place, &run, "output", raw.digest.as_bytes(), &other);
    let out = place.locard_ends(31, &["verify", copy.to_str().unwrap()]);
    assert!(out.contains(&raw.digest.to_string()), "{out}");
}

#[test]
fn a_changed_or_missing_manifest_is_found() {
    let place = Place::new();
    let run = sealed(&place);
    let manifest = std::fs::read_to_string(run.join("manifest.json")).unwrap();
    let at = manifest.find("\"head\": \"").unwrap() + 9;
    let mut other = manifest.clone().into_bytes();
    other[at] = if other[at] == b'0' { b'1' } else { b'0' };
    write(&run.join("manifest.json"), &other);
    let out = place.locard_ends(31, &["verify", run.to_str().unwrap()]);
    assert!(out.contains("manifest.json: expected the head"), "{out}");
    std::fs::remove_file(run.join("manifest.json")).unwrap();
    place.locard_ends(31, &["verify", run.to_str().unwrap()]);
}

/// The tests of `store` flip every byte of every stored column. This one flips one byte in 397 of a whole run
/// over one small hive.
#[test]
fn no_flipped_byte_changes_what_a_run_says_unseen() {
    let place = Place::new();
    let sam = "Windows/System32/config/SAM";
    place.file(&format!("host/C/{sam}"), demo_file(sam));
    place.locard_ends(0, &["run", "host"]);
    let run = place.only_run();
    let original = std::fs::read(run.join("run.db")).unwrap();
    let before = facts(&run).expect("the untouched run reads");
    // This test finishes last, and on one thread it would use only one processor.
    let parts = 2;
    let flipped = |part: usize| {
        let copy = place.path(&format!("flipped-{part}"));
        std::fs::create_dir(&copy).unwrap();
        std::fs::copy(run.join("manifest.json"), copy.join("manifest.json")).unwrap();
        let (mut found, mut meaningless) = (0, 0);
        for at in (0..original.len()).step_by(397).skip(part).step_by(parts) {
            let mut bytes = original.clone();
            bytes[at] ^= 1 << (at % 8);
            let _ = std::fs::remove_file(copy.join("run.db"));
            write(&copy.join("run.db"), &bytes);
            match app::verify(&copy).holds() {
                false => found += 1,
                true => {
                    // The byte is in an unused page or outside every value, so the run must read as before.
                    assert_eq!(facts(&copy).as_ref(), Some(&before), "byte {at}");
                    meaningless += 1;
                }
            }
        }
        (found, meaningless)
    };
    let counts: Vec<(usize, usize)> = std::thread::scope(|scope| {
        let flipped = &flipped;
        let running: Vec<_> = (0..parts).map(|part| scope.spawn(move || flipped(part))).collect();
        running.into_iter().map(|part| part.join().unwrap()).collect()
    });
    let (found, meaningless) =
        counts.into_iter().fold((0, 0), |(a, b), (found, meaningless)| (a + found, b + meaningless));
    assert!(found > meaningless / 4, "{found} found, {meaningless} without meaning");
}

fn facts(folder: &Path) -> Option<String> {
    let run = app::load_run(folder).ok()?;
    Some(format!("{}{}", report::json(&run), report::facts(&run)))
}

/// A copy of the run, changed by SQL without its triggers, which are restored afterwards.
pub(crate) fn edited(place: &Place, run: &Path, name: &str, sql: &str) -> PathBuf {
    let copy = place.folder(name);
    write(&copy.join("manifest.json"), &std::fs::read(run.join("manifest.json")).unwrap());
    write(&copy.join("run.db"), &std::fs::read(run.join("run.db")).unwrap());
    let connection = rusqlite::Connection::open(copy.join("run.db")).unwrap();
    let mut select = connection
        .prepare("SELECT type, name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view') ORDER BY rowid")
        .unwrap();
    let guards: Vec<(String, String, String)> = select
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    drop(select);
    let drop_all: String = guards.iter().map(|(kind, name, _)| format!("DROP {kind} {name};")).collect();
    let restore: String = guards.iter().map(|(.., sql)| format!("{sql};")).collect();
    connection.execute_batch(&format!("BEGIN; {drop_all} {sql} {restore} COMMIT;")).unwrap();
    assert!(connection.query_row("SELECT count(*) FROM events", [], |row| row.get::<_, i64>(0)).unwrap() > 1);
    copy
}

#[test]
fn a_run_edited_by_sql_is_found_wherever_it_was_edited() {
    let place = Place::new();
    let run = sealed(&place);
    let untouched = edited(&place, &run, "untouched", "");
    place.locard_ends(0, &["verify", untouched.to_str().unwrap()]);
    let cut = "DELETE FROM events WHERE position >= (SELECT max(position) - 3 FROM events);";
    let swap = "UPDATE events SET sequence = 1000 WHERE stream = 1 AND sequence = 2;\
        UPDATE events SET sequence = 2 WHERE stream = 1 AND sequence = 3;\
        UPDATE events SET sequence = 3 WHERE stream = 1 AND sequence = 1000;";
    let body = "UPDATE payloads SET body = CAST(x'00' || substr(body, 2) AS BLOB) \
        WHERE rowid = (SELECT min(rowid) FROM payloads WHERE encoding = 'raw');";
    let extra = "INSERT INTO payloads VALUES (\
        x'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', 'raw', 3, x'616263');";
    for (name, sql, found) in [
        ("cut", cut, "a manifest seals the run, but the last event that can be read is not a seal"),
        ("swap", swap, "does not hold: position"),
        ("body", body, "does not hold: payload"),
        ("extra", extra, "no event names it"),
    ] {
        let copy = edited(&place, &run, name, sql);
        let out = place.locard_ends(31, &["verify", copy.to_str().unwrap()]);
        assert!(out.contains(found), "{name}: {out}");
        let out = place.locard_ends(31, &["verify", copy.to_str().unwrap(), "--unsealed"]);
        assert!(out.contains("NOT VERIFIED"), "{name}: {out}");
    }
}

#[test]
fn a_dropped_trigger_is_found() {
    let place = Place::new();
    let run = sealed(&place);
    let copy = edited(&place, &run, "copy", "");
    let connection = rusqlite::Connection::open(copy.join("run.db")).unwrap();
    connection.execute_batch("DROP TRIGGER events_stay;").unwrap();
    drop(connection);
    let out = place.locard_ends(31, &["verify", copy.to_str().unwrap()]);
    assert!(out.contains("sqlite_schema"), "{out}");
}

#[test]
fn a_run_whose_seal_and_manifest_were_stripped_does_not_pass() {
    let place = Place::new();
    let run = sealed(&place);
    let last = "DELETE FROM events WHERE position = (SELECT max(position) FROM events);";
    let copy = edited(&place, &run, "stripped", last);
    std::fs::remove_file(copy.join("manifest.json")).unwrap();
    let out = place.locard_ends(32, &["verify", copy.to_str().unwrap()]);
    assert!(out.contains("not sealed: events may be missing at its end"), "{out}");
}
