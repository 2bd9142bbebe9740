//! Turns runs into pages: Markdown, HTML, JSON and the tables of the command line. It is pure.
//!
//! **Invariant:** text from the evidence is inert in every format: it can neither end a cell nor become markup, a link or a control sequence.

pub mod audit;
mod brought;
pub mod connections;
mod contradicted;
mod contradictions;
mod costs;
mod diff;
mod foremost;
pub mod html;
pub mod hunt;
mod in_words;
mod inert;
mod json;
mod limits;
mod markdown;
mod navigator;
mod nodes;
mod notes;
mod reach;
mod remembered;
mod said;
pub mod score;
mod select;
mod sources;
mod standing;
mod story;
mod synthesis;
mod tables_read;
mod tally;
mod text;
mod weight;
mod withheld;
mod writers;

pub use brought::brought_text;
pub use contradicted::Contradictions;
pub use contradictions::contradictions_line;
pub use costs::{cost, costs, dollars};
pub use diff::{diff_json, diff_text};
pub use html::{HuntPage, audit_page, hunt_page, rejections_page};
pub use inert::terminal;
pub use json::{SCHEMA, facts_json, json, json_text};
pub use markdown::markdown;
pub use navigator::{LAYER, navigator_layer};
pub use phrases::Language;
pub use said::{absence_in_words, fact_in_words};
pub use select::Selection;
pub use standing::{remarks, standing_word};
pub use story::{READING, words};
pub use tally::{tallies, tallies_json};
pub use text::{answers, facts, facts_of, records, rejections, status, summary};
