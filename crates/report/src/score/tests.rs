//! Tests of the scores of small runs.

use super::*;
use ledger::{FieldValue, Time, Utc};
use proptest::prelude::*;

fn bound(field: &str, value: FieldValue) -> ledger::BoundValue {
    let mut fact = testkit::history::fact(1, 0, "x", &[(field, "x")]);
    let mut bound = fact.values.remove(0);
    bound.value = value;
    bound
}

/// Builds the `number`th fact, with these texts (or times), in the hive under the key `subject`.
fn fact(number: u32, subject: &str, values: &[&str]) -> FactEntry {
    let mut fact = testkit::history::fact(1, number, subject, &[]);
    fact.subject = bound("key", FieldValue::RegistryPath(subject.into()));
    fact.locator.path = "C/Windows/System32/config/SYSTEM".into();
    fact.values = values
        .iter()
        .map(|text| match text.parse::<Utc>() {
            Ok(utc) => {
                let ticks = utc.unix_nanoseconds() / 100 + 116_444_736_000_000_000;
                bound("time", FieldValue::Time(Time::from_filetime(u64::try_from(ticks).unwrap())))
            }
            Err(_) => bound("data", FieldValue::Text((*text).into())),
        })
        .collect();
    fact
}

fn truth_fact(id: &str, values: &[&str]) -> TruthFact {
    TruthFact {
        id: id.into(),
        agent: "registry".into(),
        question: format!("what of {id}?"),
        values: values.iter().map(|value| TruthValue::Text((*value).into())).collect(),
        artifact: "C/Windows/System32/config/SYSTEM Select\\Current".into(),
        manner: Manner::ByType,
    }
}

fn truth(facts: Vec<TruthFact>) -> Truth {
    Truth { facts, tolerance: 1_000_000, ..Truth::default() }
}

fn phenomenon(number: u32) -> PhenomenonId {
    PhenomenonId::assign(&testkit::history::ids(), ledger::TaskId(1), number).unwrap()
}

fn scored(truth: &Truth, facts: &[(FactEntry, &str, Vec<PhenomenonId>)]) -> Score {
    let recorded: Vec<_> = facts
        .iter()
        .map(|(fact, agent, phenomena)| Recorded::new(fact, agent, phenomena.clone(), true))
        .collect();
    compare(truth, &recorded, std::iter::empty())
}

fn of(facts: Vec<FactEntry>) -> Vec<(FactEntry, &'static str, Vec<PhenomenonId>)> {
    facts.into_iter().map(|fact| (fact, "registry", Vec::new())).collect()
}

#[test]
fn a_finding_whose_facts_stand_behind_the_first_phenomena_is_buried() {
    let finding = TruthFinding { finding: "f".into(), facts: vec!["a".into()] };
    let truth = Truth { findings: vec![finding], ..truth(vec![truth_fact("a", &["svchost.exe"])]) };
    let facts = of(vec![fact(0, "Run", &["svchost.exe"])]);
    let placed = |first| {
        let (fact, agent, phenomena) = &facts[0];
        let recorded = [Recorded::new(fact, agent, phenomena.clone(), first)];
        compare(&truth, &recorded, std::iter::empty())
    };
    let (shown, buried) = (placed(true), placed(false));
    assert_eq!((shown.findings_found(), buried.findings_found()), (1, 0));
    assert_eq!((buried.findings_anywhere(), buried.findings[0].buried.len()), (1, 1));
}

#[test]
fn a_fact_is_found_only_where_one_fact_carries_all_its_values() {
    let truth = truth(vec![truth_fact("a", &["svchost.exe", "2012-04-03T21:03:23Z"])]);
    let together = of(vec![fact(0, "Run", &["svchost.exe", "2012-04-03T21:03:23.5Z"])]);
    assert_eq!(scored(&truth, &together).found(), 1);
    let apart = of(vec![fact(0, "Run", &["svchost.exe"]), fact(1, "Run", &["2012-04-03T21:03:23Z"])]);
    let score = scored(&truth, &apart);
    assert_eq!((score.found(), score.spread()), (0, 1));
    assert_eq!(score.answers[0].standing, Standing::Spread { over: Over::Agent });
    let mut carried = apart.clone();
    carried.iter_mut().for_each(|it| it.2.push(phenomenon(0)));
    assert_eq!(scored(&truth, &carried).answers[0].standing, Standing::Spread { over: Over::Phenomenon });
    let mut others = apart;
    others[1].1 = "timeline";
    assert_eq!(scored(&truth, &others).spread(), 0, "two agents saw half each");
}

