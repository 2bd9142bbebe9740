//! What a run of an agent of another program has of its own: a turn there is one call.

use ledger::vocabulary::VocabularyError;
use ledger::{AgentSpec, Budgets, RecoveryRules, Rules, ToolSpec, Vocabulary};

/// Turns while it investigates: about as many calls as other models get, which make up to 16 a turn.
const INVESTIGATE_TURNS: u32 = 1_000;
/// Turns on the record-only surface, likewise.
const RECORD_TURNS: u32 = 300;
/// Turns of a recovery, likewise.
const RECOVERY_TURNS: u32 = 100;
/// A day: people decide with it.
const WALL_SECONDS: u64 = 24 * 60 * 60;

/// The rules where every turn is one call.
pub fn outside_rules() -> Rules {
    Rules {
        budgets: Budgets {
            investigate_turns: INVESTIGATE_TURNS,
            record_turns: RECORD_TURNS,
            wall_seconds: WALL_SECONDS,
            ..Budgets::default()
        },
        recovery: RecoveryRules { turns: RECOVERY_TURNS, ..RecoveryRules::default() },
        ..Rules::default()
    }
}

/// Every tool that a task can be offered by this version, sorted by name; `roster` are the agents that a lead hands tasks to.
pub fn outside_tools(roster: &[AgentSpec]) -> Result<Vec<ToolSpec>, VocabularyError> {
    Ok(crate::run::offered(&Vocabulary::shipped()?, roster))
}
