//! Tests of changes over many runs: trends, versions, and runs unlike others of their kind.

use graph::audit::{
    AuditedRun, By, Counts, Figure, Kind, Trend, Verdict, Versioned, audited, drift, trends, unlike, usual,
};
use graph::fold;
use ledger::Digest;
use proptest::prelude::*;
use testkit::history::History;

/// Builds a run of one agent on this day of January, with this many of a hundred claims refused.
fn run(day: u32, refused: u64) -> AuditedRun {
    let mut history = History::opened("T");
    history.assigned(1, "registry");
    let mut run = audited(&fold(history.events()).unwrap());
    run.begun = format!("2026-01-{day:02}T00:00:00Z");
    run.tasks[0].counts = Counts { tasks: 1, claims: 100, refused, calls: 40, ..Counts::default() };
    run
}

fn series(refused: &[u64]) -> Vec<AuditedRun> {
    (1..).zip(refused).map(|(day, refused)| run(day, *refused)).collect()
}

fn of(trends: &[Trend], figure: Figure) -> &Trend {
    trends.iter().find(|trend| trend.figure == figure).unwrap()
}

#[test]
fn refusals_over_time_are_judged_by_the_test() {
    let cases: [(&[u64], Verdict); 9] = [
        (&[1, 2, 3, 4, 5, 6, 7], Verdict::Worsening),
        (&[70, 60, 50, 40, 30, 20, 10], Verdict::Improving),
        (&[3, 7, 4, 6, 5, 8, 4], Verdict::Stable),
        (&[0, 0, 0, 0, 0], Verdict::Stable),
        // No order of five values is less probable than one in sixty.
        (&[1, 2, 3, 4, 5], Verdict::Worsening),
        (&[1, 2, 3, 4], Verdict::TooFew),
        // If one run of eight differs, its position may be chance.
        (&[0, 0, 0, 0, 0, 0, 0, 9], Verdict::TooFew),
        (&[], Verdict::TooFew),
        (&[9], Verdict::TooFew),
    ];
    for (refused, expected) in cases {
        let runs = series(refused);
        let told = trends(&runs, None);
        let verdict = told.iter().find(|trend| trend.figure == Figure::Refused).map(|trend| trend.verdict);
        assert_eq!(verdict.unwrap_or(Verdict::TooFew), expected, "{refused:?}: {told:?}");
    }
}

#[test]
fn what_does_not_change_in_any_run_is_stable_and_costs_no_sureness() {
    let told = trends(&series(&[1, 2, 3, 4, 5]), None);
    assert_eq!(of(&told, Figure::Calls).verdict, Verdict::Stable);
    let tested = of(&told, Figure::Refused).tested.unwrap();
    assert_eq!((tested.s, tested.exact), (10, true));
    assert!((tested.p - 2.0 / 120.0).abs() < 1e-12);
    assert_eq!(of(&told, Figure::Refused).halves, Some((15_000, 45_000)), "of 1, 2 and of 4, 5 in a hundred");
}

#[test]
fn the_more_is_looked_at_the_surer_a_trend_must_be() {
    // Five values rise in one of sixty orders: significant alone, but not next to nine others.
    let mut runs = series(&[1, 2, 3, 4, 5]);
    for (place, run) in (0..).zip(&mut runs) {
        let mut other = run.tasks[0].clone();
        for agent in ["b", "c", "d", "e", "f", "g", "h", "i", "j"] {
            other.agent = agent.to_owned();
            other.counts.refused = [3, 1, 4, 5, 9][place];
            run.tasks.push(other.clone());
        }
    }
    let told = trends(&runs, Some(By::Agent));
    let registry =
        told.iter().find(|trend| trend.of.as_deref() == Some("registry") && trend.figure == Figure::Refused);
    assert_eq!(registry.unwrap().verdict, Verdict::TooFew);
    assert_eq!(
        of(&trends(&series(&[1, 2, 3, 4, 5]), Some(By::Agent)), Figure::Refused).verdict,
        Verdict::Worsening
    );
}

#[test]
fn a_figure_that_is_neither_better_nor_worse_rises_or_falls() {
    let mut runs = series(&[0; 8]);
    for (place, run) in (0..).zip(&mut runs) {
        run.tasks[0].counts.calls = 10 + place;
        run.tasks[0].counts.recoveries = 10;
        run.tasks[0].counts.helped = place;
    }
    let told = trends(&runs, None);
    assert_eq!(of(&told, Figure::Calls).verdict, Verdict::Rising);
    assert_eq!(of(&told, Figure::Helped).verdict, Verdict::Improving);
}

