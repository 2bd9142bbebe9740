//! What a picture shows, row by row: groups of relations, their members, and what agents added.
//!
//! Both drawings and the table are made from this list.

use super::super::entity::in_time;
use super::super::sight::{Sight, Way};
use super::state::{FIRST, Group, Open, State};
use graph::connections::{EntityId, EntityRef, RelationKind, RelationRef};
use std::collections::{BTreeMap, BTreeSet};

/// For the first entity: the maximum size of a group that is open by default, and the maximum number of rows opened this way.
const SMALL: (usize, usize) = (8, 26);

/// The same for an entity farther out.
const SMALL_BELOW: (usize, usize) = (4, 10);

/// The maximum number of rows in a picture.
const ROWS: usize = 1_500;

/// The maximum number of agents' relations drawn for an entity.
const READINGS: usize = 12;

/// The contents of a picture.
pub(super) struct Plan {
    pub(super) root: EntityRef,
    /// The rows in drawing order: relations to the first entity, then relations from it.
    pub(super) rows: Vec<Row>,
    /// Whether there was more than a picture can hold.
    pub(super) is_cut: bool,
}

/// A row of a picture.
pub(super) struct Row {
    /// Its depth: groups of the first entity are at 0, their members at 1.
    pub(super) depth: usize,
    /// The row that it hangs from; `None` for the first entity.
    pub(super) parent: Option<usize>,
    /// The side of the first entity that it is on.
    pub(super) side: Way,
    /// Its unique key.
    pub(super) key: String,
    pub(super) what: What,
}

pub(super) enum What {
    /// Relations of one kind.
    Group {
        of: EntityRef,
        group: Group,
        count: usize,
        /// Whether its members are drawn.
        is_open: bool,
        /// What is open in its entity.
        now: Open,
    },
    /// The other end of a relation.
    Thing {
        entity: EntityRef,
        by: RelationRef,
        /// Whether it is also drawn elsewhere in the picture.
        is_again: bool,
        /// Whether its own neighbours are drawn.
        is_open: bool,
        /// The number of its other relations.
        others: usize,
    },
    /// The members of a group that are not drawn.
    More { of: EntityRef, group: Group, shown: usize, left: usize, now: Open },
    /// The heading for what agents added.
    Readings { of: EntityRef, count: usize, shown: usize },
    /// A relation that an agent added, by its index.
    Reading { of: EntityRef, place: usize },
}

/// Groups an entity's relations, without those through which it was reached.
fn groups(
    sight: &Sight<'_>,
    entity: EntityRef,
    met_by: Option<RelationRef>,
) -> BTreeMap<Group, Vec<RelationRef>> {
    let mut groups: BTreeMap<Group, Vec<RelationRef>> = BTreeMap::new();
    for relation in sight.of.relations_of(entity).into_iter().filter(|it| Some(*it) != met_by) {
        let Some((from, kind, to)) = sight.of.relation(relation) else { continue };
        let is_out = from == entity || kind == RelationKind::SameContentAs;
        let other = sight.of.kind(if from == entity { to } else { from });
        let way = if is_out { Way::Out } else { Way::In };
        groups.entry(Group { way, kind, other }).or_default().push(relation);
    }
    groups
}

/// Returns the groups that are open if the address names none: small ones, until there are too many rows.
fn small(groups: &BTreeMap<Group, Vec<RelationRef>>, (most, in_all): (usize, usize)) -> Open {
    let mut drawn = 0;
    let mut open = Open::new();
    for (group, relations) in groups.iter().filter(|(_, relations)| relations.len() <= most) {
        if drawn + relations.len() <= in_all {
            drawn += relations.len();
            open.insert(*group, FIRST.max(relations.len()));
        }
    }
    open
}

pub(super) fn plan(sight: &Sight<'_>, root: EntityRef, state: &State) -> Plan {
    let mut planning =
        Planning { sight, state, rows: Vec::new(), met: BTreeSet::from([root]), is_cut: false };
    planning.below(root, None, None);
    Plan { root, rows: planning.rows, is_cut: planning.is_cut }
}

struct Planning<'p, 'b> {
    sight: &'p Sight<'b>,
    state: &'p State,
    rows: Vec<Row>,
    met: BTreeSet<EntityRef>,
    is_cut: bool,
}

