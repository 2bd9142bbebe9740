//! Links on the way of a pattern: their targets are searched under their own paths, and an answer says where it did not search.

use crate::name_index::{Built, write};
use evidence::{Tree, open_directory, open_image};
use ledger::Completeness;
use serde_json::json;
use std::os::unix::fs::symlink;
use std::path::Path;
use testkit::ntfs::{EntrySpec, VolumeSpec};
use tools::{Return, run, run_indexed};

/// Returns what a search for names finds, with and without an index: paths and gaps.
fn found(trees: &[Box<dyn Tree>], name: &str) -> (Vec<String>, Vec<String>) {
    let (built, arguments) = (Built::of(trees), json!({ "name": name }));
    let none = Path::new("/nonexistent");
    let walked = run("find_files", &arguments, trees, none);
    assert_eq!(walked, run_indexed("find_files", &arguments, trees, &built.indexes, none), "{name}");
    let Return { records, gaps, completeness, .. } = walked;
    assert_eq!(completeness == Completeness::Complete, gaps.is_empty(), "{name}");
    let paths = records.into_iter().map(|record| record.locator.path).collect();
    (paths, gaps.into_iter().map(|gap| format!("{}: {}", gap.path, gap.reason)).collect())
}

fn folder(root: &Path) -> Vec<Box<dyn Tree>> {
    std::fs::create_dir_all(root.join("Windows/System32/winevt")).unwrap();
    std::fs::create_dir_all(root.join("store")).unwrap();
    write(&root.join("store/Security.evtx"), b"x");
    symlink("../../../store", root.join("Windows/System32/winevt/Logs")).unwrap();
    vec![Box::new(open_directory(root, "disk").unwrap())]
}

#[test]
fn a_search_through_a_link_of_a_copied_folder_says_where_to_look() {
    let home = tempfile::tempdir().unwrap();
    let trees = folder(home.path());
    let log = vec!["store/Security.evtx".to_owned()];
    let gap = vec![
        "Windows/System32/winevt/Logs: a link, which is not followed: what it leads to is searched as store"
            .to_owned(),
    ];
    assert_eq!(found(&trees, "*.evtx"), (log.clone(), Vec::new()));
    assert_eq!(found(&trees, "store/*.evtx"), (log.clone(), Vec::new()));
    for through in [
        "Windows/System32/winevt/Logs/*.evtx",
        "**/winevt/Logs/*.evtx",
        "**/Logs/**/*.evtx",
        "C:\\windows\\system32\\winevt\\logs\\*.evtx",
        "**/{Logs,Protokolle}/*.evtx",
    ] {
        assert_eq!(found(&trees, through), (Vec::new(), gap.clone()), "{through}");
    }
    // The target's path matches as well as the link's own.
    assert_eq!(found(&trees, "**/*/*.evtx"), (log, Vec::new()));
}

#[test]
fn a_link_that_leads_out_of_a_copied_folder_leaves_every_search_incomplete() {
    let home = tempfile::tempdir().unwrap();
    let trees = folder(home.path());
    symlink("/var/elsewhere", home.path().join("Tasks")).unwrap();
    let (paths, gaps) = found(&trees, "*.job");
    assert!(paths.is_empty());
    let [gap] = gaps.as_slice() else { panic!("{gaps:?}") };
    assert!(gap.starts_with("Tasks: a link to \"/var/elsewhere\", which is not in the evidence"), "{gap}");
}

#[test]
fn a_search_through_a_junction_of_a_volume_says_where_to_look() {
    let home = tempfile::tempdir().unwrap();
    let volume = VolumeSpec::new("").size(2 << 20).cluster(512);
    let volume = volume
        .entry(EntrySpec::file("Users/ann/NTUSER.DAT", b"x"))
        .entry(EntrySpec::junction("Documents and Settings", "C:\\Users"))
        .entry(EntrySpec::junction("Data", "D:\\Data"));
    let file = home.path().join("volume.dd");
    write(&file, &volume.build().unwrap().bytes());
    let trees: Vec<Box<dyn Tree>> = vec![Box::new(open_image(&file, "disk").unwrap())];
    let (paths, gaps) = found(&trees, "**/Users/*/NTUSER.DAT");
    assert_eq!((paths.len(), gaps.len()), (1, 0), "{gaps:?}");
    let (paths, gaps) = found(&trees, "Documents and Settings/*/NTUSER.DAT");
    let [gap] = gaps.as_slice() else { panic!("{gaps:?}") };
    assert!(paths.is_empty() && gap.ends_with("is searched as p0/Users"), "{paths:?} {gap}");
    let (_, gaps) = found(&trees, "Data/**");
    let [gap] = gaps.as_slice() else { panic!("{gaps:?}") };
    assert!(gap.contains("which is not followed"), "{gap}");
    assert_eq!(found(&trees, "*.job").1, Vec::<String>::new());
}

#[test]
fn evidence_that_keeps_no_streams_is_not_walked_for_them_and_answers_the_same() {
    let home = tempfile::tempdir().unwrap();
    let trees = folder(home.path());
    let (built, none) = (Built::of(&trees), Path::new("/nonexistent"));
    for arguments in [json!({ "with_stream": "*" }), json!({ "with_stream": "*", "name": "*.evtx" })] {
        let walked = run("find_files", &arguments, &trees, none);
        assert_eq!(walked, run_indexed("find_files", &arguments, &trees, &built.indexes, none));
        assert!(walked.records.is_empty() && walked.notes.iter().any(|note| note.contains("no disk image")));
    }
}

#[test]
fn a_search_below_a_folder_says_which_links_lead_out_of_it() {
    let home = tempfile::tempdir().unwrap();
    let trees = folder(home.path());
    let (built, none) = (Built::of(&trees), Path::new("/nonexistent"));
    let told = |tool: &str, arguments: &serde_json::Value| {
        let walked = run(tool, arguments, &trees, none);
        assert_eq!(walked, run_indexed(tool, arguments, &trees, &built.indexes, none), "{tool} {arguments}");
        walked.gaps.into_iter().map(|gap| format!("{}: {}", gap.path, gap.reason)).collect::<Vec<_>>()
    };
    let gap = "Windows/System32/winevt/Logs: a link, which is not followed: what it leads to stands in store, where nobody looked";
    for (tool, arguments) in [
        ("find_files", json!({ "name": "*.evtx", "under": "Windows" })),
        ("find_files", json!({ "name": "*.evtx", "under": "Windows/System32/winevt" })),
        ("search_text", json!({ "text": "logoff", "under": "Windows" })),
        ("list_hives", json!({ "path": "Windows" })),
        ("timeline_anomalies", json!({ "under": "Windows" })),
    ] {
        assert_eq!(told(tool, &arguments), [gap], "{tool} {arguments}");
    }
    // The target of the link is searched, too.
    assert_eq!(told("find_files", &json!({ "name": "*.evt" })), [""; 0]);
}
