//! Collects what each fact names and relates, before keys are merged into entities.

use super::hosts::Hosts;
use super::keys::{EVERYWHERE, Keys, Space, Texts};
use super::kind::{EntityKind, RelationKind};
use super::name;
use super::path::{Path, Volume, in_evidence, name_of, profile_of, program_of, read};
use super::rules::{Recipe, Rule, Rules};
use crate::dating::dated_field;
use ledger::pattern::fold;
use ledger::{BoundValue, Clock, FactEntry, FactId, FieldValue, Time, Writer, is_of_container};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

/// The release of Windows NT 3.1, 1993-07-27, in nanoseconds since 1970. Earlier times were written before the host's clock was set.
const FIRST_WINDOWS: i64 = 743_731_200_000_000_000;

/// A reference to a fact among those of all runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FactRef {
    /// The index of its run.
    pub run: u16,
    /// Its id.
    pub fact: FactId,
}

/// A time, in nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct At {
    pub(super) nanoseconds: i64,
    /// Whether it is a local time of unknown zone.
    pub(super) is_local: bool,
    /// Whether the time is only an upper bound: it belongs to the container, such as a registry key.
    pub(super) is_latest: bool,
}

/// One mention: a fact names an entity.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mention {
    pub(super) key: u32,
    pub(super) fact: u32,
    pub(super) alias: u32,
}

/// One edge: a fact relates two entities.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) kind: RelationKind,
    pub(super) fact: u32,
    pub(super) at: Option<At>,
}

/// The part of a fact that is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept {
    pub(super) fact: FactRef,
    pub(super) host: u32,
    pub(super) at: Option<At>,
    pub(super) writer: Option<Writer>,
}

/// A process or session that a record names by its number and a time during its life.
#[derive(Debug, Clone, Copy)]
pub(super) struct Late {
    pub(super) host: u32,
    pub(super) number: u64,
    pub(super) at: i64,
    /// The key of its program or its account, which must agree.
    pub(super) with: Option<u32>,
}

/// The lifetime of a process or session.
#[derive(Debug, Clone, Copy)]
pub(super) struct Life {
    pub(super) key: u32,
    pub(super) start: i64,
    pub(super) with: Option<u32>,
}

/// Everything that was collected, by key.
#[derive(Debug)]
pub(super) struct Collected<'r> {
    rules: &'r Rules,
    pub(super) hosts: Hosts,
    pub(super) keys: Keys,
    pub(super) texts: Texts,
    pub(super) facts: Vec<Kept>,
    pub(super) mentions: Vec<Mention>,
    pub(super) edges: Vec<Edge>,
    /// Pairs of keys that one record states for one entity.
    pub(super) bound: HashSet<(u32, u32)>,
    /// The keys of files that are programs.
    pub(super) programs: HashSet<u32>,
    /// The hashes and the files that have them.
    pub(super) hashes: Vec<(u32, u32, u32)>,
    pub(super) contents: Texts,
    pub(super) late: BTreeMap<u32, Late>,
    /// Lifetimes by host and number.
    pub(super) lives: BTreeMap<(u32, u64), Vec<Life>>,
    /// End times of processes, by host and number.
    pub(super) ends: BTreeMap<(u32, u64), Vec<i64>>,
}

