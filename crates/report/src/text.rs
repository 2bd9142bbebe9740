//! The tables of the command line.

use crate::inert::terminal;
use graph::{Fate, RefusedClaim, Run, fact_title};
use ledger::Tier;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Every fact in three lines: what it says, what it rests on, how its values matched.
pub fn facts(run: &Run) -> String {
    let mut out = String::new();
    let mut number = 0;
    for (task, accepted) in run.facts() {
        let fact = &accepted.fact;
        number += 1;
        let _ = writeln!(out, "{}  {}", fact.id, terminal(&fact_title(fact)));
        let _ = writeln!(
            out,
            "  {} {} of {task}, output {}{}",
            fact.invocation,
            fact.record,
            fact.output.short(),
            if accepted.healing.is_some() { " (citation healed)" } else { "" }
        );
        let _ = writeln!(out, "  {}", terminal(&fact.locator.to_string()));
        for value in &fact.values {
            let at = value.at.map_or(String::new(), |at| format!(", evidence bytes {at}"));
            let _ = writeln!(
                out,
                "    {}: {}, output bytes {}{at}",
                terminal(&value.field),
                tier(value.tier),
                value.span
            );
        }
    }
    let _ = writeln!(out, "{number} facts");
    out
}

/// Refused claims: counts by code and fate, then each with what was claimed and told.
pub fn rejections(claims: &[RefusedClaim<'_>]) -> String {
    let mut out = String::new();
    let mut counts: BTreeMap<_, (u32, u32)> = BTreeMap::new();
    for claim in claims {
        let count = counts.entry(claim.rejection.code).or_default();
        match claim.fate {
            Fate::Corrected { .. } => count.0 += 1,
            Fate::Abandoned => count.1 += 1,
        }
    }
    let _ = writeln!(out, "{:<22} {:>8} {:>10} {:>10}", "code", "refused", "corrected", "abandoned");
    for (code, (corrected, abandoned)) in &counts {
        let refused = corrected + abandoned;
        let _ = writeln!(out, "{:<22} {refused:>8} {corrected:>10} {abandoned:>10}", code.name());
    }
    for claim in claims {
        let _ =
            writeln!(out, "\n{} {} turn {}: {}", claim.claim, claim.agent, claim.turn, claim.rejection.code);
        let values: Vec<_> = claim
            .reading
            .values
            .iter()
            .map(|value| format!("{} = {}", value.field.as_deref().unwrap_or("?"), terminal(&value.value)))
            .collect();
        let _ = writeln!(out, "  claimed: {} {}", terminal(&claim.reading.predicate), values.join(", "));
        let record = claim.reading.record.as_deref().unwrap_or("no record");
        let _ = writeln!(out, "  citing:  {} {}", terminal(&claim.reading.invocation), terminal(record));
        let _ = writeln!(out, "  told:    {}", terminal(&claim.rejection.reason));
        if !claim.rejection.hint.is_empty() {
            let _ = writeln!(out, "           {}", terminal(&claim.rejection.hint));
        }
        let _ = match claim.fate {
            Fate::Corrected { by, tries } => {
                writeln!(out, "  ended:   corrected after {tries} tries by {by}")
            }
            Fate::Abandoned => writeln!(out, "  ended:   abandoned"),
        };
    }
    let _ = writeln!(out, "\n{} claims refused", claims.len());
    out
}

/// How a tier is called.
pub(crate) const fn tier(tier: Tier) -> &'static str {
    match tier {
        Tier::Exact => "exact",
        Tier::Normalised => "normalised",
        Tier::Typed => "typed",
        Tier::Quoted => "quoted",
    }
}
