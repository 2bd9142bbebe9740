//! What allows a report to be verified, and what is withheld from it.

use crate::run::Run;
use ledger::canonical::CanonicalError;
use ledger::commitment::{self, Opening, RunKey};
use ledger::{Digest, FactId};
use std::collections::{BTreeMap, BTreeSet};

/// The beginning of every mark that replaces something withheld.
pub const WITHHELD: &str = "[withheld";

/// The commitment that allows the facts of a run to be verified (`ledger::commitment`).
#[derive(Debug, Clone)]
pub struct Disclosure {
    /// The root over the hashes of all facts, in the order of [`Run::facts`].
    pub root: Digest,
    /// The opening of each fact.
    pub openings: BTreeMap<FactId, Opening>,
    /// The summary of what is withheld; `None` if nothing is.
    pub redaction: Option<Redaction>,
}

/// A summary of what was withheld from a run.
#[derive(Debug, Clone)]
pub struct Redaction {
    /// The file name of the profile, without folders.
    pub profile: String,
    /// The digest of the profile's text.
    pub digest: Digest,
    /// The number of facts with a member that is withheld, in whole or in part.
    pub facts: u64,
    /// The number of members of facts that are withheld, in whole or in part.
    pub members: u64,
    /// The number of replacements in texts, by what found them.
    pub places: BTreeMap<String, u64>,
    /// The number of distinct values withheld, by what found them.
    pub values: BTreeMap<String, u64>,
    /// The number of values withheld only where they stand alone, not searched for in texts: too short to distinguish from other words.
    pub not_sought: u64,
    /// The number of outputs whose digests are withheld.
    pub outputs: u64,
    /// The digests that replace these.
    pub stand_ins: BTreeSet<Digest>,
}

impl Disclosure {
    /// Returns the openings of every fact of a run as it was recorded.
    pub fn whole(run: &Run, key: &RunKey) -> Result<Disclosure, CanonicalError> {
        Disclosure::but_for(run, key, |_| BTreeSet::new())
    }

    /// Returns the openings of every fact, except for the members that `withheld` names.
    pub fn but_for(
        run: &Run,
        key: &RunKey,
        withheld: impl Fn(FactId) -> BTreeSet<String>,
    ) -> Result<Disclosure, CanonicalError> {
        let (mut hashes, mut openings) = (Vec::new(), BTreeMap::new());
        for (_, accepted) in run.facts() {
            let fact = &accepted.fact;
            let opening = Opening::of(fact, key.of_fact(fact.id), &withheld(fact.id))?;
            hashes.push(opening.hash);
            openings.insert(fact.id, opening);
        }
        Ok(Disclosure { root: commitment::root(&hashes), openings, redaction: None })
    }
}
