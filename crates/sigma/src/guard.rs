//! Guards: texts of which a record must contain at least one for a rule to match it,
//! so that most rules need not be tried on most records.
//!
//! A guard never requires more than the rule: it may let through records that the rule does not match, but keeps back none that it matches.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use rsigma_eval::Event;
use rsigma_parser::{
    ConditionExpr, Detection, DetectionItem, Detections, Modifier, Quantifier, SelectorPattern, SigmaValue,
    StringPart,
};
use std::collections::BTreeMap;

use crate::view::any_text;

/// Texts in lower case, each with its field; a record must contain one of them.
type Guard = Vec<(String, String)>;

/// Returns what the rule cannot match without; `None` if nothing is known.
pub(crate) fn guard(detections: &Detections) -> Option<Guard> {
    let each = detections.conditions.iter().map(|condition| of_condition(condition, detections));
    union(each)
}

fn of_condition(condition: &ConditionExpr, detections: &Detections) -> Option<Guard> {
    let inner = |all: &[ConditionExpr]| -> Vec<Option<Guard>> {
        all.iter().map(|condition| of_condition(condition, detections)).collect()
    };
    match condition {
        ConditionExpr::And(all) => best(inner(all).into_iter().flatten()),
        ConditionExpr::Or(all) => union(inner(all).into_iter()),
        ConditionExpr::Not(_) => None,
        ConditionExpr::Identifier(name) => of_detection(detections.named.get(name)?),
        ConditionExpr::Selector { quantifier, pattern } => {
            let named = detections.named.iter().filter(|(name, _)| is_selected(pattern, name));
            let each = named.map(|(_, detection)| of_detection(detection));
            match quantifier {
                Quantifier::All => best(each.flatten()),
                Quantifier::Count(0) => None,
                Quantifier::Any | Quantifier::Count(_) => union(each),
            }
        }
    }
}

/// Checks whether a selector can refer to a detection with this name.
fn is_selected(pattern: &SelectorPattern, name: &str) -> bool {
    match pattern {
        SelectorPattern::Them => !name.starts_with('_'),
        SelectorPattern::Pattern(pattern) => ledger::pattern::fits(pattern, name),
    }
}

fn of_detection(detection: &Detection) -> Option<Guard> {
    match detection {
        Detection::AllOf(items) => best(items.iter().filter_map(of_item)),
        Detection::AnyOf(all) => union(all.iter().map(of_detection)),
        Detection::Keywords(_) => None,
    }
}

fn of_item(item: &DetectionItem) -> Option<Guard> {
    let field = item.field.name.as_deref()?;
    let mut splits = false;
    for modifier in &item.field.modifiers {
        match modifier {
            Modifier::Contains
            | Modifier::StartsWith
            | Modifier::EndsWith
            | Modifier::All
            | Modifier::Cased => {}
            // The character before an option may differ.
            Modifier::WindAsh => splits = true,
            _ => return None,
        }
    }
    let of_value = |value: &SigmaValue| -> Option<Guard> {
        let text = match value {
            SigmaValue::String(text) => {
                let plain = text.parts.iter().filter_map(|part| match part {
                    StringPart::Plain(text) => Some(text.as_str()),
                    StringPart::Special(_) => None,
                });
                let pieces =
                    plain.flat_map(|text| text.split(move |sign| splits && matches!(sign, '-' | '/')));
                pieces.max_by_key(|piece| piece.len()).filter(|piece| !piece.is_empty())?.to_lowercase()
            }
            SigmaValue::Integer(number) => number.to_string(),
            SigmaValue::Float(_) | SigmaValue::Bool(_) | SigmaValue::Null => return None,
        };
        Some(vec![(field.to_owned(), text)])
    };
    let each = item.values.iter().map(of_value);
    match item.field.has_modifier(Modifier::All) {
        true => best(each.flatten()),
        false => union(each),
    }
}

/// Of several guards that must all hold, returns the one whose shortest text is longest.
fn best(guards: impl Iterator<Item = Guard>) -> Option<Guard> {
    guards.max_by_key(|guard| guard.iter().map(|(_, text)| text.len()).min())
}

/// Combines guards of which one must hold; `None` if one of the parts can hold without any text.
fn union(guards: impl Iterator<Item = Option<Guard>>) -> Option<Guard> {
    let mut all = Guard::new();
    for guard in guards {
        all.extend(guard?);
    }
    (!all.is_empty()).then_some(all)
}

/// The guards of several rules, searched for together.
#[derive(Debug, Default)]
pub(crate) struct Guards {
    by_field: Vec<OfField>,
    /// The rules that no guard keeps back.
    always: Vec<usize>,
}

#[derive(Debug)]
struct OfField {
    field: String,
    texts: AhoCorasick,
    /// For each text, the rules that it lets through.
    rules: Vec<Vec<usize>>,
}

impl Guards {
    /// Makes the guards of rules, given by number.
    pub(crate) fn of(rules: impl Iterator<Item = (usize, Option<Guard>)>) -> Guards {
        let mut always = Vec::new();
        let mut texts: BTreeMap<String, BTreeMap<String, Vec<usize>>> = BTreeMap::new();
        for (rule, guard) in rules {
            let Some(guard) = guard else {
                always.push(rule);
                continue;
            };
            for (field, text) in guard {
                texts.entry(field).or_default().entry(text).or_default().push(rule);
            }
        }
        let mut by_field = Vec::new();
        for (field, texts) in texts {
            let automaton = AhoCorasickBuilder::new().match_kind(MatchKind::Standard).build(texts.keys());
            match automaton {
                Ok(automaton) => {
                    by_field.push(OfField { field, texts: automaton, rules: texts.into_values().collect() });
                }
                // If there are too many texts for one automaton, each rule is tried.
                Err(_) => always.extend(texts.into_values().flatten()),
            }
        }
        always.sort_unstable();
        always.dedup();
        Guards { by_field, always }
    }

    /// Returns the rules that can match, sorted.
    pub(crate) fn let_through(&self, event: &impl Event) -> Vec<usize> {
        let mut rules = self.always.clone();
        for of_field in &self.by_field {
            let Some(value) = event.get_field(&of_field.field) else { continue };
            any_text(&value, &mut |text| {
                let text = text.to_lowercase();
                for found in of_field.texts.find_overlapping_iter(&text) {
                    rules.extend(of_field.rules.get(found.pattern().as_usize()).into_iter().flatten());
                }
                false
            });
        }
        rules.sort_unstable();
        rules.dedup();
        rules
    }
}
