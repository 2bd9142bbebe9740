//! Use case: write a run in another tool's format (`exchange`).

use super::{ExportError, UNNAMED, archive_name, keep, unfinished_beside};
use crate::interrupt::Interrupt;
use crate::output_file::Overwrite;
use crate::regular::read_regular;
use crate::seal::{LONGEST_MANIFEST, MANIFEST, Manifest, ManifestError, read_manifest};
use crate::shown::{Shown, Wording, show_run};
use crate::techniques::techniques;
use crate::verify::Signer;
use exchange::{LeftOut, Sealed, Subject, Written};
use ledger::Digest;
use redact::Profile;
use serde::Serialize;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A format of another tool.
#[derive(Debug)]
pub enum Conversion {
    /// Timesketch JSON lines.
    Timesketch,
    /// CASE and UCO 1.5.0 as JSON-LD.
    CaseUco,
    /// A STIX 2.1 bundle.
    Stix,
    /// A table with one row for each fact.
    CsvFacts,
    /// A table with one row for each time.
    CsvTimeline,
    /// A layer for the ATT&CK Navigator.
    Navigator,
    /// An in-toto statement about the sealed run, in a DSSE envelope.
    InToto {
        /// The key that signs it; an envelope must have a signature.
        signer: Box<Signer>,
        /// Further files that the statement covers.
        files: Vec<PathBuf>,
    },
}

impl Conversion {
    /// Returns the suffix of a file in this format, which follows the name of the run.
    pub const fn suffix(&self) -> &'static str {
        match self {
            Conversion::Timesketch => "timesketch.jsonl",
            Conversion::CaseUco => "case.jsonld",
            Conversion::Stix => "stix.json",
            Conversion::CsvFacts => "facts.csv",
            Conversion::CsvTimeline => "timeline.csv",
            Conversion::Navigator => "navigator.json",
            Conversion::InToto { .. } => "intoto.json",
        }
    }
}

/// What to write.
#[derive(Debug)]
pub struct ConvertRequest {
    /// The run folder.
    pub folder: PathBuf,
    /// The format.
    pub conversion: Conversion,
    /// Whether to write a run that is not sealed; a statement always requires a sealed run.
    pub unsealed: bool,
    /// An ATT&CK bundle (`enterprise-attack.json`) that provides names and tactics; `None` uses the shipped ones.
    pub attack: Option<PathBuf>,
    /// What to withhold; `None` withholds nothing.
    pub redact: Option<Profile>,
    /// The language of the sentences, and whether the agents' comments are written.
    pub wording: Wording,
    /// Stops the writing; no file is left behind.
    pub interrupt: Interrupt,
}

/// The result of writing.
#[derive(Debug, Clone, Serialize)]
pub struct Converted {
    /// The name of the run.
    pub run: String,
    /// Whether the run is sealed.
    pub sealed: bool,
    /// The last link of the run's chain.
    pub head: Digest,
    /// The number of rows, lines or objects.
    pub items: u64,
    /// Times of facts that the format cannot represent.
    pub left_out: LeftOut,
    /// The number of bytes.
    pub bytes: u64,
}

/// Returns the default name of the file: the run's name from its log, with the format's suffix.
///
/// For a redacted run it is `redacted` with the suffix, because the name of a run contains that of its case.
pub fn converted_name(request: &ConvertRequest) -> String {
    let archive = archive_name(&request.folder);
    let name = if request.redact.is_some() { "redacted" } else { archive.trim_end_matches(".tar") };
    format!("{name}.{}", request.conversion.suffix())
}

/// Writes the run into the file `to`, which is either written completely or not at all.
///
/// # Errors
///
/// Fails if the run cannot be read, is unsealed and that was not requested, or the file cannot be written.
pub fn convert_file(
    request: &ConvertRequest,
    to: &Path,
    overwrite: Overwrite,
) -> Result<Converted, ExportError> {
    let unfinished = unfinished_beside(to, overwrite)?;
    let ready = Ready::of(request)?;
    keep(to, overwrite, unfinished.path(), |out| ready.write(request, out))
}

/// Writes the run into `out`.
///
/// # Errors
///
/// Fails like [`convert_file`], or if `out` cannot be written.
pub fn convert_to(request: &ConvertRequest, out: &mut dyn Write) -> Result<Converted, ExportError> {
    Ready::of(request)?.write(request, out)
}

/// A run that is ready to be written: it is read, and agrees with its manifest.
struct Ready {
    loaded: Shown,
    manifest: Option<(Manifest, Digest)>,
}

