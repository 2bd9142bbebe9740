//! The bill of materials: CycloneDX 1.6, JSON.
//!
//! Our own crates have no package URL: on crates.io, their names belong to others.

use super::build::Build;
use super::bundled::Bundled;
use super::packages::Package;
use super::target::Target;
use super::{Artifact, DistError};
use ledger::Digest;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Builds the bill of materials of a target's program.
pub(super) fn bom(
    build: &Build,
    target: Target,
    packages: &[Package],
    bundled: &[Bundled],
) -> Result<Artifact, DistError> {
    let subject = Subject { version: build.version, target, time: &instant(build.time) };
    let mut bytes = serde_json::to_vec_pretty(&document(&subject, packages, bundled))
        .map_err(|source| DistError::Json { what: "the bill of materials", source })?;
    bytes.push(b'\n');
    Ok(Artifact { name: format!("locard-{}-{}.cdx.json", build.version, target.triple()), bytes })
}

/// The subject of the bill.
struct Subject<'a> {
    version: &'a str,
    target: Target,
    time: &'a str,
}

/// The name of the crate that the program is built from.
const PROGRAM: &str = "cli";

fn document(subject: &Subject<'_>, packages: &[Package], bundled: &[Bundled]) -> Value {
    let references: BTreeMap<_, _> =
        packages.iter().map(|package| (package.key(), reference(package))).collect();
    let root = format!("locard@{}?target={}", subject.version, subject.target.triple());
    let own = |package: &&Package| package.ours && package.name == PROGRAM;
    let rest = || packages.iter().filter(|package| !own(package));
    let needs = |package: &Package| -> Vec<String> {
        let packages = package.needs.iter().filter_map(|key| references.get(key).cloned());
        let key = Some(package.key());
        packages.chain(bundled.iter().filter(|one| one.within == key).map(bundled_reference)).collect()
    };
    let mut dependencies: Vec<Value> = Vec::new();
    if let Some(program) = packages.iter().find(own) {
        let mut all = needs(program);
        all.extend(bundled.iter().filter(|one| one.within.is_none()).map(bundled_reference));
        dependencies.push(json!({"ref": root, "dependsOn": all}));
    }
    dependencies.extend(bundled.iter().map(|one| json!({"ref": bundled_reference(one), "dependsOn": []})));
    dependencies
        .extend(rest().map(|package| json!({"ref": reference(package), "dependsOn": needs(package)})));
    let components: Vec<Value> = rest().map(component).chain(bundled.iter().map(bundled_component)).collect();
    let mut document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": subject.time,
            "tools": {"components": [
                {"type": "application", "name": "cargo xtask dist", "version": subject.version},
            ]},
            "component": {
                "type": "application",
                "bom-ref": root,
                "name": "locard",
                "version": subject.version,
                "licenses": [{"expression": "GPL-3.0-or-later"}],
            },
        },
        "components": components,
        "dependencies": dependencies,
    });
    document["serialNumber"] = json!(serial(&document));
    document
}

fn component(package: &Package) -> Value {
    let mut value = json!({
        "type": "library",
        "bom-ref": reference(package),
        "name": package.name,
        "version": package.version,
        "scope": "required",
    });
    if let Some(licence) = &package.licence {
        value["licenses"] = json!([{"expression": licence}]);
    }
    if !package.ours {
        value["purl"] = json!(purl(package));
    }
    if let Some(checksum) = &package.checksum {
        value["hashes"] = json!([{"alg": "SHA-256", "content": checksum}]);
    }
    if let Some(repository) = &package.repository {
        value["externalReferences"] = json!([{"type": "vcs", "url": repository}]);
    }
    value
}

fn bundled_component(bundled: &Bundled) -> Value {
    let mut value = json!({
        "type": if bundled.cpe.is_some() { "library" } else { "data" },
        "bom-ref": bundled_reference(bundled),
        "name": bundled.name,
        "scope": "required",
    });
    if !bundled.version.is_empty() {
        value["version"] = json!(bundled.version);
    }
    if let (Some(cpe), false) = (bundled.cpe, bundled.version.is_empty()) {
        value["cpe"] = json!(format!("cpe:2.3:a:{cpe}:{}:*:*:*:*:*:*:*", bundled.version));
    }
    if let Some(licence) = bundled.licence {
        value["licenses"] = json!([{"expression": licence}]);
    }
    value
}

