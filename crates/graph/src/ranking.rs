//! What to look at first: the phenomena of a run in order, by what code can tell of them.
//!
//! What counts is told with each phenomenon: the rules that its facts fit ([`crate::weight`]), the weight of the objective that one of them answers, how rare facts of its kind are in the run, in how many other kinds of sources the same thing is named, whether it names what one of the first findings names or happened close to it, and how many phenomena of the same objective, or of the same kind where there is none, stand before it.
//! An agent's own words count for nothing.

use crate::run::{PhenomenonView, Run};
use crate::weight::{Weighed, together, weighed};
use detect::{Level, shipped};
use ledger::pattern::fold;
use ledger::{Clock, FactEntry, FactId, FieldType, FieldValue, PhenomenonId, Predicate, TaskId, Weight};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// How many phenomena a reader is shown first, and how many `score` looks at for findings.
pub const FIRST: usize = 30;

/// Points for each other kind of source that names the same thing, and for how many of them.
const CORROBORATED: (u32, u32) = (10, 3);

/// Points for the only facts of a kind; half of them for twice as many, and so on.
const RARE: u32 = 20;

/// Points that each phenomenon of the same objective before it takes away, and how many at most: ten things of one kind are not ten findings.
const REPEATED: (u32, u32) = (8, 64);

/// How many of the first findings others are held against.
const ANCHORS: usize = 10;

/// Points for naming what one of them names, and for a time close to one of theirs.
const LINKED: u32 = 20;
const NEAR: u32 = 15;

/// How close is close, in nanoseconds: half an hour.
const CLOSE: u128 = 30 * 60 * 1_000_000_000;

/// How SIDs of accounts begin that belong to one computer or domain.
const OWN_SID: &str = "s-1-5-21-";

/// Fewest characters of a name that tells one thing from another.
const TELLING: usize = 4;

/// What makes two phenomena alike: the first rule, the objective, or predicate and record type where there is neither.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Alike<'r> {
    Rule(&'r str),
    Brought(u32),
    Objective(Answered<'r>),
    Kind(Option<(&'r str, &'r str)>),
}

/// A phenomenon in its place.
#[derive(Debug, Clone)]
pub struct Ranked<'r> {
    /// Its task.
    pub task: TaskId,
    /// The phenomenon.
    pub phenomenon: &'r PhenomenonView,
    /// Its facts, those that stand out most first.
    pub facts: Vec<FactId>,
    /// Why it stands there.
    pub rank: Rank<'r>,
    /// The finding before it that names the same thing.
    pub linked_to: Option<PhenomenonId>,
    /// The finding before it that happened within half an hour of it.
    pub close_to: Option<PhenomenonId>,
}

/// A fact in its place among all facts of a run.
#[derive(Debug, Clone)]
pub struct Foremost<'r> {
    /// Its task.
    pub task: TaskId,
    /// The fact.
    pub fact: &'r FactEntry,
    /// Why it stands there.
    pub rank: Rank<'r>,
    /// Other facts that name the same thing and fit the same first rule.
    pub more: Vec<FactId>,
}

/// Why something stands where it does.
#[derive(Debug, Clone)]
pub struct Rank<'r> {
    /// How much it stands out: as its fact that does most, or a little where it is ordinary and names what a finding names.
    pub level: Level,
    /// The rules that its facts fit, or why they are ordinary.
    pub weighed: Weighed,
    /// The points that order it.
    pub points: u32,
    /// The heaviest objective that one of its facts answers, with its agent; `None` where none does.
    pub objective: Option<Answered<'r>>,
    /// The record types of other facts that name what it names.
    pub corroborated_by: BTreeSet<&'r str>,
    /// Facts of the run with the predicate and record type of its rarest fact.
    pub alike: usize,
    /// Why a rule's low level became medium, where it did.
    pub raised: Option<Raised>,
}

/// What something that a rule has as low shares with a finding of level high.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Raised {
    /// It names the same thing.
    SameThing,
    /// It lies in the same folder, which few files are in.
    SameFolder,
    /// It happened within half an hour of it, by the same evidence.
    SameTime,
    /// Another fact of the same evidence says of the same thing what the rule waits for: that what was packed was deleted.
    Said,
}

