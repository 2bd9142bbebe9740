//! Orders the phenomena of a run by what to look at first, using only what code can determine.
//!
//! These factors count, and each phenomenon lists them: the rules that its facts match ([`crate::weight`]); the weight of the objective that
//! one of them answers; how rare facts of its kind are in the run; how many other kinds of sources name the same thing; whether it names
//! what one of the first findings names, or happened close to it; and how many phenomena for the same objective come before it
//! (or of the same kind, if there is no objective).
//! An agent's own words do not count.

use crate::run::{PhenomenonView, Run};
use crate::weight::{Weighed, together, weighed};
use detect::{Level, shipped};
use ledger::pattern::fold;
use ledger::{Clock, FactEntry, FactId, FieldType, FieldValue, PhenomenonId, Predicate, TaskId, Weight};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// How many phenomena a reader is shown first, and how many `score` searches for findings.
pub const FIRST: usize = 30;

/// Points for each other kind of source that names the same thing, and the maximum number that counts.
const CORROBORATED: (u32, u32) = (10, 3);

/// Points if a fact is the only one of its kind; half as many if there are two, and so on.
const RARE: u32 = 20;

/// Points deducted for each earlier phenomenon with the same objective, and the maximum: ten things of one kind are not ten findings.
const REPEATED: (u32, u32) = (8, 64);

/// The number of first findings that others are compared with.
const ANCHORS: usize = 10;

/// Points for naming what one of them names, and for a time close to one of theirs.
const LINKED: u32 = 20;
const NEAR: u32 = 15;

/// The maximum distance of close times, in nanoseconds: half an hour.
const CLOSE: u128 = 30 * 60 * 1_000_000_000;

/// The prefix of account SIDs that belong to one computer or domain.
const OWN_SID: &str = "s-1-5-21-";

/// The minimum length in characters of a name that identifies something.
const TELLING: usize = 4;

/// The property that makes two phenomena alike: the first rule, or else the objective, or else predicate and record type.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Alike<'r> {
    Rule(&'r str),
    Brought(u32),
    Objective(Answered<'r>),
    Kind(Option<(&'r str, &'r str)>),
}

/// A phenomenon and its rank.
#[derive(Debug, Clone)]
pub struct Ranked<'r> {
    /// Its task.
    pub task: TaskId,
    /// The phenomenon.
    pub phenomenon: &'r PhenomenonView,
    /// Its facts, those that stand out most first.
    pub facts: Vec<FactId>,
    /// The reasons for its rank.
    pub rank: Rank<'r>,
    /// An earlier finding that names the same thing.
    pub linked_to: Option<PhenomenonId>,
    /// An earlier finding that happened within half an hour of it.
    pub close_to: Option<PhenomenonId>,
}

/// A fact and its rank among all facts of a run.
#[derive(Debug, Clone)]
pub struct Foremost<'r> {
    /// Its task.
    pub task: TaskId,
    /// The fact.
    pub fact: &'r FactEntry,
    /// The reasons for its rank.
    pub rank: Rank<'r>,
    /// Other facts that name the same thing and match the same first rule.
    pub more: Vec<FactId>,
}

/// The reasons for a rank.
#[derive(Debug, Clone)]
pub struct Rank<'r> {
    /// How much it stands out: the level of its most significant fact, or slightly more if it is ordinary and names what a finding names.
    pub level: Level,
    /// The rules that its facts match, or why they are ordinary.
    pub weighed: Weighed,
    /// The points by which it is sorted.
    pub points: u32,
    /// The heaviest objective that one of its facts answers, with its agent; `None` if none does.
    pub objective: Option<Answered<'r>>,
    /// The record types of other facts that name what it names.
    pub corroborated_by: BTreeSet<&'r str>,
    /// The number of facts in the run with the predicate and record type of its rarest fact.
    pub alike: usize,
    /// The reason why a rule's low level was raised to medium, if it was.
    pub raised: Option<Raised>,
}

/// The thing that an item with a low-level rule shares with a finding of level high.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Raised {
    /// It names the same thing.
    SameThing,
    /// It is in the same folder, which contains few files.
    SameFolder,
    /// It happened within half an hour of it, according to the same evidence.
    SameTime,
    /// Another fact in the same evidence says of the same thing what the rule waits for: that a packed file was deleted.
    Said,
}

/// An objective that was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Answered<'r> {
    /// How much its answer matters.
    pub weight: Weight,
    /// The agent whose objective it is.
    pub agent: &'r str,
    /// Its name.
    pub id: &'r str,
}

