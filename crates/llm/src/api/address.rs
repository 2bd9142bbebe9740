//! Names of models: `anthropic:<model>` and `openai:<model>@<base URL>`.

use reqwest::Url;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The API that a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Anthropic Messages.
    Anthropic,
    /// Chat completions with tools.
    OpenAi,
}

impl Dialect {
    /// Returns the part before the colon.
    pub const fn name(self) -> &'static str {
        match self {
            Dialect::Anthropic => "anthropic",
            Dialect::OpenAi => "openai",
        }
    }

    /// Returns the environment variable in which its key is usually kept.
    pub const fn key_variable(self) -> &'static str {
        match self {
            Dialect::Anthropic => "ANTHROPIC_API_KEY",
            Dialect::OpenAi => "OPENAI_API_KEY",
        }
    }

    const fn home(self) -> &'static str {
        match self {
            Dialect::Anthropic => "https://api.anthropic.com",
            Dialect::OpenAi => "https://api.openai.com/v1",
        }
    }

    /// Checks whether a server is known to need a key: only the provider's own certainly does.
    pub(crate) fn needs_key(self, base: &Url) -> bool {
        Url::parse(self.home()).is_ok_and(|home| home.host_str() == base.host_str())
    }
}

/// A model at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The API that it speaks.
    pub dialect: Dialect,
    /// The provider's name for the model.
    pub model: String,
    base: Url,
    is_home: bool,
}

/// Why a text cannot be read as a model's address.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum AddressError {
    /// It does not begin with a provider's name.
    #[error("read the model {found:?}: expected anthropic:<model> or openai:<model>@<base URL>")]
    Dialect {
        /// The text.
        found: String,
    },
    /// It names no model.
    #[error("read the model {found:?}: the model's name is missing")]
    NoModel {
        /// The text.
        found: String,
    },
    /// The text after the last `@` is not a server's address. It is not repeated, because it may contain a password.
    #[error(
        "read the address of the model {model:?}: expected http:// or https://, a host and a path, without name, password, query and fragment"
    )]
    Base {
        /// The model.
        model: String,
    },
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Address, AddressError> {
        let dialects = [Dialect::Anthropic, Dialect::OpenAi];
        let split = text.split_once(':').and_then(|(name, rest)| {
            Some((dialects.into_iter().find(|dialect| dialect.name() == name)?, rest))
        });
        let Some((dialect, rest)) = split else {
            // The text may contain an address, and that a password.
            let found = text.split('@').next().unwrap_or_default().to_owned();
            return Err(AddressError::Dialect { found });
        };
        // Model names may contain an `@` of their own.
        let at = rest.find("@http://").or_else(|| rest.find("@https://"));
        let (model, base) = match at.and_then(|at| rest.split_at_checked(at)) {
            Some((model, base)) => (model, Some(base.trim_start_matches('@'))),
            None => (rest, None),
        };
        if model.trim().is_empty() || model.contains("://") {
            return Err(AddressError::NoModel { found: format!("{}:", dialect.name()) });
        }
        let url = Url::parse(base.unwrap_or(dialect.home()).trim_end_matches('/'));
        let plain = |url: &Url| {
            matches!(url.scheme(), "http" | "https")
                && url.has_host()
                && url.username().is_empty()
                && url.password().is_none()
                && url.query().is_none()
                && url.fragment().is_none()
        };
        match url {
            Ok(url) if plain(&url) => {
                Ok(Address { dialect, model: model.to_owned(), base: url, is_home: base.is_none() })
            }
            Ok(_) | Err(_) => Err(AddressError::Base { model: model.to_owned() }),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.dialect.name(), self.model)?;
        match self.is_home {
            true => Ok(()),
            false => write!(f, "@{}", self.base.as_str().trim_end_matches('/')),
        }
    }
}

impl Address {
    /// Returns how large the context window of its models usually is, in tokens, as far as the address shows.
    /// That is the smallest window that a provider's models have today, or what other servers can be configured for.
    pub fn usual_context(&self) -> u32 {
        match (self.dialect, self.dialect.needs_key(&self.base)) {
            (Dialect::Anthropic, true) => 200_000,
            (Dialect::OpenAi, true) => 128_000,
            (Dialect::Anthropic | Dialect::OpenAi, false) => 65_536,
        }
    }

    pub(crate) fn base(&self) -> &Url {
        &self.base
    }

    /// Returns the server as messages name it: host and port.
    pub(crate) fn host(&self) -> String {
        let host = self.base.host_str().unwrap_or_default();
        self.base.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Returns the URL for requests.
    pub(crate) fn endpoint(&self) -> String {
        let base = self.base.as_str().trim_end_matches('/');
        match self.dialect {
            // Both forms of the base URL are in use.
            Dialect::Anthropic => format!("{}/v1/messages", base.trim_end_matches("/v1")),
            Dialect::OpenAi => format!("{base}/chat/completions"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_where_requests_go() {
        let cases = [
            ("anthropic:claude-x", "https://api.anthropic.com/v1/messages", "api.anthropic.com"),
            ("anthropic:m@http://127.0.0.1:8083", "http://127.0.0.1:8083/v1/messages", "127.0.0.1:8083"),
            ("anthropic:m@http://h/v1", "http://h/v1/messages", "h"),
            ("openai:gpt-x", "https://api.openai.com/v1/chat/completions", "api.openai.com"),
            ("openai:qwen:7b@http://[::1]:1/v1", "http://[::1]:1/v1/chat/completions", "[::1]:1"),
            ("openai:a@b/c@https://h/api/v1", "https://h/api/v1/chat/completions", "h"),
        ];
        for (text, endpoint, host) in cases {
            let address: Address = text.parse().unwrap();
            assert_eq!((address.endpoint().as_str(), address.host().as_str()), (endpoint, host));
            assert_eq!(address.to_string(), text);
        }
    }

    #[test]
    fn a_password_in_an_address_is_refused_and_not_repeated() {
        for text in [
            "openai:m@http://me:secret@h/v1",
            "openai:m@http://h/v1?key=secret",
            "open:m@http://me:secret@h",
            "openai:http://me:secret@h",
            "openai:@http://me:secret@h/v1",
        ] {
            let error = text.parse::<Address>().unwrap_err();
            assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
        }
        for text in ["playbook", "openai:m@http://b\u{fc}cher/v1", "openai:m@http://"] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
