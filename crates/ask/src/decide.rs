//! From rows to an answer.
//!
//! An answer is given where rows bear it out, a no where a source that would tell is there and tells nothing; everything else is not determinable.

use crate::answer::{Answer, Cited, Reason, Verdict};
use crate::looks::{Look, MOST};
use crate::matching::{Fit, Sought, fit, normal, sought};
use crate::picked::picked;
use crate::question::{Order, Question, Reading};
use crate::topic::{OWNER, Source};
use crate::world::{Row, World};
use std::collections::{BTreeMap, BTreeSet};

/// The most rows that an answer cites.
pub(crate) const CITED: usize = 40;

/// The most rows that are joined by keys: each is compared with each.
const JOINED: usize = 500;

/// Decides a question by the rows that its looks found.
pub fn decide(question: &Question, looks: &[Look], rows: &[Row], world: &World) -> Answer {
    if question.is_beyond {
        let note = "intent, the person behind an account and opinions are not in records".to_owned();
        return Answer::not_determinable(Reason::NoQuestionOfEvidence, None, note);
    }
    if question.is_time_ambiguous {
        return Answer::not_determinable(Reason::Ambiguous, None, String::new())
            .asking("Which time is meant? Write it as 2022-03-10, or 2022-03-10 at 20:26 (UTC).".to_owned());
    }
    if question.readings.is_empty() {
        return Answer::not_determinable(
            Reason::Ambiguous,
            None,
            "the question was not understood".to_owned(),
        )
        .asking(
            "What is asked about: a program, a file, an account, a device, a log, or the system?".to_owned(),
        );
    }
    let mut first = None;
    for (place, reading) in question.readings.iter().enumerate() {
        // That there was nothing is shown; another topic need not be asked.
        if reading.is_other && first.as_ref().is_some_and(|answer: &Answer| answer.verdict == Verdict::No) {
            continue;
        }
        let found = Found::of(place, question, reading, looks, rows, world);
        // A folder or a document is no program.
        let is_of_programs = reading.topic.sources.iter().any(|source| !source.program.is_empty());
        let is_program =
            |name: &crate::question::Name| name.spellings.iter().any(|spelling| spelling.ends_with(".exe"));
        if reading.is_other && is_of_programs && !reading.names.iter().any(is_program) {
            continue;
        }
        let has_rows = !found.chosen.is_empty();
        let answer = found.answer();
        if has_rows && !matches!(answer.verdict, Verdict::NotDeterminable(Reason::Ambiguous)) {
            return answer;
        }
        // What is known of an account is rather asked of accounts, of a file of files.
        first = match first {
            None => Some(answer),
            Some(before) => Some(surer(before, answer)),
        };
    }
    first.unwrap_or_else(|| Answer::not_determinable(Reason::Ambiguous, None, String::new()))
}

/// Of two answers that rest on nothing the one that claims less.
fn surer(one: Answer, other: Answer) -> Answer {
    match (one.verdict, other.verdict) {
        (Verdict::No, Verdict::NotDeterminable(_)) => other,
        _ => one,
    }
}

/// What was found for one reading of a question.
pub(crate) struct Found<'a> {
    pub(crate) question: &'a Question,
    pub(crate) reading: &'a Reading,
    pub(crate) world: &'a World,
    rows: &'a [Row],
    looks: &'a [Look],
    /// Places of the rows that fit all that the question names.
    pub(crate) chosen: Vec<usize>,
    /// Those that are left out by name.
    left_out: Vec<usize>,
    /// Names that no row bears, and that are neither account nor host.
    unmet: Vec<String>,
    /// Rows of the hosts that are asked, whatever they name.
    mine: Vec<usize>,
    /// Names of accounts.
    accounts: usize,
    /// Names of things, neither accounts nor hosts.
    things: usize,
    /// Rows that bear the name of a thing, whatever else is named.
    of_things: Vec<usize>,
    /// Whether a row may stand for an occasion in the span that is asked, and does not say so.
    may_hide: bool,
    /// Whether one of them may be a word that was not understood.
    is_unsure: bool,
    /// The pieces of evidence that are asked.
    hosts: BTreeSet<String>,
    /// Whether there are more rows than were looked at.
    is_cut: bool,
}

