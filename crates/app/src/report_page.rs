//! Use case: the report of a run as one HTML file, with the proof of each fact and what a verification says.

use crate::open::OpenRunError;
use crate::shown::{ShowError, show_run};
use crate::verify::{Certificate, Standing, verify};
use graph::{Attack, AttackError};
use ledger::Digest;
use redact::Profile;
use report::html::{Material, Verified, VerifiedLevel, page};
use std::io;
use std::path::{Path, PathBuf};
use store::Reader;
use thiserror::Error;

/// Why there is no page.
#[derive(Debug, Error)]
pub enum ReportPageError {
    /// The run cannot be read, or not be shown without what is withheld.
    #[error("open the run")]
    Show(#[source] ShowError),
    /// The bundle of ATT&CK cannot be read.
    #[error("read the ATT&CK bundle {}", path.display())]
    Bundle {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The techniques are not what they must be.
    #[error("read the techniques of ATT&CK")]
    Attack(#[source] AttackError),
}

/// The page of the run in `folder`, without what `profile` withholds; names and tactics of ATT&CK are those of the bundle, where one is given (`enterprise-attack.json`).
///
/// An output that is missing or damaged costs the proofs that stand in it, which the page says; what else is wrong with the run, the verification tells on the page.
pub fn report_page(
    folder: &Path,
    bundle: Option<&Path>,
    profile: Option<&Profile>,
) -> Result<String, ReportPageError> {
    let shown = show_run(folder, profile).map_err(ReportPageError::Show)?;
    let attack = attack(bundle)?;
    let verified = verified(&verify(folder), &|text| shown.told(text));
    let reader = Reader::open(folder).map_err(|source| {
        let error = OpenRunError::Open { folder: folder.to_owned(), source: Box::new(source) };
        ReportPageError::Show(ShowError::Open(Box::new(error)))
    })?;
    let outputs = |digest: &Digest| shown.output(&reader, digest);
    Ok(page(&shown.run, &Material { outputs: &outputs, attack: &attack, verified: Some(&verified) }))
}

fn attack(bundle: Option<&Path>) -> Result<Attack, ReportPageError> {
    let read = match bundle {
        None => Attack::shipped(),
        Some(path) => {
            let failed = |source| ReportPageError::Bundle { path: path.to_owned(), source };
            Attack::shipped_with(&std::fs::read_to_string(path).map_err(failed)?)
        }
    };
    read.map_err(ReportPageError::Attack)
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
