//! Estimates the tokens of a weight, and learns from the provider's counts.

use ledger::Window;

/// Tokens per thousand bytes before anything was counted: two bytes a token, which is denser than nearly any text.
const DENSE: u64 = 500;
/// The lowest number of tokens per thousand bytes that is believed.
const THINNEST: u64 = 150;
/// Growth of fewer bytes than this says nothing about density.
const LEAST_GROWTH: u64 = 500;
/// After a request is refused as too long, the share of its size, in quarters, that is tried next.
const AFTER_REFUSAL_QUARTERS: u64 = 3;
/// How often in a row a request may be refused as too long.
const MOST_REFUSALS: u32 = 8;

/// The estimates and counts of one conversation.
#[derive(Debug, Clone)]
pub(crate) struct Meter {
    /// The most tokens of a request, as configured.
    told: u64,
    /// The same limit after refusals.
    most: u64,
    /// Tokens per thousand bytes, with a margin.
    density: u64,
    /// The provider's count for the beginning of what would be sent now, and its weight.
    known: Option<Known>,
    /// The first count with the same instructions and tools: later messages do not make these denser.
    base: Option<Known>,
    /// The weight of instructions and tools.
    fixed: u64,
    /// The weight of the current request.
    sent: u64,
    /// The most tokens of a request that was answered.
    taken: u64,
    refusals: u32,
    /// Whether the least possible was sent since a request was last answered.
    dared: bool,
}

#[derive(Debug, Clone, Copy)]
struct Known {
    tokens: u64,
    weight: u64,
}

impl Meter {
    pub(crate) fn new(window: Window) -> Meter {
        let most = u64::from(window.context.saturating_sub(window.reply));
        Meter {
            told: most,
            most,
            density: DENSE,
            known: None,
            base: None,
            fixed: 0,
            sent: 0,
            taken: 0,
            refusals: 0,
            dared: false,
        }
    }

    /// Returns the most tokens of a request.
    pub(crate) const fn most(&self) -> u64 {
        self.most
    }

    /// Estimates the tokens of a weight that was never counted.
    pub(crate) fn fresh(&self, weight: u64) -> u64 {
        match self.base {
            Some(base) if weight >= base.weight => base.tokens + self.dense(weight - base.weight),
            Some(base) => self.dense(weight).min(base.tokens),
            None => self.dense(weight),
        }
    }

    const fn dense(&self, weight: u64) -> u64 {
        weight.saturating_mul(self.density).div_ceil(1_000)
    }

    /// Estimates the tokens of a weight that continues what was sent before.
    pub(crate) fn grown(&self, weight: u64) -> u64 {
        match self.known {
            Some(known) => known.tokens + self.dense(weight.saturating_sub(known.weight)),
            None => self.fresh(weight),
        }
    }

    /// Returns the weight that certainly stays within so many tokens.
    pub(crate) const fn room(&self, tokens: u64) -> u64 {
        tokens.saturating_mul(1_000) / self.density
    }

    /// Sets the weight of instructions and tools; counts with other ones say nothing about them.
    pub(crate) fn instructed(&mut self, fixed: u64) {
        if self.fixed != fixed {
            (self.fixed, self.known, self.base) = (fixed, None, None);
        }
    }

    /// Notes that a request of this weight is sent; if `goes_on`, it begins with what was sent before.
    pub(crate) fn send(&mut self, weight: u64, goes_on: bool) {
        self.sent = weight;
        if !goes_on {
            self.known = None;
        }
    }

    /// Checks whether the least possible is sent although its estimate of `needed` tokens is more than fits.
    /// This is done once after refusals, which may have been caused by dense text and not by a smaller context.
    /// It is also done once before anything was counted, if half of the estimate would fit,
    /// because most texts have twice as many bytes per token as assumed.
    pub(crate) const fn dares(&self, needed: u64) -> bool {
        let is_uncounted = self.base.is_none() && needed / 2 <= self.most;
        !self.dared && (self.most < self.told || is_uncounted)
    }

    /// Notes that the least possible is sent.
    pub(crate) const fn dare(&mut self) {
        self.dared = true;
    }

