//! Use case: the report of a run as one HTML file, with the proof of each fact and what a verification says.

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

/// Why there is no page.
#[derive(Debug, Error)]
pub enum ReportPageError {
    /// The run cannot be read, or not be shown without what is withheld.
    #[error("open the run")]
    Show(#[source] ShowError),
    /// There are no techniques to tell it with.
    #[error(transparent)]
    Techniques(#[from] TechniquesError),
}

/// The page of the run in `folder`, without what `profile` withholds; names and tactics of ATT&CK are those of the bundle, where one is given (`enterprise-attack.json`).
///
/// An output that is missing or damaged costs the proofs that stand in it, which the page says; what else is wrong with the run, the verification tells on the page.
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
