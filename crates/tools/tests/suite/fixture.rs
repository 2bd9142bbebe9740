//! Evidence made for the tests, and helpers to query it.

use evidence::{Tree, open_directory};
use ledger::{FieldValue, Outcome, Record, ToolSpec};
use serde_json::{Value, json};
use std::cell::OnceCell;
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use testkit::hive::{HiveSpec, KeySpec, ValueSpec};
use tools::{Return, catalogue, gives_any_record, run};

pub(crate) const SYSTEM: &str = "C/Windows/System32/config/SYSTEM";
pub(crate) const SOFTWARE: &str = "C/Windows/System32/config/SOFTWARE";
pub(crate) const HISTORY: &str = "C/Windows/History";
pub(crate) const TICKS: u64 = 129_779_783_208_392_490;

pub(crate) struct Fixture {
    folder: TempDir,
    pub(crate) trees: Vec<Box<dyn Tree>>,
    image: OnceCell<WithImage>,
    files: OnceCell<WithFiles>,
}

/// The folder of the evidence, and a second one with a sample for each decoder: for tools that decode files.
struct WithFiles {
    folder: TempDir,
    trees: Vec<Box<dyn Tree>>,
}

/// The folder of the evidence, and a disk image: for tools about images.
struct WithImage {
    folder: TempDir,
    trees: Vec<Box<dyn Tree>>,
}

/// The tools that need an image for an answer.
pub(crate) const OF_IMAGES: [&str; 6] =
    ["carve_strings", "list_deleted", "list_partitions", "mft_entry", "read_stream", "timeline_anomalies"];

/// The tools that need decoder samples for an answer.
pub(crate) const OF_FILES: [&str; 4] = ["list_event_channels", "overview", "parse_file", "records"];

impl Fixture {
    pub(crate) fn new() -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        write(root, SYSTEM, &system().build().bytes);
        write(root, &format!("{SYSTEM}.LOG1"), &log());
        write(root, &format!("{SYSTEM}.LOG2"), b"");
        write(root, SOFTWARE, &software().build().bytes);
        write(root, "C/Users/Ann/hive-without-a-name", &user().build().bytes);
        write(root, "C/Users/Ann/notes.txt", "first line\r\nzweite Zeile: grün\n\nlast".as_bytes());
        write(root, "C/Users/Ann/wide.txt", &wide("\u{feff}eins\r\nzwei\r\n"));
        write(root, "C/Users/Ann/data.bin", &(0..=255u8).cycle().take(600).collect::<Vec<_>>());
        write(root, "C/Users/Ann/cut-hive", b"regf and then nothing");
        write(root, "C/Users/Ann/empty", b"");
        crate::sqlite::history(&root.join(HISTORY));
        symlink("/C/Windows", root.join("C/Users/Ann/link")).unwrap();
        let trees = vec![Box::new(open_directory(root, "disk").unwrap()) as Box<dyn Tree>];
        Fixture { folder, trees, image: OnceCell::new(), files: OnceCell::new() }
    }

    fn image(&self) -> &WithImage {
        self.image.get_or_init(|| {
            let folder = tempfile::tempdir().unwrap();
            let image = crate::image_fixture::open(folder.path());
            let disk = Box::new(open_directory(self.root(), "disk").unwrap());
            WithImage { folder, trees: vec![disk, image] }
        })
    }

    /// Returns the folder and the image.
    pub(crate) fn with_image(&self) -> &[Box<dyn Tree>] {
        &self.image().trees
    }

    /// Returns the folder and the decoder samples.
    pub(crate) fn with_files(&self) -> &[Box<dyn Tree>] {
        let make = || {
            let folder = tempfile::tempdir().unwrap();
            for sample in testkit::samples::samples() {
                write(folder.path(), &format!("C/{}", sample.path), &sample.bytes);
            }
            let disk = Box::new(open_directory(self.root(), "disk").unwrap());
            let files = Box::new(open_directory(folder.path(), "files").unwrap());
            WithFiles { folder, trees: vec![disk, files] }
        };
        &self.files.get_or_init(make).trees
    }

    /// Returns the folder of the samples.
    pub(crate) fn files_root(&self) -> PathBuf {
        let _ = self.with_files();
        self.files.get().unwrap().folder.path().to_owned()
    }

    /// Returns the file of the image.
    pub(crate) fn image_file(&self) -> PathBuf {
        self.image().folder.path().join("disk.dd")
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn run(&self, tool: &str, arguments: Value) -> Return {
        let scratch = tempfile::tempdir().unwrap();
        let trees = match tool {
            tool if OF_IMAGES.contains(&tool) => self.with_image(),
            // A call for the folder alone needs no samples, which take long to make.
            tool if OF_FILES.contains(&tool) && arguments["evidence"] != "disk" => self.with_files(),
            _ => &self.trees,
        };
        run(tool, &arguments, trees, scratch.path())
    }

    /// Runs a call that must succeed.
    pub(crate) fn ok(&self, tool: &str, arguments: Value) -> Return {
        let returned = self.run(tool, arguments);
        assert_eq!(returned.outcome, Outcome::Ok, "{:?}", returned.notes);
        fits(&returned, tool);
        returned
    }

    /// Returns the bytes of the evidence behind a field.
    pub(crate) fn bytes_of(&self, record: &Record, field: &str) -> Vec<u8> {
        let bytes = fs::read(self.root().join(&record.locator.path)).unwrap();
        let at = record.fields[field].at.unwrap();
        bytes[at.offset as usize..at.end() as usize].to_vec()
    }
}