#[test]
fn common_values_and_lone_times_count_only_where_the_truth_says_that_they_stand() {
    for value in ["1", "2012-04-03T21:03:23Z", "2012-04-03", "no"] {
        let truth = truth(vec![truth_fact("control-set", &[value])]);
        for (subject, file, found) in [
            ("Select\\Current", "C/Windows/System32/config/SYSTEM", 1),
            ("Select\\LastKnownGood", "C/Windows/System32/config/SYSTEM", 0),
            ("Select\\Current", "C/Windows/System32/config/SOFTWARE", 0),
            // The file itself, of which the truth names a part.
            ("config\\SYSTEM", "C/Windows/System32/config/SYSTEM", 0),
        ] {
            let mut fact = fact(0, subject, &[value]);
            fact.locator.path = file.into();
            let score = scored(&truth, &of(vec![fact]));
            assert_eq!(score.found(), found, "{value} {subject} {file}");
            let elsewhere = matches!(
                &score.answers[0].standing,
                Standing::Missed { nearest: Some(Nearest { how: Nearness::Elsewhere, .. }) }
            );
            assert_eq!(elsewhere, found == 0);
        }
    }
    let two = truth_fact("two", &["2012-04-03T21:03:23Z", "2012-04-04T21:03:23Z"]);
    assert!(!two.is_weak(), "two times in one fact tell it from others");
    assert!(!truth_fact("exact", &["2012-04-04T01:58:40.839249Z"]).is_weak(), "a fraction of a second tells");
    assert!(truth_fact("whole", &["2012-04-04T01:58:40.000Z"]).is_weak());
}

#[test]
fn a_miss_names_what_stands_nearest() {
    let truth = truth(vec![
        truth_fact("half", &["evil.exe", "2012-04-03T21:03:23Z"]),
        truth_fact("typo", &["DESKTOP-PM6C56D"]),
        truth_fact("nothing", &["entirely other words"]),
    ]);
    let facts = of(vec![fact(0, "a", &["evil.exe"]), fact(1, "b", &["DESKTOP-PM6C56O"])]);
    let score = scored(&truth, &facts);
    let how = |index: usize| match &score.answers[index].standing {
        Standing::Missed { nearest } => nearest.clone().map(|nearest| nearest.how),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        how(0),
        Some(Nearness::Carries { values: 1, of: 2, lacks: vec!["2012-04-03T21:03:23Z".into()] })
    );
    let alike = Nearness::Alike {
        wanted: "DESKTOP-PM6C56D".into(),
        field: "data".into(),
        stands: "DESKTOP-PM6C56O".into(),
    };
    assert_eq!(how(1), Some(alike));
    assert_eq!(how(2), None);
}

#[test]
fn a_finding_is_found_when_all_its_facts_are() {
    let mut truth = truth(vec![truth_fact("a", &["alpha"]), truth_fact("b", &["bravo"])]);
    truth.findings = vec![TruthFinding { finding: "both".into(), facts: vec!["a".into(), "b".into()] }];
    let one = scored(&truth, &of(vec![fact(0, "k", &["alpha"])]));
    assert_eq!((one.findings_found(), &one.findings[0].missing), (0, &vec!["b".to_owned()]));
    let both = scored(&truth, &of(vec![fact(0, "k", &["alpha"]), fact(1, "k", &["bravo"])]));
    assert_eq!(both.findings_found(), 1);
}

#[test]
fn what_must_not_be_claimed_is_told_by_its_condition_and_never_guessed() {
    let condition = ForbiddenCondition {
        predicate: ledger::Predicate("configured".into()),
        record: None,
        subject: Some("*\\Run".into()),
        value: Some("*.exe".into()),
    };
    let mut truth = truth(vec![]);
    truth.must_not_claim = vec![
        Forbidden { claim: "a program starts".into(), condition: Some(condition) },
        Forbidden { claim: "any compromise".into(), condition: None },
    ];
    let mut facts = vec![fact(0, "CurrentVersion\\Run", &["evil.exe"]), fact(1, "Other", &["evil.exe"])];
    facts.iter_mut().for_each(|fact| fact.predicate = ledger::Predicate("configured".into()));
    let mut other = fact(2, "CurrentVersion\\Run", &["evil.exe"]);
    other.predicate = ledger::Predicate("present".into());
    facts.push(other);
    let score = scored(&truth, &of(facts.clone()));
    assert_eq!(score.violations.iter().map(|it| it.fact).collect::<Vec<_>>(), [facts[0].id]);
    assert_eq!(score.violated(), 1);
    let shown = score_text(&truth, &[score]);
    assert!(shown.contains("for a person to judge\n  must not be claimed: any compromise"), "{shown}");
}

#[test]
fn what_no_reading_can_answer_is_not_scored() {
    let mut negative = truth_fact("no-malware", &["no"]);
    negative.manner = Manner::Negative;
    let truth = truth(vec![negative, truth_fact("empty", &[]), truth_fact("a", &["alpha"])]);
    let score = scored(&truth, &of(vec![fact(0, "k", &["no"])]));
    assert_eq!((score.answers.len(), score.found()), (1, 0));
    let shown = score_text(&truth, &[score]);
    assert!(shown.contains("not scored no-malware") && shown.contains("not scored empty"), "{shown}");
}