impl<'r> Collected<'r> {
    pub(super) fn new(rules: &'r Rules, hosts: Hosts) -> Collected<'r> {
        Collected {
            rules,
            hosts,
            keys: Keys::default(),
            texts: Texts::default(),
            facts: Vec::new(),
            mentions: Vec::new(),
            edges: Vec::new(),
            bound: HashSet::new(),
            programs: HashSet::new(),
            hashes: Vec::new(),
            contents: Texts::default(),
            late: BTreeMap::new(),
            lives: BTreeMap::new(),
            ends: BTreeMap::new(),
        }
    }

    /// Returns the instant of a time; `None` if the clock was not set.
    fn instant(&self, time: &Time) -> Option<At> {
        instant(time).filter(|at| self.rules.is_first() || at.nanoseconds >= FIRST_WINDOWS)
    }

    /// Returns the version of the rules.
    pub(super) const fn version(&self) -> u16 {
        self.rules.version
    }

    /// Collects what a fact names and relates.
    pub(super) fn add(&mut self, run: u16, fact: &FactEntry) {
        let rules = self.rules;
        let mut rules = rules.of(&fact.kind).peekable();
        if rules.peek().is_none() {
            return;
        }
        let Some(host) = self.hosts.of(run, fact) else { return };
        let Ok(number) = u32::try_from(self.facts.len()) else { return };
        let is_undated = rules.clone().all(|rule| rule.undated);
        let dated = dated_field(fact).filter(|_| !is_undated);
        let dated = dated.and_then(|(field, time)| Some((field, self.instant(time)?)));
        let at = dated.map(|(field, at)| At { is_latest: is_of_container(field), ..at });
        let writer = fact.writer();
        self.facts.push(Kept { fact: FactRef { run, fact: fact.id }, host, at, writer });
        let mut reading = Reading { all: self, fact, host, number };
        for rule in rules {
            if rule.says.is_empty() || rule.says.contains(&fact.predicate.0) {
                reading.apply(rule, at);
            }
        }
    }
}

/// Returns the instant of a time; `None` for a time kept by the file system of a copy.
pub(super) fn instant(time: &Time) -> Option<At> {
    let utc = time.utc.filter(|_| time.clock == Clock::Host)?;
    let nanoseconds = i64::try_from(utc.unix_nanoseconds()).ok()?;
    Some(At { nanoseconds, is_local: time.zone.is_some(), is_latest: false })
}

/// A fact that is being processed.
struct Reading<'c, 'r, 'f> {
    all: &'c mut Collected<'r>,
    fact: &'f FactEntry,
    host: u32,
    number: u32,
}

impl<'f> Reading<'_, '_, 'f> {
    fn apply(&mut self, rule: &Rule, dated: Option<At>) {
        let mut keys: Vec<Vec<u32>> = vec![Vec::new(); rule.roles.len()];
        // The account that a session must belong to is read before the session.
        let is_session = |kind: EntityKind| kind == EntityKind::LogonSession;
        for sessions in [false, true] {
            for (place, (kind, recipe)) in rule.roles.iter().enumerate() {
                if is_session(*kind) != sessions || !self.is_met(recipe) {
                    continue;
                }
                let of = rule.of.get(place).copied().flatten();
                let of = of.and_then(|of| keys.get(of)?.first().copied());
                let found = self.role(*kind, recipe, of);
                if let Some(keys) = keys.get_mut(place) {
                    *keys = found;
                }
            }
        }
        for related in &rule.relations {
            let is_idle = related.kind == RelationKind::PersistsThrough && !self.starts(rule);
            if is_idle && self.all.rules.is_first() {
                continue;
            }
            let at = match &related.time {
                Some(field) => self.time(field),
                None => dated,
            };
            let (Some(from), Some(to)) = (keys.get(related.from), keys.get(related.to)) else { continue };
            for (from, to) in from.iter().flat_map(|from| to.iter().map(move |to| (*from, *to))) {
                let (from, kind, to) = match is_idle {
                    true => (to, RelationKind::SetToRun, from),
                    false => (from, related.kind, to),
                };
                if from != to {
                    self.all.edges.push(Edge { from, to, kind, fact: self.number, at });
                }
            }
        }
    }

    /// Checks whether Windows automatically starts what the fact describes; disabled or manually started items do not count.
    fn starts(&self, rule: &Rule) -> bool {
        let said = |field: &str| self.named_field(field).and_then(text_of);
        if let Some(starts) = &rule.starts {
            return said(&starts.field).is_some_and(|it| starts.words.contains(&fold(it.trim())));
        }
        let state = ledger::state_field(&self.fact.kind);
        let is_usual =
            state.is_none_or(|state| said(&state.field).is_none_or(|it| state.usual.contains(it.as_ref())));
        let is_disabled = ["start_name", "start_type"]
            .into_iter()
            .any(|field| said(field).is_some_and(|it| it.eq_ignore_ascii_case("disabled")));
        is_usual && !is_disabled
    }

    fn is_met(&self, recipe: &Recipe) -> bool {
        recipe.when.as_ref().is_none_or(|[field, value]| self.text(Some(field)).as_deref() == Some(value))
    }

