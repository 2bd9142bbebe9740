//! Confidences next to what the ground truth says about the answers.

use crate::score::{Forecast, Reliability, Spoken};
use std::collections::BTreeMap;

/// An answer from a run whose ground truth is known.
#[derive(Debug, Clone)]
pub struct Sure {
    /// The model that decided its agent's steps.
    pub model: String,
    /// Its confidence, and what the truth says about it.
    pub forecast: Forecast,
}

/// Groups the answers by name.
pub(crate) fn by(sure: &[Sure], name: impl Fn(&Sure) -> &str) -> BTreeMap<String, Reliability> {
    let mut of: BTreeMap<String, Reliability> = BTreeMap::new();
    for it in sure {
        of.entry(name(it).to_owned()).or_default().forecasts.push(it.forecast.clone());
    }
    of
}

/// Combines all answers.
pub(crate) fn all(sure: &[Sure]) -> Reliability {
    Reliability { forecasts: sure.iter().map(|it| it.forecast.clone()).collect() }
}

/// Counts the answers that the truth covers.
pub(crate) fn spoken_of(of: &Reliability) -> usize {
    of.forecasts.len() - of.count(Spoken::OutOfReach)
}

/// Returns the mean confidence of the answers that the truth covers, in thousandths, rounded down.
pub(crate) fn mean(of: &Reliability) -> Option<u64> {
    let said = of.forecasts.iter().filter(|it| it.truth != Spoken::OutOfReach);
    let (number, sum) = said
        .fold((0_u64, 0_u64), |(number, sum), it| (number + 1, sum + u64::from(it.confidence.thousandths())));
    sum.checked_div(number)
}
