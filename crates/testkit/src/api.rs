//! Servers of both APIs on this machine, stricter than the real ones.
//!
//! They refuse with 400 whatever breaks a documented rule, in words like those of the real servers; they play scripts, count tokens, have a context that can be full, break in every way that networks do, and keep every request.
//! [`check`] and [`tokens`] are the same rules and the same count without a server.
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

/// The key that the servers ask for.
pub const KEY: &str = "sk-test-of-locard-0123456789";
