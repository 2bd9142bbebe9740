//! The Windows names of event data, by record field: the rules of typed events, read backwards.

use super::rules::all as rules;
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

type Data = (&'static str, &'static str);

/// Returns the data names of an event with this record type and id, and the fields for them, as the rules write them.
pub(crate) fn of_record(kind: &str, id: u32) -> &'static [Data] {
    static BY_KIND: LazyLock<HashMap<&str, HashMap<u32, Vec<Data>>>> = LazyLock::new(|| {
        let mut by_kind: HashMap<&str, HashMap<u32, Vec<Data>>> = HashMap::new();
        for rule in rules() {
            for id in rule.ids {
                by_kind.entry(rule.kind).or_default().entry(*id).or_default().extend(rule.map());
            }
        }
        by_kind
    });
    BY_KIND.get(kind).and_then(|by_id| by_id.get(&id)).map_or(&[], Vec::as_slice)
}

/// Returns the data names that have fields, for events of this channel (in lower case) and id.
pub(crate) fn of_channel(channel: &str, id: u32) -> Vec<&'static str> {
    let own = rules().filter(|rule| {
        rule.ids.contains(&id) && rule.writer.channels.iter().any(|own| own.eq_ignore_ascii_case(channel))
    });
    let names: BTreeSet<&str> = own.flat_map(|rule| rule.map().map(|(name, _)| name)).collect();
    names.into_iter().collect()
}
