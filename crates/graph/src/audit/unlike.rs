//! Finds runs that are unlike other runs of their kind, and the figures in which they differ.
//!
//! A value is compared with the median of the other runs of the kind, in units of their median absolute deviation (MAD),
//! as Iglewicz and Hoaglin (1993) recommend.
//! If more than half of them have the same value, the mean absolute deviation is used instead.

use super::trend::median;
use super::{AuditedRun, Figure, Millionths};
use std::collections::BTreeMap;

/// The minimum number of other runs of the same kind; with fewer, a run is not judged.
pub const FEWEST_LIKE: usize = 5;

/// A value is unlike beyond this many modified standard deviations: 3.5, in tenths.
const LIMIT: u128 = 35;

/// The factor that turns a MAD into an estimate of a standard deviation, in ten-thousandths: 1 / 0.6745.
const BY_MEDIAN: u128 = 14_826;

/// The same factor for a mean absolute deviation: √(π/2).
const BY_MEAN: u128 = 12_533;

/// A figure of a run that is unlike those of its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unlike {
    /// The index of the run among those compared.
    pub run: usize,
    /// The figure.
    pub figure: Figure,
    /// Its value.
    pub value: Millionths,
    /// The median of the others.
    pub median: Millionths,
    /// The range of values that would not be reported, inclusive.
    pub usual: (Millionths, Millionths),
    /// The number of other runs.
    pub like: usize,
    /// What they have in common with it.
    pub kind: Kind,
}

/// The properties that runs of one kind have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Case, agents, models and kinds of evidence.
    SameCase,
    /// Agents, models and kinds of evidence, whatever the case.
    SameCrew,
}

/// Returns the figures in which runs are unlike others. Each is compared with the narrowest kind that has enough other runs.
pub fn unlike(runs: &[&AuditedRun]) -> Vec<Unlike> {
    let mut kinds: BTreeMap<(Kind, Vec<&str>), Vec<usize>> = BTreeMap::new();
    for (place, run) in runs.iter().enumerate() {
        for kind in [Kind::SameCase, Kind::SameCrew] {
            kinds.entry((kind, marks(run, kind))).or_default().push(place);
        }
    }
    let mut found = Vec::new();
    for (place, run) in runs.iter().enumerate() {
        let of = [Kind::SameCase, Kind::SameCrew].into_iter().find_map(|kind| {
            let of = kinds.get(&(kind, marks(run, kind))).filter(|of| of.len() > FEWEST_LIKE)?;
            Some((kind, of))
        });
        let Some((kind, of)) = of else { continue };
        let others: Vec<&AuditedRun> = of
            .iter()
            .filter(|other| **other != place)
            .filter_map(|other| runs.get(*other).copied())
            .collect();
        found.extend(Figure::ALL.iter().filter_map(|figure| of_figure(place, run, *figure, &others, kind)));
    }
    found
}

/// Returns what a run shares with those of its kind.
fn marks(run: &AuditedRun, kind: Kind) -> Vec<&str> {
    let mut marks: Vec<&str> = run
        .tasks
        .iter()
        .flat_map(|task| [task.agent.as_str(), task.model.as_str()])
        .chain(run.made.evidence.iter().map(String::as_str))
        .collect();
    marks.sort_unstable();
    marks.dedup();
    if kind == Kind::SameCase {
        marks.insert(0, &run.case);
    }
    marks
}

fn of_figure(
    place: usize,
    run: &AuditedRun,
    figure: Figure,
    others: &[&AuditedRun],
    kind: Kind,
) -> Option<Unlike> {
    let value = figure.value(&run.counts())?;
    let values: Vec<Millionths> = others.iter().filter_map(|run| figure.value(&run.counts())).collect();
    if values.len() < FEWEST_LIKE {
        return None;
    }
    let (median, usual) = usual(&values)?;
    let is_usual = usual.0 <= value && value <= usual.1;
    (!is_usual).then_some(Unlike { run: place, figure, value, median, usual, like: values.len(), kind })
}

/// Returns the median of values, and the range around it that counts as similar.
///
/// The range covers at least a tenth of the median: times and tokens vary a little every time.
pub fn usual(values: &[Millionths]) -> Option<(Millionths, (Millionths, Millionths))> {
    let middle = median(values)?;
    let distances: Vec<Millionths> = values.iter().map(|value| value.abs_diff(middle)).collect();
    let spread = match median(&distances)? {
        0 => {
            let sum: u128 = distances.iter().map(|distance| u128::from(*distance)).sum();
            sum * BY_MEAN / (distances.len() as u128)
        }
        distance => u128::from(distance) * BY_MEDIAN,
    };
    let reach = u64::try_from(spread * LIMIT / 100_000).unwrap_or(u64::MAX).max(middle / 10);
    Some((middle, (middle.saturating_sub(reach), middle.saturating_add(reach))))
}
