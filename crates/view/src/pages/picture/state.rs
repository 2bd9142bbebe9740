//! What is open in a picture, as encoded in its address: a picture grows by links, and the browser's back button undoes that.

use super::super::sight::Way;
use crate::text::query;
use graph::connections::{EntityId, EntityKind, RelationKind};
use std::collections::BTreeMap;

/// The number of a group's members that are drawn when it is opened.
pub(super) const FIRST: usize = 12;

/// The number of members that each *more* adds.
pub(super) const MORE: usize = 48;

/// The maximum number of a group's members that are drawn; lists have the others.
pub(super) const MOST: usize = 240;

/// The maximum length of a picture's query, in bytes: addresses of up to 4,096 bytes are answered.
const LONGEST: usize = 3_600;

/// The relations of an entity with one kind, one direction, and one kind of entity at the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Group {
    pub(super) way: Way,
    pub(super) kind: RelationKind,
    pub(super) other: EntityKind,
}

/// The open groups of an entity, each with the number of members drawn.
pub(super) type Open = BTreeMap<Group, usize>;

/// The state of a picture: what is open in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    /// The entity that it starts with.
    pub(super) of: EntityId,
    /// The entities whose neighbours are drawn; `None` means that the small groups are open.
    pub(super) open: BTreeMap<EntityId, Option<Open>>,
}

impl State {
    /// Parses an address; invalid parts are ignored.
    pub(super) fn read(of: EntityId, text: &str) -> State {
        let mut open = BTreeMap::from([(of, None)]);
        for item in text.split('*') {
            let mut words = item.split('.');
            let Some(entity) = words.next().and_then(|id| id.parse::<EntityId>().ok()) else { continue };
            let words: Vec<&str> = words.collect();
            let groups = match words.as_slice() {
                [] => None,
                ["none"] => Some(Open::new()),
                words => Some(words.chunks(4).filter_map(group).collect()),
            };
            open.insert(entity, groups);
        }
        State { of, open }
    }

    /// Returns the query; `None` if it would be too long.
    pub(super) fn query(&self) -> Option<String> {
        let mut items = Vec::new();
        for (entity, groups) in &self.open {
            match groups {
                None if *entity == self.of => {}
                None => items.push(entity.to_string()),
                Some(groups) if groups.is_empty() => items.push(format!("{entity}.none")),
                Some(groups) => {
                    let words = groups.iter().map(|(group, shown)| {
                        let (way, kind, other) = (group.way.name(), group.kind.name(), group.other.name());
                        format!("{kind}.{way}.{other}.{shown}")
                    });
                    items.push(format!("{entity}.{}", words.collect::<Vec<_>>().join(".")));
                }
            }
        }
        let of = self.of.to_string();
        let items = items.join("*");
        let mut pairs = vec![("of", of.as_str())];
        pairs.extend((!items.is_empty()).then_some(("open", items.as_str())));
        Some(query(&pairs)).filter(|query| query.len() <= LONGEST)
    }

    /// Returns the state with an entity's neighbours shown, or hidden if they were shown.
    pub(super) fn turned(&self, entity: EntityId) -> State {
        let mut state = self.clone();
        if state.open.remove(&entity).is_none() {
            state.open.insert(entity, None);
        }
        state
    }

    /// Returns the state with this many members of a group drawn; `None` closes it. `now` is what is open in the entity.
    pub(super) fn with(&self, entity: EntityId, now: &Open, group: Group, shown: Option<usize>) -> State {
        let mut state = self.clone();
        let mut open = now.clone();
        match shown {
            Some(shown) => open.insert(group, shown.min(MOST)),
            None => open.remove(&group),
        };
        state.open.insert(entity, Some(open));
        state
    }
}

fn group(words: &[&str]) -> Option<(Group, usize)> {
    let [kind, way, other, shown] = words else { return None };
    let group = Group {
        way: Way::of_name(way)?,
        kind: RelationKind::of_name(kind)?,
        other: EntityKind::ALL.into_iter().find(|it| it.name() == *other)?,
    };
    Some((group, shown.parse::<usize>().ok()?.clamp(1, MOST)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn id(text: &str) -> EntityId {
        text.parse().unwrap()
    }

    #[test]
    fn what_is_open_survives_the_address() {
        let (one, other) = (id("account-000000000001"), id("file-000000000002"));
        let group = Group { way: Way::Out, kind: RelationKind::LoggedOnTo, other: EntityKind::Host };
        let state = State::read(one, "").turned(other);
        let state = state.with(one, &Open::new(), group, Some(12));
        let query = state.query().unwrap();
        assert_eq!(
            query,
            "of=account-000000000001&open=account-000000000001.logged_on_to.out.host.12*file-000000000002"
        );
        assert_eq!(State::read(one, query.split_once("open=").unwrap().1), state);
        let closed = state.turned(other).with(one, &Open::from([(group, 12)]), group, None);
        assert_eq!(closed.query().unwrap(), "of=account-000000000001&open=account-000000000001.none");
        assert_eq!(State::read(one, "account-000000000001.none"), closed);
    }

    #[test]
    fn what_is_no_part_of_an_address_opens_nothing() {
        let one = id("account-000000000001");
        for text in ["*", "x", "account-1", "account-000000000009x", "..*.."] {
            assert_eq!(State::read(one, text).open, BTreeMap::from([(one, None)]), "{text}");
        }
        let read = State::read(one, "account-000000000001.ran.out.program.999999.ran.up.program.3.ran");
        let groups = read.open.get(&one).cloned().flatten().unwrap();
        assert_eq!(groups.into_values().collect::<Vec<_>>(), [MOST]);
    }
}
