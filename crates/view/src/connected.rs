//! The graph of a run, computed once for all the pages that show it.

use graph::Run;
use graph::connections::readings::Readings;
use graph::connections::{Connections, EntityKind, EntityRef, Filter, hubs};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock};

/// The number of hubs that are kept.
const HUBS: usize = 100;

/// A filter that leaves out no relation and no fact.
pub(crate) static EVERYTHING: LazyLock<Filter> = LazyLock::new(Filter::default);

/// The connections of one run and what is computed from them, each on first use.
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

    /// Returns the entities of each kind, in the order of their keys.
    pub(crate) fn kinds(&self) -> &BTreeMap<EntityKind, Vec<EntityRef>> {
        self.kinds.get_or_init(|| {
            let mut kinds: BTreeMap<EntityKind, Vec<EntityRef>> = BTreeMap::new();
            for entity in self.of.entities() {
                kinds.entry(self.of.kind(entity)).or_default().push(entity);
            }
            kinds
        })
    }

    /// Returns the entities with the most neighbours.
    pub(crate) fn hubs(&self) -> &[(EntityRef, usize)] {
        self.hubs.get_or_init(|| hubs(&self.of, HUBS, &EVERYTHING))
    }

    /// Returns the entities and relations that the run's agents added.
    pub(crate) fn readings(&self, run: &Run) -> &Readings {
        self.readings.get_or_init(|| Readings::of(run, &self.of))
    }
}
