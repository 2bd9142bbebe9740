//! The techniques that a run's facts fit, as a layer for the ATT&CK Navigator.
//!
//! Source: MITRE's attack-navigator, `layers/spec/v4.5/layerformat.md`.
//! A layer contains nothing from the evidence: only ids of the run, and names and text from the ATT&CK data.

use detect::{Attack, Tactic};
use graph::{Fit, Run, attack_fits};
use ledger::FactId;
use serde_json::{Value, json};

/// The version of the layer format.
pub const LAYER: &str = "4.5";

/// The oldest version of the Navigator that the layer requests; the format requires at least 4.9.0.
const NAVIGATOR: &str = "5.0.0";

/// The number of facts that the comment of a technique names.
const NAMED: usize = 20;

/// The colours from few phenomena to many.
const COLORS: [&str; 2] = ["#fff3b0", "#d9534f"];

const DESCRIPTION: &str = "Techniques that traces of the run fit, scored by the number of phenomena. That a trace fits a technique does not say that the technique was used: ordinary software leaves such traces, too.";

/// Returns the layer of a run: one entry for each technique under each of its tactics, scored by the number of phenomena with a matching fact.
///
/// A technique that only facts outside phenomena fit has the score 0.
pub fn navigator_layer(run: &Run, attack: &Attack) -> Value {
    let fits = attack_fits(attack, run);
    let most = fits.iter().map(|fit| fit.phenomena.len()).max().unwrap_or(0).max(1);
    let techniques: Vec<Value> = fits
        .iter()
        .flat_map(|fit| attack.tactics_of(fit.technique).map(|tactic| technique(fit, tactic)))
        .collect();
    json!({
        "name": format!("Locard {}", run.name()).trim_end(),
        "versions": { "attack": major(attack.version()), "navigator": NAVIGATOR, "layer": LAYER },
        "domain": "enterprise-attack",
        "description": DESCRIPTION,
        "filters": { "platforms": ["Windows"] },
        // The value 3 sorts by score, highest first.
        "sorting": 3,
        "layout": {
            "layout": "side",
            "showID": true,
            "showName": true,
            "showAggregateScores": false,
            "countUnscored": false,
            "aggregateFunction": "sum",
            "expandedSubtechniques": "annotated",
        },
        "hideDisabled": false,
        "techniques": techniques,
        "gradient": { "colors": COLORS, "minValue": 0, "maxValue": most },
        "legendItems": [
            { "label": "fits few phenomena", "color": COLORS[0] },
            { "label": "fits many phenomena", "color": COLORS[1] },
        ],
        "showTacticRowBackground": false,
        "selectTechniquesAcrossTactics": true,
        "selectSubtechniquesWithParent": false,
        "selectVisibleTechniques": false,
        "metadata": [
            { "name": "run", "value": run.name() },
            { "name": "program", "value": run.opened.program },
            { "name": "ATT&CK", "value": attack.version() },
        ],
        "links": [],
    })
}

fn technique(fit: &Fit<'_>, tactic: &Tactic) -> Value {
    json!({
        "techniqueID": fit.technique.id,
        "tactic": tactic.shortname,
        "score": fit.phenomena.len(),
        "comment": comment(&fit.facts),
        "enabled": true,
        "metadata": [{ "name": "facts", "value": fit.facts.len().to_string() }],
        "links": [{ "label": "MITRE ATT&CK", "url": fit.technique.id.url() }],
        "showSubtechniques": false,
    })
}

fn comment(facts: &[FactId]) -> String {
    let named: Vec<_> = facts.iter().take(NAMED).map(FactId::to_string).collect();
    let more = facts.len().saturating_sub(named.len());
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("fits {}{more}", named.join(", "))
}

/// Returns the version as the Navigator names it: `19` for `19.2`.
fn major(version: &str) -> &str {
    version.split('.').next().unwrap_or(version)
}
