//! The story of an entity: where it came from, what happened to it, and what else was done at the time.

use super::super::kind::{EntityKind, RelationKind};
use super::super::model::{Connections, EntityRef, RelationRef, Told, When};
use super::{Filter, timeline};
use std::collections::{BTreeSet, VecDeque};

/// The role of a step in the story.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Its origin, and what started or wrote it.
    Before,
    /// The entity itself.
    Itself,
    /// What it ran, started, wrote or reached.
    After,
    /// What the accounts that ran or wrote it did afterwards; this does not imply that this entity did it.
    SameAccount,
    /// What was set up, cleared, deleted or connected on the same host afterwards; this does not imply who did it.
    SameHost,
}

impl Part {
    /// All parts, in the order of a story.
    pub const ALL: [Part; 5] = [Part::Before, Part::Itself, Part::After, Part::SameAccount, Part::SameHost];

    /// Returns the identifier used in formats.
    pub const fn name(self) -> &'static str {
        match self {
            Part::Before => "before",
            Part::Itself => "itself",
            Part::After => "after",
            Part::SameAccount => "same_account",
            Part::SameHost => "same_host",
        }
    }
}

/// A step of a story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoryStep {
    /// Its role in the story.
    pub part: Part,
    /// The fact and its time.
    pub told: Told,
    /// The relation that it shows, if any.
    pub relation: Option<RelationRef>,
}

/// Returns the story of an entity up to this many relations away, in chronological order, followed by undated steps.
pub fn told_of(of: &Connections, entity: EntityRef, depth: u32, filter: &Filter) -> Vec<StoryStep> {
    let mut taken: BTreeSet<RelationRef> = BTreeSet::new();
    let mut steps = Vec::new();
    for (part, next) in [(Part::Before, before as Next), (Part::After, after as Next)] {
        for relation in walk(of, entity, depth, filter, next) {
            if taken.insert(relation) {
                steps.extend(shown(of, relation, filter).map(|told| step(part, told, Some(relation))));
            }
        }
    }
    // Relations that no story follows, and the facts that were already told.
    let mut own: BTreeSet<RelationRef> = BTreeSet::new();
    let key = |told: Told, relation| (told.fact, told.when, relation);
    let mut known: BTreeSet<_> = steps.iter().map(|it: &StoryStep| key(it.told, it.relation)).collect();
    for moment in timeline(of, entity, filter) {
        let is_new = moment.relation.is_none_or(|relation| {
            if taken.insert(relation) {
                own.insert(relation);
            }
            own.contains(&relation)
        });
        if is_new && known.insert(key(moment.told, moment.relation)) {
            steps.push(step(Part::Itself, moment.told, moment.relation));
        }
    }
    if let Some(begin) = begin(of, entity, filter) {
        // A step that may have happened before is not shown as happening afterwards.
        let is_later = |told: &Told| told.when.is_some_and(|when| when.bounds().0 >= begin.bounds().1);
        for relation in of_accounts(of, entity, filter) {
            if taken.insert(relation) {
                let later = shown(of, relation, filter).filter(is_later);
                steps.extend(later.map(|told| step(Part::SameAccount, told, Some(relation))));
            }
        }
        for relation in of_hosts(of, entity, filter) {
            if taken.insert(relation) {
                let later = shown(of, relation, filter).filter(is_later);
                steps.extend(later.map(|told| step(Part::SameHost, told, Some(relation))));
            }
        }
    }
    steps.sort_by_key(|step| {
        (step.told.when.is_none(), step.told.when, step.part, step.told.fact, step.relation)
    });
    steps
}

const fn step(part: Part, told: Told, relation: Option<RelationRef>) -> StoryStep {
    StoryStep { part, told, relation }
}

fn shown(of: &Connections, relation: RelationRef, filter: &Filter) -> impl Iterator<Item = Told> {
    of.shown_by(relation).filter(move |told| filter.takes(of, *told))
}

/// A function that returns the entity where the story continues along a relation; `None` if it does not continue.
type Next = fn(&Connections, EntityRef, RelationRef) -> Option<EntityRef>;

/// Returns the relations that a story follows.
fn walk(of: &Connections, entity: EntityRef, depth: u32, filter: &Filter, next: Next) -> Vec<RelationRef> {
    let mut met = BTreeSet::from([entity]);
    let mut queue = VecDeque::from([(entity, 0)]);
    let mut found = Vec::new();
    while let Some((at, away)) = queue.pop_front() {
        if away == depth {
            continue;
        }
        for relation in of.relations_of(at).into_iter().filter(|it| filter.admits(of, *it)) {
            let Some(to) = next(of, at, relation) else { continue };
            found.push(relation);
            if goes_on(of.kind(to)) && met.insert(to) {
                queue.push_back((to, away + 1));
            }
        }
    }
    found
}

