//! The statement of how the files were built: an in-toto Statement v1 with SLSA provenance v1 (`docs/releasing.md`).
//!
//! It does not identify the machine: the signer vouches for the place of the build.

use super::bom::instant;
use super::build::{Build, PROFILE};
use super::options::Options;
use super::{Artifact, DistError, error};
use app::Signer;
use exchange::{STATEMENT_TYPE, envelope, pre_authentication};
use ledger::Digest;
use serde_json::{Value, json};

/// The predicate type: SLSA, provenance v1.
const PREDICATE_TYPE: &str = "https://slsa.dev/provenance/v1";

/// The type that defines the parameters below; a name, not a location.
const BUILD_TYPE: &str = "https://locard.invalid/build/xtask-dist/v1";

/// The builder, as far as the statement can know: the holder of the key.
const BUILDER: &str = "https://locard.invalid/builder/whoever-signs/v1";

/// Returns the statement about the files and, with a key, the signed envelope.
pub(super) fn signed(
    build: &Build,
    options: &Options,
    artifacts: &[Artifact],
) -> Result<Vec<Artifact>, DistError> {
    let lock = build.root.join("Cargo.lock");
    let lock = std::fs::read(&lock).map_err(error::reading(&lock))?;
    let targets: Vec<_> = options.targets.iter().map(|target| target.triple()).collect();
    let made = Made {
        version: build.version,
        revision: build.revision.as_deref(),
        changed: build.changed,
        targets: &targets,
        rustc: &build.rustc,
        lock: Digest::of(&lock),
        time: &instant(build.time),
    };
    let payload = bytes(&statement(&made, artifacts))?;
    let name = format!("locard-{}.intoto.json", build.version);
    let mut files = vec![Artifact { name: name.clone(), bytes: payload.clone() }];
    if let Some(key) = &options.sign {
        let signer = Signer::read(key).map_err(DistError::Key)?;
        let signature = signer.sign(&pre_authentication(&payload));
        let envelope = envelope(&payload, &signer.key_id(), &signature);
        files.push(Artifact { name: format!("{name}.dsse"), bytes: bytes(&envelope)? });
    }
    Ok(files)
}

/// The contents of a statement other than the files.
struct Made<'a> {
    version: &'a str,
    revision: Option<&'a str>,
    changed: bool,
    targets: &'a [&'a str],
    rustc: &'a str,
    lock: Digest,
    time: &'a str,
}

fn statement(made: &Made<'_>, artifacts: &[Artifact]) -> Value {
    let subject = |artifact: &Artifact| json!({"name": artifact.name, "digest": {"sha256": Digest::of(&artifact.bytes)}});
    let mut materials = vec![json!({"name": "Cargo.lock", "digest": {"sha256": made.lock}})];
    if let Some(revision) = made.revision {
        materials.push(json!({"name": "source", "digest": {"gitCommit": revision}}));
    }
    json!({
        "_type": STATEMENT_TYPE,
        "subject": artifacts.iter().map(subject).collect::<Vec<_>>(),
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": {"version": made.version, "targets": made.targets},
                "internalParameters": {
                    "profile": PROFILE,
                    "rustc": made.rustc,
                    "sourceDate": made.time,
                    "sourceChanged": made.changed,
                },
                "resolvedDependencies": materials,
            },
            "runDetails": {"builder": {"id": BUILDER}},
        },
    })
}

fn bytes(value: &Value) -> Result<Vec<u8>, DistError> {
    serde_json::to_vec(value).map_err(|source| DistError::Json { what: "the statement", source })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(revision: Option<&str>) -> Value {
        let artifact = Artifact { name: "SHA256SUMS".to_owned(), bytes: b"abc".to_vec() };
        let made = Made {
            version: "1.2.3",
            revision,
            changed: false,
            targets: &["x86_64-unknown-linux-musl"],
            rustc: "rustc 1.0.0",
            lock: Digest::of(b"lock"),
            time: "2026-01-01T00:00:00Z",
        };
        statement(&made, &[artifact])
    }

    #[test]
    fn the_statement_names_each_file_by_its_hash_and_what_it_was_made_from() {
        let statement = made(Some("0123"));
        assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
        let subject = &statement["subject"][0];
        assert_eq!(subject["name"], "SHA256SUMS");
        assert_eq!(
            subject["digest"]["sha256"],
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        let definition = &statement["predicate"]["buildDefinition"];
        assert_eq!(definition["resolvedDependencies"][1]["digest"]["gitCommit"], "0123");
        assert!(statement["predicate"]["runDetails"]["builder"]["id"].is_string());
    }

    #[test]
    fn without_a_clone_no_commit_is_named() {
        let materials = made(None)["predicate"]["buildDefinition"]["resolvedDependencies"].clone();
        assert_eq!(materials.as_array().map(Vec::len), Some(1));
    }
}
