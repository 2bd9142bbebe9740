//! How collecting tools and images arrange drives: a path of the examined host leads to the same file in all of them.

use crate::fixture::{text, write};
use evidence::{
    Disk, EvidencePath, Expansion, FileReference, Layout, Listing, Node, ReadAt, ReadError, Scheme, Tree,
    open_archive, open_directory,
};
use ledger::{Completeness, Outcome, Record};
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

/// Makes and opens a zip of everything below `folder`.
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
    open_archive(file.path(), "disk", None, Expansion::Bounded).unwrap()
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

/// An image whose volumes are the subfolders of a folder.
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
    let get = |path: &str| ask(image(folder.path()), "hash_file", json!({ "path": path }));
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

/// Makes the image whose volumes are the subfolders of `folder`.
fn image(folder: &Path) -> Image {
    let layout =
        Layout { scheme: Scheme::Gpt, disk: Disk::default(), regions: Vec::new(), defects: Vec::new() };
    Image(Box::new(open_directory(folder, "disk").unwrap()), layout)
}

#[test]
fn a_pattern_is_looked_for_in_all_folders_of_a_drive() {
    for [first, second] in [["tout/H1/C", "tout/H2/C"], ["H1/C", "H2/C%3A"], ["H1/C", "H1/C%3A"]] {
        let folder = tempfile::tempdir().unwrap();
        let files = [format!("{first}/Users/ann/a.txt"), format!("{second}/Users/bob/b.txt")];
        for file in &files {
            write(folder.path(), file, b"x");
        }
        let get = |tool: &str, arguments: Value| {
            ask(open_directory(folder.path(), "disk").unwrap(), tool, arguments)
        };
        for name in ["C:\\Users\\*\\*.txt", "?:\\Users\\*\\*.txt", "{C,D}:\\Users\\*\\*.txt"] {
            let returned = get("find_files", json!({ "name": name }));
            assert_eq!(paths(&returned.records), files, "{name}");
            let whole = returned.completeness == Completeness::Complete;
            assert_eq!(whole, !name.contains('D'), "{name}: {:?}", returned.notes);
        }
        let users = get("stat_file", json!({ "path": "C:\\Users" }));
        assert_eq!(users.outcome, Outcome::Failed);
        for told in [first, second] {
            assert!(users.notes[0].contains(&format!("{told}/Users of disk")), "{:?}", users.notes);
        }
        assert_eq!(paths(&get("stat_file", json!({ "path": "C:\\Users\\bob" })).records).len(), 1);
    }
}

#[test]
fn nothing_is_absent_from_a_drive_for_which_nothing_stands() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "p1/Windows/x", b"x");
    let calls = [
        ("find_files", json!({ "name": "D:\\Users\\*" })),
        ("find_files", json!({ "under": "D:\\Users" })),
        ("find_files", json!({ "under": "D:\\" })),
        ("stat_file", json!({ "path": "D:\\Users\\x" })),
        ("list_deleted", json!({ "under": "D:\\Users" })),
        ("list_deleted", json!({ "name": "D:\\Users\\*" })),
        ("list_deleted", json!({ "volume": "D:" })),
    ];
    for (tool, arguments) in calls {
        let returned = ask(image(folder.path()), tool, arguments.clone());
        assert_eq!(returned.outcome, Outcome::Failed, "{tool} {arguments}");
        assert!(returned.notes[0].contains("stands for the drive"), "{arguments}: {:?}", returned.notes);
    }
    // If another piece of evidence has the drive, the answer is incomplete.
    let other = tempfile::tempdir().unwrap();
    write(other.path(), "D/data/x", b"x");
    let trees: Vec<Box<dyn Tree>> =
        vec![Box::new(image(folder.path())), Box::new(open_directory(other.path(), "other").unwrap())];
    for (tool, arguments) in
        [("find_files", json!({ "name": "D:\\gone*" })), ("stat_file", json!({ "path": "D:\\gone" }))]
    {
        let returned = run(tool, &arguments, &trees, folder.path());
        assert_eq!(returned.outcome, Outcome::Empty, "{tool}");
        assert_eq!(returned.completeness, Completeness::Truncated, "{tool}");
        assert_eq!(returned.gaps.iter().map(|gap| gap.path.as_str()).collect::<Vec<_>>(), ["D:"], "{tool}");
    }
}

#[test]
fn what_was_deleted_under_a_drive_of_two_volumes_is_not_told_to_be_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for volume in ["p1", "p2"] {
        write(folder.path(), &format!("{volume}/Windows/x"), b"x");
    }
    let returned = ask(image(folder.path()), "list_deleted", json!({ "under": "C:\\Users" }));
    assert_eq!(returned.outcome, Outcome::Failed);
    assert!(returned.notes[0].contains("p1/Users of disk, p2/Users of disk"), "{:?}", returned.notes);
}

#[test]
fn only_the_drive_c_is_the_only_volume_where_that_holds_windows() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "p1/Users/mara/x", b"x");
    let get = |path: &str| ask(image(folder.path()), "hash_file", json!({ "path": path }));
    assert_eq!(paths(&get("E:\\Users\\mara\\x").records), ["p1/Users/mara/x"]);
    write(folder.path(), "p1/Windows/x", b"x");
    assert_eq!(paths(&get("C:\\Users\\mara\\x").records), ["p1/Users/mara/x"]);
    assert_eq!(get("E:\\Users\\mara\\x").outcome, Outcome::Failed);
}
