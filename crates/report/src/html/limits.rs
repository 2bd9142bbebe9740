//! The limits of the run: open questions, gaps, incomplete calls, missing checks; and what is damaged.

use super::{Scene, Verified, say};
use crate::limits::{self, Asked, Limits};
use crate::remembered::{TOLD, insisted, line, refused};
use graph::{Question, Run, Unexamined};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// The number of places with the same reason that are shown at once.
const SHOWN: usize = 20;
/// The maximum length of a place, in characters.
const LONGEST: usize = 300;

pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let limits = &scene.limits;
    let defects = graph::damage(scene.run);
    let unhashed = scene.run.integrity.iter().any(|hashed| !hashed.gaps.is_empty());
    html! {
        section #limits aria-labelledby="limits-title" {
            h2 #limits-title { "Not examined" }
            p.key { @for (number, what) in limits.counts() { span.state { (number) " " (what) } " " } }
            (questions(limits))
            (places("Gaps", "No tool reported a gap.", &limits.gaps))
            (places("Incomplete calls", "Every call returned all that was asked for.", &limits.short))
            h3 { "Checks not made" }
            @if limits.unchecked.is_empty() && limits.unverified.is_empty() { p { "None." } }
            ul { @for check in limits.unchecked.iter().chain(&limits.unverified) { li { (say(check)) } } }
            (remembered(scene.run))
            h3 { "Damaged evidence" }
            @if defects.is_empty() && !unhashed {
                p { "No tool found damage, and the hashes cover all of the evidence." }
            }
            ul {
                @for defect in &defects {
                    li {
                        code { (say(&defect.path)) } @if let Some(offset) = defect.offset { " at " (format!("{offset:#x}")) } ": " (say(&defect.what))
                    }
                }
                @for hashed in &scene.run.integrity {
                    @for gap in &hashed.gaps {
                        li { code { (say(&hashed.evidence)) } " was hashed without " code { (say(&gap.path)) } ": " (say(&gap.reason)) }
                    }
                }
            }
        }
    }
}

/// Returns the limits of the run, including what was not verified for this page.
pub(super) fn of<'r>(run: &Run, questions: &[Question<'r>], verified: Option<&Verified>) -> Limits<'r> {
    let mut limits = limits::limits(run, questions);
    match verified {
        None => limits.unverified.push("The run was not verified for this page.".to_owned()),
        Some(verified) => {
            let skipped = verified.levels.iter().filter(|level| level.holds.is_none());
            limits
                .unverified
                .extend(skipped.map(|level| format!("Not verified for this page: {}.", level.name)));
        }
    }
    limits
}

/// Renders the lessons of earlier runs, if the run was given any.
fn remembered(run: &Run) -> Markup {
    let told = graph::told_lessons(run);
    html! {
        @if !told.is_empty() {
            h3 { "Remembered from earlier runs" }
            p.note { (TOLD) " " (line(&told)) "." }
            ul {
                @for it in &told {
                    li {
                        code { (say(&it.lesson.id)) } " " (it.lesson.rule.words()) ": " (say(&it.lesson.text))
                        @if !(it.refused.is_empty() && it.insisted.is_empty()) {
                            ul {
                                @for (task, what) in refused(it) { li { (task) ": " (say(&what)) } }
                                @for (task, invocation, reason) in insisted(it) {
                                    li { (task) ": " a href=(format!("#{invocation}")) { (invocation) } " was made anyway, because: " (say(reason)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Renders the questions that cannot be answered, by what the evidence lacks, and the open ones.
fn questions(limits: &Limits<'_>) -> Markup {
    let asked = |it: &Asked<'_>| html! { (say(it.question)) " " span.tag { (say(it.agent)) } };
    html! {
        h3 { "Questions that this evidence cannot answer" }
        @if limits.lacking.is_empty() && limits.unread.is_empty() { p { "None." } }
        @for (kind, questions) in &limits.lacking {
            details open[questions.len() <= SHOWN] {
                summary { "Needs " (say(kind)) " " span.tag { (questions.len()) } }
                ul { @for it in questions { li { (asked(it)) } } }
            }
        }
        @for (it, reasons) in &limits.unread {
            details {
                summary { (asked(it)) " could not be read " span.tag { (reasons.len()) } }
                ul { @for reason in reasons { li { code { (short(reason)) } } } }
            }
        }
        @if !limits.open.is_empty() {
            h3 { "Open questions" }
            ul { @for (it, how) in &limits.open { li { (asked(it)) " " span.tag { (*how) } } } }
        }
        @if !limits.is_listed { p.note { "This run does not list the questions of its case, so those assigned to no agent are missing here." } }
    }
}

/// Renders what was not examined, by reason.
fn places(title: &str, none: &str, unexamined: &[Unexamined]) -> Markup {
    let mut by_reason: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for it in unexamined {
        by_reason.entry(&it.reason).or_default().push(it);
    }
    html! {
        h3 { (title) }
        @if unexamined.is_empty() { p { (none) } }
        @for (reason, places) in &by_reason {
            details open[places.len() <= SHOWN] {
                summary { (say(reason)) " " span.tag { (places.len()) } }
                ul {
                    @for it in places {
                        li {
                            @if let Some(id) = it.invocation { a href=(format!("#{id}")) { (id) } " " }
                            code { (short(&it.place)) }
                        }
                    }
                }
            }
        }
    }
}

fn short(text: &str) -> String {
    let mut shown: String = text.chars().take(LONGEST).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    say(&shown)
}