/// Returns all phenomena in order of rank; for a redacted run, in the order of the original run.
pub fn ranked(run: &Run) -> Vec<Ranked<'_>> {
    let recorded = run.as_recorded();
    let known = Known::of(recorded);
    let phenomena = recorded.tasks.iter().flat_map(|(task, view)| {
        let of = |phenomenon: &'_ PhenomenonView| {
            let facts = phenomenon.facts.iter().filter_map(|id| recorded.fact(*id)).collect();
            (phenomenon.id, known.item(recorded, *task, facts))
        };
        view.phenomena.iter().map(of).collect::<Vec<_>>()
    });
    let (ids, items): (Vec<PhenomenonId>, Vec<Item<'_>>) = phenomena.unzip();
    let shown: BTreeMap<PhenomenonId, &PhenomenonView> =
        run.tasks.values().flat_map(|view| &view.phenomena).map(|it| (it.id, it)).collect();
    in_order(items).into_iter().filter_map(|item| placed(item, &ids, &shown)).collect()
}

/// Returns the phenomenon of an item; `None` if the run does not show it.
fn placed<'r>(
    item: Item<'r>,
    ids: &[PhenomenonId],
    shown: &BTreeMap<PhenomenonId, &'r PhenomenonView>,
) -> Option<Ranked<'r>> {
    let id = |number: usize| ids.get(number).copied();
    Some(Ranked {
        task: item.task,
        phenomenon: shown.get(&id(item.number)?)?,
        facts: item.facts.iter().map(|fact| fact.id).collect(),
        linked_to: item.linked_to.and_then(id),
        close_to: item.close_to.and_then(id),
        rank: item.rank,
    })
}

/// Returns all facts, those that stand out most first. Facts about the same program, the same thing and first rule, or the same command line
/// are grouped under the first of them.
pub fn foremost(run: &Run) -> Vec<Foremost<'_>> {
    let recorded = run.as_recorded();
    let known = Known::of(recorded);
    let items =
        recorded.facts().map(|(task, accepted)| known.item(recorded, task, vec![&accepted.fact])).collect();
    let mut all: Vec<Foremost<'_>> = Vec::new();
    let mut met: BTreeMap<Told<'_>, usize> = BTreeMap::new();
    for item in in_order(items) {
        let Some(fact) = item.facts.first().and_then(|fact| run.fact(fact.id)) else { continue };
        let told = told(fact, &item.rank.weighed);
        let known = told.iter().find_map(|told| met.get(told)).copied();
        match known.and_then(|number| all.get_mut(number)) {
            Some(first) => first.more.push(fact.id),
            None => {
                met.extend(told.into_iter().map(|told| (told, all.len())));
                all.push(Foremost { task: item.task, fact, rank: item.rank, more: Vec::new() });
            }
        }
    }
    all
}

/// The subject of a fact, for grouping it with others; everything is within one piece of evidence.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Told<'r> {
    /// A program, by its full path.
    Program { evidence: &'r str, path: String },
    /// A command line of one account.
    Command { evidence: &'r str, account: Option<String>, line: String },
    /// What a rule matches: the same subject at the same paths, for one account.
    Thing { evidence: &'r str, rule: &'r str, account: Option<String>, subject: String, paths: Vec<String> },
}

/// Returns what a fact is about. A fact with a command line is about that line, not the program: what a program is run for says more.
fn told<'r>(fact: &'r FactEntry, weighed: &Weighed) -> Vec<Told<'r>> {
    let evidence = fact.locator.evidence.as_str();
    let account = || crate::columns::account(fact).map(|account| fold(&account));
    let Some(hit) = weighed.hits.first() else { return Vec::new() };
    let program = program(fact);
    // An autostart entry is about the program; a line that was typed or run is about what was done.
    let is_run = fact.subject.field == "command" || fact.values.iter().any(|it| it.field == "command_line");
    if let Some(line) = command(fact).filter(|_| is_run || program.is_none()) {
        return vec![Told::Command { evidence, account: account(), line }];
    }
    let subject = fold(&fact.subject.value.to_text());
    let paths = paths(fact).map(|path| fold(&path.to_text())).collect();
    let thing = Told::Thing { evidence, rule: hit.rule, account: account(), subject, paths };
    let program = program.map(|path| Told::Program { evidence, path });
    program.into_iter().chain([thing]).collect()
}

