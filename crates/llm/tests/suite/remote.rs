//! Language models over HTTP, against servers that are stricter than real ones.

mod conversations;
mod faults;
mod transcripts;
mod world;