/// Returns arguments with which each tool returns records.
pub(crate) fn valid(tool: &str) -> Value {
    match tool {
        "find_files" => {
            json!({ "name": "*.TXT", "under": "C/Users", "extension": ".txt", "evidence": "disk" })
        }
        "deleted_registry" => {
            json!({ "hive": SYSTEM, "evidence": "disk", "logs": "applied", "record": "deleted_key" })
        }
        "hash_file" => json!({ "path": "C/Users/Ann/notes.txt", "evidence": "disk" }),
        "list_directory" => json!({ "path": "C/Users/Ann", "evidence": "disk" }),
        "list_event_channels" => json!({ "under": "C/Windows", "evidence": "files" }),
        "list_hives" => json!({ "path": "C/Windows", "evidence": "disk" }),
        "list_tables" => json!({ "path": HISTORY, "evidence": "disk" }),
        "overview" => json!({ "evidence": "files" }),
        "parse_file" => json!({
            "path": "C/$Recycle.Bin/S-1-5-21-1-2-3-1001/$IA1B2C3.txt", "evidence": "files", "text": "old",
        }),
        "parse_registry_key" => {
            json!({ "hive": SYSTEM, "key": "ControlSet001\\Control", "evidence": "disk", "depth": 2 })
        }
        "read_file" => json!({ "path": "C/Users/Ann/notes.txt", "evidence": "disk", "encoding": "auto" }),
        "records" => json!({ "source": "prefetch", "under": "C/Windows/Prefetch", "evidence": "files" }),
        "search_registry" => json!({
            "text": "computer", "hive": SYSTEM, "key": "ControlSet001\\Control", "in": "any", "evidence": "disk",
        }),
        "search_text" => json!({ "text": "zwei", "under": "C/Users", "name": "*.txt", "evidence": "disk" }),
        "timeline" => {
            json!({ "under": "C/Users", "copied_times": true, "source": "all", "evidence": "disk" })
        }
        "timeline_anomalies" => json!({ "under": "p1/Users", "evidence": "image" }),
        "timeline_histogram" => json!({ "source": "registry", "by": "hour", "evidence": "disk" }),
        "query" => json!({ "sql": "SELECT * FROM dir_entry" }),
        "sqlite_query" => json!({
            "path": HISTORY, "evidence": "disk", "wal": "applied",
            "sql": "SELECT id, url, title FROM urls WHERE visits > 1"
        }),
        "stat_file" => json!({ "path": "C/Users/Ann/notes.txt", "evidence": "disk" }),
        "carve_strings" => json!({
            "path": crate::image_fixture::NOTES, "evidence": "image", "encoding": "any", "stream": "hidden.txt",
            "text": "Hidden",
        }),
        "list_deleted" => json!({
            "name": "*.txt", "under": "p1/Users", "extension": "txt", "volume": "p1", "evidence": "image",
        }),
        "list_partitions" => json!({ "evidence": "image" }),
        "mft_entry" => json!({ "path": crate::image_fixture::NOTES, "evidence": "image" }),
        "read_stream" => json!({
            "path": crate::image_fixture::NOTES, "stream": "hidden.txt", "evidence": "image", "encoding": "auto",
        }),
        other => panic!("no valid arguments for the tool {other}: add them here"),
    }
}

/// Returns further arguments with which `records` returns records: sources of each sort, subjects, a record type, conditions.
fn of_records() -> [Value; 10] {
    [
        json!({ "source": "computer_name", "evidence": "disk" }),
        json!({ "source": "mft", "under": "C/$MFT", "evidence": "files", "name": "*.txt" }),
        json!({
            "source": "usn_journal", "under": "C/$Extend", "evidence": "files",
            "where": "reasons = 'FILE_CREATE'", "text": "new",
        }),
        json!({ "source": "usn_names", "under": "C/$Extend", "evidence": "files", "name": "new.*" }),
        json!({ "source": "browsing", "under": "C/Users", "evidence": "files" }),
        json!({ "source": "logons", "under": "C/Windows", "evidence": "files", "where": "account = 'ann'" }),
        json!({ "source": "persistence", "under": "C/Windows", "evidence": "files" }),
        json!({ "source": "recycled", "under": "C/$Recycle.Bin", "evidence": "files" }),
        json!({
            "source": "event_log", "under": "C/Windows", "evidence": "files",
            "where": "channel LIKE 'Sys%' AND event_id BETWEEN 7000 AND 7045 AND provider LIKE 'Service%'",
        }),
        json!({ "record": "logon_failed", "under": "C/Windows", "evidence": "files" }),
    ]
}

