//! The tools over small evidence made for the test, and over real cases if they are unpacked.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests fail loudly and say what they skip"
)]

mod borrowed;
mod canary;
mod cases;
mod catalogue;
mod copy_log;
mod corpus;
mod decoders;
mod deleted_tools;
mod events;
mod exported_logs;
mod file_system_artifacts;
mod files;
mod fixture;
mod foreign;
mod holes;
mod image_fixture;
mod image_tools;
mod in_force;
mod layouts;
mod links;
mod memory_tree;
mod name_index;
mod name_index_file;
mod near;
mod normalise;
mod orientation;
mod patterns;
mod pca;
mod placement;
mod program_files;
mod query;
mod registry;
mod registry_artifact;
mod replayed;
mod search;
mod search_registry;
mod search_text;
mod split_scripts;
mod sqlite;
mod sqlite_adversary;
mod sqlite_damage;
mod tables;
mod text_damage;
mod timeline;
mod timeline_rows;
mod timeline_tools;
mod user_artifacts;
mod user_databases;
mod wire;
