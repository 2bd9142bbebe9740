//! Checks the workspace against its own rules.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn folders(of: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(root().join(of)).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

pub(crate) fn crates() -> BTreeSet<String> {
    folders("crates")
}

pub(crate) fn examples() -> BTreeSet<String> {
    folders("examples")
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files_below(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    files_below(folder, found);
    found.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
}

pub(crate) fn dependencies(name: &str) -> BTreeSet<String> {
    dependencies_in("crates", name)
}

fn dependencies_in(folder: &str, name: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(root().join(folder).join(name).join("Cargo.toml")).unwrap();
    let manifest: toml::Table = toml::from_str(&text).unwrap();
    manifest
        .get("dependencies")
        .and_then(|table| table.as_table())
        .map(|table| table.keys().cloned().collect())
        .unwrap_or_default()
}

#[test]
fn the_code_map_names_every_crate_and_example_and_no_other() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let map = text.split("## Code map").nth(1).unwrap().split("\n## ").next().unwrap();
    let named: BTreeSet<String> = map
        .lines()
        .filter_map(|line| line.strip_prefix("### `"))
        .filter_map(|line| line.split('`').next())
        .map(str::to_owned)
        .collect();
    let examples = examples().into_iter().map(|name| format!("examples/{name}"));
    assert_eq!(named, crates().into_iter().chain(examples).collect());
}

/// Returns the crates that each crate may use.
fn arrows() -> BTreeMap<&'static str, Vec<&'static str>> {
    BTreeMap::from([
        ("ledger", vec![]),
        ("detect", vec!["ledger"]),
        ("sigma", vec!["detect", "ledger"]),
        ("indicators", vec!["ledger"]),
        ("memory", vec!["ledger"]),
        ("ask", vec![]),
        ("graph", vec!["detect", "ledger", "phrases"]),
        ("ground", vec!["ledger"]),
        ("phrases", vec!["ledger"]),
        ("engine", vec!["graph", "ground", "ledger"]),
        ("evidence", vec!["ledger"]),
        ("artifacts", vec!["ledger"]),
        ("tools", vec!["artifacts", "detect", "evidence", "indicators", "ledger", "sigma"]),
        ("sandbox", vec![]),
        ("llm", vec!["ledger"]),
        ("store", vec!["ledger"]),
        ("redact", vec!["graph", "ledger"]),
        ("report", vec!["detect", "graph", "ground", "ledger", "phrases"]),
        ("exchange", vec!["detect", "graph", "ledger"]),
        (
            "app",
            vec![
                "ask", "detect", "engine", "exchange", "graph", "ground", "ledger", "llm", "memory",
                "redact", "report", "sandbox", "store", "tools",
            ],
        ),
        ("view", vec!["app", "graph", "ledger", "report"]),
        ("mcp", vec!["app", "graph", "ledger", "llm", "report"]),
        (
            "cli",
            vec![
                "app", "detect", "graph", "ledger", "llm", "mcp", "memory", "report", "sandbox", "store",
                "tools", "view",
            ],
        ),
        ("testkit", vec!["engine", "graph", "ground", "ledger", "llm", "store"]),
        (
            "xtask",
            vec![
                "app",
                "artifacts",
                "engine",
                "evidence",
                "exchange",
                "graph",
                "ground",
                "ledger",
                "llm",
                "memory",
                "sandbox",
                "store",
                "testkit",
                "tools",
            ],
        ),
    ])
}

#[test]
fn arrows_between_crates_point_down_only() {
    let (crates, arrows) = (crates(), arrows());
    for name in &crates {
        let allowed = arrows.get(name.as_str()).unwrap_or_else(|| panic!("{name} has no place in the house"));
        let inner: BTreeSet<String> = dependencies(name).intersection(&crates).cloned().collect();
        for used in inner {
            assert!(allowed.contains(&used.as_str()), "{name} must not use {used}");
        }
    }
}

/// An example shows how little a program needs that embeds a part of Locard.
#[test]
fn an_example_uses_the_gateway_and_the_words_of_the_record_alone() {
    for name in examples() {
        let used: BTreeSet<String> = dependencies_in("examples", &name);
        assert!(
            used.iter().all(|used| ["ground", "ledger"].contains(&used.as_str())),
            "{name} uses {used:?}"
        );
    }
}