    /// Takes the provider's count for the current request.
    pub(crate) fn counted(&mut self, tokens: u64) {
        (self.refusals, self.dared) = (0, false);
        let whole = density(tokens, self.sent);
        let grown = self.known.and_then(|before| {
            let growth = self.sent.saturating_sub(before.weight);
            (growth >= LEAST_GROWTH).then(|| density(tokens.saturating_sub(before.tokens), growth))
        });
        // Later text may be denser than earlier text.
        let densest = whole.max(grown.unwrap_or(0));
        self.density = (densest + densest / 4).max(THINNEST);
        let known = Known { tokens, weight: self.sent };
        (self.known, self.base) = (Some(known), self.base.or(Some(known)));
        // A request with this many tokens was accepted once.
        self.taken = self.taken.max(tokens);
        self.most = self.most.max(self.taken);
    }

    /// Notes that the current request was too long; returns whether a shorter one may be tried.
    ///
    /// Either there are more tokens than estimated, or the context is smaller than configured: less weight helps in both cases.
    pub(crate) fn refused(&mut self) -> bool {
        let sent = self.grown(self.sent).min(self.most);
        self.most = sent / 4 * AFTER_REFUSAL_QUARTERS;
        self.known = None;
        self.refusals += 1;
        self.refusals <= MOST_REFUSALS
    }
}

const fn density(tokens: u64, weight: u64) -> u64 {
    if weight == 0 { DENSE } else { tokens.saturating_mul(1_000).div_ceil(weight) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Window = Window { context: 10_000, reply: 2_000 };

    #[test]
    fn what_was_counted_is_known_and_what_grew_is_taken_for_denser() {
        let mut meter = Meter::new(WINDOW);
        assert_eq!((meter.most(), meter.fresh(1_000), meter.grown(1_000)), (8_000, 500, 500));
        meter.send(10_000, false);
        meter.counted(2_500);
        // 250 tokens per thousand bytes, and a quarter more for later text.
        assert_eq!((meter.grown(10_000), meter.grown(11_000), meter.fresh(1_000)), (2_500, 2_812, 312));
        meter.send(12_000, true);
        meter.counted(3_500);
        // The last 2,000 bytes were denser: 500 per thousand.
        assert_eq!((meter.grown(12_000), meter.grown(13_000)), (3_500, 4_125));
        meter.send(5_000, false);
        assert_eq!(meter.grown(5_000), 2_500);
    }

    #[test]
    fn instructions_are_no_denser_for_dense_results_and_others_are_not_known() {
        let mut meter = Meter::new(WINDOW);
        meter.instructed(10_000);
        meter.send(10_000, false);
        meter.counted(2_500);
        meter.send(12_000, true);
        meter.counted(4_500);
        // 1,250 tokens per thousand bytes, for what comes after the first 10,000.
        assert_eq!((meter.fresh(10_000), meter.fresh(11_000), meter.grown(13_000)), (2_500, 3_750, 5_750));
        meter.instructed(9_000);
        assert_eq!(meter.grown(10_000), 12_500);
    }

    #[test]
    fn what_was_taken_once_may_be_sent_again_after_a_refusal() {
        let mut meter = Meter::new(WINDOW);
        meter.send(28_000, false);
        meter.counted(7_000);
        meter.send(30_000, true);
        assert!(meter.refused());
        assert!(meter.most() < 7_000);
        meter.send(10_000, false);
        meter.counted(5_000);
        assert_eq!(meter.most(), 7_000);
    }

    #[test]
    fn the_least_is_dared_once_after_a_refusal() {
        let mut meter = Meter::new(WINDOW);
        assert!(!meter.dares(u64::MAX));
        for _ in 0..2 {
            meter.send(10_000, false);
            assert!(meter.refused() && meter.dares(u64::MAX));
            meter.dare();
            assert!(meter.refused() && !meter.dares(u64::MAX));
            // After an answer, the refused size is in doubt again.
            meter.counted(2_000);
            assert!(meter.dares(u64::MAX));
        }
    }

    #[test]
    fn before_anything_was_counted_the_least_is_sent_once_if_half_of_what_it_is_taken_for_fits() {
        let mut meter = Meter::new(WINDOW);
        assert!(meter.dares(16_000) && !meter.dares(16_002));
        meter.dare();
        assert!(!meter.dares(16_000));
        meter.send(30_000, false);
        meter.counted(7_500);
        assert!(!meter.dares(8_001));
    }

    #[test]
    fn a_refused_request_is_followed_by_shorter_ones_and_not_for_ever() {
        let mut meter = Meter::new(WINDOW);
        let mut before = meter.most();
        for _ in 0..MOST_REFUSALS {
            meter.send(meter.room(meter.most()), false);
            assert!(meter.refused());
            assert!(meter.most() < before);
            before = meter.most();
        }
        assert!(!meter.refused());
        meter.send(100, false);
        meter.counted(50);
        assert!(meter.refused());
    }
}
