//! Of the rows that fit, those that are the answer, and which of their values.

use crate::answer::{Answer, Cited, Reason, Verdict};
use crate::decide::{CITED, Found, role, times, wants_first};
use crate::matching::{normal, program_of};
use crate::question::Order;
use crate::topic::{OWNER, Source};
use crate::world::Row;
use std::collections::BTreeSet;

/// The answer that the chosen rows bear.
pub(crate) fn picked(found: &Found<'_>) -> Answer {
    let wants = found.question.wants;
    let topic = found.reading.topic;
    if wants.yes_or_no {
        return yes_or_no(found);
    }
    if let Some(question) = several_places(found) {
        let note = "programs of this name lie in several folders".to_owned();
        return Answer::not_determinable(Reason::Ambiguous, Some(&topic.id), note).asking(question);
    }
    let mut rows = found.chosen.clone();
    rows.retain(|at| found.is_in_force(*at).is_none_or(|on| on != found.reading.is_negated));
    if rows.is_empty() {
        return found.no(Vec::new());
    }
    if let Some(missing) = missing_role(found, &rows) {
        return missing;
    }
    if wants.who {
        rows.retain(|at| found.row(*at).is_some_and(|(row, source)| has_who(row, source)));
    }
    if wants.time || found.question.order.is_some() {
        let has_time =
            |at: &usize| found.row(*at).is_some_and(|(row, source)| !dated(found, row, source).is_empty());
        let is_placed = |at: &usize| found.row(*at).is_some_and(|(_, source)| source.order.is_some());
        if rows.iter().any(has_time) {
            rows.retain(|at| has_time(at) || is_placed(at));
        } else if wants.time {
            return not_recorded(found, "no time");
        }
    }
    for (is_wanted, of) in [(wants.from, 0), (wants.by, 1), (wants.count, 2)] {
        let has = |at: &usize| {
            found.row(*at).is_some_and(|(row, source)| {
                let fields = match of {
                    0 => &source.from,
                    1 => &source.by,
                    _ => &source.count,
                };
                !role(row, fields).is_empty()
            })
        };
        if is_wanted && rows.iter().any(has) {
            rows.retain(has);
        }
    }
    let is_unit = found.question.counted.as_ref().is_some_and(|counted| topic.units.contains(counted));
    if wants.number && !is_unit {
        return number(found, rows);
    }
    if let Some(order) = found.question.order {
        let has_time =
            |at: &usize| found.row(*at).is_some_and(|(row, source)| !dated(found, row, source).is_empty());
        if topic.undated && rows.len() > 1 && !rows.iter().all(has_time) {
            return not_recorded(found, "no time");
        }
        match one_of(found, &rows, order) {
            Ok(one) => rows = one,
            Err(answer) => return answer,
        }
    }
    if wants.most {
        return most(found, &rows);
    }
    let counted =
        |at: &usize| found.row(*at).is_some_and(|(row, source)| !role(row, &source.count).is_empty());
    let each = |at: &usize| found.row(*at).is_some_and(|(_, source)| source.every);
    // Where nothing counts, the records of a source that has each occasion are counted.
    if wants.count && !rows.iter().any(counted) {
        if found.is_cut() || !rows.iter().all(each) {
            return not_recorded(found, "no count");
        }
        let count = rows.len() as u64;
        return values(found, &rows, Some(count));
    }
    values(found, &rows, None)
}

/// What was done most often, by each source that counts.
fn most(found: &Found<'_>, rows: &[usize]) -> Answer {
    let count = |at: &usize| {
        let (row, source) = found.row(*at)?;
        role(row, &source.count).first()?.1.parse::<u64>().ok()
    };
    let counted: Vec<(Option<usize>, u64, usize)> =
        rows.iter().filter_map(|at| Some((found.source_of(*at), count(at)?, *at))).collect();
    if counted.is_empty() || found.is_cut() {
        return not_recorded(found, "no count");
    }
    let is_most =
        |one: &(Option<usize>, u64, usize)| counted.iter().all(|other| other.0 != one.0 || other.1 <= one.1);
    let rows: Vec<usize> = counted.iter().filter(|one| is_most(one)).map(|one| one.2).collect();
    values(found, &rows, None)
}

