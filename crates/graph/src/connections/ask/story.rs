//! The story of an entity: what it came from, what became of it, and what else was done then.

use super::super::kind::{EntityKind, RelationKind};
use super::super::model::{Connections, EntityRef, RelationRef, Told, When};
use super::{Filter, timeline};
use std::collections::{BTreeSet, VecDeque};

/// How a step belongs to the story.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Where it came from, and what started or wrote it.
    Before,
    /// The thing itself.
    Itself,
    /// What it ran, started, wrote or reached.
    After,
    /// What the accounts that ran or wrote it did afterwards: that it was by this thing is not said.
    SameAccount,
    /// What was set up, cleared, deleted or connected on the same host afterwards: by whom is not said.
    SameHost,
}

impl Part {
    /// All, as a story is told.
    pub const ALL: [Part; 5] = [Part::Before, Part::Itself, Part::After, Part::SameAccount, Part::SameHost];

    /// The word for programs.
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
    /// How it belongs to it.
    pub part: Part,
    /// The fact, and when it was.
    pub told: Told,
    /// The relation that it shows, where it shows one.
    pub relation: Option<RelationRef>,
}

/// The story of an entity in the order of time, then what nothing dates; as deep as so many relations.
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
    // Relations that no story goes over, and which of their facts were told.
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
        // What may as well have been before is not told as what came afterwards.
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

/// Whether a story goes on over a relation from an entity, and to which.
type Next = fn(&Connections, EntityRef, RelationRef) -> Option<EntityRef>;

/// The relations that a story goes over, and where it goes on.
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

/// Whether a story goes on through such a thing: what accounts, hosts and addresses have to do with is too much to be of one story.
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
        // What is set up for a program is what became of it, whether it starts by itself or not.
        RelationKind::SetToRun if to == at => Some(from),
        kind if kind.leads_on() && from == at && goes_on(of.kind(at)) => Some(to),
        _ => None,
    }
}

/// When the thing came into the story: the first time that something ran, wrote or fetched it.
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

/// What the accounts did that ran or wrote a thing.
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

/// What was set up, cleared, deleted or connected on the hosts whose facts tell of a thing.
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
