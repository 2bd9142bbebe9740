//! A run as people and programs see it, complete or without what a profile withholds; both with the data to check its facts.

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

/// Why a run cannot be shown.
#[derive(Debug, Error)]
pub enum ShowError {
    /// The run cannot be read.
    #[error(transparent)]
    Open(Box<OpenRunError>),
    /// Its facts have no canonical form.
    #[error("commit to the facts of the run")]
    Commit(#[source] CanonicalError),
    /// The withheld values cannot be removed.
    #[error("redact the run")]
    Redact(#[source] RedactError),
}

/// How a run is presented: the language of the sentences that code writes, and whether the agents' comments are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wording {
    /// The language of the sentences that code writes about facts.
    pub language: Language,
    /// Whether the agents' comments are shown.
    pub comments: Comments,
}

/// Whether the comments of agents are shown: comments of statements, notes, and the sentences of earlier versions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Comments {
    /// They are shown, separately from the facts.
    #[default]
    Shown,
    /// They are left out.
    LeftOut,
}

/// A run that can be shown.
#[derive(Debug)]
pub struct Shown {
    /// The run, with the data to check its facts.
    pub run: Run,
    /// The last link of its chain.
    pub(crate) head: Digest,
    pub(crate) events: u64,
    redacted: Option<(BTreeMap<Digest, Vec<u8>>, Redactor)>,
}

impl Shown {
    /// Returns a text about the run without the withheld values.
    pub(crate) fn told(&self, text: &str) -> String {
        self.redacted.as_ref().map_or_else(|| text.to_owned(), |(_, redactor)| redactor.text(text))
    }

    /// Returns the output with this digest; in a redacted run, the redacted output.
    pub(crate) fn output(&self, reader: &Reader, digest: &Digest) -> Option<Vec<u8>> {
        match &self.redacted {
            Some((outputs, _)) => outputs.get(digest).cloned(),
            None => reader.payload(digest).ok().flatten(),
        }
    }
}

/// Reads the run in `folder`, checks its chain, and withholds what `profile` names.
///
/// The result contains nothing that is withheld, and no comment that is left out, however it is rendered.
///
/// # Errors
///
/// Fails if the run cannot be read or redacted.
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
