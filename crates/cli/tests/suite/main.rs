//! Tests of the whole program: its commands in an isolated environment, and runs with scripted models through
//! the real worker, store and gateway.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod answered_by_models;
mod asking;
mod auditing;
mod batch;
mod bench_gate;
mod brought;
mod canary;
mod case_files;
mod case_folders;
mod certificates;
mod chains;
mod changed_evidence;
mod commands;
mod comparing;
mod completions;
mod confining;
mod console;
mod containers;
mod every_field;
mod exchanging;
mod exit_codes;
mod exporting;
mod figures;
mod forgeries;
mod graphs;
mod heads;
mod histories;
mod hosts;
mod hunting;
mod injections;
mod interrupted;
mod language_models;
mod lesser_runs;
mod logging;
mod mcp;
mod memory;
mod misplaced;
mod mistyped_ids;
mod name_index;
mod narratives;
mod near;
mod objectives;
mod other_rules;
mod output;
mod questions;
mod questions_in_words;
mod real_cases;
mod record_phase;
mod recoveries;
mod redacting;
mod refusals;
mod replays;
mod reproducing;
mod resuming;
mod run_names;
mod run_tables;
mod runs;
mod scenarios;
mod scoring;
mod selecting;
mod steps;
mod stories;
mod support;
mod sweeps;
mod tampering;
mod terminal;
mod timeline_of_runs;
mod verifiers;
mod viewing;
