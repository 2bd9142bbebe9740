//! The rules of a run: budgets and gateway settings, as data in its first event.

use crate::exchange::{MicroDollars, Window};
use crate::fact::Tier;
use crate::tool::{Surface, ToolClass};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// All settings under which a run may be judged again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rules {
    /// What ends a loop.
    pub budgets: Budgets,
    /// How the gateway judges.
    pub gate: GateRules,
    /// How much of an output an agent is shown at once.
    pub view: ViewRules,
    /// What a phase may use. The default is not written, so that the rules of runs before format 2.4 keep their form.
    #[serde(skip_serializing_if = "Surfaces::is_default")]
    pub surfaces: Surfaces,
    /// How often and how long a task tries another way; the default is not written, as above.
    #[serde(skip_serializing_if = "RecoveryRules::is_default")]
    pub recovery: RecoveryRules,
    /// What a lead may assign; the default is not written, as above.
    #[serde(skip_serializing_if = "DispatchRules::is_default")]
    pub dispatch: DispatchRules,
    /// Whether code searches for answers that agents left open, before the run is sealed; not written if it does.
    #[serde(skip_serializing_if = "Clone::clone")]
    pub sweep: bool,
    /// The kind of model that the agents are; not written if it can be any.
    #[serde(skip_serializing_if = "Profile::is_full")]
    pub profile: Profile,
}

/// The kind of model that agents are made for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// Any model.
    #[default]
    Full,
    /// A model with few billion parameters, or with a small context:
    /// few tools, only claims by reference, and one suggested next call each turn.
    Small,
}

impl Profile {
    fn is_full(&self) -> bool {
        *self == Profile::Full
    }
}

impl Rules {
    /// Returns the rules for a small model: answers of some 1,500 tokens, one call a turn, no recoveries.
    pub fn small() -> Rules {
        Rules {
            profile: Profile::Small,
            view: ViewRules { head_bytes: 6_000, tail_bytes: 0 },
            budgets: Budgets {
                investigate_turns: 40,
                record_turns: 4,
                calls_per_turn: 4,
                ..Budgets::default()
            },
            recovery: RecoveryRules { attempts: 0, ..RecoveryRules::default() },
            ..Rules::default()
        }
    }
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            budgets: Budgets::default(),
            gate: GateRules::default(),
            view: ViewRules::default(),
            surfaces: Surfaces::default(),
            recovery: RecoveryRules::default(),
            dispatch: DispatchRules::default(),
            sweep: true,
            profile: Profile::Full,
        }
    }
}

/// How often and how long a task tries another way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecoveryRules {
    /// The number of recoveries of a task.
    pub attempts: u32,
    /// The number of turns of each.
    pub turns: u32,
    /// The confidence, in thousandths, below which a met objective needs a second source.
    /// Only in runs before [`crate::Behaviour::AnsweredIsDone`].
    pub confidence_below: u32,
}

impl Default for RecoveryRules {
    fn default() -> RecoveryRules {
        RecoveryRules { attempts: 3, turns: 8, confidence_below: 300 }
    }
}

impl RecoveryRules {
    fn is_default(&self) -> bool {
        *self == RecoveryRules::default()
    }
}

/// What a lead may assign.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DispatchRules {
    /// The number of tasks of a run that may be assigned.
    pub tasks: u16,
    /// The number of characters of all artifacts that a first message shows.
    pub bundle_characters: u32,
}

impl Default for DispatchRules {
    fn default() -> DispatchRules {
        DispatchRules { tasks: 48, bundle_characters: 50_000 }
    }
}

impl DispatchRules {
    fn is_default(&self) -> bool {
        *self == DispatchRules::default()
    }
}

/// What ends a loop; counted within a task unless stated otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Budgets {
    /// Turns on the full surface.
    pub investigate_turns: u32,
    /// Turns on the record-only surface.
    pub record_turns: u32,
    /// Calls that one turn may make; further ones are refused.
    pub calls_per_turn: u32,
    /// Rejected claims.
    pub rejected_claims: u32,
    /// Accepted facts: an agent that records everything has selected nothing.
    pub accepted_facts: u32,
    /// How often the log answers an identical call before the call is refused.
    pub repeated_calls: u32,
    /// Wall time of the task in seconds.
    pub wall_seconds: u64,
    /// Tokens of requests and replies, of all tasks of the run together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_tokens: Option<u64>,
    /// Money, of all tasks of the run together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_cost: Option<MicroDollars>,
}

impl Default for Budgets {
    fn default() -> Budgets {
        Budgets {
            investigate_turns: 60,
            record_turns: 30,
            calls_per_turn: 16,
            rejected_claims: 60,
            accepted_facts: 400,
            repeated_calls: 2,
            wall_seconds: 3600,
            run_tokens: None,
            run_cost: None,
        }
    }
}

