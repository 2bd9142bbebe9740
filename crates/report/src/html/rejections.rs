//! The page of refused claims, over one run or several.

use super::{refused, say, shell};
use graph::{Run, tallies};
use maud::html;

/// Renders the refused claims of runs: the totals, and each claim with what its agent was told.
pub fn rejections_page(runs: &[Run]) -> String {
    let all = tallies(runs);
    let names: Vec<_> = runs.iter().map(|run| say(run.name())).collect();
    let body = html! {
        main {
            h1 { "Refused claims" }
            p.note {
                "What agents asked to have recorded and the gateway did not accept, or accepted with a corrected citation. "
                (names.join(", "))
            }
            (refused::pictures(&all))
            @for run in runs {
                h2 { "Each refused claim" @if runs.len() > 1 { " of " (say(run.name())) } }
                (refused::each(run, usize::MAX))
            }
        }
    };
    shell::document("Refused claims", &body, None)
}
