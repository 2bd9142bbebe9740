//! The techniques that the sample run matches: those that were planted are listed, and most of the run matches none.

use detect::Attack;
use graph::{attack_fits, techniques_of};
use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn the_sample_run_fits_the_techniques_that_were_planted_and_most_of_it_fits_none() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runs/sample");
    let run = app::load_run(&folder).unwrap();
    let attack = Attack::shipped().unwrap();
    let told: BTreeSet<String> =
        attack_fits(&attack, &run).into_iter().map(|fit| fit.technique.id.to_string()).collect();
    let planted = [
        "T1021.001",
        "T1036.005",
        "T1053.005",
        "T1070.004",
        "T1070.006",
        "T1543.003",
        "T1546.008",
        "T1546.012",
        "T1547.001",
        "T1564.002",
        "T1564.004",
        "T1565.001",
        "T1685.005",
    ];
    let missing: Vec<_> = planted.iter().filter(|id| !told.contains(**id)).collect();
    assert!(missing.is_empty(), "{missing:?} of {told:?}");
    let phenomena: Vec<_> = run.tasks.values().flat_map(|task| &task.phenomena).collect();
    let fitting = phenomena.iter().filter(|it| !techniques_of(&attack, &run, it).is_empty()).count();
    assert!(fitting * 4 < phenomena.len(), "{fitting} of {}", phenomena.len());
}