/// Checks whether a story continues through such an entity. Accounts, hosts and addresses are related to too much to be part of one story.
const fn goes_on(kind: EntityKind) -> bool {
    match kind {
        EntityKind::Program
        | EntityKind::File
        | EntityKind::Process
        | EntityKind::Service
        | EntityKind::ScheduledTask
        | EntityKind::RunEntry => true,
        EntityKind::Host
        | EntityKind::Account
        | EntityKind::RegistryKey
        | EntityKind::Address
        | EntityKind::Domain
        | EntityKind::Url
        | EntityKind::Share
        | EntityKind::Device
        | EntityKind::LogonSession
        | EntityKind::Email => false,
    }
}

fn before(of: &Connections, at: EntityRef, relation: RelationRef) -> Option<EntityRef> {
    use RelationKind::{
        CarriedByDevice, DownloadedFrom, PersistsThrough, Ran, ReferredBy, SetToRun, SetUp, Started, Wrote,
    };
    let (from, kind, to) = of.relation(relation)?;
    let is_process = of.kind(at) == EntityKind::Process;
    match kind {
        Wrote | Started | SetUp | PersistsThrough if to == at => Some(from),
        Ran if to == at && is_process => Some(from),
        Ran if from == at && is_process => Some(to),
        DownloadedFrom | ReferredBy | CarriedByDevice | SetToRun if from == at => Some(to),
        _ => None,
    }
}

fn after(of: &Connections, at: EntityRef, relation: RelationRef) -> Option<EntityRef> {
    let (from, kind, to) = of.relation(relation)?;
    let is_program = |entity| matches!(of.kind(entity), EntityKind::Program | EntityKind::File);
    match kind {
        RelationKind::Ran if to == at => Some(from),
        RelationKind::Ran if from == at && is_program(to) => None,
        // What is set to run a program belongs to what happened to it, whether it starts automatically or not.
        RelationKind::SetToRun if to == at => Some(from),
        kind if kind.leads_on() && from == at && goes_on(of.kind(at)) => Some(to),
        _ => None,
    }
}

/// Returns when the entity first appears: the first time that something ran, wrote or downloaded it.
fn begin(of: &Connections, entity: EntityRef, filter: &Filter) -> Option<When> {
    let relations = of.relations_of(entity).into_iter().filter(|relation| {
        let kind = of.relation(*relation).map(|(_, kind, _)| kind);
        matches!(
            kind,
            Some(
                RelationKind::Ran
                    | RelationKind::Wrote
                    | RelationKind::DownloadedFrom
                    | RelationKind::Started
                    | RelationKind::PersistsThrough
            )
        )
    });
    relations
        .flat_map(|relation| shown(of, relation, filter).filter_map(|told| told.when))
        .filter(|when| !when.is_latest)
        .min()
}

/// Returns what the accounts that ran or wrote an entity did.
fn of_accounts(of: &Connections, entity: EntityRef, filter: &Filter) -> Vec<RelationRef> {
    let ran = of.relations_of(entity).into_iter().filter_map(|relation| {
        let (from, kind, to) = of.relation(relation)?;
        let did = matches!(kind, RelationKind::Ran | RelationKind::Wrote) && to == entity;
        (did && of.kind(from) == EntityKind::Account).then_some(from)
    });
    let accounts: BTreeSet<EntityRef> = ran.collect();
    let of_account = |account: EntityRef| {
        of.relations_of(account).into_iter().filter(move |relation| {
            let Some((from, kind, _)) = of.relation(*relation) else { return false };
            from == account && kind.leads_on() && kind != RelationKind::Opened && filter.admits(of, *relation)
        })
    };
    accounts.into_iter().flat_map(of_account).collect()
}

/// Returns what was set up, cleared, deleted or connected on the hosts whose facts name an entity.
fn of_hosts(of: &Connections, entity: EntityRef, filter: &Filter) -> Vec<RelationRef> {
    use RelationKind::{Cleared, ConnectedTo, Deleted, PersistsThrough, SetToRun, SetUp};
    let hosts: BTreeSet<&str> = of.names(entity).filter_map(|(_, told)| of.host_of(told.fact)).collect();
    let counts = |relation: &RelationRef| {
        let Some((_, kind, to)) = of.relation(*relation) else { return false };
        let is_told = match kind {
            SetUp | Cleared | Deleted | PersistsThrough | SetToRun => true,
            ConnectedTo => of.kind(to) == EntityKind::Device,
            _ => false,
        };
        is_told
            && filter.admits(of, *relation)
            && of
                .shown_by(*relation)
                .any(|told| of.host_of(told.fact).is_some_and(|host| hosts.contains(host)))
    };
    of.relations().filter(counts).collect()
}