impl<'a> Found<'a> {
    fn of(
        place: usize,
        question: &'a Question,
        reading: &'a Reading,
        looks: &'a [Look],
        rows: &'a [Row],
        world: &'a World,
    ) -> Found<'a> {
        let names: Vec<Sought<'_>> = reading.names.iter().map(|name| sought(name, world)).collect();
        let mut hosts: BTreeSet<String> = names.iter().flat_map(|it| it.hosts.iter().cloned()).collect();
        if hosts.is_empty() {
            hosts = world.hosts.iter().map(|host| host.label.clone()).collect();
        }
        // An account is asked of the host that has it.
        let of_accounts: BTreeSet<String> = names
            .iter()
            .flat_map(|it| it.hosts_of_account.iter())
            .filter(|host| hosts.contains(*host))
            .cloned()
            .collect();
        let asked_hosts = if of_accounts.is_empty() { hosts.clone() } else { of_accounts };
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
            may_hide: false,
            things: 0,
            accounts: 0,
            mine: Vec::new(),
            of_things: Vec::new(),
            is_unsure: false,
            hosts: asked_hosts,
            is_cut: false,
        };
        let mut per_look: BTreeMap<usize, usize> = BTreeMap::new();
        for at in &mine {
            if let Some(row) = rows.get(*at) {
                *per_look.entry(row.look).or_default() += 1;
            }
        }
        found.is_cut = per_look.values().any(|count| *count >= MOST);
        found.choose(&mine, &names);
        found.mine = mine;
        found
    }

    pub(crate) fn row(&self, at: usize) -> Option<(&'a Row, &'a Source)> {
        let row = self.rows.get(at)?;
        let look = self.looks.get(row.look)?;
        Some((row, self.reading.topic.sources.get(look.source)?))
    }

    /// Whether the question names a thing or an account, and not hosts alone.
    pub(crate) const fn names_something(&self) -> bool {
        self.things > 0 || self.accounts > 0
    }

    /// Whether the flags of a row say that it is in force; `None` where its source has no such flags.
    pub(crate) fn is_in_force(&self, at: usize) -> Option<bool> {
        let (row, source) = self.row(at)?;
        let flag = source.off_flag.as_deref()?;
        Some(!row.get("flags")?.contains(flag))
    }

    /// The place of a row's source among those of the topic.
    pub(crate) fn source_of(&self, at: usize) -> Option<usize> {
        Some(self.looks.get(self.rows.get(at)?.look)?.source)
    }

    fn choose(&mut self, mine: &[usize], names: &[Sought<'_>]) {
        let asked: Vec<&Sought<'_>> = names.iter().filter(|it| it.hosts.is_empty()).collect();
        let mut sets: Vec<BTreeSet<usize>> = Vec::new();
        for name in &asked {
            let fits: Vec<(usize, Fit)> = mine
                .iter()
                .filter_map(|at| self.row(*at).and_then(|(row, source)| Some((*at, fit(name, source, row)?))))
                .collect();
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
            sets.push(fits.into_iter().filter(|it| Some(it.1) == best).map(|it| it.0).collect());
        }
        let mut all = self.together(mine, &sets);
        let linked = |at: &usize| self.row(*at).is_some_and(|(_, source)| source.linked);
        if asked.is_empty() && all.iter().any(|at| !linked(at)) {
            all.retain(|at| !linked(at));
        }
        // Alone they tell nothing.
        if all.iter().all(linked) {
            all.clear();
        }
        let out: Vec<Sought<'_>> =
            self.reading.excluded.iter().map(|name| sought(name, self.world)).collect();
        let is_out = |at: &usize| {
            self.row(*at).is_some_and(|(row, source)| out.iter().any(|name| fit(name, source, row).is_some()))
        };
        self.left_out = all.iter().copied().filter(is_out).collect();
        all.retain(|at| !self.left_out.contains(at));
        if let Some(span) = &self.question.span {
            self.may_hide =
                all.iter().any(|at| self.row(*at).is_some_and(|(row, source)| may_hide(row, source, span)));
            let lies_in = |at: &usize| {
                self.row(*at)
                    .is_some_and(|(row, source)| times(row, source).iter().any(|(_, time)| span.holds(time)))
            };
            all.retain(lies_in);
        }
        let is_fallback = |at: &usize| self.row(*at).is_some_and(|(_, source)| source.fallback);
        if all.iter().any(|at| !is_fallback(at)) {
            all.retain(|at| !is_fallback(at));
        }
        self.chosen = all;
    }

    /// The rows that fit all names, alone or with others that they share a key with.
    fn together(&self, mine: &[usize], sets: &[BTreeSet<usize>]) -> Vec<usize> {
        if sets.is_empty() {
            return mine.to_vec();
        }
        let alone = |at: &usize| sets.iter().all(|set| set.contains(at));
        let keyed: Vec<usize> = mine
            .iter()
            .copied()
            .filter(|at| self.row(*at).is_some_and(|(_, source)| !source.keys.is_empty()))
            .collect();
        if keyed.is_empty() || keyed.len() > JOINED {
            return mine.iter().copied().filter(alone).collect();
        }
        let keys: BTreeMap<usize, Vec<String>> = keyed.iter().map(|at| (*at, self.keys(*at))).collect();
        let mut chosen = BTreeSet::new();
        for set in sets {
            for begin in set {
                let cluster = cluster(*begin, &keys);
                if sets.iter().all(|set| set.iter().any(|at| cluster.contains(at))) {
                    chosen.extend(cluster.into_iter().filter(|at| {
                        sets.iter().any(|set| set.contains(at))
                            || self.row(*at).is_some_and(|(_, source)| !source.linked)
                    }));
                }
            }
        }
        chosen.into_iter().collect()
    }

    fn keys(&self, at: usize) -> Vec<String> {
        let Some((row, source)) = self.row(at) else { return Vec::new() };
        let values = source.keys.iter().filter_map(|field| row.get(field)).map(normal);
        values.filter(|key| key.len() >= 8).collect()
    }

    fn answer(&self) -> Answer {
        let topic = self.reading.topic;
        if self.question.wants.yes_or_no
            && topic.attribute
            && self.chosen.is_empty()
            && !topic.sources.is_empty()
        {
            let is_there = self.sources().any(|source| self.is_there(source));
            let reason = if is_there { Reason::Ambiguous } else { Reason::NoSource };
            return Answer::not_determinable(
                reason,
                Some(&topic.id),
                format!("what was asked of {} was not understood", topic.about),
            );
        }
        if topic.sources.is_empty() {
            let note = format!("no evidence of this kind is read: {}", topic.about);
            return Answer::not_determinable(Reason::NoSource, Some(&topic.id), note);
        }
        if self.chosen.is_empty() {
            return self.nothing();
        }
        let is_told = |class: &&str| topic.tells.iter().any(|told| told == class);
        if let Some(class) = self.question.class.filter(|class| !is_told(class)) {
            let note = format!("{} do not tell of each {class}", topic.about);
            return Answer::not_determinable(Reason::Ambiguous, Some(&topic.id), note);
        }
        if self.question.wants.yes_or_no && topic.attribute {
            let note = format!("what was asked of {} was not understood", topic.about);
            return Answer::not_determinable(Reason::Ambiguous, Some(&topic.id), note);
        }
        let is_narrowed = self.names_something() || self.question.span.is_some();
        if topic.named && self.things == 0 && (self.question.wants.yes_or_no || !is_narrowed) {
            let note = "the question names nothing that could be looked for".to_owned();
            return Answer::not_determinable(Reason::Ambiguous, Some(&topic.id), note);
        }
        if self.question.has_condition {
            let note =
                "a part of the question that puts it before or after something else was not understood"
                    .to_owned();
            return Answer::not_determinable(Reason::Ambiguous, Some(&topic.id), note)
                .asking("Before or after which time, as a date and a time of day?".to_owned());
        }
        picked(self)
    }

    /// What follows where no row fits.
    fn nothing(&self) -> Answer {
        let topic = self.reading.topic;
        let id = Some(topic.id.as_str());
        if !self.sources().any(|source| self.is_there(source)) {
            let note = format!("nothing in the evidence could tell of {}", topic.about);
            return Answer::not_determinable(Reason::NoSource, id, note);
        }
        if self.is_unsure {
            let note = format!("not understood, or not found: {}", self.unmet.join(", "));
            return Answer::not_determinable(Reason::Ambiguous, id, note);
        }
        // What is done by others, or with something else, is no no: which words belong together was not read.
        let tells_who =
            |at: &usize| self.row(*at).is_some_and(|(_, source)| !source.who.is_empty() && !source.linked);
        let is_partly_met =
            !self.of_things.is_empty() && (self.things > 1 || !self.of_things.iter().all(tells_who));
        if self.question.wants.yes_or_no
            && self.left_out.is_empty()
            && is_partly_met
            && self.question.span.is_none()
        {
            let note = "records name a part of what was asked, and none all of it".to_owned();
            return Answer::not_determinable(Reason::NotRecorded, id, note);
        }
        if !self.left_out.is_empty() && (self.question.wants.yes_or_no || !self.question.wants.is_of_one()) {
            return self.no(self.left_out.iter().map(|at| self.cited(*at)).collect());
        }
        let is_listing = !self.question.wants.is_of_one();
        let is_told = |class: &&str| topic.tells.iter().any(|told| told == class);
        if self.question.class.is_some_and(|class| !is_told(&class)) {
            let note = format!("{} do not tell of that", topic.about);
            return Answer::not_determinable(Reason::Ambiguous, id, note);
        }
        let shows = self.sources().any(|source| {
            source.full && self.would_tell(source) && self.is_whole(source) && self.tells_of_accounts(source)
        });
        let may_be_no = self.question.wants.yes_or_no || is_listing && self.unmet.is_empty();
        // That a setting is not written down tells nothing of what is in force.
        let is_of_state = self.sources().any(|source| source.state || source.off_flag.is_some());
        if may_be_no && shows && !is_of_state && !self.is_cut && !self.may_hide && !topic.attribute {
            let mut no = self.no(Vec::new());
            let silent =
                |host: &&String| !self.sources().any(|source| source.full && self.is_there_on(source, host));
            no.notes.extend(
                self.hosts.iter().filter(silent).map(|host| format!("{host} has no source that could tell")),
            );
            return no;
        }
        Answer::not_determinable(
            Reason::NotRecorded,
            id,
            format!("nothing of the sort is recorded among {}", topic.about),
        )
    }

    pub(crate) fn no(&self, cited: Vec<Cited>) -> Answer {
        let note = if cited.is_empty() {
            format!("none recorded among {}", self.reading.topic.about)
        } else {
            String::new()
        };
        Answer {
            verdict: Verdict::No,
            topic: Some(&self.reading.topic.id),
            cited,
            count: None,
            more: false,
            notes: if note.is_empty() { Vec::new() } else { vec![note] },
            questions: Vec::new(),
        }
    }

    pub(crate) fn sources(&self) -> impl Iterator<Item = &'a Source> {
        self.reading.topic.sources.iter().filter(|source| self.reading.asks(source))
    }

    /// Whether a piece of evidence that is asked has a source of such records.
    pub(crate) fn is_there(&self, source: &Source) -> bool {
        self.hosts.iter().any(|host| self.is_there_on(source, host))
    }

    fn is_there_on(&self, source: &Source, host: &str) -> bool {
        match &source.log {
            None => self.world.sources.contains(&(host.to_owned(), source.record.clone())),
            Some(_) => self.logs(source, host).next().is_some(),
        }
    }

    /// Whether nothing in a source shows that the accounts that are named did nothing: it says who did what, and, where each user has files of their own, those of these users are there.
    fn tells_of_accounts(&self, source: &Source) -> bool {
        if self.accounts == 0 {
            return true;
        }
        let is_of_nobody = self.things > 0 && self.of_things.is_empty();
        if source.who.is_empty() {
            return is_of_nobody;
        }
        let of_source = |at: &usize| self.row(*at).is_some_and(|(_, it)| std::ptr::eq(it, source));
        let rows: Vec<usize> = self.mine.iter().copied().filter(of_source).collect();
        if source.is_owned() {
            let mut names = self.reading.names.iter().map(|name| sought(name, self.world));
            return names.all(|name| {
                let owns = |at: &usize| {
                    self.row(*at)
                        .and_then(|(row, _)| row.owner())
                        .is_some_and(|owner| name.accounts.contains(&owner))
                };
                name.accounts.is_empty() || rows.iter().any(owns)
            });
        }
        // Where no record says who it was, none of an account says nothing.
        let has_who = |at: &usize| {
            self.row(*at).is_some_and(|(row, _)| source.who.iter().any(|field| row.get(field).is_some()))
        };
        rows.is_empty() || rows.iter().any(has_who)
    }

    /// Whether a source tells of things with the endings of the names.
    fn would_tell(&self, source: &Source) -> bool {
        let ends = |text: &str| {
            let low = text.to_lowercase();
            let ending = low.rsplit_once('.').map(|(_, ending)| ending.to_owned());
            ending.is_none_or(|ending| ending.len() > 4 || source.endings.contains(&ending))
        };
        source.endings.is_empty() || self.reading.names.iter().all(|name| ends(&name.text))
    }

    /// Whether the sources of such records reach over the time that is asked, on every piece of evidence that has one; the others are named in the answer.
    fn is_whole(&self, source: &Source) -> bool {
        let mut hosts = self.hosts.iter().filter(|host| self.is_there_on(source, host)).peekable();
        hosts.peek().is_some()
            && hosts.all(|host| {
                let reaches = |first: Option<&str>, last: Option<&str>| {
                    let Some(span) = &self.question.span else { return true };
                    let begins = span.from.as_deref().zip(first).is_none_or(|(from, first)| first <= from);
                    let ends = span.to.as_deref().zip(last).is_none_or(|(to, last)| last >= to);
                    begins && ends && first.is_some()
                };
                match &source.log {
                    None => self.is_there_on(source, host),
                    Some(_) => {
                        let mut logs = self.logs(source, host).peekable();
                        logs.peek().is_some()
                            && logs.all(|log| {
                                let is_uncut = !log.cleared
                                    || self.question.span.is_some()
                                    || source.record == "log_cleared";
                                is_uncut && reaches(log.first.as_deref(), log.last.as_deref())
                            })
                    }
                }
            })
    }

    fn logs(&self, source: &Source, host: &str) -> impl Iterator<Item = &'a crate::world::LogSpan> {
        let wanted: Vec<String> = match source.log.as_deref() {
            Some("@named") => {
                let named = self.reading.names.iter().flat_map(|name| name.spellings.iter().cloned());
                let named: Vec<String> = named.collect();
                if named.is_empty() { vec!["security".to_owned(), "system".to_owned()] } else { named }
            }
            Some(channel) => vec![channel.to_lowercase()],
            None => Vec::new(),
        };
        let host = host.to_owned();
        self.world.logs.iter().filter(move |log| {
            let channels = log.channels.to_lowercase();
            let is_it = |channel: &String| {
                let is_short = !channel.contains(['-', '/']) && channel != "sysmon";
                if is_short { channels == *channel } else { channels.contains(channel.as_str()) }
            };
            log.evidence == host
                && (wanted.iter().any(is_it)
                    || wanted.iter().any(|it| it.starts_with("terminalservices") || it == "taskscheduler")
                        && wanted.iter().any(|it| channels.contains(it.as_str())))
        })
    }

    /// A row with what names it and the times that it has.
    pub(crate) fn cited(&self, at: usize) -> Cited {
        let mut fields: Vec<String> = Vec::new();
        if let Some((row, source)) = self.row(at) {
            fields.extend(source.name.iter().filter(|field| row.get(field).is_some()).cloned());
        }
        Cited { row: at, fields }
    }

    /// Whether rows may be missing because there are too many.
    pub(crate) const fn is_cut(&self) -> bool {
        self.is_cut
    }
}

