//! Use case: the report of a run as one HTML file, with the proof of each fact and what a verification says.

use crate::open::{OpenRunError, load_run};
use crate::verify::{Certificate, Standing, verify};
use ledger::Digest;
use report::html::{Material, Verified, VerifiedLevel, page};
use std::path::Path;
use store::Reader;

/// The page of the run in `folder`.
///
/// An output that is missing or damaged costs the proofs that stand in it, which the page says; what else is wrong with the run, the verification tells on the page.
pub fn report_page(folder: &Path) -> Result<String, OpenRunError> {
    let run = load_run(folder)?;
    let verified = verified(&verify(folder));
    let reader = Reader::open(folder)
        .map_err(|source| OpenRunError::Open { folder: folder.to_owned(), source: Box::new(source) })?;
    let outputs = |digest: &Digest| reader.payload(digest).ok().flatten();
    Ok(page(&run, &Material { outputs: &outputs, verified: Some(&verified) }))
}

fn verified(certificate: &Certificate) -> Verified {
    let levels = certificate.levels.iter().map(|reach| VerifiedLevel {
        name: reach.level.to_string(),
        holds: match reach.standing {
            Standing::Reached => Some(true),
            Standing::NotReached => Some(false),
            Standing::NotExamined => None,
        },
        because: reach.because.clone(),
    });
    Verified {
        head: certificate.head.map(|head| head.to_string()),
        levels: levels.collect(),
        findings: certificate.findings.iter().map(|it| (it.place.clone(), it.what.clone())).collect(),
    }
}
