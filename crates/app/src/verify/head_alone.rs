//! What no check of a run by itself holds against anything else: nothing but the head of its chain vouches for it.

/// Members of events, and of what stands beside them, as `event.member`; sorted.
///
/// A test changes each member of each event of a run, chains and seals it anew, and holds that whatever `verify` does not find is listed here.
/// `replay` finds another `told`, `reason`, `request`, `left_out`, `shown` and `normalised`; `verify --evidence` another `integrity`, index and `normalised`.
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
