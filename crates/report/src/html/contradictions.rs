//! Pairs of facts that contradict each other.

use super::{Scene, fact_link};
use crate::contradictions::{MEANING, TITLE, by_kind, facts, sentence};
use maud::{Markup, html};

/// Renders the section; empty if there are none.
pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let kinds = by_kind(scene.run);
    html! {
        @if !kinds.is_empty() {
            section #contradictions aria-labelledby="contradictions-title" {
                h2 #contradictions-title { (TITLE) }
                p.note { (MEANING) }
                @for (kind, pairs) in &kinds {
                    h3 { (sentence(*kind)) " " span.tag { (pairs.len()) } }
                    ul {
                        @for pair in pairs {
                            @let [one, other] = facts(pair);
                            li { (fact_link(scene.run, one)) " – " (fact_link(scene.run, other)) }
                        }
                    }
                }
            }
        }
    }
}