    /// Returns the keys that a role names, and adds a mention for each.
    fn role(&mut self, kind: EntityKind, recipe: &Recipe, of: Option<u32>) -> Vec<u32> {
        match kind {
            EntityKind::Host => self.host(recipe),
            EntityKind::Account => self.account(recipe).into_iter().collect(),
            EntityKind::Program => self.file(recipe, true).into_iter().collect(),
            EntityKind::File => self.file(recipe, false).into_iter().collect(),
            EntityKind::Process => self.process(recipe).into_iter().collect(),
            EntityKind::Service => self.service(recipe).into_iter().collect(),
            EntityKind::Device => self.device(recipe).into_iter().collect(),
            EntityKind::LogonSession => self.session(recipe, of).into_iter().collect(),
            EntityKind::Address => self.valued(recipe, Space::Address, name::address),
            EntityKind::Email => self.valued(recipe, Space::Email, name::email),
            EntityKind::Url => self.urls(recipe),
            EntityKind::Domain => match &recipe.site {
                Some(field) => {
                    let text = self.text(Some(field));
                    let read = if self.all.rules.is_first() { name::first_site } else { name::site };
                    let site = text.as_deref().and_then(read);
                    site.map(|site| self.named(site_space(&site), EVERYWHERE, &site, &site))
                        .into_iter()
                        .collect()
                }
                None => self.valued(recipe, Space::Domain, name::domain),
            },
            EntityKind::Share => self.share(recipe),
            EntityKind::ScheduledTask => self.of_host(recipe, Space::Task),
            EntityKind::RunEntry => self.of_host(recipe, Space::RunEntry),
            EntityKind::RegistryKey => self.of_host(recipe, Space::RegistryKey),
        }
    }

    fn host(&mut self, recipe: &Recipe) -> Vec<u32> {
        let names = [&recipe.name, &recipe.or_name].into_iter().filter_map(|field| self.text(field.as_ref()));
        let names: Vec<String> = names.map(Cow::into_owned).collect();
        if recipe.here {
            let Some(host) = self.all.hosts.get(self.host).map(|host| host.key.clone()) else {
                return vec![];
            };
            let key = self.key(Space::Host, EVERYWHERE, &host);
            if names.is_empty() {
                self.mention(key, &host);
            }
            names.iter().for_each(|name| self.mention(key, name));
            return vec![key];
        }
        let mut named = names.iter().filter_map(|name| name::host(name).map(|key| (key, name)));
        let named = named.next();
        named.map(|(key, name)| self.named(Space::HostName, EVERYWHERE, &key, name)).into_iter().collect()
    }

    fn account(&mut self, recipe: &Recipe) -> Option<u32> {
        let sid = self.text(recipe.sid.as_ref()).filter(|sid| name::is_sid(sid)).map(Cow::into_owned);
        let stated = self.text(recipe.name.as_ref()).filter(|it| name::is_name(it));
        let stated = stated.or_else(|| self.text(recipe.or_name.as_ref()).filter(|it| name::is_name(it)));
        let domain = self.text(recipe.domain.as_ref()).filter(|it| name::is_name(it));
        let said = stated.map(|name| match &domain {
            Some(domain) if !name.contains('\\') => format!("{domain}\\{name}"),
            _ => name.into_owned(),
        });
        let mut keys = Vec::new();
        if let Some(sid) = &sid {
            keys.push(self.sid(sid));
        }
        let is_first = self.all.rules.is_first();
        let said = said.filter(|said| {
            !recipe.qualified || (said.contains('\\') && (is_first || name::is_account(said)))
        });
        if let Some(said) = said.as_ref().filter(|said| !name::is_sid(said)) {
            keys.extend(self.account_name(said, recipe.local));
        }
        if let Some(group) = self.text(recipe.group.as_ref()).filter(|it| name::is_name(it)) {
            keys.push(self.key(Space::Group, self.host, &fold(&group)));
        }
        keys.extend(self.profile(recipe));
        let group = self.text(recipe.group.as_ref()).map(Cow::into_owned);
        let profile = self.text(recipe.profile.as_ref()).map(|path| name_of(&path).to_owned());
        let owner = || profile_of(&in_evidence(&self.fact.locator.path)).map(str::to_owned);
        let alias = said.or(group).or(profile).or_else(owner).or(sid);
        let key = self.bind(&keys)?;
        self.mention(key, &alias.unwrap_or_default());
        Some(key)
    }

