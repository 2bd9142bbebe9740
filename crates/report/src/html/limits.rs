//! What was not examined, and what is damaged.

use super::{Scene, say};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Places of one reason that are shown at once.
const SHOWN: usize = 20;
/// The longest place that is shown, in characters.
const LONGEST: usize = 300;

pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let unexamined = graph::unexamined(scene.run);
    let mut by_reason: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for it in &unexamined {
        by_reason.entry(&it.reason).or_default().push(it);
    }
    let defects = graph::damage(scene.run);
    let unhashed = scene.run.integrity.iter().any(|hashed| !hashed.gaps.is_empty());
    html! {
        section #limits aria-labelledby="limits-title" {
            h2 #limits-title { "Not examined" }
            @if unexamined.is_empty() {
                p { "No tool reported a gap, and every call returned all that was asked for." }
            }
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
            h3 { "Damaged evidence" }
            @if defects.is_empty() && !unhashed {
                p { "No tool met damage, and the hashes cover all of the evidence." }
            }
            ul {
                @for defect in &defects {
                    li {
                        code { (say(&defect.path)) } @if let Some(offset) = defect.offset { " at " (format!("{offset:#x}")) } ": " (say(&defect.what))
                    }
                }
                @for hashed in &scene.run.integrity {
                    @for gap in &hashed.gaps {
                        li { code { (say(&hashed.evidence)) } " is hashed without " code { (say(&gap.path)) } ": " (say(&gap.reason)) }
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
