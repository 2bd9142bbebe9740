//! Tests of the counts of refused claims.

use graph::{Run, Tally, fold, tallies};
use ledger::{Healing, Reading, RejectionCode};
use std::collections::BTreeMap;
use testkit::history::{History, fact, invocation, reading};

fn citing(reading: Reading, invocation: &str) -> Reading {
    Reading { invocation: invocation.into(), ..reading }
}

/// Builds one task: turn 1 runs a tool, turn 2 has two refusals, turn 3 a refusal and a fact, turn 4 a refusal, and turn 5 a healed fact.
fn run() -> Run {
    let mut history = History::opened("T");
    history.assigned(1, "registry").invoked(1, 0);
    let own = invocation(1, 0).to_string();
    let claimed = |history: &mut History, ordinal: u32, turn: u32, value: &str, cited: &str| {
        history.claimed(1, ordinal, turn, citing(reading("configured", &[value], Some("r1")), cited));
    };
    claimed(&mut history, 0, 2, "ALDER-08", &own);
    history.refused(1, 0, RejectionCode::ValueAbsent);
    claimed(&mut history, 1, 2, "ALDER-09", "inv-0000dead");
    history.refused(1, 1, RejectionCode::UnknownInvocation);
    claimed(&mut history, 2, 3, "ALDER-O7", &own);
    history.refused(1, 2, RejectionCode::ValueAbsent);
    claimed(&mut history, 3, 3, "ALDER-07", &own);
    history.accepted(1, 3, fact(1, 0, "k", &[("data", "ALDER-07")]));
    history.claimed(1, 4, 4, citing(reading("executed", &["something"], Some("r9")), "nonsense"));
    history.refused(1, 4, RejectionCode::Overclaim);
    claimed(&mut history, 5, 5, "other", "inv-0000beef");
    let healing = Healing {
        cited: "inv-0000beef".into(),
        healed: invocation(1, 0),
        because: RejectionCode::UnknownInvocation,
    };
    history.accepted_as(1, 5, fact(1, 1, "k", &[("data", "other")]), Some(healing));
    fold(history.events()).unwrap()
}

fn tally(
    claims: u32,
    refused: u32,
    healed: u32,
    tries: &[(u32, u32)],
    abandoned: u32,
    lost_turns: u32,
) -> Tally {
    let corrected = tries.iter().copied().collect::<BTreeMap<_, _>>();
    Tally { claims, refused, healed, corrected, abandoned, lost_turns }
}

#[test]
fn claims_are_counted_by_code_agent_model_and_tool() {
    let run = run();
    let tallies = tallies([&run]);
    assert_eq!(tallies.all, tally(6, 4, 1, &[(2, 1), (3, 1)], 2, 2));
    assert_eq!(tallies.by_agent["registry"], tallies.all);
    assert_eq!(tallies.by_model.values().collect::<Vec<_>>(), [&tallies.all]);
    assert_eq!(tallies.by_code[&RejectionCode::ValueAbsent], tally(2, 2, 0, &[(2, 1), (3, 1)], 0, 1));
    assert_eq!(tallies.by_code[&RejectionCode::UnknownInvocation], tally(2, 1, 1, &[], 1, 1));
    let tool = |name: Option<&str>| &tallies.by_tool[&name.map(str::to_owned)];
    assert_eq!(tool(Some("parse_registry_key")), &tally(4, 2, 1, &[(2, 1), (3, 1)], 0, 1));
    assert_eq!(tool(None), &tally(2, 2, 0, &[], 2, 2));
}

#[test]
fn the_groups_of_a_tally_add_up_and_several_runs_are_counted_together() {
    let (one, other) = (run(), run());
    let (single, both) = (tallies([&one]), tallies([&one, &other]));
    assert_eq!(both.all.claims, 2 * single.all.claims);
    assert_eq!(both.all.lost_turns, 2 * single.all.lost_turns);
    let sum = |of: &dyn Fn(&Tally) -> u32| -> [u32; 4] {
        [
            both.by_code.values().map(of).sum(),
            both.by_agent.values().map(of).sum(),
            both.by_tool.values().map(of).sum(),
            both.by_model.values().map(of).sum(),
        ]
    };
    assert_eq!(sum(&|tally| tally.refused), [both.all.refused; 4]);
    assert_eq!(sum(&|tally| tally.healed), [both.all.healed; 4]);
    assert_eq!(sum(&|tally| tally.abandoned), [both.all.abandoned; 4]);
}
