//! Rules over several events, in order of time.

use crate::load::Rule;
use crate::set::Noted;
use rsigma_eval::{
    CorrelationAction, CorrelationConfig, CorrelationEngine, CorrelationEventMode, JsonEvent, MatchResult,
    TimestampFallback,
};
use rsigma_parser::{
    ConditionExpr, ConditionOperator, CorrelationCondition, CorrelationRule, CorrelationType,
    SigmaCollection, SigmaRule,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// The most records that a finding names.
const MOST_NAMED: usize = 50;

/// The field under which the library sees the number of a record.
const ORDINAL: &str = "id";

/// A match of a rule over several events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Correlated {
    /// The number of the rule.
    pub rule: usize,
    /// What the events have in common: the fields that the rule groups by.
    pub group: Vec<(String, String)>,
    /// What the rule counted, in Sigma's words.
    pub counted: String,
    /// The time span of the rule in seconds.
    pub seconds: u64,
    /// The numbers of the records of its last events.
    pub ordinals: Vec<usize>,
}

/// Rules over several events.
#[derive(Default)]
pub(crate) struct Correlations {
    rules: Vec<(Rule, CorrelationRule)>,
    /// The number of the first of these rules.
    first: usize,
    /// The rules that they refer to, by number.
    looked_at: Vec<(usize, SigmaRule)>,
    fields: BTreeSet<String>,
}

impl Correlations {
    /// Returns the usable rules, and the others with the reason.
    pub(crate) fn of(
        rules: &[SigmaRule],
        correlations: Vec<(Rule, CorrelationRule)>,
        first: usize,
    ) -> (Correlations, Vec<(Rule, String)>) {
        let mut failed = Vec::new();
        let mut left = Vec::new();
        for (told, correlation) in correlations {
            match named(&correlation, rules) {
                Ok(correlation) => left.push((told, correlation)),
                Err(reason) => failed.push((told, reason)),
            }
        }
        let looked_at: Vec<(usize, SigmaRule)> = rules
            .iter()
            .enumerate()
            .filter(|(number, _)| {
                let own = key(*number);
                left.iter().any(|(_, correlation)| correlation.rules.contains(&own))
            })
            .map(|(number, rule)| {
                // A rule is identified by its number: names may be missing or shared.
                let mut rule = rule.clone();
                (rule.id, rule.name) = (Some(key(number)), None);
                (number, rule)
            })
            .collect();
        let mut made = Correlations { rules: Vec::new(), first, looked_at, fields: BTreeSet::new() };
        for (told, correlation) in left {
            made.rules.push((told, correlation));
            if let Err(reason) = made.engine()
                && let Some((told, _)) = made.rules.pop()
            {
                failed.push((told, reason));
            }
        }
        made.fields = made.rules.iter().flat_map(|(_, correlation)| fields(correlation)).collect();
        (made, failed)
    }

