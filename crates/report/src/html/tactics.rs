//! The phenomena by the techniques of ATT&CK that they fit, tactic by tactic.

use super::{Scene, findings, say};
use graph::{Fit, Retired, RetiredBecause, Tactic};
use ledger::PhenomenonId;
use maud::{Markup, html};
use std::collections::BTreeMap;

pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let numbers: BTreeMap<PhenomenonId, usize> =
        scene.ranked.iter().enumerate().map(|(number, it)| (it.phenomenon.id, number)).collect();
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
                "MITRE ATT&CK " (say(scene.attack.version())) ". A technique stands here because a trace of the kind that it leaves was found; ordinary software leaves many of them, too, and nothing here says that it was used."
            }
            @if served.is_empty() { p { "No fact of this run fits a technique." } }
            @for (tactic, fits) in &served {
                h3 { (say(&tactic.name)) " " small { (tactic.id) } }
                @for fit in fits { (technique(scene, fit, &numbers)) }
            }
            @for it in scene.attack.retired() { p.note { (say(&retired(it))) } }
        }
    }
}

fn technique(scene: &Scene<'_>, fit: &Fit<'_>, numbers: &BTreeMap<PhenomenonId, usize>) -> Markup {
    let mut fitting: Vec<usize> = fit.phenomena.iter().filter_map(|id| numbers.get(id)).copied().collect();
    fitting.sort_unstable();
    let id = &fit.technique.id;
    let described =
        html! { p.by { "Described at " a href=(id.url()) rel="noreferrer" { "attack.mitre.org" } "." } };
    findings::group(scene, &format!("{id} {}", fit.technique.name), &fitting, &described)
}

/// What became of a technique that the given bundle does not have any more.
fn retired(retired: &Retired) -> String {
    let name = format!("{} {}", retired.id, retired.name);
    match &retired.because {
        RetiredBecause::RevokedBy(other) => format!("{name} was revoked; {other} took its place."),
        RetiredBecause::Revoked => {
            format!("{name} was revoked, and nothing is said to have taken its place.")
        }
        RetiredBecause::Deprecated => format!("{name} is deprecated."),
        RetiredBecause::Absent => format!("{name} is not in the bundle that was given."),
    }
}