/// How many things there are: by one source alone, for several tell of the same things.
fn number(found: &Found<'_>, rows: Vec<usize>) -> Answer {
    let first = rows.iter().filter_map(|at| found.source_of(*at)).min();
    let of_first = |at: &usize| found.source_of(*at) == first;
    let rows: Vec<usize> = rows.into_iter().filter(of_first).collect();
    let named = |at: &usize| {
        found.row(*at).map(|(row, source)| {
            (
                row.evidence.clone(),
                role(row, &source.name).into_iter().map(|it| it.1.to_owned()).collect::<Vec<_>>(),
            )
        })
    };
    let each = rows.iter().any(|at| found.row(*at).is_some_and(|(_, source)| source.every));
    let names: BTreeSet<_> = rows.iter().map(named).collect();
    let count = if each { rows.len() } else { names.len() };
    if found.is_cut() {
        return not_recorded(found, "too many records to count");
    }
    values(found, &rows, Some(count as u64))
}

fn values(found: &Found<'_>, rows: &[usize], count: Option<u64>) -> Answer {
    let mut seen = BTreeSet::new();
    let mut cited: Vec<Cited> = Vec::new();
    for at in sorted(found, rows) {
        let one = shown(found, at);
        let said = found.row(at).map(|(row, source)| {
            let values: Vec<&str> = one.fields.iter().filter_map(|field| row.get(field)).collect();
            (source.record.as_str(), row.evidence.as_str(), values)
        });
        if seen.insert(said) {
            cited.push(one);
        }
    }
    let more = cited.len() > CITED || found.is_cut();
    cited.truncate(CITED);
    Answer {
        verdict: Verdict::Values,
        topic: Some(&found.reading.topic.id),
        cited,
        count,
        more,
        notes: Vec::new(),
        questions: Vec::new(),
    }
}

/// The rows by their times, those without behind.
fn sorted(found: &Found<'_>, rows: &[usize]) -> Vec<usize> {
    let mut rows = rows.to_vec();
    let time = |at: &usize| {
        found.row(*at).and_then(|(row, source)| dated(found, row, source).first().map(|it| it.1.to_owned()))
    };
    rows.sort_by_key(|at| {
        let time = time(at);
        (time.is_none(), time)
    });
    rows
}

/// A row with the fields that answer what is wanted.
fn shown(found: &Found<'_>, at: usize) -> Cited {
    let wants = found.question.wants;
    let mut cited = found.cited(at);
    let Some((row, source)) = found.row(at) else { return cited };
    let mut add = |fields: Vec<(&str, &str)>| {
        for (field, _) in fields {
            if !cited.fields.iter().any(|known| known == field) {
                cited.fields.push(field.to_owned());
            }
        }
    };
    add(program(row, source));
    let times = dated(found, row, source);
    match found.question.order {
        Some(Order::First) => add(times.into_iter().min_by(|a, b| a.1.cmp(b.1)).into_iter().collect()),
        Some(Order::Last) => add(times.into_iter().max_by(|a, b| a.1.cmp(b.1)).into_iter().collect()),
        None => add(times),
    }
    if wants.who || !wants.is_of_one() {
        add(role(row, &source.who));
    }
    if wants.from {
        add(role(row, &source.from));
    }
    if wants.by {
        add(role(row, &source.by));
    }
    if wants.count {
        add(role(row, &source.count));
    }
    add(value(found, row, source));
    cited
}

/// What else a row tells: of several hashes, addresses and the like the one that the question names.
fn value<'r>(found: &Found<'_>, row: &'r Row, source: &'r Source) -> Vec<(&'r str, &'r str)> {
    let all = role(row, &source.value);
    let is_named = |field: &str| found.reading.used.contains(&field.replace('_', ""));
    let any_named = found.sources().flat_map(|source| &source.value).any(|field| is_named(field));
    if any_named { all.into_iter().filter(|(field, _)| is_named(field)).collect() } else { all }
}

fn program<'r>(row: &'r Row, source: &'r Source) -> Vec<(&'r str, &'r str)> {
    role(row, &source.program).into_iter().take(1).collect()
}

/// The times of a row that count for the question.
fn dated<'r>(found: &Found<'_>, row: &'r Row, source: &'r Source) -> Vec<(&'r str, &'r str)> {
    let mut times = times(row, source);
    if let Some(span) = &found.question.span {
        times.retain(|(_, time)| span.holds(time));
    }
    if wants_first(found.question) && !source.first.is_empty() {
        times.retain(|(field, _)| source.first.iter().any(|first| first == field));
    }
    times
}

fn has_who(row: &Row, source: &Source) -> bool {
    !role(row, &source.who).is_empty() || source.who.iter().any(|it| it == OWNER) && row.owner().is_some()
}

/// Fields of a source that have one role.
type Fields = fn(&Source) -> &[String];