/// An objective that is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Answered<'r> {
    /// How much its answer matters.
    pub weight: Weight,
    /// The agent whose objective it is.
    pub agent: &'r str,
    /// Its name.
    pub id: &'r str,
}

/// All phenomena, the first one first; of a redacted run in the order of the recorded one.
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

/// The phenomenon of an item; `None` where the run does not show it.
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

/// All facts, those that stand out most first; of those that tell of the same program, name the same thing and fit the same first rule, or state the same command line, the others stand beside the first.
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

/// What facts tell of that share a place among the first, all of it in one piece of evidence.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Told<'r> {
    /// A program, by its whole path.
    Program { evidence: &'r str, path: String },
    /// A command line of one account.
    Command { evidence: &'r str, account: Option<String>, line: String },
    /// What a rule fits: the same subject at the same paths, of one account.
    Thing { evidence: &'r str, rule: &'r str, account: Option<String>, subject: String, paths: Vec<String> },
}

/// What a fact tells of. One that states a command line tells of that, and of no program: what these are run for tells more than that they ran.
fn told<'r>(fact: &'r FactEntry, weighed: &Weighed) -> Vec<Told<'r>> {
    let evidence = fact.locator.evidence.as_str();
    let account = || crate::columns::account(fact).map(|account| fold(&account));
    let Some(hit) = weighed.hits.first() else { return Vec::new() };
    let program = program(fact);
    // What starts a program by itself tells of that; a line that was typed or run, of what was done.
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

/// How much each fact stands out: the levels of [`foremost`], for those that stand beside another, too.
pub fn levels(run: &Run) -> BTreeMap<FactId, Level> {
    let recorded = run.as_recorded();
    let known = Known::of(recorded);
    let items =
        recorded.facts().map(|(task, accepted)| known.item(recorded, task, vec![&accepted.fact])).collect();
    let levels = in_order(items).into_iter();
    levels.flat_map(|it| it.facts.iter().map(|fact| (fact.id, it.rank.level)).collect::<Vec<_>>()).collect()
}

/// The command line that a fact states, however it is quoted; a bare name of a program is none.
fn command(fact: &FactEntry) -> Option<String> {
    let mut held = fact.values.iter().chain([&fact.subject]);
    let held = held.find(|it| ["command_line", "command"].contains(&it.field.as_str()))?;
    let text: String = held.value.to_text().chars().filter(|c| !c.is_whitespace() && *c != '"').collect();
    (text.chars().count() > LINE).then(|| text.to_lowercase())
}

/// The program that a fact tells of, by its path without drive or volume, where it does not lie in a folder of Windows.
fn program(fact: &FactEntry) -> Option<String> {
    let of = |field: &&str| fact.values.iter().find(|it| it.field == **field).map(|it| &it.value);
    let stated = std::iter::once(&fact.subject.value).chain(PROGRAM.iter().filter_map(of));
    stated.filter_map(|value| path_of_program(&value.to_text())).next()
}

/// Fields that name a program, or begin with one.
const PROGRAM: [&str; 6] = ["program_path", "image_path", "command", "data", "path", "original_path"];

/// The path of a program at the start of a text, in lower case; `None` where it names no folder, or one of Windows.
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

/// How the name of a program ends.
const EXECUTABLE: &str = ".exe";

/// Characters without blanks above which a command is a line that says what was done.
const LINE: usize = 24;

/// Facts that are put into order together.
struct Item<'r> {
    task: TaskId,
    /// Those that stand out most first.
    facts: Vec<&'r FactEntry>,
    rank: Rank<'r>,
    /// Its number as it was recorded, and those of the findings that it belongs to.
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

/// Takes points from what repeats what stands before it.
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

/// Gives points to what belongs to one of the first findings, and the level medium to what a rule has as low where that finding is high.
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

/// What a trace shares with a finding of level high: a thing, a folder of its own, or, in the same evidence, a time.
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

/// Gives what a rule has as low the level medium, where there is a reason.
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

/// What others are held against.
struct Anchor<'r> {
    number: usize,
    level: Level,
    evidence: Option<&'r str>,
    /// Whether it tells of many records, whose first and last time say little of the others.
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

/// Equal ones stay in the order in which they were recorded: an id says nothing of what a phenomenon tells.
fn order(item: &Item<'_>) -> (Reverse<u32>, TaskId, usize) {
    (Reverse(item.rank.points), item.task, item.number)
}

