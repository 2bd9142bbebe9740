//! Which of the rows fit a reading of the question.

use super::fields::{lies_in, may_hide};
use crate::answer::Cited;
use crate::looks::{Look, MOST};
use crate::matching::{Fit, Sought, fit, normal, sought};
use crate::question::{Question, Reading};
use crate::topic::Source;
use crate::world::{Row, World};
use std::collections::{BTreeMap, BTreeSet};

/// The most rows that are joined by keys: each is compared with each.
const JOINED: usize = 500;

/// What was found for one reading of a question.
pub(crate) struct Found<'a> {
    pub(crate) question: &'a Question,
    pub(crate) reading: &'a Reading,
    pub(super) world: &'a World,
    rows: &'a [Row],
    looks: &'a [Look],
    /// The places of the rows that fit everything that the question names.
    pub(crate) chosen: Vec<usize>,
    /// The places of rows that would fit, but that the question leaves out by name.
    pub(super) left_out: Vec<usize>,
    /// Names that no row has and that are neither an account nor a host.
    pub(super) unmet: Vec<String>,
    /// The places of all rows on the hosts that are asked, whatever they name.
    pub(super) mine: Vec<usize>,
    /// How many names are accounts.
    pub(super) accounts: usize,
    /// How many names are things, neither accounts nor hosts.
    pub(super) things: usize,
    /// The places of rows that have the name of a thing, whatever else is named.
    pub(super) of_things: Vec<usize>,
    /// Whether a row may cover an occasion in the span without showing it.
    pub(super) may_hide: bool,
    /// Whether a name may be a word that was not understood.
    pub(super) is_unsure: bool,
    /// The pieces of evidence that are asked.
    pub(super) hosts: BTreeSet<String>,
    /// Whether there are more rows than were found.
    is_cut: bool,
}