/// What a question asks that no row tells.
fn missing_role(found: &Found<'_>, rows: &[usize]) -> Option<Answer> {
    let wants = found.question.wants;
    let lacks = |is_wanted: bool, has: &dyn Fn(&Row, &Source) -> bool| {
        is_wanted && !rows.iter().any(|at| found.row(*at).is_some_and(|(row, source)| has(row, source)))
    };
    let topic = found.reading.topic;
    let checks: [(bool, &str, Fields); 3] = [
        (
            lacks(wants.from, &|row, source| !role(row, &source.from).is_empty()),
            "where it came from",
            |source| &source.from,
        ),
        (
            lacks(wants.by, &|row, source| !role(row, &source.by).is_empty()),
            "what it was done with",
            |source| &source.by,
        ),
        (lacks(wants.who, &has_who), "who it was", |source| &source.who),
    ];
    let (_, what, of) = checks.into_iter().find(|(is_missing, ..)| *is_missing)?;
    let has_source = found.sources().any(|source| !of(source).is_empty() && found.is_there(source));
    let reason = if has_source { Reason::NotRecorded } else { Reason::NoSource };
    Some(Answer::not_determinable(reason, Some(&topic.id), format!("what is recorded does not say {what}")))
}

fn not_recorded(found: &Found<'_>, what: &str) -> Answer {
    let note = format!("what is recorded of it has {what}");
    Answer::not_determinable(Reason::NotRecorded, Some(&found.reading.topic.id), note)
}

/// The first or the last of the rows, with those that say the same.
fn one_of(found: &Found<'_>, rows: &[usize], order: Order) -> Result<Vec<usize>, Answer> {
    let place = |at: &usize| {
        let (row, source) = found.row(*at)?;
        row.get(source.order.as_deref()?)?.parse::<u64>().ok()
    };
    let placed: Vec<(u64, usize)> = rows.iter().filter_map(|at| Some((place(at)?, *at))).collect();
    if !placed.is_empty() && matches!(order, Order::Last) && placed.len() * 2 > rows.len() {
        let least = placed.iter().map(|it| it.0).min().unwrap_or(0);
        return Ok(placed.into_iter().filter(|it| it.0 == least).map(|it| it.1).collect());
    }
    let mut rows = rows.to_vec();
    if matches!(order, Order::First) {
        let every = |at: &usize| found.row(*at).is_some_and(|(_, source)| source.every);
        let kept = |at: &usize| found.row(*at).is_some_and(|(row, source)| is_kept_whole(row, source));
        let is_certain = |at: &usize| every(at) || kept(at);
        let is_one_thing = found.names_something() && rows.iter().any(is_certain);
        if !is_one_thing && !rows.iter().all(is_certain) {
            return Err(not_recorded(found, "the time of the last occasion alone"));
        }
        rows.retain(is_certain);
    }
    let time = |at: &usize| {
        let (row, source) = found.row(*at)?;
        let times = dated(found, row, source).into_iter().map(|it| it.1.to_owned());
        match order {
            Order::First => times.min(),
            Order::Last => times.max(),
        }
    };
    let all = rows.iter().filter_map(time);
    let wanted = match order {
        Order::First => all.min(),
        Order::Last => all.max(),
    };
    let Some(wanted) = wanted else {
        let could_tell = |at: &usize| found.row(*at).is_some_and(|(_, source)| !source.time.is_empty());
        let is_open = rows.len() > 1 && rows.iter().any(could_tell);
        return if is_open { Err(not_recorded(found, "no time")) } else { Ok(rows) };
    };
    // Sources differ in how precisely they write down the same instant.
    let second = |time: &str| time.get(..19).unwrap_or(time).to_owned();
    rows.retain(|at| time(at).is_some_and(|time| second(&time) == second(&wanted)));
    Ok(rows)
}

/// Whether all occasions that a row counts have a time in it.
fn is_kept_whole(row: &Row, source: &Source) -> bool {
    if !source.first.is_empty() && !role(row, &source.first).is_empty() {
        return true;
    }
    let count = role(row, &source.count).first().and_then(|(_, count)| count.parse::<usize>().ok());
    count.is_some_and(|count| count > 0 && count <= role(row, &source.time).len())
}

