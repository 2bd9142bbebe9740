//! Tests of what became of refused claims: which later claims make the same point.

use graph::{Fate, fold, refused_claims};
use ledger::{ClaimedValue, Reading, RejectionCode};
use testkit::history::{History, claim, fact, reading};

fn named(reading: Reading, subject: &str) -> Reading {
    Reading { subject: subject.into(), ..reading }
}

fn citing(reading: Reading, invocation: &str) -> Reading {
    Reading { invocation: invocation.into(), ..reading }
}

fn fields(names: &[&str], values: &[&str], record: Option<&str>) -> Reading {
    let value =
        |(name, value): (&&str, &&str)| ClaimedValue { field: Some((*name).into()), value: (*value).into() };
    let values = names.iter().zip(values).map(value).collect();
    Reading { values, ..reading("configured", &[], record) }
}

/// Returns the fates of claims of which all but the last were refused.
fn fates(claims: Vec<Reading>) -> Vec<Fate> {
    let last = claims.len() as u32 - 1;
    let mut history = History::opened("T");
    history.assigned(1, "a").invoked(1, 0);
    for (ordinal, reading) in (0..).zip(claims) {
        history.claimed(1, ordinal, ordinal + 1, reading);
        match ordinal == last {
            true => history.accepted(1, ordinal, fact(1, ordinal, "k", &[("data", "v")])),
            false => history.refused(1, ordinal, RejectionCode::ValueAbsent),
        };
    }
    let run = fold(history.events()).unwrap();
    refused_claims(&run).iter().map(|claim| claim.fate).collect()
}

fn corrected(refused: Reading, grounded: Reading) -> bool {
    fates(vec![refused, grounded]) != [Fate::Abandoned]
}

#[test]
fn a_refused_claim_is_corrected_by_a_later_one_at_the_same_point() {
    let fates = fates(vec![
        reading("configured", &["Name", "ALDER-08"], Some("r1")),
        reading("executed", &["nothing alike"], Some("r7")),
        reading("configured", &["Name", "ALDER-O7"], Some("r1")),
        reading("configured", &["Name", "ALDER-07"], Some("r1")),
    ]);
    let by = claim(1, 3);
    assert_eq!(fates, [Fate::Corrected { by, tries: 3 }, Fate::Abandoned, Fate::Corrected { by, tries: 2 }]);
}

#[test]
fn readings_of_different_things_are_different_points() {
    let plain = |values: &[&str]| reading("configured", values, None);
    // They share invocation, predicate and one value.
    let (one, other) = (plain(&["enabled", "1"]), plain(&["enabled", "2", "3"]));
    assert!(!corrected(one, other));
    let (one, other) = (plain(&["enabled", "a.exe"]), plain(&["enabled", "a.exe"]));
    assert!(!corrected(named(one.clone(), r"Run\one"), named(other.clone(), r"Run\other")));
    assert!(corrected(named(one, r"Run\one"), named(other, r"Run\one")));
    // Half of the values agree, but they name two paths.
    assert!(!corrected(plain(&["enabled", r"C:\a.exe"]), plain(&["enabled", r"C:\b.exe"])));
    let (name, data) = (["name", "data"], |name| [name, "enabled"]);
    assert!(!corrected(fields(&name, &data("one"), None), fields(&name, &data("other"), None)));
    // They share nothing significant.
    assert!(!corrected(plain(&["1", "2"]), plain(&["1", "2"])));
    // Two records of one output.
    let recorded = |record| reading("configured", &["enabled"], Some(record));
    assert!(!corrected(recorded("r1"), recorded("r2")));
    // They have different predicates over different values of the same thing.
    assert!(!corrected(plain(&["C/SYSTEM", "SYSTEM"]), reading("modified", &["C/SYSTEM", "2020"], None)));
}

#[test]
fn a_mistyped_id_field_value_or_predicate_does_not_change_the_point() {
    let right = fields(&["name", "data"], &["Updater", "a.exe"], Some("r3"));
    for mistaken in [
        citing(right.clone(), "inv-12345678"),
        citing(Reading { record: Some("r8".into()), ..right.clone() }, "inv-12345678"),
        Reading { record: None, ..right.clone() },
        fields(&["description", "data"], &["Updater", "a.exe"], Some("r3")),
        fields(&["name", "data"], &["Upd_ter", "a.exe"], Some("r3")),
        Reading { predicate: "executed".into(), ..right.clone() },
        named(right.clone(), "Run"),
    ] {
        assert!(corrected(mistaken.clone(), right.clone()), "{mistaken:?}");
    }
}

#[test]
fn a_log_of_nothing_but_refusals_of_one_point_is_folded_in_bounded_work() {
    let claims = vec![reading("configured", &["always the same"], Some("r1")); 2_000];
    let fates = fates(claims);
    // Every claim checks the next five hundred claims, so those near the end find the grounded one.
    let abandoned = fates.iter().filter(|fate| **fate == Fate::Abandoned).count();
    assert_eq!(abandoned, 2_000 - 1 - 500);
}
