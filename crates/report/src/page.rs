//! A page of refused claims: one HTML file that fetches nothing and runs nothing.

use crate::inert::html;
use crate::tally::{corrected, groups, share};
use crate::text::candidate;
use graph::{Fate, RefusedClaim, Run, Tally, refused_claims, tallies};
use ledger::{Claim, Reading};
use std::fmt::Write;

/// Neither fonts nor scripts: the page must look the same offline in ten years.
const STYLE: &str = "\
:root{color-scheme:light dark;--line:color-mix(in srgb,currentColor 22%,transparent);--soft:color-mix(in srgb,currentColor 7%,transparent);\
--accepted:#3a7d5c;--healed:#3f79b8;--corrected:#c08a2d;--abandoned:#b5483f}\
body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}\
h1{font-size:1.6rem;margin-bottom:.2rem}h2{font-size:1.15rem;margin-top:2.2rem}\
.note{opacity:.75;max-width:60ch}\
.cards{display:flex;flex-wrap:wrap;gap:.8rem;margin:1.2rem 0}\
.card{border:1px solid var(--line);border-radius:.5rem;padding:.6rem 1rem;min-width:7rem}\
.card b{display:block;font-size:1.6rem;font-variant-numeric:tabular-nums}\
table{border-collapse:collapse;width:100%}th,td{padding:.3rem .6rem;border-bottom:1px solid var(--line);text-align:right;font-variant-numeric:tabular-nums}\
th:first-child,td:first-child{text-align:left}td.bar{width:30%}\
.stack{display:flex;height:.9rem;border-radius:.2rem;overflow:hidden;background:var(--soft)}.stack i{display:block}\
.accepted{background:var(--accepted)}.healed{background:var(--healed)}.corrected{background:var(--corrected)}.abandoned{background:var(--abandoned)}\
.key span{display:inline-flex;align-items:center;gap:.35rem;margin-right:1.2rem}.key i{width:.9rem;height:.9rem;border-radius:.2rem}\
details{border:1px solid var(--line);border-radius:.5rem;margin:.6rem 0;padding:.4rem .8rem}summary{cursor:pointer}\
code{font:.875em/1.5 ui-monospace,monospace;background:var(--soft);border-radius:.25rem;padding:.05rem .3rem;overflow-wrap:anywhere;white-space:pre-wrap}\
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}dt{opacity:.7}dd{margin:0}\
@media print{details{break-inside:avoid}}";

/// The refused claims of some runs: what they add up to, and each one with what its agent was told.
pub fn rejections_page(runs: &[Run]) -> String {
    let all = tallies(runs);
    let mut out = String::from(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>Refused claims</title>\n",
    );
    let _ = writeln!(out, "<style>{STYLE}</style>\n<h1>Refused claims</h1>");
    let names: Vec<_> = runs.iter().map(|run| html(run.name())).collect();
    let _ = writeln!(
        out,
        "<p class=\"note\">What agents asked to have recorded and the gateway did not let in, or let in under another citation. {}</p>",
        names.join(", ")
    );
    cards(&mut out, &all.all);
    let _ = writeln!(
        out,
        "<p class=\"key\"><span><i class=\"accepted\"></i>accepted as cited</span><span><i class=\"healed\"></i>healed</span>\
         <span><i class=\"corrected\"></i>refused, corrected later</span><span><i class=\"abandoned\"></i>refused, abandoned</span></p>"
    );
    for (title, rows) in groups(&all) {
        table(&mut out, title, &rows);
    }
    for run in runs {
        claims(&mut out, run, runs.len() > 1);
    }
    out.push_str("</html>\n");
    out
}

fn cards(out: &mut String, all: &Tally) {
    let percent = share(all.refused, all.claims).map_or("–".to_owned(), |share| format!("{share:.1} %"));
    let cards = [
        ("claims", all.claims.to_string()),
        ("refused", format!("{} ({percent})", all.refused)),
        ("healed", all.healed.to_string()),
        ("corrected", corrected(all).to_string()),
        ("abandoned", all.abandoned.to_string()),
        ("turns lost", all.lost_turns.to_string()),
    ];
    let _ = writeln!(out, "<div class=\"cards\">");
    for (title, number) in cards {
        let _ = writeln!(out, "<div class=\"card\"><b>{number}</b>{title}</div>");
    }
    let _ = writeln!(out, "</div>");
    for (tries, claims) in &all.corrected {
        let _ = writeln!(out, "<p class=\"note\">{claims} corrected after {tries} tries.</p>");
    }
}

