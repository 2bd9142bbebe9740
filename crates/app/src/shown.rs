//! A run as it is shown to people and programs: whole, or without what a profile withholds; either way with what its facts can be checked by.

use crate::open::{OpenRunError, Read, read_with_key};
use graph::{Disclosure, Run};
use ledger::Digest;
use ledger::canonical::CanonicalError;
use redact::{Profile, RedactError, Redactor};
use report::Language;
use std::collections::BTreeMap;
use std::path::Path;
use store::Reader;
use thiserror::Error;

/// Why a run is not shown.
#[derive(Debug, Error)]
pub enum ShowError {
    /// It cannot be read.
    #[error(transparent)]
    Open(Box<OpenRunError>),
    /// Its facts have no canonical form.
    #[error("commit to the facts of the run")]
    Commit(#[source] CanonicalError),
    /// What is withheld cannot be left out.
    #[error("redact the run")]
    Redact(#[source] RedactError),
}

/// How a run is told: in which language code says facts, and whether agents' readings stand beside that.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wording {
    /// The language of what code says of facts.
    pub language: Language,
    /// Whether agents' readings are shown.
    pub comments: Comments,
}

/// Whether agents' readings are shown: comments of statements, notes, and the sentences of earlier versions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Comments {
    /// They are, apart from what happened.
    #[default]
    Shown,
    /// They are left out.
    LeftOut,
}

/// A run that can be shown.
#[derive(Debug)]
pub struct Shown {
    /// The run, with what its facts can be checked by.
    pub run: Run,
    /// The last link of its chain.
    pub(crate) head: Digest,
    pub(crate) events: u64,
    redacted: Option<(BTreeMap<Digest, Vec<u8>>, Redactor)>,
}

impl Shown {
    /// A text about the run without what is withheld.
    pub(crate) fn told(&self, text: &str) -> String {
        self.redacted.as_ref().map_or_else(|| text.to_owned(), |(_, redactor)| redactor.text(text))
    }

    /// The outputs of the run by the digests that it names them by.
    pub(crate) fn output(&self, reader: &Reader, digest: &Digest) -> Option<Vec<u8>> {
        match &self.redacted {
            Some((outputs, _)) => outputs.get(digest).cloned(),
            None => reader.payload(digest).ok().flatten(),
        }
    }
}

/// Reads the run in `folder`, checking its chain, and withholds what `profile` names.
///
/// Nothing of what is withheld is in what comes back, whoever renders it; nor is any comment that is left out.
pub fn show_run(folder: &Path, profile: Option<&Profile>, wording: Wording) -> Result<Shown, ShowError> {
    let mut shown = withheld(folder, profile)?;
    shown.run.tell_in(wording.language);
    if wording.comments == Comments::LeftOut {
        shown.run.leave_out_comments();
    }
    Ok(shown)
}

fn withheld(folder: &Path, profile: Option<&Profile>) -> Result<Shown, ShowError> {
    let open = |error| ShowError::Open(Box::new(error));
    let (Read { events, head, count }, key) = read_with_key(folder).map_err(open)?;
    let fold = |source| open(OpenRunError::Fold { folder: folder.to_owned(), source });
    let Some(profile) = profile else {
        let mut run = graph::fold(events).map_err(fold)?;
        run.disclosure = Some(Disclosure::whole(&run, &key).map_err(ShowError::Commit)?);
        return Ok(Shown { run, head, events: count, redacted: None });
    };
    let recorded = graph::fold(events.iter().cloned()).map_err(fold)?;
    let reader = Reader::open(folder)
        .map_err(|source| open(OpenRunError::Open { folder: folder.to_owned(), source: Box::new(source) }))?;
    let stored = |digest: &Digest| reader.payload(digest).ok().flatten();
    let redacted = redact::redact(&events, recorded, &key, &stored, profile).map_err(ShowError::Redact)?;
    Ok(Shown {
        run: redacted.run,
        head,
        events: count,
        redacted: Some((redacted.outputs, redacted.redactor)),
    })
}
