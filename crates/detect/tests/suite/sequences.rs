//! Sequences of several records: records of `tests/data/sequences.txt` form each sequence, and look-alikes form none.

use crate::examples::{Catalogue, catalogue, example, record};
use detect::{Attack, Level, Sequences, Trace, Watch, shipped_sequences};
use ledger::Record;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const SEQUENCES: &str = include_str!("../data/sequences.txt");

/// Records with their times in seconds.
type Timed = Vec<(i128, Record)>;

/// Records that form a sequence, or only look like it.
struct Case {
    line: usize,
    sequence: String,
    level: Level,
    fires: bool,
    records: Timed,
}

fn cases(catalogue: &Catalogue) -> Vec<Case> {
    let (mut cases, mut head): (Vec<Case>, _) = (Vec::new(), None);
    for (line, text) in SEQUENCES.lines().enumerate().map(|(line, text)| (line + 1, text)) {
        if text.is_empty() || text.starts_with('#') {
        } else if let Some((id, level)) = text.strip_prefix('[').and_then(|head| head.split_once("] ")) {
            head = Some((id.to_owned(), Level::of_name(level).unwrap()));
        } else if matches!(text, "fires" | "passes") {
            let (sequence, level) = head.clone().unwrap();
            cases.push(Case { line, sequence, level, fires: text == "fires", records: Vec::new() });
        } else {
            let records = timed(catalogue, line, text);
            cases.last_mut().unwrap().records.extend(records);
        }
    }
    cases
}

/// Reads `START*COUNT+STEP KIND | FIELD=VALUE`.
fn timed(catalogue: &Catalogue, line: usize, text: &str) -> Timed {
    let (when, rest) = text.split_once(' ').unwrap();
    let (start, when) = when.split_once('*').unwrap();
    let (count, step) = when.split_once('+').unwrap();
    let number = |text: &str| text.parse::<i128>().unwrap();
    let one = |n: i128| {
        let text = format!("fires {}", rest.replace("{n}", &n.to_string()));
        let record = record(catalogue, &example(line, "sequence", &text)).unwrap();
        (number(start) + n * number(step), record)
    };
    (0..number(count)).map(one).collect()
}

/// Returns the names of the sequences that records form, with the number of their records and the rows of the first and the last.
fn made(sequences: &Sequences, records: &[(i128, Record)]) -> Vec<(String, usize, u32, u32)> {
    let mut watch = Watch::new(sequences);
    for (row, (seconds, record)) in records.iter().enumerate() {
        watch.take(&Trace::of_record(record), seconds * 1_000_000_000, row as u32);
    }
    watch.made().into_iter().map(|it| (it.sequence.to_owned(), it.records, it.first, it.last)).collect()
}

#[test]
fn each_sequence_is_made_by_its_records_and_by_none_that_only_look_like_it() {
    let sequences = Sequences::shipped().unwrap();
    let cases = cases(&catalogue());
    let known: BTreeMap<&str, Level> = sequences.told().map(|(id, level, ..)| (id, level)).collect();
    for (id, level) in &known {
        for fires in [true, false] {
            let has =
                cases.iter().any(|case| case.sequence == *id && case.fires == fires && case.level == *level);
            assert!(has, "{id} {fires}");
        }
    }
    for case in &cases {
        let found: BTreeSet<String> = made(&sequences, &case.records).into_iter().map(|it| it.0).collect();
        assert_eq!(found.contains(&case.sequence), case.fires, "line {}: {found:?}", case.line);
        if !case.fires {
            let others = found.iter().filter(|id| known[id.as_str()] >= Level::Medium);
            assert_eq!(others.count(), 0, "line {}: {found:?}", case.line);
        }
    }
}

#[test]
fn a_burst_is_told_once_with_its_first_and_last_record() {
    let failed = timed(&catalogue(), 1, "0*50+10 logon_failed | computer=PC | account=a | address=10.0.0.1");
    let [one] = made(shipped_sequences(), &failed).try_into().unwrap();
    assert_eq!(one, ("guessing-from-address".to_owned(), 50, 0, 49));
}

#[test]
fn an_attempt_that_was_too_long_ago_does_not_count_and_one_after_it_does() {
    let catalogue = catalogue();
    let text = |start: u32, count: u32| {
        format!("{start}*{count}+10 logon_failed | computer=PC | account=a | address=10.0.0.1")
    };
    let mut records = timed(&catalogue, 1, &text(0, 8));
    records.extend(timed(&catalogue, 1, &text(9000, 8)));
    records.extend(timed(&catalogue, 1, "9100*1+1 logon | computer=PC | account=a | address=10.0.0.1"));
    assert_eq!(made(shipped_sequences(), &records), [("guessed-then-logged-on".to_owned(), 9, 8, 16)]);
}

#[test]
fn what_names_no_technique_of_the_rules_or_joins_by_nothing_is_refused() {
    let attack = Attack::shipped().unwrap();
    let text = |technique: &str, within: &str, by: &str| {
        format!(
            "[[sequence]]\nid='x'\nlevel='low'\nnote='n'\ntechniques=['{technique}']\nwithin='{within}'\nby=[{by}]\nstep=[{{record='logon'}}]"
        )
    };
    assert!(Sequences::from_toml(&text("T1078", "5m", "'a'"), &attack).is_ok());
    for (technique, within, by) in
        [("T9999", "5m", "'a'"), ("T1078", "5 minutes", "'a'"), ("T1078", "5m", ""), ("T1078", "0s", "'a'")]
    {
        assert!(
            Sequences::from_toml(&text(technique, within, by), &attack).is_err(),
            "{technique} {within} {by}"
        );
    }
}

proptest! {
    #[test]
    fn the_order_in_which_records_come_changes_nothing(mut order in Just((0..17_usize).collect::<Vec<_>>()).prop_shuffle(), seed in 1..50_i128) {
        let catalogue = catalogue();
        let mut records = timed(&catalogue, 1, "0*16+7 logon_failed | computer=PC | account=a | address=10.0.0.1");
        records.extend(timed(&catalogue, 1, "130*1+1 logon | computer=PC | account=a | address=10.0.0.1"));
        let expected: Vec<_> = made(shipped_sequences(), &records).into_iter().map(|it| (it.0, it.1)).collect();
        order.rotate_left(seed as usize % 17);
        let shuffled: Timed = order.iter().map(|at| records[*at].clone()).collect();
        let found: Vec<_> = made(shipped_sequences(), &shuffled).into_iter().map(|it| (it.0, it.1)).collect();
        prop_assert_eq!(found, expected);
    }
}