#[test]
fn recording_everything_wins_nothing() {
    let truth = truth(vec![truth_fact("a", &["alpha"])]);
    let mut facts = vec![fact(0, "k", &["alpha"])];
    let lean = scored(&truth, &of(facts.clone()));
    facts.extend((1..100).map(|number| fact(number, "k", &["alpha"])));
    let dump = scored(&truth, &of(facts));
    assert_eq!((lean.recall(), dump.recall()), (Some(100.0), Some(100.0)));
    assert_eq!((lean.recorded_per_found(), dump.recorded_per_found()), (Some(1.0), Some(100.0)));
}

#[test]
fn several_runs_have_mean_least_and_most() {
    let truth = truth(vec![truth_fact("a", &["alpha"]), truth_fact("b", &["bravo"])]);
    let scores = [
        scored(&truth, &of(vec![fact(0, "k", &["alpha"]), fact(1, "k", &["bravo"])])),
        scored(&truth, &of(vec![fact(0, "k", &["none"])])),
    ];
    let over = over_runs(&scores.iter().collect::<Vec<_>>());
    let figure = |name: &str| over.iter().find(|figure| figure.name == name).unwrap();
    let found = figure("found_percent");
    assert_eq!((found.mean, found.min, found.max, found.runs), (50.0, 0.0, 100.0, 2));
    assert_eq!(figure("recorded_per_found").runs, 1, "nothing can be said per fact found of the second");
    assert!(over_runs(&[]).is_empty());
}

#[test]
fn hostile_text_is_inert() {
    let mut truth = truth(vec![truth_fact("\u{1b}[2J", &["alpha\u{202e}"])]);
    truth.facts[0].question = "\u{1b}]0;x\u{7}".into();
    truth.not_present = vec!["\u{9b}".into()];
    let score = scored(&truth, &of(vec![fact(0, "k\u{1b}", &["alpha\u{202d}"])]));
    let shown = score_text(&truth, &[score]);
    assert!(!shown.contains(['\u{1b}', '\u{202e}', '\u{7}', '\u{9b}']), "{shown:?}");
}

const WORDS: [&str; 5] = ["alpha", "bravo", "charlie", "1", "2012-04-03T21:03:23Z"];

fn some_facts() -> impl Strategy<Value = Vec<(u8, Vec<u8>)>> {
    prop::collection::vec((0u8..3, prop::collection::vec(0u8..5, 0..4)), 0..8)
}

fn made(facts: &[(u8, Vec<u8>)]) -> Vec<(FactEntry, &'static str, Vec<PhenomenonId>)> {
    let subjects = ["Select\\Current", "Run", "alpha"];
    (0u32..)
        .zip(facts)
        .map(|(number, (subject, words))| {
            let words: Vec<&str> = words.iter().map(|word| WORDS[usize::from(*word)]).collect();
            let agent = if number % 2 == 0 { "registry" } else { "timeline" };
            (fact(number, subjects[usize::from(*subject)], &words), agent, vec![phenomenon(number % 3)])
        })
        .collect()
}

fn all_truths() -> Truth {
    let mut facts = vec![truth_fact("one", &["1"]), truth_fact("three", &["alpha", "bravo", "charlie"])];
    for (number, word) in WORDS.iter().enumerate() {
        facts.push(truth_fact(&format!("word-{number}"), &[word]));
        facts.push(truth_fact(&format!("timed-{number}"), &[word, "2012-04-03T21:03:23Z"]));
    }
    truth(facts)
}

proptest! {
    #[test]
    fn the_order_of_facts_does_not_matter(facts in some_facts(), turn in 0usize..8) {
        let truth = all_truths();
        let mut facts = made(&facts);
        let before = scored(&truth, &facts);
        let middle = turn % facts.len().max(1);
        facts.rotate_left(middle);
        prop_assert_eq!(&before, &scored(&truth, &facts));
        facts.reverse();
        prop_assert_eq!(&before, &scored(&truth, &facts));
    }

    #[test]
    fn more_facts_never_lower_what_was_found_and_cost_unless_they_find(facts in some_facts(), more in some_facts()) {
        let truth = all_truths();
        let all: Vec<_> = facts.iter().chain(&more).cloned().collect();
        let (before, after) = (scored(&truth, &made(&facts)), scored(&truth, &made(&all)));
        prop_assert!(after.found() >= before.found());
        for (before, after) in before.answers.iter().zip(&after.answers) {
            prop_assert!(after.is_found() || !before.is_found());
            prop_assert!(after.is_found() || after.is_spread() || !before.is_spread());
        }
        if after.found() == before.found() && !more.is_empty() {
            prop_assert!(after.recorded_per_found() > before.recorded_per_found() || after.found() == 0);
        }
    }
}