impl Planning<'_, '_> {
    /// Adds a row; returns `None` if there was no room.
    fn add(&mut self, parent: Option<usize>, side: Way, key: String, what: What) -> Option<usize> {
        if self.rows.len() >= ROWS {
            self.is_cut = true;
            return None;
        }
        let depth = parent.and_then(|at| self.rows.get(at)).map_or(0, |row| row.depth + 1);
        self.rows.push(Row { depth, parent, side, key, what });
        Some(self.rows.len() - 1)
    }

    fn side(&self, parent: Option<usize>, own: Way) -> Way {
        parent.and_then(|at| self.rows.get(at)).map_or(own, |row| row.side)
    }

    /// Adds what hangs from an entity: its groups, and what agents added.
    fn below(&mut self, entity: EntityRef, parent: Option<usize>, met_by: Option<RelationRef>) {
        let Some(id) = self.sight.of.id(entity) else { return };
        let groups = groups(self.sight, entity, met_by);
        let few = if parent.is_none() { SMALL } else { SMALL_BELOW };
        let open = self.state.open.get(&id).cloned().flatten().unwrap_or_else(|| small(&groups, few));
        let mut opened: BTreeMap<Group, (usize, Vec<RelationRef>)> = BTreeMap::new();
        for (group, mut relations) in groups {
            let count = relations.len();
            let shown = open.get(&group).copied().unwrap_or(0);
            if shown > 0 {
                in_time(self.sight, &mut relations);
            }
            relations.truncate(shown);
            opened.insert(group, (count, relations));
        }
        // Entities at this level are drawn here, before anything that opens farther out can claim them.
        let nearer = opened.values().flat_map(|(_, relations)| relations.iter().copied());
        let fresh: BTreeSet<RelationRef> = nearer.filter(|by| self.meets(*by, entity)).collect();
        for (group, (count, relations)) in opened {
            let side = self.side(parent, group.way);
            let key = key(id, group);
            let is_open = open.contains_key(&group);
            let what = What::Group { of: entity, group, count, is_open, now: open.clone() };
            let Some(head) = self.add(parent, side, key.clone(), what) else { return };
            for relation in &relations {
                self.thing(entity, *relation, !fresh.contains(relation), head, &key);
            }
            let left = count.saturating_sub(relations.len());
            if is_open && left > 0 {
                let what = What::More { of: entity, group, shown: relations.len(), left, now: open.clone() };
                self.add(Some(head), side, format!("{key}.more"), what);
            }
        }
        self.readings(entity, id, parent);
    }

    /// Checks whether the other end of a relation is drawn for the first time.
    fn meets(&mut self, by: RelationRef, from: EntityRef) -> bool {
        self.sight.of.other_end(by, from).is_some_and(|entity| self.met.insert(entity))
    }

    fn thing(&mut self, from: EntityRef, by: RelationRef, is_again: bool, head: usize, key: &str) {
        let Some(entity) = self.sight.of.other_end(by, from) else { return };
        let Some(id) = self.sight.of.id(entity) else { return };
        let is_open = !is_again && self.state.open.contains_key(&id);
        let others = self.sight.of.relations_of(entity).len().saturating_sub(1);
        let side = self.side(Some(head), Way::Out);
        let what = What::Thing { entity, by, is_again, is_open, others };
        if let Some(at) = self.add(Some(head), side, format!("{key}.{id}"), what)
            && is_open
        {
            self.below(entity, Some(at), Some(by));
        }
    }

    fn readings(&mut self, entity: EntityRef, id: EntityId, parent: Option<usize>) {
        let about = self.sight.connected.readings(self.sight.run).about(entity);
        if about.is_empty() {
            return;
        }
        let side = self.side(parent, Way::Out);
        let shown = READINGS.min(about.len());
        let head = What::Readings { of: entity, count: about.len(), shown };
        let Some(head) = self.add(parent, side, format!("{id}.readings"), head) else { return };
        for place in about.iter().take(READINGS) {
            let what = What::Reading { of: entity, place: *place };
            self.add(Some(head), side, format!("{id}.readings.{place}"), what);
        }
    }
}

fn key(id: EntityId, group: Group) -> String {
    format!("{id}.{}.{}.{}", group.kind.name(), group.way.name(), group.other.name())
}