impl<'a> Found<'a> {
    pub(super) fn of(
        place: usize,
        question: &'a Question,
        reading: &'a Reading,
        looks: &'a [Look],
        rows: &'a [Row],
        world: &'a World,
    ) -> Found<'a> {
        let names: Vec<Sought<'_>> = reading.names.iter().map(|name| sought(name, world)).collect();
        let hosts = hosts(&names, world);
        let of_reading = |row: &Row| {
            looks.get(row.look).is_some_and(|look| look.reading == place) && hosts.contains(&row.evidence)
        };
        let mine: Vec<usize> =
            rows.iter().enumerate().filter(|(_, row)| of_reading(row)).map(|(at, _)| at).collect();
        let mut found = Found {
            question,
            reading,
            world,
            rows,
            looks,
            chosen: Vec::new(),
            left_out: Vec::new(),
            unmet: Vec::new(),
            mine,
            accounts: 0,
            things: 0,
            of_things: Vec::new(),
            may_hide: false,
            is_unsure: false,
            hosts: hosts_of_accounts(&names, hosts),
            is_cut: false,
        };
        found.is_cut = found.is_any_look_full();
        found.choose(&names);
        found
    }

    /// Returns a row with its source.
    pub(crate) fn row(&self, at: usize) -> Option<(&'a Row, &'a Source)> {
        let row = self.rows.get(at)?;
        let look = self.looks.get(row.look)?;
        Some((row, self.reading.topic.sources.get(look.source)?))
    }

    /// Whether the source of a row has a property.
    pub(crate) fn is(&self, at: usize, has: impl Fn(&Source) -> bool) -> bool {
        self.row(at).is_some_and(|(_, source)| has(source))
    }

    /// Returns the place of a row's source among those of the topic.
    pub(crate) fn source_of(&self, at: usize) -> Option<usize> {
        Some(self.looks.get(self.rows.get(at)?.look)?.source)
    }

    /// The sources of the topic that may answer.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &'a Source> {
        self.reading.topic.sources.iter().filter(|source| self.reading.asks(source))
    }

    /// Whether the question names a thing or an account, not only hosts.
    pub(crate) const fn names_something(&self) -> bool {
        self.things > 0 || self.accounts > 0
    }

    /// Whether the flags of a row say that the thing is in force; `None` if its source has no such flags.
    pub(crate) fn is_in_force(&self, at: usize) -> Option<bool> {
        let (row, source) = self.row(at)?;
        let flag = source.off_flag.as_deref()?;
        Some(!row.get("flags")?.contains(flag))
    }

    /// Whether rows may be missing because there are too many.
    pub(crate) const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns a row with the fields that name it.
    pub(crate) fn cited(&self, at: usize) -> Cited {
        let mut fields: Vec<String> = Vec::new();
        if let Some((row, source)) = self.row(at) {
            fields.extend(source.name.iter().filter(|field| row.get(field).is_some()).cloned());
        }
        Cited { row: at, fields }
    }

    fn is_any_look_full(&self) -> bool {
        let mut per_look: BTreeMap<usize, usize> = BTreeMap::new();
        for row in self.mine.iter().filter_map(|at| self.rows.get(*at)) {
            *per_look.entry(row.look).or_default() += 1;
        }
        per_look.values().any(|count| *count >= MOST)
    }

    fn choose(&mut self, names: &[Sought<'_>]) {
        let asked: Vec<&Sought<'_>> = names.iter().filter(|it| it.hosts.is_empty()).collect();
        let sets: Vec<BTreeSet<usize>> = asked.iter().map(|name| self.fitting(name)).collect();
        let mut all = self.together(&sets);
        self.drop_linked(&mut all, asked.is_empty());
        self.leave_out(&mut all);
        self.drop_suggestions(&mut all);
        self.keep_span(&mut all);
        let is_fallback = |at: &usize| self.is(*at, |source| source.fallback);
        if !all.iter().all(is_fallback) {
            all.retain(|at| !is_fallback(at));
        }
        self.chosen = all;
    }

    /// Returns the rows that fit a name best, and keeps what the name is.
    fn fitting(&mut self, name: &Sought<'_>) -> BTreeSet<usize> {
        let fit_of = |at: &usize| {
            let (row, source) = self.row(*at)?;
            Some((*at, fit(name, source, row)?))
        };
        let fits: Vec<(usize, Fit)> = self.mine.iter().filter_map(fit_of).collect();
        let best = fits.iter().map(|it| it.1).max();
        self.accounts += usize::from(!name.accounts.is_empty() || name.name.ending.is_some());
        if name.is_thing() {
            self.things += 1;
            self.of_things.extend(fits.iter().map(|it| it.0));
        }
        if best.is_none() && name.accounts.is_empty() {
            self.unmet.push(name.name.text.clone());
            self.is_unsure |= !name.name.is_certain;
        }
        fits.into_iter().filter(|it| Some(it.1) == best).map(|it| it.0).collect()
    }

    /// Drops rows that answer only beside others, if there are no others, or if nothing is named.
    fn drop_linked(&self, all: &mut Vec<usize>, is_nothing_named: bool) {
        let linked = |at: &usize| self.is(*at, |source| source.linked);
        if all.iter().all(linked) {
            all.clear();
        } else if is_nothing_named {
            all.retain(|at| !linked(at));
        }
    }

    /// Drops rows that the question leaves out by name.
    fn leave_out(&mut self, all: &mut Vec<usize>) {
        let out: Vec<Sought<'_>> =
            self.reading.excluded.iter().map(|name| sought(name, self.world)).collect();
        let is_out = |at: &usize| {
            self.row(*at).is_some_and(|(row, source)| out.iter().any(|name| fit(name, source, row).is_some()))
        };
        self.left_out = all.iter().copied().filter(is_out).collect();
        all.retain(|at| !self.left_out.contains(at));
    }

    /// Drops rows that only suggest what is asked, on evidence where records that say it know the thing.
    ///
    /// This comes before the times are looked at: that a record does not say when it was leaves the question open, and a weaker source does not settle it. One of its rows in the span still rules out a "no".
    fn drop_suggestions(&mut self, all: &mut Vec<usize>) {
        let suggests = |at: &usize| self.is(*at, |source| source.suggests);
        let evidence = |at: &usize| self.rows.get(*at).map(|row| row.evidence.as_str());
        let says: BTreeSet<&str> = all.iter().filter(|at| !suggests(at)).filter_map(evidence).collect();
        let (dropped, kept): (Vec<usize>, Vec<usize>) = all
            .iter()
            .copied()
            .partition(|at| suggests(at) && evidence(at).is_some_and(|evidence| says.contains(evidence)));
        let hides = match &self.question.span {
            Some(span) => {
                dropped.iter().any(|at| self.row(*at).is_some_and(|(row, source)| lies_in(row, source, span)))
            }
            None => false,
        };
        *all = kept;
        self.may_hide |= hides;
    }

    /// Keeps the rows with a time in the span.
    fn keep_span(&mut self, all: &mut Vec<usize>) {
        let Some(span) = &self.question.span else { return };
        let hides = |at: &usize| self.row(*at).is_some_and(|(row, source)| may_hide(row, source, span));
        let is_hidden = all.iter().any(hides);
        all.retain(|at| self.row(*at).is_some_and(|(row, source)| lies_in(row, source, span)));
        self.may_hide |= is_hidden;
    }

    /// Returns the rows that fit all names, by themselves or together with others that have the same key.
    fn together(&self, sets: &[BTreeSet<usize>]) -> Vec<usize> {
        if sets.is_empty() {
            return self.mine.clone();
        }
        let has_keys = |at: &&usize| self.is(**at, |source| !source.keys.is_empty());
        let keyed: Vec<usize> = self.mine.iter().filter(has_keys).copied().collect();
        if keyed.is_empty() || keyed.len() > JOINED {
            let fits_all = |at: &&usize| sets.iter().all(|set| set.contains(*at));
            return self.mine.iter().filter(fits_all).copied().collect();
        }
        let keys: BTreeMap<usize, Vec<String>> = keyed.iter().map(|at| (*at, self.keys(*at))).collect();
        let mut chosen = BTreeSet::new();
        for begin in sets.iter().flatten() {
            let cluster = cluster(*begin, &keys);
            if sets.iter().all(|set| set.iter().any(|at| cluster.contains(at))) {
                let counts = |at: &usize| {
                    sets.iter().any(|set| set.contains(at)) || self.is(*at, |source| !source.linked)
                };
                chosen.extend(cluster.into_iter().filter(counts));
            }
        }
        chosen.into_iter().collect()
    }

    fn keys(&self, at: usize) -> Vec<String> {
        let Some((row, source)) = self.row(at) else { return Vec::new() };
        let values = source.keys.iter().filter_map(|field| row.get(field)).map(normal);
        values.filter(|key| key.len() >= 8).collect()
    }
}

