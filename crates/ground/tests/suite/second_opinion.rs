//! The gateway and an independent judge agree on random worlds, except where the rules leave a case open.
//!
//! The comments in `naive/` say at each place what is left open.

use crate::naive;
use crate::strange;

use ground::{Held, Search, Setting, Shelf, Verdict, judge};
use ledger::{BoundValue, Completeness, Digest, FactId, IdSpace, Reading, Rejection, Seed, TaskId, Writers};
use naive::{Case, Opinion, opinion};
use proptest::prelude::*;
use strange::World;
use strange::chance::Chance;
use strange::claims;

/// The number of readings about each world; with the usual number of cases, a few thousand in all.
const READINGS: usize = 8;

proptest! {
    // A smaller seed does not mean a smaller world, so nothing is shrunk; the message describes the world.
    #![proptest_config(ProptestConfig { max_shrink_iters: 0, ..ProptestConfig::default() })]

    #[test]
    fn the_gateway_accepts_nothing_that_a_naive_judge_refuses(seed: u64) {
        let world = World::new(&mut Chance(seed));
        for Judged { reading, opinion, verdict } in judgements(seed, &world) {
            let told = || told(seed, &reading, &world);
            if let Verdict::Grounded { fact, healing } = &verdict {
                let entry = fact.entry();
                let meaning = world.vocabulary.meaning(&entry.predicate).unwrap();
                let is_needed = |bound: &BoundValue| {
                    reading.record.is_some()
                        && (meaning.states.get(&entry.kind) == Some(&bound.field)
                            || world.types[&entry.kind].qualifiers.contains(&bound.field))
                };
                prop_assert!(
                    opinion.permits(entry.invocation, entry.record, &entry.values, is_needed),
                    "accepted {entry:?}\n{}\nnaively {opinion:?}", told()
                );
                prop_assert!(
                    opinion.healed.is_none_or(|healed| healed == healing.is_some()),
                    "{healing:?}\n{}\nnaively {opinion:?}", told()
                );
            }
        }
    }

    #[test]
    fn the_gateway_refuses_nothing_that_a_naive_judge_accepts(seed: u64) {
        let world = World::new(&mut Chance(seed));
        for Judged { reading, opinion, verdict } in judgements(seed, &world) {
            let told = || told(seed, &reading, &world);
            if let Verdict::Refused(Rejection { code, .. }) = &verdict {
                prop_assert!(!opinion.codes.is_empty(), "refused as {code}\n{}\nnaively {opinion:?}", told());
            }
        }
    }

    #[test]
    fn the_code_of_a_refusal_is_a_reason_that_holds(seed: u64) {
        let world = World::new(&mut Chance(seed));
        for Judged { reading, opinion, verdict } in judgements(seed, &world) {
            let told = || told(seed, &reading, &world);
            if let Verdict::Refused(Rejection { code, .. }) = &verdict {
                let known = opinion.codes.is_empty() || opinion.codes.contains(code);
                prop_assert!(known, "refused as {code}\n{}\nnaively {opinion:?}", told());
            }
        }
    }
}

/// Random worlds test nothing if everything in them is refused or left open.
#[test]
fn the_random_readings_are_true_and_false_and_mostly_plain() {
    let (mut accept, mut refuse, mut open, mut healed) = (0, 0, 0, 0);
    for seed in 0..100 {
        let world = World::new(&mut Chance(seed));
        for Judged { opinion, verdict, .. } in judgements(seed, &world) {
            match (opinion.places.is_empty(), opinion.codes.is_empty()) {
                (false, true) => accept += 1,
                (true, _) => refuse += 1,
                (false, false) => open += 1,
            }
            healed += usize::from(matches!(verdict, Verdict::Grounded { healing: Some(_), .. }));
        }
    }
    println!("accepted {accept}, refused {refuse}, open {open}, healed {healed}");
    let all = accept + refuse + open;
    assert!(accept * 6 > all && refuse * 5 > all && open * 2 < all && healed * 200 > all);
}

/// A reading and the results of both judges.
struct Judged {
    reading: Reading,
    opinion: Opinion,
    verdict: Verdict,
}

fn judgements(seed: u64, world: &World) -> Vec<Judged> {
    let mut chance = Chance(!seed);
    let shelf = shelf(world);
    let writers = Writers::default();
    let setting = Setting {
        rules: &world.rules,
        vocabulary: &world.vocabulary,
        types: &world.types,
        writers: &writers,
        by_reference: true,
        dated: true,
    };
    let fact = FactId::assign(&IdSpace::new(Seed(Digest::of(b"strange"))), TaskId(1), 0).unwrap();
    let judged = |reading: Reading| {
        let case = Case {
            reading: &reading,
            own: &world.own,
            foreign: &world.foreign,
            rules: &world.rules,
            vocabulary: &world.vocabulary,
            types: &world.types,
        };
        let (opinion, verdict) = (opinion(&case), judge(&reading, fact, &shelf, &setting));
        Judged { reading, opinion, verdict }
    };
    (0..READINGS).map(|_| judged(claims::reading(&mut chance, world))).collect()
}

fn shelf(world: &World) -> Shelf {
    let mut shelf = Shelf::default();
    for own in &world.own {
        shelf.push(Held {
            invocation: own.id,
            summary: "read".to_owned(),
            search: Search {
                logs: None,
                near: Vec::new(),
                tool: "read".to_owned(),
                arguments: None,
                completeness: Completeness::Complete,
                whole: true,
            },
            outcome: own.outcome,
            output: own.output.clone(),
            shown: Vec::new(),
        });
    }
    for id in &world.foreign {
        shelf.push_foreign(*id);
    }
    shelf
}

/// Describes the reading and its world, for the person who must find out which judge is right.
fn told(seed: u64, reading: &Reading, world: &World) -> String {
    let mut told = format!("seed {seed}: {reading:?}\nrescue {}\n", world.rules.rescue);
    for own in &world.own {
        told += &format!("{} {:?}\n", own.id, own.outcome);
        for record in own.output.iter().flat_map(|output| output.records()) {
            let fields: Vec<_> =
                record.fields.iter().map(|(name, field)| format!("{name}={:?}", field.value)).collect();
            told += &format!("  {} {} {}: {}\n", record.id, record.kind, record.locator, fields.join(", "));
        }
    }
    told
}
