//! The page around the sections: head, policy, style, script, navigation.

use super::words::word;
use super::{Scene, say};
use crate::notes::notes;
use crate::withheld::notice;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ledger::Digest;
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("../../assets/report.css");
/// One script, joined from several files: they see each other's names, and nothing outside does.
const SCRIPT: &str = concat!(
    "'use strict';\n(() => {\n",
    include_str!("../../assets/report/facts.js"),
    include_str!("../../assets/report/filter.js"),
    include_str!("../../assets/report/line.js"),
    include_str!("../../assets/report/net.js"),
    include_str!("../../assets/report/links.js"),
    "})();\n"
);

/// Renders a whole document; with `data`, the script runs over it.
pub(super) fn document(title: &str, body: &Markup, data: Option<&str>) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                meta http-equiv="Content-Security-Policy" content=(policy(data.is_some()));
                title { (say(title)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (body)
                @if let Some(data) = data {
                    script #data type="application/json" { (PreEscaped(data)) }
                    script { (PreEscaped(SCRIPT)) }
                }
            }
        }
    };
    page.into_string()
}

/// Returns the policy: nothing is fetched or sent, and only the styles and the script of this version run (CSP Level 3, hashes).
pub(super) fn policy(scripted: bool) -> String {
    let script = match scripted {
        true => format!("'{}'", hash(SCRIPT)),
        false => "'none'".to_owned(),
    };
    format!(
        "default-src 'none'; style-src '{}'; script-src {script}; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types locard",
        hash(STYLE)
    )
}

fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Digest::of(text.as_bytes()).as_bytes()))
}

/// Renders the title, the kind of page, and a link to each section by what a reader asks.
pub(super) fn head(scene: &Scene<'_>) -> Markup {
    let run = scene.run;
    let is_there = |id: &str| match id {
        "notes" => notes(run).next().is_some(),
        "contradictions" => !run.contradictions().is_empty(),
        _ => true,
    };
    let ways = [
        ("foremost", "What stands out"),
        ("happened", "What happened"),
        ("answers", "Answers"),
        ("timeline", "Timeline"),
        ("findings", "Findings"),
        ("attack", "ATT&CK"),
        ("hypotheses", "Hypotheses"),
        ("contradictions", "Contradictions"),
        ("graph", "Evidence graph"),
        ("notes", "Notes"),
        ("limits", "Not examined"),
        ("refused", "What agents got wrong"),
        ("custody", "Custody"),
        ("calls", "Tool calls and cost"),
        ("facts", "Facts and proofs"),
        ("words", "Words"),
    ];
    html! {
        a.skip href="#main" { "Skip to what happened" }
        header {
            h1 { (say(&run.opened.case.title)) }
            p {
                "Run " code { (say(run.name())) } ", opened " (say(&run.circumstance.at))
                ", Locard " (say(&run.opened.program)) ". Times are in UTC; the time zone of the case is "
                (say(&run.opened.case.time_zone)) "."
            }
            (super::custody::badges(scene))
            (super::answers::in_short(scene))
            @for sentence in notice(run) { p.note { strong { (say(&sentence)) } } }
            p.note {
                "Every " (word("fact", "fact")) " was checked against the recorded output of a tool call. "
                "Interpretations are an agent’s own words; where they cite facts, the citations were checked, but not the conclusions."
            }
        }
        nav aria-label="Sections" {
            ul { @for (id, name) in ways.into_iter().filter(|(id, _)| is_there(id)) { li { a href=(format!("#{id}")) { (name) } } } }
        }
    }
}
