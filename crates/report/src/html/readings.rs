//! Sentences that agents wrote in older runs: agents' interpretations, kept apart from what happened.

use super::story::cited;
use super::{Scene, say};
use crate::story::READING;
use graph::sentence_text;
use maud::{Markup, html};

/// Renders the section; empty if the run has no such sentences.
pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let sentences = &scene.sentences;
    html! {
        @if !sentences.is_empty() {
            section #readings aria-labelledby="readings-title" {
                h2 #readings-title { "What an agent made of it" }
                p.note {
                    "In this run, of an older version, agents wrote sentences. Each is " em { (READING) } ": code checked that its values are in what it cites, not that it is true. "
                    "It has no time, and is not part of what happened."
                }
                ol.readings {
                    @for placed in sentences {
                        @let sentence = placed.sentence;
                        li.reading id=(sentence.id) {
                            (say(&sentence_text(&sentence.text)))
                            @for fact in scene.contradictions.to(placed) {
                                " " strong.tag { "the sweep contradicts this: " (super::fact_link(scene.run, fact)) }
                            }
                            div.by {
                                "cites "
                                @for (number, id) in sentence.cites.iter().enumerate() {
                                    @if number > 0 { ", " }
                                    (cited(scene.run, *id))
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