    fn sid(&mut self, sid: &str) -> u32 {
        let (space, host) = match name::is_of_machine_or_domain(sid) {
            true if self.all.hosts.is_cloned(self.host, sid) && !self.all.rules.is_first() => {
                (Space::ClonedSid, self.host)
            }
            true => (Space::Sid, EVERYWHERE),
            false => (Space::LocalSid, self.host),
        };
        self.key(space, host, sid)
    }

    fn account_name(&mut self, said: &str, is_local: bool) -> Option<u32> {
        let folded = fold(said);
        if let Some(sid) = self.all.rules.sids.get(&folded).cloned() {
            return Some(self.key(Space::LocalSid, self.host, &sid));
        }
        let Some((domain, name)) = folded.split_once('\\') else {
            let (space, host) = match (is_local, folded.contains('@')) {
                (true, _) => (Space::AccountName, self.host),
                (false, true) => (Space::AccountName, EVERYWHERE),
                (false, false) => (Space::BareAccount, self.host),
            };
            return Some(self.key(space, host, &folded));
        };
        // Files outside their usual place can name any account.
        if self.all.hosts.get(self.host).is_some_and(|host| host.is_elsewhere) {
            return Some(self.key(Space::AccountName, self.host, &folded));
        }
        Some(match self.all.hosts.named(domain) {
            Some(host) => self.key(Space::AccountName, host, name),
            None if domain == "." => self.key(Space::AccountName, self.host, name),
            None if self.all.rules.authorities.contains(domain) => {
                self.key(Space::AccountName, self.host, &folded)
            }
            None => self.key(Space::AccountName, EVERYWHERE, &folded),
        })
    }

    fn profile(&mut self, recipe: &Recipe) -> Option<u32> {
        let stated =
            self.text(recipe.profile.as_ref()).map(|path| fold(name_of(path.trim_end_matches('\\'))));
        let owner = || {
            let owner = profile_of(&in_evidence(&self.fact.locator.path)).map(str::to_owned);
            owner.filter(|_| recipe.owner)
        };
        let folder = stated.filter(|it| !it.is_empty()).or_else(owner)?;
        Some(self.key(Space::Profile, self.host, &folder))
    }

    fn file(&mut self, recipe: &Recipe, is_program: bool) -> Option<u32> {
        let field =
            |reading: &Self, field: &Option<String>| reading.text(field.as_ref()).map(Cow::into_owned);
        let command = field(self, &recipe.command);
        let command = command.as_deref().and_then(program_of).map(str::to_owned);
        let path = field(self, &recipe.path).or_else(|| field(self, &recipe.or_path)).or(command);
        // Unreadable parts of a path are written in this form, and two that look alike need not be the same.
        let is_read = |path: &String| {
            self.all.rules.is_first() || !(path.split('\\').any(is_unreadable) || path.contains("://"))
        };
        let path = path.filter(is_read);
        let log = field(self, &recipe.log);
        let mut keys = Vec::new();
        let full = path.as_deref().and_then(|path| read(path, &self.all.rules.folders));
        keys.extend(self.reference(recipe, full.as_ref()));
        if let Some(log) = &log {
            keys.push(self.key(Space::Log, self.host, &fold(log)));
        }
        if let Some(full) = &full {
            keys.push(self.path(full));
        }
        let named = path.clone().or_else(|| field(self, &recipe.name));
        if let Some(name) = named.as_deref().filter(|it| keys.is_empty() && !it.trim().is_empty()) {
            // Two paths that are not known to be the same are not merged because they end alike.
            let mut name = fold(name.trim());
            if recipe.per_file {
                name = format!("{name} in {}", fold(name_of(&self.fact.locator.path)));
            }
            keys.push(self.key(Space::FileName, self.host, &name));
        }
        let key = self.bind(&keys)?;
        if is_program {
            self.all.programs.insert(key);
        }
        self.hashes(recipe, key);
        let alias = path.or(log).or(named).unwrap_or_default();
        self.mention(key, &alias);
        Some(key)
    }

