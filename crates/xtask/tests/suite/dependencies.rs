//! Checks the dependencies by the lock file alone: where they come from, in which versions, and under which licences.
//!
//! It needs no network and no other program. `deny.toml` says the same for cargo-deny, which also knows advisories.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::{spdx, tidy};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{read_dir, read_to_string};
use std::path::PathBuf;
use toml::{Table, Value};

/// The only source of packages that are not ours.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// A package of a lock file.
struct Package {
    name: String,
    version: String,
    /// `None` for a package of a folder.
    source: Option<String>,
    has_checksum: bool,
    /// The packages that it needs, each as its name alone, or as name and version if there are several.
    needs: Vec<String>,
}

fn read(path: &str) -> Table {
    let path = tidy::root().join(path);
    toml::from_str(&read_to_string(&path).unwrap())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn list<'t>(table: &'t Table, key: &str) -> &'t [Value] {
    table.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn texts(values: &[Value]) -> Vec<String> {
    values.iter().map(|value| value.as_str().unwrap().to_owned()).collect()
}

fn locked(path: &str) -> Vec<Package> {
    let package = |value: &Value| {
        let table = value.as_table().unwrap();
        let text = |key: &str| table.get(key).map(|value| value.as_str().unwrap().to_owned());
        Package {
            name: text("name").unwrap(),
            version: text("version").unwrap(),
            source: text("source"),
            has_checksum: table.contains_key("checksum"),
            needs: texts(list(table, "dependencies")),
        }
    };
    list(&read(path), "package").iter().map(package).collect()
}

/// Returns the packages of others.
fn foreign(path: &str) -> Vec<Package> {
    locked(path).into_iter().filter(|package| package.source.is_some()).collect()
}

/// Returns the part of a version that counts for compatibility: `1` of 1.2.3, `0.2` of 0.2.3.
fn series(version: &str) -> String {
    let parts: Vec<&str> = version.split('.').collect();
    let first = parts.iter().position(|part| *part != "0").unwrap_or(parts.len() - 1);
    parts.iter().take(first + 1).copied().collect::<Vec<_>>().join(".")
}

fn numbers(version: &str) -> Vec<u64> {
    version.split(['.', '+', '-']).map_while(|part| part.parse().ok()).collect()
}

/// Returns the older versions of crates that are there more than once, by name and series, with the packages that need each.
fn older() -> BTreeMap<String, BTreeMap<String, BTreeSet<String>>> {
    let locked = locked("Cargo.lock");
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in &locked {
        versions.entry(&package.name).or_default().push(&package.version);
    }
    let mut older: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for (name, mut versions) in versions {
        versions.sort_by_key(|version| numbers(version));
        versions.pop();
        for version in versions {
            let needed = format!("{name} {version}");
            let needing = locked.iter().filter(|package| package.needs.contains(&needed));
            let needing = needing.map(|package| package.name.clone()).collect();
            older.entry(name.to_owned()).or_default().insert(series(version), needing);
        }
    }
    older
}

/// Returns the licence of each package, or why each licence is allowed.
fn licences(table: &str) -> BTreeMap<String, String> {
    let file = read("crates/xtask/tests/data/licences.toml");
    let table = file.get(table).and_then(Value::as_table).unwrap();
    table.iter().map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned())).collect()
}

#[test]
fn every_package_is_ours_or_comes_from_the_registry() {
    let ours = tidy::crates().into_iter().chain(tidy::examples()).chain(["locard-fuzz".to_owned()]);
    let ours: BTreeSet<String> = ours.collect();
    for file in ["Cargo.lock", "fuzz/Cargo.lock"] {
        for Package { name, source, has_checksum, .. } in locked(file) {
            match source {
                Some(source) => {
                    assert!(source == REGISTRY && has_checksum, "{file}: {name} comes from {source}")
                }
                None => assert!(ours.contains(&name), "{file}: {name} is a folder, but not one of ours"),
            }
        }
    }
}

#[test]
fn a_crate_is_there_in_two_versions_only_for_a_reason_that_is_written_down() {
    let listed = read("crates/xtask/tests/data/duplicates.toml");
    let found = older();
    for (name, older) in &found {
        let said = listed.get(name).and_then(Value::as_table);
        let said = said.unwrap_or_else(|| {
            panic!("{name} is there more than once, for {older:?}: duplicates.toml lacks it")
        });
        let of = said.get("older").and_then(Value::as_table).unwrap();
        let of = of
            .iter()
            .map(|(series, by)| (series.clone(), texts(by.as_array().unwrap()).into_iter().collect()));
        assert_eq!(&of.collect::<BTreeMap<String, BTreeSet<String>>>(), older, "{name} in duplicates.toml");
        assert!(!said.get("reason").and_then(Value::as_str).unwrap().is_empty(), "{name} has no reason");
    }
    for name in listed.keys() {
        assert!(found.contains_key(name), "{name} is there once: remove it from duplicates.toml");
    }
}

