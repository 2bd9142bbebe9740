//! What leaves the house: a run of which named values are withheld, before anything shows it.
//!
//! A profile says what ([`Profile`]); the values are gathered from the run's facts and outputs, and sought in every text of its log and outputs, in the ways that they may be written ([`needles`], [`text`]).
//! What comes out is a run like any other: no renderer and no format knows what stood there (`docs/redaction.md`, decision 0028).
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

/// What stands in place of a part of a text.
pub const MARK: &str = "[withheld]";

/// Gives a stored output by its digest; `None` where there is none.
pub type Outputs<'o> = dyn Fn(&Digest) -> Option<Vec<u8>> + 'o;

/// The events of a run as they are folded.
pub type Events = Vec<(Stream, Event, Circumstance)>;

/// A run of which values are withheld.
#[derive(Debug)]
pub struct Redacted {
    /// The run, with what its facts can be checked by.
    pub run: Run,
    /// The outputs that facts stand in, without what is withheld, by the digests that the run names them by.
    pub outputs: BTreeMap<Digest, Vec<u8>>,
    /// Withholds the same in what else is told of the run.
    pub redactor: Redactor,
}

/// Withholds of a run what the profile names.
///
/// `recorded` is the run that `events` fold into, with everything in it; `key` that of its commitments.
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
    // Digests of what is withheld can be tried like the values: they are sought, too.
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

/// The digests of every output of a run.
pub(crate) fn output_digests(run: &Run) -> BTreeSet<Digest> {
    let ended = run.tasks.values().flat_map(|view| &view.invocations).filter_map(|made| made.ended.as_ref());
    ended.filter_map(|ended| ended.output).collect()
}

/// The name, with as many `'` behind it as it takes to be free.
pub(crate) fn free_name(mut name: String, is_taken: impl Fn(&str) -> bool) -> String {
    while is_taken(&name) {
        name.push('\'');
    }
    name
}

/// What stands in place of a whole value.
pub(crate) fn mark_of(field: &str) -> String {
    format!("[withheld: {field}]")
}
