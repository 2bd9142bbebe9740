//! Confidences beside what the ground truth says of the answers.

use crate::score::{Forecast, Reliability, Spoken};
use std::collections::BTreeMap;

/// An answer of a run whose ground truth is known.
#[derive(Debug, Clone)]
pub struct Sure {
    /// What decided the steps of its agent.
    pub model: String,
    /// Its confidence, and what the truth says of it.
    pub forecast: Forecast,
}

/// The answers by what they have in common.
pub(crate) fn by(sure: &[Sure], name: impl Fn(&Sure) -> &str) -> BTreeMap<String, Reliability> {
    let mut of: BTreeMap<String, Reliability> = BTreeMap::new();
    for it in sure {
        of.entry(name(it).to_owned()).or_default().forecasts.push(it.forecast.clone());
    }
    of
}

/// All of them.
pub(crate) fn all(sure: &[Sure]) -> Reliability {
    Reliability { forecasts: sure.iter().map(|it| it.forecast.clone()).collect() }
}

/// How many answers the truth speaks of.
pub(crate) fn spoken_of(of: &Reliability) -> usize {
    of.forecasts.len() - of.count(Spoken::OutOfReach)
}

/// The mean confidence of the answers that the truth speaks of, in thousandths, rounded down.
pub(crate) fn mean(of: &Reliability) -> Option<u64> {
    let said = of.forecasts.iter().filter(|it| it.truth != Spoken::OutOfReach);
    let (number, sum) = said
        .fold((0_u64, 0_u64), |(number, sum), it| (number + 1, sum + u64::from(it.confidence.thousandths())));
    sum.checked_div(number)
}
