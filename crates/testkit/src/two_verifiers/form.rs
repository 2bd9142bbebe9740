//! The two forms of a run, and fresh copies of them.

use super::log::Log;
use super::programs::Programs;
use crate::tamper::write;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The form in which a copy is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As sealed: most payloads are compressed.
    Stored,
    /// As written by `locard export --plain`.
    Plain,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Form::Stored => "as sealed",
            Form::Plain => "plain",
        })
    }
}

/// A run to tamper with.
pub(super) struct Subject {
    stored: PathBuf,
    plain: PathBuf,
    log: Log,
    head: String,
    said: Vec<Vec<u8>>,
}

impl Subject {
    /// Prepares a sealed run; both verifiers must accept it before it is changed.
    pub(super) fn new(programs: &Programs, run: &Path, place: &Path) -> io::Result<Subject> {
        let (stored, plain) = (place.join("stored"), place.join("plain"));
        copy(run, &stored)?;
        let Some(exported) = exported(programs, &stored, &place.join("exported"))? else {
            return Err(io::Error::other(format!("{}: export refuses it", run.display())));
        };
        copy(&exported, &plain)?;
        let (verified, scripted) = (programs.verify(&plain, None)?, programs.script(&plain)?);
        if !verified.passes() || !scripted.passes() {
            let told = format!("{}: untouched: {verified}; {}", run.display(), scripted.said());
            return Err(io::Error::other(told));
        }
        let log = Log::read(&plain)?;
        let head = log.manifest("head").ok_or_else(|| io::Error::other("a manifest without a head"))?;
        let said = programs.said(&plain)?;
        Ok(Subject { stored, plain, log, head, said })
    }

    /// Replaces what is at `copy` by a fresh, writable copy.
    pub(super) fn renew(&self, form: Form, copy: &Path) -> io::Result<()> {
        self::copy(if form == Form::Plain { &self.plain } else { &self.stored }, copy)
    }

    pub(super) fn log(&self) -> Log {
        self.log.clone()
    }

    pub(super) fn head(&self) -> &str {
        &self.head
    }

    pub(super) fn said(&self) -> &Vec<Vec<u8>> {
        &self.said
    }
}

fn copy(run: &Path, copy: &Path) -> io::Result<()> {
    remove(copy)?;
    std::fs::create_dir_all(copy)?;
    for name in ["run.db", "manifest.json"] {
        write(&copy.join(name), &std::fs::read(run.join(name))?)?;
    }
    Ok(())
}

fn remove(folder: &Path) -> io::Result<()> {
    if folder.exists() { std::fs::remove_dir_all(folder) } else { Ok(()) }
}

/// Unpacks the run into `place`, as `locard export --plain` packs it; `None` if export refuses.
pub(super) fn exported(programs: &Programs, run: &Path, place: &Path) -> io::Result<Option<PathBuf>> {
    remove(place)?;
    std::fs::create_dir_all(place)?;
    let archive = place.join("archive.tar");
    if !programs.export(run, &archive)? {
        return Ok(None);
    }
    let (bytes, folder) = (std::fs::read(&archive)?, place.join("run"));
    std::fs::create_dir(&folder)?;
    for (name, content) in members(&bytes) {
        if let Some(name) = Path::new(&name).file_name() {
            write(&folder.join(name), content)?;
        }
    }
    Ok(Some(folder))
}

/// The size of a tar block.
const BLOCK: usize = 512;

/// Returns the names and contents of the files in a ustar archive.
fn members(archive: &[u8]) -> Vec<(String, &[u8])> {
    let (mut members, mut rest) = (Vec::new(), archive);
    while let Some((header, behind)) = rest.split_at_checked(BLOCK) {
        let text = |from: usize, to: usize| {
            let field = header.get(from..to).unwrap_or_default();
            let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
            String::from_utf8_lossy(field.get(..end).unwrap_or_default()).trim().to_owned()
        };
        let size = usize::from_str_radix(&text(124, 136), 8).unwrap_or(0);
        if header.get(156) == Some(&b'0') {
            members.push((text(0, 100), behind.get(..size).unwrap_or_default()));
        }
        rest = behind.get(size.next_multiple_of(BLOCK)..).unwrap_or_default();
    }
    members
}