fn yes_or_no(found: &Found<'_>) -> Answer {
    let all: Vec<usize> = found.chosen.clone();
    let cited = |rows: &[usize]| -> Vec<Cited> {
        sorted(found, rows).into_iter().take(CITED).map(|at| shown(found, at)).collect()
    };
    let yes = |cited: Vec<Cited>| Answer { verdict: Verdict::Yes, cited, ..values(found, &all, None) };
    let states: Vec<(usize, bool)> = all
        .iter()
        .filter_map(|at| {
            let (row, source) = found.row(*at)?;
            let state = row.get("state").filter(|_| source.state)?;
            match state {
                "on" => Some((*at, true)),
                "off" => Some((*at, false)),
                _ => None,
            }
        })
        .collect();
    if found.sources().any(|source| source.state) {
        let rows: Vec<usize> = states.iter().map(|it| it.0).collect();
        let on = states.iter().any(|it| it.1);
        let off = states.iter().any(|it| !it.1);
        return match (on, off) {
            (true, false) | (false, true) => match on != found.reading.is_negated {
                true => yes(cited(&rows)),
                false => found.no(cited(&rows)),
            },
            _ => not_recorded(found, "no state that is the same everywhere"),
        };
    }
    let flagged = |at: &usize| found.is_in_force(*at);
    if found.sources().any(|source| source.off_flag.is_some()) {
        let states: BTreeSet<Option<bool>> = all.iter().map(flagged).collect();
        let state = if states.len() == 1 { states.into_iter().next().flatten() } else { None };
        return match state {
            Some(on) if on != found.reading.is_negated => yes(cited(&all)),
            Some(_) => found.no(all.iter().map(|at| shown(found, *at)).collect()),
            None => not_recorded(found, "no state that is the same everywhere"),
        };
    }
    let never = |at: &usize| {
        found.row(*at).is_some_and(|(row, source)| {
            source
                .never
                .as_deref()
                .is_some_and(|field| row.get(field) == Some("0") && times(row, source).is_empty())
        })
    };
    let rest: Vec<usize> = all.iter().copied().filter(|at| !never(at)).collect();
    let with_time: Vec<usize> = rest
        .iter()
        .copied()
        .filter(|at| {
            found
                .row(*at)
                .is_some_and(|(row, source)| source.never.is_none() || !times(row, source).is_empty())
        })
        .collect();
    match (with_time.is_empty(), rest.is_empty()) {
        (false, _) => yes(cited(&with_time)),
        (true, true) => found.no(all.iter().map(|at| with_count(found, *at)).collect()),
        (true, false) => not_recorded(found, "no time"),
    }
}

fn with_count(found: &Found<'_>, at: usize) -> Cited {
    let mut cited = found.cited(at);
    if let Some((row, source)) = found.row(at) {
        cited.fields.extend(role(row, &source.count).into_iter().map(|it| it.0.to_owned()));
    }
    cited
}

/// The question back where a program's name alone may mean that of Windows or another one.
fn several_places(found: &Found<'_>) -> Option<String> {
    let wants = found.question.wants;
    let is_bare = |name: &crate::question::Name| !name.text.contains(['\\', '/']);
    let is_asked = (wants.time || wants.from || wants.by || wants.who || wants.count)
        && found.reading.names.iter().all(is_bare);
    let has_programs = found.sources().any(|source| !source.program.is_empty());
    if !is_asked || !has_programs || found.question.span.is_some() {
        return None;
    }
    let mut places: BTreeSet<(String, String)> = BTreeSet::new();
    for at in &found.chosen {
        let (row, source) = found.row(*at)?;
        let Some((_, path)) =
            role(row, &source.program).into_iter().find(|(_, path)| path.contains(['\\', '/']))
        else {
            continue;
        };
        let path = normal(path);
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path.as_str()));
        if program_of(name).is_none()
            && found
                .reading
                .names
                .iter()
                .any(|it| it.spellings.iter().any(|spelling| is_program(spelling, name)))
        {
            places.insert((name.to_owned(), place(folder)));
        }
    }
    let folders: BTreeSet<&str> = places.iter().map(|it| it.1.as_str()).collect();
    (folders.contains(WINDOWS) && folders.len() > 1).then(|| {
        let listed: Vec<&str> = folders.into_iter().take(3).collect();
        format!("Which one is meant, by its folder: {}?", listed.join(", "))
    })
}

const WINDOWS: &str = "windows";

fn is_program(spelling: &str, name: &str) -> bool {
    let spelling = normal(spelling);
    name == spelling || name.strip_suffix(".exe") == Some(spelling.as_str())
}

/// The folder without its volume; all of Windows's own are one.
fn place(folder: &str) -> String {
    match folder.find("/windows/system32").or_else(|| folder.find("/windows/syswow64")) {
        Some(_) => WINDOWS.to_owned(),
        None if folder.ends_with("/windows") || folder.starts_with('{') => WINDOWS.to_owned(),
        None => folder.rsplit_once(':').map_or(folder, |(_, behind)| behind).to_owned(),
    }
}
