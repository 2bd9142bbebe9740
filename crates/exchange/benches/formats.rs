//! Benchmarks each format with a run of 50,000 facts.
#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use detect::Attack;
use graph::Run;
use ledger::{BoundValue, ByteSpan, FieldValue, Tier, Time};
use std::io;
use std::sync::OnceLock;
use testkit::history::{self, History};

const FACTS: u32 = 50_000;

fn main() {
    divan::main();
}

/// Builds a run of one task with 50,000 facts of four values each, one of which is a time.
fn run() -> &'static Run {
    static RUN: OnceLock<Run> = OnceLock::new();
    RUN.get_or_init(|| {
        let mut log = History::opened("title");
        log.assigned(1, "registry").asked(1, 1).invoked(1, 0);
        for at in 0..FACTS {
            let name = format!("ControlSet001\\Services\\service-{at}");
            let values = [("name", "a service"), ("data", "C:\\Windows\\System32\\svchost.exe -k netsvcs")];
            let mut fact = history::fact(1, at, &name, &values);
            let ticks = 133_000_000_000_000_000 + u64::from(at) * 10_000_000;
            fact.values.push(BoundValue {
                field: "key_last_written".into(),
                value: FieldValue::Time(Time::from_filetime(ticks)),
                quotation: None,
                tier: Tier::Exact,
                span: ByteSpan::new(10, 4),
                at: None,
                writer: None,
            });
            log.claimed(1, at, 1, history::reading("configured", &[], None)).accepted(1, at, fact);
        }
        graph::fold(log.events()).unwrap()
    })
}

fn attack() -> &'static Attack {
    static ATTACK: OnceLock<Attack> = OnceLock::new();
    ATTACK.get_or_init(|| Attack::shipped().unwrap())
}

#[divan::bench(sample_count = 3)]
fn facts_csv(bencher: divan::Bencher<'_, '_>) {
    bencher.with_inputs(run).bench_values(|run| exchange::facts_csv(run, attack(), &mut io::sink()).unwrap());
}

#[divan::bench(sample_count = 3)]
fn timeline_csv(bencher: divan::Bencher<'_, '_>) {
    bencher
        .with_inputs(run)
        .bench_values(|run| exchange::timeline_csv(run, attack(), &mut io::sink()).unwrap());
}

#[divan::bench(sample_count = 3)]
fn timesketch(bencher: divan::Bencher<'_, '_>) {
    bencher
        .with_inputs(run)
        .bench_values(|run| exchange::timesketch(run, attack(), &mut io::sink()).unwrap());
}

#[divan::bench(sample_count = 3)]
fn case_uco(bencher: divan::Bencher<'_, '_>) {
    bencher.with_inputs(run).bench_values(|run| exchange::case_uco(run, attack(), &mut io::sink()).unwrap());
}

#[divan::bench(sample_count = 3)]
fn stix(bencher: divan::Bencher<'_, '_>) {
    bencher.with_inputs(run).bench_values(|run| exchange::stix(run, attack(), &mut io::sink()).unwrap());
}
