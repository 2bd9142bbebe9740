//! Finds pairs of facts that contradict each other; the kinds are a closed list.

use super::super::keys::FILE_REFERENCE;
use super::super::model::{Connections, EntityRef, Told};
use super::super::{FactRef, RelationKind};
use ledger::placement::tells_of_host;
use ledger::{Clock, FactEntry, FieldValue, Utc};
use std::collections::BTreeMap;

/// A kind of contradiction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ContradictionKind {
    /// A program ran before the file at its path was created: the file was replaced, or a time or the clock was changed.
    RanBeforeCreated,
    /// One SID has two names, or two profile folders, on one host: an account was renamed in between, or one source is not from this host.
    OneSidTwoNames,
    /// A log contains a record that is older, or has a lower number, than its first one: records were changed, or the log was put together.
    LogBeginsAfterRecord,
    /// One record number of one log has two different times: a copy of the log was changed.
    OneRecordTwoTimes,
    /// The change journal shows that a file table entry was deleted before its name was created.
    DeletedBeforeCreated,
    /// A process ended before it started.
    EndedBeforeStarted,
}

impl ContradictionKind {
    /// All kinds.
    pub const ALL: [ContradictionKind; 6] = [
        ContradictionKind::RanBeforeCreated,
        ContradictionKind::OneSidTwoNames,
        ContradictionKind::LogBeginsAfterRecord,
        ContradictionKind::OneRecordTwoTimes,
        ContradictionKind::DeletedBeforeCreated,
        ContradictionKind::EndedBeforeStarted,
    ];

    /// Returns the identifier used in formats.
    pub const fn name(self) -> &'static str {
        match self {
            ContradictionKind::RanBeforeCreated => "ran_before_created",
            ContradictionKind::OneSidTwoNames => "one_sid_two_names",
            ContradictionKind::LogBeginsAfterRecord => "log_begins_after_record",
            ContradictionKind::OneRecordTwoTimes => "one_record_two_times",
            ContradictionKind::DeletedBeforeCreated => "deleted_before_created",
            ContradictionKind::EndedBeforeStarted => "ended_before_started",
        }
    }

    /// Checks whether at most one of the two facts can be right about the host. The other kinds can also have an ordinary cause,
    /// such as a replaced file, and do not lower the confidence of an answer.
    pub const fn excludes(self) -> bool {
        match self {
            ContradictionKind::LogBeginsAfterRecord
            | ContradictionKind::OneRecordTwoTimes
            | ContradictionKind::DeletedBeforeCreated
            | ContradictionKind::EndedBeforeStarted => true,
            ContradictionKind::RanBeforeCreated | ContradictionKind::OneSidTwoNames => false,
        }
    }

    /// Describes the contradiction and its possible causes.
    pub const fn words(self) -> &'static str {
        match self {
            ContradictionKind::RanBeforeCreated => {
                "it ran before the file that lies there came into being: the file was replaced, or a time or the clock was changed"
            }
            ContradictionKind::OneSidTwoNames => {
                "one SID with two names: the account was renamed, or one of the sources is of another host"
            }
            ContradictionKind::LogBeginsAfterRecord => {
                "the log says that it begins after a record that it holds: it was changed or put together"
            }
            ContradictionKind::OneRecordTwoTimes => {
                "one record number of one log with two times: one of the copies was changed"
            }
            ContradictionKind::DeletedBeforeCreated => {
                "one entry of the file table was deleted before its name came into being: the clock was changed, or a record"
            }
            ContradictionKind::EndedBeforeStarted => {
                "a process ended before it started: the clock was changed, or a record"
            }
        }
    }
}

/// Two facts that contradict each other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Contradiction {
    /// The kind of contradiction.
    pub kind: ContradictionKind,
    /// What the two facts are about.
    pub about: String,
    /// One fact.
    pub one: FactRef,
    /// The other fact.
    pub other: FactRef,
}

/// A fact and its reference.
type Held<'f> = (FactRef, &'f FactEntry);

