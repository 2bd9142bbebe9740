//! Manual pages and completions, written by the program itself.

use super::build::{self, Build};
use super::materials::Entry;
use super::target::Target;
use super::{DistError, error};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

/// The paths of completions, and their shells.
const COMPLETIONS: [(&str, &str); 3] = [
    ("completions/locard.bash", "bash"),
    ("completions/_locard", "zsh"),
    ("completions/locard.fish", "fish"),
];

/// Returns the pages (`man/`) and completions (`completions/`), which are the same for every target.
///
/// They are written by the first program that runs on this machine, or by one that is built for it.
pub(super) fn written(build: &Build, programs: &[(Target, PathBuf)]) -> Result<Vec<Entry>, DistError> {
    let native = programs.iter().find(|(target, _)| target.is_native());
    let locard = |arguments: &[&OsStr]| -> Result<String, DistError> {
        let arguments: Vec<_> = arguments.iter().filter_map(|argument| argument.to_str()).collect();
        match native {
            Some((_, program)) => build::output(program, &arguments, &build.root),
            None => {
                let cargo = ["run", "--quiet", "--locked", "--package", "cli", "--"];
                build::output("cargo", &[&cargo[..], &arguments[..]].concat(), &build.root)
            }
        }
    };
    let folder = tempfile::tempdir().map_err(error::writing(&std::env::temp_dir()))?;
    locard(&[OsStr::new("man"), folder.path().as_os_str()])?;
    let mut entries = pages(folder.path())?;
    for (path, shell) in COMPLETIONS {
        let mut script = locard(&[OsStr::new("completions"), OsStr::new(shell)])?.into_bytes();
        script.push(b'\n');
        entries.push(Entry::plain(path, script));
    }
    Ok(entries)
}

fn pages(folder: &Path) -> Result<Vec<Entry>, DistError> {
    let mut names: Vec<OsString> = Vec::new();
    for entry in fs::read_dir(folder).map_err(error::reading(folder))? {
        names.push(entry.map_err(error::reading(folder))?.file_name());
    }
    names.sort();
    let page = |name: &OsString| {
        let path = folder.join(name);
        let bytes = fs::read(&path).map_err(error::reading(&path))?;
        Ok(Entry::plain(&format!("man/{}", name.to_string_lossy()), bytes))
    };
    names.iter().map(page).collect()
}