/// Returns how much each fact stands out: the levels of [`foremost`], including those of grouped facts.
pub fn levels(run: &Run) -> BTreeMap<FactId, Level> {
    let recorded = run.as_recorded();
    let known = Known::of(recorded);
    let items =
        recorded.facts().map(|(task, accepted)| known.item(recorded, task, vec![&accepted.fact])).collect();
    let levels = in_order(items).into_iter();
    levels.flat_map(|it| it.facts.iter().map(|fact| (fact.id, it.rank.level)).collect::<Vec<_>>()).collect()
}

/// Returns the command line that a fact states, without its quotes; a bare program name does not count.
fn command(fact: &FactEntry) -> Option<String> {
    let mut held = fact.values.iter().chain([&fact.subject]);
    let held = held.find(|it| ["command_line", "command"].contains(&it.field.as_str()))?;
    let text: String = held.value.to_text().chars().filter(|c| !c.is_whitespace() && *c != '"').collect();
    (text.chars().count() > LINE).then(|| text.to_lowercase())
}

/// Returns the program that a fact is about, by its path without drive or volume, unless it is in a Windows folder.
fn program(fact: &FactEntry) -> Option<String> {
    let of = |field: &&str| fact.values.iter().find(|it| it.field == **field).map(|it| &it.value);
    let stated = std::iter::once(&fact.subject.value).chain(PROGRAM.iter().filter_map(of));
    stated.filter_map(|value| path_of_program(&value.to_text())).next()
}

/// Fields that contain a program, or start with one.
const PROGRAM: [&str; 6] = ["program_path", "image_path", "command", "data", "path", "original_path"];

/// Returns the path of a program at the start of a text, in lower case; `None` without a folder, or with a Windows folder.
fn path_of_program(text: &str) -> Option<String> {
    let text = fold(text).replace('/', "\\");
    let (before, _) = text.trim().trim_start_matches('"').split_once(EXECUTABLE)?;
    let is_root = |part: &&str| {
        part.is_empty()
            || part.chars().count() < 3
            || ["??", "device", "uploads", "auto", "c%3a"].contains(part)
            || part.starts_with("harddiskvolume")
            || part.starts_with("volume{")
    };
    let parts: Vec<&str> = before.split('\\').skip_while(is_root).collect();
    let is_of_windows =
        parts.first().is_some_and(|first| ["windows", "%systemroot%", "%windir%"].contains(first));
    (!is_of_windows && parts.len() > 1).then(|| parts.join("\\"))
}

/// The extension of a program.
const EXECUTABLE: &str = ".exe";

/// A command longer than this many characters, without blanks, is a line that says what was done.
const LINE: usize = 24;

/// Facts that are ranked together.
struct Item<'r> {
    task: TaskId,
    /// The facts, those that stand out most first.
    facts: Vec<&'r FactEntry>,
    rank: Rank<'r>,
    /// Its number in the order of recording, and those of the findings that it is related to.
    number: usize,
    linked_to: Option<usize>,
    close_to: Option<usize>,
}