/// Finds the contradictions among facts, ordered by kind. Facts from files in places that prove nothing about the host are ignored.
pub fn contradictions<'f>(
    of: &Connections,
    facts: impl Iterator<Item = (u16, &'f FactEntry)>,
) -> Vec<Contradiction> {
    let facts: Vec<Held<'f>> = facts
        .filter(|(_, fact)| tells_of_host(fact.placement))
        .map(|(run, fact)| (FactRef { run, fact: fact.id }, fact))
        .collect();
    let by_ref: BTreeMap<FactRef, &FactEntry> = facts.iter().copied().collect();
    let mut found = Vec::new();
    for entity in of.entities() {
        of_file(of, entity, &by_ref, &mut found);
        of_process(of, entity, &by_ref, &mut found);
    }
    of_sids(of, &facts, &mut found);
    of_logs(of, &facts, &by_ref, &mut found);
    found.sort();
    found.dedup();
    found
}

/// Returns the instant in one of these fields, by the clock of the examined host.
fn instant(fact: &FactEntry, fields: &[&str]) -> Option<Utc> {
    let mut bound = std::iter::once(&fact.subject).chain(&fact.values);
    bound.find_map(|bound| match &bound.value {
        FieldValue::Time(time) if fields.contains(&bound.field.as_str()) => {
            time.utc.filter(|_| time.clock == Clock::Host && time.zone.is_none())
        }
        _ => None,
    })
}

fn text<'f>(fact: &'f FactEntry, field: &str) -> Option<&'f str> {
    let mut bound = std::iter::once(&fact.subject).chain(&fact.values);
    bound.find(|bound| bound.field == field)?.value.as_text()
}

fn number(fact: &FactEntry, field: &str) -> Option<i128> {
    let mut bound = std::iter::once(&fact.subject).chain(&fact.values);
    match bound.find(|bound| bound.field == field)?.value {
        FieldValue::Integer(number) => Some(number),
        _ => None,
    }
}

/// Fields in which the file system records when this file name was created: no program sets these times.
const CREATED: [&str; 2] = ["fn_created", "name_born"];

fn of_file(
    of: &Connections,
    entity: EntityRef,
    facts: &BTreeMap<FactRef, &FactEntry>,
    found: &mut Vec<Contradiction>,
) {
    if of.kind(entity).prefix() != "file" {
        return;
    }
    let created = of.names(entity).filter_map(|(_, told)| {
        let at = instant(facts.get(&told.fact)?, &CREATED)?;
        Some((at, told.fact))
    });
    let Some((created, by)) = created.max() else { return };
    let about = || of.title(entity).to_owned();
    let is_earlier = |told: &Told| {
        told.fact != by
            && told.when.is_some_and(|when| when.bounds() == (when.utc, when.utc) && when.utc < created)
    };
    let pair = |kind, told: Told| Contradiction { kind, about: about(), one: told.fact, other: by };
    let ran = of.relations_of(entity).into_iter().filter(|relation| {
        of.relation(*relation).is_some_and(|(_, kind, to)| kind == RelationKind::Ran && to == entity)
    });
    let ran = ran.flat_map(|relation| of.shown_by(relation)).filter(is_earlier);
    found.extend(ran.map(|told| pair(ContradictionKind::RanBeforeCreated, told)));
    // A file known only by its path may have been deleted and created again.
    if of.key(entity).0 == FILE_REFERENCE {
        let journal = |told: &Told| facts.get(&told.fact).is_some_and(|fact| fact.kind == "usn_deleted");
        let deleted = of.names(entity).map(|(_, told)| told).filter(|told| journal(told) && is_earlier(told));
        found.extend(deleted.map(|told| pair(ContradictionKind::DeletedBeforeCreated, told)));
    }
}