impl crate::question::Wants {
    /// Whether a value of what is named is asked, and no list of what there is.
    pub(crate) const fn is_of_one(self) -> bool {
        self.time || self.who || self.from || self.by
    }
}

/// Whether a row may stand for an occasion in a span and not say so: it has no time at all, or only that of a later occasion.
fn may_hide(row: &Row, source: &Source, span: &crate::spans::Span) -> bool {
    let times = times(row, source);
    let is_later = |time: &str| span.to.as_deref().is_some_and(|to| time > to && !time.starts_with(to));
    times.is_empty() || !source.every && times.iter().any(|(_, time)| is_later(time))
}

/// Everything that is joined to a row by keys.
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

/// The times of a row that tell when it was, each with its field.
pub(crate) fn times<'r>(row: &'r Row, source: &'r Source) -> Vec<(&'r str, &'r str)> {
    let fields = source.time.iter().chain(&source.first);
    let mut times: Vec<(&str, &str)> =
        fields.filter_map(|field| Some((field.as_str(), row.get(field)?))).collect();
    times.dedup();
    times
}

/// The values of a role, each with its field.
pub(crate) fn role<'r>(row: &'r Row, fields: &'r [String]) -> Vec<(&'r str, &'r str)> {
    fields
        .iter()
        .filter(|field| *field != OWNER)
        .filter_map(|field| Some((field.as_str(), row.get(field)?)))
        .collect()
}

/// Which of several is wanted, of all that the question and the topic say.
pub(crate) const fn wants_first(question: &Question) -> bool {
    matches!(question.order, Some(Order::First))
}
