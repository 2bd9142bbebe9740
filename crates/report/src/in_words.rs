//! The questions that people asked in words, for every format of the report; empty if nobody asked any.

use crate::inert::{code, prose};
use graph::{InWords, Run, questions_in_words};
use maud::{Markup, html};
use serde_json::{Value, json};
use std::fmt::Write;

/// The most facts of an answer that are listed; a reader finds the others by task.
const LISTED: usize = 20;

pub(crate) fn markdown(out: &mut String, run: &Run) {
    let all = questions_in_words(run);
    if all.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n## Questions in words\n");
    for it in &all {
        let facts: Vec<String> = it.facts().take(LISTED).map(|fact| code(&fact.to_string())).collect();
        let _ = writeln!(
            out,
            "- {} ({}, answered by {}): {}{}",
            prose(it.question),
            it.view.assigned.task,
            prose(it.answered_by()),
            said(it),
            if facts.is_empty() { String::new() } else { format!(": {}", facts.join(", ")) }
        );
    }
}

/// Renders the questions for the page; `fact` renders a link to a fact.
pub(crate) fn section(run: &Run, fact: impl Fn(ledger::FactId) -> Markup) -> Markup {
    let all = questions_in_words(run);
    html! {
        @if !all.is_empty() {
            section #questions-in-words aria-labelledby="questions-in-words-title" {
                h2 #questions-in-words-title { "Questions in words" }
                ul {
                    @for it in &all {
                        li {
                            (graph::printable(it.question)) " "
                            span.note { (it.view.assigned.task) ", answered by " (graph::printable(it.answered_by())) ": " (said(it)) }
                            @for id in it.facts().take(LISTED) { " " (fact(id)) }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the questions as JSON; `None` if nobody asked any.
pub(crate) fn json(run: &Run) -> Option<Value> {
    let all = questions_in_words(run);
    let one = |it: &InWords<'_>| {
        json!({
            "task": it.view.assigned.task.to_string(),
            "question": it.question,
            "answered_by": it.answered_by(),
            "facts": it.facts().map(|fact| fact.to_string()).collect::<Vec<_>>(),
        })
    };
    (!all.is_empty()).then(|| all.iter().map(one).collect())
}

/// Says how many facts a task recorded.
fn said(it: &InWords<'_>) -> String {
    match it.facts().count() {
        0 => "no fact".to_owned(),
        1 => "1 fact".to_owned(),
        more => format!("{more} facts"),
    }
}
