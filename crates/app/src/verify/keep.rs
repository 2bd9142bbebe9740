//! Writes a certificate, its signature and a timestamp request to the requested files.

use super::certificate::Certificate;
use super::signature::{Signer, beside};
use super::timestamp::timestamp_request;
use crate::output_file::{OutputFileError, Overwrite, room_for, write_output};
use crate::outside_evidence::evidence_around;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What to write.
#[derive(Debug)]
pub struct Keep {
    /// The file of the certificate.
    pub certificate: PathBuf,
    /// The signing key; the signature goes into a file next to the certificate.
    pub signer: Option<Signer>,
    /// The file of a timestamp request for the certificate.
    pub timestamp_request: Option<PathBuf>,
    /// Whether existing files are overwritten.
    pub overwrite: Overwrite,
}

/// Why a certificate cannot be kept.
#[derive(Debug, Error)]
pub enum KeepError {
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] OutputFileError),
    /// A file would be inside the evidence, which is never written.
    #[error("write {}: it lies inside the evidence {}, which is never written", path.display(), evidence.display())]
    InsideEvidence {
        /// The file.
        path: PathBuf,
        /// The evidence.
        evidence: PathBuf,
    },
    /// The certificate cannot be serialised as JSON.
    #[error("write the certificate")]
    Encode(#[source] serde_json::Error),
}

/// Writes the files that `keep` requests. All paths are checked before the first file is written.
///
/// # Errors
///
/// Fails if a file may not be written at its path, or cannot be written.
pub fn keep_certificate(certificate: &Certificate, keep: &Keep) -> Result<(), KeepError> {
    let bytes = certificate.to_bytes().map_err(KeepError::Encode)?;
    let mut files = vec![(keep.certificate.clone(), bytes.clone())];
    if let Some(signer) = &keep.signer {
        files.push((beside(&keep.certificate), signer.sign(&bytes).to_vec()));
    }
    if let Some(path) = &keep.timestamp_request {
        files.push((path.clone(), timestamp_request(&bytes)));
    }
    for (path, _) in &files {
        refuse(path, &certificate.evidence_paths, keep.overwrite)?;
    }
    let write = |(path, bytes): &(PathBuf, Vec<u8>)| write_output(path, keep.overwrite, bytes);
    Ok(files.iter().try_for_each(write)?)
}

fn refuse(path: &Path, evidence: &[PathBuf], overwrite: Overwrite) -> Result<(), KeepError> {
    room_for(path, overwrite)?;
    let evidence: Vec<PathBuf> =
        evidence.iter().map(|it| it.canonicalize().unwrap_or_else(|_| it.clone())).collect();
    match evidence_around(path, evidence.iter().map(PathBuf::as_path)) {
        Some(evidence) => {
            Err(KeepError::InsideEvidence { path: path.to_owned(), evidence: evidence.to_owned() })
        }
        None => Ok(()),
    }
}
