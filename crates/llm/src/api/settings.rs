//! What a provider is asked with, and how patiently.

use ledger::canonical::{self, CanonicalError};
use ledger::{Digest, Prices, Window};
use serde_json::{Value, json};
use std::time::Duration;
use thiserror::Error;

/// Parameters of a provider.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The most tokens of a reply. A reply that is cut there is asked for once more with four times as many.
    pub reply_tokens: u32,
    /// Tokens of a request and its reply together, as the server takes them.
    pub context: u32,
    /// What tokens cost, where that is known.
    pub prices: Option<Prices>,
    /// The member `thinking` of Anthropic requests, as it is to be sent.
    pub thinking: Option<Value>,
    /// How patiently.
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

/// The most tokens of a reply, however much a model takes.
const LONGEST_REPLY: u32 = 8192;
/// One part of so many of the context is a reply.
const REPLY_SHARE: u32 = 16;
/// How many times more tokens a reply gets that was cut.
pub(crate) const LARGER: u32 = 4;
/// The least context in which an agent can work: its task and tools alone take most of that.
const LEAST_CONTEXT: u32 = 4096;

impl Settings {
    /// Settings for a model that takes so many tokens at once.
    ///
    /// # Errors
    ///
    /// Where that is too little for an agent.
    pub fn for_context(context: u32) -> Result<Settings, SetupError> {
        if context < LEAST_CONTEXT {
            return Err(SetupError::Context { least: LEAST_CONTEXT, found: context });
        }
        let reply_tokens = LONGEST_REPLY.min(context / REPLY_SHARE);
        Ok(Settings { reply_tokens, context, ..Settings::default() })
    }

    /// How much is taken at once; a reply is kept as much room as it gets at most.
    pub const fn window(&self) -> Window {
        Window { context: self.context, reply: self.reply_tokens.saturating_mul(LARGER) }
    }

    /// The digest of what decides about a reply; patience does not.
    pub(crate) fn digest(&self) -> Result<Digest, CanonicalError> {
        let said = json!({"reply_tokens": self.reply_tokens, "thinking": self.thinking});
        Ok(Digest::of(&canonical::to_vec(&said)?))
    }
}

/// How often a request is sent again, and how long it is waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retries {
    /// The most sendings of one request.
    pub attempts: u32,
    /// The first wait; each further one is twice as long.
    pub first_wait: Duration,
    /// The longest wait of our own choosing.
    pub longest_wait: Duration,
    /// The time in which attempts of one turn may begin; nothing: one attempt.
    pub total: Duration,
    /// The time of one attempt.
    pub attempt: Duration,
    /// The time to connect.
    pub connect: Duration,
    /// The time between two pieces of an answer.
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
            // A local model reads a long prompt without a word.
            silence: Duration::from_secs(5 * 60),
        }
    }
}

impl Retries {
    /// As many attempts as begin within this time.
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
        /// Where the key is looked for.
        variable: &'static str,
    },
    /// The model takes too little at once.
    #[error("set up a model: expected a context of at least {least} tokens, found {found}")]
    Context {
        /// The least.
        least: u32,
        /// What was given.
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
