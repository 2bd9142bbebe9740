//! How collecting tools and images lay drives out: a path of the examined host leads to the same file in all of them.

use crate::fixture::{text, write};
use evidence::{
    EvidencePath, FileReference, Layout, Listing, Node, ReadAt, ReadError, Scheme, Tree, open_archive,
    open_directory,
};
use ledger::{Outcome, Record};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use tools::{Return, run};

const HIVE: &str = "Windows/System32/config/SYSTEM";

/// Where collecting tools put the drive C.
const LAYOUTS: [&str; 9] = [
    "C",
    "C:",
    "C%3A",
    "HOST/C",
    "tout/HOST/C",
    "uploads/auto/C%3A",
    "uploads/ntfs/%5C%5C.%5CC%3A",
    "Collection-HOST/uploads/auto/C%3A",
    "Collection-HOST/uploads/ntfs/%5C%5C.%5CC%3A",
];

fn ask(tree: impl Tree + 'static, tool: &str, arguments: Value) -> Return {
    let scratch = tempfile::tempdir().unwrap();
    let trees: Vec<Box<dyn Tree>> = vec![Box::new(tree)];
    run(tool, &arguments, &trees, scratch.path())
}

fn paths(records: &[Record]) -> Vec<String> {
    records.iter().map(|record| text(record, "path")).collect()
}

/// A zip of everything below `folder`, opened.
fn zipped(folder: &Path) -> evidence::ArchiveTree {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        for entry in path.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap();
            writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            writer.write_all(&std::fs::read(&path).unwrap()).unwrap();
        }
    }
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&writer.finish().unwrap().into_inner()).unwrap();
    open_archive(file.path(), "disk").unwrap()
}

#[test]
fn a_path_of_the_host_leads_to_the_file_in_every_layout() {
    for layout in LAYOUTS {
        let folder = tempfile::tempdir().unwrap();
        let expected = format!("{layout}/{HIVE}");
        write(folder.path(), &expected, b"x");
        write(folder.path(), "uploads.json", b"{}");
        for packed in [false, true] {
            let get = |tool: &str, arguments: Value| match packed {
                true => ask(zipped(folder.path()), tool, arguments),
                false => ask(open_directory(folder.path(), "disk").unwrap(), tool, arguments),
            };
            for path in ["C:\\Windows\\System32\\config\\SYSTEM", "%SystemRoot%\\System32\\config\\SYSTEM"] {
                let returned = get("hash_file", json!({ "path": path }));
                assert_eq!(returned.outcome, Outcome::Ok, "{layout} {path}: {:?}", returned.notes);
                assert_eq!(paths(&returned.records), [expected.as_str()], "{layout}");
            }
            let returned = get("find_files", json!({ "name": "c:/windows/*/config/sys*" }));
            assert_eq!(paths(&returned.records), [expected.as_str()], "{layout}: {:?}", returned.notes);
            let other = get("hash_file", json!({ "path": "D:\\Windows\\System32\\config\\SYSTEM" }));
            assert_eq!(other.outcome, Outcome::Failed, "{layout}");
        }
    }
}

#[test]
fn a_folder_gives_the_records_of_its_zip() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &format!("C/{HIVE}"), b"content");
    write(folder.path(), "C/Users/a/notes.txt", b"first\r\nsecond\r\n");
    for (tool, arguments) in [
        ("find_files", json!({})),
        ("read_file", json!({ "path": "C:/Users/a/notes.txt" })),
        ("hash_file", json!({ "path": "C:/Users/a/notes.txt" })),
        ("list_directory", json!({ "path": "C:/Users/a" })),
    ] {
        let without_times = |returned: Return| {
            let mut records = returned.records;
            for record in &mut records {
                record.fields.remove("modified");
            }
            (records, returned.outcome, returned.normalised)
        };
        let plain = ask(open_directory(folder.path(), "disk").unwrap(), tool, arguments.clone());
        let packed = ask(zipped(folder.path()), tool, arguments);
        assert_eq!(plain.outcome, Outcome::Ok, "{tool}: {:?}", plain.notes);
        assert_eq!(without_times(packed), without_times(plain), "{tool}");
    }
}