#[test]
fn only_the_outer_crates_are_asynchronous() {
    for name in crates() {
        if dependencies(&name).contains("tokio") {
            assert!(
                ["app", "cli", "llm", "mcp", "sandbox", "view", "xtask"].contains(&name.as_str()),
                "{name} uses tokio"
            );
        }
    }
}

#[test]
fn every_module_says_what_it_is_and_none_is_long() {
    let mut files = Vec::new();
    sources(&root().join("crates"), &mut files);
    sources(&root().join("examples"), &mut files);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//!"), "{} does not say what it is", file.display());
        let lines = text.lines().count();
        assert!(lines <= 800, "{} has {lines} lines", file.display());
    }
}

#[test]
fn every_decision_is_listed() {
    let folder = root().join("docs/decisions");
    let index = std::fs::read_to_string(folder.join("README.md")).unwrap();
    for entry in std::fs::read_dir(&folder).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        assert!(name == "README.md" || index.contains(&name), "{name} is not in the index");
    }
}

#[test]
fn each_crate_has_one_test_binary_besides_those_that_are_their_own_worker() {
    let own_worker = ["cli/tests/hostile_worker.rs", "sandbox/tests/sqlite_in_worker.rs"];
    let mut found = BTreeSet::new();
    for name in crates() {
        let Ok(folder) = std::fs::read_dir(root().join("crates").join(&name).join("tests")) else { continue };
        for entry in folder.flatten() {
            let file = entry.file_name().into_string().unwrap();
            if file.ends_with(".rs") || entry.path().join("main.rs").exists() {
                found.insert(format!("{name}/tests/{file}"));
            }
        }
    }
    found.retain(|path| !path.ends_with("/tests/suite"));
    assert_eq!(found, own_worker.map(str::to_owned).into());
}

/// A dependency whose features differ between `cargo test` and `cargo run` is compiled twice, and so is everything that depends on it.
#[test]
fn no_crate_gives_its_tests_features_that_the_program_lacks() {
    for name in crates() {
        let text = std::fs::read_to_string(root().join("crates").join(&name).join("Cargo.toml")).unwrap();
        let manifest: toml::Table = toml::from_str(&text).unwrap();
        let is_for_tests = matches!(name.as_str(), "testkit" | "xtask");
        let tables = std::iter::once("dev-dependencies").chain(is_for_tests.then_some("dependencies"));
        let of = tables.filter_map(|table| manifest.get(table)?.as_table()).flatten();
        for (dependency, how) in of {
            let own = how.as_table().is_some_and(|how| how.contains_key("features"));
            assert!(!own, "{name}: state the features of {dependency} in the workspace's Cargo.toml");
        }
    }
}

#[test]
fn every_file_of_a_test_suite_is_part_of_it() {
    for name in crates() {
        let suite = root().join("crates").join(&name).join("tests/suite");
        let Ok(text) = std::fs::read_to_string(suite.join("main.rs")) else { continue };
        for entry in std::fs::read_dir(&suite).unwrap().flatten() {
            let file = entry.file_name().into_string().unwrap();
            let Some(module) = file.strip_suffix(".rs").filter(|module| *module != "main") else { continue };
            assert!(text.contains(&format!("mod {module};")), "{name}: no test runs {file}");
        }
    }
}

/// proptest reads `tests/proptest-regressions/x.txt` for `tests/suite/x.rs`, and `proptest-regressions/x.txt` for `src/x.rs`.
#[test]
fn cases_that_failed_once_are_where_proptest_reads_them() {
    let mut files = Vec::new();
    for name in crates() {
        let folder = root().join("crates").join(name);
        files_below(&folder, &mut files);
        for file in files.drain(..) {
            let path = file.strip_prefix(&folder).unwrap().to_str().unwrap().to_owned();
            let stem = path.strip_suffix(".txt").map(|stem| stem.split_once("proptest-regressions/"));
            let source = match stem {
                Some(Some(("tests/", stem))) => folder.join(format!("tests/suite/{stem}.rs")),
                Some(Some(("", stem))) => folder.join(format!("src/{stem}.rs")),
                _ => PathBuf::new(),
            };
            assert!(
                !path.contains("proptest-regressions") || source.is_file(),
                "{} is not read",
                file.display()
            );
        }
    }
}
