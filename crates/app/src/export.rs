//! Use cases: pack a run into one archive that verifies and replays elsewhere, or write it in another tool's format.
//!
//! The archive holds one folder: the run's rows written anew (`store::export`), its manifest unchanged, its signature if there is one,
//! and a text that describes the archive.
//! The archive does not depend on when, where or by whom it was packed.

mod convert;
mod ustar;

use crate::interrupt::Interrupt;
use crate::output_file::{OutputFileError, Overwrite, beside, fill_output, room_for};
use crate::regular::read_regular;
use crate::seal::{LONGEST_MANIFEST, MANIFEST, ManifestError, read_manifest};
use crate::shown::ShowError;
use crate::techniques::TechniquesError;
use crate::verify::{LONGEST_SIGNATURE, signature_path};
use ledger::Digest;
use serde::Serialize;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use store::{Bodies, FILE_NAME, Reader};
use tempfile::TempDir;
use thiserror::Error;
use ustar::{Archive, EntryError};

pub use convert::{Conversion, ConvertRequest, Converted, convert_file, convert_to, converted_name};

/// What to export.
#[derive(Debug)]
pub struct ExportRequest {
    /// The run folder.
    pub folder: PathBuf,
    /// Whether to pack a run that is not sealed.
    pub unsealed: bool,
    /// How to store its payloads.
    pub bodies: Bodies,
    /// Stops the packing; no file is left behind.
    pub interrupt: Interrupt,
}

/// The archive that was packed.
#[derive(Debug, Clone, Serialize)]
pub struct Packed {
    /// The name of the run, and of the folder in the archive.
    pub run: String,
    /// Whether the run is sealed.
    pub sealed: bool,
    /// The last link of the run's chain.
    pub head: Digest,
    /// The number of events.
    pub events: u64,
    /// The number of stored outputs and replies.
    pub payloads: u64,
    /// The size of the archive in bytes.
    pub bytes: u64,
}

