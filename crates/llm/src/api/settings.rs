//! The parameters of requests to a provider, and the patience with it.

use ledger::canonical::{self, CanonicalError};
use ledger::{Digest, Prices, Window};
use serde_json::{Value, json};
use std::time::Duration;
use thiserror::Error;

/// Parameters of a provider.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The most tokens of a reply. A reply that is cut there is requested once more with four times as many.
    pub reply_tokens: u32,
    /// The context window of the server: tokens of a request and its reply together.
    pub context: u32,
    /// What tokens cost, if known.
    pub prices: Option<Prices>,
    /// The member `thinking` of Anthropic requests, as it is to be sent.
    pub thinking: Option<Value>,
    /// How patiently requests are repeated.
    pub retries: Retries,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            reply_tokens: LONGEST_REPLY,
            context: 200_000,
            prices: None,
            thinking: None,
            retries: Retries::default(),
        }
    }
}

/// The most tokens of a reply, even if a model allows more.
const LONGEST_REPLY: u32 = 8192;
/// The share of the context that is for a reply: one token in so many.
const REPLY_SHARE: u32 = 16;
/// How many times more tokens a reply gets after it was cut.
pub(crate) const LARGER: u32 = 4;
/// The smallest context in which an agent can work: its task and tools alone take most of it.
const LEAST_CONTEXT: u32 = 4096;

impl Settings {
    /// Makes settings for a model with a context window of so many tokens.
    ///
    /// # Errors
    ///
    /// If that is too small for an agent.
    pub fn for_context(context: u32) -> Result<Settings, SetupError> {
        if context < LEAST_CONTEXT {
            return Err(SetupError::Context { least: LEAST_CONTEXT, found: context });
        }
        let reply_tokens = LONGEST_REPLY.min(context / REPLY_SHARE);
        Ok(Settings { reply_tokens, context, ..Settings::default() })
    }

    /// Returns the context window; for a reply it reserves the largest limit that a reply can get.
    pub const fn window(&self) -> Window {
        Window { context: self.context, reply: self.reply_tokens.saturating_mul(LARGER) }
    }

    /// Returns the digest of what influences a reply; patience does not.
    pub(crate) fn digest(&self) -> Result<Digest, CanonicalError> {
        let said = json!({"reply_tokens": self.reply_tokens, "thinking": self.thinking});
        Ok(Digest::of(&canonical::to_vec(&said)?))
    }
}

/// How often a request is sent again, and how long to wait for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retries {
    /// The most times that one request is sent.
    pub attempts: u32,
    /// The first wait; each further one is twice as long.
    pub first_wait: Duration,
    /// The longest wait that we choose ourselves.
    pub longest_wait: Duration,
    /// The time within which attempts of one turn may begin; zero: one attempt.
    pub total: Duration,
    /// The time limit of one attempt.
    pub attempt: Duration,
    /// The time limit for connecting.
    pub connect: Duration,
    /// The time limit between two pieces of an answer.
    pub silence: Duration,
}

impl Default for Retries {
    fn default() -> Retries {
        Retries {
            attempts: 10,
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(60),
            total: Duration::from_secs(20 * 60),
            attempt: Duration::from_secs(20 * 60),
            connect: Duration::from_secs(20),
            // A local model reads a long prompt without sending anything.
            silence: Duration::from_secs(5 * 60),
        }
    }
}

impl Retries {
    /// Allows as many attempts as can begin within this time.
    pub fn lasting(total: Duration) -> Retries {
        Retries { attempts: u32::MAX, total, ..Retries::default() }
    }
}

/// Why a provider cannot be set up.
#[derive(Debug, Error)]
pub enum SetupError {
    /// The provider asks for a key and none was given.
    #[error("set up the model {model}: expected a key in the environment variable {variable}, found none")]
    NoKey {
        /// The model.
        model: String,
        /// Where the key is expected.
        variable: &'static str,
    },
    /// The model's context window is too small.
    #[error("set up a model: expected a context of at least {least} tokens, found {found}")]
    Context {
        /// The smallest allowed.
        least: u32,
        /// The one given.
        found: u32,
    },
    /// The key cannot be put into a header.
    #[error("set up the model {model}: the key cannot be sent")]
    Key {
        /// The model.
        model: String,
    },
    /// The client cannot be built: TLS, proxies, roots.
    #[error("set up the model {model}")]
    Client {
        /// The model.
        model: String,
        /// Why.
        #[source]
        source: reqwest::Error,
    },
    /// The parameters have no canonical form.
    #[error("set up the model {model}")]
    Parameters {
        /// The model.
        model: String,
        /// Why.
        #[source]
        source: CanonicalError,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_has_its_share_of_the_context_and_room_to_be_asked_once_more() {
        for (context, reply) in [(4096, 256), (32_768, 2048), (128_000, 8000), (200_000, 8192)] {
            let settings = Settings::for_context(context).unwrap();
            assert_eq!(settings.reply_tokens, reply);
            assert_eq!(settings.window(), Window { context, reply: 4 * reply });
        }
        assert!(matches!(Settings::for_context(4095), Err(SetupError::Context { found: 4095, .. })));
    }

    #[test]
    fn what_decides_about_a_reply_is_in_the_digest_and_nothing_else() {
        let settings = Settings::default();
        let other =
            Settings { retries: Retries::lasting(Duration::ZERO), context: 300_000, ..settings.clone() };
        assert_eq!(settings.digest().unwrap(), other.digest().unwrap());
        let other = Settings { reply_tokens: 1, ..settings.clone() };
        assert_ne!(settings.digest().unwrap(), other.digest().unwrap());
    }
}