fn in_order(mut all: Vec<Item<'_>>) -> Vec<Item<'_>> {
    for (number, item) in all.iter_mut().enumerate() {
        item.number = number;
    }
    all.sort_by_key(order);
    take_repeated(&mut all);
    all.sort_by_key(order);
    add_linked(&mut all);
    all.sort_by_key(order);
    all
}

/// Deducts points from items that repeat what precedes them.
fn take_repeated(all: &mut [Item<'_>]) {
    let mut before: BTreeMap<Alike<'_>, u32> = BTreeMap::new();
    for item in all {
        let first = item.facts.first();
        let weighed = &item.rank.weighed;
        let alike = match (weighed.hits.first(), weighed.brought.first(), item.rank.objective) {
            (Some(hit), ..) => Alike::Rule(hit.rule),
            (None, Some(rule), _) => Alike::Brought(*rule),
            (None, None, Some(objective)) => Alike::Objective(objective),
            (None, None, None) => {
                Alike::Kind(first.map(|fact| (fact.predicate.0.as_str(), fact.kind.as_str())))
            }
        };
        let repeated = before.entry(alike).or_default();
        let lost = repeated.saturating_mul(REPEATED.0).min(REPEATED.1);
        item.rank.points = item.rank.points.saturating_sub(lost);
        *repeated += 1;
    }
}

/// Adds points to items related to one of the first findings, and raises a rule's low level to medium if that finding is high.
fn add_linked(all: &mut [Item<'_>]) {
    let anchors: Vec<Anchor<'_>> = all.iter().filter(|it| is_finding(it)).take(ANCHORS).map(anchor).collect();
    for item in all.iter_mut() {
        let own = anchor(item);
        if item.rank.level == Level::Low && item.rank.raised.is_none() && !item.rank.weighed.hits.is_empty() {
            raise(item, shared(&own, &anchors));
        }
        if is_finding(item) {
            continue;
        }
        let first = |fits: fn(&Traces, &Traces) -> bool| {
            anchors.iter().find(|it| it.number != own.number && fits(&it.traces, &own.traces))
        };
        let (linked, close) = (first(Traces::share_name), first(Traces::are_close));
        if linked.is_some_and(|it| it.level >= Level::High) {
            item.rank.level = item.rank.level.max(Level::Low);
        }
        item.linked_to = linked.map(|it| it.number);
        item.close_to = close.map(|it| it.number);
        item.rank.points += if linked.is_some() { LINKED } else { 0 };
        item.rank.points += if close.is_some() { NEAR } else { 0 };
    }
}

/// Returns what an item shares with a finding of level high: a thing, an uncommon folder or, in the same evidence, a time.
fn shared(own: &Anchor<'_>, anchors: &[Anchor<'_>]) -> Option<Raised> {
    let others = || anchors.iter().filter(|it| it.level >= Level::High && it.number != own.number);
    let is_near =
        |it: &Anchor<'_>| !own.is_count && it.evidence == own.evidence && it.traces.are_close(&own.traces);
    if others().any(|it| !it.traces.things.is_disjoint(&own.traces.things)) {
        Some(Raised::SameThing)
    } else if others().any(|it| !it.traces.folders.is_disjoint(&own.traces.folders)) {
        Some(Raised::SameFolder)
    } else {
        others().any(is_near).then_some(Raised::SameTime)
    }
}

/// Raises an item's low level to medium if there is a reason.
fn raise(item: &mut Item<'_>, because: Option<Raised>) {
    if because.is_some() {
        item.rank.level = Level::Medium;
        item.rank.raised = because;
        item.rank.points += standing_out(Level::Medium) - standing_out(Level::Low);
    }
}

fn is_finding(it: &Item<'_>) -> bool {
    it.rank.level >= Level::Medium || it.rank.objective.is_some_and(|it| it.weight == Weight::Finding)
}

/// A finding that other items are compared with.
struct Anchor<'r> {
    number: usize,
    level: Level,
    evidence: Option<&'r str>,
    /// Whether it summarises many records: their first and last times say little about the others.
    is_count: bool,
    traces: Traces,
}

fn anchor<'r>(item: &Item<'r>) -> Anchor<'r> {
    Anchor {
        number: item.number,
        level: item.rank.level,
        evidence: item.facts.first().map(|fact| fact.locator.evidence.as_str()),
        is_count: item.facts.iter().any(|fact| fact.values.iter().any(|it| it.field == "counted")),
        traces: Traces::of(&item.facts),
    }
}

/// Ties keep the order of recording: an id says nothing about a phenomenon.
fn order(item: &Item<'_>) -> (Reverse<u32>, TaskId, usize) {
    (Reverse(item.rank.points), item.task, item.number)
}

/// The names and times in facts.
struct Traces {
    /// Names of things and accounts.
    names: BTreeSet<String>,
    /// Things by folder and name: things with only a name or an account in common need not belong together.
    things: BTreeSet<String>,
    /// Folders that contain only a few files.
    folders: BTreeSet<String>,
    /// Nanoseconds since 1970, by the clock of the examined host.
    times: Vec<i128>,
}

impl Traces {
    fn of(facts: &[&FactEntry]) -> Traces {
        Traces {
            names: facts.iter().flat_map(|fact| names(fact).into_iter().chain(accounts(fact))).collect(),
            things: facts.iter().flat_map(|fact| things(fact)).collect(),
            folders: facts.iter().flat_map(|fact| folders(fact)).collect(),
            times: facts.iter().flat_map(|fact| times(fact)).collect(),
        }
    }

    fn share_name(&self, other: &Traces) -> bool {
        !self.names.is_disjoint(&other.names)
    }

    fn are_close(&self, other: &Traces) -> bool {
        other.times.iter().any(|time| self.times.iter().any(|own| own.abs_diff(*time) <= CLOSE))
    }
}

