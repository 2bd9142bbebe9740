//! The same answers with an index and without one.

use crate::memory_tree::MemoryTree;
use evidence::{Tree, open_directory};
use ledger::{Completeness, Defect, Gap, Outcome};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tools::{Indexes, Mount, Return, build_index, run, run_indexed};

/// Indexes of all trees, with the folder that contains their files.
pub(crate) struct Built {
    _folder: tempfile::TempDir,
    pub(crate) indexes: Indexes,
}

impl Built {
    pub(crate) fn of(trees: &[Box<dyn Tree>]) -> Built {
        let folder = tempfile::tempdir().unwrap();
        let indexes = trees.iter().map(|tree| {
            let path = folder.path().join(tree.label());
            write(&path, &build_index(tree.as_ref()).unwrap().bytes);
            (tree.label().to_owned(), path)
        });
        Built { indexes: indexes.collect(), _folder: folder }
    }
}

#[expect(clippy::disallowed_methods, reason = "the tests write their own files")]
pub(crate) fn write(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
}

#[test]
fn folders_of_folders_are_those_of_the_listing_with_and_without_an_index() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["host/C/Windows/System32", "host/C/Users/a", "empty", "b", "B"] {
        fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    write(&folder.path().join("host/C/pagefile.sys"), b"x");
    write(&folder.path().join("host/file"), b"x");
    std::os::unix::fs::symlink("host", folder.path().join("link")).unwrap();
    let mount = Mount {
        label: "disk".to_owned(),
        path: folder.path().to_owned(),
        kind: ledger::EvidenceKind::Directory,
        in_place: Vec::new(),
        expansion: tools::Expansion::Bounded,
    };
    let plain = tools::open_mount(&mount, &Indexes::new()).unwrap();
    let built = Built::of(std::slice::from_ref(&plain));
    let indexed = tools::open_mount(&mount, &built.indexes).unwrap();
    let asked = ["", "host", "host/C", "host/C/Users", "host/C/Users/a", "empty"];
    let below = |tree: &dyn Tree, path: &str| {
        let path = evidence::EvidencePath::parse(path).unwrap();
        tree.folders(&plain.node(&path).unwrap().unwrap()).unwrap()
    };
    for path in asked {
        assert_eq!(below(indexed.as_ref(), path), below(plain.as_ref(), path), "{path:?}");
    }
    // Neither tree lists a folder that is gone, although the index still has it.
    fs::remove_dir(folder.path().join("empty")).unwrap();
    write(&folder.path().join("empty"), b"a file now");
    assert_eq!(below(indexed.as_ref(), ""), below(plain.as_ref(), ""));
    // The index answers: a folder created later is only in the listing.
    fs::create_dir(folder.path().join("host/later")).unwrap();
    let names = |tree: &dyn Tree| -> Vec<String> {
        below(tree, "host").into_iter().map(|node| node.name.clone()).collect()
    };
    assert_eq!(
        (names(indexed.as_ref()), names(plain.as_ref())),
        (vec!["C".to_owned()], vec!["C".to_owned(), "later".to_owned()])
    );
}

fn walked(trees: &[Box<dyn Tree>], arguments: &Value) -> Return {
    run("find_files", arguments, trees, Path::new("/nonexistent"))
}

fn looked_up(trees: &[Box<dyn Tree>], indexes: &Indexes, arguments: &Value) -> Return {
    run_indexed("find_files", arguments, trees, indexes, Path::new("/nonexistent"))
}

/// Names that differ in case, in letters without a simple case, in dots, and in pattern characters.
const NAMES: [&str; 29] = [
    "NTUSER.DAT",
    "config",
    "Sam",
    "a",
    "A",
    "b",
    "ab",
    "aB",
    "a.txt",
    "A.TXT",
    "b.txt",
    "ab.tar.gz",
    "x.gz",
    ".bashrc",
    "x.",
    "C",
    "C%3A",
    "Users",
    "users",
    "\u{391}\u{3a3}",
    "\u{3b1}\u{3c3}",
    "\u{3b1}\u{3c2}",
    "\u{130}.txt",
    "c[1].htm",
    "p{1}",
    "p{a,b}",
    "%{2F}x",
    "no dot",
    "a..b",
];

