//! Writing a certificate, its signature and a request for a timestamp where whoever verifies wants them kept.

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
    /// The certificate's file.
    pub certificate: PathBuf,
    /// Who signs it: the signature goes into a file beside it.
    pub signer: Option<Signer>,
    /// The file of a request for a timestamp over it.
    pub timestamp_request: Option<PathBuf>,
    /// Whether files that are there are written over.
    pub overwrite: Overwrite,
}

/// Why a certificate is not kept.
#[derive(Debug, Error)]
pub enum KeepError {
    /// It cannot be written.
    #[error(transparent)]
    File(#[from] OutputFileError),
    /// It would lie in the evidence, which is never written.
    #[error("write {}: it lies inside the evidence {}, which is never written", path.display(), evidence.display())]
    InsideEvidence {
        /// The file.
        path: PathBuf,
        /// The evidence.
        evidence: PathBuf,
    },
    /// It cannot be put into JSON.
    #[error("write the certificate")]
    Encode(#[source] serde_json::Error),
}

/// Writes what `keep` asks for; nothing where one of the files cannot be written there.
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
