//! What agents got wrong: refused and healed claims as pictures, and each claim with what its agent was told.

use super::words::word;
use super::{Scene, say};
use crate::tally::{corrected, groups, share};
use crate::text::candidate;
use graph::{Fate, Judged, RefusedClaim, Run, Tallies, Tally, refused_claims, tallies};
use ledger::{Claim, Reading};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// The number of refused claims that are listed in a report; the others are only counted.
const LISTED: usize = 500;
/// The maximum number of bars in the chart by turn.
const BARS: u32 = 60;

pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let all = tallies([scene.run]);
    html! {
        section #refused aria-labelledby="refused-title" {
            h2 #refused-title { "What agents got wrong" }
            p.note {
                "What " (word("agents", "agent")) " asked to have recorded (" (word("claims", "claim")) ") and the " (word("gateway", "gateway"))
                " did not accept, or accepted with a corrected citation (" (word("healed", "healed")) "). A refused claim is "
                (word("corrected or abandoned", "corrected")) "; " (word("turns lost", "lost")) " are turns that achieved nothing; the " (word("code", "code")) " names the reason. "
                "An absence of refusals does not mean that nothing is missing, or that what was found was understood."
            }
            @if all.all.refused + all.all.healed == 0 {
                p { "None of " (all.all.claims) " claims was refused, and none of their citations was wrong." }
                @if all.all.claims > 0 {
                    details { summary { "Claims by agent, tool, model and turn" } (pictures(&all)) (turns(scene.run)) }
                }
            } @else {
                (pictures(&all))
                (turns(scene.run))
                h3 { "Each refused claim" }
                (each(scene.run, LISTED))
            }
        }
    }
}

fn turns(run: &Run) -> Markup {
    html! { h3 { "Claims by turn of their agent" } (by_turn(run)) }
}

/// Renders the totals, the key, and a bar for each code, agent, tool and model.
pub(super) fn pictures(all: &Tallies) -> Markup {
    html! {
        (cards(&all.all, all.tokens))
        @if all.all.claims > 0 {
            (key(&KEY))
            @for (title, rows) in groups(all) {
                @if !rows.is_empty() { (table(title, &rows)) }
            }
        }
    }
}

/// Renders the key to the colours.
fn key(words: &[(&str, &str)]) -> Markup {
    html! {
        p.key aria-hidden="true" {
            @for (class, word) in words { span { i class=(format!("swatch {class}")) {} (word) } " " }
        }
    }
}

const KEY: [(&str, &str); 4] = [
    ("accepted", "accepted as cited"),
    ("healed", "healed"),
    ("corrected", "refused, corrected later"),
    ("abandoned", "refused, abandoned"),
];

fn cards(all: &Tally, tokens: Option<u64>) -> Markup {
    let percent = share(all.refused, all.claims).map_or("–".to_owned(), |share| format!("{share:.1} %"));
    let cards = [
        ("claims", all.claims.to_string()),
        ("refused", format!("{} ({percent})", all.refused)),
        ("healed", all.healed.to_string()),
        ("corrected", corrected(all).to_string()),
        ("abandoned", all.abandoned.to_string()),
        ("turns lost", all.lost_turns.to_string()),
    ];
    html! {
        div.cards { @for (title, number) in cards { div.card { b { (number) } (title) } } }
        @for (tries, claims) in &all.corrected { p.note { (claims) " corrected after " (tries) " tries." } }
        @if let Some(tokens) = tokens { p.note { "All turns together took " (tokens) " tokens of language models." } }
    }
}

fn table(title: &str, rows: &[(String, &Tally)]) -> Markup {
    html! {
        h3 { "Claims " (title) }
        div.scroll {
            table.numbers {
                thead { tr { th { "" } th { "claims" } th { "refused" } th { "healed" } th { "corrected" } th { "abandoned" } th { "turns lost" } th { span.hidden { "shares" } } } }
                tbody {
                    @for (name, tally) in rows {
                        tr {
                            th scope="row" { code { (say(name)) } }
                            @for number in [tally.claims, tally.refused, tally.healed, corrected(tally), tally.abandoned, tally.lost_turns] {
                                td.number { (number) }
                            }
                            td.bar { (bar(tally)) }
                        }
                    }
                }
            }
        }
    }
}

/// Renders a bar with the shares of claims by outcome.
fn bar(tally: &Tally) -> Markup {
    let accepted = tally.claims.saturating_sub(tally.refused + tally.healed);
    let parts = [accepted, tally.healed, corrected(tally), tally.abandoned];
    let mut at = 0.0;
    let mut drawn = Vec::new();
    for ((class, word), part) in KEY.into_iter().zip(parts) {
        if let Some(share) = share(part, tally.claims).filter(|share| *share > 0.0) {
            drawn.push((class, word, part, at, share));
            at += share;
        }
    }
    html! {
        svg.stack viewBox="0 0 100 4" preserveAspectRatio="none" role="img"
            aria-label=(drawn.iter().map(|(_, word, part, ..)| format!("{part} {word}")).collect::<Vec<_>>().join(", ")) {
            @for (class, word, part, x, width) in &drawn {
                rect class=(class) x=(format!("{x:.2}")) width=(format!("{width:.2}")) height="4" { title { (word) ": " (part) } }
            }
        }
    }
}

