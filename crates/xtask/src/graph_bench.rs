//! Measures the time and memory for the connections of many facts, generated in memory.

use crate::guard::{reset_peak, status};
use graph::connections::{Connections, EntityRef, Filter, Piece, connections_of, paths, where_else};
use ledger::FactEntry;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};
use testkit::five_hosts::{Made, made};
use testkit::random::Random;

/// The number of facts for which the performance target is stated.
pub(crate) const FACTS: u32 = 1_000_000;

/// The number of hosts in the case.
const HOSTS: usize = 20;

/// The number of times each question is asked.
const ASKED: usize = 200;

/// Generates facts, connects them, asks questions, and reports the measurements.
pub(crate) fn bench(facts: u32, seed: u64) -> String {
    let mut random = Random::new(seed);
    let labels: Vec<String> = (0..HOSTS).map(|host| format!("host{host:02}")).collect();
    let made: Vec<FactEntry> = (0..facts).map(|number| fact(number, facts, &labels, &mut random)).collect();
    let held = status("VmRSS:");
    reset_peak();
    let pieces: Vec<Piece> = labels.iter().map(|label| Piece::labelled(label)).collect();
    let (begun, worked) = (now(), on_processor());
    let of = connections_of(graph::connections::RULES, &pieces, made.iter().map(|fact| (0, fact)));
    let (built, worked) = (begun.elapsed(), on_processor().saturating_sub(worked));
    let (peak, kept) = (status("VmHWM:"), status("VmRSS:").saturating_sub(held));
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{facts} facts, {} entities, {} relations (seed {seed})",
        of.entities().count(),
        of.relations().count()
    );
    let mib = |kib: u64| kib / 1024;
    let _ = writeln!(
        out,
        "built in {:.2} s ({:.2} s on the processor); {} MiB at most, {} MiB of them the facts; {} MiB kept",
        built.as_secs_f64(),
        worked.as_secs_f64(),
        mib(peak),
        mib(held),
        mib(kept)
    );
    let entities: Vec<EntityRef> = of.entities().collect();
    let filter = Filter::default();
    let mut one = || random.pick(&entities).copied();
    let ends: Vec<(EntityRef, EntityRef)> = (0..ASKED).filter_map(|_| one().zip(one())).collect();
    let (took, found) = asked(&ends, |ends| paths(&of, *ends, 1, &filter, |_| 300).len());
    let _ = writeln!(out, "path: {}, {found} of {} pairs connected", spread(took), ends.len());
    let (took, found) = asked(&ends, |(entity, _)| hosts(&of, *entity, &filter));
    let _ = writeln!(out, "where-else: {}, {found} entities met", spread(took));
    match in_sql(&of, ends.get(..JOINED).unwrap_or(&ends)) {
        Ok(told) => out.push_str(&told),
        Err(error) => drop(writeln!(out, "in SQL: not measured, {error}")),
    }
    out
}

/// The number of pairs asked in SQL, where each takes long.
const JOINED: usize = 10;

/// The maximum length of a path in SQL, in relations: a recursive query has no other limit.
const DEPTH: u32 = 8;

/// Asks the same questions as joins over the same relations and names, in SQLite tables in memory with an index on each end.
fn in_sql(of: &Connections, ends: &[(EntityRef, EntityRef)]) -> rusqlite::Result<String> {
    let numbers: BTreeMap<EntityRef, u32> = of.entities().zip(0..).collect();
    let number = |entity: EntityRef| numbers.get(&entity).copied().unwrap_or(u32::MAX);
    let mut connection = rusqlite::Connection::open_in_memory()?;
    let worked = on_processor();
    let transaction = connection.transaction()?;
    transaction.execute_batch(
        "CREATE TABLE step (one INTEGER, other INTEGER); CREATE TABLE named (entity INTEGER, host TEXT);",
    )?;
    {
        let mut step = transaction.prepare("INSERT INTO step VALUES (?1, ?2), (?2, ?1)")?;
        for (from, _, to) in of.relations().filter_map(|relation| of.relation(relation)) {
            step.execute((number(from), number(to)))?;
        }
        let mut named = transaction.prepare("INSERT INTO named VALUES (?1, ?2)")?;
        for entity in of.entities() {
            for (_, told) in of.names(entity) {
                named.execute((number(entity), of.host_of(told.fact)))?;
            }
        }
    }
    transaction.execute_batch(
        "CREATE INDEX step_of ON step (one, other); CREATE INDEX named_of ON named (entity, host);",
    )?;
    transaction.commit()?;
    let loaded = on_processor().saturating_sub(worked);
    let mut path = connection.prepare(
        "WITH RECURSIVE way(entity, depth) AS (
             SELECT ?1, 0 UNION
             SELECT step.other, way.depth + 1 FROM way JOIN step ON step.one = way.entity WHERE way.depth < ?3
         ) SELECT min(depth) FROM way WHERE entity = ?2",
    )?;
    let (ways, connected) = asked(ends, |(from, to)| {
        let depth = path.query_row((number(*from), number(*to), DEPTH), |row| row.get::<_, Option<u32>>(0));
        usize::from(depth.is_ok_and(|depth| depth.is_some()))
    });
    let mut hosts = connection.prepare("SELECT count(DISTINCT host) FROM named WHERE entity = ?1")?;
    let (seen, _) = asked(ends, |(entity, _)| {
        hosts
            .query_row((number(*entity),), |row| row.get::<_, i64>(0))
            .map_or(0, |hosts| usize::from(hosts > 0))
    });
    Ok(format!(
        "in SQL: tables and indexes in {:.2} s on the processor\n  path of at most {DEPTH} relations: {}, {connected} of {} pairs connected\n  where-else: {}\n",
        loaded.as_secs_f64(),
        spread(ways),
        ends.len(),
        spread(seen)
    ))
}

