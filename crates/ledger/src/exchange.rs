//! What a turn was over a network: tokens, money, and how much a model takes at once.

use crate::digest::Digest;
use serde::{Deserialize, Serialize};

/// What a turn was over the network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    /// The digest of the request's body as it was last sent: model, parameters, system, tools, messages.
    pub request: Digest,
    /// How often the request was sent.
    pub attempts: u32,
    /// The tokens of all attempts that were answered.
    pub usage: Usage,
    /// Tokens of the request as it was last sent; `None` where the provider does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<u64>,
    /// The provider's name for the last exchange, for questions to its support.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// Tokens, as the provider counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Usage {
    /// Of requests, those in a cache included.
    pub input: u64,
    /// Of `input`, those read from a cache.
    pub cached: u64,
    /// Of `input`, those written into a cache.
    pub cache_written: u64,
    /// Of replies, thinking included.
    pub output: u64,
}

impl Usage {
    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Usage) -> Usage {
        Usage {
            input: self.input.saturating_add(other.input),
            cached: self.cached.saturating_add(other.cached),
            cache_written: self.cache_written.saturating_add(other.cache_written),
            output: self.output.saturating_add(other.output),
        }
    }

    /// Requests and replies together.
    pub const fn tokens(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// Money: millionths of a US dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MicroDollars(pub u64);

/// What a million tokens of each kind cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// Of a request, neither read from a cache nor written into one.
    pub input: MicroDollars,
    /// Of a request, read from a cache.
    pub cached: MicroDollars,
    /// Of a request, written into a cache.
    pub cache_written: MicroDollars,
    /// Of a reply.
    pub output: MicroDollars,
}

impl Prices {
    /// What the tokens cost, rounded up.
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

/// How much a model takes at once, in its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Tokens of request and reply together.
    pub context: u32,
    /// Of those, what is kept free for the reply.
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