    pub(crate) fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().map(|(told, _)| told)
    }

    pub(crate) fn look_at(&self, rule: usize) -> bool {
        self.looked_at.iter().any(|(number, _)| *number == rule)
    }

    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(String::as_str)
    }

    fn engine(&self) -> Result<CorrelationEngine, String> {
        let mut engine = CorrelationEngine::new(CorrelationConfig {
            timestamp_fallback: TimestampFallback::Skip,
            action_on_match: CorrelationAction::Reset,
            correlation_event_mode: CorrelationEventMode::Refs,
            max_correlation_events: MOST_NAMED,
            ..CorrelationConfig::default()
        });
        let mut all = SigmaCollection::new();
        all.rules = self.looked_at.iter().map(|(_, rule)| rule.clone()).collect();
        for (number, (_, correlation)) in self.rules.iter().enumerate() {
            let mut correlation = correlation.clone();
            // A finding is identified by its number, whatever its title.
            correlation.title = number.to_string();
            all.correlations.push(correlation);
        }
        engine.add_collection(&all).map_err(|error| error.to_string())?;
        Ok(engine)
    }

    /// Returns what they find.
    pub(crate) fn find(&self, mut noted: Vec<Noted>) -> Vec<Correlated> {
        if self.rules.is_empty() {
            return Vec::new();
        }
        let Ok(mut engine) = self.engine() else { return Vec::new() };
        noted.sort();
        let mut found = Vec::new();
        for one in noted {
            let Some((_, rule)) = self.looked_at.iter().find(|(number, _)| *number == one.rule) else {
                continue;
            };
            let mut event: serde_json::Map<String, Value> =
                one.fields.into_iter().map(|(field, value)| (field, Value::String(value))).collect();
            event.insert(ORDINAL.to_owned(), Value::String(one.ordinal.to_string()));
            let detection = MatchResult {
                rule_title: rule.title.clone(),
                rule_id: rule.id.clone(),
                level: rule.level,
                tags: Vec::new(),
                matched_selections: Vec::new(),
                matched_fields: Vec::new(),
                event: None,
                custom_attributes: Default::default(),
            };
            let event = JsonEvent::owned(Value::Object(event));
            let result = engine.process_with_detections(&event, vec![detection], one.seconds);
            found.extend(result.correlations.into_iter().filter_map(|it| {
                let number: usize = it.rule_title.parse().ok()?;
                let refs = it.event_refs.unwrap_or_default();
                Some(Correlated {
                    rule: self.first + number,
                    group: it.group_key,
                    counted: format!("{}: {}", it.correlation_type.as_str(), it.aggregated_value),
                    seconds: it.timespan_secs,
                    ordinals: refs.iter().filter_map(|it| it.id.as_ref()?.parse().ok()).collect(),
                })
            }));
        }
        found
    }
}

fn key(number: usize) -> String {
    format!("rule{number}")
}

/// Returns a rule over several events with rule numbers in place of the names that it uses.
///
/// Without a condition, a temporal rule needs all of its rules; the library accepts any.
fn named(correlation: &CorrelationRule, rules: &[SigmaRule]) -> Result<CorrelationRule, String> {
    let is = |name: &str, own: &Option<String>| own.as_deref() == Some(name);
    let number = |name: &str| rules.iter().position(|rule| is(name, &rule.id) || is(name, &rule.name));
    let keyed = |name: &String| {
        let number = number(name);
        number
            .map(key)
            .ok_or_else(|| format!("it is over {name}, and there is no such rule over single events"))
    };
    let mut made = correlation.clone();
    made.rules = correlation.rules.iter().map(keyed).collect::<Result<_, _>>()?;
    for alias in &mut made.aliases {
        let mapping = std::mem::take(&mut alias.mapping);
        let mapping = mapping.into_iter().map(|(name, field)| Ok::<_, String>((keyed(&name)?, field)));
        alias.mapping = mapping.collect::<Result<_, _>>()?;
    }
    let is_temporal =
        matches!(made.correlation_type, CorrelationType::Temporal | CorrelationType::TemporalOrdered);
    let all = made.rules.len() as u64;
    match &mut made.condition {
        CorrelationCondition::Extended(condition) => rename(condition, &keyed)?,
        CorrelationCondition::Threshold { predicates, .. } => {
            if is_temporal && predicates.as_slice() == [(ConditionOperator::Gte, 1)] {
                *predicates = vec![(ConditionOperator::Gte, all)];
            }
        }
    }
    Ok(made)
}

fn rename(
    condition: &mut ConditionExpr,
    keyed: &impl Fn(&String) -> Result<String, String>,
) -> Result<(), String> {
    match condition {
        ConditionExpr::And(all) | ConditionExpr::Or(all) => {
            all.iter_mut().try_for_each(|it| rename(it, keyed))
        }
        ConditionExpr::Not(inner) => rename(inner, keyed),
        ConditionExpr::Identifier(name) => {
            *name = keyed(name)?;
            Ok(())
        }
        ConditionExpr::Selector { .. } => {
            Err("its condition counts rules, which is not understood".to_owned())
        }
    }
}

/// Returns the fields that a correlation uses.
fn fields(correlation: &CorrelationRule) -> Vec<String> {
    let mut all = correlation.group_by.clone();
    all.extend(correlation.aliases.iter().flat_map(|alias| alias.mapping.values().cloned()));
    if let CorrelationCondition::Threshold { field: Some(fields), .. } = &correlation.condition {
        all.extend(fields.iter().cloned());
    }
    all
}
