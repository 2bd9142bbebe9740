//! Sentences of runs in which agents wrote them: an agent's reading, apart from what happened.

use super::story::cited;
use super::{Scene, say};
use crate::story::READING;
use graph::sentence_text;
use maud::{Markup, html};

/// Nothing of a run that has none.
pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let sentences = &scene.sentences;
    html! {
        @if !sentences.is_empty() {
            section #readings aria-labelledby="readings-title" {
                h2 #readings-title { "What an agent made of it" }
                p.note {
                    "This run was made when agents wrote sentences. Each is " em { (READING) } ": that the values in it stand in what it cites was looked at, that it is true was not. "
                    "It is shown without a time, and is no part of what happened."
                }
                ol.readings {
                    @for placed in sentences {
                        @let sentence = placed.sentence;
                        li.reading id=(sentence.id) {
                            (say(&sentence_text(&sentence.text)))
                            @for fact in scene.contradictions.to(placed) {
                                " " strong.tag { "the sweep found otherwise: " (super::fact_link(scene.run, fact)) }
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
