//! Builds a release: `cargo xtask dist` (`docs/releasing.md`).
//!
//! For each target there is a static program, an archive and a Debian package; in addition a list of their hashes, a bill of materials
//! and a statement of how they were built.
//! The same commit, toolchain and lock file give the same bytes: nothing that is packed has a time, owner or order from this machine.

mod ar;
mod archive;
mod bom;
mod build;
mod bundled;
mod deb;
mod error;
mod licences;
mod materials;
mod options;
mod packages;
mod pages;
mod statement;
mod tar;
mod target;

pub(crate) use error::DistError;
pub(crate) use options::{Options, USAGE};

use build::Build;
use ledger::Digest;
use materials::{Entry, Materials};
use std::fs;
use std::path::Path;
use target::Target;

/// A file of the release.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Artifact {
    name: String,
    bytes: Vec<u8>,
}

/// Builds a release; reports each file.
pub(crate) fn dist(options: &Options, root: &Path, tell: &mut dyn FnMut(&str)) -> Result<(), DistError> {
    let build = Build::new(root)?;
    build.check_tools(&options.targets)?;
    let mut artifacts = Vec::new();
    let mut programs = Vec::new();
    for target in &options.targets {
        tell(&format!("building {}", target.triple()));
        programs.push((*target, build.program(*target)?));
    }
    let written = pages::written(&build, &programs)?;
    for (target, program) in &programs {
        artifacts.extend(of_target(&build, *target, program, &written)?);
    }
    artifacts.push(sums(&artifacts));
    artifacts.extend(statement::signed(&build, options, &artifacts)?);
    write(&options.out, &artifacts, tell)
}

/// Builds the files of one target: the archive, the Debian package, the bill of materials.
fn of_target(
    build: &Build,
    target: Target,
    program: &Path,
    written: &[Entry],
) -> Result<Vec<Artifact>, DistError> {
    let packages = packages::linked(build, target)?;
    let bundled = bundled::bundled(build, target, &packages);
    let materials = Materials {
        version: build.version,
        target,
        time: build.time,
        program: fs::read(program).map_err(error::reading(program))?,
        written: written.to_vec(),
        licences: licences::third_party(&packages, &bundled),
        shipped: materials::shipped(&build.root)?,
    };
    Ok(vec![
        archive::archive(&materials)?,
        deb::package(&materials)?,
        bom::bom(build, target, &packages, &bundled)?,
    ])
}

/// Returns the hashes of the files in the format of `sha256sum --check`.
fn sums(artifacts: &[Artifact]) -> Artifact {
    let line = |artifact: &Artifact| format!("{}  {}\n", Digest::of(&artifact.bytes), artifact.name);
    let text: String = artifacts.iter().map(line).collect();
    Artifact { name: "SHA256SUMS".to_owned(), bytes: text.into_bytes() }
}

#[expect(clippy::disallowed_methods, reason = "writing the release is what this chore is for")]
fn write(folder: &Path, artifacts: &[Artifact], tell: &mut dyn FnMut(&str)) -> Result<(), DistError> {
    fs::create_dir_all(folder).map_err(error::writing(folder))?;
    for artifact in artifacts {
        let path = folder.join(&artifact.name);
        fs::write(&path, &artifact.bytes).map_err(error::writing(&path))?;
        tell(&format!("{:>10} bytes  {}", artifact.bytes.len(), path.display()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sums_are_those_that_sha256sum_checks() {
        let artifact = Artifact { name: "a.tar.gz".to_owned(), bytes: b"abc".to_vec() };
        let text = String::from_utf8(sums(&[artifact]).bytes).unwrap();
        assert_eq!(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a.tar.gz\n");
    }
}