    /// Returns the key of the file table entry: its number, its sequence number and the volume.
    fn reference(&mut self, recipe: &Recipe, path: Option<&Path>) -> Option<u32> {
        let entry = self.text(recipe.entry.as_ref())?.into_owned();
        let sequence = self.text(recipe.sequence.as_ref())?.into_owned();
        let located = in_evidence(&self.fact.locator.path);
        let volume = path.map_or(located.volume, |path| path.volume.clone());
        let volume = self.all.hosts.get(self.host)?.volume(&volume);
        Some(self.key(Space::FileReference, self.host, &format!("{volume} {entry}-{sequence}")))
    }

    fn path(&mut self, path: &Path) -> u32 {
        let host = if matches!(path.volume, Volume::Server(_)) { EVERYWHERE } else { self.host };
        let volume = self.all.hosts.get(self.host).map(|host| host.volume(&path.volume));
        self.key(Space::FilePath, host, &format!("{}\\{}", volume.unwrap_or_default(), path.rest))
    }

    fn hashes(&mut self, recipe: &Recipe, key: u32) {
        for (name, field) in [("sha256", &recipe.sha256), ("sha1", &recipe.sha1), ("md5", &recipe.md5)] {
            let Some(hash) = self.text(field.as_ref()) else { continue };
            let hash = hash.to_ascii_lowercase();
            if name::is_telling_hash(&hash) {
                let content = self.all.contents.number(&format!("{name} {hash}"));
                self.all.hashes.push((content, key, self.number));
            }
        }
    }

    fn process(&mut self, recipe: &Recipe) -> Option<u32> {
        let image = self.text(recipe.image.as_ref()).map(Cow::into_owned);
        let full = image.as_deref().and_then(|image| read(image, &self.all.rules.folders));
        let program = full.as_ref().map(|full| self.path(full));
        let guid = self.text(recipe.guid.as_ref()).map(|guid| fold(&guid)).filter(|it| !name::is_nothing(it));
        let pid = self.whole(recipe.pid.as_ref()).filter(|pid| *pid > 0);
        let start = recipe.start.as_ref().and_then(|field| self.time(field)).map(|at| at.nanoseconds);
        let at = recipe.at.as_ref().and_then(|field| self.time(field)).map(|at| at.nanoseconds);
        if let (true, Some(pid), Some(at)) = (recipe.ends, pid, at) {
            self.all.ends.entry((self.host, pid)).or_default().push(at);
        }
        let mut keys = Vec::new();
        if let Some(guid) = guid {
            keys.push(self.key(Space::ProcessGuid, EVERYWHERE, &guid));
        }
        if let Some((pid, start)) = pid.zip(start) {
            keys.push(self.key(Space::ProcessStart, self.host, &format!("{pid} {start}")));
        }
        if let (true, Some(pid), Some(at)) = (keys.is_empty(), pid, at) {
            let text = format!("{pid} {at} {}", program.unwrap_or(u32::MAX));
            let key = self.key(Space::ProcessAt, self.host, &text);
            self.all.late.insert(key, Late { host: self.host, number: pid, at, with: program });
            keys.push(key);
        }
        let alias = image.as_deref().map(|image| match pid {
            Some(pid) => format!("{} ({pid})", name_of(image)),
            None => name_of(image).to_owned(),
        });
        if keys.is_empty() {
            // Nothing identifies the process, so the record names only its program.
            let key = program?;
            self.all.programs.insert(key);
            self.mention(key, &image.unwrap_or_default());
            return Some(key);
        }
        let key = self.bind(&keys)?;
        if let Some((pid, start)) = pid.zip(start) {
            self.all.lives.entry((self.host, pid)).or_default().push(Life { key, start, with: program });
        }
        self.mention(key, &alias.unwrap_or_default());
        Some(key)
    }

