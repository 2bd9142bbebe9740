//! The graph of a run, made once for all the pages that show it.

use graph::Run;
use graph::connections::readings::Readings;
use graph::connections::{Connections, EntityKind, EntityRef, Filter, hubs};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock};

/// Hubs that are kept.
const HUBS: usize = 100;

/// No relation and no fact is left out.
pub(crate) static EVERYTHING: LazyLock<Filter> = LazyLock::new(Filter::default);

/// The connections of one run, and what follows from all of them; each is worked out when a page first asks for it.
pub(crate) struct Connected {
    /// The connections.
    pub(crate) of: Arc<Connections>,
    kinds: OnceLock<BTreeMap<EntityKind, Vec<EntityRef>>>,
    hubs: OnceLock<Vec<(EntityRef, usize)>>,
    readings: OnceLock<Readings>,
}

impl Connected {
    pub(crate) fn new(run: &Run) -> Connected {
        Connected {
            of: Arc::clone(run.connections()),
            kinds: OnceLock::new(),
            hubs: OnceLock::new(),
            readings: OnceLock::new(),
        }
    }

    /// The entities of each kind, in the order of their keys.
    pub(crate) fn kinds(&self) -> &BTreeMap<EntityKind, Vec<EntityRef>> {
        self.kinds.get_or_init(|| {
            let mut kinds: BTreeMap<EntityKind, Vec<EntityRef>> = BTreeMap::new();
            for entity in self.of.entities() {
                kinds.entry(self.of.kind(entity)).or_default().push(entity);
            }
            kinds
        })
    }

    /// The entities with the most neighbours.
    pub(crate) fn hubs(&self) -> &[(EntityRef, usize)] {
        self.hubs.get_or_init(|| hubs(&self.of, HUBS, &EVERYTHING))
    }

    /// What the run's agents added as entities and relations of their own.
    pub(crate) fn readings(&self, run: &Run) -> &Readings {
        self.readings.get_or_init(|| Readings::of(run, &self.of))
    }
}
