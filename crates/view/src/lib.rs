//! `locard view`: a local web application over recorded runs.
//!
//! It only reads: no route changes anything.
//!
//! **Invariant:** it listens only on the loopback address, and answers nobody without its token (`guard`).
//!
//! **Invariant:** text from the evidence stays text in every response: escaped in pages, `text/plain` on its own.

mod connected;
mod error;
mod guard;
mod house;
mod lines;
mod page;
mod pages;
mod routes;
mod server;
mod shelf;
mod text;

pub use server::{View, ViewError, open};
pub use shelf::Which;
