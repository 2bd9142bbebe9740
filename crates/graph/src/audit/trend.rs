//! Trends: whether a figure rises or falls over runs in the order of their time.

use super::groups::of_run;
use super::kendall::{Tested, mann_kendall};
use super::{AuditedRun, Better, By, Figure, Millionths};
use std::collections::{BTreeMap, BTreeSet};

/// Below so many runs nothing is said.
pub const FEWEST: usize = 5;

/// How probable one false trend may be among all that are looked at together.
pub const ALPHA: f64 = 0.05;

/// A figure over runs, and what the test says of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Trend {
    /// The agent or the model; `None` for whole runs.
    pub of: Option<String>,
    /// The figure.
    pub figure: Figure,
    /// Its values, the earliest first; runs that do not have it are left out.
    pub values: Vec<Millionths>,
    /// Of its earlier and of its later half the median; the middle one of an odd number belongs to neither.
    pub halves: Option<(Millionths, Millionths)>,
    /// The test; `None` for fewer than [`FEWEST`] values.
    pub tested: Option<Tested>,
    /// What it comes to.
    pub verdict: Verdict,
}

/// What a test comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It changes for the worse.
    Worsening,
    /// It changes for the better.
    Improving,
    /// It rises, which is neither better nor worse.
    Rising,
    /// It falls, which is neither better nor worse.
    Falling,
    /// The test finds no trend.
    Stable,
    /// No order of so few values, or of values so much alike, would show a trend.
    TooFew,
}

impl Verdict {
    /// The word in formats.
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

    /// Whether there is a trend.
    pub const fn is_trend(self) -> bool {
        !matches!(self, Verdict::Stable | Verdict::TooFew)
    }
}

/// Every figure of whole runs, or of each agent or model, over runs in the order of their time.
///
/// All of them are looked at together: at most [`ALPHA`] is the probability that one of them is told as a trend and is none (Holm 1979, over the tests that can come out at all by Tarone 1990).
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

/// The tests that could come out beside so many others: the fewest among which each could, if it had to be as sure as one of so many.
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

/// Those of them that come out.
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

/// The median: of an even number the mean of the two in the middle, rounded down.
pub(super) fn median(values: &[Millionths]) -> Option<Millionths> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = *sorted.get(sorted.len().checked_sub(1)? / 2)?;
    Some(lower + (upper - lower) / 2)
}
