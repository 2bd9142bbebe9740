//! Tests the registry reader with hives built by `testkit`, damaged ones, and real ones.

#[cfg(test)]
mod cases;
#[cfg(test)]
mod damage;
#[cfg(test)]
mod deleted;
#[cfg(test)]
mod goldens;
#[cfg(test)]
mod mutations;
#[cfg(test)]
mod replay;

use std::ops::ControlFlow;

use artifacts::registry::{Defect, DefectKind, Hive, Visit, WalkSummary};

/// Returns everything that a walk visits.
fn walk<'h>(hive: &'h Hive<'_>) -> (Vec<Visit<'h>>, WalkSummary) {
    let mut visits = Vec::new();
    let summary = hive.walk(|visit| {
        visits.push(visit);
        ControlFlow::Continue(())
    });
    (visits, summary)
}

fn kinds(defects: &[Defect]) -> Vec<DefectKind> {
    defects.iter().map(|defect| defect.what).collect()
}

/// Returns all defects of a walk.
fn walk_defects(hive: &Hive<'_>) -> Vec<Defect> {
    walk(hive).0.into_iter().flat_map(|visit| visit.defects).collect()
}
