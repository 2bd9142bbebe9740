//! `locard export`: writes an archive that verifies and replays wherever it is unpacked.

use crate::lesser_runs::broken_off;
use crate::support::{Place, str, text};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

fn sealed(place: &Place) -> PathBuf {
    place.has_demo_run(&[]);
    place.only_run()
}

/// The files of an archive by path, each with its mode; their owners and times must be 0.
fn files(archive: &[u8]) -> BTreeMap<String, (u32, Vec<u8>)> {
    let (mut files, mut rest) = (BTreeMap::new(), archive);
    while rest[0] != 0 {
        let (header, after) = rest.split_at(512);
        let field = |start: usize, length: usize| {
            text(&header[start..start + length]).trim_end_matches('\0').to_owned()
        };
        let number = |start, length| u32::from_str_radix(&field(start, length), 8).unwrap();
        assert_eq!([number(108, 8), number(116, 8), number(136, 12)], [0; 3]);
        let length = number(124, 12) as usize;
        let path = format!("{}/{}", field(345, 155), field(0, 100));
        files.insert(path, (number(100, 8), after[..length].to_vec()));
        rest = &after[length.next_multiple_of(512)..];
    }
    assert!(rest.len() == 1024 && rest.iter().all(|byte| *byte == 0));
    files
}

/// Unpacks an archive into a folder here and returns the run folder.
fn unpacked(place: &Place, archive: &Path, name: &str) -> PathBuf {
    let mut folder = None;
    for (path, (mode, bytes)) in files(&std::fs::read(archive).unwrap()) {
        let file = place.file(&format!("{name}/{path}"), bytes);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        folder = file.parent().map(Path::to_owned);
    }
    folder.unwrap()
}

