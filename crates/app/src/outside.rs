//! Rules and tools of a run in which another program acts as the agent: there, each turn is one call.

use ledger::vocabulary::VocabularyError;
use ledger::{AgentSpec, Budgets, RecoveryRules, Rules, ToolSpec, Vocabulary};

/// Turns of the investigation: about as many calls as other models get, which make up to 16 per turn.
const INVESTIGATE_TURNS: u32 = 1_000;
/// Turns of the record-only phase, scaled in the same way.
const RECORD_TURNS: u32 = 300;
/// Turns of a recovery, scaled in the same way.
const RECOVERY_TURNS: u32 = 100;
/// One day, because people take part in the decisions.
const WALL_SECONDS: u64 = 24 * 60 * 60;

/// Returns the rules for runs in which every turn is one call.
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

/// Returns every tool that this version can offer to a task, sorted by name; `roster` are the agents that a lead assigns tasks to.
///
/// # Errors
///
/// Fails if the shipped vocabulary is invalid.
pub fn outside_tools(roster: &[AgentSpec]) -> Result<Vec<ToolSpec>, VocabularyError> {
    Ok(crate::run::offered(&Vocabulary::shipped()?, roster))
}
