//! Ids for other formats: version 5 UUIDs (RFC 9562, section 5.5) computed from the run and one of its ids.

use graph::Run;
use uuid::{Builder, Uuid};

/// The prefix of our names. It is only a name: nothing can be found at this address.
pub(crate) const BASE: &str = "https://locard.invalid/";

/// The namespace of STIX cyber-observables (STIX 2.1, section 2.9).
const OASIS: Uuid = Uuid::from_u128(0x00abedb4_aa42_466c_9c01_fed23315a9b7);

/// The ids of one run: the same run always gets the same ids, and another run different ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ids {
    run: Uuid,
}

impl Ids {
    /// Creates the ids of a run, from its name and its seed because names are unique only on one machine.
    pub(crate) fn new(run: &Run) -> Ids {
        let base = Uuid::new_v5(&Uuid::NAMESPACE_URL, BASE.as_bytes());
        let of = format!("{}\n{}", run.name(), run.opened.seed.0);
        Ids { run: Uuid::new_v5(&base, of.as_bytes()) }
    }

    /// Returns the id of an object with this kind and our own id.
    pub(crate) fn of(&self, kind: &str, own: &str) -> Uuid {
        Uuid::new_v5(&self.run, format!("{kind}\n{own}").as_bytes())
    }

    /// Returns the id in the form of version 4, which STIX requires for processes; its bits come from a digest that includes the run's seed.
    pub(crate) fn in_form_of_version_4(&self, kind: &str, own: &str) -> Uuid {
        Builder::from_random_bytes(*self.of(kind, own).as_bytes()).into_uuid()
    }
}

/// Returns the id of a STIX cyber-observable, computed from its contributing properties as canonical JSON (RFC 8785).
pub(crate) fn observable(canonical: &str) -> Uuid {
    Uuid::new_v5(&OASIS, canonical.as_bytes())
}
