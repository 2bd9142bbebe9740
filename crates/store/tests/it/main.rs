//! What a run's file promises, from outside.

mod common;
mod recording;
mod sealing;
mod tampering;