fn hosts(of: &Connections, entity: EntityRef, filter: &Filter) -> usize {
    where_else(of, entity, filter).len()
}

/// Returns the processor time of each question, and how many found something.
fn asked<T>(questions: &[T], mut ask: impl FnMut(&T) -> usize) -> (Vec<Duration>, usize) {
    let mut found = 0;
    let took = questions.iter().map(|question| {
        let begun = on_processor();
        found += usize::from(ask(question) > 0);
        on_processor().saturating_sub(begun)
    });
    (took.collect(), found)
}

fn spread(mut took: Vec<Duration>) -> String {
    took.sort_unstable();
    let at = |hundredth: usize| took.get(took.len() * hundredth / 100).or(took.last());
    let milliseconds = |hundredth| at(hundredth).map_or(0.0, |it| it.as_secs_f64() * 1000.0);
    format!(
        "p50 {:.2} ms, p95 {:.2} ms, most {:.2} ms",
        milliseconds(50),
        milliseconds(95),
        milliseconds(100)
    )
}

/// Returns the processor time of this program: wall time would include other work on the machine.
fn on_processor() -> Duration {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split_whitespace().next().and_then(|it| it.parse().ok()).unwrap_or(0))
}

#[expect(clippy::disallowed_methods, reason = "the chore measures time")]
fn now() -> Instant {
    Instant::now()
}

/// Generates a fact: processes and their actions, logons, programs that ran, downloads, files, devices.
fn fact(number: u32, of: u32, labels: &[String], random: &mut Random) -> FactEntry {
    let many = usize::try_from(of).unwrap_or(usize::MAX) / 10;
    let host = random.below(labels.len());
    let label = labels.get(host).map_or("host00", String::as_str);
    let account = format!("S-1-5-21-100-200-300-{}", 1000 + random.below(500));
    let process = random.below(many / HOSTS + 1);
    let (pid, begun) =
        (i128::try_from(process).unwrap_or(0) * 4 + 1000, u64::try_from(process / 7).unwrap_or(0));
    let image = format!(r"C:\Program Files\App{}\app{}.exe", process % 97, process % 193);
    let (file, page) = (random.below(many / HOSTS + 1), random.below(many / 4 + 1));
    let file = format!(r"C:\Users\user{}\Documents\file{file}.dat", file % 50);
    let address = format!("10.{}.{}.{}", random.below(4), random.below(64), random.below(64));
    let begin = |says: &str, kind: &str| made(number, label, says, kind);
    let by_process = |made: Made| made.path("image", &image).number("pid", pid);
    let made = match random.below(10) {
        0 | 1 => by_process(begin("executed", "process_created")).minute("time", begun).sid("sid", &account),
        2..5 => by_process(begin("recorded", "file_created")).minute("time", begun + 1).path("path", &file),
        5 | 6 => by_process(begin("connected", "network_connection"))
            .minute("time", begun + 2)
            .name("destination_address", &address),
        7 => begin("logged_on", "logon")
            .name("account", &format!("user{account}"))
            .sid("sid", &account)
            .name("address", &address)
            .minute("time", begun),
        8 => begin("executed", "bam_entry")
            .path("program", &image)
            .sid("sid", &account)
            .minute("last_run", begun),
        _ => begin("downloaded", "browser_download")
            .path("file", &file)
            .name("url", &format!("https://site{}.example/{page}", page % 2000))
            .minute("time", begun),
    };
    made.fact()
}
