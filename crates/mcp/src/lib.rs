//! A Model Context Protocol server over one case, for the agents of other programs.
//!
//! A client takes the place of a model: each of its calls is a turn of a task of a run ([`llm::Outside`]).
//! Therefore its calls are recorded, surfaces and budgets are enforced, and claims are judged as for any agent; the resulting run can
//! be verified, replayed and reported like any other.
//!
//! **Invariant:** nothing depends on a connection. A call carries an unguessable handle that says what it belongs to.
//!
//! **Invariant:** a handle never reaches the engine. The log of a call contains only its tool and its own arguments.

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