/// Returns the evidence that the names name; all of it if they name none.
fn hosts(names: &[Sought<'_>], world: &World) -> BTreeSet<String> {
    let named: BTreeSet<String> = names.iter().flat_map(|it| it.hosts.iter().cloned()).collect();
    match named.is_empty() {
        true => world.hosts.iter().map(|host| host.label.clone()).collect(),
        false => named,
    }
}

/// Returns the evidence among these that lists the accounts which are named; all of these if none does.
fn hosts_of_accounts(names: &[Sought<'_>], hosts: BTreeSet<String>) -> BTreeSet<String> {
    let of_accounts = names.iter().flat_map(|it| &it.hosts_of_account).filter(|host| hosts.contains(*host));
    let of_accounts: BTreeSet<String> = of_accounts.cloned().collect();
    if of_accounts.is_empty() { hosts } else { of_accounts }
}

/// Returns everything that is joined to a row by keys.
fn cluster(begin: usize, keys: &BTreeMap<usize, Vec<String>>) -> BTreeSet<usize> {
    let mut found = BTreeSet::from([begin]);
    let mut due = vec![begin];
    while let Some(at) = due.pop() {
        let Some(mine) = keys.get(&at) else { continue };
        for (other, theirs) in keys {
            let is_joined = || {
                mine.iter()
                    .any(|key| theirs.iter().any(|it| it.contains(key.as_str()) || key.contains(it.as_str())))
            };
            if !found.contains(other) && is_joined() {
                found.insert(*other);
                due.push(*other);
            }
        }
    }
    found
}
