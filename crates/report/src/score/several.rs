//! The figures of several runs of one case: mean, minimum and maximum.

use super::Score;

/// One figure over several runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Its name.
    pub name: &'static str,
    /// The mean.
    pub mean: f64,
    /// The minimum.
    pub min: f64,
    /// The maximum.
    pub max: f64,
    /// The number of runs that have it: a run that found nothing has no figures per found fact.
    pub runs: usize,
}

/// Returns the figures of a score by name, in display order.
pub(crate) fn figures(score: &Score) -> [(&'static str, Option<f64>); 8] {
    let count = |number: usize| super::ratio(number, 1);
    [
        ("recorded", count(score.recorded)),
        ("found", count(score.found())),
        ("found_percent", score.recall()),
        ("spread", count(score.spread())),
        ("recorded_per_found", score.recorded_per_found()),
        ("findings_found", count(score.findings_found())),
        ("must_not_claim_violated", count(score.violated())),
        ("brier", score.reliability.brier()),
    ]
}

/// Returns each figure over all runs that have it; a figure that no run has is left out.
pub fn over_runs(scores: &[&Score]) -> Vec<Figure> {
    let names = scores.first().map(|score| figures(score)).into_iter().flatten().map(|(name, _)| name);
    names.filter_map(|name| figure(name, scores)).collect()
}

fn figure(name: &'static str, scores: &[&Score]) -> Option<Figure> {
    let of = |score: &Score| figures(score).into_iter().find(|(its, _)| *its == name)?.1;
    let values: Vec<f64> = scores.iter().filter_map(|score| of(score)).collect();
    let runs = u32::try_from(values.len()).ok().filter(|runs| *runs > 0)?;
    Some(Figure {
        name,
        mean: values.iter().sum::<f64>() / f64::from(runs),
        min: values.iter().copied().fold(f64::INFINITY, f64::min),
        max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        runs: values.len(),
    })
}