#[test]
fn every_package_has_its_licence_listed_and_no_other_is_listed() {
    let needed: BTreeSet<String> = foreign("Cargo.lock").into_iter().map(|package| package.name).collect();
    let listed: BTreeSet<String> = licences("packages").into_keys().collect();
    let lacking: Vec<_> = needed.difference(&listed).collect();
    assert!(lacking.is_empty(), "licences.toml lacks {lacking:?}");
    let gone: Vec<_> = listed.difference(&needed).collect();
    assert!(gone.is_empty(), "not in Cargo.lock: remove {gone:?} from licences.toml");
    let text = read_to_string(tidy::root().join("crates/xtask/tests/data/licences.toml")).unwrap();
    let lines = text.lines().skip_while(|line| *line != "[packages]").skip(1);
    let names: Vec<&str> = lines.filter_map(|line| line.split_once(" = ")).map(|(name, _)| name).collect();
    assert!(names.is_sorted() && names.len() == listed.len(), "licences.toml is not sorted by name");
}

#[test]
fn every_licence_is_compatible_with_ours_and_each_allowed_one_occurs() {
    let allowed = licences("allowed");
    let mut occurring = BTreeSet::new();
    for (name, expression) in licences("packages") {
        let met = spdx::is_met(&expression, &mut |licence| {
            occurring.insert(licence.to_owned());
            allowed.contains_key(licence)
        });
        assert_eq!(
            met,
            Some(true),
            "{name} is under {expression}, which [allowed] of licences.toml does not cover"
        );
    }
    for licence in allowed.keys() {
        assert!(occurring.contains(licence), "no package is under {licence}");
    }
}

/// It reads manifests, not `cargo metadata`: that needs the packages for every platform, and a machine that builds has those for its own.
#[test]
#[expect(clippy::disallowed_methods, reason = "the sources are where cargo's own variable says")]
fn listed_licences_are_those_in_the_manifests_of_the_packages() {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo"))).unwrap_or_default();
    let registries = read_dir(home.join("registry/src")).into_iter().flatten().flatten();
    let registries: Vec<PathBuf> = registries.map(|entry| entry.path()).collect();
    let (listed, packages) = (licences("packages"), foreign("Cargo.lock"));
    let mut compared = 0;
    for Package { name, version, .. } in &packages {
        let place = format!("{name}-{version}/Cargo.toml");
        let text = registries.iter().find_map(|registry| read_to_string(registry.join(&place)).ok());
        let Some(manifest) = text.map(|text| toml::from_str::<Table>(&text).unwrap()) else { continue };
        // A package may have only a file with its licence; then the list says what a person read there.
        let own = manifest.get("package").and_then(|package| package.get("license")?.as_str());
        let Some(own) = own.map(spdx::written) else { continue };
        assert_eq!(listed.get(name), Some(&own), "{name} {version} in licences.toml");
        compared += 1;
    }
    println!(
        "note: compared {compared} of {} packages with their manifests; the others are not on this machine",
        packages.len()
    );
}

#[test]
fn cargo_deny_is_told_the_same() {
    let deny = read("deny.toml");
    let table = |name: &str| deny.get(name).and_then(Value::as_table).unwrap();
    let allowed: Vec<String> = licences("allowed").into_keys().collect();
    assert_eq!(texts(list(table("licenses"), "allow")), allowed);
    let older = older();
    let skipped =
        older.iter().flat_map(|(name, older)| older.keys().map(move |series| format!("{name}:{series}")));
    assert_eq!(texts(list(table("bans"), "skip")), skipped.collect::<Vec<_>>());
}

#[test]
fn the_fuzz_targets_are_built_from_the_versions_of_the_workspace() {
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in locked("Cargo.lock") {
        versions.entry(package.name).or_default().insert(package.version);
    }
    for Package { name, version, source, needs, .. } in locked("fuzz/Cargo.lock") {
        let known = versions.get(&name);
        assert!(
            known.is_none_or(|known| known.contains(&version)),
            "fuzz/Cargo.lock: {name} {version} (docs/fuzzing.md says how to renew it)"
        );
        if source.is_none() && known.is_some() {
            let needs: BTreeSet<&str> = needs.iter().filter_map(|need| need.split(' ').next()).collect();
            for need in tidy::dependencies(&name) {
                assert!(
                    needs.contains(need.as_str()),
                    "fuzz/Cargo.lock: {name} lacks {need} (docs/fuzzing.md says how to renew it)"
                );
            }
        }
    }
}

#[test]
fn ci_builds_from_the_lock_file() {
    // Typed as the README has them; `.ci/run` has checked the lock file before, with clippy.
    let as_in_the_readme = ["cargo run --release -- ", "cargo test --release --workspace"];
    let builds = ["bench", "build", "check", "clippy", "doc", "run", "test"];
    for entry in read_dir(tidy::root().join(".ci")).unwrap().flatten() {
        // Some are no text.
        let text = read_to_string(entry.path()).unwrap_or_default();
        for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let is_build =
                words.windows(2).any(|pair| matches!(pair, ["cargo", what] if builds.contains(what)));
            let is_typed =
                entry.file_name() == "run" && as_in_the_readme.iter().any(|typed| line.contains(typed));
            assert!(!is_build || is_typed || words.contains(&"--locked"), "{:?}: {line}", entry.file_name());
        }
    }
    let alias = read(".cargo/config.toml");
    let alias = alias.get("alias").and_then(|alias| alias.get("xtask")?.as_str()).unwrap();
    assert!(alias.contains("--locked"), "cargo xtask is `cargo {alias}`");
}

#[test]
fn versions_are_compatible_up_to_their_first_number_that_is_not_zero() {
    for (version, expected) in [("1.2.3", "1"), ("0.2.3", "0.2"), ("0.0.3", "0.0.3"), ("12.0.0+a.b", "12")] {
        assert_eq!(series(version), expected);
    }
}