/// How the gateway judges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GateRules {
    /// Whether a citation that does not ground its reading may be healed.
    pub rescue: bool,
    /// The tiers that count as a match.
    pub tiers: Vec<Tier>,
    /// The most candidates that a rejection names.
    pub candidates: u32,
    /// The fewest characters of a value that can tell one record from another without a cited record and field.
    pub weak_below: u32,
}

impl Default for GateRules {
    fn default() -> GateRules {
        GateRules {
            rescue: true,
            tiers: vec![Tier::Exact, Tier::Normalised, Tier::Typed, Tier::Quoted],
            candidates: 5,
            weak_below: 4,
        }
    }
}

/// How much of an output an agent is shown at once; it can page through the rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ViewRules {
    /// Stored bytes of records at the start.
    pub head_bytes: u64,
    /// Stored bytes of records at the end.
    pub tail_bytes: u64,
}

impl Default for ViewRules {
    fn default() -> ViewRules {
        ViewRules { head_bytes: 24 * 1024, tail_bytes: 8 * 1024 }
    }
}

/// The divisor for the part of a request's tokens that one output may use.
const PART_OF_REQUEST: u64 = 4;
/// The number of stored bytes that are certainly no more than one token.
const BYTES_A_TOKEN: u64 = 2;

impl ViewRules {
    /// Returns the same rules, lowered so that one output uses at most a quarter of the model's context window.
    #[must_use]
    pub fn within(self, window: Window) -> ViewRules {
        let tokens = u64::from(window.context.saturating_sub(window.reply));
        let most = tokens / PART_OF_REQUEST * BYTES_A_TOKEN;
        let all = self.head_bytes.saturating_add(self.tail_bytes);
        if all <= most {
            return self;
        }
        let part = u128::from(self.tail_bytes) * u128::from(most) / u128::from(all.max(1));
        let tail_bytes = u64::try_from(part).unwrap_or(most);
        ViewRules { head_bytes: most.saturating_sub(tail_bytes), tail_bytes }
    }
}

/// What the phases of an agent's work may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Surfaces {
    /// What every agent may use while it investigates; `None` for each agent's own surface.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub investigate: Option<Surface>,
    /// What the record phase may use.
    pub record: Surface,
    /// The tools that exist at all, whatever the surface; `None` for all. For models that cannot handle the descriptions of all tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<BTreeSet<String>>,
}

impl Default for Surfaces {
    /// Everything that was found can be recorded, but nothing new can be searched for.
    fn default() -> Surfaces {
        let record = [ToolClass::Record, ToolClass::GraphWrite, ToolClass::GraphRead];
        Surfaces { investigate: None, record: record.into(), tools: None }
    }
}

impl Surfaces {
    fn is_default(&self) -> bool {
        *self == Surfaces::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical;

    #[test]
    fn the_documented_rules_are_the_default_ones() {
        let page = include_str!("../../../docs/rules.md");
        let text = page.split("```toml").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        assert_eq!(toml::from_str::<Rules>(text).unwrap(), Rules::default());
    }

    #[test]
    fn one_output_takes_a_quarter_of_a_small_context_at_most_and_what_was_asked_of_a_large_one() {
        let within = |context, reply| ViewRules::default().within(Window { context, reply });
        assert_eq!(within(200_000, 32_768), ViewRules::default());
        let small = within(8_192, 2_048);
        assert_eq!((small.head_bytes, small.tail_bytes), (2_304, 768));
        assert_eq!(within(100, 100), ViewRules { head_bytes: 0, tail_bytes: 0 });
    }

    #[test]
    fn rules_without_surfaces_of_their_own_have_the_form_that_they_had_before_there_were_any() {
        let usual = canonical::to_string(&Rules::default()).unwrap();
        assert!(!usual.contains("surfaces"), "{usual}");
        let rules: Rules = toml::from_str("[surfaces]\ninvestigate = [\"INVESTIGATE\"]").unwrap();
        let written = canonical::to_string(&rules).unwrap();
        assert!(
            written.contains(r#""surfaces":{"investigate":["INVESTIGATE"],"record":["RECORD""#),
            "{written}"
        );
        assert!(!written.contains("tools"), "{written}");
        assert_eq!(serde_json::from_str::<Rules>(&written).unwrap(), rules);
    }

    #[test]
    fn the_tools_that_there_are_can_be_named() {
        let rules: Rules = toml::from_str("[surfaces]\ntools = [\"read_file\", \"hash_file\"]").unwrap();
        let written = canonical::to_string(&rules).unwrap();
        assert!(written.contains(r#""tools":["hash_file","read_file"]"#), "{written}");
        assert_eq!(serde_json::from_str::<Rules>(&written).unwrap(), rules);
    }

    #[test]
    fn what_a_rules_file_leaves_out_keeps_its_default_and_a_misspelt_rule_is_refused() {
        let rules: Rules = toml::from_str("[budgets]\nrecord_turns = 10").unwrap();
        assert_eq!((rules.budgets.record_turns, rules.budgets.investigate_turns), (10, 60));
        assert!(toml::from_str::<Rules>("[budgets]\nrecord_turn = 10").is_err());
    }
}
