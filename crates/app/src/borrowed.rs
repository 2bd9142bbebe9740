//! Matches of third-party rules and indicators, converted for the agents that hunt.

use detect::Level;
use report::hunt::{Fit, Whose};
use tools::{Check, Found, Indicator, Matched, SigmaHit, SigmaRule};

/// Returns the rules that a record matches and the indicators that it names.
pub fn fits(found: &Found, matched: &Matched) -> Vec<Fit> {
    let rules = found.sigma.iter().filter_map(|hit| fit(hit, &matched.sigma));
    let named = found.indicators.iter().filter_map(|hit| {
        let place = matched.indicators.binary_search_by_key(&hit.indicator, |named| named.number).ok()?;
        let fit = fit_of_indicator(&matched.indicators.get(place)?.indicator);
        Some(Fit { fields: vec![(hit.field.clone(), hit.value.clone())], ..fit })
    });
    rules.chain(named).collect()
}

fn fit(hit: &SigmaHit, check: &Check) -> Option<Fit> {
    let rule = check.rules.get(hit.rule)?;
    let mut remarks = Vec::new();
    if hit.state {
        let level = rule.sigma_level.as_deref().unwrap_or("none");
        remarks.push(format!(
            "the record says what is there, not that somebody did it: less than the rule's level {level}"
        ));
    }
    if !hit.lacks.is_empty() {
        remarks.push(format!("the rule looks at what such records do not say: {}", hit.lacks.join(", ")));
    }
    Some(Fit { level: hit.level, fields: hit.fields.clone(), remarks, ..fit_of_rule(rule) })
}

/// Converts a Sigma rule to a fit without matched fields.
pub(crate) fn fit_of_rule(rule: &SigmaRule) -> Fit {
    let (techniques, tags) = tags(&rule.tags);
    Fit {
        whose: Whose::Sigma,
        rule: named(rule).to_owned(),
        level: rule.level,
        note: rule.title.clone(),
        techniques,
        tags,
        file: Some(rule.file.clone()),
        digest: Some(rule.digest.to_string()),
        fields: Vec::new(),
        remarks: Vec::new(),
    }
}

/// Returns the name that hits of a rule carry: its id, or its title if it has no id.
pub fn named(rule: &SigmaRule) -> &str {
    rule.id.as_deref().unwrap_or(&rule.title)
}

/// Converts an indicator to a fit without matched fields.
pub(crate) fn fit_of_indicator(indicator: &Indicator) -> Fit {
    let line = indicator.line.map(|line| format!(":{line}")).unwrap_or_default();
    let label = indicator.label.as_ref().map(|label| format!(" ({label})")).unwrap_or_default();
    Fit {
        whose: Whose::Indicator,
        rule: indicator.value.clone(),
        level: Level::High,
        note: format!("the record names the {} {}{label}", indicator.kind.name(), indicator.value),
        techniques: Vec::new(),
        tags: Vec::new(),
        file: Some(format!("{}{line}", indicator.file)),
        digest: None,
        fields: Vec::new(),
        remarks: Vec::new(),
    }
}

/// Splits tags into technique ids, sorted, and other tags.
fn tags(tags: &[String]) -> (Vec<String>, Vec<String>) {
    let technique = |tag: &String| {
        let id = tag.to_ascii_lowercase();
        let id = id.strip_prefix("attack.t")?;
        id.starts_with(|it: char| it.is_ascii_digit()).then(|| format!("T{id}"))
    };
    let mut techniques: Vec<String> = tags.iter().filter_map(technique).collect();
    techniques.sort();
    techniques.dedup();
    (techniques, tags.iter().filter(|tag| technique(tag).is_none()).cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn techniques_are_told_from_other_tags() {
        let given = ["attack.t1003.001", "attack.credential-access", "cve.2020-1", "attack.T1547"];
        let (techniques, others) = tags(&given.map(str::to_owned));
        assert_eq!(techniques, ["T1003.001", "T1547"]);
        assert_eq!(others, ["attack.credential-access", "cve.2020-1"]);
    }
}