const PIECES: [&str; 24] = [
    "*",
    "*",
    "?",
    "a",
    "A",
    "b",
    "AB",
    ".",
    ".txt",
    "*.GZ",
    "**",
    "/",
    "/",
    "/**/",
    "**/",
    "C",
    "C:/",
    "users",
    "{a,b}",
    "{a.txt,*.gz}",
    "\u{3c3}",
    "\u{130}",
    "[1]",
    "x",
];

#[derive(Debug, Clone)]
struct Planted {
    parent: prop::sample::Index,
    name: usize,
    size: Option<u64>,
    gap: bool,
    defect: bool,
    closed: bool,
}

fn planted() -> impl Strategy<Value = Planted> {
    let size = prop::option::weighted(0.6, 0u64..4);
    let rare = || prop::bool::weighted(0.1);
    (any::<prop::sample::Index>(), 0..NAMES.len(), size, rare(), rare(), rare()).prop_map(
        |(parent, name, size, gap, defect, closed)| Planted { parent, name, size, gap, defect, closed },
    )
}

fn tree(label: &str, image: bool, planted: &[Planted]) -> MemoryTree {
    let mut tree = MemoryTree::new(label, image);
    for (number, one) in planted.iter().enumerate() {
        let folders: Vec<usize> = (0..tree.len()).filter(|entry| tree.is_folder(*entry)).collect();
        let parent = *one.parent.get(&folders);
        // Only the numbers of an image distinguish such entries.
        if !image && tree.has(parent, NAMES[one.name]) {
            continue;
        }
        let entry = tree.add(parent, NAMES[one.name], one.size);
        let path = format!("{} ({number})", tree.path(entry).as_str());
        let held = if one.size.is_some() { parent } else { entry };
        if one.gap {
            let gap = Gap { path: path.clone(), reason: "locked".to_owned() };
            tree.entry(held).gaps.push(gap);
        }
        if one.defect {
            let offset = (number % 2 == 0).then_some(number as u64);
            tree.entry(held).defects.push(Defect { path, offset, what: "torn".to_owned() });
        }
        tree.entry(entry).closed = one.closed && one.size.is_none();
    }
    tree.seal();
    tree
}

#[derive(Debug, Clone)]
struct Question {
    name: Option<String>,
    extension: Option<&'static str>,
    sizes: Option<(u64, u64)>,
    under: Option<prop::sample::Index>,
    evidence: Option<&'static str>,
    page: (u64, u64),
}

fn question() -> impl Strategy<Value = Question> {
    let name =
        prop::collection::vec(prop::sample::select(&PIECES[..]), 1..5).prop_map(|pieces| pieces.concat());
    let known = prop::sample::select(&NAMES[..]).prop_map(str::to_owned);
    let name = prop::option::weighted(0.8, prop_oneof![3 => name, 1 => known]);
    let extensions = vec!["txt", ".GZ", "tar.gz", "bashrc", "*.htm", "b", "\u{391}\u{3a3}"];
    let extension = prop::option::weighted(0.3, prop::sample::select(extensions));
    let sizes = prop::option::weighted(0.3, (0u64..3, 2u64..5));
    let under = prop::option::weighted(0.5, any::<prop::sample::Index>());
    let evidence = prop::option::weighted(0.7, prop::sample::select(vec!["one", "two"]));
    let page = (prop_oneof![4 => Just(0u64), 1 => 0u64..6], prop_oneof![Just(1000u64), 1u64..6]);
    (name, extension, sizes, under, evidence, page).prop_map(
        |(name, extension, sizes, under, evidence, page)| Question {
            name,
            extension,
            sizes,
            under,
            evidence,
            page,
        },
    )
}