/// Returns calls of every tool that return records.
pub(crate) fn calls() -> Vec<(ToolSpec, Value)> {
    let of = |spec: ToolSpec| -> Vec<(ToolSpec, Value)> {
        let more = if spec.name == "records" { of_records().to_vec() } else { Vec::new() };
        let all = [valid(&spec.name)].into_iter().chain(more);
        all.map(|arguments| (spec.clone(), arguments)).collect()
    };
    catalogue().into_iter().flat_map(of).collect()
}

/// Checks that every record is of a declared type, with declared fields of declared types and its subject.
pub(crate) fn fits(returned: &Return, tool: &str) {
    let specs = catalogue().into_iter().filter(|spec| spec.name == tool || gives_any_record(tool));
    let kinds: Vec<_> = specs.flat_map(|spec| spec.records).collect();
    for record in &returned.records {
        let kind = kinds.iter().find(|kind| kind.name == record.kind).unwrap();
        assert!(record.fields.contains_key(&kind.subject), "{}: no {}", record.kind, kind.subject);
        assert!(!text(record, &kind.subject).is_empty(), "{}: empty subject", record.kind);
        for (name, field) in &record.fields {
            // `*` stands for the columns of a table.
            let meaning = kind.fields.get(name).or(kind.fields.get("*"));
            let meaning = meaning.unwrap_or_else(|| panic!("{}.{name} is not declared", record.kind));
            assert!(meaning.types.contains(&field.value.field_type()), "{}.{name}", record.kind);
        }
    }
}

pub(crate) fn text(record: &Record, field: &str) -> String {
    record.fields.get(field).map(|field| field.value.to_text().into_owned()).unwrap_or_default()
}

pub(crate) fn value<'r>(record: &'r Record, field: &str) -> &'r FieldValue {
    &record.fields[field].value
}

pub(crate) fn write(root: &Path, path: &str, bytes: &[u8]) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::File::create(path).unwrap().write_all(bytes).unwrap();
}

pub(crate) fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn log() -> Vec<u8> {
    let mut log = vec![0; 1024];
    log[..4].copy_from_slice(b"regf");
    log[28] = 6;
    log
}

pub(crate) fn system() -> HiveSpec {
    let computer = KeySpec::new("ComputerName")
        .written(TICKS)
        .value(ValueSpec::sz("", "unnamed"))
        .value(ValueSpec::sz("ComputerName", "WKS-1"));
    let kinds = KeySpec::new("Kinds")
        .class("a class")
        .value(ValueSpec::multi_sz("many", &["one", "two"]))
        .value(ValueSpec::dword("number", 7))
        .value(ValueSpec::qword("large", u64::MAX))
        .value(ValueSpec::binary("binary", &[1, 2, 0xFF]))
        .value(ValueSpec::binary("long", &[0xAB; 5000]))
        .value(ValueSpec::binary("huge", &[0xCD; 20_000]))
        .value(ValueSpec::raw("odd", 4, &[1, 2]))
        .value(ValueSpec::raw("hidden", 1, &wide("seen\0behind\0")));
    let root = KeySpec::new("CMI-CreateHive{root}")
        .key(KeySpec::new("Select").value(ValueSpec::dword("Current", 1)))
        .path("ControlSet001\\Control\\ComputerName\\ComputerName", computer)
        .path("ControlSet001\\Control\\Kinds", kinds)
        .path(
            "ControlSet001\\Control\\image/png",
            KeySpec::new("").value(ValueSpec::sz("Extension", ".png")),
        );
    let gone = KeySpec::new("Gone").written(TICKS).value(ValueSpec::sz("was", "c:\\gone.exe"));
    HiveSpec::new(root)
        .file_name("\\SystemRoot\\System32\\Config\\SYSTEM")
        .written(TICKS)
        .deleted("ControlSet001\\Control", gone)
}

fn software() -> HiveSpec {
    let run = KeySpec::new("Run").written(TICKS).value(ValueSpec::sz("svchost", "c:\\evil.exe"));
    let root = KeySpec::new("ROOT")
        .path("Microsoft\\Windows NT\\CurrentVersion", KeySpec::new(""))
        .path("Microsoft\\Windows\\CurrentVersion\\Run", run);
    HiveSpec::new(root).dirty()
}

fn user() -> HiveSpec {
    let root = KeySpec::new("ROOT")
        .path("Environment", KeySpec::new(""))
        .path("Software\\Microsoft", KeySpec::new("").value(ValueSpec::sz("a", "b")));
    HiveSpec::new(root)
}
