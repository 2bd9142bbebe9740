//! The members that no check of the run alone can compare with anything: only the head of the chain protects them.

/// Members of events and of their circumstances, as `event.member`; sorted.
///
/// A test changes each member of each event of a run, rebuilds the chain and the seal,
/// and checks that every change that `verify` does not detect is listed here.
/// `replay` detects a change of `told`, `reason`, `request`, `left_out`, `shown` and `normalised`; `verify --evidence` one of
/// `integrity`, the index and `normalised`.
pub const HEAD_ALONE: &[&str] = &[
    "call_refused.told",
    "circumstance.at",
    "circumstance.cost",
    "circumstance.evidence",
    "circumstance.stamps",
    "evidence_hashed.integrity",
    "graph_read.left_out",
    "graph_read.shown",
    "invocation_ended.normalised",
    "names_indexed.entries",
    "names_indexed.index",
    "phase_entered.reason",
    "run_opened.case.name",
    "run_opened.case.time_zone",
    "run_opened.case.title",
    "run_opened.questions",
    "turn_requested.request",
];