/// The names of the files and folders here.
fn names(place: &Place) -> Vec<String> {
    let entries = std::fs::read_dir(place.path("")).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn an_archive_verifies_and_replays_elsewhere_and_packs_to_the_same_bytes_again() {
    let place = Place::new();
    let run = sealed(&place);
    let name = run.file_name().unwrap().to_str().unwrap();
    let out = place.locard_ends(0, &["export", "latest"]);
    assert!(out.starts_with(&format!("packed {name} into {name}.tar: ")), "{out}");
    assert_eq!(names(&place), [&format!("{name}.tar"), "runs"]);
    let archive = place.path(&format!("{name}.tar"));
    let bytes = std::fs::read(&archive).unwrap();
    let packed = files(&bytes);
    let expected = ["README.txt", "manifest.json", "run.db"].map(|file| format!("{name}/{file}"));
    assert!(packed.keys().eq(expected.iter()), "{:?}", packed.keys());
    assert!(packed.values().all(|(mode, _)| *mode == 0o444));
    assert_eq!(packed[&format!("{name}/manifest.json")].1, std::fs::read(run.join("manifest.json")).unwrap());

    let elsewhere = Place::new();
    let copy = unpacked(&elsewhere, &archive, "far");
    let out = elsewhere.locard_ends(0, &["verify", str(&copy)]);
    assert!(out.contains("verified: facts stand in stored outputs (sealed"), "{out}");
    let head = out.lines().find(|line| line.starts_with("head ")).unwrap();
    assert!(text(&packed[&format!("{name}/README.txt")].1).contains(&head.replace("head ", "head      ")));
    elsewhere.locard_ends(0, &["replay", str(&copy)]);
    let facts = |place: &Place, run: &Path| place.locard_ends(0, &["facts", str(run), "--format", "json"]);
    assert_eq!(facts(&elsewhere, &copy), facts(&place, &run));
    elsewhere.locard_ends(0, &["export", str(&copy), "-o", "again.tar"]);
    assert!(std::fs::read(elsewhere.path("again.tar")).unwrap() == bytes);
}

#[test]
fn a_plain_archive_holds_payloads_as_they_are_and_verifies() {
    let place = Place::new();
    sealed(&place);
    place.locard_ends(0, &["export", "latest", "--plain", "-o", "plain.tar"]);
    let copy = unpacked(&place, &place.path("plain.tar"), "plain");
    let out = place.locard_ends(0, &["verify", str(&copy)]);
    assert!(out.contains("verified: facts stand in stored outputs (sealed"), "{out}");
    let connection = rusqlite::Connection::open(copy.join("run.db")).unwrap();
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT count(*) FROM payloads WHERE encoding <> 'raw' OR length <> length(body)"), 0);
    // Packed again, they are stored the same way as in any archive.
    place.locard_ends(0, &["export", "latest", "-o", "a.tar"]);
    place.locard_ends(0, &["export", str(&copy), "-o", "b.tar"]);
    assert!(std::fs::read(place.path("a.tar")).unwrap() == std::fs::read(place.path("b.tar")).unwrap());
}

#[test]
fn how_the_file_lies_on_the_disk_leaves_no_trace() {
    let place = Place::new();
    let run = sealed(&place);
    let copy = place.folder("copy");
    place.file("copy/run.db", std::fs::read(run.join("run.db")).unwrap());
    place.file("copy/manifest.json", std::fs::read(run.join("manifest.json")).unwrap());
    let connection = rusqlite::Connection::open(copy.join("run.db")).unwrap();
    connection.execute_batch("PRAGMA page_size = 8192; PRAGMA auto_vacuum = FULL; VACUUM").unwrap();
    drop(connection);
    assert_ne!(std::fs::read(copy.join("run.db")).unwrap(), std::fs::read(run.join("run.db")).unwrap());
    let archive = |run: &Path, name: &str| {
        place.locard_ends(0, &["export", str(run), "-o", name]);
        std::fs::read(place.path(name)).unwrap()
    };
    assert!(archive(&run, "a.tar") == archive(&copy, "b.tar"));
}

#[test]
fn standard_output_gets_the_same_bytes_and_nothing_is_left() {
    let place = Place::new();
    sealed(&place);
    let output = place.locard(&["export", "latest", "-o", "-"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("into standard output: "));
    assert_eq!(names(&place), ["runs"]);
    place.locard_ends(0, &["export", "latest", "-o", "file.tar"]);
    assert!(std::fs::read(place.path("file.tar")).unwrap() == output.stdout);
    assert_eq!(place.locard_unheard(&["export", "latest", "-o", "-"]).status.code(), Some(3));
}

#[test]
fn a_file_that_is_there_is_never_overwritten() {
    let place = Place::new();
    sealed(&place);
    let there = place.file("mine.tar", "mine");
    let output = place.locard(&["export", "latest", "-o", "mine.tar"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("mine.tar: the file exists"), "{}", text(&output.stderr));
    assert_eq!(std::fs::read(there).unwrap(), b"mine");
    let output = place.locard(&["export", "latest", "-o", "no/such/folder.tar"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert_eq!(names(&place), ["mine.tar", "runs"]);
}

#[test]
fn a_run_that_broke_off_is_packed_only_where_that_is_asked_for_and_says_so() {
    let place = Place::new();
    let run = broken_off(&place);
    let output = place.locard(&["export", str(&run), "-o", "a.tar"]);
    assert_eq!(output.status.code(), Some(32));
    let told = text(&output.stderr);
    assert!(told.contains("it is not sealed") && told.contains("--unsealed"), "{told}");
    assert!(!place.path("a.tar").exists());
    let out = place.locard_ends(0, &["export", str(&run), "-o", "a.tar", "--unsealed"]);
    assert!(out.contains("the run is not sealed"), "{out}");
    let copy = unpacked(&place, &place.path("a.tar"), "far");
    assert!(std::fs::read_to_string(copy.join("README.txt")).unwrap().contains("sealed    no"));
    place.locard_ends(32, &["verify", str(&copy)]);
    place.locard_ends(0, &["verify", str(&copy), "--unsealed"]);
    assert!(!copy.join("run.db").metadata().unwrap().permissions().readonly());
}

#[test]
fn of_a_damaged_run_nothing_is_packed_and_the_place_is_told() {
    let place = Place::new();
    let run = sealed(&place);
    let reader = store::Reader::open(&run).unwrap();
    let digest = *reader.payload_index().unwrap().into_iter().flatten().next().unwrap().digest.as_bytes();
    drop(reader);
    let mut bytes = std::fs::read(run.join("run.db")).unwrap();
    for at in (0..bytes.len() - 32).filter(|at| bytes[*at..].starts_with(&digest)).collect::<Vec<_>>() {
        bytes[at + 5] ^= 1;
    }
    let copy = place.folder("copy");
    place.file("copy/run.db", bytes);
    let manifest = std::fs::read_to_string(run.join("manifest.json")).unwrap();
    place.file("copy/manifest.json", &manifest);
    let before = names(&place);
    for to in ["a.tar", "-"] {
        let output = place.locard(&["export", str(&copy), "-o", to]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(31), "{told}");
        assert!(told.contains("position ") && told.contains("which is missing"), "{told}");
        assert!(output.stdout.is_empty());
        assert_eq!(names(&place), before);
    }
    // A manifest of another run, and then no manifest although the log is sealed.
    place.file("copy/run.db", std::fs::read(run.join("run.db")).unwrap());
    let at = manifest.find("\"head\": \"").unwrap() + 9;
    let digit = if manifest[at..].starts_with('0') { "1" } else { "0" };
    place.file("copy/manifest.json", format!("{}{digit}{}", &manifest[..at], &manifest[at + 1..]));
    let output = place.locard(&["export", str(&copy), "-o", "a.tar"]);
    assert_eq!(output.status.code(), Some(31), "{}", text(&output.stderr));
    std::fs::remove_file(copy.join("manifest.json")).unwrap();
    place.locard_ends(31, &["export", str(&copy), "-o", "a.tar", "--unsealed"]);
    assert_eq!(names(&place), before);
}

#[test]
fn an_interrupted_packing_leaves_nothing() {
    let place = Place::new();
    let folder = sealed(&place);
    let interrupt = app::Interrupt::new();
    interrupt.interrupt();
    let request =
        app::ExportRequest { folder, unsealed: false, bodies: store::Bodies::Compressed, interrupt };
    let error = app::export_file(&request, &place.path("a.tar"), app::Overwrite::Never).unwrap_err();
    assert!(matches!(error, app::ExportError::Interrupted { .. }), "{error:?}");
    assert_eq!(names(&place), ["runs"]);
}

#[test]
fn a_file_that_is_there_is_named_and_written_over_only_by_force() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let run = place.only_run();
    for command in [
        &["report", "latest", "-o", "mine"][..],
        &["report", "latest", "--format", "html", "-o", "mine"],
        &["export", "latest", "-o", "mine"],
        &["export", "latest", "--as", "csv-facts", "-o", "mine"],
        &["verify", "latest", "--certificate", "mine"],
    ] {
        place.file("mine", "a person's own");
        let output = place.locard(command);
        let complaint = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command:?}: {complaint}");
        assert!(complaint.contains("mine: the file exists"), "{command:?}: {complaint}");
        assert!(complaint.contains("hint: --force writes over it"), "{command:?}: {complaint}");
        assert_eq!(std::fs::read(place.path("mine")).unwrap(), b"a person's own", "{command:?}");
        place.locard_ends(0, &[command, &["--force"]].concat());
        assert!(std::fs::read(place.path("mine")).unwrap().len() > 100, "{command:?}");
    }
    // Even --force replaces neither a folder nor the files of the run.
    place.folder("taken");
    for to in ["taken", str(&run.join("run.db")), str(&run.join("manifest.json"))] {
        let output = place.locard(&["report", "latest", "--force", "-o", to]);
        assert_eq!(output.status.code(), Some(2), "{to}: {}", text(&output.stderr));
    }
    place.locard_ends(0, &["verify", "latest"]);
}
