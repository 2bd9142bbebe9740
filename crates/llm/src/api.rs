//! Language models over the network: the Anthropic Messages API, and chat completions with tools as served by OpenAI and many others.
//!
//! A [`Provider`] is one model at one address; [`Provider::model`] gives each task a [`Remote`] of its own.
//! Requests are built from a [`Transcript`], which must pass [`check_transcript`] before anything is sent.
//! What a provider said goes back to it exactly as it said it.
//! Sources: the providers' API references as of November 2026.
//! Anthropic: Messages, streaming, tool use, extended thinking, prompt caching, errors. OpenAI: Chat completions, streaming, function calling.

mod address;
mod anthropic;
mod clock;
mod error;
mod key;
mod lenient;
mod link;
mod openai;
mod received;
mod remote;
mod retry;
mod settings;
mod sse;
mod told;
mod transcript;
mod verbatim;

pub use address::{Address, AddressError, Dialect};
pub use clock::{Clock, MonotonicClock};
pub use error::{ApiError, Foreign, StreamError};
pub use key::{ApiKey, KeyError};
pub use lenient::{Unreadable, read_object};
pub use remote::{Notice, Provider, Remote};
pub use settings::{Retries, Settings, SetupError};
pub use transcript::{Part, Role, Transcript, TranscriptError, Turn, check_transcript, transcript};
