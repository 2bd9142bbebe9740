//! The door for agents of other programs: a server of the Model Context Protocol over one case.
//!
//! A client takes the place of a model: each of its calls is a turn of a task of a run ([`llm::Outside`]), so that calls are recorded, surfaces and budgets enforced and claims judged as those of any agent, and the run that comes of it can be verified, replayed and reported as any other.
//!
//! **Invariant:** nothing rests on a connection: what a call belongs to is said by the handle that it carries, which cannot be guessed.
//!
//! **Invariant:** a handle never reaches the engine; what the log holds of a call is its tool and its own arguments.

mod answer;
mod beginning;
mod call;
mod client;
mod close;
mod connections;
mod guard;
mod handle;
mod house;
mod http;
mod instructions;
mod lines;
mod open;
mod prompts;
mod reopen;
mod resources;
mod server;
mod stdio;
mod tools;
mod transport;

pub use client::MODEL_PREFIX;
pub use house::{Answers, House, Left, Settings, SetupError};
pub use http::{Http, HttpError, open_http};
pub use stdio::{StdioError, serve_stdio};
