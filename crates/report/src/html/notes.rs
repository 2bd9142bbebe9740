//! Agents' notes, kept apart from everything that code says.

use super::{Scene, say};
use crate::notes::{ABOUT, HEADING, notes, on};
use maud::{Markup, html};

/// Renders the section; empty if no agent wrote a note.
pub(super) fn section(scene: &Scene<'_>) -> Markup {
    html! {
        @if notes(scene.run).next().is_some() {
            section #notes aria-labelledby="notes-title" {
                h2 #notes-title { (HEADING) }
                p.note { (ABOUT) }
                ul {
                    @for (task, agent, note) in notes(scene.run) {
                        li { (say(agent)) " of " (task) (on(note)) ": " q { (say(&note.text)) } }
                    }
                }
            }
        }
    }
}
