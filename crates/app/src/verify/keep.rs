//! Writing a certificate, its signature and a request for a timestamp where whoever verifies wants them kept.

use super::certificate::Certificate;
use super::signature::{Signer, beside};
use super::timestamp::timestamp_request;
use crate::outside_evidence::evidence_around;
use std::fs::OpenOptions;
use std::io::{self, Write};
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
}

/// Why a certificate is not kept.
#[derive(Debug, Error)]
pub enum KeepError {
    /// Something stands where it would be written, and is never overwritten.
    #[error("write {}: it is there already", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// It would lie in the evidence, which is never written.
    #[error("write {}: it lies inside the evidence {}, which is never written", path.display(), evidence.display())]
    InsideEvidence {
        /// The file.
        path: PathBuf,
        /// The evidence.
        evidence: PathBuf,
    },
    /// It cannot be written.
    #[error("write {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
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
        refuse(path, &certificate.evidence_paths)?;
    }
    files.iter().try_for_each(|(path, bytes)| write(path, bytes))
}

fn refuse(path: &Path, evidence: &[PathBuf]) -> Result<(), KeepError> {
    if path.symlink_metadata().is_ok() {
        return Err(KeepError::Exists { path: path.to_owned() });
    }
    let evidence: Vec<PathBuf> =
        evidence.iter().map(|it| it.canonicalize().unwrap_or_else(|_| it.clone())).collect();
    match evidence_around(path, evidence.iter().map(PathBuf::as_path)) {
        Some(evidence) => {
            Err(KeepError::InsideEvidence { path: path.to_owned(), evidence: evidence.to_owned() })
        }
        None => Ok(()),
    }
}

/// Writes a file that is not there yet; once this returns it survives a loss of power.
fn write(path: &Path, bytes: &[u8]) -> Result<(), KeepError> {
    let opened = OpenOptions::new().write(true).create_new(true).open(path);
    let mut file = opened.map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => KeepError::Exists { path: path.to_owned() },
        _ => KeepError::Write { path: path.to_owned(), source },
    })?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(|source| {
        // Half a certificate is none; the first error is the one to be told.
        let _ = std::fs::remove_file(path);
        KeepError::Write { path: path.to_owned(), source }
    })
}
