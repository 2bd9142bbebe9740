//! The facts that stand out most, at the top of the page: a reader has a minute.

use super::{Scene, say};
use crate::foremost::{Beside, NOTHING, says, when, why};
use maud::{Markup, html};

pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let (shown, more) = &scene.foremost;
    let beside = Beside::of(scene.run, &scene.corroborated);
    html! {
        section #foremost aria-labelledby="foremost-title" {
            h2 #foremost-title { "What stands out" }
            @if shown.is_empty() {
                p { (NOTHING) }
            } @else {
                p.note {
                    "The facts that stand out most from what is usual on any computer, by detection rules. A rule says what kind of trace this is; whether it was an attack is for a person to decide. "
                    @if *more > 0 { (more) " more are among the " a href="#findings" { "findings" } "." }
                }
                ol.told {
                    @for it in shown {
                        li {
                            @match when(it.fact) {
                                Some(time) => time { (say(&time)) },
                                None => span.undated {},
                            }
                            div {
                                (mark(it.rank.level.name())) " " a href=(format!("#proof-{}", it.fact.id)) { (say(&says(scene.run, it.fact))) }
                                p.by { (why(scene.run, it)) " (" (say(&beside.line(scene.run, it.fact))) ")" }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Renders a level as a coloured mark.
pub(super) fn mark(level: &str) -> Markup {
    html! { span.level.(level) { (level) } }
}
