//! Measures whether answers are true as often as their confidence suggests.
//!
//! The forecast is the confidence in the answer to an objective. It came true if one of the answer's facts carries a fact of the
//! truth and none makes a forbidden claim.
//! `docs/scoring.md` explains what this shows and what it does not.

use super::same::stands;
use super::{Score, Standing, Truth, path};
use graph::{Confidence, Run, objective_confidences};
use ledger::{FactEntry, FactId};
use std::collections::BTreeSet;

/// The confidences of a run's answers next to what the truth says about them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reliability {
    /// Each objective that facts answer, by task, in the agent's order.
    pub forecasts: Vec<Forecast>,
}

/// The confidence in one answer, and what the truth says about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forecast {
    /// The agent.
    pub agent: String,
    /// Its objective.
    pub objective: String,
    /// The confidence in the answer.
    pub confidence: Confidence,
    /// What the truth says.
    pub truth: Spoken,
}

/// The verdict of the truth on an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spoken {
    /// One of its facts carries a fact of the truth.
    Confirmed,
    /// One of its facts makes a forbidden claim.
    Forbidden,
    /// The truth names a file that the answer was read from, but does not contain what the answer says.
    Unknown,
    /// The truth names none of the files that the answer was read from.
    OutOfReach,
}

impl Spoken {
    /// Returns its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Spoken::Confirmed => "confirmed",
            Spoken::Forbidden => "forbidden",
            Spoken::Unknown => "unknown",
            Spoken::OutOfReach => "out_of_reach",
        }
    }

    /// Returns whether the forecast came true; `None` if that cannot be determined.
    const fn came_true(self) -> Option<bool> {
        match self {
            Spoken::Confirmed => Some(true),
            Spoken::Forbidden | Spoken::Unknown => Some(false),
            Spoken::OutOfReach => None,
        }
    }
}

/// The forecasts in one range.
#[derive(Debug, Clone, PartialEq)]
pub struct Bin {
    /// The lower bound in thousandths, inclusive.
    pub from: u16,
    /// The upper bound in thousandths, exclusive.
    pub to: u16,
    /// The number of forecasts that came true or did not.
    pub forecasts: usize,
    /// The mean of these forecasts, from 0 to 1.
    pub mean: Option<f64>,
    /// The number that came true.
    pub confirmed: usize,
    /// The number that make a forbidden claim.
    pub forbidden: usize,
}

/// The bounds of the ranges: those of the confidence levels, and the middle of the moderate level.
const BOUNDS: [u16; 6] = [0, 300, 625, 750, 900, 1001];

impl Reliability {
    /// Collects the confidences of these agents' answers next to what the score says about their facts.
    ///
    /// A confidence is based on all facts of the run, whoever recorded them.
    pub(crate) fn of(truth: &Truth, run: &Run, score: &Score, is_of: impl Fn(&str) -> bool) -> Reliability {
        let found = score.answers.iter().filter_map(|answer| match &answer.standing {
            Standing::Found { by } => Some(by),
            Standing::Spread { .. } | Standing::Missed { .. } => None,
        });
        let found: BTreeSet<FactId> = found.flatten().copied().collect();
        let forbidden: BTreeSet<FactId> = score.violations.iter().map(|it| it.fact).collect();
        let places: Vec<String> = truth.facts.iter().map(|fact| path::lower(&fact.artifact)).collect();
        let spoken = |facts: &[FactId]| {
            let read = facts.iter().filter_map(|id| run.fact(*id));
            match () {
                () if facts.iter().any(|id| forbidden.contains(id)) => Spoken::Forbidden,
                () if facts.iter().any(|id| found.contains(id)) => Spoken::Confirmed,
                () if read.into_iter().any(|fact| is_named(fact, &places)) => Spoken::Unknown,
                () => Spoken::OutOfReach,
            }
        };
        let sure = objective_confidences(run);
        let mut forecasts = Vec::new();
        for (task, view) in run.tasks.iter().filter(|(_, view)| is_of(&view.assigned.agent.name)) {
            for result in view.ended.iter().flat_map(|ended| &ended.objectives) {
                let Some(confidence) = sure.get(&(*task, result.id.as_str())) else { continue };
                forecasts.push(Forecast {
                    agent: view.assigned.agent.name.clone(),
                    objective: result.id.clone(),
                    confidence: *confidence,
                    truth: spoken(&result.facts),
                });
            }
        }
        Reliability { forecasts }
    }

