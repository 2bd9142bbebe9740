//! The arguments of `cargo xtask dist`.

use super::DistError;
use super::target::{TARGETS, Target};
use std::path::{Path, PathBuf};

/// The usage text.
pub(crate) const USAGE: &str = "usage: cargo xtask dist [--target TARGET]... [--out FOLDER] [--sign KEY]\n  \
    --target  x86_64-unknown-linux-musl or aarch64-unknown-linux-musl; without it: this machine's\n  \
    --out     where the files are put; without it: target/dist-files\n  \
    --sign    an ed25519 key (PEM, PKCS#8) that signs the statement about the files";

/// The options for building a release.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub(super) targets: Vec<Target>,
    pub(super) out: PathBuf,
    pub(super) sign: Option<PathBuf>,
}

impl Options {
    /// Parses the arguments after `dist`.
    pub(crate) fn read(arguments: Vec<String>, root: &Path) -> Result<Options, DistError> {
        let mut options = Options { targets: Vec::new(), out: root.join("target/dist-files"), sign: None };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let Some(value) = arguments.next() else { return Err(DistError::Option { argument }) };
            match argument.as_str() {
                "--target" => options.add(Target::named(&value).ok_or(DistError::Target { name: value })?),
                "--out" => options.out = value.into(),
                "--sign" => options.sign = Some(value.into()),
                _ => return Err(DistError::Option { argument }),
            }
        }
        if options.targets.is_empty() {
            options.targets.extend(TARGETS.into_iter().filter(|target| target.is_native()));
        }
        Ok(options)
    }

    fn add(&mut self, target: Target) {
        if !self.targets.contains(&target) {
            self.targets.push(target);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[&str]) -> Result<Options, DistError> {
        Options::read(arguments.iter().map(|&argument| argument.to_owned()).collect(), Path::new("/root"))
    }

    #[test]
    fn targets_are_those_named_once_each_or_this_machines() {
        let both = ["--target", "aarch64-unknown-linux-musl", "--target", "x86_64-unknown-linux-musl"];
        let targets = read(&[both, both].concat()).unwrap().targets;
        assert_eq!(targets, [Target::Aarch64, Target::X86_64]);
        assert!(read(&["--out", "o"]).unwrap().targets.iter().all(|target| target.is_native()));
    }

    #[test]
    fn what_is_not_understood_is_named() {
        for (arguments, named) in [
            (vec!["--target"], "--target"),
            (vec!["--target", "wasm32-unknown-unknown"], "wasm32-unknown-unknown"),
            (vec!["--fast", "yes"], "--fast"),
        ] {
            let told = read(&arguments).unwrap_err().to_string();
            assert!(told.contains(named) && told.contains("usage"), "{told}");
        }
    }
}
