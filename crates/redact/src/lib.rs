//! Redaction of runs that are handed on: selected values are withheld before anything shows the run.
//!
//! A profile says what to withhold ([`Profile`]). The values are gathered from the run's facts and outputs, and
//! searched for in every text of its log and outputs, in all spellings ([`needles`], [`text`]).
//! The result is a run like any other: no renderer and no format knows what was withheld (`docs/redaction.md`,
//! decision 0028).
//!
//! **Invariant:** pure. What cannot be redacted is refused, not shown.

mod addresses;
mod case;
mod check;
mod codes;
mod cut;
mod events;
mod facts;
mod finders;
mod fold;
mod garbled;
mod inflate;
mod joins;
mod macs;
mod needles;
mod nested;
mod networks;
mod outputs;
mod packed;
mod parts;
mod profile;
mod punycode;
mod search;
mod sids;
mod spell;
mod split;
mod text;
mod unescape;

pub use check::{ShownError, is_redaction_of, marks_what_it_withholds};
pub use events::RedactError;
pub use profile::{Profile, ProfileError, SHIPPED};
pub use text::Redactor;

use graph::{Disclosure, Redaction, Run};
use ledger::commitment::RunKey;
use ledger::{Circumstance, Digest, Event, Stream};
use std::collections::{BTreeMap, BTreeSet};

/// The mark that replaces a part of a text.
pub const MARK: &str = "[withheld]";

/// Returns a stored output by its digest; `None` if there is none.
pub type Outputs<'o> = dyn Fn(&Digest) -> Option<Vec<u8>> + 'o;

/// The events of a run in the form in which they are folded.
pub type Events = Vec<(Stream, Event, Circumstance)>;

/// A run with values withheld.
#[derive(Debug)]
pub struct Redacted {
    /// The run, with the data for checking its facts.
    pub run: Run,
    /// The outputs that facts refer to, without what is withheld, by the digests that the run uses for them.
    pub outputs: BTreeMap<Digest, Vec<u8>>,
    /// Withholds the same values in anything else that is shown about the run.
    pub redactor: Redactor,
}

/// Withholds in a run what the profile names.
///
/// `recorded` is the complete run that `events` fold into; `key` is the key of its commitments.
pub fn redact(
    events: &Events,
    recorded: Run,
    key: &RunKey,
    stored: &Outputs<'_>,
    profile: &Profile,
) -> Result<Redacted, RedactError> {
    let gathered = needles::gather(events, &recorded, stored, profile);
    let labels = recorded.opened.case.evidence.iter().map(|entry| entry.label.as_str());
    let redactor = Redactor::new(gathered, profile)?.labelling(labels);
    let outputs = outputs::redact(&recorded, stored, &redactor, profile, key)?;
    // Digests of withheld data can be guessed like the values, so they are searched for, too.
    let redactor = redactor.seeking(&outputs)?;
    let told = events::redact(events, &redactor, &outputs, profile)?;
    let withheld = told.withheld;
    let disclosure = Disclosure::but_for(&recorded, key, |id| withheld.get(&id).cloned().unwrap_or_default());
    let mut disclosure = disclosure.map_err(RedactError::Canonical)?;
    let members: usize = withheld.values().map(|members| members.len()).sum();
    let redaction = Redaction {
        profile: redactor.text(&profile.name),
        digest: profile.digest,
        facts: withheld.values().filter(|members| !members.is_empty()).count() as u64,
        members: members as u64,
        outputs: outputs.stand_ins.len() as u64,
        stand_ins: outputs.stand_ins.values().copied().collect(),
        values: redactor.values(),
        not_sought: redactor.not_sought(),
        places: redactor.places(),
    };
    disclosure.redaction = Some(redaction);
    let mut run = graph::fold_redacted(told.events, recorded).map_err(RedactError::Fold)?;
    run.disclosure = Some(disclosure);
    Ok(Redacted { run, outputs: outputs.bytes, redactor })
}

/// Returns the digests of every output of a run.
pub(crate) fn output_digests(run: &Run) -> BTreeSet<Digest> {
    let ended = run.tasks.values().flat_map(|view| &view.invocations).filter_map(|made| made.ended.as_ref());
    ended.filter_map(|ended| ended.output).collect()
}

/// Returns the name, with as many `'` appended as needed to be unused.
pub(crate) fn free_name(mut name: String, is_taken: impl Fn(&str) -> bool) -> String {
    while is_taken(&name) {
        name.push('\'');
    }
    name
}

/// Returns the mark that replaces a whole value.
pub(crate) fn mark_of(field: &str) -> String {
    format!("[withheld: {field}]")
}