    fn session(&mut self, recipe: &Recipe, of: Option<u32>) -> Option<u32> {
        // The system's own sessions have fixed numbers on every host.
        let number = self.whole(recipe.logon.as_ref()).filter(|number| *number > 0x3e7 && *number != 0)?;
        let time = |field: &Option<String>| field.as_ref().and_then(|field| self.time(field));
        let (start, at) = (time(&recipe.start), time(&recipe.at));
        // A bit that neither uses distinguishes session numbers from process numbers.
        let place = (self.host, number | 1 << 63);
        let alias = format!("session {number:#x}");
        if let Some(start) = start {
            let key = self.key(Space::SessionStart, self.host, &format!("{number:#x} {}", start.nanoseconds));
            let life = Life { key, start: start.nanoseconds, with: of };
            self.all.lives.entry(place).or_default().push(life);
            self.mention(key, &alias);
            return Some(key);
        }
        let at = at?.nanoseconds;
        let text = format!("{number:#x} {at} {}", of.unwrap_or(u32::MAX));
        let key = self.key(Space::SessionAt, self.host, &text);
        self.all.late.insert(key, Late { host: self.host, number: place.1, at, with: of });
        self.mention(key, &alias);
        Some(key)
    }

    fn service(&mut self, recipe: &Recipe) -> Option<u32> {
        let text = |field: &Option<String>| self.text(field.as_ref()).filter(|it| name::is_name(it));
        let (key, display) = (text(&recipe.value), text(&recipe.name));
        let (key, display) = (key.map(Cow::into_owned), display.map(Cow::into_owned));
        let mut keys = Vec::new();
        if let Some(key) = &key {
            keys.push(self.key(Space::Service, self.host, &fold(key)));
            keys.push(self.key(Space::ServiceName, self.host, &fold(key)));
        }
        if let Some(display) = &display {
            keys.push(self.key(Space::ServiceName, self.host, &fold(display)));
        }
        let bound = self.bind(&keys)?;
        for alias in [key, display].into_iter().flatten() {
            self.mention(bound, &alias);
        }
        Some(bound)
    }

    fn device(&mut self, recipe: &Recipe) -> Option<u32> {
        let text = |field: &Option<String>| self.text(field.as_ref()).map(Cow::into_owned);
        let instance = text(&recipe.instance).filter(|it| !it.is_empty());
        let serial = text(&recipe.serial).or_else(|| instance.as_deref().and_then(name::serial_of_instance));
        let serial = serial.filter(|serial| name::is_telling_serial(serial));
        let volume = text(&recipe.volume).as_deref().and_then(name::volume);
        let volume_serial = text(&recipe.volume_serial).filter(|it| name::is_telling_volume_serial(it));
        let called = text(&recipe.name).filter(|it| !it.is_empty());
        let mut keys = Vec::new();
        if let Some(serial) = &serial {
            keys.push(self.key(Space::Serial, EVERYWHERE, &name::serial(serial)));
        }
        for (space, text) in
            [(Space::Volume, &volume), (Space::VolumeSerial, &volume_serial), (Space::Instance, &instance)]
        {
            if let Some(text) = text {
                keys.push(self.key(space, self.host, &fold(text)));
            }
        }
        let key = self.bind(&keys)?;
        let alias = called.or(serial).or(instance).or(volume).or(volume_serial);
        self.mention(key, &alias.unwrap_or_default());
        Some(key)
    }

    fn share(&mut self, recipe: &Recipe) -> Vec<u32> {
        if let Some(name) = self.text(recipe.shared.as_ref()).map(Cow::into_owned) {
            return vec![self.named(Space::Share, self.host, &fold(&name), &name)];
        }
        let Some(text) = self.text(recipe.value.as_ref()).map(Cow::into_owned) else { return vec![] };
        match name::share(&text) {
            // In `\\*\IPC$`, a server refers to itself.
            Some((server, share)) if server == "*" => {
                vec![self.named(Space::Share, self.host, &share, &text)]
            }
            Some((server, share)) => {
                vec![self.named(Space::Share, EVERYWHERE, &format!("\\\\{server}\\{share}"), &text)]
            }
            None => vec![],
        }
    }

    /// Adds keys that are identified by text within a host and, if they are in a hive, by the hive.
    fn of_host(&mut self, recipe: &Recipe, space: Space) -> Vec<u32> {
        let Some(text) = self.text(recipe.value.as_ref()).map(Cow::into_owned) else { return vec![] };
        if text.trim().is_empty() {
            return vec![];
        }
        let key = match recipe.hive {
            true => format!("{}: {}", fold(&self.fact.locator.path), fold(&text)),
            false => fold(text.trim()),
        };
        vec![self.named(space, self.host, &key, &text)]
    }

