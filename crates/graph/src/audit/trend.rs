//! Trends: whether a figure rises or falls over runs in chronological order.

use super::groups::of_run;
use super::kendall::{Tested, mann_kendall};
use super::{AuditedRun, Better, By, Figure, Millionths};
use std::collections::{BTreeMap, BTreeSet};

/// The minimum number of runs; with fewer, nothing is reported.
pub const FEWEST: usize = 5;

/// The maximum probability of one false trend among all figures that are tested together.
pub const ALPHA: f64 = 0.05;

/// A figure over runs, and the result of its test.
#[derive(Debug, Clone, PartialEq)]
pub struct Trend {
    /// The agent or the model; `None` for whole runs.
    pub of: Option<String>,
    /// The figure.
    pub figure: Figure,
    /// Its values, earliest first; runs without it are left out.
    pub values: Vec<Millionths>,
    /// The medians of its earlier and its later half; with an odd number, the middle value belongs to neither.
    pub halves: Option<(Millionths, Millionths)>,
    /// The test; `None` for fewer than [`FEWEST`] values.
    pub tested: Option<Tested>,
    /// The conclusion from the test.
    pub verdict: Verdict,
}

/// The conclusion from a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The figure gets worse.
    Worsening,
    /// The figure gets better.
    Improving,
    /// The figure rises, which is neither better nor worse.
    Rising,
    /// The figure falls, which is neither better nor worse.
    Falling,
    /// The test finds no trend.
    Stable,
    /// No order of so few, or such similar, values would show a trend.
    TooFew,
}

impl Verdict {
    /// Returns its name in formats.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Worsening => "worsening",
            Verdict::Improving => "improving",
            Verdict::Rising => "rising",
            Verdict::Falling => "falling",
            Verdict::Stable => "stable",
            Verdict::TooFew => "too_few",
        }
    }

    /// Checks whether there is a trend.
    pub const fn is_trend(self) -> bool {
        !matches!(self, Verdict::Stable | Verdict::TooFew)
    }
}

/// Tests every figure of whole runs, or of each agent or model, over runs in chronological order.
///
/// All figures are tested together: the probability that any of them is falsely reported as a trend is at most [`ALPHA`]
/// (Holm 1979, over the tests that can be significant at all according to Tarone 1990).
pub fn trends<'a>(runs: impl IntoIterator<Item = &'a AuditedRun>, by: Option<By>) -> Vec<Trend> {
    let mut series: BTreeMap<(Option<String>, Figure), Vec<Millionths>> = BTreeMap::new();
    for run in runs {
        let counted = match by {
            None => vec![(None, run.counts())],
            Some(by) => {
                of_run(run, by).into_iter().map(|(name, counts)| (Some(name.to_owned()), counts)).collect()
            }
        };
        for (name, counts) in counted {
            for figure in Figure::ALL {
                let Some(value) = figure.value(&counts) else { continue };
                series.entry((name.clone(), figure)).or_default().push(value);
            }
        }
    }
    let trend = |((of, figure), values): ((Option<String>, Figure), Vec<Millionths>)| Trend {
        of,
        figure,
        halves: halves(&values),
        tested: (values.len() >= FEWEST).then(|| mann_kendall(&values)),
        verdict: Verdict::TooFew,
        values,
    };
    let mut trends: Vec<Trend> = series.into_iter().map(trend).collect();
    judge(&mut trends);
    trends
}

fn judge(trends: &mut [Trend]) {
    let tests: Vec<Option<Tested>> = trends.iter().map(|trend| trend.tested).collect();
    let told = told(&tests);
    let family = family(&tests);
    for (place, trend) in trends.iter_mut().enumerate() {
        let Some(tested) = trend.tested else { continue };
        trend.verdict = match (trend.figure.better(), tested.s > 0) {
            _ if is_constant(&trend.values) => Verdict::Stable,
            _ if !family.contains(&place) => Verdict::TooFew,
            _ if !told.contains(&place) => Verdict::Stable,
            (Better::Neither, true) => Verdict::Rising,
            (Better::Neither, false) => Verdict::Falling,
            (Better::More, true) | (Better::Less, false) => Verdict::Improving,
            (Better::More, false) | (Better::Less, true) => Verdict::Worsening,
        };
    }
}

fn is_constant(values: &[Millionths]) -> bool {
    values.first() == values.last() && values.iter().all(|value| Some(value) == values.first())
}

/// Returns the tests that could be significant next to the others: the smallest family whose members can each meet the threshold for its size.
fn family(tests: &[Option<Tested>]) -> BTreeSet<usize> {
    let able = |number: usize| -> BTreeSet<usize> {
        let limit = ALPHA / f64::from(u32::try_from(number.max(1)).unwrap_or(u32::MAX));
        let is_able = |tested: &Tested| tested.least <= limit;
        let places = tests.iter().enumerate();
        places.filter(|(_, tested)| tested.as_ref().is_some_and(is_able)).map(|(place, _)| place).collect()
    };
    let number = (1..=tests.len().max(1)).find(|number| able(*number).len() <= *number);
    number.map(able).unwrap_or_default()
}

/// Returns the tests of the family that are significant.
fn told(tests: &[Option<Tested>]) -> BTreeSet<usize> {
    let mut sure: Vec<(usize, f64)> =
        family(tests).into_iter().filter_map(|place| Some((place, tests.get(place)?.as_ref()?.p))).collect();
    sure.sort_by(|one, other| one.1.total_cmp(&other.1));
    let number = u32::try_from(sure.len()).unwrap_or(u32::MAX);
    let steps = (1..=number).rev().zip(&sure);
    steps.take_while(|(left, (_, p))| *p <= ALPHA / f64::from(*left)).map(|(_, (place, _))| *place).collect()
}

fn halves(values: &[Millionths]) -> Option<(Millionths, Millionths)> {
    let half = values.len() / 2;
    let (earlier, later) = (values.get(..half)?, values.get(values.len() - half..)?);
    Some((median(earlier)?, median(later)?))
}

/// Returns the median; for an even number of values, the mean of the middle two, rounded down.
pub(super) fn median(values: &[Millionths]) -> Option<Millionths> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = *sorted.get(sorted.len().checked_sub(1)? / 2)?;
    Some(lower + (upper - lower) / 2)
}
