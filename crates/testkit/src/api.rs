//! Servers of both APIs on this machine, stricter than the real ones.
//!
//! They refuse with 400 whatever breaks a documented rule, in words like those of the real servers; they play scripts, break in every way that networks do, and keep every request.
//! Sources of the rules: the API references of Anthropic and OpenAI as of November 2026.

mod anthropic;
mod http;
mod openai;
mod play;
mod server;

pub use http::Request;
pub use play::{Fault, Play, Said, Says};
pub use server::{ApiServer, Kept, Speaks};

/// The key that the servers ask for.
pub const KEY: &str = "sk-test-of-locard-0123456789";