/// Renders the claims by turn: how many were accepted and how many refused.
fn by_turn(run: &Run) -> Markup {
    let mut turns: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    for claim in run.tasks.values().flat_map(|view| &view.claims) {
        let counted = turns.entry(claim.submitted.turn).or_default();
        match &claim.judged {
            Some(Judged::Rejected(_)) => counted.1 += 1,
            Some(_) => counted.0 += 1,
            None => {}
        }
    }
    let last = turns.keys().last().copied().unwrap_or(0);
    let wide = last / BARS + 1;
    let mut bars: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    for (turn, (accepted, refused)) in turns {
        let bar = bars.entry(turn / wide).or_default();
        *bar = (bar.0 + accepted, bar.1 + refused);
    }
    let (accepted, refused) = bars.values().fold((0, 0), |sum, bar| (sum.0 + bar.0, sum.1 + bar.1));
    let most = bars.values().map(|(accepted, refused)| accepted + refused).max().unwrap_or(0).max(1);
    let height = |number: u32| 60.0 * f64::from(number) / f64::from(most);
    let width = 600.0 / f64::from(last / wide + 1);
    html! {
        (key(&[("accepted", "accepted"), ("refused", "refused")]))
        svg.turns viewBox="0 -2 600 78" role="img" aria-label=(format!("Claims by turn, turn 0 to {last}: {accepted} accepted, {refused} refused")) {
            @for (bar, (accepted, refused)) in &bars {
                @let x = format!("{:.1}", f64::from(*bar) * width);
                @let (low, high) = (height(*accepted), height(*refused));
                g {
                    title { "turn " (bar * wide) @if wide > 1 { "–" (bar * wide + wide - 1) } ": " (accepted) " accepted, " (refused) " refused" }
                    rect.accepted x=(x) y=(format!("{:.1}", 60.0 - low)) width=(format!("{:.1}", width * 0.85)) height=(format!("{low:.1}")) {}
                    rect.refused x=(x) y=(format!("{:.1}", 60.0 - low - high)) width=(format!("{:.1}", width * 0.85)) height=(format!("{high:.1}")) {}
                }
            }
            text x="0" y="74" { "turn 0" }
            text x="600" y="74" text-anchor="end" { "turn " (last) ", at most " (most) " claims a bar" }
        }
    }
}

/// Renders each refused claim with what its agent was told, up to a limit.
pub(super) fn each(run: &Run, most: usize) -> Markup {
    let refused = refused_claims(run);
    html! {
        @if refused.is_empty() { p.note { "None was refused." } }
        @for claim in refused.iter().take(most) { (one(claim)) }
        @if refused.len() > most {
            p.note { (refused.len() - most) " more: locard rejections --list shows every one." }
        }
    }
}

fn one(claim: &RefusedClaim<'_>) -> Markup {
    let rejection = claim.rejection;
    let ended = match claim.fate {
        Fate::Corrected { by, tries } => format!("corrected after {tries} tries by {by}"),
        Fate::Abandoned => "abandoned".to_owned(),
    };
    let (claimed, citing) = match claim.stated {
        Claim::Reading(reading) => (stated(reading), reading.invocation.clone()),
        Claim::Absence(absence) => (absence.absence.to_string(), absence.searches.join(", ")),
        Claim::Derivation(derivation) => (derivation.to_string(), String::new()),
        Claim::Sentence(sentence) => (sentence.text.clone(), sentence.cites.join(", ")),
        Claim::Statement(statement) => (statement.to_string(), String::new()),
    };
    html! {
        details.refused id=(claim.claim) {
            summary { code { (rejection.code) } " " (say(claim.agent)) " turn " (claim.turn) ": " (ended) }
            dl {
                dt { "claim" } dd { code { (claim.claim) } }
                dt { "claimed" } dd { code { (say(&claimed)) } }
                @if !citing.is_empty() { dt { "citing" } dd { code { (say(&citing)) } } }
                dt { "told" } dd { (say(&rejection.reason)) }
                @if !rejection.hint.is_empty() { dt { "hint" } dd { (say(&rejection.hint)) } }
                @for place in &rejection.candidates { dt { "candidate" } dd { code { (say(&candidate(place))) } } }
            }
        }
    }
}

fn stated(reading: &Reading) -> String {
    let value =
        |value: &ledger::ClaimedValue| format!("{} = {}", value.field.as_deref().unwrap_or("?"), value.value);
    let values: Vec<_> = reading.values.iter().map(value).collect();
    let record = reading.record.as_deref().map_or(String::new(), |record| format!(" in {record}"));
    format!("{} {}: {}{record}", reading.predicate, reading.subject, values.join(", "))
}
