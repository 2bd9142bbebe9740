//! The network side of a turn: tokens, money, and the model's context window.

use crate::digest::Digest;
use serde::{Deserialize, Serialize};

/// A turn's exchange over the network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    /// The digest of the request's body as it was last sent: model, parameters, system, tools, messages.
    pub request: Digest,
    /// How often the request was sent.
    pub attempts: u32,
    /// The tokens of all answered attempts.
    pub usage: Usage,
    /// The tokens of the request as it was last sent; `None` if the provider does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<u64>,
    /// The provider's id for the last exchange, for questions to its support.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// Token counts, as the provider counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Usage {
    /// Tokens of requests, including cached ones.
    pub input: u64,
    /// Tokens of `input` that were read from a cache.
    pub cached: u64,
    /// Tokens of `input` that were written into a cache.
    pub cache_written: u64,
    /// Tokens of replies, including thinking.
    pub output: u64,
}

impl Usage {
    /// Returns the sum of both.
    #[must_use]
    pub const fn plus(self, other: Usage) -> Usage {
        Usage {
            input: self.input.saturating_add(other.input),
            cached: self.cached.saturating_add(other.cached),
            cache_written: self.cache_written.saturating_add(other.cache_written),
            output: self.output.saturating_add(other.output),
        }
    }

    /// Returns requests and replies together.
    pub const fn tokens(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// Money: millionths of a US dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MicroDollars(pub u64);

/// Prices per million tokens of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// Request tokens neither read from a cache nor written into one.
    pub input: MicroDollars,
    /// Request tokens read from a cache.
    pub cached: MicroDollars,
    /// Request tokens written into a cache.
    pub cache_written: MicroDollars,
    /// Reply tokens.
    pub output: MicroDollars,
}

impl Prices {
    /// Returns the cost of the tokens, rounded up.
    pub fn of(&self, usage: Usage) -> MicroDollars {
        let plain = usage.input.saturating_sub(usage.cached).saturating_sub(usage.cache_written);
        let parts = [
            (plain, self.input),
            (usage.cached, self.cached),
            (usage.cache_written, self.cache_written),
            (usage.output, self.output),
        ];
        let sum: u128 = parts.iter().map(|(tokens, price)| u128::from(*tokens) * u128::from(price.0)).sum();
        MicroDollars(u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX))
    }
}

/// The context window of a model, in its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Tokens of request and reply together.
    pub context: u32,
    /// The part of them that is reserved for the reply.
    pub reply: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_in_a_cache_cost_their_own_price() {
        let dollars = |dollars: u64| MicroDollars(dollars * 1_000_000);
        let prices = Prices {
            input: dollars(3),
            cached: MicroDollars(300_000),
            cache_written: MicroDollars(3_750_000),
            output: dollars(15),
        };
        let usage = Usage { input: 1_000_000, cached: 600_000, cache_written: 100_000, output: 10_000 };
        // 300,000 at 3, 600,000 at 0.30, 100,000 at 3.75, 10,000 at 15 dollars a million.
        assert_eq!(prices.of(usage), MicroDollars(900_000 + 180_000 + 375_000 + 150_000));
        assert_eq!(prices.of(Usage { input: 1, ..Usage::default() }), MicroDollars(3));
        let none = Usage { input: u64::MAX, cached: u64::MAX, cache_written: u64::MAX, output: u64::MAX };
        assert_eq!(prices.of(none), MicroDollars(u64::MAX));
    }
}
