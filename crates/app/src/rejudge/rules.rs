//! Merges rules into those of a run: anything that a rules file leaves out keeps the run's value.

use ledger::Rules;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// A parsed rules file, which names only known rules.
#[derive(Debug, Clone)]
pub struct OtherRules {
    said: Value,
}

impl OtherRules {
    /// Parses TOML in the form of `locard run --rules`.
    ///
    /// # Errors
    ///
    /// Fails if the text is not TOML, names an unknown rule, or gives a rule a value of another type.
    pub fn read(text: &str) -> Result<OtherRules, toml::de::Error> {
        toml::from_str::<Rules>(text)?;
        Ok(OtherRules { said: toml::from_str(text)? })
    }

    /// Returns the rules of a run, with the values of the file in place of its own.
    pub(super) fn over(&self, run: &Rules) -> Result<Rules, serde_json::Error> {
        let mut merged = written(run)?;
        merge(&mut merged, &self.said);
        serde_json::from_value(merged)
    }
}

/// Serialises the rules with their surfaces, even if these are the defaults.
fn written(rules: &Rules) -> Result<Value, serde_json::Error> {
    let mut value = serde_json::to_value(rules)?;
    if let Some(members) = value.as_object_mut() {
        members.insert("surfaces".to_owned(), serde_json::to_value(&rules.surfaces)?);
    }
    Ok(value)
}

fn merge(into: &mut Value, said: &Value) {
    match (into, said) {
        (Value::Object(into), Value::Object(said)) => {
            for (name, value) in said {
                merge(into.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
        (into, said) => *into = said.clone(),
    }
}

/// A rule that differs from the run's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleChange {
    /// Its name, such as `gate.rescue`.
    pub rule: String,
    /// The run's value; null if it has none.
    pub then: Value,
    /// The new value.
    pub now: Value,
}

/// Returns the differences between two sets of rules, in the order of their names.
pub(super) fn changes(then: &Rules, now: &Rules) -> Result<Vec<RuleChange>, serde_json::Error> {
    let (then, now) = (written(then)?, written(now)?);
    let mut changes = Vec::new();
    let empty = Map::new();
    let sections = |value: &Value| value.as_object().cloned().unwrap_or_default();
    for (section, now) in &sections(&now) {
        let then = then.get(section).and_then(Value::as_object).unwrap_or(&empty);
        let now = now.as_object().unwrap_or(&empty);
        let mut names: Vec<_> = then.keys().chain(now.keys()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let side = |side: &Map<String, Value>| side.get(name).cloned().unwrap_or(json!(null));
            if side(then) != side(now) {
                changes.push(RuleChange {
                    rule: format!("{section}.{name}"),
                    then: side(then),
                    now: side(now),
                });
            }
        }
    }
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_leaves_out_keeps_the_value_of_the_run() {
        let mut run = Rules::default();
        (run.budgets.record_turns, run.gate.rescue, run.budgets.wall_seconds) = (10, false, u64::MAX);
        let other =
            OtherRules::read("[gate]\nrescue = true\n[surfaces]\ninvestigate = [\"RECORD\"]").unwrap();
        let merged = other.over(&run).unwrap();
        assert_eq!((merged.budgets.record_turns, merged.gate.rescue), (10, true));
        assert_eq!(merged.surfaces.record, Rules::default().surfaces.record);
        let changes = changes(&run, &merged).unwrap();
        let names: Vec<_> = changes.iter().map(|change| change.rule.as_str()).collect();
        assert_eq!(names, ["gate.rescue", "surfaces.investigate"]);
        assert_eq!((&changes[0].then, &changes[0].now), (&json!(false), &json!(true)));
        assert_eq!(OtherRules::read("").unwrap().over(&run).unwrap(), run);
    }

    #[test]
    fn a_rule_that_there_is_not_is_refused() {
        assert!(OtherRules::read("[gate]\nrescues = true").is_err());
        assert!(OtherRules::read("[gate]\nrescue = 1").is_err());
    }
}
