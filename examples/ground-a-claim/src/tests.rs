//! Holds what the example prints.

const PRINTED: [&str; 2] = [
    "fact-ebafdecf: executed POWERSHELL.EXE, last_run = 2025-09-16T09:47:31.1234567Z \
     (laptop:Windows/Prefetch/POWERSHELL.EXE-022A1004.pf @ 0x0+152)",
    "refused: r0 of inv-e28f92d8 does not hold this: `last_run` is \"2025-09-16T09:47:31.1234567Z\". \
     Cite an invocation of yours whose records hold the values as you state them.",
];

#[test]
fn the_true_claim_becomes_a_fact_and_the_invented_one_is_refused_with_what_the_record_holds() {
    assert_eq!(super::verdicts().unwrap(), PRINTED);
}

#[test]
fn the_documentation_shows_what_the_example_prints() {
    let page = include_str!("../../../docs/embedding.md");
    assert!(page.contains(&PRINTED.join("\n")), "docs/embedding.md differs");
}
