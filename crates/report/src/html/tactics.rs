//! The facts by the ATT&CK techniques that they fit, tactic by tactic.

use super::{Scene, fact_link, findings, say};
use detect::{Retired, RetiredBecause, Tactic};
use graph::Fit;
use maud::{Markup, html};

pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let of = |tactic: &Tactic| {
        let serves = scene.fits.iter().filter(|fit| fit.technique.tactics.contains(&tactic.id));
        serves.collect::<Vec<_>>()
    };
    let served: Vec<(&Tactic, Vec<&Fit<'_>>)> = scene
        .attack
        .tactics()
        .iter()
        .map(|tactic| (tactic, of(tactic)))
        .filter(|(_, fits)| !fits.is_empty())
        .collect();
    html! {
        section #attack aria-labelledby="attack-title" {
            h2 #attack-title { "By tactic of ATT&CK" }
            p.note {
                "MITRE ATT&CK " (say(scene.attack.version())) ". A technique is listed because a trace of the kind that it leaves was found. Ordinary software leaves many such traces too; nothing here says that the technique was used."
            }
            @if served.is_empty() { p { "No fact of this run fits a technique." } }
            @for (tactic, fits) in &served {
                h3 { (say(&tactic.name)) " " small { (tactic.id) } }
                @for fit in fits { (technique(scene, fit)) }
            }
            @for it in scene.attack.retired() { p.note { (say(&retired(it))) } }
        }
    }
}

/// Renders the facts that fit a technique, with those of one finding together.
fn technique(scene: &Scene<'_>, fit: &Fit<'_>) -> Markup {
    let mut facts = fit.facts.clone();
    facts.sort_by_key(|fact| scene.carried.get(fact).copied().unwrap_or(usize::MAX));
    let line = |place: usize| html! { @if let Some(fact) = facts.get(place) { li { (fact_link(scene.run, *fact)) } } };
    let id = &fit.technique.id;
    let described =
        html! { p.by { "Described at " a href=(id.url()) rel="noreferrer" { "attack.mitre.org" } "." } };
    findings::group(&format!("{id} {}", fit.technique.name), "fact", facts.len(), &line, &described)
}

/// Describes what became of a technique that this version of the ATT&CK data no longer has.
fn retired(retired: &Retired) -> String {
    let name = format!("{} {}", retired.id, retired.name);
    match &retired.because {
        RetiredBecause::RevokedBy(other) => format!("{name} was revoked and replaced by {other}."),
        RetiredBecause::Revoked => {
            format!("{name} was revoked, and no replacement is named.")
        }
        RetiredBecause::Deprecated => format!("{name} is deprecated."),
        RetiredBecause::Absent => format!("{name} is not in the bundle that was given."),
    }
}