#[test]
fn versions_stand_side_by_side_with_what_their_runs_came_to() {
    let mut runs = series(&[10, 10, 20, 30]);
    for run in &mut runs[2..] {
        run.made.program = "0.2.0".into();
        run.tasks[0].prompt = Digest::of(b"another prompt");
    }
    let found = drift(&runs);
    let whats: Vec<_> = found.iter().map(|drift| drift.what.clone()).collect();
    assert_eq!(whats, [Versioned::Program, Versioned::Prompt { agent: "registry".into() }]);
    let versions: Vec<_> = found[0]
        .versions
        .iter()
        .map(|it| (it.version.as_str(), it.group.runs, it.group.counts.claims, it.group.counts.refused))
        .collect();
    assert_eq!(versions, [("0.0.0", 2, 200, 20), ("0.2.0", 2, 200, 50)]);
    assert_eq!(
        (found[0].versions[1].first.as_str(), found[0].versions[1].last.as_str()),
        ("2026-01-03T00:00:00Z", "2026-01-04T00:00:00Z")
    );
    assert_eq!(drift(&series(&[1, 2])), [], "one version of everything");
}

#[test]
fn a_run_is_unlike_its_kind_only_where_there_are_enough_others() {
    let cases: [(&[u64], &[usize]); 6] = [
        (&[10, 12, 11, 13, 12, 60], &[5]),
        (&[10, 12, 11, 13, 60], &[]),
        (&[10, 12, 11, 13, 12, 11], &[]),
        (&[0, 0, 0, 0, 0, 0, 1], &[6]),
        // If some differ slightly, a single difference is not unusual.
        (&[0, 0, 0, 0, 1, 1, 1, 0], &[]),
        (&[50, 51, 49, 50, 52, 0, 90], &[5, 6]),
    ];
    for (refused, expected) in cases {
        let runs = series(refused);
        let found = unlike(&runs.iter().collect::<Vec<_>>());
        let places: Vec<_> = found.iter().map(|it| it.run).collect();
        assert_eq!(places, expected, "{refused:?}: {found:?}");
    }
    let runs = series(&[10, 12, 11, 13, 12, 60]);
    let found = unlike(&runs.iter().collect::<Vec<_>>());
    let it = &found[0];
    assert_eq!((it.figure, it.value, it.median, it.like), (Figure::Refused, 600_000, 120_000, 5));
    assert_eq!(it.kind, Kind::SameCase);
    // The median distance of 10, 11, 12, 12, 13 from 12 is 1, and the limit is 3.5 × 1.4826 times that.
    assert_eq!(it.usual, (120_000 - 51_891, 120_000 + 51_891));
}

#[test]
fn runs_of_other_cases_are_like_a_run_where_its_own_case_has_too_few() {
    let mut runs = series(&[10, 12, 11, 13, 12, 60]);
    for (place, run) in runs.iter_mut().enumerate() {
        run.case = format!("host-{place}");
    }
    let found = unlike(&runs.iter().collect::<Vec<_>>());
    assert_eq!((found[0].run, found[0].kind), (5, Kind::SameCrew));
    runs[5].tasks[0].model = "another".into();
    assert_eq!(unlike(&runs.iter().collect::<Vec<_>>()), [], "of another model");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn runs_in_the_other_order_have_the_opposite_trend(refused in proptest::collection::vec(0_u64..100, 5..12)) {
        let forwards = trends(&series(&refused), None);
        let backwards = trends(&series(&refused.iter().rev().copied().collect::<Vec<_>>()), None);
        let (one, other) = (of(&forwards, Figure::Refused), of(&backwards, Figure::Refused));
        let (one_tested, other_tested) = (one.tested.unwrap(), other.tested.unwrap());
        prop_assert_eq!(one_tested.s, -other_tested.s);
        prop_assert_eq!(one_tested.p, other_tested.p);
        prop_assert_eq!(one.verdict.is_trend(), other.verdict.is_trend());
        prop_assert!(!one.verdict.is_trend() || one.verdict != other.verdict);
    }

    #[test]
    fn the_order_of_runs_does_not_decide_which_is_unlike(refused in Just(vec![10_u64, 12, 11, 13, 12, 60, 14, 9]).prop_shuffle()) {
        let runs = series(&refused);
        let found = unlike(&runs.iter().collect::<Vec<_>>());
        let values: Vec<u64> = found.iter().map(|it| refused[it.run]).collect();
        prop_assert_eq!(values, [60]);
    }

    #[test]
    fn half_of_the_values_at_least_are_usual(values in proptest::collection::vec(0_u64..1_000_000, 5..30)) {
        let (middle, (low, high)) = usual(&values).unwrap();
        prop_assert!(low <= middle && middle <= high);
        let inside = values.iter().filter(|value| (low..=high).contains(*value)).count();
        prop_assert!(2 * inside >= values.len());
    }
}