    /// Adds keys that are identified by their value, on every host.
    fn valued(&mut self, recipe: &Recipe, space: Space, read: fn(&str) -> Option<String>) -> Vec<u32> {
        let read = self.values(recipe, read);
        read.into_iter().map(|(key, text)| self.named(space, EVERYWHERE, &key, &text)).collect()
    }

    /// Adds web addresses: global if they name another computer, otherwise specific to the host.
    fn urls(&mut self, recipe: &Recipe) -> Vec<u32> {
        let (read, here) = (self.values(recipe, name::url), self.host);
        let is_first = self.all.rules.is_first();
        let host = |key: &str| if !is_first && name::is_of_its_host(key) { here } else { EVERYWHERE };
        read.into_iter().map(|(key, text)| self.named(Space::Url, host(&key), &key, &text)).collect()
    }

    /// Returns the values of a role in comparable form, each with its original text.
    fn values(&self, recipe: &Recipe, read: fn(&str) -> Option<String>) -> Vec<(String, String)> {
        let mut texts = self.all_texts(recipe.value.as_ref());
        if texts.is_empty() {
            texts = self.all_texts(recipe.or_value.as_ref());
        }
        texts.into_iter().filter_map(|text| read(&text).map(|key| (key, text))).collect()
    }

    fn named(&mut self, space: Space, host: u32, key: &str, alias: &str) -> u32 {
        let key = self.key(space, host, key);
        self.mention(key, alias);
        key
    }

    fn key(&mut self, space: Space, host: u32, text: &str) -> u32 {
        self.all.keys.number(space, host, text)
    }

    fn mention(&mut self, key: u32, alias: &str) {
        let alias = self.all.texts.number(alias.trim());
        self.all.mentions.push(Mention { key, fact: self.number, alias });
    }

    /// Records that keys belong to one entity, and returns the one that represents it.
    fn bind(&mut self, keys: &[u32]) -> Option<u32> {
        let strong = |key: &&u32| self.all.keys.get(**key).is_some_and(|key| key.space.is_strong());
        let first = keys.iter().find(strong).or_else(|| keys.first()).copied()?;
        for key in keys.iter().filter(|key| **key != first) {
            self.all.bound.insert((first, *key));
        }
        Some(first)
    }

    fn named_field(&self, field: &str) -> Option<&'f BoundValue> {
        std::iter::once(&self.fact.subject).chain(&self.fact.values).find(|it| it.field == field)
    }

    fn bound(&self, field: Option<&String>) -> Option<&'f BoundValue> {
        self.named_field(field?)
    }

    fn text(&self, field: Option<&String>) -> Option<Cow<'f, str>> {
        text_of(self.bound(field)?)
    }

    fn all_texts(&self, field: Option<&String>) -> Vec<String> {
        match self.bound(field).map(|bound| &bound.value) {
            Some(FieldValue::List(items)) => items.clone(),
            Some(value) => vec![value.to_text().into_owned()],
            None => Vec::new(),
        }
    }

    fn whole(&self, field: Option<&String>) -> Option<u64> {
        match &self.bound(field)?.value {
            FieldValue::Integer(number) => u64::try_from(*number).ok(),
            _ => None,
        }
    }

    fn time(&self, field: &str) -> Option<At> {
        match self.named_field(field).map(|it| &it.value) {
            Some(FieldValue::Time(time)) => self.all.instant(time),
            _ => None,
        }
    }
}

/// Returns a value as text; for a list, its first item.
fn text_of(bound: &BoundValue) -> Option<Cow<'_, str>> {
    match &bound.value {
        FieldValue::List(items) => items.first().map(|item| Cow::Borrowed(item.as_str())),
        value => Some(value.to_text()),
    }
}

/// Checks whether a part of a path stands for an unreadable one, in the notation of shell items.
fn is_unreadable(part: &str) -> bool {
    part == "<>" || (part.starts_with("<0x") && part.ends_with('>'))
}

/// Returns the kind of key for a server: one named by its IP address counts as an address.
fn site_space(site: &str) -> Space {
    match name::address(site) {
        Some(_) => Space::Address,
        None => Space::Domain,
    }
}