    /// Combines several runs.
    pub fn pooled<'r>(of: impl IntoIterator<Item = &'r Reliability>) -> Reliability {
        Reliability { forecasts: of.into_iter().flat_map(|one| one.forecasts.iter().cloned()).collect() }
    }

    /// Returns the forecasts from 0 to 1 whose outcome can be determined, with the outcome.
    fn said(&self) -> impl Iterator<Item = (f64, bool)> {
        self.forecasts.iter().filter_map(|it| Some((forecast(it), it.truth.came_true()?)))
    }

    /// Returns the Brier score, the mean squared error of the forecasts: 0 is perfect, and one half for everything scores 0.25.
    pub fn brier(&self) -> Option<f64> {
        brier(self.said())
    }

    /// Returns the Brier score if every forecast were the share that came true; a worse score means that the forecasts say less than
    /// this share alone.
    pub fn brier_of_share(&self) -> Option<f64> {
        let share = mean(self.said().map(|(_, came_true)| f64::from(u8::from(came_true))))?;
        brier(self.said().map(|(_, came_true)| (share, came_true)))
    }

    /// Returns the ranges from the lowest confidence on, including those without forecasts.
    pub fn bins(&self) -> Vec<Bin> {
        BOUNDS.windows(2).filter_map(|bounds| Some(self.bin(*bounds.first()?, *bounds.last()?))).collect()
    }

    fn bin(&self, from: u16, to: u16) -> Bin {
        let inside = |it: &&Forecast| (from..to).contains(&it.confidence.thousandths());
        let said = |it: &&Forecast| it.truth.came_true().is_some();
        let of: Vec<&Forecast> = self.forecasts.iter().filter(inside).filter(said).collect();
        let count = |truth: Spoken| of.iter().filter(|it| it.truth == truth).count();
        Bin {
            from,
            to,
            forecasts: of.len(),
            mean: mean(of.iter().map(|it| forecast(it))),
            confirmed: count(Spoken::Confirmed),
            forbidden: count(Spoken::Forbidden),
        }
    }

    /// Counts the answers about which the truth says this.
    pub fn count(&self, truth: Spoken) -> usize {
        self.forecasts.iter().filter(|it| it.truth == truth).count()
    }
}

/// Checks whether one of the places names the file that a fact was read from.
fn is_named(fact: &FactEntry, places: &[String]) -> bool {
    let file = path::file(&fact.locator.path);
    file.last().is_some_and(|file| places.iter().any(|place| stands(file, place)))
}

fn forecast(it: &Forecast) -> f64 {
    f64::from(it.confidence.thousandths()) / 1000.0
}

fn brier(said: impl Iterator<Item = (f64, bool)>) -> Option<f64> {
    mean(said.map(|(forecast, came_true)| (forecast - f64::from(u8::from(came_true))).powi(2)))
}

fn mean(of: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = of.fold((0u32, 0.0), |(count, sum), it| (count + 1, sum + it));
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds answers with this many kinds of sources, about which the truth says this.
    fn of(forecasts: &[(Spoken, usize)]) -> Reliability {
        let sure = |facts: usize| {
            let one = |number: usize| {
                let mut fact = testkit::history::fact(1, 0, r"C:\Tools\evil.exe", &[("data", "x")]);
                (fact.kind, fact.locator.path) =
                    (["event", "prefetch", "bits_transfer"][number].into(), number.to_string());
                fact
            };
            let facts: Vec<FactEntry> = (0..facts).map(one).collect();
            graph::confidence(&facts, 0)
        };
        let forecast = |(truth, facts): &(Spoken, usize)| Forecast {
            agent: "a".into(),
            objective: "o".into(),
            confidence: sure(*facts),
            truth: *truth,
        };
        Reliability { forecasts: forecasts.iter().map(forecast).collect() }
    }

    #[test]
    fn the_brier_score_is_the_mean_square_of_what_forecasts_were_off_by() {
        // From one, two and three kinds of sources.
        let all = of(&[(Spoken::Confirmed, 1), (Spoken::Unknown, 2), (Spoken::Confirmed, 3)]);
        let sure: Vec<u16> = all.forecasts.iter().map(|it| it.confidence.thousandths()).collect();
        assert_eq!(sure, [600, 840, 936]);
        let by_hand = (0.4_f64.powi(2) + 0.84_f64.powi(2) + 0.064_f64.powi(2)) / 3.0;
        assert!((all.brier().unwrap() - by_hand).abs() < 1e-12);
        assert!((all.brier_of_share().unwrap() - 2.0 / 9.0).abs() < 1e-12);
        assert_eq!(of(&[]).brier(), None);
        assert_eq!(of(&[(Spoken::OutOfReach, 1)]).brier(), None, "nothing can be said of it");
    }

    #[test]
    fn every_forecast_of_which_something_can_be_said_stands_in_one_range() {
        let all = of(&[
            (Spoken::Unknown, 0),
            (Spoken::OutOfReach, 0),
            (Spoken::Confirmed, 1),
            (Spoken::Forbidden, 2),
            (Spoken::Confirmed, 3),
        ]);
        let bins = all.bins();
        let counts: Vec<_> =
            bins.iter().map(|bin| (bin.from, bin.forecasts, bin.confirmed, bin.forbidden)).collect();
        assert_eq!(counts, [(0, 1, 0, 0), (300, 1, 1, 0), (625, 0, 0, 0), (750, 1, 0, 1), (900, 1, 1, 0)]);
        assert_eq!(bins[2].mean, None);
        let pooled = Reliability::pooled([&Reliability::default(), &all, &all]);
        assert_eq!(pooled.forecasts.len(), 10);
        assert!((pooled.brier().unwrap() - all.brier().unwrap()).abs() < 1e-12);
    }
}