fn bundled_reference(bundled: &Bundled) -> String {
    format!("bundled/{}", bundled.title())
}

fn reference(package: &Package) -> String {
    if package.ours { format!("locard/{}@{}", package.name, package.version) } else { purl(package) }
}

/// Returns the package URL; a `+` in a version would be read as a blank.
fn purl(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version.replace('+', "%2B"))
}

/// Returns a UUID that depends only on the content: version 8, from the SHA-256 of the document.
fn serial(document: &Value) -> String {
    let hex: Vec<char> = Digest::of(document.to_string().as_bytes()).to_string().chars().collect();
    let part = |from: usize, to: usize| hex.get(from..to).into_iter().flatten().collect::<String>();
    format!("urn:uuid:{}-{}-8{}-8{}-{}", part(0, 8), part(8, 12), part(12, 15), part(15, 18), part(18, 30))
}

/// Formats seconds as RFC 3339.
pub(super) fn instant(seconds: u64) -> String {
    let seconds = i64::try_from(seconds).ok().and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    seconds.unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::packages::tests::package;
    use std::path::Path;

    fn small() -> Value {
        let mut program = package("cli", Some("GPL-3.0-or-later"), Path::new("/"));
        let mut house = package("ledger", Some("GPL-3.0-or-later"), Path::new("/"));
        for own in [&mut program, &mut house] {
            (own.ours, own.checksum) = (true, None);
        }
        let mut used = package("zstd-sys", None, Path::new("/"));
        used.version = "2.0.0+zstd.1".to_owned();
        program.needs = [house.key()].into();
        house.needs = [used.key()].into();
        let subject = Subject { version: "1.2.3", target: Target::X86_64, time: "2026-01-01T00:00:00Z" };
        let bundled = |name, within| Bundled {
            name,
            version: "1.5.7".to_owned(),
            licence: Some("MIT"),
            cpe: Some("maker:name"),
            within,
            notice: None,
            files: Vec::new(),
        };
        let bundled = [bundled("Zstandard", Some(used.key())), bundled("musl libc", None)];
        document(&subject, &[program, house, used], &bundled)
    }

    #[test]
    fn the_bill_names_each_package_once_and_what_needs_what() {
        let bill = small();
        let names: Vec<_> = bill["components"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
        assert_eq!(names, ["ledger", "zstd-sys", "Zstandard", "musl libc"]);
        assert_eq!(bill["components"][2]["cpe"], "cpe:2.3:a:maker:name:1.5.7:*:*:*:*:*:*:*");
        assert_eq!(bill["components"][0].get("purl"), None);
        assert_eq!(bill["components"][1]["purl"], "pkg:cargo/zstd-sys@2.0.0%2Bzstd.1");
        assert_eq!(bill["components"][1]["hashes"][0]["content"], "ab".repeat(32));
        let root = &bill["metadata"]["component"]["bom-ref"];
        assert_eq!(&bill["dependencies"][0]["ref"], root);
        assert_eq!(
            bill["dependencies"][0]["dependsOn"],
            json!(["locard/ledger@1.0.0", "bundled/musl libc 1.5.7"])
        );
        let all = bill["dependencies"].as_array().unwrap();
        let of = |name: &str| all.iter().find(|one| one["ref"] == name).unwrap()["dependsOn"].clone();
        assert_eq!(of("locard/ledger@1.0.0"), json!(["pkg:cargo/zstd-sys@2.0.0%2Bzstd.1"]));
        assert_eq!(of("pkg:cargo/zstd-sys@2.0.0%2Bzstd.1"), json!(["bundled/Zstandard 1.5.7"]));
    }

    #[test]
    fn the_serial_number_is_a_uuid_of_the_content() {
        let serial = small()["serialNumber"].as_str().unwrap().to_owned();
        let parts: Vec<_> = serial.strip_prefix("urn:uuid:").unwrap().split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12]);
        assert_eq!(small()["serialNumber"], serial);
    }

    #[test]
    fn times_are_those_of_rfc_3339() {
        assert_eq!(instant(1_700_000_000), "2023-11-14T22:13:20Z");
    }
}
