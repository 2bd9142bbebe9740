//! Ids of other formats: UUIDs of version 5 (RFC 9562, section 5.5) over the run and an id of its own.

use graph::Run;
use uuid::{Builder, Uuid};

/// What our names stand in: a name, not a place. Nothing is to be found there.
pub(crate) const BASE: &str = "https://locard.invalid/";

/// The namespace of STIX cyber-observables (STIX 2.1, section 2.9).
const OASIS: Uuid = Uuid::from_u128(0x00abedb4_aa42_466c_9c01_fed23315a9b7);

/// The ids of one run: the same run gives the same ones, another run others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ids {
    run: Uuid,
}

impl Ids {
    /// Those of a run: of its name and its seed, for names are unique on one machine only.
    pub(crate) fn new(run: &Run) -> Ids {
        let base = Uuid::new_v5(&Uuid::NAMESPACE_URL, BASE.as_bytes());
        let of = format!("{}\n{}", run.name(), run.opened.seed.0);
        Ids { run: Uuid::new_v5(&base, of.as_bytes()) }
    }

    /// That of a thing of this kind with this id of its own.
    pub(crate) fn of(&self, kind: &str, own: &str) -> Uuid {
        Uuid::new_v5(&self.run, format!("{kind}\n{own}").as_bytes())
    }

    /// The same in the form of version 4, which STIX demands of processes: its bits are those of a digest over the run's seed.
    pub(crate) fn in_form_of_version_4(&self, kind: &str, own: &str) -> Uuid {
        Builder::from_random_bytes(*self.of(kind, own).as_bytes()).into_uuid()
    }
}

/// The id of a STIX cyber-observable: over its contributing properties as canonical JSON (RFC 8785).
pub(crate) fn observable(canonical: &str) -> Uuid {
    Uuid::new_v5(&OASIS, canonical.as_bytes())
}