impl Ready {
    fn of(request: &ConvertRequest) -> Result<Ready, ExportError> {
        let folder = || request.folder.clone();
        let manifest = manifest(&request.folder)?;
        if manifest.is_none() && matches!(request.conversion, Conversion::InToto { .. }) {
            return Err(ExportError::Unfinished { folder: folder() });
        }
        let loaded = show_run(&request.folder, request.redact.as_ref(), request.wording);
        let loaded = loaded.map_err(|error| ExportError::Show(Box::new(error)))?;
        let found = loaded.head;
        let expected = manifest.as_ref().map(|(manifest, _)| manifest.head);
        if loaded.run.sealed.is_some() != expected.is_some() || expected.is_some_and(|head| head != found) {
            return Err(ExportError::Seal { folder: folder(), expected, found });
        }
        match manifest.is_some() || request.unsealed {
            true => Ok(Ready { loaded, manifest }),
            false => Err(ExportError::Unsealed { folder: folder() }),
        }
    }

    fn write(&self, request: &ConvertRequest, out: &mut dyn Write) -> Result<Converted, ExportError> {
        let mut out = Counted { out: BufWriter::new(out), bytes: 0, interrupt: &request.interrupt };
        let run = &self.loaded.run;
        let attack = techniques(request.attack.as_deref())?;
        let written = match &request.conversion {
            Conversion::Timesketch => exchange::timesketch(run, &attack, &mut out),
            Conversion::CaseUco => exchange::case_uco(run, &attack, &mut out),
            Conversion::Stix => exchange::stix(run, &attack, &mut out),
            Conversion::CsvFacts => exchange::facts_csv(run, &attack, &mut out),
            Conversion::CsvTimeline => exchange::timeline_csv(run, &attack, &mut out),
            Conversion::Navigator => one(&report::navigator_layer(run, &attack), &mut out),
            Conversion::InToto { signer, files } => one(&self.envelope(request, signer, files)?, &mut out),
        };
        let written = written.and_then(|written| out.flush().map(|()| written));
        let written = written.map_err(|source| match request.interrupt.is_interrupted() {
            true => ExportError::Interrupted { folder: request.folder.clone() },
            false => ExportError::Output(source),
        })?;
        let name = if run.name().is_empty() { UNNAMED } else { run.name() };
        Ok(Converted {
            run: name.to_owned(),
            sealed: self.manifest.is_some(),
            head: self.loaded.head,
            items: written.items,
            left_out: written.left_out,
            bytes: out.bytes,
        })
    }

    fn envelope(
        &self,
        request: &ConvertRequest,
        signer: &Signer,
        files: &[PathBuf],
    ) -> Result<serde_json::Value, ExportError> {
        let Some((manifest, digest)) = &self.manifest else {
            return Err(ExportError::Unfinished { folder: request.folder.clone() });
        };
        let subjects = files.iter().map(|path| subject(path)).collect::<Result<Vec<_>, _>>()?;
        let sealed = Sealed {
            head: self.loaded.head,
            manifest: *digest,
            events: self.loaded.events,
            payloads: manifest.payloads,
        };
        let statement = exchange::statement(&self.loaded.run, &sealed, &subjects);
        let statement = statement.map_err(ExportError::Statement)?;
        let signature = signer.sign(&exchange::pre_authentication(&statement));
        Ok(exchange::envelope(&statement, &signer.key_id(), &signature))
    }
}

/// Writes one JSON value.
fn one(value: &serde_json::Value, out: &mut impl Write) -> io::Result<Written> {
    exchange::write_json(out, value)?;
    out.write_all(b"\n")?;
    Ok(Written { items: 1, ..Written::default() })
}

/// Returns the manifest and the digest of its bytes; `None` if the run was not sealed.
fn manifest(folder: &Path) -> Result<Option<(Manifest, Digest)>, ExportError> {
    let failed = |source| ExportError::Manifest { folder: folder.to_owned(), source };
    let Some(manifest) = read_manifest(folder).map_err(failed)? else { return Ok(None) };
    let path = folder.join(MANIFEST);
    let bytes = read_regular(&path, LONGEST_MANIFEST)
        .map_err(|source| failed(ManifestError::File { path, source }))?;
    Ok(Some((manifest, Digest::of(&bytes))))
}

fn subject(path: &Path) -> Result<Subject, ExportError> {
    let bytes =
        std::fs::read(path).map_err(|source| ExportError::Subject { path: path.to_owned(), source })?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Ok(Subject { name, sha256: Digest::of(&bytes) })
}

/// A writer that counts bytes and can be interrupted.
struct Counted<'i, W> {
    out: W,
    bytes: u64,
    interrupt: &'i Interrupt,
}

impl<W: Write> Write for Counted<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.interrupt.is_interrupted() {
            // This is not `ErrorKind::Interrupted`, because `write_all` would retry.
            return Err(io::Error::other("interrupted"));
        }
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