/// Why a run was not packed.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The rows of the run cannot be rewritten.
    #[error("pack the run {}", folder.display())]
    Rows {
        /// The run folder.
        folder: PathBuf,
        /// The cause, with its position.
        #[source]
        source: Box<store::ExportError>,
    },
    /// The manifest cannot be read.
    #[error("pack the run {}", folder.display())]
    Manifest {
        /// The run folder.
        folder: PathBuf,
        /// The cause.
        #[source]
        source: ManifestError,
    },
    /// The run is not sealed, and an unsealed run was not requested.
    #[error("pack the run {}: it is not sealed", folder.display())]
    Unsealed {
        /// The run folder.
        folder: PathBuf,
    },
    /// The manifest and the log disagree about the seal.
    #[error("pack the run {}: {MANIFEST} and the log do not agree about the seal: expected the head {expected:?}, found {found}", folder.display())]
    Seal {
        /// The run folder.
        folder: PathBuf,
        /// The head in the manifest; `None` if the log is sealed but there is no manifest.
        expected: Option<Digest>,
        /// The last link of the log.
        found: Digest,
    },
    /// The name of the run is too long for a folder of the archive.
    #[error("pack the run {}: expected a name of at most {} characters, found {found:?}", folder.display(), ustar::LONGEST_FOLDER)]
    Name {
        /// The run folder.
        folder: PathBuf,
        /// The name.
        found: String,
    },
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] OutputFileError),
    /// The archive cannot be written.
    #[error("write the archive {}", path.display())]
    Write {
        /// The file, or the folder of unfinished files.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// The archive cannot be written to the output stream.
    #[error("write the archive")]
    Output(#[source] io::Error),
    /// The run cannot be read, or cannot be shown without the withheld values.
    #[error(transparent)]
    Show(Box<ShowError>),
    /// The run is not sealed; a statement must be about a sealed run.
    #[error("write a statement about the run {}: it is not sealed", folder.display())]
    Unfinished {
        /// The run folder.
        folder: PathBuf,
    },
    /// A file that the statement should cover cannot be read.
    #[error("digest {}", path.display())]
    Subject {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// The techniques cannot be loaded.
    #[error(transparent)]
    Techniques(#[from] TechniquesError),
    /// The statement cannot be serialised as JSON.
    #[error("write the statement")]
    Statement(#[source] serde_json::Error),
    /// The export was interrupted.
    #[error("pack the run {}: it was interrupted", folder.display())]
    Interrupted {
        /// The run folder.
        folder: PathBuf,
    },
}

/// Returns the default name of a run's archive, `<run>.tar`, with the name from the run's log.
pub fn archive_name(folder: &Path) -> String {
    let first = Reader::open(folder).ok().and_then(|reader| reader.events().next());
    let run = first.and_then(Result::ok).and_then(|(_, _, circumstance)| circumstance.run);
    format!("{}.tar", run.as_ref().map_or(UNNAMED, |run| run.as_str()))
}

/// Packs the run into the file `to`, which is either written completely or not at all.
///
/// # Errors
///
/// Fails if the run cannot be read, is unsealed and that was not requested, or the file cannot be written.
pub fn export_file(request: &ExportRequest, to: &Path, overwrite: Overwrite) -> Result<Packed, ExportError> {
    let rows = Rows::write(request, unfinished_beside(to, overwrite)?)?;
    keep(to, overwrite, rows.unfinished.path(), |out| rows.pack(request, out))
}

/// Makes a folder for unfinished files next to `to`.
fn unfinished_beside(to: &Path, overwrite: Overwrite) -> Result<TempDir, ExportError> {
    room_for(to, overwrite)?;
    let made = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(beside(to));
    Ok(made.map_err(|source| OutputFileError::Write { path: to.to_owned(), source })?)
}

/// Fills a file in `unfinished` and moves it to `to`.
fn keep<T>(
    to: &Path,
    overwrite: Overwrite,
    unfinished: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<T, ExportError>,
) -> Result<T, ExportError> {
    fill_output(to, overwrite, unfinished, |out| {
        fill(out).map_err(|error| match error {
            ExportError::Output(source) => OutputFileError::Write { path: to.to_owned(), source }.into(),
            error => error,
        })
    })
}

/// The name of a run whose log has none.
const UNNAMED: &str = "run";

/// The prefix of the folders for unfinished archives.
const UNFINISHED: &str = ".locard-export-";

/// Packs the run into `out`; unfinished files are kept in `scratch` meanwhile.
///
/// # Errors
///
/// Fails like [`export_file`], or if `scratch` or `out` cannot be written.
pub fn export_to(
    request: &ExportRequest,
    scratch: &Path,
    out: &mut dyn Write,
) -> Result<Packed, ExportError> {
    let failed = |source| ExportError::Write { path: scratch.to_owned(), source };
    std::fs::create_dir_all(scratch).map_err(failed)?;
    let unfinished = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(scratch).map_err(failed)?;
    Rows::write(request, unfinished)?.pack(request, out)
}

/// The run's rows in their new file, and the other contents of the archive.
struct Rows {
    unfinished: TempDir,
    run: String,
    exported: store::Exported,
    /// The unchanged manifest; `None` if the run is not sealed.
    manifest: Option<Vec<u8>>,
    /// The signature of the manifest, if there is one.
    signature: Option<Vec<u8>>,
}

impl Rows {
    fn write(request: &ExportRequest, unfinished: TempDir) -> Result<Rows, ExportError> {
        let folder = || request.folder.clone();
        let manifest = read_manifest(&request.folder)
            .map_err(|source| ExportError::Manifest { folder: folder(), source })?;
        if manifest.is_none() && !request.unsealed {
            // A log that cannot be opened is reported as such.
            let opened = Reader::open(&request.folder).map_err(store::ExportError::Open);
            opened.map_err(|source| ExportError::Rows { folder: folder(), source: Box::new(source) })?;
            return Err(ExportError::Unsealed { folder: folder() });
        }
        let go_on = || !request.interrupt.is_interrupted();
        let exported =
            store::export(&request.folder, &unfinished.path().join(FILE_NAME), request.bodies, &go_on);
        let exported = exported.map_err(|source| match source {
            store::ExportError::Interrupted => ExportError::Interrupted { folder: folder() },
            source => ExportError::Rows { folder: folder(), source: Box::new(source) },
        })?;
        let head = manifest.as_ref().map(|manifest| manifest.head);
        if exported.sealed != head.is_some() || head.is_some_and(|head| head != exported.head) {
            return Err(ExportError::Seal { folder: folder(), expected: head, found: exported.head });
        }
        let path = request.folder.join(MANIFEST);
        let manifest = head.map(|_| read_regular(&path, LONGEST_MANIFEST)).transpose();
        let manifest = manifest.map_err(|source| {
            let source = ManifestError::File { path: path.clone(), source };
            ExportError::Manifest { folder: folder(), source }
        })?;
        let run = exported.run.as_ref().map_or(UNNAMED, |run| run.as_str()).to_owned();
        match run.len() <= ustar::LONGEST_FOLDER {
            true => {
                let signature = manifest.as_ref().and_then(|_| signature_beside(&path));
                Ok(Rows { unfinished, run, exported, manifest, signature })
            }
            false => Err(ExportError::Name { folder: folder(), found: run }),
        }
    }

    /// Writes the archive, beginning with the text that describes it.
    fn pack(&self, request: &ExportRequest, out: &mut dyn Write) -> Result<Packed, ExportError> {
        let mut archive = Archive::new(out, &self.run);
        let (readme, path) = (self.readme(), self.unfinished.path().join(FILE_NAME));
        let rows = |source| ExportError::Write { path: path.clone(), source };
        let output = |error| match error {
            EntryError::Output(source) => ExportError::Output(source),
            EntryError::Input(source) => ExportError::Write { path: path.clone(), source },
        };
        archive.entry("README.txt", 0o444, readme.len() as u64, &mut readme.as_bytes()).map_err(output)?;
        if let Some(manifest) = &self.manifest {
            let length = manifest.len() as u64;
            archive.entry(MANIFEST, 0o444, length, &mut manifest.as_slice()).map_err(output)?;
        }
        if let Some(signature) = &self.signature {
            let (name, length) = (format!("{MANIFEST}.sig"), signature.len() as u64);
            archive.entry(&name, 0o444, length, &mut signature.as_slice()).map_err(output)?;
        }
        let file = File::open(&path).map_err(rows)?;
        let length = file.metadata().map_err(rows)?.len();
        // Whoever unpacks an unsealed run may resume it, so its log must be writable.
        let mode = if self.manifest.is_some() { 0o444 } else { 0o644 };
        let mut watched = Watched { file, interrupt: &request.interrupt };
        archive.entry(FILE_NAME, mode, length, &mut watched).map_err(|error| match error {
            EntryError::Input(error) if error.kind() == io::ErrorKind::Interrupted => {
                ExportError::Interrupted { folder: request.folder.clone() }
            }
            error => output(error),
        })?;
        let bytes = archive.end().map_err(ExportError::Output)?;
        let store::Exported { sealed, head, events, payloads, .. } = self.exported;
        Ok(Packed { run: self.run.clone(), sealed, head, events, payloads, bytes })
    }

    fn readme(&self) -> String {
        let store::Exported { sealed, head, events, payloads, .. } = &self.exported;
        let (run, unsealed) = (&self.run, if *sealed { "" } else { " --unsealed" });
        let (sealed, manifest) = match sealed {
            true => (
                "yes",
                "manifest.json  what was sealed: the head of the chain; versions of tools, rules, agents\n",
            ),
            false => ("no: the run broke off, was interrupted, or was under way", ""),
        };
        format!(
            "\
This folder is a run of Locard: one investigation of one case, as it was recorded.

run       {run}
sealed    {sealed}
events    {events}
payloads  {payloads}
head      {head}

run.db         every event, every reply of a model and every output of a tool (SQLite)
{manifest}
To check it, without evidence, model or key:

    locard verify {run}{unsealed}
    locard replay {run}

Nobody inside this folder vouches for the head: compare it with one that was kept elsewhere.
Packed again, the same run gives the same archive, byte for byte, by the same version of Locard.
"
        )
    }
}

/// Returns the signature of a file; `None` if no file of acceptable length is there.
fn signature_beside(path: &Path) -> Option<Vec<u8>> {
    read_regular(&signature_path(path), LONGEST_SIGNATURE).ok()
}

/// A file whose reading can be interrupted.
struct Watched<'i> {
    file: File,
    interrupt: &'i Interrupt,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.interrupt.is_interrupted() {
            true => Err(io::ErrorKind::Interrupted.into()),
            false => self.file.read(buffer),
        }
    }
}
