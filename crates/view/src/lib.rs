//! `locard view`: a local web application over recorded runs.
//!
//! It reads and never writes: it has no route that changes anything.
//!
//! **Invariant:** it listens on the loopback address alone, and answers nobody without its token (`guard`).
//!
//! **Invariant:** text of the evidence is text in every answer: escaped in pages, `text/plain` by itself.

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