/// Counts and indexes over all facts of a run.
struct Known<'r> {
    /// The number of facts by predicate and record type.
    alike: BTreeMap<(&'r Predicate, &'r str), usize>,
    /// The record types that name a thing.
    named: BTreeMap<String, BTreeSet<&'r str>>,
    /// What the facts of a piece of evidence say about each thing.
    said: BTreeSet<(&'r str, &'r str, String)>,
}

impl<'r> Known<'r> {
    fn of(run: &'r Run) -> Known<'r> {
        let mut known = Known { alike: BTreeMap::new(), named: BTreeMap::new(), said: BTreeSet::new() };
        for (_, accepted) in run.facts() {
            let fact = &accepted.fact;
            *known.alike.entry((&fact.predicate, &fact.kind)).or_default() += 1;
            for thing in things(fact) {
                known.said.insert((&fact.locator.evidence, &fact.predicate.0, thing));
            }
            for name in names(fact) {
                known.named.entry(name).or_default().insert(&fact.kind);
            }
        }
        known
    }

    fn item(&self, run: &'r Run, task: TaskId, facts: Vec<&'r FactEntry>) -> Item<'r> {
        let objective = facts.iter().filter_map(|fact| answered(run, fact)).max();
        let own: BTreeSet<&str> = facts.iter().map(|fact| fact.kind.as_str()).collect();
        let named = facts.iter().flat_map(|fact| names(fact)).filter_map(|name| self.named.get(&name));
        let corroborated_by: BTreeSet<&str> =
            named.flatten().copied().filter(|kind| !own.contains(kind)).collect();
        let alike = facts.iter().filter_map(|fact| self.alike.get(&(&fact.predicate, fact.kind.as_str())));
        let alike = alike.copied().min().unwrap_or(0);
        let others = u32::try_from(corroborated_by.len()).unwrap_or(u32::MAX).min(CORROBORATED.1);
        let rare = RARE >> alike.checked_ilog2().unwrap_or(0).min(31);
        let mut each: Vec<_> = facts.into_iter().map(|fact| (weighed(run, fact), fact)).collect();
        each.sort_by_key(|(weighed, _)| Reverse(weighed.level));
        let (weights, facts): (Vec<_>, Vec<_>) = each.into_iter().unzip();
        let weighed = together(weights);
        let level = weighed.level;
        let asked = asked(objective.map(|it| it.weight));
        let points = standing_out(level) + asked + others * CORROBORATED.0 + rare;
        let rank = Rank { level, weighed, points, objective, corroborated_by, alike, raised: None };
        let mut item = Item { task, facts, rank, number: 0, linked_to: None, close_to: None };
        if item.rank.level == Level::Low && self.is_said(&item) {
            raise(&mut item, Some(Raised::Said));
        }
        item
    }

    /// Checks whether another fact says what one of the item's rules waits for.
    fn is_said(&self, item: &Item<'_>) -> bool {
        let awaited = || item.rank.weighed.hits.iter().flat_map(|hit| shipped().raised_by(hit.rule));
        item.facts.iter().any(|fact| {
            let evidence = fact.locator.evidence.as_str();
            let is_said =
                |name: &String| awaited().any(|it| self.said.contains(&(evidence, it, name.clone())));
            things(fact).iter().any(is_said)
        })
    }
}

/// Returns the points for how much something stands out.
const fn standing_out(level: Level) -> u32 {
    match level {
        Level::Critical => 300,
        Level::High => 220,
        Level::Medium => 140,
        Level::Low => 60,
        Level::Ordinary => 0,
    }
}

/// Returns the points for the answered objective.
const fn asked(weight: Option<Weight>) -> u32 {
    match weight {
        Some(Weight::Finding) => 60,
        Some(Weight::Activity) => 30,
        None => 20,
        Some(Weight::Context) => 10,
    }
}

/// Returns the heaviest objective of the run that a fact answers, whichever agent has it.
fn answered<'r>(run: &'r Run, fact: &FactEntry) -> Option<Answered<'r>> {
    let agents = run.tasks.values().map(|view| &view.assigned.agent);
    let objectives =
        agents.flat_map(|agent| agent.objectives.iter().map(move |objective| (agent, objective)));
    let held = objectives.filter(|(_, objective)| objective.is_answered_by(fact));
    held.map(|(agent, it)| Answered { weight: it.weight, agent: &agent.name, id: &it.id }).max()
}