/// What facts name, and when it happened.
struct Traces {
    /// Things and accounts.
    names: BTreeSet<String>,
    /// Things by folder and name: equal names alone, and what somebody does under one account, need not belong together.
    things: BTreeSet<String>,
    /// Folders that only a few files are in.
    folders: BTreeSet<String>,
    /// Nanoseconds since 1970 by the examined host.
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

/// What is known of all facts of a run.
struct Known<'r> {
    /// Facts by predicate and record type.
    alike: BTreeMap<(&'r Predicate, &'r str), usize>,
    /// The record types that name a thing.
    named: BTreeMap<String, BTreeSet<&'r str>>,
    /// What facts of a piece of evidence say of a thing.
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

    /// Whether another fact says what one of its rules waits for.
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

/// Points for how much something stands out.
const fn standing_out(level: Level) -> u32 {
    match level {
        Level::Critical => 300,
        Level::High => 220,
        Level::Medium => 140,
        Level::Low => 60,
        Level::Ordinary => 0,
    }
}

/// Points for the objective that is answered.
const fn asked(weight: Option<Weight>) -> u32 {
    match weight {
        Some(Weight::Finding) => 60,
        Some(Weight::Activity) => 30,
        None => 20,
        Some(Weight::Context) => 10,
    }
}

/// The heaviest objective of the run that a fact answers, whichever agent's it is.
fn answered<'r>(run: &'r Run, fact: &FactEntry) -> Option<Answered<'r>> {
    let agents = run.tasks.values().map(|view| &view.assigned.agent);
    let objectives =
        agents.flat_map(|agent| agent.objectives.iter().map(move |objective| (agent, objective)));
    let held = objectives.filter(|(_, objective)| objective.is_answered_by(fact));
    held.map(|(agent, it)| Answered { weight: it.weight, agent: &agent.name, id: &it.id }).max()
}

/// The things that a fact names: of its paths the last components, and of instance paths of storage devices the serial numbers, in lower case.
fn names(fact: &FactEntry) -> BTreeSet<String> {
    let named = std::iter::once(&fact.subject.value).chain(paths(fact));
    let last = |text: &str| fold(text.rsplit(['\\', '/']).next().unwrap_or(text).trim());
    let telling = |name: &String| name.chars().count() >= TELLING;
    let devices = fact.values.iter().filter_map(|value| instance(&value.value.to_text()));
    named.map(|value| last(&value.to_text())).chain(devices).filter(telling).collect()
}

/// The paths that a fact states, but for that of the file it was read from: many facts are from one file.
fn paths(fact: &FactEntry) -> impl Iterator<Item = &FieldValue> {
    let is_named =
        |value: &&FieldValue| value.field_type() == FieldType::Path && *value.to_text() != fact.locator.path;
    fact.values.iter().map(|bound| &bound.value).filter(is_named)
}

/// The things that a fact names by folder and name, in lower case: outside of the folders of Windows itself, whose programs serve many ends.
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

/// The instance of a storage device on USB, as values name it: `_??_USBSTOR#Disk&Ven_X#SERIAL&0#{…}`.
fn instance(text: &str) -> Option<String> {
    let mut parts = text.split('#');
    let is_storage = parts.next().is_some_and(|first| fold(first).ends_with("usbstor"));
    parts.nth(1).filter(|_| is_storage).map(fold)
}

/// The folders in which the files that a fact names lie, by the last two parts of their paths: those that are not of every Windows or every user.
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

/// Folders in which files of many programs and users lie.
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

/// The SIDs of accounts that a fact states.
fn accounts(fact: &FactEntry) -> impl Iterator<Item = String> {
    let own = |sid: &str| Some(fold(sid)).filter(|sid| sid.starts_with(OWN_SID));
    fact.values.iter().filter_map(move |bound| match &bound.value {
        FieldValue::Sid(sid) => own(sid),
        _ => None,
    })
}

/// The times of a fact by the examined host.
fn times(fact: &FactEntry) -> impl Iterator<Item = i128> {
    fact.values.iter().filter_map(|bound| match &bound.value {
        // A local time of an unknown zone may be any instant of a day.
        FieldValue::Time(time) if time.clock == Clock::Host && time.zone.is_none() => {
            time.utc.map(|utc| utc.unix_nanoseconds())
        }
        _ => None,
    })
}
