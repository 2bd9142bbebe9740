//! Use case: write the report of a run as one HTML file, with the proof of each fact and the result of a verification.

use crate::open::OpenRunError;
use crate::shown::{ShowError, Wording, show_run};
use crate::techniques::{TechniquesError, techniques};
use crate::verify::{Certificate, Standing, verify};
use ledger::Digest;
use redact::Profile;
use report::html::{Material, Verified, VerifiedLevel, page};
use std::path::Path;
use store::Reader;
use thiserror::Error;

/// Why the page cannot be made.
#[derive(Debug, Error)]
pub enum ReportPageError {
    /// The run cannot be read, or cannot be shown without the withheld values.
    #[error("open the run")]
    Show(#[source] ShowError),
    /// The techniques cannot be loaded.
    #[error(transparent)]
    Techniques(#[from] TechniquesError),
}

/// Returns the page of the run in `folder`, without what `profile` withholds. With a `bundle` (`enterprise-attack.json`), names and
/// tactics of ATT&CK come from it.
///
/// A missing or damaged output removes its proofs from the page, which says so;
/// the verification on the page reports any other problem of the run.
///
/// # Errors
///
/// Fails if the run cannot be shown, or the techniques cannot be loaded.
pub fn report_page(
    folder: &Path,
    bundle: Option<&Path>,
    profile: Option<&Profile>,
    wording: Wording,
) -> Result<String, ReportPageError> {
    let shown = show_run(folder, profile, wording).map_err(ReportPageError::Show)?;
    let attack = techniques(bundle)?;
    let verified = verified(&verify(folder), &|text| shown.told(text));
    let reader = Reader::open(folder).map_err(|source| {
        let error = OpenRunError::Open { folder: folder.to_owned(), source: Box::new(source) };
        ReportPageError::Show(ShowError::Open(Box::new(error)))
    })?;
    let outputs = |digest: &Digest| shown.output(&reader, digest);
    Ok(page(&shown.run, &Material { outputs: &outputs, attack: &attack, verified: Some(&verified) }))
}

fn verified(certificate: &Certificate, told: &dyn Fn(&str) -> String) -> Verified {
    let levels = certificate.levels.iter().map(|reach| VerifiedLevel {
        name: reach.level.to_string(),
        holds: match reach.standing {
            Standing::Reached => Some(true),
            Standing::NotReached => Some(false),
            Standing::NotExamined => None,
        },
        because: reach.because.as_deref().map(told),
    });
    Verified {
        head: certificate.head.map(|head| head.to_string()),
        levels: levels.collect(),
        findings: certificate.findings.iter().map(|it| (told(&it.place), told(&it.what))).collect(),
    }
}