fn arguments(question: &Question, folders: &[String]) -> Value {
    let mut arguments = json!({ "offset": question.page.0, "limit": question.page.1 });
    if let Some(name) = &question.name {
        arguments["name"] = json!(name);
    }
    if let Some(extension) = question.extension {
        arguments["extension"] = json!(extension);
    }
    if let Some((min, max)) = question.sizes {
        arguments["min_size"] = json!(min);
        arguments["max_size"] = json!(max);
    }
    if let Some(under) = &question.under {
        arguments["under"] = json!(under.get(folders));
    }
    if let Some(evidence) = question.evidence {
        arguments["evidence"] = json!(evidence);
    }
    arguments
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_question_of_any_tree_is_answered_as_by_walking(
        one in prop::collection::vec(planted(), 0..60),
        two in prop::collection::vec(planted(), 0..20),
        questions in prop::collection::vec(question(), 1..12),
    ) {
        let one = tree("one", true, &one);
        let folders: Vec<String> = (0..one.len())
            .filter(|entry| one.is_folder(*entry))
            .map(|entry| one.path(entry).as_str().to_owned())
            .collect();
        let trees: Vec<Box<dyn Tree>> = vec![Box::new(one), Box::new(tree("two", false, &two))];
        let Ok(_) = build_index(trees[0].as_ref()) else { return Ok(()) };
        let built = Built::of(&trees);
        for question in &questions {
            let arguments = arguments(question, &folders);
            prop_assert_eq!(looked_up(&trees, &built.indexes, &arguments), walked(&trees, &arguments), "{}", arguments);
        }
        let folder = folders.get(folders.len() / 2).map_or("", String::as_str);
        for (tool, arguments) in [
            ("list_hives", json!({})),
            ("list_hives", json!({ "path": folder, "evidence": "one" })),
            ("timeline_anomalies", json!({ "under": folder, "evidence": "one" })),
        ] {
            let (indexed, walked) = of_both(tool, &trees, &built.indexes, &arguments);
            prop_assert_eq!(indexed, walked, "{} {}", tool, arguments);
        }
    }
}

/// Returns the answers of another tool, with and without the index.
fn of_both(tool: &str, trees: &[Box<dyn Tree>], indexes: &Indexes, arguments: &Value) -> (Return, Return) {
    let scratch = tempfile::tempdir().unwrap();
    let indexed = run_indexed(tool, arguments, trees, indexes, scratch.path());
    (indexed, run(tool, arguments, trees, scratch.path()))
}

/// Returns the answer, which must be the same both ways.
fn both(trees: &[Box<dyn Tree>], indexes: &Indexes, arguments: &Value) -> Return {
    let (indexed, walked) = (looked_up(trees, indexes, arguments), walked(trees, arguments));
    assert_eq!(indexed, walked, "{arguments}");
    indexed
}

#[test]
fn the_demo_is_answered_as_by_walking() {
    let folder = tempfile::tempdir().unwrap();
    for file in testkit::demo::files().unwrap() {
        let below = file.path.strip_prefix("p1/").unwrap();
        crate::fixture::write(folder.path(), &format!("C/{below}"), &file.bytes);
    }
    let trees: Vec<Box<dyn Tree>> = vec![Box::new(open_directory(folder.path(), "demo").unwrap())];
    let built = Built::of(&trees);
    let mut found = 0;
    for arguments in [
        json!({}),
        json!({ "name": "ntuser.dat" }),
        json!({ "name": "*.{exe,dat,lnk}" }),
        json!({ "name": "C:\\Users\\*\\NTUSER.DAT" }),
        json!({ "name": "**/config/*" }),
        json!({ "name": "C:/Windows/**" }),
        json!({ "extension": "dat", "min_size": 1 }),
        json!({ "under": "C:\\Windows", "limit": 3, "offset": 2 }),
        json!({ "name": "*.evtx" }),
    ] {
        found += both(&trees, &built.indexes, &arguments).records.len();
    }
    assert!(found > 30, "{found}");
    let mut found = 0;
    for (tool, arguments) in [
        ("list_hives", json!({})),
        ("list_hives", json!({ "path": "C/Users" })),
        ("records", json!({ "source": "computer_name" })),
        ("records", json!({ "source": "download_mark" })),
        ("search_registry", json!({ "text": "run" })),
        ("deleted_registry", json!({})),
        ("timeline_anomalies", json!({})),
    ] {
        let (indexed, walked) = of_both(tool, &trees, &built.indexes, &arguments);
        assert_eq!(indexed, walked, "{tool} {arguments}");
        found += indexed.records.len();
    }
    assert!(found > 15, "{found}");
}