fn table(out: &mut String, title: &str, rows: &[(String, &Tally)]) {
    let _ = writeln!(
        out,
        "<h2>{}</h2>\n<table><thead><tr><th></th><th>claims</th><th>refused</th><th>healed</th><th>corrected</th><th>abandoned</th><th>turns lost</th><th></th></tr></thead><tbody>",
        html(title)
    );
    for (name, tally) in rows {
        let corrected = corrected(tally);
        let _ = writeln!(
            out,
            "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td><td>{corrected}</td><td>{}</td><td>{}</td><td class=\"bar\">{}</td></tr>",
            html(name),
            tally.claims,
            tally.refused,
            tally.healed,
            tally.abandoned,
            tally.lost_turns,
            bar(tally)
        );
    }
    let _ = writeln!(out, "</tbody></table>");
}

/// The shares of what became of the claims.
fn bar(tally: &Tally) -> String {
    let accepted = tally.claims.saturating_sub(tally.refused + tally.healed);
    let parts = [
        ("accepted", accepted),
        ("healed", tally.healed),
        ("corrected", corrected(tally)),
        ("abandoned", tally.abandoned),
    ];
    let mut out = String::from("<div class=\"stack\">");
    for (class, part) in parts {
        if let Some(share) = share(part, tally.claims).filter(|share| *share > 0.0) {
            let _ = write!(
                out,
                "<i class=\"{class}\" style=\"width:{share:.2}%\" title=\"{class}: {part}\"></i>"
            );
        }
    }
    out.push_str("</div>");
    out
}

fn claims(out: &mut String, run: &Run, several: bool) {
    let refused = refused_claims(run);
    let of = if several { format!(" of {}", html(run.name())) } else { String::new() };
    let _ = writeln!(out, "<h2>Each refused claim{of}</h2>");
    if refused.is_empty() {
        let _ = writeln!(out, "<p class=\"note\">None was refused.</p>");
    }
    for claim in &refused {
        one(out, claim);
    }
}

fn one(out: &mut String, claim: &RefusedClaim<'_>) {
    let rejection = claim.rejection;
    let ended = match claim.fate {
        Fate::Corrected { by, tries } => format!("corrected after {tries} tries by {by}"),
        Fate::Abandoned => "abandoned".to_owned(),
    };
    let _ = writeln!(
        out,
        "<details><summary><code>{}</code> {} turn {}: {}</summary><dl>",
        rejection.code,
        html(claim.agent),
        claim.turn,
        html(&ended)
    );
    let (claimed, citing) = match claim.stated {
        Claim::Reading(reading) => (stated(reading), reading.invocation.clone()),
        Claim::Absence(absence) => (absence.absence.to_string(), absence.searches.join(", ")),
        Claim::Derivation(derivation) => (derivation.to_string(), String::new()),
        Claim::Sentence(sentence) => (sentence.text.clone(), sentence.cites.join(", ")),
    };
    let mut row = |name: &str, text: &str, is_code: bool| {
        let text = html(text);
        let text = if is_code { format!("<code>{text}</code>") } else { text };
        let _ = writeln!(out, "<dt>{name}</dt><dd>{text}</dd>");
    };
    row("claim", &claim.claim.to_string(), true);
    row("claimed", &claimed, true);
    if !citing.is_empty() {
        row("citing", &citing, true);
    }
    row("told", &rejection.reason, false);
    if !rejection.hint.is_empty() {
        row("hint", &rejection.hint, false);
    }
    for place in &rejection.candidates {
        row("candidate", &candidate(place), true);
    }
    let _ = writeln!(out, "</dl></details>");
}

fn stated(reading: &Reading) -> String {
    let value =
        |value: &ledger::ClaimedValue| format!("{} = {}", value.field.as_deref().unwrap_or("?"), value.value);
    let values: Vec<_> = reading.values.iter().map(value).collect();
    let record = reading.record.as_deref().map_or(String::new(), |record| format!(" in {record}"));
    format!("{} {}: {}{record}", reading.predicate, reading.subject, values.join(", "))
}
