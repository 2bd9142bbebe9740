//! What a report can be checked by, and what is withheld in it.

use crate::run::Run;
use ledger::canonical::CanonicalError;
use ledger::commitment::{self, Opening, RunKey};
use ledger::{Digest, FactId};
use std::collections::{BTreeMap, BTreeSet};

/// How every mark begins that stands in place of something withheld.
pub const WITHHELD: &str = "[withheld";

/// What the facts of a run can be checked by (`ledger::commitment`).
#[derive(Debug, Clone)]
pub struct Disclosure {
    /// The root over the hashes of all facts, in the order of [`Run::facts`].
    pub root: Digest,
    /// What opens each fact.
    pub openings: BTreeMap<FactId, Opening>,
    /// What is withheld; `None` where nothing is.
    pub redaction: Option<Redaction>,
}

/// What was withheld of a run, and how.
#[derive(Debug, Clone)]
pub struct Redaction {
    /// The name of the profile, without folders.
    pub profile: String,
    /// The digest of the profile's text.
    pub digest: Digest,
    /// Facts of which a member is withheld, whole or in part.
    pub facts: u64,
    /// Members of facts that are withheld, whole or in part.
    pub members: u64,
    /// Places in texts where something was replaced, by what found it.
    pub places: BTreeMap<String, u64>,
    /// Different values that are withheld, by what found them.
    pub values: BTreeMap<String, u64>,
    /// Values that are withheld where they stand alone, and not sought in texts: too short to be told from other words.
    pub not_sought: u64,
    /// Outputs whose digests are withheld.
    pub outputs: u64,
    /// What stands in place of these digests.
    pub stand_ins: BTreeSet<Digest>,
}

impl Disclosure {
    /// What opens every fact of a run as it was recorded.
    pub fn whole(run: &Run, key: &RunKey) -> Result<Disclosure, CanonicalError> {
        Disclosure::but_for(run, key, |_| BTreeSet::new())
    }

    /// The same but for the members that are withheld of each fact.
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