#[test]
fn what_is_named_as_a_hive_and_cannot_be_read_as_one_is_told_as_by_walking() {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in [
        ("Users/bob/NTUSER.DAT", &b"not a hive"[..]),
        ("Windows/System32/config/SYSTEM", b""),
        ("elsewhere/SYSTEM", b""),
        ("hidden.txt", b"regf and no more"),
    ] {
        crate::fixture::write(folder.path(), path, bytes);
    }
    std::os::unix::fs::symlink("nowhere", folder.path().join("Windows/System32/config/SAM")).unwrap();
    let trees: Vec<Box<dyn Tree>> = vec![Box::new(open_directory(folder.path(), "files").unwrap())];
    let built = Built::of(&trees);
    for arguments in [json!({}), json!({ "path": "Windows" })] {
        let (indexed, walked) = of_both("list_hives", &trees, &built.indexes, &arguments);
        assert_eq!(indexed, walked, "{arguments}");
    }
    let (all, _) = of_both("list_hives", &trees, &built.indexes, &json!({}));
    let mut told: Vec<&str> = all.gaps.iter().map(|gap| gap.path.as_str()).collect();
    // That the link leads nowhere is reported separately.
    told.dedup();
    assert_eq!(
        told,
        [
            "Users/bob/NTUSER.DAT",
            "Windows/System32/config/SAM",
            "Windows/System32/config/SYSTEM",
            "hidden.txt"
        ]
    );
}

#[test]
fn a_tree_that_is_deeper_than_a_walk_goes_is_walked_from_where_it_is_asked() {
    let mut tree = MemoryTree::new("deep", true);
    let mut folder = 0;
    for _ in 0..300 {
        folder = tree.add(folder, "d", None);
    }
    tree.add(folder, "treasure.txt", Some(1));
    tree.seal();
    let trees: Vec<Box<dyn Tree>> = vec![Box::new(tree)];
    let built = Built::of(&trees);
    let everywhere = both(&trees, &built.indexes, &json!({ "name": "treasure.txt" }));
    assert_eq!((everywhere.outcome, everywhere.completeness), (Outcome::Empty, Completeness::Truncated));
    assert_eq!(everywhere.gaps.len(), 1);
    let under = vec!["d"; 100].join("/");
    let below = both(&trees, &built.indexes, &json!({ "name": "treasure.txt", "under": under }));
    assert_eq!((below.outcome, below.completeness), (Outcome::Ok, Completeness::Complete));
}

#[test]
fn what_was_not_listed_is_told_where_it_belongs_and_nowhere_else() {
    let mut tree = MemoryTree::new("disk", true);
    let (first, second) = (tree.add(0, "first", None), tree.add(0, "second", None));
    tree.add(first, "a.txt", Some(1));
    tree.add(second, "b.txt", Some(1));
    let closed = tree.add(first, "closed", None);
    tree.entry(closed).closed = true;
    tree.entry(second).defects.push(Defect { path: "second".into(), offset: Some(5), what: "torn".into() });
    tree.seal();
    let trees: Vec<Box<dyn Tree>> = vec![Box::new(tree)];
    let built = Built::of(&trees);
    let of = |arguments: Value| {
        let returned = both(&trees, &built.indexes, &arguments);
        (returned.gaps.len(), returned.defects.len(), returned.completeness)
    };
    assert_eq!(of(json!({ "name": "nothing" })), (1, 1, Completeness::Truncated));
    assert_eq!(of(json!({ "name": "nothing", "under": "first" })), (1, 0, Completeness::Truncated));
    assert_eq!(of(json!({ "name": "nothing", "under": "second" })), (0, 1, Completeness::Truncated));
    // What comes after the end of the page was not met yet.
    assert_eq!(of(json!({ "limit": 1 })), (0, 0, Completeness::Truncated));
}

