//! Holds what the example prints.

#[test]
fn the_true_claim_becomes_a_fact_and_the_invented_one_is_refused_with_what_the_output_holds() {
    let verdicts = super::verdicts().unwrap();
    assert_eq!(verdicts, [""; 2]);
}
