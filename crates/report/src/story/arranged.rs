//! Arranges a story: host by host in episodes, with similar statements combined in one line, and the state of the machine itself at the end.

use super::Line;
use detect::Level;
use graph::Run;
use ledger::{Chapter, FactEntry, NodeId, Precision, Utc};
use phrases::{Alike, Phrase, alike, apart, episode, several};
use std::collections::BTreeMap;

/// A longer pause starts a new episode, in nanoseconds: half an hour.
const PAUSE: u128 = 30 * 60 * 1_000_000_000;

/// The minimum number of statements in an episode.
const SEVERAL: usize = 3;

/// The part of the story about one host.
pub(crate) struct OfHost {
    /// Its pieces of evidence; `None` if the case has only one.
    pub(crate) host: Option<String>,
    /// What happened, in chronological order; undated statements come last.
    pub(crate) episodes: Vec<Episode>,
    /// What any computer has, and how this one is configured.
    pub(crate) machine: Vec<Group>,
}

/// Statements that follow each other closely, or that have no heading of their own.
pub(crate) struct Episode {
    /// The time range and number of statements, or a note that they are isolated; `None` if the story says nothing else about the host.
    pub(crate) heading: Option<Phrase>,
    /// Whether its statements follow each other closely.
    pub(crate) is_one_go: bool,
    /// Whether its statements have an instant.
    is_dated: bool,
    pub(crate) groups: Vec<Group>,
}

/// A single statement, or several with a common line.
pub(crate) struct Group {
    /// What they have in common; `None` if the group is a single statement.
    pub(crate) heading: Option<Phrase>,
    /// The indexes of its statements in the story, in order.
    pub(crate) members: Vec<usize>,
}

/// Arranges a story; each line belongs to exactly one group.
pub(crate) fn arranged(run: &Run, lines: &[Line<'_>]) -> Vec<OfHost> {
    let mut hosts: Vec<(Option<String>, Vec<usize>)> = Vec::new();
    let mut places: BTreeMap<Option<String>, usize> = BTreeMap::new();
    for (number, line) in lines.iter().enumerate() {
        let host = line.host(run);
        let place = *places.entry(host.clone()).or_insert(hosts.len());
        if place == hosts.len() {
            hosts.push((host, Vec::new()));
        }
        if let Some((_, members)) = hosts.get_mut(place) {
            members.push(number);
        }
    }
    let of_host = |(host, members): (Option<String>, Vec<usize>)| {
        let (machine, told): (Vec<usize>, Vec<usize>) =
            members.into_iter().partition(|number| lines.get(*number).is_some_and(Line::is_of_machine));
        OfHost { host, episodes: episodes(run, lines, &told), machine: groups(run, lines, &machine) }
    };
    hosts.into_iter().map(of_host).collect()
}

/// Splits the statements about a host where nothing happened for a while; episodes with few statements get no heading.
fn episodes(run: &Run, lines: &[Line<'_>], told: &[usize]) -> Vec<Episode> {
    let mut runs: Vec<Vec<usize>> = Vec::new();
    let mut before = None;
    for number in told {
        let at = lines.get(*number).and_then(|line| line.statement.at).map(Utc::unix_nanoseconds);
        let follows = match (before, at) {
            (Some(Some(before)), Some(at)) => i128::abs_diff(at, before) <= PAUSE,
            (Some(None), None) => true,
            _ => false,
        };
        match runs.last_mut().filter(|_| follows) {
            Some(last) => last.push(*number),
            None => runs.push(vec![*number]),
        }
        before = Some(at);
    }
    let of_run = |members: Vec<usize>| {
        let moments: Option<Vec<Utc>> = members.iter().map(|it| lines.get(*it)?.statement.at).collect();
        let ends = moments
            .filter(|it| it.len() >= SEVERAL)
            .and_then(|it| it.first().copied().zip(it.last().copied()));
        let text = |at: Utc| at.to_text(Precision::Second);
        let heading = ends.map(|(from, to)| episode(run.language(), &text(from), &text(to), members.len()));
        Episode {
            is_one_go: heading.is_some(),
            heading,
            is_dated: members
                .first()
                .and_then(|it| lines.get(*it))
                .is_some_and(|it| it.statement.at.is_some()),
            groups: groups(run, lines, &members),
        }
    };
    // Adjacent parts without a heading are merged into one list, which has a label if other parts have headings.
    let mut episodes: Vec<Episode> = Vec::new();
    for episode in runs.into_iter().map(of_run) {
        let joins =
            |last: &&mut Episode| !last.is_one_go && !episode.is_one_go && last.is_dated == episode.is_dated;
        match episodes.last_mut().filter(joins) {
            Some(last) => last.groups.extend(episode.groups),
            None => episodes.push(episode),
        }
    }
    if episodes.len() > 1 {
        for episode in episodes.iter_mut().filter(|it| !it.is_one_go) {
            episode.heading = Some(apart(run.language(), episode.is_dated));
        }
    }
    episodes
}

/// Combines statements that say the same about several things, at the position of the first.
fn groups(run: &Run, lines: &[Line<'_>], members: &[usize]) -> Vec<Group> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut places: BTreeMap<(Alike, Chapter), usize> = BTreeMap::new();
    for number in members {
        let line = lines.get(*number);
        let key = line.and_then(|line| Some((alike(line.fact(run)?)?, line.statement.chapter)));
        let place = key.map_or(groups.len(), |key| *places.entry(key).or_insert(groups.len()));
        match groups.get_mut(place) {
            Some(of) => of.push(*number),
            None => groups.push(vec![*number]),
        }
    }
    let mut out: Vec<Group> = Vec::new();
    for members in groups {
        match heading(run, lines, &members) {
            Some(heading) => out.push(Group { heading: Some(heading), members }),
            None => out.extend(members.into_iter().map(|it| Group { heading: None, members: vec![it] })),
        }
    }
    out.sort_by_key(|group| group.members.first().copied());
    out
}

fn heading(run: &Run, lines: &[Line<'_>], members: &[usize]) -> Option<Phrase> {
    let told: Vec<&Line<'_>> = members.iter().filter_map(|it| lines.get(*it)).collect();
    let facts: Vec<&FactEntry> = told.iter().filter_map(|line| line.fact(run)).collect();
    let said = |line: &&Line<'_>| line.is_instant() && line.says_its_time();
    let instants: Option<Vec<String>> =
        told.iter().map(|line| line.moment().filter(|_| said(line))).collect();
    let span = instants.as_ref().and_then(|it| Some((it.first()?.as_str(), it.last()?.as_str())));
    several(run.language(), &facts, span)
}

impl Line<'_> {
    /// Checks whether it is about the machine itself: the data calls it ordinary, or its chapter says so.
    fn is_of_machine(&self) -> bool {
        let is_ordinary = self.weighed.level == Level::Ordinary && self.weighed.ordinary.is_some();
        is_ordinary || self.statement.chapter == Chapter::Machine && self.weighed.level <= Level::Low
    }

    /// Returns the fact that it states, if it states one.
    pub(crate) fn fact<'r>(&self, run: &'r Run) -> Option<&'r FactEntry> {
        match self.statement.node {
            NodeId::Fact(id) => run.fact(id),
            _ => None,
        }
    }

    /// Checks whether its sentence includes the time by which it is sorted.
    fn says_its_time(&self) -> bool {
        self.dated_by().is_some_and(|field| self.words.fields().any(|said| said == field))
    }

    /// Checks whether its time is an instant rather than a local time.
    fn is_instant(&self) -> bool {
        self.statement.dated.is_some_and(|(time, _)| time.zone.is_none())
    }
}
