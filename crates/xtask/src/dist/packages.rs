//! The packages that are linked into the program.
//!
//! `cargo metadata` knows everything about them, but shows the features of the whole workspace;
//! `cargo tree` knows what the program alone links.

use super::DistError;
use super::build::Build;
use super::target::Target;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A package of the program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    /// An SPDX expression.
    pub(super) licence: Option<String>,
    /// The licence file named in its manifest.
    pub(super) licence_file: Option<PathBuf>,
    pub(super) repository: Option<String>,
    /// The folder of its source.
    pub(super) folder: PathBuf,
    /// The SHA-256 of its archive if it comes from a registry; our own have none.
    pub(super) checksum: Option<String>,
    /// Whether it is a package of this workspace.
    pub(super) ours: bool,
    /// The names and versions of linked packages that it needs.
    pub(super) needs: BTreeSet<(String, String)>,
}

impl Package {
    /// Returns its name and version, which identify it here.
    pub(super) fn key(&self) -> (String, String) {
        (self.name.clone(), self.version.clone())
    }
}

/// Returns what a target's program links, sorted by name.
pub(super) fn linked(build: &Build, target: Target) -> Result<Vec<Package>, DistError> {
    let tree = build.tree(target)?;
    packages(&build.metadata(target)?, &names(&tree), &build.checksums()?)
}

/// Parses names and versions from lines such as `serde v1.0.0 (/a/path)`.
fn names(tree: &str) -> BTreeSet<(String, String)> {
    let one = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next()?;
        Some((name.to_owned(), words.next()?.strip_prefix('v')?.to_owned()))
    };
    tree.lines().filter_map(one).collect()
}

fn packages(
    metadata: &Value,
    linked: &BTreeSet<(String, String)>,
    checksums: &BTreeMap<(String, String), String>,
) -> Result<Vec<Package>, DistError> {
    let missing = |what: String| DistError::Metadata { what };
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let needs = needs(metadata);
    let mut found = Vec::new();
    for value in list(&metadata["packages"]) {
        let text = |field: &str| value[field].as_str().map(str::to_owned);
        let (Some(id), Some(name), Some(version)) = (text("id"), text("name"), text("version")) else {
            return Err(missing("the id, name or version of a package".to_owned()));
        };
        let key = (name.clone(), version.clone());
        if !linked.contains(&key) {
            continue;
        }
        let manifest = text("manifest_path").ok_or_else(|| missing(format!("the folder of {name}")))?;
        let folder = Path::new(&manifest).parent().map(Path::to_owned).unwrap_or_default();
        let mut needs = needs.get(&id).cloned().unwrap_or_default();
        needs.retain(|need| linked.contains(need));
        found.push(Package {
            licence: text("license").map(|licence| spdx(&licence)),
            licence_file: text("license_file").map(|file| folder.join(file)),
            repository: text("repository"),
            checksum: checksums.get(&key).cloned(),
            ours: value["source"].is_null(),
            name,
            version,
            folder,
            needs,
        });
    }
    let known: BTreeSet<_> = found.iter().map(Package::key).collect();
    if let Some((name, version)) = linked.difference(&known).next() {
        return Err(missing(format!("{name} {version}")));
    }
    found.sort();
    Ok(found)
}

/// Returns the names and versions that each package needs at run time, by package id.
fn needs(metadata: &Value) -> BTreeMap<String, BTreeSet<(String, String)>> {
    let each = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let keys: BTreeMap<String, (String, String)> = each(&metadata["packages"])
        .iter()
        .map(|package| (text(&package["id"]), (text(&package["name"]), text(&package["version"]))))
        .collect();
    let normal = |need: &&Value| each(&need["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
    let of = |node: &Value| {
        let needs = each(&node["deps"]);
        needs.iter().filter(normal).filter_map(|need| keys.get(need["pkg"].as_str()?).cloned()).collect()
    };
    each(&metadata["resolve"]["nodes"]).iter().map(|node| (text(&node["id"]), of(node))).collect()
}

/// Converts to SPDX notation: older manifests have `/` for `OR`.
fn spdx(licence: &str) -> String {
    let names: Vec<_> = licence.split('/').map(str::trim).collect();
    names.join(" OR ")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use serde_json::json;

    /// Creates a package from a registry that has no dependencies.
    pub(in crate::dist) fn package(name: &str, licence: Option<&str>, folder: &Path) -> Package {
        Package {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: licence.map(str::to_owned),
            licence_file: None,
            repository: None,
            folder: folder.to_owned(),
            checksum: Some("ab".repeat(32)),
            ours: false,
            needs: BTreeSet::new(),
        }
    }

    fn metadata() -> Value {
        let package = |name: &str, source: Value, licence: &str| {
            json!({
                "id": format!("id of {name}"), "name": name, "version": "1.0.0", "source": source,
                "license": licence, "license_file": null, "manifest_path": format!("/src/{name}/Cargo.toml"),
                "repository": null,
            })
        };
        let need = |name: &str, kind: Value| json!({"pkg": format!("id of {name}"), "dep_kinds": [{"kind": kind, "target": null}]});
        let node = |name: &str, deps: Vec<Value>| json!({"id": format!("id of {name}"), "deps": deps});
        let registry = json!("registry");
        json!({
            "packages": [
                package("cli", Value::Null, "GPL-3.0-or-later"),
                package("used", registry.clone(), "MIT/Apache-2.0"),
                package("builds", registry.clone(), "MIT"),
                package("elsewhere", registry, "MIT"),
            ],
            "resolve": {"nodes": [
                node("cli", vec![need("used", Value::Null), need("builds", json!("build"))]),
                node("used", vec![need("elsewhere", Value::Null)]),
            ]},
        })
    }

    fn key(name: &str) -> (String, String) {
        (name.to_owned(), "1.0.0".to_owned())
    }

    #[test]
    fn what_is_linked_is_told_with_what_it_needs_and_nothing_else() {
        let tree = names("cli v1.0.0 (/home/locard)\nused v1.0.0\nused v1.0.0 (*)\n");
        let checksums = BTreeMap::from([(key("used"), "ab".to_owned())]);
        let found = packages(&metadata(), &tree, &checksums).unwrap();
        let [cli, used] = found.as_slice() else { panic!("{found:?}") };
        assert!(cli.ours && !used.ours);
        assert_eq!(cli.needs, BTreeSet::from([key("used")]));
        assert_eq!(
            (used.licence.as_deref(), used.checksum.as_deref()),
            (Some("MIT OR Apache-2.0"), Some("ab"))
        );
        assert_eq!(used.folder, Path::new("/src/used"));
        assert!(used.needs.is_empty(), "it is not linked: a feature of somebody else asks for it");
    }

    #[test]
    fn a_linked_package_that_nothing_is_known_of_is_an_error() {
        let told = packages(&metadata(), &names("gone v2.0.0"), &BTreeMap::new()).unwrap_err().to_string();
        assert!(told.contains("gone 2.0.0"), "{told}");
    }

    #[test]
    fn older_expressions_are_told_as_spdx_writes_them() {
        assert_eq!(spdx("Apache-2.0 / MIT"), "Apache-2.0 OR MIT");
        assert_eq!(spdx("(MIT OR Apache-2.0) AND Unicode-3.0"), "(MIT OR Apache-2.0) AND Unicode-3.0");
    }
}