#[test]
fn a_folder_that_cannot_be_listed_is_a_gap_and_costs_nothing_else() {
    let mut tree = MemoryTree::new("copy", false);
    let windows = tree.add(0, "Windows", None);
    tree.add(windows, "notes.txt", Some(1));
    let closed = tree.add(0, "secret", None);
    tree.entry(closed).closed = true;
    tree.seal();
    let trees: Vec<Box<dyn Tree>> = vec![Box::new(tree)];
    let built = Built::of(&trees);
    for tool in ["list_hives", "timeline_anomalies"] {
        let (indexed, walked) = of_both(tool, &trees, &built.indexes, &json!({}));
        assert_eq!(indexed, walked, "{tool}");
        assert_ne!(walked.outcome, Outcome::Failed, "{tool}: {:?}", walked.notes);
        assert!(walked.gaps.iter().any(|gap| gap.path == "secret"), "{tool}: {:?}", walked.gaps);
    }
}

/// Returns questions of every kind about the tree of an image.
fn of_images() -> Vec<Value> {
    let mut asked = vec![
        json!({}),
        json!({ "limit": 7, "offset": 3 }),
        json!({ "name": "$MFT" }),
        json!({ "name": "*.{txt,bin,DAT}" }),
        json!({ "name": "*e*" }),
        json!({ "name": "????" }),
        json!({ "name": "/*/*/*" }),
        json!({ "name": "**/$Extend/**" }),
        json!({ "name": "/p*/**/*.txt" }),
        json!({ "extension": "txt", "max_size": 4096 }),
        json!({ "min_size": 70_000 }),
        json!({ "name": "nothing of the kind" }),
    ];
    for folder in ["p1", "p0", "p1/Users", "p1/$Extend", "p2"] {
        asked.push(json!({ "under": folder }));
        asked.push(json!({ "under": folder, "name": "*a*" }));
    }
    asked
}

#[test]
fn ntfs_volumes_are_answered_as_by_walking_whole_and_damaged() {
    let volume = testkit::ntfs::sample::everything(16 << 20, 4096).build().unwrap();
    let part = testkit::disk::Part::volume(64, &volume);
    let disk = testkit::disk::DiskSpec::mbr((20 << 20) / 512).part(part).build().unwrap();
    let bytes = disk.bytes();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.raw");
    let (mut found, mut damaged) = (0, 0);
    // The first is whole; then something is destroyed at each of some places with content.
    let full: Vec<usize> = (0..bytes.len()).step_by(512).filter(|at| bytes[*at..*at + 4] != [0; 4]).collect();
    let torn = full.iter().step_by((full.len() / 10).max(1)).map(|at| Some(*at));
    for torn in std::iter::once(None).chain(torn) {
        let mut bytes = bytes.clone();
        if let Some(at) = torn {
            bytes[at + 20..at + 80].fill(0x5a);
        }
        write(&path, &bytes);
        let trees: Vec<Box<dyn Tree>> = vec![Box::new(evidence::open_image(&path, "disk").unwrap())];
        let folder = tempfile::tempdir().unwrap();
        let Ok(built) = build_index(trees[0].as_ref()) else { continue };
        write(&folder.path().join("names"), &built.bytes);
        let indexes = Indexes::from([("disk".to_owned(), folder.path().join("names"))]);
        for arguments in of_images().into_iter().step_by(if torn.is_none() { 1 } else { 7 }) {
            let returned = both(&trees, &indexes, &arguments);
            found += returned.records.len();
            damaged += returned.gaps.len();
        }
    }
    assert!(found > 1000 && damaged > 0, "{found} {damaged}");
}

#[test]
fn real_images_are_answered_as_by_walking() {
    #[expect(clippy::disallowed_methods, reason = "where the developer keeps unpacked cases")]
    let Some(cases) = std::env::var_os("LOCARD_CASES").map(std::path::PathBuf::from) else {
        println!("skipped: LOCARD_CASES names no folder");
        return;
    };
    for image in ["open-aptsim-w10/image/desktop-tmku40h.E01", "open-ntfs-images/evidence/grr_ntfs_img.dd"] {
        if let Ok(tree) = evidence::open_image(&cases.join(image), "disk") {
            let trees: Vec<Box<dyn Tree>> = vec![Box::new(tree)];
            let built = Built::of(&trees);
            let mut found = 0;
            for arguments in of_images() {
                found += both(&trees, &built.indexes, &arguments).records.len();
            }
            println!("{image}: {found} records");
        }
    }
}