fn of_process(
    of: &Connections,
    entity: EntityRef,
    facts: &BTreeMap<FactRef, &FactEntry>,
    found: &mut Vec<Contradiction>,
) {
    if of.kind(entity).prefix() != "process" {
        return;
    }
    let of_kind = |kind: &str| {
        let told = of.names(entity).filter_map(|(_, told)| Some((told.fact, *facts.get(&told.fact)?)));
        told.filter(|(_, fact)| fact.kind == kind)
            .filter_map(|(id, fact)| Some((instant(fact, &["time"])?, id)))
            .min()
    };
    if let Some(((started, one), (ended, other))) = of_kind("process_created").zip(of_kind("process_ended"))
        && ended < started
    {
        let about = of.title(entity).to_owned();
        found.push(Contradiction { kind: ContradictionKind::EndedBeforeStarted, about, one, other });
    }
}

/// Compares the names that accounts and profiles on one host give the same SID.
fn of_sids(of: &Connections, facts: &[Held<'_>], found: &mut Vec<Contradiction>) {
    let mut names: BTreeMap<(&str, &str, &str), (String, FactRef)> = BTreeMap::new();
    for (id, fact) in facts {
        let name = match fact.kind.as_str() {
            "user_account" => text(fact, "name"),
            "user_profile" => text(fact, "profile_path"),
            _ => None,
        };
        let (Some(name), Some(sid), Some(host)) = (name, text(fact, "sid"), of.host_of(*id)) else {
            continue;
        };
        let name = ledger::pattern::fold(name);
        let (known, one) = names.entry((host, &fact.kind, sid)).or_insert((name.clone(), *id)).clone();
        if known != name {
            let (kind, about) = (ContradictionKind::OneSidTwoNames, sid.to_owned());
            found.push(Contradiction { kind, about, one: one.min(*id), other: one.max(*id) });
        }
    }
}

/// Compares logs with their own records, and copies of the same record in several files.
fn of_logs(
    of: &Connections,
    facts: &[Held<'_>],
    by_ref: &BTreeMap<FactRef, &FactEntry>,
    found: &mut Vec<Contradiction>,
) {
    type File<'f> = (u16, &'f str, &'f str);
    let mut logs: BTreeMap<File<'_>, (FactRef, Option<Utc>, Option<i128>)> = BTreeMap::new();
    for (id, fact) in facts.iter().filter(|(_, fact)| fact.kind == "event_log") {
        let Some(path) = text(fact, "path") else { continue };
        let log = logs.entry((id.run, &fact.locator.evidence, path)).or_insert((*id, None, None));
        log.1 = log.1.or(instant(fact, &["first"]));
        log.2 = log.2.or(number(fact, "first_record_id"));
    }
    let mut records: BTreeMap<(&str, &str, i128), (Utc, FactRef)> = BTreeMap::new();
    for (id, fact) in facts {
        let Some(record) = number(fact, "record_id") else { continue };
        let time = instant(fact, &["time"]);
        let path = fact.locator.path.as_str();
        if let Some((log, first, first_id)) = logs.get(&(id.run, fact.locator.evidence.as_str(), path)) {
            let is_before = first.zip(time).is_some_and(|(first, time)| time < first)
                || first_id.is_some_and(|first| record < first);
            if is_before {
                let (kind, about) = (ContradictionKind::LogBeginsAfterRecord, path.to_owned());
                found.push(Contradiction { kind, about, one: *log, other: *id });
            }
        }
        let (Some(time), Some(host)) = (time, of.host_of(*id)) else { continue };
        let channel = super::super::path::name_of(path);
        let (known, one) = *records.entry((host, channel, record)).or_insert((time, *id));
        if known != time && is_one_record(by_ref.get(&one).copied(), fact) {
            let kind = ContradictionKind::OneRecordTwoTimes;
            let about = format!("{channel} {record}");
            found.push(Contradiction { kind, about, one: one.min(*id), other: one.max(*id) });
        }
    }
}

/// Checks whether two facts are about the same record. A cleared log restarts its numbers, so both must have the same event id;
/// evidence may hold the logs of two installations, so both must name the same computer.
fn is_one_record(one: Option<&FactEntry>, other: &FactEntry) -> bool {
    one.is_some_and(|one| {
        let computer = text(one, "computer");
        one.kind == other.kind
            && number(one, "event_id") == number(other, "event_id")
            && computer.is_some()
            && computer == text(other, "computer")
    })
}
