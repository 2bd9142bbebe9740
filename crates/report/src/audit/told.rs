//! Words for figures, trends, versions, and runs that are unlike others.

use super::columns::decimal;
use super::{Audit, Named};
use crate::inert::terminal;
use graph::audit::{Drift, Figure, Kind, Millionths, Trend, Unit, Unlike, Verdict, Versioned};

/// Returns the name of a figure.
pub(crate) const fn figure(figure: Figure) -> &'static str {
    match figure {
        Figure::Refused => "refused claims",
        Figure::Tries => "claims until one was accepted",
        Figure::Abandoned => "abandoned claims",
        Figure::Boundary => "boundary violations",
        Figure::NotRun => "calls not run",
        Figure::Failed => "failed calls",
        Figure::LostTurns => "lost turns",
        Figure::Open => "open questions",
        Figure::Helped => "recoveries that helped",
        Figure::Tokens => "tokens per task",
        Figure::Seconds => "seconds per task",
        Figure::Calls => "calls per task",
        Figure::Facts => "facts per task",
    }
}

/// Returns the name of a trend.
pub(crate) const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::TooFew => "too few runs to tell",
        other => other.name(),
    }
}

/// Formats a value in the unit of its figure.
pub(crate) fn value(of: Figure, value: Millionths) -> String {
    let (part, after) = match of.unit() {
        Unit::Share => (value.saturating_mul(100), " %"),
        Unit::Number => (value, ""),
        Unit::Seconds => (value, " s"),
    };
    format!("{}{after}", decimal(part, 1_000_000, 1).unwrap_or_default())
}

/// Formats a probability with three digits.
pub(crate) fn probability(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") }
}

/// Formats the earlier and the later half of a trend.
pub(crate) fn halves(trend: &Trend) -> String {
    let of = |it: Millionths| value(trend.figure, it);
    trend.halves.map_or_else(String::new, |(earlier, later)| format!("{} → {}", of(earlier), of(later)))
}

/// Names the thing that has several versions.
pub(crate) fn versioned(what: &Versioned) -> String {
    match what {
        Versioned::Program => "program".to_owned(),
        Versioned::Behaviour => "behaviour".to_owned(),
        Versioned::Rules => "rules".to_owned(),
        Versioned::Model => "model".to_owned(),
        Versioned::Prompt { agent } => format!("prompt of {}", terminal(agent)),
        Versioned::ModelData { agent, model } => {
            format!("data of {} for {}", terminal(model), terminal(agent))
        }
    }
}

/// Formats a version; a digest is shortened to its beginning.
pub(crate) fn version(version: &str) -> String {
    let is_digest = version.len() == 64 && version.bytes().all(|byte| byte.is_ascii_hexdigit());
    terminal(if is_digest { version.get(..12).unwrap_or(version) } else { version })
}

/// Formats how many versions there are of each thing.
pub(crate) fn drifts(drifts: &[Drift]) -> Vec<String> {
    drifts.iter().map(|drift| format!("{} of the {}", drift.versions.len(), versioned(&drift.what))).collect()
}

/// Describes in what a run is unlike others, and what is usual.
pub(crate) fn unlike(it: &Unlike) -> String {
    let of = |millionths: Millionths| value(it.figure, millionths);
    let kind = match it.kind {
        Kind::SameCase => "of the same case, agents and models",
        Kind::SameCrew => "of the same agents and models",
    };
    format!(
        "{} {}; usual {} to {}, median {} of {} other runs {kind}",
        figure(it.figure),
        of(it.value),
        of(it.usual.0),
        of(it.usual.1),
        of(it.median),
        it.like
    )
}

/// Returns the run that is unlike others.
pub(crate) fn named<'a>(audit: &'a Audit, it: &Unlike) -> Option<&'a Named> {
    audit.sealed.get(it.run)
}
