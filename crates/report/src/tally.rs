//! Counts of refused claims, for people and for programs.

use crate::inert::terminal;
use graph::{Tallies, Tally};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Formats tables by code, agent, tool and model, and the cost of refusals.
pub fn tallies(tallies: &Tallies) -> String {
    let mut out = String::new();
    let width = groups(tallies).iter().flat_map(|(_, rows)| rows).map(|(name, _)| name.chars().count()).max();
    let width = width.unwrap_or(0).max(22);
    for (title, rows) in groups(tallies) {
        let _ = writeln!(
            out,
            "{title:<width$} {:>8} {:>8} {:>8} {:>10} {:>10} {:>10}",
            "claims", "refused", "healed", "corrected", "abandoned", "lost turns"
        );
        for (name, tally) in rows {
            let Tally { claims, refused, healed, abandoned, lost_turns, .. } = tally;
            let corrected = corrected(tally);
            let _ = writeln!(
                out,
                "{name:<width$} {claims:>8} {refused:>8} {healed:>8} {corrected:>10} {abandoned:>10} {lost_turns:>10}"
            );
        }
        let _ = writeln!(out);
    }
    cost(&mut out, &tallies.all);
    if let Some(tokens) = tallies.tokens {
        let _ = writeln!(out, "all turns together took {tokens} tokens of language models");
    }
    out
}

fn cost(out: &mut String, all: &Tally) {
    for (tries, claims) in &all.corrected {
        let _ = writeln!(out, "{claims} corrected after {tries} tries");
    }
    let share = share(all.refused, all.claims).map_or("-".to_owned(), |share| format!("{share:.1} %"));
    let _ = writeln!(
        out,
        "refusals cost {} of {} claims ({share}) and {} turns",
        all.refused, all.claims, all.lost_turns
    );
}

pub(crate) fn corrected(tally: &Tally) -> u32 {
    tally.corrected.values().sum()
}

pub(crate) fn share(part: u32, of: u32) -> Option<f64> {
    (of > 0).then(|| 100.0 * f64::from(part) / f64::from(of))
}

/// Returns the tables, each with its title and its rows by name.
pub(crate) fn groups(tallies: &Tallies) -> [(&'static str, Vec<(String, &Tally)>); 5] {
    let tool = |tool: &Option<String>| tool.as_deref().map_or("none".to_owned(), terminal);
    [
        ("by code", tallies.by_code.iter().map(|(code, tally)| (code.to_string(), tally)).collect()),
        ("by agent", tallies.by_agent.iter().map(|(agent, tally)| (terminal(agent), tally)).collect()),
        ("by tool", tallies.by_tool.iter().map(|(name, tally)| (tool(name), tally)).collect()),
        ("by model", tallies.by_model.iter().map(|(model, tally)| (terminal(model), tally)).collect()),
        ("over all", vec![("all".to_owned(), &tallies.all)]),
    ]
}

/// Returns the counts as one JSON value.
pub fn tallies_json(tallies: &Tallies) -> Value {
    let one = |it: &Tally| {
        let tries: Map<String, Value> =
            it.corrected.iter().map(|(tries, claims)| (tries.to_string(), json!(claims))).collect();
        json!({
            "claims": it.claims,
            "refused": it.refused,
            "refused_percent_of_all_claims": share(it.refused, tallies.all.claims),
            "healed": it.healed,
            "corrected": corrected(it),
            "corrected_after_tries": tries,
            "abandoned": it.abandoned,
            "lost_turns": it.lost_turns,
            "model_tokens": null,
        })
    };
    let mut all = one(&tallies.all);
    all["model_tokens"] = json!(tallies.tokens);
    json!({
        "all": all,
        "by_code": tallies.by_code.iter().map(|(code, it)| (code.to_string(), one(it))).collect::<Map<_, _>>(),
        "by_agent": tallies.by_agent.iter().map(|(agent, it)| (agent.clone(), one(it))).collect::<Map<_, _>>(),
        "by_model": tallies.by_model.iter().map(|(model, it)| (model.clone(), one(it))).collect::<Map<_, _>>(),
        "by_tool": tallies.by_tool.iter().map(|(tool, it)| {
            (tool.clone().unwrap_or_else(|| "none".to_owned()), one(it))
        }).collect::<Map<_, _>>(),
    })
}
