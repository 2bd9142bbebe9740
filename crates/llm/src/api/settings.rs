//! What a provider is asked with, and how patiently.

use ledger::Digest;
use ledger::canonical::{self, CanonicalError};
use serde_json::{Value, json};
use std::time::Duration;
use thiserror::Error;

/// Parameters of a provider.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The most tokens of a reply. A reply that is cut there is asked for once more with four times as many.
    pub reply_tokens: u32,
    /// The member `thinking` of Anthropic requests, as it is to be sent.
    pub thinking: Option<Value>,
    /// How patiently.
    pub retries: Retries,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { reply_tokens: 8192, thinking: None, retries: Retries::default() }
    }
}

impl Settings {
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
    /// The time of all attempts and waits of one turn.
    pub total: Duration,
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
            connect: Duration::from_secs(20),
            // A local model reads a long prompt without a word.
            silence: Duration::from_secs(5 * 60),
        }
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