/// Returns the things that a fact names, in lower case: the last component of each path,
/// and the serial numbers in instance paths of storage devices.
fn names(fact: &FactEntry) -> BTreeSet<String> {
    let named = std::iter::once(&fact.subject.value).chain(paths(fact));
    let last = |text: &str| fold(text.rsplit(['\\', '/']).next().unwrap_or(text).trim());
    let telling = |name: &String| name.chars().count() >= TELLING;
    let devices = fact.values.iter().filter_map(|value| instance(&value.value.to_text()));
    named.map(|value| last(&value.to_text())).chain(devices).filter(telling).collect()
}

/// Returns the paths that a fact states, except that of the file it was read from: many facts come from one file.
fn paths(fact: &FactEntry) -> impl Iterator<Item = &FieldValue> {
    let is_named =
        |value: &&FieldValue| value.field_type() == FieldType::Path && *value.to_text() != fact.locator.path;
    fact.values.iter().map(|bound| &bound.value).filter(is_named)
}

/// Returns the things that a fact names, by folder and name in lower case. It skips the folders of Windows, whose programs serve many purposes.
fn things(fact: &FactEntry) -> BTreeSet<String> {
    let thing = |value: &FieldValue| {
        let text = fold(&value.to_text()).replace('/', "\\");
        let mut parts = text.rsplit('\\').map(|part| part.trim_matches([' ', '"']));
        let (name, folder) = (parts.next()?, parts.next()?);
        let is_of_windows = ["windows", "system32", "syswow64"].contains(&folder);
        let tells = !is_of_windows && !folder.is_empty() && name.chars().count() >= TELLING;
        tells.then(|| format!("{folder}\\{name}"))
    };
    let devices = fact.values.iter().filter_map(|value| instance(&value.value.to_text()));
    let named = std::iter::once(&fact.subject.value).chain(paths(fact));
    named.filter_map(thing).chain(devices).collect()
}

/// Returns the instance of a USB storage device in the notation of values: `_??_USBSTOR#Disk&Ven_X#SERIAL&0#{…}`.
fn instance(text: &str) -> Option<String> {
    let mut parts = text.split('#');
    let is_storage = parts.next().is_some_and(|first| fold(first).ends_with("usbstor"));
    parts.nth(1).filter(|_| is_storage).map(fold)
}

/// Returns the folders of the files that a fact names, by the last two parts of the path, except folders that every Windows or every user has.
fn folders(fact: &FactEntry) -> BTreeSet<String> {
    let subject = Some(&fact.subject.value).filter(|value| value.field_type() == FieldType::Path);
    let folder = |path: &FieldValue| {
        let path = fold(&path.to_text()).replace('/', "\\");
        let mut parts = path.rsplit('\\').skip(1);
        let (last, above) = (parts.next()?, parts.next()?);
        let is_common = COMMON.contains(&last) || above == "users" || last.len() < TELLING;
        (!is_common).then(|| format!("{above}\\{last}"))
    };
    subject.into_iter().chain(paths(fact)).filter_map(folder).collect()
}

/// Folders with files of many programs and users.
const COMMON: [&str; 26] = [
    "appdata",
    "config",
    "desktop",
    "documents",
    "downloads",
    "drivers",
    "favorites",
    "local",
    "locallow",
    "logs",
    "music",
    "pictures",
    "prefetch",
    "program files",
    "program files (x86)",
    "programdata",
    "programs",
    "public",
    "roaming",
    "startup",
    "syswow64",
    "system32",
    "tasks",
    "temp",
    "videos",
    "windows",
];

/// Returns the account SIDs that a fact states.
fn accounts(fact: &FactEntry) -> impl Iterator<Item = String> {
    let own = |sid: &str| Some(fold(sid)).filter(|sid| sid.starts_with(OWN_SID));
    fact.values.iter().filter_map(move |bound| match &bound.value {
        FieldValue::Sid(sid) => own(sid),
        _ => None,
    })
}

/// Returns the times of a fact by the clock of the examined host.
fn times(fact: &FactEntry) -> impl Iterator<Item = i128> {
    fact.values.iter().filter_map(|bound| match &bound.value {
        // A local time of unknown zone may be any instant within a day.
        FieldValue::Time(time) if time.clock == Clock::Host && time.zone.is_none() => {
            time.utc.map(|utc| utc.unix_nanoseconds())
        }
        _ => None,
    })
}
