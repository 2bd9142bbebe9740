//! Local servers for both model APIs, stricter than the real ones.
//!
//! They respond with 400 to anything that breaks a documented rule, in words like those of the real servers.
//! They also play scripts, count tokens, have a context limit, fail in all the ways that networks do, and keep every request.
//! [`check`] and [`tokens`] apply the same rules and the same count without a server.
//! Sources of the rules: the API references of Anthropic and OpenAI as of November 2026.

mod anthropic;
mod http;
mod measure;
mod openai;
mod play;
mod server;
mod tokens;

pub use http::Request;
pub use measure::Measured;
pub use play::{Fault, Play, Said, Says};
pub use server::{ApiServer, Kept, Limits, Speaks, check};
pub use tokens::{text_tokens, tokens};

/// The key that the servers require.
pub const KEY: &str = "sk-test-of-locard-0123456789";