#[test]
fn what_two_folders_of_one_drive_hold_is_not_guessed() {
    let folder = tempfile::tempdir().unwrap();
    for accessor in ["auto/C%3A", "ntfs/%5C%5C.%5CC%3A"] {
        write(folder.path(), &format!("uploads/{accessor}/{HIVE}"), b"x");
    }
    write(folder.path(), "uploads/ntfs/%5C%5C.%5CC%3A/$MFT", b"FILE0");
    let get = |path: &str| {
        ask(open_directory(folder.path(), "disk").unwrap(), "hash_file", json!({ "path": path }))
    };
    let both = get("C:\\Windows\\System32\\config\\SYSTEM");
    assert_eq!(both.outcome, Outcome::Failed);
    assert!(
        both.notes[0].contains("uploads/auto") && both.notes[0].contains("uploads/ntfs"),
        "{:?}",
        both.notes
    );
    assert_eq!(paths(&get("C:\\$MFT").records), ["uploads/ntfs/%5C%5C.%5CC%3A/$MFT"]);
}

#[test]
fn a_user_with_a_name_of_one_letter_is_no_drive() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "Users/C/a.txt", b"x");
    let tree = open_directory(folder.path(), "disk").unwrap();
    let returned = ask(tree, "hash_file", json!({ "path": "C:\\Users\\C\\a.txt" }));
    assert_eq!(paths(&returned.records), ["Users/C/a.txt"]);
}

/// An image whose volumes are the folders of a folder.
struct Image(Box<dyn Tree>, Layout);

impl Tree for Image {
    fn label(&self) -> &str {
        self.0.label()
    }

    fn node(&self, path: &EvidencePath) -> Result<Option<Node>, ReadError> {
        self.0.node(path)
    }

    fn children(&self, directory: &Node) -> Result<Listing, ReadError> {
        self.0.children(directory)
    }

    fn open(&self, node: &Node, stream: Option<&str>) -> Result<Box<dyn ReadAt>, ReadError> {
        self.0.open(node, stream)
    }

    fn node_at(&self, path: &EvidencePath, reference: FileReference) -> Result<Option<Node>, ReadError> {
        self.0.node_at(path, reference)
    }

    fn layout(&self) -> Option<&Layout> {
        Some(&self.1)
    }
}

#[test]
fn the_drive_c_of_an_image_is_the_volume_with_windows_or_the_only_one() {
    let folder = tempfile::tempdir().unwrap();
    let image = || {
        let layout = Layout {
            scheme: Scheme::Gpt,
            disk: Default::default(),
            regions: Vec::new(),
            defects: Vec::new(),
        };
        Image(Box::new(open_directory(folder.path(), "disk").unwrap()), layout)
    };
    let get = |path: &str| ask(image(), "hash_file", json!({ "path": path }));
    write(folder.path(), "p3/data/x", b"x");
    assert_eq!(paths(&get("E:\\data\\x").records), ["p3/data/x"]);
    write(folder.path(), &format!("p2/{HIVE}"), b"x");
    let system = "C:\\Windows\\System32\\config\\SYSTEM";
    for path in [system, "%SystemRoot%\\System32\\config\\SYSTEM"] {
        assert_eq!(paths(&get(path).records), [format!("p2/{HIVE}")], "{path}");
    }
    assert_eq!(get("E:\\data\\x").outcome, Outcome::Failed);
    write(folder.path(), &format!("p4/{HIVE}"), b"x");
    let both = get(system);
    assert_eq!(both.outcome, Outcome::Failed);
    assert!(both.notes[0].contains("p2/Windows") && both.notes[0].contains("p4/Windows"), "{:?}", both.notes);
}
